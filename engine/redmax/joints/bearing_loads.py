# SPDX-License-Identifier: GPL-3.0-or-later
"""How hard the wrench of a joint presses in its bearings: one text for Python and for kernels.

A wrench is that of the joint on its child, torque and force about the origin of the joint frame on the child, in its
axes. Nothing is preloaded, and loads are shared so that their sum is the least that balances the wrench:
- a pin bears at both ends of its height, half the force across it and a couple that balances the torque across it, and
  what pushes along it presses on its shoulder, or on the thread of a screw, at its radius;
- a guide bears at both ends of its block in the same way, and a torque about the direction presses on edges as far
  apart as the other two sides are;
- a socket bears the force;
- a plate bears the force across it, spread over its sides, or if that tilts it more than so, on two edges; and what
  turns it in its plane presses on edges too.
Source: docs/equations.md, "Friction in bearings".
"""

from __future__ import annotations

import math

from ..spatial.scalar import cross

Six = tuple[float, float, float, float, float, float]
Three = tuple[float, float, float]

LEAST = 1e-300
"""Keeps what does not turn or slide at all from dividing by zero."""


def at_both_ends(f: Three, t: Three, a: Three, length: float) -> float:
    """Sum of the loads [N] at both ends of a bearing along the unit vector a, by the force f and the torque t about its
    middle, of which only what is across a counts."""
    along = f[0] * a[0] + f[1] * a[1] + f[2] * a[2]
    k0, k1, k2 = cross(t[0], t[1], t[2], a[0], a[1], a[2])
    k0, k1, k2 = k0 / length, k1 / length, k2 / length
    h0, h1, h2 = 0.5 * (f[0] - along * a[0]), 0.5 * (f[1] - along * a[1]), 0.5 * (f[2] - along * a[2])
    x0, x1, x2, y0, y1, y2 = h0 + k0, h1 + k1, h2 + k2, h0 - k0, h1 - k1, h2 - k2
    return math.sqrt(x0 * x0 + x1 * x1 + x2 * x2) + math.sqrt(y0 * y0 + y1 * y1 + y2 * y2)


def hinge_load(w: Six, height: float) -> float:
    """Load [N] of a pin that turns about z and does not advance: `pin_load` in fewer operations."""
    x, y, u, v = 0.5 * w[3], 0.5 * w[4], w[1] / height, -w[0] / height
    a, b, c, d = x + u, y + v, x - u, y - v
    return math.sqrt(a * a + b * b) + math.sqrt(c * c + d * d) + abs(w[5])


def pin_load(w: Six, s: Six, applied: float, radius: float, height: float) -> tuple[float, float]:
    """Load [N] of a pin whose coordinate moves its child by the twist s per unit rate, and the way [m] that it rubs per
    unit of the coordinate. applied: what acts along the coordinate besides the bearing, such as springs and motors,
    which press on nothing."""
    turn = s[0] * s[0] + s[1] * s[1] + s[2] * s[2]
    if turn < LEAST:
        return 0.0, 0.0
    rate = math.sqrt(turn)
    a0, a1, a2 = s[0] / rate, s[1] / rate, s[2] / rate
    pitch = (s[0] * s[3] + s[1] * s[4] + s[2] * s[5]) / turn
    c0, c1, c2 = cross(s[0], s[1], s[2], s[3], s[4], s[5])
    d0, d1, d2 = cross(c0 / turn, c1 / turn, c2 / turn, w[3], w[4], w[5])
    t0, t1, t2 = w[0] - d0, w[1] - d1, w[2] - d2
    ends = at_both_ends((w[3], w[4], w[5]), (t0, t1, t2), (a0, a1, a2), height)
    arm = math.sqrt(radius * radius + pitch * pitch)
    along = w[3] * a0 + w[4] * a1 + w[5] * a2
    about = t0 * a0 + t1 * a1 + t2 * a2 - applied / rate
    return ends + abs(along * radius - about * pitch / radius) / arm, arm * rate


def guide_load(w: Six, s: Six, sides: Three) -> tuple[float, float]:
    """Load [N] of a guide, and the way [m] that it rubs per unit of the coordinate; see `pin_load`."""
    rate = math.sqrt(s[3] * s[3] + s[4] * s[4] + s[5] * s[5])
    if rate < LEAST:
        return 0.0, 0.0
    a0, a1, a2 = s[3] / rate, s[4] / rate, s[5] / rate
    x0, x1, x2 = a0 * sides[0], a1 * sides[1], a2 * sides[2]
    length = abs(x0) + abs(x1) + abs(x2)
    ends = at_both_ends((w[3], w[4], w[5]), (w[0], w[1], w[2]), (a0, a1, a2), length)
    across = sides[0] * sides[0] + sides[1] * sides[1] + sides[2] * sides[2] - (x0 * x0 + x1 * x1 + x2 * x2)
    twist = abs(w[0] * a0 + w[1] * a1 + w[2] * a2)
    return ends + 2.0 * twist / math.sqrt(across), rate


def plate_load(w: Six, s: Six, r: Six, sides: Three) -> float:
    """Load [N] of a plate that slides along the linear parts of the twists s and r."""
    n0, n1, n2 = cross(s[3], s[4], s[5], r[3], r[4], r[5])
    size = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
    if size < LEAST:
        return 0.0
    n0, n1, n2 = n0 / size, n1 / size, n2 / size
    along, twist = w[3] * n0 + w[4] * n1 + w[5] * n2, w[0] * n0 + w[1] * n1 + w[2] * n2
    e0, e1, e2 = cross(n0, n1, n2, w[0], w[1], w[2])  # where the load is off the middle, times the torque
    tilt = math.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
    load = abs(along)
    if tilt > 0.0:
        width = (abs(e0) * sides[0] + abs(e1) * sides[1] + abs(e2) * sides[2]) / tilt
        load = max(load, 2.0 * tilt / width)
    x0, x1, x2 = n0 * sides[0], n1 * sides[1], n2 * sides[2]
    across = sides[0] * sides[0] + sides[1] * sides[1] + sides[2] * sides[2] - (x0 * x0 + x1 * x1 + x2 * x2)
    return load + 2.0 * abs(twist) / math.sqrt(across)
