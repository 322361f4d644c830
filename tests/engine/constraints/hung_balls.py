# SPDX-License-Identifier: GPL-3.0-or-later
"""Symmetric bodies on limited balls, for tests. Import as `from engine.constraints.hung_balls import hung`."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.mechanisms import Builder
from redmax.arrays import Array
from redmax.constraints import BallLimit
from redmax.integrators import Dop853
from redmax.model import Model
from redmax.scene import Scene
from redmax.simulate import simulate
from redmax.simulate.sample import Sample

MASS, ARM, ACROSS, ALONG, G = 1.0, 0.5, 0.09, 0.02, 9.81
STEADY = ACROSS + MASS * ARM**2
"""Inertia across the axis about the ball [kg m^2]."""


def hung(
    *limits: BallLimit, kind: str = "spherical", links: int = 1, up: bool = False, gravity: float = G, **fields: Any
) -> Scene:
    """Symmetric bodies one below another, or one above another, each on a ball whose z is the axis of the body."""
    b = Builder("hung", gravity=(0.0, 0.0, -gravity))
    parent, way = None, 1.0 if up else -1.0
    for k in range(links):
        b.body(f"body {k}", (0.0, 0.0, way * (ARM + 2.0 * ARM * k)), MASS, np.diag([ACROSS, ACROSS, ALONG]))
        b.joint(kind, f"ball {k}", parent, f"body {k}", (0.0, 0.0, way * 2.0 * ARM * k), **fields)
        parent = f"body {k}"
    b.scene.constraints.extend(limits)
    return b.scene


def limit(k: int = 0, **fields: Any) -> BallLimit:
    return BallLimit(name=f"limit {k}", joint=f"ball {k}", **fields)


def run(
    model: Model, *, dynamics: str = "fast", duration: float = 1.0, fps: float = 24.0, tolerance: float = 1e-10
) -> list[Sample]:
    integrator = Dop853(rtol=tolerance, atol=tolerance, dynamics=dynamics)
    samples = list(simulate(model, integrator=integrator, fps=fps, duration=duration))
    assert samples[-1].status == "complete", samples[-1].message
    return samples


def books(samples: list[Sample]) -> Array:
    """(k,) energy and what was lost of it."""
    return np.array([float(sample.channels["energy"] + sample.channels["loss"]) for sample in samples])
