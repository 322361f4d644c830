# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists: mechanisms, their joints, problems, parts of a composite joint."""

from typing import Any

import bpy

from ..properties import joint as joint_properties
from ..properties import references
from . import text_lines

SEVERITY_ICON = {"ERROR": "CANCEL", "WARNING": "ERROR", "INFO": "INFO"}


def count(number: int, one: str, many: str = "") -> str:
    """'1 body', '4 bodies'."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def active_mechanism(context: Any) -> Any:
    """The row that is active in the list of mechanisms, None if there is none."""
    state = context.window_manager.redmax
    is_one = 0 <= state.active_mechanism < len(state.mechanisms)
    return state.mechanisms[state.active_mechanism] if is_one else None


def joints_text(mechanism: Any) -> str:
    """How many joints a mechanism has, and loops that they close: '12', '4, 1 loop'."""
    joints = str(len(mechanism.joints))
    return f"{joints}, {count(mechanism.loops, 'loop')}" if mechanism.loops else joints


def by_keys(mechanism: Any) -> bool:
    """Whether Animated joints decide the whole motion: no freedom is left, and nothing is wrong with that."""
    return bool(mechanism.driven) and mechanism.dofs == 0


def mechanism_icon(mechanism: Any) -> Any:
    """How a mechanism is doing."""
    if not mechanism.enabled:
        return "RADIOBUT_OFF"
    return "CANCEL" if mechanism.problems else "ERROR" if mechanism.warnings else "CHECKMARK"


BESIDE_MECHANISM = 18
"""Letters that have the width of what stands beside a name in the list of mechanisms."""


class REDMAX_UL_mechanisms(bpy.types.UIList):
    """Mechanisms that Check has found, with their state; headers say what the active one consists of."""

    def draw_item(
        self, context: Any, layout: Any, _data: Any, item: Any, _icon: Any, _active: Any, _active_name: Any
    ) -> None:
        row = layout.row(align=True)
        root: Any = bpy.data.objects.get((item.root, None))
        if root is not None:
            row.prop(root.redmax.mechanism, "enabled", text="")
        name = row.row(align=True)
        name.active = item.enabled
        room = max(text_lines.FEWEST, text_lines.characters(context) - BESIDE_MECHANISM)
        name.label(text=text_lines.short_name(item.root, room), icon=mechanism_icon(item))
        numbers = name.row()
        numbers.alignment = "RIGHT"
        numbers.label(text="Driven" if by_keys(item) else f"{item.dofs} DOF")
        if root is not None:
            row.separator(factor=0.5)
            colour = row.row()
            colour.ui_units_x = 0.8
            colour.prop(root.redmax.mechanism, "color", text="")


MOTION_ICON = {"simulated": "PHYSICS", "animated": "ANIM", "locked": "LOCKED"}


NAME_SHARE, NAME_BESIDE_GAP = 0.6, 0.46
"""Part of the width of the list of joints that names have, and what they have where a joint has a gap to show."""

LIST_LETTERS = 2
"""Letters that have the width of a list's own margins."""


def ending(context: Any, name: str, share: float) -> str:
    """The end of a name that has a share of the width of a list: names that begin alike differ there."""
    room = int(share * text_lines.characters(context)) - text_lines.ICON_LETTERS - LIST_LETTERS
    return name if len(name) <= room else f"\u2026{name[1 - room :]}"


class REDMAX_UL_joints(bpy.types.UIList):
    """Joints of a mechanism: how each moves, its name and type, and whether it closes a loop."""

    def draw_item(
        self, context: Any, layout: Any, data: Any, item: Any, _icon: Any, _active: Any, _active_name: Any
    ) -> None:
        obj: Any = bpy.data.objects.get((item.name, None))
        if obj is None or not obj.redmax.is_joint:
            layout.label(text=item.name, icon="QUESTION")
            return
        joint = obj.redmax.joint
        share = NAME_BESIDE_GAP if any(row.gap for row in data.joints) else NAME_SHARE
        columns = layout.split(factor=share)
        columns.label(text=ending(context, item.label, share), icon=MOTION_ICON[joint.motion_type])
        kind = columns.row()
        kind.label(text=joint.bl_rna.properties["kind"].enum_items[joint.kind].name)
        if item.gap:
            gap = kind.row()
            gap.alignment, gap.alert = "RIGHT", True
            gap.label(text=item.gap.partition(",")[0])  # its distance; Check has the angle too
        elif item.loop:
            kind.label(icon="LINKED")


class REDMAX_UL_problems(bpy.types.UIList):
    """What Check has to say, one line each; the whole sentence of the active one stands below the list."""

    def draw_item(
        self, context: Any, layout: Any, _data: Any, item: Any, _icon: Any, _active: Any, _active_name: Any
    ) -> None:
        row = layout.row(align=True)
        row.label(
            text=text_lines.shortened(context, item.text, icons=1 if item.element else 0),
            icon=SEVERITY_ICON[item.severity],
        )
        if item.element:
            row.operator("redmax.select_element", text="", icon="RESTRICT_SELECT_OFF", emboss=False).name = item.element


class REDMAX_UL_parts(bpy.types.UIList):
    """Parts of a composite joint, from the parent to the child."""

    def draw_item(
        self,
        _context: Any,
        layout: Any,
        _data: Any,
        item: Any,
        _icon: Any,
        _active: Any,
        _active_name: Any,
        index: int,
    ) -> None:
        row = layout.row(align=True)
        row.label(text=f"{index + 1}: {item.bl_rna.properties['kind'].enum_items[item.kind].name}")
        numbers = row.row()
        numbers.alignment = "RIGHT"
        numbers.label(text=f"{len(joint_properties.dofs(item))} DOF")


class REDMAX_UL_entries(bpy.types.UIList):
    """Entries of a list of an element: points, parts that refer to objects, rows of numbers."""

    def draw_item(
        self, _context: Any, layout: Any, _data: Any, item: Any, _icon: int, _active: Any, _name: str, index: int = 0
    ) -> None:
        columns = int(first) if (first := self.list_id.partition(" ")[0]).isdigit() else 1
        layout.label(text=f"{index + 1}: {entry_text(item, columns)}", icon=entry_icon(item))


def identifier(name: str, columns: int) -> str:
    """What a list of entries is called where it is drawn. columns: numbers that count in each, if they are numbers."""
    return f"{columns} {name}"


def entry_text(item: Any, columns: int) -> str:
    """The objects that an entry refers to, or else the numbers in it that count."""
    if "values" in item.bl_rna.properties:
        return ", ".join(f"{number:.4g}" for number in item.values[:columns])
    if "transform" in item.bl_rna.properties:
        return item.transform or "Empty"
    named = list(dict.fromkeys(obj.name for obj in entry_objects(item)))
    if named:
        return " at ".join(named[:2])
    if "joint" in item.bl_rna.properties:
        return "Slider of its own"
    return "In the World" if "place" in item.bl_rna.properties else "World"


def entry_icon(item: Any) -> Any:
    """Red where an entry has lost what it referred to."""
    names = [prop.identifier for prop in item.bl_rna.properties if prop.identifier.endswith(references.KNOWN)]
    lost = any(references.is_lost(item, name.removesuffix(references.KNOWN)) for name in names)
    return "CANCEL" if lost else "DOT"


def entry_objects(item: Any) -> list[Any]:
    """Objects that the references of an entry mean, in order."""
    pointers = [prop.identifier for prop in item.bl_rna.properties if prop.type == "POINTER"]
    values = [getattr(item, name) for name in pointers if name != "rna_type"]
    return [value for value in values if isinstance(value, bpy.types.Object)]


CLASSES = (REDMAX_UL_mechanisms, REDMAX_UL_joints, REDMAX_UL_problems, REDMAX_UL_parts, REDMAX_UL_entries)
