# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations, cross products and small linear systems in plain scalars: one text for Python and for kernels.

A 3 x 3 matrix is a tuple of nine numbers, row by row; a vector is three numbers. No function here allocates anything,
so that `kernels` compiles the same text (`kernels.cache.same_text`).
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Array

Vector = tuple[float, float, float]
Matrix = tuple[float, float, float, float, float, float, float, float, float]

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


def sine_cosine(x: float) -> tuple[float, float]:
    """sin x and cos x of x [rad], to about one unit in the last place; quicker than two calls of the C library."""
    if not abs(x) < LARGEST_REDUCED:
        nothing = x - x  # not a number where x is none, or infinite
        return (math.sin(x), math.cos(x)) if nothing == 0.0 else (nothing, nothing)
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


def stumpff(x: float) -> tuple[float, float, float, float, float, float]:
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


def cross(ax: float, ay: float, az: float, bx: float, by: float, bz: float) -> Vector:
    """a x b."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


def turned_back(
    R: Matrix, p: Vector, w0: float, w1: float, w2: float, v0: float, v1: float, v2: float
) -> tuple[float, float, float, float, float, float]:
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


def product(A: Matrix, B: Matrix) -> Matrix:
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


def applied(A: Matrix, x: float, y: float, z: float) -> Vector:
    """A (x, y, z)."""
    return A[0] * x + A[1] * y + A[2] * z, A[3] * x + A[4] * y + A[5] * z, A[6] * x + A[7] * y + A[8] * z


def ball_motion(x: float, y: float, z: float) -> tuple[Matrix, Matrix, float, float, float]:
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


def ball(x: float, y: float, z: float) -> tuple[Matrix, Matrix]:
    """Rotation exp [q] and right Jacobian of q, nine numbers each."""
    R, J, _, _, _ = ball_motion(x, y, z)
    return R, J


def ball_bias(x: float, y: float, z: float, dx: float, dy: float, dz: float, c3: float, c4: float, c5: float) -> Vector:
    """Jdot qdot of the right Jacobian J of q along qdot; c3, c4, c5 as `ball_motion` gives them."""
    along = x * dx + y * dy + z * dz
    a0, a1, a2 = cross(x, y, z, dx, dy, dz)
    b0, b1, b2 = cross(x, y, z, a0, a1, a2)
    e0, e1, e2 = cross(dx, dy, dz, a0, a1, a2)
    f, g = -(2.0 * c4 - c3) * along, (3.0 * c5 - c4) * along
    return f * a0 + g * b0 + c3 * e0, f * a1 + g * b1 + c3 * e1, f * a2 + g * b2 + c3 * e2


def axis_rotation(axis: int, angle: float) -> Matrix:
    """Rotation by an angle [rad] about axis x, y or z (0, 1, 2)."""
    s, c = sine_cosine(angle)
    if axis == 0:
        return 1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c
    if axis == 1:
        return c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c
    return c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0


def solved3(M: Matrix, x: float, y: float, z: float) -> Vector:
    """M^-1 (x, y, z) of a 3 x 3 matrix by cofactors."""
    a, b, c = M[4] * M[8] - M[5] * M[7], M[5] * M[6] - M[3] * M[8], M[3] * M[7] - M[4] * M[6]
    d = 1.0 / (M[0] * a + M[1] * b + M[2] * c)
    return (
        d * (a * x + (M[2] * M[7] - M[1] * M[8]) * y + (M[1] * M[5] - M[2] * M[4]) * z),
        d * (b * x + (M[0] * M[8] - M[2] * M[6]) * y + (M[2] * M[3] - M[0] * M[5]) * z),
        d * (c * x + (M[1] * M[6] - M[0] * M[7]) * y + (M[0] * M[4] - M[1] * M[3]) * z),
    )


def solved_transposed(M: Matrix, x: float, y: float, z: float) -> Vector:
    """M^-T (x, y, z) of a 3 x 3 matrix."""
    return solved3(transposed(M), x, y, z)


def turned_into(R: Matrix, x: float, y: float, z: float) -> Vector:
    """R^T (x, y, z)."""
    return R[0] * x + R[3] * y + R[6] * z, R[1] * x + R[4] * y + R[7] * z, R[2] * x + R[5] * y + R[8] * z


def centripetal(w0: float, w1: float, w2: float, x: float, y: float, z: float) -> Vector:
    """w x (w x p) = w (w . p) - p (w . w)."""
    along, square = w0 * x + w1 * y + w2 * z, w0 * w0 + w1 * w1 + w2 * w2
    return w0 * along - x * square, w1 * along - y * square, w2 * along - z * square


def moving_point(E: Array, V: Array, x: float, y: float, z: float) -> tuple[Vector, Vector, Vector]:
    """A point (x, y, z) of a body in the world: where it is, its velocity, and what velocities add to its acceleration.

    E: (4, 4) pose of the body's frame. V: (6,) its twist, in its own axes, of whose components accelerations are the
    derivatives. Source: RBDN eq. 2.89.
    """
    R = (E[0, 0], E[0, 1], E[0, 2], E[1, 0], E[1, 1], E[1, 2], E[2, 0], E[2, 1], E[2, 2])
    p0, p1, p2 = applied(R, x, y, z)
    c0, c1, c2 = cross(V[0], V[1], V[2], x, y, z)
    v0, v1, v2 = V[3] + c0, V[4] + c1, V[5] + c2
    a0, a1, a2 = cross(V[0], V[1], V[2], v0, v1, v2)
    place = (p0 + E[0, 3], p1 + E[1, 3], p2 + E[2, 3])
    return place, applied(R, v0, v1, v2), applied(R, a0, a1, a2)


def put_push(E: Array, x: float, y: float, z: float, u: Vector, result: Array, start: int) -> None:
    """Write the wrench, in a body's own axes, of a force u given in the world at its point (x, y, z): six numbers.

    Times the body's twist it is u . velocity of that point. E: (4, 4) pose of the body's frame.
    """
    R = (E[0, 0], E[0, 1], E[0, 2], E[1, 0], E[1, 1], E[1, 2], E[2, 0], E[2, 1], E[2, 2])
    f0, f1, f2 = turned_into(R, u[0], u[1], u[2])
    result[start], result[start + 1], result[start + 2] = cross(x, y, z, f0, f1, f2)
    result[start + 3], result[start + 4], result[start + 5] = f0, f1, f2


def negative_cross_matrix(x: float, y: float, z: float, M: Matrix) -> Matrix:
    """-[v] M of a vector v = (x, y, z) and a matrix."""
    return (
        z * M[3] - y * M[6], z * M[4] - y * M[7], z * M[5] - y * M[8],
        x * M[6] - z * M[0], x * M[7] - z * M[1], x * M[8] - z * M[2],
        y * M[0] - x * M[3], y * M[1] - x * M[4], y * M[2] - x * M[5],
    )  # fmt: skip


def rotation_about(x: float, y: float, z: float, angle: float) -> Matrix:
    """Rotation by an angle about the unit vector (x, y, z)."""
    s, c = sine_cosine(angle)
    half, _ = sine_cosine(0.5 * angle)
    k = 2.0 * half * half  # 1 - cos, to all digits
    xy, xz, yz = k * x * y, k * x * z, k * y * z
    return (
        c + k * x * x, xy - s * z, xz + s * y,
        xy + s * z, c + k * y * y, yz - s * x,
        xz - s * y, yz + s * x, c + k * z * z,
    )  # fmt: skip


def rotation_vector_motion(
    x: float, y: float, z: float, dx: float, dy: float, dz: float
) -> tuple[Matrix, Matrix, Matrix]:
    """R = exp [q], its right Jacobian J and dJ/dt along the rates; q = (x, y, z). Source: RM19 eq. 36-41."""
    R, J, c3, c4, c5 = ball_motion(x, y, z)
    _, _, c2, _, _, _ = stumpff(x * x + y * y + z * z)
    along = x * dx + y * dy + z * dz
    # J = 1 - c2 [q] + c3 [q]^2, where dc2/dt = (2 c4 - c3) q.qdot and dc3/dt = (3 c5 - c4) q.qdot
    d2, d3 = (2.0 * c4 - c3) * along, (3.0 * c5 - c4) * along
    a, b, c = d2 * x + c2 * dx, d2 * y + c2 * dy, d2 * z + c2 * dz
    diagonal = -d3 * (x * x + y * y + z * z) - 2.0 * c3 * along
    xy = d3 * x * y + c3 * (x * dy + y * dx)
    xz = d3 * x * z + c3 * (x * dz + z * dx)
    yz = d3 * y * z + c3 * (y * dz + z * dy)
    Jdot = (
        d3 * x * x + 2.0 * c3 * x * dx + diagonal, xy + c, xz - b,
        xy - c, d3 * y * y + 2.0 * c3 * y * dy + diagonal, yz + a,
        xz + b, yz - a, d3 * z * z + 2.0 * c3 * z * dz + diagonal,
    )  # fmt: skip
    return R, J, Jdot


def put_block(A: Array, row: int, column: int, M: Matrix) -> None:
    """Write a matrix into an array, from a row and a column on."""
    A[row, column], A[row, column + 1], A[row, column + 2] = M[0], M[1], M[2]
    A[row + 1, column], A[row + 1, column + 1], A[row + 1, column + 2] = M[3], M[4], M[5]
    A[row + 2, column], A[row + 2, column + 1], A[row + 2, column + 2] = M[6], M[7], M[8]


def transposed(M: Matrix) -> Matrix:
    """M^T."""
    return M[0], M[3], M[6], M[1], M[4], M[7], M[2], M[5], M[8]


SMALL = (
    *(sine_cosine, cross, turned_back, product, applied, axis_rotation, solved3, solved_transposed, turned_into),
    *(centripetal, negative_cross_matrix, rotation_about, put_block, transposed),
)
"""Functions so short that the compiler makes them part of whatever calls them."""
