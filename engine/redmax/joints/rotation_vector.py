# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotation vectors as joint coordinates: keeping them away from their singularity at a full turn."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Array
from ..spatial.scalar import applied, ball, solved3

LONGEST = 1.5 * math.pi
"""Longer rotation vectors are replaced [rad]; the same bound as the reference implementation's.

S is singular at 2 pi; its condition number is 3.3 here and 19 at 1.9 pi.
"""
TURN = 2.0 * math.pi


def recentre_vector(k: int, q: Array, qdot: Array, chart: int) -> int:
    """Take whole turns off the rotation vector q[k : k + 3] beyond LONGEST, q <- (1 - 2 pi/|q|) q.

    What is replaced has |q| <= pi and qdot_new = S_new^-1 S_old qdot. Source: RM19 section 4.7.
    Gives the chart, or -1 where nothing changed.
    """
    angle = math.sqrt(q[k] * q[k] + q[k + 1] * q[k + 1] + q[k + 2] * q[k + 2])
    if not LONGEST < angle < math.inf:
        return -1
    take_off_turns(k, q, qdot, angle, math.floor(angle / TURN + 0.5))
    return chart


def rewrite_vector(k: int, q: Array, qdot: Array, q_like: Array) -> None:
    """Write the rotation vector q[k : k + 3] as near to that of q_like as whole turns allow."""
    angle = math.sqrt(q[k] * q[k] + q[k + 1] * q[k + 1] + q[k + 2] * q[k + 2])
    if not 0.0 < angle < math.inf:
        return
    along = (q[k] * q_like[k] + q[k + 1] * q_like[k + 1] + q[k + 2] * q_like[k + 2]) / angle
    turns = np.rint((angle - along) / TURN)
    if turns != 0.0:
        take_off_turns(k, q, qdot, angle, turns)


def take_off_turns(k: int, q: Array, qdot: Array, angle: float, turns: float) -> None:
    """Make a rotation vector of length `angle` [rad] shorter by whole turns, with the same angular velocity."""
    _, J = ball(q[k], q[k + 1], q[k + 2])
    x, y, z = applied(J, qdot[k], qdot[k + 1], qdot[k + 2])
    factor = 1.0 - TURN * turns / angle
    q[k], q[k + 1], q[k + 2] = factor * q[k], factor * q[k + 1], factor * q[k + 2]
    _, J = ball(q[k], q[k + 1], q[k + 2])
    qdot[k], qdot[k + 1], qdot[k + 2] = solved3(J, x, y, z)
