# SPDX-License-Identifier: GPL-3.0-or-later
"""A track at one coordinate: Q, S and Sdot in plain scalars, one text for Python and for kernels.

Source: RM19 Alg. 4. Its line 10 is misprinted (erratum): the weight there is the derivative of the cumulative basis,
and ad is that of S before line 9 changes it. One derivative more serves frames that follow the tangent.
"""

from __future__ import annotations

import math

from ..arrays import Array
from ..spatial.scalar import Matrix, Vector, applied, cross, product, put_block, sine_cosine, stumpff, turned_back

Twist = tuple[float, float, float, float, float, float]

EXTENT, CYCLIC, SEGMENTS, PIECES, TANGENT, WEIGHTS, HEADER = 0, 1, 2, 3, 4, 5, 17
"""Where the numbers of a track begin: the range of q, whether it is closed, how many segments and pieces of length it
has (none where q is the parameter), whether it follows the tangent, the cumulative basis (3, 4); the segments."""

STEPS, BANK, SEGMENT = 12, 30, 34
"""In a segment: its first frame (R and p), the twists from frame to frame, the bank angle as a cubic."""

PIECE_TERMS = 14
"""Terms of t over the length of a piece; before them the number of its segment."""

FARTHEST = 1e15
"""Coordinates beyond this have no digits left for a place on the track."""

Place = tuple[int, float, float, float, float]


def place_on_track(data: Array, q: float) -> Place:
    """Segment, the fraction t of it, dt/dq and d2t/dq2, and how far q is beyond the nearest end of an open track."""
    extent, segments, pieces = data[EXTENT], int(data[SEGMENTS]), int(data[PIECES])
    if not abs(q) < FARTHEST:
        return 0, math.nan, 1.0, 0.0, 0.0
    x, beyond = q, 0.0
    if data[CYCLIC] != 0.0:
        x = q - extent * math.floor(q / extent)
        if not 0.0 <= x < extent:  # by round-off
            x = 0.0
    elif q < 0.0:
        x, beyond = 0.0, q
    elif q > extent:
        x, beyond = extent, q - extent
    if pieces == 0:
        segment = min(int(x), segments - 1)
        return segment, x - segment, 1.0, 0.0, beyond
    borders = HEADER + segments * SEGMENT
    low, high = 0, pieces
    while high - low > 1:
        middle = (low + high) // 2
        if data[borders + middle] <= x:
            low = middle
        else:
            high = middle
    start = data[borders + low]
    scale = 2.0 / (data[borders + low + 1] - start)
    y = (x - start) * scale - 1.0
    at = borders + pieces + 1 + low * (1 + PIECE_TERMS)
    t, t1, t2 = 0.0, 0.0, 0.0
    for k in range(PIECE_TERMS, 0, -1):
        t2 = t2 * y + t1
        t1 = t1 * y + t
        t = t * y + data[at + k]
    return int(data[at]), t, t1 * scale, 2.0 * t2 * scale * scale, beyond


def twist_exp(b: float, w0: float, w1: float, w2: float, v0: float, v1: float, v2: float) -> tuple[Matrix, Vector]:
    """exp [b (w, v)]: rotation and translation."""
    x, y, z = b * w0, b * w1, b * w2
    u0, u1, u2 = b * v0, b * v1, b * v2
    xx, yy, zz = x * x, y * y, z * z
    _, c1, c2, c3, _, _ = stumpff(xx + yy + zz)
    xy, xz, yz = c2 * x * y, c2 * x * z, c2 * y * z
    a0, a1, a2 = cross(x, y, z, u0, u1, u2)
    b0, b1, b2 = cross(x, y, z, a0, a1, a2)
    R = (
        1.0 - c2 * (yy + zz), xy - c1 * z, xz + c1 * y,
        xy + c1 * z, 1.0 - c2 * (xx + zz), yz - c1 * x,
        xz - c1 * y, yz + c1 * x, 1.0 - c2 * (xx + yy),
    )  # fmt: skip
    return R, (u0 + c2 * a0 + c3 * b0, u1 + c2 * a1 + c3 * b1, u2 + c2 * a2 + c3 * b2)


def bracket_product(a: Twist, b: Twist) -> Twist:
    """ad(a) b."""
    w0, w1, w2 = cross(a[0], a[1], a[2], b[0], b[1], b[2])
    x0, x1, x2 = cross(a[0], a[1], a[2], b[3], b[4], b[5])
    y0, y1, y2 = cross(a[3], a[4], a[5], b[0], b[1], b[2])
    return w0, w1, w2, x0 + y0, x1 + y1, x2 + y2


def combined(a: float, x: Twist, b: float, y: Twist) -> Twist:
    """a x + b y."""
    return (
        a * x[0] + b * y[0],
        a * x[1] + b * y[1],
        a * x[2] + b * y[2],
        a * x[3] + b * y[3],
        a * x[4] + b * y[4],
        a * x[5] + b * y[5],
    )


def segment_motion(data: Array, at: int, t: float, third: bool) -> tuple[Matrix, Vector, Twist, Twist, Twist]:
    """Rotation and origin of a frame at the fraction t of the segment whose numbers begin at `at`, its twist per unit
    of t, and two derivatives of that in t; the last is 0 unless `third`."""
    R = (data[at], data[at + 1], data[at + 2], data[at + 3], data[at + 4], data[at + 5], data[at + 6], data[at + 7],
         data[at + 8])  # fmt: skip
    p = (data[at + 9], data[at + 10], data[at + 11])
    S = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    S1, S2 = S, S
    for i in range(3):
        k, c = at + STEPS + 6 * i, WEIGHTS + 4 * i
        d = (data[k], data[k + 1], data[k + 2], data[k + 3], data[k + 4], data[k + 5])
        c1, c2, c3 = data[c + 1], data[c + 2], data[c + 3]
        b = data[c] + t * (c1 + t * (c2 + t * c3))
        b1, b2, b3 = c1 + t * (2.0 * c2 + 3.0 * t * c3), 2.0 * c2 + 6.0 * t * c3, 6.0 * c3
        R_i, p_i = twist_exp(b, d[0], d[1], d[2], d[3], d[4], d[5])
        x0, x1, x2 = applied(R, p_i[0], p_i[1], p_i[2])
        p = (p[0] + x0, p[1] + x1, p[2] + x2)
        R = product(R, R_i)
        turn = bracket_product(S, d)
        if third:  # d/dt of the line below
            further = combined(2.0 * b1, bracket_product(S1, d), b1 * b1, bracket_product(turn, d))
            S2 = combined(1.0, S2, 1.0, combined(1.0, further, b2, turn))
            S2 = combined(
                1.0, turned_back(R_i, p_i, S2[0], S2[1], S2[2], S2[3], S2[4], S2[5]), b3, d
            )  # fmt: skip
        S1 = combined(1.0, S1, b1, turn)
        S1 = combined(1.0, turned_back(R_i, p_i, S1[0], S1[1], S1[2], S1[3], S1[4], S1[5]), b2, d)
        S = combined(1.0, turned_back(R_i, p_i, S[0], S[1], S[2], S[3], S[4], S[5]), b1, d)
    return R, p, S, S1, S2


def following(
    R: Matrix, S: Twist, S1: Twist, S2: Twist, bank: float, bank1: float, bank2: float
) -> tuple[Matrix, Twist, Twist]:
    """Rotation, twist and derivative of the twist of a frame at the same origin with x along its velocity.

    In the frame R of twist S it is Rz(heading) Ry(-climb) Rx(bank), where heading and climb are those of the velocity.
    """
    x, y, z = S[3], S[4], S[5]
    x1, y1, z1 = S1[3], S1[4], S1[5]
    level = x * x + y * y
    rho = math.sqrt(level)
    square = level + z * z
    speed = math.sqrt(square)
    # heading h = atan2(y, x), climb c = atan2(z, rho) and their derivatives
    area, along = x * y1 - y * x1, x * x1 + y * y1
    h1 = area / level
    h2 = (x * S2[4] - y * S2[3]) / level - 2.0 * h1 * along / level
    rho1 = along / rho
    rho2 = (x1 * x1 + y1 * y1 + x * S2[3] + y * S2[4] - rho1 * rho1) / rho
    speed1 = (along + z * z1) / speed
    c1 = (rho * z1 - z * rho1) / square
    c2 = (rho * S2[5] - z * rho2) / square - 2.0 * c1 * speed1 / speed
    sin_h, cos_h = y / rho, x / rho
    sin_c, cos_c = z / speed, rho / speed
    sin_b, cos_b = sine_cosine(bank)
    A = (
        cos_h * cos_c, -cos_h * sin_c * sin_b - sin_h * cos_b, -cos_h * sin_c * cos_b + sin_h * sin_b,
        sin_h * cos_c, -sin_h * sin_c * sin_b + cos_h * cos_b, -sin_h * sin_c * cos_b - cos_h * sin_b,
        sin_c, cos_c * sin_b, cos_c * cos_b,
    )  # fmt: skip
    # rates of these angles in the new axes: w = (b' + h' sin c, -c' cos b + h' cos c sin b, c' sin b + h' cos c cos b)
    g, g1 = h1 * cos_c, h2 * cos_c - h1 * c1 * sin_c
    w0, w1, w2 = bank1 + h1 * sin_c, g * sin_b - c1 * cos_b, c1 * sin_b + g * cos_b
    a0 = bank2 + h2 * sin_c + h1 * c1 * cos_c
    a1 = g1 * sin_b - c2 * cos_b + bank1 * w2
    a2 = c2 * sin_b + g1 * cos_b - bank1 * w1
    # the frame's own rotation, seen in the new axes
    u0, u1, u2, _, _, _ = turned_back(A, (0.0, 0.0, 0.0), S[0], S[1], S[2], 0.0, 0.0, 0.0)
    e0, e1, e2, _, _, _ = turned_back(A, (0.0, 0.0, 0.0), S1[0], S1[1], S1[2], 0.0, 0.0, 0.0)
    f0, f1, f2 = cross(u0, u1, u2, w0, w1, w2)
    new = (u0 + w0, u1 + w1, u2 + w2, speed, 0.0, 0.0)
    return product(R, A), new, (e0 + f0 + a0, e1 + f1 + a1, e2 + f2 + a2, speed1, 0.0, 0.0)


def put_curve_motion(data: Array, q: float, qdot: float, Q: Array, S: Array, Sdot: Array) -> None:
    """Fill Q (4, 4), S and Sdot (6, 1) of a joint on a track at q, moving at qdot.

    Beyond the ends of an open track it goes on with the twist that it has there.
    """
    segment, t, t1, t2, beyond = place_on_track(data, q)
    at = HEADER + segment * SEGMENT
    follows = data[TANGENT] != 0.0
    R, p, V, V1, V2 = segment_motion(data, at, t, follows)
    if follows:
        k0, k1, k2, k3 = data[at + BANK], data[at + BANK + 1], data[at + BANK + 2], data[at + BANK + 3]
        R, V, V1 = following(
            R, V, V1, V2,
            k0 + t * (k1 + t * (k2 + t * k3)), k1 + t * (2.0 * k2 + 3.0 * t * k3), 2.0 * k2 + 6.0 * t * k3,
        )  # fmt: skip
    if beyond != 0.0:
        R_i, p_i = twist_exp(beyond * t1, V[0], V[1], V[2], V[3], V[4], V[5])
        x0, x1, x2 = applied(R, p_i[0], p_i[1], p_i[2])
        p = (p[0] + x0, p[1] + x1, p[2] + x2)
        R = product(R, R_i)
        V1 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        t2 = 0.0
    put_block(Q, 0, 0, R)
    Q[0, 3], Q[1, 3], Q[2, 3] = p[0], p[1], p[2]
    rate = combined(t1 * t1 * qdot, V1, t2 * qdot, V)
    for k in range(6):
        S[k, 0], Sdot[k, 0] = t1 * V[k], rate[k]
