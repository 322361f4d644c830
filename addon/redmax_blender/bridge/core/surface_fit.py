# SPDX-License-Identifier: GPL-3.0-or-later
"""Simple shapes around the points of a mesh: box, sphere, capsule, cylinder, cone, ellipsoid; which is the tightest.

All of them enclose the points. Axes are those of the points' own frame, or principal directions where these make the
shape clearly smaller. No Blender here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ..._engine import arrays
from . import enclosing_ball, hull_points

Array = arrays.Array

CLEARLY_SMALLER = 0.98
"""By which factor a shape along other axes must be smaller to be preferred to one along the object's own."""

ALIKE = 1.01
"""Shapes whose volumes differ by less than this factor are equally tight."""

TIGHT = 1.15
"""A simple shape of at most this many times the hull's volume stands for the mesh; else its hull does."""

FLAT = 1e-5
"""Points whose extent in some direction is below this part of the largest lie in a plane."""

TIPS = np.linspace(1.0, 3.0, 41)
"""Heights of a cone around points that are tried, as parts of theirs."""

BOX, SPHERE, CAPSULE, CYLINDER = "box", "sphere", "capsule", "cylinder"
CONE, ELLIPSOID = "cone", "ellipsoid"


class Fit(NamedTuple):
    """A shape around points. E: (4, 4) its frame in theirs [m]. size: (3,) sides of the box around it along its own
    axes [m]; a capsule, cylinder or cone lies along z. volume: [m^3]."""

    kind: str
    E: Array
    size: Array
    volume: float

    @property
    def radius(self) -> float:
        """Of a sphere, capsule or cylinder, and of the base of a cone [m]."""
        return 0.5 * float(self.size[0])

    @property
    def straight(self) -> float:
        """Length of a capsule without its round ends, or of a cylinder or cone [m]."""
        return float(self.size[2]) - (2.0 * self.radius if self.kind == CAPSULE else 0.0)


def principal_axes(points: Array) -> Array:
    """Rotation (3, 3) whose columns are the principal directions of points (n, 3)."""
    _, vectors = np.linalg.eigh(np.cov(points.T))
    axes: Array = vectors[:, ::-1].copy()
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    return axes


def is_flat(points: Array) -> bool:
    """Whether points (n, 3) span no volume."""
    if len(points) < 4:
        return True
    extents = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return bool(extents[2] <= FLAT * max(extents[0], 1e-300))


def box(points: Array, R: Array) -> Fit:
    """The box around points (n, 3) along axes R (3, 3, columns)."""
    local = points @ R
    lower, upper = local.min(axis=0), local.max(axis=0)
    size = upper - lower
    return Fit(BOX, _frame(R, R @ (0.5 * (lower + upper))), size, float(np.prod(size)))


def sphere(points: Array, R: Array) -> Fit:
    """The smallest sphere around points; R only says how its frame is turned."""
    centre, radius = enclosing_ball.enclosing_ball(points)
    return Fit(SPHERE, _frame(R, centre), np.full(3, 2.0 * radius), 4.0 / 3.0 * np.pi * radius**3)


def cylinder(points: Array, R: Array) -> Fit:
    """The cylinder around points along the third axis of R."""
    local = points @ R
    middle, radius = enclosing_ball.enclosing_ball(local[:, :2])
    low, high = local[:, 2].min(), local[:, 2].max()
    centre = R @ np.array([*middle, 0.5 * (low + high)])
    size = np.array([2.0 * radius, 2.0 * radius, high - low])
    return Fit(CYLINDER, _frame(R, centre), size, float(np.pi * radius**2 * (high - low)))


def capsule(points: Array, R: Array) -> Fit:
    """The capsule around points along the third axis of R, as thin as their shadow lets it be."""
    local = points @ R
    middle, radius = enclosing_ball.enclosing_ball(local[:, :2])
    aside = np.linalg.norm(local[:, :2] - middle, axis=1)
    bulge = np.sqrt(np.maximum(radius**2 - aside**2, 0.0))
    top, bottom = (local[:, 2] - bulge).max(), (local[:, 2] + bulge).min()
    straight = max(float(top - bottom), 0.0)
    centre = R @ np.array([*middle, 0.5 * (top + bottom)])
    size = np.array([2.0 * radius, 2.0 * radius, straight + 2.0 * radius])
    return Fit(CAPSULE, _frame(R, centre), size, float(np.pi * radius**2 * (straight + 4.0 / 3.0 * radius)))


def cone(points: Array, R: Array) -> Fit:
    """The cone around points with its tip along the third axis of R."""
    local = points @ R
    middle, _ = enclosing_ball.enclosing_ball(local[:, :2])
    aside = np.linalg.norm(local[:, :2] - middle, axis=1)
    low, high = local[:, 2].min(), local[:, 2].max()
    heights = TIPS * (high - low)
    below_tip = np.maximum(low + heights[:, None] - local[:, 2], 0.0)
    on_axis = aside <= 1e-9 * (high - low)
    with np.errstate(divide="ignore", invalid="ignore"):
        radii = np.where(on_axis, 0.0, aside / below_tip * heights[:, None]).max(axis=1)
        volumes = np.pi / 3.0 * radii**2 * heights
    k = int(np.nanargmin(volumes))
    centre = R @ np.array([*middle, low + 0.5 * heights[k]])
    size = np.array([2.0 * radii[k], 2.0 * radii[k], heights[k]])
    return Fit(CONE, _frame(R, centre), size, float(volumes[k]))


def ellipsoid(points: Array, R: Array) -> Fit:
    """The ellipsoid around points along axes R, in the proportions of the box around them."""
    around = box(points, R)
    local = (points - around.E[:3, 3]) @ R
    half = 0.5 * np.maximum(around.size, 1e-12 * around.size.max())
    size = around.size * float(np.linalg.norm(local / half, axis=1).max())
    return Fit(ELLIPSOID, around.E, size, float(np.pi / 6.0 * np.prod(size)))


def _frame(R: Array, centre: Array) -> Array:
    E = np.eye(4)
    E[:3, :3], E[:3, 3] = R, centre
    return E


def _along(axis: int, axes: Array) -> Array:
    """Axes (3, 3, columns) in another order, so that axis 0, 1 or 2 is the third; 3, 4 and 5 are against them."""
    turned = np.roll(axes, 2 - axis % 3, axis=1)
    return turned * [1.0, -1.0, -1.0] if axis > 2 else turned


MAKERS: dict[str, tuple[Callable[[Array, Array], Fit], tuple[int, ...]]] = {
    BOX: (box, (2,)),
    SPHERE: (sphere, (2,)),
    CAPSULE: (capsule, (2, 0, 1)),
    CYLINDER: (cylinder, (2, 0, 1)),
    CONE: (cone, (2, 0, 1, 5, 3, 4)),
    ELLIPSOID: (ellipsoid, (2,)),
}
"""By kind: how it is fitted, and which axes may be its third one. Of equal ones the first is taken."""


def fit(kind: str, points: Array) -> Fit:
    """The tightest shape of a kind around points (n, 3) [m], in their frame."""
    make, thirds = MAKERS[kind]
    own = min(_tried(make, points, np.eye(3), thirds), key=lambda each: each.volume)
    if kind == SPHERE:
        return own
    corners = points[hull_points.extremes(points)]  # inner points may turn the axes of all, and all may be symmetric
    turned = [principal_axes(each) for each in (points, corners)]
    other = min((found for axes in turned for found in _tried(make, points, axes, thirds)), key=lambda e: e.volume)
    return other if other.volume < CLEARLY_SMALLER * own.volume else own


def _tried(make: Callable[[Array, Array], Fit], points: Array, axes: Array, thirds: tuple[int, ...]) -> Iterator[Fit]:
    return (make(points, _along(third, axes)) for third in thirds)


def best(points: Array, hull_volume: float | None) -> Fit | None:
    """The tightest of all simple shapes; None where the hull of the points is much smaller than each of them.

    hull_volume: [m^3], None where it is not known.
    """
    tried = [fit(kind, points) for kind in MAKERS]
    least = min(each.volume for each in tried)
    # Of shapes that are nearly as tight the first listed is the simplest: a ball is no ellipsoid.
    simplest = next(each for each in tried if each.volume <= ALIKE * least)
    return simplest if hull_volume is None or simplest.volume <= TIGHT * hull_volume else None
