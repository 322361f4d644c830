# SPDX-License-Identifier: GPL-3.0-or-later
"""Assertions that know dynamics by other means than the code under test; the mutation tests plant errors under them.

They reach the code under test through its modules, so that a planted function is the one they meet.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.random_trees import Situation
from redmax.arrays import Array
from redmax.dynamics import energy, jacobians, kinematics, loads
from redmax.model import Model
from redmax.reference import projected
from redmax.spatial import pose

# Sixth-order central difference: f' = sum w (f(+k h) - f(-k h)) / h. Truncation is f^(7) h^6 / 140 and rounding about
# 1e-16 |f| / h, so h = 0.02 leaves about 1e-12 of each for functions of angles of order one.
WEIGHTS = (3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0)
STEP = 0.02
# Products of angles of a tree several joints deep have seventh derivatives of 10 to 1e4.
DIFFERENCED = 1e-8


def derivative(f: Callable[[float], Array], h: float = STEP) -> Array:
    """df/ds at s = 0."""
    return np.asarray(sum(w * (f(k * h) - f(-k * h)) for k, w in enumerate(WEIGHTS, start=1)) / h)


def gradient(f: Callable[[Array], float], x: Array, h: float = STEP) -> Array:
    """df/dx, (len(x),)."""
    return np.array([derivative(lambda s, e=e: np.float64(f(x + s * e)), h) for e in np.eye(len(x))])


def assert_close(a: Array, b: Array, relative: float) -> None:
    """max |a - b| <= relative * max(1, |b|)."""
    scale = max(1.0, float(np.abs(b).max(initial=0.0)))
    error = float(np.abs(np.asarray(a) - b).max(initial=0.0)) / scale
    assert error <= relative, f"error {error:.2e}, allowed {relative:.1e}"


def poses(model: Model, q: Array) -> Array:
    """E_wi, (n, 4, 4), with every velocity zero: depends on Q(q) alone, not on S."""
    return kinematics.kinematics(model, q, np.zeros(model.dof_count)).E_wi


Poses = Callable[[Model, Array], Array]


def twists_by_differences(model: Model, q: Array, direction: Array, poses_at: Poses = poses) -> Array:
    """Body twists (n, 6) when q moves along `direction`, from poses alone."""
    E_iw = pose.inverse(poses_at(model, q))
    return pose.unbracket(E_iw @ derivative(lambda s: poses_at(model, q + s * direction)))


def assert_J_is_the_derivative_of_the_poses(case: Situation) -> None:
    model, kin = case.model, case.kin
    J, _ = jacobians.jacobian(model, kin)
    for column, e in enumerate(np.eye(model.dof_count)):
        assert_close(J[:, column], twists_by_differences(model, kin.q, e).ravel(), DIFFERENCED)


def assert_Jdot_is_the_derivative_of_J(case: Situation) -> None:
    model, kin = case.model, case.kin

    def J(s: float) -> Array:
        return jacobians.jacobian(model, kinematics.kinematics(model, kin.q + s * kin.qdot, kin.qdot))[0]

    assert_close(jacobians.jacobian(model, kin)[1], derivative(J), DIFFERENCED)


def assert_same_acceleration(case: Situation, qddot: Array) -> None:
    """As the projected route, to 100 roundings amplified by the mass matrix (5 measured on 400 trees)."""
    model, kin = case.model, case.kin
    expected = projected.forward_dynamics(model, kin, case.loads, case.qddot_prescribed)
    free = ~model.prescribed
    M = projected.mass_matrix(model, kin)[np.ix_(free, free)]
    condition = float(np.linalg.cond(M)) if M.size else 1.0
    assert_close(qddot, expected, 1e2 * np.finfo(float).eps * max(1.0, condition))


def kinetic_energy_by_differences(model: Model, q: Array, qdot: Array, poses_at: Poses = poses) -> float:
    """sum m v.v / 2 + omega.I omega / 2 from differenced poses."""
    return 0.5 * float(np.sum(model.inertia * twists_by_differences(model, q, qdot, poses_at) ** 2))


def assert_euler_lagrange(case: Situation, *qddots: Array) -> None:
    """d/dt dT/dqdot - dT/dq + dV/dq = Q holds at the free coordinates, with T, V and Q from differenced poses.

    No S, Sdot, J, Coriolis term, recursion or force code takes part: only Q(q), masses, and the energies and forces
    that the scene's numbers say. T = qdot^T M qdot / 2, so dT/dqdot = M qdot. Several qddot share the differences.
    """
    model, q, qdot = case.model, case.kin.q, case.kin.qdot
    unit = np.eye(model.dof_count)
    known: dict[bytes, Array] = {}

    def poses_at(_: Model, x: Array) -> Array:
        """A step along qdot and one along a coordinate lead to the same place in either order, to rounding."""
        key = (x.round(12) + 0.0).tobytes()
        if key not in known:
            known[key] = poses(model, x)
        return known[key]

    def jacobian(x: Array) -> Array:
        columns = [twists_by_differences(model, x, e, poses_at) for e in unit]
        return np.array(columns).reshape(-1, 6 * model.body_count).T

    def momentum(x: Array) -> Array:
        J = jacobian(x)
        return np.asarray(J.T @ (model.inertia.ravel() * (J @ qdot)))

    def potential(x: Array) -> float:
        gravity = -float(model.inertia[:, 3] @ (poses(model, x)[:, :3, 3] @ model.gravity))
        return gravity + loads.joint_potential(model, x)

    J = jacobian(q)
    mass = J.T @ (model.inertia.reshape(-1, 1) * J)
    Mdot_qdot = derivative(lambda s: momentum(q + s * qdot))
    dT_dq = gradient(lambda x: kinetic_energy_by_differences(model, x, qdot, poses_at), q)
    # Soft limits have a kink; the smaller step stays on one side of it.
    dV_dq = gradient(potential, q, h=1e-4)
    body_friction = -(model.body_damping[:, None] * (J @ qdot).reshape(-1, 6)).ravel()
    beyond = (q < model.lower) | (q > model.upper)
    Q = model.torque - model.damping * qdot - np.where(beyond, model.limit_damping, 0.0) * qdot + J.T @ body_friction
    for k, joint in enumerate(model.joints):
        if joint.torque_table is not None:
            Q[model.columns(k)] += joint.torque_table.value(case.t)
    for qddot in qddots:
        residual = (mass @ qddot + Mdot_qdot - dT_dq + dV_dq - Q)[~model.prescribed]
        scale = max(1.0, *(float(np.abs(term).max(initial=0.0)) for term in (mass @ qddot, Mdot_qdot, dV_dq)))
        # Two nested differences of DIFFERENCED quality.
        assert_close(residual / scale, np.zeros(residual.shape), 10.0 * DIFFERENCED)


def assert_power_balance(case: Situation, qddot: Array, tau: Array) -> None:
    """dT/dt, by differences along the motion that qddot starts, is the power of body loads and joint forces tau."""
    model, kin = case.model, case.kin

    def T(s: float) -> Array:
        q = kin.q + s * kin.qdot + 0.5 * s**2 * qddot
        return np.float64(energy.kinetic_energy(model, kinematics.kinematics(model, q, kin.qdot + s * qddot)))

    power = float(np.sum(case.loads.f_m * kin.phi) + tau @ kin.qdot)
    # The parabola is the motion to the second order only, which is exact for the first derivative at s = 0;
    # accelerations reach 1e2, so the step is smaller.
    assert_close(np.array([derivative(T, h=1e-3)]), np.array([power]), 1e-7)
