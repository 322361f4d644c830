# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a packed model: as arrays, and for the innermost loops as rows; both share its memory."""

from __future__ import annotations

from numba import carray

from . import layout as at
from .jit import inlined, inner
from .memory import fixed, further, integers_at, numbers_at

HEAD, BODY_INTS, PRIMITIVE_INTS, TABLE_INTS = at.HEAD, at.BODY_INTS, at.PRIMITIVE_INTS, at.TABLE_INTS
BODY_NUMBERS, PRIMITIVE_NUMBERS, DOF_NUMBERS = at.BODY_NUMBERS, at.PRIMITIVE_NUMBERS, at.DOF_NUMBERS
WORLD_NUMBERS, VECTOR_ROWS, WORK, DOF_WORK = at.WORLD_NUMBERS, at.VECTOR_ROWS, at.WORK, at.DOF_WORK
N_BODIES, N_PRIMITIVES, N_DOFS, N_TABLES = at.N_BODIES, at.N_PRIMITIVES, at.N_DOFS, at.N_TABLES
N_POOL, N_GIVEN, N_SLOTS, N_ROWS = at.N_POOL, at.N_GIVEN, at.N_SLOTS, at.N_ROWS
ROW_INTS, ROW_NUMBERS, ROW_WORK, POSE = at.ROW_INTS, at.ROW_NUMBERS, at.ROW_WORK, at.POSE
N_FORCES, N_POINTS, N_LINES, N_WAYS, FORCE_INTS = at.N_FORCES, at.N_POINTS, at.N_LINES, at.N_WAYS, at.FORCE_INTS
AXIS_NUMBERS, WRENCH = at.AXIS_NUMBERS, at.WRENCH


@inlined
def rows_of(ints, floats):
    """Where the parts begin, in the order of `layout`, from where the integers and the numbers begin."""
    n, m, nr = fixed(ints, N_BODIES), fixed(ints, N_PRIMITIVES), fixed(ints, N_DOFS)
    links = further(ints, HEAD)
    kinds = further(links, n * BODY_INTS)
    tables = further(kinds, m * PRIMITIVE_INTS)
    given = further(tables, fixed(ints, N_TABLES) * TABLE_INTS)
    rows = further(given, fixed(ints, N_GIVEN))
    m_rows, lines = fixed(ints, N_ROWS), fixed(ints, N_LINES)
    ways = further(rows, lines * ROW_INTS)
    forces = further(ways, fixed(ints, N_WAYS))
    points = further(forces, fixed(ints, N_FORCES) * FORCE_INTS)
    charts = further(points, fixed(ints, N_POINTS))
    numbers = further(floats, n * BODY_NUMBERS)
    dofs = further(numbers, m * PRIMITIVE_NUMBERS)
    pool = further(dofs, nr * DOF_NUMBERS)
    world = further(pool, fixed(ints, N_POOL))
    vectors = further(world, WORLD_NUMBERS)
    work = further(vectors, VECTOR_ROWS * nr + WORK)  # after the world's own row
    columns = further(work, n * WORK)
    poses = further(columns, nr * DOF_WORK + POSE)  # after the world's own
    values = further(poses, n * POSE)
    space = further(values, lines * ROW_NUMBERS)
    reach = further(space, lines * ROW_WORK)
    delassus = further(reach, nr * m_rows)
    carried = further(delassus, m_rows * m_rows)
    axes = further(carried, 2 * m_rows * WRENCH)
    sums = further(axes, nr * AXIS_NUMBERS)
    solution = further(sums, 2 * n)
    return (
        floats, links, numbers, kinds, dofs, tables, pool, world, given, charts, work, columns, vectors,
        rows, values, space, poses, reach, delassus, forces, points, ways, carried, axes, sums, solution,
    )  # fmt: skip


@inner
def arrays_at(ints, floats):
    """`arrays_of` from where the integers and the numbers begin."""
    n, m, nr, tables = fixed(ints, N_BODIES), fixed(ints, N_PRIMITIVES), fixed(ints, N_DOFS), fixed(ints, N_TABLES)
    rows = rows_of(ints, floats)
    return (
        carray(rows[at.BODIES], (n, BODY_NUMBERS)),
        carray(rows[at.LINKS], (n, BODY_INTS)),
        carray(rows[at.NUMBERS], (m, PRIMITIVE_NUMBERS)),
        carray(rows[at.KINDS], (m, PRIMITIVE_INTS)),
        carray(rows[at.DOFS], (nr, DOF_NUMBERS)),
        carray(rows[at.TABLES], (tables, TABLE_INTS)),
        carray(rows[at.POOL], (fixed(ints, N_POOL),)),
        carray(rows[at.WORLD], (WORLD_NUMBERS,)),
        carray(rows[at.GIVEN], (fixed(ints, N_GIVEN),)),
        carray(rows[at.CHARTS], (fixed(ints, N_SLOTS),)),
        carray(rows[at.BODY_WORK], (n, WORK)),
        carray(rows[at.COLUMNS], (nr, DOF_WORK)),
        carray(rows[at.VECTORS], (VECTOR_ROWS, nr)),
    )


@inner
def arrays_of(ints, floats):
    """The parts of a packed model, in the order of `layout`; they live as long as it does."""
    return arrays_at(integers_at(ints.ctypes.data), numbers_at(floats.ctypes.data))
