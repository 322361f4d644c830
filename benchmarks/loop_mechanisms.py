# SPDX-License-Identifier: GPL-3.0-or-later
"""The mechanisms with loops that every engine builds: plain data, defined once, closed at the start."""

from __future__ import annotations

import math

from .linkage import SLIDE, Drawing, Linkage, Point


def four_bar() -> Linkage:
    """Crank 1, coupler, rocker and ground 2 [m]; let go with the crank at 60 degrees."""
    d = Drawing("four-bar")
    a, b, ground = (0.0, 0.0), (0.5, math.sqrt(0.75)), (2.0, 0.0)
    c = meeting(b, 2.0, ground, 2.0)
    crank = d.body("crank", -1, a, (a, b))
    coupler = d.body("coupler", crank, b, (b, c))
    rocker = d.body("rocker", -1, ground, (ground, c))
    d.close(coupler, rocker, c)
    return d.finished(5.0)


def scissor_lift(stages: int) -> Linkage:
    """Pairs of crossed bars of 2 m, hinged at their middles and ends; one foot hinged, one sliding. It sinks: let go
    at 1 rad it is not flat within its duration."""
    d = Drawing(f"scissor lift {stages}")
    length, angle = 2.0, 1.0
    width, height = length * math.cos(angle), length * math.sin(angle)
    foot = d.body("foot", -1, (width, 0.0), ((width - 0.1, 0.0), (width + 0.1, 0.0)), joint=SLIDE)
    left, right = -1, foot
    for k in range(stages):
        low, high = k * height, (k + 1) * height
        middle = (0.5 * width, 0.5 * (low + high))
        rising = d.body(f"rising {k}", left, (0.0, low), ((0.0, low), (width, high)))
        falling = d.body(f"falling {k}", rising, middle, ((width, low), (0.0, high)))
        d.close(right, falling, (width, low))
        left, right = falling, rising
    return d.finished(1.0)


def jansen_legs(count: int) -> Linkage:
    """Theo Jansen's legs with his numbers, in centimetres, on one crankshaft that turns with 5 rad/s; their cranks are
    spread over the whole turn. Six bodies and three loops each."""
    d = Drawing(f"{count} Jansen legs")
    u, origin = 0.01, (0.0, 0.0)
    pivot = (-38.0 * u, -7.8 * u)
    angles = [2.0 * math.pi * k / count for k in range(count)]
    pins = [(15.0 * u * math.cos(angle), 15.0 * u * math.sin(angle)) for angle in angles]
    shaft = d.body("crankshaft", -1, origin, *((origin, pin) for pin in pins))
    for k, pin in enumerate(pins):
        top = meeting(pivot, 41.5 * u, pin, 50.0 * u)
        back = meeting(pivot, 40.1 * u, top, 55.8 * u)
        low = meeting(pin, 61.9 * u, pivot, 39.3 * u)
        knee = meeting(low, 36.7 * u, back, 39.4 * u)
        toe = meeting(low, 49.0 * u, knee, 65.7 * u)
        upper = d.body(f"upper rod {k}", shaft, pin, (pin, top))
        lower = d.body(f"lower rod {k}", shaft, pin, (pin, low))
        hip = d.body(f"hip {k}", -1, pivot, (pivot, top), (top, back), (back, pivot))
        rocker = d.body(f"rocker {k}", -1, pivot, (pivot, low))
        rod = d.body(f"rod {k}", hip, back, (back, knee))
        foot = d.body(f"foot {k}", rocker, low, (low, knee), (knee, toe), (toe, low))
        d.close(upper, hip, top)
        d.close(lower, rocker, low)
        d.close(rod, foot, knee)
    return d.finished(1.0, spin=5.0)


def ring(links: int) -> Linkage:
    """A regular polygon of links of 0.1 m that hangs from one of its hinges; let go, it falls together."""
    d = Drawing(f"ring of {links}")
    radius = 0.05 / math.sin(math.pi / links)
    turn = [2.0 * math.pi * k / links for k in range(links)]
    corners = [(radius * math.sin(angle), radius * (math.cos(angle) - 1.0)) for angle in turn]
    for k, corner in enumerate(corners):
        d.body(f"link {k}", k - 1, corner, (corner, corners[(k + 1) % links]))
    d.close(-1, links - 1, corners[0])
    return d.finished(1.0)


def meeting(a: Point, radius_a: float, b: Point, radius_b: float) -> Point:
    """Where circles about a and b meet, to the left of the way from a to b."""
    across = math.dist(a, b)
    along = (radius_a**2 - radius_b**2 + across**2) / (2.0 * across)
    high = math.sqrt(radius_a**2 - along**2)
    ux, uz = (b[0] - a[0]) / across, (b[1] - a[1]) / across
    return (a[0] + along * ux - high * uz, a[1] + along * uz + high * ux)
