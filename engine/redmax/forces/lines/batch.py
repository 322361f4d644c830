# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs and cables between two points, all of a model at once: strands have hundreds of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import Array
from ..base import BoundForce
from .path import COINCIDENT, PathForce
from .spring_law import SpringLaw


class SpringBatch:
    """m springs. bodies: (2, m) of their ends, -1 for the world; x: (2, m, 3) the points in the principal frames."""

    def __init__(self, springs: Sequence[PathForce]) -> None:
        laws = [spring.law for spring in springs if isinstance(spring.law, SpringLaw)]
        self.bodies = np.array([spring.points.owners for spring in springs], np.int64).reshape(-1, 2).T
        self.x = np.array([spring.points.x for spring in springs]).reshape(-1, 2, 3).transpose(1, 0, 2)
        self.k, self.d, self.rest = (np.array([getattr(law, name) for law in laws]) for name in ("k", "d", "rest"))
        self.pulls_only = np.array([law.pulls_only for law in laws], np.bool_)

    def lengths_and_rates(self, E: Array, phi: Array) -> tuple[Array, Array]:
        """As `PathForce.length_and_rate`, each (m,); E, phi as in `add_wrenches`."""
        _, dx, xdot = self._ends(E, phi)
        length = np.sqrt((dx * dx).sum(axis=1))
        apart = length > COINCIDENT
        rate = (dx * xdot).sum(axis=1) / np.where(apart, length, np.inf)
        return np.where(apart, length, 0.0), rate

    def _ends(self, E: Array, phi: Array) -> tuple[Array, Array, Array]:
        """R (2, m, 3, 3) of both ends' bodies, and from the first end to the second place and velocity, each (m, 3)."""
        R = E[self.bodies, :3, :3]
        twists = phi[self.bodies]
        X = np.einsum("emab,emb->ema", R, self.x) + E[self.bodies, :3, 3]
        Xdot = np.einsum("emab,emb->ema", R, twists[..., 3:] + np.cross(twists[..., :3], self.x))
        return R, X[1] - X[0], Xdot[1] - Xdot[0]

    def add_wrenches(self, E: Array, phi: Array, f: Array) -> None:
        """Adds to f (n + 1, 6) what all springs do; E: (n + 1, 4, 4), phi: (n + 1, 6), the world last."""
        R, dx, rate = self._ends(E, phi)
        length = np.sqrt((dx * dx).sum(axis=1))
        apart = length > COINCIDENT
        size = np.where(apart, length, 1.0)
        length = np.where(apart, length, 0.0)
        T = self.k * (length - self.rest) + self.d * np.where(apart, (dx * rate).sum(axis=1) / size, 0.0)
        slack = self.pulls_only & ((length <= self.rest) | (T <= 0.0))
        pull = np.where(slack, 0.0, np.where(apart, T / size, self.k))[:, None] * dx
        local = np.einsum("emab,ema->emb", R, np.stack([pull, -pull]))
        np.add.at(f, self.bodies, np.concatenate([np.cross(self.x, local), local], axis=2))


def split(forces: Sequence[BoundForce]) -> tuple[SpringBatch, tuple[BoundForce, ...]]:
    """Springs and cables between two points, and all other forces."""
    springs = [
        force
        for force in forces
        if type(force) is PathForce and type(force.law) is SpringLaw and len(force.points.x) == 2
    ]
    taken = set(map(id, springs))
    return SpringBatch(springs), tuple(force for force in forces if id(force) not in taken)
