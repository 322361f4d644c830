# SPDX-License-Identifier: GPL-3.0-or-later
"""The Jacobian J that maps qdot to body twists, its time derivative, and products with them in O(n).

Blocks of J belong to bodies, columns to coordinates: phi = J qdot, phidot = J qddot + Jdot qdot.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..model import Model
from ..spatial import adjoint, pose
from .kinematics import Kinematics


def jacobian(model: Model, kin: Kinematics) -> tuple[Array, Array]:
    """J and Jdot, each (6 n, nr): twists of the principal frames per unit qdot, and the time derivative along qdot.

    Rows 6 i : 6 i + 6 belong to body i, angular part first, in its own frame.
    Source: RM19 eqs. 11 and 18-20, Alg. 1; RBDN eqs. 2.1-2.17.
    """
    n, nr = model.body_count, model.dof_count
    J, Jdot = np.zeros((n, 6, nr)), np.zeros((n, 6, nr))
    for i in range(n):
        p = int(model.parent[i])
        if p >= 0:
            # Lines 4-9 for all ancestors at once: the columns of everyone else are zero in the parent's rows.
            Ad_ip, Addot_ip = _relative_adjoint(model, kin, i)
            J[i] = Ad_ip @ J[p]
            Jdot[i] = Addot_ip @ J[p] + Ad_ip @ Jdot[p]
        columns = model.columns(i)
        Ad_ij = adjoint.Ad_inverse(model.E_ji[i])
        J[i, :, columns] = Ad_ij @ kin.S[:, columns]
        Jdot[i, :, columns] = Ad_ij @ kin.Sdot[:, columns]
    return J.reshape(6 * n, nr), Jdot.reshape(6 * n, nr)


def jacobian_products(model: Model, kin: Kinematics, x: Array) -> tuple[Array, Array]:
    """y = J x and z = Jdot x, each (n, 6), for any x (nr,), in O(n) without forming J.

    Source: RM19 Alg. 2, RBDN eqs. 2.104-2.105 and Alg. 5.
    """
    y, z = np.empty((model.body_count, 6)), np.empty((model.body_count, 6))
    for i in range(model.body_count):
        columns = model.columns(i)
        Ad_ij = adjoint.Ad_inverse(model.E_ji[i])
        y[i] = Ad_ij @ kin.S[:, columns] @ x[columns]
        z[i] = Ad_ij @ kin.Sdot[:, columns] @ x[columns]
        p = int(model.parent[i])
        if p >= 0:
            Ad_ip, Addot_ip = _relative_adjoint(model, kin, i)
            y[i] += Ad_ip @ y[p]
            z[i] += Ad_ip @ z[p] + Addot_ip @ y[p]
    return y, z


def jacobian_transpose_product(model: Model, kin: Kinematics, y: Array) -> Array:
    """x = J^T y, (nr,), for body wrenches y (n, 6), in O(n) without forming J.

    Source: RM19 Alg. 3, RBDN eqs. 2.106-2.108 and Alg. 6. Erratum: eq. 2.107 loses a factor (see docs/equations.md).

    Line 6 is undefined for roots, which have nobody to hand their wrench to (erratum); it is skipped there.
    """
    total = np.array(y, np.float64)
    x = np.empty(model.dof_count)
    for i in reversed(range(model.body_count)):
        columns = model.columns(i)
        p = int(model.parent[i])
        if p >= 0:
            total[p] += adjoint.Ad_inverse(_pose_in_parent(model, kin, i)).T @ total[i]
        x[columns] = kin.S[:, columns].T @ adjoint.Ad_inverse(model.E_ji[i]).T @ total[i]
    return x


def _pose_in_parent(model: Model, kin: Kinematics, i: int) -> Array:
    """E_pi, (4, 4): principal frame of body i in that of its parent, which must not be the world.

    Composed from the poses between them; through the world it would lose digits far from the origin.
    """
    p = int(model.parent[i])
    return np.asarray(pose.inverse(model.E_ji[p]) @ kin.E_pj[i] @ model.E_ji[i])


def _relative_adjoint(model: Model, kin: Kinematics, i: int) -> tuple[Array, Array]:
    """Ad_ip and its time derivative, each (6, 6), between the principal frames of body i and its parent.

    Source: RM19 eq. 21.
    """
    E_ip = pose.inverse(_pose_in_parent(model, kin, i))
    return adjoint.Ad(E_ip), adjoint.Ad_relative_dot(E_ip, kin.phi[i], kin.phi[int(model.parent[i])])
