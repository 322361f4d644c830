# SPDX-License-Identifier: GPL-3.0-or-later
"""What every surface is: a named element with which a body, or the world, touches others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..errors import Fault
from ..fields import Element, Pose, Vector, array, flag, integer, number, pose, reference, text
from .shape import Shape

SMALLEST_SIZE, LARGEST_SIZE = 1e-6, 1e6
"""Range of sizes [m] between which collision detection keeps its digits."""

GROUPS = 31
EVERY_GROUP = 2**GROUPS - 1

SAME = "null for the same as friction"


@dataclass(frozen=True, kw_only=True)
class Surface(Element):
    """Where a body, or the world, touches other surfaces, and what it is like there.

    It has no mass; that of the body comes from `Body.shapes`. How the materials of two surfaces combine is in
    `materials.combined`, which pairs can touch in `filters`.
    """

    name: str = text(doc="Name of the surface, unique among surfaces")
    body: str | None = reference(
        None,
        doc="Body that it belongs to, or null for the world",
        plain="Body that it belongs to; empty for scenery",
        refers_to="body",
        nullable=True,
    )
    frame: Pose = pose(doc="Frame of the shape in the body's frame, or in the world", frame="body")
    friction: float = number(0.5, doc="Coefficient of static friction", minimum=0.0)
    kinetic_friction: float | None = number(
        None, doc=f"Coefficient of friction while it slides; {SAME}",
        plain="Coefficient of friction while it slides, if that is less", minimum=0.0, nullable=True, first=0.4,
    )  # fmt: skip
    bounce: float = number(0.0, doc="Speed after an impact as a part of that before it, 0 to 1", minimum=0.0)
    bounce_above: float = number(0.0, doc="Slower impacts do not bounce", unit="m/s", minimum=0.0)
    rolling_friction: float = number(
        0.0, doc="Length of the lever with which the normal force resists rolling", unit="m", minimum=0.0
    )
    torsional_friction: float = number(
        0.0, doc="Length of the lever with which the normal force resists spinning on the spot", unit="m", minimum=0.0
    )
    conveyor: Vector = array(
        (0.0, 0.0, 0.0), doc="Velocity of its skin relative to the body, in the surface's frame", shape=(3,), unit="m/s"
    )
    group: int = integer(0, doc=f"Group of surfaces that it belongs to, 0 to {GROUPS - 1}", minimum=0)
    touches: int = integer(
        EVERY_GROUP, doc="Groups that it touches: the sum of 2^group over them; both surfaces must agree", minimum=0
    )
    touches_neighbours: bool = flag(False, doc="It touches bodies that a joint connects with its own, too")

    shape_code: ClassVar[int] = 0
    """The number by which kernels know its shapes (`layout`)."""

    def shape(self) -> Shape:
        """Its geometry, as kernels need it. Raises `geometry.mesh.MeshError`, or `MissingWheelError`."""
        raise NotImplementedError

    def shapes(self) -> Sequence[Shape]:
        """Its geometry, piece by piece; of all but convex pieces it is one."""
        return (self.shape(),)

    def lengths(self) -> Array:
        """Its sizes along its axes [m], for the check that they are sensible; empty for a plane."""
        return np.zeros(0)

    def problems(self) -> Iterator[tuple[str, ...]]:
        if self.kinetic_friction is not None and self.kinetic_friction > self.friction:
            yield Fault(
                f"is {self.kinetic_friction:g}, more than the static friction of {self.friction:g}",
                "give at most the static friction", "value", "kinetic_friction",
            )  # fmt: skip
        if self.bounce > 1.0:
            yield Fault(f"is {self.bounce:g}", "give at most 1, which loses no energy", "value", "bounce")
        if self.group >= GROUPS:
            yield Fault(f"is {self.group}", f"give a whole number from 0 to {GROUPS - 1}", "value", "group")
        if self.touches > EVERY_GROUP:
            yield Fault(f"is {self.touches}", f"give at most {EVERY_GROUP}, which is all groups", "value", "touches")
        sizes = self.lengths()
        if sizes.size and not (sizes.min() >= SMALLEST_SIZE and sizes.max() <= LARGEST_SIZE):
            off = float(sizes.min() if sizes.min() < SMALLEST_SIZE else sizes.max())
            yield Fault(
                f"measures {off:g} m, which collision detection cannot resolve",
                f"give sizes from {SMALLEST_SIZE:g} to {LARGEST_SIZE:g} m; check the units", "surface_size",
            )  # fmt: skip


def ball_around(vertices: Array) -> float:
    """Radius of the sphere about the origin that holds all points (n, 3)."""
    return math.sqrt(float((vertices**2).sum(axis=1).max()))
