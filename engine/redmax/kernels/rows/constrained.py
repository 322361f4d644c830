# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled forward dynamics with constraint rows: accelerations, multipliers, wrenches."""

from __future__ import annotations

from ..cache.jit import inlined, inner
from ..layout import codes
from ..layout.declaration import Active, Column, Head, RowBodies, RowVectors, RowWork, Vector, Work, World
from ..layout.memory import fixed, further, get, get6, put, put6
from ..layout.views import rows_of
from ..tree.articulated import eliminate, substitute
from ..tree.world_poses import world_poses
from .delassus import apply_multipliers, factorise, in_order, solve_multipliers
from .path_to_root import reach_of_rows
from .row_kinds import evaluate_rows, row_at, row_product, slopes_of
from .weak_rows import NEAR, NEARBY


@inner
def factorise_rows(ints, rows):
    """Factors of the Delassus matrix, after `eliminate`, `world_poses` and `evaluate_rows`."""
    n, m, nr = fixed(ints, Head.BODIES), get(rows.active, Active.ROWS), fixed(ints, Head.DOFS)
    reach_of_rows(n, m, nr, rows, further(rows.vectors, Vector.ARMATURE * nr))
    rank, part = factorise(m, nr, rows.columns, rows.reach, rows.delassus, rows.row_work, rows.row_references)
    put(rows.world, World.RANK, float(rank))
    put(rows.world, World.CLOSENESS, part)
    if part < get(rows.world, World.LEAST_CLOSENESS):
        put(rows.world, World.LEAST_CLOSENESS, part)
    record_strength(m, rank, fixed(ints, Head.DRIVEN), rows.delassus, rows.row_work, rows.world)


@inner
def record_strength(m, rank, driven, A, row_work, world):
    """Update the strengths of weakest rows in `World`, after `factorise`. Near a singular pose the weakest row nearly
    depends on others, and its strength is near 0. driven: how many rows, the first ones, are those of drives, which do
    not count: what moves followers changes with the pose."""
    if driven == m:
        return
    least, weakest = 1.0, 0
    for k in range(rank):
        r = int(get(row_work, k * RowWork.SIZE + RowWork.PIVOT))
        if r < driven:
            continue
        bound = get(row_work, r * RowWork.SIZE + RowWork.BOUND)
        strength = get(A, r * m + r) / bound if bound > 0.0 else 0.0
        if strength < least:
            least, weakest = strength, r
    if rank < m:
        least, weakest = 0.0, driven
        for k in range(rank, m):
            weakest = max(weakest, int(get(row_work, k * RowWork.SIZE + RowWork.PIVOT)))
    if least < get(world, World.LEAST_STRENGTH):
        put(world, World.LEAST_STRENGTH, least)
        put(world, World.WEAKEST_ROW, float(weakest))
    if least > get(world, World.MOST_STRENGTH):
        put(world, World.MOST_STRENGTH, least)


@inner
def keep_references(ints, floats):
    """Renew the references of pivots that are larger than any before, where a step ended (`row_references`)."""
    rows = rows_of(ints, floats)
    m = get(rows.active, Active.ROWS)
    if in_order(int(get(rows.world, World.RANK)), m, rows.row_work):
        for i in range(m):
            pivot = get(rows.delassus, i * m + i)
            if pivot * get(rows.row_references, i) > 1.0:
                put(rows.row_references, i, 1.0 / pivot)


@inner
def find_multipliers(rows):
    """Multipliers that give each row its right side, after `factorise_rows`."""
    rank = int(get(rows.world, World.RANK))
    solve_multipliers(get(rows.active, Active.ROWS), rank, rows.delassus, rows.row_work, rows.multipliers)


@inner
def set_forces(nr, columns, force):
    """Write the forces along the coordinates to where `eliminate` reads them."""
    for k in range(nr):
        put(columns, k * Column.SIZE + Column.TAU, get(force, k))


@inlined
def add_push(k, push, known, force):
    """Add a force along coordinate k to the forces that are known, and to the whole ones."""
    put(known, k, get(known, k) + push)
    put(force, k, get(force, k) + push)


@inner
def load_rows(m, nr, rows):
    """Apply all multipliers as if they were external loads: subtract their wrenches from what the bodies need, and add
    their forces along coordinates to the loads; what drives push with goes to `Vector.DRIVE` instead of the loads."""
    work, load = rows.body_work, further(rows.vectors, Vector.LOAD * nr)
    force, drive = further(rows.vectors, Vector.FORCE * nr), further(rows.vectors, Vector.DRIVE * nr)
    driven = fixed(rows.head, Head.DRIVEN)
    for i in range(m):
        (row, vectors), results = row_at(i, rows), further(rows.row_work, i * RowWork.SIZE)
        x = get(results, RowWork.MULTIPLIER)
        known = drive if i < driven else load
        if fixed(row, RowBodies.KIND) == codes.COORDINATE:
            b = fixed(row, RowBodies.COORDINATE_B)
            add_push(fixed(row, RowBodies.COORDINATE_A), x * get(vectors, RowVectors.FACTOR_A), known, force)
            if b >= 0:
                add_push(b, x * get(vectors, RowVectors.FACTOR_B), known, force)
            continue
        if fixed(row, RowBodies.KIND) == codes.FOLLOWER:
            count, followed, slopes = slopes_of(row, rows)
            add_push(fixed(row, RowBodies.COORDINATE_A), x, known, force)
            for k in range(count):
                add_push(get(followed, k), x * get(slopes, k), known, force)
            continue
        for side in range(2):
            body = further(work, fixed(row, RowBodies.BODY_A + side) * Work.SIZE)
            f, b = get6(results, RowWork.ON_A + 6 * side), get6(body, Work.BIAS)
            put6(
                body, Work.BIAS, b[0] - x * f[0], b[1] - x * f[1], b[2] - x * f[2],
                b[3] - x * f[3], b[4] - x * f[4], b[5] - x * f[5],
            )  # fmt: skip


@inner
def forward_with_rows(ints, rows, arrays, q, qdot, qddot, t, wrenches):
    """qddot under all constraint rows, after `velocities`; else as `core.forward_dynamics`.

    NEARBY if a singular pose is near: qddot is then that without rows, and right sides say what it lacks.
    """
    n, nr, m = fixed(ints, Head.BODIES), fixed(ints, Head.DOFS), get(rows.active, Active.ROWS)
    bodies, links, work, columns, row_work = rows.bodies, rows.links, rows.body_work, rows.columns, rows.row_work
    armature, force = further(rows.vectors, Vector.ARMATURE * nr), further(rows.vectors, Vector.FORCE * nr)
    no = m < 0  # a literal would be a type of its own, and compile everything once more
    set_forces(nr, columns, force)
    stuck = eliminate(n, bodies, links, work, columns, armature, qddot, 0.0, no)
    if stuck >= 0:
        return stuck
    substitute(n, links, work, columns, armature, qddot, force, no)
    world_poses(n, links, work, rows.poses)
    evaluate_rows(0, m, rows, arrays, q, qdot, t)
    for i in range(m):
        acceleration = row_product(i, rows, Work.ACC, qddot)
        acceleration += get(row_work, i * RowWork.SIZE + RowWork.VELOCITY_PRODUCT)
        put(row_work, i * RowWork.SIZE + RowWork.RIGHT_SIDE, -acceleration)
    factorise_rows(ints, rows)
    if get(rows.world, World.CLOSENESS) < NEAR:
        return NEARBY
    find_multipliers(rows)
    if not wrenches and fixed(ints, Head.PRESCRIBED) == 0:
        apply_multipliers(n, m, links, rows.multipliers, columns, armature, rows.reach, no)
        substitute(n, links, work, columns, armature, qddot, force, no)
        return -1
    # wrenches of joints and forces of motors: once more, with the constraints' wrenches as loads
    load_rows(m, nr, rows)
    set_forces(nr, columns, force)
    eliminate(n, bodies, links, work, columns, armature, qddot, 0.0, wrenches)
    substitute(n, links, work, columns, armature, qddot, force, wrenches)
    return -1


@inner
def errors_and_rates(ints, rows, arrays, q, qdot, t, alone):
    """Errors of all rows, redundant ones too, and their rates as right sides, after `velocities`; multipliers stay.
    alone: of the row at the place `World.ONE_ROW` only."""
    row_work, one = rows.row_work, int(get(rows.world, World.ONE_ROW))
    first, last = (one, one + 1) if alone else (0, fixed(ints, Head.ALL_ROWS))
    world_poses(fixed(ints, Head.BODIES), rows.links, rows.body_work, rows.poses)
    evaluate_rows(first, last, rows, arrays, q, qdot, t)
    for i in range(first, last):
        rate = row_product(i, rows, Work.V, qdot) - get(row_work, i * RowWork.SIZE + RowWork.RATE)
        put(row_work, i * RowWork.SIZE + RowWork.RIGHT_SIDE, rate)


@inner
def power_of_rows(m, row_work):
    """Power [W] that the first m rows put in, whose rates are prescribed."""
    power = 0.0
    for i in range(m):
        results = further(row_work, i * RowWork.SIZE)
        power += get(results, RowWork.MULTIPLIER) * get(results, RowWork.RATE)
    return power
