# SPDX-License-Identifier: GPL-3.0-or-later
"""Times at which inputs jump. Methods of high order end a step there and begin anew."""

from __future__ import annotations

import math

import numpy as np

from .. import fast
from ..arrays import Array, IntArray
from ..dynamics import driven
from ..dynamics.animation import prescribed_motion, with_prescribed
from ..dynamics.freedoms import freedoms
from ..dynamics.loads import Loads
from ..dynamics.singular import ImmovableError
from ..joints.base import ANIMATED
from ..model import Model
from ..state import State
from .base import IntegrationError


def switch_times(model: Model) -> Array:
    """Sorted times [s] where a torque table, a motor's target, a force or an animation has a corner or a jump.

    Also those at which an animated joint enters or leaves a soft limit or passes a point of its spring table. No
    other motion depends on that and so no error estimate sees it, but the power of the motor does.
    """
    times: list[Array] = [np.zeros(0), *(force.switch_times() for force in model.forces)]
    times += [constraint.breakpoints() for constraint in model.constraints]
    for j, joint in enumerate(model.joints):
        if joint.torque_table is not None:
            times.append(joint.torque_table.breakpoints())
        if joint.motor is not None and joint.motor.target_table is not None:
            times.append(joint.motor.target_table.breakpoints())
        if joint.motion_type != ANIMATED or joint.animation is None:
            continue
        times.append(joint.animation.breakpoints())
        inside = np.zeros(0) if joint.stiffness_table is None else joint.stiffness_table.breakpoints()
        for k, column in enumerate(range(*model.columns(j).indices(model.dof_count))):
            limits = np.array([model.lower[column], model.upper[column]])
            for level in (*limits[np.isfinite(limits)], *(model.rest[column] + inside)):
                times.append(joint.animation.crossings(k, float(level)))
    for loop in model.loops:
        if loop.joint.motion_type == ANIMATED and loop.joint.animation is not None:
            times.append(loop.joint.animation.breakpoints())
    return np.unique(np.concatenate(times))


def next_switch(times: Array, t: float, t_end: float) -> float:
    """The first of the times within (t, t_end), else t_end."""
    index = int(np.searchsorted(times, t, side="right"))
    return float(times[index]) if index < len(times) and times[index] < t_end else t_end


def is_switch(times: Array, t: float) -> bool:
    """Whether t is one of the times."""
    index = int(np.searchsorted(times, t))
    return index < len(times) and times[index] == t


def before(t: float) -> float:
    """The last time before t: where an input jumps at t, it still has its old value there."""
    return math.nextafter(t, -math.inf)


def moves_suddenly(model: Model, t: float) -> bool:
    """Whether an animated joint, or what a constraint moves, changes its place or its velocity at t in no time."""
    if any(constraint.jumps(t) for constraint in model.constraints):
        return True
    for joint in (*model.joints, *(loop.joint for loop in model.loops)):
        table = joint.animation
        if joint.motion_type == ANIMATED and table is not None:
            if table.interpolation == "step" and is_switch(table.breakpoints(), t):
                return True
            if table.slope_jump(t).any():
                return True
    return False


def before_switch(model: Model, state: State) -> State:
    """The state just before its time: animated joints where and as fast as they were."""
    return State(state.t, *with_prescribed(model, before(state.t), state.q, state.qdot), state.chart)


def after_switch(model: Model, state: State) -> State:
    """The state just after its time, where the velocities of animations may jump; the same object where none does.

    Free coordinates receive the impulse that passes through the mechanism.
    """
    jump = np.zeros(model.dof_count)
    for j, joint in enumerate(model.joints):
        if joint.motion_type == ANIMATED and joint.animation is not None:
            jump[model.columns(j)] = joint.animation.slope_jump(state.t)
    if not jump.any():
        return state
    qdot = state.qdot + velocity_jump(model, state.q, state.chart, jump)
    qdot = np.where(model.prescribed, prescribed_motion(model, state.t)[1], qdot)
    if model.followers is not None:
        qdot = model.followers.placed(state.q, qdot)[1]
    return State(state.t, state.q, qdot, state.chart)


def velocity_jump(model: Model, q: Array, chart: IntArray, jump: Array) -> Array:
    """(nr,) change of all velocities when prescribed ones suddenly change by `jump` (nr,).

    M dqdot is an impulse on prescribed coordinates only: the free rows of M dqdot vanish. That is forward
    dynamics at rest without loads.
    """
    kin = fast.kinematics(model, q, np.zeros_like(q), chart)
    if model.followers is not None:
        jump = model.followers.pushing(q).spread(np.where(model.prescribed, jump, 0.0))
        free, M = freedoms(model, q), fast.mass_matrix(model, kin)
        return np.asarray(jump + free.spread(driven.solve(model, free, free.reduced(M), -free.gathered(M @ jump))))
    n, nr = model.body_count, model.dof_count
    nothing = Loads(np.zeros((n, 6)), np.zeros((n, 6, 6)), np.zeros(nr), np.zeros(nr), np.zeros(nr))
    try:
        return fast.forward_dynamics(model, kin, nothing, jump).qddot
    except ImmovableError as error:
        raise IntegrationError.of(error) from None
