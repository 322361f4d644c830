# SPDX-License-Identifier: GPL-3.0-or-later
"""Surface contact joint: two surfaces that stay in touch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from ..arrays import Array
from ..errors import Fault
from ..fields import Vector, array, choice, flag, number
from ..symbolic.contacts import Points, Sized, contact_coordinates, surface_contact
from ..symbolic.slip import row_numbers, slip, slip_tape
from ..symbolic.surfaces import CURVES, SURFACES
from ..symbolic.written import Coordinates, Texts, coordinates
from .friction import Bearing
from .written_joint import WrittenJoint


def sized(kind: str, sizes: Any) -> Sized:
    """A surface or curve with the sizes that it has, of the three that are given."""
    shape = SURFACES.get(kind) or CURVES.get(kind)
    return kind, tuple(float(size) for size in sizes[: len(shape.sizes)]) if shape is not None else ()


def size_problems(field: str, kind: str, sizes: Any) -> Iterator[Fault]:
    """What is wrong with the sizes of a surface or curve."""
    if kind == "torus" and sizes[0] <= sizes[1]:
        yield Fault(
            f"gives the torus a ring radius of {sizes[0]:g} m and a tube radius of {sizes[1]:g} m",
            "make the ring larger than the tube",
            "value",
            field,
        )


SIZES = "sphere and cylinder: radius; ellipsoid: three radii; torus: radius of the ring and of the tube; plane: none"


@dataclass(frozen=True, kw_only=True)
class SurfaceContact(WrittenJoint):
    """Two surfaces touch in a point, with one tangent plane: Q = E1(u1, v1) Rx(twist + spin) Rz(pi) E2(u2, v2)^-1.

    E(u, v) is the frame on a surface, x along its normal, y along u, z along v; tori and cylinders have their axis, and
    planes their normal, along z of the joint frame. Source: SG13 section 1. A cylinder on a plane has no v2.
    """

    kind: ClassVar[str] = "surface_contact"
    label: ClassVar[str] = "Surface Contact"
    summary: ClassVar[str] = "Two surfaces that slide and roll on each other and never part"
    icon: ClassVar[str] = "MESH_TORUS"
    menu_order: ClassVar[int] = 110

    first: str = choice("plane", doc="Surface of the parent", choices=tuple(SURFACES))
    first_size: Vector = array((0.1, 0.1, 0.1), doc=f"Its sizes ({SIZES})", shape=(3,), unit="m", positive=True)
    second: str = choice("sphere", doc="Surface of the child", choices=tuple(SURFACES))
    second_size: Vector = array((0.1, 0.1, 0.1), doc=f"Its sizes ({SIZES})", shape=(3,), unit="m", positive=True)
    first_point: Vector = array(
        (0.0, 0.0), doc="u and v on the parent's surface where it touches at coordinates 0", shape=(2,), unit="rad or m"
    )
    second_point: Vector = array(
        (0.0, 0.0), doc="u and v on the child's surface where it touches at coordinates 0", shape=(2,), unit="rad or m"
    )
    spin: bool = flag(False, doc="Whether the child also turns about the common normal, a coordinate more")
    twist: float = number(0.0, doc="Angle about the common normal between the surfaces' directions z", unit="rad")
    inside: bool = flag(False, doc="The child touches the parent's surface from within")

    def bearings(self) -> tuple[Bearing, ...]:
        return ()

    @property
    def texts(self) -> Texts:
        return surface_contact(*self._surfaces, **self._how)

    @property
    def _surfaces(self) -> tuple[Sized, Sized]:
        return sized(self.first, self.first_size), sized(self.second, self.second_size)

    @property
    def _how(self) -> dict[str, Any]:
        (a, b), (c, d) = self.first_point, self.second_point
        points: Points = (float(a), float(b)), (float(c), float(d))
        return {
            "spin": bool(self.spin),
            "twist": float(self.twist),
            "inside": bool(self.inside),
            "points": points,
        }

    def slip(self, q: Array, qdot: Array, chart: int) -> tuple[Array, Array]:
        """C (3, n) and Cdot qdot (3,): C qdot is how fast the surfaces slip along two directions [m/s] and pivot."""
        numbers = slip_tape(*self._surfaces, **self._how, chart=chart)
        return slip(numbers, q, qdot)

    def slip_numbers(self, frame: Array, row: int) -> tuple[float, ...]:
        """What `symbolic.slip_row.slip_row` reads to give a row of `slip` as one on the bodies. frame: (4, 4) of the
        joint on the parent."""
        return row_numbers(*self._surfaces, **self._how, frame=frame, row=row)

    @property
    def _coordinates(self) -> Coordinates:
        if self.first not in SURFACES or self.second not in SURFACES:
            return Coordinates((), ())  # not checked yet
        return coordinates(contact_coordinates(self.first, self.second, spin=bool(self.spin)))

    @property
    def chart_count(self) -> int:  # type: ignore[override]
        pair = [SURFACES[kind] for kind in (self.first, self.second) if kind in SURFACES]
        return 2 ** sum(surface.poles for surface in pair) if self.spin else 1

    def written_problems(self) -> Iterator[Fault]:
        faults = [
            *size_problems("first_size", self.first, self.first_size),
            *size_problems("second_size", self.second, self.second_size),
        ]
        if self.first == self.second == "plane":
            faults.append(Fault("is of two planes, which touch everywhere", "use a planar joint"))
        yield from faults
        if not faults:
            yield from super().written_problems()
