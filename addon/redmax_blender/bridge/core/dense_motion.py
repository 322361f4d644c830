# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulated motion between frames, from poses, velocities and accelerations at the frames; plain arrays.

Quintics of both ends of a frame are right to the sixth power of its length, so that they can judge keys that are far
less than that off. Where accelerations are not known, or do not fit the velocities (something jumped within the
frame), it is the cubic of positions and velocities. Bodies that turn by more than a radian in a frame turn along the
arc that their angular velocities tell, whole turns included.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._engine import arrays, quaternion, so3, trajectory

Array = arrays.Array
Trajectory = trajectory.Trajectory

TRUST = 0.3
"""Part of the accelerations by which they may differ from those of the cubic before something must have jumped."""

JUMP = 0.1
"""Part of what both ends together are off by that one end alone may be off by to be believed."""

BEFORE = "twist_before"
"""Channel of the twists just before each sample; at frames at which velocities jump they differ from `twist`."""

FAST = 1.0
"""Turn in a frame [rad] above which rotations are followed by their angle instead of their quaternions."""

TURN = 2.0 * np.pi
TINY = 1e-9
"""Angles [rad] below this have no axis."""


def between(result: Trajectory, used: slice, fps: float, per_frame: int) -> Trajectory:
    """The samples `used` of a result with `per_frame` samples in each of their frames, poses and twists alone."""
    h = 1.0 / fps
    q, p = result.rotation[used], result.position[used]
    twist = result.channels["twist"][used]
    given = result.channels.get("acceleration")
    change = np.full_like(twist, np.nan) if given is None else given[used]
    omega, v, alpha, dv = twist[..., :3], twist[..., 3:], change[..., :3], change[..., 3:]
    pdot = quaternion.rotate(q, v) * h
    turning_v: Array = np.cross(omega, v).astype(np.float64)
    pddot = quaternion.rotate(q, dv + turning_v) * h**2
    qdot = 0.5 * quaternion.multiply(q, _pure(omega)) * h
    qddot = 0.5 * (quaternion.multiply(qdot, _pure(omega)) * h + quaternion.multiply(q, _pure(alpha)) * h**2)
    position, velocity, velocity_before = interpolated(p, pdot, pddot, per_frame)
    turn, turning, turning_before = interpolated(q, qdot, qddot, per_frame)
    turn /= np.linalg.norm(turn, axis=-1, keepdims=True)
    spin, spin_before = (
        2.0 * quaternion.multiply(quaternion.conjugate(turn), each)[..., 1:] for each in (turning, turning_before)
    )
    _follow_arcs(turn, spin, q, omega * h, per_frame)
    back = quaternion.conjugate(turn)
    t = result.t[used]
    return Trajectory(
        body_names=result.body_names,
        joint_names=(),
        t=np.linspace(t[0], t[-1], len(position)) if len(position) > 1 else t,
        q=np.zeros((len(position), 0)),
        qdot=np.zeros((len(position), 0)),
        position=position,
        rotation=turn,
        channels={
            "twist": np.concatenate([spin, quaternion.rotate(back, velocity)], axis=-1) * fps,
            BEFORE: np.concatenate([spin_before, quaternion.rotate(back, velocity_before)], axis=-1) * fps,
        },
    )


def _pure(vector: Array) -> Array:
    return np.concatenate([np.zeros((*vector.shape[:-1], 1)), vector], axis=-1)


def interpolated(x: Array, v: Array, a: Array, per_frame: int) -> tuple[Array, Array, Array]:
    """Values, rates per frame and rates just before, (per_frame (f - 1) + 1, ...), of values x, rates v and
    accelerations a (f, n, k). Rates before differ at frames at which the rates jump."""
    if len(x) < 2:
        return x.copy(), v.copy(), v.copy()
    step, first, last = x[1:] - x[:-1], v[:-1], v[1:]
    cubic = 6.0 * step - 4.0 * first - 2.0 * last, -6.0 * step + 2.0 * first + 4.0 * last
    known = a[:-1], a[1:]
    size = np.max([np.linalg.norm(each, axis=-1) for each in (*cubic, *known)], axis=0)
    with np.errstate(invalid="ignore"):
        gaps = [np.linalg.norm(given - own, axis=-1) for given, own in zip(known, cubic, strict=True)]
        trusted = (np.maximum(*gaps) <= TRUST * size)[..., None]  # False where one is not a number
    before, after = (np.where(trusted, given, own) for given, own in zip(known, cubic, strict=True))
    first, last, before, after = _one_sided(step, first, last, before, after, known, ~trusted[..., 0])
    parts = np.stack([x[:-1], x[1:], first, last, before, after])
    s = np.arange(per_frame) / per_frame
    shape = (per_frame * (len(x) - 1), *x.shape[1:])
    values = np.einsum("cs,ci...->is...", _basis(s), parts).reshape(shape)
    rates = np.einsum("cs,ci...->is...", _basis_rates(s), parts).reshape(shape)
    rates = np.concatenate([rates, v[-1:]])
    rates_before = rates.copy()
    rates_before[per_frame::per_frame] = last
    return np.concatenate([values, x[-1:]]), rates, rates_before


def _one_sided(
    step: Array, first: Array, last: Array, before: Array, after: Array, known: tuple[Array, Array], doubtful: Any
) -> tuple[Array, Array, Array, Array]:
    """Rates and accelerations at both ends of frames, with those of one end from the other where only that one fits.

    Where rates jump at a frame (a corner in the keys of an animated joint), a sample has those of one side: the frame
    on the other side is told by its other end alone.
    """
    if not doubtful.any():
        return first, last, before, after
    missed = np.linalg.norm(step - 0.5 * (first + last), axis=-1)
    from_first, from_back = step - first - 0.5 * known[0], step - last + 0.5 * known[1]
    with np.errstate(invalid="ignore"):
        ahead = doubtful & (np.linalg.norm(from_first, axis=-1) <= JUMP * missed)
        back = doubtful & ~ahead & (np.linalg.norm(from_back, axis=-1) <= JUMP * missed)
    ahead, back = ahead[..., None], back[..., None]
    last_then, after_then = first + known[0] + 3.0 * from_first, known[0] + 6.0 * from_first
    first_then, before_then = last - known[1] + 3.0 * from_back, known[1] - 6.0 * from_back
    return (
        np.where(back, first_then, first),
        np.where(ahead, last_then, last),
        np.where(ahead, known[0], np.where(back, before_then, before)),
        np.where(back, known[1], np.where(ahead, after_then, after)),
    )


def _basis(s: Array) -> Array:
    """(6, m) weights of both values, both rates and both accelerations at the parts s (m,) of a frame."""
    rise = s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
    return np.stack(
        [
            1.0 - rise,
            rise,
            s - s**3 * (6.0 - 8.0 * s + 3.0 * s**2),
            -(s**3) * (4.0 - 7.0 * s + 3.0 * s**2),
            0.5 * s**2 * (1.0 - s) ** 3,
            0.5 * s**3 * (1.0 - s) ** 2,
        ]
    )


def _basis_rates(s: Array) -> Array:
    """Derivatives of `_basis` by s."""
    rise = 30.0 * s**2 * (1.0 - s) ** 2
    return np.stack(
        [
            -rise,
            rise,
            1.0 - s**2 * (18.0 - 32.0 * s + 15.0 * s**2),
            -(s**2) * (12.0 - 28.0 * s + 15.0 * s**2),
            0.5 * s * (1.0 - s) ** 2 * (2.0 - 5.0 * s),
            0.5 * s**2 * (1.0 - s) * (3.0 - 5.0 * s),
        ]
    )


def _follow_arcs(turn: Array, spin: Array, q: Array, omega: Array, per_frame: int) -> None:
    """Put arcs in place of the rotations `turn` and `spin` wherever a body turns fast; omega: (f, n, 3) per frame."""
    speed = np.linalg.norm(omega, axis=-1)
    frame, body = np.nonzero(np.maximum(speed[:-1], speed[1:]) > FAST)
    if not len(frame):
        return
    q0, first, last = q[frame, body], omega[frame, body], omega[frame + 1, body]
    arc = quaternion.log(quaternion.multiply(quaternion.conjugate(q0), q[frame + 1, body]))
    mean = 0.5 * (first + last)
    angle = np.linalg.norm(arc, axis=-1, keepdims=True)
    axis = np.where(angle > TINY, arc / np.maximum(angle, TINY), _direction(mean))
    arc = arc + axis * TURN * np.round(((mean - arc) * axis).sum(axis=-1, keepdims=True) / TURN)
    # A rotation vector of more than half a turn has rates of its own only along itself that can be told.
    short = np.linalg.norm(arc, axis=-1, keepdims=True) < np.pi
    along_first, along_last = ((end * axis).sum(axis=-1, keepdims=True) * axis for end in (first, last))
    inverse = so3.right_jacobian_inverse(np.where(short, arc, 0.0))
    first, last = np.where(short, first, along_first), np.where(short, _times(inverse, last), along_last)
    for part in range(1, per_frame):
        s = part / per_frame
        vector = arc * s**2 * (3.0 - 2.0 * s) + first * s * (1.0 - s) ** 2 - last * s**2 * (1.0 - s)
        rate = arc * 6.0 * s * (1.0 - s) + first * (1.0 - s) * (1.0 - 3.0 * s) + last * s * (3.0 * s - 2.0)
        where = frame * per_frame + part, body
        turn[where] = quaternion.multiply(q0, quaternion.exp(vector))
        spin[where] = _times(so3.right_jacobian(vector), rate)


def _direction(vector: Array) -> Array:
    unit: Array = vector / np.maximum(np.linalg.norm(vector, axis=-1, keepdims=True), TINY)
    return unit


def _times(M: Array, vector: Array) -> Array:
    product: Array = (M @ vector[..., None])[..., 0]
    return product
