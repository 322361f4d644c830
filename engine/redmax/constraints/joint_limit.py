# SPDX-License-Identifier: GPL-3.0-or-later
"""Hard limits of a joint coordinate: stops that it never passes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..fields import integer, number, reference
from ..joints import Joint
from .base import Constraint, Instant, Rows, coordinate_problem
from .packed_rows import CoordinateRow


@dataclass(frozen=True, kw_only=True)
class JointLimit(Constraint):
    """Hard stops: lower <= coordinate <= upper. They push and never pull.

    A joint that arrives at a stop loses its speed there, or keeps `restitution` times as much, reversed.
    The reference acts only after a limit is exceeded, and has the sign of its upper limits reversed (erratum).
    """

    kind: ClassVar[str] = "joint_limit"
    label: ClassVar[str] = "Hard Joint Limit"
    summary: ClassVar[str] = "Stops that a joint coordinate never passes"
    icon: ClassVar[str] = "CON_ROTLIMIT"
    menu_order: ClassVar[int] = 50
    one_sided: ClassVar[bool] = True

    joint: str = reference(doc="Joint that is limited", refers_to="joint")
    coordinate: int = integer(0, doc="Which coordinate of the joint, from 0", minimum=0, of="joint")
    lower: float | None = number(
        None,
        doc="Smallest value, null for none",
        plain="Smallest value",
        unit="rad, m or 1",
        nullable=True,
        coordinate=("joint", "coordinate"),
    )
    upper: float | None = number(
        None,
        doc="Largest value, null for none",
        plain="Largest value",
        unit="rad, m or 1",
        nullable=True,
        coordinate=("joint", "coordinate"),
    )
    restitution: float = number(0.0, doc="Part of the speed that an impact gives back, 0 to 1", minimum=0.0)

    @property
    def bounce(self) -> float:
        return self.restitution

    def rows(self, at: Instant) -> Rows:
        joint = at.joint(self.joint)
        q = float(joint.q[self.coordinate])
        error = [q - self.lower] if self.lower is not None else []
        error += [self.upper - q] if self.upper is not None else []
        row = np.zeros((len(error), len(joint.q)))
        row[:, self.coordinate] = ([1.0] if self.lower is not None else []) + ([-1.0] if self.upper is not None else [])
        zero = np.zeros(len(error))
        return Rows(zero, zero, np.array(error), (False,) * len(error), joints=((joint.number, row),))

    def packed(self) -> tuple[CoordinateRow, ...]:
        sides = ((1.0, self.lower), (-1.0, self.upper))
        return tuple(
            CoordinateRow(((self.joint, self.coordinate, side),), side * limit)
            for side, limit in sides
            if limit is not None
        )

    def problems(self) -> Iterator[tuple[str, str]]:
        lower = -math.inf if self.lower is None else self.lower
        upper = math.inf if self.upper is None else self.upper
        if self.lower is None and self.upper is None:
            yield "has neither a lower nor an upper limit", "give one of them"
        if lower > upper:
            yield "has a lower limit above its upper limit", "swap them"
        if self.restitution > 1.0:
            yield f"restitution is {self.restitution:g}", "give a number from 0 to 1"

    def joint_problems(self, joints: Mapping[str, Joint]) -> Iterator[tuple[str, str]]:
        problem = coordinate_problem(joints[self.joint], self.coordinate, "coordinate")
        if problem is not None:
            yield problem
