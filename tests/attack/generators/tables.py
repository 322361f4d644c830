# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables: bumps of a spring table that a fast joint meets, torques that jump, keys close together."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from engine.mechanisms import Builder
from redmax.scene import Scene
from redmax.tables import Table

from .limits import linkage, pendulums
from .settings import simulated, spread


def generate(rng: np.random.Generator) -> dict[str, Any]:
    if rng.random() < 0.4:
        return simulated(rng, bump(rng), duration=0.6)
    scene = pendulums(rng) if rng.random() < 0.6 else linkage(rng)
    joint = scene.joints[0]
    fields: dict[str, Any] = {}
    if rng.random() < 0.6:
        fields["torque_table"] = over_time(rng)
    if not fields or rng.random() < 0.6:
        x = np.sort(rng.uniform(-2.0, 2.0, int(rng.integers(2, 8))))
        x = np.unique(x)
        y = spread(rng, 0.1, 30.0) * rng.standard_normal(len(x))
        how = str(rng.choice(["step", "linear", "cubic"]))
        fields["stiffness_table"] = table(x, y, how)
    scene.joints[0] = dataclasses.replace(joint, **fields)
    return simulated(rng, scene, duration=0.8)


def table(x: Any, y: Any, how: str) -> Table:
    return Table(x=tuple(float(v) for v in x), y=tuple((float(v),) for v in y), interpolation=how)


def over_time(rng: np.random.Generator) -> Table:
    gaps = [spread(rng, 1e-9, 0.5) for _ in range(int(rng.integers(1, 8)))]
    x = np.concatenate([[rng.uniform(0.0, 0.1)], rng.uniform(0.0, 0.1) + np.cumsum(gaps) + 0.1])
    how = str(rng.choice(["step", "linear", "cubic"]))
    # Values of a smooth table vary no faster than its points allow.
    y = np.cumsum(rng.standard_normal(len(x)) * np.minimum(1.0, 10.0 * np.diff(x, prepend=x[0] - 0.1)))
    return table(x, spread(rng, 0.1, 10.0) * y, how)


def bump(rng: np.random.Generator) -> Scene:
    """A wheel that meets a bump which takes a part of its energy, or more than it has."""
    b = Builder("bump", gravity=(0.0, 0.0, 0.0))
    inertia, speed = spread(rng, 0.01, 10.0), spread(rng, 1.0, 50.0)
    b.body("wheel", (0, 0, 0), 1.0, inertia * np.eye(3))
    width, part = spread(rng, 0.002, 0.5), float(rng.choice([0.5, 0.9, 1.2, 3.0]))
    energy = part * 0.5 * inertia * speed**2
    at = float(rng.uniform(0.2, 1.0))
    # The torque rises and falls back as a triangle, then does the same the other way: energy is given back.
    height = 2.0 * energy / width
    x = [at, at + 0.5 * width, at + width, at + 1.5 * width, at + 2.0 * width]
    spring = table(x, [0.0, height, 0.0, -height, 0.0], "linear")
    b.hinge("axle", None, "wheel", (0, 0, 0), qdot=float(speed), stiffness_table=spring)
    if rng.random() < 0.3:
        b.bar("arm", (0, 0, 0), (0.3, 0, 0), 0.1)
        b.hinge("swing", "wheel", "arm", (0.0, 0, 0), qdot=0.0)
    return b.scene
