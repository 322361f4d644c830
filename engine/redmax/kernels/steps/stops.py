# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled stops: one-sided rows that are met, push, and let go, inside compiled frames.

`resolve` decides at one instant: rows that touch and are approached give an impact (`solvers.impacts`), then rows that
touch and rest push as far as something presses on them (`solvers.box_rows`). What pushes holds until a step finds that
it would have to pull. A row on one coordinate holds by an infinite armature of that coordinate, which costs nothing;
any other row joins the equations.

`first_meeting` and `let_go_at` find the first instant within a step at which a row is met or lets go, from its dense
output. The room of rows on coordinates is known from these; for that of other rows bodies are placed.
"""

from __future__ import annotations

import math

from ... import crossings
from ...solvers import box_rows, impacts
from .. import tasks
from ..cache.jit import callback, inlined, inner
from ..cache.same_text import compiled_text
from ..core import SIGNATURE, call
from ..joints.place import place_all, velocities
from ..layout import codes
from ..layout.declaration import (
    Active,
    Body,
    Column,
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
from ..layout.memory import address_of, fixed, further, get, get3, get6, numbers_at, put
from ..layout.views import arrays_of, numbers_of, rows_of, whole
from ..rows.constrained import set_forces
from ..rows.delassus import IMMOBILE_ROW, product_of_reach
from ..rows.path_to_root import reach_of_rows
from ..rows.projection import add, clear_motion, mechanism_size, move_by_multipliers, project
from ..rows.row_kinds import evaluate_rows, row_at, row_product, row_terms
from ..spatial import cross
from ..tree.articulated import eliminate, substitute
from ..tree.world_poses import world_poses
from .stages import fill, slope

TOUCHING = 1e-11
"""One-sided rows that have less room than this [rad, 1, or parts of the mechanism's size] touch. What holds is put to
where the room is zero, so that energies are off by this times the forces at every stop."""
NO_SPEED = 1e-12
"""Speeds below this part of the largest one, and of 1 [rad/s, or sizes per second], are rounding."""
SLOWEST_BOUNCE = 1e-4
"""Impacts slower than this [rad/s, or parts of the size per second] do not bounce."""
RESTING = 1e-4
"""Rows that touch and part more slowly than this [as above] rest if something presses on them: where one stop throws
another off, and the other way round, there would be no end of ever smaller impacts."""
NO_PUSH = 1e-10
"""A push below this part of the forces that it is the difference of is rounding."""
RATTLING, RATTLING_TIME = 200, 0.01
"""So many impacts in so short a time [s] are a rattle that nobody sees and that takes a run forever: until there are
fewer, impacts do not bounce. As in `integrators.constrained`."""
SOLVED, BLOCKED = range(2)
"""Results of `resolve`: BLOCKED where rows contradict each other, and something still approaches."""

PIECE, MOST_PIECES = 0.1, 16
"""Bodies are placed so often in a step that no coordinate changes by more than this in between [rad, m or 1], at two
pieces at least and so many at most."""
MOST_PROBES, LITTLE = 12, 1e-6
"""Evaluations by which the instant is found at which a row lets go; part of a step in which motion is straight."""

impact = compiled_text(impacts.resolve)
solve_box = compiled_text(box_rows.solve)
departure, quintic = inner(crossings.departure), inner(crossings.quintic)


@inlined
def scale_of(row, size):
    """What the error of a row is measured by."""
    return size if fixed(row, RowBodies.METRES) else 1.0


@inlined
def own_coordinate(row):
    """The coordinate that a row can hold by itself, -1 for a row that cannot."""
    alone = fixed(row, RowBodies.KIND) == codes.COORDINATE and fixed(row, RowBodies.COORDINATE_B) < 0
    return fixed(row, RowBodies.COORDINATE_A) if alone else -1


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
    """Impacts of the rows at the first m places, all of which touch: qdot changes. Gives the result of `impacts`."""
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
        work[StopWork.SLOW, i], work[StopWork.TINY, i] = SLOWEST_BOUNCE * scale, tiny * scale
        approached = approached or (i >= e and u[i] < -tiny * scale)
    if not approached:
        return box_rows.SOLVED
    x, no = further(rows.vectors, Vector.RIGHT_SIDE * nr), m < 0
    armature = further(rows.vectors, Vector.ARMATURE * nr)
    clear_motion(ints, rows, x)
    n = fixed(ints, Head.BODIES)
    if eliminate(n, rows.bodies, rows.links, rows.body_work, rows.columns, armature, x, 0.0, no) >= 0:
        return box_rows.SOLVED  # nothing resists: forward dynamics names it
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
    return code


@inner
def find_pushes(ints, rows, arrays, m, qddot):
    """Multipliers of the rows at the first m places, which rest, into `StopWork.X`: one-sided ones push or are zero.
    After loads. False where nothing resists a joint."""
    n, nr, e, no = fixed(ints, Head.BODIES), fixed(ints, Head.DOFS), fixed(ints, Head.EQUATIONS), m < 0
    work, solver = arrays.stop_work, arrays.stop_work[StopWork.SOLVER : StopWork.SOLVER + box_rows.WORK]
    armature, force = further(rows.vectors, Vector.ARMATURE * nr), further(rows.vectors, Vector.FORCE * nr)
    set_forces(nr, rows.columns, force)
    if eliminate(n, rows.bodies, rows.links, rows.body_work, rows.columns, armature, qddot, 0.0, no) >= 0:
        return False
    substitute(n, rows.links, rows.body_work, rows.columns, armature, qddot, force, no)
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
def come_to_rest(ints, rows, arrays, m, q, qdot, t):
    """Take from qdot what the rows at the first m places still move by."""
    nr, n, no = fixed(ints, Head.DOFS), fixed(ints, Head.BODIES), m < 0
    work, x = arrays.stop_work, further(rows.vectors, Vector.RIGHT_SIDE * nr)
    lo, hi, u = work[StopWork.SPEEDS], work[StopWork.SPEEDS + 1], work[StopWork.SPEED]
    armature, moves = further(rows.vectors, Vector.ARMATURE * nr), False
    place_rows(ints, rows, arrays, m, q, qdot, t)
    for i in range(m):
        u[i] = get(rows.row_work, i * RowWork.SIZE + RowWork.RATE) - row_product(i, rows, Work.V, qdot)
        lo[i], hi[i], moves = -math.inf, math.inf, moves or u[i] != 0.0
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
def put_impact_work(ints, rows, energy):
    """What motors that move on did in impacts [J], after `place_rows`. energy: kinetic energy before."""
    if get(rows.world, World.IMPACT_LOSS) != 0.0:
        work = kinetic_energy(ints, rows) - energy + get(rows.world, World.IMPACT_LOSS)
        put(rows.world, World.IMPACT_WORK, work)


@callback(SIGNATURE)
def resolve(ints_at, floats_at, q_at, qdot_at, qddot_at, t, compute_at):
    """Impacts, and which rows hold from now on, at (q, qdot) and time t; both change. Gives SOLVED or BLOCKED.

    compute_at: address of `core.compute`. `World.IMPACT_LOSS` gets the energy lost [J], and
    `World.IMPACT_WORK` what motors put in.
    """
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
    code = collide(ints, rows, arrays, m, size, q, qdot, t)
    for r in range(e, last):
        chosen[r] = 0
    for i in range(e, m):
        speed = row_product(i, rows, Work.V, qdot) - get(rows.row_work, i * RowWork.SIZE + RowWork.RATE)
        if speed <= RESTING * scale_of(row_at(i, rows)[0], size):
            chosen[get(rows.order, i)] = 1
    m = choose(ints, rows, chosen)
    for r in range(e, last):
        arrays.stop_ints[StopInts.HELD, r] = 0
    if m == e:
        put_impact_work(ints, rows, energy)
        return BLOCKED if code == box_rows.CONTRADICTED else SOLVED
    call(compute_at, ints_at, floats_at, q_at, qdot_at, qddot_at, t, tasks.PLACE | tasks.LOADS)
    world_poses(fixed(ints, Head.BODIES), rows.links, rows.body_work, rows.poses)
    evaluate_rows(0, m, rows, arrays, q, qdot, t)
    if find_pushes(ints, rows, arrays, m, qddot):
        m = choose_pushing(ints, rows, arrays, m, size)
        come_to_rest(ints, rows, arrays, m, q, qdot, t)
        put_impact_work(ints, rows, energy)
        m = hold(ints, rows, arrays, q, qdot)
        if m > 0:
            project(ints, rows, arrays, q, qdot, t)
    return BLOCKED if code == box_rows.CONTRADICTED else SOLVED


# --- inside a step -------------------------------------------------------------------------------


@inner
def least_push(ints, rows):
    """Least push of all rows that hold, relative to the forces that it is the difference of; infinite if none does."""
    least, e = math.inf, fixed(ints, Head.EQUATIONS)
    held = further(rows.stop_ints, StopInts.HELD * fixed(ints, Head.ROWS))
    if get(rows.active, Active.LOCKS) > 0:
        for r in range(e, fixed(ints, Head.ROWS)):
            if get(held, r) != 0:
                row = further(rows.row_bodies, r * RowBodies.SIZE)
                k = own_coordinate(row)
                if k >= 0:
                    column = further(rows.columns, k * Column.SIZE)
                    factor = get(rows.row_vectors, r * RowVectors.SIZE + RowVectors.FACTOR_A)
                    push = get(column, Column.PUSH) if factor > 0.0 else -get(column, Column.PUSH)
                    least = min(least, push / (get(column, Column.PUSH_SIZE) + 1e-300))
    size = get(rows.world, World.PUSH_SIZE) + 1e-300
    for i in range(e, get(rows.active, Active.ROWS)):
        results = further(rows.row_work, i * RowWork.SIZE)
        push = get(results, RowWork.MULTIPLIER) * math.sqrt(get(results, RowWork.BOUND))
        least = min(least, push / size)
    return least


@inner
def inside(polynomial, s, k):
    """Component k of y after the part s of a step; as `integrators.tableaux.inside`."""
    total, weight = polynomial[0, k], 1.0
    for row in range(1, polynomial.shape[0]):
        weight *= s if row % 2 == 1 else 1.0 - s
        total += weight * polynomial[row, k]
    return total


@inlined
def along(row, vectors, places, values, offset):
    """Left side of a COORDINATE row with values of the free coordinates, which begin at `offset`."""
    a, b = fixed(row, RowBodies.COORDINATE_A), fixed(row, RowBodies.COORDINATE_B)
    total = get(vectors, RowVectors.FACTOR_A) * values[offset + places[a]]
    return total + get(vectors, RowVectors.FACTOR_B) * values[offset + places[b]] if b >= 0 else total


@inlined
def is_posed(row):
    """Whether bodies must be placed to know the room of a row."""
    return fixed(row, RowBodies.KIND) != codes.COORDINATE


@inner
def has_posed_stops(ints, rows):
    """Whether bodies must be placed to know the room of any one-sided row."""
    for r in range(fixed(ints, Head.EQUATIONS), fixed(ints, Head.ROWS)):
        if is_posed(further(rows.row_bodies, r * RowBodies.SIZE)):
            return True
    return False


@inner
def place_stops(course, values, s):
    """Place the bodies at the values of y after the part s of a step; `RowWork` gets errors of all rows, and their
    rates as right sides. course: see `first_meeting`."""
    (address, ints_at, floats_at), free, motion, _, t, h, until = course
    fill(free, numbers_of(values), motion)
    nr = motion.shape[1]
    q_at = address_of(numbers_of(motion), 3 * nr)
    what = tasks.PRESCRIBE | tasks.PLACE | tasks.ROW_ERRORS
    call(address, ints_at, floats_at, q_at, q_at + 8 * nr, q_at + 16 * nr, min(t + s * h, until), what)


@inner
def measure_stops(ints, rows, course, values, s, rooms, point):
    """Write room and rate of all rows, after the part s of a step, to a point of `rooms`."""
    place_stops(course, values, s)
    for i in range(fixed(ints, Head.EQUATIONS), fixed(ints, Head.ROWS)):
        results, r = further(rows.row_work, i * RowWork.SIZE), get(rows.order, i)
        rooms[0, point, r], rooms[1, point, r] = get(results, RowWork.ERROR), get(results, RowWork.RIGHT_SIDE)


@inner
def pieces_of(course, y, y_new):
    """In how many pieces rooms are looked at in a step; even."""
    n, fastest = course[1].shape[0], 0.0
    for k in range(n, 2 * n):
        fastest = max(fastest, abs(y[k]), abs(y_new[k]))
    count = 2
    while count < MOST_PIECES and course[5] * fastest > PIECE * count:
        count += 2
    return count


@inner
def measure_step(ints, rows, course, y, f, y_new, f_new, rooms):
    """Write room and rate of all rows to `rooms` at the ends of all pieces of a step."""
    n, values, h, count = course[1].shape[0], course[3], course[5], pieces_of(course, y, y_new)
    measure_stops(ints, rows, course, y, 0.0, rooms, 0)
    for j in range(1, count):
        s = j / count
        for k in range(n):
            values[k], values[n + k] = quintic(y[k], y[n + k], f[n + k], y_new[k], y_new[n + k], f_new[n + k], h, s)
        measure_stops(ints, rows, course, values, s, rooms, j)
    measure_stops(ints, rows, course, y_new, 1.0, rooms, count)


@inner
def room_inside(i, rows, places, polynomial, s, level, course):
    """Error of the row at place i above a level after the part s of a step."""
    row, vectors = row_at(i, rows)
    if is_posed(row):
        values = course[3]
        for k in range(values.shape[0]):
            values[k] = inside(polynomial, s, k)
        place_stops(course, values, s)
        return get(rows.row_work, i * RowWork.SIZE + RowWork.ERROR) - level
    a, b = fixed(row, RowBodies.COORDINATE_A), fixed(row, RowBodies.COORDINATE_B)
    total = get(vectors, RowVectors.FACTOR_A) * inside(polynomial, s, places[a])
    if b >= 0:
        total += get(vectors, RowVectors.FACTOR_B) * inside(polynomial, s, places[b])
    return total - get(vectors, RowVectors.OFFSET) - level


@inner
def may_be_met(x0, v0, x, v, x1, v1, h, scale):
    """Part of a step after which a row is met or nearly so, by its room and rate at the start, in the middle and at the
    end; 2 if it is not."""
    part, floor = 0.5 * h, 0.5 * TOUCHING * scale
    wrong = abs(x - 0.5 * (x0 + x1) - 0.25 * part * (v0 - v1)) / 8.0
    first = departure(x0, v0, x, v, part, 0.0, math.inf, wrong + floor, floor)
    if first <= 1.0:
        return 0.5 * first
    if x < -floor:  # from where it touched
        return 0.5
    second = departure(x, v, x1, v1, part, 0.0, math.inf, wrong + floor, floor)
    if second <= 1.0:
        return 0.5 + 0.5 * second
    return 1.0 if x1 < -floor else 2.0


@inner
def may_be_met_in(rooms, r, count, h, scale):
    """Part of a step after which row r is met or nearly so, by its room at the ends of its pieces, 2 if it is not; and
    parts before and after which it has room and has none, 0 and 2 if they are not known."""
    part, floor, wrong = h / count, 0.5 * TOUCHING * scale, 0.0
    for j in range(1, count, 2):
        between = 0.5 * (rooms[0, j - 1, r] + rooms[0, j + 1, r])
        between += 0.25 * part * (rooms[1, j - 1, r] - rooms[1, j + 1, r])
        wrong = max(wrong, abs(rooms[0, j, r] - between) / 8.0)
    for j in range(count):
        x, v, x_next, v_next = rooms[0, j, r], rooms[1, j, r], rooms[0, j + 1, r], rooms[1, j + 1, r]
        gone = departure(x, v, x_next, v_next, part, 0.0, math.inf, wrong + floor, floor)
        if gone <= 1.0 or x_next < -floor:
            before, beyond = j / count if x > floor else 0.0, (j + 1) / count if x_next < -floor else 2.0
            return (j + min(gone, 1.0)) / count, before, beyond
    return 2.0, 0.0, 2.0


@inner
def met_at(i, rows, places, polynomial, begins, guess, before, beyond, scale, course):
    """Part of a step after which the row at place i is met, by its dense output; 2 if it is not. A row that touched
    when the step began is met when it is passed by half of what counts as touching. begins: its room there. guess,
    before, beyond: see `may_be_met_in`."""
    level = 0.0 if begins > TOUCHING * scale else min(begins, 0.0) - 0.5 * TOUCHING * scale
    low, high = before, beyond if beyond <= 1.0 else min(guess, 1.0)
    below = room_inside(i, rows, places, polynomial, high, level, course)
    tries = 0
    while below > 0.0:  # on to where it would be met, and beyond, until it turns back
        slope = (room_inside(i, rows, places, polynomial, high + LITTLE, level, course) - below) / LITTLE
        if tries == MOST_PROBES or high >= 1.0 or not (slope < 0.0 or tries == 0):
            return 2.0
        low, high = high, min(1.0, high + max(-1.5 * below / slope, LITTLE) if slope < 0.0 else high + 0.01)
        below = room_inside(i, rows, places, polynomial, high, level, course)
        tries += 1
    above = room_inside(i, rows, places, polynomial, low, level, course)
    if not above > 0.0:
        return low
    for _ in range(100):  # false position, in which an end that stays counts half (Illinois)
        s = high - below * (high - low) / (below - above)
        if not low < s < high:
            s = 0.5 * (low + high)
        x = room_inside(i, rows, places, polynomial, s, level, course)
        if x > 0.0:
            low, above, below = s, x, 0.5 * below
        else:
            high, below, above = s, x, 0.5 * above
        if abs(x) <= 1e-4 * TOUCHING * scale or high - low <= 1e-15:
            return s
    return high


@inner
def first_meeting(ints, rows, places, y, f, y_new, f_new, polynomial, course, rooms, dense):
    """Part of a step after which the first row is met, 2 if none is; without dense output, whether it may be.

    course: addresses of what to call, free coordinates, work space for the motion and for y, time at which the step
    begins, its length, and until when inputs count. rooms: (2, MOST_PIECES + 1, m), empty where no row needs bodies to
    be placed; with dense output as the call without it left them.
    """
    e, size, first = fixed(ints, Head.EQUATIONS), get(rows.world, World.EXTENT), 2.0
    n, h = course[1].shape[0], course[5]
    held = further(rows.stop_ints, StopInts.HELD * fixed(ints, Head.ROWS))
    if rooms.shape[2] > 0 and not dense:
        measure_step(ints, rows, course, y, f, y_new, f_new, rooms)
    for i in range(e, fixed(ints, Head.ROWS)):
        r = get(rows.order, i)
        if get(held, r) == 0:
            row, vectors = row_at(i, rows)
            scale = scale_of(row, size)
            before, beyond = 0.0, 2.0
            if is_posed(row):
                begins = rooms[0, 0, r]
                guess, before, beyond = may_be_met_in(rooms, r, pieces_of(course, y, y_new), h, scale)
            else:
                offset = get(vectors, RowVectors.OFFSET)
                begins, x1 = along(row, vectors, places, y, 0) - offset, along(row, vectors, places, y_new, 0) - offset
                v0, v1 = along(row, vectors, places, y, n), along(row, vectors, places, y_new, n)
                a0, a1 = along(row, vectors, places, f, n), along(row, vectors, places, f_new, n)
                x, v = quintic(begins, v0, a0, x1, v1, a1, h, 0.5)
                guess = may_be_met(begins, v0, x, v, x1, v1, h, scale)
            if guess <= 1.0 and dense:
                guess = met_at(i, rows, places, polynomial, begins, guess, before, beyond, scale, course)
            first = min(first, guess)
    return first


@inner
def let_go_at(ints, rows, core, exchanges, free, motion, polynomial, t, h, until, values, dy, last, push):
    """Part of a step, at most `last`, after which the first row lets go that holds; `push`: `least_push` there, which
    is negative."""
    low, high, above, below = 0.0, last, -1.0, push
    for _ in range(MOST_PROBES):
        s = high - below * (high - low) / (below - above) if above > 0.0 else 0.5 * (low + high)
        if not low + 1e-3 * (high - low) < s < high - 1e-3 * (high - low):
            s = 0.5 * (low + high)
        for k in range(values.shape[0]):
            values[k] = inside(polynomial, s, k)
        slope(core, exchanges, free, min(t + s * h, until), numbers_of(values), motion, numbers_of(dy), 0)
        x = least_push(ints, rows)
        if x > -NO_PUSH:
            low, above = s, x
        else:
            high, below = s, x
        if high - low <= 1e-6:
            break
    return high
