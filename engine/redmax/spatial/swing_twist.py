# SPDX-License-Identifier: GPL-3.0-or-later
"""Swing and twist of a rotation, and how far they are from their limits: one text for Python and for kernels.

R = swing * twist, a turn about z first and then one about an axis across z, which brings z to d = R z. The swing is the
rotation vector (sx, sy, 0) of the shortest turn from z to d, so its length is the angle between z and d; the twist is
psi with R = exp(s) R_z(psi). Both are smooth but at a swing of pi, where d = -z.

A limit is a function of R, its room [rad]: positive where there is room left, zero at the limit. Its rate is g . w with
w the angular velocity of R in the axes that R leads to (Rdot = [w] R), and its second derivative g . wdot + drift.
Source: docs/equations.md, "Swing and twist".
"""

from __future__ import annotations

import math

from .scalar import Matrix

CONE, TWIST = range(2)
"""Kinds of limits. Their shapes are three numbers: of a CONE (1/a^2, 1/b^2, 1/c^2), a and b the half-angles for turns
about x and y, infinite for none, and c the larger finite one [rad]; of a TWIST (half-range [rad], +1 for the lower
limit or -1 for the upper one, unused)."""

SERIES = 0.25
"""Below this 1 - cos(swing) the series is used, whose terms fall by 8; the closed form has lost two digits there."""
TERMS = 26
LEAST = 1e-30
"""Keeps what has no value at a swing of pi from dividing by zero there."""

Motion = tuple[float, float, float, float, float]
"""Room [rad], g (three numbers) and drift [rad/s^2] of a limit."""


def arc_over_sine(x: float, y: float, z: float) -> tuple[float, float, float]:
    """k = sigma / sin(sigma) of the angle sigma between z and the unit vector (x, y, z), dk/dz and d2k/dz2."""
    e = 1.0 - z
    if e < SERIES:
        # k = sum of a_n e^n with a_n = a_(n-1) n / (2 n + 1)
        u = 1.0 / 3.0
        k, k1, k2 = 1.0 + u * e, -u, 0.0
        for n in range(2, TERMS):
            v = u * n / (2 * n + 1)
            u = v * e
            k, k1, k2 = k + u * e, k1 - n * u, k2 + n * (n - 1) * v
        return k, k1, k2
    square = max(x * x + y * y, LEAST)
    sine = math.sqrt(square)
    k = math.atan2(sine, z) / sine
    k1 = (z * k - 1.0) / square
    return k, k1, (k + 3.0 * z * k1) / square


def cone_room(x: float, y: float, p: float, q: float, c: float) -> tuple[float, float, float, float, float, float]:
    """Room of the swing (x, y) in an elliptic cone, its two first and its three second derivatives (xx, xy, yy).

    (1 - u) / (2 sqrt(W)) with u = p x^2 + q y^2 and W = c + p (p - c) x^2 + q (q - c) y^2. On the border, u = 1, W is
    |grad u|^2 / 4, so that the room is the distance from the border to first order. It is smooth everywhere.
    """
    room, A, B = 1.0 - p * x * x - q * y * y, p * (p - c), q * (q - c)
    i = 1.0 / math.sqrt(max(c + A * x * x + B * y * y, LEAST))
    i3 = i * i * i
    i5 = i3 * i * i
    nx, ny, wx, wy = -2.0 * p * x, -2.0 * q * y, 2.0 * A * x, 2.0 * B * y
    ix, iy = -0.5 * wx * i3, -0.5 * wy * i3
    ixx, ixy, iyy = -A * i3 + 0.75 * wx * wx * i5, 0.75 * wx * wy * i5, -B * i3 + 0.75 * wy * wy * i5
    return (
        0.5 * room * i,
        0.5 * (nx * i + room * ix),
        0.5 * (ny * i + room * iy),
        0.5 * (-2.0 * p * i + 2.0 * nx * ix + room * ixx),
        0.5 * (nx * iy + ny * ix + room * ixy),
        0.5 * (-2.0 * q * i + 2.0 * ny * iy + room * iyy),
    )


def cone_motion(R: Matrix, w0: float, w1: float, w2: float, p: float, q: float, c: float) -> Motion:
    """Motion of a CONE of shape (p, q, c) at R with angular velocity w [rad/s]."""
    x, y, z = R[2], R[5], R[8]
    k, k1, k2 = arc_over_sine(x, y, z)
    room, rx, ry, rxx, rxy, ryy = cone_room(-k * y, k * x, p, q, c)
    # derivatives by d, and g = d x dF/dd
    fx, fy, fz = k * ry, -k * rx, k1 * (x * ry - y * rx)
    g0, g1, g2 = y * fz - z * fy, z * fx - x * fz, x * fy - y * fx
    # d' = w x d and, at a constant w, d'' = w x d'
    vx, vy, vz = w1 * z - w2 * y, w2 * x - w0 * z, w0 * y - w1 * x
    ax, ay, az = w1 * vz - w2 * vy, w2 * vx - w0 * vz, w0 * vy - w1 * vx
    sx, sy = -k1 * vz * y - k * vy, k1 * vz * x + k * vx
    bend, turn = k2 * vz * vz + k1 * az, 2.0 * k1 * vz
    tx, ty = -bend * y - turn * vy - k * ay, bend * x + turn * vx + k * ax
    return room, g0, g1, g2, rxx * sx * sx + 2.0 * rxy * sx * sy + ryy * sy * sy + rx * tx + ry * ty


def twist_motion(R: Matrix, w0: float, w1: float, w2: float, half: float, side: float) -> Motion:
    """Motion of a TWIST at R with angular velocity w [rad/s]: room half + side psi, -pi < psi <= pi."""
    x, y, z = R[2], R[5], R[8]
    psi = math.atan2(R[3] - R[1], R[0] + R[4])
    # psi' = w . (d + z) / (1 + d . z)
    i = side / max(1.0 + z, LEAST)
    g0, g1, g2 = i * x, i * y, i * (1.0 + z)
    vx, vy, vz = w1 * z - w2 * y, w2 * x - w0 * z, w0 * y - w1 * x
    rate = g0 * w0 + g1 * w1 + g2 * w2
    drift = i * (w0 * vx + w1 * vy + w2 * vz) - side * i * rate * vz
    return half + side * psi, g0, g1, g2, drift


def limit_motion(kind: int, R: Matrix, w0: float, w1: float, w2: float, a: float, b: float, c: float) -> Motion:
    """Motion of a limit of a kind and shape (a, b, c) at R, the child's axes in the parent's, with the angular velocity
    w [rad/s] of the child relative to the parent, in the parent's axes."""
    if kind == CONE:
        return cone_motion(R, w0, w1, w2, a, b, c)
    return twist_motion(R, w0, w1, w2, a, b)
