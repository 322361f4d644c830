# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex pieces of a mesh with dents: by the optional wheel coacd, or the loose parts of the mesh without it.

Source: Wei, Liu, Ling and Su, "Approximate Convex Decomposition for 3D Meshes with Collision-Aware Concavity and Tree
Search", SIGGRAPH 2022.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..arrays import Array, IntArray
from ..errors import MissingWheelError
from .hull import FlatPointsError, hull_mesh_of_few
from .mesh import Mesh, MeshError
from .triangulate import triangulate

WHEEL = "coacd"
MOST, CONCAVITY = 16, 0.05
"""Pieces, and how deep a dent may be that is filled, as a part of half the size of the mesh, where nobody says more."""
SHALLOWEST, DEEPEST = 0.01, 1.0
"""Range of concavities that coacd takes."""

SEARCH = {"mcts_iterations": 60, "mcts_nodes": 15, "mcts_max_depth": 2, "resolution": 1000, "seed": 1}
"""How hard it searches: less than its own defaults, a tenth of their time for nearly the same pieces."""
THREADS = "OMP_NUM_THREADS"

_at_a_time = threading.Lock()


def is_here() -> bool:
    """Whether the wheel is installed that finds pieces."""
    try:
        _coacd()
    except MissingWheelError:
        return False
    return True


def decomposed(mesh: Mesh, *, most: int = MOST, concavity: float = CONCAVITY, corners: int = 64) -> list[Array]:
    """Corners (k, 3) of at most `most` convex pieces, of at most so many corners each, which nearly fill a closed mesh;
    the same ones each time. Raises MissingWheelError, or MeshError where there are none.
    """
    points, triangles = mesh.vertices, triangulate(mesh).triangles
    used, triangles = _used(points, triangles)
    if not len(triangles):
        raise MeshError("the mesh has no faces; give it some")
    middle = 0.5 * (used.min(axis=0) + used.max(axis=0))
    size = float(np.ptp(used, axis=0).max())
    if size <= 0.0:
        raise FlatPointsError(0, len(used))
    with _at_a_time, _one_thread():
        coacd = _coacd()
        coacd.set_log_level("off")
        scaled = coacd.Mesh((used - middle) / size, triangles.astype(np.int32))
        threshold = min(max(concavity, SHALLOWEST), DEEPEST)
        found = coacd.run_coacd(
            scaled, threshold=threshold, max_convex_hull=most, decimate=True, max_ch_vertex=corners, **SEARCH
        )
    pieces = [np.asarray(vertices, np.float64) * size + middle for vertices, _ in found]
    return _solid(pieces)


def loose_parts(mesh: Mesh) -> list[Array]:
    """Vertices (k, 3) of the parts of a mesh that no edge connects, in the order of their first vertices; what is flat
    is left out. Raises MeshError where nothing is left."""
    owner = np.arange(len(mesh.vertices))
    corners = mesh.corners
    after = np.append(corners[1:], corners[:1])
    if len(corners):
        ends = mesh.starts[1:][mesh.sizes > 0] - 1
        after[ends] = corners[mesh.starts[:-1][mesh.sizes > 0]]
    while True:  # each vertex takes the least number among its neighbours until nothing changes
        least = owner.copy()
        np.minimum.at(least, corners, owner[after])
        np.minimum.at(least, after, owner[corners])
        least = least[least]
        if np.array_equal(least, owner):
            break
        owner = least
    part = owner[np.unique(corners)]
    groups = [np.unique(corners)[part == first] for first in np.unique(part)]
    return _solid([mesh.vertices[group] for group in groups])


def off(points: Array, pieces: Sequence[Array]) -> float:
    """How far points (n, 3) on the skin of a solid are inside its pieces, or outside of all of them, at most [m]."""
    nearest = np.full(len(points), np.inf)
    for piece in pieces:
        hull = hull_mesh_of_few(piece)
        a, b, c = (hull.vertices[hull.corners.reshape(-1, 3)[:, k]] for k in range(3))
        n = np.cross(b - a, c - a)
        n /= np.linalg.norm(n, axis=1, keepdims=True)
        nearest = np.minimum(nearest, (points @ n.T - np.einsum("ij,ij->i", n, a)).max(axis=1))
    return float(np.abs(nearest).max(initial=0.0))


def _used(points: Array, triangles: IntArray) -> tuple[Array, IntArray]:
    """Vertices that triangles have, and the triangles with their numbers."""
    kept, renumbered = np.unique(triangles, return_inverse=True)
    return points[kept], renumbered.reshape(-1, 3)


def _solid(pieces: Sequence[Array]) -> list[Array]:
    """Corners of the hulls of those pieces that enclose a volume."""
    found = []
    for piece in pieces:
        try:
            found.append(hull_mesh_of_few(piece).vertices)
        except FlatPointsError:
            continue
    if not found:
        raise MeshError("no part of the mesh encloses a volume; give it thickness")
    return found


@contextmanager
def _one_thread() -> Iterator[None]:
    """Its threads would make other pieces each time. The number of threads is read when its library is loaded or first
    used, so that it must be said before."""
    before = os.environ.get(THREADS)
    os.environ[THREADS] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[THREADS]
        else:
            os.environ[THREADS] = before


def _coacd() -> Any:
    try:
        with _one_thread():
            import coacd  # noqa: PLC0415  (an optional wheel, only needed here)
    except (ImportError, OSError):
        raise MissingWheelError("a mesh as convex pieces", WHEEL) from None
    if not hasattr(coacd, "run_coacd"):  # a folder of that name is no wheel
        raise MissingWheelError("a mesh as convex pieces", WHEEL)
    return coacd
