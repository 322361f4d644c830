# SPDX-License-Identifier: GPL-3.0-or-later
"""A muscle between two points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ..fields import Vector
from .base import Placement
from .lines.muscle_law import MuscleBase
from .lines.path import PathForce
from .lines.points import PathPoint, body_point, body_reference, one_body_problems


@dataclass(frozen=True, kw_only=True)
class Muscle(MuscleBase):
    """A muscle with a rigid tendon along a straight line. Source: RBDN eqs. 1.38-1.56."""

    kind: ClassVar[str] = "muscle"
    label: ClassVar[str] = "Muscle"
    summary: ClassVar[str] = "Contracts as far as it is activated; the strength depends on its length and speed"
    icon: ClassVar[str] = "MOD_SMOOTH"
    menu_order: ClassVar[int] = 70

    body_a: str | None = body_reference("First")
    point_a: Vector = body_point("first", "body_a")
    body_b: str | None = body_reference("Second")
    point_b: Vector = body_point("second", "body_b")

    def problems(self) -> Iterator[tuple[str, str]]:
        yield from super().problems()
        yield from one_body_problems(self.body_a, self.body_b)

    def bind(self, placement: Placement) -> PathForce:
        points = (PathPoint(body=self.body_a, point=self.point_a), PathPoint(body=self.body_b, point=self.point_b))
        return PathForce(self.name, placement, points, self.law())
