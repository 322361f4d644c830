# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotation channels that follow a moving rotation without flips, and their exact rates; plain arrays, no Blender.

All functions take n rotations over f frames: q (n, f, 4) unit quaternions (w, x, y, z), omega (n, f, 3) [rad/frame] in
the turning frame, rest (n, k) the channel values to go on from. They give values and rates per frame, (n, f, k), and
where the frames do not resolve the channels, (n, f).

Three Euler angles, and an axis with an angle, are singular somewhere: gimbal lock, and the rotation by nothing, where
no axis is better than another. There the free number is taken from the frames around, and in the neighbourhood, where
the exact rates outrun the frames, so are the rates, so that no curve swings out between keys.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from .._engine import arrays, euler, quaternion, trajectory

Array = arrays.Array

QUATERNION, AXIS_ANGLE = "QUATERNION", "AXIS_ANGLE"
PATHS = {QUATERNION: "rotation_quaternion", AXIS_ANGLE: "rotation_axis_angle"}
"""Channels of the modes that are not Euler orders."""

LOCKED = 1e-6
"""Distance from a singularity [rad] up to which a number counts as free; that may turn the result by half of it."""

NEAR_LOCK = 0.2
"""Distance from a singularity [rad] up to which rates are compared with the neighbouring values."""

OUTRUN = 0.25
"""Part of the larger of rates and steps by which the steps may differ from what the rates say."""

FAST = 1.0
"""Turn per frame [rad] above which a quaternion's chords no longer resemble its arc."""

WILD = 2.0
"""Rate of an angle [rad/frame] above which, near a singularity, it no longer tells where the angle will be."""

TURN = 2.0 * np.pi

Channels: TypeAlias = tuple[Array, Array, arrays.BoolArray]
"""Values (n, f, k), rates per frame (n, f, k), and where these had to be taken from the values (n, f)."""


def path(mode: str) -> str:
    """Data path of the channels that a rotation mode uses."""
    return PATHS.get(mode, "rotation_euler")


def channels(mode: str, q: Array, omega: Array, rest: Array) -> Channels:
    """Values and rates per frame of the channels of a rotation mode."""
    if mode == QUATERNION:
        return quaternion_channels(q, omega, rest)
    if mode == AXIS_ANGLE:
        return axis_angle_channels(q, omega, rest)
    return euler_channels(q, omega, rest, mode)


def quaternion_channels(q: Array, omega: Array, rest: Array) -> Channels:
    """(w, x, y, z), on the side of `rest` first and then always on that of the frame before."""
    signs = np.where((q[:, 0] * rest).sum(axis=-1) < 0.0, -1.0, 1.0)
    q = trajectory.continuous_quaternions(np.swapaxes(q * signs[:, None, None], 0, 1)).swapaxes(0, 1)
    turning = np.concatenate([np.zeros((*omega.shape[:-1], 1)), omega], axis=-1)
    rates = 0.5 * quaternion.multiply(q, turning)
    fast = np.linalg.norm(omega, axis=-1) > FAST
    return q, *bounded(rates, q, fast)


def axis_angle_channels(q: Array, omega: Array, rest: Array) -> Channels:
    """(angle, axis), the axis never turned round and the angle counting whole turns."""
    n, f, _ = q.shape
    sine = np.linalg.norm(q[..., 1:], axis=-1)
    free = sine <= LOCKED
    direction = q[..., 1:] / np.where(free, 1.0, sine)[..., None]
    # Through the rotation by nothing the axis is that of the angular velocity; standing there, that of what follows.
    spin = np.linalg.norm(omega, axis=-1, keepdims=True)
    direction = np.where(free[..., None], _next(direction, ~free), direction)
    direction = np.where(free[..., None] & (spin > LOCKED), omega / np.maximum(spin, LOCKED), direction)
    lasting = free & ~direction.any(axis=-1)
    length = np.linalg.norm(rest[:, 1:], axis=-1, keepdims=True)
    axis = np.where(length > 0.0, rest[:, 1:] / np.where(length > 0.0, length, 1.0), np.array([0.0, 1.0, 0.0]))
    angle, speed = rest[:, 0], np.zeros(n)
    values = np.empty((n, f, 4))
    for k in range(f):
        turned_round = np.where((direction[:, k] * axis).sum(axis=-1) < 0.0, -1.0, 1.0)
        axis = np.where(lasting[:, k, None], axis, direction[:, k] * turned_round[:, None])
        half_sine = (q[:, k, 1:] * axis).sum(axis=-1)
        next_speed = (omega[:, k] * axis).sum(axis=-1)
        expected = angle + (0.5 * (speed + next_speed) if k else 0.0)
        angle = nearest_turn(2.0 * np.arctan2(half_sine, q[:, k, 0]), expected)
        speed = next_speed
        values[:, k, 0], values[:, k, 1:] = angle, axis
    axes = values[..., 1:]
    across = np.cross(axes, omega)
    half = 0.5 * values[..., :1]
    cotangent = np.cos(half) / np.where(free[..., None], 1.0, np.sin(half))
    axis_rates = 0.5 * (across - cotangent * np.cross(axes, across))
    # Where axis and angular velocity are parallel, the axis turns half as fast as the angular velocity does.
    turning = slopes(omega / np.maximum(spin, LOCKED)) * np.sign((axes * omega).sum(axis=-1, keepdims=True))
    axis_rates = np.where(free[..., None], np.where(spin > LOCKED, 0.5 * turning, slopes(axes)), axis_rates)
    rates = np.concatenate([(axes * omega).sum(axis=-1, keepdims=True), axis_rates], axis=-1)
    return values, *bounded(rates, values, sine < NEAR_LOCK)


def euler_channels(q: Array, omega: Array, rest: Array, order: str) -> Channels:
    """Angles (x, y, z) in any of Blender's orders ('XYZ' turns about x first), counting whole turns."""
    sequence: Any = order[::-1].lower()
    places = list(euler.axes(sequence))
    canonical = euler.from_quaternion(q, sequence)
    distance = np.abs(np.cos(canonical[..., 1]))
    locked, near = distance <= LOCKED, distance < NEAR_LOCK
    canonical_rates = _euler_rates(canonical, omega, sequence, locked)
    wild = locked | (near & (np.abs(canonical_rates) > WILD).any(axis=-1))
    angles, flipped = _follow(canonical, canonical_rates, rest[:, places], locked, wild, _parity(places))
    rates = canonical_rates * np.where(flipped[..., None], np.array([1.0, -1.0, 1.0]), 1.0)
    if locked.any():
        rates[locked] = _rates_at_lock(angles[locked], omega[locked], sequence)
    rates, unresolved = bounded(rates, angles, near)
    values_xyz, rates_xyz = np.empty_like(angles), np.empty_like(rates)
    values_xyz[..., places], rates_xyz[..., places] = angles, rates
    return values_xyz, rates_xyz, unresolved


def _follow(canonical: Array, rates: Array, rest: Array, locked: Any, wild: Any, parity: float) -> tuple[Array, Any]:
    """Angles nearest to where those of the frame before lead, and where they are the second solution.

    A rotation has two sets of angles, (a, b, c) and (a + pi, pi - b, c + pi), each with any number of whole turns.
    Rates lead from frame to frame, except where they are wild.
    """
    n, f, _ = canonical.shape
    angles, flipped = np.empty_like(canonical), np.zeros((n, f), bool)
    second = canonical * np.array([1.0, -1.0, 1.0]) + np.pi
    second_rates = rates * np.array([1.0, -1.0, 1.0])
    following = _next(canonical, ~locked)
    now, speed = rest, np.zeros((n, 3))
    for k in range(f):
        trusted = ~(wild[:, k] | wild[:, k - 1])[:, None] if k else np.zeros((n, 1), bool)
        candidates, gaps = [], []
        for solution, its_rates in ((canonical[:, k], rates[:, k]), (second[:, k], second_rates[:, k])):
            expected = now + np.where(trusted, 0.5 * (speed + its_rates), 0.0)
            candidates.append(nearest_turn(solution, expected))
            gaps.append(((candidates[-1] - expected) ** 2).sum(axis=-1))
        flip = gaps[1] < gaps[0]
        found = np.where(flip[:, None], candidates[1], candidates[0])
        if locked[:, k].any():
            held = _held_at_lock(canonical[:, k], now, following[:, k], parity)
            found = np.where(locked[:, k, None], held, found)
        speed = np.where(flip[:, None], second_rates[:, k], rates[:, k])
        now = angles[:, k] = found
        flipped[:, k] = flip
    return angles, flipped


def _parity(places: list[int]) -> float:
    """+1 for axes in cyclic order, -1 otherwise: e_i x e_j = parity e_k."""
    return 1.0 if (places[1] - places[0]) % 3 == 1 else -1.0


def _held_at_lock(canonical: Array, before: Array, following: Array, parity: float) -> Array:
    """At lock only a + s c counts, s = +-parity; a - s c is that of the next angles out of lock, else it stays."""
    s = parity * np.sign(np.sin(canonical[:, 1]))
    total = nearest_turn(canonical[:, 0] + s * canonical[:, 2], before[:, 0] + s * before[:, 2])
    held = before[:, 0] - s * before[:, 2]
    wanted = nearest_turn(following[:, 0] - s * following[:, 2], held)
    difference = np.where(following.any(axis=-1), wanted, held)
    middle = nearest_turn(canonical[:, 1], before[:, 1])
    return np.stack([0.5 * (total + difference), middle, 0.5 * s * (total - difference)], axis=-1)


def _next(values: Array, regular: Any) -> Array:
    """At each frame the values (n, f, k) of that frame or the next one that is regular; 0 where there is none."""
    n, f, _ = values.shape
    where = np.where(regular, np.arange(f), f)
    where = np.minimum.accumulate(where[:, ::-1], axis=1)[:, ::-1]
    padded = np.concatenate([values, np.zeros((n, 1, values.shape[2]))], axis=1)
    found: Array = np.take_along_axis(padded, where[..., None], axis=1)
    return found


def _euler_rates(angles: Array, omega: Array, sequence: Any, locked: Any) -> Array:
    """Exact rates; where the angles are locked, of some other angles, to be replaced."""
    safe = np.where(locked[..., None] & np.array([False, True, False]), 0.0, angles)
    inverse = euler.rates_map_inverse(safe, sequence, frame="body")
    rates: Array = (inverse @ omega[..., None])[..., 0]
    return rates


def _rates_at_lock(angles: Array, omega: Array, sequence: Any) -> Array:
    """The smallest rates (m, 3) that give what part of omega the angles can give at lock."""
    E = euler.rates_map(angles, sequence, frame="body")
    rates: Array = (np.linalg.pinv(E, rcond=10.0 * LOCKED) @ omega[..., None])[..., 0]
    return rates


def nearest_turn(angle: Array, expected: Array) -> Array:
    """The angle with as many whole turns added as bring it nearest to the expected one."""
    turned: Array = angle + TURN * np.round((expected - angle) / TURN)
    return turned


def slopes(values: Array) -> Array:
    """Rates per frame from the values (n, f, k) alone: mean differences, and parabolas at the ends."""
    if values.shape[1] < 3:
        chord: Array = np.zeros_like(values) + np.diff(values, axis=1).sum(axis=1, keepdims=True)
        return chord
    slope: Array = np.gradient(values, axis=1, edge_order=2)
    return slope


def bounded(rates: Array, values: Array, suspect: Any) -> tuple[Array, Any]:
    """Rates per frame (n, f, k) with those replaced that would let a curve swing out; and where frames are too few.

    Between two keys a value moves by the mean of its rates, to third order. Where it does not, nearly, the frames do
    not resolve the motion. A cubic still stays between its keys if its rates are up to three times the step (Fritsch
    and Carlson 1980); others are replaced by the mean of the steps.
    """
    unresolved, swings = np.zeros(values.shape[:2], bool), np.zeros(values.shape, bool)
    if values.shape[1] < 2 or not np.any(suspect):
        return rates, unresolved
    steps = np.diff(values, axis=1)
    first, last = rates[:, :-1], rates[:, 1:]
    size = np.maximum(np.maximum(np.abs(first), np.abs(last)), np.abs(steps)).max(axis=-1, keepdims=True)
    missed = np.abs(steps - 0.5 * (first + last)) > OUTRUN * size + LOCKED
    missed &= (suspect[:, 1:] | suspect[:, :-1])[..., None]
    for ends, rate in ((slice(None, -1), first), (slice(1, None), last)):
        unresolved[:, ends] |= missed.any(axis=-1)
        swings[:, ends] |= missed & ((rate * steps < 0.0) | (np.abs(rate) > 3.0 * np.abs(steps)))
    before = np.concatenate([steps[:, :1], steps], axis=1)
    after = np.concatenate([steps, steps[:, -1:]], axis=1)
    return np.where(swings, 0.5 * (before + after), rates), unresolved
