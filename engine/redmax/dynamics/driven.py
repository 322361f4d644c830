# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms with drives: dynamics in the coordinates that are left, from those of the whole tree.

With q = q(y), qdot = W ydot and qddot = W yddot + Wdot ydot the equations M qddot = f of the tree become
W^T M W yddot = W^T (f - M Wdot ydot): RBDN eqs. 2.76-2.79. What holds followers to their drive does no work, so that it
drops out. Everything here needs of the tree only its mass matrix and its inverse dynamics.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import Array
from ..model import Model
from . import body_forces
from .composite_body import mass_matrix
from .freedoms import Freedoms, freedoms
from .hybrid_dynamics import HybridDynamics
from .jacobians import jacobian_transpose_product
from .kinematics import Kinematics, kinematics
from .loads import Loads
from .singular import ImmovableError, immovable

Inverse = Callable[[Model, Kinematics, Loads, Array], HybridDynamics]
"""(model, kinematics, loads, qddot) -> what qddot needs, as `recursive.inverse_dynamics`."""

IDLE_INPUT = 1e-13
"""An input whose inertia is less than this part of what it usually is moves nothing."""


def forward_dynamics(
    model: Model, kin: Kinematics, load: Loads, qddot_prescribed: Array, *, M: Array, inverse: Inverse
) -> HybridDynamics:
    """The motion under the loads, as `recursive.forward_dynamics`; tau at followers holds what drives do to them.

    M: (nr, nr) mass matrix of the tree. inverse: its inverse dynamics.
    """
    free = freedoms(model, kin.q)
    qddot = unforced(model, kin.q, kin.qdot, qddot_prescribed)
    missing = load.f_r - inverse(model, kin, load, qddot).tau
    return inverse(model, kin, load, qddot + free.spread(solve(model, free, free.reduced(M), free.gathered(missing))))


def unforced(model: Model, q: Array, qdot: Array, qddot_prescribed: Array) -> Array:
    """(nr,) accelerations while free coordinates have none: those that are given, and what drives make of them."""
    given = np.where(model.prescribed, qddot_prescribed, 0.0)
    return given if model.followers is None else model.followers.accelerated(q, qdot, given)


def felt_by_motors(model: Model, q: Array, missing: Array) -> Array:
    """(nr,) what motors of prescribed coordinates must push with where forces `missing` (nr,) are needed beyond loads.

    Inputs of drives feel what is needed at their followers.
    """
    return missing if model.followers is None else model.followers.pushing(q).gathered(missing)


def forces_along(model: Model, kin: Kinematics, load: Loads, t: float) -> Array:
    """(nr,) loads and forces between bodies along the coordinates, without weight and velocity products."""
    f = load.f_r.copy()
    if model.forces:
        f += jacobian_transpose_product(model, kin, body_forces.wrenches(model, kin.E_wi, kin.phi, t))
    return f


def stiffness(model: Model, kin: Kinematics, f: Array, D: Array) -> Array:
    """(nr, nr) what drives add to K = +df/dq, in the rows of their inputs: loads f (nr,) on followers change direction.

    d(W^T f)/dy = W^T K W + sum f_k d2q_k/dy2, and the followers' velocities depend on the pose, which dampers D
    (nr, nr) feel.
    """
    followers = model.followers
    if followers is None or not len(followers.curves.bent):
        return np.zeros((model.dof_count, model.dof_count))
    bend, ratio = followers.bends(kin.q), followers.ratio
    added = _turning(model, bend * f[followers.rows])
    turned = bend * (ratio @ kin.qdot[followers.inputs])  # d(qdot_k)/dy = turned_k r_k
    moved = D[:, followers.rows] @ (turned[:, None] * ratio)
    felt = moved[followers.inputs] + followers.pushing(kin.q).J.T @ moved[followers.rows]
    added[np.ix_(followers.inputs, followers.inputs)] += felt
    others = np.setdiff1d(np.arange(model.dof_count), np.concatenate([followers.rows, followers.inputs]))
    added[np.ix_(others, followers.inputs)] += moved[others]
    return added


def pulling_back(model: Model, q: Array, f: Array) -> Array:
    """(nr, nr) the part of `stiffness` that pulls back, which implicit steps take: it is symmetric."""
    followers = model.followers
    if followers is None or not len(followers.curves.bent):
        return np.zeros((model.dof_count, model.dof_count))
    return _turning(model, np.minimum(followers.bends(q) * f[followers.rows], 0.0))


def _turning(model: Model, push: Array) -> Array:
    """(nr, nr) with sum push_k r_k r_k^T of the followers' ratios r_k at the inputs."""
    followers, added = model.followers, np.zeros((model.dof_count, model.dof_count))
    assert followers is not None
    added[np.ix_(followers.inputs, followers.inputs)] = followers.ratio.T @ (push[:, None] * followers.ratio)
    return added


def solve(model: Model, free: Freedoms, A: Array, b: Array) -> Array:
    """A^-1 b for the inertia A (f, f) of the free coordinates. ImmovableError names an input that moves nothing."""
    if not len(b):
        return b
    inertia, usual = A.diagonal(), model.once(usual_inertia)
    weak = np.isfinite(inertia) & ~(inertia > IDLE_INPUT * usual)
    if weak.any():
        raise _moves_nothing(model, int(free.free[weak.argmax()]))
    try:
        return np.asarray(np.linalg.solve(A, b))
    except np.linalg.LinAlgError:
        weakest = np.linalg.eigh(0.5 * (A + A.T))[1][:, 0]
        raise _moves_nothing(model, int(free.free[np.abs(weakest).argmax()])) from None


def usual_inertia(model: Model) -> Array:
    """(f,) about the largest inertia that each free coordinate has with its followers; 0 where nothing is followed."""
    free = np.flatnonzero(model.moves_freely)
    usual = np.zeros(len(free))
    if model.followers is None:
        return usual
    M = mass_matrix(model, kinematics(model, model.q0, np.zeros(model.dof_count)))
    moved = np.isin(model.followers.inputs, free)
    places = np.searchsorted(free, model.followers.inputs[moved])
    usual[places] = (model.followers.steepest[:, moved] ** 2).T @ M.diagonal()[model.followers.rows]
    return usual


def _moves_nothing(model: Model, coordinate: int) -> ImmovableError:
    owner = model.owner(coordinate)
    if model.followers is None or coordinate not in model.followers.inputs:
        return immovable(owner)
    return ImmovableError(
        f"{owner}: nothing resists its motion, because no joint moves with it here (a table is flat, or what moves has "
        "no mass)",
        owner,
        "give the input an armature, or change the tables",
    )
