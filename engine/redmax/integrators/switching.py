# SPDX-License-Identifier: GPL-3.0-or-later
"""Times at which inputs jump. Methods of high order end a step there and begin anew."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Array
from ..dynamics.animation import prescribed_motion
from ..joints.base import ANIMATED
from ..model import Model
from ..state import State
from .equations import velocity_jump


def switch_times(model: Model) -> Array:
    """Sorted times [s] where a torque table or an animation has a corner or a jump."""
    times: list[Array] = [np.zeros(0)]
    for joint in model.joints:
        if joint.torque_table is not None:
            times.append(joint.torque_table.breakpoints())
        if joint.motion_type == ANIMATED and joint.animation is not None:
            times.append(joint.animation.breakpoints())
    return np.unique(np.concatenate(times))


def next_switch(times: Array, t: float, t_end: float) -> float:
    """The first of the times within (t, t_end), else t_end."""
    index = int(np.searchsorted(times, t, side="right"))
    return float(times[index]) if index < len(times) and times[index] < t_end else t_end


def before(t: float) -> float:
    """The last time before t: where an input jumps at t, it still has its old value there."""
    return math.nextafter(t, -math.inf)


def after_switch(model: Model, state: State) -> State:
    """The state just after its time, where the velocities of piecewise linear animations may jump.

    Free coordinates receive the impulse that passes through the mechanism.
    """
    jump = np.zeros(model.dof_count)
    for j, joint in enumerate(model.joints):
        table = joint.animation
        if joint.motion_type == ANIMATED and table is not None and table.interpolation == "linear":
            jump[model.columns(j)] = table.derivative(state.t) - table.derivative(before(state.t))
    if not jump.any():
        return state
    qdot = state.qdot + velocity_jump(model, state.q, state.chart, jump)
    qdot_prescribed = prescribed_motion(model, state.t)[1]
    return State(state.t, state.q, np.where(model.prescribed, qdot_prescribed, qdot), state.chart)
