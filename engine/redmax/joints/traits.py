# SPDX-License-Identifier: GPL-3.0-or-later
"""What the motion of a joint says of it, whatever its kind: whether it turns about a line, slides, or holds a point.

Everything follows from Q(q) and S(q) at q = 0 and at a few coordinates that are nothing special to any joint.
Directions and points are seen from the joint frame on the parent (`frame_in_parent`); lengths in m.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array, frozen
from ..fields import Element, specs
from ..spatial import adjoint
from .base import Joint

SAMPLES = 4
"""Generic coordinates at which a joint is looked at, besides q = 0."""

ROUND_OFF = 1e-9
"""Angles [rad] and parts of a length below this are none."""

NO_LENGTH = 1e-15
"""Lengths below this [m] are none, also where everything else is as short."""

REMEMBERED = 1024
TURN = 2.0 * np.pi


class Line(NamedTuple):
    """direction: unit vector (3,). point: (3,) [m], the point of the line that is nearest to the origin."""

    direction: Array
    point: Array


@dataclass(frozen=True, eq=False)
class Traits:
    """How a joint of n coordinates can move.

    Q0: (4, 4) pose Q(0), the identity where that is not finite.
    known: False where Q or S are not finite, as those of an axis of length 0; all other traits then say nothing.
    turns: dimension of its angular velocities at generic coordinates. slides: of its twists without rotation.
    line: it turns about this line only and slides along it only, if at all; None where it turns otherwise, or never.
    plane: unit normal (3,) of the plane in which it moves, as flat mechanisms do; None where it leaves every plane, and
    for a joint that slides along one line, which lies in many.
    slide: unit vector (3,), at q = 0, along which it slides without turning; None if in no direction, or in several.
    twist: (6,) the constant twist per unit rate of a joint of one coordinate, Q = exp [twist q] Q0; None for others.
    holds_origin: the origin of the joint frame stays where it is.
    periodic: for each coordinate whether 2 pi more give the same pose.
    """

    ndof: int
    Q0: Array
    known: bool = False
    turns: int = 0
    slides: int = 0
    line: Line | None = None
    plane: Array | None = None
    slide: Array | None = None
    twist: Array | None = None
    holds_origin: bool = False
    periodic: tuple[bool, ...] = ()

    @property
    def is_hinge(self) -> bool:
        """One coordinate turns it about a line, along which it does not move."""
        return self.ndof == 1 and self.line is not None and self.plane is not None

    @property
    def is_slider(self) -> bool:
        """One coordinate slides it along one direction."""
        return self.ndof == 1 and self.twist is not None and self.turns == 0

    @property
    def is_ball(self) -> bool:
        """It turns in every way about the origin of its frame, and does nothing else."""
        return self.holds_origin and self.turns == 3

    @property
    def is_universal(self) -> bool:
        """It turns about two directions at the origin of its frame."""
        return self.holds_origin and self.turns == 2

    @property
    def direction(self) -> Array | None:
        """Unit vector (3,) of the line it turns about, else of its only slide, else normal to its plane; or None."""
        if self.line is not None:
            return self.line.direction
        return self.slide if self.is_slider else self.plane

    @property
    def is_directionless(self) -> bool:
        """It moves alike whichever way its frame is turned: not at all, as a ball, or freely."""
        return self.known and (self.ndof == 0 or self.is_ball or (self.turns == 3 and self.slides == 3))


def of(joint: Joint) -> Traits:
    """The traits of a joint; remembered by its class and its own parameters."""
    asked = _Asked(joint)
    try:
        hash(asked)
    except TypeError:  # a parameter of a sort unknown here
        return _found(joint)
    return _remembered(asked)


class _Asked:
    """A joint that equals all joints of its class with the same parameters of their own."""

    def __init__(self, joint: Joint) -> None:
        self.joint, self.key = joint, _key(joint)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and self.key == other.key


@lru_cache(maxsize=REMEMBERED)
def _remembered(asked: _Asked) -> Traits:
    return _found(asked.joint)


def _key(value: Any) -> Any:
    """A joint's class and own parameters, or the value of one, as something that can be hashed."""
    if isinstance(value, Element):
        shared = specs(Joint) if isinstance(value, Joint) else {}
        names = [field.name for field in fields(value)]
        return type(value), tuple(_key(getattr(value, name)) for name in names if name not in shared)
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes()
    return tuple(map(_key, value)) if isinstance(value, (tuple, list)) else value


def _generic(ndof: int) -> Iterator[Array]:
    """q = 0, then coordinates between -1 and 1 in no simple ratio."""
    yield np.zeros(ndof)
    for sample in range(1, SAMPLES + 1):
        yield np.sin(1.7 * sample + 2.3 * np.arange(1, ndof + 1))


def _found(joint: Joint) -> Traits:
    n = joint.ndof
    still = np.zeros(n)
    with np.errstate(all="ignore"):
        q = list(_generic(n))
        motions = [joint.motion(each, still) for each in q]
        Q = np.array([motion.Q for motion in motions])
        S = np.array([motion.S for motion in motions]).reshape(len(q), 6, n)
        Q0: Array = frozen(Q[0])
        if not (np.isfinite(Q).all() and np.isfinite(S).all()):
            return Traits(n, Q0 if np.isfinite(Q0).all() else frozen(np.eye(4)), periodic=(False,) * n)
        T = adjoint.Ad(Q) @ S  # twists seen from the frame on the parent
        short = ROUND_OFF * max(float(np.abs(T[:, 3:]).max(initial=0.0)), float(np.abs(Q[:, :3, 3]).max())) + NO_LENGTH
        turns = max((_rank(each[:3], ROUND_OFF) for each in S[1:]), default=0)
        slides = max((_pure_slides(each, turns, short) for each in S[1:]), default=0)
        turn = np.linalg.norm(T[:, :3], axis=1) > ROUND_OFF  # (samples, n)
        axis = _common_direction(T[:, :3].transpose(0, 2, 1)[turn], ROUND_OFF)
        sliding = [k for k in range(n) if not turn[:, k].any()]
        slide = next((found for k in sliding if (found := _unit(T[0, 3:, k], short)) is not None), None)
        if slides != 1:
            slide = None
        period = tuple(_has_period(joint, q[1:], Q[1:], k, short) for k in range(n))
    is_constant = n == 1 and bool(
        (np.abs(T - T[0])[:, :3].max() <= ROUND_OFF) and (np.abs(T - T[0])[:, 3:].max() <= short)
    )
    return Traits(
        ndof=n,
        Q0=Q0,
        known=True,
        turns=turns,
        slides=slides,
        line=_line(T, turn, axis, short),
        plane=_plane(T, turn, axis, short),
        slide=None if slide is None else frozen(slide),
        twist=frozen(T[0, :, 0]) if is_constant else None,
        holds_origin=bool(np.abs(Q[:, :3, 3]).max() <= short),
        periodic=period,
    )


def _rank(vectors: Array, tol: float) -> int:
    return int(np.linalg.matrix_rank(vectors, tol=tol)) if vectors.size else 0


def _pure_slides(S: Array, turns: int, short: float) -> int:
    """Dimension of the translations among the twists S (6, n)."""
    if S.shape[1] == turns:
        return 0
    _, _, V = np.linalg.svd(S[:3])
    return _rank(S[3:] @ V[turns:].T, short)


def _unit(vector: Array, least: float) -> Array | None:
    length = float(np.linalg.norm(vector))
    return vector / length if length > least else None


def _common_direction(vectors: Array, least: float) -> Array | None:
    """Unit vector of all vectors (k, 3), whichever way they point: as the first does. None if they differ."""
    units = [unit for vector in vectors if (unit := _unit(vector, least)) is not None]
    if not units or any(float(np.linalg.norm(np.cross(units[0], unit))) > ROUND_OFF for unit in units):
        return None
    return units[0]


def _line(T: Array, turn: Array, axis: Array | None, short: float) -> Line | None:
    """The line of all twists T (samples, 6, n), of which `turn` (samples, n) tells those that turn, about `axis`."""
    if axis is None:
        return None
    twists, other = T.transpose(0, 2, 1)[turn], T.transpose(0, 2, 1)[~turn]
    points = np.cross(twists[:, :3], twists[:, 3:]) / (twists[:, :3] ** 2).sum(axis=1, keepdims=True)
    is_one = np.abs(points - points[0]).max() <= 10.0 * short
    slides_along = np.abs(np.cross(other[:, 3:], axis)).max(initial=0.0) <= short
    return Line(frozen(axis), frozen(points[0])) if is_one and slides_along else None


def _plane(T: Array, turn: Array, axis: Array | None, short: float) -> Array | None:
    """Normal of the plane in which all twists T (samples, 6, n) move; `turn` and `axis` as above."""
    v = T[:, 3:].transpose(0, 2, 1).reshape(-1, 3)
    if not turn.any():
        units = [unit for vector in v if (unit := _unit(vector, short)) is not None]
        crossed = [np.cross(units[0], unit) for unit in units[1:]]
        axis = next((normal for each in crossed if (normal := _unit(each, ROUND_OFF)) is not None), None)
    if axis is None or np.abs(v @ axis).max(initial=0.0) > 10.0 * short:
        return None
    fixed: Array = frozen(axis)
    return fixed


def _has_period(joint: Joint, q: list[Array], Q: Array, k: int, short: float) -> bool:
    """Whether a whole turn more of coordinate k leaves the joint where it is."""
    step = TURN * np.eye(len(q[0]))[k]
    off = np.abs(np.array([joint.motion(each + step, 0.0 * each).Q for each in q]) - Q)
    return bool(off[:, :3, :3].max() <= ROUND_OFF and off[:, :3, 3].max() <= 10.0 * short)
