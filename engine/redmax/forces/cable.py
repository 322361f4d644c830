# SPDX-License-Identifier: GPL-3.0-or-later
"""A cable through points on bodies: it pulls but does not push."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ..fields import records
from .base import Force, Placement
from .lines.path import PathForce, start_length
from .lines.points import PathPoint, one_body_problems
from .lines.spring_law import SpringLaw, damping_field, measure_field, rest_field, stiffness_field


@dataclass(frozen=True, kw_only=True)
class Cable(Force):
    """An elastic cable that runs without friction through two or more points, and pulls only."""

    kind: ClassVar[str] = "cable"
    label: ClassVar[str] = "Cable"
    summary: ClassVar[str] = "Pulls along a line through several points once it is taut; hangs slack otherwise"
    icon: ClassVar[str] = "CURVE_PATH"
    menu_order: ClassVar[int] = 30

    points: tuple[PathPoint, ...] = records(PathPoint, doc="Points the cable runs through, in order", least=2)
    stiffness: float = stiffness_field()
    damping: float = damping_field()
    rest_length: float | None = rest_field()
    measure: str = measure_field()

    def problems(self) -> Iterator[tuple[str, str]]:
        yield from one_body_problems(*(point.body for point in self.points))

    def bind(self, placement: Placement) -> PathForce:
        rest = self.rest_length if self.rest_length is not None else start_length(self.name, placement, self.points)
        law = SpringLaw.of(self.measure, self.stiffness, self.damping, rest, pulls_only=True)
        return PathForce(self.name, placement, self.points, law)
