# SPDX-License-Identifier: GPL-3.0-or-later
"""SO(3): exp, log and the Jacobians against 50 digits, and the identities of the group."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
import rotation_oracle as oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from rotation_oracle import ANGLES, ANGLES_BEYOND_PI, AXES, rotation_vectors

from redmax.spatial import so3, stumpff

ORACLE = 1e-13  # a few dozen roundings of numbers up to |v|^2 = 40
ROUND_OFF = 1e-14  # a few products of rotations

each_axis = pytest.mark.parametrize("axis", AXES, ids=lambda n: np.array2string(n, precision=2))
few = settings(max_examples=60, deadline=None)


def error(A: np.ndarray, exact: mp.matrix) -> float:
    """Largest entry of A - exact, the difference taken in 50 digits."""
    with mp.workdps(oracle.DIGITS):
        return float(max(abs(d) for d in mp.matrix(A.tolist()) - exact))


def test_hat_is_the_cross_product():
    v, x = np.random.default_rng(1).standard_normal((2, 5, 3))
    np.testing.assert_allclose((so3.hat(v) @ x[..., None])[..., 0], np.cross(v, x), atol=1e-15)


def test_vee_undoes_hat_and_ignores_the_symmetric_part():
    rng = np.random.default_rng(2)
    v, A = rng.standard_normal((5, 3)), rng.standard_normal((5, 3, 3))
    np.testing.assert_array_equal(so3.vee(so3.hat(v)), v)
    np.testing.assert_allclose(so3.vee(so3.hat(v) + A + np.swapaxes(A, -1, -2)), v, atol=1e-14)


@each_axis
@pytest.mark.parametrize("angle", ANGLES + ANGLES_BEYOND_PI)
def test_exp_is_the_power_series(axis, angle):
    with mp.workdps(oracle.DIGITS):
        exact = oracle.exp(oracle.vector(angle * axis))
    assert error(so3.exp(angle * axis), exact) < ORACLE


@each_axis
@pytest.mark.parametrize("angle", ANGLES)
def test_log_is_the_inverse_of_exp(axis, angle):
    v = angle * axis
    with mp.workdps(oracle.DIGITS):
        R = oracle.numbers(oracle.exp(oracle.vector(v)))
    result = so3.log(R)
    if angle == np.pi and np.dot(result, v) < 0.0:
        result = -result  # both are right at a half turn
    # R holds a small angle in entries of its own size, so the error is relative to it.
    np.testing.assert_allclose(result, v, rtol=0, atol=ORACLE * min(angle, 1.0))
    assert np.linalg.norm(result) <= np.pi * (1 + 1e-15)


def test_log_of_a_half_turn_has_its_largest_component_positive():
    for axis in AXES:
        R = 2.0 * np.outer(axis, axis) - np.eye(3)
        v = so3.log(R)
        assert v[np.argmax(np.abs(v))] > 0.0
        np.testing.assert_allclose(np.abs(v), np.pi * np.abs(axis), atol=ROUND_OFF)


@few
@given(rotation_vectors())
def test_exp_of_log_is_the_same_rotation(v):
    R = so3.exp(v)
    np.testing.assert_allclose(so3.exp(so3.log(R)), R, atol=ROUND_OFF)


@few
@given(rotation_vectors(longest=20.0))
def test_exp_is_a_rotation(v):
    assert so3.is_rotation(so3.exp(v), tol=1e-13)  # |v|^2 = 400 times round-off


@each_axis
@pytest.mark.parametrize("angle", ANGLES + ANGLES_BEYOND_PI)
def test_jacobians_are_their_power_series(axis, angle):
    v = angle * axis
    with mp.workdps(oracle.DIGITS):
        left = oracle.left_jacobian(oracle.vector(v))
        right = oracle.left_jacobian(oracle.vector(-v))
        left_inverse, right_inverse = mp.inverse(left), mp.inverse(right)
    assert error(so3.left_jacobian(v), left) < ORACLE
    assert error(so3.right_jacobian(v), right) < ORACLE
    # The inverse is as long as 1/(2 pi - angle), 12 at 6.2, and the derivative of that is 140.
    amplified = ORACLE / min(1.0, 2.0 * np.pi - angle) ** 2
    assert error(so3.left_jacobian_inverse(v), left_inverse) < amplified
    assert error(so3.right_jacobian_inverse(v), right_inverse) < amplified


@each_axis
@pytest.mark.parametrize("angle", [1e-12, 1e-7, 1e-3])
def test_jacobians_keep_the_digits_of_a_small_vector(axis, angle):
    # Minus the identity: what the closed forms of KINDR16 lose. The 1 costs eps, so compare the skew part.
    v = angle * axis
    with mp.workdps(oracle.DIGITS):
        exact = np.array([float(a) for a in oracle.vee(oracle.left_jacobian(oracle.vector(v)))])
    np.testing.assert_allclose(so3.vee(so3.left_jacobian(v)), exact, rtol=0, atol=1e-15 * angle)
    np.testing.assert_allclose(so3.vee(so3.left_jacobian_inverse(v)), -0.5 * v, rtol=0, atol=1e-15 * angle)


@each_axis
@pytest.mark.parametrize("angle", ANGLES + ANGLES_BEYOND_PI)
def test_jacobian_dot_is_the_time_derivative(axis, angle):
    v, vdot = angle * axis, np.array([0.3, -0.8, 1.1])
    with mp.workdps(oracle.DIGITS):
        at, along = oracle.vector(v), oracle.vector(vdot)

        def left(t):
            return oracle.left_jacobian([a + t * b for a, b in zip(at, along, strict=True)])

        def right(t):
            return oracle.left_jacobian([-a - t * b for a, b in zip(at, along, strict=True)])

        left_dot, right_dot = oracle.derivative(left), oracle.derivative(right)
    assert error(so3.left_jacobian_dot(v, vdot), left_dot) < ORACLE
    assert error(so3.right_jacobian_dot(v, vdot), right_dot) < ORACLE


def test_right_jacobian_dot_at_zero_is_minus_half_hat():
    vdot = np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(so3.right_jacobian_dot(np.zeros(3), vdot), -0.5 * so3.hat(vdot))


@pytest.mark.parametrize("angle", [0.0, 1e-7, 0.7, stumpff.SERIES_ANGLE, 3.0, 4.5, 6.0])
def test_jacobians_are_the_derivatives_of_exp(angle):
    # dR = [Gamma dv] R = R [Gamma(-v) dv], by central differences in double precision (h^2 and eps/h: 1e-9).
    v, dv, h = angle * AXES[4], np.array([0.4, 0.1, -0.7]), 1e-5
    R, Rdot = so3.exp(v), (so3.exp(v + h * dv) - so3.exp(v - h * dv)) / (2.0 * h)
    np.testing.assert_allclose(so3.vee(Rdot @ R.T), so3.left_jacobian(v) @ dv, atol=1e-9)
    np.testing.assert_allclose(so3.vee(R.T @ Rdot), so3.right_jacobian(v) @ dv, atol=1e-9)


@few
@given(rotation_vectors(longest=6.0))
def test_jacobian_identities(v):
    left, right = so3.left_jacobian(v), so3.right_jacobian(v)
    np.testing.assert_allclose(right, left.T, atol=ROUND_OFF)
    np.testing.assert_allclose(left, so3.exp(v) @ right, atol=ROUND_OFF)
    np.testing.assert_allclose(so3.exp(v), np.eye(3) + so3.hat(v) @ left, atol=4 * ROUND_OFF)
    amplified = ROUND_OFF * np.linalg.cond(left) ** 2
    np.testing.assert_allclose(so3.left_jacobian_inverse(v) @ left, np.eye(3), atol=amplified)
    np.testing.assert_allclose(so3.right_jacobian_inverse(v) @ right, np.eye(3), atol=amplified)


def test_inverse_jacobian_grows_like_one_over_the_distance_to_a_full_turn():
    for distance in (1e-2, 1e-4, 1e-6):
        J = so3.left_jacobian_inverse((2.0 * np.pi - distance) * AXES[0])
        assert np.linalg.norm(J, 2) == pytest.approx(2.0 * np.pi / distance, rel=distance)
    assert np.all(np.isfinite(so3.left_jacobian_inverse(2.0 * np.pi * AXES[0])))


@pytest.mark.parametrize("angle", [1e-12, 1e-3, 0.5, 1.0, 1.9999, 2.0, 2.0001, 3.0, 5.0, 6.2])
def test_stumpff_functions_are_their_series(angle):
    def exact(k, t):
        return mp.fsum((-1) ** j * t ** (2 * j) / mp.factorial(k + 2 * j) for j in range(60))

    def slope(k, t):
        return float(oracle.derivative(lambda dt: exact(k, t + dt)) / t)

    t = np.array(angle)
    with mp.workdps(oracle.DIGITS):
        at, half = mp.mpf(angle), mp.mpf(angle) / 2
        # 3e-15: a dozen roundings, and the cancellation of one digit the threshold allows.
        for k, c in enumerate([stumpff.c1, stumpff.c2, stumpff.c3, stumpff.c4, stumpff.c5], start=1):
            assert float(c(t)) == pytest.approx(float(exact(k, at)), rel=3e-15, abs=0)
        cotangent = float((1 - half * mp.cot(half)) / (4 * half**2))
        assert float(stumpff.cotangent_coefficient(t)) == pytest.approx(cotangent, rel=3e-15, abs=0)
        # The slope of c_2 is zero at 2 pi, so its error is measured against its value at zero.
        assert float(stumpff.c2_slope(t)) == pytest.approx(slope(2, at), rel=0, abs=3e-15 / 12)
        assert float(stumpff.c3_slope(t)) == pytest.approx(slope(3, at), rel=0, abs=3e-15 / 60)


@few
@given(rotation_vectors(), rotation_vectors(longest=3.0))
def test_box_minus_undoes_box_plus(u, v):
    R = so3.exp(u)
    np.testing.assert_allclose(so3.box_minus(so3.box_plus(R, v), R), v, atol=ROUND_OFF)


@few
@given(rotation_vectors(), rotation_vectors())
def test_box_plus_undoes_box_minus(u, v):
    R1, R2 = so3.exp(u), so3.exp(v)
    np.testing.assert_allclose(so3.box_plus(R2, so3.box_minus(R1, R2)), R1, atol=ROUND_OFF)
    np.testing.assert_allclose(so3.box_plus(R1, np.zeros(3)), R1, atol=ROUND_OFF)


@few
@given(rotation_vectors(), rotation_vectors(longest=3.0))
def test_exp_is_equivariant(u, v):
    # R exp(v) R^T = exp(R v): the adjoint of SO(3) is R itself.
    R = so3.exp(u)
    np.testing.assert_allclose(R @ so3.exp(v) @ R.T, so3.exp(R @ v), atol=ROUND_OFF)


@few
@given(rotation_vectors(longest=3.0), st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))
def test_turns_about_one_axis_add(v, s, t):
    np.testing.assert_allclose(so3.exp(s * v) @ so3.exp(t * v), so3.exp((s + t) * v), atol=ROUND_OFF)


def test_slerp_has_its_ends_and_constant_speed():
    R0, R1 = so3.random(np.random.default_rng(3), (2,))
    t = np.linspace(0.0, 1.0, 11)
    path = so3.slerp(R0, R1, t)
    np.testing.assert_allclose(path[[0, -1]], [R0, R1], atol=ROUND_OFF)
    steps = so3.box_minus(path[1:], path[:-1])
    np.testing.assert_allclose(steps, np.broadcast_to(steps[0], steps.shape), atol=ROUND_OFF)


def test_elementary_rotations_are_exponentials_of_the_axes():
    angles = np.linspace(-7.0, 7.0, 15)
    for rot, axis in zip((so3.rot_x, so3.rot_y, so3.rot_z), np.eye(3), strict=True):
        np.testing.assert_allclose(rot(angles), so3.exp(angles[:, None] * axis), atol=ROUND_OFF)


def test_project_returns_the_nearest_rotation():
    rng = np.random.default_rng(4)
    R = so3.random(rng, (20,))
    np.testing.assert_allclose(so3.project(R), R, atol=ROUND_OFF)
    # A symmetric positive definite factor does not move the nearest rotation (polar decomposition).
    B = rng.standard_normal((20, 3, 3))
    np.testing.assert_allclose(so3.project(R @ (B @ np.swapaxes(B, -1, -2) + np.eye(3))), R, atol=1e-13)
    # For det < 0 no other rotation is nearer.
    A = rng.standard_normal((3, 3))
    A[0] *= -np.sign(np.linalg.det(A))
    others = so3.random(rng, (2000,))
    assert np.linalg.norm(others - A, axis=(-2, -1)).min() >= np.linalg.norm(so3.project(A) - A)
    assert so3.is_rotation(so3.project(A), tol=1e-14)


def test_is_rotation_refuses_reflections_and_scalings():
    R = so3.random(np.random.default_rng(5))
    assert so3.is_rotation(R)
    assert not so3.is_rotation(-R)
    assert not so3.is_rotation(1.001 * R)
    assert so3.is_rotation(1.001 * R, tol=1e-2)


def test_random_is_uniform():
    # Every entry of a uniform rotation has mean 0 and variance 1/3; 20000 draws have a standard error of 0.004.
    R = so3.random(np.random.default_rng(6), (20000,))
    assert np.all(so3.is_rotation(R, tol=1e-14))
    np.testing.assert_allclose(R.mean(axis=0), 0.0, atol=0.02)
    np.testing.assert_allclose((R**2).mean(axis=0), 1.0 / 3.0, atol=0.02)


def test_vectorised_equals_looped():
    rng = np.random.default_rng(7)
    angles = np.array(ANGLES + ANGLES_BEYOND_PI)[:, None, None]
    v = angles * np.array(AXES)
    vdot = rng.standard_normal(3)
    functions = [
        so3.hat,
        so3.exp,
        so3.left_jacobian,
        so3.right_jacobian,
        so3.left_jacobian_inverse,
        so3.right_jacobian_inverse,
        lambda a: so3.right_jacobian_dot(a, vdot),
        lambda a: so3.log(so3.exp(a)),
        lambda a: so3.project(so3.exp(a) + 0.1),
        lambda a: so3.slerp(so3.exp(a), np.eye(3), 0.3),
    ]
    for f in functions:
        looped = np.array([[f(one) for one in row] for row in v])
        np.testing.assert_allclose(f(v), looped, rtol=1e-14, atol=1e-14)  # BLAS may sum in another order
