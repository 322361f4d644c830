# SPDX-License-Identifier: GPL-3.0-or-later
"""Screw joints in closed form."""

from __future__ import annotations

import numpy as np

from redmax.joints import Composite, Prismatic, Revolute, Screw
from redmax.spatial import pose

AXIS = np.array([1.0, -2.0, 0.5])
ONE = np.ones(1)


def test_one_turn_advances_by_the_pitch_and_comes_back_to_the_same_orientation():
    Q = Screw.part(axis=AXIS, pitch=0.25).motion(np.array([2.0 * np.pi]), ONE).Q
    expected = pose.make(np.eye(3), 0.25 * AXIS / np.linalg.norm(AXIS))
    np.testing.assert_allclose(Q, expected, atol=1e-15)  # sin(2 pi) is 2e-16


def test_it_is_the_exponential_of_its_twist():
    Q, S, Sdot = Screw.part(axis=AXIS, pitch=-0.4).motion(np.array([1.3]), ONE)
    np.testing.assert_allclose(Q, pose.exp(1.3 * S[:, 0]), atol=1e-15)
    np.testing.assert_array_equal(Sdot, 0.0)


def test_it_is_a_hinge_and_a_slider_moving_together():
    q, turn_to_distance = 0.9, 0.3 / (2.0 * np.pi)
    screw = Screw.part(axis=AXIS, pitch=0.3).motion(np.array([q]), ONE)
    both = Composite.part(parts=(Revolute.part(axis=AXIS), Prismatic.part(axis=AXIS))).motion(
        np.array([q, turn_to_distance * q]), np.array([1.0, turn_to_distance])
    )
    np.testing.assert_allclose(screw.Q, both.Q, atol=1e-15)
    np.testing.assert_allclose(screw.S[:, 0], both.S @ [1.0, turn_to_distance], atol=1e-15)


def test_without_pitch_it_is_a_hinge():
    q = np.array([0.9])
    for a, b in zip(
        Screw.part(axis=AXIS, pitch=0.0).motion(q, ONE), Revolute.part(axis=AXIS).motion(q, ONE), strict=True
    ):
        np.testing.assert_array_equal(a, b)
