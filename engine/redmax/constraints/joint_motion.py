# SPDX-License-Identifier: GPL-3.0-or-later
"""Prescribed motion of a joint coordinate, as a constraint: a motor that is as strong as it takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..fields import choice, integer, record, reference
from ..joints import Joint
from ..tables import Table
from .base import Constraint, Instant, Rows, coordinate_problem
from .packed_rows import ACCELERATION, POSITION, VELOCITY, CoordinateRow


@dataclass(frozen=True, kw_only=True)
class JointMotion(Constraint):
    """One coordinate of a joint follows a table over time: its position, its velocity or its acceleration.

    Positions are held to round-off. A velocity or an acceleration says nothing of where the joint is.
    Source: RBDN eq. 2.102 and 2.103; the text after eq. 2.102 has the sign of the torque reversed (erratum), and
    the right side of eq. 2.103 belongs to prescribed rows only (erratum).
    """

    kind: ClassVar[str] = "joint_motion"
    label: ClassVar[str] = "Prescribed Joint Motion"
    summary: ClassVar[str] = "A motor makes one coordinate of a joint follow a table over time"
    icon: ClassVar[str] = "DRIVER"
    menu_order: ClassVar[int] = 30

    joint: str = reference(doc="Joint that is moved", refers_to="joint")
    coordinate: int = integer(0, doc="Which coordinate of the joint, from 0", minimum=0, of="joint")
    quantity: str = choice(POSITION, doc="What the table gives", choices=(POSITION, VELOCITY, ACCELERATION))
    table: Table = record(Table, doc="Coordinate, velocity or acceleration over time, one column", over="time")

    def rows(self, at: Instant) -> Rows:
        joint, t = at.joint(self.joint), at.t
        row = np.zeros((1, len(joint.q)))
        row[0, self.coordinate] = 1.0
        joints = ((joint.number, row),)
        if self.quantity == POSITION:
            q, qdot, qddot = self.table.motion(t)
            return Rows(qdot, qddot, row @ joint.q - q, (False,), joints=joints)
        if self.quantity == VELOCITY:
            return Rows(self.table.value(t), self.table.derivative(t), None, (False,), joints=joints)
        return Rows(row @ joint.qdot, self.table.value(t), None, (False,), joints=joints, any_velocity=True)

    def packed(self) -> tuple[CoordinateRow, ...]:
        term = (self.joint, self.coordinate, 1.0)
        return (CoordinateRow((term,), table=self.table, quantity=self.quantity),)

    @property
    def prescribes(self) -> bool:
        return True

    def breakpoints(self) -> Array:
        return self.table.breakpoints()

    def jumps(self, t: float) -> bool:
        if self.quantity == POSITION:
            return bool(self.table.slope_jump(t).any())
        return self.quantity == VELOCITY and self.table.interpolation == "step" and bool(t in self.breakpoints())

    def problems(self) -> Iterator[tuple[str, str]]:
        if np.shape(self.table.y)[1] != 1:
            yield f"table has {np.shape(self.table.y)[1]} columns of values", "give one column"
        if self.quantity == POSITION and self.table.interpolation == "step" and len(np.asarray(self.table.x)) > 1:
            yield "prescribes positions that jump", "use linear, cubic or hermite interpolation"

    def joint_problems(self, joints: Mapping[str, Joint]) -> Iterator[tuple[str, str]]:
        problem = coordinate_problem(joints[self.joint], self.coordinate, "coordinate")
        if problem is not None:
            yield problem
