# SPDX-License-Identifier: GPL-3.0-or-later
"""Sidebar tab "RedMax" of the 3D Viewport: from parts to keys in four steps, under the list of mechanisms."""

from typing import Any

import bpy

from ..properties.fixes import remark_fixes
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
    popovers,
    solver_rows,
    text_lines,
    variations,
)
from . import joint as joint_panels
from . import scene as scene_panels
from .tab import SidebarPanel

COMPLETE, STOPPED, FAILED = "complete", "stopped", "failed"
"""Status of a result that reached its last frame, was stopped by the artist, or could not go on and says why."""

SHOWN_PROBLEMS = 2
"""Rows of the list of problems; more are scrolled to."""

PROBLEM_LINES = 3
"""Lines kept for the sentence of the active problem."""

LISTED_MECHANISMS, LISTED_JOINTS = 2, 3
"""Rows of these lists; more are scrolled to, so that every step's button is in sight."""

NOTICE_LINES, FAILURE_LINES = 2, 4
"""Lines of what is said below Simulate: of a result, and where there is none, whose buttons leave room."""

LONGEST_IN_HEADER = 18
"""Letters of a name beside the title of a panel."""


class REDMAX_PT_mechanisms(SidebarPanel, bpy.types.Panel):
    bl_label = "Mechanisms"

    def draw_header_preset(self, context: Any) -> None:
        if (active := lists.active_mechanism(context)) is None:
            return
        row = self.layout.row(align=True)
        row.label(text=lists.count(active.bodies, "body", "bodies"))
        row.operator("redmax.select_element", text="", icon="RESTRICT_SELECT_OFF", emboss=False).name = active.root
        row.operator("redmax.solo_mechanism", text="", icon="SOLO_OFF", emboss=False).root = active.root

    def draw(self, context: Any) -> None:
        layout = self.layout
        state = context.window_manager.redmax
        layout.template_list(
            lists.REDMAX_UL_mechanisms.__name__,
            "",
            state,
            "mechanisms",
            state,
            "active_mechanism",
            rows=LISTED_MECHANISMS,
            maxrows=LISTED_MECHANISMS,
        )
        if not state.mechanisms:
            none = "None yet: select parts and Make Mechanism, or add one below"
            unread = not state.checked and has_bodies(context.scene)
            text_lines.draw_text(layout, context, "Check lists what is in this scene" if unread else none, "INFO")


class REDMAX_PT_joints(SidebarPanel, bpy.types.Panel):
    bl_label = "Joints"
    bl_parent_id = "REDMAX_PT_mechanisms"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        mechanism = lists.active_mechanism(context)
        return mechanism is not None and len(mechanism.joints) > 0

    def draw_header_preset(self, context: Any) -> None:
        self.layout.label(text=lists.joints_text(lists.active_mechanism(context)))

    def draw(self, context: Any) -> None:
        mechanism = lists.active_mechanism(context)
        self.layout.template_list(
            lists.REDMAX_UL_joints.__name__,
            "",
            mechanism,
            "joints",
            mechanism,
            "active_joint",
            rows=LISTED_JOINTS,
            maxrows=LISTED_JOINTS,
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
        # Another row would push the last step's button out of a window 1000 pixels high.
        row.operator("redmax.add_spring", text="", icon="FORCE_HARMONIC")
        row.operator("redmax.add_gear", text="", icon="PREFERENCES")
        row.operator("redmax.add_track", text="", icon="CURVE_BEZCURVE")
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


class REDMAX_PT_simulate_options(popovers.Popover, bpy.types.Panel):
    """Behind a button, so that panel 3 is as high whatever is chosen."""

    bl_label = "Simulate Options"
    bl_description = "Pre-roll, and what a custom accuracy is made of"
    bl_ui_units_x = 13

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        scene_panels.draw_more(layout, context.scene)


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
        settings = layout.row(align=True)
        settings.use_property_split = True
        settings.use_property_decorate = False
        settings.prop(context.scene.redmax, "accuracy")
        settings.popover(REDMAX_PT_simulate_options.__name__, text="", icon="PREFERENCES")
        button = layout.row()
        button.scale_y = 1.5
        button.operator("redmax.simulate", icon="PLAY")
        result = context.scene.redmax.result
        if result.status == COMPLETE and not result.changed:
            button.operator("redmax.simulate", text="", icon="FILE_REFRESH").again = True
        if has_bodies(context.scene):
            draw_result(layout, context)
        if not (has_bodies(context.scene) and result_notice(context)[0]):
            solver_rows.draw(layout, context)


def result_notice(context: Any) -> tuple[str, str, str]:
    """What matters most of the last simulation: text, icon and fixes; no text where all is well.

    One at a time, as the steps below must stay in sight; Check lists everything that is to be said of a result.
    """
    result, failure = context.scene.redmax.result, context.window_manager.redmax.failure
    if failure:
        return failure, "CANCEL", "ACCURACY_HIGH"
    if not result.identifier:
        return "", "NONE", ""
    if result.changed:
        return "Settings changed since the simulation; bake would differ", "ERROR", ""
    if result.status == FAILED:
        return result.message, "ERROR", "GO_TO_FRAME,ACCURACY_HIGH"
    if result.message and result.status not in (COMPLETE, STOPPED):
        return result.message, "ERROR", ""
    return result.remark, "ERROR", ",".join(remark_fixes(result)) if result.status == COMPLETE else ""


def draw_result(layout: bpy.types.UILayout, context: Any) -> None:
    """The last simulation of the scene: what there is to show, and whether it still holds.

    Nothing once all bodies are deleted; undo brings them back, and with them their result.
    """
    settings = context.scene.redmax
    if settings.result.identifier:
        row = layout.row(align=True)
        row.operator(
            "redmax.show_result",
            text=f"Show Frames {settings.result.frame_start} to {settings.result.frame_end}",
            icon="HIDE_OFF" if settings.show_result else "HIDE_ON",
            depress=settings.show_result,
        )
        row.operator("redmax.clear_result", text="", icon="TRASH")
    if settings.former.identifier:
        text = f"Bring Back Frames {settings.former.frame_start} to {settings.former.frame_end}"
        layout.operator("redmax.bring_back", text=text, icon="LOOP_BACK")
    text, icon, fixes = result_notice(context)
    if text:
        lines = NOTICE_LINES if settings.result.identifier else FAILURE_LINES
        text_lines.draw_text(layout, context, text, icon, most=lines)
        fix_buttons.draw_fixes(layout, fixes, "")


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
        said_above = state.message == state.failure and not context.scene.redmax.result.identifier
        return bool(state.message) and not state.running and not said_above

    def draw(self, context: Any) -> None:
        text_lines.draw_text(self.layout, context, context.window_manager.redmax.message, "INFO")


CLASSES = (
    REDMAX_PT_mechanisms,
    REDMAX_PT_joints,
    REDMAX_PT_build,
    REDMAX_PT_check,
    REDMAX_PT_simulate_options,
    REDMAX_PT_simulate,
    REDMAX_PT_bake,
    REDMAX_PT_bake_options,
    *variations.PANELS,
    REDMAX_PT_active_joint,
    REDMAX_PT_status,
)
