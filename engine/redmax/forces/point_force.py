# SPDX-License-Identifier: GPL-3.0-or-later
"""A force of given size in a given direction at a point of a body."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..fields import Vector, array, direction, number, record, reference
from ..tables import Table
from .base import Force, Placement
from .lines.points import ORIGIN
from .wrench import GivenWrench, Wrench, axes_field


@dataclass(frozen=True, kw_only=True)
class PointForce(Force):
    """A force in one direction at a point of a body, constant or over time. Source: RBDN eqs. 1.31 and 1.33."""

    kind: ClassVar[str] = "point_force"
    label: ClassVar[str] = "Force at a point"
    summary: ClassVar[str] = "Pulls a point of a body in one direction"
    icon: ClassVar[str] = "FORCE_FORCE"
    menu_order: ClassVar[int] = 40

    body: str = reference(doc="Body it acts on", refers_to="body")
    point: Vector = array(ORIGIN, doc="Where it acts, in the body's frame", shape=(3,), unit="m", frame="body")
    direction: Vector = direction(doc="Where it pulls; the length of this vector does not matter")
    axes: str = axes_field()
    force: float = number(0.0, doc="Constant size of the force; negative pushes", unit="N")
    force_table: Table | None = record(
        Table, None, doc="Size over time, one column, added to the constant one", nullable=True, over="time"
    )

    def problems(self) -> Iterator[tuple[str, str]]:
        if self.force_table is not None and np.shape(self.force_table.y)[1] != 1:
            yield f"force_table has {np.shape(self.force_table.y)[1]} columns", "give one column"

    def bind(self, placement: Placement) -> GivenWrench:
        d = np.asarray(self.direction, np.float64)
        d = d / np.linalg.norm(d)
        table = self.force_table
        if table is not None:
            along = np.concatenate([np.zeros(3), d])[None, :]
            slopes = None if table.slopes is None else np.asarray(table.slopes, np.float64) * along
            table = replace(table, y=np.asarray(table.y, np.float64) * along, slopes=slopes)
        whole = Wrench(
            name=self.name,
            body=self.body,
            point=self.point,
            axes=self.axes,
            force=float(self.force) * d,
            table=table,
        )
        return whole.bind(placement)
