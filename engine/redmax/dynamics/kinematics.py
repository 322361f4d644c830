# SPDX-License-Identifier: GPL-3.0-or-later
"""Where every joint and body is and how it moves, for given joint coordinates and velocities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, IntArray
from ..model import Model
from ..spatial import adjoint
from ..state import State


@dataclass(frozen=True, eq=False)
class Kinematics:
    """The mechanism at one instant. n bodies, nr coordinates; frames as in `Model`.

    S, Sdot: (6, nr), the columns of joint k at `model.columns(k)`, each in its own joint frame.
    E_pj, E_wj, E_wi: (n, 4, 4) pose of the joint frame in its parent's joint frame, of the joint
    frame in the world, of the principal frame in the world.
    V: (n, 6) twist of the body seen at its joint frame, in the joint frame.
    phi: (n, 6) twist of the body in its principal frame. chart: (n,) what q is written in, see `State`.
    """

    q: Array
    qdot: Array
    S: Array
    Sdot: Array
    E_pj: Array
    E_wj: Array
    E_wi: Array
    V: Array
    phi: Array
    chart: IntArray


def kinematics(model: Model, q: Array, qdot: Array, chart: IntArray | None = None) -> Kinematics:
    """Poses and twists of all bodies. chart: (n,), see `State`. Source: RM19 eqs. 13-17 and 22, Alg. 6 lines 1-3;
    SG13 eqs. 6-9.
    """
    n, nr = model.body_count, model.dof_count
    if chart is None:
        chart = np.zeros(n, dtype=np.int64)
    S, Sdot = np.zeros((6, nr)), np.zeros((6, nr))
    E_pj, E_wj, V = np.empty((n, 4, 4)), np.empty((n, 4, 4)), np.empty((n, 6))
    for j, joint in enumerate(model.joints):
        columns = model.columns(j)
        Q, S[:, columns], Sdot[:, columns] = joint.motion(q[columns], qdot[columns], int(chart[j]))
        E_pj[j] = model.E_pj0[j] @ Q
        V[j] = S[:, columns] @ qdot[columns]
        p = int(model.parent[j])
        if p < 0:
            E_wj[j] = E_pj[j]
        else:
            E_wj[j] = E_wj[p] @ E_pj[j]
            V[j] += adjoint.Ad_inverse(E_pj[j]) @ V[p]
    phi = (adjoint.Ad_inverse(model.E_ji) @ V[:, :, None])[:, :, 0]
    return Kinematics(q, qdot, S, Sdot, E_pj, E_wj, E_wj @ model.E_ji, V, phi, chart)


def body_poses(model: Model, kin: Kinematics) -> Array:
    """E_wb, (n, 4, 4): poses of the bodies' frames as the scene describes them."""
    return np.asarray(kin.E_wi @ model.E_ib)


def body_twists(model: Model, kin: Kinematics) -> Array:
    """(n, 6) twists of the described frames, each in its own frame."""
    return np.asarray((adjoint.Ad_inverse(model.E_ib) @ kin.phi[:, :, None])[:, :, 0])


def recentred(model: Model, state: State) -> State:
    """The same poses and velocities in coordinates away from the joints' singularities; see `Joint.recentre`.

    Animated and locked joints keep the coordinates of their animation: nothing is solved for in them.
    """
    q, qdot, chart = state.q.copy(), state.qdot.copy(), state.chart.copy()
    for j, joint in enumerate(model.joints):
        columns = model.columns(j)
        if model.prescribed[columns].any():
            continue
        q[columns], qdot[columns], chart[j] = joint.recentre(q[columns], qdot[columns], int(chart[j]))
    return State(state.t, q, qdot, chart)
