# SPDX-License-Identifier: GPL-3.0-or-later
"""Prescribed motion of a body, component by component."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..fields import Vector, array, record, reference
from ..tables import Table
from .base import Constraint, Instant, Rows
from .packed_rows import ComponentRow

COMPONENTS = ("rx", "ry", "rz", "x", "y", "z")


@dataclass(frozen=True, kw_only=True)
class BodyMotion(Constraint):
    """Chosen components of a body's velocity follow a table over time; the others stay free.

    The table gives the angular velocity and the velocity of the body's frame along the world's axes; what is held
    are components along the body's own axes. Only velocities are held: position errors of the integrator remain.
    Source: RBDN section 2.9 with the rows of maximal coordinates.
    """

    kind: ClassVar[str] = "body_motion"
    label: ClassVar[str] = "Prescribed Body Motion"
    summary: ClassVar[str] = "Some components of a body's velocity follow a table over time"
    icon: ClassVar[str] = "ANIM"
    menu_order: ClassVar[int] = 40

    body: str = reference(doc="Body that is moved", refers_to="body")
    components: Vector = array(
        (1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
        doc="1 for components that are held, 0 for free ones: turning about x, y, z, moving along x, y, z of the body",
        shape=(6,),
    )
    table: Table = record(
        Table,
        doc="Angular velocity (3 columns) and velocity (3 columns) over time, in the world",
        over="time",
        columns=6,
    )

    def rows(self, at: Instant) -> Rows:
        body = at.body(self.body)
        held = np.flatnonzero(np.asarray(self.components))
        R_bw = body.E_wb[:3, :3].T
        target, change = (
            np.concatenate([R_bw @ values[:3], R_bw @ values[3:]])
            for values in (self.table.value(at.t), self.table.derivative(at.t))
        )
        # What is constant in the world turns in the body: d(R^T v)/dt = R^T vdot - omega x R^T v.
        omega = body.twist[:3]
        change -= np.concatenate([np.cross(omega, target[:3]), np.cross(omega, target[3:])])
        metres = tuple(bool(k >= 3) for k in held)
        return Rows(target[held], change[held], None, metres, bodies=((body.number, np.eye(6)[held]),))

    def packed(self) -> tuple[ComponentRow, ...]:
        held = np.flatnonzero(np.asarray(self.components))
        return tuple(ComponentRow(self.body, int(component), self.table) for component in held)

    @property
    def prescribes(self) -> bool:
        return True

    def breakpoints(self) -> Array:
        return self.table.breakpoints()

    def jumps(self, t: float) -> bool:
        return self.table.interpolation == "step" and bool(t in self.breakpoints())

    def problems(self) -> Iterator[tuple[str, str]]:
        values = np.asarray(self.components, np.float64)
        if not np.isin(values, (0.0, 1.0)).all() or not values.any():
            yield "components are not zeros and ones", f"give 1 for each held one of {', '.join(COMPONENTS)}, else 0"
        if np.shape(self.table.y)[1] != 6:
            yield f"table has {np.shape(self.table.y)[1]} columns of values", "give six columns"
