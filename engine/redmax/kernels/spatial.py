# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled rotations, cross products and 3 x 3 matrices, all in plain scalars."""

from __future__ import annotations

import math

import numpy as np

from .cache.jit import inlined, inner

SERIES_ANGLE = 2.0
"""Series below, closed forms from here on [rad], as in `spatial.stumpff`."""

_C4 = tuple((-1.0) ** j / math.factorial(4 + 2 * j) for j in range(12))
_C5 = tuple((-1.0) ** j / math.factorial(5 + 2 * j) for j in range(12))
(A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11) = _C4
(B0, B1, B2, B3, B4, B5, B6, B7, B8, B9, B10, B11) = _C5

# sin and cos on [-pi/4, pi/4] by the Taylor series, whose first omitted terms are below 1e-19 there
_SIN = tuple((-1.0) ** j / math.factorial(2 * j + 1) for j in range(1, 9))
_COS = tuple((-1.0) ** j / math.factorial(2 * j) for j in range(2, 10))
(S1, S2, S3, S4, S5, S6, S7, S8) = _SIN
(C2, C3, C4, C5, C6, C7, C8, C9) = _COS
QUARTERS_PER_RADIAN = 2.0 / math.pi
QUARTER_HIGH, QUARTER_MIDDLE, QUARTER_LOW = 1.5707963109016418, 1.5893254712295857e-08, 6.123233995736766e-17
"""pi / 2 in three parts; the first has so few digits that up to LARGEST_REDUCED its multiples are exact."""
LARGEST_REDUCED = 1e5


@inlined
def sine_cosine(x):
    """sin x and cos x of x [rad], to about one unit in the last place; quicker than two calls of the C library."""
    if not abs(x) < LARGEST_REDUCED:
        return math.sin(x), math.cos(x)
    quarters = np.rint(x * QUARTERS_PER_RADIAN)
    y = ((x - quarters * QUARTER_HIGH) - quarters * QUARTER_MIDDLE) - quarters * QUARTER_LOW
    z = y * y
    z2 = z * z
    z4 = z2 * z2
    s = y + y * z * ((S1 + z * S2) + z2 * (S3 + z * S4) + z4 * ((S5 + z * S6) + z2 * (S7 + z * S8)))
    c = (1.0 - 0.5 * z) + z2 * ((C2 + z * C3) + z2 * (C4 + z * C5) + z4 * ((C6 + z * C7) + z2 * (C8 + z * C9)))
    quadrant = int(quarters) & 3
    sine, cosine = (c, s) if quadrant & 1 else (s, c)
    return (-sine if quadrant & 2 else sine), (-cosine if (quadrant + 1) & 2 else cosine)


@inner
def stumpff(x):
    """c0 ... c5 of the angle sqrt(x): the coefficients of the exponential map and its Jacobians."""
    if x < SERIES_ANGLE * SERIES_ANGLE:
        x2 = x * x
        x4 = x2 * x2
        c4 = (
            ((A0 + x * A1) + x2 * (A2 + x * A3))
            + x4 * ((A4 + x * A5) + x2 * (A6 + x * A7))
            + (x4 * x4) * ((A8 + x * A9) + x2 * (A10 + x * A11))
        )
        c5 = (
            ((B0 + x * B1) + x2 * (B2 + x * B3))
            + x4 * ((B4 + x * B5) + x2 * (B6 + x * B7))
            + (x4 * x4) * ((B8 + x * B9) + x2 * (B10 + x * B11))
        )
        c3 = 1.0 / 6.0 - x * c5
        c2 = 0.5 - x * c4
        return 1.0 - x * c2, 1.0 - x * c3, c2, c3, c4, c5
    theta = math.sqrt(x)
    s, c0 = sine_cosine(theta)
    half = math.sin(0.5 * theta) / theta
    c1 = s / theta
    c2 = 2.0 * half * half
    c3 = (theta - s) / (x * theta)
    return c0, c1, c2, c3, (0.5 - c2) / x, (1.0 / 6.0 - c3) / x


@inlined
def cross(ax, ay, az, bx, by, bz):
    """a x b."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@inlined
def turned_back(R, p, w0, w1, w2, v0, v1, v2):
    """Twist (w, v) in the frame (R, p): R^T w and R^T (v + w x p)."""
    v0, v1, v2 = v0 + w1 * p[2] - w2 * p[1], v1 + w2 * p[0] - w0 * p[2], v2 + w0 * p[1] - w1 * p[0]
    return (
        R[0] * w0 + R[3] * w1 + R[6] * w2,
        R[1] * w0 + R[4] * w1 + R[7] * w2,
        R[2] * w0 + R[5] * w1 + R[8] * w2,
        R[0] * v0 + R[3] * v1 + R[6] * v2,
        R[1] * v0 + R[4] * v1 + R[7] * v2,
        R[2] * v0 + R[5] * v1 + R[8] * v2,
    )


@inlined
def product(A, B):
    """A B of two 3 x 3 matrices, each nine numbers row by row."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@inlined
def applied(A, x, y, z):
    """A (x, y, z) of a 3 x 3 matrix, nine numbers row by row."""
    return A[0] * x + A[1] * y + A[2] * z, A[3] * x + A[4] * y + A[5] * z, A[6] * x + A[7] * y + A[8] * z


@inner
def ball_motion(x, y, z):
    """Rotation exp [q] as nine numbers, right Jacobian of q as nine numbers, and the coefficients c3, c4, c5."""
    xx, yy, zz = x * x, y * y, z * z
    _, c1, c2, c3, c4, c5 = stumpff(xx + yy + zz)
    xy, xz, yz = x * y, x * z, y * z
    R = (
        1.0 - c2 * (yy + zz), c2 * xy - c1 * z, c2 * xz + c1 * y,
        c2 * xy + c1 * z, 1.0 - c2 * (xx + zz), c2 * yz - c1 * x,
        c2 * xz - c1 * y, c2 * yz + c1 * x, 1.0 - c2 * (xx + yy),
    )  # fmt: skip
    J = (
        1.0 - c3 * (yy + zz), c3 * xy + c2 * z, c3 * xz - c2 * y,
        c3 * xy - c2 * z, 1.0 - c3 * (xx + zz), c3 * yz + c2 * x,
        c3 * xz + c2 * y, c3 * yz - c2 * x, 1.0 - c3 * (xx + yy),
    )  # fmt: skip
    return R, J, c3, c4, c5


@inner
def ball(x, y, z):
    """Rotation exp [q] and right Jacobian of q, nine numbers each."""
    R, J, _, _, _ = ball_motion(x, y, z)
    return R, J


@inner
def ball_bias(x, y, z, dx, dy, dz, c3, c4, c5):
    """Jdot qdot of the right Jacobian J of q along qdot; c3, c4, c5 as `ball_motion` gives them."""
    along = x * dx + y * dy + z * dz
    a0, a1, a2 = cross(x, y, z, dx, dy, dz)
    b0, b1, b2 = cross(x, y, z, a0, a1, a2)
    e0, e1, e2 = cross(dx, dy, dz, a0, a1, a2)
    f, g = -(2.0 * c4 - c3) * along, (3.0 * c5 - c4) * along
    return f * a0 + g * b0 + c3 * e0, f * a1 + g * b1 + c3 * e1, f * a2 + g * b2 + c3 * e2


@inlined
def axis_rotation(axis, angle):
    """Rotation by an angle [rad] about axis x, y or z (0, 1, 2), as nine numbers."""
    s, c = sine_cosine(angle)
    if axis == 0:
        return 1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c
    if axis == 1:
        return c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c
    return c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0


@inlined
def solved3(M, x, y, z):
    """M^-1 (x, y, z) of a 3 x 3 matrix by cofactors."""
    a, b, c = M[4] * M[8] - M[5] * M[7], M[5] * M[6] - M[3] * M[8], M[3] * M[7] - M[4] * M[6]
    d = 1.0 / (M[0] * a + M[1] * b + M[2] * c)
    return (
        d * (a * x + (M[2] * M[7] - M[1] * M[8]) * y + (M[1] * M[5] - M[2] * M[4]) * z),
        d * (b * x + (M[0] * M[8] - M[2] * M[6]) * y + (M[2] * M[3] - M[0] * M[5]) * z),
        d * (c * x + (M[1] * M[6] - M[0] * M[7]) * y + (M[0] * M[4] - M[1] * M[3]) * z),
    )


@inlined
def solved_transposed(M, x, y, z):
    """M^-T (x, y, z) of a 3 x 3 matrix."""
    return solved3((M[0], M[3], M[6], M[1], M[4], M[7], M[2], M[5], M[8]), x, y, z)


@inlined
def turned_into(R, x, y, z):
    """R^T (x, y, z)."""
    return R[0] * x + R[3] * y + R[6] * z, R[1] * x + R[4] * y + R[7] * z, R[2] * x + R[5] * y + R[8] * z


@inlined
def centripetal(w0, w1, w2, x, y, z):
    """w x (w x p) = w (w . p) - p (w . w)."""
    along, square = w0 * x + w1 * y + w2 * z, w0 * w0 + w1 * w1 + w2 * w2
    return w0 * along - x * square, w1 * along - y * square, w2 * along - z * square
