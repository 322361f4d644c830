# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of forces, constraints, strands, drives and surfaces as animated custom properties of objects. SI units.

a force        what it tells of itself (`BoundForce.results`): redmax_tension [N], redmax_length [m] and
               redmax_elastic_energy [J] of a spring, a cable or a muscle, and of the last redmax_activation;
               redmax_wrench [N m, N] of any other
a constraint   redmax_holding, the force or torque along each of its conditions [N, N m]
a drive        redmax_input, coordinate, velocity and force of each of its inputs, one after another
a strand       redmax_length [m], from node to node; redmax_tension [N], the greatest of its segments, and
               redmax_elastic_energy [J], both without damping
a surface      redmax_normal_force [N], the sum over its contacts; redmax_friction_force [N], what friction amounts to;
               redmax_slip [m/s], the largest of them; redmax_impact [N s], the largest since the frame before
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..._engine import adjoint, arrays, compile, constraint_rows, halves, kinematics, pose, quaternion, trajectory
from ...properties import result_names

if TYPE_CHECKING:
    from ..extract.extraction import Extraction

Array = arrays.Array
Trajectory = trajectory.Trajectory

NORMAL, FRICTION, SLIP, IMPACT = (
    f"{result_names.PREFIX}{name}" for name in ("normal_force", "friction_force", "slip", "impact")
)


class ElementChannel(NamedTuple):
    """values: (f, k). units: of each of the k numbers. seen_from: of a motion, what it is relative to."""

    values: Array
    units: tuple[str, ...]
    seen_from: str = ""


Channels = dict[str, dict[str, ElementChannel]]
"""By object and custom property."""


def element_channels(extraction: Extraction, result: Trajectory) -> Channels:
    """Of every element beside bodies and joints what a result tells of it."""
    return _told(extraction, result, tuple(PROVIDERS))


def line_channels(extraction: Extraction, result: Trajectory) -> Channels:
    """The same of what may be a line: forces and strands."""
    return _told(extraction, result, ("forces", "strands"))


def _told(extraction: Extraction, result: Trajectory, providers: tuple[str, ...]) -> Channels:
    scene = extraction.scene
    listed = [name for name in providers if getattr(scene, name)]
    if not listed:
        return {}
    model = halves.undivided(compile.compile(scene))
    found: Channels = {}
    for name in listed:
        for element, prop, channel in PROVIDERS[name](scene, model, result):
            if np.isfinite(channel.values).all():  # nothing determines what holds bodies without mass
                found.setdefault(element, {})[prop] = channel
    return found


Found = Iterator[tuple[str, str, ElementChannel]]


def _forces(scene: Any, model: Any, result: Trajectory) -> Found:
    """From the poses and twists of the result: forces depend on nothing else."""
    named = {force.name: force for force in model.forces}
    order = [result.body(name) for name in model.body_names[: len(result.body_names)]]
    E_wb = np.tile(np.eye(4), (len(result), len(order), 1, 1))
    E_wb[:, :, :3, :3] = quaternion.to_matrix(result.rotation[:, order])
    E_wb[:, :, :3, 3] = result.position[:, order]
    E_ib = model.E_ib[: len(order)]
    E_wi = E_wb @ pose.inverse(E_ib)
    phi = (adjoint.Ad(E_ib) @ result.channels["twist"][:, order, :, None])[..., 0]
    world = np.tile(np.eye(4), (len(result), 1, 1, 1)), np.zeros((len(result), 1, 6))
    E_wi, phi = np.concatenate([E_wi, world[0]], axis=1), np.concatenate([phi, world[1]], axis=1)
    for force in scene.forces:
        bound = named[force.name]
        bodies = list(bound.bodies)
        rows = [
            bound.result_values(E, twist, float(t))
            for E, twist, t in zip(E_wi[:, bodies], phi[:, bodies], result.t, strict=True)
        ]
        for number, told in enumerate(bound.results):
            values = np.array([row[number] for row in rows], np.float64).reshape(len(result), -1)
            yield force.name, f"{result_names.PREFIX}{told.name}", ElementChannel(values, told.units)


def _constraints(scene: Any, model: Any, result: Trajectory) -> Found:
    """Multipliers of the rows, in the scene's order."""
    state = model.initial_state()
    kin = kinematics.kinematics(model, state.q, state.qdot, state.chart)
    rows = constraint_rows.constraint_rows(model, kin, 0.0, quick=False)
    first = sum(owner < len(model.loops) for owner in rows.owner)
    for number, constraint in enumerate(model.constraints[: len(scene.constraints)]):
        own = [row for row, owner in enumerate(rows.owner) if owner == len(model.loops) + number]
        units = tuple(_unit(model, rows, row) for row in own)
        values = result.channels["constraint"][:, [row - first for row in own]]
        yield constraint.name, result_names.HOLDING, ElementChannel(values, units)


def _unit(model: Any, rows: Any, row: int) -> str:
    """Of a condition on joint coordinates, that of the force along the one that counts once; else N or N m."""
    for start, joint, C in rows.on_joints:
        if start <= row < start + len(C):
            for unit, factor in zip(model.joints[joint].dof_units, C[row - start].tolist(), strict=True):
                if abs(factor) == 1.0:
                    return result_names.along(unit)[1]
    return "N" if rows.metres[row] else "N m"


def _strands(scene: Any, model: Any, result: Trajectory) -> Found:
    first = 0
    for described, strand in zip(scene.strands, model.strands, strict=True):
        nodes = result.channels["nodes"][:, first : first + len(strand.owners)]
        first += len(strand.owners)
        length = np.linalg.norm(np.diff(nodes, axis=1), axis=2)
        rest = described.lengths()
        strain = (length - rest) / rest
        if described.pulls_only:
            strain = np.maximum(strain, 0.0)
        tension = float(described.stiffness) * strain
        for name, values, unit in (
            ("tension", tension.max(axis=1), "N"),
            ("length", length.sum(axis=1), "m"),
            ("elastic_energy", 0.5 * (tension * strain * rest).sum(axis=1), "J"),
        ):
            yield strand.name, f"{result_names.PREFIX}{name}", ElementChannel(values[:, None], (unit,))


def _drives(scene: Any, _model: Any, result: Trajectory) -> Found:
    first = 0
    for drive in scene.drives:
        count = len(drive.inputs)
        values = result.channels["input"][:, first : first + count].reshape(len(result), -1)
        first += count
        yield drive.name, f"{result_names.PREFIX}input", ElementChannel(values, ("rad", "rad/s", "N m") * count)


def _surfaces(_scene: Any, _model: Any, result: Trajectory) -> Found:
    """Over the points at which each surface touches others: sums, and the largest slip and impact."""
    contacts = result.contacts
    if contacts is None:
        return
    count = len(result)
    sample = np.repeat(np.arange(count), np.diff(contacts.offsets).astype(np.int64))
    slip = np.linalg.norm(contacts.slip, axis=1)
    impact = result.channels.get("impact")
    for number, name in enumerate(result.meta["surfaces"]):
        own = (contacts.surfaces == number).any(axis=1)
        at, sign = sample[own], np.where(contacts.surfaces[own, :1] == number, 1.0, -1.0)  # forces are on the first
        fastest = np.zeros(count)
        np.maximum.at(fastest, at, slip[own])
        found = {
            NORMAL: (_summed(at, contacts.normal_force[own], count), "N"),
            FRICTION: (np.linalg.norm(_summed(at, sign * contacts.friction[own], count), axis=1), "N"),
            SLIP: (fastest, "m/s"),
        }
        if impact is not None:
            found[IMPACT] = (impact[:, number], "N s")
        for prop, (values, unit) in found.items():
            yield name, prop, ElementChannel(values[:, None], (unit,))


def _summed(at: Any, values: Array, count: int) -> Array:
    """(count, ...) sums of values (k, ...) by their sample at (k,)."""
    sums = np.zeros((count, *values.shape[1:]))
    np.add.at(sums, at, values)
    return sums


PROVIDERS: dict[str, Callable[[Any, Any, Trajectory], Found]] = {
    "forces": _forces,
    "constraints": _constraints,
    "strands": _strands,
    "drives": _drives,
    "surfaces": _surfaces,
}
"""By list of the engine's scene. A list without one has no results of its own."""
