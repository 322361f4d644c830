# SPDX-License-Identifier: GPL-3.0-or-later
"""Which surface vertices lie on: sphere, torus, cylinder, ellipsoid or plane, with its sizes and frame."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._engine import arrays

Array = arrays.Array

LOOKS_LIKE = 0.03
"""A surface fits whose vertices are off it by less than this part of its size."""

FLAT = 1e-4
"""A mesh is flat that is thinner than this part of its width."""

FEWEST = 20
"""A mesh of fewer vertices is no round surface."""

ORDER = ("plane", "sphere", "torus", "cylinder", "ellipsoid")
"""In which surfaces are tried."""

TURNS = (
    np.eye(3),
    np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
    np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
)
"""Axes of a surface in those of its mesh, as columns: z along z, along x and along y."""


class Surface(NamedTuple):
    """kind, sizes: as a surface contact has them, with three sizes. frame: (4, 4) in the mesh's own axes. off: the
    largest distance of a vertex, as a part of the size."""

    kind: str
    sizes: tuple[float, float, float]
    frame: Array
    off: float


def fitted(points: Array, kind: str, towards: Array) -> Surface | None:
    """The surface of a kind, 'AUTO' for any, that points (n, 3) lie on; None where none does.

    A kind that is asked for is taken however far off it is. towards: (3,) where the other surface is; a box offers the
    side that looks there.
    """
    if kind != "AUTO":
        return min(_of_kind(points, kind, towards), key=lambda each: each.off)
    for each in ORDER:
        best = min(_of_kind(points, each, towards), key=lambda found: found.off)
        if best.off < LOOKS_LIKE:
            return best
    return None


def _of_kind(points: Array, kind: str, towards: Array) -> list[Surface]:
    low, high = points.min(axis=0), points.max(axis=0)
    center, half = 0.5 * (low + high), 0.5 * (high - low)
    if kind == "plane":
        return [_plane(points, center, half, towards)]
    found = []
    for turn in TURNS:
        local, h = (points - center) @ turn, half @ turn
        sizes, off = _MEASURE[kind](local, h)
        is_round = len(np.unique(np.round(points / max(half.max(), 1e-30), 4), axis=0)) >= FEWEST
        frame = np.eye(4)
        frame[:3, :3], frame[:3, 3] = turn, center
        found.append(Surface(kind, sizes, frame, off if is_round and h.min() > FLAT * h.max() else np.inf))
    return found


def _sphere(p: Array, h: Array) -> tuple[tuple[float, float, float], float]:
    r = float(h.max())
    return (r, r, r), _off(np.linalg.norm(p, axis=1) - r, r)


def _ellipsoid(p: Array, h: Array) -> tuple[tuple[float, float, float], float]:
    a, b, c = (float(x) for x in h)
    return (a, b, c), _off(np.linalg.norm(p / np.maximum(h, 1e-30), axis=1) - 1.0, 1.0)


def _torus(p: Array, h: Array) -> tuple[tuple[float, float, float], float]:
    rho = np.hypot(p[:, 0], p[:, 1])
    ring, tube = 0.5 * float(rho.max() + rho.min()), float(h[2])
    if rho.min() < FLAT * rho.max() or tube <= 0.0:
        ring = max(float(max(h[0], h[1])) - tube, 1.01 * tube)
        return (ring, tube, tube), np.inf
    is_thick = abs(0.5 * float(rho.max() - rho.min()) - tube) < LOOKS_LIKE * tube  # the rims of a bar are not
    return (ring, tube, tube), _off(np.hypot(rho - ring, p[:, 2]) - tube, tube) if is_thick else np.inf


def _cylinder(p: Array, h: Array) -> tuple[tuple[float, float, float], float]:
    rho = np.hypot(p[:, 0], p[:, 1])
    r = float(rho.max())
    on_caps = np.abs(np.abs(p[:, 2]) - h[2]) < FLAT * max(h[2], r)
    rims = [int((np.abs(rho[p[:, 2] * side > 0.0] - r) < LOOKS_LIKE * r).sum()) for side in (-1.0, 1.0)]
    if min(rims) * 4 < FEWEST:
        return (r, r, r), np.inf
    return (r, r, r), _off(np.where(on_caps, np.minimum(r - rho, 0.0), rho - r), r)


def _off(distance: Array, size: float) -> float:
    return float(np.abs(distance).max()) / size if size > 0.0 else np.inf


_MEASURE = {"sphere": _sphere, "ellipsoid": _ellipsoid, "torus": _torus, "cylinder": _cylinder}


def _plane(points: Array, center: Array, half: Array, towards: Array) -> Surface:
    """The plane of a flat mesh, or of the side of a box that the other surface is nearest to."""
    corners = np.abs(np.abs(points - center) - half) < FLAT * max(half.max(), 1e-30)
    is_flat = half.min() <= FLAT * half.max()
    away = towards - center
    axis = int(np.argmin(half)) if is_flat else int(np.argmax(np.abs(away) - half))
    side = -1.0 if away[axis] < 0.0 else 1.0
    z = side * np.eye(3)[axis]
    x = np.eye(3)[(axis + 1) % 3]
    frame = np.eye(4)
    frame[:3, :3] = np.column_stack([x, np.cross(z, x), z])
    frame[:3, 3] = center + half[axis] * z
    return Surface("plane", (1.0, 1.0, 1.0), frame, 0.0 if is_flat or corners.all() else np.inf)
