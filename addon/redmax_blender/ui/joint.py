# SPDX-License-Identifier: GPL-3.0-or-later
"""Physics tab: the panels of a joint. All rows follow from the registry, so a new kind of joint needs nothing here."""

from collections.abc import Iterator
from typing import Any

import bpy

from .._engine import joints
from ..properties import formulas, from_specs, joint_friction
from ..properties import joint as joint_properties
from . import (
    axis_buttons,
    dof_rows,
    element_rows,
    generated,
    joint_formulas,
    kinds,
    lists,
    presets,
    results,
    text_lines,
)
from .physics import PhysicsPanel

SIMULATED, ANIMATED = "simulated", "animated"


class JointPanel(PhysicsPanel):
    """Shown for an object that is a joint."""

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.object is not None and context.object.redmax.is_joint


class MovingJointPanel(JointPanel):
    """Shown for a joint that has coordinates."""

    bl_parent_id = "REDMAX_PT_joint"

    @classmethod
    def poll(cls, context: Any) -> bool:
        return super().poll(context) and bool(dof_rows.shown_dofs(context.object.redmax.joint))


class REDMAX_PT_joint(JointPanel, bpy.types.Panel):
    bl_label = "RedMax Joint"

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        joint = context.object.redmax.joint
        kinds.draw_choice(layout, joint, kinds.REDMAX_MT_kind)
        draw_parameters(layout, context, joint)
        axis_buttons.draw(layout, joint)


def draw_parameters(layout: bpy.types.UILayout, context: Any, joint: Any) -> None:
    """What only joints of its kind have. joint: also a part of one."""
    if formulas.is_written(joints.JOINTS[joint.kind]):
        joint_formulas.draw(layout, context, joint)
        return
    generated.draw_group(layout, joint_properties.own_group(joint))
    if left := joint_properties.uneditable(joint.kind):
        faint = layout.column()
        faint.active = False
        named = ", ".join(from_specs.title(name) for name in left)
        text_lines.draw_text(faint, context, f"Cannot be edited in Blender, stays as it is: {named}", "INFO")


class REDMAX_PT_joint_parts(JointPanel, bpy.types.Panel):
    bl_label = "Parts"
    bl_parent_id = "REDMAX_PT_joint"

    @classmethod
    def poll(cls, context: Any) -> bool:
        return super().poll(context) and joint_properties.has_parts(context.object.redmax.joint)

    def draw(self, context: Any) -> None:
        layout = self.layout
        joint = context.object.redmax.joint
        row = layout.row()
        row.template_list(lists.REDMAX_UL_parts.__name__, "", joint, "parts", joint, "active_part", rows=4)
        buttons = row.column(align=True)
        buttons.operator("redmax.add_part", text="", icon="ADD")
        buttons.operator("redmax.remove_part", text="", icon="REMOVE")
        if len(joint.parts) > 1:
            buttons.separator()
            buttons.operator("redmax.move_part", text="", icon="TRIA_UP").direction = "UP"
            buttons.operator("redmax.move_part", text="", icon="TRIA_DOWN").direction = "DOWN"
        if 0 <= joint.active_part < len(joint.parts):
            part = joint.parts[joint.active_part]
            layout.use_property_split = True
            layout.use_property_decorate = False
            kinds.draw_choice(layout, part, kinds.REDMAX_MT_part_kind)
            draw_parameters(layout, context, part)
        freedoms = len(joint_properties.dofs(joint))
        if freedoms > from_specs.MOST_DOFS:
            text = f"{freedoms} degrees of freedom, but a body has {from_specs.MOST_DOFS}: use fewer or simpler parts"
            text_lines.draw_text(layout, context, text, "ERROR")


def _with_formulas(context: Any) -> tuple[Any, bool]:
    """The joint, or the active part of a composite, and whether it is a part."""
    joint = context.object.redmax.joint
    is_part = joint_properties.has_parts(joint) and 0 <= joint.active_part < len(joint.parts)
    return (joint.parts[joint.active_part], True) if is_part else (joint, False)


class REDMAX_PT_joint_charts(JointPanel, bpy.types.Panel):
    bl_label = "Charts"
    bl_parent_id = "REDMAX_PT_joint"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return super().poll(context) and bool(formulas.texts_of(joints.JOINTS[_with_formulas(context)[0].kind]))

    def draw(self, context: Any) -> None:
        shown, is_part = _with_formulas(context)
        joint_formulas.draw_charts(self.layout, joint_properties.own_group(shown), part=is_part)


class REDMAX_PT_joint_connects(JointPanel, bpy.types.Panel):
    bl_label = "Connects"
    bl_parent_id = "REDMAX_PT_joint"

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        joint = context.object.redmax.joint
        row = layout.row(align=True)
        column = row.column(align=True)
        column.prop(joint, "parent", placeholder="World")
        child = column.row(align=True)
        child.alert = joint.child is None
        child.prop(joint, "child", placeholder="Pick a body")
        swap = row.column(align=True)
        swap.scale_y = 2.0
        swap.operator("redmax.swap_joint", text="", icon="UV_SYNC_SELECT")


class REDMAX_PT_joint_motion(MovingJointPanel, bpy.types.Panel):
    bl_label = "Motion"

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        draw_motion(layout, context, context.object.redmax.joint)


def draw_motion(layout: bpy.types.UILayout, context: Any, joint: Any) -> None:
    """What decides how the joint moves, and its coordinates; the sidebar shows the same."""
    dofs = dof_rows.shown_dofs(joint)
    choice = layout.row()
    choice.use_property_split = False  # the whole width, or the words would be cut
    choice.row().prop(joint, "motion_type", expand=True)
    on = context.scene.redmax.follow_coordinates
    choice.operator("redmax.follow_coordinates", text="", icon="HIDE_OFF" if on else "HIDE_ON", depress=on)
    if joint.motion_type == SIMULATED:
        dof_rows.draw_field(layout, joint, "q", "Start", dofs)
        dof_rows.draw_field(layout, joint, "qdot", velocity_label(dofs), dofs)
    else:
        dof_rows.draw_field(layout, joint, "q", "", dofs)
    if note := context.window_manager.redmax.pose_notes.get(joint.id_data.name):
        text_lines.draw_text(layout, context, note.text, "ERROR")
    if joint.motion_type == ANIMATED:
        row = layout.row(align=True)
        row.operator("redmax.key_coordinate", text="Key", icon="KEY_HLT")
        row.operator("redmax.coordinate_from_motion", text="From Motion", icon="ACTION")


def velocity_label(dofs: Any) -> str:
    """Blender shows velocities along a distance with their unit, angles per second as angles, numbers as they are."""
    match {dof.unit for dof in dofs}:
        case units if "rad" not in units:
            return "Velocity (1/s)" if units == {"1"} else "Velocity"
        case units:
            return "Velocity (\u00b0/s)" if units == {"rad"} else "Velocity (angles in \u00b0/s)"


def rows_of_joint(layout: bpy.types.UILayout, context: Any, *, keyable: bool) -> tuple[Any, Any]:
    """Prepare a panel for one row per coordinate; the active joint and its coordinates."""
    layout.use_property_split = True
    layout.use_property_decorate = keyable
    joint = context.object.redmax.joint
    return joint, dof_rows.shown_dofs(joint)


def draw_units(layout: bpy.types.UILayout, context: Any, labels: dict[str, str], dofs: Any) -> None:
    """A faint line below the numbers that says what they are measured in."""
    faint = layout.column()
    faint.active = False
    text_lines.draw_text(faint, context, dof_rows.units_text(labels, dofs))


class REDMAX_PT_joint_torque(MovingJointPanel, bpy.types.Panel):
    bl_label = "Torque"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return super().poll(context) and context.object.redmax.joint.motion_type == SIMULATED

    def draw(self, context: Any) -> None:
        joint, dofs = rows_of_joint(self.layout, context, keyable=True)
        dof_rows.draw_field(self.layout, joint, "torque", dof_rows.load_label(dofs), dofs)
        draw_units(self.layout, context, {"torque": dof_rows.load_label(dofs)}, dofs)


class REDMAX_PT_joint_motor(MovingJointPanel, bpy.types.Panel):
    bl_label = "Motor"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return super().poll(context) and context.object.redmax.joint.motion_type == SIMULATED

    def draw_header(self, context: Any) -> None:
        self.layout.prop(context.object.redmax.joint, "use_motor", text="")

    def draw(self, context: Any) -> None:
        layout = self.layout
        joint, dofs = rows_of_joint(layout, context, keyable=True)
        layout.active = joint.use_motor
        choice = layout.row()
        choice.use_property_decorate = False
        choice.prop(joint, "motor_control", expand=True)
        target = joint_properties.TARGETS[joint.motor_control]
        by_speed = target == joint_properties.TARGETS["speed"]
        dof_rows.draw_field(layout, joint, target, velocity_label(dofs) if by_speed else "Target", dofs)
        numbers = layout.column()
        numbers.use_property_decorate = False
        gains = {"motor_speed_gain": "Speed Gain" if by_speed else "Damping"}
        if not by_speed:
            gains = {"motor_position_gain": "Stiffness", **gains}
        for field, label in gains.items():
            dof_rows.draw_field(numbers, joint, field, label, dofs)
        most = f"Max {dof_rows.load_label(dofs)}"
        numbers.prop(joint, "use_motor_maximum", text=most if len(dofs) == 1 else "Maximum")
        limited = numbers.column()
        limited.active = joint.use_motor_maximum
        dof_rows.draw_field(limited, joint, "motor_maximum", " " if len(dofs) == 1 else most, dofs)
        draw_units(layout, context, gains | {"motor_maximum": "maximum"}, dofs)
        if len(dofs) == 1:
            entry: Any = numbers.operator("redmax.add_motor", text="Gains from the Load", icon="AUTO")
            entry.control = joint.motor_control
            name = "angle" if dofs[0].unit == "rad" else "distance"
            setattr(entry, name, joint_properties.value(joint, target, dofs[0]))


class REDMAX_PT_joint_friction(MovingJointPanel, bpy.types.Panel):
    bl_label = "Friction"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        if not super().poll(context):
            return False
        joint = context.object.redmax.joint
        return joint.motion_type == SIMULATED and bool(joint_properties.engine_joint(joint).bearings())

    def draw_header(self, context: Any) -> None:
        self.layout.prop(context.object.redmax.joint, "use_friction", text="")

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        joint = context.object.redmax.joint
        layout.active = joint.use_friction
        for name in ("state", "coefficient", *joint_friction.sizes_of(joint_properties.engine_joint(joint))):
            layout.prop(joint.friction, name)


class REDMAX_PT_joint_limits(MovingJointPanel, bpy.types.Panel):
    bl_label = "Limits"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header(self, context: Any) -> None:
        self.layout.prop(context.object.redmax.joint, "use_limits", text="")

    def draw(self, context: Any) -> None:
        layout = self.layout
        joint, dofs = rows_of_joint(layout, context, keyable=False)
        layout.active = joint.use_limits
        choice = layout.row()
        choice.prop(joint, "limit_type", expand=True)
        dof_rows.draw_limits(layout, joint, dofs)
        if joint.limit_type == joint_properties.SOFT:
            dof_rows.draw_field(layout, joint, "limit_stiffness", "Stiffness", dofs)
            dof_rows.draw_field(layout, joint, "limit_damping", "Damping", dofs)
            draw_units(layout, context, {"limit_stiffness": "Stiffness", "limit_damping": "damping"}, dofs)
        elif joint_properties.may_have_hard_limits(joint):
            dof_rows.draw_field(layout, joint, "restitution", "Bounce", dofs)
        for text in _said_of_limits(joint, dofs) if joint.use_limits else ():
            text_lines.draw_text(layout, context, text, "INFO")


def _said_of_limits(joint: Any, dofs: Any) -> Iterator[str]:
    """What an artist may not expect of limits as they are set."""
    if joint.motion_type != SIMULATED:
        yield "Limits act on a Simulated joint only"
    if joint.limit_type == joint_properties.HARD and not joint_properties.may_have_hard_limits(joint):
        yield "Its rotation can be written in several ways, so that only Soft limits can hold it"
    elif joint.limit_type == joint_properties.SOFT and dof_rows.is_stiff_as_hard(joint, dofs):
        yield "A Soft limit without stiffness is a Hard one"


class REDMAX_PT_joint_spring(MovingJointPanel, bpy.types.Panel):
    bl_label = "Spring & Damping"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header_preset(self, _context: Any) -> None:
        presets.draw_in_header(self.layout, presets.REDMAX_PT_joint_feel_presets)

    def draw(self, context: Any) -> None:
        joint, dofs = rows_of_joint(self.layout, context, keyable=False)
        for name, label in (("stiffness", "Stiffness"), ("rest", "Rest"), ("damping", "Damping")):
            dof_rows.draw_field(self.layout, joint, name, label, dofs)
        if len(dofs) == 1:
            curve = joint_properties.SPRING_CURVE
            element_rows.draw_reference(self.layout, joint, curve, needed=False, empty="None", text="Curve")
        draw_units(self.layout, context, {"stiffness": "Stiffness", "damping": "damping"}, dofs)
        self.layout.operator("redmax.set_feel", icon="FORCE_HARMONIC")


class REDMAX_PT_joint_results(JointPanel, bpy.types.Panel):
    bl_label = "Results"
    bl_parent_id = "REDMAX_PT_joint"

    @classmethod
    def poll(cls, context: Any) -> bool:
        return super().poll(context) and bool(results.channels(context.object))

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        dofs = dof_rows.shown_dofs(context.object.redmax.joint)
        results.draw_channels(layout, context.object, dofs)


CLASSES = (
    REDMAX_PT_joint,
    REDMAX_PT_joint_parts,
    REDMAX_PT_joint_charts,
    REDMAX_PT_joint_connects,
    REDMAX_PT_joint_motion,
    REDMAX_PT_joint_torque,
    REDMAX_PT_joint_motor,
    REDMAX_PT_joint_friction,
    REDMAX_PT_joint_limits,
    REDMAX_PT_joint_spring,
    REDMAX_PT_joint_results,
)
