# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine's sentences as artists read them: no field names, no null, angles in degrees."""

import math
import re

_PHRASES = (
    (re.compile(r", null \(also for single coordinates\) for none; hard without limit_stiffness"), ""),
    (re.compile(r"\(parent null\)"), "(no parent)"),
    (re.compile(r"write null, without quotes"), "leave it empty"),
    (re.compile(r" or null for (the world|none)"), r" or nothing for \1"),
    (re.compile(r"\bnull\b"), "nothing"),
)
"""What users of scene files are told, and what it is in Blender."""

_FIELD = re.compile(r"\b(?:limit_stiffness|limit_damping|torque_table|spring_table|motion_type|frame_in_\w+)\b")
_PER_SECOND = re.compile(r"(\d[\d,.]*(?:e[+-]?\d+)?) rad/s\b")


def plain(text: str) -> str:
    """An engine's sentence for a panel or a message."""
    for pattern, words in _PHRASES:
        text = pattern.sub(words, text)
    text = _FIELD.sub(lambda found: found[0].replace("_", " ").title(), text)
    return _PER_SECOND.sub(_in_degrees, text)


def _in_degrees(found: re.Match[str]) -> str:
    degrees = math.degrees(float(found[1].replace(",", "")))
    return f"{degrees:,.0f} deg/s" if 1.0 <= degrees < 1e9 else f"{degrees:.2g} deg/s"
