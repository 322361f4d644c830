# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a packed model: as arrays, and for the innermost loops as rows; both share its memory."""

from __future__ import annotations

from numba import carray

from ..cache.jit import inlined, inner
from . import offsets as at
from .memory import address_of, fixed, further, integers_at, numbers_at, part, pointer_to

HEAD, BODY_INTS, PRIMITIVE_INTS, TABLE_INTS = at.HEAD, at.BODY_INTS, at.PRIMITIVE_INTS, at.TABLE_INTS
BODY_NUMBERS, PRIMITIVE_NUMBERS, DOF_NUMBERS = at.BODY_NUMBERS, at.PRIMITIVE_NUMBERS, at.DOF_NUMBERS
WORLD_NUMBERS, VECTOR_ROWS, WORK, DOF_WORK = at.WORLD_NUMBERS, at.VECTOR_ROWS, at.WORK, at.DOF_WORK
N_BODIES, N_PRIMITIVES, N_DOFS, N_TABLES = at.N_BODIES, at.N_PRIMITIVES, at.N_DOFS, at.N_TABLES
N_POOL, N_GIVEN, N_SLOTS, N_ROWS, N_INTS, N_FLOATS = (
    at.N_POOL,
    at.N_GIVEN,
    at.N_SLOTS,
    at.N_ROWS,
    at.N_INTS,
    at.N_FLOATS,
)
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
        part(floats, 0, n * BODY_NUMBERS),
        part(links, 0, n * BODY_INTS),
        part(numbers, 0, m * PRIMITIVE_NUMBERS),
        part(kinds, 0, m * PRIMITIVE_INTS),
        part(dofs, 0, nr * DOF_NUMBERS),
        part(tables, 0, fixed(ints, N_TABLES) * TABLE_INTS),
        part(pool, 0, fixed(ints, N_POOL)),
        part(world, 0, WORLD_NUMBERS),
        part(given, 0, fixed(ints, N_GIVEN)),
        part(charts, 0, fixed(ints, N_SLOTS)),
        part(work, WORK, n * WORK),
        part(columns, 0, nr * DOF_WORK),
        part(vectors, 0, VECTOR_ROWS * nr),
        part(rows, 0, lines * ROW_INTS),
        part(values, 0, lines * ROW_NUMBERS),
        part(space, 0, lines * ROW_WORK),
        part(poses, POSE, n * POSE),
        part(reach, 0, nr * m_rows),
        part(delassus, 0, m_rows * m_rows),
        part(forces, 0, fixed(ints, N_FORCES) * FORCE_INTS),
        part(points, 0, fixed(ints, N_POINTS)),
        part(ways, 0, fixed(ints, N_WAYS)),
        part(carried, 0, 2 * m_rows * WRENCH),
        part(axes, 0, nr * AXIS_NUMBERS if m_rows > 0 else 0),  # without rows there is no work space for any
        part(sums, 0, 2 * n if m_rows > 0 else 0),
        part(solution, 0, m_rows),
    )


@inlined
def line(row, count):
    """The first `count` elements of a row as an array."""
    return carray(pointer_to(row, count), (count,))


@inlined
def table(row, lines, width):
    """The first elements of a row as an array (lines, width)."""
    return carray(pointer_to(row, lines * width), (lines, width))


@inner
def arrays_at(ints, floats):
    """`arrays_of` from where the integers and the numbers begin."""
    n, m, nr, tables = fixed(ints, N_BODIES), fixed(ints, N_PRIMITIVES), fixed(ints, N_DOFS), fixed(ints, N_TABLES)
    rows = rows_of(ints, floats)
    return (
        table(rows[at.BODIES], n, BODY_NUMBERS),
        table(rows[at.LINKS], n, BODY_INTS),
        table(rows[at.NUMBERS], m, PRIMITIVE_NUMBERS),
        table(rows[at.KINDS], m, PRIMITIVE_INTS),
        table(rows[at.DOFS], nr, DOF_NUMBERS),
        table(rows[at.TABLES], tables, TABLE_INTS),
        line(rows[at.POOL], fixed(ints, N_POOL)),
        line(rows[at.WORLD], WORLD_NUMBERS),
        line(rows[at.GIVEN], fixed(ints, N_GIVEN)),
        line(rows[at.CHARTS], fixed(ints, N_SLOTS)),
        table(rows[at.BODY_WORK], n, WORK),
        table(rows[at.COLUMNS], nr, DOF_WORK),
        table(rows[at.VECTORS], VECTOR_ROWS, nr),
    )


@inlined
def numbers_of(array):
    """The numbers of an array, one after another, as a row."""
    return numbers_at(array.ctypes.data, array.size)


@inlined
def address_in(array, count):
    """Address of an array of which `count` numbers are used there."""
    return address_of(numbers_of(array), count)


@inlined
def whole(ints_at, floats_at):
    """Both arrays of a packed model as rows, from their addresses."""
    head = integers_at(ints_at, HEAD)
    return integers_at(ints_at, fixed(head, N_INTS)), numbers_at(floats_at, fixed(head, N_FLOATS))


@inlined
def addresses(ints, floats):
    """Where both arrays of a packed model are."""
    row = integers_at(ints.ctypes.data, ints.size)
    return address_of(row, fixed(row, N_INTS)), address_in(floats, fixed(row, N_FLOATS))


@inlined
def packed_rows(ints, floats):
    """Both arrays of a packed model as rows."""
    ints_at, floats_at = addresses(ints, floats)
    return whole(ints_at, floats_at)


@inner
def arrays_of(ints, floats):
    """The parts of a packed model, in the order of `layout`; they live as long as it does."""
    head, numbers = packed_rows(ints, floats)
    return arrays_at(head, numbers)
