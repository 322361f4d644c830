# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops as the rows that kernels know: points that stay together, and axes that stay across each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array, IntArray
from ...joints.closing import AxisRow, PointRow, Row, closing_rows
from ...model import LoopJoint, Model
from . import codes
from .declaration import RowBodies, RowVectors


@dataclass(frozen=True, eq=False)
class Lines:
    """Rows of loops: ints (m, RowBodies.SIZE) and values (m, RowVectors.SIZE)."""

    ints: IntArray
    values: Array

    def chosen(self, numbers: IntArray) -> Lines:
        return Lines(self.ints[numbers], self.values[numbers])


def pack_rows(model: Model, tilts: Array) -> tuple[Lines, Lines]:
    """All rows, and the axes that must not point opposite ways. tilts: (n, 3, 3) kernels' joint frames in the
    model's."""
    rows: list[tuple[list[int], Array]] = []
    facing: list[tuple[list[int], Array]] = []
    for number, loop in enumerate(loop.closing for loop in model.loops):
        listed = closing_rows(loop.joint)
        if listed is None:
            continue
        A = _kernel_frame(model, tilts, loop.parent, loop.E_ij_parent)
        B = _kernel_frame(model, tilts, loop.child, loop.E_ij_child)
        rows += [_line(number, loop, row, A, B) for row in listed]
        facing += [_line(number, loop, row, A, B) for row in _facing(listed)]
    return _lines(rows), _lines(facing)


def _line(number: int, loop: LoopJoint, row: Row, A: Array, B: Array) -> tuple[list[int], Array]:
    values = np.zeros(RowVectors.SIZE)
    if isinstance(row, PointRow):
        values[RowVectors.span("NORMAL")] = A[:3, :3] @ row.normal
        values[RowVectors.span("POINT_A")], values[RowVectors.span("POINT_B")] = A[:3, 3], B[:3, 3]
        return [codes.POINT, loop.parent, loop.child, number], values
    values[RowVectors.span("AXIS_A")] = A[:3, :3] @ row.axis_a
    values[RowVectors.span("AXIS_B")] = B[:3, :3] @ row.axis_b
    return [codes.AXIS, loop.parent, loop.child, number], values


def _lines(listed: list[tuple[list[int], Array]]) -> Lines:
    m = len(listed)
    ints = np.array([line for line, _ in listed], np.int64).reshape(m, RowBodies.SIZE)
    return Lines(ints, np.array([values for _, values in listed]).reshape(m, RowVectors.SIZE))


def _facing(rows: list[Row]) -> list[Row]:
    """Axes that have one direction in both frames: cosines cannot tell a hinge put in upside down."""
    axes = [row for row in rows if isinstance(row, AxisRow)]
    if len(axes) < 2:  # balls have no axes, crosses turn about both
        return []
    if len(axes) == 2:
        return [AxisRow(axes[0].axis_b, axes[0].axis_b)]
    return [AxisRow(axis, axis) for axis in np.eye(3)]


def _kernel_frame(model: Model, tilts: Array, body: int, E_ij: Array) -> Array:
    """(4, 4) a frame given in a body's principal frame, or in the world, in the frame that kernels use."""
    if body < 0:
        return E_ij
    E = model.E_ji[body] @ E_ij
    E[:3] = tilts[body].T @ E[:3]
    return np.asarray(E)


def known(model: Model) -> bool:
    """Whether kernels know every constraint of a model."""
    return not model.constraints and all(closing_rows(loop.closing.joint) is not None for loop in model.loops)
