# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a motor was too weak in a run: it pushed with all it has towards its target and did not get there.

A motor that speeds a wheel up pushes with its maximum too, and has not stalled: it gains on its target. It has stalled
where neither its speed nor its acceleration would bring it to its target within `SOON`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .arrays import Array, BoolArray
from .dynamics.kinematics import kinematics
from .dynamics.loads import own_coordinates
from .dynamics.motors import Motors, motors
from .errors import ElementName, Quantity
from .fields import per_dof_unit, specs
from .joints.motor import Motor
from .model import Model
from .outcome import Outcome
from .state import State

CODE = "motor_stalled"

SOON = 60.0
"""Seconds in which a motor that gains on its target reaches it at its present speed and acceleration."""

AT_MAXIMUM = 1.0 - 1e-9
"""Part of its maximum with which a motor pushes as hard as it can."""

ADVICE = "raise its maximum, or lower its target or its load"


def motor_stalls(model: Model, states: Sequence[State]) -> list[Outcome]:
    """The first stall of every motor that stalled, by frame. states: at the frames of a run."""
    known = motors(model)
    if not known.present or len(states) < 2:
        return []
    t = np.array([state.t for state in states])
    q, qdot = (np.array(values) for values in zip(*(_own(model, state) for state in states), strict=True))
    target, rate = (np.array(values) for values in zip(*(known.targets(float(x)) for x in t), strict=True))
    demand = known.numbers.position_gain * (target - q) + known.numbers.speed_gain * (rate - qdot)
    stalled = _stalled(known, t, target - q, rate - qdot, demand)
    found = []
    for j, joint in enumerate(model.joints):
        columns = model.columns(j)
        if not stalled[:, columns].any():
            continue
        frame, k = divmod(int(stalled[:, columns].argmax()), joint.ndof)
        push, most = abs(float(demand[frame, columns][k])), float(known.numbers.maximum[columns][k])
        found.append(
            _stall(joint.name, per_dof_unit(specs(Motor)["maximum"], joint.dof_units[k]), frame, t, push, most)
        )
    return sorted(found, key=lambda stall: stall.frame)


def _stall(name: str, unit: str, frame: int, t: Array, push: float, most: float) -> Outcome:
    numbers = {"torque": Quantity(push, unit), "maximum": Quantity(most, unit)}
    element = ElementName("joint", name)
    what = f"the motor of {element} stalls: {push:.3g} {unit} of {most:.3g}"
    when = float(t[frame])
    return Outcome(
        code=CODE, frame=frame, t=when, what=what, element=element, advice=ADVICE, numbers=numbers, lasting=False
    )


def _own(model: Model, state: State) -> tuple[Array, Array]:
    """q and qdot (nr,) in which motors are meant."""
    if not model.charted_loads:
        return state.q, state.qdot
    return own_coordinates(model, kinematics(model, state.q, state.qdot, state.chart))[:2]


def _stalled(known: Motors, t: Array, missing: Array, slower: Array, demand: Array) -> BoolArray:
    """(f, nr) where motors have stalled. missing, slower: (f, nr) what coordinates and velocities lack."""
    by_position, most = known.numbers.position_gain > 0.0, known.numbers.maximum
    steps = np.diff(slower, axis=0) / np.diff(t)[:, None]
    change = np.concatenate([steps, steps[-1:]])  # to the next frame, and at the last one from the frame before
    error = np.where(by_position, missing, slower)
    way = np.sign(error)
    approach = -way * np.where(by_position, slower, change)  # how fast the error becomes smaller
    quickening = -way * np.where(by_position, change, 0.0)
    gained = SOON * np.maximum(approach, 0.0) + 0.5 * SOON**2 * np.maximum(quickening, 0.0)
    at_maximum = (np.abs(demand) >= AT_MAXIMUM * most) & (most > 0.0) & (demand * error > 0.0)
    return np.asarray(at_maximum & (gained < np.abs(error)))
