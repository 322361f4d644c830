# SPDX-License-Identifier: GPL-3.0-or-later
"""Well-known mechanisms with loops, for tests. Import as `from engine.mechanisms import four_bar`.

All are made of bars (boxes along x in their own frames) and joints given by places and axes in the world at the start:
`Builder` computes the frames.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.fields import Pose
from redmax.joints import JOINTS
from redmax.scene import Body, Inertia, Scene
from redmax.spatial import pose, quaternion


class Builder:
    """A scene put together in world coordinates; bodies stand where they are put at q = 0."""

    def __init__(self, name: str, gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)) -> None:
        self.scene = Scene(name=name, gravity=gravity)
        self.E: dict[str | None, Any] = {None: np.eye(4)}

    def bar(self, name: str, a: Any, b: Any, mass: float = 1.0) -> str:
        """A thin bar from a to b (world points); its frame is in the middle, with the world's axes."""
        a, b = np.asarray(a, float), np.asarray(b, float)
        along = b - a
        length = float(np.linalg.norm(along))
        u = along / length
        thin = 0.05 * length
        tensor = mass / 12.0 * (length**2 * (np.eye(3) - np.outer(u, u)) + 2.0 * thin**2 * np.eye(3))
        return self.body(name, 0.5 * (a + b), mass, tensor)

    def body(self, name: str, center: Any, mass: float, tensor: Any) -> str:
        self.E[name] = pose.make(np.eye(3), np.asarray(center, float))
        inertia = Inertia(mass=mass, tensor=tuple(map(tuple, np.asarray(tensor).tolist())))
        self.scene.bodies.append(Body(name=name, inertia=inertia))
        return name

    def joint(self, kind: str, name: str, parent: str | None, child: str, at: Any, R: Any = None, **fields: Any) -> str:
        """A joint of a kind between two bodies, its frame at a world point with the axes R (3, 3)."""
        E_wj = pose.make(np.eye(3) if R is None else np.asarray(R, float), np.asarray(at, float))
        frames = {
            f"frame_in_{side}": scene_pose(pose.inverse(self.E[body]) @ E_wj)
            for side, body in (("parent", parent), ("child", child))
        }
        self.scene.joints.append(JOINTS[kind](name=name, parent=parent, child=child, **frames, **fields))
        return name

    def hinge(self, name: str, parent: str | None, child: str, at: Any, axis: Any = (0.0, 1.0, 0.0), **f: Any) -> str:
        return self.joint("revolute", name, parent, child, at, axis=tuple(axis), **f)


def scene_pose(E: Any) -> Pose:
    return Pose(tuple(E[:3, 3].tolist()), tuple(quaternion.from_matrix(E[:3, :3]).tolist()))


def circles(a: Any, ra: float, b: Any, rb: float, side: float = 1.0) -> Any:
    """Where circles about a and b in the x-z plane meet: to the left of the way from a to b for side = 1."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    d = b - a
    length = float(np.linalg.norm(d))
    x = (ra**2 - rb**2 + length**2) / (2.0 * length)
    h = np.sqrt(ra**2 - x**2)
    u = d / length
    return a + x * u + side * h * np.array([-u[2], 0.0, u[0]])


def four_bar(
    *, crank: float = 0.3, coupler: float = 0.9, rocker: float = 0.7, ground: float = 1.0, angle: float = 0.5, **f: Any
) -> Scene:
    """A four-bar linkage in the x-z plane; fields are those of its crank joint."""
    b = Builder("four-bar")
    A, D = np.zeros(3), np.array([ground, 0.0, 0.0])
    B = crank * np.array([np.cos(angle), 0.0, np.sin(angle)])
    C = circles(B, coupler, D, rocker)
    b.bar("crank", A, B)
    b.bar("coupler", B, C)
    b.bar("rocker", D, C)
    b.hinge("A", None, "crank", A, **f)
    b.hinge("B", "crank", "coupler", B)
    b.hinge("D", None, "rocker", D)
    b.hinge("C", "coupler", "rocker", C)
    return b.scene


def slider_crank(*, crank: float = 0.3, rod: float = 0.8, angle: float = 0.7, **fields: Any) -> Scene:
    """Crank, rod and a slider along x; fields are those of the crank's joint."""
    b = Builder("slider-crank")
    A = np.zeros(3)
    B = crank * np.array([np.cos(angle), 0.0, np.sin(angle)])
    C = np.array([B[0] + np.sqrt(rod**2 - B[2] ** 2), 0.0, 0.0])
    b.bar("crank", A, B)
    b.bar("rod", B, C)
    b.body("slider", C, 2.0, 0.01 * np.eye(3))
    b.hinge("A", None, "crank", A, **fields)
    b.hinge("B", "crank", "rod", B)
    b.joint("prismatic", "guide", None, "slider", C, axis=(1.0, 0.0, 0.0))
    b.hinge("C", "rod", "slider", C)
    return b.scene


def parallelogram(*, angle: float = 0.8, length: float = 1.0, height: float = 0.5, **fields: Any) -> Scene:
    """Two equal cranks and a coupler as long as the ground: it folds flat at angle 0."""
    b = Builder("parallelogram")
    A, D = np.zeros(3), np.array([length, 0.0, 0.0])
    arm = height * np.array([np.cos(angle), 0.0, np.sin(angle)])
    b.bar("left", A, A + arm)
    b.bar("coupler", A + arm, D + arm)
    b.bar("right", D, D + arm)
    b.hinge("A", None, "left", A, **fields)
    b.hinge("B", "left", "coupler", A + arm)
    b.hinge("D", None, "right", D)
    b.hinge("C", "coupler", "right", D + arm)
    return b.scene


def peaucellier(*, angle: float = 0.3, long: float = 1.0, short: float = 0.4, crank: float = 0.35) -> Scene:
    """Peaucellier's eight bars in the x-z plane: the tip moves on the line x = const. Two loops close the rhombus, one
    the crank. The inversion's centre is the origin, the crank's pivot at (crank, 0, 0), so that its circle meets it."""
    b = Builder("Peaucellier", gravity=(0.0, 0.0, 0.0))
    O, pivot = np.zeros(3), np.array([crank, 0.0, 0.0])
    near = pivot + crank * np.array([np.cos(angle), 0.0, np.sin(angle)])
    far = near * (long**2 - short**2) / float(near @ near)
    middle, across = 0.5 * (near + far), np.array([-near[2], 0.0, near[0]]) / np.linalg.norm(near)
    half = np.sqrt(short**2 - float(np.sum((far - near) ** 2)) / 4.0)
    up, down = middle + half * across, middle - half * across
    b.bar("crank", pivot, near)
    b.bar("near up", near, up)
    b.bar("near down", near, down)
    b.bar("long up", O, up)
    b.bar("long down", O, down)
    b.bar("far up", up, far)
    b.bar("far down", down, far)
    b.hinge("pivot", None, "crank", pivot, qdot=0.5)
    b.hinge("P1", "crank", "near up", near)
    b.hinge("P2", "crank", "near down", near)
    b.hinge("O1", None, "long up", O)
    b.hinge("O2", None, "long down", O)
    b.hinge("F1", "near up", "far up", up)
    b.hinge("F2", "near down", "far down", down)
    b.hinge("close up", "long up", "near up", up)
    b.hinge("close down", "long down", "near down", down)
    b.hinge("tip", "far up", "far down", far)
    return b.scene


def sarrus() -> Scene:
    """A plate held by two pairs of hinged panels at right angles: it can only go up and down."""
    b = Builder("Sarrus")
    height, bulge = 0.8, 0.4
    b.body("plate", (0.0, 0.0, height), 1.0, 0.1 * np.eye(3))
    sides = {"x": np.array([1.0, 0.0, 0.0]), "y": np.array([0.0, 1.0, 0.0])}
    for name, out in sides.items():
        axis = np.cross((0.0, 0.0, 1.0), out)
        foot, knee, top = 0.5 * out, (0.5 + bulge) * out + (0, 0, height / 2), 0.5 * out + (0, 0, height)
        b.bar(f"lower {name}", foot, knee)
        b.bar(f"upper {name}", knee, top)
        b.hinge(f"foot {name}", None, f"lower {name}", foot, axis)
        b.hinge(f"knee {name}", f"lower {name}", f"upper {name}", knee, axis)
    b.hinge("top x", "upper x", "plate", sides["x"] * 0.5 + (0, 0, height), np.cross((0, 0, 1.0), sides["x"]))
    b.hinge("top y", "upper y", "plate", sides["y"] * 0.5 + (0, 0, height), np.cross((0, 0, 1.0), sides["y"]))
    return b.scene


def bennett(*, a: float = 1.0, alpha: float = 0.9, b_length: float = 0.7, theta: float = 1.1) -> Scene:
    """Bennett's four skew hinges, movable because sin(alpha) / a = sin(beta) / b. Frames by Denavit and Hartenberg."""
    beta = float(np.arcsin(np.sin(alpha) * b_length / a))
    # Opposite angles are opposite; neighbours obey tan(t1/2) tan(t2/2) = sin((alpha+beta)/2) / sin((beta-alpha)/2).
    ratio = np.sin(0.5 * (alpha + beta)) / np.sin(0.5 * (beta - alpha))
    other = 2.0 * np.arctan(ratio / np.tan(0.5 * theta))
    angles, lengths, twists = (theta, other, -theta, -other), (a, b_length) * 2, (alpha, beta) * 2
    E = [np.eye(4)]
    for angle, length, twist in zip(angles, lengths, twists, strict=True):
        c, s, ct, st = np.cos(angle), np.sin(angle), np.cos(twist), np.sin(twist)
        step = np.array(
            [[c, -s * ct, s * st, length * c], [s, c * ct, -c * st, length * s], [0, st, ct, 0], [0, 0, 0, 1.0]]
        )
        E.append(E[-1] @ step)
    b = Builder("Bennett")
    p = [frame[:3, 3] for frame in E]
    z = [frame[:3, 2] for frame in E]
    for k, name in ((1, "first"), (2, "second"), (3, "third")):
        b.bar(name, p[k], p[k + 1 if k < 3 else 0])
    b.hinge("h1", None, "first", p[1], z[1])
    b.hinge("h2", "first", "second", p[2], z[2])
    b.hinge("h3", "second", "third", p[3], z[3])
    b.hinge("h4", None, "third", p[4], z[4])
    return b.scene


def scissor_lift(
    stages: int,
    *,
    angle: float = 0.6,
    arm: float = 1.0,
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
    **fields: Any,
) -> Scene:
    """A scissor lift: pairs of crossed arms, one foot fixed and one sliding; 2 stages - 1 loops and the slider's."""
    b = Builder("scissor lift", gravity=gravity)
    half = 0.5 * arm * np.array([np.cos(angle), 0.0, np.sin(angle)])
    mirrored = half * (-1.0, 1.0, 1.0)
    b.body("foot", (2.0 * half[0], 0.0, 0.0), 1.0, 0.01 * np.eye(3))
    b.joint("prismatic", "floor", None, "foot", (2.0 * half[0], 0.0, 0.0), axis=(1.0, 0.0, 0.0), **fields)
    below: tuple[str | None, str] = (None, "foot")
    for k in range(stages):
        middle = np.array([half[0], 0.0, (2 * k + 1) * half[2]])
        rising, falling = f"rising {k}", f"falling {k}"
        b.bar(rising, middle - half, middle + half, 0.5)
        b.bar(falling, middle - mirrored, middle + mirrored, 0.5)
        b.hinge(f"left {k}", below[0], rising, middle - half)
        b.hinge(f"cross {k}", rising, falling, middle)
        b.hinge(f"right {k}", below[1], falling, middle - mirrored)
        below = (falling, rising)
    return b.scene


def jansen_leg(*, angle: float = 0.0, scale: float = 0.01, **fields: Any) -> Scene:
    """One leg of Theo Jansen's walker with his numbers; seven bodies, two of them triangles, four loops."""
    b = Builder("Jansen leg")
    u = scale
    O, Z = np.zeros(3), np.array([-38.0, 0.0, -7.8]) * u
    crank = 15.0 * u * np.array([np.cos(angle), 0.0, np.sin(angle)])
    top = circles(Z, 41.5 * u, crank, 50.0 * u)
    left = circles(Z, 40.1 * u, top, 55.8 * u)
    low = circles(Z, 39.3 * u, crank, 61.9 * u, -1.0)
    knee = circles(low, 36.7 * u, left, 39.4 * u)
    foot = circles(low, 49.0 * u, knee, 65.7 * u)
    b.bar("crank", O, crank)
    b.bar("upper rod", crank, top)
    b.bar("lower rod", crank, low)
    for name, points in (("upper triangle", (Z, top, left)), ("lower triangle", (low, knee, foot))):
        center = np.mean(points, axis=0)
        spread = sum(np.eye(3) * (x @ x) - np.outer(x, x) for x in (p - center for p in points)) / 6.0
        b.body(name, center, 1.0, spread + 1e-4 * np.eye(3))
    b.bar("rocker", Z, low)
    b.bar("rod", left, knee)
    b.hinge("motor", None, "crank", O, **fields)
    b.hinge("C1", "crank", "upper rod", crank)
    b.hinge("C2", "crank", "lower rod", crank)
    b.hinge("Z1", None, "upper triangle", Z)
    b.hinge("Z2", None, "rocker", Z)
    b.hinge("left", "upper triangle", "rod", left)
    b.hinge("low", "rocker", "lower triangle", low)
    b.hinge("close top", "upper rod", "upper triangle", top)
    b.hinge("close low", "lower rod", "rocker", low)
    b.hinge("close knee", "rod", "lower triangle", knee)
    return b.scene


MECHANISMS = {
    "four-bar": (four_bar, 1, 3),
    "slider-crank": (slider_crank, 1, 3),
    "parallelogram": (parallelogram, 1, 3),
    "Peaucellier": (peaucellier, 1, 9),
    "Sarrus": (sarrus, 1, 1),
    "Bennett": (bennett, 1, 3),
    "Jansen leg": (jansen_leg, 1, 9),
}
"""Mechanism, its degrees of freedom, and how many of its rows are redundant."""
