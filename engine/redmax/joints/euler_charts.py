# SPDX-License-Identifier: GPL-3.0-or-later
"""Euler angles as joint coordinates: twelve charts, one of which is always far from gimbal lock."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..spatial import euler, so3

CHARTS: tuple[euler.Sequence, ...] = (
    "xyx", "xzx", "yzy", "yxy", "zxz", "zyz", "xyz", "xzy", "yzx", "yxz", "zxy", "zyx",
)  # fmt: skip
"""Chart k > 0 is CHARTS[k - 1]; chart 0 is the joint's own sequence. The reference implementation numbers alike."""

CHART_COUNT = len(CHARTS) + 1

SMALLEST_DETERMINANT = 0.5
"""A chart is left when |det S| is no larger; the best one is never worse than sqrt(2/3)."""


def sequence_of(chart: int, own: euler.Sequence) -> euler.Sequence:
    """The sequence of a chart of a joint whose own sequence is `own`."""
    return own if chart == 0 else CHARTS[chart - 1]


def jacobian_dot(S: Array, qdot: Array) -> Array:
    """d/dt of S = rates_map(q, frame="body"), (3, 3), along the rates qdot (3,) [rad/s].

    Column k is the axis k, fixed in a frame that the later rotations turn: in the body it moves as
    axis x (angular velocity of the later rotations).
    """
    Sdot = np.zeros((3, 3))
    Sdot[:, 0] = so3.hat(S[:, 0]) @ (S[:, 1] * qdot[1] + S[:, 2] * qdot[2])
    Sdot[:, 1] = so3.hat(S[:, 1]) @ S[:, 2] * qdot[2]
    return Sdot


def recentred(q: Array, qdot: Array, chart: int, own: euler.Sequence) -> tuple[Array, Array, int]:
    """The same rotation and angular velocity, in the best chart if the present one comes near gimbal lock.

    The best chart has the largest |det S|, the first of equals. With the axes i, j, k of a chart, |det S| is
    sqrt(1 - R_ik^2), so no angles are needed to choose.
    """
    sequence = sequence_of(chart, own)
    R = euler.to_matrix(q, sequence)
    if determinant(R, sequence) > SMALLEST_DETERMINANT:
        return q, qdot, chart
    best = 1 + int(np.argmin([abs(_lock_entry(R, candidate)) for candidate in CHARTS]))
    q_new = euler.from_matrix(R, CHARTS[best - 1])
    return q_new, _rates(q, qdot, sequence, q_new, CHARTS[best - 1]), best


def rewritten(
    q: Array, qdot: Array, chart: int, own: euler.Sequence, *, chart_like: int, q_like: Array
) -> tuple[Array, Array]:
    """The same rotation and angular velocity in `chart_like`, with q as near to q_like as the chart allows."""
    if chart == chart_like:
        return q, qdot
    sequence, target = sequence_of(chart, own), sequence_of(chart_like, own)
    a, b, c = euler.from_matrix(euler.to_matrix(q, sequence), target)
    # (a, b, c) and its twin are the same rotation, and whole turns of each angle are free.
    twin_b = -b if target[0] == target[2] else np.pi - b
    candidates = np.array([[a, b, c], [a + np.pi, twin_b, c + np.pi]])
    candidates += 2.0 * np.pi * np.round((q_like - candidates) / (2.0 * np.pi))
    q_new = candidates[np.argmin(np.linalg.norm(candidates - q_like, axis=1))]
    return q_new, _rates(q, qdot, sequence, q_new, target)


def _rates(q: Array, qdot: Array, sequence: euler.Sequence, q_new: Array, new: euler.Sequence) -> Array:
    """S_new^-1 S qdot, (3,): the rates of the angles q_new with the angular velocity of q and qdot.

    At gimbal lock of the new angles, where no rates may do, the nearest ones.
    """
    omega = euler.rates_map(q, sequence, frame="body") @ qdot
    return np.asarray(np.linalg.pinv(euler.rates_map(q_new, new, frame="body")) @ omega)


def determinant(R: Array, sequence: euler.Sequence) -> float:
    """|det S| of the chart `sequence` at the rotation R (3, 3): 1 at best, 0 at gimbal lock."""
    return float(np.sqrt(max(0.0, 1.0 - _lock_entry(R, sequence) ** 2)))


def _lock_entry(R: Array, sequence: euler.Sequence) -> float:
    """The entry of R that is +-1 at gimbal lock: how far the first axis is aligned with the last."""
    first, _, last = euler.axes(sequence)
    return float(R[first, last])
