# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled dynamics with closed loops and other constraints, and the way back onto them."""

from __future__ import annotations

from ..cache.jit import inlined, inner
from ..joints.place import place_all, velocities
from ..layout import offsets as at
from ..layout.memory import fixed, further, get, get6, put, put3, put6
from ..tree.articulated import eliminate, substitute
from .delassus import factorise, push, solve_multipliers
from .path_to_root import reach_of_rows
from .row_kinds import evaluate_rows, moved, world_poses

N_BODIES, N_DOFS, N_ROWS, N_LINES, N_GIVEN = at.N_BODIES, at.N_DOFS, at.N_ROWS, at.N_LINES, at.N_GIVEN
BODIES, LINKS, NUMBERS, KINDS, CHARTS = at.BODIES, at.LINKS, at.NUMBERS, at.KINDS, at.CHARTS
BODY_WORK, COLUMNS, VECTORS = at.BODY_WORK, at.COLUMNS, at.VECTORS
ROWS, ROW_VALUES, ROW_SPACE, POSES, REACH, DELASSUS = (
    at.ROWS,
    at.ROW_VALUES,
    at.ROW_SPACE,
    at.POSES,
    at.REACH,
    at.DELASSUS,
)
WORK, DOF_WORK, ROW_INTS, ROW_NUMBERS, ROW_WORK, POSE = (
    at.WORK,
    at.DOF_WORK,
    at.ROW_INTS,
    at.ROW_NUMBERS,
    at.ROW_WORK,
    at.POSE,
)
BIAS, C, G, V, ACC, TAU = at.BIAS, at.C, at.G, at.V, at.ACC, at.TAU
WORLD, RANK = at.WORLD, at.RANK
ARMATURE, FORCE, RIGHT_SIDE = at.ARMATURE, at.FORCE, at.RIGHT_SIDE
ROW_KIND, BODY_A, POINT, POINT_A = at.ROW_KIND, at.BODY_A, at.POINT, at.POINT_A
ON_A, ON_B, ERROR, PRODUCT, WANTED, MULTIPLIER = at.ON_A, at.ON_B, at.ERROR, at.PRODUCT, at.WANTED, at.MULTIPLIER
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
    n, m, nr = fixed(ints, N_BODIES), fixed(ints, N_ROWS), fixed(ints, N_DOFS)
    columns, space, armature = rows[COLUMNS], rows[ROW_SPACE], further(rows[VECTORS], ARMATURE * nr)
    reach_of_rows(
        n, m, nr, rows[ROWS], rows[ROW_VALUES], space, rows[LINKS], columns, armature, rows[POSES], rows[at.WAYS],
        rows[REACH], rows[at.CARRIED], rows[at.AXES], rows[at.SUMS],
    )  # fmt: skip
    rank = factorise(m, nr, columns, rows[REACH], rows[DELASSUS], space)
    put(rows[WORLD], RANK, float(rank))
    keep_weakest(m, rank, rows[DELASSUS], space, rows[WORLD])


@inner
def keep_weakest(m, rank, A, space, world):
    """Remember how strong the weakest row is, after `factorise`: it nearly depends on others near a singular pose."""
    least, weakest = 1.0, 0
    for k in range(rank):
        r = int(get(space, k * ROW_WORK + at.ORDER))
        part = get(A, r * m + r) / get(space, r * ROW_WORK + at.MOST)
        if part < least:
            least, weakest = part, r
    if rank < m:
        least, weakest = 0.0, int(get(space, rank * ROW_WORK + at.ORDER))
    if least < get(world, at.WEAKEST):
        put(world, at.WEAKEST, least)
        put(world, at.WEAKEST_ROW, float(weakest))
    if least > get(world, at.LEAST_WEAK):
        put(world, at.LEAST_WEAK, least)


@inner
def multipliers(ints, rows):
    """Multipliers that give every row the acceleration, or change of velocity or position, that it wants."""
    rank = int(get(rows[WORLD], RANK))
    solve_multipliers(fixed(ints, N_ROWS), rank, rows[DELASSUS], rows[ROW_SPACE], rows[at.SOLUTION])


@inner
def set_forces(nr, columns, force):
    for k in range(nr):
        put(columns, k * DOF_WORK + TAU, get(force, k))


@inner
def load_bodies(m, lines, space, work):
    """Put what the multipliers do onto the bodies, as if it came from outside."""
    for i in range(m):
        row, kept = further(lines, i * ROW_INTS), further(space, i * ROW_WORK)
        x = get(kept, MULTIPLIER)
        for side in range(2):
            body, f = further(work, fixed(row, BODY_A + side) * WORK), get6(kept, ON_A + 6 * side)
            b = get6(body, BIAS)
            put6(
                body, BIAS, b[0] - x * f[0], b[1] - x * f[1], b[2] - x * f[2],
                b[3] - x * f[3], b[4] - x * f[4], b[5] - x * f[5],
            )  # fmt: skip


@inner
def forward_with_rows(ints, rows, qddot, wrenches):
    """Forward dynamics under all constraints, after `velocities`; as `core.forward_dynamics`."""
    n, nr, m = fixed(ints, N_BODIES), fixed(ints, N_DOFS), fixed(ints, N_ROWS)
    bodies, links, work, columns, space = rows[BODIES], rows[LINKS], rows[BODY_WORK], rows[COLUMNS], rows[ROW_SPACE]
    armature, force = further(rows[VECTORS], ARMATURE * nr), further(rows[VECTORS], FORCE * nr)
    lines, values = rows[ROWS], rows[ROW_VALUES]
    no = m < 0
    set_forces(nr, columns, force)
    stuck = eliminate(n, bodies, links, work, columns, armature, qddot, 0.0, no)
    if stuck >= 0:
        return stuck
    substitute(n, links, work, columns, armature, qddot, force, no)
    world_poses(n, links, work, rows[POSES])
    evaluate_rows(m, lines, values, space, work, rows[POSES])
    for i in range(m):
        acceleration = moved(i, lines, space, work, ACC) + get(space, i * ROW_WORK + PRODUCT)
        put(space, i * ROW_WORK + WANTED, -acceleration)
    factorise_rows(ints, rows)
    multipliers(ints, rows)
    if not wrenches and fixed(ints, N_GIVEN) == 0:
        push(n, m, links, rows[at.SOLUTION], columns, armature, rows[REACH], no)
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
    n, nr, work, columns = fixed(ints, N_BODIES), fixed(ints, N_DOFS), rows[BODY_WORK], rows[COLUMNS]
    for j in range(n):
        body = further(work, j * WORK)
        put6(body, BIAS, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        put6(body, C, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        put3(body, G, 0.0, 0.0, 0.0)
    for k in range(nr):
        put(columns, k * DOF_WORK + TAU, 0.0)
        put(x, k, 0.0)


@inner
def factorise_here(ints, rows, x):
    """All that `least_change` needs, after `at_rest`; -1, or the body at whose joint nothing resists."""
    n, nr = fixed(ints, N_BODIES), fixed(ints, N_DOFS)
    armature, no = further(rows[VECTORS], ARMATURE * nr), n < 0
    stuck = eliminate(n, rows[BODIES], rows[LINKS], rows[BODY_WORK], rows[COLUMNS], armature, x, 0.0, no)
    if stuck < 0:
        factorise_rows(ints, rows)
    return stuck


@inner
def least_change(ints, rows, x):
    """x (nr,) = M^-1 G^T multipliers: the change of least kinetic metric that gives every row what it wants.

    After `at_rest`, and `factorise_here` or so near to where that was that the difference hardly matters.
    """
    n, nr, m = fixed(ints, N_BODIES), fixed(ints, N_DOFS), fixed(ints, N_ROWS)
    links, work, columns = rows[LINKS], rows[BODY_WORK], rows[COLUMNS]
    armature = further(rows[VECTORS], ARMATURE * nr)
    no, yes = m < 0, m > 0
    multipliers(ints, rows)
    push(n, m, links, rows[at.SOLUTION], columns, armature, rows[REACH], yes)
    world = further(work, ACC + 3 - WORK)
    a, b, c = get(world, 0), get(world, 1), get(world, 2)
    put3(world, 0, 0.0, 0.0, 0.0)
    substitute(n, links, work, columns, armature, x, further(rows[VECTORS], FORCE * nr), no)
    put3(world, 0, a, b, c)


@inner
def look(ints, rows):
    """Errors and rates of all lines, after `velocities`; multipliers stay as they are."""
    n, lines, work, space = fixed(ints, N_BODIES), fixed(ints, N_LINES), rows[BODY_WORK], rows[ROW_SPACE]
    world_poses(n, rows[LINKS], work, rows[POSES])
    evaluate_rows(lines, rows[ROWS], rows[ROW_VALUES], space, work, rows[POSES])
    for i in range(lines):
        put(space, i * ROW_WORK + WANTED, moved(i, rows[ROWS], space, work, V))


@inner
def put_there(ints, rows, q, qdot):
    """Bodies and rows at q, qdot."""
    n, work, columns = fixed(ints, N_BODIES), rows[BODY_WORK], rows[COLUMNS]
    place_all(n, rows[BODIES], rows[LINKS], rows[NUMBERS], rows[KINDS], rows[CHARTS], work, columns, q, qdot)
    velocities(n, rows[BODIES], rows[LINKS], work, columns, qdot)
    world_poses(n, rows[LINKS], work, rows[POSES])
    evaluate_rows(fixed(ints, N_ROWS), rows[ROWS], rows[ROW_VALUES], rows[ROW_SPACE], work, rows[POSES])


@inner
def size_of_it(ints, rows):
    """How far the mechanism reaches from the world's origin, and its rows' points from their joints."""
    size, poses, values = 1e-300, rows[POSES], rows[ROW_VALUES]
    for j in range(fixed(ints, N_BODIES)):
        for k in range(9, POSE):
            size = max(size, abs(get(poses, j * POSE + k)))
    for i in range(fixed(ints, N_ROWS)):
        if fixed(rows[ROWS], i * ROW_INTS + ROW_KIND) == POINT:
            for k in range(i * ROW_NUMBERS + POINT_A, (i + 1) * ROW_NUMBERS):
                size = max(size, abs(get(values, k)))
    return size


@inner
def want_closed(ints, rows, size):
    """Lets every row want to lose its error; gives the largest."""
    largest = 0.0
    for i in range(fixed(ints, N_ROWS)):
        largest = max(largest, want_less(i, rows, get(rows[ROW_SPACE], i * ROW_WORK + ERROR), size))
    return largest


@inner
def want_slow(ints, rows, size):
    """Lets every row want to lose its rate; gives the largest."""
    largest = 0.0
    for i in range(fixed(ints, N_ROWS)):
        rate = moved(i, rows[ROWS], rows[ROW_SPACE], rows[BODY_WORK], V)
        largest = max(largest, want_less(i, rows, rate, size))
    return largest


@inlined
def want_less(i, rows, value, size):
    """How much it is, relative to the size if it is that of a point."""
    put(rows[ROW_SPACE], i * ROW_WORK + WANTED, -value)
    return abs(value) / size if fixed(rows[ROWS], i * ROW_INTS + ROW_KIND) == POINT else abs(value)


@inner
def project(ints, rows, q, qdot):
    """Bring positions and then velocities back onto all constraints by the least change.

    Gives how many steps it took, or OPEN. Near the constraints a few steps with what was factorised once are enough.
    """
    nr = fixed(ints, N_DOFS)
    if fixed(ints, N_ROWS) == 0:  # no row is kept, as of a door's second hinge: there is no work space for any
        return 0
    x = further(rows[VECTORS], RIGHT_SIDE * nr)
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
    nr, x = fixed(ints, N_DOFS), further(rows[VECTORS], RIGHT_SIDE * fixed(ints, N_DOFS))
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
