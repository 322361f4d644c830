# SPDX-License-Identifier: GPL-3.0-or-later
"""Random linkages of one to five loops, planar and spatial, and the well-known ones with other measures."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from engine import mechanisms
from engine.mechanisms import Builder
from redmax.scene import Scene

from .settings import direction, simulated


def generate(rng: np.random.Generator) -> dict[str, Any]:
    make = (known, planar, planar, spatial, spatial)[rng.integers(5)]
    scene = with_loads(rng, make(rng))
    return simulated(rng, scene, duration=0.8)


def known(rng: np.random.Generator) -> Scene:
    """A linkage from the books, with measures of its own."""
    speed = float(rng.uniform(-4.0, 4.0))
    name = str(rng.choice(["four-bar", "slider-crank", "parallelogram", "scissor", "sarrus", "bennett", "jansen", "p"]))
    if name == "four-bar":
        ground = rng.uniform(0.9, 1.2)
        return mechanisms.four_bar(
            crank=rng.uniform(0.2, 0.35),
            ground=ground,
            rocker=rng.uniform(0.7, 0.8),
            angle=rng.uniform(0.3, 6.0),
            qdot=speed,
        )
    if name == "slider-crank":
        return mechanisms.slider_crank(rod=rng.uniform(0.5, 1.2), angle=rng.uniform(0.2, 6.0), qdot=speed)
    if name == "parallelogram":
        return mechanisms.parallelogram(angle=rng.uniform(0.6, 1.4), height=rng.uniform(0.3, 1.0), qdot=0.3 * speed)
    if name == "scissor":
        return mechanisms.scissor_lift(int(rng.integers(1, 4)), angle=rng.uniform(0.4, 1.0), stiffness=200.0)
    if name == "bennett":
        return mechanisms.bennett(theta=rng.uniform(0.6, 2.2), b_length=rng.uniform(0.5, 0.9))
    if name == "jansen":
        return mechanisms.jansen_leg(angle=rng.uniform(0.0, 6.28), qdot=speed)
    return mechanisms.sarrus() if name == "sarrus" else mechanisms.peaucellier(angle=rng.uniform(0.2, 0.8))


def planar(rng: np.random.Generator, loops: int | None = None) -> Scene:
    """A crank in the x-z plane, and pairs of bars each of which closes one more loop and leaves the freedoms alone."""
    b = Builder("planar linkage")
    count = int(rng.integers(1, 6)) if loops is None else loops
    tip = np.array([rng.uniform(0.2, 0.5), 0.0, rng.uniform(-0.4, 0.4)])
    b.bar("bar 0", (0, 0, 0), tip)
    b.hinge("pivot 0", None, "bar 0", (0, 0, 0), qdot=float(rng.uniform(-3.0, 3.0)))
    places: list[tuple[str | None, Any]] = [("bar 0", tip)]
    for k in range(count):
        ground = np.array([rng.uniform(-1.5, 1.5), 0.0, rng.uniform(-1.0, 1.0)])
        start_body, start = places[rng.integers(len(places))]
        end_body, end = (None, ground) if rng.random() < 0.6 else places[rng.integers(len(places))]
        if end_body == start_body or np.linalg.norm(end - start) < 0.2:
            end_body, end = None, start + np.array([rng.uniform(0.4, 1.2), 0.0, rng.uniform(-0.6, 0.6)])
        along = end - start
        side = np.array([-along[2], 0.0, along[0]])
        knee = start + rng.uniform(0.3, 0.7) * along + float(rng.choice([-1.0, 1.0])) * rng.uniform(0.4, 0.9) * side
        first, second = f"bar {k} a", f"bar {k} b"
        b.bar(first, start, knee, rng.uniform(0.5, 3.0))
        b.bar(second, end, knee, rng.uniform(0.5, 3.0))
        b.hinge(f"start {k}", start_body, first, start)
        b.hinge(f"end {k}", end_body, second, end)
        b.hinge(f"knee {k}", first, second, knee)
        places += [(first, 0.5 * (start + knee)), (second, knee)]
    return b.scene


FREEDOMS = {
    "revolute": 1,
    "prismatic": 1,
    "screw": 1,
    "universal": 2,
    "planar": 2,
    "spherical": 3,
    "spherical_euler": 3,
}


def spatial(rng: np.random.Generator) -> Scene:
    """A closed spatial chain with one freedom or a few more, of several kinds of joints."""
    b = Builder("spatial linkage")
    kinds: list[str] = []
    while sum(FREEDOMS[kind] for kind in kinds) < 7 or len(kinds) < 3:
        kinds.append(str(rng.choice(list(FREEDOMS))))
    corners = [np.zeros(3)]
    for _ in kinds[1:]:
        corners.append(corners[-1] + rng.uniform(0.3, 0.8) * np.array(direction(rng)))
    names = [f"link {k}" for k in range(len(kinds) - 1)]
    for k, name in enumerate(names):
        b.bar(name, corners[k], corners[k + 1], rng.uniform(0.5, 2.0))
    ends = [None, *names, None]
    for k, kind in enumerate(kinds):
        parent, child = ends[k], ends[k + 1]
        if child is None:
            parent, child = None, names[-1]
        fields: dict[str, Any] = {}
        if kind in ("revolute", "prismatic", "screw"):
            fields["axis"] = direction(rng)
        if kind == "screw":
            fields["pitch"] = float(rng.uniform(0.1, 0.5))
        if k == 0:
            fields["qdot"] = 1.0
        axes = np.linalg.qr(rng.standard_normal((3, 3)))[0]
        axes = axes * np.sign(np.linalg.det(axes))
        b.joint(kind, f"joint {k}", parent, child, corners[k], R=axes, **fields)
    return b.scene


def with_loads(rng: np.random.Generator, scene: Scene) -> Scene:
    """Springs and dampers on some joints with one coordinate, also on those that close loops."""
    if rng.random() < 0.4:
        return scene
    for k, joint in enumerate(scene.joints):
        if joint.ndof == 1 and rng.random() < 0.3:
            damping = float(rng.uniform(0.0, 0.5))
            scene.joints[k] = dataclasses.replace(joint, stiffness=float(rng.uniform(0.0, 20.0)), damping=damping)
    return scene
