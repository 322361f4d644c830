# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms with hard limits, gears, drives, prescribed joints and motors that every engine builds: plain data.

A `Held` is a linkage in the x-z plane (`linkage.py`) and what holds its joints. Joints are numbered by the bodies they
carry. Links of chains are bars of 0.1 m that start horizontally and at rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from .linkage import Drawing, Linkage
from .loop_mechanisms import four_bar, scissor_lift

LINK = 0.1
"""Length of a link [m]."""

DURATION = 5.0
"""[s]"""

STOPS = 0.5
"""Hinges of chains turn so far to either side [rad]."""

Cubic = tuple[float, float, float]
"""a, b, c of q = a t + b t^2 + c t^3."""


@dataclass(frozen=True)
class Limit:
    """Hard stops of a joint [rad or m]."""

    joint: int
    lower: float
    upper: float


@dataclass(frozen=True)
class Gear:
    """q of the follower = ratio times q of the leader."""

    leader: int
    follower: int
    ratio: float


@dataclass(frozen=True)
class Moved:
    """A joint whose coordinate is prescribed over time."""

    joint: int
    path: Cubic

    def at(self, t: np.ndarray) -> np.ndarray:
        a, b, c = self.path
        return np.asarray(a * t + b * t**2 + c * t**3)


@dataclass(frozen=True)
class BallLimit:
    """Ball joints instead of hinges, all with the same swing cone (half angle) and twist range to either side [rad].

    The twist is about the link (x). spin: angular velocity of every ball at the start [rad/s].
    """

    swing: float
    twist: float
    spin: tuple[float, float, float]


@dataclass(frozen=True)
class Motor:
    """Every hinge is driven towards a speed [rad/s] with a gain [N m s/rad] and at most a torque [N m]."""

    speed: float
    gain: float
    torque: float


@dataclass(frozen=True)
class Held:
    """A linkage and what holds it. drive: whether gears are one drive, with the leaders as inputs, where there is such
    an element."""

    linkage: Linkage
    limits: tuple[Limit, ...] = ()
    gears: tuple[Gear, ...] = ()
    moved: tuple[Moved, ...] = ()
    drive: bool = False
    balls: BallLimit | None = None
    motor: Motor | None = None

    @property
    def name(self) -> str:
        return self.linkage.name

    def passed(self, q: np.ndarray) -> float:
        """How far limits, gears and prescribed joints are missed at most [rad or m]. q: (frames, joints) at 24 fps,
        the first a frame after the start. NaN where nothing of that kind is held."""
        t = (np.arange(len(q)) + 1.0) / 24.0
        off = [np.maximum(limit.lower - q[:, limit.joint], q[:, limit.joint] - limit.upper) for limit in self.limits]
        off += [np.abs(q[:, gear.follower] - gear.ratio * q[:, gear.leader]) for gear in self.gears]
        off += [np.abs(q[:, moved.joint] - moved.at(t)) for moved in self.moved]
        return max(0.0, float(np.max(off))) if off and len(q) else math.nan


def chain(name: str, links: int) -> Linkage:
    d = Drawing(name)
    for k in range(links):
        here, there = (LINK * k, 0.0), (LINK * (k + 1), 0.0)
        d.body(f"link {k}", k - 1, here, (here, there))
    return d.finished(DURATION)


def limited_chain(links: int) -> Held:
    stops = tuple(Limit(k, -STOPS, STOPS) for k in range(links))
    return Held(chain(f"chain of {links}, hard limits", links), limits=stops)


def gear_train(wheels: int) -> Held:
    """Bars on hinges in the world, side by side, each geared to the one before; the last falls slower than it would."""
    d = Drawing(f"gear train of {wheels}")
    for k in range(wheels):
        here = (0.0, 2.0 * LINK * k)
        d.body(f"bar {k}", -1, here, (here, (LINK, here[1])))
    gears = tuple(Gear(k - 1, k, -1.1 if k % 2 else -0.9) for k in range(1, wheels))
    return Held(d.finished(DURATION), gears=gears)


def driven_chain(links: int) -> Held:
    """A finger: all its joints turn as the first does."""
    gears = tuple(Gear(0, k, 1.0) for k in range(1, links))
    return Held(chain(f"drive of {links} joints", links), gears=gears, drive=True)


def prescribed_chain(links: int) -> Held:
    """Every third joint swings there and back as it is told."""
    path = (0.9, -0.54, 0.072)  # 0 at 0, 2.5 and 5 s
    moved = tuple(Moved(k, path) for k in range(0, links, 3))
    linkage = chain(f"chain of {links}, {len(moved)} prescribed joints", links)
    rates = tuple(path[0] if k % 3 == 0 else 0.0 for k in range(links))
    return Held(replace(linkage, rates=rates), moved=moved)


def stopped_four_bar() -> Held:
    linkage = four_bar()
    return Held(replace(linkage, name="four-bar with stops", duration=DURATION), limits=(Limit(0, -0.5, 0.3),))


def stopped_scissor_lift(stages: int) -> Held:
    """It sinks until its sliding foot meets a stop 0.4 m further out."""
    linkage = replace(scissor_lift(stages), name=f"scissor lift {stages} with stops", duration=DURATION)
    return Held(linkage, limits=(Limit(0, -0.1, 0.4),))


def balls(links: int) -> Held:
    limit = BallLimit(STOPS, STOPS, (1.0, 0.0, 2.0))
    return Held(chain(f"{links} balls, swing and twist limits", links), balls=limit)


def motors(links: int) -> Held:
    """Weak motors at the tip, and stalled ones at the root."""
    return Held(chain(f"chain of {links} motors", links), motor=Motor(2.0, 0.1, 0.05))


def all_of_them() -> list[Held]:
    return [
        *(limited_chain(links) for links in (5, 20, 100)),
        gear_train(10),
        driven_chain(10),
        prescribed_chain(10),
        stopped_four_bar(),
        stopped_scissor_lift(10),
        balls(20),
        motors(10),
    ]


def ball_angles(R: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Swing, twist about x and whole angle [rad] of rotations R (..., 3, 3)."""
    w = 0.5 * np.sqrt(np.maximum(0.0, 1.0 + np.trace(R, axis1=-2, axis2=-1)))
    x = (R[..., 2, 1] - R[..., 1, 2]) / (4.0 * np.maximum(w, 1e-12))
    near = np.hypot(w, x)
    return 2.0 * np.arccos(np.minimum(near, 1.0)), 2.0 * np.arctan2(x, w), 2.0 * np.arccos(np.minimum(w, 1.0))
