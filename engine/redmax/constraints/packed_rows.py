# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of constraints as data, from which compiled code evaluates them without knowing the constraint.

The readable rows of the same constraint (`Constraint.rows`) say the same at one instant; a test compares both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..arrays import Array
from ..tables import Table

POSITION, VELOCITY, ACCELERATION = "position", "velocity", "acceleration"


@dataclass(frozen=True, eq=False)
class CoordinateRow:
    """sum of factor * coordinate = offset, over one or two coordinates of joints, each (joint, coordinate, factor).

    table, quantity: instead of the offset, what the left side, its rate or its acceleration is over time.
    """

    terms: tuple[tuple[str, int, float], ...]
    offset: float = 0.0
    table: Table | None = None
    quantity: str = POSITION


@dataclass(frozen=True, eq=False)
class PointRow:
    """direction . (point - other_point) = 0. direction, point: in the frame of `body`; other_point: in that of `other`,
    None for the world [m]."""

    body: str
    direction: Array
    point: Array
    other: str | None
    other_point: Array


@dataclass(frozen=True, eq=False)
class ComponentRow:
    """One component (0 to 5, angular first, in its own axes) of a body's twist follows a table of all six, which are
    given along the world's axes [rad/s, m/s]."""

    body: str
    component: int
    table: Table


@dataclass(frozen=True, eq=False)
class TurnRow:
    """Room of a limit of a joint's swing or twist, see `spatial.swing_twist`: its limit is a `CONE` or a `TWIST` of
    this shape.

    axes: (3, 3) as columns the two axes across the twist axis and the twist axis, in the joint frame on the parent;
    child_axes: those that coincide with them where swing and twist are zero, in the joint frame on the child.
    """

    joint: str
    limit: int
    shape: tuple[float, float, float]
    axes: Array
    child_axes: Array


RowFunctionText = Callable[[Array, Array, Array, Array, Array, Array], None]


@dataclass(frozen=True, eq=False)
class FunctionRow:
    """A condition of a constraint's own on two bodies, `other` None for the world.

    function(data, E_a, V_a, E_b, V_b, result), plain arithmetic on arrays: data (k,) as given here; E (4, 4) poses of
    the bodies' frames in the world and V (6,) their twists in their own axes, angular first. It writes to result (14,):
    0: the error, which is to be 0 [m, or rad]. 1 to 6 and 7 to 12: B_a and B_b, with d(error)/dt = B_a V_a + B_b V_b.
    13: d(B_a)/dt V_a + d(B_b)/dt V_b.
    """

    body: str
    other: str | None
    function: RowFunctionText
    data: tuple[float, ...]
    metres: bool = True


@dataclass(frozen=True, eq=False)
class SlipRow:
    """A row of `SurfaceContact.slip` is 0: along one tangent (0) or the other (1), or about the normal (2)."""

    joint: str
    row: int


PackedRow = CoordinateRow | PointRow | ComponentRow | FunctionRow | TurnRow | SlipRow
