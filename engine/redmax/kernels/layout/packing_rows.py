# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops as the rows that kernels know: points that stay together, and axes that stay across each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array, IntArray
from ...joints.base import SIMULATED
from ...joints.primitives import Kind, Primitive
from ...joints.trusted import trusted_primitives
from ...model import LoopJoint, Model
from . import codes
from .declaration import RowBodies, RowVectors

PARALLEL = 1e-12
"""Unit vectors whose cross product is shorter than this are parallel."""

Row = tuple[int, Array, Array]
"""Kind, vector in A, vector in B."""


@dataclass(frozen=True, eq=False)
class Lines:
    """Rows of loops: ints (m, ROW_INTS) and values (m, ROW_NUMBERS)."""

    ints: IntArray
    values: Array

    def chosen(self, numbers: IntArray) -> Lines:
        return Lines(self.ints[numbers], self.values[numbers])


def pack_rows(model: Model, tilts: Array) -> tuple[Lines, Lines]:
    """All rows, and the axes that must not point opposite ways. tilts: (n, 3, 3) kernels' joint frames in the
    model's."""
    rows: list[tuple[list[int], Array]] = []
    facing: list[tuple[list[int], Array]] = []
    for number, loop in enumerate(model.loops):
        listed = loop_rows(loop)
        if listed is None:
            continue
        A = _kernel_frame(model, tilts, loop.parent, loop.E_ij_parent)
        B = _kernel_frame(model, tilts, loop.child, loop.E_ij_child)
        rows += [_line(number, loop, row, A, B) for row in listed]
        facing += [_line(number, loop, row, A, B) for row in _facing(listed)]
    return _lines(rows), _lines(facing)


def _line(number: int, loop: LoopJoint, row: Row, A: Array, B: Array) -> tuple[list[int], Array]:
    kind, a, b = row
    values = np.zeros(RowVectors.SIZE)
    if kind == codes.POINT:
        values[RowVectors.NORMAL : RowVectors.NORMAL + 3] = A[:3, :3] @ a
        values[RowVectors.POINT_A : RowVectors.POINT_A + 3], values[RowVectors.POINT_B : RowVectors.POINT_B + 3] = (
            A[:3, 3],
            B[:3, 3],
        )
    else:
        values[RowVectors.AXIS_A : RowVectors.AXIS_A + 3] = A[:3, :3] @ a
        values[RowVectors.AXIS_B : RowVectors.AXIS_B + 3] = B[:3, :3] @ b
    return [kind, loop.parent, loop.child, number], values


def _lines(listed: list[tuple[list[int], Array]]) -> Lines:
    m = len(listed)
    ints = np.array([line for line, _ in listed], np.int64).reshape(m, RowBodies.SIZE)
    return Lines(ints, np.array([values for _, values in listed]).reshape(m, RowVectors.SIZE))


def _facing(rows: list[Row]) -> list[Row]:
    """Axes that have one direction in both frames: cosines cannot tell a hinge put in upside down."""
    axes = [(a, b) for kind, a, b in rows if kind == codes.AXIS]
    if len(axes) < 2:  # balls have no axes, crosses turn about both
        return []
    if len(axes) == 2:
        return [(codes.AXIS, axes[0][1], axes[0][1])]
    return [(codes.AXIS, axis, axis) for axis in np.eye(3)]


def _kernel_frame(model: Model, tilts: Array, body: int, E_ij: Array) -> Array:
    """(4, 4) a frame given in a body's principal frame, or in the world, in the frame that kernels use."""
    if body < 0:
        return E_ij
    E = model.E_ji[body] @ E_ij
    E[:3] = tilts[body].T @ E[:3]
    return np.asarray(E)


def known(model: Model) -> bool:
    """Whether kernels know every constraint of a model."""
    return not model.constraints and all(loop_rows(loop) is not None for loop in model.loops)


def loop_rows(loop: LoopJoint) -> list[Row] | None:
    """Rows that hold a joint's two frames together as it does: (kind, vector in A, vector in B).

    Frame A is the parent's, B the child's; they coincide at q = 0. None for joints whose rows are of other kinds.
    """
    joint = loop.joint
    primitives = trusted_primitives(joint)
    if primitives is None or joint.has_loads or joint.motion_type != SIMULATED:
        return None
    turns = _turns(primitives)
    slides = _slides(primitives)
    if turns is None or slides is None:
        return None
    return [*_point_rows(slides), *turns]


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
    """AXIS rows that leave the joint's turns free."""
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
        return [(codes.AXIS, x, z), (codes.AXIS, y, z), (codes.AXIS, x, y)]
    if len(axes) == 1:
        u, v = across(axes[0])
        return [(codes.AXIS, u, axes[0]), (codes.AXIS, v, axes[0])]
    if len(axes) == 2 and abs(axes[0] @ axes[1]) <= PARALLEL:
        return [(codes.AXIS, axes[0], axes[1])]
    return None


def _point_rows(slides: list[Array]) -> list[Row]:
    """POINT rows across all the directions in which the origin slides."""
    basis = np.array(slides).reshape(len(slides), 3)
    _, size, directions = np.linalg.svd(basis) if slides else (None, np.zeros(0), np.eye(3))
    rank = int((size > PARALLEL).sum())
    return [(codes.POINT, normal, np.zeros(3)) for normal in directions[rank:]]


def across(axis: Array) -> tuple[Array, Array]:
    """Two unit vectors across a unit vector and across each other."""
    u = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
    u /= np.linalg.norm(u)
    return u, np.cross(axis, u)
