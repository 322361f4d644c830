# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons of what helps against a problem."""

from __future__ import annotations

from typing import Any

import bpy

from ..properties import fixes as words

OWN_OPERATORS = {"ENTER_MASS": "redmax.enter_mass", "SIMULATE": "redmax.simulate"}
"""Fixes that are more than a click: one asks for a number, one takes its time."""

MOST_WITH_ICONS = 2
"""Buttons of which words and icons fit into a row of the sidebar; of more, the words are enough."""


def draw_fixes(layout: bpy.types.UILayout, names: str, element: str) -> None:
    """One button for each fix; names: separated by commas, as a problem has them."""
    fixes = [(name, words.FIXES[name]) for name in names.split(",") if name in words.FIXES]
    if not fixes:
        return
    row = layout.row(align=True)
    if "PICK" in dict(fixes):
        _draw_picker(row, element)
    for name, fix in fixes:
        icon: Any = fix.icon if len(fixes) <= MOST_WITH_ICONS else "NONE"
        button = row.operator(OWN_OPERATORS.get(name, "redmax.fix"), text=fix.label, icon=icon)
        if name not in OWN_OPERATORS:
            button.fix = name
        if name != "SIMULATE":
            button.element = element


def _draw_picker(layout: bpy.types.UILayout, element: str) -> None:
    """The field of the joint itself, with Blender's eyedropper."""
    joint: Any = bpy.data.objects.get((element, None))
    if joint is not None and joint.redmax.is_joint:
        layout.prop(joint.redmax.joint, "child", text="", placeholder="Pick a body")
