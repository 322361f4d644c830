# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of shapes that can touch, and the function of each.

A new pair is a file here and a line below. Each function has the arguments (ints, numbers, a, b, margin, work, marks,
out, ids): the packed surfaces, two of them of which a has the lower shape, the distance up to which points count, work
space that begins with the pose of b in the frame of a, and room for the points. It writes them in the frame of a, with
normals from b to a, as `manifold.put_contact` does, and returns how many there are, at most `manifold.MOST_OUT`.
"""

from __future__ import annotations

from collections.abc import Callable

from ....surfaces.layout import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HEIGHTFIELD, HULL, MESH, PLANE, SPHERE
from .box_box import box_box
from .convex_convex import convex_convex
from .heightfield import convex_heightfield
from .mesh import convex_mesh
from .plane import plane_convex
from .round_round import round_round, sphere_box

CONVEX = (SPHERE, CAPSULE, BOX, CYLINDER, CONE, ELLIPSOID, HULL)

PAIRS: dict[tuple[int, int], Callable[..., int]] = {
    **{(PLANE, shape): plane_convex for shape in CONVEX},
    **{(first, second): convex_convex for first in CONVEX for second in CONVEX if first <= second},
    **{(shape, MESH): convex_mesh for shape in CONVEX},
    **{(shape, HEIGHTFIELD): convex_heightfield for shape in CONVEX},
    (SPHERE, SPHERE): round_round,
    (SPHERE, CAPSULE): round_round,
    (CAPSULE, CAPSULE): round_round,
    (SPHERE, BOX): sphere_box,
    (BOX, BOX): box_box,
}
