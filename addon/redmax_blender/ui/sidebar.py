# SPDX-License-Identifier: GPL-3.0-or-later
"""Sidebar tab "RedMax" of the 3D Viewport: from parts to keys in four steps, under the list of mechanisms."""

from typing import Any, ClassVar

import bpy

from ..properties.scene import has_bodies
from . import (
    axis_buttons,
    bake_options,
    dof_rows,
    fix_buttons,
    kinds,
    lists,
    menus,
    physics,
    solver_rows,
    text_lines,
)
from . import joint as joint_panels
from . import scene as scene_panels

COMPLETE, STOPPED, FAILED = "complete", "stopped", "failed"
"""Status of a result that reached its last frame, was stopped by the artist, or could not go on and says why."""

SHOWN_PROBLEMS = 2
"""Rows of the list of problems; more are scrolled to."""

PROBLEM_LINES = 4
"""Lines kept for the sentence of the active problem."""

LONGEST_IN_HEADER = 20
"""Letters of a name beside the title of a panel."""


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
        row = layout.row(align=True)
        row.operator("redmax.make_mechanism", icon="LINKED")
        add = row.row(align=True)
        add.ui_units_x = 3.5
        add.menu(menus.REDMAX_MT_add_mechanism.__name__, text="Add", icon="ADD")
        row = layout.row(align=True)
        row.menu(kinds.REDMAX_MT_connect.__name__, icon=physics.JOINT_ICON)
        row.menu(menus.REDMAX_MT_parts.__name__, text="", icon="DOWNARROW_HLT")


class REDMAX_PT_check(SidebarPanel, bpy.types.Panel):
    """Always of the same height, so that the steps below stay where they are."""

    bl_label = "2 Check"

    def draw(self, context: Any) -> None:
        layout = self.layout
        state = context.window_manager.redmax
        buttons = layout.row(align=True)
        again = state.checked and state.outdated
        buttons.operator(
            "redmax.check", text="Check Again" if again else "Check", icon="FILE_REFRESH" if again else "CHECKMARK"
        )
        buttons.operator("redmax.fix_all", icon="TOOL_SETTINGS")
        buttons.prop(context.scene.redmax, "live_check", text="", icon="FILE_REFRESH")
        layout.template_list(
            lists.REDMAX_UL_problems.__name__,
            "",
            state,
            "problems",
            state,
            "active_problem",
            rows=SHOWN_PROBLEMS,
            maxrows=SHOWN_PROBLEMS,
        )
        if not 0 <= state.active_problem < len(state.problems):
            said = ("No problems found", "CHECKMARK") if state.checked else ("Looks for what would go wrong", "INFO")
            text_lines.draw_block(layout, context, [said], lines=PROBLEM_LINES)
            layout.label(text="", icon="BLANK1")
            return
        problem = state.problems[state.active_problem]
        hint = problem.hint[:1].upper() + problem.hint[1:]
        said_of_it = [(problem.text, lists.SEVERITY_ICON[problem.severity]), (hint, "BLANK1")]
        fits = sum(text_lines.count(context, text) for text, _ in said_of_it) <= PROBLEM_LINES
        # Buttons say in their tooltips what a hint without room for it would.
        shown = said_of_it if fits or not problem.fixes else said_of_it[:1]
        text_lines.draw_block(layout, context, shown, lines=PROBLEM_LINES)
        if problem.fixes:
            fix_buttons.draw_fixes(layout, problem.fixes, problem.element)
        else:
            layout.label(text="", icon="BLANK1")


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
    """The last simulation of the scene: how far it came, and whether it still holds.

    Nothing once all bodies are deleted; undo brings them back, and with them their result.
    """
    if not has_bodies(context.scene):
        return
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
        text_lines.draw_text(layout, context, "Settings changed since the simulation; bake would differ", "ERROR")
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
        result = context.scene.redmax.result
        buttons = layout.row(align=True)
        buttons.scale_y = 1.5
        is_old = result.identifier and result.changed and has_bodies(context.scene)
        if is_old:  # in place of the button, so that nothing moves
            buttons.operator("redmax.simulate", text="Simulate Again", icon="FILE_REFRESH")
            buttons.operator("redmax.bake", text="Bake Old Result").allow_stale = True
        else:
            buttons.operator("redmax.bake", icon="KEYFRAME_HLT")
        buttons.operator("redmax.remove_bake", text="", icon="TRASH")
        bake_options.draw_main(layout, context)


class REDMAX_PT_bake_options(SidebarPanel, bpy.types.Panel):
    bl_label = "Options"
    bl_parent_id = "REDMAX_PT_bake"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        bake_options.draw_more(self.layout, context)
        bake_options.draw_results(self.layout, context)


class REDMAX_PT_active_joint(SidebarPanel, bpy.types.Panel):
    """Below the steps: it comes and goes with the selection, and must not push them around."""

    bl_label = "Active Joint"

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.object is not None and context.object.redmax.is_joint

    def draw_header_preset(self, context: Any) -> None:
        name = self.layout.row()
        name.alignment = "RIGHT"
        name.label(text=text_lines.short_name(context.object.name, LONGEST_IN_HEADER))

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        joint = context.object.redmax.joint
        if dof_rows.shown_dofs(joint):  # first, as it is what is used most: in sight in a window 1000 pixels high
            joint_panels.draw_motion(layout, context, joint)
        kinds.draw_choice(layout, joint, kinds.REDMAX_MT_kind)
        axis_buttons.draw(layout, joint)


class REDMAX_PT_status(SidebarPanel, bpy.types.Panel):
    """The one status line: what was done last, or went wrong. Last, as it may be long.

    It needs its header: Blender puts panels without one at the top of the tab.
    """

    bl_label = "Status"

    @classmethod
    def poll(cls, context: Any) -> bool:
        state = context.window_manager.redmax
        return bool(state.message) and not state.running and state.message != state.failure

    def draw(self, context: Any) -> None:
        text_lines.draw_text(self.layout, context, context.window_manager.redmax.message, "INFO")


CLASSES = (
    REDMAX_PT_mechanisms,
    REDMAX_PT_joints,
    REDMAX_PT_build,
    REDMAX_PT_check,
    REDMAX_PT_simulate,
    REDMAX_PT_bake,
    REDMAX_PT_bake_options,
    REDMAX_PT_active_joint,
    REDMAX_PT_status,
)
