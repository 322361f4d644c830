# SPDX-License-Identifier: GPL-3.0-or-later
"""What all generators draw: accuracy, frame rate, duration."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax import io
from redmax.scene import Scene

ACCURACIES = ("draft", "standard", "high")
RATES = (1.0, 10.0, 24.0, 24.0, 60.0, 100.0, 1000.0)


def simulated(rng: np.random.Generator, scene: Scene | dict[str, Any], *, duration: float = 1.0, **more: Any) -> dict:
    """A case that simulates a scene; duration: about how long [s]. At most 200 frames."""
    data = io.plain(scene) if isinstance(scene, Scene) else scene
    fps = float(rng.choice(RATES))
    duration = max(min(duration * rng.uniform(0.5, 1.5), 200.0 / fps), 1.0 / fps)
    settings = {"op": "simulate", "accuracy": str(rng.choice(ACCURACIES)), "fps": fps, "duration": float(duration)}
    return {**settings, "scene": data, **more}


def direction(rng: np.random.Generator) -> tuple[float, float, float]:
    """A unit vector anywhere."""
    a = rng.standard_normal(3)
    x, y, z = (a / np.linalg.norm(a)).tolist()
    return x, y, z


def spread(rng: np.random.Generator, low: float, high: float) -> float:
    """A positive number whose logarithm is evenly spread."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))
