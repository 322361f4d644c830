# SPDX-License-Identifier: GPL-3.0-or-later
"""What Check does about loops: close them, make axes parallel, let a joint hold less."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...._engine import assembly, halves, joints
from ...._engine import compile as compiling
from ....properties import joint as joint_properties
from ...authoring import axis_setting
from ...core import axis_report, loop_axes
from ...core.findings import refuse
from ...extract import extraction as extract
from ...extract import keyed_model
from ...objects import joint_objects, units
from ...objects.editable import require_editable
from ...objects.named_objects import local_object
from ..findings import loops
from .fixes_joints import is_keyed

Object = bpy.types.Object
BALL = joints.Spherical.kind


def close_loop(context: bpy.types.Context, obj: Object) -> str:
    """Let the simulated joints of the mechanism start where its loops close, as near to their start as possible."""
    extraction = extract.extract(context.scene, context.view_layer)
    mechanism = _mechanism_of(extraction, obj)
    part = keyed_model.kinematic(loops.part_of(extraction.scene, mechanism))
    model = halves.undivided(compiling.compile(part, checked=True))
    if not model.loops:
        raise refuse(obj.name, f"No loop goes through '{obj.name}'", "run Check again")
    movable = {name: _movable(name, extraction) for name in model.joint_names}
    held = np.ones(model.dof_count, np.bool_)
    for number, name in enumerate(model.joint_names):
        held[model.columns(number)] = movable[name] is None
    closed = assembly.close_loops(model, held=held)
    if not closed.closed:
        text = f"The loop through '{obj.name}' cannot be closed by turning its simulated joints"
        raise refuse(obj.name, text, "free more of them, or change the keys of animated ones")
    moved = []
    for number, name in enumerate(model.joint_names):
        joint = movable[name]
        columns = model.columns(number)
        if joint is None or np.allclose(closed.q[columns], model.q0[columns], atol=1e-9):
            continue
        require_editable([joint])
        _set_start(joint, closed.q[columns], extraction.length)
        moved.append(joint.name)
    return f"Closed the loop through '{obj.name}': moved {', '.join(repr(name) for name in moved) or 'nothing'}"


def _movable(name: str, extraction: extract.Extraction) -> Object | None:
    """The object of a joint whose start coordinate the artist has entered, None for any other joint."""
    obj = local_object(extraction.joint_objects.get(name, ""))
    if obj is None or obj.redmax.joint.motion_type != "simulated" or is_keyed(obj):
        return None
    return obj


def _set_start(obj: Object, q: Any, length: float) -> None:
    settings: Any = obj.redmax.joint
    for dof, value in zip(joint_properties.dofs(settings), q.tolist(), strict=True):
        joint_properties.set_value(settings, "q", dof, value / units.per_coordinate(dof.unit, length))
    obj.update_tag()


def align_axes(context: bpy.types.Context, obj: Object) -> str:
    """Turn the joints whose axes keep loops from moving; else hinges that are nearly parallel to the others."""
    extraction = extract.extract(context.scene, context.view_layer)
    mechanism = _mechanism_of(extraction, obj)
    wanted = loop_axes.disagreeing(extraction.scene, mechanism) or loop_axes.askew(extraction.scene, mechanism)
    if not wanted:
        text = f"No other axes would let the loops of '{mechanism.root}' move in more ways"
        raise refuse(obj.name, text, "run Check again")
    now = loop_axes.axes(extraction.scene, mechanism)
    empties = {name: bpy.data.objects[(extraction.joint_objects[name], None)] for name in wanted}
    with joint_objects.first_frame(context, list(empties.values())) as depsgraph:
        for joint in empties.values():
            axis_setting.require_turnable(joint, depsgraph)
        for name, axis in wanted.items():
            axis_setting.turn_axis(empties[name], now[name], axis, depsgraph)
    return f"Aligned the {'axis' if len(wanted) == 1 else 'axes'} of {axis_report.listed(list(wanted))}"


def make_ball(_context: bpy.types.Context, obj: Object) -> str:
    require_editable([obj])
    obj.redmax.joint.kind = BALL
    return f"'{obj.name}' is a ball now"


def _mechanism_of(extraction: extract.Extraction, obj: Object) -> Any:
    found = next((m for m in extraction.mechanisms if obj.name in m.members and m.enabled), None)
    if found is None:
        raise refuse(obj.name, f"'{obj.name}' belongs to no mechanism that is simulated", "run Check again")
    return found


FIXERS = {"CLOSE_LOOP": close_loop, "ALIGN_AXES": align_axes, "MAKE_BALL": make_ball}
