# SPDX-License-Identifier: GPL-3.0-or-later
"""A model as the few arrays that kernels read; see `layout`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array, IntArray
from ...joints.special import Form
from ...model import Model
from . import codes
from .arrays import assembled
from .declaration import Body, Link, Pose, Table, Vector, World
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
from .packing_joints import PackedJoints, pack_joints, special_forms
from .packing_paths import pack_ways
from .packing_rows import pack_rows
from .packing_tables import pack_tables


@dataclass(frozen=True, eq=False)
class Packed:
    """ints and floats: everything about a model, one array each, with work space at the end; see `layout`.

    A call from Python pays for every array it hands over. Kernels find the parts by `arrays_of`. Both are read-only:
    a run works in copies of them.
    joints: what is known of joints besides. singular: whether a simulated joint has a singularity.
    lines: (lines, ROW_INTS) of the rows of loops. facing: how many of the last are axes that must not point opposite
    ways. determined: whether the rows that are not kept move nothing, so that the multipliers of the others are known.
    """

    ints: IntArray
    floats: Array
    joints: PackedJoints
    singular: bool
    lines: IntArray
    facing: int
    determined: bool = True

    @property
    def whole(self) -> bool:
        """Whether kernels know every joint."""
        return not self.joints.python_joints


def pack(model: Model, keep_rows: IntArray | None = None) -> Packed:
    """The arrays of a model; `model.once(pack)` makes them only once. keep_rows: of constraints; all if left out."""
    n, nr = model.body_count, model.dof_count
    links, bodies = np.zeros((n, Link.SIZE), np.int64), np.zeros((n, Body.SIZE))
    links[:, Link.PARENT] = model.parent
    forms = special_forms(model)
    tilts = np.array([rotation_to(each.turn) if each.form == Form.HINGE else np.eye(3) for each in forms]).reshape(
        n, 3, 3
    )
    fill_bodies(model, bodies, tilts)
    joints = pack_joints(model, forms, links, bodies)
    links[:, Link.ROLE] = roles(model.parent, links[:, Link.NDOF])
    mark_parallel_hinges(links, bodies)
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
    lines, facing = pack_rows(model, tilts)
    kept = np.arange(len(lines.ints)) if keep_rows is None else keep_rows
    idle = np.setdiff1d(np.arange(len(lines.ints)), kept)
    parts = (lines.chosen(kept), lines.chosen(idle), facing)
    row_ints, row_values = (np.concatenate(x) for x in zip(*((p.ints, p.values) for p in parts), strict=True))
    ways = pack_ways(model.parent, parts[0].ints)
    vectors, poses = np.zeros((Vector.SIZE, nr)), np.zeros((n + 1, Pose.SIZE))
    vectors[Vector.START], poses[0, Pose.span("R")] = model.q0, np.eye(3).ravel()
    counts = {
        "BODIES": n,
        "PARTS": len(joints.parts),
        "JOINT_DATA": len(joints.data),
        "TABLES": len(tables),
        "POOL": len(pool),
        "PRESCRIBED": len(given),
        "SLOTS": len(joints.slots),
        "HAS_LOADS": int(loaded),
        "HAS_BODY_DAMPING": int(model.body_damping.any()),
        "DOFS": nr,
        "ROWS": len(kept),
        "FORCES": len(forces.ints),
        "FORCE_POINTS": len(forces.points),
        "ALL_ROWS": len(row_ints),
        "PATHS": len(ways),
        "IS_PLANAR": int(is_planar(links)),
    }
    contents = {
        "links": links,
        "parts": joints.part_ints,
        "tables": tables,
        "prescribed": given,
        "row_bodies": row_ints,
        "paths": ways,
        "forces": forces.ints,
        "force_points": forces.points,
        "bodies": bodies,
        "joint_data": np.array(joints.data),
        "dofs": np.stack(loads, axis=1),
        "pool": pool,
        "world": _world(model),
        "vectors": vectors,
        "body_work": constant_work(links, bodies),
        "columns": columns_of_s(links, nr),
        "poses": poses,
        "row_vectors": row_values,
    }
    ints, floats = assembled(counts, contents)
    singular = bool((links[:, Link.SINGULAR] * (1 - links[:, Link.PRESCRIBED])).any())
    return Packed(ints, floats, joints, singular, row_ints, len(facing.ints))


def _world(model: Model) -> Array:
    """(WORLD_NUMBERS,) gravity [m/s^2], and what kernels note of all bodies; no row was the weakest so far."""
    numbers = np.zeros(World.SIZE)
    numbers[World.span("GRAVITY")], numbers[World.LEAST_STRENGTH] = model.gravity, np.inf
    return numbers


def chart_digits(packed: Packed, chart: IntArray) -> IntArray:
    """Chart of every Euler slot from the charts of the joints (n,)."""
    return np.array([chart[j] // divisor % count for j, divisor, count in packed.joints.slots], np.int64)


def charts_of(packed: Packed, chart: IntArray, digits: IntArray) -> IntArray:
    """Charts of the joints (n,) with those of the Euler slots put in; joints known only in Python keep theirs."""
    result = chart.copy()
    for (j, divisor, count), digit in zip(packed.joints.slots, digits.tolist(), strict=True):
        result[j] += (digit - int(result[j]) // divisor % count) * divisor
    return result
