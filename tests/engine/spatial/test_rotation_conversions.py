# SPDX-License-Identifier: GPL-3.0-or-later
"""All pairs of the seven parametrisations, their inverses and products, at every angle."""

from __future__ import annotations

from functools import cache
from itertools import product

import mpmath as mp
import numpy as np
import pytest
import rotation_oracle as oracle
from hypothesis import given, settings
from rotation_oracle import ANGLES, ANGLES_BEYOND_PI, AXES, rotation_vectors

from redmax.errors import RedMaxError
from redmax.spatial import quaternion, rotation, so3
from redmax.spatial.rotation import Parametrisation

ACCURACY = 1e-13  # required of every conversion; two conversions measure about 1e-15
NAMES = [str(name) for name in Parametrisation]
# The identity is at gimbal lock of XZX, whose outer angles are then not small: no relative accuracy there (euler.py).
KEEP_SMALL_ANGLES = [name for name in NAMES if name != "euler_xzx"]

each = pytest.mark.parametrize("name", NAMES)
each_pair = pytest.mark.parametrize(("source", "target"), list(product(NAMES, NAMES)))
few = settings(max_examples=40, deadline=None)


def apart(x: np.ndarray, x_name: str, y: np.ndarray, y_name: str) -> np.ndarray:
    """The angle between two rotations [rad]."""
    q, p = rotation.to_quaternion(x, x_name), rotation.to_quaternion(y, y_name)
    return np.linalg.norm(quaternion.box_minus(q, p), axis=-1)


@cache
def exact_matrix(*v: float) -> np.ndarray:
    with mp.workdps(oracle.DIGITS):
        return oracle.numbers(oracle.exp(oracle.vector(v)))


@each
@pytest.mark.parametrize("angle", ANGLES + ANGLES_BEYOND_PI)
def test_every_parametrisation_means_its_matrix(name, angle):
    for axis in AXES:
        v = angle * axis
        x = rotation.convert(v, "rotation_vector", name)
        R_of_v = exact_matrix(*v)
        with mp.workdps(oracle.DIGITS):
            R_of_x = oracle.numbers(oracle.matrix_of(oracle.vector(x), name))
        np.testing.assert_allclose(R_of_x, R_of_v, atol=ACCURACY)
        np.testing.assert_allclose(rotation.convert(x, name, "matrix"), R_of_v, atol=ACCURACY)


@each_pair
def test_every_conversion_is_the_same_rotation(source, target):
    v = np.array(ANGLES + ANGLES_BEYOND_PI)[:, None, None] * np.array(AXES)
    x = rotation.convert(v, "rotation_vector", source)
    y = rotation.convert(x, source, target)
    assert apart(x, source, y, target).max() < ACCURACY
    back = rotation.convert(y, target, source)
    assert apart(x, source, back, source).max() < ACCURACY


@pytest.mark.parametrize(("source", "target"), list(product(KEEP_SMALL_ANGLES, KEEP_SMALL_ANGLES)))
@pytest.mark.parametrize("angle", [1e-3, 1e-7, 1e-12, 1e-30])
def test_conversions_keep_the_digits_of_small_angles(source, target, angle):
    v = angle * np.array(AXES)
    y = rotation.convert(rotation.convert(v, "rotation_vector", source), source, target)
    recovered = rotation.convert(y, target, "rotation_vector")
    np.testing.assert_allclose(recovered, v, rtol=0, atol=ACCURACY * angle)


@few
@given(rotation_vectors())
def test_conversions_of_random_rotations(v):
    for source, target in product(NAMES, NAMES):
        x = rotation.convert(v, "rotation_vector", source)
        assert apart(rotation.convert(x, source, target), target, v, "rotation_vector") < ACCURACY


@each
def test_results_are_canonical(name):
    R = so3.random(np.random.default_rng(1), (500,))
    x = rotation.convert(R, "matrix", name)
    if name == "quaternion":
        assert np.all(x[:, 0] >= 0.0)
    elif name == "angle_axis":
        assert np.all((x[:, 0] >= 0.0) & (x[:, 0] <= np.pi))
        np.testing.assert_allclose(np.linalg.norm(x[:, 1:], axis=-1), 1.0, rtol=1e-15)
    elif name == "rotation_vector":
        assert np.linalg.norm(x, axis=-1).max() <= np.pi
    # Converting a canonical rotation to itself changes nothing but round-off, far from the singular ones.
    keep = np.linalg.norm(so3.log(R), axis=-1) < 3.0
    if name.startswith("euler"):
        middle = np.sin(x[:, 1]) if name == "euler_xzx" else np.cos(x[:, 1])
        keep &= np.abs(middle) > 0.1
    np.testing.assert_allclose(rotation.convert(x, name, name)[keep], x[keep], atol=ACCURACY)


def test_zero_angle_has_the_x_axis():
    for name in NAMES:
        x = rotation.convert(np.zeros(3), "rotation_vector", name)
        np.testing.assert_array_equal(rotation.convert(x, name, "angle_axis"), [0.0, 1.0, 0.0, 0.0])


@each
@few
@given(v=rotation_vectors())
def test_passive_is_the_inverse_and_its_own_inverse(name, v):
    x = rotation.convert(v, "rotation_vector", name)
    inverted = rotation.passive(x, name)
    identity = rotation.concatenate(x, inverted, name)
    assert apart(identity, name, np.zeros(3), "rotation_vector") < ACCURACY
    assert apart(inverted, name, -v, "rotation_vector") < ACCURACY
    assert apart(rotation.passive(inverted, name), name, x, name) < ACCURACY


@each
def test_passive_maps_inertial_to_body_coordinates(name):
    # A quarter turn about z: the body x-axis is the inertial y-axis.
    x_IB = rotation.convert(np.array([0.0, 0.0, np.pi / 2]), "rotation_vector", name)
    np.testing.assert_allclose(rotation.rotate(x_IB, [1.0, 0.0, 0.0], name), [0.0, 1.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(
        rotation.rotate(rotation.passive(x_IB, name), [0.0, 1.0, 0.0], name), [1.0, 0.0, 0.0], atol=1e-15
    )


@each
@few
@given(u=rotation_vectors(), v=rotation_vectors())
def test_concatenation_is_the_matrix_product(name, u, v):
    x, y = (rotation.convert(a, "rotation_vector", name) for a in (u, v))
    R = so3.exp(u) @ so3.exp(v)
    assert apart(rotation.concatenate(x, y, name), name, R, "matrix") < ACCURACY


@each
def test_concatenation_is_associative(name):
    x, y, z = rotation.convert(so3.random(np.random.default_rng(2), (3, 50)), "matrix", name)
    left = rotation.concatenate(rotation.concatenate(x, y, name), z, name)
    right = rotation.concatenate(x, rotation.concatenate(y, z, name), name)
    assert apart(left, name, right, name).max() < ACCURACY


@each
def test_passive_concatenation_turns_the_order_around(name):
    # KINDR16 "Concatenation": (P2 P1) = (P1^-1 P2^-1)^-1.
    x, y = rotation.convert(so3.random(np.random.default_rng(3), (2, 50)), "matrix", name)
    passive = rotation.concatenate(rotation.passive(y, name), rotation.passive(x, name), name)
    assert apart(passive, name, rotation.passive(rotation.concatenate(x, y, name), name), name).max() < ACCURACY


@each_pair
def test_vectorised_equals_looped(source, target):
    v = 0.9 * np.array(ANGLES)[:, None, None] * np.array(AXES)
    x = rotation.convert(v, "rotation_vector", source)
    looped = np.array([[rotation.convert(one, source, target) for one in row] for row in x])
    assert apart(rotation.convert(x, source, target), target, looped, target).max() < 1e-14


def test_a_quaternion_of_any_length_is_the_same_rotation():
    q = quaternion.exp([0.3, 0.2, -0.5])
    np.testing.assert_allclose(rotation.convert(-5.0 * q, "quaternion", "matrix"), quaternion.to_matrix(q), atol=1e-15)


def test_mistakes_are_explained():
    with pytest.raises(RedMaxError, match="use one of matrix, quaternion"):
        rotation.convert(np.eye(3), "matrix", "rodrigues")
    with pytest.raises(RedMaxError, match=r"must be \(\.\.\., 3, 3\)"):
        rotation.convert(np.zeros(3), "matrix", "quaternion")
    with pytest.raises(RedMaxError, match=r"must be \(\.\.\., 4\)"):
        rotation.convert(np.zeros(3), "quaternion", "matrix")
    with pytest.raises(RedMaxError, match="no rotation"):
        rotation.convert(np.zeros(4), "quaternion", "matrix")
