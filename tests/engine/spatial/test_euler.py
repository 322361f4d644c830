# SPDX-License-Identifier: GPL-3.0-or-later
"""Euler angles: the printed matrices, extraction at every distance from gimbal lock, rates maps."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
import rotation_oracle as oracle
from hypothesis import given, settings
from hypothesis import strategies as st

from redmax.errors import RedMaxError
from redmax.spatial import euler, quaternion, so3
from redmax.spatial.singularity import SingularParametrisationError

ROUND_OFF = 1e-14  # three rotations built, taken apart and built again
SEQUENCES = list(get_args(euler.Sequence))
FRAMES = ["body", "inertial"]
LOCKS = {s: (0.0, np.pi) if s[0] == s[2] else (-np.pi / 2, np.pi / 2) for s in SEQUENCES}

each_sequence = pytest.mark.parametrize("sequence", SEQUENCES)
each_frame = pytest.mark.parametrize("frame", FRAMES)
few = settings(max_examples=100, deadline=None)
full_circle = st.floats(-np.pi, np.pi)


def assert_canonical(angles: np.ndarray, sequence: str) -> None:
    low, high = LOCKS[sequence]
    assert np.all((angles[..., 1] >= low) & (angles[..., 1] <= high))
    assert np.all(np.abs(angles[..., [0, 2]]) <= np.pi)


def test_zyx_is_the_product_of_the_elementary_rotations():
    z, y, x = 0.7, -0.4, 2.0
    R = so3.rot_z(z) @ so3.rot_y(y) @ so3.rot_x(x)
    np.testing.assert_allclose(euler.to_matrix([z, y, x], "zyx"), R, atol=1e-15)


def test_xyz_is_the_printed_matrix():
    # RBDN eq. 2.36
    c1, c2, c3 = np.cos([0.7, -0.4, 2.0])
    s1, s2, s3 = np.sin([0.7, -0.4, 2.0])
    R = [
        [c2 * c3, -c2 * s3, s2],
        [c1 * s3 + s1 * s2 * c3, c1 * c3 - s1 * s2 * s3, -s1 * c2],
        [s1 * s3 - c1 * s2 * c3, s1 * c3 + c1 * s2 * s3, c1 * c2],
    ]
    np.testing.assert_allclose(euler.to_matrix([0.7, -0.4, 2.0], "xyz"), R, atol=1e-15)


def test_xzx_is_the_printed_matrix():
    # RBDN eq. 2.31
    c1, c2, c3 = np.cos([0.7, 0.4, 2.0])
    s1, s2, s3 = np.sin([0.7, 0.4, 2.0])
    R = [
        [c2, -s2 * c3, s2 * s3],
        [c1 * s2, c1 * c2 * c3 - s1 * s3, -s1 * c3 - c1 * c2 * s3],
        [s1 * s2, c1 * s3 + s1 * c2 * c3, c1 * c3 - s1 * c2 * s3],
    ]
    np.testing.assert_allclose(euler.to_matrix([0.7, 0.4, 2.0], "xzx"), R, atol=1e-15)


@each_sequence
def test_quaternion_and_matrix_agree(sequence):
    angles = np.random.default_rng(1).uniform(-7.0, 7.0, (50, 3))
    R = euler.to_matrix(angles, sequence)
    np.testing.assert_allclose(quaternion.to_matrix(euler.to_quaternion(angles, sequence)), R, atol=ROUND_OFF)


@each_sequence
def test_angles_away_from_lock_come_back(sequence):
    rng = np.random.default_rng(2)
    low, high = LOCKS[sequence]
    angles = rng.uniform(-np.pi, np.pi, (2000, 3))
    angles[:, 1] = rng.uniform(low + 0.1, high - 0.1, 2000)
    # Round-off divided by the distance to lock.
    np.testing.assert_allclose(euler.from_matrix(euler.to_matrix(angles, sequence), sequence), angles, atol=1e-13)


@each_sequence
def test_angles_are_canonical_and_give_the_rotation_back(sequence):
    R = so3.random(np.random.default_rng(3), (5000,))
    angles = euler.from_matrix(R, sequence)
    assert_canonical(angles, sequence)
    np.testing.assert_allclose(euler.to_matrix(angles, sequence), R, atol=ROUND_OFF)


@each_sequence
@few
@given(first=full_circle, last=full_circle, distance=st.floats(-18.0, -1.0).map(lambda e: 10.0**e), data=st.data())
def test_rotation_comes_back_at_every_distance_from_lock(sequence, first, last, distance, data):
    middle = data.draw(st.sampled_from(LOCKS[sequence])) + data.draw(st.sampled_from([-1.0, 1.0])) * distance
    R = euler.to_matrix([first, middle, last], sequence)
    angles = euler.from_matrix(R, sequence)
    assert_canonical(angles, sequence)
    np.testing.assert_allclose(euler.to_matrix(angles, sequence), R, atol=ROUND_OFF)


@each_sequence
@pytest.mark.parametrize("end", [0, 1])
def test_at_lock_the_last_angle_is_zero(sequence, end):
    middle = LOCKS[sequence][end]
    for first, last in [(0.0, 0.0), (0.5, 0.3), (2.0, 3.0), (-3.0, 1.0), (np.pi, 1.0)]:
        R = euler.to_matrix([first, middle, last], sequence)
        angles = euler.from_matrix(R, sequence)
        assert angles[2] == 0.0
        assert angles[1] == pytest.approx(middle, abs=1e-15)
        np.testing.assert_allclose(euler.to_matrix(angles, sequence), R, atol=ROUND_OFF)


@each_sequence
def test_angles_follow_a_quaternion_whatever_its_sign_and_length(sequence):
    q = np.random.default_rng(4).standard_normal((100, 4))
    angles = euler.from_quaternion(q, sequence)
    np.testing.assert_allclose(euler.from_quaternion(-q, sequence), angles, atol=0)
    np.testing.assert_allclose(euler.from_quaternion(quaternion.normalize(q), sequence), angles, atol=1e-13)


@pytest.mark.parametrize("sequence", ["zyx", "xyz"])
@pytest.mark.parametrize("size", [1e-3, 1e-7, 1e-12, 1e-200])
def test_small_angles_keep_their_digits(sequence, size):
    angles = size * np.array([0.3, -0.7, 0.5])
    through_quaternion = euler.from_quaternion(euler.to_quaternion(angles, sequence), sequence)
    np.testing.assert_allclose(through_quaternion, angles, rtol=1e-14, atol=0)
    if size > 1e-100:
        np.testing.assert_allclose(
            euler.from_matrix(euler.to_matrix(angles, sequence), sequence), angles, rtol=0, atol=1e-14 * size
        )


def test_a_tiny_turn_about_z_or_y_is_no_lock_of_xzx():
    about_z = euler.from_quaternion(quaternion.exp([0.0, 0.0, 1e-20]), "xzx")
    np.testing.assert_allclose(about_z, [0.0, 1e-20, 0.0], rtol=1e-15)
    # y is where Rx(-pi/2) takes the axis z.
    about_y = euler.from_quaternion(quaternion.exp([0.0, 1e-20, 0.0]), "xzx")
    np.testing.assert_allclose(about_y, [-np.pi / 2, 1e-20, np.pi / 2], rtol=1e-15)


def test_round_off_about_z_is_lock_of_xzx():
    angles = euler.from_quaternion(quaternion.exp([1.0, 1e-17, -1e-17]), "xzx")
    assert angles[2] == 0.0
    np.testing.assert_allclose(angles, [1.0, 0.0, 0.0], atol=1e-15)


@each_sequence
@each_frame
def test_rates_map_is_the_derivative_of_the_rotation(sequence, frame):
    rng = np.random.default_rng(5)
    for angles in [*rng.uniform(-3.0, 3.0, (4, 3)), np.zeros(3), np.array([0.4, LOCKS[sequence][1], 0.2])]:
        rates = rng.standard_normal(3)
        omega = oracle.angular_velocity(angles, rates, f"euler_{sequence}", frame)
        # The oracle has 30 digits, the map a few roundings.
        np.testing.assert_allclose(euler.rates_map(angles, sequence, frame=frame) @ rates, omega, atol=ROUND_OFF)


def test_zyx_rates_maps_are_the_printed_tables():
    # KINDR16 appendix I eq. 5 and 6, and the body-frame tables of "Time Derivative of Euler Angles ZYX".
    angles = np.array([0.7, -0.4, 2.0])
    (sz, sy, sx), (cz, cy, cx) = np.sin(angles), np.cos(angles)
    E_I = [[0, -sz, cy * cz], [0, cz, cy * sz], [1, 0, -sy]]
    E_B = [[-sy, 0, 1], [cy * sx, cx, 0], [cx * cy, -sx, 0]]
    E_I_inverse = [[cz * sy / cy, sy * sz / cy, 1], [-sz, cz, 0], [cz / cy, sz / cy, 0]]
    E_B_inverse = [[0, sx / cy, cx / cy], [0, cx, -sx], [1, sx * sy / cy, cx * sy / cy]]
    np.testing.assert_allclose(euler.rates_map(angles, "zyx", frame="inertial"), E_I, atol=1e-15)
    np.testing.assert_allclose(euler.rates_map(angles, "zyx", frame="body"), E_B, atol=1e-15)
    np.testing.assert_allclose(euler.rates_map_inverse(angles, "zyx", frame="inertial"), E_I_inverse, atol=1e-15)
    np.testing.assert_allclose(euler.rates_map_inverse(angles, "zyx", frame="body"), E_B_inverse, atol=1e-15)


@each_sequence
@each_frame
@pytest.mark.parametrize("distance", [1e-1, 1e-6, 1e-12])
def test_inverse_rates_map_inverts(sequence, frame, distance):
    for lock, towards in zip(LOCKS[sequence], (1.0, -1.0), strict=True):
        angles = np.array([0.3, lock + towards * distance, -1.9])
        E = euler.rates_map(angles, sequence, frame=frame)
        E_inverse = euler.rates_map_inverse(angles, sequence, frame=frame)
        # Entries are as large as 1/distance.
        np.testing.assert_allclose(E_inverse @ E, np.eye(3), atol=1e-15 / distance)
        np.testing.assert_allclose(E @ E_inverse, np.eye(3), atol=1e-15 / distance)


@each_sequence
@each_frame
def test_determinant_vanishes_only_at_lock(sequence, frame):
    angles = np.random.default_rng(6).uniform(-3.0, 3.0, (20, 3))
    sign = 1.0 if sequence in ("xyz", "yzx", "zxy") else -1.0
    function = np.sin if sequence[0] == sequence[2] else np.cos
    determinant = np.linalg.det(euler.rates_map(angles, sequence, frame=frame))
    np.testing.assert_allclose(determinant, sign * function(angles[:, 1]), atol=1e-15)


@each_sequence
@each_frame
@pytest.mark.parametrize("end", [0, 1])
def test_inverse_rates_map_at_lock_is_an_error(sequence, frame, end):
    angles = [0.3, LOCKS[sequence][end], -1.9]
    with pytest.raises(SingularParametrisationError, match=f"{sequence} are in gimbal lock"):
        euler.rates_map_inverse(angles, sequence, frame=frame)
    # One locked rotation among many is enough.
    with pytest.raises(SingularParametrisationError):
        euler.rates_map_inverse([[0.3, 0.5, -1.9], angles], sequence, frame=frame)


def test_unknown_sequence_and_frame_say_what_is_known():
    with pytest.raises(RedMaxError, match="zyx, xyz, xzx"):
        euler.to_matrix(np.zeros(3), "xxy")
    with pytest.raises(RedMaxError, match="'body' or 'inertial'"):
        euler.rates_map(np.zeros(3), "zyx", frame="world")


@each_sequence
def test_vectorised_equals_looped(sequence):
    angles = np.random.default_rng(7).uniform(-3.0, 3.0, (4, 5, 3))
    angles[0, 0, 1] = LOCKS[sequence][1]
    functions = [
        lambda a: euler.to_matrix(a, sequence),
        lambda a: euler.to_quaternion(a, sequence),
        lambda a: euler.from_matrix(euler.to_matrix(a, sequence), sequence),
        lambda a: euler.rates_map(a, sequence, frame="body"),
        lambda a: euler.rates_map(a, sequence, frame="inertial"),
        lambda a: euler.rates_map_inverse(a + 0.01, sequence, frame="body"),
    ]
    for f in functions:
        looped = np.array([[f(one) for one in row] for row in angles])
        np.testing.assert_allclose(f(angles), looped, rtol=1e-13, atol=1e-14)
