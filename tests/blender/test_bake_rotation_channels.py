# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotation channels follow any motion: same rotation, no flips, exact rates, in every rotation mode of Blender."""

from __future__ import annotations

import functools
from types import SimpleNamespace

import numpy as np
import pytest

from redmax.spatial import euler, quaternion, so3
from redmax_blender.bridge.core import euler_channels, rotation_channels
from redmax_blender.bridge.objects import frames

EULER = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
MODES = ("QUATERNION", "AXIS_ANGLE", *EULER)


class Motion:
    """R(t) = exp(a p(t)) exp(b q(t)) exp(c r(t)) with polynomials p, q, r: any motion with known angular velocity."""

    def __init__(self, axes, angles, R0=None):
        self.axes = [np.array(axis, float) / np.linalg.norm(axis) for axis in axes]
        self.angles = [np.polynomial.Polynomial(coefficients) for coefficients in angles]
        self.R0 = np.eye(3) if R0 is None else R0

    def sample(self, t):
        """q (1, f, 4) and omega (1, f, 3) in the turning frame [rad per unit of t]."""
        R, omega = np.broadcast_to(self.R0, (len(t), 3, 3)), np.zeros((len(t), 3))
        for axis, angle in zip(self.axes, self.angles, strict=True):
            turn = so3.exp(angle(t)[:, None] * axis)
            omega = (np.swapaxes(turn, 1, 2) @ omega[..., None])[..., 0] + angle.deriv()(t)[:, None] * axis
            R = R @ turn
        return quaternion.from_matrix(R)[None], omega[None]


def tumbling(seed=1, speed=1.0):
    rng = np.random.default_rng(seed)
    return Motion(rng.standard_normal((3, 3)), speed * rng.uniform(-1.0, 1.0, (3, 4)), so3.random(rng))


def rest_of(mode, R):
    """Channel values, as Blender would hold them, of a rotation."""
    if mode == "QUATERNION":
        return quaternion.from_matrix(R)
    if mode == "AXIS_ANGLE":
        v = so3.log(R)
        angle = np.linalg.norm(v)
        return np.array([angle, *(v / angle if angle else (0.0, 1.0, 0.0))])
    places = list(euler.axes(mode[::-1].lower()))
    angles = np.empty(3)
    angles[places] = euler.from_matrix(R, mode[::-1].lower())
    return angles


def rotations(mode, values):
    name = rotation_channels.path(mode)
    return np.array([frames.rotation_matrix(mode, SimpleNamespace(**{name: row})) for row in values])


def channels(mode, motion, t, rest=None):
    """values and rates per unit of t, (f, k)."""
    rest = None if rest is None else np.array([rest], float)
    values, rates = channels_of_all(mode, [motion.sample(t)], t[1] - t[0], rest)
    return values[0], rates[0]


def channels_of_all(mode, samples, step, rest=None):
    """values and rates per unit of t of several motions followed at once, (n, f, k)."""
    q, omega = (np.concatenate(part) for part in zip(*samples, strict=True))
    rest = np.array([rest_of(mode, R) for R in quaternion.to_matrix(q[:, 0])]) if rest is None else rest
    values, rates, _ = rotation_channels.channels(mode, q, omega * step, rest)
    return values, rates / step


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", range(5))
def test_channels_give_the_rotation(mode, seed):
    t = np.linspace(0.0, 3.0, 301)
    motion = tumbling(seed)
    values, _ = channels(mode, motion, t)
    expected = quaternion.to_matrix(motion.sample(t)[0][0])
    assert np.abs(rotations(mode, values) - expected).max() < 2.0 * rotation_channels.LOCKED


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", range(5))
def test_rates_are_the_derivatives_of_the_values(mode, seed):
    step = 1e-5
    motion = tumbling(seed)
    around = [motion.sample(t0 + step * np.arange(-1, 2)) for t0 in np.linspace(0.0, 3.0, 61)]
    values, rates = channels_of_all(mode, around, step)
    slope = (values[:, 2] - values[:, 0]) / (2.0 * step)
    # Central differences: round-off 1e-16 / step and the third derivative times step^2, which grows near lock.
    assert np.all(np.abs(rates[:, 1] - slope).max(axis=1) < 1e-6 * (1.0 + np.abs(slope).max(axis=1) ** 3))


@functools.cache
def fast_tumblers(count, speed, frames):
    """Samples of several motions over 3 units of time, the same for every rotation mode."""
    return [tumbling(seed, speed).sample(np.linspace(0.0, 3.0, frames)) for seed in range(count)]


@pytest.mark.parametrize("mode", MODES)
def test_values_never_jump(mode):
    """Over many turns no value moves further in a frame than its rates allow; a flip would be half a turn at least."""
    step = 3.0 / 20_000
    values, rates = channels_of_all(mode, fast_tumblers(5, 4.0, 20_001), step)
    reach = step * np.maximum(np.abs(rates[:, 1:]), np.abs(rates[:, :-1]))
    steps = np.abs(np.diff(values, axis=1))
    # Some seeds pass close to a singularity, where angles do swing within a few frames.
    resolved = reach.max(axis=-1) < 0.1
    assert resolved.mean(axis=1).min() > 0.99
    assert np.all(steps[resolved] < 1.5 * reach[resolved] + 1e-3)
    assert steps.max() < 2.0


@pytest.mark.parametrize("order", EULER)
def test_each_axis_counts_whole_turns(order):
    t = np.linspace(0.0, 10.0, 241)
    for axis in range(3):
        motion = Motion([np.eye(3)[axis]], [[0.3, 4.0]])
        values, rates = channels(order, motion, t, rest=0.3 * np.eye(3)[axis])
        expected = np.outer(0.3 + 4.0 * t, np.eye(3)[axis])
        np.testing.assert_allclose(values, expected, atol=2e-6)
        np.testing.assert_allclose(rates, np.broadcast_to(4.0 * np.eye(3)[axis], rates.shape), atol=1e-5)


@pytest.mark.parametrize("axis", range(3))
def test_axis_angle_counts_whole_turns_and_passes_through_zero(axis):
    t = np.linspace(-10.0, 10.0, 481)
    n = np.eye(3)[axis]
    values, rates = channels("AXIS_ANGLE", Motion([n], [[0.0, 4.0]]), t, rest=[-40.0, *n])
    np.testing.assert_allclose(values[:, 0], 4.0 * t, atol=1e-9)
    np.testing.assert_allclose(values[:, 1:], np.broadcast_to(n, (len(t), 3)), atol=1e-9)
    np.testing.assert_allclose(rates, np.broadcast_to([4.0, 0.0, 0.0, 0.0], rates.shape), atol=1e-5)


@pytest.mark.parametrize("mode", ["AXIS_ANGLE", *EULER])
@pytest.mark.parametrize("turns_per_frame", [0.7, -1.3, 2.5])
def test_a_spin_of_more_than_half_a_turn_per_frame_is_counted(mode, turns_per_frame):
    t = np.arange(20.0)
    motion = Motion([(0.0, 0.0, 1.0)], [[0.1, 2.0 * np.pi * turns_per_frame]])
    values, _ = channels(mode, motion, t, rest=[0.1, 0.0, 0.0, 1.0] if mode == "AXIS_ANGLE" else [0.0, 0.0, 0.1])
    angle = values[:, 0] if mode == "AXIS_ANGLE" else values[:, 2]
    np.testing.assert_allclose(angle, 0.1 + 2.0 * np.pi * turns_per_frame * t, atol=1e-9)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_quaternion_goes_on_from_the_artists_side(sign):
    rest = sign * quaternion.exp([0.2, 0.1, 0.0])
    values, _ = channels("QUATERNION", Motion([(0.2, 0.1, 0.0)], [[np.hypot(0.2, 0.1), 1.0]]), np.arange(5.0), rest)
    np.testing.assert_allclose(values[0], rest, atol=1e-12)


@pytest.mark.parametrize("order", EULER)
def test_euler_angles_go_on_from_the_artists_turns(order):
    R = so3.random(np.random.default_rng(3))
    angles = rest_of(order, R)
    second = angles.copy()
    places = list(euler.axes(order[::-1].lower()))
    second[places] = angles[places] * [1.0, -1.0, 1.0] + np.pi
    for rest in (angles, second, second + 2.0 * np.pi * np.array([3.0, -1.0, 2.0])):
        values, _ = channels(order, Motion([(1.0, 0.0, 0.0)], [[0.0, 0.01]], R), np.arange(3.0), rest)
        np.testing.assert_allclose(values[0], rest, atol=1e-9)


@pytest.mark.parametrize("order", EULER)
@pytest.mark.parametrize("offset", [0.0, 1e-9, 1e-7, 1e-5, 1e-3])
def test_near_gimbal_lock_no_curve_swings_out(order, offset):
    """Passing gimbal lock at any distance: the cubic through values and rates stays near the keys beside it."""
    i, j, k = euler.axes(order[::-1].lower())
    lead_in = so3.exp(0.4 * np.eye(3)[i]) @ so3.exp((np.pi / 2 - 1.0) * np.eye(3)[j])
    motion = Motion([np.eye(3)[k], np.eye(3)[j]], [[offset], [0.0, 0.1]], lead_in)
    t = np.arange(21.0)
    values, rates = channels(order, motion, t)
    np.testing.assert_allclose(
        rotations(order, values), quaternion.to_matrix(motion.sample(t)[0][0]), atol=2.0 * rotation_channels.LOCKED
    )
    for s in np.linspace(0.0, 1.0, 11):
        hermite = (
            (1 + 2 * s) * (1 - s) ** 2 * values[:-1]
            + s * (1 - s) ** 2 * rates[:-1]
            + s**2 * (3 - 2 * s) * values[1:]
            - s**2 * (1 - s) * rates[1:]
        )
        low, high = np.minimum(values[:-1], values[1:]), np.maximum(values[:-1], values[1:])
        room = 0.6 * np.abs(np.diff(values, axis=0)).max(axis=0) + 0.05
        assert np.all(hermite > low - room)
        assert np.all(hermite < high + room)


@pytest.mark.parametrize("order", EULER)
def test_a_body_that_stays_in_gimbal_lock_has_exact_rates(order):
    """At rest a quarter turn about the middle axis, spinning about the first one: one free number, held."""
    i, j, _ = euler.axes(order[::-1].lower())
    R0 = so3.exp(np.pi / 2 * np.eye(3)[j])
    outer = R0.T @ np.eye(3)[i]
    motion = Motion([outer], [[0.0, 0.0, 0.05]], R0)
    t = np.arange(30.0)
    rest = np.pi / 2 * np.eye(3)[j]
    values, rates = channels(order, motion, t, rest)
    np.testing.assert_allclose(rotations(order, values), quaternion.to_matrix(motion.sample(t)[0][0]), atol=2e-6)
    np.testing.assert_allclose(values[0], rest, atol=1e-7)
    np.testing.assert_allclose(rates[1:-1], (values[2:] - values[:-2]) / 2.0, atol=1e-6)


@pytest.mark.parametrize("mode", MODES)
def test_a_body_at_rest_keeps_the_artists_values(mode):
    """Also where they are not unique: at gimbal lock, and the axis of no rotation."""
    rests = {
        "QUATERNION": [(-0.5, 0.5, 0.5, -0.5)],
        "AXIS_ANGLE": [(0.0, 0.0, 0.6, 0.8), (4.0 * np.pi, 1.0, 0.0, 0.0), (1.0, 0.6, 0.0, 0.8)],
    }.get(mode, [(0.3, np.pi / 2, -0.7), (np.pi / 2, 0.5, 7.0), (0.1, 0.2, np.pi / 2)])
    for rest in rests:
        R = rotations(mode, [rest])[0]
        values, rates = channels(mode, Motion([(0.0, 0.0, 1.0)], [[0.0]], R), np.arange(4.0), rest)
        np.testing.assert_allclose(values, np.broadcast_to(rest, values.shape), atol=1e-6)
        np.testing.assert_allclose(rates, 0.0, atol=1e-9)


def test_several_rotations_are_followed_independently():
    t = np.linspace(0.0, 3.0, 50)
    samples = [tumbling(seed).sample(t) for seed in range(4)]
    q, omega = (np.concatenate(part) for part in zip(*samples, strict=True))
    rest = np.array([rest_of("ZXY", quaternion.to_matrix(q[row, 0])) for row in range(4)])
    together = rotation_channels.channels("ZXY", q, omega, rest)
    for row in range(4):
        alone = rotation_channels.channels("ZXY", q[row : row + 1], omega[row : row + 1], rest[row : row + 1])
        np.testing.assert_array_equal(together[0][row], alone[0][0])
        np.testing.assert_array_equal(together[1][row], alone[1][0])


@pytest.mark.parametrize("order", EULER)
def test_all_frames_at_once_are_the_frames_one_by_one(order):
    """Fast and slow motions, from either set of angles and any turn, with rates that are wild at times."""
    samples = [*fast_tumblers(12, 4.0, 301), *fast_tumblers(12, 0.5, 301)]
    q, omega = (np.concatenate(part) for part in zip(*samples, strict=True))
    sequence = order[::-1].lower()
    canonical = euler.from_quaternion(q, sequence)
    places = list(euler.axes(sequence))
    free = np.zeros(q.shape[:2], bool)
    rng = np.random.default_rng(6)
    wild = rng.random(q.shape[:2]) < 0.1
    rest = canonical[:, 0] + 2.0 * np.pi * rng.integers(-2, 3, (len(q), 3))
    rest[::2] = rest[::2] * [1.0, -1.0, 1.0] + np.pi
    rates = euler_channels._euler_rates(canonical, omega * 3.0 / 300, places, free)
    given = (canonical, rates, rest, free, wild, euler_channels._parity(places))
    at_once, flipped = euler_channels._follow_free(*given)
    one_by_one, also_flipped = euler_channels._follow_through_lock(*given)
    assert flipped[:, 1:].any()
    assert (flipped[:, 1:] != flipped[:, :-1]).any()
    np.testing.assert_array_equal(flipped, also_flipped)
    np.testing.assert_array_equal(at_once, one_by_one)


@pytest.mark.parametrize("order", EULER)
def test_rates_by_hand_are_those_of_the_engine(order):
    sequence = order[::-1].lower()
    rng = np.random.default_rng(7)
    angles, omega = rng.uniform(-1.4, 1.4, (5, 9, 3)), rng.normal(size=(5, 9, 3))
    ours = euler_channels._euler_rates(angles, omega, list(euler.axes(sequence)), np.zeros((5, 9), bool))
    theirs = (euler.rates_map_inverse(angles, sequence, frame="body") @ omega[..., None])[..., 0]
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-13 * np.abs(theirs).max())
