# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotation vectors as joint coordinates: keeping them away from their singularity at a full turn."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..spatial import so3

LONGEST = 1.5 * np.pi
"""Longer rotation vectors are replaced [rad]; the same bound as the reference implementation's.

S is singular at 2 pi; its condition number is 3.3 here and 19 at 1.9 pi.
"""


def recentred(q: Array, qdot: Array) -> tuple[Array, Array]:
    """The same rotation and angular velocity; beyond LONGEST whole turns are taken off, q <- (1 - 2 pi/|q|) q.

    q: (3,) [rad], qdot: (3,) [rad/s]. What is replaced comes back with |q| <= pi and qdot_new = S_new^-1 S_old qdot.
    Source: RM19 section 4.7.
    """
    angle = float(np.linalg.norm(q))
    if angle <= LONGEST:
        return q, qdot
    return _without_turns(q, qdot, turns=np.round(angle / (2.0 * np.pi)))


def rewritten(q: Array, qdot: Array, q_like: Array) -> tuple[Array, Array]:
    """The same rotation and angular velocity with q as near to q_like as whole turns allow; all (3,)."""
    angle = float(np.linalg.norm(q))
    if angle == 0.0:
        return q, qdot
    turns = np.round((angle - q @ q_like / angle) / (2.0 * np.pi))
    return (q, qdot) if turns == 0.0 else _without_turns(q, qdot, turns=turns)


def _without_turns(q: Array, qdot: Array, *, turns: float) -> tuple[Array, Array]:
    q_new = (1.0 - 2.0 * np.pi * turns / np.linalg.norm(q)) * q
    return q_new, so3.right_jacobian_inverse(q_new) @ (so3.right_jacobian(q) @ qdot)
