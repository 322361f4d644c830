# SPDX-License-Identifier: GPL-3.0-or-later
"""`compute_bearings`, the compiled function that has accelerations with friction in bearings, which `core.compute`
calls by its address: a model without such friction does without it.

What slides is pushed by its coefficient times the load in the bearing, which depends on accelerations and so on
friction itself. Both are found by repetition, which converges by the radius of a bearing over the arm of what it
carries.
What sticks is held by an infinite armature of its coordinates, like stops (`steps.stops`).
"""

from __future__ import annotations

import math

from ...joints import bearing_loads
from ...joints.friction import BearingKind
from ...spatial.scalar import solved_transposed
from .. import tasks
from ..cache.jit import callback, inlined, inner
from ..cache.same_text import compiled_text
from ..core import SIGNATURE, call, forward_dynamics
from ..layout import codes
from ..layout.declaration import (
    Active,
    Bearing,
    BearingNumbers,
    BearingWork,
    Column,
    Head,
    Link,
    Vector,
    Work,
    World,
    Wrench,
)
from ..layout.memory import fixed, fixed3, further, get, get3, get6, numbers_at, put, put3, put6
from ..layout.views import rows_of, whole
from ..rows.weak_rows import NEAR
from ..tree.planar import accelerate_planar, planar_wrenches, push_planar, turn_planar
from .corrections import correct, joint_wrenches, put_applied
from .modes import IDLE, LEANS, NUDGE, RESTS, SLIDES, STANDS, STICKS

MOST_ROUNDS, SLOW_ROUNDS, LARGEST_PART = 200, 0.1, 100.0
"""So many rounds at most; where changes do not fall to this part of those before, what they tend to is guessed, at most
so many changes away."""
CAREFUL, FORGETTING = 4.0, 0.5
"""What is left of the error of friction after a correction is taken for so many times as much as earlier rounds tell,
and these count less with each evaluation."""

PIN, GUIDE, SOCKET = int(BearingKind.PIN), int(BearingKind.GUIDE), int(BearingKind.SOCKET)

hinge_load = compiled_text(bearing_loads.hinge_load)
pin_load = compiled_text(bearing_loads.pin_load)
guide_load = compiled_text(bearing_loads.guide_load)
plate_load = compiled_text(bearing_loads.plate_load)
solve3 = compiled_text(solved_transposed)


@inlined
def width(kind):
    """How many coordinates move a bearing of a kind."""
    return 1 if kind in (PIN, GUIDE) else (3 if kind == SOCKET else 2)


@inlined
def twist(columns, k):
    """Column of S of coordinate k."""
    return get6(columns, k * Column.SIZE + Column.S)


@inlined
def moved(columns, kind, first, rates):
    """Angular velocity of a socket, or velocity of a plate, at rates of its coordinates."""
    at = 0 if kind == SOCKET else 3
    x0, x1, x2 = 0.0, 0.0, 0.0
    for k in range(first, first + width(kind)):
        s, rate = further(columns, k * Column.SIZE + Column.S + at), get(rates, k)
        x0, x1, x2 = x0 + rate * get(s, 0), x1 + rate * get(s, 1), x2 + rate * get(s, 2)
    return x0, x1, x2


@inner
def push(bearing, work, columns, qdot):
    """Write the friction of a bearing that slides, by its bound, along its coordinates."""
    kind, first, bound = fixed(bearing, Bearing.KIND), fixed(bearing, Bearing.FIRST), get(work, BearingWork.BOUND)
    if width(kind) == 1:
        put(work, BearingWork.FORCE, -get(work, BearingWork.SIDE) * bound)
        return
    x0, x1, x2 = moved(columns, kind, first, qdot)
    put(work, BearingWork.SPEED, math.sqrt(x0 * x0 + x1 * x1 + x2 * x2))
    d0, d1, d2 = get3(work, BearingWork.DIRECTION)
    x0, x1, x2 = x0 + NUDGE * d0, x1 + NUDGE * d1, x2 + NUDGE * d2
    size = math.sqrt(x0 * x0 + x1 * x1 + x2 * x2)
    c = bound / size if size > 0.0 else 0.0
    at = 0 if kind == SOCKET else 3
    for k in range(width(kind)):
        s = further(columns, (first + k) * Column.SIZE + Column.S + at)
        put(work, BearingWork.FORCE + k, -c * (x0 * get(s, 0) + x1 * get(s, 1) + x2 * get(s, 2)))


@inner
def load_of(bearing, numbers, w, columns, is_hinge, applied_force):
    """Load of a bearing [N], and its friction per unit of coefficient times load."""
    kind, first = fixed(bearing, Bearing.KIND), fixed(bearing, Bearing.FIRST)
    if kind == PIN and is_hinge:  # which turns about z
        return hinge_load(w, fixed(numbers, BearingNumbers.HEIGHT)), fixed(numbers, BearingNumbers.RADIUS)
    if kind == PIN:
        radius, height = fixed(numbers, BearingNumbers.RADIUS), fixed(numbers, BearingNumbers.HEIGHT)
        return pin_load(w, twist(columns, first), get(applied_force, first), radius, height)
    if kind == GUIDE:
        return guide_load(w, twist(columns, first), fixed3(numbers, BearingNumbers.SIDES))
    if kind == SOCKET:
        force = math.sqrt(w[3] * w[3] + w[4] * w[4] + w[5] * w[5])
        return force, fixed(numbers, BearingNumbers.RADIUS)
    sides = fixed3(numbers, BearingNumbers.SIDES)
    return plate_load(w, twist(columns, first), twist(columns, first + 1), sides), 1.0


@inner
def held(bearing, work, columns):
    """What a bearing that sticks holds, as its bound is measured: the force along its coordinate, the torque of a
    socket, the force of a plate."""
    kind, first = fixed(bearing, Bearing.KIND), fixed(bearing, Bearing.FIRST)
    for k in range(width(kind)):
        put(work, BearingWork.FORCE + k, get(columns, (first + k) * Column.SIZE + Column.PUSH))
    f0, f1, f2 = get3(work, BearingWork.FORCE)
    if width(kind) == 1:
        return abs(f0)
    s, r = twist(columns, first), twist(columns, first + 1)
    if kind == SOCKET:
        u = twist(columns, first + 2)
        M = (s[0], r[0], u[0], s[1], r[1], u[1], s[2], r[2], u[2])
        x0, x1, x2 = solve3(M, f0, f1, f2)
        put3(work, BearingWork.DIRECTION, -x0, -x1, -x2)
        return math.sqrt(x0 * x0 + x1 * x1 + x2 * x2)
    # the force x = a s + b r in the plane with s.x = f0 and r.x = f1
    ss, sr, rr = s[3] * s[3] + s[4] * s[4] + s[5] * s[5], s[3] * r[3] + s[4] * r[4] + s[5] * r[5], 0.0
    rr = r[3] * r[3] + r[4] * r[4] + r[5] * r[5]
    d = ss * rr - sr * sr
    d = 1.0 / d if d > 0.0 else 0.0
    a, b = d * (rr * f0 - sr * f1), d * (ss * f1 - sr * f0)
    x0, x1, x2 = a * s[3] + b * r[3], a * s[4] + b * r[4], a * s[5] + b * r[5]
    put3(work, BearingWork.DIRECTION, -x0, -x1, -x2)
    return math.sqrt(x0 * x0 + x1 * x1 + x2 * x2)


@inner
def renew(i, rows, applied_force):
    """Load of bearing i from the wrench of its joint, and how its bound changes by it. Gives the change over what may
    be left of it: less than 1 where it is found."""
    bearing, work = further(rows.bearings, i * Bearing.SIZE), further(rows.bearing_work, i * BearingWork.SIZE)
    if get(work, BearingWork.MODE) in (IDLE, LEANS):
        return 0.0
    numbers = further(rows.bearing_numbers, i * BearingNumbers.SIZE)
    j = fixed(bearing, Bearing.BODY)
    is_hinge = fixed(rows.links, j * Link.SIZE + Link.MODE) in (codes.HINGE, codes.PARALLEL)
    w = get6(rows.joint_wrenches, j * Wrench.SIZE)
    load, way = load_of(bearing, numbers, w, rows.columns, is_hinge, applied_force)
    coefficient, before = fixed(numbers, BearingNumbers.COEFFICIENT), get(work, BearingWork.BOUND)
    bound = coefficient * load * way
    change = abs(bound - before)
    allowed = get(rows.world, World.FRICTION_PART) * bound + coefficient * way * fixed(numbers, BearingNumbers.LITTLE)
    put(work, BearingWork.LOAD, load)
    put(work, BearingWork.CHANGE, bound - before)
    if get(work, BearingWork.MODE) != SLIDES:
        put(work, BearingWork.BOUND, bound)
        put(work, BearingWork.CHANGE, 0.0)
        holds = abs(get(work, BearingWork.FORCE))
        if get(work, BearingWork.MODE) == STICKS:
            holds = held(bearing, work, rows.columns)
        put(work, BearingWork.EXCESS, (holds - bound) / (holds + bound + allowed))
        return 0.0
    return change / allowed if allowed > 0.0 else 0.0


@inner
def go_on(count, rows, part, guesses):
    """New bounds, by this part of their changes; where `guesses`, by the one that the last two changes suggest, which
    is given (Irons and Tuck)."""
    along, square = 0.0, 0.0
    for i in range(count):
        work = further(rows.bearing_work, i * BearingWork.SIZE)
        before, bend = get(work, BearingWork.BEFORE), get(work, BearingWork.CHANGE) - get(work, BearingWork.BEFORE)
        along, square = along + before * bend, square + bend * bend
    if guesses and square > 0.0:
        part = min(max(-part * along / square, -LARGEST_PART), LARGEST_PART)
    for i in range(count):
        work = further(rows.bearing_work, i * BearingWork.SIZE)
        bound, change = get(work, BearingWork.BOUND), get(work, BearingWork.CHANGE)
        put(work, BearingWork.BOUND, max(bound + part * change, 0.0))
        put(work, BearingWork.BEFORE, change)
        put(work, BearingWork.CHANGE, 0.0)
    return part


@inner
def keep_loads(n, nr, rows, constrained):
    """Keep the whole forces, and if `constrained` what equations add their multipliers to."""
    force, unrubbed = further(rows.vectors, Vector.FORCE * nr), further(rows.vectors, Vector.UNRUBBED * nr)
    for k in range(nr):
        put(unrubbed, k, get(force, k))
    if constrained:
        load, kept = further(rows.vectors, Vector.LOAD * nr), further(rows.vectors, Vector.KEPT_LOAD * nr)
        drive, driven = further(rows.vectors, Vector.DRIVE * nr), further(rows.vectors, Vector.KEPT_DRIVE * nr)
        for k in range(nr):
            put(kept, k, get(load, k))
            put(driven, k, get(drive, k))
        for j in range(n):
            b = get6(rows.body_work, j * Work.SIZE + Work.BIAS)
            put6(rows.kept_bias, j * Wrench.SIZE, b[0], b[1], b[2], b[3], b[4], b[5])


@inner
def put_friction(nr, rows, qdot):
    """Write the friction of bearings that do not hold their coordinates, by the present bounds, and to `Vector.PUSH`
    what is new of it."""
    friction, push_now = further(rows.vectors, Vector.FRICTION * nr), further(rows.vectors, Vector.PUSH * nr)
    for k in range(nr):
        put(push_now, k, -get(friction, k))
        put(friction, k, 0.0)
    for i in range(fixed(rows.head, Head.BEARINGS)):
        bearing, work = further(rows.bearings, i * Bearing.SIZE), further(rows.bearing_work, i * BearingWork.SIZE)
        mode = get(work, BearingWork.MODE)
        if mode in (SLIDES, RESTS):
            if mode == SLIDES:
                push(bearing, work, rows.columns, qdot)
            first = fixed(bearing, Bearing.FIRST)
            for k in range(width(fixed(bearing, Bearing.KIND))):
                put(friction, first + k, get(friction, first + k) + get(work, BearingWork.FORCE + k))
    for k in range(nr):
        put(push_now, k, get(push_now, k) + get(friction, k))


@inner
def put_loads(n, nr, rows, constrained):
    """Write loads as they were kept, with friction."""
    vectors = rows.vectors
    force, unrubbed = further(vectors, Vector.FORCE * nr), further(vectors, Vector.UNRUBBED * nr)
    friction = further(vectors, Vector.FRICTION * nr)
    for k in range(nr):
        put(force, k, get(unrubbed, k) + get(friction, k))
    if constrained:
        load, kept = further(vectors, Vector.LOAD * nr), further(vectors, Vector.KEPT_LOAD * nr)
        drive, driven = further(vectors, Vector.DRIVE * nr), further(vectors, Vector.KEPT_DRIVE * nr)
        for k in range(nr):
            put(load, k, get(kept, k))
            put(drive, k, get(driven, k))
        for j in range(n):
            b = get6(rows.kept_bias, j * Wrench.SIZE)
            put6(rows.body_work, j * Work.SIZE + Work.BIAS, b[0], b[1], b[2], b[3], b[4], b[5])


@inner
def put_results(nr, rows, qdot, qddot):
    """Write friction along all coordinates, its power, and how the speeds of sockets and plates change."""
    rubbing, power = further(rows.vectors, Vector.RUBBING * nr), 0.0
    for k in range(nr):
        put(rubbing, k, 0.0)
    for i in range(fixed(rows.head, Head.BEARINGS)):
        bearing, work = further(rows.bearings, i * Bearing.SIZE), further(rows.bearing_work, i * BearingWork.SIZE)
        kind, first, speeding = fixed(bearing, Bearing.KIND), fixed(bearing, Bearing.FIRST), 0.0
        for k in range(width(kind)):
            put(rubbing, first + k, get(work, BearingWork.FORCE + k))
            rate = get(qdot, first + k)
            if get(work, BearingWork.MODE) == SLIDES and abs(rate) > STANDS:  # less is rounding of what stands
                power -= get(work, BearingWork.FORCE + k) * rate
            speeding -= get(work, BearingWork.FORCE + k) * get(qddot, first + k)
        put(work, BearingWork.SPEEDING, speeding)
        if width(kind) == 1:
            put(work, BearingWork.SPEED, get(qdot, first))
    put(rows.world, World.RUBBING_POWER, power)


@callback(SIGNATURE)
def compute_bearings(ints_at, floats_at, q_at, qdot_at, qddot_at, t, what):
    """FORWARD with or without WRENCHES, after LOADS; arguments and result are those of `core.compute`. Accelerations
    are no numbers, and `World.JAMMED` is set, where friction has no value."""
    ints, floats = whole(ints_at, floats_at)
    n, nr, count = fixed(ints, Head.BODIES), fixed(ints, Head.DOFS), fixed(ints, Head.BEARINGS)
    qdot, qddot = numbers_at(qdot_at, nr), numbers_at(qddot_at, nr)
    rows = rows_of(ints, floats)
    bodies, links, work, columns, world = rows.bodies, rows.links, rows.body_work, rows.columns, rows.world
    armature, force = further(rows.vectors, Vector.ARMATURE * nr), further(rows.vectors, Vector.FORCE * nr)
    push_now, share = further(rows.vectors, Vector.PUSH * nr), further(rows.vectors, Vector.SHARE * nr)
    applied_force = further(rows.vectors, Vector.APPLIED * nr)
    m, no = get(rows.active, Active.ROWS), n < 0
    constrained, in_plane, solves, corrects = m > 0, no, not no, no
    rows_function, needs_applied = fixed(ints, Head.ROWS_FUNCTION), constrained or not fixed(ints, Head.IS_PLANAR)
    keep_loads(n, nr, rows, constrained)
    put_friction(nr, rows, qdot)
    part, worst_before, jammed = 1.0, math.inf, 0
    for _ in range(MOST_ROUNDS):
        if solves:
            put_loads(n, nr, rows, constrained)
            in_plane = no
            if constrained:
                result = call(rows_function, ints_at, floats_at, q_at, qdot_at, qddot_at, t, tasks.FORWARD)
                corrects = fixed(ints, Head.PRESCRIBED) == 0 and not get(world, World.CLOSENESS) < NEAR
            else:
                corrects = not no
                if fixed(ints, Head.IS_PLANAR) != 0:
                    in_plane = accelerate_planar(n, bodies, links, work, columns, armature, force, qddot)
                result = -1
                if not in_plane:
                    result = forward_dynamics(n, nr, no, bodies, links, work, columns, armature, force, qddot, no)
            if result >= 0:
                return result
            solves = not corrects
        apart = m if corrects else 0  # rows whose wrenches are not among the loads already
        if in_plane:
            planar_wrenches(n, bodies, links, work, rows.joint_wrenches)
        else:
            joint_wrenches(n, apart, rows)
        if needs_applied:
            put_applied(apart, nr, rows)
        worst = 0.0
        for i in range(count):
            change = renew(i, rows, applied_force)
            if not change <= worst:
                worst, jammed = change, i + 1
        if worst <= 1.0 or math.isnan(worst):  # accelerations that are no numbers are told by who follows them
            jammed = 0
            break
        guesses = worst > SLOW_ROUNDS * worst_before
        ratio = get(world, World.FRICTION_RATIO)
        if worst_before < math.inf:
            ratio = max(worst / worst_before, FORGETTING * ratio)
            put(world, World.FRICTION_RATIO, ratio)
        part = go_on(count, rows, part if guesses else 1.0, guesses)
        worst_before = worst
        put_friction(nr, rows, qdot)
        if corrects:
            for k in range(nr):
                put(force, k, get(force, k) + get(push_now, k))
            if in_plane:
                push_planar(n, bodies, links, work, columns, push_now)
                turn_planar(n, bodies, links, work, columns, qddot)
            else:
                correct(ints, nr, rows, push_now, share, force, qddot)
            if not guesses and CAREFUL * ratio * worst <= 1.0:  # one more round would change nothing
                jammed = 0
                break
    if jammed > 0:
        put(world, World.JAMMED, float(jammed))
        for k in range(nr):
            put(qddot, k, math.nan)
    if what & tasks.WRENCHES != 0:
        put_loads(n, nr, rows, constrained)
        if constrained:
            flags = tasks.FORWARD | tasks.WRENCHES
            result = call(rows_function, ints_at, floats_at, q_at, qdot_at, qddot_at, t, flags)
        else:
            result = forward_dynamics(n, nr, no, bodies, links, work, columns, armature, force, qddot, not no)
        if result >= 0:
            return result
    put_results(nr, rows, qdot, qddot)
    return -1
