# SPDX-License-Identifier: GPL-3.0-or-later
"""Euler angles as joint coordinates: twelve charts, one of which is always far from gimbal lock."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Array
from ..spatial import euler
from ..spatial.scalar import Matrix, Vector, applied, axis_rotation, cross, product, solved3

CHARTS: tuple[euler.Sequence, ...] = (
    "xyx", "xzx", "yzy", "yxy", "zxz", "zyz", "xyz", "xzy", "yzx", "yxz", "zxy", "zyx",
)  # fmt: skip
"""Chart k > 0 is CHARTS[k - 1]; chart 0 is the joint's own sequence. The reference implementation numbers alike."""

CHART_COUNT = len(CHARTS) + 1
AXES = np.array([["xyz".index(letter) for letter in sequence] for sequence in CHARTS], np.int64)
"""Axes 0, 1, 2 of each sequence; row k is chart k + 1."""

SMALLEST_DETERMINANT = 0.5
"""A chart is left when |det S| is no larger; the best one is never worse than sqrt(2/3)."""

GIMBAL_LOCK = 1e-15
"""Where |det S| is no larger, rates of single angles mean nothing: the least ones that do are taken."""


def axes_of(sequence: euler.Sequence) -> tuple[float, float, float]:
    """Axes 0, 1, 2 of a sequence, as a joint's data have them."""
    i, j, k = ("xyz".index(letter) for letter in sequence)
    return float(i), float(j), float(k)


def chart_axes(chart: int, own0: float, own1: float, own2: float) -> tuple[int, int, int]:
    """Axes of a chart of a joint whose own sequence has the axes own0, own1, own2."""
    if chart == 0:
        return int(own0), int(own1), int(own2)
    return AXES[chart - 1, 0], AXES[chart - 1, 1], AXES[chart - 1, 2]


def euler_motion(a: float, b: float, c: float, i: int, j: int, k: int) -> tuple[Matrix, Matrix]:
    """R = R_i(a) R_j(b) R_k(c) and J, whose columns are the axes in the turned frame; nine numbers each."""
    Rc = axis_rotation(k, c)
    Rbc = product(axis_rotation(j, b), Rc)
    # columns of J: Rbc^T e_i, Rc^T e_j and e_k, the first two being rows of Rbc and Rc
    z0, z1, z2 = 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0
    J = (
        Rbc[3 * i], Rc[3 * j], z0, Rbc[3 * i + 1], Rc[3 * j + 1], z1, Rbc[3 * i + 2], Rc[3 * j + 2], z2,
    )  # fmt: skip
    return product(axis_rotation(i, a), Rbc), J


def euler_jacobian_dot(J: Matrix, rate_b: float, rate_c: float) -> Matrix:
    """dJ/dt, nine numbers. Each axis is fixed in a frame that the later angles turn: it moves as axis x turning."""
    x, y, z = cross(
        J[0], J[3], J[6], J[1] * rate_b + J[2] * rate_c, J[4] * rate_b + J[5] * rate_c, J[7] * rate_b + J[8] * rate_c
    )
    u, v, w = cross(J[1], J[4], J[7], J[2] * rate_c, J[5] * rate_c, J[8] * rate_c)
    return x, u, 0.0, y, v, 0.0, z, w, 0.0


def euler_rates(J: Matrix, x: float, y: float, z: float) -> Vector:
    """Rates of three angles with the angular velocity (x, y, z) in the turned frame; the least ones at gimbal lock."""
    u, v, w = cross(J[1], J[4], J[7], J[2], J[5], J[8])
    if abs(J[0] * u + J[3] * v + J[6] * w) > GIMBAL_LOCK:
        return solved3(J, x, y, z)
    # the first axis is along the last and across the second: both turn half of what is asked for
    return (
        0.5 * (J[0] * x + J[3] * y + J[6] * z),
        J[1] * x + J[4] * y + J[7] * z,
        0.5 * (J[2] * x + J[5] * y + J[8] * z),
    )


def euler_angles(M: Matrix, i: int, j: int, last: int) -> Vector:
    """Angles of a rotation matrix in a sequence of axes; the middle one in [0, pi] or [-pi/2, pi/2].

    The last angle is taken from what the first leaves, so that near gimbal lock, where single angles are noise,
    together they still give the rotation back.
    """
    k = 3 - i - j
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    if last == i:
        b = math.atan2(math.hypot(M[3 * j + i], M[3 * k + i]), M[3 * i + i])
        a = math.atan2(M[3 * j + i], -sign * M[3 * k + i])
    else:
        b = math.atan2(sign * M[3 * i + k], math.hypot(M[3 * j + k], M[3 * k + k]))
        a = math.atan2(-sign * M[3 * j + k], M[3 * k + k])
    cos_a, sin_a = math.cos(a), sign * math.sin(a)
    across = k if last == i else i
    side = -sign if last == i else sign
    s = side * (cos_a * M[3 * j + across] + sin_a * M[3 * k + across])
    return a, b, math.atan2(s, cos_a * M[3 * j + j] + sin_a * M[3 * k + j])


def recentre_angles(first: int, data: Array, q: Array, qdot: Array, chart: int) -> int:
    """Write three angles q[first:] in the best chart if the present one comes near gimbal lock.

    The best chart has the largest |det S|, the first of equals. With the axes i, j, k of a chart, |det S| is
    sqrt(1 - R_ik^2), so no angles are needed to choose. data: axes of the joint's own sequence.
    Gives the chart, or -1 where nothing changed.
    """
    i, j, k = chart_axes(chart, data[0], data[1], data[2])
    R, J = euler_motion(q[first], q[first + 1], q[first + 2], i, j, k)
    lock = R[3 * i + k]
    if not math.sqrt(max(0.0, 1.0 - lock * lock)) <= SMALLEST_DETERMINANT:
        return -1
    best, least = 0, math.inf
    for candidate in range(AXES.shape[0]):
        size = abs(R[3 * AXES[candidate, 0] + AXES[candidate, 2]])
        if size < least:
            best, least = candidate, size
    x, y, z = applied(J, qdot[first], qdot[first + 1], qdot[first + 2])
    i, j, k = AXES[best, 0], AXES[best, 1], AXES[best, 2]
    put_angles(first, q, qdot, euler_angles(R, i, j, k), i, j, k, x, y, z)
    return best + 1


def rewrite_angles(first: int, data: Array, q: Array, qdot: Array, chart: int, chart_like: int, q_like: Array) -> None:
    """Write three angles q[first:] in `chart_like`, as near to those of q_like as that chart allows."""
    if chart == chart_like:
        return
    i, j, k = chart_axes(chart, data[0], data[1], data[2])
    R, J = euler_motion(q[first], q[first + 1], q[first + 2], i, j, k)
    x, y, z = applied(J, qdot[first], qdot[first + 1], qdot[first + 2])
    i, j, k = chart_axes(chart_like, data[0], data[1], data[2])
    a, b, c = euler_angles(R, i, j, k)
    # (a, b, c) and its twin are the same rotation, and whole turns of each angle are free.
    twin_b = -b if i == k else math.pi - b
    p, r, s = q_like[first], q_like[first + 1], q_like[first + 2]
    a2, b2, c2 = nearest_turn(a + math.pi, p), nearest_turn(twin_b, r), nearest_turn(c + math.pi, s)
    a, b, c = nearest_turn(a, p), nearest_turn(b, r), nearest_turn(c, s)
    if (a2 - p) ** 2 + (b2 - r) ** 2 + (c2 - s) ** 2 < (a - p) ** 2 + (b - r) ** 2 + (c - s) ** 2:
        a, b, c = a2, b2, c2
    put_angles(first, q, qdot, (a, b, c), i, j, k, x, y, z)


def nearest_turn(angle: float, like: float) -> float:
    """An angle with as many whole turns added as bring it nearest to another."""
    return angle + 2.0 * math.pi * float(np.rint((like - angle) / (2.0 * math.pi)))


def put_angles(
    first: int, q: Array, qdot: Array, angles: Vector, i: int, j: int, k: int, x: float, y: float, z: float
) -> None:
    """Write angles about the axes i, j, k, and their rates for the angular velocity (x, y, z) in the turned frame."""
    a, b, c = angles
    _, J = euler_motion(a, b, c, i, j, k)
    q[first], q[first + 1], q[first + 2] = a, b, c
    qdot[first], qdot[first + 1], qdot[first + 2] = euler_rates(J, x, y, z)


def determinant(R: Array, sequence: euler.Sequence) -> float:
    """|det S| of the chart `sequence` at the rotation R (3, 3): 1 at best, 0 at gimbal lock."""
    first, _, last = euler.axes(sequence)
    return float(np.sqrt(max(0.0, 1.0 - R[first, last] ** 2)))
