# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled stops at one instant: which one-sided rows are met, push, and let go.

Rows that touch and are approached give an impact (`solvers.impacts`), then rows that touch and rest push as far as
something presses on them (`solvers.box_rows`). What pushes holds until a step finds that it would have to pull
(`meetings`). A row on one coordinate holds by an infinite armature of that coordinate, which costs nothing; any other
row joins the equations.
"""

from __future__ import annotations

import math

from ...joints.friction import BearingKind
from ...solvers import box_rows, impacts
from .. import tasks
from ..bearings.modes import RESTS, STICKS
from ..cache.jit import callback, inlined, inner
from ..cache.same_text import compiled_text
from ..core import SIGNATURE, call
from ..joints.drives import put_led
from ..joints.place import place_all, place_planar, velocities
from ..layout import codes
from ..layout.declaration import (
    Active,
    Bearing,
    BearingWork,
    Body,
    Head,
    RowBodies,
    RowVectors,
    RowWork,
    StopInts,
    StopWork,
    Vector,
    Work,
    World,
)
from ..layout.memory import fixed, further, get, get3, get6, numbers_at, put
from ..layout.views import arrays_of, rows_of, whole
from ..rows.constrained import set_forces
from ..rows.delassus import IMMOBILE_ROW, product_of_reach
from ..rows.path_to_root import reach_of_rows
from ..rows.projection import add, clear_motion, mechanism_size, move_by_multipliers, project
from ..rows.row_kinds import evaluate_rows, row_at, row_product, row_terms
from ..spatial import cross
from ..tree.articulated import eliminate, substitute
from ..tree.world_poses import world_poses

TOUCHING = 1e-11
"""One-sided rows that have less room than this [rad, 1, or parts of the mechanism's size] touch. What holds is put to
where the room is zero, so that energies are off by this times the forces at every stop."""
NO_SPEED = 1e-12
"""Speeds below this part of the largest one, and of 1 [rad/s, or sizes per second], are rounding."""
RESTING = 1e-4
"""Rows that touch and part more slowly than this [as above] rest if something presses on them: where one stop throws
another off, and the other way round, there would be no end of ever smaller impacts."""
NO_PUSH = 1e-10
"""A push below this part of the forces that it is the difference of is rounding."""
SOLVED, BLOCKED = range(2)
"""Results of `resolve`: BLOCKED where rows contradict each other, and something still approaches."""

SOCKET = int(BearingKind.SOCKET)

impact = compiled_text(impacts.resolve)
solve_box = compiled_text(box_rows.solve)


@inlined
def scale_of(row, size):
    """What the error of a row is measured by."""
    return size if fixed(row, RowBodies.METRES) else 1.0


@inlined
def resting_speed(rattles):
    """Rows that part more slowly rest if something presses them back. rattles: `World.RATTLES`."""
    return RESTING * min(2.0 ** (rattles / impacts.SETTLING), impacts.MOST_SETTLED)


@inlined
def own_coordinate(row):
    """The coordinate that a row can hold by itself, -1 for a row that cannot."""
    alone = fixed(row, RowBodies.KIND) == codes.COORDINATE and fixed(row, RowBodies.COORDINATE_B) < 0
    return fixed(row, RowBodies.COORDINATE_A) if alone else -1


@inner
def stands_by_friction(ints, rows, row):
    """Whether friction in a bearing holds what a one-sided row would stop."""
    k = own_coordinate(row)
    for i in range(fixed(ints, Head.BEARINGS)):
        bearing, mode = further(rows.bearings, i * Bearing.SIZE), get(rows.bearing_work, i * BearingWork.SIZE)
        if mode in (STICKS, RESTS):
            body = fixed(bearing, Bearing.BODY)
            carries = body in (fixed(row, RowBodies.BODY_A), fixed(row, RowBodies.BODY_B))
            if fixed(bearing, Bearing.FIRST) == k or (k < 0 and carries and fixed(bearing, Bearing.KIND) == SOCKET):
                return True
    return False


@inner
def let_all_go(ints, rows):
    """No one-sided row holds."""
    armature = further(rows.vectors, Vector.ARMATURE * fixed(ints, Head.DOFS))
    for k in range(fixed(ints, Head.DOFS)):
        put(armature, k, 0.0)
    for r in range(fixed(ints, Head.EQUATIONS), fixed(ints, Head.ROWS)):
        put(rows.order, r, r)
    put(rows.active, Active.ROWS, fixed(ints, Head.EQUATIONS))
    put(rows.active, Active.LOCKS, 0)
    put(rows.active, Active.PATHS_KNOWN, 0)


@inner
def choose(ints, rows, chosen):
    """Solve for the equations and the one-sided rows r with chosen[r] != 0, which come to the first places. Gives
    their number."""
    m, last = fixed(ints, Head.EQUATIONS), fixed(ints, Head.ROWS)
    for r in range(m, last):
        if chosen[r] != 0:
            put(rows.order, m, r)
            m += 1
    put(rows.active, Active.ROWS, m)
    put(rows.active, Active.PATHS_KNOWN, 0)
    for r in range(fixed(ints, Head.EQUATIONS), last):
        if chosen[r] == 0:
            put(rows.order, m, r)
            m += 1
    return get(rows.active, Active.ROWS)


@inner
def place_rows(ints, rows, arrays, m, q, qdot, t):
    """Place the bodies at q, qdot and evaluate the rows at the first m places."""
    n = fixed(ints, Head.BODIES)
    if fixed(ints, Head.IS_PLANAR):
        place_planar(n, rows, q, qdot)
    else:
        place_all(n, rows, q, qdot)
    velocities(n, rows.bodies, rows.links, rows.body_work, rows.columns, qdot)
    world_poses(n, rows.links, rows.body_work, rows.poses)
    evaluate_rows(0, m, rows, arrays, q, qdot, t)


@inner
def kinetic_energy(ints, rows):
    """Of all bodies [J], after `place_rows`."""
    total = 0.0
    for j in range(fixed(ints, Head.BODIES)):
        body = further(rows.bodies, j * Body.SIZE)
        w0, w1, w2, v0, v1, v2 = get6(further(rows.body_work, j * Work.SIZE), Work.V)
        m, (h0, h1, h2) = get(body, Body.MASS), get3(body, Body.MOMENT)
        xx, xy, xz, yy, yz, zz = get6(body, Body.INERTIA)
        c0, c1, c2 = cross(w0, w1, w2, h0, h1, h2)
        turn = w0 * (xx * w0 + xy * w1 + xz * w2) + w1 * (xy * w0 + yy * w1 + yz * w2)
        turn += w2 * (xz * w0 + yz * w1 + zz * w2)
        total += 0.5 * (turn + m * (v0 * v0 + v1 * v1 + v2 * v2)) + (v0 * c0 + v1 * c1 + v2 * c2)
    return total


@inner
def put_delassus(ints, rows, arrays, m):
    """Write the whole Delassus matrix of the first m rows to `stop_matrices`, after `eliminate` and `world_poses`."""
    n, nr, A = fixed(ints, Head.BODIES), fixed(ints, Head.DOFS), arrays.stop_matrices[0]
    reach_of_rows(n, m, nr, rows, further(rows.vectors, Vector.ARMATURE * nr))
    product_of_reach(m, nr, rows.columns, rows.reach, rows.delassus)
    for i in range(m):
        for j in range(i, m):
            A[i, j] = A[j, i] = get(rows.delassus, i * m + j)
        if A[i, i] <= IMMOBILE_ROW * get(rows.row_work, i * RowWork.SIZE + RowWork.BOUND):
            A[i, i] = 0.0


@inner
def collide(ints, rows, arrays, m, size, q, qdot, t):
    """Impacts of the rows at the first m places, all of which touch: qdot changes. Gives the result of `impacts`, and
    whether `stop_matrices` has their Delassus matrix."""
    e, nr = fixed(ints, Head.EQUATIONS), fixed(ints, Head.DOFS)
    work, kind, u = arrays.stop_work, arrays.stop_ints[StopInts.KIND], arrays.stop_work[StopWork.SPEED]
    fastest = 0.0
    for i in range(m):
        row, vectors = row_at(i, rows)
        u[i] = row_product(i, rows, Work.V, qdot) - get(rows.row_work, i * RowWork.SIZE + RowWork.RATE)
        put(rows.row_work, i * RowWork.SIZE + RowWork.RIGHT_SIDE, u[i])
        fastest = max(fastest, abs(u[i]) / scale_of(row, size))
    tiny, approached = NO_SPEED * (1.0 + fastest), False
    for i in range(m):
        row, vectors = row_at(i, rows)
        scale = scale_of(row, size)
        kind[i] = impacts.EQUATION if i < e else impacts.ONE_SIDED
        bounces = get(rows.world, World.RATTLES) == 0.0
        work[StopWork.RESTITUTION, i] = get(vectors, RowVectors.RESTITUTION) if bounces else 0.0
        work[StopWork.SLOW, i], work[StopWork.TINY, i] = impacts.SLOWEST_BOUNCE * scale, tiny * scale
        approached = approached or (i >= e and u[i] < -tiny * scale)
    if not approached:
        return box_rows.SOLVED, False
    x, no = further(rows.vectors, Vector.RIGHT_SIDE * nr), m < 0
    armature = further(rows.vectors, Vector.ARMATURE * nr)
    clear_motion(ints, rows, x)
    n = fixed(ints, Head.BODIES)
    if eliminate(n, rows.bodies, rows.links, rows.body_work, rows.columns, armature, x, 0.0, no) >= 0:
        return box_rows.SOLVED, False  # nothing resists: forward dynamics names it
    put_delassus(ints, rows, arrays, m)
    code = impact(
        m, arrays.stop_matrices[0], u, work[StopWork.RESTITUTION], work[StopWork.SLOW], work[StopWork.TINY], kind,
        impacts.MOST_ROUNDS, work[StopWork.X], arrays.stop_ints[StopInts.STATE], arrays.stop_matrices[1],
        work[StopWork.SOLVER : StopWork.SOLVER + box_rows.WORK], arrays.stop_ints[StopInts.ORDER],
        work[StopWork.SPEEDS : StopWork.SPEEDS + impacts.WORK],
    )  # fmt: skip
    lost = 0.0
    for i in range(m):
        if kind[i] == impacts.BLOCKED:
            put(rows.world, World.BLOCKED_ROW, float(get(rows.order, i)))
        put(rows.multipliers, i, work[StopWork.X, i])
        before = get(rows.row_work, i * RowWork.SIZE + RowWork.RIGHT_SIDE)
        lost -= 0.5 * work[StopWork.X, i] * (before + u[i])
    put(rows.world, World.IMPACT_LOSS, get(rows.world, World.IMPACT_LOSS) + lost)
    move_by_multipliers(ints, rows, x)
    add(nr, qdot, x)
    place_rows(ints, rows, arrays, m, q, qdot, t)
    return code, True


@inner
def find_pushes(ints, rows, arrays, m, qddot, has_matrix):
    """Multipliers of the rows at the first m places, which rest, into `StopWork.X`: one-sided ones push or are zero.
    After loads. has_matrix: whether their Delassus matrix is known. False where nothing resists a joint."""
    n, nr, e, no = fixed(ints, Head.BODIES), fixed(ints, Head.DOFS), fixed(ints, Head.EQUATIONS), m < 0
    work, solver = arrays.stop_work, arrays.stop_work[StopWork.SOLVER : StopWork.SOLVER + box_rows.WORK]
    armature, force = further(rows.vectors, Vector.ARMATURE * nr), further(rows.vectors, Vector.FORCE * nr)
    if fixed(ints, Head.BEARINGS) > 0:
        rubbing = further(rows.vectors, Vector.RUBBING * nr)
        for k in range(nr):
            put(force, k, get(force, k) + get(rubbing, k))
    set_forces(nr, rows.columns, force)
    if eliminate(n, rows.bodies, rows.links, rows.body_work, rows.columns, armature, qddot, 0.0, no) >= 0:
        return False
    substitute(n, rows.links, rows.body_work, rows.columns, armature, qddot, force, no)
    if not has_matrix:
        put_delassus(ints, rows, arrays, m)
    lo, hi, b = work[StopWork.SPEEDS], work[StopWork.SPEEDS + 1], work[StopWork.SPEEDS + 2]
    largest, A = 0.0, arrays.stop_matrices[0]
    for i in range(m):
        acceleration = row_product(i, rows, Work.ACC, qddot)
        velocity_product = get(rows.row_work, i * RowWork.SIZE + RowWork.VELOCITY_PRODUCT)
        b[i] = -acceleration - velocity_product
        if A[i, i] > 0.0:
            terms = row_terms(i, rows, Work.ACC, qddot) + abs(velocity_product)
            largest = max(largest, terms / math.sqrt(A[i, i]))
        lo[i], hi[i] = -math.inf if i < e else 0.0, math.inf
        work[StopWork.X, i], arrays.stop_ints[StopInts.STATE, i] = 0.0, box_rows.FREE
    put(rows.world, World.PUSH_SIZE, largest)
    solve_box(
        m, A, b, lo, hi, work[StopWork.X], arrays.stop_ints[StopInts.STATE],
        arrays.stop_matrices[1], solver, arrays.stop_ints[StopInts.ORDER],
    )  # fmt: skip
    return True


@inner
def choose_pushing(ints, rows, arrays, m, size):
    """Choose the rows among the first m places that push, by `StopWork.X`, and those that have been passed a little."""
    e, x, held = fixed(ints, Head.EQUATIONS), arrays.stop_work[StopWork.X], arrays.stop_ints[StopInts.HELD]
    A, b, largest = arrays.stop_matrices[0], arrays.stop_work[StopWork.SPEEDS + 2], 0.0
    for i in range(m):
        if A[i, i] > 0.0:
            largest = max(largest, abs(b[i]) / math.sqrt(A[i, i]))
    for i in range(e, m):
        row, _ = row_at(i, rows)
        is_passed = get(rows.row_work, i * RowWork.SIZE + RowWork.ERROR) < -0.25 * TOUCHING * scale_of(row, size)
        pushes = x[i] > 0.0 and x[i] * math.sqrt(A[i, i]) > NO_PUSH * largest
        independent = arrays.stop_ints[StopInts.STATE, i] == box_rows.FREE
        held[get(rows.order, i)] = 1 if pushes or (is_passed and independent) else 0
    return choose(ints, rows, held)


@inner
def come_to_rest(ints, rows, arrays, m, size, q, qdot, t):
    """Take from qdot what the rows at the first m places still move by, after `place_rows`. What is rounding is left to
    `hold`."""
    nr, n, no = fixed(ints, Head.DOFS), fixed(ints, Head.BODIES), m < 0
    work, x = arrays.stop_work, further(rows.vectors, Vector.RIGHT_SIDE * nr)
    lo, hi, u = work[StopWork.SPEEDS], work[StopWork.SPEEDS + 1], work[StopWork.SPEED]
    armature, moves = further(rows.vectors, Vector.ARMATURE * nr), False
    evaluate_rows(0, m, rows, arrays, q, qdot, t)
    for i in range(m):
        u[i] = get(rows.row_work, i * RowWork.SIZE + RowWork.RATE) - row_product(i, rows, Work.V, qdot)
        lo[i], hi[i] = -math.inf, math.inf
        moves = moves or abs(u[i]) > NO_SPEED * scale_of(row_at(i, rows)[0], size)
        work[StopWork.X, i], arrays.stop_ints[StopInts.STATE, i] = 0.0, box_rows.FREE
    if not moves:
        return
    clear_motion(ints, rows, x)
    if eliminate(n, rows.bodies, rows.links, rows.body_work, rows.columns, armature, x, 0.0, no) >= 0:
        return
    put_delassus(ints, rows, arrays, m)
    solve_box(
        m, arrays.stop_matrices[0], u, lo, hi, work[StopWork.X], arrays.stop_ints[StopInts.STATE],
        arrays.stop_matrices[1], work[StopWork.SOLVER : StopWork.SOLVER + box_rows.WORK],
        arrays.stop_ints[StopInts.ORDER],
    )  # fmt: skip
    lost = 0.0
    for i in range(m):
        put(rows.multipliers, i, work[StopWork.X, i])
        lost += 0.5 * work[StopWork.X, i] * u[i]
    put(rows.world, World.IMPACT_LOSS, get(rows.world, World.IMPACT_LOSS) + lost)
    move_by_multipliers(ints, rows, x)
    add(nr, qdot, x)
    place_rows(ints, rows, arrays, m, q, qdot, t)


@inner
def hold(ints, rows, arrays, q, qdot):
    """Have all rows hold from now on that are chosen: coordinates of their own are locked, other rows are solved for.
    Gives the number of those."""
    e, nr, locks = fixed(ints, Head.EQUATIONS), fixed(ints, Head.DOFS), 0
    held, solved = arrays.stop_ints[StopInts.HELD], arrays.stop_ints[StopInts.KIND]
    armature = further(rows.vectors, Vector.ARMATURE * nr)
    for r in range(e, fixed(ints, Head.ROWS)):
        row, vectors = further(rows.row_bodies, r * RowBodies.SIZE), further(rows.row_vectors, r * RowVectors.SIZE)
        k = own_coordinate(row)
        solved[r] = 1 if held[r] != 0 and k < 0 else 0
        if held[r] != 0 and k >= 0:
            put(armature, k, math.inf)
            put(q, k, get(vectors, RowVectors.OFFSET) / get(vectors, RowVectors.FACTOR_A))
            put(qdot, k, 0.0)
            locks += 1
    put(rows.active, Active.LOCKS, locks)
    return choose(ints, rows, solved)


@inner
def put_impact_work(ints, rows, energy, collided):
    """What motors that move on did in impacts [J], after `place_rows`. energy: kinetic energy before. collided: whether
    rows met, which may lose nothing."""
    if collided or get(rows.world, World.IMPACT_LOSS) != 0.0:
        work = kinetic_energy(ints, rows) - energy + get(rows.world, World.IMPACT_LOSS)
        put(rows.world, World.IMPACT_WORK, work)


@callback(SIGNATURE)
def resolve(ints_at, floats_at, q_at, qdot_at, qddot_at, t, compute_at):
    """Impacts, and which rows hold from now on, at (q, qdot) and time t; both change. Gives SOLVED or BLOCKED.

    compute_at: address of `core.compute`. `World.IMPACT_LOSS` gets the energy lost [J], and
    `World.IMPACT_WORK` what motors put in.
    """
    ints, floats = whole(ints_at, floats_at)
    nr, rows = fixed(ints, Head.DOFS), rows_of(ints, floats)
    result = settle(ints_at, floats_at, q_at, qdot_at, qddot_at, t, compute_at)
    put_led(ints, rows, numbers_at(q_at, nr), 1.0)
    put_led(ints, rows, numbers_at(qdot_at, nr), 0.0)
    return result


@inner
def settle(ints_at, floats_at, q_at, qdot_at, qddot_at, t, compute_at):
    """`resolve`, but for inputs of drives that have no inertia."""
    ints, floats = whole(ints_at, floats_at)
    nr, e, last = fixed(ints, Head.DOFS), fixed(ints, Head.EQUATIONS), fixed(ints, Head.ROWS)
    q, qdot, qddot = numbers_at(q_at, nr), numbers_at(qdot_at, nr), numbers_at(qddot_at, nr)
    rows = rows_of(ints, floats)
    arrays, chosen = arrays_of(ints, rows), arrays_of(ints, rows).stop_ints[StopInts.KIND]
    put(rows.world, World.IMPACT_LOSS, 0.0)
    put(rows.world, World.IMPACT_WORK, 0.0)
    let_all_go(ints, rows)
    place_rows(ints, rows, arrays, last, q, qdot, t)
    size = mechanism_size(ints, rows)
    put(rows.world, World.EXTENT, size)
    for r in range(e, last):
        row = further(rows.row_bodies, r * RowBodies.SIZE)
        gap = get(rows.row_work, r * RowWork.SIZE + RowWork.ERROR)
        chosen[r] = 1 if gap <= TOUCHING * scale_of(row, size) else 0
    m = choose(ints, rows, chosen)
    if m == e:
        for r in range(e, last):
            arrays.stop_ints[StopInts.HELD, r] = 0
        return SOLVED
    evaluate_rows(e, m, rows, arrays, q, qdot, t)
    energy = kinetic_energy(ints, rows)
    code, has_matrix = collide(ints, rows, arrays, m, size, q, qdot, t)
    put_led(ints, rows, qdot, 0.0)
    for r in range(e, last):
        chosen[r] = 0
    kept, resting, slow = arrays.stop_ints[StopInts.ORDER], e, resting_speed(get(rows.world, World.RATTLES))
    for i in range(m):
        kept[i] = i
    for i in range(e, m):
        speed = row_product(i, rows, Work.V, qdot) - get(rows.row_work, i * RowWork.SIZE + RowWork.RATE)
        row = row_at(i, rows)[0]
        if speed <= slow * scale_of(row, size) and not stands_by_friction(ints, rows, row):
            chosen[get(rows.order, i)], kept[resting] = 1, i
            resting += 1
    m = choose(ints, rows, chosen)
    A = arrays.stop_matrices[0]
    for i in range(m):  # of the rows that are left, which are in their order still
        for j in range(m):
            A[i, j] = A[kept[i], kept[j]]
    for r in range(e, last):
        arrays.stop_ints[StopInts.HELD, r] = 0
    if m == e:
        put_impact_work(ints, rows, energy, has_matrix)
        return BLOCKED if code == box_rows.CONTRADICTED else SOLVED
    call(compute_at, ints_at, floats_at, q_at, qdot_at, qddot_at, t, tasks.LOADS)
    evaluate_rows(0, m, rows, arrays, q, qdot, t)
    if find_pushes(ints, rows, arrays, m, qddot, has_matrix):
        m = choose_pushing(ints, rows, arrays, m, size)
        come_to_rest(ints, rows, arrays, m, size, q, qdot, t)
        put_impact_work(ints, rows, energy, has_matrix)
        m = hold(ints, rows, arrays, q, qdot)
        if m > 0:
            project(ints, rows, arrays, q, qdot, t)
    return BLOCKED if code == box_rows.CONTRADICTED else SOLVED
