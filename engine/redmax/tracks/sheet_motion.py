# SPDX-License-Identifier: GPL-3.0-or-later
"""A sheet at one pair of coordinates: Q, S and Sdot in plain scalars, one text for Python and for kernels.

Source: RM19 eq. 60-63 and Alg. 5, whose six steps are written out: Q = T(x, y, z) Rx(a) Ry(b) Rz(c). In the seed's
text of eq. 62 e2 repeats e1 (erratum); it is the translation along y. Control values have rows along u = q1 and columns
along v = q2, as eq. 60 says; the paper's own code has them the other way round.
"""

from __future__ import annotations

import math

from ..arrays import Array
from ..spatial.scalar import Vector, cross, put_block, sine_cosine, turned_into

EXTENT, CYCLIC, STRIDE, COLUMNS, NORMAL, BASIS, HEADER = 0, 2, 4, 5, 6, 7, 23
"""Where the numbers of a sheet begin: patches along u and v, whether it is closed along each, control values from patch
to patch, columns of control values, whether it follows its normal, the basis (4, 4); the control values, six each."""

FARTHEST = 1e15
"""Coordinates beyond this have no digits left for a place on the sheet."""

Four = tuple[float, float, float, float]


def patch_place(data: Array, which: int, q: float) -> tuple[int, float]:
    """Patch along u (which = 0) or v (1), and the fraction of it; outside 0 ... 1 beyond the edges of an open sheet."""
    count = data[EXTENT + which]
    if not abs(q) < FARTHEST:
        return 0, math.nan
    if data[CYCLIC + which] != 0.0:
        x = q - count * math.floor(q / count)
        if not 0.0 <= x < count:  # by round-off
            x = 0.0
        patch = min(int(x), int(count) - 1)
        return patch, x - patch
    patch = int(min(max(q, 0.0), count - 1.0))
    return patch, q - patch


def weights(data: Array, t: float, order: int) -> Four:
    """Weights of four control values, or a derivative of them in t."""
    p0, p1, p2, p3 = 1.0, t, t * t, t * t * t
    if order == 1:
        p0, p1, p2, p3 = 0.0, 1.0, 2.0 * t, 3.0 * t * t
    elif order == 2:
        p0, p1, p2, p3 = 0.0, 0.0, 2.0, 6.0 * t
    elif order == 3:
        p0, p1, p2, p3 = 0.0, 0.0, 0.0, 6.0
    return (
        data[BASIS] * p0 + data[BASIS + 1] * p1 + data[BASIS + 2] * p2 + data[BASIS + 3] * p3,
        data[BASIS + 4] * p0 + data[BASIS + 5] * p1 + data[BASIS + 6] * p2 + data[BASIS + 7] * p3,
        data[BASIS + 8] * p0 + data[BASIS + 9] * p1 + data[BASIS + 10] * p2 + data[BASIS + 11] * p3,
        data[BASIS + 12] * p0 + data[BASIS + 13] * p1 + data[BASIS + 14] * p2 + data[BASIS + 15] * p3,
    )


def blended(data: Array, at: int, u: Four, v: Four) -> Vector:
    """Three neighbouring control values, weighted over a patch; `at`: the first of its first control values."""
    line = 6 * int(data[COLUMNS])
    x, y, z = 0.0, 0.0, 0.0
    for i in range(4):
        for j in range(4):
            k, w = at + i * line + 6 * j, u[i] * v[j]
            x, y, z = x + w * data[k], y + w * data[k + 1], z + w * data[k + 2]
    return x, y, z


def put_columns(S: Array, column: int, w: Vector, x: Vector) -> None:
    """Write a twist (w, x) into one column."""
    S[0, column], S[1, column], S[2, column] = w[0], w[1], w[2]
    S[3, column], S[4, column], S[5, column] = x[0], x[1], x[2]


def mixed(a: float, x: Vector, b: float, y: Vector) -> Vector:
    """a x + b y."""
    return a * x[0] + b * y[0], a * x[1] + b * y[1], a * x[2] + b * y[2]


def put_sheet_motion(data: Array, u: float, v: float, qdot: Array, Q: Array, S: Array, Sdot: Array) -> None:
    """Fill Q (4, 4), S and Sdot (6, 2) of a joint on a sheet at (u, v), moving at qdot.

    Beyond the edges of an open sheet its outermost patches go on.
    """
    i, s = patch_place(data, 0, u)
    j, t = patch_place(data, 1, v)
    stride = int(data[STRIDE])
    at = HEADER + 6 * stride * (i * int(data[COLUMNS]) + j)
    u0, u1, u2 = weights(data, s, 0), weights(data, s, 1), weights(data, s, 2)
    v0, v1, v2 = weights(data, t, 0), weights(data, t, 1), weights(data, t, 2)
    Q[0, 3], Q[1, 3], Q[2, 3] = blended(data, at, u0, v0)
    x_u, x_v = blended(data, at, u1, v0), blended(data, at, u0, v1)
    x_uu, x_uv, x_vv = blended(data, at, u2, v0), blended(data, at, u1, v1), blended(data, at, u0, v2)
    du, dv = qdot[0], qdot[1]
    if data[NORMAL] == 0.0:
        angles = at + 3
        a, b, c = blended(data, angles, u0, v0)
        a_u, a_v = blended(data, angles, u1, v0), blended(data, angles, u0, v1)
        a_uv = blended(data, angles, u1, v1)
        rate_u = mixed(du, blended(data, angles, u2, v0), dv, a_uv)
        rate_v = mixed(du, a_uv, dv, blended(data, angles, u0, v2))
        put_turned(a, b, c, mixed(du, a_u, dv, a_v), a_u, rate_u, 0, Q, S, Sdot)
        put_turned(a, b, c, mixed(du, a_u, dv, a_v), a_v, rate_v, 1, Q, S, Sdot)
        put_slides(x_u, x_v, mixed(du, x_uu, dv, x_uv), mixed(du, x_uv, dv, x_vv), du, dv, Q, S, Sdot)
        return
    u3, v3 = weights(data, s, 3), weights(data, t, 3)
    x_uuv, x_uvv = blended(data, at, u2, v1), blended(data, at, u1, v2)
    put_frame(x_u, x_v, Q)
    R = (Q[0, 0], Q[0, 1], Q[0, 2], Q[1, 0], Q[1, 1], Q[1, 2], Q[2, 0], Q[2, 1], Q[2, 2])
    g, _, _ = turned_into(R, x_u[0], x_u[1], x_u[2])
    a, b, _ = turned_into(R, x_v[0], x_v[1], x_v[2])
    uu, uv = turned_into(R, x_uu[0], x_uu[1], x_uu[2]), turned_into(R, x_uv[0], x_uv[1], x_uv[2])
    vv = turned_into(R, x_vv[0], x_vv[1], x_vv[2])
    w_u, w_v = normal_turn(g, a, b, uu, uv), normal_turn(g, a, b, uv, vv)
    w = mixed(du, w_u, dv, w_v)
    put_columns(S, 0, w_u, (g, 0.0, 0.0))
    put_columns(S, 1, w_v, (a, b, 0.0))
    # rates of all these, seen in the turning frame: R^T dx/dt - w x (R^T x)
    g_rate = moved(w, mixed(du, uu, dv, uv), (g, 0.0, 0.0))
    b_rate = moved(w, mixed(du, uv, dv, vv), (a, b, 0.0))
    x_uuu, x_vvv = blended(data, at, u3, v0), blended(data, at, u0, v3)
    d_uu, d_uv, d_vv = mixed(du, x_uuu, dv, x_uuv), mixed(du, x_uuv, dv, x_uvv), mixed(du, x_uvv, dv, x_vvv)
    uu_rate = moved(w, turned_into(R, d_uu[0], d_uu[1], d_uu[2]), uu)
    uv_rate = moved(w, turned_into(R, d_uv[0], d_uv[1], d_uv[2]), uv)
    vv_rate = moved(w, turned_into(R, d_vv[0], d_vv[1], d_vv[2]), vv)
    put_columns(Sdot, 0, normal_turn_rate(g, a, b, w_u, g_rate[0], b_rate[0], b_rate[1], uu_rate, uv_rate), g_rate)
    put_columns(Sdot, 1, normal_turn_rate(g, a, b, w_v, g_rate[0], b_rate[0], b_rate[1], uv_rate, vv_rate), b_rate)


def put_turned(
    a: float, b: float, c: float, rates: Vector, d: Vector, d_rate: Vector, column: int, Q: Array, S: Array, Sdot: Array
) -> None:
    """Rotation Rx(a) Ry(b) Rz(c), its body rates per unit of one coordinate, and their rates of change.

    rates: of the angles. d: the angles' derivatives in the coordinate. d_rate: the rates of those.
    """
    sa, ca = sine_cosine(a)
    sb, cb = sine_cosine(b)
    sc, cc = sine_cosine(c)
    put_block(Q, 0, 0, (
        cb * cc, -cb * sc, sb,
        ca * sc + sa * sb * cc, ca * cc - sa * sb * sc, -sa * cb,
        sa * sc - ca * sb * cc, sa * cc + ca * sb * sc, ca * cb,
    ))  # fmt: skip
    _, b1, c1 = rates
    # w = (cb cc, -cb sc, sb) a' + (sc, cc, 0) b' + (0, 0, 1) c'
    S[0, column] = cb * cc * d[0] + sc * d[1]
    S[1, column] = -cb * sc * d[0] + cc * d[1]
    S[2, column] = sb * d[0] + d[2]
    Sdot[0, column] = cb * cc * d_rate[0] + sc * d_rate[1] - (sb * cc * b1 + cb * sc * c1) * d[0] + cc * c1 * d[1]
    Sdot[1, column] = -cb * sc * d_rate[0] + cc * d_rate[1] + (sb * sc * b1 - cb * cc * c1) * d[0] - sc * c1 * d[1]
    Sdot[2, column] = sb * d_rate[0] + d_rate[2] + cb * b1 * d[0]


def put_slides(
    x_u: Vector, x_v: Vector, rate_u: Vector, rate_v: Vector, du: float, dv: float, Q: Array, S: Array, Sdot: Array
) -> None:
    """Linear parts of S and Sdot, of whose angular parts S is known: derivatives x_u, x_v of the origin in u and v and
    their rates, all seen from the frame that does not move."""
    R = (Q[0, 0], Q[0, 1], Q[0, 2], Q[1, 0], Q[1, 1], Q[1, 2], Q[2, 0], Q[2, 1], Q[2, 2])
    w = (S[0, 0] * du + S[0, 1] * dv, S[1, 0] * du + S[1, 1] * dv, S[2, 0] * du + S[2, 1] * dv)
    own_u, own_v = turned_into(R, x_u[0], x_u[1], x_u[2]), turned_into(R, x_v[0], x_v[1], x_v[2])
    S[3, 0], S[4, 0], S[5, 0] = own_u
    S[3, 1], S[4, 1], S[5, 1] = own_v
    Sdot[3, 0], Sdot[4, 0], Sdot[5, 0] = moved(w, turned_into(R, rate_u[0], rate_u[1], rate_u[2]), own_u)
    Sdot[3, 1], Sdot[4, 1], Sdot[5, 1] = moved(w, turned_into(R, rate_v[0], rate_v[1], rate_v[2]), own_v)


def moved(w: Vector, rate: Vector, x: Vector) -> Vector:
    """Rate of the components of a vector in a frame that turns at w: rate - w x x."""
    a0, a1, a2 = cross(w[0], w[1], w[2], x[0], x[1], x[2])
    return rate[0] - a0, rate[1] - a1, rate[2] - a2


def put_frame(x_u: Vector, x_v: Vector, Q: Array) -> None:
    """Rotation with z along the normal x_u x x_v and x along x_u."""
    n0, n1, n2 = cross(x_u[0], x_u[1], x_u[2], x_v[0], x_v[1], x_v[2])
    g, n = math.sqrt(x_u[0] ** 2 + x_u[1] ** 2 + x_u[2] ** 2), math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
    if g == 0.0 or n == 0.0:  # no number, in Python as in compiled code
        g = n = math.nan
    x, y, z = x_u[0] / g, x_u[1] / g, x_u[2] / g
    n0, n1, n2 = n0 / n, n1 / n, n2 / n
    y0, y1, y2 = cross(n0, n1, n2, x, y, z)
    put_block(Q, 0, 0, (x, y0, n0, y, y1, n1, z, y2, n2))


def normal_turn(g: float, a: float, b: float, x_u: Vector, x_v: Vector) -> Vector:
    """Body rates of the frame with x along (g, 0, 0) and normal to that and (a, b, 0), whose rates are x_u and x_v."""
    w1, w2 = -x_u[2] / g, x_u[1] / g
    return (x_v[2] + a * w1) / b, w1, w2


def normal_turn_rate(
    g: float, a: float, b: float, w: Vector, g1: float, a1: float, b1: float, x_u: Vector, x_v: Vector
) -> Vector:
    """Rates of `normal_turn`, which gave w, from those of all that it is made of."""
    r1, r2 = (-x_u[2] - w[1] * g1) / g, (x_u[1] - w[2] * g1) / g
    return (x_v[2] + a1 * w[1] + a * r1 - w[0] * b1) / b, r1, r2
