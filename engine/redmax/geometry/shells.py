# SPDX-License-Identifier: GPL-3.0-or-later
"""How the closed pieces of a mesh lie to each other: apart, one inside another, or across each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np

from ..arrays import Array, BoolArray, IntArray

# Points of one shell that are tested against another. Shells that cross where none of them falls go unnoticed.
SAMPLES = 32
# Pairs of bounding boxes, or of points and triangles, compared at a time.
_PAIR_BLOCK = 1 << 20


class Relation(Enum):
    """Where shell a lies relative to shell b."""

    INSIDE = "inside"
    ACROSS = "across"
    COINCIDENT = "coincident"


@dataclass(frozen=True, eq=False)
class ShellGeometry:
    """Triangles sorted by shell: shell s owns triangles[offsets[s]:offsets[s + 1]].

    columns: (3, v) coordinates [m], one row per axis. lower, upper: (s, 3) bounding boxes in those axes.
    """

    columns: Array
    triangles: IntArray
    offsets: IntArray
    lower: Array
    upper: Array

    def corners(self, shell: int) -> Array:
        """Corner coordinates (3 axes, 3 corners, t) of one shell."""
        rows = self.triangles[self.offsets[shell] : self.offsets[shell + 1]].T
        result: Array = self.columns[:, rows]
        return result


def shell_geometry(columns: Array, triangles: IntArray, shell_of: IntArray, shell_count: int) -> ShellGeometry:
    """Sort triangles (t, 3) by their shell (t,) and box every shell.

    All coordinates are turned by a fixed rotation without symmetry, so that the axes, and with them the rays of
    the containment test, run along no face of a mesh that was modelled square.
    """
    turned = _GENERIC_ROTATION @ columns
    if (shell_of[1:] < shell_of[:-1]).any():
        order = np.argsort(shell_of, kind="stable")
        triangles, shell_of = triangles[order], shell_of[order]
    offsets = np.searchsorted(shell_of, np.arange(shell_count + 1))
    lower, upper = np.empty((shell_count, 3)), np.empty((shell_count, 3))
    flat = triangles.reshape(-1)
    for axis in range(3):
        x = turned[axis][flat]
        lower[:, axis] = np.minimum.reduceat(x, 3 * offsets[:-1])
        upper[:, axis] = np.maximum.reduceat(x, 3 * offsets[:-1])
    return ShellGeometry(turned, triangles, offsets, lower, upper)


def relations(geometry: ShellGeometry, tolerance: float) -> dict[tuple[int, int], Relation]:
    """Relation of a to b for every ordered pair of shells (a, b) that are not simply apart.

    Points on a that keep more than `tolerance` [m] from b decide: all inside, or some. When all lie on b the two
    coincide. Shells that touch from outside, or whose boxes do, are apart.
    """
    found: dict[tuple[int, int], Relation] = {}
    pairs = list(_overlapping_boxes(geometry.lower, geometry.upper, tolerance))
    ordered = sorted([(b, a) for a, b in pairs] + pairs)
    surface, last = None, -1
    for b, a in ordered:
        if b != last:
            surface, last = _Surface(geometry.corners(b), tolerance), b
        assert surface is not None
        relation = _relation(geometry, a, b, surface, tolerance)
        if relation is not None:
            found[a, b] = relation
    return found


def _relation(geometry: ShellGeometry, a: int, b: int, surface: _Surface, tolerance: float) -> Relation | None:
    """Relation of shell a to shell b, None when apart."""
    x = geometry.corners(a)
    reaches = (x.min(axis=1) <= geometry.upper[b][:, None]) & (x.max(axis=1) >= geometry.lower[b][:, None])
    near = np.flatnonzero(reaches.all(axis=0))
    if len(near) == 0:
        return None
    # Triangles that do not reach into the box of b are not sampled; they are outside for certain.
    beyond = (geometry.lower[a] < geometry.lower[b] - tolerance) | (geometry.upper[a] > geometry.upper[b] + tolerance)
    # Evenly over the triangles that reach into the box of b; low-discrepancy points within each.
    chosen = near[np.linspace(0, len(near) - 1, SAMPLES).round().astype(int)] if len(near) > SAMPLES else near
    points = np.einsum("akp,pk->ap", x[:, :, np.resize(chosen, SAMPLES)], _BARYCENTRIC)
    in_box = ((points >= geometry.lower[b][:, None]) & (points <= geometry.upper[b][:, None])).all(axis=0)
    winding, grazing = surface.winding_numbers(points[:, in_box])
    inside = int((winding[~grazing] != 0).sum())
    outside = int(beyond.any()) + int((~in_box).sum()) + int((winding[~grazing] == 0).sum())
    if inside == 0:
        return None if outside else Relation.COINCIDENT
    return Relation.ACROSS if outside else Relation.INSIDE


class _Surface:
    """One closed shell, ready for rays along the third axis."""

    def __init__(self, corners: Array, tolerance: float) -> None:
        self.corners, self.tolerance = corners, tolerance
        self.lower, self.upper = corners.min(axis=1), corners.max(axis=1)

    def winding_numbers(self, points: Array) -> tuple[IntArray, BoolArray]:
        """How often the shell encloses each of the points (3, p), and which of them, or of their rays, graze the shell.

        Nothing is known about a point that grazes.
        """
        count = points.shape[1]
        winding: IntArray = np.zeros(count, np.int64)
        grazing: BoolArray = np.zeros(count, np.bool_)
        together = max(_PAIR_BLOCK // self.corners.shape[2], 1)
        for part in (slice(k, k + together) for k in range(0, count, together)):
            winding[part], grazing[part] = self._wound(points[:, part])
        return winding, grazing

    def _wound(self, points: Array) -> tuple[IntArray, BoolArray]:
        """The same of a few points: memory is taken for each with each triangle."""
        tol, count = self.tolerance, points.shape[1]
        hit: BoolArray = self.upper[2] >= points[2, :, None] - tol
        for axis in (0, 1):
            hit &= self.lower[axis] <= points[axis, :, None] + tol
            hit &= self.upper[axis] >= points[axis, :, None] - tol
        point, triangle = np.nonzero(hit)
        x = self.corners[:, :, triangle] - points[:, None, point]
        # Twice the projected area of (point, corner k, corner k + 1), and the distance to that side's line.
        following = x[:, _NEXT]
        turn = x[0] * following[1] - x[1] * following[0]
        slack = tol * np.hypot(following[0] - x[0], following[1] - x[1])
        positive, negative = (turn > slack).all(axis=0), (turn < -slack).all(axis=0)
        grazes = ((turn >= -slack).all(axis=0) & ~positive) | ((turn <= slack).all(axis=0) & ~negative)
        grazing: BoolArray = np.zeros(count, np.bool_)
        grazing[point[grazes]] = True
        crossed = positive | negative
        point, x, turn = point[crossed], x[:, :, crossed], turn[:, crossed]
        total = turn.sum(axis=0)
        # Corner k is weighted by the triangle opposite to it.
        height = (turn[_NEXT] * x[2]).sum(axis=0) / total
        normal = np.cross((x[:, 1] - x[:, 0]).T, (x[:, 2] - x[:, 0]).T)
        distance = np.abs(height * total) / np.linalg.norm(normal, axis=1)
        grazing[point[distance <= tol]] = True
        above = height > 0.0
        winding = np.bincount(point[above], weights=np.sign(total[above]), minlength=count)
        return winding.astype(np.int64), grazing


def _overlapping_boxes(lower: Array, upper: Array, tolerance: float) -> Iterator[tuple[int, int]]:
    """Pairs a < b of boxes that share more than `tolerance` along every axis. Sweeps along the widest axis."""
    axis = int(np.argmax(lower.max(axis=0) - lower.min(axis=0)))
    order = np.argsort(lower[:, axis], kind="stable")
    lower, upper = lower[order], upper[order]
    end = np.searchsorted(lower[:, axis], upper[:, axis], side="right")
    count = np.maximum(end - np.arange(len(order)) - 1, 0)
    begin = 0
    while begin < len(order):
        # As many shells as fit a block of pairs, but at least one.
        stop = begin + max(int(np.searchsorted(np.cumsum(count[begin:]), _PAIR_BLOCK, side="right")), 1)
        c = count[begin:stop]
        i = np.repeat(np.arange(begin, stop), c)
        j = i + 1 + np.arange(len(i)) - np.repeat(np.cumsum(c) - c, c)
        shared = np.minimum(upper[i], upper[j]) - np.maximum(lower[i], lower[j])
        keep = (shared > tolerance).all(axis=1)
        for p, q in zip(order[i[keep]].tolist(), order[j[keep]].tolist(), strict=True):
            yield (p, q) if p < q else (q, p)
        begin = stop


def _barycentric(count: int) -> Array:
    """Low-discrepancy points inside the unit triangle, (count, 3) weights (generalised golden ratio, folded)."""
    plastic = 1.32471795724474602596
    k = np.arange(1, count + 1)
    u, v = (0.5 + k / plastic) % 1.0, (0.5 + k / plastic**2) % 1.0
    fold = u + v > 1.0
    u, v = np.where(fold, 1.0 - u, u), np.where(fold, 1.0 - v, v)
    return np.stack((u, v, 1.0 - u - v), axis=1)


def _rotation_without_symmetry() -> Array:
    """A rotation (3, 3) whose axes run along no direction anyone models in."""
    axis = np.array([0.3713906764, 0.7427813527, 0.5570860145])
    K = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]]) / np.linalg.norm(axis)
    angle = 1.1234567
    result: Array = np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K
    return result


_BARYCENTRIC = _barycentric(SAMPLES)
_NEXT: IntArray = np.array([1, 2, 0])
_GENERIC_ROTATION = _rotation_without_symmetry()
