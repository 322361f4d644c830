# SPDX-License-Identifier: GPL-3.0-or-later
"""Sidebar tab "RedMax" of the 3D Viewport: from parts to keys in four steps, under the list of mechanisms."""

from typing import Any, ClassVar

import bpy

from . import axis_buttons, bake_options, dof_rows, fix_buttons, lists, menus, physics, solver_rows, text_lines
from . import joint as joint_panels
from . import scene as scene_panels

COMPLETE, STOPPED, FAILED = "complete", "stopped", "failed"
"""Status of a result that reached its last frame, was stopped by the artist, or could not go on and says why."""


class SidebarPanel:
    """Where a panel of the sidebar belongs."""

    bl_space_type: ClassVar[Any] = "VIEW_3D"
    bl_region_type: ClassVar[Any] = "UI"
    bl_category = "RedMax"


class REDMAX_PT_mechanisms(SidebarPanel, bpy.types.Panel):
    bl_label = "Mechanisms"

    def draw(self, context: Any) -> None:
        layout = self.layout
        state = context.window_manager.redmax
        layout.template_list(
            lists.REDMAX_UL_mechanisms.__name__, "", state, "mechanisms", state, "active_mechanism", rows=2
        )
        if not state.checked:
            text_lines.draw_text(layout, context, "Build or add one below, and Check lists it here", "INFO")
        elif (active := lists.active_mechanism(context)) is not None:
            row = layout.row()
            text_lines.draw_text(row, context, lists.mechanism_text(active))
            buttons = row.row(align=True)
            buttons.operator("redmax.select_element", text="", icon="RESTRICT_SELECT_OFF").name = active.root
            buttons.operator("redmax.solo_mechanism", text="", icon="SOLO_OFF").root = active.root
        elif not state.mechanisms:
            text_lines.draw_text(layout, context, "None yet: select parts and Make Mechanism, or add one below", "INFO")
        if state.message and not state.running and state.message != state.failure:
            text_lines.draw_text(layout, context, state.message, "INFO")


class REDMAX_PT_joints(SidebarPanel, bpy.types.Panel):
    bl_label = "Joints"
    bl_parent_id = "REDMAX_PT_mechanisms"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        mechanism = lists.active_mechanism(context)
        return mechanism is not None and len(mechanism.joints) > 0

    def draw_header_preset(self, context: Any) -> None:
        self.layout.label(text=str(len(lists.active_mechanism(context).joints)))

    def draw(self, context: Any) -> None:
        mechanism = lists.active_mechanism(context)
        self.layout.template_list(
            lists.REDMAX_UL_joints.__name__, "", mechanism, "joints", mechanism, "active_joint", rows=3
        )


class REDMAX_PT_build(SidebarPanel, bpy.types.Panel):
    bl_label = "1 Build"

    def draw(self, _context: Any) -> None:
        layout = self.layout
        column = layout.column(align=True)
        column.operator("redmax.make_mechanism", icon="LINKED")
        column.operator_menu_enum("redmax.connect", "kind", icon="CON_PIVOT")
        row = layout.row(align=True)
        row.operator("redmax.add_body", icon="ADD")
        row.operator("redmax.remove_body", icon="REMOVE")
        row = layout.row(align=True)
        row.operator("redmax.set_root", text="Lock Body", icon="LOCKED").root = "LOCKED"
        row.operator("redmax.set_root", text="Free Body", icon="UNLOCKED").root = "FREE"
        layout.menu(menus.REDMAX_MT_add_mechanism.__name__, text="Add Mechanism", icon="ADD")


class REDMAX_PT_active_joint(SidebarPanel, bpy.types.Panel):
    bl_label = "Active Joint"
    bl_parent_id = "REDMAX_PT_build"

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.object is not None and context.object.redmax.is_joint

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        joint = context.object.redmax.joint
        layout.label(text=context.object.name, icon=physics.JOINT_ICON)
        layout.prop(joint, "kind")
        axis_buttons.draw(layout, joint)
        if dof_rows.shown_dofs(joint):
            joint_panels.draw_motion(layout, context, joint)


class REDMAX_PT_check(SidebarPanel, bpy.types.Panel):
    bl_label = "2 Check"

    def draw(self, context: Any) -> None:
        layout = self.layout
        state = context.window_manager.redmax
        buttons = layout.row(align=True)
        buttons.operator("redmax.check", icon="CHECKMARK")
        if state.problems:
            buttons.operator("redmax.fix_all", icon="TOOL_SETTINGS")
        buttons.prop(context.scene.redmax, "live_check", text="", icon="FILE_REFRESH")
        if not state.checked:
            return
        if state.outdated:
            text_lines.draw_text(layout, context, "The scene has changed since; Check again", "INFO")
        if not state.problems:
            layout.label(text="No problems found", icon="CHECKMARK")
            return
        layout.template_list(lists.REDMAX_UL_problems.__name__, "", state, "problems", state, "active_problem", rows=3)
        if 0 <= state.active_problem < len(state.problems):
            problem = state.problems[state.active_problem]
            box = layout.box()
            text_lines.draw_text(box, context, problem.text, lists.SEVERITY_ICON[problem.severity])
            if problem.hint:
                text_lines.draw_text(box, context, problem.hint[0].upper() + problem.hint[1:], "BLANK1")
            fix_buttons.draw_fixes(box, problem.fixes, problem.element)


class REDMAX_PT_simulate(SidebarPanel, bpy.types.Panel):
    bl_label = "3 Simulate"

    def draw(self, context: Any) -> None:
        layout = self.layout
        state = context.window_manager.redmax
        if state.running:
            layout.progress(factor=state.progress, text=f"{100.0 * state.progress:.0f} %")
            text_lines.draw_text(layout, context, state.message or "Simulating")
            text_lines.draw_text(layout, context, "ESC stops and keeps what is done", "INFO")
            return
        settings = layout.column()
        settings.use_property_split = True
        settings.use_property_decorate = False
        scene_panels.draw_accuracy(settings, context.scene)
        settings.prop(context.scene.redmax, "pre_roll")
        button = layout.row()
        button.scale_y = 1.5
        button.operator("redmax.simulate", icon="PLAY")
        result = context.scene.redmax.result
        if result.status == COMPLETE and not result.changed:
            button.operator("redmax.simulate", text="", icon="FILE_REFRESH").again = True
        draw_result(layout, context)
        solver_rows.draw(layout, context)


def draw_result(layout: bpy.types.UILayout, context: Any) -> None:
    """The last simulation of the scene: how far it came, and whether it still holds."""
    settings = context.scene.redmax
    result = settings.result
    failure = context.window_manager.redmax.failure
    if failure:
        text_lines.draw_text(layout, context, failure, "CANCEL")
        fix_buttons.draw_fixes(layout, "ACCURACY_HIGH", "")
    if not result.identifier:
        return
    by = f", {result.route.partition(' ')[0]}" if result.route else ""
    early = ", stopped" if result.status == STOPPED else ""
    text = f"Frames {result.frame_start} to {result.frame_end}{early}, {result.seconds:.1f} s{by}"
    text_lines.draw_text(layout, context, text, "INFO")
    if result.message and result.status not in (COMPLETE, STOPPED):
        text_lines.draw_text(layout, context, result.message, "ERROR")
        if result.status == FAILED:
            fix_buttons.draw_fixes(layout, "GO_TO_FRAME,ACCURACY_HIGH", "")
    if result.remark:
        text_lines.draw_text(layout, context, result.remark, "ERROR")
        if result.status == COMPLETE:
            fix_buttons.draw_fixes(layout, "ACCURACY_HIGH", "")
    if result.changed:
        text_lines.draw_text(layout, context, "Settings changed since the simulation", "ERROR")
    if settings.former.identifier:
        text = f"Bring Back Frames {settings.former.frame_start} to {settings.former.frame_end}"
        layout.operator("redmax.bring_back", text=text, icon="LOOP_BACK")
    row = layout.row(align=True)
    row.operator(
        "redmax.show_result", icon="HIDE_OFF" if settings.show_result else "HIDE_ON", depress=settings.show_result
    )
    row.operator("redmax.clear_result", text="", icon="TRASH")


class REDMAX_PT_bake(SidebarPanel, bpy.types.Panel):
    bl_label = "4 Bake"

    def draw(self, context: Any) -> None:
        layout = self.layout
        bake_options.draw(layout, context)
        button = layout.row()
        button.scale_y = 1.5
        button.operator("redmax.bake", icon="KEYFRAME_HLT")
        result = context.scene.redmax.result
        if result.identifier and result.changed:
            text_lines.draw_text(layout, context, "Settings changed since the simulation; bake would differ", "ERROR")
            row = layout.row(align=True)
            row.operator("redmax.simulate", icon="FILE_REFRESH")
            row.operator("redmax.bake", text="Bake Old Result").allow_stale = True
        layout.operator("redmax.remove_bake", icon="TRASH")


CLASSES = (
    REDMAX_PT_mechanisms,
    REDMAX_PT_joints,
    REDMAX_PT_build,
    REDMAX_PT_active_joint,
    REDMAX_PT_check,
    REDMAX_PT_simulate,
    REDMAX_PT_bake,
)
