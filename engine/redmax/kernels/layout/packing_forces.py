# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces as kernels read them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Array, IntArray
from ...forces.base import Formula, PackedForce
from ...model import Model
from . import codes
from .declaration import Force, ForceWork, Table
from .packing_tables import table_numbers


class PackedForces(NamedTuple):
    """ints: (forces, Force.SIZE). points: (points,) body of each. tables, pool: to append to those of the joints."""

    ints: IntArray
    points: IntArray
    tables: IntArray
    pool: Array


def pack_forces(model: Model, tilts: Array, table_count: int, pool_length: int) -> PackedForces:
    """All forces that kernels know. tilts: (n, 3, 3) kernels' joint frames in the model's.
    table_count, pool_length: what the joints have."""
    ints: list[list[int]] = []
    points: list[int] = []
    tables: list[list[int]] = []
    pool: list[Array] = []
    length = pool_length
    for force in model.forces:
        packed = force.packed()
        if packed is None:
            continue
        row = -1
        if packed.table is not None:
            numbers = table_numbers(packed.table)
            row = table_count + len(tables)
            columns = int(np.shape(packed.table.y)[1])
            tables.append([codes.FORCE_TABLE, 0, columns, len(packed.table.x), length])
            pool.append(numbers)
            length += len(numbers)
        ints.append([int(packed.formula), len(packed.x), len(points), length, row])
        points.extend(packed.owners.tolist())
        x = _kernel_points(model, tilts, packed)
        numbers = np.concatenate([np.zeros(ForceWork.SIZE), x.ravel(), _numbers(model, tilts, packed)])
        pool.append(numbers)
        length += len(numbers)
    return PackedForces(
        np.array(ints, np.int64).reshape(len(ints), Force.SIZE),
        np.array(points, np.int64),
        np.array(tables, np.int64).reshape(len(tables), Table.SIZE),
        np.concatenate([np.zeros(0), *pool]),
    )


def _kernel_points(model: Model, tilts: Array, force: PackedForce) -> Array:
    """(m, 3) points of a force in the joint frames that kernels use [m]."""
    x = np.array(force.x)
    for k, body in enumerate(force.owners.tolist()):
        if body >= 0:
            x[k] = tilts[body].T @ (model.E_ji[body, :3, :3] @ x[k] + model.E_ji[body, :3, 3])
    return x


def _numbers(model: Model, tilts: Array, force: PackedForce) -> Array:
    """Constants of a force, with directions on a body in the axes of the joint frame that kernels use."""
    numbers = np.array(force.numbers, np.float64)
    body = int(force.owners[0])
    if force.formula == Formula.BODY_WRENCH:
        R = tilts[body].T @ model.E_ji[body, :3, :3]
        numbers[:3], numbers[3:6] = R @ numbers[:3], R @ numbers[3:6]
        numbers[6:15] = (R @ numbers[6:15].reshape(3, 3)).ravel()
    elif force.formula == Formula.TURN_LIMIT:
        for side, owner in enumerate(force.owners.tolist()):
            if owner >= 0:
                part = slice(9 * side, 9 * side + 9)
                axes = tilts[owner].T @ model.E_ji[owner, :3, :3] @ numbers[part].reshape(3, 3)
                numbers[part] = axes.ravel()
    elif force.formula == Formula.DRAG:
        numbers[2:5] = tilts[body].T @ model.E_ji[body, :3, :3] @ numbers[2:5]
    return numbers
