# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a motor was too weak in a run: it pushed with all it has towards its target and did not get there.

A motor that speeds a wheel up pushes with its maximum too, and has not stalled: it gains on its target. It has stalled
where neither its speed nor its acceleration would bring it to its target within `SOON`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .arrays import Array, BoolArray
from .dynamics.composite_body import mass_matrix
from .dynamics.constraint_rows import constraint_rows, is_constrained
from .dynamics.freedoms import freedoms
from .dynamics.kinematics import kinematics
from .dynamics.loads import own_coordinates
from .dynamics.motors import Motors, motors
from .errors import ElementName, Quantity, RedMaxError
from .fields import per_dof_unit, specs
from .joints import Joint
from .joints.motor import Motor
from .model import Model
from .outcome import Outcome
from .state import State

CODE = "motor_stalled"

SOON = 60.0
"""Seconds in which a motor that gains on its target reaches it at its present speed and acceleration."""

AT_MAXIMUM = 1.0 - 1e-9
"""Part of its maximum with which a motor pushes as hard as it can."""

HELD = 1.001
"""A motor that would need less than so many times its maximum is held by something else, such as a stop."""

WEAK = 1e-10
"""Directions that rows hold less than this part of the strongest are free."""

ADVICE = "raise its maximum, or lower its target or its load"


def motor_stalls(model: Model, states: Sequence[State]) -> list[Outcome]:
    """The first stall of every motor that stalled, by frame. states: at the frames of a run.

    Of the numbers, torque is what would keep up with the target there, or what the motor asks for where a stop holds
    it; maximum is what it has, and coordinate the number of the joint's coordinate.
    """
    known = motors(model)
    if not known.present or len(states) < 2:
        return []
    t = np.array([state.t for state in states])
    q, qdot = (np.array(values) for values in zip(*(_own(model, state) for state in states), strict=True))
    target, rate = (np.array(values) for values in zip(*(known.targets(float(x)) for x in t), strict=True))
    demand = known.numbers.position_gain * (target - q) + known.numbers.speed_gain * (rate - qdot)
    steps = np.diff(qdot, axis=0) / np.diff(t)[:, None]
    qddot = np.concatenate([steps, steps[-1:]])  # to the next frame, and at the last one from the frame before
    change = np.array([known.target_accelerations(float(x)) for x in t]) - qddot
    stalled = _stalled(known, target - q, rate - qdot, change, demand)
    found = []
    for j, joint in enumerate(model.joints):
        columns = model.columns(j)
        if not stalled[:, columns].any():
            continue
        frame, k = divmod(int(stalled[:, columns].argmax()), joint.ndof)
        column = columns.start + k
        most, push = float(known.numbers.maximum[column]), abs(float(demand[frame, column]))
        losing = float(np.sign(demand[frame, column]) * change[frame, column])
        needed = most + max(losing, 0.0) * _inertia_or_none(model, states[frame], column)
        push = min(needed, push) if needed > HELD * most else push
        found.append(_stall(joint, k, frame, float(t[frame]), push, most))
    return sorted(found, key=lambda stall: stall.frame)


def _stall(joint: Joint, coordinate: int, frame: int, t: float, push: float, most: float) -> Outcome:
    unit = per_dof_unit(specs(Motor)["maximum"], joint.dof_units[coordinate])
    numbers = {
        "torque": Quantity(push, unit),
        "maximum": Quantity(most, unit),
        "coordinate": Quantity(float(coordinate)),
    }
    element = ElementName("joint", joint.name)
    what = f"the motor of {element} stalls: {push:.3g} {unit} of {most:.3g}"
    return Outcome(
        code=CODE, frame=frame, t=t, what=what, element=element, advice=ADVICE, numbers=numbers, lasting=False
    )


def _inertia_or_none(model: Model, state: State, coordinate: int) -> float:
    """`inertia_felt`, infinite where loops do not close well enough to tell."""
    try:
        return inertia_felt(model, state, coordinate)
    except (RedMaxError, np.linalg.LinAlgError):
        return np.inf


def inertia_felt(model: Model, state: State, coordinate: int) -> float:
    """What a force along a coordinate is divided by for its acceleration [kg m^2, kg ...], loops and drives included.

    1/I = g^T M^-1 g, with g that coordinate as the free directions see it; infinite where nothing can move it.
    """
    kin = kinematics(model, state.q, np.zeros(model.dof_count), state.chart)
    free = freedoms(model, state.q).directions.T
    if is_constrained(model):
        rows = constraint_rows(model, kin, state.t)
        _, sizes, V = np.linalg.svd(rows.G[~rows.one_sided] @ free, full_matrices=True)
        free = free @ V[int((sizes > WEAK * sizes.max(initial=0.0)).sum()) :].T
    g = free[coordinate]
    M = free.T @ mass_matrix(model, kin) @ free
    compliance = float(g @ np.linalg.lstsq(M, g, rcond=None)[0]) if len(g) else 0.0
    return 1.0 / compliance if compliance > 0.0 else np.inf


def _own(model: Model, state: State) -> tuple[Array, Array]:
    """q and qdot (nr,) in which motors are meant."""
    if not model.charted_loads:
        return state.q, state.qdot
    return own_coordinates(model, kinematics(model, state.q, state.qdot, state.chart))[:2]


def _stalled(known: Motors, missing: Array, slower: Array, change: Array, demand: Array) -> BoolArray:
    """(f, nr) where motors have stalled. missing, slower: (f, nr) what coordinates and velocities lack, change: the
    rate of the latter."""
    by_position, most = known.numbers.position_gain > 0.0, known.numbers.maximum
    error = np.where(by_position, missing, slower)
    way = np.sign(error)
    approach = -way * np.where(by_position, slower, change)  # how fast the error becomes smaller
    quickening = -way * np.where(by_position, change, 0.0)
    gained = SOON * np.maximum(approach, 0.0) + 0.5 * SOON**2 * np.maximum(quickening, 0.0)
    at_maximum = (np.abs(demand) >= AT_MAXIMUM * most) & (most > 0.0) & (demand * error > 0.0)
    return np.asarray(at_maximum & (gained < np.abs(error)))
