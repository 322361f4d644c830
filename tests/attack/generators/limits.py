# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft limits of every stiffness and hard stops with restitution, on trees and linkages, at low frame rates too."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from engine import mechanisms
from engine.mechanisms import Builder
from redmax.constraints import CONSTRAINTS
from redmax.scene import Scene

from .linkages import planar
from .settings import simulated, spread


def generate(rng: np.random.Generator) -> dict[str, Any]:
    scene = (pendulums, linkage, slider)[rng.integers(3)](rng)
    simple = [k for k, joint in enumerate(scene.joints) if joint.ndof == 1]
    # Joints that close loops take soft limits only; the last of a linkage closes it.
    loops = len(scene.joints) > len(scene.bodies)
    chosen = rng.choice(simple, size=min(len(simple), int(rng.integers(1, 3))), replace=False)
    for k in chosen.tolist():
        joint = scene.joints[k]
        room = float(spread(rng, 0.01, 0.8))
        low, high = (None if rng.random() < 0.3 else -room), float(rng.uniform(0.3, 1.0)) * room
        if rng.random() < 0.5 or (loops and k == len(scene.joints) - 1):
            stiffness = spread(rng, 1.0, 1e6)
            damping = float(rng.choice([0.0, 0.1, 1.0])) * np.sqrt(stiffness)
            fields = {"lower": low, "upper": high, "limit_stiffness": stiffness, "limit_damping": damping}
            scene.joints[k] = dataclasses.replace(joint, **fields)
        elif rng.random() < 0.4:
            scene.joints[k] = dataclasses.replace(joint, lower=low, upper=high)
        else:
            stop = CONSTRAINTS["joint_limit"](
                name=f"stop {k}", joint=joint.name, lower=low, upper=high, restitution=float(rng.uniform(0.0, 1.0))
            )
            scene.constraints.append(stop)
    return simulated(rng, scene, duration=1.0)


def pendulums(rng: np.random.Generator) -> Scene:
    b = Builder("pendulums")
    at, parent = np.zeros(3), None
    for k in range(int(rng.integers(1, 5))):
        end = at + rng.uniform(0.3, 0.8) * np.array([1.0, 0.0, rng.uniform(-1.0, 1.0)])
        b.bar(f"bar {k}", at, end, rng.uniform(0.5, 2.0))
        b.hinge(f"hinge {k}", parent, f"bar {k}", at, qdot=float(rng.uniform(-5.0, 5.0)))
        at, parent = end, f"bar {k}"
    return b.scene


def linkage(rng: np.random.Generator) -> Scene:
    if rng.random() < 0.5:
        return planar(rng, int(rng.integers(1, 3)))
    return mechanisms.four_bar(qdot=float(rng.uniform(-6.0, 6.0)), angle=rng.uniform(0.3, 6.0))


def slider(rng: np.random.Generator) -> Scene:
    b = Builder("slider")
    b.body("block", (0, 0, 0), rng.uniform(0.5, 3.0), 0.1 * np.eye(3))
    b.joint("prismatic", "guide", None, "block", (0, 0, 0), axis=(0.0, 0.0, 1.0), qdot=float(rng.uniform(-8.0, 8.0)))
    if rng.random() < 0.5:
        b.bar("arm", (0, 0, 0), (0.5, 0, 0))
        b.hinge("swing", "block", "arm", (0, 0, 0), qdot=float(rng.uniform(-4.0, 4.0)))
    return b.scene
