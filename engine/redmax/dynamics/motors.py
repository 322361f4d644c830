# SPDX-License-Identifier: GPL-3.0-or-later
"""What motors of joints push with: clip(kp (target - q) + kd (target_rate - qdot), -maximum, maximum).

They are springs and dampers of joints, as those of RBDN eqs. 2.68-2.70, towards a target that moves.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..joints.motor import motor_numbers
from ..model import Model


class Motors:
    """All motors of a model, in the coordinates in which loads are meant (`loads.own_coordinates`).

    present: whether there are any. numbers: see `MotorNumbers`. tables: of each table its columns, and whether its
    values are positions or speeds.
    """

    def __init__(self, model: Model) -> None:
        owners = [(model.columns(j), joint.motor) for j, joint in enumerate(model.joints) if joint.motor is not None]
        self.present = bool(owners)
        self.numbers = motor_numbers(model.joints)
        self.tables = [
            (columns, motor.target_table, motor.holds_position)
            for columns, motor in owners
            if motor.target_table is not None
        ]

    def targets(self, t: float) -> tuple[Array, Array]:
        """Coordinates that position motors are to reach at time t [s], and rates that all are to reach, each (nr,)."""
        target, rate = self.numbers.target, self.numbers.target_rate
        if self.tables:
            target, rate = target.copy(), rate.copy()
        for columns, table, are_positions in self.tables:
            value, slope, _ = table.motion(t)
            if are_positions:
                target[columns] += value
                rate[columns] += slope
            else:
                rate[columns] += value
        return target, rate

    def target_accelerations(self, t: float) -> Array:
        """(nr,) time derivative of the rates of `targets`; jumps have none."""
        found = np.zeros(len(self.numbers.target))
        for columns, table, are_positions in self.tables:
            found[columns] = table.motion(t)[2 if are_positions else 1]
        return found

    def demand(self, q: Array, qdot: Array, t: float) -> Array:
        """(nr,) what motors would push with if they had no maximum [N m, N or J]."""
        target, rate = self.targets(t)
        numbers = self.numbers
        return np.asarray(numbers.position_gain * (target - q) + numbers.speed_gain * (rate - qdot))

    def loads(self, q: Array, qdot: Array, t: float) -> tuple[Array, Array, Array]:
        """f, K = df/dq and D = df/dqdot, each (nr,); a motor at its maximum pushes the same wherever the joint is."""
        demand, most = self.demand(q, qdot, t), self.numbers.maximum
        yields = np.abs(demand) <= most
        return (
            np.clip(demand, -most, most),
            np.where(yields, -self.numbers.position_gain, 0.0),
            np.where(yields, -self.numbers.speed_gain, 0.0),
        )


def motors(model: Model) -> Motors:
    """The motors of a model, which live as long as the model."""
    return model.once(Motors)
