# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows that joints take away from the free motion of bodies: G Phi = gamma.

Phi (6n,) are the twists of the principal frames, bodies in model order. A joint sees the relative twist at its
frame, V_rel = Ad_ji phi_i - Ad_jp phi_p; the rows of V_rel that S does not span must vanish.
For constant S along coordinate axes these are rows of the adjoint with the joint's own rows dropped, as in
RBDN section 1.10 and eq. 1.70. For any other S they are combinations of rows, C V_rel with C S = 0, and C turns with S.
An animated or locked joint keeps all six rows, and gamma is the twist it is told to have.
Metres and radians weigh alike wherever a joint's six components are measured together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, IntArray
from ..dynamics.animation import prescribed_motion
from ..dynamics.complement import complement, pseudo_inverse
from ..dynamics.kinematics import Kinematics
from ..model import Model
from ..spatial import adjoint


@dataclass(frozen=True, eq=False)
class JointRows:
    """The m constraint rows of all joints: G Phi = gamma, and G Phidot + Gdot Phi = gammadot.

    G, Gdot: (m, 6n); gamma, gammadot: (m,). C, Cdot: per joint (m_k, 6), the combinations of the relative
    twist that it constrains. row: (n + 1,), joint k owns the rows row[k] : row[k + 1].
    """

    G: Array
    Gdot: Array
    gamma: Array
    gammadot: Array
    C: tuple[Array, ...]
    Cdot: tuple[Array, ...]
    row: IntArray

    def violation(self, gap: Array) -> Array:
        """g (m,) [rad, m] of joints that are open by gap (n, 6), see `body_kinematics`; dg/dt = G Phi - gamma."""
        return np.concatenate([np.zeros(0)] + [C @ gap[k] for k, C in enumerate(self.C)])


def relative_twist_matrix(model: Model, kin: Kinematics) -> tuple[Array, Array]:
    """A and Adot (6n, 6n): the relative twists at all joints, each in its joint frame, are A Phi.

    A^T takes wrenches of the joints on their children to wrenches on the bodies. Source: RBDN eq. 1.69.
    """
    n = model.body_count
    A, Adot = np.zeros((n, 6, n, 6)), np.zeros((n, 6, n, 6))
    Ad_ji = adjoint.Ad(model.E_ji)
    for j in range(n):
        A[j, :, j] = Ad_ji[j]
        p = int(model.parent[j])
        if p >= 0:
            Ad_jp = adjoint.Ad_inverse(kin.E_pj[j])
            V_rel = kin.V[j] - Ad_jp @ kin.V[p]
            A[j, :, p] = -Ad_jp @ Ad_ji[p]
            Adot[j, :, p] = -adjoint.Ad_inverse_dot(kin.E_pj[j], V_rel) @ Ad_ji[p]
    return A.reshape(6 * n, 6 * n), Adot.reshape(6 * n, 6 * n)


def joint_rows(model: Model, kin: Kinematics, t: float) -> JointRows:
    """The constraint rows of all joints at time t [s]; kin from `kinematics` or `body_kinematics`.

    From C S = 0 follows Cdot S = -C Sdot. Cdot is the solution whose rows stay orthonormal without turning among
    themselves, -C Sdot S^+; on the joint's manifold Cdot V_rel = -C Sdot qdot whichever solution is taken.
    """
    n = model.body_count
    A, Adot = (matrix.reshape(n, 6, 6 * n) for matrix in relative_twist_matrix(model, kin))
    _, qdot_p, qddot_p = prescribed_motion(model, t)
    C: list[Array] = []
    Cdot: list[Array] = []
    gamma: list[Array] = []
    gammadot: list[Array] = []
    for j in range(n):
        columns = model.columns(j)
        S, Sdot = kin.S[:, columns], kin.Sdot[:, columns]
        if model.prescribed[columns].any():
            C.append(np.eye(6))
            Cdot.append(np.zeros((6, 6)))
            gamma.append(S @ qdot_p[columns])
            gammadot.append(np.asarray(S @ qddot_p[columns] + Sdot @ qdot_p[columns]))
        else:
            C.append(complement(S))
            Cdot.append(-C[j] @ Sdot @ pseudo_inverse(S))
            gamma.append(np.zeros(len(C[j])))
            gammadot.append(np.zeros(len(C[j])))
    empty = np.zeros((0, 6 * n))
    return JointRows(
        G=np.concatenate([empty] + [C[j] @ A[j] for j in range(n)]),
        Gdot=np.concatenate([empty] + [C[j] @ Adot[j] + Cdot[j] @ A[j] for j in range(n)]),
        gamma=np.concatenate([np.zeros(0), *gamma]),
        gammadot=np.concatenate([np.zeros(0), *gammadot]),
        C=tuple(C),
        Cdot=tuple(Cdot),
        row=np.concatenate([[0], np.cumsum([len(block) for block in C])]).astype(np.int64),
    )


def coordinate_rates(model: Model, kin: Kinematics) -> Array:
    """B (nr, 6n): qdot = B Phi, blocks S^+ A. A torque tau (nr,) on the coordinates is the wrench B^T tau on bodies.

    Any wrench w with S^T w = tau would do; this one has nothing in the rows that the joint constrains.
    """
    n = model.body_count
    A = relative_twist_matrix(model, kin)[0].reshape(n, 6, 6 * n)
    blocks = [pseudo_inverse(kin.S[:, model.columns(j)]) @ A[j] for j in range(n)]
    return np.concatenate([np.zeros((0, 6 * n)), *blocks])
