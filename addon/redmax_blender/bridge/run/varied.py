# SPDX-License-Identifier: GPL-3.0-or-later
"""An extraction whose mechanism has other numbers than the artist's setup."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..._engine import check
from ..core.findings import BridgeError, Finding

if TYPE_CHECKING:
    from ..extract.extraction import Extraction


def extraction(of: Extraction, scene: Any) -> Extraction:
    """The same bodies and frames with another scene of the engine. Raises BridgeError where it cannot be simulated."""
    problems = check.find_problems(scene)
    if problems:
        raise BridgeError([Finding(problem.element.name, str(problem)) for problem in problems])
    return replace(of, scene=scene)
