# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions known without simulating bodies, for what the reference integrator must not be trusted with."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

Array = Any


def windows(times: Array, *, count: int, angle: float, speed: float) -> dict[str, Array]:
    """Mass centres of the rods and bars of `singular.windows`: all rods stay parallel, one pendulum in all.

    Rods of 1 kg and 1 m turn about their feet with inertia 1/3 (and 1/2400 for their thickness), bars move in circles.
    """
    rods = count + 1
    inertia = rods * (1.0 / 3.0 + 2.0 * 0.05**2 / 12.0) + count
    weight = 9.81 * (0.5 * rods + count)

    def rates(_t: float, y: Array) -> Array:
        return np.array([y[1], -weight * np.cos(y[0]) / inertia])

    found = solve_ivp(rates, (times[0], times[-1]), (angle, speed), "DOP853", t_eval=times, rtol=1e-12, atol=1e-12)
    arm = np.stack([np.cos(found.y[0]), 0.0 * times, np.sin(found.y[0])], axis=1)
    x = np.array([1.0, 0.0, 0.0])
    places = {f"rod {k}": k * x + 0.5 * arm for k in range(rods)}
    return places | {f"bar {k}": (k + 0.5) * x + arm for k in range(count)}
