# SPDX-License-Identifier: GPL-3.0-or-later
"""Maximal coordinates: every body has six velocities of its own, and multipliers hold the joints together.

The unknowns are the twists Phi (6n,) of the principal frames, the rows G Phi = gamma are those of joint_rows.py.
The multipliers push with -G^T lambda (RBDN eq. 1.74 and the text before it; the signs printed elsewhere in RBDN
differ, a known erratum).
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, IntArray
from ..dynamics.animation import prescribed_motion
from ..dynamics.complement import pseudo_inverse
from ..dynamics.joint_coordinates import displacement, joint_coordinates
from ..dynamics.kinematics import Kinematics
from ..dynamics.loads import Loads
from ..errors import ElementName, Quantity, RunError
from ..model import Model
from ..spatial import adjoint, pose
from .joint_rows import JointRows, coordinate_rates, joint_rows
from .projected import coriolis_wrenches

CLOSED = 1e-13
"""Joints open by less than this [rad, m, relative to the size of the scene] count as closed."""

MAX_ITERATIONS = 30
"""Closing a joint that is open by 0.1 takes about 5 iterations."""


class MaximalError(RunError):
    """Body motions that cannot be brought in line with the joints."""

    code = "cannot_close"


def body_kinematics(
    model: Model, t: float, E_wi: Array, phi: Array, guess: Array, chart: IntArray
) -> tuple[Kinematics, Array]:
    """The mechanism whose bodies are at E_wi (n, 4, 4) with twists phi (n, 6), and what its joints are open by.

    q and qdot are recovered from relative poses and twists (`joint_coordinates`, started at guess (nr,));
    those of animated and locked joints are what they are told to be at time t [s].
    gap: (n, 6) [rad, m] `displacement` of each joint frame from where q puts it, in the moved joint frame.
    """
    E_ij = pose.inverse(model.E_ji)
    E_wj = E_wi @ E_ij
    V = np.einsum("nab,nb->na", adjoint.Ad(model.E_ji), phi)
    q, qdot, _ = prescribed_motion(model, t)
    S, Sdot = np.zeros((6, model.dof_count)), np.zeros((6, model.dof_count))
    E_pj, gap = np.empty_like(E_wj), np.empty((model.body_count, 6))
    for j, joint in enumerate(model.joints):
        columns, p, c = model.columns(j), int(model.parent[j]), int(chart[j])
        E_pj[j] = E_wj[j] if p < 0 else pose.inverse(E_wj[p]) @ E_wj[j]
        Q = pose.inverse(model.E_pj0[j]) @ E_pj[j]
        if model.prescribed[columns].any():
            at = joint.motion(q[columns], qdot[columns], c)
            gap[j] = displacement(at.Q, Q)
        else:
            q[columns], gap[j] = joint_coordinates(joint, Q, guess[columns], c)
            at = joint.motion(q[columns], np.zeros(joint.ndof), c)
            V_rel = V[j] if p < 0 else V[j] - adjoint.Ad_inverse(E_pj[j]) @ V[p]
            qdot[columns] = pseudo_inverse(at.S) @ V_rel
            at = joint.motion(q[columns], qdot[columns], c)
        S[:, columns], Sdot[:, columns] = at.S, at.Sdot
    return Kinematics(q, qdot, S, Sdot, E_pj, E_wj, E_wi, V, phi, chart), gap


def applied_forces(model: Model, kin: Kinematics, load: Loads) -> Array:
    """f (6n,): loads on bodies and on coordinates as wrenches on the bodies, without Coriolis and reactions."""
    return np.asarray(load.f_m.ravel() + coordinate_rates(model, kin).T @ load.f_r)


def solve_kkt(M: Array, G: Array, f: Array, b: Array) -> tuple[Array, Array]:
    """x (k,) and lambda (m,) of M x + G^T lambda = f, G x = b, for M (k, k) and G (m, k). Source: RBDN eq. 1.73.

    The pushing side of the rows is -G^T lambda.
    """
    k, m = len(f), len(b)
    matrix = np.zeros((k + m, k + m))
    matrix[:k, :k], matrix[:k, k:], matrix[k:, :k] = M, G.T, G
    try:
        solution = np.linalg.solve(matrix, np.concatenate([f, b]))
    except np.linalg.LinAlgError:
        what = "the joints leave a body without mass free to move"
        raise MaximalError(what, advice="give every moving body a mass", code="massless") from None
    return solution[:k], solution[k:]


def accelerations(
    model: Model, kin: Kinematics, load: Loads, rows: JointRows, *, gap: Array | None = None, rate: float = 0.0
) -> tuple[Array, Array]:
    """phidot (n, 6) of the principal frames and the multipliers lambda (m,) of the joints' rows.

    rate [1/s] > 0 pulls the rows back by Baumgarte's gddot + 2 rate gdot + rate^2 g = 0, critically damped, where
    gap (n, 6) is what the joints are open by. Source: RBDN eqs. 1.21 and 1.82, and eq. 1.73 for accelerations.
    """
    Phi = kin.phi.ravel()
    b = rows.gammadot - rows.Gdot @ Phi - 2.0 * rate * (rows.G @ Phi - rows.gamma)
    if gap is not None:
        b = b - rate**2 * rows.violation(gap)
    M = np.diag(model.inertia.ravel())
    f = applied_forces(model, kin, load) + coriolis_wrenches(model, kin).ravel()
    Phidot, multipliers = solve_kkt(M, rows.G, f, b)
    return Phidot.reshape(-1, 6), multipliers


def reaction_wrenches(rows: JointRows, multipliers: Array) -> Array:
    """(n, 6) what each joint's constraint does to its child, -C^T lambda, in the joint frame [N m, N].

    The parent gets the opposite. Of an animated or locked joint this contains the effort of its motor.
    """
    blocks = [-C.T @ multipliers[rows.row[k] : rows.row[k + 1]] for k, C in enumerate(rows.C)]
    return np.array(blocks).reshape(-1, 6)


def joint_wrenches(model: Model, kin: Kinematics, load: Loads, rows: JointRows, multipliers: Array) -> Array:
    """(n, 6) all that goes through each joint to its child, in the joint frame: reactions, and torques of springs."""
    wrenches = reaction_wrenches(rows, multipliers)
    for j in range(model.body_count):
        columns = model.columns(j)
        wrenches[j] += pseudo_inverse(kin.S[:, columns]).T @ load.f_r[columns]
    return wrenches


def close_joints(
    model: Model, t: float, E_wi: Array, phi: Array, guess: Array, chart: IntArray
) -> tuple[Kinematics, Array]:
    """Post-stabilisation: the bodies moved so that all joints are closed, and their twists made to fit.

    Each iteration moves the bodies by the displacement of least kinetic metric (least M-norm) that closes the
    joints to first order; then the twists change by the least impulse. Returns what `body_kinematics` does.
    Source: RBDN section 1.12 with Cline and Pai 2003. Raises MaximalError naming the joint that stays open.
    """
    M = np.diag(model.inertia.ravel())
    closed = CLOSED * max(1.0, float(np.abs(E_wi[:, :3, 3]).max(initial=0.0)))
    for _ in range(MAX_ITERATIONS):
        kin, gap = body_kinematics(model, t, E_wi, phi, guess, chart)
        rows = joint_rows(model, kin, t)
        if np.abs(gap).max(initial=0.0) <= closed:
            return body_kinematics(model, t, E_wi, closed_twists(model, kin, rows), kin.q, chart)
        displacement, _ = solve_kkt(M, rows.G, np.zeros(M.shape[0]), -rows.violation(gap))
        E_wi, guess = pose.project(E_wi @ pose.exp(displacement.reshape(-1, 6))), kin.q
    worst = int(np.argmax(np.abs(gap).max(axis=1)))
    joint, open_by = ElementName("joint", model.joint_names[worst]), float(np.abs(gap[worst]).max())
    raise MaximalError(
        f"{joint}: stays open by {open_by:.3g}",
        joint,
        "start with the joint closed, or take smaller steps",
        numbers={"gap": Quantity(open_by, "rad or m")},
    )


def closed_twists(model: Model, kin: Kinematics, rows: JointRows) -> Array:
    """phi (n, 6) nearest to kin.phi in the kinetic metric with G Phi = gamma: the least impulse that fits it."""
    M = np.diag(model.inertia.ravel())
    Phi, _ = solve_kkt(M, rows.G, model.inertia.ravel() * kin.phi.ravel(), rows.gamma)
    return Phi.reshape(-1, 6)
