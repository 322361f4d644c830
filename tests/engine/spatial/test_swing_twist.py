# SPDX-License-Identifier: GPL-3.0-or-later
"""Swing and twist: what they mean, and the rooms of their limits by finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from redmax.spatial import so3
from redmax.spatial.swing_twist import CONE, SERIES, TWIST, arc_over_sine, cone_room, limit_motion

STEP = 1e-4
"""Of fourth-order differences: truncation 1e-15 of fifth derivatives of up to 1e4, rounding 1e-12."""
DIFFERENCED = 1e-8

WIDE = (1.9**-2.0, 1.1**-2.0, 1.9**-2.0)
BAND = (0.0, 0.9**-2.0, 0.9**-2.0)
LIMITS = [(CONE, WIDE), (CONE, BAND), (TWIST, (1.0, 1.0, 0.0)), (TWIST, (1.0, -1.0, 0.0))]
SWINGS = [0.0, 1e-9, 1e-4, 0.1, np.arccos(1.0 - SERIES) - 1e-3, np.arccos(1.0 - SERIES) + 1e-3, 1.3, 2.0, 2.5]


def turned(swing, psi):
    return so3.exp([*swing, 0.0]) @ so3.rot_z(psi)


def differenced(f):
    return (8.0 * (f(STEP) - f(-STEP)) - (f(2.0 * STEP) - f(-2.0 * STEP))) / (12.0 * STEP)


def situation(angle, seed=3):
    rng = np.random.default_rng(seed)
    direction = rng.standard_normal(2)
    swing = angle * direction / np.linalg.norm(direction)
    return turned(swing, rng.uniform(-2.0, 2.0)), rng.standard_normal(3)


def motion(limit, R, w):
    room, *g, drift = limit_motion(limit[0], tuple(R.ravel()), *w, *limit[1])
    return room, np.array(g), drift


@pytest.mark.parametrize("angle", SWINGS)
@pytest.mark.parametrize("limit", LIMITS)
def test_g_and_drift_are_derivatives_of_the_room(limit, angle):
    """Along a turn with a constant angular velocity, which g and drift must hold for in every direction."""
    R, w = situation(angle)
    for rate in (w, *np.eye(3)):
        _, g, drift = motion(limit, R, rate)
        assert g @ rate == pytest.approx(
            differenced(lambda s, v=rate: motion(limit, so3.exp(s * v) @ R, v)[0]), abs=DIFFERENCED
        )
        assert drift == pytest.approx(
            differenced(lambda s, v=rate: motion(limit, so3.exp(s * v) @ R, v)[1] @ v), abs=DIFFERENCED
        )


@pytest.mark.parametrize("psi", [-3.1, -0.4, 0.0, 2.0, 3.1])
@pytest.mark.parametrize("angle", SWINGS)
def test_a_twist_is_the_turn_before_the_swing(angle, psi):
    R = turned((0.6 * angle, -0.8 * angle), psi)
    room, _, _ = motion((TWIST, (0.0, 1.0, 0.0)), R, np.zeros(3))
    assert room == pytest.approx(psi, abs=1e-14)


@pytest.mark.parametrize("across", np.linspace(0.0, 2.0 * np.pi, 9))
def test_the_room_is_zero_on_the_ellipse_and_a_distance_near_it(across):
    """Half-angles 1.9 and 1.1, whatever the twist; in the plane of the swing, by first order."""
    border = np.array([1.9 * np.cos(across), 1.1 * np.sin(across)])
    normal = np.array([np.cos(across) / 1.9, np.sin(across) / 1.1])
    normal /= np.linalg.norm(normal)
    assert motion((CONE, WIDE), turned(border, 0.7), np.zeros(3))[0] == pytest.approx(0.0, abs=1e-14)
    inside = motion((CONE, WIDE), turned(border - 1e-5 * normal, -0.7), np.zeros(3))[0]
    assert inside == pytest.approx(1e-5, rel=1e-4)


def test_a_round_cone_is_measured_by_the_angle():
    """(a^2 - sigma^2) / 2 a, which has no corner at sigma = 0."""
    shape = (0.8**-2.0,) * 3
    for sigma in (0.0, 0.3, 0.8, 1.5):
        room = cone_room(0.6 * sigma, 0.8 * sigma, *shape)[0]
        assert room == pytest.approx((0.8**2 - sigma**2) / 1.6, abs=1e-15)


def test_series_and_closed_form_agree_where_they_meet():
    for below, above in ((1.0 - SERIES - 1e-13, 1.0 - SERIES + 1e-13),):
        one, other = (arc_over_sine(np.sqrt(1.0 - z * z), 0.0, z) for z in (below, above))
        np.testing.assert_allclose(one, other, rtol=1e-12)
