# SPDX-License-Identifier: GPL-3.0-or-later
"""A model as the two arrays that kernels read; `declaration` says what stands where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Array, IntArray
from ...joints.motor import motor_numbers
from ...joints.special import Form
from ...model import Model
from . import codes
from .arrays import assembled
from .declaration import Active, Body, Led, LedNumbers, Link, Pose, Table, Vector, World
from .packing_bearings import pack_bearings
from .packing_bodies import (
    columns_of_s,
    constant_work,
    fill_bodies,
    is_planar,
    mark_parallel_hinges,
    mark_particles,
    roles,
    rotation_to,
)
from .packing_drives import body_of, led_inputs
from .packing_forces import pack_forces
from .packing_joints import PackedJoints, pack_joints, special_forms
from .packing_paths import room_for_paths
from .packing_rows import PackedRows, own_equations, pack_rows
from .packing_tables import pack_tables

FRICTION_PART = 1e-12
"""Friction in bearings is found to this part of itself, unless a run is content with less."""


@dataclass(frozen=True, eq=False)
class Packed:
    """ints and floats: the two arrays of a model, as `declaration` has them. Both are read-only: a run works in copies.

    joints: their parts, and what is known of them besides. singular: whether a simulated joint has a singularity.
    rows: (m, RowBodies.SIZE) of loops and constraints. directions: how many of the last ones are axes that must not
    point in opposite directions. determined: whether redundant rows move nothing, so that the other multipliers are
    unique.
    """

    ints: IntArray
    floats: Array
    joints: PackedJoints
    singular: bool
    rows: IntArray
    directions: int
    determined: bool = True

    @property
    def whole(self) -> bool:
        """Whether kernels know every joint."""
        return not self.joints.python_joints


@dataclass(frozen=True, eq=False)
class Prepared:
    """What is packed of a model whichever of its equations are solved for. counts: of the head, by name; contents: of
    sections."""

    joints: PackedJoints
    rows: PackedRows
    singular: bool
    counts: dict[str, int]
    contents: dict[str, Any]


def pack(model: Model, solve_for: IntArray | None = None) -> Packed:
    """The arrays of a model; `model.once(pack)` makes them only once.

    solve_for: which equations are solved for, in ascending order; all if left out.
    """
    known = model.once(_prepared)
    found, given = known.rows, known.contents["prescribed"]
    solved, left = np.arange(len(found.equations.ints)), np.zeros(len(found.equations.ints), np.bool_)
    if solve_for is not None:
        left[:] = True
        left[solve_for] = False
        solved = solve_for
    parts = (
        found.equations.chosen(solved),
        found.one_sided,
        found.equations.chosen(np.flatnonzero(left)),
        found.facing,
    )
    row_bodies, row_vectors = (np.concatenate(x) for x in zip(*((p.ints, p.values) for p in parts), strict=True))
    row_count = len(solved) + len(found.one_sided.ints)
    active = np.zeros(Active.SIZE, np.int64)
    active[Active.ROWS] = len(solved)
    counts = {
        **known.counts,
        "ROWS": row_count,
        "EQUATIONS": len(solved),
        "OWN_EQUATIONS": 0 if len(given) or model.followers is not None else own_equations(row_bodies[: len(solved)]),
        "ALL_ROWS": len(row_bodies),
        "PATHS": room_for_paths(model.parent, row_bodies[:row_count]),
    }
    contents = {
        **known.contents,
        "row_bodies": row_bodies,
        "row_vectors": row_vectors,
        "active": active,
        "order": np.arange(len(row_bodies)),
    }
    ints, floats = assembled(counts, contents)
    return Packed(ints, floats, known.joints, known.singular, row_bodies, len(found.facing.ints))


def _prepared(model: Model) -> Prepared:
    n, nr = model.body_count, model.dof_count
    links, bodies = np.zeros((n, Link.SIZE), np.int64), np.zeros((n, Body.SIZE))
    links[:, Link.PARENT] = model.parent
    forms = special_forms(model)
    tilts = np.tile(np.eye(3), (n, 1, 1))
    for j, special in enumerate(forms):
        if special.form == Form.HINGE:
            tilts[j] = rotation_to(special.turn)
    fill_bodies(model, bodies, tilts)
    joints = pack_joints(model, forms, links, bodies)
    led, led_numbers = _led(model, links)
    links[:, Link.ROLE] = roles(model.parent, links[:, Link.NDOF])
    mark_parallel_hinges(links, bodies)
    mark_particles(model, links, bodies)
    tables, pool = pack_tables(model)
    forces = pack_forces(model, tilts, len(tables), len(pool))
    loads = (
        *(model.torque, model.stiffness, model.rest, model.damping),
        *(model.lower, model.upper, model.limit_stiffness, model.limit_damping),
        *motor_numbers(model.joints),
    )
    motors = sum(joint.motor is not None for joint in model.joints)
    given = np.flatnonzero(model.prescribed)
    acting = (model.torque, model.stiffness, model.damping, model.limit_stiffness, model.limit_damping)
    loaded = any(numbers.any() for numbers in acting) or (
        motors or (len(tables) and (tables[:, Table.KIND] != codes.ANIMATION).any())
    )
    tables, pool = np.concatenate([tables, forces.tables]), np.concatenate([pool, forces.pool])
    found = pack_rows(model, tilts, len(tables), len(pool))
    tables, pool = np.concatenate([tables, found.tables]), np.concatenate([pool, found.pool])
    vectors, poses = np.zeros((Vector.SIZE, nr)), np.zeros((n + 1, Pose.SIZE))
    vectors[Vector.START], poses[0, Pose.span("R")] = model.q0, np.eye(3).ravel()
    bearings = pack_bearings(model)
    counts = {
        "BODIES": n,
        "PARTS": len(joints.parts),
        "JOINT_DATA": len(joints.data),
        "TABLES": len(tables),
        "POOL": len(pool),
        "PRESCRIBED": len(given),
        "SLOTS": len(joints.slots),
        "HAS_LOADS": int(bool(loaded)),
        "MOTORS": motors,
        "HAS_BODY_DAMPING": int(model.body_damping.any()),
        "DOFS": nr,
        "STOPS": len(found.one_sided.ints),
        "DRIVEN": found.driven,
        "FOLLOWERS": len(found.followers),
        "FOLLOWED": len(found.followed),
        "LED": len(led),
        "FORCES": len(forces.ints),
        "FORCE_POINTS": len(forces.points),
        "IS_PLANAR": int(is_planar(links)),
        "BEARINGS": len(bearings.ints),
    }
    contents = {
        "links": links,
        "parts": joints.part_ints,
        "tables": tables,
        "prescribed": given,
        "followers": found.followers,
        "followed": found.followed,
        "led": led,
        "led_numbers": led_numbers,
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
        "bearings": bearings.ints,
        "bearing_numbers": bearings.numbers,
    }
    singular = bool((links[:, Link.SINGULAR] * (1 - links[:, Link.PRESCRIBED])).any())
    return Prepared(joints, found, singular, counts, contents)


def _led(model: Model, links: IntArray) -> tuple[IntArray, Array]:
    """(l, Led.SIZE) and (l, LedNumbers.SIZE). The joints of these inputs take no part in elimination."""
    found = model.once(led_inputs)
    if found is None:
        return np.zeros((0, Led.SIZE), np.int64), np.zeros((0, LedNumbers.SIZE))
    lines, coordinates = np.nonzero(found.factors)
    bodies = np.array([body_of(model, coordinate) for coordinate in found.inputs.tolist()], np.int64)
    links[bodies, Link.PRESCRIBED] = 1
    numbers = np.stack([found.factors[lines, coordinates], found.offsets[coordinates]], axis=1)
    return np.stack([found.inputs[lines], bodies[lines], coordinates], axis=1), numbers


def _world(model: Model) -> Array:
    """(World.SIZE,) with gravity [m/s^2]; no row has had a strength yet."""
    numbers = np.zeros(World.SIZE)
    numbers[World.span("GRAVITY")], numbers[World.LEAST_STRENGTH] = model.gravity, np.inf
    numbers[World.LEAST_CLOSENESS], numbers[World.FRICTION_PART] = np.inf, FRICTION_PART
    numbers[World.FRICTION_RATIO] = 1.0
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
