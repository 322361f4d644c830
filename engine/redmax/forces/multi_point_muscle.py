# SPDX-License-Identifier: GPL-3.0-or-later
"""A muscle whose line runs through several points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ..fields import records
from .base import Placement
from .lines.muscle_law import MuscleBase
from .lines.path import PathForce
from .lines.points import PathPoint, one_body_problems


@dataclass(frozen=True, kw_only=True)
class MultiPointMuscle(MuscleBase):
    """A muscle with a rigid tendon whose line is bent by points on bodies. Source: RBDN eqs. 1.57-1.64."""

    kind: ClassVar[str] = "multi_point_muscle"
    label: ClassVar[str] = "Muscle through points"
    summary: ClassVar[str] = "A muscle that wraps around bones: one pull along a line through several points"
    icon: ClassVar[str] = "MOD_SIMPLIFY"
    menu_order: ClassVar[int] = 80

    points: tuple[PathPoint, ...] = records(PathPoint, doc="Points the muscle runs through, in order", least=2)

    def problems(self) -> Iterator[tuple[str, str]]:
        yield from super().problems()
        yield from one_body_problems(*(point.body for point in self.points))

    def bind(self, placement: Placement) -> PathForce:
        return PathForce(self.name, placement, self.points, self.law())
