# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of one model evaluated together: their primitives, stage by stage, each stage for all joints that have it.

Stage s holds the s-th primitive of every joint (sliders in a row count as one). A `Stage` knows which joints and which
columns it belongs to and writes its own columns of S and Sdot; `Stage.follow` moves the columns of earlier stages.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..arrays import Array, IntArray
from ..joints.euler_charts import CHART_COUNT, CHARTS
from ..joints.primitives import Primitive
from ..spatial import euler
from . import vectors
from .rotations import exponential, turned, turns
from .tree_sums import compact


@dataclass(frozen=True)
class Placed:
    """A primitive of a joint, or sliders in a row: where the coordinates of the joint and its own ones begin, and how
    its chart is read off the joint's chart."""

    joint: int
    start: int
    column: int
    primitives: tuple[Primitive, ...]
    chart_divisor: int


class Motion:
    """Q = (R, p), S and Sdot of all joints while their stages are put together: (3, 3, n), (3, n), (6, nr), (6, nr)."""

    def __init__(self, R: Array, p: Array, S: Array, Sdot: Array) -> None:
        self.R, self.p, self.S, self.Sdot = R, p, S, Sdot

    @classmethod
    def begun(cls, n: int, nr: int) -> Motion:
        """Before any stage."""
        R = np.zeros((3, 3, n))
        R[0, 0] = R[1, 1] = R[2, 2] = 1.0
        return cls(R, np.zeros((3, n)), np.zeros((6, nr)), np.zeros((6, nr)))


class Coordinates(NamedTuple):
    """Where all joints are: q, qdot (nr,) and chart (n,)."""

    q: Array
    qdot: Array
    chart: IntArray


Pose = tuple[Array | None, Array | None]
"""R (3, 3, m) and p (3, m); None where a stage never turns or never moves."""


class Stage(ABC):
    """The same kind of primitive in the same place of the sequence of several joints.

    joints: (m,) which. columns: (k,) all coordinates of the stage, joint after joint. earlier: the columns that
    earlier stages of the same joints wrote, and `earlier_joint` the position in `joints` they belong to.
    """

    def __init__(self, placed: Sequence[Placed]) -> None:
        size = sum(one.ndof for one in placed[0].primitives)
        self.joints: IntArray = np.array([one.joint for one in placed])
        self.columns: IntArray = np.concatenate([np.arange(one.column, one.column + size) for one in placed])
        self.earlier: IntArray = np.concatenate([np.arange(one.start, one.column) for one in placed])
        self.earlier_joint: IntArray = np.repeat(np.arange(len(placed)), [one.column - one.start for one in placed])
        self.where = compact(self.joints)
        self.at = compact(self.columns)

    def triples(self, values: Array) -> Array:
        """(3, m) of all coordinates' values (nr,), for a stage of three coordinates."""
        return np.ascontiguousarray(values[self.at].reshape(-1, 3).T)

    @abstractmethod
    def motion(self, given: Coordinates, motion: Motion) -> Pose:
        """The stage's own Q; writes its own columns of S and Sdot into `motion`."""

    def follow(self, motion: Motion, given: Coordinates) -> None:
        """Puts the stage after what `motion` holds of its joints. Source: RM19 eq. 45-51."""
        R, p = self.motion(given, motion)
        if p is not None:
            motion.p[:, self.where] += vectors.apply(motion.R[:, :, self.where], p) if len(self.earlier) else p
        if R is not None:
            motion.R[:, :, self.where] = vectors.multiply(motion.R[:, :, self.where], R) if len(self.earlier) else R
        if len(self.earlier):
            self._move_earlier(motion, given.qdot[self.at], R, p)

    def _move_earlier(self, motion: Motion, qdot: Array, R: Array | None, p: Array | None) -> None:
        """S <- Ad(Q^-1) S and Sdot <- Ad(Q^-1) Sdot - ad(twist of this stage) S for the columns of earlier stages."""
        own = (motion.S[:, self.at] * qdot).reshape(6, len(self.joints), -1)
        twist = own.sum(axis=2).take(self.earlier_joint, 1)
        S, Sdot = motion.S[:, self.earlier], motion.Sdot[:, self.earlier]
        if p is not None:
            arm = p.take(self.earlier_joint, 1)
            S[3:] += vectors.cross(S[:3], arm)
            Sdot[3:] += vectors.cross(Sdot[:3], arm)
        if R is not None:
            turn = R.take(self.earlier_joint, 2)
            S[:3], S[3:] = vectors.apply_transposed(turn, S[:3]), vectors.apply_transposed(turn, S[3:])
            Sdot[:3], Sdot[3:] = vectors.apply_transposed(turn, Sdot[:3]), vectors.apply_transposed(turn, Sdot[3:])
        Sdot[:3] -= vectors.cross(twist[:3], S[:3])
        Sdot[3:] -= vectors.cross(twist[3:], S[:3]) + vectors.cross(twist[:3], S[3:])
        motion.S[:, self.earlier], motion.Sdot[:, self.earlier] = S, Sdot


class Turns(Stage):
    """SCREW with an axis: R = 1 + sin q [a] + 2 sin^2(q/2) [a]^2, p = advance q, S = (a, advance)."""

    def __init__(self, placed: Sequence[Placed]) -> None:
        super().__init__(placed)
        axis = np.array([one.primitives[0].turn for one in placed]).T
        self.advance = np.array([one.primitives[0].advance for one in placed]).T
        self.turns = turns(vectors.hat(axis))
        self.S = np.concatenate([axis, self.advance])
        self.advances = bool(self.advance.any())

    def motion(self, given: Coordinates, motion: Motion) -> Pose:
        motion.S[:, self.at] = self.S
        return self.pose(given)

    def pose(self, given: Coordinates) -> tuple[Array, Array | None]:
        """The stage's own Q."""
        q = given.q[self.at]
        return turned(self.turns, q), self.advance * q if self.advances else None


class Slides(Stage):
    """SCREWs without an axis, as many in a row: p = sum of advance q, S = (0, advance)."""

    def __init__(self, placed: Sequence[Placed]) -> None:
        super().__init__(placed)
        self.advance = np.array([slide.advance for one in placed for slide in one.primitives]).T
        self.S = np.concatenate([np.zeros_like(self.advance), self.advance])

    def motion(self, given: Coordinates, motion: Motion) -> Pose:
        motion.S[:, self.at] = self.S
        return None, (self.advance * given.q[self.at]).reshape(3, len(self.joints), -1).sum(axis=2)


class Balls(Stage):
    """BALL: R = exp [v], S = right Jacobian of v; see `spatial.so3`."""

    def motion(self, given: Coordinates, motion: Motion) -> Pose:
        R, J, Jdot = exponential(self.triples(given.q), self.triples(given.qdot))
        motion.S[:3, self.at] = J.transpose(0, 2, 1).reshape(3, -1)
        motion.Sdot[:3, self.at] = Jdot.transpose(0, 2, 1).reshape(3, -1)
        return R, None


class Eulers(Stage):
    """EULER: R = R_i(q1) R_j(q2) R_k(q3) with the axes of the joint's chart; see `joints.euler_charts`."""

    def __init__(self, placed: Sequence[Placed]) -> None:
        super().__init__(placed)
        shared = [euler.axes(sequence) for sequence in CHARTS]
        self.axes: IntArray = np.array([[one.primitives[0].axes, *shared] for one in placed])
        self.divisor: IntArray = np.array([one.chart_divisor for one in placed])
        self.rows: IntArray = np.arange(len(placed))

    def motion(self, given: Coordinates, motion: Motion) -> Pose:
        axes = self.axes[self.rows, given.chart[self.where] // self.divisor % CHART_COUNT].T
        angles, rates = self.triples(given.q), self.triples(given.qdot)
        first, middle, last = (turned(_TURNS.take(k, 3), angle) for k, angle in zip(axes, angles, strict=True))
        later = vectors.multiply(middle, last)
        e = [np.eye(3).take(k, 1) for k in axes]
        a, b, c = vectors.apply_transposed(later, e[0]), vectors.apply_transposed(last, e[1]), e[2]
        motion.S[:3, self.at] = np.stack([a, b, c], axis=2).reshape(3, -1)
        adot = vectors.cross(a, b * rates[1] + c * rates[2])
        bdot = vectors.cross(b, c) * rates[2]
        motion.Sdot[:3, self.at] = np.stack([adot, bdot, np.zeros_like(a)], axis=2).reshape(3, -1)
        return vectors.multiply(first, later), None


_TURNS = turns(vectors.hat(np.eye(3)))
