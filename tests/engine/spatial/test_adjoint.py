# SPDX-License-Identifier: GPL-3.0-or-later
"""Ad and ad: how twists and wrenches change frames, and how those maps change in time."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from redmax.spatial import adjoint, pose

ROUND_OFF = 2e-14  # products of 6 x 6 matrices with entries up to ten
FD_STEP = 1e-6
FD_ERROR = 2e-9  # central differences: h^2 = 1e-12 times third derivatives (hundreds), plus 1e-15 / h

seeds = st.integers(0, 2**32 - 1)
quick = settings(max_examples=40, deadline=None)


def draw(seed: int, poses: int, twists: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [pose.random(rng, (3,)) for _ in range(poses)] + [rng.standard_normal((3, 6)) for _ in range(twists)]


def apply(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    return (A @ x[..., None])[..., 0]


@given(seeds)
@quick
def test_adjoint_is_a_homomorphism(seed):
    E_ab, E_bc = draw(seed, 2, 0)
    np.testing.assert_allclose(adjoint.Ad(E_ab @ E_bc), adjoint.Ad(E_ab) @ adjoint.Ad(E_bc), atol=ROUND_OFF)


@given(seeds)
@quick
def test_adjoint_is_conjugation_of_the_bracket(seed):
    E, phi = draw(seed, 1, 1)
    conjugated = pose.unbracket(E @ pose.bracket(phi) @ pose.inverse(E))
    np.testing.assert_allclose(apply(adjoint.Ad(E), phi), conjugated, atol=ROUND_OFF)


@given(seeds)
@quick
def test_adjoint_of_the_inverse_is_the_inverse(seed):
    (E,) = draw(seed, 1, 0)
    np.testing.assert_allclose(adjoint.Ad_inverse(E), adjoint.Ad(pose.inverse(E)), atol=ROUND_OFF)
    np.testing.assert_allclose(
        adjoint.Ad_inverse(E) @ adjoint.Ad(E), np.broadcast_to(np.eye(6), (3, 6, 6)), atol=ROUND_OFF
    )


@given(seeds)
@quick
def test_ad_is_the_commutator(seed):
    a, b = draw(seed, 0, 2)
    A, B = pose.bracket(a), pose.bracket(b)
    np.testing.assert_allclose(apply(adjoint.ad(a), b), pose.unbracket(A @ B - B @ A), atol=ROUND_OFF)


@given(seeds)
@quick
def test_ad_is_antisymmetric_and_satisfies_jacobi(seed):
    a, b, c = draw(seed, 0, 3)
    np.testing.assert_allclose(apply(adjoint.ad(a), b), -apply(adjoint.ad(b), a), atol=ROUND_OFF)
    commutator = adjoint.ad(a) @ adjoint.ad(b) - adjoint.ad(b) @ adjoint.ad(a)
    np.testing.assert_allclose(adjoint.ad(apply(adjoint.ad(a), b)), commutator, atol=ROUND_OFF)
    np.testing.assert_allclose(
        apply(adjoint.ad(a), apply(adjoint.ad(b), c)) + apply(adjoint.ad(b), apply(adjoint.ad(c), a)),
        -apply(adjoint.ad(c), apply(adjoint.ad(a), b)),
        atol=ROUND_OFF,
    )


@given(seeds)
@quick
def test_duals_are_transposes(seed):
    E, phi, f, x = draw(seed, 1, 3)
    np.testing.assert_allclose(
        np.sum(apply(adjoint.Ad_dual(E), f) * x, -1), np.sum(f * apply(adjoint.Ad(E), x), -1), atol=10 * ROUND_OFF
    )
    np.testing.assert_allclose(
        np.sum(apply(adjoint.ad_dual(phi), f) * x, -1), np.sum(f * apply(adjoint.ad(phi), x), -1), atol=10 * ROUND_OFF
    )


@given(seeds)
@quick
def test_transforms_are_the_adjoint_and_its_inverse_dual(seed):
    E_ab, phi_b, f_b = draw(seed, 1, 2)
    np.testing.assert_allclose(adjoint.transform_twist(E_ab, phi_b), apply(adjoint.Ad(E_ab), phi_b), atol=ROUND_OFF)
    f_a = adjoint.transform_wrench(E_ab, f_b)
    np.testing.assert_allclose(f_a, apply(adjoint.Ad_dual(pose.inverse(E_ab)), f_b), atol=ROUND_OFF)
    np.testing.assert_allclose(apply(adjoint.Ad_dual(E_ab), f_a), f_b, atol=ROUND_OFF)


@given(seeds)
@quick
def test_power_does_not_depend_on_the_frame(seed):
    E_ab, phi_b, f_b = draw(seed, 1, 2)
    phi_a, f_a = adjoint.transform_twist(E_ab, phi_b), adjoint.transform_wrench(E_ab, f_b)
    np.testing.assert_allclose(np.sum(f_a * phi_a, -1), np.sum(f_b * phi_b, -1), atol=10 * ROUND_OFF)


def test_a_force_beside_the_origin_has_a_moment():
    # One newton along y at x = 2 m turns about z with 2 N m.
    E_ab = pose.make(np.eye(3), [2.0, 0.0, 0.0])
    np.testing.assert_array_equal(adjoint.transform_wrench(E_ab, [0, 0, 0, 0, 1, 0]), [0, 0, 2, 0, 1, 0])
    # A body spinning about z through x = 2 m: the point of it that passes a's origin moves along -y.
    np.testing.assert_array_equal(adjoint.transform_twist(E_ab, [0, 0, 1, 0, 0, 0]), [0, 0, 1, 0, -2, 0])


@given(seeds)
@quick
def test_Ad_dot_is_the_rate_of_Ad(seed):
    E, phi = draw(seed, 1, 1)
    after, before = pose.integrate(E, phi, FD_STEP), pose.integrate(E, phi, -FD_STEP)
    rate = (adjoint.Ad(after) - adjoint.Ad(before)) / (2 * FD_STEP)
    np.testing.assert_allclose(adjoint.Ad_dot(E, phi), rate, atol=10 * FD_ERROR)


@given(seeds)
@quick
def test_Ad_inverse_dot_is_the_rate_of_Ad_inverse(seed):
    E, phi = draw(seed, 1, 1)
    after, before = pose.integrate(E, phi, FD_STEP), pose.integrate(E, phi, -FD_STEP)
    rate = (adjoint.Ad_inverse(after) - adjoint.Ad_inverse(before)) / (2 * FD_STEP)
    np.testing.assert_allclose(adjoint.Ad_inverse_dot(E, phi), rate, atol=10 * FD_ERROR)


@given(seeds)
@quick
def test_relative_rate_when_both_frames_move(seed):
    E_wi, E_wp, phi_i, phi_p = draw(seed, 2, 2)

    def Ad_ip(h: float) -> np.ndarray:
        return adjoint.Ad(pose.inverse(pose.integrate(E_wi, phi_i, h)) @ pose.integrate(E_wp, phi_p, h))

    rate = (Ad_ip(FD_STEP) - Ad_ip(-FD_STEP)) / (2 * FD_STEP)
    result = adjoint.Ad_relative_dot(pose.inverse(E_wi) @ E_wp, phi_i, phi_p)
    np.testing.assert_allclose(result, rate, atol=20 * FD_ERROR)  # products of two moving matrices

    # RM19 eq. 21 as printed.
    Ad_iw, Ad_wp = adjoint.Ad_inverse(E_wi), adjoint.Ad(E_wp)
    printed = -Ad_iw @ adjoint.Ad_dot(E_wi, phi_i) @ Ad_iw @ Ad_wp + Ad_iw @ adjoint.Ad_dot(E_wp, phi_p)
    np.testing.assert_allclose(result, printed, atol=50 * ROUND_OFF)


@given(seeds)
@quick
def test_material_jacobian_gives_the_velocity_of_a_point(seed):
    E, phi = draw(seed, 1, 1)
    x = np.random.default_rng(seed + 1).standard_normal((3, 3))
    after, before = pose.integrate(E, phi, FD_STEP), pose.integrate(E, phi, -FD_STEP)
    velocity = (pose.transform_points(after, x) - pose.transform_points(before, x)) / (2 * FD_STEP)
    np.testing.assert_allclose(apply(pose.rotation(E) @ adjoint.Gamma(x), phi), velocity, atol=FD_ERROR)


@given(seeds)
@quick
def test_transposed_material_jacobian_gives_the_wrench_of_a_point_force(seed):
    rng = np.random.default_rng(seed)
    x, force = rng.standard_normal((2, 4, 3))
    wrench = apply(np.swapaxes(adjoint.Gamma(x), -1, -2), force)
    at_point = np.concatenate([np.zeros((4, 3)), force], axis=-1)
    np.testing.assert_allclose(wrench, adjoint.transform_wrench(pose.make(np.eye(3), x), at_point), atol=ROUND_OFF)


def test_one_frame_serves_many_twists():
    rng = np.random.default_rng(6)
    E, phi = pose.random(rng), rng.standard_normal((5, 6))
    many = adjoint.transform_twist(E, phi)
    for k in range(5):
        np.testing.assert_allclose(many[k], adjoint.Ad(E) @ phi[k], atol=ROUND_OFF)
    assert adjoint.Ad_dot(E, phi).shape == (5, 6, 6)
    assert adjoint.Ad(np.zeros((0, 4, 4))).shape == (0, 6, 6)
