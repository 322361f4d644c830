# SPDX-License-Identifier: GPL-3.0-or-later
"""SE(3): the group, its exponential and the Jacobians of the exponential."""

from math import factorial, pi

import mpmath
import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

from redmax.spatial import adjoint, pose, quaternion, so3, stumpff

ROUND_OFF = 1e-14  # a few dozen operations on numbers of order one, 2e-16 each
FD_STEP = 1e-6
FD_ERROR = 2e-9  # central differences: h^2 = 1e-12 times third derivatives (hundreds), plus 2e-16 / h = 2e-10

# Below pi the logarithm is unique.
ANGLES = [
    0.0,
    1e-300,
    1e-12,
    1e-7,
    1e-3,
    0.7,
    stumpff.SERIES_ANGLE - 1e-9,
    stumpff.SERIES_ANGLE,
    stumpff.SERIES_ANGLE + 1e-9,
    2.9,
    pi - 1e-7,
    pi - 1e-12,
]

seeds = st.integers(0, 2**32 - 1)
angles = st.one_of(st.sampled_from(ANGLES), st.floats(0.0, pi - 1e-12))
quick = settings(max_examples=40, deadline=None)


def twist(seed: int, angle: float) -> np.ndarray:
    """A twist of that rotation angle, random axis and translation."""
    rng = np.random.default_rng(seed)
    axis = rng.standard_normal(3)
    return np.concatenate([angle * axis / np.linalg.norm(axis), rng.standard_normal(3)])


def exact_exp(phi: np.ndarray) -> np.ndarray:
    """exp([phi]) with 40 digits, rounded once."""
    with mpmath.workdps(40):
        return np.array(mpmath.expm(mpmath.matrix(pose.bracket(phi).tolist())).tolist(), dtype=float)


def test_make_takes_apart_and_broadcasts():
    rng = np.random.default_rng(1)
    R, p = so3.random(rng, (5, 1)), rng.standard_normal((4, 3))
    E = pose.make(R, p)
    assert E.shape == (5, 4, 4, 4)
    np.testing.assert_array_equal(pose.rotation(E), np.broadcast_to(R, (5, 4, 3, 3)))
    np.testing.assert_array_equal(pose.position(E), np.broadcast_to(p, (5, 4, 3)))
    np.testing.assert_array_equal(E[..., 3, :], np.broadcast_to([0, 0, 0, 1], (5, 4, 4)))


def test_identity_is_the_unit_matrix():
    np.testing.assert_array_equal(pose.identity(), np.eye(4))
    np.testing.assert_array_equal(pose.identity((2, 3)), np.broadcast_to(np.eye(4), (2, 3, 4, 4)))


@given(seeds)
@quick
def test_inverse_undoes_a_pose(seed):
    E = pose.random(np.random.default_rng(seed), (3,))
    np.testing.assert_allclose(E @ pose.inverse(E), pose.identity((3,)), atol=ROUND_OFF)
    np.testing.assert_allclose(pose.inverse(E), np.linalg.inv(E), atol=ROUND_OFF)


@given(seeds)
@quick
def test_points_transform_like_homogeneous_vectors(seed):
    rng = np.random.default_rng(seed)
    E_ab, E_bc, x_c = pose.random(rng), pose.random(rng), rng.standard_normal((7, 3))
    homogeneous = np.concatenate([x_c, np.ones((7, 1))], axis=1)
    np.testing.assert_allclose(pose.transform_points(E_ab, x_c), (homogeneous @ E_ab.T)[:, :3], atol=ROUND_OFF)
    np.testing.assert_allclose(
        pose.transform_points(E_ab @ E_bc, x_c),
        pose.transform_points(E_ab, pose.transform_points(E_bc, x_c)),
        atol=ROUND_OFF,
    )


def test_from_quaternion_turns_as_the_quaternion_does():
    rng = np.random.default_rng(2)
    q, p, x = (
        quaternion.normalize(rng.standard_normal((6, 4))),
        rng.standard_normal((6, 3)),
        rng.standard_normal((6, 3)),
    )
    np.testing.assert_allclose(
        pose.transform_points(pose.from_quaternion(p, q), x), quaternion.rotate(q, x) + p, atol=ROUND_OFF
    )
    quarter_turn_about_z = pose.from_quaternion([1.0, 2.0, 3.0], [np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])
    np.testing.assert_allclose(pose.transform_points(quarter_turn_about_z, [1.0, 0.0, 0.0]), [1, 3, 3], atol=ROUND_OFF)


@given(seeds)
@quick
def test_unbracket_undoes_bracket(seed):
    phi = np.random.default_rng(seed).standard_normal((4, 6))
    np.testing.assert_array_equal(pose.unbracket(pose.bracket(phi)), phi)


@given(seeds, angles)
@quick
def test_exp_is_the_matrix_exponential(seed, angle):
    phi = twist(seed, angle)
    # scipy squares and scales: up to a hundred roundings.
    np.testing.assert_allclose(pose.exp(phi), scipy.linalg.expm(pose.bracket(phi)), atol=2e-14)


@pytest.mark.parametrize("angle", [*ANGLES, pi, 5.0, 2 * pi, 20.0])
def test_exp_agrees_with_forty_digits(angle):
    for seed in range(4):
        phi = twist(seed, angle)
        # The angle itself is rounded: 20 rad carries 2e-15.
        np.testing.assert_allclose(pose.exp(phi), exact_exp(phi), atol=1e-15 * max(1.0, angle))


@pytest.mark.parametrize("angle", ANGLES)
def test_log_finds_the_twist_of_an_exact_exponential(angle):
    for seed in range(6):
        phi = twist(seed, angle)
        # The input is rounded to 1e-16; the inverse Jacobian amplifies by at most pi/2 below a half turn.
        np.testing.assert_allclose(pose.log(exact_exp(phi)), phi, atol=4e-15)


@pytest.mark.parametrize("angle", [1e-300, 1e-160, 1e-12, 1e-9])
def test_log_keeps_all_digits_of_tiny_rotations(angle):
    phi = twist(3, angle)
    # Relative, not absolute: acos(trace) would return 0 or noise of 1e-8 here.
    np.testing.assert_allclose(pose.log(exact_exp(phi))[:3], phi[:3], rtol=1e-14, atol=0)


def test_log_is_the_matrix_logarithm():
    for seed in range(5):
        E = pose.random(np.random.default_rng(seed))
        # scipy's general algorithm (square roots) is the less accurate side.
        np.testing.assert_allclose(pose.bracket(pose.log(E)), scipy.linalg.logm(E).real, atol=1e-11)


@given(seeds, st.one_of(angles, st.sampled_from([pi, pi - 1e-15, pi + 1e-12, 4.0])))
@quick
def test_exp_undoes_log(seed, angle):
    E = pose.exp(twist(seed, angle))
    phi = pose.log(E)
    assert np.linalg.norm(phi[:3]) <= pi + ROUND_OFF
    np.testing.assert_allclose(pose.exp(phi), E, atol=ROUND_OFF)


@pytest.mark.parametrize("axis", [*np.eye(3), *-np.eye(3), (0.6, 0.8, 0.0), (-0.6, 0.0, 0.8)])
def test_log_of_an_exact_half_turn_is_a_half_turn(axis):
    axis = np.array(axis)
    E = pose.make(2.0 * np.outer(axis, axis) - np.eye(3), [1.0, -2.0, 3.0])
    phi = pose.log(E)
    assert np.linalg.norm(phi[:3]) == pytest.approx(pi, abs=ROUND_OFF)
    np.testing.assert_allclose(pose.exp(phi), E, atol=ROUND_OFF)


def test_log_of_a_translation_is_the_translation():
    np.testing.assert_array_equal(pose.log(pose.make(np.eye(3), [1.0, 2.0, 3.0])), [0, 0, 0, 1, 2, 3])


def test_log_of_a_screw_is_not_its_displacement():
    # A quarter turn about z whose axis passes through (1, 0, 0): nu = -omega x point on the axis.
    E = pose.make(so3.rot_z(pi / 2), [1.0, -1.0, 0.0])
    np.testing.assert_allclose(pose.log(E), [0, 0, pi / 2, 0, -pi / 2, 0], atol=ROUND_OFF)


@given(seeds, st.floats(-3, 3), st.floats(-3, 3))
@quick
def test_exp_along_one_twist_is_a_one_parameter_group(seed, s, t):
    phi = twist(seed, 1.0)
    np.testing.assert_allclose(pose.exp(s * phi) @ pose.exp(t * phi), pose.exp((s + t) * phi), atol=3 * ROUND_OFF)


@given(seeds, angles)
@quick
def test_exp_commutes_with_a_change_of_frame(seed, angle):
    E, phi = pose.random(np.random.default_rng(seed + 1)), twist(seed, angle)
    # Translations of order 10 appear on the way.
    np.testing.assert_allclose(
        pose.exp(adjoint.transform_twist(E, phi)), E @ pose.exp(phi) @ pose.inverse(E), atol=5 * ROUND_OFF
    )


@given(seeds)
@quick
def test_integrate_moves_at_the_body_twist(seed):
    rng = np.random.default_rng(seed)
    E, phi, h = pose.random(rng, (3,)), rng.standard_normal((3, 6)), FD_STEP
    rate = (pose.integrate(E, phi, h) - pose.integrate(E, phi, -h)) / (2 * h)
    np.testing.assert_allclose(rate, E @ pose.bracket(phi), atol=FD_ERROR)
    steps = pose.integrate(pose.integrate(E, phi, 0.3), phi, np.full(3, 0.4))
    np.testing.assert_allclose(steps, pose.integrate(E, phi, 0.7), atol=ROUND_OFF)


@given(seeds, angles)
@quick
def test_jacobians_are_the_derivatives_of_exp(seed, angle):
    phi = twist(seed, angle)
    d = FD_STEP * np.eye(6)
    dE = (pose.exp(phi + d) - pose.exp(phi - d)) / (2 * FD_STEP)
    E_inv = pose.inverse(pose.exp(phi))
    np.testing.assert_allclose(pose.unbracket(dE @ E_inv).T, pose.left_jacobian(phi), atol=FD_ERROR)
    np.testing.assert_allclose(pose.unbracket(E_inv @ dE).T, pose.right_jacobian(phi), atol=FD_ERROR)


@given(seeds, angles)
@quick
def test_left_jacobian_is_the_series_in_ad(seed, angle):
    phi = twist(seed, angle)
    A = adjoint.ad(phi)
    series = sum(np.linalg.matrix_power(A, n) / float(factorial(n + 1)) for n in range(40))
    # Terms of the alternating series reach pi^3/3! times the translation: one digit is lost.
    np.testing.assert_allclose(pose.left_jacobian(phi), series, atol=10 * ROUND_OFF)


@given(seeds, st.one_of(angles, st.just(pi), st.floats(pi, 5.5)))
@quick
def test_inverse_jacobians_undo_the_jacobians(seed, angle):
    phi = twist(seed, angle)
    # cond(J_l) grows to 20 at 5.5 rad and enters twice through the lower block.
    np.testing.assert_allclose(pose.left_jacobian_inverse(phi) @ pose.left_jacobian(phi), np.eye(6), atol=1e-12)
    np.testing.assert_allclose(pose.right_jacobian_inverse(phi) @ pose.right_jacobian(phi), np.eye(6), atol=1e-12)


@given(seeds, st.one_of(st.sampled_from(ANGLES[:-2]), st.floats(0.0, 3.0)))
@quick
def test_inverse_jacobians_are_the_derivatives_of_log(seed, angle):
    phi = twist(seed, angle)
    E, d = pose.exp(phi), pose.exp(FD_STEP * np.eye(6))
    left = (pose.log(d @ E) - pose.log(pose.inverse(d) @ E)) / (2 * FD_STEP)
    right = (pose.log(E @ d) - pose.log(E @ pose.inverse(d))) / (2 * FD_STEP)
    # Log is rounded to 2e-15 near a half turn: 1e-9 after the division by h.
    np.testing.assert_allclose(left.T, pose.left_jacobian_inverse(phi), atol=2 * FD_ERROR)
    np.testing.assert_allclose(right.T, pose.right_jacobian_inverse(phi), atol=2 * FD_ERROR)


@given(seeds, angles)
@quick
def test_left_jacobian_is_the_right_one_seen_from_outside(seed, angle):
    phi = twist(seed, angle)
    np.testing.assert_allclose(
        pose.left_jacobian(phi), adjoint.Ad(pose.exp(phi)) @ pose.right_jacobian(phi), atol=3 * ROUND_OFF
    )


def test_jacobians_of_no_motion():
    zero = np.zeros(6)
    for jacobian in (
        pose.left_jacobian,
        pose.right_jacobian,
        pose.left_jacobian_inverse,
        pose.right_jacobian_inverse,
    ):
        np.testing.assert_array_equal(jacobian(zero), np.eye(6))
    # First order: J_r = 1 - ad/2.
    phi = 1e-9 * np.arange(1.0, 7.0)
    np.testing.assert_allclose(pose.right_jacobian(phi) - np.eye(6), -adjoint.ad(phi) / 2, atol=1e-16)


@given(seeds, st.floats(-12, -1))
@quick
def test_projection_lands_on_the_nearest_pose(seed, exponent):
    rng = np.random.default_rng(seed)
    E = pose.random(rng)
    noisy = E + 10**exponent * rng.uniform(-1, 1, (4, 4))
    P = pose.project(noisy)
    assert pose.is_pose(P, ROUND_OFF)
    np.testing.assert_allclose(pose.project(P), P, atol=ROUND_OFF)
    np.testing.assert_array_equal(pose.position(P), pose.position(noisy))
    distance = np.linalg.norm(pose.rotation(P - noisy))
    assert distance <= np.linalg.norm(pose.rotation(E - noisy)) + ROUND_OFF
    for nearby in pose.exp(1e-3 * rng.standard_normal((5, 6))):
        assert distance <= np.linalg.norm(pose.rotation(P @ nearby - noisy)) + ROUND_OFF


def test_is_pose_tells_poses_from_other_matrices():
    rng = np.random.default_rng(4)
    good = pose.random(rng, (2, 3))
    assert pose.is_pose(good).shape == (2, 3)
    assert pose.is_pose(good).all()
    mirrored = np.diag([1.0, 1.0, -1.0, 1.0])
    scaled = np.diag([2.0, 2.0, 2.0, 1.0])
    perspective = np.eye(4)
    perspective[3, 0] = 1e-3
    broken = np.eye(4)
    broken[0, 3] = np.nan
    infinite = np.eye(4)
    infinite[1, 1] = np.inf
    assert not pose.is_pose(np.stack([mirrored, scaled, perspective, broken, infinite])).any()


def test_batches_agree_with_single_calls():
    rng = np.random.default_rng(5)
    phi = rng.standard_normal((2, 3, 6))
    for f in (pose.exp, pose.left_jacobian, pose.left_jacobian_inverse, pose.bracket):
        np.testing.assert_array_equal(f(phi)[1, 2], f(phi[1, 2]))
    E = pose.exp(phi)
    for f in (pose.log, pose.inverse, pose.project):
        # LAPACK and einsum may order sums differently in a batch.
        np.testing.assert_allclose(f(E)[1, 2], f(E[1, 2]), atol=1e-15)


def test_empty_batches_stay_empty():
    assert pose.exp(np.zeros((0, 6))).shape == (0, 4, 4)
    assert pose.log(np.zeros((0, 4, 4))).shape == (0, 6)
    assert pose.left_jacobian(np.zeros((0, 6))).shape == (0, 6, 6)
    assert pose.is_pose(np.zeros((0, 4, 4))).shape == (0,)
