# SPDX-License-Identifier: GPL-3.0-or-later
"""A spring without rest length between two points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ..fields import Vector, number
from .base import Force, Placement
from .lines.path import PathForce
from .lines.points import PathPoint, body_point, body_reference, one_body_problems
from .lines.spring_law import SpringLaw


@dataclass(frozen=True, kw_only=True)
class PointToPoint(Force):
    """A spring of rest length zero between two points, with a damper along their line.

    Source: RBDN eqs. 1.35-1.37. Erratum: 1.37 prints K with the wrong sign.
    """

    kind: ClassVar[str] = "point_to_point"
    label: ClassVar[str] = "Point to point"
    summary: ClassVar[str] = "Draws two points together until they coincide"
    icon: ClassVar[str] = "SNAP_MIDPOINT"
    menu_order: ClassVar[int] = 20

    body_a: str | None = body_reference("First")
    point_a: Vector = body_point("first", "body_a")
    body_b: str | None = body_reference("Second")
    point_b: Vector = body_point("second", "body_b")
    stiffness: float = number(doc="Force per distance", unit="N/m", minimum=0.0)
    damping: float = number(0.0, doc="Force per rate of the distance", unit="N s/m", minimum=0.0)

    def problems(self) -> Iterator[tuple[str, str]]:
        yield from one_body_problems(self.body_a, self.body_b)

    def bind(self, placement: Placement) -> PathForce:
        points = (PathPoint(body=self.body_a, point=self.point_a), PathPoint(body=self.body_b, point=self.point_b))
        return PathForce(self.name, placement, points, SpringLaw(float(self.stiffness), float(self.damping), 0.0))
