# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of bodies that touch, which every engine builds: plain data.

Bodies stand in the frames of their centres of mass, with principal axes; each is one convex shape. The ground, where
there is one, is z = 0. A slope is level ground under tilted gravity, so that all engines see the same shapes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from redmax.geometry.hull import hull_mass
from redmax.geometry.solids import Box, Capsule, Solid, Sphere
from redmax.spatial import so3

from .mechanisms import GRAVITY, matrix, quaternion

FREE, HINGE, SLIDE = "free", "hinge", "slide"
BOX, SPHERE, CAPSULE, HULL = "box", "sphere", "capsule", "hull"
WORLD = -1
FRICTION, DENSITY = 0.5, 1000.0
DOWN = (0.0, 0.0, -GRAVITY)
UNTURNED = (1.0, 0.0, 0.0, 0.0)

Triple = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


@dataclass(frozen=True)
class Part:
    """A body. size: of a box its edges; of a sphere its radius; of a capsule radius and height without its caps.

    at, turn: pose at the start. A free one moves by itself; others hang by a hinge, or slide along an axis, from the
    part `parent` (WORLD: the world). pin, axis: of that joint, in the world at the start. velocity: of a free one at
    the start. push: constant force along a slide [N].
    """

    name: str
    shape: str
    size: tuple[float, ...]
    mass: float
    inertia: Triple
    at: Triple
    turn: Quaternion = UNTURNED
    joint: str = FREE
    parent: int = WORLD
    pin: Triple = (0.0, 0.0, 0.0)
    axis: Triple = (0.0, 1.0, 0.0)
    velocity: Triple = (0.0, 0.0, 0.0)
    push: float = 0.0
    corners: tuple[Triple, ...] = ()


@dataclass(frozen=True)
class Pin:
    """A loop: a hinge along y that holds parts a and b together at a point of the world at the start."""

    a: int
    b: int
    at: Triple


@dataclass(frozen=True)
class Touching:
    """A scene. size: of one body [m], by which errors are judged.

    path: where the first body is at times t (k,), shape (k, 3); None: every body should stay where it is, unless
    `falls`, when nothing is known of where they go. lost: energy that friction has taken out at times t [J], None for
    nothing; where things fall it is only known never to shrink.
    """

    name: str
    parts: tuple[Part, ...]
    size: float
    duration: float = 2.0
    ground: bool = True
    gravity: Triple = DOWN
    friction: float = FRICTION
    pins: tuple[Pin, ...] = ()
    falls: bool = False
    path: Callable[[np.ndarray], np.ndarray] | None = field(default=None, compare=False)
    lost: Callable[[np.ndarray], np.ndarray] | None = field(default=None, compare=False)

    @property
    def mass(self) -> float:
        return sum(part.mass for part in self.parts)

    @property
    def neighbours(self) -> set[tuple[int, int]]:
        """Parts that a joint or a pin connects, the lower number first: they do not touch each other."""
        joined = [(part.parent, k) for k, part in enumerate(self.parts) if part.parent != WORLD]
        return {(min(a, b), max(a, b)) for a, b in [*joined, *((pin.a, pin.b) for pin in self.pins)]}


def frame(turn: Quaternion) -> np.ndarray:
    """(3, 3) rotation matrix of a quaternion w, x, y, z."""
    w, x, y, z = turn
    half = math.hypot(x, y, z)
    axis = np.array([x, y, z]) / half if half else np.zeros(3)
    return np.asarray(matrix(2.0 * math.atan2(half, w) * axis))


def weighing(solid: Solid) -> dict[str, object]:
    """Mass and principal moments of one that is centred on its frame."""
    found = solid.with_density(DENSITY)
    return {"mass": found.mass, "inertia": tuple(np.diag(found.inertia).tolist())}


def box(name: str, at: Triple, edges: Triple, **fields) -> Part:
    return Part(name, BOX, edges, at=at, **weighing(Box(size=edges, density=DENSITY)), **fields)


def sphere(name: str, at: Triple, radius: float, **fields) -> Part:
    return Part(name, SPHERE, (radius,), at=at, **weighing(Sphere(radius=radius, density=DENSITY)), **fields)


def capsule(name: str, at: Triple, radius: float, height: float, **fields) -> Part:
    """Along its z."""
    solid = Capsule(radius=radius, height=height, density=DENSITY)
    return Part(name, CAPSULE, (radius, height), at=at, **weighing(solid), **fields)


def hull(name: str, at: Triple, points: np.ndarray, turn: np.ndarray) -> Part:
    """Of points (n, 3), moved to its centre of mass and its principal axes. turn: (3, 3) of the body."""
    found = hull_mass(points, density=DENSITY)
    inertia, axes = np.linalg.eigh(np.asarray(found.inertia))
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    corners = (points - np.asarray(found.center)) @ axes
    reach = float(np.linalg.norm(corners, axis=1).max())
    return Part(
        name, HULL, (reach,), float(found.mass), tuple(inertia.tolist()), at, tuple(quaternion(so3.log(turn @ axes))),
        corners=tuple(map(tuple, corners.tolist())),
    )  # fmt: skip


def slope(*, holds: bool) -> Touching:
    """A flat box on a slope that is a thousandth less steep than the angle of friction; or one on level ground that
    is given 2 m/s and slides until friction has stopped it."""
    flat = box("block", (0.0, 0.0, 0.05), (0.2, 0.2, 0.1))
    if holds:
        angle = math.atan(FRICTION / 1.001)
        gravity = (GRAVITY * math.sin(angle), 0.0, -GRAVITY * math.cos(angle))
        return Touching("block that sticks to a slope", (flat,), 0.2, gravity=gravity)
    speed, slowing = 2.0, FRICTION * GRAVITY

    def gone(t: np.ndarray) -> np.ndarray:
        s = np.minimum(t, speed / slowing)
        return speed * s - 0.5 * slowing * s**2

    return Touching(
        "block that slides and stops", (replace(flat, velocity=(speed, 0.0, 0.0)),), 0.2,
        path=lambda t: np.column_stack([gone(t), 0.0 * t, 0.0 * t + 0.05]),
        lost=lambda t: flat.mass * slowing * gone(t),
    )  # fmt: skip


def stack(count: int) -> Touching:
    edges = (0.2, 0.2, 0.1)
    boxes = [box(f"box {k}", (0.0, 0.0, (k + 0.5) * edges[2]), edges) for k in range(count)]
    return Touching(f"stack of {count}", tuple(boxes), 0.2)


def pyramid(rows: int) -> Touching:
    """Each box on two."""
    edge, apart = 0.2, 0.22
    boxes = []
    for row in range(rows):
        for k in range(rows - row):
            at = (apart * (k + 0.5 * row), 0.0, edge * (row + 0.5))
            boxes.append(box(f"box {row}.{k}", at, (edge,) * 3))
    return Touching(f"pyramid of {len(boxes)}", tuple(boxes), edge)


def drop(count: int) -> Touching:
    """Boxes, balls, capsules and hulls of 12 random points, turned at random, in layers of five by five."""
    rng = np.random.default_rng(11)
    parts = []
    for k in range(count):
        name = f"body {k}"
        at = (0.3 * (k % 5), 0.3 * (k // 5 % 5), 0.3 + 0.3 * (k // 25))
        turn = np.asarray(matrix(rng.normal(size=3)))
        turned = {"turn": tuple(quaternion(so3.log(turn)))}
        match k % 4:
            case 0:
                parts.append(box(name, at, tuple(rng.uniform(0.1, 0.2, 3).tolist()), **turned))
            case 1:
                parts.append(sphere(name, at, float(rng.uniform(0.05, 0.1)), **turned))
            case 2:
                parts.append(capsule(name, at, float(rng.uniform(0.04, 0.06)), 0.12, **turned))
            case _:
                parts.append(hull(name, at, 0.06 * rng.normal(size=(12, 3)), turn))
    return Touching(f"drop of {count}", tuple(parts), 0.2, duration=1.5, falls=True)


LIMBS = (
    # of which part it hangs, where from and how far it reaches, and the axis of its hinge
    (0, (0.0, 0.0, 0.15), (0.0, 0.0, 0.30), (0.0, 1.0, 0.0)),
    *((0, (0.0, side * 0.13, 0.10), (0.0, side * 0.33, 0.10), (1.0, 0.0, 0.0)) for side in (-1.0, 1.0)),
    *((k, (0.0, side * 0.33, 0.10), (0.0, side * 0.53, 0.10), (0.0, 0.0, 1.0)) for k, side in ((2, -1.0), (3, 1.0))),
    *((0, (0.0, side * 0.07, -0.15), (0.0, side * 0.07, -0.38), (0.0, 1.0, 0.0)) for side in (-1.0, 1.0)),
    *((k, (0.0, s * 0.07, -0.38), (0.0, s * 0.07, -0.61), (0.0, 1.0, 0.0)) for k, s in ((6, -1.0), (7, 1.0))),
)


def doll(number: int, place: np.ndarray, turn: np.ndarray, first: int) -> list[Part]:
    """A trunk, a head, and arms and legs of two capsules each, on nine hinges. first: number of its trunk."""

    def there(point: object) -> Triple:
        x, y, z = (place + turn @ np.asarray(point, float)).tolist()
        return (x, y, z)

    whole = tuple(quaternion(so3.log(turn)))
    parts = [box(f"trunk {number}", there((0.0, 0.0, 0.0)), (0.14, 0.22, 0.28), turn=whole)]
    for k, (parent, near, far, axis) in enumerate(LIMBS):
        along = np.subtract(far, near)
        length = float(np.linalg.norm(along))
        z = along / length
        x = np.array([1.0, 0.0, 0.0])
        own = turn @ np.column_stack([x, np.cross(z, x), z])
        spot = there(0.5 * (np.asarray(near) + far))
        x_axis, y_axis, z_axis = (turn @ np.asarray(axis)).tolist()
        parts.append(
            capsule(
                f"limb {number}.{k}", spot, 0.035, length - 0.09, turn=tuple(quaternion(so3.log(own))), joint=HINGE,
                parent=first + parent, pin=there(near), axis=(x_axis, y_axis, z_axis),
            )
        )  # fmt: skip
    return parts


def pile(count: int) -> Touching:
    """Dolls that fall face down, above each other, each turned about the vertical and tilted a little at random."""
    rng = np.random.default_rng(4)
    parts: list[Part] = []
    lying = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    for k in range(count):
        place = np.array([0.15 * rng.normal(), 0.15 * rng.normal(), 0.3 + 0.4 * k])
        tilt, yaw = matrix(0.1 * rng.uniform(-1.0, 1.0, 3)), matrix(np.array([0.0, 0.0, rng.uniform(0.0, 6.0)]))
        parts += doll(k, place, np.asarray(tilt @ yaw @ lying), len(parts))
    return Touching(f"pile of {count} dolls", tuple(parts), 0.2, duration=1.5, falls=True)


def four_bar_on_ground() -> Touching:
    """A parallelogram that swings below pivots of a gantry, whose broad foot stands on the ground and should stay."""
    length, lean, y = 0.35, 0.5, (0.0, 1.0, 0.0)
    turn = (math.cos(0.5 * lean), 0.0, math.sin(0.5 * lean), 0.0)
    foot = box("foot", (0.0, 0.0, 0.05), (1.2, 0.4, 0.1))
    reach = (-length * math.sin(lean), -length * math.cos(lean))

    def arm(name: str, x: float, **fields) -> Part:
        at = (x + 0.5 * reach[0], 0.0, 0.6 + 0.5 * reach[1])
        return box(name, at, (0.04, 0.04, length), turn=turn, joint=HINGE, axis=y, **fields)

    ends = [(x + reach[0], 0.0, 0.6 + reach[1]) for x in (-0.4, 0.4)]
    left = arm("left", -0.4, parent=0, pin=(-0.4, 0.0, 0.6))
    bar = box("bar", (reach[0], 0.0, ends[0][2]), (0.8, 0.04, 0.04), joint=HINGE, axis=y, parent=1, pin=ends[0])
    right = arm("right", 0.4, parent=2, pin=ends[1])
    return Touching(
        "four-bar on ground", (foot, left, bar, right), 0.4, pins=(Pin(0, 3, (0.4, 0.0, 0.6)),),
        path=lambda t: np.tile(foot.at, (len(t), 1)), lost=lambda t: 0.0 * t,
    )  # fmt: skip


def pinch() -> Touching:
    """Two fingers on slides press a box from both sides and hold it by friction, at two thirds of what that can."""
    edge = 0.1
    held = box("held", (0.0, 0.0, 0.5), (edge,) * 3)
    weight = held.mass * GRAVITY
    force = 0.75 * weight / FRICTION  # each finger holds half the weight
    fingers = [
        box(
            f"finger {'left' if side < 0 else 'right'}", (side * 0.075, 0.0, 0.5), (0.05, 0.1, 0.1), joint=SLIDE,
            axis=(-side, 0.0, 0.0), push=force,
        )
        for side in (-1.0, 1.0)
    ]  # fmt: skip
    return Touching("pinch grasp", (held, *fingers), edge, ground=False)


def all_of_them() -> list[Touching]:
    return [
        slope(holds=True),
        slope(holds=False),
        stack(10),
        stack(20),
        pyramid(5),
        pyramid(10),
        four_bar_on_ground(),
        pinch(),
        drop(100),
        pile(10),
    ]


def few_of_them() -> list[Touching]:
    """Of a quick run."""
    return [slope(holds=True), slope(holds=False), stack(10), pyramid(5), four_bar_on_ground(), pinch(), drop(20)]
