# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables as kernels read them: points and polynomials."""

from __future__ import annotations

import numpy as np

from ...arrays import Array, IntArray
from ...joints.base import ANIMATED
from ...model import Model
from ...tables import Table
from . import codes
from .declaration import Table as TableInts


def table_numbers(table: Table) -> Array:
    """Points of a table, then the coefficients of its pieces, in one row."""
    return np.concatenate([np.asarray(table.x, np.float64), _pieces(table).ravel()])


def _pieces(table: Table) -> Array:
    """(points + 1, columns, 4) coefficients of each piece, of (x - anchor)^0 ... ^3.

    Piece 0 lies before the first point and is anchored there; piece k > 0 begins at its anchor, point k - 1.
    """
    value, nothing = np.asarray(table.y, np.float64)[0], np.zeros(np.shape(table.y)[1])
    slope = table.derivative(np.nextafter(np.asarray(table.x, np.float64)[0], -np.inf))
    before = np.stack([value, slope, nothing, nothing], axis=1)
    return np.concatenate([before[None], table.polynomials()])


def pack_tables(model: Model) -> tuple[IntArray, Array]:
    """Tables of all joints, shape (tables, Table.SIZE), and the pool with their numbers."""
    rows: list[list[int]] = []
    pool: list[Array] = []
    length = 0
    for j, joint in enumerate(model.joints):
        animation = joint.animation if joint.motion_type == ANIMATED else None
        motor = joint.motor
        target_kind = codes.POSITION_TARGET if motor is not None and motor.holds_position else codes.SPEED_TARGET
        for kind, table in (
            (codes.ANIMATION, animation),
            (codes.TORQUE_TABLE, joint.torque_table),
            (codes.SPRING_TABLE, joint.stiffness_table),
            (target_kind, None if motor is None else motor.target_table),
        ):
            if table is None or joint.ndof == 0:
                continue
            rows.append([kind, int(model.dof[j]), joint.ndof, len(table.x), length])
            numbers = table_numbers(table)
            pool.append(numbers)
            length += len(numbers)
    packed = np.concatenate([np.zeros(0), *pool])
    return np.array(rows, np.int64).reshape(len(rows), TableInts.SIZE), packed
