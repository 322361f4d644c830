# SPDX-License-Identifier: GPL-3.0-or-later
"""A model as the few arrays that kernels read; see `layout`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...arrays import Array, BoolArray, IntArray
from ...joints.base import ANIMATED
from ...joints.primitives import Kind, Primitive
from ...joints.trusted import trusted_primitives
from ...model import Model
from . import offsets as at
from .packing_forces import pack_forces
from .packing_paths import pack_ways
from .packing_rows import pack_rows
from .packing_tables import table_numbers

SAME_DIRECTION = 1e-14
"""Directions that differ by no more [rad] do so by the rounding of the products they come out of."""


def world_numbers(model: Model) -> Array:
    """(WORLD_NUMBERS,) gravity [m/s^2], and what kernels note of all bodies; no row was the weakest so far."""
    numbers = np.zeros(at.WORLD_NUMBERS)
    numbers[:3], numbers[at.WEAKEST] = model.gravity, np.inf
    return numbers


def work_space(model: Model, rows: int, lines: int) -> int:
    """How many numbers there are from the bodies' work space on."""
    n, nr = model.body_count, model.dof_count
    constraints = (n + 1) * at.POSE + lines * (at.ROW_NUMBERS + at.ROW_WORK) + solving_space(model, rows)
    return (n + 1) * at.WORK + nr * at.DOF_WORK + constraints


def solving_space(model: Model, rows: int) -> int:
    """How many numbers there are from where W of the rows stands on."""
    if rows == 0:
        return 0
    nr = model.dof_count
    return rows * (nr + rows + 2 * at.WRENCH + 1) + nr * at.AXIS_NUMBERS + 2 * model.body_count


@dataclass(frozen=True, eq=False)
class Packed:
    """ints and floats: everything about a model, one array each, with work space at the end; see `layout`.

    A call from Python pays for every array it hands over. Kernels find the parts by `arrays_of`. Both are read-only:
    a run works in copies of them.
    slots: for each Euler slot its joint and what a chart of the joint is divided by, and taken modulo of, for it.
    python_joints: joints known only by their `motion`. singular: whether a simulated joint has a singularity.
    lines: (lines, ROW_INTS) of the rows of loops. facing: how many of the last are axes that must not point opposite
    ways. determined: whether the rows that are not kept move nothing, so that the multipliers of the others are known.
    """

    ints: IntArray
    floats: Array
    slots: tuple[tuple[int, int, int], ...]
    python_joints: tuple[int, ...]
    singular: bool
    lines: IntArray
    facing: int
    determined: bool = True

    @property
    def whole(self) -> bool:
        """Whether kernels know every joint."""
        return not self.python_joints


def pack(model: Model, keep_rows: IntArray | None = None) -> Packed:
    """The arrays of a model; `model.once(pack)` makes them only once. keep_rows: of constraints; all if left out."""
    n, nr = model.body_count, model.dof_count
    links, bodies = np.zeros((n, at.BODY_INTS), np.int64), np.zeros((n, at.BODY_NUMBERS))
    rows: list[Array] = []
    kinds: list[list[int]] = []
    slots: list[tuple[int, int, int]] = []
    python_joints: list[int] = []
    tilts = np.tile(np.eye(3), (n, 1, 1))
    for j, joint in enumerate(model.joints):
        columns = model.columns(j)
        links[j, at.DOF], links[j, at.NDOF] = columns.start, joint.ndof
        links[j, at.PRESCRIBED] = bool(model.prescribed[columns].any())
        listed = trusted_primitives(joint)
        if listed is None:
            python_joints.append(j)
            links[j, at.FIRST] = links[j, at.LAST] = -1
            continue
        links[j, at.FIRST] = len(rows)
        links[j, at.MODE] = _mode(listed)
        if links[j, at.MODE] == at.HINGE:
            tilts[j] = rotation_to(listed[0].turn)
            listed = (replace(listed[0], turn=(0.0, 0.0, 1.0)),)
        _add_primitives(model, j, listed, rows, kinds, slots)
        links[j, at.LAST] = len(rows)
    links[:, at.PARENT], links[:, at.ROLE] = model.parent, roles(model.parent, links[:, at.NDOF])
    _fill_bodies(model, bodies, tilts)
    _find_parallel(links, bodies)
    _fill_screws(model, links, kinds, rows, bodies)
    tables, pool = _tables(model)
    forces = pack_forces(model, tilts, len(tables), len(pool))
    loads = (
        *(model.torque, model.stiffness, model.rest, model.damping),
        *(model.lower, model.upper, model.limit_stiffness, model.limit_damping),
    )
    given = np.flatnonzero(model.prescribed)
    acting = (model.torque, model.stiffness, model.damping, model.limit_stiffness, model.limit_damping)
    loaded = any(numbers.any() for numbers in acting) or (
        len(tables) and (tables[:, at.TABLE_KIND] != at.ANIMATION).any()
    )
    tables, pool = np.concatenate([tables, forces.tables]), np.concatenate([pool, forces.pool])
    lines, facing = pack_rows(model, tilts)
    kept = np.arange(len(lines.ints)) if keep_rows is None else keep_rows
    idle = np.setdiff1d(np.arange(len(lines.ints)), kept)
    parts = (lines.chosen(kept), lines.chosen(idle), facing)
    row_ints, row_values = (np.concatenate(x) for x in zip(*((p.ints, p.values) for p in parts), strict=True))
    ways = pack_ways(model.parent, parts[0].ints)
    sizes = [n, len(rows), len(tables), len(pool), len(given), len(slots)]
    head = [
        *sizes,
        int(loaded),
        int(model.body_damping.any()),
        0,
        0,
        nr,
        len(kept),
        len(forces.ints),
        len(forces.points),
        len(row_ints),
        len(ways),
        int(_is_flat(links)),
    ]
    numbers = np.array(kinds, np.int64).ravel()
    ints: list[Any] = [head, links.ravel(), numbers, tables.ravel(), given, row_ints.ravel(), ways]
    ints += [forces.ints.ravel(), forces.points, np.zeros(len(slots))]
    vectors = np.zeros((at.VECTOR_ROWS, nr))
    vectors[at.START] = model.q0
    floats = [
        bodies.ravel(),
        np.array(rows).ravel(),
        np.stack(loads, axis=1).ravel(),
        pool,
        world_numbers(model),
        vectors.ravel(),
        constant_work(links, bodies).ravel(),
        columns_of_s(links, nr).ravel(),
        np.eye(3).ravel(),
        np.zeros(3 + n * at.POSE),
        row_values.ravel(),
        np.zeros(len(row_ints) * at.ROW_WORK + solving_space(model, len(kept))),
    ]
    all_ints, all_floats = np.concatenate(ints).astype(np.int64), np.concatenate(floats)
    all_ints[at.N_INTS], all_ints[at.N_FLOATS] = len(all_ints), len(all_floats)
    all_ints.setflags(write=False)
    all_floats.setflags(write=False)
    singular = any(joint.has_singularity and not links[j, at.PRESCRIBED] for j, joint in enumerate(model.joints))
    return Packed(all_ints, all_floats, tuple(slots), tuple(python_joints), singular, row_ints, len(facing.ints))


def roles(parent: IntArray, ndof: IntArray) -> IntArray:
    """(n,) of each body, as in `layout`. ndof: (n,) coordinates of its joint."""
    n = len(parent)
    last = np.full(n + 1, -1, np.int64)
    last[parent] = np.arange(n)  # of those with the same parent the last remains
    rests = np.append(ndof == 0, True)
    for j, p in enumerate(parent.tolist()):
        rests[j] &= rests[p]
    role = np.zeros(n, np.int64)
    role[last[:n] < 0] += at.LEAF
    role[last[parent] == np.arange(n)] += at.LAST_CHILD
    role[rests[:n]] += at.AT_REST
    role[rests[parent]] += at.ON_REST
    return role


def constant_work(links: IntArray, bodies: Array) -> Array:
    """(n + 1, WORK) work space of the world and the bodies; of hinges what does not change is filled in once."""
    rows = np.zeros((len(links) + 1, at.WORK))
    hinges = is_hinge(links)
    rows[1:][hinges, at.R : at.R + 12] = bodies[hinges, at.R0 : at.R0 + 12]
    return rows


def columns_of_s(links: IntArray, nr: int) -> Array:
    """(nr, DOF_WORK) where kernels keep S; those of hinges are constant and filled in once."""
    rows = np.zeros((nr, at.DOF_WORK))
    rows[links[is_hinge(links), at.DOF], at.S + 2] = 1.0
    return rows


def is_hinge(links: IntArray) -> BoolArray:
    return np.isin(links[:, at.MODE], (at.HINGE, at.PARALLEL))


def _find_parallel(links: IntArray, bodies: Array) -> None:
    """Hinges about the same direction as the hinge they hang on, but for rounding, which is taken from them."""
    hinges = np.append(is_hinge(links), False)
    R0 = bodies[:, at.R0 : at.R0 + 9]
    tilt = np.abs(R0[:, [2, 5, 6, 7]]).max(axis=1, initial=0.0)
    parallel = hinges[:-1] & hinges[links[:, at.PARENT]] & (tilt <= SAME_DIRECTION) & (R0[:, 8] > 0.0)
    links[parallel, at.MODE] = at.PARALLEL
    x, y = R0[parallel, 0], R0[parallel, 3]
    zero, one = np.zeros_like(x), np.ones_like(x)
    R0[parallel] = np.stack([x, -y, zero, y, x, zero, zero, zero, one], axis=1)


def _is_flat(links: IntArray) -> bool:
    """Whether all that moves are simulated hinges, each on what is at rest or parallel to the one it hangs on."""
    mode, role = links[:, at.MODE], links[:, at.ROLE]
    on_rest = (mode == at.HINGE) & (role & at.ON_REST != 0)
    in_plane = (mode == at.PARALLEL) | on_rest | (role & at.AT_REST != 0)
    return bool(in_plane.all() and not links[:, at.PRESCRIBED].any())


def _add_primitives(
    model: Model,
    j: int,
    listed: tuple[Primitive, ...],
    rows: list[Array],
    kinds: list[list[int]],
    slots: list[tuple[int, int, int]],
) -> None:
    start, divisor = int(model.dof[j]), 1
    separate = int(j in model.charted_loads)
    for primitive in listed:
        if primitive.kind == Kind.SCREW:
            rows.append(_screw(primitive))
            kinds.append([at.SCREW, start, -1, 0, 0, 0, 0, 0])
        elif primitive.kind == Kind.BALL:
            rows.append(np.zeros(at.PRIMITIVE_NUMBERS))
            kinds.append([at.BALL, start, -1, 0, 0, separate, 0, 0])
        else:
            for place, axis in enumerate(primitive.axes):
                rows.append(np.zeros(at.PRIMITIVE_NUMBERS))
                kinds.append([at.ANGLE, start + place, len(slots), place, axis, separate, 0, 0])
            slots.append((j, divisor, primitive.chart_count))
        divisor *= primitive.chart_count
        start += primitive.ndof


def _screw(primitive: Primitive) -> Array:
    row = np.zeros(at.PRIMITIVE_NUMBERS)
    row[at.TURN : at.TURN + 3], row[at.ADVANCE : at.ADVANCE + 3] = primitive.turn, primitive.advance
    return row


def _fill_screws(model: Model, links: IntArray, kinds: list[list[int]], rows: list[Array], bodies: Array) -> None:
    """What a joint of a single screw needs: its rotation as a sum of constant matrices."""
    for j in range(model.body_count):
        first = int(links[j, at.FIRST])
        if links[j, at.LAST] - first != 1 or kinds[first][at.KIND] != at.SCREW:
            continue
        row, base = rows[first], bodies[j, at.R0 : at.R0 + 9].reshape(3, 3)
        x, y, z = row[at.TURN : at.TURN + 3]
        hat = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        square = hat @ hat
        row[at.K0 : at.K0 + 9] = (base @ (np.eye(3) + square)).ravel()
        row[at.K1 : at.K1 + 9] = (base @ -square).ravel()
        row[at.K2 : at.K2 + 9] = (base @ hat).ravel()
        row[at.STEP : at.STEP + 3] = base @ row[at.ADVANCE : at.ADVANCE + 3]


def _mode(listed: tuple[Primitive, ...]) -> int:
    if len(listed) != 1:
        return at.GENERAL
    (only,) = listed
    if only.kind == Kind.BALL:
        return at.BALL_ALONE
    return at.HINGE if only.kind == Kind.SCREW and any(only.turn) and not any(only.advance) else at.GENERAL


def rotation_to(axis: tuple[float, float, float]) -> Array:
    """(3, 3) the rotation that takes z to a unit axis by the shortest way."""
    x, y, z = axis
    if z < -0.5:  # first half a turn about x, so that the way to go is short
        return np.diag([1.0, -1.0, -1.0]) @ rotation_to((x, -y, -z))
    k = 1.0 / (1.0 + z)
    return np.array([[1.0 - k * x * x, -k * x * y, x], [-k * x * y, 1.0 - k * y * y, y], [-x, -y, z]])


def _fill_bodies(model: Model, bodies: Array, tilts: Array) -> None:
    n = model.body_count
    back = np.swapaxes(tilts, 1, 2)
    R, c, m = back @ model.E_ji[:, :3, :3], (back @ model.E_ji[:, :3, 3:])[:, :, 0], model.inertia[:, 3]
    parent_back = np.concatenate([back, np.eye(3)[None]])[model.parent]
    # Steiner: I about the joint frame's origin, in the joint frame
    I = R @ (model.inertia[:, :3, None] * np.swapaxes(R, 1, 2))
    I += m[:, None, None] * ((c * c).sum(axis=1)[:, None, None] * np.eye(3) - c[:, :, None] * c[:, None, :])
    bodies[:, at.R0 : at.R0 + 9] = (parent_back @ model.E_pj0[:, :3, :3] @ tilts).reshape(n, 9)
    bodies[:, at.P0 : at.P0 + 3] = (parent_back @ model.E_pj0[:, :3, 3:])[:, :, 0]
    bodies[:, at.MASS] = m
    bodies[:, at.MOMENT : at.MOMENT + 3] = m[:, None] * c
    bodies[:, at.INERTIA : at.INERTIA + 6] = I.reshape(n, 9)[:, [0, 1, 2, 4, 5, 8]]
    bodies[:, at.CENTER : at.CENTER + 3] = c
    bodies[:, at.DAMPING] = model.body_damping
    E_jb = model.E_ji @ model.E_ib
    bodies[:, at.R_JB : at.R_JB + 9] = (back @ E_jb[:, :3, :3]).reshape(n, 9)
    bodies[:, at.P_JB : at.P_JB + 3] = (back @ E_jb[:, :3, 3:])[:, :, 0]
    bodies[:, at.TILT : at.TILT + 9] = tilts.reshape(n, 9)


def _tables(model: Model) -> tuple[IntArray, Array]:
    rows: list[list[int]] = []
    pool: list[Array] = []
    length = 0
    for j, joint in enumerate(model.joints):
        animation = joint.animation if joint.motion_type == ANIMATED else None
        for kind, table in (
            (at.ANIMATION, animation),
            (at.TORQUE_TABLE, joint.torque_table),
            (at.SPRING_TABLE, joint.stiffness_table),
        ):
            if table is None or joint.ndof == 0:
                continue
            rows.append([kind, int(model.dof[j]), joint.ndof, len(table.x), length])
            numbers = table_numbers(table)
            pool.append(numbers)
            length += len(numbers)
    packed = np.concatenate([np.zeros(0), *pool])
    return np.array(rows, np.int64).reshape(len(rows), at.TABLE_INTS), packed


def chart_digits(packed: Packed, chart: IntArray) -> IntArray:
    """Chart of every Euler slot from the charts of the joints (n,)."""
    return np.array([chart[j] // divisor % count for j, divisor, count in packed.slots], np.int64)


def charts_of(packed: Packed, chart: IntArray, digits: IntArray) -> IntArray:
    """Charts of the joints (n,) with those of the Euler slots put in; joints known only in Python keep theirs."""
    result = chart.copy()
    for (j, divisor, count), digit in zip(packed.slots, digits.tolist(), strict=True):
        result[j] += (digit - int(result[j]) // divisor % count) * divisor
    return result
