# SPDX-License-Identifier: GPL-3.0-or-later
"""What Check does about loops: close them, make axes parallel, let a joint hold less."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from .._engine import assembly
from .._engine import compile as compiling
from ..properties import joint as joint_properties
from . import extract, frames, joint_objects, loop_axes, loops
from .bodies import local_object
from .build import require_editable
from .findings import refuse
from .fixes_joints import is_keyed
from .straight_axes import least_turn

Object = bpy.types.Object
BALL = "spherical"


def close_loop(context: bpy.types.Context, obj: Object) -> str:
    """Let the simulated joints of the mechanism start where its loops close, as near to their start as possible."""
    extraction = extract.extract(context.scene, context.view_layer)
    mechanism = _mechanism_of(extraction, obj)
    model = compiling.compile(loops.part_of(extraction.scene, mechanism), checked=True)
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
        joint_properties.set_value(settings, "q", dof, value / length if dof.unit == "m" else value)
    obj.update_tag()


def align_axes(context: bpy.types.Context, obj: Object) -> str:
    """Turn the hinges that are nearly parallel to the others until they are."""
    extraction = extract.extract(context.scene, context.view_layer)
    mechanism = _mechanism_of(extraction, obj)
    askew = loop_axes.askew(extraction.scene, mechanism)
    if not askew:
        raise refuse(obj.name, f"The hinges of '{mechanism.root}' are parallel, or far from it", "run Check again")
    now = loop_axes.axes(extraction.scene, mechanism)
    depsgraph = context.evaluated_depsgraph_get()
    for name, wanted in askew.items():
        joint = bpy.data.objects[(extraction.joint_objects[name], None)]
        require_editable([joint])
        E, _ = frames.rigid_part(frames.modelled_matrix(joint, depsgraph))
        E = E.copy()
        E[:3, :3] = least_turn(now[name], wanted) @ E[:3, :3]
        if not joint_objects.turn(joint, E, depsgraph):
            text = f"'{joint.name}' cannot be turned: other things hang on its axes"
            raise refuse(joint.name, text, "turn it by hand, so that its axis is parallel to the others")
    return f"Made parallel: {', '.join(repr(name) for name in askew)}"


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
