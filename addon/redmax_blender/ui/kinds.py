# SPDX-License-Identifier: GPL-3.0-or-later
"""Types of joints in menus: an icon each, and those that only specialists need in a menu of their own."""

import functools
from collections.abc import Callable
from typing import Any

import bpy

from .._engine import joints

Draw = Callable[[Any, Any], None]
"""Draws the entry of one enum item into a layout."""


@functools.cache
def icon_of(kind: str) -> Any:
    """The icon that the kind declares; that of any joint where this Blender has none of the name."""
    return known_icon(joints.JOINTS[kind].icon, joints.Joint.icon)


def known_icon(declared: str, otherwise: str = "DOT") -> Any:
    """An icon of a name, or another where this Blender has none."""
    layout: Any = bpy.types.UILayout
    known = layout.bl_rna.functions["prop"].parameters["icon"].enum_items
    return declared if declared in known else otherwise


def listed(items: Any, *, advanced: bool) -> list[Any]:
    """Items of an enum property as menus show them: those that most joints are in front, or the advanced ones."""
    having = [item for item in items if joints.JOINTS[item.identifier].is_advanced == advanced]
    return sorted(having, key=lambda item: joints.JOINTS[item.identifier].menu_order)


def draw_choice(layout: bpy.types.UILayout, data: Any, menu: Any) -> None:
    """The row "Type" with a menu instead of a long list. data: a joint or a part of one."""
    item = data.bl_rna.properties["kind"].enum_items[data.kind]
    split = layout.split(factor=0.4)
    label = split.row()
    label.alignment = "RIGHT"
    label.label(text="Type")
    split.menu(menu.__name__, text=item.name, icon=icon_of(data.kind))


def draw_main(layout: bpy.types.UILayout, items: Any, draw: Draw, advanced: Any) -> None:
    """Types that artists use, the usual ones in front, and the menu of the others. items: of an enum property."""
    for item in listed(items, advanced=False):
        draw(layout, item)
    layout.separator()
    layout.menu(advanced.__name__)


def draw_advanced(layout: bpy.types.UILayout, items: Any, draw: Draw) -> None:
    for item in listed(items, advanced=True):
        draw(layout, item)


def _setting(data: Any, *, part: bool = False) -> tuple[Any, Draw]:
    """Items of `data.kind`, and an entry that sets it. The property itself would have radio buttons for icons."""

    def draw(layout: Any, item: Any) -> None:
        icon = icon_of(item.identifier)
        entry = layout.operator("redmax.set_kind", text=item.name, icon=icon, depress=item.identifier == data.kind)
        entry.kind, entry.part = item.identifier, part

    return data.bl_rna.properties["kind"].enum_items, draw


def _connecting() -> tuple[Any, Draw]:
    """Types that Connect with Joint can make, and an entry that does."""
    operators: Any = bpy.ops

    def draw(layout: Any, item: Any) -> None:
        icon = icon_of(item.identifier)
        layout.operator("redmax.connect", text=item.name, icon=icon).kind = item.identifier

    return operators.redmax.connect.get_rna_type().properties["kind"].enum_items, draw


def _active_part(context: Any) -> Any:
    joint = context.object.redmax.joint
    return joint.parts[joint.active_part]


class REDMAX_MT_kind_advanced(bpy.types.Menu):
    bl_label = "Advanced"

    def draw(self, context: Any) -> None:
        draw_advanced(self.layout, *_setting(context.object.redmax.joint))


class REDMAX_MT_kind(bpy.types.Menu):
    bl_label = "Type"

    def draw(self, context: Any) -> None:
        draw_main(self.layout, *_setting(context.object.redmax.joint), REDMAX_MT_kind_advanced)


class REDMAX_MT_part_kind_advanced(bpy.types.Menu):
    bl_label = "Advanced"

    def draw(self, context: Any) -> None:
        draw_advanced(self.layout, *_setting(_active_part(context), part=True))


class REDMAX_MT_part_kind(bpy.types.Menu):
    bl_label = "Type"

    def draw(self, context: Any) -> None:
        draw_main(self.layout, *_setting(_active_part(context), part=True), REDMAX_MT_part_kind_advanced)


class REDMAX_MT_connect_advanced(bpy.types.Menu):
    bl_label = "Advanced"

    def draw(self, _context: Any) -> None:
        draw_advanced(self.layout, *_connecting())


class REDMAX_MT_connect(bpy.types.Menu):
    bl_label = "Connect with Joint"

    def draw(self, _context: Any) -> None:
        draw_main(self.layout, *_connecting(), REDMAX_MT_connect_advanced)


CLASSES = (
    REDMAX_MT_kind_advanced,
    REDMAX_MT_kind,
    REDMAX_MT_part_kind_advanced,
    REDMAX_MT_part_kind,
    REDMAX_MT_connect_advanced,
    REDMAX_MT_connect,
)
