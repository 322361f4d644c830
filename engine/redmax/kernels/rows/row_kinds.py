# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled constraint rows at one instant: errors, wrenches on the bodies, velocity products.

A row is a wrench on each of two bodies per unit multiplier, or a force along one or two coordinates. These wrenches
times the twists of the bodies are the rate of the row's error; times their accelerations (of points, see `motion`),
plus `RowWork.VELOCITY_PRODUCT`, they are its second derivative. The accelerations of both bodies lack gravity, which
cancels. What a table prescribes is part of the error, of `RowWork.RATE` and of the velocity product.
"""

from __future__ import annotations

from ...spatial import swing_twist
from ...symbolic.slip_row import CHART, QDOT, Q
from ..cache.jit import inlined, inner
from ..cache.same_text import compiled_text
from ..joints.drives import follower_motion
from ..joints.loads import table_motion, table_piece
from ..layout import codes
from ..layout.declaration import Body, FollowerNumbers, Pose, RowBodies, RowFunction, RowVectors, RowWork, Work
from ..layout.memory import address_of, fixed, fixed3, fixed9, further, get, get3, get6, get9, put, put3, put6
from ..spatial import applied, centripetal, cross, product, turned_back, turned_into
from .functions import call_row

limit_motion = compiled_text(swing_twist.limit_motion)


@inlined
def row_at(i, rows):
    """`RowBodies` and `RowVectors` of the row at place i."""
    r = get(rows.order, i)
    return further(rows.row_bodies, r * RowBodies.SIZE), further(rows.row_vectors, r * RowVectors.SIZE)


@inlined
def relative(pose_a, pose_b):
    """Rotation (9 numbers) and origin of frame b in frame a, from their poses in the world."""
    A, B = get9(pose_a, Pose.R), get9(pose_b, Pose.R)
    a, b = get3(pose_a, Pose.P), get3(pose_b, Pose.P)
    E = product((A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]), B)
    return E, turned_into(A, b[0] - a[0], b[1] - a[1], b[2] - a[2])


@inlined
def point_row(vectors, results, work_a, work_b, E, p):
    """POINT row: error normal . (point B - point A) [m], the normal fixed in A. (E, p): frame B in frame A."""
    n0, n1, n2 = fixed3(vectors, RowVectors.NORMAL)
    a0, a1, a2 = fixed3(vectors, RowVectors.POINT_A)
    b0, b1, b2 = fixed3(vectors, RowVectors.POINT_B)
    # point B seen from A
    x0, x1, x2 = applied(E, b0, b1, b2)
    r0, r1, r2 = x0 + p[0], x1 + p[1], x2 + p[2]
    put(results, RowWork.ERROR, n0 * (r0 - a0) + n1 * (r1 - a1) + n2 * (r2 - a2))
    t0, t1, t2 = cross(r0, r1, r2, n0, n1, n2)
    put6(results, RowWork.ON_A, -t0, -t1, -t2, -n0, -n1, -n2)
    f0, f1, f2 = turned_into(E, n0, n1, n2)
    t0, t1, t2 = cross(b0, b1, b2, f0, f1, f2)
    put6(results, RowWork.ON_B, t0, t1, t2, f0, f1, f2)
    # w_b x (w_b x b) in A's axes, less w_a x (w_a x r) + 2 w_a x rdot
    wa0, wa1, wa2, va0, va1, va2 = get6(work_a, Work.V)
    wb0, wb1, wb2, vb0, vb1, vb2 = get6(work_b, Work.V)
    c0, c1, c2 = cross(wb0, wb1, wb2, b0, b1, b2)
    v0, v1, v2 = applied(E, vb0 + c0, vb1 + c1, vb2 + c2)
    c0, c1, c2 = cross(wa0, wa1, wa2, r0, r1, r2)
    d0, d1, d2 = cross(wa0, wa1, wa2, v0 - va0 - c0, v1 - va1 - c1, v2 - va2 - c2)
    k0, k1, k2 = centripetal(wb0, wb1, wb2, b0, b1, b2)
    k0, k1, k2 = applied(E, k0, k1, k2)
    e0, e1, e2 = centripetal(wa0, wa1, wa2, r0, r1, r2)
    put(
        results,
        RowWork.VELOCITY_PRODUCT,
        n0 * (k0 - e0 - 2.0 * d0) + n1 * (k1 - e1 - 2.0 * d1) + n2 * (k2 - e2 - 2.0 * d2),
    )


@inlined
def axis_row(vectors, results, work_a, work_b, E):
    """AXIS row: error u . w, the cosine between an axis u fixed in A and an axis w fixed in B. E: frame B in A."""
    u0, u1, u2 = fixed3(vectors, RowVectors.AXIS_A)
    w0, w1, w2 = fixed3(vectors, RowVectors.AXIS_B)
    w0, w1, w2 = applied(E, w0, w1, w2)
    put(results, RowWork.ERROR, u0 * w0 + u1 * w1 + u2 * w2)
    t0, t1, t2 = cross(w0, w1, w2, u0, u1, u2)
    put6(results, RowWork.ON_A, -t0, -t1, -t2, 0.0, 0.0, 0.0)
    a0, a1, a2 = turned_into(E, t0, t1, t2)
    put6(results, RowWork.ON_B, a0, a1, a2, 0.0, 0.0, 0.0)
    a0, a1, a2 = get3(work_a, Work.V)
    b0, b1, b2 = get3(work_b, Work.V)
    b0, b1, b2 = applied(E, b0, b1, b2)
    r0, r1, r2 = b0 - a0, b1 - a1, b2 - a2
    c0, c1, c2 = cross(r0, r1, r2, a0, a1, a2)
    d0, d1, d2 = cross(r0, r1, r2, w0, w1, w2)
    e0, e1, e2 = cross(d0, d1, d2, u0, u1, u2)
    put(results, RowWork.VELOCITY_PRODUCT, (c0 * t0 + c1 * t1 + c2 * t2) + (r0 * e0 + r1 * e1 + r2 * e2))


@inlined
def turn_between(A, B, E, u, v):
    """Axes B, fixed in body B, in axes A, fixed in body A, and in axes A the angular velocity of B relative to A and
    that of A. E: frame B in A. u, v: angular velocities of A and B, each in its body's axes."""
    R = product(E, B)
    R = product((A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]), R)
    b0, b1, b2 = applied(E, v[0], v[1], v[2])
    return R, turned_into(A, b0 - u[0], b1 - u[1], b2 - u[2]), turned_into(A, u[0], u[1], u[2])


@inner
def turn_limit_row(vectors, results, work_a, work_b, E):
    """TURN_LIMIT row: error the room [rad] to a limit of swing or twist. E: frame B in A."""
    A = get9(vectors, RowVectors.FRAME_A)
    R, w, a = turn_between(A, get9(vectors, RowVectors.FRAME_B), E, get3(work_a, Work.V), get3(work_b, Work.V))
    p, q, c = fixed3(vectors, RowVectors.SHAPE)
    limit = int(get(vectors, RowVectors.LIMIT))
    room, g0, g1, g2, drift = limit_motion(limit, R, w[0], w[1], w[2], p, q, c)
    put(results, RowWork.ERROR, room)
    put(results, RowWork.RATE, 0.0)
    # w is seen from the turning body A: wdot = E wdot_b - wdot_a + w x w_a
    c0, c1, c2 = cross(w[0], w[1], w[2], a[0], a[1], a[2])
    put(results, RowWork.VELOCITY_PRODUCT, drift + (g0 * c0 + g1 * c1 + g2 * c2))
    t0, t1, t2 = applied(A, g0, g1, g2)
    put6(results, RowWork.ON_A, -t0, -t1, -t2, 0.0, 0.0, 0.0)
    t0, t1, t2 = turned_into(E, t0, t1, t2)
    put6(results, RowWork.ON_B, t0, t1, t2, 0.0, 0.0, 0.0)


@inner
def coordinate_row(row, vectors, results, tables, pool, q, qdot, t):
    """COORDINATE row: error FACTOR_A q_a + FACTOR_B q_b - OFFSET [rad, m or 1], or less what a table has at time t."""
    error = terms(row, vectors, q) - get(vectors, RowVectors.OFFSET)
    rate, bias, target = 0.0, 0.0, fixed(row, RowBodies.TARGET)
    if target != codes.NO_TARGET:
        piece, d = table_piece(tables, fixed(row, RowBodies.TABLE), pool, t)
        x, v, a = table_motion(pool, piece + 4 * fixed(row, RowBodies.COLUMN), d)
        if target == codes.POSITION:
            error, rate, bias = error - x, v, a
        elif target == codes.VELOCITY:
            error, rate, bias = 0.0, x, v
        else:  # any velocity is right
            error, rate, bias = 0.0, terms(row, vectors, qdot), x
    put(results, RowWork.ERROR, error)
    put(results, RowWork.RATE, rate)
    put(results, RowWork.VELOCITY_PRODUCT, -bias)


@inner
def follower_row(row, results, rows, arrays, q, qdot):
    """FOLLOWER row: error q_a - f(other coordinates) [rad, m or 1]."""
    count, numbers = fixed(row, RowBodies.COUNT), further(rows.pool, fixed(row, RowBodies.DATA))
    value, slope, bend, rate = follower_motion(
        count, further(rows.followed, fixed(row, RowBodies.FOLLOWED)), numbers, fixed(row, RowBodies.TABLE), arrays,
        q, qdot,
    )  # fmt: skip
    for k in range(count):
        place = FollowerNumbers.SIZE + k
        put(numbers, place + count, -slope * get(numbers, place))
    put(results, RowWork.ERROR, get(q, fixed(row, RowBodies.COORDINATE_A)) - value)
    put(results, RowWork.RATE, 0.0)
    put(results, RowWork.VELOCITY_PRODUCT, -bend * rate * rate)


@inlined
def slopes_of(row, rows):
    """Of a FOLLOWER row: how many coordinates its own one depends on, which, and the derivatives of its error by them;
    by its own one it is 1."""
    count = fixed(row, RowBodies.COUNT)
    numbers = further(rows.pool, fixed(row, RowBodies.DATA) + FollowerNumbers.SIZE + count)
    return count, further(rows.followed, fixed(row, RowBodies.FOLLOWED)), numbers


@inner
def follower_terms(row, rows, x):
    """Left side of a FOLLOWER row with x (nr,), and the sum of the absolute values of its terms."""
    count, followed, slopes = slopes_of(row, rows)
    total = get(x, fixed(row, RowBodies.COORDINATE_A))
    size = abs(total)
    for k in range(count):
        term = get(slopes, k) * get(x, get(followed, k))
        total += term
        size += abs(term)
    return total, size


@inlined
def terms(row, vectors, x):
    """FACTOR_A x_a + FACTOR_B x_b of a COORDINATE row."""
    a, b = fixed(row, RowBodies.COORDINATE_A), fixed(row, RowBodies.COORDINATE_B)
    total = get(vectors, RowVectors.FACTOR_A) * get(x, a)
    return total + get(vectors, RowVectors.FACTOR_B) * get(x, b) if b >= 0 else total


@inner
def component_row(row, vectors, results, pose, work, tables, pool, t):
    """COMPONENT row: a component of the velocity or angular velocity of a body follows a table. It has no error."""
    n0, n1, n2 = fixed3(vectors, RowVectors.DIRECTION)
    m0, m1, m2 = applied(get9(pose, Pose.R), n0, n1, n2)
    w0, w1, w2, v0, v1, v2 = get6(work, Work.V)
    table, column = fixed(row, RowBodies.TABLE), fixed(row, RowBodies.COLUMN)
    piece, d = table_piece(tables, table, pool, t)
    x0, y0, _ = table_motion(pool, piece + 4 * column, d)
    x1, y1, _ = table_motion(pool, piece + 4 * column + 4, d)
    x2, y2, _ = table_motion(pool, piece + 4 * column + 8, d)
    # What is constant in the world turns in the body: d(n . R^T x)/dt = n . (R^T xdot - w x R^T x).
    t0, t1, t2 = turned_into(get9(pose, Pose.R), x0, x1, x2)
    c0, c1, c2 = cross(w0, w1, w2, t0, t1, t2)
    bias = (m0 * y0 + m1 * y1 + m2 * y2) - (n0 * c0 + n1 * c1 + n2 * c2)
    velocity_product = -bias
    if get(vectors, RowVectors.IS_TURN) != 0.0:
        put6(results, RowWork.ON_A, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        put6(results, RowWork.ON_B, n0, n1, n2, 0.0, 0.0, 0.0)
    else:
        p0, p1, p2 = fixed3(vectors, RowVectors.PLACE)
        c0, c1, c2 = cross(p0, p1, p2, n0, n1, n2)
        put6(results, RowWork.ON_A, 0.0, 0.0, 0.0, -m0, -m1, -m2)  # the world's acceleration is minus gravity
        put6(results, RowWork.ON_B, c0, c1, c2, n0, n1, n2)
        # The derivative of the components, not the acceleration of the point.
        c0, c1, c2 = cross(w0, w1, w2, v0, v1, v2)
        velocity_product -= n0 * c0 + n1 * c1 + n2 * c2
    put(results, RowWork.ERROR, 0.0)
    put(results, RowWork.RATE, m0 * x0 + m1 * x1 + m2 * x2)
    put(results, RowWork.VELOCITY_PRODUCT, velocity_product)


@inlined
def put_described(target, pose_at, twist_at, body, pose, work, is_world):
    """Write pose and twist of a body's described frame, or of the world's, for a row's function."""
    R, p = get9(pose, Pose.R), get3(pose, Pose.P)
    w0, w1, w2, v0, v1, v2 = get6(work, Work.V)
    if is_world:
        w0, w1, w2, v0, v1, v2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    else:
        B, b = fixed9(body, Body.R_JB), fixed3(body, Body.P_JB)
        x0, x1, x2 = applied(R, b[0], b[1], b[2])
        R, p = product(R, B), (p[0] + x0, p[1] + x1, p[2] + x2)
        w0, w1, w2, v0, v1, v2 = turned_back(B, b, w0, w1, w2, v0, v1, v2)
    for i in range(3):
        put(target, pose_at + 4 * i + 3, p[i])
        put(target, pose_at + 12 + i, 0.0)
    put3(target, pose_at, R[0], R[1], R[2])
    put3(target, pose_at + 4, R[3], R[4], R[5])
    put3(target, pose_at + 8, R[6], R[7], R[8])
    put(target, pose_at + 15, 1.0)
    put6(target, twist_at, w0, w1, w2, v0, v1, v2)


@inlined
def put_wrench(results, field, target, result_at, body, work, is_world):
    """Write what a row's function asks of a body as a wrench in its joint frame. Gives what is added to the velocity
    product: the function counts derivatives of the twist's components, kernels accelerations of points."""
    t0, t1, t2, f0, f1, f2 = get6(target, result_at)
    if is_world:
        put6(results, field, t0, t1, t2, f0, f1, f2)
        return 0.0
    B, b = fixed9(body, Body.R_JB), fixed3(body, Body.P_JB)
    t0, t1, t2 = applied(B, t0, t1, t2)
    f0, f1, f2 = applied(B, f0, f1, f2)
    c0, c1, c2 = cross(b[0], b[1], b[2], f0, f1, f2)
    put6(results, field, t0 + c0, t1 + c1, t2 + c2, f0, f1, f2)
    w0, w1, w2, v0, v1, v2 = get6(work, Work.V)
    c0, c1, c2 = cross(w0, w1, w2, v0, v1, v2)
    return -(f0 * c0 + f1 * c1 + f2 * c2)


@inlined
def put_coordinates(row, rows, q, qdot):
    """Write coordinates, velocities and chart of a joint where a row's function that needs them reads them."""
    count, first = fixed(row, RowBodies.COORDINATE_B), fixed(row, RowBodies.COORDINATE_A)
    numbers = further(rows.pool, fixed(row, RowBodies.DATA))
    for k in range(count):
        put(numbers, Q + k, get(q, first + k))
        put(numbers, QDOT + k, get(qdot, first + k))
    slot = fixed(row, RowBodies.FOLLOWED)
    put(numbers, CHART, float(get(rows.charts, slot - 1)) if slot > 0 else 0.0)


@inner
def function_row(row, results, rows, a, b, work_a, work_b, q, qdot):
    """FUNCTION row: what the function of the constraint's own says."""
    if fixed(row, RowBodies.COORDINATE_B) > 0:
        put_coordinates(row, rows, q, qdot)
    target, poses = rows.row_function, rows.poses
    body_a, body_b = further(rows.bodies, a * Body.SIZE), further(rows.bodies, b * Body.SIZE)
    put_described(target, RowFunction.E_A, RowFunction.V_A, body_a, further(poses, a * Pose.SIZE), work_a, a < 0)
    put_described(target, RowFunction.E_B, RowFunction.V_B, body_b, further(poses, b * Pose.SIZE), work_b, b < 0)
    for k in range(14):
        put(target, RowFunction.RESULT + k, 0.0)
    count = fixed(row, RowBodies.COUNT)
    data_at = address_of(further(rows.pool, fixed(row, RowBodies.DATA)), count)
    call_row(fixed(row, RowBodies.FUNCTION), data_at, count, address_of(target, RowFunction.SIZE))
    velocity_product = get(target, RowFunction.RESULT + 13)
    velocity_product += put_wrench(results, RowWork.ON_A, target, RowFunction.RESULT + 1, body_a, work_a, a < 0)
    velocity_product += put_wrench(results, RowWork.ON_B, target, RowFunction.RESULT + 7, body_b, work_b, b < 0)
    put(results, RowWork.ERROR, get(target, RowFunction.RESULT))
    put(results, RowWork.VELOCITY_PRODUCT, velocity_product)


@inner
def evaluate_rows(first, last, rows, arrays, q, qdot, t):
    """Errors, wrenches and velocity products of the rows at the places from first to last - 1, after `velocities` and
    `world_poses`.

    arrays: tables and pool of the packed model (`views.arrays_of`).
    """
    work, poses = rows.body_work, rows.poses
    for i in range(first, last):
        row, vectors = row_at(i, rows)
        results = further(rows.row_work, i * RowWork.SIZE)
        kind = fixed(row, RowBodies.KIND)
        if kind == codes.COORDINATE:
            coordinate_row(row, vectors, results, arrays.tables, arrays.pool, q, qdot, t)
            continue
        if kind == codes.FOLLOWER:
            follower_row(row, results, rows, arrays, q, qdot)
            continue
        a, b = fixed(row, RowBodies.BODY_A), fixed(row, RowBodies.BODY_B)
        work_a, work_b = further(work, a * Work.SIZE), further(work, b * Work.SIZE)
        pose_a, pose_b = further(poses, a * Pose.SIZE), further(poses, b * Pose.SIZE)
        if kind == codes.COMPONENT:
            component_row(row, vectors, results, pose_b, work_b, arrays.tables, arrays.pool, t)
            continue
        if kind == codes.FUNCTION:
            function_row(row, results, rows, a, b, work_a, work_b, q, qdot)
            continue
        E, p = relative(pose_a, pose_b)
        if kind == codes.POINT:
            point_row(vectors, results, work_a, work_b, E, p)
        elif kind == codes.TURN_LIMIT:
            turn_limit_row(vectors, results, work_a, work_b, E)
        else:
            axis_row(vectors, results, work_a, work_b, E)


@inlined
def row_product(i, rows, field, x):
    """Left side of the row at place i: its wrenches times the twists (field `Work.V`) or accelerations (`Work.ACC`) of
    its bodies, or its factors times x, the velocities or accelerations of all coordinates."""
    (row, vectors), results, work = row_at(i, rows), further(rows.row_work, i * RowWork.SIZE), rows.body_work
    if fixed(row, RowBodies.KIND) == codes.COORDINATE:
        return terms(row, vectors, x)
    if fixed(row, RowBodies.KIND) == codes.FOLLOWER:
        return follower_terms(row, rows, x)[0]
    f, u = get6(results, RowWork.ON_A), get6(further(work, fixed(row, RowBodies.BODY_A) * Work.SIZE), field)
    g, v = get6(results, RowWork.ON_B), get6(further(work, fixed(row, RowBodies.BODY_B) * Work.SIZE), field)
    on_a = (f[0] * u[0] + f[1] * u[1] + f[2] * u[2]) + (f[3] * u[3] + f[4] * u[4] + f[5] * u[5])
    return on_a + ((g[0] * v[0] + g[1] * v[1] + g[2] * v[2]) + (g[3] * v[3] + g[4] * v[4] + g[5] * v[5]))


@inlined
def row_terms(i, rows, field, x):
    """Sum of the absolute values of the terms of `row_product`."""
    (row, vectors), results, work = row_at(i, rows), further(rows.row_work, i * RowWork.SIZE), rows.body_work
    if fixed(row, RowBodies.KIND) == codes.COORDINATE:
        a, b = fixed(row, RowBodies.COORDINATE_A), fixed(row, RowBodies.COORDINATE_B)
        total = abs(get(vectors, RowVectors.FACTOR_A) * get(x, a))
        return total + abs(get(vectors, RowVectors.FACTOR_B) * get(x, b)) if b >= 0 else total
    if fixed(row, RowBodies.KIND) == codes.FOLLOWER:
        return follower_terms(row, rows, x)[1]
    f, u = get6(results, RowWork.ON_A), get6(further(work, fixed(row, RowBodies.BODY_A) * Work.SIZE), field)
    g, v = get6(results, RowWork.ON_B), get6(further(work, fixed(row, RowBodies.BODY_B) * Work.SIZE), field)
    total = 0.0
    for k in range(6):
        total += abs(f[k] * u[k]) + abs(g[k] * v[k])
    return total
