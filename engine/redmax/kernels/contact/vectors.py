# SPDX-License-Identifier: GPL-3.0-or-later
"""Vectors as tuples of three numbers, and poses as tuples of twelve: matrix by rows, origin."""

from __future__ import annotations

import math
from typing import TypeAlias

from ...arrays import Array

Vector: TypeAlias = tuple[float, float, float]
Pose: TypeAlias = tuple[float, float, float, float, float, float, float, float, float, float, float, float]


def dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def plus(a: Vector, b: Vector) -> Vector:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def minus(a: Vector, b: Vector) -> Vector:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def along(a: Vector, s: float, d: Vector) -> Vector:
    """a + s d"""
    return (a[0] + s * d[0], a[1] + s * d[1], a[2] + s * d[2])


def times(s: float, a: Vector) -> Vector:
    return (s * a[0], s * a[1], s * a[2])


def length(a: Vector) -> float:
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


def turned(E: Pose, a: Vector) -> Vector:
    """R a"""
    return (
        E[0] * a[0] + E[1] * a[1] + E[2] * a[2],
        E[3] * a[0] + E[4] * a[1] + E[5] * a[2],
        E[6] * a[0] + E[7] * a[1] + E[8] * a[2],
    )


def turned_back(E: Pose, a: Vector) -> Vector:
    """R^T a"""
    return (
        E[0] * a[0] + E[3] * a[1] + E[6] * a[2],
        E[1] * a[0] + E[4] * a[1] + E[7] * a[2],
        E[2] * a[0] + E[5] * a[1] + E[8] * a[2],
    )


def placed(E: Pose, a: Vector) -> Vector:
    """R a + p"""
    x, y, z = turned(E, a)
    return (x + E[9], y + E[10], z + E[11])


def relative(E: Pose, F: Pose) -> Pose:
    """E^-1 F: the frame F seen from E."""
    x = turned_back(E, (F[0], F[3], F[6]))
    y = turned_back(E, (F[1], F[4], F[7]))
    z = turned_back(E, (F[2], F[5], F[8]))
    p = turned_back(E, (F[9] - E[9], F[10] - E[10], F[11] - E[11]))
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2], p[0], p[1], p[2])


def pose_at(numbers: Array, at: int) -> Pose:
    """The pose that begins at a place of an array."""
    return (
        numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3], numbers[at + 4], numbers[at + 5],
        numbers[at + 6], numbers[at + 7], numbers[at + 8], numbers[at + 9], numbers[at + 10], numbers[at + 11],
    )  # fmt: skip


def vector_at(numbers: Array, at: int) -> Vector:
    return (numbers[at], numbers[at + 1], numbers[at + 2])


def put_vector(numbers: Array, at: int, a: Vector) -> None:
    numbers[at], numbers[at + 1], numbers[at + 2] = a[0], a[1], a[2]


def across(n: Vector) -> Vector:
    """A unit vector across a unit vector, a smooth function of it but for n near -z. Source: Duff et al., "Building an
    Orthonormal Basis, Revisited", JCGT 6 (2017)."""
    sign = 1.0 if n[2] >= 0.0 else -1.0
    a = -1.0 / (sign + n[2])
    return (1.0 + sign * n[0] * n[0] * a, sign * n[0] * n[1] * a, -sign * n[0])
