# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations in 50 digits, by power series and products only: shares no formula with redmax.spatial."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

import mpmath as mp
import numpy as np
from hypothesis import strategies as st

from redmax.spatial import stumpff

DIGITS = 50
BITS = 256  # of a sum after the point: 77 digits, so that what mpmath rounds to 50 is right in all of them
STEP = mp.mpf(10) ** -16  # central differences in 50 digits: error STEP^2 = 1e-32, round-off 1e-34

# Small, around the series threshold, generic, up to a half turn.
ANGLES = [
    0.0,
    1e-12,
    1e-7,
    1e-3,
    0.5,
    1.2,
    np.nextafter(stumpff.SERIES_ANGLE, 0.0),
    stumpff.SERIES_ANGLE,
    np.nextafter(stumpff.SERIES_ANGLE, 3.0),
    2.7,
    np.pi - 1e-3,
    np.pi - 1e-7,
    np.pi - 1e-12,
    np.pi,
]
ANGLES_BEYOND_PI = [np.pi + 1e-7, 4.0, 5.5, 6.2]

AXES = [
    np.array([1.0, 0.0, 0.0]),
    np.array([0.0, -1.0, 0.0]),
    np.array([0.0, 0.0, 1.0]),
    np.array([2.0, -1.0, 2.0]) / 3.0,
    np.array([-6.0, 2.0, 3.0]) / 7.0,
]


def directions() -> st.SearchStrategy[np.ndarray]:
    """Unit vectors, the axes among them."""
    number = st.floats(-1.0, 1.0, allow_subnormal=False)
    triple = st.tuples(number, number, number).filter(lambda t: np.linalg.norm(t) > 1e-3)
    return triple.map(lambda t: np.array(t) / np.linalg.norm(t))


def rotation_vectors(longest: float = np.pi) -> st.SearchStrategy[np.ndarray]:
    """Vectors of length up to `longest`, with tiny ones as likely as long ones."""
    tiny = st.floats(-14.0, 0.0).map(lambda e: 10.0**e)
    return st.tuples(directions(), st.one_of(st.floats(0.0, longest), tiny)).map(lambda d: d[0] * d[1])


def vector(x: np.ndarray) -> list[mp.mpf]:
    return [mp.mpf(float(a)) for a in np.asarray(x).ravel()]


def hat(v: list[mp.mpf]) -> mp.matrix:
    x, y, z = v
    return mp.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def series(A: mp.matrix, offset: int) -> mp.matrix:
    """sum_k A^k / (k + offset)!: the exponential of A for offset 0, its left Jacobian for offset 1.

    Summed in integers of 2^-BITS, which are ten times as quick as mpmath's numbers.
    """
    rows = [[int(mp.ldexp(A[i, j], BITS)) for j in range(3)] for i in range(3)]
    columns = list(zip(*rows, strict=True))
    term = [[(i == j) * (1 << BITS) // math.factorial(offset) for j in range(3)] for i in range(3)]
    total, k = term, 0
    while k < 4 or any(abs(number) > 1 for row in term for number in row):
        k += 1
        term = [[(sum(map(operator.mul, row, c)) >> BITS) // (k + offset) for c in columns] for row in term]
        total = [[a + b for a, b in zip(*both, strict=True)] for both in zip(total, term, strict=True)]
    return mp.matrix([[mp.ldexp(number, -BITS) for number in row] for row in total])


def exp(v: list[mp.mpf]) -> mp.matrix:
    return series(hat(v), 0)


def left_jacobian(v: list[mp.mpf]) -> mp.matrix:
    return series(hat(v), 1)


def elementary(axis: int, angle: mp.mpf) -> mp.matrix:
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = mp.eye(3)
    R[i, i] = R[j, j] = mp.cos(angle)
    R[j, i], R[i, j] = mp.sin(angle), -mp.sin(angle)
    return R


def matrix_of(x: list[mp.mpf], parametrisation: str) -> mp.matrix:
    """The rotation matrix R_ab of a parametrisation, given flat; quaternion and axis of any length."""
    if parametrisation == "matrix":
        return mp.matrix([x[0:3], x[3:6], x[6:9]])
    if parametrisation == "rotation_vector":
        return exp(x)
    if parametrisation == "angle_axis":
        length = mp.sqrt(sum(n * n for n in x[1:]))
        return exp([x[0] * n / length for n in x[1:]])
    if parametrisation == "quaternion":
        # Cayley: the rotation of (w, u) is (w + [u]) (w - [u])^-1, for w != 0; a half turn is 2 u u^T - 1.
        w, u = x[0], x[1:]
        if w == 0:
            column = mp.matrix(u)
            return 2 * column * column.T / sum(a * a for a in u) - mp.eye(3)
        return (w * mp.eye(3) + hat(u)) * mp.inverse(w * mp.eye(3) - hat(u))
    axes = ["xyz".index(letter) for letter in parametrisation.removeprefix("euler_")]
    R = mp.eye(3)
    for axis, angle in zip(axes, x, strict=True):
        R = R * elementary(axis, angle)
    return R


def derivative(f: Callable[[mp.mpf], mp.matrix]) -> mp.matrix:
    """df/dt at t = 0."""
    return (f(STEP) - f(-STEP)) / (2 * STEP)


def vee(A: mp.matrix) -> list[mp.mpf]:
    return [(A[2, 1] - A[1, 2]) / 2, (A[0, 2] - A[2, 0]) / 2, (A[1, 0] - A[0, 1]) / 2]


def angular_velocity(x: np.ndarray, xdot: np.ndarray, parametrisation: str, frame: str) -> np.ndarray:
    """omega of R(x + t xdot) at t = 0 by central differences in 50 digits."""
    with mp.workdps(DIGITS):
        at, along = vector(x), vector(xdot)
        R = matrix_of(at, parametrisation)
        Rdot = derivative(lambda t: matrix_of([a + t * b for a, b in zip(at, along, strict=True)], parametrisation))
        return np.array([float(w) for w in vee(Rdot * R.T if frame == "inertial" else R.T * Rdot)])


def numbers(A: mp.matrix) -> np.ndarray:
    return np.array(A.tolist(), dtype=float)
