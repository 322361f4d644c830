# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons of what helps against a problem."""

from __future__ import annotations

from typing import Any

import bpy

from ..properties import fixes as words

OWN_OPERATORS = {"ENTER_MASS": "redmax.enter_mass", "SIMULATE": "redmax.simulate"}
"""Fixes that are more than a click: one asks for a number, one takes its time."""


def draw_fixes(layout: bpy.types.UILayout, names: str, element: str) -> None:
    """One button for each fix; names: separated by commas, as a problem has them."""
    fixes = [(name, words.FIXES[name]) for name in names.split(",") if name in words.FIXES]
    if not fixes:
        return
    if "PICK" in dict(fixes):
        _draw_picker(layout, element)
    flow = layout.grid_flow(row_major=True, columns=0, even_columns=True, align=True)
    for name, fix in fixes:
        icon: Any = fix.icon
        button = flow.operator(OWN_OPERATORS.get(name, "redmax.fix"), text=fix.label, icon=icon)
        if name not in OWN_OPERATORS:
            button.fix = name
        if name != "SIMULATE":
            button.element = element


def _draw_picker(layout: bpy.types.UILayout, element: str) -> None:
    """The field of the joint itself, with Blender's eyedropper."""
    joint: Any = bpy.data.objects.get((element, None))
    if joint is not None and joint.redmax.is_joint:
        layout.prop(joint.redmax.joint, "child", text="", placeholder="Pick a body")
