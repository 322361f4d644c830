# SPDX-License-Identifier: GPL-3.0-or-later
"""The coordinates of a joint from the pose of its frame: the inverse of Q(q), for every joint alike.

Bodies that move on their own (maximal coordinates) never hold a joint exactly. The coordinates of a joint
that is a little open are those at which its gap, the rotation vector and the offset e of Q(q)^-1 Q,
has nothing in the span of S: S(q)^T e = 0.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..errors import ElementName, Quantity, RunError
from ..joints import Joint
from ..spatial import pose, so3

MAX_ITERATIONS = 100
"""Closed joints need 3 to 6 iterations, a joint open by 0.1 rad about 15; a pose beyond reach does not end."""

NEARLY_THERE = 1e-9
"""Below this step [rad, m] an iteration that no longer halves the step is turning over round-off."""


class JointCoordinatesError(RunError):
    """A relative pose to which no coordinates of the joint were found near the guess."""

    code = "no_joint_position"


def joint_coordinates(
    joint: Joint, Q: Array, guess: Array, chart: int = 0, *, strict: bool = True
) -> tuple[Array, Array]:
    """q (n,) of the joint frame's pose Q (4, 4), and its gap e (6,), in the moved joint frame.

    e = (log R, p) of Q(q)^-1 Q, rotation vector [rad] and offset [m]: what the joint is open by, zero if it is closed.
    Newton's iteration q <- q + S^+ e from `guess`, which picks the turn and the branch. It converges quadratically
    on the joint's manifold and by a factor of about |e| per iteration off it.
    Raises JointCoordinatesError when it does not converge, unless `strict` is False: joints that are wide open then
    get the coordinates of the last iteration.
    """
    q = np.array(guess, dtype=np.float64)
    zero = np.zeros(joint.ndof)
    previous = np.inf
    for _ in range(MAX_ITERATIONS):
        motion = joint.motion(q, zero, chart)
        e = displacement(motion.Q, Q)
        step = np.linalg.lstsq(motion.S, e, rcond=None)[0] if joint.ndof else zero
        size = float(np.linalg.norm(step))
        if size == 0.0 or (size < NEARLY_THERE and size > 0.5 * previous):
            return q, e
        q, previous = q + step, size
    if not strict and np.isfinite(e).all():
        return q, e
    element = ElementName("joint", joint.name)
    angle, distance = Quantity(float(np.linalg.norm(e[:3])), "rad"), Quantity(float(np.linalg.norm(e[3:])), "m")
    raise JointCoordinatesError(
        f"{element}: no position of the joint fits its bodies, the nearest tried is {angle} and {distance} away",
        element,
        "start with the joint closed, or take smaller steps",
        numbers={"angle": angle, "distance": distance},
    )


def displacement(Q: Array, Q1: Array) -> Array:
    """(6,) rotation vector [rad] and offset [m] that lead from the pose Q to Q1, in the axes of Q.

    To first order the same as log(Q^-1 Q1), whose second half grows without bound near half a turn.
    """
    E = pose.inverse(Q) @ Q1
    return np.concatenate([so3.log(pose.rotation(E)), pose.position(E)])
