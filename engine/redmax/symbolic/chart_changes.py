# SPDX-License-Identifier: GPL-3.0-or-later
"""Another chart of a written joint: the same pose and twist in other coordinates. Compiled like `tape`.

A chart is left where its coordinates come near a singularity: S^T S then has a small determinant, measured by the
largest one that the chart has anywhere. A formula gives coordinates of the new chart; Newton's method on the pose
removes what rounding leaves, so that nothing jumps. A formula that does not lead to the same pose is not followed.

Data of a joint: number of charts, a length [m]; then of each chart CHART numbers; then tapes.
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Array
from .tape import MASK, SHIFT, play, play_motion

HEAD = 2
MOTION, MARKS, FROM_POSE, LARGEST, PERIODIC = 0, 1, 2, 3, 4
CHART = 5
"""Of a chart: where its tapes begin (motion, marks, coordinates from a pose; -1 for none), the largest volume of S, and
which coordinates are the same after a whole turn, as a sum of powers of two."""

LEAVE = 0.4
"""Part of a chart's largest volume below which another chart is looked for."""

BETTER = 1.25
"""A new chart must have this many times the relative volume of the old one."""

NEWTON_STEPS = 12
SAME_POSE = 1e-12
"""Poses are the same whose difference [rad, and lengths] is below this."""

SINGULAR = 1e-6
"""Relative volume of S below which Newton's method would only add noise to coordinates that are good already."""

POSE = 12
"""Numbers of a pose that formulas read: three rows of R and p."""


def motion_at(data: Array, chart: int, q: Array, qdot: Array, Q: Array, S: Array, Sdot: Array) -> None:
    """Q, S and Sdot in a chart; whatever the arrays held before."""
    n = q.shape[0]
    for i in range(4):
        for k in range(4):
            Q[i, k] = 1.0 if i == k else 0.0
    for i in range(6):
        for k in range(n):
            S[i, k], Sdot[i, k] = 0.0, 0.0
    play_motion(data, int(data[HEAD + CHART * chart + MOTION]), q, qdot, Q, S, Sdot)


def factorise(S: Array, length: float, L: Array) -> float:
    """Volume of S, (det S^T S)^1/2 with lengths in units of `length`, and the Cholesky factor L (n, n) of S^T S.

    0 where S^T S has no factor.
    """
    n, volume = S.shape[1], 1.0
    for i in range(n):
        for k in range(i + 1):
            x = 0.0
            for m in range(3):
                x += S[m, i] * S[m, k] + S[m + 3, i] * S[m + 3, k] / (length * length)
            for m in range(k):
                x -= L[i, m] * L[k, m]
            if i == k:
                if not x > 0.0:
                    return 0.0
                L[i, i] = math.sqrt(x)
                volume *= L[i, i]
            else:
                L[i, k] = x / L[k, k]
    return volume


def solve_rates(S: Array, length: float, L: Array, twist: Array, rates: Array) -> None:
    """Add to `rates` what S times them lacks of a twist; L: as `factorise` leaves it. twist: (6,) what is lacking."""
    n = S.shape[1]
    x = np.empty(n)
    for i in range(n):
        x[i] = 0.0
        for m in range(3):
            x[i] += S[m, i] * twist[m] + S[m + 3, i] * twist[m + 3] / (length * length)
        for m in range(i):
            x[i] -= L[i, m] * x[m]
        x[i] /= L[i, i]
    for i in range(n - 1, -1, -1):
        for m in range(i + 1, n):
            x[i] -= L[m, i] * x[m]
        x[i] /= L[i, i]
    for i in range(n):
        rates[i] += x[i]


def difference(A: Array, B: Array, twist: Array) -> None:
    """The small twist that leads from the pose A to the pose B, in A; more than 1 where it is no small rotation."""
    trace = 0.0
    for m in range(3):
        twist[m], twist[3 + m] = 0.0, 0.0
    for i in range(3):
        trace += A[i, 0] * B[i, 0] + A[i, 1] * B[i, 1] + A[i, 2] * B[i, 2]
        twist[0] += 0.5 * (A[i, 2] * B[i, 1] - A[i, 1] * B[i, 2])
        twist[1] += 0.5 * (A[i, 0] * B[i, 2] - A[i, 2] * B[i, 0])
        twist[2] += 0.5 * (A[i, 1] * B[i, 0] - A[i, 0] * B[i, 1])
        for m in range(3):
            twist[3 + m] += A[i, m] * (B[i, 3] - A[i, 3])
    if trace < 1.0:
        twist[0] += 2.0


def reach(data: Array, chart: int, wanted: Array, q: Array) -> float:
    """Let the pose of a chart become the wanted one by Newton's method from q; the relative volume of S there.

    -1 where it does not come to that pose.
    """
    n, length = q.shape[0], data[1]
    Q, S, Sdot, L = np.empty((4, 4)), np.empty((6, n)), np.empty((6, n)), np.empty((n, n))
    twist, still = np.empty(6), np.zeros(n)
    volume: float = 0.0
    before = math.inf
    for _ in range(NEWTON_STEPS):
        motion_at(data, chart, q, still, Q, S, Sdot)
        volume = factorise(S, length, L)
        difference(Q, wanted, twist)
        off = 0.0
        for m in range(3):
            off = max(off, abs(twist[m]), abs(twist[3 + m]) / length)
        volume /= data[HEAD + CHART * chart + LARGEST]
        if off < SAME_POSE and (off >= 0.5 * before or volume < SINGULAR):
            return volume
        if not volume > 0.0 or not off < math.inf:
            return -1.0
        before = off
        solve_rates(S, length, L, twist, q)
    return volume if before < SAME_POSE else -1.0


def guess(data: Array, chart: int, q: Array, Q: Array, new: int, found: Array) -> None:
    """Coordinates in the chart `new` by its formula, from the pose Q and the marks of the old chart at q."""
    n, start = q.shape[0], int(data[HEAD + CHART * new + FROM_POSE])
    marks = int(data[HEAD + CHART * chart + MARKS])
    registers = np.empty(int(data[start]))
    for i in range(3):
        for k in range(4):
            registers[4 * i + k] = Q[i, k]
    if marks >= 0:
        seen = np.empty(int(data[marks]))
        for i in range(n):
            seen[i] = q[i]
        place = play(data, marks, seen)
        for i in range(int(data[marks + 4])):
            registers[POSE + i] = seen[int(data[place + i]) & MASK]
    place = play(data, start, registers)
    for i in range(int(data[start + 4])):
        word = int(data[place + i])
        found[word >> SHIFT] = registers[word & MASK]


def carry_rates(data: Array, chart: int, q: Array, qdot: Array, new: int, q_new: Array, rates: Array) -> None:
    """Rates in the chart `new` of the twist that the old chart has."""
    n, length = q.shape[0], data[1]
    Q, S, Sdot, L = np.empty((4, 4)), np.empty((6, n)), np.empty((6, n)), np.empty((n, n))
    twist, lacking = np.empty(6), np.empty(6)
    motion_at(data, chart, q, qdot, Q, S, Sdot)
    for m in range(6):
        twist[m] = 0.0
        for k in range(n):
            twist[m] += S[m, k] * qdot[k]
    motion_at(data, new, q_new, qdot, Q, S, Sdot)
    for k in range(n):
        rates[k] = 0.0
    if not factorise(S, length, L) > 0.0:
        return
    for _ in range(3):  # twice more, to remove rounding
        for m in range(6):
            lacking[m] = twist[m]
            for k in range(n):
                lacking[m] -= S[m, k] * rates[k]
        solve_rates(S, length, L, lacking, rates)


def recentre_written(data: Array, q: Array, qdot: Array, chart: int) -> int:
    """See `Joint.recentre_in_place`."""
    n, charts = q.shape[0], int(data[0])
    if charts == 1:
        return -1
    Q, S, Sdot, L = np.empty((4, 4)), np.empty((6, n)), np.empty((6, n)), np.empty((n, n))
    motion_at(data, chart, q, qdot, Q, S, Sdot)
    volume = factorise(S, data[1], L) / data[HEAD + CHART * chart + LARGEST]
    if not volume <= LEAVE:
        return -1
    best, best_q, best_volume, found = -1, np.empty(n), BETTER * volume, np.empty(n)
    for new in range(charts):
        if new == chart:
            continue
        guess(data, chart, q, Q, new, found)
        there = reach(data, new, Q, found)
        if there > best_volume:
            best, best_volume = new, there
            for k in range(n):
                best_q[k] = found[k]
    if best < 0:
        return -1
    rates = np.empty(n)
    carry_rates(data, chart, q, qdot, best, best_q, rates)
    for k in range(n):
        q[k], qdot[k] = best_q[k], rates[k]
    return best


def rewrite_written(data: Array, q: Array, qdot: Array, chart: int, chart_like: int, q_like: Array) -> None:
    """See `Joint.rewrite_in_place`."""
    if chart == chart_like:
        return
    n, periodic = q.shape[0], int(data[HEAD + CHART * chart_like + PERIODIC])
    Q, S, Sdot = np.empty((4, 4)), np.empty((6, n)), np.empty((6, n))
    motion_at(data, chart, q, qdot, Q, S, Sdot)
    found, near, turn = np.empty(n), np.empty(n), 2.0 * math.pi
    guess(data, chart, q, Q, chart_like, found)
    is_found = reach(data, chart_like, Q, found) >= 0.0
    off, off_near = 0.0, 0.0
    for k in range(n):
        if periodic >> k & 1:
            found[k] += turn * np.rint((q_like[k] - found[k]) / turn)
        near[k] = q_like[k]
        off += (found[k] - q_like[k]) ** 2
    if reach(data, chart_like, Q, near) >= 0.0:
        for k in range(n):
            off_near += (near[k] - q_like[k]) ** 2
        if not is_found or off_near < off:
            for k in range(n):
                found[k] = near[k]
    rates = np.empty(n)
    carry_rates(data, chart, q, qdot, chart_like, found, rates)
    for k in range(n):
        q[k], qdot[k] = found[k], rates[k]
