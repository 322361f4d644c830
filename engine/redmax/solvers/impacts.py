# SPDX-License-Identifier: GPL-3.0-or-later
"""Impacts on one-sided rows, one after another: velocities jump so that no row is approached, and energy never grows.

The row that is approached fastest gives back its restitution e of the speed, while equations keep theirs; what it
pushes into is approached next, and so on. So a chain of balls passes a blow on, ball by ball. Together act
- rows that are approached equally fast and have the same restitution, so that a box that lands flat bounces flat;
  equal speeds of different restitution bounce by the larger one, after which the other is not approached any more;
- rows without restitution, or slower than what bounces: they take no more than it needs, and share it (Moreau).
After so many rounds all rows act together without restitution, which ends it.

Velocities that jump by M^-1 G^T x change the kinetic energy by x^T (u + u') / 2, with the speeds u before and u' after.
With u' = -e u where x > 0 this is (1 - e) x^T u / 2 <= 0 as long as only rows that are approached act; without
restitution it is the minimum of a problem in which x = 0 is allowed. Newton's law for all rows at once can add energy:
where an impact pushes into a row that was moving away.

Rows are measured by 1 / sqrt(A_ii); see `box_rows`, which solves each round and has the names of arrays and results.
Plain arithmetic, so that kernels compile the same text.
"""

from __future__ import annotations

import math

from ..arrays import Array, IntArray
from .box_rows import CONTRADICTED, SOLVED, UNFINISHED, solve

EQUATION, ONE_SIDED, ABSENT, BLOCKED = range(4)
"""Kinds of rows: one whose speed is 0 before and after; one that can be met; one that is far and counts for nothing.
BLOCKED: written for one-sided rows that stay approached because equations or other rows contradict them, or by
rounding."""

MOST_ROUNDS = 100
"""Usual number of rounds. Elastic chains of n balls need n (n - 1) / 2 at most."""

SLOWEST_BOUNCE = 1e-4
"""Impacts slower than this [rad/s, or parts of the mechanism's size per second] do not bounce: `slow` of `resolve`."""

RATTLING, RATTLING_TIME = 200, 0.01
"""So many impacts in so short a time [s] are a rattle that nobody sees and that takes a run forever: until there are
fewer, impacts do not bounce."""

MOST_IN_STEP = 20
"""Impacts in one step of a method of fixed step that bounce: what moves to and fro more often than that within a step
is beyond the method's resolution, and would take it thousands of steps for one."""

SETTLING, MOST_SETTLED = 20, 1e4
"""Stops that throw each other off by turns part ever more slowly, but only after 1e5 impacts where they are nearly
dependent, as cones of neighbouring balls are. So in a rattle the speed below which they rest doubles after so many
impacts, up to this factor."""

EQUALLY_FAST = 1e-6
"""Speeds that differ by less than this part are equal."""

NO_APPROACH = 1e-6
"""Rows that stay approached by less than this part of the largest speed before do not make a contradiction."""

LO, HI, DEMAND, PART = range(4)
WORK = 4
"""Rows of `speeds`, the work space: bounds, demands and impulses of one round."""


def resolve(
    m: int,
    A: Array,
    u: Array,
    restitution: Array,
    slow: Array,
    tiny: Array,
    kind: IntArray,
    rounds: int,
    impulse: Array,
    state: IntArray,
    L: Array,
    work: Array,
    order: IntArray,
    speeds: Array,
) -> int:
    """Impulses (m,) of all impacts that are due, and the speeds u (m,) after them. Returns a result of `box_rows`.

    A: (m, m) Delassus matrix of all rows. u: (m,) G v - rate before, negative where a row is approached.
    restitution: (m,) 0 to 1. slow: (m,) speeds below which nothing bounces. tiny: (m,) speeds that do not count.
    kind: (m,) int64. rounds: see MOST_ROUNDS. state, L, work, order: work space, as in `box_rows.solve`.
    speeds: (WORK, m) work space.
    CONTRADICTED: some rows are BLOCKED by more than rounding. UNFINISHED: a round was not solved to the end.
    """
    largest = 0.0
    for i in range(m):
        impulse[i] = 0.0
        if A[i, i] > 0.0:
            largest = max(largest, abs(u[i]) / math.sqrt(A[i, i]))
    code = SOLVED
    for n in range(rounds + 1):
        k = fastest(m, A, u, restitution, slow, tiny, kind)
        if k < 0:
            break
        demands(m, A, u, restitution, slow, tiny, kind, k, n == rounds, speeds)
        for i in range(m):
            speeds[PART, i] = 0.0
            state[i] = 0
        solved = solve(m, A, speeds[DEMAND], speeds[LO], speeds[HI], speeds[PART], state, L, work, order)
        if solved == UNFINISHED:
            code = UNFINISHED
        for i in range(m):
            total = 0.0
            for j in range(m):
                total += A[i, j] * speeds[PART, j]
            u[i] += total
            impulse[i] += speeds[PART, i]
        for i in range(m):
            if kind[i] == ONE_SIDED and u[i] < -tiny[i] and (i == k or n == rounds):
                kind[i] = BLOCKED
                if code == SOLVED and -u[i] > NO_APPROACH * largest * math.sqrt(A[i, i]):
                    code = CONTRADICTED
    return code


def fastest(m: int, A: Array, u: Array, restitution: Array, slow: Array, tiny: Array, kind: IntArray) -> int:
    """The row that is approached fastest, of several the one that bounces most, then the first; -1 if none is."""
    best, most, bounce = -1, 0.0, 0.0
    for i in range(m):
        if kind[i] == ONE_SIDED and u[i] < -tiny[i] and A[i, i] > 0.0:
            speed = -u[i] / math.sqrt(A[i, i])
            e = restitution[i] if u[i] < -slow[i] else 0.0
            if speed > most * (1.0 + EQUALLY_FAST) or (speed >= most * (1.0 - EQUALLY_FAST) and e > bounce):
                best, most, bounce = i, speed, e
    return best


def demands(
    m: int,
    A: Array,
    u: Array,
    restitution: Array,
    slow: Array,
    tiny: Array,
    kind: IntArray,
    k: int,
    last: bool,
    speeds: Array,
) -> None:
    """What a round led by row k asks for: bounds of the rows that act in it, and by how much speeds are to change.

    last: all rows act, without restitution.
    """
    is_slow = u[k] >= -slow[k]
    e = 0.0 if last or is_slow else restitution[k]
    least = -u[k] / math.sqrt(A[k, k]) * (1.0 - EQUALLY_FAST)
    for i in range(m):
        speeds[DEMAND, i] = -u[i]
        speeds[LO, i] = 0.0
        speeds[HI, i] = 0.0
        if kind[i] == EQUATION:
            speeds[LO, i] = -math.inf
            speeds[HI, i] = math.inf
        elif kind[i] == ONE_SIDED and A[i, i] > 0.0:
            if e > 0.0:
                alike = restitution[i] == e and u[i] < -tiny[i] and u[i] < -slow[i]
                acts = alike and -u[i] / math.sqrt(A[i, i]) >= least
                speeds[DEMAND, i] = -(1.0 + e) * u[i]
            else:
                acts = last or restitution[i] == 0.0 or (is_slow and abs(u[i]) <= slow[i])
            if acts:
                speeds[HI, i] = math.inf
