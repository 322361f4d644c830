# SPDX-License-Identifier: GPL-3.0-or-later
"""Point contact joint: a point on a curve or on a surface, or two curves that meet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ..errors import Fault
from ..fields import Vector, array, choice
from ..symbolic.contacts import EULER_CHARTS, point_contact, point_coordinates
from ..symbolic.surfaces import CURVES, SURFACES
from ..symbolic.written import Coordinates, Texts, coordinates
from .friction import Bearing
from .surface_contact import size_problems, sized
from .written_joint import WrittenJoint

POINT = "point"


@dataclass(frozen=True, kw_only=True)
class PointContact(WrittenJoint):
    """A point of the parent's curve or surface is a point of the child, which turns freely about it.

    Q = T(p1(s1)) R(angles) T(-p2(s2)), with (u1, v1) for s1 on a surface, and without s2 for the child's joint origin.
    The angles are Euler angles x-y-z; near gimbal lock others are taken. Source: SG13 section 1.
    """

    kind: ClassVar[str] = "point_contact"
    label: ClassVar[str] = "Point on Curve or Surface"
    summary: ClassVar[str] = "A point that stays on a curve or on a surface, or two curves that cross"
    icon: ClassVar[str] = "CURVE_NCIRCLE"
    menu_order: ClassVar[int] = 110

    first: str = choice("circle", doc="Curve or surface of the parent", choices=(*CURVES, *SURFACES))
    first_size: Vector = array(
        (0.1, 0.1, 0.1),
        doc="Its sizes (round ones: radius; helix: radius, rise per turn; torus: ring, tube; others: radii)",
        shape=(3,),
        unit="m",
        positive=True,
    )
    second: str = choice(POINT, doc="Point of the child, its joint origin, or its curve", choices=(POINT, *CURVES))
    second_size: Vector = array((0.1, 0.1, 0.1), doc="Sizes of the child's curve", shape=(3,), unit="m", positive=True)

    def bearings(self) -> tuple[Bearing, ...]:
        return ()

    @property
    def texts(self) -> Texts:
        return point_contact(sized(self.first, self.first_size), sized(self.second, self.second_size))

    @property
    def _coordinates(self) -> Coordinates:
        if self.first not in (*CURVES, *SURFACES) or self.second not in (POINT, *CURVES):
            return Coordinates((), ())  # not checked yet
        return coordinates(point_coordinates(self.first, self.second))

    @property
    def chart_count(self) -> int:  # type: ignore[override]
        has_poles = self.first in SURFACES and SURFACES[self.first].poles
        return len(EULER_CHARTS) * (1 + has_poles)

    def written_problems(self) -> Iterator[Fault]:
        faults = [
            *size_problems("first_size", self.first, self.first_size),
            *size_problems("second_size", self.second, self.second_size),
        ]
        if self.first in SURFACES and self.second in CURVES:
            faults.append(Fault(f"holds a {self.second} on a {self.first}", "choose a point, or two curves"))
        yield from faults
        if not faults:
            yield from super().written_problems()
