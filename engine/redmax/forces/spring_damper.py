# SPDX-License-Identifier: GPL-3.0-or-later
"""A spring and a damper between two points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ..fields import Vector
from .base import Force, Placement
from .lines.path import PathForce, start_length
from .lines.points import PathPoint, body_point, body_reference, one_body_problems
from .lines.spring_law import SpringLaw, damping_field, measure_field, rest_field, stiffness_field


@dataclass(frozen=True, kw_only=True)
class SpringDamper(Force):
    """A spring with a rest length and a damper between two points.

    Source: RBDN eqs. 1.65-1.68.
    """

    kind: ClassVar[str] = "spring_damper"
    label: ClassVar[str] = "Spring-Damper"
    summary: ClassVar[str] = "Pulls two points together when stretched, pushes them apart when squeezed"
    icon: ClassVar[str] = "FORCE_HARMONIC"
    menu_order: ClassVar[int] = 10

    body_a: str | None = body_reference("First")
    point_a: Vector = body_point("first", "body_a")
    body_b: str | None = body_reference("Second")
    point_b: Vector = body_point("second", "body_b")
    stiffness: float = stiffness_field()
    damping: float = damping_field()
    rest_length: float | None = rest_field()
    measure: str = measure_field()

    def problems(self) -> Iterator[tuple[str, str]]:
        yield from one_body_problems(self.body_a, self.body_b)

    def bind(self, placement: Placement) -> PathForce:
        points = (PathPoint(body=self.body_a, point=self.point_a), PathPoint(body=self.body_b, point=self.point_b))
        rest = self.rest_length if self.rest_length is not None else start_length(self.name, placement, points)
        law = SpringLaw.of(self.measure, self.stiffness, self.damping, rest)
        return PathForce(self.name, placement, points, law, material_only=True)
