# SPDX-License-Identifier: GPL-3.0-or-later
"""Gears, drives and prescribed motion on trees and linkages."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from engine.mechanisms import Builder
from redmax.constraints import CONSTRAINTS
from redmax.scene import Scene
from redmax.tables import Table

from .linkages import planar
from .settings import simulated


def generate(rng: np.random.Generator) -> dict[str, Any]:
    make = (gears, driven, prescribed, animated)[rng.integers(4)]
    return simulated(rng, make(rng), duration=0.8)


def fingers(rng: np.random.Generator, count: int) -> Scene:
    """A chain of bars on parallel or skew hinges."""
    b = Builder("fingers")
    at, parent = np.zeros(3), None
    for k in range(count):
        end = at + np.array([0.4, 0.0, rng.uniform(-0.2, 0.2)])
        b.bar(f"bar {k}", at, end, rng.uniform(0.3, 2.0))
        axis = (0.0, 1.0, float(rng.choice([0.0, 0.5])))
        b.hinge(f"hinge {k}", parent, f"bar {k}", at, axis, qdot=0.0)
        at, parent = end, f"bar {k}"
    return b.scene


def with_speeds(rng: np.random.Generator, scene: Scene, *, of: int) -> Scene:
    scene.joints[of] = dataclasses.replace(scene.joints[of], qdot=float(rng.uniform(-3.0, 3.0)))
    return scene


def gears(rng: np.random.Generator) -> Scene:
    count = int(rng.integers(2, 6))
    scene = with_speeds(rng, fingers(rng, count), of=0)
    for k in range(1, count):
        if rng.random() < 0.7:
            ratio = float(rng.choice([-3.0, -1.0, -0.5, 0.25, 1.0, 2.0]))
            scene.constraints.append(
                CONSTRAINTS["coupling"](name=f"gear {k}", leader=f"hinge {k - 1}", follower=f"hinge {k}", ratio=ratio)
            )
    return scene


def driven(rng: np.random.Generator) -> dict[str, Any]:
    from redmax import io

    count = int(rng.integers(2, 6))
    data = io.plain(fingers(rng, count))
    own = {"q": 0.1, "qdot": float(rng.uniform(-2.0, 2.0)), "armature": float(rng.choice([0.0, 0.2]))}
    if rng.random() < 0.5:
        own |= {"stiffness": 20.0, "damping": 0.5}
    inputs = [own] if rng.random() < 0.6 else [{"joint": "hinge 0"}]
    followers = []
    for k in range(0 if "joint" not in inputs[0] else 1, count):
        follower: dict[str, Any] = {"joint": f"hinge {k}", "ratio": float(rng.uniform(-1.5, 1.5))}
        if rng.random() < 0.3:
            x = np.linspace(-2.0, 2.0, 6)
            follower["table"] = {"x": x.tolist(), "y": np.sin(x)[:, None].tolist(), "interpolation": "cubic"}
        followers.append(follower)
    data["drives"] = [{"name": "drive", "inputs": inputs, "followers": followers}]
    return data


def motion_table(rng: np.random.Generator, *, interpolation: str | None = None) -> Table:
    how = interpolation or str(rng.choice(["linear", "cubic"]))
    x = np.sort(rng.uniform(0.0, 1.5, int(rng.integers(2, 7))))
    x[0] = 0.0
    x += np.arange(len(x)) * float(rng.choice([1e-9, 1e-4, 0.05]))
    y = np.concatenate([[0.0], 0.3 * np.cumsum(rng.standard_normal(len(x) - 1) * np.minimum(1.0, 5.0 * np.diff(x)))])
    return Table(x=tuple(x.tolist()), y=tuple((v,) for v in y.tolist()), interpolation=how)


def prescribed(rng: np.random.Generator) -> Scene:
    scene = fingers(rng, 3) if rng.random() < 0.5 else planar(rng, int(rng.integers(1, 3)))
    scene.joints[0] = dataclasses.replace(scene.joints[0], qdot=0.0)
    row = CONSTRAINTS["joint_motion"](name="motion", joint=scene.joints[0].name, table=motion_table(rng))
    scene.constraints.append(row)
    return scene


def animated(rng: np.random.Generator) -> Scene:
    scene = fingers(rng, 3) if rng.random() < 0.5 else planar(rng, int(rng.integers(1, 3)))
    how = "step" if rng.random() < 0.15 else None
    animation = motion_table(rng, interpolation=how)
    scene.joints[0] = dataclasses.replace(scene.joints[0], motion_type="animated", animation=animation, qdot=0.0)
    return scene
