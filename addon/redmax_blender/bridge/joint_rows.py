# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints of each mechanism, as the list in the sidebar and the overlay read them."""

from __future__ import annotations

from typing import Any

from . import loops
from .mechanisms import Mechanism

_version = [0]


def version() -> int:
    """Counts up when what is known of joints changes, for whoever remembers it."""
    return _version[0]


def fill(row: Any, mechanism: Mechanism) -> None:
    """Write a mechanism's joints into its row of `window_manager.redmax.mechanisms`."""
    row.joints.clear()
    for name in mechanism.joints:
        joint = row.joints.add()
        joint.name = name
        joint.loop = name in mechanism.closers
        joint.gap = loops.said(mechanism.gaps[name]) if name in mechanism.gaps else ""
    _version[0] += 1
