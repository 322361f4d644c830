# SPDX-License-Identifier: GPL-3.0-or-later
"""A given torque and force on a body, constant or over time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..arrays import Array
from ..fields import Vector, array, choice, record, reference
from ..tables import Table
from .base import BoundForce, Force, Formula, PackedForce, Placement
from .lines.points import ORIGIN, BodyPoints, PathPoint

WORLD_AXES, BODY_AXES = "world", "body"


def axes_field() -> Any:
    return choice(
        WORLD_AXES,
        doc="world: keeps its direction in space. body: turns with the body, like a thruster",
        choices=(WORLD_AXES, BODY_AXES),
    )


@dataclass(frozen=True, kw_only=True)
class Wrench(Force):
    """A torque, and a force at a point of a body, along the world's axes or the body's own."""

    kind: ClassVar[str] = "wrench"
    label: ClassVar[str] = "Force and torque"
    summary: ClassVar[str] = "Pushes and turns a body as told: wind from one side, a thruster, a motor in space"
    icon: ClassVar[str] = "FORCE_VORTEX"
    menu_order: ClassVar[int] = 50

    body: str = reference(doc="Body it acts on", refers_to="body")
    point: Vector = array(ORIGIN, doc="Where the force acts, in the body's frame", shape=(3,), unit="m", frame="body")
    axes: str = axes_field()
    torque: Vector = array(ORIGIN, doc="Constant torque", shape=(3,), unit="N m")
    force: Vector = array(ORIGIN, doc="Constant force", shape=(3,), unit="N")
    table: Table | None = record(
        Table,
        None,
        doc="Torque and force over time, six columns, added to the constant ones",
        nullable=True,
        over="time",
        columns=6,
    )

    def problems(self) -> Iterator[tuple[str, str]]:
        if self.table is not None and np.shape(self.table.y)[1] != 6:
            columns = np.shape(self.table.y)[1]
            yield f"table has {columns} columns", "give six: torque x, y, z and force x, y, z"

    def bind(self, placement: Placement) -> GivenWrench:
        constant = np.concatenate([np.asarray(self.torque, np.float64), np.asarray(self.force, np.float64)])
        points = BodyPoints(placement, (PathPoint(body=self.body, point=self.point),))
        if self.axes == WORLD_AXES:
            return GivenWrench(self.name, points, constant, self.table)
        turned = np.concatenate([placement.direction(self.body, part) for part in (constant[:3], constant[3:])])
        R = placement.E_ib[placement.body(self.body)][:3, :3]
        return GivenWrench(self.name, points, turned, self.table, R_ib=R)


class GivenWrench(BoundForce):
    """A torque and a force at a point. R_ib: (3, 3) for one that turns with its body: from its axes to the principal
    ones; the constant part is already along these. What it does is work put in, even where it would have a potential.

    Source: RBDN eqs. 1.31 and 1.33-1.34.
    """

    def __init__(
        self, name: str, points: BodyPoints, constant: Array, table: Table | None, *, R_ib: Array | None = None
    ) -> None:
        super().__init__(name, points.bodies)
        self.points, self.constant, self.table, self.R_ib = points, constant, table, R_ib

    def _given(self, t: float) -> Array:
        """(6,) torque and force along the world's or the principal axes."""
        if self.table is None:
            return self.constant
        y = self.table.value(t)
        if self.R_ib is not None:
            y = np.concatenate([self.R_ib @ y[:3], self.R_ib @ y[3:]])
        return np.asarray(self.constant + y)

    def _in_world(self, E: Array, t: float) -> tuple[Array, Array]:
        given = self._given(t)
        if self.R_ib is None:
            return given[:3], given[3:]
        return E[0, :3, :3] @ given[:3], E[0, :3, :3] @ given[3:]

    def wrenches(self, E: Array, phi: Array, t: float) -> Array:
        torque, force = self._in_world(E, t)
        f = self.points.wrenches(E, force[None])
        f[0, :3] += torque @ E[0, :3, :3]
        return f

    def derivatives(self, E: Array, phi: Array, t: float) -> tuple[Array, Array]:
        K, nothing = np.zeros((6, 6)), np.zeros((6, 6))
        if self.R_ib is None:
            torque, force = self._in_world(E, t)
            K = self.points.turned_forces(E, force[None])
            x, y, z = torque @ E[0, :3, :3]
            K[:3, :3] += np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        return K, nothing

    def implicit(self, E: Array, phi: Array, t: float) -> tuple[Array, Array]:
        """Nothing: a given force is the same at the end of a step, and its lever hardly turns."""
        return np.zeros((6, 6)), np.zeros((6, 6))

    def reference(self, E: Array, phi: Array, t: float) -> tuple[Array, Array]:
        """The reference multiplies this K by zero."""
        return np.zeros((6, 6)), np.zeros((6, 6))

    def powers(self, E: Array, phi: Array, t: float) -> tuple[float, float]:
        return float(self.wrenches(E, phi, t)[0] @ phi[0]), 0.0

    def switch_times(self) -> Array:
        return np.zeros(0) if self.table is None else self.table.breakpoints()

    def packed(self) -> PackedForce:
        formula = Formula.WORLD_WRENCH if self.R_ib is None else Formula.BODY_WRENCH
        turn = np.eye(3) if self.R_ib is None else self.R_ib
        numbers = (*self.constant.tolist(), *turn.ravel().tolist())
        return PackedForce(formula, self.points.owners, self.points.x, numbers, self.table)
