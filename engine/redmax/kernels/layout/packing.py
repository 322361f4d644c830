# SPDX-License-Identifier: GPL-3.0-or-later
"""A model as the two arrays that kernels read; `declaration` says what stands where."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array, IntArray
from ...joints.primitives import Kind, Primitive
from ...joints.trusted import trusted_primitives
from ...model import Model
from . import codes
from .arrays import assembled
from .declaration import Body, Link, Pose, PrimitiveInts, Screw, Table, Vector, World
from .packing_bodies import (
    columns_of_s,
    constant_work,
    fill_bodies,
    is_planar,
    mark_parallel_hinges,
    roles,
    rotation_to,
)
from .packing_forces import pack_forces
from .packing_paths import pack_paths
from .packing_rows import pack_rows
from .packing_tables import pack_tables


@dataclass(frozen=True, eq=False)
class Packed:
    """ints and floats: the two arrays of a model, as `declaration` has them. Both are read-only: a run works in copies.

    slots: for each Euler slot its joint, and the divisor and the modulus that give its chart from the joint's.
    python_joints: joints known only by their `motion`. singular: whether a simulated joint has a singularity.
    rows: (m, RowBodies.SIZE) of the rows of loops. directions: how many of the last ones are axes that must not point
    in opposite directions. determined: whether redundant rows move nothing, so that the other multipliers are unique.
    """

    ints: IntArray
    floats: Array
    slots: tuple[tuple[int, int, int], ...]
    python_joints: tuple[int, ...]
    singular: bool
    rows: IntArray
    directions: int
    determined: bool = True

    @property
    def whole(self) -> bool:
        """Whether kernels know every joint."""
        return not self.python_joints


def pack(model: Model, solve_for: IntArray | None = None) -> Packed:
    """The arrays of a model; `model.once(pack)` makes them only once.

    solve_for: which rows of loops are solved for, in ascending order; all if left out.
    """
    n, nr = model.body_count, model.dof_count
    links, bodies = np.zeros((n, Link.SIZE), np.int64), np.zeros((n, Body.SIZE))
    rows: list[Array] = []
    kinds: list[list[int]] = []
    slots: list[tuple[int, int, int]] = []
    python_joints: list[int] = []
    tilts = np.tile(np.eye(3), (n, 1, 1))
    for j, joint in enumerate(model.joints):
        columns = model.columns(j)
        links[j, Link.DOF], links[j, Link.NDOF] = columns.start, joint.ndof
        links[j, Link.PRESCRIBED] = bool(model.prescribed[columns].any())
        listed = trusted_primitives(joint)
        if listed is None:
            python_joints.append(j)
            links[j, Link.FIRST] = links[j, Link.LAST] = -1
            continue
        links[j, Link.FIRST] = len(rows)
        links[j, Link.MODE] = _mode(listed)
        if links[j, Link.MODE] == codes.HINGE:
            tilts[j] = rotation_to(listed[0].turn)
            listed = (replace(listed[0], turn=(0.0, 0.0, 1.0)),)
        _add_primitives(model, j, listed, rows, kinds, slots)
        links[j, Link.LAST] = len(rows)
    links[:, Link.PARENT], links[:, Link.ROLE] = model.parent, roles(model.parent, links[:, Link.NDOF])
    fill_bodies(model, bodies, tilts)
    mark_parallel_hinges(links, bodies)
    _fill_screws(model, links, kinds, rows, bodies)
    tables, pool = pack_tables(model)
    forces = pack_forces(model, tilts, len(tables), len(pool))
    loads = (
        *(model.torque, model.stiffness, model.rest, model.damping),
        *(model.lower, model.upper, model.limit_stiffness, model.limit_damping),
    )
    given = np.flatnonzero(model.prescribed)
    acting = (model.torque, model.stiffness, model.damping, model.limit_stiffness, model.limit_damping)
    loaded = any(numbers.any() for numbers in acting) or (
        len(tables) and (tables[:, Table.KIND] != codes.ANIMATION).any()
    )
    tables, pool = np.concatenate([tables, forces.tables]), np.concatenate([pool, forces.pool])
    found, directions = pack_rows(model, tilts)
    solved = np.arange(len(found.ints)) if solve_for is None else solve_for
    redundant = np.setdiff1d(np.arange(len(found.ints)), solved)
    parts = (found.chosen(solved), found.chosen(redundant), directions)
    row_bodies, row_vectors = (np.concatenate(x) for x in zip(*((p.ints, p.values) for p in parts), strict=True))
    paths = pack_paths(model.parent, parts[0].ints)
    vectors, poses = np.zeros((Vector.SIZE, nr)), np.zeros((n + 1, Pose.SIZE))
    vectors[Vector.START], poses[0, Pose.span("R")] = model.q0, np.eye(3).ravel()
    counts = {
        "BODIES": n,
        "PRIMITIVES": len(rows),
        "TABLES": len(tables),
        "POOL": len(pool),
        "PRESCRIBED": len(given),
        "SLOTS": len(slots),
        "HAS_LOADS": int(loaded),
        "HAS_BODY_DAMPING": int(model.body_damping.any()),
        "DOFS": nr,
        "ROWS": len(solved),
        "FORCES": len(forces.ints),
        "FORCE_POINTS": len(forces.points),
        "ALL_ROWS": len(row_bodies),
        "PATHS": len(paths),
        "IS_PLANAR": int(is_planar(links)),
    }
    contents = {
        "links": links,
        "kinds": np.array(kinds, np.int64),
        "tables": tables,
        "prescribed": given,
        "row_bodies": row_bodies,
        "paths": paths,
        "forces": forces.ints,
        "force_points": forces.points,
        "bodies": bodies,
        "numbers": np.array(rows),
        "dofs": np.stack(loads, axis=1),
        "pool": pool,
        "world": _world(model),
        "vectors": vectors,
        "body_work": constant_work(links, bodies),
        "columns": columns_of_s(links, nr),
        "poses": poses,
        "row_vectors": row_vectors,
    }
    ints, floats = assembled(counts, contents)
    singular = any(joint.has_singularity and not links[j, Link.PRESCRIBED] for j, joint in enumerate(model.joints))
    return Packed(ints, floats, tuple(slots), tuple(python_joints), singular, row_bodies, len(directions.ints))


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
            kinds.append([codes.SCREW, start, -1, 0, 0, 0, 0, 0])
        elif primitive.kind == Kind.BALL:
            rows.append(np.zeros(Screw.SIZE))
            kinds.append([codes.BALL, start, -1, 0, 0, separate, 0, 0])
        else:
            for place, axis in enumerate(primitive.axes):
                rows.append(np.zeros(Screw.SIZE))
                kinds.append([codes.ANGLE, start + place, len(slots), place, axis, separate, 0, 0])
            slots.append((j, divisor, primitive.chart_count))
        divisor *= primitive.chart_count
        start += primitive.ndof


def _screw(primitive: Primitive) -> Array:
    row = np.zeros(Screw.SIZE)
    row[Screw.TURN : Screw.TURN + 3], row[Screw.ADVANCE : Screw.ADVANCE + 3] = primitive.turn, primitive.advance
    return row


def _fill_screws(model: Model, links: IntArray, kinds: list[list[int]], rows: list[Array], bodies: Array) -> None:
    """What a joint of a single screw needs: its rotation as a sum of constant matrices."""
    for j in range(model.body_count):
        first = int(links[j, Link.FIRST])
        if links[j, Link.LAST] - first != 1 or kinds[first][PrimitiveInts.KIND] != codes.SCREW:
            continue
        row, base = rows[first], bodies[j, Body.span("R0")].reshape(3, 3)
        x, y, z = row[Screw.TURN : Screw.TURN + 3]
        hat = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        square = hat @ hat
        row[Screw.K0 : Screw.K0 + 9] = (base @ (np.eye(3) + square)).ravel()
        row[Screw.K1 : Screw.K1 + 9] = (base @ -square).ravel()
        row[Screw.K2 : Screw.K2 + 9] = (base @ hat).ravel()
        row[Screw.STEP : Screw.STEP + 3] = base @ row[Screw.ADVANCE : Screw.ADVANCE + 3]


def _mode(listed: tuple[Primitive, ...]) -> int:
    if len(listed) != 1:
        return codes.GENERAL
    (only,) = listed
    if only.kind == Kind.BALL:
        return codes.BALL_ALONE
    return codes.HINGE if only.kind == Kind.SCREW and any(only.turn) and not any(only.advance) else codes.GENERAL


def _world(model: Model) -> Array:
    """(World.SIZE,) with gravity [m/s^2]; no row has had a strength yet."""
    numbers = np.zeros(World.SIZE)
    numbers[World.span("GRAVITY")], numbers[World.LEAST_STRENGTH] = model.gravity, np.inf
    return numbers


def chart_digits(packed: Packed, chart: IntArray) -> IntArray:
    """Chart of every Euler slot from the charts of the joints (n,)."""
    return np.array([chart[j] // divisor % count for j, divisor, count in packed.slots], np.int64)


def charts_of(packed: Packed, chart: IntArray, digits: IntArray) -> IntArray:
    """Charts of the joints (n,) with those of the Euler slots put in; joints known only in Python keep theirs."""
    result = chart.copy()
    for (j, divisor, count), digit in zip(packed.slots, digits.tolist(), strict=True):
        result[j] += (digit - int(result[j]) // divisor % count) * divisor
    return result
