# SPDX-License-Identifier: GPL-3.0-or-later
"""Hamilton quaternions: the algebra, the double cover of SO(3), exp and log."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
import rotation_oracle as oracle
from hypothesis import given, settings
from rotation_oracle import ANGLES, ANGLES_BEYOND_PI, AXES, rotation_vectors

from redmax.spatial import angle_axis, quaternion, so3

ORACLE = 1e-13  # a few roundings, with room for the libm
ROUND_OFF = 1e-14  # a few products of unit quaternions

each_axis = pytest.mark.parametrize("axis", AXES, ids=lambda n: np.array2string(n, precision=2))
few = settings(max_examples=60, deadline=None)


def random_quaternions(seed: int, count: int) -> np.ndarray:
    """Of any length."""
    return np.random.default_rng(seed).standard_normal((count, 4))


def test_units_multiply_as_hamilton_carved_them():
    one, i, j, k = np.eye(4)
    for square in (i, j, k):
        np.testing.assert_array_equal(quaternion.multiply(square, square), -one)
    np.testing.assert_array_equal(quaternion.multiply(i, j), k)
    np.testing.assert_array_equal(quaternion.multiply(j, i), -k)
    np.testing.assert_array_equal(quaternion.multiply(quaternion.multiply(i, j), k), -one)
    np.testing.assert_array_equal(quaternion.identity(), one)


def test_multiplication_is_associative_and_norms_multiply():
    q, p, r = (random_quaternions(seed, 10) for seed in (1, 2, 3))
    left = quaternion.multiply(quaternion.multiply(q, p), r)
    np.testing.assert_allclose(left, quaternion.multiply(q, quaternion.multiply(p, r)), atol=1e-13)
    norm = np.linalg.norm
    np.testing.assert_allclose(norm(left, axis=-1), norm(q, axis=-1) * norm(p, axis=-1) * norm(r, axis=-1), rtol=1e-14)


def test_inverse_and_conjugate():
    q, p = random_quaternions(4, 10), random_quaternions(5, 10)
    np.testing.assert_allclose(quaternion.multiply(q, quaternion.inverse(q)), quaternion.identity((10,)), atol=1e-14)
    np.testing.assert_allclose(
        quaternion.conjugate(quaternion.multiply(q, p)),
        quaternion.multiply(quaternion.conjugate(p), quaternion.conjugate(q)),
        atol=1e-14,
    )
    unit = quaternion.normalize(q)
    np.testing.assert_allclose(quaternion.inverse(unit), quaternion.conjugate(unit), atol=1e-15)


def test_quaternion_matrices_multiply_from_the_left_and_from_the_right():
    q, p = random_quaternions(6, 10), random_quaternions(7, 10)
    product = quaternion.multiply(q, p)
    np.testing.assert_allclose((quaternion.left_matrix(q) @ p[..., None])[..., 0], product, atol=1e-14)
    np.testing.assert_allclose((quaternion.right_matrix(p) @ q[..., None])[..., 0], product, atol=1e-14)


def test_H_and_Hbar_are_the_printed_tables_and_factor_the_rotation_matrix():
    q = quaternion.normalize(random_quaternions(8, 10))
    H, Hbar = quaternion.H(q), quaternion.Hbar(q)
    w, u = q[:, :1, None], q[:, 1:]
    np.testing.assert_array_equal(H, np.concatenate([-u[..., None], so3.hat(u) + w * np.eye(3)], axis=-1))
    np.testing.assert_array_equal(Hbar, np.concatenate([-u[..., None], -so3.hat(u) + w * np.eye(3)], axis=-1))
    np.testing.assert_allclose(H @ np.swapaxes(Hbar, -1, -2), quaternion.to_matrix(q), atol=ROUND_OFF)
    np.testing.assert_allclose(H @ np.swapaxes(H, -1, -2), np.broadcast_to(np.eye(3), (10, 3, 3)), atol=ROUND_OFF)
    np.testing.assert_allclose((H @ q[..., None])[..., 0], 0.0, atol=1e-15)


@few
@given(rotation_vectors(), rotation_vectors())
def test_to_matrix_is_a_homomorphism_with_kernel_plus_minus_one(u, v):
    q, p = quaternion.exp(u), quaternion.exp(v)
    R = quaternion.to_matrix(quaternion.multiply(q, p))
    np.testing.assert_allclose(R, quaternion.to_matrix(q) @ quaternion.to_matrix(p), atol=ROUND_OFF)
    np.testing.assert_array_equal(quaternion.to_matrix(-q), quaternion.to_matrix(q))


@few
@given(rotation_vectors(), rotation_vectors())
def test_rotate_is_the_matrix_product_and_the_sandwich(u, v):
    q = quaternion.exp(u)
    np.testing.assert_allclose(quaternion.rotate(q, v), quaternion.to_matrix(q) @ v, atol=ROUND_OFF)
    sandwich = quaternion.multiply(quaternion.multiply(q, np.array([0.0, *v])), quaternion.conjugate(q))
    np.testing.assert_allclose(sandwich, np.array([0.0, *quaternion.rotate(q, v)]), atol=ROUND_OFF)


@few
@given(rotation_vectors(longest=10.0))
def test_to_matrix_of_exp_is_exp(v):
    np.testing.assert_allclose(quaternion.to_matrix(quaternion.exp(v)), so3.exp(v), atol=2e-14)  # |v|^2 = 100 in so3


@each_axis
@pytest.mark.parametrize("angle", ANGLES + ANGLES_BEYOND_PI)
def test_exp_is_half_the_angle_in_50_digits(axis, angle):
    with mp.workdps(oracle.DIGITS):
        v = oracle.vector(angle * axis)
        theta = mp.sqrt(sum(a * a for a in v))
        factor = mp.sin(theta / 2) / theta if theta else mp.mpf(1) / 2
        exact = np.array([float(mp.cos(theta / 2)), *(float(factor * a) for a in v)])
    q = quaternion.exp(angle * axis)
    np.testing.assert_allclose(q, exact, rtol=0, atol=1e-15)
    if angle <= np.pi:  # beyond, sin(theta/2) goes back to zero and its relative error grows
        np.testing.assert_allclose(q[1:], exact[1:], rtol=1e-15, atol=0)


@each_axis
@pytest.mark.parametrize("angle", ANGLES)
def test_log_is_the_inverse_of_exp(axis, angle):
    v = angle * axis
    q = quaternion.exp(v)
    np.testing.assert_allclose(quaternion.log(q), v, rtol=1e-15, atol=0)
    # The same rotation, the same vector; at a half turn w = 6e-17 still tells the sign.
    np.testing.assert_array_equal(quaternion.log(-q), quaternion.log(q))
    np.testing.assert_allclose(quaternion.log(3.7 * q), v, rtol=2e-15, atol=0)


def test_log_takes_the_short_way_round():
    for angle in ANGLES_BEYOND_PI:
        v = quaternion.log(quaternion.exp(angle * AXES[3]))
        np.testing.assert_allclose(v, (angle - 2.0 * np.pi) * AXES[3], atol=1e-15)


def test_tiny_vectors_survive_exp_and_log():
    for length in (1e-100, 1e-200, 1e-300):
        v = length * AXES[4]
        np.testing.assert_allclose(quaternion.log(quaternion.exp(v)), v, rtol=1e-14)


@each_axis
@pytest.mark.parametrize("angle", ANGLES + ANGLES_BEYOND_PI)
def test_from_matrix_undoes_to_matrix(axis, angle):
    q = quaternion.exp(angle * axis)
    recovered = quaternion.from_matrix(quaternion.to_matrix(q))
    assert recovered[0] >= 0.0
    if np.dot(q, recovered) < 0.0:
        q = -q
    np.testing.assert_allclose(recovered, q, atol=1e-15)
    if 0.0 < angle < 0.1:
        np.testing.assert_allclose(recovered[1:], q[1:], rtol=1e-14, atol=1e-15 * angle)


def test_from_matrix_is_accurate_on_all_four_branches():
    # Rotations with each of w, x, y, z the largest, and with ties.
    for q in [*np.eye(4), *(np.array(np.meshgrid(*[[-1.0, 1.0]] * 4)).reshape(4, -1).T / 2.0)]:
        recovered = quaternion.from_matrix(quaternion.to_matrix(q))
        assert abs(np.dot(q, recovered)) == pytest.approx(1.0, abs=1e-15)
    q = quaternion.canonical(quaternion.normalize(random_quaternions(9, 5000)))
    np.testing.assert_allclose(quaternion.from_matrix(quaternion.to_matrix(q)), q, atol=1e-15)


def test_box_minus_undoes_box_plus_and_slerp_meets_its_ends():
    q0, q1 = quaternion.normalize(random_quaternions(10, 2))
    v = np.array([0.4, -1.0, 2.0])
    np.testing.assert_allclose(quaternion.box_minus(quaternion.box_plus(q0, v), q0), v, atol=ROUND_OFF)
    t = np.linspace(0.0, 1.0, 9)
    path = quaternion.slerp(q0, q1, t)
    np.testing.assert_allclose(path[0], q0, atol=ROUND_OFF)
    assert abs(np.dot(path[-1], q1)) == pytest.approx(1.0, abs=ROUND_OFF)
    matrices = so3.slerp(quaternion.to_matrix(q0), quaternion.to_matrix(q1), t)
    np.testing.assert_allclose(quaternion.to_matrix(path), matrices, atol=ROUND_OFF)


@each_axis
@pytest.mark.parametrize("angle", ANGLES)
def test_angle_axis_is_the_angle_and_the_axis(axis, angle):
    packed = angle_axis.from_quaternion(quaternion.exp(angle * axis))
    assert packed[0] == pytest.approx(angle, rel=1e-15, abs=0)
    np.testing.assert_allclose(packed[1:], axis if angle > 0.0 else AXES[0], atol=1e-15)
    np.testing.assert_allclose(angle_axis.from_quaternion(-quaternion.exp(angle * axis)), packed, atol=0)
    np.testing.assert_allclose(angle_axis.from_rotation_vector(angle * axis), packed, atol=1e-15)
    np.testing.assert_allclose(angle_axis.to_rotation_vector(packed), angle * axis, rtol=1e-15)
    np.testing.assert_allclose(angle_axis.to_matrix(packed), so3.exp(angle * axis), atol=ROUND_OFF)


def test_angle_axis_beyond_a_half_turn_comes_back():
    for angle in ANGLES_BEYOND_PI:
        packed = angle_axis.from_rotation_vector(angle * AXES[3])
        np.testing.assert_allclose(packed, [2.0 * np.pi - angle, *(-AXES[3])], atol=1e-15)
        np.testing.assert_allclose(angle_axis.from_matrix(so3.exp(angle * AXES[3])), packed, atol=ROUND_OFF / 1e-7)


def test_angle_axis_keeps_the_axis_of_the_tiniest_vector():
    np.testing.assert_allclose(angle_axis.from_rotation_vector(1e-300 * AXES[4])[1:], AXES[4], rtol=1e-14)


def test_vectorised_equals_looped():
    v = np.array(ANGLES + ANGLES_BEYOND_PI)[:, None, None] * np.array(AXES)
    q = quaternion.exp(v)
    p = quaternion.normalize(random_quaternions(11, 1)[0])
    functions = [
        quaternion.normalize,
        quaternion.inverse,
        quaternion.to_matrix,
        quaternion.log,
        quaternion.H,
        quaternion.Hbar,
        angle_axis.from_quaternion,
        lambda a: quaternion.multiply(a, p),
        lambda a: quaternion.multiply(p, a),
        lambda a: quaternion.rotate(a, p[1:]),
        lambda a: quaternion.from_matrix(quaternion.to_matrix(a)),
        lambda a: quaternion.slerp(a, p, 0.25),
    ]
    for f in functions:
        looped = np.array([[f(one) for one in row] for row in q])
        np.testing.assert_allclose(f(q), looped, rtol=1e-14, atol=1e-15)
