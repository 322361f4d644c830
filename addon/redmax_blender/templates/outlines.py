# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed outlines in the plane, counter-clockwise: (n, 2) points, the last joined to the first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._engine import arrays

Array = arrays.Array

ROUND = 32
"""Points of a full circle: smooth enough for shading, light enough for a hundred links."""


def arc(centre: tuple[float, float], radius: float, start: float, stop: float, points: int) -> Array:
    """Points of an arc from angle `start` to `stop` [rad], both included."""
    angle = np.linspace(start, stop, points)
    shape: Array = np.array(centre) + radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return shape


def circle(radius: float, centre: tuple[float, float] = (0.0, 0.0), points: int = ROUND) -> Array:
    return arc(centre, radius, 0.0, 2.0 * np.pi * (1.0 - 1.0 / points), points)


def rounded_rectangle(width: float, height: float, radius: float, points: int = 5) -> Array:
    """A rectangle about the origin with round corners of `points` points each."""
    x, y = 0.5 * width - radius, 0.5 * height - radius
    quarter = 0.5 * np.pi
    corners = [(x, y), (-x, y), (-x, -y), (x, -y)]
    return np.concatenate(
        [arc(corner, radius, k * quarter, (k + 1) * quarter, points) for k, corner in enumerate(corners)]
    )


def link(length: float, radius: float, end_radius: float | None = None) -> Array:
    """The tight belt around two discs, at the origin and at (length, 0): a straight link, tapered if they differ."""
    end = radius if end_radius is None else end_radius
    tilt = float(np.arcsin(np.clip((radius - end) / length, -1.0, 1.0)))
    lean = 0.5 * np.pi - tilt
    half = ROUND // 2 + 1
    near = arc((0.0, 0.0), radius, lean, 2.0 * np.pi - lean, half)
    far = arc((length, 0.0), end, -lean, lean, half)
    return np.concatenate([far, near])


def belt(discs: Sequence[tuple[tuple[float, float], float]]) -> Array:
    """The tight belt around discs given as (centre, radius): a plate with round corners."""
    points = np.concatenate([circle(radius, centre) for centre, radius in discs])
    points = points[np.lexsort((points[:, 1], points[:, 0]))]
    return np.array([*_hull_side(points)[:-1], *_hull_side(points[::-1])[:-1]])


def _hull_side(points: Array) -> list[Array]:
    """The lower side of the convex hull of points that are sorted along x (the upper side if they are reversed)."""
    side: list[Array] = []
    for point in points:
        while len(side) > 1 and _turns_left(side[-2], side[-1], point) <= 0.0:
            side.pop()
        side.append(point)
    return side


def _turns_left(a: Array, b: Array, c: Array) -> float:
    """Twice the area of the triangle a, b, c: positive where the way from a over b to c turns left."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def blade(length: float, radius: float, end_width: float) -> Array:
    """A link around a disc at the origin that narrows to a straight end of a width at x = length."""
    lean = float(np.arccos(np.clip((radius - 0.5 * end_width) / length, -1.0, 1.0)))
    near = arc((0.0, 0.0), radius, lean, 2.0 * np.pi - lean, ROUND // 2 + 1)
    end = np.array([[length, -0.5 * end_width], [length, 0.5 * end_width]])
    return np.concatenate([end, near])


def stadium(length: float, radius: float, points: int = 9) -> Array:
    """Two half circles whose centres lie `length` apart on x, about the origin."""
    half = 0.5 * length
    right = arc((half, 0.0), radius, -0.5 * np.pi, 0.5 * np.pi, points)
    left = arc((-half, 0.0), radius, 0.5 * np.pi, 1.5 * np.pi, points)
    return np.concatenate([right, left])


def inset(outline: Array, distance: float) -> Array:
    """The outline moved inwards by a distance, point by point; for outlines without sharp inward corners."""
    before, after = np.roll(outline, 1, axis=0), np.roll(outline, -1, axis=0)
    normals = []
    for edge in (outline - before, after - outline):
        normal = np.stack([-edge[:, 1], edge[:, 0]], axis=1)
        normals.append(normal / np.linalg.norm(normal, axis=1, keepdims=True))
    mitre = normals[0] + normals[1]
    moved: Array = outline + distance * 2.0 * mitre / (mitre * mitre).sum(axis=1, keepdims=True)
    return moved
