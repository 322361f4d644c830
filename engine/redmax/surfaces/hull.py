# SPDX-License-Identifier: GPL-3.0-or-later
"""The convex hull of points as a surface."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np

from ..arrays import Array
from ..errors import Fault, RedMaxError
from ..fields import Vector, array
from ..geometry.hull import FlatPointsError
from . import layout
from .polyhedra import Polyhedron, hull_polyhedron
from .shape import Shape
from .surface import Surface, ball_around

MOST_CORNERS = 1000
"""Corners that a hull may have: all of them are looked at for every contact."""


@dataclass(frozen=True, kw_only=True)
class HullSurface(Surface):
    """The convex hull of points."""

    kind: ClassVar[str] = "hull"
    label: ClassVar[str] = "Convex Hull"
    summary: ClassVar[str] = "The tightest shape without dents around points, such as those of a mesh"
    icon: ClassVar[str] = "MOD_SOLIDIFY"
    menu_order: ClassVar[int] = 80
    shape_code: ClassVar[int] = layout.HULL

    vertices: Vector = array(doc="Points that it spans", shape=(None, 3), unit="m")

    @cached_property
    def polyhedron(self) -> Polyhedron:
        """Its corners and faces, in its frame."""
        return hull_polyhedron(np.asarray(self.vertices, np.float64))

    def lengths(self) -> Array:
        return hull_lengths(self.vertices)

    def problems(self) -> Iterator[tuple[str, ...]]:
        yield from super().problems()
        yield from corner_problems(self)

    def shape(self) -> Shape:
        return hull_shape(self.polyhedron)


class Hull(Protocol):
    """What has points in `vertices` and spans a polyhedron."""

    @property
    def polyhedron(self) -> Polyhedron: ...


def hull_lengths(vertices: Vector) -> Array:
    """(1,) longest side of the box around points [m]."""
    points = np.asarray(vertices, np.float64)
    return np.array([float((points.max(axis=0) - points.min(axis=0)).max())])


def corner_problems(hull: Hull) -> Iterator[Fault]:
    """What is wrong with the points of a hull."""
    try:
        corners = len(hull.polyhedron[0])
    except FlatPointsError:
        hint = "give points that enclose a volume, or use a thin box"
        yield Fault("lie in one plane, on one line or in one place", hint, "no_hull", "vertices")
        return
    except RedMaxError as error:
        yield Fault(f"have no convex hull: {error}", "", "no_hull", "vertices")
        return
    if corners > MOST_CORNERS:
        hint = f"simplify the mesh to at most {MOST_CORNERS} corners, or use a box or a capsule"
        yield Fault(f"span a hull of {corners} corners", hint, "large_hull", "vertices")


def hull_shape(polyhedron: Polyhedron) -> Shape:
    """The shape of a hull, about the mean of its corners."""
    vertices, planes, faces = polyhedron
    center = vertices.mean(axis=0)  # inside, which the middle of the box around it need not be
    moved = np.column_stack([planes[:, :3], planes[:, 3] - planes[:, :3] @ center])
    at = vertices - center
    return Shape(np.zeros(3), np.abs(at).max(axis=0), ball_around(at), center, at, moved, faces)
