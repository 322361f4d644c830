# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinates of a joint from a motion: the q whose Q(q) is nearest to each of a row of poses. No Blender here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._engine import arrays, joints, pose, so3

Array = arrays.Array

TURN = 2.0 * np.pi
MOST_STEPS = 100
SETTLED = 1e-13
"""A step of Gauss-Newton below this [rad, or lengths] changes nothing any more."""


@dataclass(frozen=True, eq=False)
class Fit:
    """q: (f, n) coordinates [rad or m]. angle, distance: (f,) what is left between Q(q) and the pose [rad, m]."""

    q: Array
    angle: Array
    distance: Array


def fit(joint: Any, Q: Array, length: float) -> Fit:
    """Coordinates of a joint that follow the poses Q (f, 4, 4) of its frame, each nearest to the one before.

    length [m]: how much of a distance weighs as much as 1 rad where both cannot be met; the size of the child.
    Angles go on beyond a turn, as the motion does.
    """
    solve = _CLOSED_FORMS.get(type(joint))
    q = np.zeros((len(Q), joint.ndof))
    before = np.zeros(joint.ndof)
    rate = np.zeros(joint.ndof)
    for k, E in enumerate(Q):
        after = solve(joint, E, before) if solve is not None else _least_squares(joint, E, before, rate, length)
        rate = after - before if k else rate
        q[k] = before = after
    error = np.array([_missed(joint.motion(q[k], 0.0 * q[k]).Q, E) for k, E in enumerate(Q)]).reshape(-1, 6)
    return Fit(q, np.linalg.norm(error[:, :3], axis=1), np.linalg.norm(error[:, 3:], axis=1))


def _missed(Q: Array, E: Array) -> Array:
    """What is left from Q to E (6,), seen from Q: rotation vector [rad] and offset [m]."""
    left = pose.inverse(Q) @ E
    return np.concatenate([so3.log(left[:3, :3]), left[:3, 3]])


# --- closed forms ----------------------------------------------------------------------------


def _unit(axis: Any) -> Array:
    a = np.asarray(axis, np.float64)
    unit: Array = a / np.linalg.norm(a)
    return unit


def _angle_about(a: Array, R: Array) -> float:
    """The angle of the rotation about a nearest to R: maximises the trace of R(q)^T R."""
    sine = a @ np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return float(np.arctan2(sine, np.trace(R) - a @ R @ a))


def _revolute(joint: Any, E: Array, before: Array) -> Array:
    angle = _angle_about(_unit(joint.axis), E[:3, :3])
    return np.array([angle + TURN * np.round((before[0] - angle) / TURN)])


def _prismatic(joint: Any, E: Array, _before: Array) -> Array:
    return np.array([_unit(joint.axis) @ E[:3, 3]])


def _screw(joint: Any, E: Array, before: Array) -> Array:
    """The advance tells how many turns were made, however fast."""
    if joint.pitch == 0.0:
        return _revolute(joint, E, before)
    a = _unit(joint.axis)
    angle = _angle_about(a, E[:3, :3])
    return np.array([angle + TURN * np.round((a @ E[:3, 3] / joint.pitch) - angle / TURN)])


_CLOSED_FORMS: dict[type, Callable[[Any, Array, Array], Array]] = {
    joints.Revolute: _revolute,
    joints.Prismatic: _prismatic,
    joints.Screw: _screw,
}


# --- all other joints ------------------------------------------------------------------------


def _least_squares(joint: Any, E: Array, before: Array, rate: Array, length: float) -> Array:
    """The best of several starts: where it was, where it was going, and 0, in case a singularity is in between."""
    if joint.ndof == 0:
        return before
    weight = np.array([1.0, 1.0, 1.0, 1.0 / length, 1.0 / length, 1.0 / length])
    best, best_key = before, (np.inf, np.inf)
    for start in (before, before + rate, np.zeros_like(before)):
        q, error = _gauss_newton(joint, E, start, weight)
        # Rounded to what single precision leaves, so that equally good ends are told apart by the way to them.
        key = (round(error, 6), float(np.linalg.norm(q - before)))
        if key < best_key:
            best, best_key = q, key
        if key[0] == 0.0:
            break  # met from where it was: other ways there are longer
    return best


def _gauss_newton(joint: Any, E: Array, q: Array, weight: Array) -> tuple[Array, float]:
    """Minimises |W missed(Q(q), E)|, damped wherever a step would make it worse; returns q and what is left."""
    motion = joint.motion(q, 0.0 * q)
    r = _missed(motion.Q, E)
    damping = 0.0
    for _ in range(MOST_STEPS):
        A = np.vstack([weight[:, None] * _gain(r, motion.S), np.sqrt(damping) * np.eye(len(q))])
        step = np.linalg.lstsq(A, np.append(weight * r, 0.0 * q), rcond=1e-12)[0]
        trial = joint.motion(q + step, 0.0 * q)
        r_trial = _missed(trial.Q, E)
        if np.linalg.norm(weight * r_trial) <= np.linalg.norm(weight * r):
            q, motion, r = q + step, trial, r_trial
            damping = 0.0 if damping < 1e-6 else 0.1 * damping
        else:
            damping = max(1e-4, 10.0 * damping)
        if np.abs(step).max() < SETTLED:
            break
    return q, float(np.linalg.norm(weight * r))


def _gain(r: Array, S: Array) -> Array:
    """How much of r (6,) a unit of each coordinate takes away (6, n), for a joint twist S (6, n).

    Q(q + dq) = Q exp [d] with d = S dq = (w; v) leaves exp [-d] of what was left: its rotation vector shrinks by
    J_l(r)^-1 w, its offset p by v - [p] w.
    """
    return np.vstack([so3.left_jacobian_inverse(r[:3]) @ S[:3], S[3:] - so3.hat(r[3:]) @ S[:3]])
