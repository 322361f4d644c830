# SPDX-License-Identifier: GPL-3.0-or-later
"""Si and Guenter's equations of motion in global matrices, and the square factorisation of the inverse mass matrix.

What their recursions (si_guenter.py) are derived from: twists of all bodies in one vector, v = G S qdot, with G the
propagation along the tree. Names follow SG13; body frames are the joint frames, star is transpose. O(n^3), to be read.
Source: SG13 appendices A and B, eqs. 36-60.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Array
from ..dynamics import joint_frame
from ..dynamics.kinematics import Kinematics
from ..dynamics.loads import Loads
from ..dynamics.prescribed import accelerations
from ..dynamics.singular import solve
from ..model import Model
from ..spatial import adjoint


@dataclass(frozen=True, eq=False)
class GlobalMatrices:
    """The matrices of appendix A for one instant; n bodies, nr coordinates."""

    model: Model
    kin: Kinematics

    @cached_property
    def S(self) -> Array:
        """diag(S_1 ... S_n), (6 n, nr)."""
        return self._of_joints(self.kin.S)

    @cached_property
    def Sdot(self) -> Array:
        """diag(Sdot_1 ... Sdot_n), (6 n, nr)."""
        return self._of_joints(self.kin.Sdot)

    @cached_property
    def J(self) -> Array:
        """diag(J_1 ... J_n), (6 n, 6 n): spatial inertias at the joint frames [kg, kg m, kg m^2]."""
        return _diagonal(joint_frame.inertias(self.model))

    @cached_property
    def Gamma(self) -> Array:
        """Gamma_lambda = M_lambda Theta_lambda, (6 n, 6 n): hands each body its parent's twist. SG13 eqs. 38-40, 43."""
        n = self.model.body_count
        M = _diagonal(adjoint.Ad_inverse(self.kin.E_pj))
        Theta = np.zeros((6 * n, 6 * n))
        for i, parent in enumerate(self.model.parent):
            if parent >= 0:
                Theta[_block(i), _block(int(parent))] = np.eye(6)
        return np.asarray(M @ Theta)

    @cached_property
    def G(self) -> Array:
        """G_lambda = (1 - Gamma)^-1, (6 n, 6 n), as the finite sum of eq. 45: Gamma is nilpotent. SG13 eqs. 44-45."""
        return _propagated(self.Gamma, self.model.body_count)

    @cached_property
    def v(self) -> Array:
        """(6 n,) twists of all bodies, each in its joint frame [rad/s, m/s]. Source: SG13 eq. 41, from 36 and 39."""
        return np.asarray(self.G @ self.S @ self.kin.qdot)

    @cached_property
    def ad_S_qdot(self) -> Array:
        """diag(-ad(S_i qdot_i)), (6 n, 6 n)."""
        return _diagonal(-adjoint.ad((self.S @ self.kin.qdot).reshape(-1, 6)))

    @cached_property
    def ad_star_v(self) -> Array:
        """diag(-ad(v_i)*), (6 n, 6 n). It is printed with a dot over v, which means the twist itself."""
        return _diagonal(-adjoint.ad_dual(self.v.reshape(-1, 6)))

    def vdot(self, qddot: Array) -> Array:
        """(6 n,) derivatives of v by component. Source: SG13 eq. 42 (37 and 40 solved). Erratum: prints Sdot qdot twice
        for S qddot + Sdot qdot."""
        inner = self.S @ qddot + self.Sdot @ self.kin.qdot + self.ad_S_qdot @ self.Gamma @ self.v
        return np.asarray(self.G @ inner)

    def external(self, loads: Loads) -> Array:
        """f_e, (6 n,) [N m, N]: the negative loads. Erratum: the list prints the last entry without its minus."""
        return np.asarray(-joint_frame.wrenches(self.model, loads.f_m).ravel())

    def _of_joints(self, columns: Array) -> Array:
        wide = np.zeros((6 * self.model.body_count, self.model.dof_count))
        for k in range(self.model.body_count):
            wide[_block(k), self.model.columns(k)] = columns[:, self.model.columns(k)]
        return wide


def mass_matrix(at: GlobalMatrices) -> Array:
    """M = S^T G^T J G S, (nr, nr) [kg, kg m, kg m^2 by joint]. Source: SG13 eq. 51."""
    return np.asarray(at.S.T @ at.G.T @ at.J @ at.G @ at.S)


def coriolis_matrix(at: GlobalMatrices) -> Array:
    """C(q, qdot), (nr, nr): C qdot are the torques of the velocities. Source: SG13 eq. 52."""
    inner = at.J @ at.G @ at.ad_S_qdot @ at.Gamma @ at.G @ at.S + at.J @ at.G @ at.Sdot
    return np.asarray(at.S.T @ at.G.T @ (inner + at.ad_star_v @ at.J @ at.G @ at.S))


def external_torques(at: GlobalMatrices, loads: Loads) -> Array:
    """phi = S^T G^T f_e, (nr,) [N m or N]. Source: SG13 eq. 53."""
    return np.asarray(at.S.T @ at.G.T @ at.external(loads))


def inverse_dynamics(at: GlobalMatrices, loads: Loads, qddot: Array) -> tuple[Array, Array]:
    """f (n, 6) [N m, N], what each joint passes on in its frame, and tau = S^T f (nr,). Source: SG13 eqs. 46-48."""
    f = at.G.T @ (at.ad_star_v @ at.J @ at.v + at.J @ at.vdot(qddot) + at.external(loads))
    return f.reshape(-1, 6), np.asarray(at.S.T @ f)


@dataclass(frozen=True, eq=False)
class Factors:
    """M^-1 = L^T Omega^-1 L. L = 1 - S^T Y Pi (u, u) and Omega (u, u), u unknown coordinates.

    Source: SG13 eq. 58. The text promises definitions of Y and Pi "later" and gives none; recursion 5 says what they
    are (SG13 eqs. 31-32): Pi has the blocks of eq. 30, and Y = (1 - Upsilon)^-1 those of eq. 29 along the tree.
    """

    L: Array
    Omega: Array

    def inverse_mass_matrix(self) -> Array:
        """M^-1 (u, u)."""
        return np.asarray(self.L.T @ np.linalg.solve(self.Omega, self.L))


def factors(at: GlobalMatrices) -> Factors:
    """The square factorisation for the coordinates that are not prescribed; ImmovableError names a joint that nothing
    resists. Source: SG13 eqs. 27-30 and 58."""
    model, n = at.model, at.model.body_count
    unknown = ~model.prescribed
    S, J_bar, Gamma = at.S[:, unknown], at.J.copy(), at.Gamma
    place = np.cumsum(unknown) - 1  # of a coordinate among the unknown ones
    own = [place[model.columns(k)][unknown[model.columns(k)]] for k in range(n)]
    Omega, Upsilon, Pi = np.zeros((S.shape[1],) * 2), np.zeros_like(Gamma), np.zeros_like(S)
    for k in reversed(range(n)):
        here, columns, S_k = _block(k), own[k], S[_block(k), own[k]]
        J_k = 0.5 * (J_bar[here, here] + J_bar[here, here].T)
        Omega[np.ix_(columns, columns)] = S_k.T @ J_k @ S_k  # (28)
        gain = solve(Omega[np.ix_(columns, columns)], S_k.T @ J_k, model.joint_names[k]).T
        parent = int(model.parent[k])
        if parent >= 0:
            there = _block(parent)
            Ad_star = Gamma[here, there].T
            Upsilon[there, here] = Ad_star @ (np.eye(6) - gain @ S_k.T)  # (29)
            Pi[there, columns] = Ad_star @ gain  # (30); prints Ad for Ad* (erratum)
            J_bar[there, there] += Ad_star @ (J_k - gain @ S_k.T @ J_k) @ Ad_star.T  # (27)
    return Factors(np.eye(S.shape[1]) - S.T @ _propagated(Upsilon, n) @ Pi, Omega)


def forward_dynamics(model: Model, kin: Kinematics, loads: Loads, qddot_prescribed: Array | None = None) -> Array:
    """qddot, (nr,) [rad/s^2 or m/s^2]. Arguments as in `projected.forward_dynamics`. Source: SG13 eqs. 54-58."""
    at, qddot = GlobalMatrices(model, kin), accelerations(model, qddot_prescribed)
    unknown = ~model.prescribed
    a = at.ad_S_qdot @ at.Gamma @ at.G @ at.S @ kin.qdot + at.Sdot @ kin.qdot  # (56)
    a += at.S @ qddot  # of prescribed coordinates, which SG13 has not; the others are still zero
    b = at.ad_star_v @ at.J @ at.G @ at.S @ kin.qdot + at.external(loads)  # (57)
    tau_bar = loads.f_r - at.S.T @ at.G.T @ (at.J @ at.G @ a + b)  # (55)
    qddot[unknown] = factors(at).inverse_mass_matrix() @ tau_bar[unknown]  # (54) with (58)
    return qddot


def _propagated(A: Array, n: int) -> Array:
    """1 + A + ... + A^(n-1), the inverse of 1 - A, of a matrix that leads one body further along the tree."""
    total = power = np.eye(len(A))
    for _ in range(1, n):
        power = power @ A
        total = total + power
    return total


def _diagonal(blocks: Array) -> Array:
    """(6 n, 6 n) with the given blocks (n, 6, 6) on its diagonal."""
    wide = np.zeros((6 * len(blocks), 6 * len(blocks)))
    for k, block in enumerate(blocks):
        wide[_block(k), _block(k)] = block
    return wide


def _block(k: int) -> slice:
    return slice(6 * k, 6 * k + 6)
