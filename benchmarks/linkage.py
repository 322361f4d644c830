# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages: bodies, hinges and slides in a plane as plain data, and what can be said of them without any engine.

All move in the x-z plane; gravity is (0, 0, -9.81) m/s^2. Body frames sit at the joint that carries the body and are
parallel to the world at the start, where every loop is closed and every velocity keeps it so.
No damping, springs, limits or contacts anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .mechanisms import GRAVITY

HINGE, SLIDE = "hinge", "slide"
"""Turns about y; moves along x."""

Point = tuple[float, float]
THICKNESS, DENSITY = 0.02, 1000.0
"""Bars are boxes of THICKNESS x THICKNESS [m] with DENSITY [kg/m^3]; triangles are three bars."""


@dataclass(frozen=True)
class Body:
    """A body and the joint that carries it; parent -1 is the world. Points are (x, z) in the world at the start [m].

    at: the joint. center: centre of mass. mass [kg], inertia: about the axis y through the centre [kg m^2].
    """

    name: str
    parent: int
    joint: str
    at: Point
    center: Point
    mass: float
    inertia: float


@dataclass(frozen=True)
class Loop:
    """A hinge about y that closes a loop between bodies a (-1 for the world) and b. at: (x, z) in the world at the
    start."""

    a: int
    b: int
    at: Point


@dataclass(frozen=True)
class Linkage:
    """Bodies with parents before children, and loops.

    rates: of each joint at the start [rad/s or m/s]; a positive hinge turns z towards x. duration [s].
    """

    name: str
    bodies: tuple[Body, ...]
    loops: tuple[Loop, ...]
    rates: tuple[float, ...]
    duration: float = 1.0

    def __len__(self) -> int:
        return len(self.bodies)

    @property
    def mass(self) -> float:
        return sum(body.mass for body in self.bodies)

    @property
    def size(self) -> float:
        """Longest distance between two joints of one body [m]: what gaps are compared with."""
        ends: list[list[Point]] = [[body.at] for body in self.bodies]
        for joint in (*self.bodies, *self.loops):
            for end in (joint.parent,) if isinstance(joint, Body) else (joint.a, joint.b):
                if end >= 0:
                    ends[end].append(joint.at)
        return max(math.dist(own[0], other) for own in ends for other in own)


def masses(*bars: tuple[Point, Point]) -> tuple[Point, float, float]:
    """Centre of mass (x, z), mass and inertia about y of bars that are one body."""
    lengths = np.array([math.dist(*bar) for bar in bars])
    middles = np.array([np.mean(bar, axis=0) for bar in bars])
    mass = DENSITY * THICKNESS**2 * lengths
    center = mass @ middles / mass.sum()
    own = mass * (lengths**2 + THICKNESS**2) / 12.0
    inertia = float((own + mass * ((middles - center) ** 2).sum(axis=1)).sum())
    return (float(center[0]), float(center[1])), float(mass.sum()), inertia


class Drawing:
    """A linkage drawn bar by bar; joints are named by the bodies they carry."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.bodies: list[Body] = []
        self.loops: list[Loop] = []

    def body(self, name: str, parent: int, at: Point, *bars: tuple[Point, Point], joint: str = HINGE) -> int:
        """A body of bars, carried by `parent` with a joint; gives its number."""
        self.bodies.append(Body(name, parent, joint, at, *masses(*bars)))
        return len(self.bodies) - 1

    def close(self, a: int, b: int, at: Point) -> None:
        self.loops.append(Loop(a, b, at))

    def finished(self, duration: float, spin: float = 0.0) -> Linkage:
        """spin: rate of the first joint at the start; the others follow as the loops want it."""
        still = Linkage(self.name, tuple(self.bodies), tuple(self.loops), (0.0,) * len(self.bodies), duration)
        rates = consistent_rates(still, spin) if spin else still.rates
        return Linkage(self.name, still.bodies, still.loops, tuple(rates), duration)


def consistent_rates(linkage: Linkage, spin: float) -> list[float]:
    """Rates of all joints that keep the loops closed when the first has rate `spin`; the least ones if several do."""
    G = loop_jacobian(linkage)
    rest = np.linalg.lstsq(G[:, 1:], -spin * G[:, 0], rcond=1e-10)[0]
    rates = np.array([spin, *rest])
    if np.abs(G @ rates).max(initial=0.0) > 1e-12 * abs(spin):
        raise ValueError(f"{linkage.name}: its first joint cannot move with its loops closed")
    return rates.tolist()


def loop_jacobian(linkage: Linkage) -> np.ndarray:
    """(2 loops, joints) velocities (x, z) of b relative to a at each loop, per joint rate, at the start."""
    G = np.zeros((2 * len(linkage.loops), len(linkage)))
    for k, loop in enumerate(linkage.loops):
        for side, sign in ((loop.b, 1.0), (loop.a, -1.0)):
            i = side
            while i >= 0:
                body = linkage.bodies[i]
                x, z = np.subtract(loop.at, body.at)
                G[2 * k : 2 * k + 2, i] += sign * np.array((z, -x) if body.joint == HINGE else (1.0, 0.0))
                i = body.parent
    return G


def joints_of(linkage: Linkage) -> Iterator[tuple[int, int, Point, str]]:
    """(body, other body, place, kind) of every joint, of the tree and of the loops."""
    for i, body in enumerate(linkage.bodies):
        yield body.parent, i, body.at, body.joint
    for loop in linkage.loops:
        yield loop.a, loop.b, loop.at, HINGE


def extent(linkage: Linkage) -> float:
    """Largest distance between two joints at the start [m]: what motions are compared with."""
    points = np.array([at for _, _, at, _ in joints_of(linkage)])
    return float(np.linalg.norm(points[:, None] - points, axis=2).max())


def largest_gap(linkage: Linkage, places: np.ndarray) -> float:
    """Largest distance [m] by which any joint is open, of the tree or of a loop.

    places: (frames, n, 3) of the body frames: x, z, and the angle about y [rad].
    """
    x, z, angle = np.moveaxis(np.concatenate([places, np.zeros((len(places), 1, 3))], axis=1), 2, 0)
    c, s = np.cos(angle), np.sin(angle)
    home = np.array([*(body.at for body in linkage.bodies), (0.0, 0.0)])
    worst = 0.0
    for a, b, at, kind in joints_of(linkage):
        ends = []
        for i in (a, b):
            dx, dz = np.subtract(at, home[i])
            ends.append(np.array([x[:, i] + c[:, i] * dx + s[:, i] * dz, z[:, i] - s[:, i] * dx + c[:, i] * dz]))
        apart = ends[1] - ends[0]
        if kind == SLIDE:
            apart = apart[1:]  # along x it may move
        worst = max(worst, float(np.linalg.norm(apart, axis=0).max()))
    return worst


def start_velocities(linkage: Linkage) -> np.ndarray:
    """(n, 3) velocity (x, z) of each centre of mass [m/s] and spin about y [rad/s] at the start."""
    velocity, spin = np.zeros((len(linkage) + 1, 2)), np.zeros(len(linkage) + 1)  # the last row is the world's
    result = np.zeros((len(linkage), 3))
    for i, (body, rate) in enumerate(zip(linkage.bodies, linkage.rates, strict=True)):
        home = linkage.bodies[body.parent].at if body.parent >= 0 else (0.0, 0.0)
        velocity[i] = moved(velocity[body.parent], spin[body.parent], np.subtract(body.at, home))
        spin[i] = spin[body.parent]
        if body.joint == HINGE:
            spin[i] += rate
        else:
            velocity[i, 0] += rate
        result[i] = *moved(velocity[i], spin[i], np.subtract(body.center, body.at)), spin[i]
    return result


def energies(linkage: Linkage) -> tuple[float, float, float]:
    """Mass [kg], potential and kinetic energy [J] at the start, from the description alone."""
    mass = np.array([body.mass for body in linkage.bodies])
    height = np.array([body.center[1] for body in linkage.bodies])
    inertia = np.array([body.inertia for body in linkage.bodies])
    vx, vz, spin = start_velocities(linkage).T
    kinetic = 0.5 * mass @ (vx**2 + vz**2) + 0.5 * inertia @ spin**2
    return float(mass.sum()), float(GRAVITY * mass @ height), float(kinetic)


def moved(velocity: np.ndarray, spin: float, arm: np.ndarray) -> np.ndarray:
    """Velocity (x, z) of a point `arm` away on a body that turns with `spin` about y."""
    return velocity + spin * np.array([arm[1], -arm[0]])
