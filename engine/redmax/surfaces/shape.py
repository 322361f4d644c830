# SPDX-License-Identifier: GPL-3.0-or-later
"""The geometry of a surface, as kernels need it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..arrays import Array, IntArray


def _none(*shape: int) -> Array:
    return np.zeros(shape)


@dataclass(frozen=True, eq=False)
class Shape:
    """size: (3,) as `layout.SIZE` says. extent: (3,) half lengths of the box around it. reach: radius of the sphere
    around its origin. center: (3,) that origin in the frame of the element; axes are the element's.

    vertices: (v, 3) [m]. planes: (f, 4) outward unit normal n and d of each face, n . x = d. faces: vertices of each
    face, counter-clockwise. beside: (f, 3, 4) of a mesh's triangles, see `triangle_mesh`. nodes, boxes: tree of boxes
    around a mesh's triangles, (n, 3) and (n, 6). two_sided: a mesh's triangles are touched from behind, too. grid: of a
    heightfield, see `heightfield.packed_grid`.
    """

    size: Array
    extent: Array
    reach: float
    center: Array = field(default_factory=lambda: _none(3))
    vertices: Array = field(default_factory=lambda: _none(0, 3))
    planes: Array = field(default_factory=lambda: _none(0, 4))
    faces: tuple[IntArray, ...] = ()
    beside: Array = field(default_factory=lambda: _none(0, 3, 4))
    nodes: IntArray = field(default_factory=lambda: np.zeros((0, 3), np.int64))
    boxes: Array = field(default_factory=lambda: _none(0, 6))
    two_sided: bool = False
    grid: Array = field(default_factory=lambda: _none(0))
