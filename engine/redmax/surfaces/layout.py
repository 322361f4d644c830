# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands where in the two arrays of packed surfaces (`packed.PackedSurfaces`), for packing and for kernels alike.

`ints` begins with the head; each entry of it is a count, or the place at which a table begins in `ints` or `numbers`.
"""

from __future__ import annotations

PLANE, SPHERE, CAPSULE, BOX, CYLINDER, CONE, ELLIPSOID, HULL, MESH, HEIGHTFIELD = range(1, 11)
"""Shapes; the numbers of the kinds in the registry too. Of convex pieces each is a hull by itself."""
SHAPES = 11

SCENERY_SHAPES = (PLANE, MESH, HEIGHTFIELD)
"""Shapes of what no force can move; they do not touch each other."""

# The head of `ints`.
(
    SURFACES,  # number of surfaces
    SURFACE_INTS,  # ints: a record of INTS for each surface
    SURFACE_NUMBERS,  # numbers: a record of NUMBERS for each surface
    EXCLUDED,  # ints: surfaces that do not touch a surface, in lists
    VERTICES,  # numbers: three for each vertex of boxes, hulls and meshes, in the frame of the surface
    PLANES,  # numbers: outward unit normal and offset, n . x = d, of each face
    CORNERS_OF,  # ints: first corner of each face, and one more
    CORNERS,  # ints: vertices of faces, counter-clockwise, counted from the surface's first vertex
    BESIDE,  # numbers: of each edge of a mesh's triangle, how far the next face turns away; see `triangle_mesh`
    NODES,  # ints: a record of NODE_INTS for each node of a mesh's tree of boxes
    BOXES,  # numbers: lower and upper corner of each node's box
    CLASSES,  # number of classes of surfaces with the same pairs, 0 where a scene has no pairs
    PAIR_OF,  # ints: for each class and each class, the row of their pair in PAIRS, or -1
    GRIDS,  # numbers: of each heightfield GRID_HEAD numbers, its heights by rows, and the highest of each block
    PAIRS,  # numbers: PAIR numbers in the order of `materials.Pair`, NaN for what the materials say
) = range(15)
HEAD = 15
PAIR = 6

# Record of a surface in `ints`.
(
    BODY,  # in the model, -1 for the world
    SHAPE,
    GROUP,
    MASK,
    SCENERY,  # 1 where no force can move the body
    CLUSTER,  # bodies that fixed joints hold together have the same number
    FIRST_EXCLUDED,  # in EXCLUDED, ascending
    EXCLUDED_COUNT,
    FIRST_VERTEX,
    VERTEX_COUNT,
    FIRST_FACE,
    FACE_COUNT,
    FIRST_NODE,
    NODE_COUNT,
    TWO_SIDED,
    CLASS,  # see CLASSES
    FIRST_NUMBER,  # of its grid, in GRIDS
) = range(17)
INTS = 17

# Record of a surface in `numbers`.
R_JS, P_JS = 0, 9
"""Frame of the surface in the joint frame of its body (in the world if the body is -1): matrix by rows, origin."""
SIZE = 12
"""Sphere: radius. Capsule, cylinder, cone: radius and half height. Box, ellipsoid: half lengths."""
EXTENT = 15
"""Half lengths of the box around it along its own axes; infinite for a plane."""
REACH = 18
"""Radius of the sphere around it about its own origin; infinite for a plane."""
NUMBERS = 19

BORDER, DENT, RIDGE = -1.0, 0.0, 1.0
"""What an edge of a triangle is: nothing is beside it; the next triangle is in its plane or rises from it; it falls."""

# Record of a node in `ints`: the two below it, or -1 and the first of its faces; how many faces.
LEFT, RIGHT_OR_FIRST, FACES = range(3)
NODE_INTS = 3

# A heightfield in GRIDS begins with these; then come the heights, and the highest corner of each block of cells.
COLUMNS, ROWS, SPACING_X, SPACING_Y, HALF_X, HALF_Y, BOTTOM = range(7)
GRID_HEAD = 7
BLOCK = 16
"""Cells along a side of a block."""
