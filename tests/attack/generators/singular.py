# SPDX-License-Identifier: GPL-3.0-or-later
"""Singular poses: linkages that pass them, start in them, or come near; the N windows of IFToMM's benchmark A02."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import mechanisms
from engine.mechanisms import Builder
from redmax.scene import Scene

from .settings import simulated


def generate(rng: np.random.Generator) -> dict[str, Any]:
    draw = rng.random()
    if draw < 0.3:
        count = int(rng.integers(1, 7))
        angle = float(rng.uniform(0.2, 1.5708))
        speed = float(rng.uniform(-4.0, -0.5))
        scene = windows(count, angle=angle, speed=speed)
        return simulated(rng, scene, duration=1.5, closed_form={"windows": count, "angle": angle, "speed": speed})
    if draw < 0.5:  # through the flat pose, and right from it
        angle = float(rng.choice([0.0, np.pi, 1e-9, 1e-6, 1e-3, 0.1]))
        scene = mechanisms.parallelogram(angle=angle, height=rng.uniform(0.3, 1.0), qdot=float(rng.uniform(-6.0, 6.0)))
    elif draw < 0.7:  # change points: the shortest and the longest bar are as long as the others together
        crank, coupler = rng.uniform(0.2, 0.4), rng.uniform(0.7, 1.0)
        ground = rng.uniform(0.7, 1.0)
        rocker = ground + crank - coupler if rng.random() < 0.5 else coupler + crank - ground
        if not rocker > 0.1:
            rocker = ground
            coupler = crank
        angle = float(rng.uniform(0.4, 2.6))
        tip = crank * np.array([np.cos(angle), np.sin(angle)])
        apart = float(np.hypot(ground - tip[0], tip[1]))
        if abs(coupler - rocker) < apart < coupler + rocker:
            lengths = {"crank": crank, "coupler": coupler, "rocker": rocker, "ground": ground}
            scene = mechanisms.four_bar(**lengths, angle=angle, qdot=float(rng.uniform(-8.0, 8.0)))
        else:
            scene = mechanisms.parallelogram(angle=angle, qdot=float(rng.uniform(-8.0, 8.0)))
    elif draw < 0.85:
        scene = stretched(rng)
    else:
        scene = (
            mechanisms.sarrus()
            if rng.random() < 0.4
            else mechanisms.slider_crank(rod=0.3, angle=rng.uniform(1.2, 1.57))
        )
    return simulated(rng, scene, duration=1.5)


def windows(count: int, *, angle: float, speed: float) -> Scene:
    """count equal four-bars in a row: count + 1 rods of 1 m and 1 kg on the ground, joined by bars of 1 m and 1 kg.

    All rods stay parallel, so that it moves like one pendulum; lying flat it has count + 1 freedoms.
    """
    b = Builder("windows", gravity=(0.0, 0.0, -9.81))
    arm = np.array([np.cos(angle), 0.0, np.sin(angle)])
    feet = [np.array([float(k), 0.0, 0.0]) for k in range(count + 1)]
    for k, foot in enumerate(feet):
        b.bar(f"rod {k}", foot, foot + arm)
        b.hinge(f"foot {k}", None, f"rod {k}", foot, axis=(0.0, -1.0, 0.0), qdot=speed)
    for k in range(count):
        b.bar(f"bar {k}", feet[k] + arm, feet[k + 1] + arm)
        b.hinge(f"left {k}", f"rod {k}", f"bar {k}", feet[k] + arm, axis=(0.0, -1.0, 0.0), qdot=-speed)
        b.hinge(f"right {k}", f"rod {k + 1}", f"bar {k}", feet[k + 1] + arm)
    return b.scene


def stretched(rng: np.random.Generator) -> Scene:
    """Two links that start stretched, or nearly, between two pivots, with something that pushes."""
    b = Builder("stretched links")
    bend = float(rng.choice([0.0, 1e-8, 1e-4, 0.01, 0.1]))
    middle = np.array([0.5, 0.0, bend])
    end = np.array([1.0, 0.0, 0.0])
    b.bar("left", (0, 0, 0), middle)
    b.bar("right", middle, end)
    b.body("block", end, 1.0, 0.01 * np.eye(3))
    b.hinge("pivot", None, "left", (0, 0, 0), qdot=float(rng.uniform(-2.0, 2.0)))
    b.hinge("knee", "left", "right", middle)
    b.joint("prismatic", "guide", None, "block", end, axis=(1.0, 0.0, 0.0))
    b.hinge("wrist", "right", "block", end)
    return b.scene
