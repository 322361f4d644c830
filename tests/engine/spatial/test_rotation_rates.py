# SPDX-License-Identifier: GPL-3.0-or-later
"""Rates of the seven parametrisations against the angular velocity of the matrix, differentiated in 50 digits."""

from __future__ import annotations

import numpy as np
import pytest
import rotation_oracle as oracle
from hypothesis import given, settings
from rotation_oracle import AXES, rotation_vectors

from redmax.errors import RedMaxError
from redmax.spatial import rates, rotation, so3
from redmax.spatial.rotation import Parametrisation
from redmax.spatial.singularity import SingularParametrisationError

ORACLE = 1e-13  # a few roundings of numbers up to |v|^2; the oracle has 30 digits
NAMES = [str(name) for name in Parametrisation]
# Of the rotation vector; about a general axis, so that no Euler set is near lock.
ANGLES = [1e-7, 1e-3, 0.7, 2.0, 2.9, np.pi - 1e-7]

each = pytest.mark.parametrize("name", NAMES)
each_frame = pytest.mark.parametrize("frame", ["body", "inertial"])
few = settings(max_examples=40, deadline=None)


def tangent(x: np.ndarray, name: str, rng: np.random.Generator) -> np.ndarray:
    """Random rates that keep the constraints of the parametrisation."""
    if name == "matrix":
        return x @ so3.hat(rng.standard_normal(3))
    xdot = rng.standard_normal(x.shape)
    if name == "quaternion":
        xdot -= x * np.dot(x, xdot) / np.dot(x, x)
    elif name == "angle_axis":
        xdot[1:] -= x[1:] * np.dot(x[1:], xdot[1:]) / np.dot(x[1:], x[1:])
    return xdot


@each
@each_frame
@pytest.mark.parametrize("angle", [0.0, *ANGLES, np.pi])
def test_rates_give_the_angular_velocity_of_the_matrix(name, frame, angle):
    rng = np.random.default_rng(1)
    x = rotation.convert(angle * AXES[4], "rotation_vector", name)
    xdot = tangent(x, name, rng)
    omega = oracle.angular_velocity(x, xdot, name, frame)
    np.testing.assert_allclose(rates.rates_to_angular_velocity(x, xdot, name, frame=frame), omega, atol=ORACLE)


@each_frame
@pytest.mark.parametrize("angle", [4.0, 5.5, 6.2])
def test_rotation_vector_rates_beyond_pi(frame, angle):
    v, vdot = angle * AXES[3], np.array([0.3, -0.8, 1.1])
    omega = oracle.angular_velocity(v, vdot, "rotation_vector", frame)
    np.testing.assert_allclose(
        rates.rates_to_angular_velocity(v, vdot, "rotation_vector", frame=frame), omega, atol=ORACLE
    )
    # The inverse is as long as 2 pi / (2 pi - angle), and as sensitive as that squared.
    np.testing.assert_allclose(
        rates.angular_velocity_to_rates(v, omega, "rotation_vector", frame=frame),
        vdot,
        atol=ORACLE / min(1.0, 2.0 * np.pi - angle) ** 2,
    )


@each
@each_frame
@pytest.mark.parametrize("angle", ANGLES)
def test_angular_velocity_gives_the_rates_back(name, frame, angle):
    x = rotation.convert(angle * AXES[4], "rotation_vector", name)
    omega = np.array([0.9, -0.2, 0.5])
    xdot = rates.angular_velocity_to_rates(x, omega, name, frame=frame)
    assert xdot.shape == x.shape
    # Rates as large as 1/angle where the axis (angle_axis) or the lock of XZX is that close.
    amplified = ORACLE * max(1.0, np.abs(xdot).max())
    np.testing.assert_allclose(rates.rates_to_angular_velocity(x, xdot, name, frame=frame), omega, atol=amplified)
    np.testing.assert_allclose(oracle.angular_velocity(x, xdot, name, frame), omega, atol=amplified)


@each
@few
@given(v=rotation_vectors(longest=3.0))
def test_the_two_frames_differ_by_the_rotation(name, v):
    x = rotation.convert(v, "rotation_vector", name)
    xdot = tangent(x, name, np.random.default_rng(2))
    inertial = rates.rates_to_angular_velocity(x, xdot, name, frame="inertial")
    body = rates.rates_to_angular_velocity(x, xdot, name, frame="body")
    np.testing.assert_allclose(inertial, so3.exp(v) @ body, atol=ORACLE)


@each_frame
def test_quaternion_rates_keep_the_length_and_axis_rates_too(frame):
    q = rotation.convert(0.8 * AXES[4], "rotation_vector", "quaternion")
    packed = rotation.convert(q, "quaternion", "angle_axis")
    omega = np.array([0.9, -0.2, 0.5])
    assert np.dot(q, rates.angular_velocity_to_rates(q, omega, "quaternion", frame=frame)) == pytest.approx(
        0, abs=1e-15
    )
    ndot = rates.angular_velocity_to_rates(packed, omega, "angle_axis", frame=frame)[1:]
    assert np.dot(packed[1:], ndot) == pytest.approx(0, abs=1e-15)


@each_frame
def test_angle_axis_at_zero_turns_about_its_axis_and_has_no_rates(frame):
    zero = np.array([0.0, 1.0, 0.0, 0.0])
    omega = rates.rates_to_angular_velocity(zero, [2.0, 0.0, 5.0, 0.0], "angle_axis", frame=frame)
    np.testing.assert_array_equal(omega, [2.0, 0.0, 0.0])
    for theta in (0.0, 2.0 * np.pi):
        with pytest.raises(SingularParametrisationError, match="angle-axis has no rates"):
            rates.angular_velocity_to_rates([theta, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0], "angle_axis", frame=frame)


@each_frame
@pytest.mark.parametrize("theta", [1e-12, 1e-30])
def test_angle_axis_keeps_its_digits_at_small_angles(frame, theta):
    omega = np.array([0.9, -0.2, 0.5])
    xdot = rates.angular_velocity_to_rates([theta, 1.0, 0.0, 0.0], omega, "angle_axis", frame=frame)
    # ndot = omega across the axis / theta, up to terms of relative size theta.
    np.testing.assert_allclose(xdot, [0.9, 0.0, -0.2 / theta, 0.5 / theta], rtol=max(1e-15, 3 * theta))


@each_frame
@pytest.mark.parametrize("name", ["euler_zyx", "euler_xyz", "euler_xzx"])
def test_euler_rates_at_lock_are_an_error(name, frame):
    locked = [0.3, np.pi if name == "euler_xzx" else np.pi / 2, 0.2]
    with pytest.raises(SingularParametrisationError, match="gimbal lock"):
        rates.angular_velocity_to_rates(locked, [0.0, 1.0, 0.0], name, frame=frame)


@each
@each_frame
def test_integration_is_exact_for_a_constant_angular_velocity(name, frame):
    rng = np.random.default_rng(3)
    R, omega, dt = so3.random(rng), rng.standard_normal(3), 0.3
    x = rotation.convert(R, "matrix", name)
    expected = so3.exp(omega * dt) @ R if frame == "inertial" else R @ so3.exp(omega * dt)
    result = rates.integrate(x, omega, dt, name, frame=frame)
    np.testing.assert_allclose(rotation.convert(result, name, "matrix"), expected, atol=ORACLE)
    halves = rates.integrate(rates.integrate(x, omega, dt / 2, name, frame=frame), omega, dt / 2, name, frame=frame)
    np.testing.assert_allclose(rotation.convert(halves, name, "matrix"), expected, atol=ORACLE)


def test_body_integration_is_the_box_plus_of_the_passive_rotation():
    # KINDR16 "Discrete integration" prints box-minus for this; box-plus it is.
    rng = np.random.default_rng(4)
    R_IB, omega, dt = so3.random(rng), rng.standard_normal(3), 0.3
    R_BI = so3.box_plus(R_IB.T, -omega * dt)
    np.testing.assert_allclose(rates.integrate(R_IB, omega, dt, "matrix", frame="body"), R_BI.T, atol=ORACLE)


@each
@each_frame
@few
@given(v=rotation_vectors(), turn=rotation_vectors(longest=3.1))
def test_differentiation_undoes_integration(name, frame, v, turn):
    dt = 0.25
    x0 = rotation.convert(v, "rotation_vector", name)
    x1 = rates.integrate(x0, turn / dt, dt, name, frame=frame)
    np.testing.assert_allclose(rates.differentiate(x0, x1, dt, name, frame=frame), turn / dt, atol=ORACLE / dt)


@each
@each_frame
def test_small_steps_of_the_rates_follow_the_angular_velocity(name, frame):
    # x(t + h) - x(t - h) over 2 h: ties the rates to `integrate`; error h^2 and eps / h, both below 1e-8.
    x = rotation.convert(1.1 * AXES[4], "rotation_vector", name)
    omega, h = np.array([0.9, -0.2, 0.5]), 1e-5
    ahead, behind = (rates.integrate(x, omega, t, name, frame=frame) for t in (h, -h))
    xdot = rates.angular_velocity_to_rates(x, omega, name, frame=frame)
    np.testing.assert_allclose((ahead - behind) / (2.0 * h), xdot, atol=1e-8)


@each
@each_frame
def test_vectorised_equals_looped(name, frame):
    rng = np.random.default_rng(5)
    x = rotation.convert(so3.random(rng, (3, 4)), "matrix", name)
    omega = rng.standard_normal((4, 3))
    xdot = rates.angular_velocity_to_rates(x, omega, name, frame=frame)
    looped = np.array(
        [
            [rates.angular_velocity_to_rates(a, w, name, frame=frame) for a, w in zip(row, omega, strict=True)]
            for row in x
        ]
    )
    np.testing.assert_allclose(xdot, looped, rtol=1e-13, atol=1e-14)
    back = rates.rates_to_angular_velocity(x, xdot, name, frame=frame)
    np.testing.assert_allclose(back, np.broadcast_to(omega, (3, 4, 3)), atol=ORACLE)


def test_unknown_frame_says_what_is_known():
    with pytest.raises(RedMaxError, match="'body' or 'inertial'"):
        rates.angular_velocity_to_rates(np.eye(3), np.zeros(3), "matrix", frame="world")
