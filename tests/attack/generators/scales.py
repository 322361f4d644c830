# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms of a micrometre and of a hundred kilometres, light parts beside heavy ones, slow and fast ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.mechanisms import Builder, circles
from redmax.scene import Scene

from .settings import simulated, spread


def generate(rng: np.random.Generator) -> dict[str, Any]:
    size = spread(rng, 1e-6, 1e5)
    return simulated(rng, linkage(rng, size) if rng.random() < 0.5 else chain(rng, size), duration=0.6)


def masses(rng: np.random.Generator, count: int, size: float) -> list[float]:
    """Masses of a body of that size, some of them a million times as heavy as others."""
    usual = min(max(size**3, 1e-15), 1e15)
    ratio = float(rng.choice([1.0, 10.0, 1e3, 1e6]))
    return [usual * (ratio if rng.random() < 0.4 else 1.0) for _ in range(count)]


def chain(rng: np.random.Generator, size: float) -> Scene:
    count = int(rng.integers(1, 6))
    b = Builder("chain of any size", gravity=(0.0, 0.0, -9.81 * size))
    at, parent = np.zeros(3), None
    for k, mass in enumerate(masses(rng, count, size)):
        end = at + size * rng.uniform(0.3, 0.8) * np.array([1.0, 0.0, rng.uniform(-0.5, 0.5)])
        b.bar(f"bar {k}", at, end, mass)
        speed = float(rng.uniform(-1.0, 1.0)) * spread(rng, 0.1, 10.0)
        b.hinge(f"hinge {k}", parent, f"bar {k}", at, (0.0, 1.0, float(rng.choice([0.0, 0.3]))), qdot=speed)
        at, parent = end, f"bar {k}"
    return b.scene


def linkage(rng: np.random.Generator, size: float) -> Scene:
    b = Builder("four-bar of any size", gravity=(0.0, 0.0, -9.81 * size))
    A, D = np.zeros(3), size * np.array([1.0, 0.0, 0.0])
    angle = rng.uniform(0.3, 6.0)
    B = 0.3 * size * np.array([np.cos(angle), 0.0, np.sin(angle)])
    C = circles(B, 0.9 * size, D, 0.7 * size)
    first, second, third = masses(rng, 3, size)
    b.bar("crank", A, B, first)
    b.bar("coupler", B, C, second)
    b.bar("rocker", D, C, third)
    b.hinge("A", None, "crank", A, qdot=float(rng.uniform(-5.0, 5.0)))
    b.hinge("B", "crank", "coupler", B)
    b.hinge("D", None, "rocker", D)
    b.hinge("C", "coupler", "rocker", C)
    return b.scene
