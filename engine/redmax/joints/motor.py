# SPDX-License-Identifier: GPL-3.0-or-later
"""A motor on the coordinates of a joint: it pushes towards a target, no harder than its maximum."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..arrays import Array
from ..errors import Fault
from ..fields import Element, choice, per_dof, per_dof_values, record
from ..tables import Table

if TYPE_CHECKING:
    from .base import Joint

SPEED, POSITION = "speed", "position"

ROUNDING = 1e-12
"""Within implicit steps (`dynamics.saturation`): a push beyond the maximum by no more than this part is at it."""
TOGETHER, ONE_BY_ONE = 20, 200
"""There, so many times all motors on the wrong side of their maximum change it, then one at a time, which ends where
all at once go in circles; after so many times none goes back to its gains, so that it ends also where forces pull the
wrong way."""


@dataclass(frozen=True, kw_only=True)
class Motor(Element):
    """Pushes with clip(kp (target - q) + kd (target_rate - qdot), -maximum, maximum) along every coordinate.

    position: the target is a coordinate, and its rate that of the table. speed: the target is a velocity, and kp = 0.
    q and qdot are those in which torques and springs are meant (`dynamics.loads.own_coordinates`). A coordinate whose
    gains are 0 has no motor.
    """

    control: str = choice(
        SPEED,
        doc="speed: pushes until the joint moves at its target speed. position: pushes towards its target position",
        choices=(SPEED, POSITION),
    )
    target_speed: object = per_dof(doc="Speed to reach, used while control is speed", unit="rad/s, m/s or 1/s")
    target_position: object = per_dof(doc="Coordinate to reach, used while control is position", unit="rad, m or 1")
    target_table: Table | None = record(
        Table,
        None,
        doc="Target over time, added to the target; a position motor also follows its rate",
        nullable=True,
    )
    speed_gain: object = per_dof(
        doc="Torque or force per speed that is missing", unit="N m s/rad, N s/m or J s", minimum=0.0
    )
    position_gain: object = per_dof(
        doc="Torque or force per distance from the target, used while control is position",
        unit="N m/rad, N/m or J",
        minimum=0.0,
    )
    maximum: object = per_dof(
        None,
        doc="Largest torque or force of the motor, null (also for single coordinates) for no bound",
        plain="Largest torque or force of the motor",
        unit="N m, N or J",
        minimum=0.0,
        nullable=True,
    )

    @property
    def holds_position(self) -> bool:
        """Whether its target is a coordinate, not a velocity."""
        return self.control == POSITION

    def problems(self) -> Iterator[tuple[str, ...]]:
        gain = "position_gain" if self.holds_position else "speed_gain"
        if not np.asarray(getattr(self, gain), np.float64).any():
            yield Fault(
                "is 0, so that the motor never pushes", "give a number above 0, or remove the motor", "no_gain", gain
            )


class MotorNumbers(NamedTuple):
    """Of every coordinate, each (nr,): constant target with its rate, gains, and the largest torque or force.

    Gains are 0 where there is no motor, and the maximum is infinite where there is no bound.
    """

    target: Array
    target_rate: Array
    position_gain: Array
    speed_gain: Array
    maximum: Array


def motor_numbers(joints: Sequence[Joint]) -> MotorNumbers:
    """The motors of joints one after another."""
    columns: list[tuple[float, ...]] = []
    for joint in joints:
        motor, n = joint.motor, joint.ndof
        if motor is None:
            columns += [(0.0, 0.0, 0.0, 0.0, math.inf)] * n
            continue
        nothing = [0.0] * n
        gain, most = per_dof_values(motor.speed_gain, n), per_dof_values(motor.maximum, n, math.inf)
        if motor.holds_position:
            held = (per_dof_values(motor.target_position, n), nothing, per_dof_values(motor.position_gain, n))
        else:
            held = (nothing, per_dof_values(motor.target_speed, n), nothing)
        columns += zip(*held, gain, most, strict=True)
    return MotorNumbers(*np.array(columns, np.float64).reshape(-1, 5).T.copy())
