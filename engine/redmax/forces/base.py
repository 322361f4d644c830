# SPDX-License-Identifier: GPL-3.0-or-later
"""What every force is: a named element that pushes on bodies or joints."""

from __future__ import annotations

from dataclasses import dataclass

from ..fields import Element, text


@dataclass(frozen=True, kw_only=True)
class Force(Element):
    """A force law between elements of the scene."""

    name: str = text(doc="Name of the force, unique among forces")
