# SPDX-License-Identifier: GPL-3.0-or-later
"""Jacobians of a chain, their Hessians and rates, against finite differences of the forward kinematics."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redmax.spatial import chain_jacobians as chain
from redmax.spatial import pose, so3

FD_STEP = 1e-6
FD_ERROR = 2e-8  # central differences: lever arms of ten metres times (2e-16 / h + h^2 times third derivatives)
ROUND_OFF = 1e-13  # chains of up to six joints

seeds = st.integers(0, 2**32 - 1)
quick = settings(max_examples=25, deadline=None)


@dataclass(frozen=True)
class Arm:
    """A base pose, then for each joint a fixed offset and a motion along or about a fixed axis; Q ends it."""

    E_IB: np.ndarray
    offsets: np.ndarray
    axes: np.ndarray
    prismatic: np.ndarray
    E_tip: np.ndarray
    q: np.ndarray

    def frames_in_base(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Axes and origins of the joints and the pose of Q, in B, by multiplying poses."""
        E, axes, origins = np.eye(4), [], []
        for offset, a, slides, q in zip(self.offsets, self.axes, self.prismatic, self.q, strict=True):
            E = E @ offset
            axes.append(E[:3, :3] @ a)
            origins.append(E[:3, 3])
            E = E @ pose.exp(q * np.concatenate([0 * a, a] if slides else [a, 0 * a]))
        return np.reshape(axes, (-1, 3)), np.reshape(origins, (-1, 3)), E @ self.E_tip

    def E_IQ(self) -> np.ndarray:
        return self.E_IB @ self.frames_in_base()[2]

    def moved(self, u: np.ndarray, h: float) -> "Arm":
        """After the time h at u = (v_B in I, omega_IB in B, qdot)."""
        E_IB = pose.make(self.E_IB[:3, :3] @ so3.exp(h * u[3:6]), self.E_IB[:3, 3] + h * u[:3])
        return replace(self, E_IB=E_IB, q=self.q + h * u[6:])

    def jacobian(self) -> np.ndarray:
        axes, origins, E_BQ = self.frames_in_base()
        J_P, J_R = chain.joint_columns(axes, origins, self.prismatic, E_BQ[:3, 3])
        C_IB = self.E_IB[:3, :3]
        return chain.spatial_jacobian(chain.point_jacobian(C_IB, E_BQ[:3, 3], J_P), chain.rotation_jacobian(C_IB, J_R))


def random_arm(seed: int, n: int | None = None) -> Arm:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(0, 7)) if n is None else n
    axes = rng.standard_normal((n, 3))
    return Arm(
        E_IB=pose.random(rng),
        offsets=pose.random(rng, (n,)),
        axes=axes / np.linalg.norm(axes, axis=1, keepdims=True),
        prismatic=rng.random(n) < 0.4,
        E_tip=pose.random(rng),
        q=rng.standard_normal(n),
    )


def difference(f, arm: Arm, u: np.ndarray) -> np.ndarray:
    """Central difference of f(arm) along the motion u."""
    return (f(arm.moved(u, FD_STEP)) - f(arm.moved(u, -FD_STEP))) / (2 * FD_STEP)


@given(seeds)
@quick
def test_jacobian_is_the_velocity_of_the_end_frame(seed):
    arm = random_arm(seed)
    J = arm.jacobian()
    R_IQ = arm.E_IQ()[:3, :3]
    for k, u in enumerate(np.eye(J.shape[1])):
        rate = difference(Arm.E_IQ, arm, u)
        np.testing.assert_allclose(J[:3, k], rate[:3, 3], atol=FD_ERROR)
        np.testing.assert_allclose(J[3:, k], so3.vee(rate[:3, :3] @ R_IQ.T), atol=FD_ERROR)


def test_translating_the_base_turns_nothing():
    # KINDR16 eq. 13 prints the identity in this block.
    np.testing.assert_array_equal(random_arm(0, 3).jacobian()[3:, :3], 0.0)


@given(seeds)
@quick
def test_hessian_is_the_derivative_of_the_jacobian(seed):
    arm = random_arm(seed)
    J = arm.jacobian()
    H = chain.hessian(J, chain.carries(len(arm.q), floating_base=True))
    assert H.shape == (J.shape[1], 6, J.shape[1])
    for k, u in enumerate(np.eye(J.shape[1])):
        np.testing.assert_allclose(H[k], difference(Arm.jacobian, arm, u), atol=FD_ERROR)


@given(seeds)
@quick
def test_hessian_of_a_chain_on_a_fixed_base(seed):
    arm = random_arm(seed, 5)
    J = arm.jacobian()[:, 6:]
    H = chain.hessian(J, chain.carries(5, floating_base=False))
    for k, u in enumerate(np.eye(11)[6:]):
        np.testing.assert_allclose(H[k], difference(Arm.jacobian, arm, u)[:, 6:], atol=FD_ERROR)


@given(seeds)
@quick
def test_jacobian_dot_is_the_rate_of_the_jacobian(seed):
    arm = random_arm(seed)
    u = np.random.default_rng(seed + 1).standard_normal(6 + len(arm.q))
    carried = chain.carries(len(arm.q), floating_base=True)
    Jdot = chain.jacobian_dot(arm.jacobian(), carried, u)
    np.testing.assert_allclose(Jdot, difference(Arm.jacobian, arm, u), atol=10 * FD_ERROR)


@given(seeds)
@quick
def test_jacobian_dot_is_the_hessian_times_the_velocity(seed):
    arm = random_arm(seed)
    J, u = arm.jacobian(), np.random.default_rng(seed + 1).standard_normal(6 + len(arm.q))
    carried = chain.carries(len(arm.q), floating_base=True)
    np.testing.assert_allclose(
        chain.jacobian_dot(J, carried, u), np.einsum("kab,k->ab", chain.hessian(J, carried), u), atol=ROUND_OFF
    )


@given(seeds)
@quick
def test_angular_first_gives_the_body_twist(seed):
    arm = random_arm(seed)
    u = np.random.default_rng(seed + 1).standard_normal(6 + len(arm.q))
    R_QI = arm.E_IQ()[:3, :3].T
    phi = np.kron(np.eye(2), R_QI) @ chain.ANGULAR_FIRST @ arm.jacobian() @ u
    rate = pose.inverse(arm.E_IQ()) @ difference(Arm.E_IQ, arm, u)
    np.testing.assert_allclose(phi, pose.unbracket(rate), atol=5 * FD_ERROR)


def test_sliding_joints_turn_nothing_and_are_moved_by_nothing_that_slides():
    arm = replace(random_arm(1, 4), prismatic=np.ones(4, bool))
    J = arm.jacobian()
    np.testing.assert_array_equal(J[3:, 6:], 0.0)
    H = chain.hessian(J, chain.carries(4, floating_base=True))
    np.testing.assert_array_equal(H[6:, :, 6:], 0.0)


def test_columns_outside_the_chain_stay_zero():
    arm = random_arm(2, 4)
    J = arm.jacobian()[:, 6:]
    on_a_branch = np.insert(J, 2, 0.0, axis=1)
    H = chain.hessian(on_a_branch, chain.carries(5, floating_base=False))
    np.testing.assert_array_equal(H[2], 0.0)
    np.testing.assert_array_equal(H[:, :, 2], 0.0)
    kept = [0, 1, 3, 4]
    np.testing.assert_array_equal(
        H[np.ix_(kept, range(6), kept)], chain.hessian(J, chain.carries(4, floating_base=False))
    )


def test_printed_hessian_fails_for_the_angular_velocity_of_the_base():
    # KINDR16 eq. 15 takes the base's body-fixed axes for three hinges in series; a rate of the Jacobian needs more.
    arm, printed = random_arm(3, 2), np.tril(np.ones((8, 8), bool))
    J, u = arm.jacobian(), np.array([0, 0, 0, 0, 0, 1.0, 0, 0])
    error = np.abs(chain.jacobian_dot(J, printed, u) - difference(Arm.jacobian, arm, u))
    assert error.max() > 0.1
    assert error[:, 6:].max() < FD_ERROR


def test_a_hinge_by_hand():
    # Axis z through (1, 0, 0), Q at (3, 0, 0): one radian per second moves Q at 2 m/s along y.
    J_P, J_R = chain.joint_columns([[0, 0, 1], [1, 0, 0]], [[1, 0, 0], [0, 0, 0]], [False, True], [3, 0, 0])
    np.testing.assert_array_equal(J_P, np.transpose([[0, 2, 0], [1, 0, 0]]))
    np.testing.assert_array_equal(J_R, np.transpose([[0, 0, 1], [0, 0, 0]]))


@pytest.mark.parametrize("floating", [True, False])
def test_batches_agree_with_single_calls(floating):
    arms = [replace(random_arm(k, 4), prismatic=np.array([False, True, False, False])) for k in range(3)]
    frames = [arm.frames_in_base() for arm in arms]
    axes, origins, E_BQ = (np.array(x) for x in zip(*frames, strict=True))
    C_IB = np.array([arm.E_IB[:3, :3] for arm in arms])
    J_P, J_R = chain.joint_columns(axes, origins, arms[0].prismatic, E_BQ[:, :3, 3])
    if floating:
        J_P, J_R = chain.point_jacobian(C_IB, E_BQ[:, :3, 3], J_P), chain.rotation_jacobian(C_IB, J_R)
    J = chain.spatial_jacobian(J_P, J_R)
    carried = chain.carries(4, floating_base=floating)
    u = np.random.default_rng(9).standard_normal((3, J.shape[-1]))
    H, Jdot = chain.hessian(J, carried), chain.jacobian_dot(J, carried, u)
    for k in range(3):
        if floating:
            np.testing.assert_allclose(J[k], arms[k].jacobian(), atol=ROUND_OFF)
        np.testing.assert_allclose(H[k], chain.hessian(J[k], carried), atol=ROUND_OFF)
        np.testing.assert_allclose(Jdot[k], chain.jacobian_dot(J[k], carried, u[k]), atol=ROUND_OFF)


@quick
@given(seeds)
def test_columns_of_twists_are_those_of_one_axis_joints(seed):
    arm = random_arm(seed, 5)
    axes, origins, E_BQ = arm.frames_in_base()
    R = so3.random(np.random.default_rng(seed), (5,))
    own = np.einsum("nba,nb->na", R, axes)
    S = np.where(arm.prismatic[:, None], np.hstack([0 * own, own]), np.hstack([own, 0 * own])).T
    found = chain.twist_columns(pose.make(R, origins), S, E_BQ[:3, 3])
    np.testing.assert_allclose(found, chain.joint_columns(axes, origins, arm.prismatic, E_BQ[:3, 3]), atol=ROUND_OFF)
