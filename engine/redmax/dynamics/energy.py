# SPDX-License-Identifier: GPL-3.0-or-later
"""Energies, momenta, power and the split of joint wrenches: what a person plots and a test conserves."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..model import Model
from ..spatial import adjoint
from .kinematics import Kinematics
from .loads import Loads, potential_energy


def kinetic_energy(model: Model, kin: Kinematics) -> float:
    """phi^T M phi / 2 summed over the bodies [J]; equals qdot^T M_r qdot / 2."""
    return 0.5 * float(np.sum(model.inertia * kin.phi**2))


def mechanical_energy(model: Model, kin: Kinematics) -> float:
    """Kinetic and potential energy together [J]; constant without damping, torques and prescribed motion."""
    return kinetic_energy(model, kin) + potential_energy(model, kin)


def spatial_momentum(model: Model, kin: Kinematics) -> Array:
    """(6,) angular momentum about the world's origin [kg m^2/s], then linear momentum [kg m/s], along the world's axes.

    Momenta change frame like wrenches: h_w = Ad_iw^T M phi.
    """
    return np.asarray(adjoint.transform_wrench(kin.E_wi, model.inertia * kin.phi).sum(axis=0))


def linear_momentum(model: Model, kin: Kinematics) -> Array:
    """(3,) in the world [kg m/s]."""
    return spatial_momentum(model, kin)[3:]


def angular_momentum(model: Model, kin: Kinematics, about: Array) -> Array:
    """(3,) about a point (3,) of the world, along the world's axes [kg m^2/s]: h_about = h_0 - about x P."""
    h = spatial_momentum(model, kin)
    return np.asarray(h[:3] - np.cross(about, h[3:]))


def center_of_mass(model: Model, kin: Kinematics) -> Array:
    """(3,) in the world [m]; the world's origin for a mechanism without mass."""
    weighted = model.inertia[:, 3] @ kin.E_wi[:, :3, 3]
    return np.asarray(weighted / model.mass if model.mass > 0.0 else np.zeros(3))


def center_of_mass_velocity(model: Model, kin: Kinematics) -> Array:
    """(3,) in the world [m/s]; zero for a mechanism without mass."""
    return linear_momentum(model, kin) / model.mass if model.mass > 0.0 else np.zeros(3)


def load_power(kin: Kinematics, loads: Loads) -> float:
    """Power of all loads, f_m . phi + f_r . qdot [W].

    The rate of kinetic energy when nothing is prescribed; otherwise prescribed joints add (tau - f_r) . qdot.
    """
    return float(np.sum(loads.f_m * kin.phi) + loads.f_r @ kin.qdot)


def split_joint_wrenches(model: Model, kin: Kinematics, F: Array) -> tuple[Array, Array]:
    """Driving and constraint part of the joint wrenches F (n, 6), each (n, 6), in the joint frames [N m, N].

    The driving part S (S^T S)^-1 tau does the work tau . qdot of the joint's force tau = S^T F; the constraint part
    does none: S^T F_constraint = 0. For a joint that only turns or only slides this is the split into torque along
    and reactions across the motion. Where one coordinate does both (a screw), many wrenches have the same tau and
    the shortest is taken, with lengths in metres.
    """
    driving = np.zeros((model.body_count, 6))
    for j in range(model.body_count):
        S = kin.S[:, model.columns(j)]
        driving[j] = np.linalg.pinv(S).T @ (S.T @ F[j])
    return driving, F - driving
