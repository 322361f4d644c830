# SPDX-License-Identifier: GPL-3.0-or-later
"""What joints are made of for the fast routes: a few simple motions, one after another.

A joint that lists its primitives (`Joint.primitives`) runs in compiled and vectorised code. One that does not is
evaluated by its own `motion`; only its speed suffers.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from .euler_charts import CHART_COUNT

Triple = tuple[float, float, float]


class Kind(IntEnum):
    """SCREW: one coordinate. BALL: a rotation vector. EULER: three angles whose sequence is the chart's."""

    SCREW = 0
    BALL = 1
    EULER = 2


@dataclass(frozen=True)
class Primitive:
    """One motion. A joint's Q is the product of its primitives', q lists their coordinates in the same order.

    SCREW: R = exp [turn q] and p = advance q; turn is a unit vector or zero, advance is along it or arbitrary
    without it, so that S = (turn, advance) is constant.
    BALL: R = exp [q]. EULER: axes (0, 1, 2 for x, y, z) of the joint's own sequence, used in chart 0.
    """

    kind: Kind
    turn: Triple = (0.0, 0.0, 0.0)
    advance: Triple = (0.0, 0.0, 0.0)
    axes: tuple[int, int, int] = (0, 1, 2)

    @property
    def ndof(self) -> int:
        return 1 if self.kind == Kind.SCREW else 3

    @property
    def chart_count(self) -> int:
        return CHART_COUNT if self.kind == Kind.EULER else 1


def turn(axis: Triple, pitch: float = 0.0) -> Primitive:
    """Rotation about a unit axis that advances by pitch [m] in a turn of one radian."""
    x, y, z = axis
    return Primitive(Kind.SCREW, axis, (pitch * x, pitch * y, pitch * z))


def slide(axis: Triple) -> Primitive:
    """Translation along an axis."""
    return Primitive(Kind.SCREW, advance=axis)


def euler(sequence: str) -> Primitive:
    """Three angles about the axes of a sequence such as 'xyz'."""
    first, second, third = ("xyz".index(letter) for letter in sequence)
    return Primitive(Kind.EULER, axes=(first, second, third))


X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
BALL = Primitive(Kind.BALL)
POSITION = (slide(X), slide(Y), slide(Z))
