# SPDX-License-Identifier: GPL-3.0-or-later
"""The power that motors and torques put into a mechanism, and that dampers take out."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..model import Model
from ..tables import Table
from . import body_forces
from .kinematics import Kinematics
from .loads import Loads, own_coordinates, passive_loads
from .motors import motors


def powers(model: Model, kin: Kinematics, load: Loads, tau: Array, t: float) -> Array:
    """(2,) [W]: what motors and torques put in, and what dampers take out, at time t.

    tau: (nr,) whole force along each coordinate, read at animated joints that move; see `HybridDynamics`.
    Where it is not known (NaN), neither is the first power.
    """
    found = along_coordinates(model, own_coordinates(model, kin), kin.qdot, tau - load.f_r, load.D_r, t)
    found[1] += float(model.body_damping @ (kin.phi**2).sum(axis=1))
    return found + body_forces.powers(model, kin.E_wi, kin.phi, t) if model.forces else found


def along_coordinates(
    model: Model, own: tuple[Array, Array, list[tuple[slice, Array]]], qdot: Array, needed: Array, D_r: Array, t: float
) -> Array:
    """(2,) [W]: the part of `powers` that belongs to joints.

    own: of `own_coordinates`. needed: (nr,) what joints need on top of their loads, read at animated ones that move.
    D_r: (nr,) of `Loads`.
    """
    q, qdot_own, changes = own
    # Loads keeps only the diagonal of B^T D B; power is exact in the coordinates the dampers are meant in.
    D = passive_loads(model, q, qdot_own, t)[2] if changes or motors(model).present else D_r
    work = float(applied_torques(model, t) @ qdot_own)
    if motors(model).present:
        work += float(motors(model).loads(q, qdot_own, t)[0] @ qdot_own)
    driven = model.prescribed & (qdot != 0.0)
    if driven.any():
        work += float(needed[driven] @ qdot[driven])
    return np.array([work, -float(D @ qdot_own**2)])


def of_motors(model: Model, kin: Kinematics, t: float) -> tuple[Array, Array]:
    """What motors of simulated joints push with [N m, N or J] and put in [W] at time t, each (nr,).

    Both along the scene's own coordinates; zero where there is no motor.
    """
    if not motors(model).present:
        return np.zeros(model.dof_count), np.zeros(model.dof_count)
    q, qdot, _ = own_coordinates(model, kin)
    f = motors(model).loads(q, qdot, t)[0]
    return f, f * qdot


def applied_torques(model: Model, t: float) -> Array:
    """(nr,) constant torques and torque tables at time t, along the scene's own coordinates [N m or N]."""
    torque = model.torque.copy()
    for columns, table in model.once(_torque_tables):
        torque[columns] += table.value(t)
    return torque


def _torque_tables(model: Model) -> list[tuple[slice, Table]]:
    return [
        (model.columns(j), each.torque_table) for j, each in enumerate(model.joints) if each.torque_table is not None
    ]
