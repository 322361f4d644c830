# SPDX-License-Identifier: GPL-3.0-or-later
"""The closed-form rows by which a joint that closes a loop holds its two frames together.

Frame A is fixed in the parent, frame B in the child; they coincide at q = 0. A joint whose rows are not of these kinds
closes its loop all the same, by carrying half of its child (`LoopJoint.half`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array
from .base import SIMULATED, Joint
from .primitives import Kind, Primitive
from .trusted import trusted_primitives

PARALLEL = 1e-12
"""Unit vectors whose cross product is shorter than this are parallel."""


class PointRow(NamedTuple):
    """normal . p = 0, with p (3,) the origin of B in A [m]. normal: (3,) in A."""

    normal: Array


class AxisRow(NamedTuple):
    """axis_a . R axis_b = 0, with R the rotation of B in A. axis_a: (3,) in A, axis_b: (3,) in B, unit vectors."""

    axis_a: Array
    axis_b: Array


Row = PointRow | AxisRow


def closing_rows(joint: Joint) -> list[Row] | None:
    """The 6 - n rows of a joint that moves freely; None where it has no such rows, or a prescribed motion."""
    primitives = trusted_primitives(joint)
    if primitives is None or (joint.motion_type != SIMULATED and joint.ndof > 0):
        return None
    turns, slides = _turns(primitives), _slides(primitives)
    return None if turns is None or slides is None else [*_point_rows(slides), *turns]


def _slides(primitives: tuple[Primitive, ...]) -> list[Array] | None:
    """Directions in frame A along which frame B's origin slides; None if they turn with the joint."""
    all_of_them = [np.asarray(p.advance) for p in primitives if p.kind == Kind.SCREW and any(p.advance)]
    if len(all_of_them) == 3 and abs(np.linalg.det(np.array(all_of_them))) > PARALLEL:
        return all_of_them  # everywhere, whichever way they have been turned
    found: list[Array] = []
    turned: list[Array] = []
    for primitive in primitives:
        if primitive.kind != Kind.SCREW:
            turned.append(np.zeros(3))
            continue
        turn, advance = np.asarray(primitive.turn), np.asarray(primitive.advance)
        if turn.any() and advance.any():
            return None
        if advance.any():
            if any(np.linalg.norm(np.cross(axis, advance)) > PARALLEL or not axis.any() for axis in turned):
                return None
            found.append(advance)
        if turn.any():
            turned.append(turn)
    return found


def _turns(primitives: tuple[Primitive, ...]) -> list[Row] | None:
    """Rows of axes that leave the joint's turns free."""
    axes: list[Array] = []
    free = False
    for primitive in primitives:
        if primitive.kind != Kind.SCREW:
            free = True
        elif any(primitive.turn):
            axes.append(np.asarray(primitive.turn))
    if free:
        return None if axes else []
    x, y, z = np.eye(3)
    if not axes:
        return [AxisRow(x, z), AxisRow(y, z), AxisRow(x, y)]
    if len(axes) == 1:
        u, v = across(axes[0])
        return [AxisRow(u, axes[0]), AxisRow(v, axes[0])]
    if len(axes) == 2 and abs(axes[0] @ axes[1]) <= PARALLEL:
        return [AxisRow(axes[0], axes[1])]
    return None


def _point_rows(slides: list[Array]) -> list[Row]:
    """Rows of points across all the directions in which the origin slides."""
    basis = np.array(slides).reshape(len(slides), 3)
    _, size, directions = np.linalg.svd(basis) if slides else (None, np.zeros(0), np.eye(3))
    rank = int((size > PARALLEL).sum())
    return [PointRow(normal) for normal in directions[rank:]]


def across(axis: Array) -> tuple[Array, Array]:
    """Two unit vectors across a unit vector and across each other."""
    u = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
    u /= np.linalg.norm(u)
    return u, np.cross(axis, u)
