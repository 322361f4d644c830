# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows for the parameters that only one kind of element has; the engine's registry decides which."""

from __future__ import annotations

from typing import Any

import bpy

from ..properties import references
from . import element_rows


def draw_group(layout: bpy.types.UILayout, group: Any | None) -> None:
    """Every parameter of a generated group: of a kind of joint, of a shape or of an integrator."""
    if group is None:
        return
    held = type(group).__annotations__
    for name in held:
        if f"{name}{references.KNOWN}" in held:
            element_rows.draw_reference(layout, group, name, needed=True, empty="Pick one")
            continue
        if name.endswith(references.ENDS):
            continue
        described = group.bl_rna.properties[name]
        if _looks_like_zero(described, getattr(group, name)):
            # Blender shows at most six decimals, and tolerances are smaller: the label says the number,
            # first, as Blender cuts the end of what is too long.
            layout.prop(group, name, text=f"{getattr(group, name):.0e} {described.name}")
        else:
            layout.prop(group, name)


def _looks_like_zero(described: Any, value: Any) -> bool:
    """Whether a number field would show 0 for a number that is not."""
    return described.type == "FLOAT" and not described.is_array and 0.0 < abs(value) < 0.5 * 10.0**-described.precision
