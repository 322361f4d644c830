# SPDX-License-Identifier: GPL-3.0-or-later
"""Fast rotation: heavy tops, thrown bodies, cranks; every accuracy keeps its promise at any frame rate."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import mechanisms
from engine.mechanisms import Builder
from redmax.scene import Scene

from .settings import simulated, spread


def generate(rng: np.random.Generator) -> dict[str, Any]:
    make = (top, thrown, crank)[rng.integers(3)]
    return simulated(rng, make(rng), duration=0.8)


def top(rng: np.random.Generator) -> Scene:
    b = Builder("top")
    kind = str(rng.choice(["spherical", "spherical_euler"]))
    spin = spread(rng, 5.0, 200.0)
    slender = float(rng.uniform(0.01, 0.09))
    b.body("top", (0.0, 0.6, 0.8), 1.0, np.diag([0.05, 0.05, slender]))
    axes = np.array([[1.0, 0.0, 0.0], [0.0, 0.8, 0.6], [0.0, -0.6, 0.8]])
    b.joint(kind, "tip", None, "top", (0, 0, 0), R=axes, qdot=(0.0, 0.0, spin))
    return b.scene


def thrown(rng: np.random.Generator) -> Scene:
    b = Builder("thrown")
    b.body("body", (0, 0, 0), 1.0, np.diag(np.sort(rng.uniform(1.0, 1.9, 3))))
    kind = str(rng.choice(["free", "free_translation_rotation", "free_translation_euler"]))
    velocity = tuple((rng.standard_normal(6) * spread(rng, 1.0, 60.0)).tolist())
    b.joint(kind, "air", None, "body", (0, 0, 0), qdot=velocity)
    if rng.random() < 0.5:
        b.bar("tail", (0, 0, 0), (1.0, 0.0, 0.0), 0.3)
        b.joint("spherical", "hip", "body", "tail", (0, 0, 0), qdot=tuple(rng.uniform(-5, 5, 3).tolist()))
    return b.scene


def crank(rng: np.random.Generator) -> Scene:
    speed = float(rng.choice([-1.0, 1.0])) * spread(rng, 5.0, 200.0)
    if rng.random() < 0.5:
        return mechanisms.slider_crank(rod=rng.uniform(0.4, 1.0), angle=rng.uniform(0.2, 6.0), qdot=speed)
    return mechanisms.four_bar(angle=rng.uniform(0.3, 6.0), qdot=speed)
