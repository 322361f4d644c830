# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions whose end meets their start: the last frames are led back to the pose and the velocities of the first.

Joints are led back, not bodies, so that nothing comes apart: each joint's own turn and shift gets the cubic that begins
with nothing and ends with what is missing. Where loops close, coordinates are led back and the loops closed again at
every sample; animated joints then stay on their keys.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..._engine import arrays, assembly, compile, halves, kinematics, pose, quaternion, so3, traits, trajectory
from ..core import dense_motion
from ..core.findings import refuse
from ..extract import keyed_model
from ..results.result_channels import require_same_joints

if TYPE_CHECKING:
    from ..._engine import model
    from ..extract.extraction import Extraction

Array = arrays.Array
Trajectory = trajectory.Trajectory

PER_FRAME = 10
"""Samples in each frame from which velocities are taken."""


class Window(NamedTuple):
    """Indices of samples: the first of the motion, the last that is as simulated, and the last of all."""

    first: int
    kept: int
    last: int


def matched(extraction: Extraction, result: Trajectory, used: slice, count: int) -> Trajectory:
    """The result with the last `count` of the samples `used` led back to the first of them."""
    frames = used.stop - used.start
    if frames < 3:
        raise refuse("", "A loop needs at least three frames", "bake a longer range")
    window = Window(used.start, used.stop - 1 - min(max(count, 1), frames - 2), used.stop - 1)
    described = halves.undivided(compile.compile(keyed_model.kinematic(extraction.scene)))
    if described.body_names[: len(result.body_names)] != result.body_names:
        raise refuse("", "The bodies are not those that were simulated", "simulate again")
    closed = bool(described.loops or described.constraints)
    if closed:
        require_same_joints(described, result)
    make = _closed_poses if closed else _tree_poses
    E = make(described, result, window, extraction.fps)[:, : len(result.body_names)]
    return _with_poses(result, E, window, extraction.fps)


def _tree_poses(described: model.Model, result: Trajectory, window: Window, fps: float) -> Array:
    """(m, n, 4, 4) of all bodies over the window, joint by joint."""
    ends = _joint_poses(described, result, slice(window.first, window.first + 2), fps)
    own = _joint_poses(described, result, slice(window.kept, window.last + 1), fps)
    s = np.linspace(0.0, 1.0, len(own))
    dt = 1.0 / (len(own) - 1)
    R, y = own[..., :3, :3], own[..., :3, 3]
    missing = so3.log(np.swapaxes(R[-1], -1, -2) @ ends[0, :, :3, :3])
    spin, spin_first = _spin(R, dt)[-1], _spin(ends[..., :3, :3], dt)[0]
    turned = (np.swapaxes(so3.exp(missing), -1, -2) @ spin[..., None])[..., 0]
    speed = (so3.right_jacobian_inverse(missing) @ (spin_first - turned)[..., None])[..., 0]
    R = R @ so3.exp(_led(s, missing, speed))
    rate, rate_first = _rate(y, dt)[-1], _rate(ends[..., :3, 3], dt)[0]
    y = y + _led(s, ends[0, :, :3, 3] - y[-1], rate_first - rate)
    E_jb = described.E_ji @ described.E_ib
    E = np.tile(np.eye(4), (*R.shape[:2], 1, 1))
    for body, parent in enumerate(described.parent.tolist()):
        Y = E[:, body].copy()
        Y[:, :3, :3], Y[:, :3, 3] = R[:, body], y[:, body]
        on = E[:, parent] if parent >= 0 else np.eye(4)
        E[:, body] = on @ Y @ E_jb[body]
    return E


def _joint_poses(described: model.Model, result: Trajectory, used: slice, fps: float) -> Array:
    """(m, n, 4, 4) poses of the joint frames of bodies in the bodies they hang on."""
    motion = dense_motion.between(result, used, fps, PER_FRAME)
    E = np.tile(np.eye(4), (*motion.position.shape[:2], 1, 1))
    E[..., :3, :3], E[..., :3, 3] = quaternion.to_matrix(motion.rotation), motion.position
    parents = described.parent
    on = np.where((parents >= 0)[:, None, None], E[:, parents], np.eye(4))
    joints: Array = pose.inverse(on) @ E @ pose.inverse(described.E_ji @ described.E_ib)
    return joints


def _closed_poses(described: model.Model, result: Trajectory, window: Window, fps: float) -> Array:
    """The same with coordinates led back and loops closed."""
    chart = result.channels["chart"][:, : described.body_count].astype(np.int64)
    samples = [window.first, *range(window.kept, window.last + 1)]
    changed = (chart[samples] != chart[window.first]).any(axis=0)
    if changed.any():
        name = described.joint_names[int(np.argmax(changed))]
        text = f"The ends of a motion with loops cannot be matched where '{name}' turns over like this"
        raise refuse(name, text, "bake another range, or switch off Loop")
    some = slice(window.kept, window.last + 1)
    h = 1.0 / fps
    rates = result.qdot[some] * h, result.channels["qddot"][some] * h**2
    x, v, a = (numbers[..., None] for numbers in (result.q[some], *rates))
    q, qdot, _ = (each[..., 0] for each in dense_motion.interpolated(x, v, a, PER_FRAME))
    frames = window.last - window.kept
    missing = result.q[window.first] - q[-1]
    columns = [range(described.dof_count)[described.columns(index)] for index in range(described.body_count)]
    for index, joint in enumerate(described.joints):
        for column, is_periodic in zip(columns[index], traits.of(joint).periodic, strict=True):
            if is_periodic:
                missing[column] -= 2.0 * np.pi * np.round(missing[column] / (2.0 * np.pi))
    speed = (result.qdot[window.first] * h - qdot[-1]) * frames
    q = q + _led(np.linspace(0.0, 1.0, len(q)), missing, speed)
    t = np.linspace(result.t[window.kept], result.t[window.last], len(q))
    E = []
    for each, time in zip(q, t, strict=True):
        there = assembly.close_loops(described, each, chart[window.first], float(time)).q
        kin = kinematics.kinematics(described, there, np.zeros_like(there), chart[window.first])
        E.append(kinematics.body_poses(described, kin))
    return np.array(E)


def _led(s: Array, missing: Array, speed: Array) -> Array:
    """(m, ...) cubics over s (m,) from nothing to what is missing, with its rate [per window] at the end."""
    s = s.reshape(-1, *[1] * missing.ndim)
    return missing * (s**2 * (3.0 - 2.0 * s)) + speed * (s**2 * (s - 1.0))


def _rate(x: Array, dt: float) -> Array:
    rate: Array = np.gradient(x, dt, axis=0, edge_order=2)
    return rate


def _spin(R: Array, dt: float) -> Array:
    """Angular velocities (m, n, 3) in the turning frames, from rotations (m, n, 3, 3)."""
    skew = np.swapaxes(R, -1, -2) @ _rate(R, dt)
    return so3.vee(0.5 * (skew - np.swapaxes(skew, -1, -2)))


def _with_poses(result: Trajectory, E: Array, window: Window, fps: float) -> Trajectory:
    """The result with other poses after the last sample that is kept; accelerations are not known there."""
    dt = 1.0 / (fps * PER_FRAME)
    omega = _spin(E[..., :3, :3], dt)
    v = (np.swapaxes(E[..., :3, :3], -1, -2) @ _rate(E[..., :3, 3], dt)[..., None])[..., 0]
    after = slice(window.kept + 1, window.last + 1)
    position, rotation = result.position.copy(), result.rotation.copy()
    channels = {name: values.copy() for name, values in result.channels.items() if name in ("twist", "acceleration")}
    position[after] = E[PER_FRAME::PER_FRAME, :, :3, 3]
    rotation[after] = quaternion.from_matrix(E[PER_FRAME::PER_FRAME, :, :3, :3])
    channels["twist"][after] = np.concatenate([omega, v], axis=-1)[PER_FRAME::PER_FRAME]
    if "nodes" in result.channels:
        channels["nodes"] = _led_nodes(result.channels["nodes"], window)
    if "acceleration" in channels:
        channels["acceleration"][after] = np.nan
    return dataclasses.replace(result, position=position, rotation=rotation, channels={**result.channels, **channels})


def _led_nodes(nodes: Array, window: Window) -> Array:
    """Nodes (f, n, 3) of strands led back to those of the first sample; their segments may stretch a little there."""
    led = nodes.copy()
    own = slice(window.kept, window.last + 1)
    missing = nodes[window.first] - nodes[window.last]
    led[own] += _led(np.linspace(0.0, 1.0, window.last + 1 - window.kept), missing, np.zeros_like(missing))
    return led
