# SPDX-License-Identifier: GPL-3.0-or-later
"""Menus: Object > RedMax, Add > Mechanism, File > Export."""

from typing import Any

import bpy

from ..properties import sorts
from . import kinds


def template_operators() -> list[Any]:
    """Registered operators that add a template, by name: a new template is in the menu without a line here."""
    operators: Any = bpy.ops
    found = (getattr(bpy.types, f"REDMAX_OT_{name}", None) for name in dir(operators.redmax))
    return [operator for operator in found if hasattr(operator, "template")]


class REDMAX_MT_add_mechanism(bpy.types.Menu):
    bl_label = "Mechanism"

    def draw(self, _context: Any) -> None:
        for operator in sorted(template_operators(), key=lambda each: str(each.template.LABEL)):
            template = operator.template
            self.layout.operator(operator.bl_idname, text=template.LABEL, icon=template.ICON)
        self.layout.separator()
        self.layout.menu(REDMAX_MT_elements.__name__, icon="FORCE_HARMONIC")


class REDMAX_MT_object(bpy.types.Menu):
    bl_label = "RedMax"

    def draw(self, _context: Any) -> None:
        layout = self.layout
        layout.operator("redmax.make_mechanism")
        layout.menu(kinds.REDMAX_MT_connect.__name__)
        layout.menu(REDMAX_MT_elements.__name__)
        layout.separator()
        layout.operator("redmax.add_body")
        layout.operator("redmax.remove_body")
        layout.operator("redmax.set_root", text="Lock Body").root = "LOCKED"
        layout.operator("redmax.set_root", text="Free Body").root = "FREE"
        layout.separator()
        layout.operator("redmax.swap_joint")
        layout.operator("redmax.remove_joint")
        layout.operator("redmax.key_coordinate")
        layout.operator("redmax.coordinate_from_motion")
        layout.separator()
        layout.operator("redmax.check")
        layout.operator("redmax.simulate")
        layout.operator("redmax.clear_result")
        layout.separator()
        layout.operator("redmax.bake")
        layout.operator("redmax.remove_bake")
        layout.separator()
        layout.operator("redmax.convert_rigid_bodies")
        layout.operator("redmax.back_to_rigid_bodies")


def _sort_menu(sort: Any) -> Any:
    """The menu of the kinds of a sort, each of which adds one; those for specialists come last."""

    def draw(self: Any, _context: Any) -> None:
        for cls in sorted(sort.classes(), key=lambda cls: cls.is_advanced):
            entry = self.layout.operator("redmax.add_element", text=cls.label, icon=kinds.known_icon(cls.icon))
            entry.kind = f"{sort.name}.{cls.kind}"

    name = f"REDMAX_MT_add_{sort.name}"
    return type(name, (bpy.types.Menu,), {"bl_idname": name, "bl_label": f"All {sort.title}s", "draw": draw})


SORT_MENUS = tuple(_sort_menu(sort) for sort in sorts.GENERATED)


INTENTS: tuple[tuple[tuple[str, Any], ...], ...] = (
    (
        ("add_spring", "FORCE_HARMONIC"),
        ("add_damper", "MOD_PHYSICS"),
        ("add_cable", "CURVE_PATH"),
        ("add_muscle", "MOD_SMOOTH"),
        ("add_strand", "CURVE_DATA"),
    ),
    (
        ("add_gear", "PREFERENCES"),
        ("add_belt", "CON_FOLLOWTRACK"),
        ("add_rack", "CON_TRACKTO"),
        ("add_mimic", "CON_TRANSLIKE"),
        ("add_motor", "AUTO"),
        ("add_drive", "DRIVER"),
    ),
    (("add_force", "FORCE_FORCE"), ("add_drag", "FORCE_DRAG"), ("pin_to_world", "PINNED")),
    (("add_track", "CURVE_BEZCURVE"), ("add_sheet", "SURFACE_DATA"), ("add_train", "LINKED")),
    (("add_surface_contact", "MESH_TORUS"),),
)
"""Operators that add what acts on bodies and joints, with an icon each, as menus group them."""


class REDMAX_MT_elements(bpy.types.Menu):
    """Everything that can be added between bodies and joints."""

    bl_label = "Add Force or Constraint"

    def draw(self, _context: Any) -> None:
        layout = self.layout
        for group in INTENTS:
            for name, icon in group:
                layout.operator(f"redmax.{name}", icon=icon)
            layout.separator()
        layout.operator("redmax.add_surface", icon="MOD_PHYSICS")
        layout.operator("redmax.add_ground", icon="MESH_GRID")
        layout.operator("redmax.add_surface_pair", icon="MOD_PHYSICS")
        layout.separator()
        for menu in SORT_MENUS:
            layout.menu(menu.bl_idname)
        layout.separator()
        layout.operator("redmax.add_shape", icon="OUTLINER_OB_CURVE")
        layout.operator("redmax.remove_element", icon="X")
        layout.operator("redmax.remove_surface", icon="X")


class REDMAX_MT_parts(bpy.types.Menu):
    """What is needed less often while building, beside the buttons of panel 1."""

    bl_label = "Bodies, Joints and Other Elements"

    def draw(self, _context: Any) -> None:
        layout = self.layout
        layout.operator("redmax.add_body", icon="ADD")
        layout.operator("redmax.remove_body", icon="REMOVE")
        layout.separator()
        layout.operator("redmax.set_root", text="Lock Body", icon="LOCKED").root = "LOCKED"
        layout.operator("redmax.set_root", text="Free Body", icon="UNLOCKED").root = "FREE"
        layout.separator()
        layout.operator("redmax.swap_joint", icon="UV_SYNC_SELECT")
        layout.operator("redmax.remove_joint", icon="X")
        layout.separator()
        layout.menu(REDMAX_MT_elements.__name__, icon="FORCE_HARMONIC")


def draw_in_object_menu(menu: Any, _context: Any) -> None:
    menu.layout.separator()
    menu.layout.menu(REDMAX_MT_object.__name__)


def draw_in_add_menu(menu: Any, _context: Any) -> None:
    menu.layout.separator()
    menu.layout.menu(REDMAX_MT_add_mechanism.__name__, icon="LINKED")


def draw_in_export_menu(menu: Any, _context: Any) -> None:
    menu.layout.operator("redmax.export_scene", text="RedMax Scene (.json)")


CLASSES = (REDMAX_MT_add_mechanism, *SORT_MENUS, REDMAX_MT_elements, REDMAX_MT_parts, REDMAX_MT_object)
APPENDED = (
    (bpy.types.VIEW3D_MT_object, draw_in_object_menu),
    (bpy.types.VIEW3D_MT_add, draw_in_add_menu),
    (bpy.types.TOPBAR_MT_file_export, draw_in_export_menu),
)
