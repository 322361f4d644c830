# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinates in which joint loads are meant, where an integrator writes them otherwise; see `loads.own_coordinates`.

Mostly nothing is written otherwise. All joints are asked at once, and only those that answer yes are looked at alone.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, IntArray
from ..joints.primitives import Kind
from ..joints.trusted import trusted_primitives
from ..model import Model
from .stages import Coordinates
from .vectors import dot, length

TINY = float(np.finfo(np.float64).tiny)

NEAR = 0.9
"""Rotation vectors with smaller components [rad] are as meant: their angle is below sqrt(3) times that, and beyond
0.999 pi / 2 only is angle - angle cos as much as 0.999 pi."""

OwnCoordinates = tuple[Array, Array, list[tuple[slice, Array]]]
"""q and qdot (nr,) as loads mean them, and for each joint that is written otherwise its columns and its B."""


class ChartedLoads:
    """Of the joints with loads on coordinates that may be written in several ways (`Model.charted_loads`).

    unknown: those of which only `rewrite` knows. joints: the others. balls: (3, m) columns of their rotation vectors,
    ball_joint: (m,) the joint of each, rest: (3, m) what it is near to when written as meant.
    """

    def __init__(self, model: Model) -> None:
        unknown, joints, balls, ball_joint = [], [], [], []
        for j in model.charted_loads:
            listed = trusted_primitives(model.joints[j])
            if listed is None:
                unknown.append(j)
                continue
            joints.append(j)
            column = int(model.dof[j])
            for primitive in listed:
                if primitive.kind == Kind.BALL:
                    balls.append(np.arange(column, column + 3))
                    ball_joint.append(j)
                column += primitive.ndof
        self.any = bool(model.charted_loads)
        self.unknown: IntArray = np.array(unknown, np.int64)
        self.joints: IntArray = np.array(joints, np.int64)
        self.balls: IntArray = np.array(balls, np.int64).reshape(-1, 3).T
        self.ball_joint: IntArray = np.array(ball_joint, np.int64)
        self.rest: Array = model.rest.take(self.balls)

    def candidates(self, given: Coordinates) -> list[int]:
        """Joints that may have to be rewritten, in ascending order: all whose q is not as meant are among them."""
        if not len(self.unknown) and not given.chart.any() and np.abs(given.q.take(self.balls)).max(initial=0.0) < NEAR:
            return []
        v = given.q.take(self.balls)
        angle = length(v)
        along = dot(v, self.rest) / np.maximum(angle, TINY)
        # As in `rotation_vector.rewritten`, with a margin for the rounding of either.
        far, recharted = np.abs(angle - along) >= 0.999 * np.pi, given.chart[self.joints] != 0
        if not (len(self.unknown) or far.any() or recharted.any()):
            return []
        return [int(j) for j in np.unique(np.concatenate([self.unknown, self.ball_joint[far], self.joints[recharted]]))]


def own_coordinates(model: Model, charted: ChartedLoads, given: Coordinates, S: Array | None) -> OwnCoordinates:
    """As `dynamics.loads.own_coordinates`. S: (6, nr) of the joints as they are written now; None where that must be
    asked of the joints."""
    q, qdot = given.q, given.qdot
    changes: list[tuple[slice, Array]] = []
    if not charted.any:
        return q, qdot, changes
    for j in charted.candidates(given):
        joint, columns, chart = model.joints[j], model.columns(j), int(given.chart[j])
        q_own, qdot_own = joint.rewrite(
            given.q[columns], given.qdot[columns], chart, chart_like=0, q_like=model.rest[columns]
        )
        if chart == 0 and np.array_equal(q_own, given.q[columns]):
            continue
        if not changes:
            q, qdot = q.copy(), qdot.copy()
        q[columns], qdot[columns] = q_own, qdot_own
        written = joint.motion(given.q[columns], given.qdot[columns], chart).S if S is None else S[:, columns]
        changes.append((columns, np.linalg.pinv(joint.motion(q_own, qdot_own).S) @ written))
    return q, qdot, changes
