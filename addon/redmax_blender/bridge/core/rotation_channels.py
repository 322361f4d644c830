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

import numpy as np

from ..._engine import arrays, quaternion, trajectory
from .channel_rates import LOCKED, NEAR_LOCK, Channels, bounded, nearest_turn, next_regular, slopes
from .euler_channels import euler_channels

Array = arrays.Array

QUATERNION, AXIS_ANGLE = "QUATERNION", "AXIS_ANGLE"
PATHS = {QUATERNION: "rotation_quaternion", AXIS_ANGLE: "rotation_axis_angle"}
"""Channels of the modes that are not Euler orders."""

FAST = 1.0
"""Turn per frame [rad] above which a quaternion's chords no longer resemble its arc."""


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
    direction = np.where(free[..., None], next_regular(direction, ~free), direction)
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
