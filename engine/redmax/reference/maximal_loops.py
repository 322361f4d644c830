# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops, constraints and limits in maximal coordinates: their rows on the bodies' twists, beside those of tree joints.

Rows of loops are redundant more often than not, so that nothing here inverts them (`solvers.row_solver`).
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, BoolArray, IntArray
from ..dynamics.constraint_rows import constraint_rows, element_names
from ..dynamics.kinematics import Kinematics
from ..errors import UNKNOWN, Quantity
from ..model import Model
from ..solvers.row_solver import BoundedRows, RowSolver
from ..spatial import pose
from .joint_rows import JointRows, coordinate_rates, joint_rows
from .maximal import CLOSED, MAX_ITERATIONS, MaximalError, body_kinematics

ACCEPTED_GAP = 1e-11
"""Errors below this [rad, m, relative to the size of the scene] are borne where they no longer get smaller."""


class BodyRows:
    """Rows of joints, loops, constraints and limits that touch together: G Phi = gamma, open by error.

    G: (m, 6n); gamma, error: (m,). one_sided: (m,) rows that push and never pull.
    owner: (m,) names of the loops and constraints that the last rows belong to.
    any_velocity: (m,) rows that hold for accelerations alone. acceleration: (m,) what these ask for, 0 elsewhere.
    """

    def __init__(
        self,
        model: Model,
        kin: Kinematics,
        t: float,
        rows: JointRows,
        gap: Array,
        reached: Array | None = None,
        pushing: BoolArray | None = None,
    ) -> None:
        """rows, gap: of the tree's joints, as in `maximal.close_joints`. Source: RBDN section 2.8, eq. 2.91.

        reached: velocity of the rows that hold for accelerations alone, one after another, where the run knows it;
        else the one that the bodies have. pushing: (k,) of all rows of loops and constraints, the one-sided ones that
        touch; the others are left out.
        """
        own = constraint_rows(model, kin, t)
        kept = ~own.one_sided if pushing is None else ~own.one_sided | pushing
        n = model.body_count
        G_m = np.zeros((len(own.rate), n, 6))
        for row, body, B in own.on_bodies:
            G_m[row : row + len(B), body] += B
        G = G_m.reshape(len(own.rate), 6 * n)
        if own.on_joints:
            B_rates = coordinate_rates(model, kin)
            for row, joint, C in own.on_joints:
                G[row : row + len(C)] += C @ B_rates[model.columns(joint)]
        names = element_names(model)
        nothing = np.zeros(len(rows.gamma), np.bool_)
        self.G = np.concatenate([rows.G, G[kept]])
        self.gamma = np.concatenate([rows.gamma, own.rate[kept]])
        self.one_sided: BoolArray = np.concatenate([nothing, own.one_sided[kept]])
        self.any_velocity = np.concatenate([nothing, own.any_velocity[kept]])
        bias = np.where(own.any_velocity, own.bias, 0.0)[kept]
        self.acceleration = np.concatenate([np.zeros(len(rows.gamma)), bias])
        if reached is not None:
            self.gamma[self.any_velocity] = reached
        self.error = np.concatenate([rows.violation(gap), own.error[kept]])
        self.owner = tuple(names[k] for k, is_kept in zip(own.owner, kept, strict=True) if is_kept)
        self.own_error = own.error[kept]


def tied_twists(A: Array, f: Array, rows: BodyRows, wanted: Array) -> Array:
    """Phi (6n,) of A Phi = f + G^T lambda, G Phi = wanted (m,), as far as the rows can. Source: RBDN eq. 1.73.

    For one-sided rows G Phi >= wanted, lambda >= 0 and nothing pushes what parts: RBDN eqs. 1.79-1.80.
    """
    M = 0.5 * (A + A.T)
    try:
        if rows.one_sided.any():
            bounded = BoundedRows(M, rows.G, ~rows.one_sided)
            free = np.linalg.solve(A, f)
            least = np.where(rows.one_sided, 0.0, -np.inf)
            found = bounded.multipliers(wanted - rows.G @ free, least, np.full(len(wanted), np.inf))
            return np.asarray(free + bounded.solver.change(found))
        solver = RowSolver(M, rows.G)
    except np.linalg.LinAlgError:
        what = "a body without mass is held by loops"
        raise MaximalError(what, advice="give every moving body a mass", code="massless") from None
    free = np.linalg.solve(A, f)
    return np.asarray(free + solver.least_change(wanted - rows.G @ free))


def close_loops(
    model: Model, t: float, E_wi: Array, phi: Array, guess: Array, chart: IntArray, reached: Array | None = None
) -> tuple[Kinematics, Array]:
    """The bodies moved so that joints, loops and constraints are all closed, and their twists made to fit.

    reached: see `BodyRows`. Returns what `maximal.body_kinematics` does. Raises MaximalError naming what stays open.
    """
    M = np.diag(model.inertia.ravel())
    size = max(1.0, float(np.abs(E_wi[:, :3, 3]).max(initial=0.0)))
    least = np.inf
    for _ in range(MAX_ITERATIONS):
        kin, gap = body_kinematics(model, t, E_wi, phi, guess, chart)
        rows = BodyRows(model, kin, t, joint_rows(model, kin, t), gap, reached)
        worst = float(np.abs(rows.error).max(initial=0.0))
        if worst <= CLOSED * size or (worst <= ACCEPTED_GAP * size and worst > 0.5 * least):
            twists = tied_twists(M, model.inertia.ravel() * kin.phi.ravel(), rows, rows.gamma)
            return body_kinematics(model, t, E_wi, twists.reshape(-1, 6), kin.q, chart)
        least = min(least, worst)
        moved = tied_twists(M, np.zeros(len(M)), rows, -rows.error)
        E_wi, guess = pose.project(E_wi @ pose.exp(moved.reshape(-1, 6))), kin.q
    name = rows.owner[int(np.abs(rows.own_error).argmax())] if rows.owner else UNKNOWN
    raise MaximalError(
        f"{name or 'a joint'}: stays open by {worst:.3g}",
        name,
        "start with it closed, or take smaller steps",
        numbers={"gap": Quantity(worst, "rad or m")},
    )
