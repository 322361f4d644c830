# SPDX-License-Identifier: GPL-3.0-or-later
"""Motors within implicit steps: at the end of a step none pushes harder than its maximum.

A linearly implicit step takes what a motor pushes with at its end, d(v1) = kp (target - q0 - h v1) + kd (rate - v1),
which bounds turn into p = clip(d(v1), -maximum, maximum): A v1 = b + h p is a linear problem with bounds. As d falls
with v1 and A is positive definite it has one solution, which is found by its active set: which motors follow their
gains, and which push with their maximum, and to which side. `kernels.steps.motor_bounds` is the same in compiled code.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import Array
from ..joints.motor import ONE_BY_ONE, ROUNDING, TOGETHER
from ..model import Model
from .kinematics import Kinematics
from .loads import own_coordinates
from .motors import motors


def within_maxima(
    model: Model, kin: Kinematics, h: float, t_end: float, step: Callable[[Array, Array, Array], Array]
) -> Array:
    """Velocities v1 (nr,) at the end of an implicit step of h [s] up to t_end in which all maxima of motors hold.

    kin: where it begins. step(f, K, D): v1 of the step with forces along the coordinates that are larger by f (nr,),
    and with their derivatives by q and qdot. Motors on coordinates that are written otherwise than they are meant stay
    as they are where the step begins. Source: RBDN eqs. 2.71-2.75, bounded.
    """
    nothing = np.zeros(model.dof_count)
    v1 = step(nothing, nothing, nothing)
    if not motors(model).present or not np.isfinite(motors(model).numbers.maximum).any():
        return v1
    numbers, demand = motors(model).numbers, motors(model).demand
    q, qdot, _ = own_coordinates(model, kin)
    as_meant = (q == kin.q) & (qdot == kin.qdot)
    most, begins = numbers.maximum, demand(q, qdot, t_end)
    sides = first = _sides(begins, most)
    for count in range(ONE_BY_ONE + len(sides)):
        asked = demand(kin.q + h * v1, v1, t_end)
        goes_back = (sides * asked < most) & (count < ONE_BY_ONE)
        wanted = np.where(sides == 0.0, _sides(asked, most), np.where(goes_back, 0.0, sides))
        wanted = np.where(as_meant, wanted, sides)
        wrong = np.flatnonzero((wanted != sides) & np.isfinite(wanted))
        if not len(wrong):
            break
        sides = sides.copy()
        changed = wrong if count < TOGETHER else wrong[:1]
        sides[changed] = wanted[changed]
        follows, followed = sides == 0.0, first == 0.0
        follows_more = follows.astype(np.float64) - followed
        v1 = step(
            _pushes(sides, begins, most) - _pushes(first, begins, most),
            -follows_more * numbers.position_gain,
            -follows_more * numbers.speed_gain,
        )
    return v1


def _sides(demand: Array, most: Array) -> Array:
    """(nr,) 0 for motors that follow their gains; else 1 or -1, to which side they push with their maximum."""
    return np.where(np.abs(demand) <= most * (1.0 + ROUNDING), 0.0, np.sign(demand))


def _pushes(sides: Array, demand: Array, most: Array) -> Array:
    """(nr,) what motors push with where a step begins."""
    return np.where(sides == 0.0, demand, sides * np.where(np.isfinite(most), most, 0.0))
