# SPDX-License-Identifier: GPL-3.0-or-later
"""The forces of a model at one instant: wrenches on all bodies, stiffness and damping, energy and powers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Array, IntArray
from ..forces import BoundForce
from ..forces.lines.batch import SpringBatch, split
from ..model import Model

IMPLICIT, REFERENCE, EXACT = "implicit", "reference", "exact"
"""Which K and D of a force: what implicit steps use, what the reference implementation uses, or the exact ones."""


@dataclass(frozen=True, eq=False)
class Coupling:
    """Derivatives of one force. rows: (6k,) where its bodies stand among the 6n numbers of all twists, or 6n and above
    for the world. K: (6k, 6k) = +df/d(increments), D: (6k, 6k) = +df/dphi."""

    rows: IntArray
    K: Array
    D: Array


def with_world(E_wi: Array, phi: Array) -> tuple[Array, Array]:
    """E_wi (n + 1, 4, 4) and phi (n + 1, 6) with the world as their last row, which index -1 finds."""
    return np.concatenate([E_wi, np.eye(4)[None]]), np.concatenate([phi, np.zeros((1, 6))])


def acting(model: Model, E_wi: Array, phi: Array) -> Iterator[tuple[BoundForce, list[int], Array, Array]]:
    """Every force with the indices, poses (k, 4, 4) and twists (k, 6) of its bodies. E_wi: (n, 4, 4), phi: (n, 6)."""
    E, twists = with_world(E_wi, phi)
    for force in model.forces:
        bodies = list(force.bodies)
        yield force, bodies, E[bodies], twists[bodies]


def wrenches(model: Model, E_wi: Array, phi: Array, t: float) -> Array:
    """(n, 6) what all forces do to the bodies, in their principal frames [N m, N]."""
    f = np.zeros((model.body_count + 1, 6))
    E, twists = with_world(E_wi, phi)
    springs, others = model.once(_split)
    if len(springs.k):
        springs.add_wrenches(E, twists, f)
    for force in others:
        bodies = list(force.bodies)
        f[bodies] += force.wrenches(E[bodies], twists[bodies], t)
    return f[:-1]


def _split(model: Model) -> tuple[SpringBatch, tuple[BoundForce, ...]]:
    return split(model.forces)


def potential_energy(model: Model, E_wi: Array) -> float:
    """Energy of all forces that have one [J]."""
    still = np.zeros((model.body_count, 6))
    return sum(force.potential(E) for force, _, E, _ in acting(model, E_wi, still))


def powers(model: Model, E_wi: Array, phi: Array, t: float) -> Array:
    """(2,) what all forces put in and what they take out [W]."""
    total = np.zeros(2)
    for force, _, E, twists in acting(model, E_wi, phi):
        if force.exchanges:
            total += force.powers(E, twists, t)
    return total


def couplings(model: Model, E_wi: Array, phi: Array, t: float, *, which: str = IMPLICIT) -> list[Coupling]:
    """Stiffness and damping of every force."""
    found = []
    n = model.body_count
    for force, bodies, E, twists in acting(model, E_wi, phi):
        derive = {IMPLICIT: force.implicit, REFERENCE: force.reference, EXACT: force.derivatives}[which]
        owner = np.array([body if body >= 0 else n for body in bodies], np.int64)
        rows = (6 * owner[:, None] + np.arange(6)).ravel()
        found.append(Coupling(rows, *derive(E, twists, t)))
    return found


def projected(couplings: list[Coupling], J: Array) -> tuple[Array, Array]:
    """K and D along the coordinates, (nr, nr) each: J^T K J. J: (6n, nr)."""
    nr = J.shape[1]
    J_world = np.concatenate([J, np.zeros((6, nr))])
    K, D = np.zeros((nr, nr)), np.zeros((nr, nr))
    for coupling in couplings:
        own = J_world[coupling.rows]
        K += own.T @ coupling.K @ own
        D += own.T @ coupling.D @ own
    return K, D


def assembled(couplings: list[Coupling], n: int) -> tuple[Array, Array]:
    """K and D of all bodies, (6n, 6n) each."""
    K, D = np.zeros((6 * n + 6, 6 * n + 6)), np.zeros((6 * n + 6, 6 * n + 6))
    for coupling in couplings:
        where = np.ix_(coupling.rows, coupling.rows)
        K[where] += coupling.K
        D[where] += coupling.D
    return K[: 6 * n, : 6 * n], D[: 6 * n, : 6 * n]
