# SPDX-License-Identifier: GPL-3.0-or-later
"""What people read for the engine's names of coordinates."""

from __future__ import annotations

import re

_ROTATION = re.compile(r"r([xyz])")
_NUMBERED = re.compile(r"([a-z]+)(\d+)")
_SYMBOL = re.compile(r"q\d+")
"""Coordinates without a name of their own, as formulas call them."""


def label(name: str) -> str:
    """A coordinate's engine name as people read it: 'rx' is 'Rotation X', '2.angle1' is '2: Angle 1'."""
    part, _, own = name.rpartition(".")
    if turned := _ROTATION.fullmatch(own):
        words = f"Rotation {turned[1].upper()}"
    elif _SYMBOL.fullmatch(own):
        words = own
    elif numbered := _NUMBERED.fullmatch(own):
        words = f"{numbered[1].title()} {numbered[2]}"
    else:
        words = own.replace("_", " ").title()
    return f"{part}: {words}" if part else words
