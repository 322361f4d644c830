# SPDX-License-Identifier: GPL-3.0-or-later
"""MuJoCo's rollout: many motions of one model on several threads."""

from __future__ import annotations

import mujoco
import numpy as np
from mujoco.rollout import Rollout

from ..mechanisms import Mechanism
from .with_mujoco import EULER, RK4, MuJoCoMachine


class Rollouts:
    """start: all coordinates; the first one is varied. cores: threads."""

    def __init__(self, mechanism: Mechanism, start: np.ndarray, cores: int) -> None:
        self.machine = MuJoCoMachine(mechanism)
        self.model = self.machine.model
        self.data = [mujoco.MjData(self.model) for _ in range(cores)]
        self.start, self.pool = start, Rollout(nthread=cores)

    def run(self, angles: np.ndarray, seconds: float, h: float, *, rk4: bool) -> np.ndarray:
        """Coordinates at the end of every motion, (n, nq)."""
        steps = round(seconds / h)
        self.model.opt.integrator, self.model.opt.timestep = (RK4 if rk4 else EULER), seconds / steps
        size = mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        first = np.zeros((len(angles), size))
        first[:, 1 : 1 + self.model.nq] = self.start  # time comes first
        first[:, 1] = angles
        states, _ = self.pool.rollout(self.model, self.data, first, nstep=steps)
        return states[:, -1, 1 : 1 + self.model.nq]

    def step_as_accurate(
        self, angles: np.ndarray, seconds: float, exact: list[np.ndarray], allowed: float, tried: int
    ) -> float | None:
        """Longest RK4 step that ends at most `allowed` from the exact coordinates; None where none of `tried` does."""
        for halvings in range(tried):
            h = 0.02 / 2**halvings
            if np.abs(self.run(angles, seconds, h, rk4=True) - np.array(exact)).max() <= allowed:
                return h
        return None
