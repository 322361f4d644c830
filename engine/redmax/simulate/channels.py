# SPDX-License-Identifier: GPL-3.0-or-later
"""The channels of a sample, computed by vectorised code."""

from __future__ import annotations

import dataclasses

import numpy as np

from ..arrays import Array, IntArray
from ..dynamics import energy
from ..dynamics.constrained import with_rows
from ..dynamics.constraint_rows import ConstraintRows
from ..dynamics.driven import felt_by_motors
from ..dynamics.hybrid_dynamics import HybridDynamics
from ..dynamics.kinematics import body_poses, body_twists
from ..dynamics.loads import potential_energy
from ..dynamics.powers import of_motors
from ..dynamics.singular import ImmovableError
from ..integrators.contact.account import ContactSample
from ..integrators.routes import MechanismAt
from ..integrators.routes.constrained import Constrained, HeldMotion
from ..integrators.routes.route import Unconstrained
from ..integrators.routes.solvable import solvable
from ..model import Model
from ..spatial import adjoint, pose
from .exchange import Exchange
from .sample import NO_CONSTRAINTS


def channels_of(
    route: Constrained | Unconstrained, coordinates: MechanismAt, at: MechanismAt, exchange: Exchange
) -> tuple[dict[str, Array], ConstraintRows | None]:
    """All channels of a sample, and its rows.

    coordinates: the mechanism as its joint coordinates say. at: with its bodies where the run has them.
    """
    model, kin, load = at.model, at.kin, at.load
    rows, held = None, NO_CONSTRAINTS
    if isinstance(route, Constrained):
        with solvable(coordinates):
            motion = route.held_motion(coordinates)
        rows, held, power = motion.rows, _held(model, motion), motion.powers
        load = with_rows(model, load, rows, motion.multipliers)
        hybrid = at.formulation.inverse_dynamics(model, kin, load, motion.qddot)
        held["loop_reaction"] = of_halves(model, held["loop_reaction"], hybrid.F)
    else:
        try:
            hybrid = route.motion(at)
        except ImmovableError:
            unknown, wrenches = np.full(model.dof_count, np.nan), np.full((model.body_count, 6), np.nan)
            hybrid = HybridDynamics(unknown, unknown, wrenches, wrenches)
        power = route.powers(at, hybrid.tau)
    kinetic, potential = energy.kinetic_energy(model, kin), potential_energy(model, kin)
    work, loss = exchange.until(at.t, power)
    E_jb = model.E_ji @ model.E_ib
    channels = {
        "twist": body_twists(model, kin),
        "acceleration": adjoint.transform_twist(pose.inverse(E_jb), hybrid.Vdot),
        "qddot": hybrid.qddot,
        "chart": kin.chart.astype(np.float64),
        "kinetic": np.array(kinetic),
        "potential": np.array(potential),
        "energy": np.array(kinetic + potential),
        "work": np.array(work),
        "loss": np.array(loss),
        "reaction": hybrid.F,
        "torque": hybrid.tau,
        **motor_channels(
            model, kin.qdot, felt_by_motors(model, kin.q, hybrid.tau - load.f_r), *of_motors(model, kin, at.t)
        ),
        **held,
        "center_of_mass": energy.center_of_mass(model, kin),
        "momentum": energy.spatial_momentum(model if model.followers is None else model.once(_without_armatures), kin),
        **nodes(model, body_poses(model, kin)),
        **drive_channels(model, kin.q, kin.qdot, hybrid.tau - load.f_r),
    }
    return channels, rows


def motor_channels(model: Model, qdot: Array, needed: Array, motor: Array, power: Array) -> dict[str, Array]:
    """The channels of motors. needed: (nr,) what prescribed coordinates need on top of loads. motor, power: (nr,) of
    motors of simulated joints."""
    if not model.once(_moves):
        return {"motor": motor, "motor_power": power}
    return {
        "motor": np.where(model.prescribed, needed, motor),
        "motor_power": np.where(model.prescribed, np.where(qdot != 0.0, needed * qdot, 0.0), power),
    }


def _moves(model: Model) -> bool:
    """Whether any coordinate is animated or locked."""
    return bool(model.prescribed.any())


def _without_armatures(model: Model) -> Model:
    """The model with inputs of drives that have no inertia: nobody knows where in the world they turn."""
    inertia = model.inertia.copy()
    if model.followers is not None:
        own = model.followers.inputs[np.array(model.followers.own)]
        inertia[np.searchsorted(model.dof, own, side="right") - 1] = 0.0
    return dataclasses.replace(model, inertia=inertia)


def without_armatures(model: Model, E_wb: Array, twist: Array, momentum: Array) -> Array:
    """momentum (6,) of all bodies less that of inputs of drives. E_wb: (n, 4, 4), twist: (n, 6) of the bodies."""
    for body, R_bi, inertia in model.once(_armatures):
        R_wb = E_wb[body, :3, :3]
        momentum[:3] -= R_wb @ (R_bi @ (inertia * (R_bi.T @ twist[body, :3])))
    return momentum


def _armatures(model: Model) -> list[tuple[int, Array, Array]]:
    """Bodies of drives' own inputs that have inertia, with their principal axes and moments of inertia."""
    followers = model.followers
    if followers is None:
        return []
    own = followers.inputs[np.array(followers.own)]
    bodies = np.searchsorted(model.dof, own, side="right") - 1
    return [(b, model.E_ib[b, :3, :3].T, model.inertia[b, :3]) for b in bodies.tolist() if model.inertia[b].any()]


def drive_channels(model: Model, q: Array, qdot: Array, needed: Array) -> dict[str, Array]:
    """The channels of drives, where there are any. needed: (nr,) what they push with, read at followers."""
    followers = model.followers
    if followers is None:
        return {}
    drive = np.zeros(model.dof_count)
    drive[followers.rows] = needed[followers.rows]
    force = followers.pushing(q).J.T @ drive[followers.rows]
    drive[followers.inputs] = -force
    inputs = followers.inputs
    return {"drive": drive, "input": np.stack([q[inputs], qdot[inputs], force], axis=1)}


def nodes(model: Model, E_wb: Array) -> dict[str, Array]:
    """The channel of strands, where there are any."""
    if not model.strands:
        return {}
    return {"nodes": np.concatenate([strand.positions(E_wb) for strand in model.strands])}


def contact_channels(contact: ContactSample) -> dict[str, Array]:
    """The channels of surfaces, where there are any."""
    return {
        "surface_force": contact.surface_force,
        "impact": contact.impact,
        "friction_loss": np.array(contact.friction_loss),
        "impact_loss": np.array(contact.impact_loss),
    }


def _held(model: Model, motion: HeldMotion) -> dict[str, Array]:
    """The channels of loops and constraints."""
    rows, first = motion.rows, sum(len(loop.rate) for loop in motion.rows.loops)
    reaction, gap = np.zeros((len(model.loops), 6)), np.zeros((len(model.loops), 2))
    row = 0
    for number, loop in enumerate(rows.loops):
        reaction[number] = loop.C.T @ motion.multipliers[row : row + len(loop.rate)]
        gap[number] = np.linalg.norm((loop.C.T @ loop.error).reshape(2, 3), axis=1)
        row += len(loop.rate)
    return {"loop_reaction": reaction, "constraint": motion.multipliers[first:], "gap": gap}


def of_halves(model: Model, loop_reaction: Array, reaction: Array) -> Array:
    """(l, 6) wrenches that loop joints pass on, where those that carry halves have theirs among the tree's (n, 6)."""
    halves = model.once(_halves)
    return loop_reaction if halves is None else np.where(halves[:, None] >= 0, reaction[halves], loop_reaction)


def _halves(model: Model) -> IntArray | None:
    """(l,) the halves that loop joints carry, -1 for those that carry none; None where none does."""
    halves = np.array([loop.half for loop in model.loops], np.int64)
    return halves if (halves >= 0).any() else None
