# SPDX-License-Identifier: GPL-3.0-or-later
"""The mechanisms that every engine builds: plain data, defined once.

Link frames sit at the link's joint and are parallel to the world at q = 0; links reach along +x; gravity is
(0, 0, -9.81) m/s^2. No damping, springs, limits or contacts anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

GRAVITY = 9.81
LENGTH, THICKNESS, DENSITY = 0.1, 0.02, 1000.0
"""A link is a box of LENGTH x THICKNESS x THICKNESS [m] with DENSITY [kg/m^3]."""

REVOLUTE, SPHERICAL = "revolute", "spherical"
Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Link:
    """A body and the joint that carries it; parent -1 is the world.

    axis: of a revolute joint, one of the unit vectors. offset: joint in the parent's link frame [m]. mass [kg],
    center: centre of mass in the link frame [m], inertia: (Ix, Iy, Iz) about it, along the axes [kg m^2].
    """

    parent: int
    joint: str
    axis: tuple[float, float, float]
    offset: tuple[float, float, float]
    mass: float
    center: tuple[float, float, float]
    inertia: tuple[float, float, float]


@dataclass(frozen=True)
class Mechanism:
    """Links with parents before children."""

    name: str
    links: tuple[Link, ...]

    @property
    def dof(self) -> int:
        return sum(3 if link.joint == SPHERICAL else 1 for link in self.links)

    def __len__(self) -> int:
        return len(self.links)


@dataclass(frozen=True, eq=False)
class Motion:
    """What every engine can be told, whatever its coordinates: n joints.

    rotation: (n, 3) rotation vector of each joint, child relative to parent [rad].
    spin: (n, 3) its angular velocity in the child's frame [rad/s].
    For a revolute joint both lie along its axis. Results are compared as the time derivatives of `spin`.
    """

    rotation: np.ndarray
    spin: np.ndarray


def box_link(parent: int, joint: str, axis: tuple[float, float, float], offset: tuple[float, float, float]) -> Link:
    mass = DENSITY * LENGTH * THICKNESS**2
    thin, long = mass * 2.0 * THICKNESS**2 / 12.0, mass * (LENGTH**2 + THICKNESS**2) / 12.0
    return Link(parent, joint, axis, offset, mass, (LENGTH / 2.0, 0.0, 0.0), (thin, long, long))


def chain(n: int, joint: str = REVOLUTE, *, axes: tuple[tuple[float, float, float], ...] = (Y, Z)) -> Mechanism:
    """n links in a row; the axes of revolute joints take turns (y, z, y, z ... unless told otherwise)."""
    links = [
        box_link(i - 1, joint, axes[i % len(axes)], (LENGTH if i else 0.0, 0.0, 0.0)) for i in range(n)
    ]  # fmt: skip
    return Mechanism(f"{joint} chain {n}", tuple(links))


def planar_chain(n: int) -> Mechanism:
    """n links that swing about y only: the n-fold pendulum of textbooks."""
    return Mechanism(f"pendulum {n}", chain(n, axes=(Y,)).links)


def binary_tree(levels: int = 5) -> Mechanism:
    """2^levels - 1 links; each carries two at its end, hinged about y and about z."""
    count = 2**levels - 1
    links = [
        box_link((i - 1) // 2 if i else -1, REVOLUTE, (Y, Z)[i % 2], (LENGTH if i else 0.0, 0.0, 0.0))
        for i in range(count)
    ]
    return Mechanism(f"binary tree {count}", tuple(links))


def random_motion(mechanism: Mechanism, *, bend: float = 1.0, speed: float = 1.0, seed: int = 0) -> Motion:
    """Angles up to `bend` [rad] and rates up to `speed` [rad/s], evenly spread; one stream per seed and mechanism."""
    rng = np.random.default_rng([seed, len(mechanism), mechanism.dof])
    rotation, spin = rng.uniform(-1.0, 1.0, (2, len(mechanism), 3))
    for i, link in enumerate(mechanism.links):
        if link.joint == REVOLUTE:
            rotation[i], spin[i] = rotation[i, 0] * np.array(link.axis), spin[i, 0] * np.array(link.axis)
    return Motion(bend * rotation, speed * spin)


def at_rest(mechanism: Mechanism, first: float, others: float = 0.0) -> Motion:
    """All joints still; angles about y [rad] of the first and of all other joints that turn about y."""
    rotation = np.zeros((len(mechanism), 3))
    for i, link in enumerate(mechanism.links):
        if link.joint == SPHERICAL or link.axis == Y:
            rotation[i, 1] = others if i else first
    return Motion(rotation, np.zeros_like(rotation))


def hanging(mechanism: Mechanism, *, aside: float, bend: float) -> Motion:
    """A chain at rest that hangs `aside` [rad] of the vertical, its joints bent at random by up to `bend` [rad]."""
    rotation = random_motion(mechanism, bend=bend).rotation
    rotation[0] = (np.pi / 2.0 - aside) * np.array(Y)
    return Motion(rotation, np.zeros_like(rotation))


def columns(mechanism: Mechanism) -> Iterator[tuple[int, Link, slice]]:
    """Index, link and velocity columns of each joint, for engines whose velocities follow the links' order."""
    start = 0
    for i, link in enumerate(mechanism.links):
        stop = start + (3 if link.joint == SPHERICAL else 1)
        yield i, link, slice(start, stop)
        start = stop


def quaternion(rotation: np.ndarray) -> np.ndarray:
    """(w, x, y, z) of a rotation vector (3,)."""
    angle = float(np.linalg.norm(rotation))
    sinc = np.sin(angle / 2.0) / angle if angle > 0.0 else 0.5
    return np.array([np.cos(angle / 2.0), *(sinc * rotation)])


def matrix(rotation: np.ndarray) -> np.ndarray:
    """(3, 3) of a rotation vector (3,), by its quaternion."""
    w, x, y, z = quaternion(rotation)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
