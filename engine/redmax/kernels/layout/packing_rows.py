# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops and constraints as the rows that kernels know: points that stay together, axes that stay across each other,
coordinates, components of velocities, limits of swing and twist."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Array, IntArray
from ...constraints.packed_rows import (
    ACCELERATION,
    POSITION,
    VELOCITY,
    CoordinateRow,
    FunctionRow,
    PackedRow,
    PointRow,
    SlipRow,
    TurnRow,
)
from ...joints import closing
from ...joints.closing import AxisRow, closing_rows
from ...joints.trusted import evaluated_parts
from ...model import LoopJoint, Model
from ...symbolic.slip_row import slip_row
from ...tables import Table
from . import codes
from .declaration import Follower, FollowerNumbers, RowBodies, RowVectors
from .declaration import Table as TableInts
from .packing_drives import FollowerForm, body_of, follower_forms, row_forms, substituted
from .packing_tables import table_numbers

TARGETS = {POSITION: codes.POSITION, VELOCITY: codes.VELOCITY, ACCELERATION: codes.ACCELERATION}
Line = tuple[dict[str, int], dict[str, Any]]
"""Fields of `RowBodies` and of `RowVectors` by name."""


@dataclass(frozen=True, eq=False)
class Lines:
    """Rows: ints (m, RowBodies.SIZE) and values (m, RowVectors.SIZE)."""

    ints: IntArray
    values: Array

    def chosen(self, numbers: IntArray) -> Lines:
        return Lines(self.ints[numbers], self.values[numbers])


@dataclass(frozen=True, eq=False)
class PackedRows:
    """equations, one_sided: rows. facing: axes that must not point opposite ways, see `declaration.RowBodies`.

    driven: how many of the equations, the first ones, are those of drives. followers: (k, Follower.SIZE) and followed:
    what places the coordinates that drives move. tables, pool: to append to those of the joints and forces.
    """

    equations: Lines
    one_sided: Lines
    facing: Lines
    driven: int
    followers: IntArray
    followed: IntArray
    tables: IntArray
    pool: Array


def pack_rows(model: Model, tilts: Array, table_count: int, pool_length: int) -> PackedRows:
    """All rows that kernels know. tilts: (n, 3, 3) kernels' joint frames in the model's.
    table_count, pool_length: what joints and forces have."""
    equations: list[Line] = []
    one_sided: list[Line] = []
    facing: list[Line] = []
    tables = _Tables(table_count, pool_length)
    followed = _Followed(model, tables)
    followers = [followed.follower(form) for form in follower_forms(model)]
    equations += [followed.line(form) for form in model.once(row_forms)]
    driven = len(equations)
    for owner, loop in enumerate(loop.closing for loop in model.loops):
        listed = closing_rows(loop.joint)
        if listed is None:
            continue
        A = _kernel_frame(model, tilts, loop.parent, loop.E_ij_parent)
        B = _kernel_frame(model, tilts, loop.child, loop.E_ij_child)
        equations += [_loop_line(owner, loop, row, A, B) for row in listed]
        facing += [_loop_line(owner, loop, row, A, B) for row in _facing(listed)]
    number = 0
    for owner, constraint in enumerate(model.constraints, len(model.loops)):
        target = one_sided if constraint.one_sided else equations
        for row in constraint.packed() or ():
            ints, values = _line(model, tilts, row, tables)
            target.append((ints | {"OWNER": owner, "NUMBER": number}, values | {"RESTITUTION": constraint.bounce}))
            number += 1
    lines = _lines(equations), _lines(one_sided), _lines(facing)
    placed = np.array(followers, np.int64).reshape(len(followers), Follower.SIZE)
    return PackedRows(*lines, driven, placed, np.array(followed.coordinates, np.int64), *tables.packed())


def own_equations(ints: IntArray) -> int:
    """Number of these equations, 0 unless each is about one coordinate, which no other is about."""
    alone = (ints[:, RowBodies.KIND] == codes.COORDINATE) & (ints[:, RowBodies.COORDINATE_B] < 0)
    different = len(np.unique(ints[:, RowBodies.COORDINATE_A])) == len(ints)
    return len(ints) if alone.all() and different else 0


class _Tables:
    """Tables that rows refer to, each once, and numbers of their functions."""

    def __init__(self, count: int, length: int) -> None:
        self._first, self._length = count, length
        self._rows: list[list[int]] = []
        self._pool: list[Array] = []
        self._known: dict[int, int] = {}

    def row_of(self, table: Table) -> int:
        if id(table) not in self._known:
            numbers = table_numbers(table)
            self._known[id(table)] = self._first + len(self._rows)
            columns = int(np.shape(table.y)[1])
            self._rows.append([codes.ROW_TABLE, 0, columns, len(np.asarray(table.x)), self._length])
            self._pool.append(numbers)
            self._length += len(numbers)
        return self._known[id(table)]

    def numbers_at(self, data: tuple[float, ...]) -> int:
        """Where in the pool the numbers of a row's own function begin."""
        self._pool.append(np.array(data, np.float64))
        self._length += len(data)
        return self._length - len(data)

    def packed(self) -> tuple[IntArray, Array]:
        rows = np.array(self._rows, np.int64).reshape(len(self._rows), TableInts.SIZE)
        return rows, np.concatenate([np.zeros(0), *self._pool])


class _Followed:
    """What followers of drives depend on, for the tables and the section `followed`."""

    def __init__(self, model: Model, tables: _Tables) -> None:
        self._model, self._tables = model, tables
        self.coordinates: list[int] = []

    def _numbers(self, form: FollowerForm, derivatives: int) -> dict[str, int]:
        """Fields of `Follower` and of a row that say where what is."""
        followers = self._model.followers
        table = None if followers is None else followers.curves.tables[form.number]
        first = len(self.coordinates)
        self.coordinates += form.coordinates.tolist()
        numbers = np.zeros(FollowerNumbers.SIZE)
        numbers[FollowerNumbers.OFFSET], numbers[FollowerNumbers.START] = form.offset, form.start
        data = self._tables.numbers_at((*numbers, *form.ratios, *np.zeros(derivatives)))
        row = -1 if table is None else self._tables.row_of(table)
        return {"FOLLOWED": first, "COUNT": len(form.coordinates), "TABLE": row, "DATA": data}

    def follower(self, form: FollowerForm) -> list[int]:
        """A `Follower`, which is placed by this."""
        fields = self._numbers(form, 0) | {"COORDINATE": form.row}
        return [fields[name] for name in Follower.fields]

    def line(self, form: FollowerForm) -> Line:
        """Its row; one by a ratio of one coordinate needs no function."""
        model, body = self._model, body_of(self._model, form.row)
        metres = model.joints[body].dof_units[form.row - int(model.dof[body])] == "m"
        followers = model.followers
        curved = followers is not None and followers.curves.tables[form.number] is not None
        ints = {"BODY_A": -1, "BODY_B": -1, "OWNER": -1, "METRES": int(metres)}
        if not curved and len(form.coordinates) <= 1:
            terms = {form.row: 1.0} | dict(zip(form.coordinates.tolist(), (-form.ratios).tolist(), strict=True))
            found, values = _terms(model, terms, form.offset + form.start)
            return ints | found, values
        return ints | {"KIND": codes.FOLLOWER, "COORDINATE_A": form.row} | self._numbers(form, len(form.ratios)), {}


def _loop_line(owner: int, loop: LoopJoint, row: closing.Row, A: Array, B: Array) -> Line:
    ints = {"BODY_A": loop.parent, "BODY_B": loop.child, "OWNER": owner}
    if isinstance(row, AxisRow):
        return ints | {"KIND": codes.AXIS}, {"AXIS_A": A[:3, :3] @ row.axis_a, "AXIS_B": B[:3, :3] @ row.axis_b}
    values = {"NORMAL": A[:3, :3] @ row.normal, "POINT_A": A[:3, 3], "POINT_B": B[:3, 3]}
    return ints | {"KIND": codes.POINT, "METRES": 1}, values


def _line(model: Model, tilts: Array, row: PackedRow, tables: _Tables) -> Line:
    if isinstance(row, CoordinateRow):
        return _coordinate_line(model, row, tables)
    if isinstance(row, TurnRow):
        return _turn_line(model, tilts, row)
    if isinstance(row, SlipRow):
        return _slip_line(model, row, tables)
    bodies = model.body_names
    if isinstance(row, FunctionRow):
        ints = {
            "KIND": codes.FUNCTION,
            "BODY_A": bodies.index(row.body),
            "BODY_B": -1 if row.other is None else bodies.index(row.other),
            "METRES": int(row.metres),
            "FUNCTION": _address(row),
            "DATA": tables.numbers_at(row.data),
            "COUNT": len(row.data),
        }
        return ints, {}
    if isinstance(row, PointRow):
        a, b = bodies.index(row.body), -1 if row.other is None else bodies.index(row.other)
        A, B = (_described_frame(model, tilts, body) for body in (a, b))
        # The error of a POINT row counts from A to B.
        values = {
            "NORMAL": -A[:3, :3] @ row.direction,
            "POINT_A": A[:3, :3] @ row.point + A[:3, 3],
            "POINT_B": B[:3, :3] @ row.other_point + B[:3, 3],
        }
        return {"KIND": codes.POINT, "BODY_A": a, "BODY_B": b, "METRES": 1}, values
    body, turns = bodies.index(row.body), row.component < 3
    E = _described_frame(model, tilts, body)
    ints = {
        "KIND": codes.COMPONENT,
        "BODY_A": -1,
        "BODY_B": body,
        "TARGET": codes.VELOCITY,
        "TABLE": tables.row_of(row.table),
        "COLUMN": 0 if turns else 3,
        "METRES": int(not turns),
    }
    return ints, {"DIRECTION": E[:3, row.component % 3], "PLACE": E[:3, 3], "IS_TURN": float(turns)}


def _coordinate_line(model: Model, row: CoordinateRow, tables: _Tables) -> Line:
    joint, coordinate, _ = row.terms[-1]
    terms, offset = _by_coordinates(model, row)
    ints, values = _terms(model, terms, offset)
    ints["METRES"] = int(model.joints[model.joint_names.index(joint)].dof_units[coordinate] == "m")
    ints["POSED"] = int(not model.moves_freely[list(terms)].all())
    if row.table is not None:
        ints |= {"TARGET": TARGETS[row.quantity], "TABLE": tables.row_of(row.table)}
    return ints, values


def _by_coordinates(model: Model, row: CoordinateRow) -> tuple[dict[int, float], float]:
    """Factors by coordinate of the model, and offset, as kernels solve for it."""
    terms: dict[int, float] = {}
    for joint, coordinate, factor in row.terms:
        place = int(model.dof[model.joint_names.index(joint)]) + coordinate
        terms[place] = terms.get(place, 0.0) + factor
    return substituted(model, terms, row.offset)


def _terms(model: Model, terms: dict[int, float], offset: float) -> Line:
    """A COORDINATE row with these factors by coordinate, of which there are one or two."""
    ints = {"KIND": codes.COORDINATE, "BODY_A": -1, "BODY_B": -1}
    values: dict[str, Any] = {"OFFSET": offset}
    for side, (coordinate, factor) in zip("AB", terms.items(), strict=False):
        ints |= {f"BODY_{side}": body_of(model, coordinate), f"COORDINATE_{side}": coordinate}
        values[f"FACTOR_{side}"] = factor
    return ints, values


def _turn_line(model: Model, tilts: Array, row: TurnRow) -> Line:
    child = model.joint_names.index(row.joint)
    parent = int(model.parent[child])
    A = model.E_pj0[child, :3, :3] @ row.axes
    values = {
        "FRAME_A": (A if parent < 0 else tilts[parent].T @ A).ravel(),
        "FRAME_B": (tilts[child].T @ row.child_axes).ravel(),
        "SHAPE": row.shape,
        "LIMIT": row.limit,
    }
    return {"KIND": codes.TURN_LIMIT, "BODY_A": parent, "BODY_B": child}, values


def _slip_line(model: Model, row: SlipRow, tables: _Tables) -> Line:
    """A FUNCTION row that is told the coordinates of a surface contact, see `row_kinds.put_coordinates`."""
    child = model.joint_names.index(row.joint)
    joint: Any = model.joints[child]
    parent = int(model.parent[child])
    E_pa = np.eye(4) if parent < 0 else model.E_ji[parent] @ model.E_ib[parent]
    data = joint.slip_numbers(np.linalg.solve(E_pa, model.E_pj0[child]), row.row)
    slots = slots_of(model)
    ints = {
        "KIND": codes.FUNCTION,
        "BODY_A": parent,
        "BODY_B": child,
        "METRES": int(row.row < 2),
        "TARGET": codes.VELOCITY,
        "FUNCTION": _slip_address(),
        "DATA": tables.numbers_at(data),
        "COUNT": len(data),
        "COORDINATE_A": int(model.dof[child]),
        "COORDINATE_B": joint.ndof,
        "FOLLOWED": 1 + slots.get(child, -1),
    }
    return ints, {}


def slots_of(model: Model) -> dict[int, int]:
    """Where in the charts of kernels that of a joint without parts stands, by joint, of those that have several."""
    found: dict[int, int] = {}
    count = 0
    for number, joint in enumerate(model.joints):
        parts = [part for part in evaluated_parts(joint) or () if part.chart_count > 1]
        if parts:
            found[number] = count
        count += len(parts)
    return found


def _lines(listed: list[Line]) -> Lines:
    ints = np.zeros((len(listed), RowBodies.SIZE), np.int64)
    for field in ("COORDINATE_A", "COORDINATE_B", "TABLE", "NUMBER"):
        ints[:, getattr(RowBodies, field)] = -1
    values = np.zeros((len(listed), RowVectors.SIZE))
    for k, (integers, numbers) in enumerate(listed):
        for name, integer in integers.items():
            ints[k, getattr(RowBodies, name)] = integer
        for name, number in numbers.items():
            values[k, RowVectors.span(name)] = number
    return Lines(ints, values)


def _facing(rows: list[closing.Row]) -> list[closing.Row]:
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


def _described_frame(model: Model, tilts: Array, body: int) -> Array:
    """(4, 4) the described frame of a body, or the world's, in the frame that kernels use."""
    return _kernel_frame(model, tilts, body, np.eye(4) if body < 0 else model.E_ib[body])


def _address(row: FunctionRow) -> int:
    """Address of a row's own function, 0 where the compiler refuses it."""
    from ..rows import functions  # noqa: PLC0415  (needs numba)

    return functions.address(row.function)


def _slip_address() -> int:
    from ..rows import functions  # noqa: PLC0415  (needs numba)

    return functions.address(slip_row)


def known(model: Model) -> bool:
    """Whether kernels know every loop and constraint of a model.

    Rows on nothing but prescribed coordinates, and on joints whose coordinates can be written otherwise, are left to
    readable code.
    """
    if not all(closing_rows(loop.closing.joint) is not None for loop in model.loops):
        return False
    for constraint in model.constraints:
        rows = constraint.packed()
        if rows is None:
            return False
        if not all(_address(row) for row in rows if isinstance(row, FunctionRow)):
            return False
        if any(isinstance(row, SlipRow) for row in rows) and not _slip_address():
            return False
        for row in rows:
            if isinstance(row, CoordinateRow):
                terms, _ = _by_coordinates(model, row)
                if len(terms) not in (1, 2) or model.prescribed[list(terms)].all():
                    return False
        joints = {joint for row in rows if isinstance(row, CoordinateRow) for joint, _, _ in row.terms}
        for joint in map(model.joint_names.index, joints):
            if model.joints[joint].has_singularity:
                return False
    return True
