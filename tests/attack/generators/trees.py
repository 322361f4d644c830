# SPDX-License-Identifier: GPL-3.0-or-later
"""Random trees of every joint kind, with springs, dampers, tables, animated and locked joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.random_trees import random_scene

from .settings import simulated


def generate(rng: np.random.Generator) -> dict[str, Any]:
    scene = random_scene(
        rng,
        int(rng.integers(1, 7)),
        chain=bool(rng.random() < 0.3),
        springs=bool(rng.random() < 0.7),
        damping=bool(rng.random() < 0.5),
        tables=bool(rng.random() < 0.4),
        prescribed=0.2 if rng.random() < 0.4 else 0.0,
    )
    return simulated(rng, scene, duration=0.8)
