# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled dynamics with closed loops and other constraints, and the way back onto them."""

from __future__ import annotations

from ..cache.jit import inlined, inner
from ..joints.place import place_all, velocities
from ..layout import codes
from ..layout.declaration import Column, Head, Pose, RowBodies, RowVectors, RowWork, Vector, Work, World
from ..layout.memory import fixed, further, get, get6, put, put3, put6
from ..tree.articulated import eliminate, substitute
from .delassus import factorise, push, solve_multipliers
from .path_to_root import reach_of_rows
from .row_kinds import evaluate_rows, moved, world_poses

CLOSED = 1e-15
"""Errors this small, relative to the mechanism's size, are closed: positions have no more digits."""
ROUNDING = 1e-14
"""Errors this small are not worth a change of coordinates that is `FARTHER` times as large."""
FARTHER = 1e4
"""Joints move by less than so many times the gap, relative to the size, that they close, but near singular poses."""
NEARLY = 1e-10
"""Errors this small may remain where steps no longer make them smaller."""
MUCH = 1e-3
"""Where a step leaves more of the errors than this, what was factorised is too far away."""
SEEN = 1e-11
"""Changes of velocity [rad/s or m/s] by which one that is not quite the least may differ from it, as estimated."""
ITERATIONS = 12
OPEN = -2
"""`project`: the constraints cannot be satisfied near here."""


@inner
def factorise_rows(ints, rows):
    """What is needed to solve for multipliers, after `eliminate` and `world_poses`."""
    n, m, nr = fixed(ints, Head.BODIES), fixed(ints, Head.ROWS), fixed(ints, Head.DOFS)
    columns, space, armature = rows.columns, rows.row_work, further(rows.vectors, Vector.ARMATURE * nr)
    reach_of_rows(
        n, m, nr, rows.row_bodies, rows.row_vectors, space, rows.links, columns, armature, rows.poses, rows.paths,
        rows.reach, rows.path_wrenches, rows.axes, rows.inverse_inertias,
    )  # fmt: skip
    rank = factorise(m, nr, columns, rows.reach, rows.delassus, space)
    put(rows.world, World.RANK, float(rank))
    keep_weakest(m, rank, rows.delassus, space, rows.world)


@inner
def keep_weakest(m, rank, A, space, world):
    """Remember how strong the weakest row is, after `factorise`: it nearly depends on others near a singular pose."""
    least, weakest = 1.0, 0
    for k in range(rank):
        r = int(get(space, k * RowWork.SIZE + RowWork.PIVOT))
        part = get(A, r * m + r) / get(space, r * RowWork.SIZE + RowWork.BOUND)
        if part < least:
            least, weakest = part, r
    if rank < m:
        least, weakest = 0.0, int(get(space, rank * RowWork.SIZE + RowWork.PIVOT))
    if least < get(world, World.LEAST_STRENGTH):
        put(world, World.LEAST_STRENGTH, least)
        put(world, World.WEAKEST_ROW, float(weakest))
    if least > get(world, World.MOST_STRENGTH):
        put(world, World.MOST_STRENGTH, least)


@inner
def multipliers(ints, rows):
    """Multipliers that give every row the acceleration, or change of velocity or position, that it wants."""
    rank = int(get(rows.world, World.RANK))
    solve_multipliers(fixed(ints, Head.ROWS), rank, rows.delassus, rows.row_work, rows.multipliers)


@inner
def set_forces(nr, columns, force):
    for k in range(nr):
        put(columns, k * Column.SIZE + Column.TAU, get(force, k))


@inner
def load_bodies(m, lines, space, work):
    """Put what the multipliers do onto the bodies, as if it came from outside."""
    for i in range(m):
        row, kept = further(lines, i * RowBodies.SIZE), further(space, i * RowWork.SIZE)
        x = get(kept, RowWork.MULTIPLIER)
        for side in range(2):
            body, f = (
                further(work, fixed(row, RowBodies.BODY_A + side) * Work.SIZE),
                get6(kept, RowWork.ON_A + 6 * side),
            )
            b = get6(body, Work.BIAS)
            put6(
                body, Work.BIAS, b[0] - x * f[0], b[1] - x * f[1], b[2] - x * f[2],
                b[3] - x * f[3], b[4] - x * f[4], b[5] - x * f[5],
            )  # fmt: skip


@inner
def forward_with_rows(ints, rows, qddot, wrenches):
    """Forward dynamics under all constraints, after `velocities`; as `core.forward_dynamics`."""
    n, nr, m = fixed(ints, Head.BODIES), fixed(ints, Head.DOFS), fixed(ints, Head.ROWS)
    bodies, links, work, columns, space = rows.bodies, rows.links, rows.body_work, rows.columns, rows.row_work
    armature, force = further(rows.vectors, Vector.ARMATURE * nr), further(rows.vectors, Vector.FORCE * nr)
    lines, values = rows.row_bodies, rows.row_vectors
    no = m < 0
    set_forces(nr, columns, force)
    stuck = eliminate(n, bodies, links, work, columns, armature, qddot, 0.0, no)
    if stuck >= 0:
        return stuck
    substitute(n, links, work, columns, armature, qddot, force, no)
    world_poses(n, links, work, rows.poses)
    evaluate_rows(m, lines, values, space, work, rows.poses)
    for i in range(m):
        acceleration = moved(i, lines, space, work, Work.ACC) + get(space, i * RowWork.SIZE + RowWork.VELOCITY_PRODUCT)
        put(space, i * RowWork.SIZE + RowWork.RIGHT_SIDE, -acceleration)
    factorise_rows(ints, rows)
    multipliers(ints, rows)
    if not wrenches and fixed(ints, Head.PRESCRIBED) == 0:
        push(n, m, links, rows.multipliers, columns, armature, rows.reach, no)
        substitute(n, links, work, columns, armature, qddot, force, no)
        return -1
    # wrenches of joints and forces of motors: once more, with the constraints' wrenches as loads
    set_forces(nr, columns, force)
    load_bodies(m, lines, space, work)
    eliminate(n, bodies, links, work, columns, armature, qddot, 0.0, wrenches)
    substitute(n, links, work, columns, armature, qddot, force, wrenches)
    return -1


@inner
def at_rest(ints, rows, x):
    """As if nothing moved or pushed, for `least_change`; spoils what `place_all` left of velocities. x (nr,) is 0."""
    n, nr, work, columns = fixed(ints, Head.BODIES), fixed(ints, Head.DOFS), rows.body_work, rows.columns
    for j in range(n):
        body = further(work, j * Work.SIZE)
        put6(body, Work.BIAS, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        put6(body, Work.C, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        put3(body, Work.G, 0.0, 0.0, 0.0)
    for k in range(nr):
        put(columns, k * Column.SIZE + Column.TAU, 0.0)
        put(x, k, 0.0)


@inner
def factorise_here(ints, rows, x):
    """All that `least_change` needs, after `at_rest`; -1, or the body at whose joint nothing resists."""
    n, nr = fixed(ints, Head.BODIES), fixed(ints, Head.DOFS)
    armature, no = further(rows.vectors, Vector.ARMATURE * nr), n < 0
    stuck = eliminate(n, rows.bodies, rows.links, rows.body_work, rows.columns, armature, x, 0.0, no)
    if stuck < 0:
        factorise_rows(ints, rows)
    return stuck


@inner
def least_change(ints, rows, x):
    """x (nr,) = M^-1 G^T multipliers: the change of least kinetic metric that gives every row what it wants.

    After `at_rest`, and `factorise_here` or so near to where that was that the difference hardly matters.
    """
    n, nr, m = fixed(ints, Head.BODIES), fixed(ints, Head.DOFS), fixed(ints, Head.ROWS)
    links, work, columns = rows.links, rows.body_work, rows.columns
    armature = further(rows.vectors, Vector.ARMATURE * nr)
    no, yes = m < 0, m > 0
    multipliers(ints, rows)
    push(n, m, links, rows.multipliers, columns, armature, rows.reach, yes)
    world = further(work, Work.ACC + 3 - Work.SIZE)
    a, b, c = get(world, 0), get(world, 1), get(world, 2)
    put3(world, 0, 0.0, 0.0, 0.0)
    substitute(n, links, work, columns, armature, x, further(rows.vectors, Vector.FORCE * nr), no)
    put3(world, 0, a, b, c)


@inner
def look(ints, rows):
    """Errors and rates of all lines, after `velocities`; multipliers stay as they are."""
    n, lines, work, space = fixed(ints, Head.BODIES), fixed(ints, Head.ALL_ROWS), rows.body_work, rows.row_work
    world_poses(n, rows.links, work, rows.poses)
    evaluate_rows(lines, rows.row_bodies, rows.row_vectors, space, work, rows.poses)
    for i in range(lines):
        put(space, i * RowWork.SIZE + RowWork.RIGHT_SIDE, moved(i, rows.row_bodies, space, work, Work.V))


@inner
def put_there(ints, rows, q, qdot):
    """Bodies and rows at q, qdot."""
    n, work, columns = fixed(ints, Head.BODIES), rows.body_work, rows.columns
    place_all(n, rows, q, qdot)
    velocities(n, rows.bodies, rows.links, work, columns, qdot)
    world_poses(n, rows.links, work, rows.poses)
    evaluate_rows(fixed(ints, Head.ROWS), rows.row_bodies, rows.row_vectors, rows.row_work, work, rows.poses)


@inner
def size_of_it(ints, rows):
    """How far the mechanism reaches from the world's origin, and its rows' points from their joints."""
    size, poses, values = 1e-300, rows.poses, rows.row_vectors
    for j in range(fixed(ints, Head.BODIES)):
        for k in range(9, Pose.SIZE):
            size = max(size, abs(get(poses, j * Pose.SIZE + k)))
    for i in range(fixed(ints, Head.ROWS)):
        if fixed(rows.row_bodies, i * RowBodies.SIZE + RowBodies.KIND) == codes.POINT:
            for k in range(i * RowVectors.SIZE + RowVectors.POINT_A, (i + 1) * RowVectors.SIZE):
                size = max(size, abs(get(values, k)))
    return size


@inner
def want_closed(ints, rows, size):
    """Lets every row want to lose its error; gives the largest."""
    largest = 0.0
    for i in range(fixed(ints, Head.ROWS)):
        largest = max(largest, want_less(i, rows, get(rows.row_work, i * RowWork.SIZE + RowWork.ERROR), size))
    return largest


@inner
def want_slow(ints, rows, size):
    """Lets every row want to lose its rate; gives the largest."""
    largest = 0.0
    for i in range(fixed(ints, Head.ROWS)):
        rate = moved(i, rows.row_bodies, rows.row_work, rows.body_work, Work.V)
        largest = max(largest, want_less(i, rows, rate, size))
    return largest


@inlined
def want_less(i, rows, value, size):
    """How much it is, relative to the size if it is that of a point."""
    put(rows.row_work, i * RowWork.SIZE + RowWork.RIGHT_SIDE, -value)
    return (
        abs(value) / size if fixed(rows.row_bodies, i * RowBodies.SIZE + RowBodies.KIND) == codes.POINT else abs(value)
    )


@inner
def project(ints, rows, q, qdot):
    """Bring positions and then velocities back onto all constraints by the least change.

    Gives how many steps it took, or OPEN. Near the constraints a few steps with what was factorised once are enough.
    """
    nr = fixed(ints, Head.DOFS)
    if fixed(ints, Head.ROWS) == 0:  # no row is kept, as of a door's second hinge: there is no work space for any
        return 0
    x = further(rows.vectors, Vector.RIGHT_SIDE * nr)
    put_there(ints, rows, q, qdot)
    size = size_of_it(ints, rows)
    last, steps, since = 0.0, 0, -1.0
    while True:
        largest = want_closed(ints, rows, size)
        small = not largest > CLOSED  # also if it is not a number, which the velocities will show
        if small or (steps > 1 and largest < NEARLY and not largest < 0.25 * last):
            break
        if steps == ITERATIONS:
            return OPEN
        at_rest(ints, rows, x)
        if steps == 0 or largest > MUCH * last:
            if factorise_here(ints, rows, x) >= 0:
                return OPEN
            since = 0.0
        least_change(ints, rows, x)
        most = largest_of(nr, x)
        if largest < ROUNDING and most > FARTHER * largest:
            break
        add(nr, q, x)
        since += most
        last = largest
        steps += 1
        put_there(ints, rows, q, qdot)
    return steps if slowed(ints, rows, q, qdot, size, since) else OPEN


@inner
def slowed(ints, rows, q, qdot, size, since):
    """Take from qdot what opens the rows, after `put_there`; False if that cannot be.

    since: how far joints have moved from where rows were factorised last; negative if they nowhere were. Rows have
    turned by as much since, relative to what they move of the joints. Near a singular pose that is little: a row that
    moves nothing there has a direction of its own everywhere around.
    """
    nr, x = fixed(ints, Head.DOFS), further(rows.vectors, Vector.RIGHT_SIDE * fixed(ints, Head.DOFS))
    last = 0.0
    for step in range(ITERATIONS):
        largest = want_slow(ints, rows, size)
        too_far = since < 0.0 or (step > 0 and largest > MUCH * last)
        while True:
            at_rest(ints, rows, x)
            if too_far:
                if factorise_here(ints, rows, x) >= 0:
                    return False
                since = 0.0
            least_change(ints, rows, x)
            most = largest_of(nr, x)
            too_far = since * most * most > SEEN * largest
            if not too_far:
                break
        add(nr, qdot, x)
        if not since * most > CLOSED:
            return True
        last = largest
        put_there(ints, rows, q, qdot)
    return True


@inner
def add(nr, q, x):
    for k in range(nr):
        put(q, k, get(q, k) + get(x, k))


@inner
def largest_of(nr, x):
    most = 0.0
    for k in range(nr):
        most = max(most, abs(get(x, k)))
    return most
