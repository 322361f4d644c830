# SPDX-License-Identifier: GPL-3.0-or-later
"""`window_manager.redmax`: what is going on right now; never saved."""

from typing import Any

import bpy

from . import from_specs

REDMAX_PG_problem = from_specs.make_group(
    "REDMAX_PG_problem",
    {
        "element": bpy.props.StringProperty(description="Name of the object the problem is about; empty for the scene"),
        "text": bpy.props.StringProperty(description="What is wrong"),
        "hint": bpy.props.StringProperty(description="What to do"),
        "fixes": bpy.props.StringProperty(description="Names of fixes that help, separated by commas"),
        "of_result": bpy.props.BoolProperty(description="It is about the last simulation, not about the scene"),
        "severity": bpy.props.EnumProperty(
            items=[
                ("ERROR", "Error", "Keeps the mechanism from being simulated", 0),
                ("WARNING", "Warning", "Simulated, but perhaps not what you want", 1),
                ("INFO", "Info", "Good to know", 2),
            ]
        ),
    },
    "One finding of Check.",
)

REDMAX_PG_listed_joint = from_specs.make_group(
    "REDMAX_PG_listed_joint",
    {
        "label": bpy.props.StringProperty(description="Its name without what all joints of the mechanism begin with"),
        "loop": bpy.props.BoolProperty(description="It closes a loop"),
        "gap": bpy.props.StringProperty(description="What it is open by at the start; empty if it is closed"),
    },
    "A joint of a mechanism, found by Check; `name` is that of its object.",
)


_refused = [""]
"""What was said of the last joint that could not be selected."""


def _active_joint(mechanism: Any) -> int:
    """The row of the active object, so that the list follows the selection in the viewport; -1 for none."""
    active = bpy.context.view_layer.objects.active
    return int(mechanism.joints.find(active.name)) if active is not None else -1


def _activate_joint(mechanism: Any, index: int) -> None:
    """A click on a joint selects it; where it cannot be selected, the status line says why."""
    if not 0 <= index < len(mechanism.joints):
        return
    state = bpy.context.window_manager.redmax
    refused = select_alone(mechanism.joints[index].name, bpy.context)
    if refused or state.message == _refused[0]:  # what could not be selected is no longer asked for
        state.message = _refused[0] = refused


def select_alone(name: str, context: Any) -> str:
    """Select an object and nothing else. Gives a sentence if it cannot be selected, nothing if it is."""
    obj: Any = bpy.data.objects.get((name, None))
    if obj is None:
        return f"There is no object '{name}'; run Check again"
    if context.mode != "OBJECT":
        return f"Switch to Object Mode to select '{name}'"
    if not obj.visible_get(view_layer=context.view_layer):
        return f"'{name}' is hidden or not in this view layer; show it to select it"
    for other in context.view_layer.objects.selected[:]:
        other.select_set(False)
    obj.select_set(True)
    context.view_layer.objects.active = obj
    return ""


REDMAX_PG_mechanism = from_specs.make_group(
    "REDMAX_PG_mechanism",
    {
        "root": bpy.props.StringProperty(description="Name of the object the mechanism hangs from"),
        "bodies": bpy.props.IntProperty(),
        "dofs": bpy.props.IntProperty(description="Degrees of freedom that are simulated"),
        "driven": bpy.props.BoolProperty(description="An Animated joint moves it"),
        "loops": bpy.props.IntProperty(description="Joints that close loops"),
        "redundant": bpy.props.IntProperty(description="Conditions of loops that follow from others"),
        "problems": bpy.props.IntProperty(description="Errors found in it"),
        "warnings": bpy.props.IntProperty(description="Warnings about it"),
        "enabled": bpy.props.BoolProperty(description="It is checked, simulated and baked", default=True),
        "joints": bpy.props.CollectionProperty(type=REDMAX_PG_listed_joint),
        "active_joint": bpy.props.IntProperty(
            name="Active Joint",
            description="The joint that is the active object; a click selects another",
            get=_active_joint,
            set=_activate_joint,
        ),
    },
    "Bodies that hang together, found by Check.",
)


REDMAX_PG_pose_note = from_specs.make_group(
    "REDMAX_PG_pose_note",
    {"text": bpy.props.StringProperty(description="Why the joint of this name is not where its coordinate was put")},
    "What is said below the coordinates of a joint.",
)


def _select_element(state: Any, context: Any) -> None:
    """A click on a problem selects the object that it is about, where that can be selected."""
    if state.filling or context.mode != "OBJECT" or not 0 <= state.active_problem < len(state.problems):
        return
    if name := state.problems[state.active_problem].element:
        select_alone(name, context)


REDMAX_PG_window_manager = from_specs.make_group(
    "REDMAX_PG_window_manager",
    {
        "axis_joints": bpy.props.StringProperty(description="Joints that were made or turned last, one name a line"),
        "running": bpy.props.BoolProperty(description="A simulation is running"),
        "progress": bpy.props.FloatProperty(name="Progress", subtype="FACTOR", min=0.0, max=1.0),
        "preparing": bpy.props.FloatProperty(
            name="Preparing",
            description="Part of the fast solver that is compiled; below 0 unless that goes on",
            default=-1.0,
        ),
        "full_zip_told": bpy.props.BoolProperty(description="The artist has read that the full zip is faster"),
        "message": bpy.props.StringProperty(description="Last status line"),
        "failure": bpy.props.StringProperty(description="Why the last simulation gave nothing; empty if it did"),
        "checked": bpy.props.BoolProperty(description="Check has been run on this scene"),
        "problems": bpy.props.CollectionProperty(type=REDMAX_PG_problem),
        "active_problem": bpy.props.IntProperty(
            name="Active Problem",
            description="The problem shown below the list; its object is selected",
            update=_select_element,
        ),
        "filling": bpy.props.BoolProperty(description="The list of problems is being made: nothing is selected"),
        "outdated": bpy.props.BoolProperty(description="The scene was changed since it was checked"),
        "mechanisms": bpy.props.CollectionProperty(type=REDMAX_PG_mechanism),
        "pose_notes": bpy.props.CollectionProperty(type=REDMAX_PG_pose_note),
        "active_mechanism": bpy.props.IntProperty(
            name="Active Mechanism", description="The mechanism described below the list"
        ),
    },
    "What RedMax is doing.",
)

CLASSES = (
    REDMAX_PG_problem,
    REDMAX_PG_listed_joint,
    REDMAX_PG_mechanism,
    REDMAX_PG_pose_note,
    REDMAX_PG_window_manager,
)


def running(context: Any) -> bool:
    """True while a simulation runs."""
    return bool(context.window_manager.redmax.running)
