# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinates of a joint from a motion: the q whose Q(q) is nearest to each of a row of poses. No Blender here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._engine import arrays, pose, so3, traits

Array = arrays.Array

TURN = 2.0 * np.pi
MOST_STEPS = 100
SETTLED = 1e-13
"""A step of Gauss-Newton below this [rad, m or 1] changes nothing any more."""


@dataclass(frozen=True, eq=False)
class Fit:
    """q: (f, n) coordinates [rad, m or 1]. angle, distance: (f,) what is left between Q(q) and the pose [rad, m].

    NaN for a joint whose Q(q) is not known.
    """

    q: Array
    angle: Array
    distance: Array


def fit(joint: Any, Q: Array, length: float) -> Fit:
    """Coordinates of a joint that follow the poses Q (f, 4, 4) of its frame, each nearest to the one before.

    length [m]: how much of a distance weighs as much as 1 rad where both cannot be met; the size of the child.
    Angles go on beyond a turn, as the motion does.
    """
    own = traits.of(joint)
    q = np.zeros((len(Q), joint.ndof))
    if not own.known:  # an axis of length 0, as Check says
        return Fit(q, np.full(len(Q), np.nan), np.full(len(Q), np.nan))
    E_0 = pose.inverse(own.Q0)
    before = np.zeros(joint.ndof)
    rate = np.zeros(joint.ndof)
    for k, E in enumerate(Q):
        if own.twist is not None:
            after = _along_twist(own.twist, E @ E_0, before)
        else:
            after = _least_squares(joint, E, before, rate, length)
        rate = after - before if k else rate
        q[k] = before = after
    error = np.array([_missed(joint.motion(q[k], 0.0 * q[k]).Q, E) for k, E in enumerate(Q)]).reshape(-1, 6)
    return Fit(q, np.linalg.norm(error[:, :3], axis=1), np.linalg.norm(error[:, 3:], axis=1))


def _missed(Q: Array, E: Array) -> Array:
    """What is left from Q to E (6,), seen from Q: rotation vector [rad] and offset [m]."""
    left = pose.inverse(Q) @ E
    return np.concatenate([so3.log(left[:3, :3]), left[:3, 3]])


# --- joints of one constant twist ------------------------------------------------------------


def _along_twist(twist: Array, E: Array, before: Array) -> Array:
    """The coordinate whose exp [twist q] is nearest to a pose E (4, 4): of a hinge, a slider or a screw.

    A hinge makes the turns that bring it nearest to where it was. The advance of a screw tells how many it has made,
    however fast.
    """
    omega, v = twist[:3], twist[3:]
    pace = float(np.linalg.norm(omega))
    if pace == 0.0:
        return np.array([v @ E[:3, 3] / (v @ v)])
    a = omega / pace
    point = np.cross(omega, v) / pace**2
    angle = _angle_about(a, E[:3, :3])
    advance = float(a @ v) / pace  # per radian
    if abs(advance) <= traits.ROUND_OFF * float(np.linalg.norm(v)):
        turns = before[0] * pace - angle
    else:
        # What a rotation about a line beside the origin moves is square to the line.
        turns = a @ (E[:3, 3] - (point - E[:3, :3] @ point)) / advance - angle
    return np.array([(angle + TURN * np.round(turns / TURN)) / pace])


def _angle_about(a: Array, R: Array) -> float:
    """The angle of the rotation about a nearest to R: maximises the trace of R(q)^T R."""
    sine = a @ np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return float(np.arctan2(sine, np.trace(R) - a @ R @ a))


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
