# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes into a mechanism and what it loses: energy(t) - energy(0) = work - loss.

Work comes from motors, from what animated joints need, from joint torques (constant ones and tables) and from forces
that are given or active (muscles), loss from damping of joints, of soft limits while a joint is beyond one, of bodies
and of forces, and from friction in bearings. Springs, limits and gravity are part of the energy.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass

from ..dynamics.energy import mechanical_energy
from ..dynamics.kinematics import kinematics
from ..joints.base import ANIMATED
from ..model import Model
from ..state import State
from .base import Stepper

PER_TOLERANCE, LEAST_PART, MOST_PART = 1e3, 1e-5, 0.1
"""The energy of an explicit run is off by at most so many times its tolerance, and by some part in any case. Measured
over 10 s of all examples and linkages: up to 200 times Draft's, 20 times Standard's; at High, where corners of slack
ropes count, up to 2e-6."""

PER_ROOT, MOST_IMPLICIT_PART = 30.0, 0.3
"""Implicit steps follow work and loss to the root of their tolerance (`LinearlyImplicitExtrapolation`); that of a rope
adds up to the whole of it."""


@dataclass(frozen=True)
class EnergyPromise:
    """How well the energy of a run balances. part: of the energies in play, for a run of some seconds.

    dies_away: whether vibrations are let die away, the energy of which is lost and not booked.
    """

    part: float
    dies_away: bool = False


def explicit_part(rtol: float) -> float:
    """What explicit steps of a tolerance promise."""
    return min(max(PER_TOLERANCE * rtol, LEAST_PART), MOST_PART)


def implicit_part(rtol: float) -> float:
    """What implicit ones do."""
    return min(max(PER_ROOT * math.sqrt(rtol), explicit_part(rtol)), MOST_IMPLICIT_PART)


class BalancedStepper(Stepper):
    """A run that integrates work and loss along with its motion, as accurately as the motion itself."""

    @property
    @abstractmethod
    def energy_promise(self) -> EnergyPromise:
        """How well its energy balances, as far as it has come."""

    @property
    @abstractmethod
    def work(self) -> float:
        """Energy put in since the start [J], impulses at corners of animations included."""

    @property
    @abstractmethod
    def loss(self) -> float:
        """Energy taken out since the start [J]."""


def exchanges_energy(model: Model) -> bool:
    """False where work and loss are zero whatever the mechanism does."""
    numbers = (model.torque, model.damping, model.limit_damping, model.body_damping)
    if any(values.any() for values in numbers) or any(force.exchanges for force in model.forces):
        return True
    if any(constraint.prescribes for constraint in model.constraints):
        return True
    joints = (*model.joints, *(loop.joint for loop in model.loops))
    return any(
        joint.torque_table is not None or joint.motor is not None or joint.motion_type == ANIMATED or joint.rubs
        for joint in joints
    )


def energy_at_unit_speeds(model: Model) -> float:
    """Twice the kinetic energy of all bodies if each turned at 1 rad/s and moved at 1 m/s along every axis [J]."""
    return float(model.inertia.sum())


def energy_of(model: Model, state: State) -> float:
    """Kinetic and potential energy [J]."""
    return mechanical_energy(model, kinematics(model, state.q, state.qdot, state.chart))
