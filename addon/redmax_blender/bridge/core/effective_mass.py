# SPDX-License-Identifier: GPL-3.0-or-later
"""The mass that a spring moves: what its two ends weigh together along its line, with everything that hangs on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._engine import arrays, composite_body, constraint_rows, freedoms, kinematics

Array = arrays.Array

WEAK = 1e-10
"""Directions that rows hold less than this part of the strongest are free."""


def effective_mass(model: Any, number: int) -> float:
    """m [kg] with 1/m = g^T M^-1 g, g the derivative of the length of a model's force by its free coordinates, which
    loops and constraints restrict; infinite where nothing can change the length. number: of the force."""
    force, start = model.forces[number], model.initial_state()
    still = kinematics.kinematics(model, start.q, np.zeros(model.dof_count), start.chart)
    W = freedoms.freedoms(model, start.q)
    free = np.stack([W.spread(row) for row in np.eye(len(W.free))], axis=1) if len(W.free) else np.zeros((0, 0))
    if constraint_rows.is_constrained(model) and free.size:
        rows = constraint_rows.constraint_rows(model, still, 0.0, quick=False)
        free = free @ _null_space(rows.G[~rows.one_sided] @ free)
    if not free.size:
        return float("inf")
    g = np.array([_rate(model, force, start, column) for column in free.T])
    M = free.T @ composite_body.mass_matrix(model, still) @ free
    compliance = float(g @ np.linalg.lstsq(M, g, rcond=None)[0])
    return 1.0 / compliance if compliance > 0.0 else float("inf")


def _rate(model: Any, force: Any, start: Any, qdot: Array) -> float:
    """ldot of a path for given velocities; the length itself does not matter."""
    kin = kinematics.kinematics(model, start.q, qdot, start.chart)
    E = np.concatenate([kin.E_wi, np.eye(4)[None]])[list(force.bodies)]
    phi = np.concatenate([kin.phi, np.zeros((1, 6))])[list(force.bodies)]
    return float(force.length_and_rate(E, phi)[1])


def _null_space(A: Array) -> Array:
    """(n, k) orthonormal directions that A (m, n) does not restrict."""
    _, sizes, V = np.linalg.svd(A, full_matrices=True)
    rank = int((sizes > WEAK * sizes.max(initial=0.0)).sum())
    found: Array = V[rank:].T
    return found
