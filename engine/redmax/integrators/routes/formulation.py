# SPDX-License-Identifier: GPL-3.0-or-later
"""The dynamics of a tree by one way of computing them: functions of the same arguments that agree to rounding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from ... import vectorised
from ...arrays import Array, IntArray
from ...dynamics import recursive
from ...dynamics.hybrid_dynamics import HybridDynamics
from ...dynamics.kinematics import Kinematics, kinematics
from ...dynamics.linear_system import LinearSystem
from ...dynamics.loads import Loads, loads
from ...model import Model
from ...reference import floating_base, linearised, projected, projected_drives, si_guenter


class Linearise(Protocol):
    """The linearised system at time t [s]. which: K and D of forces, see `body_forces.couplings`."""

    def __call__(self, model: Model, kin: Kinematics, load: Loads, t: float, *, which: str) -> LinearSystem: ...


@dataclass(frozen=True)
class Formulation:
    """forward_dynamics, inverse_dynamics: as `dynamics.recursive` has them.

    driven_accelerations: (nr,) with drives, where a formulation has a way of its own.
    """

    kinematics: Callable[[Model, Array, Array, IntArray], Kinematics]
    loads: Callable[[Model, Kinematics, float], Loads]
    mass_matrix: Callable[[Model, Kinematics], Array]
    forward_dynamics: Callable[[Model, Kinematics, Loads, Array], HybridDynamics]
    inverse_dynamics: Callable[[Model, Kinematics, Loads, Array], HybridDynamics]
    linear_system: Linearise
    driven_accelerations: Callable[[Model, Kinematics, Loads, Array], Array] | None = None


def with_forces(
    accelerations: Callable[[Model, Kinematics, Loads, Array], Array],
) -> Callable[[Model, Kinematics, Loads, Array], HybridDynamics]:
    """Forward dynamics of a formulation that gives accelerations alone: the forces follow by inverse dynamics."""

    def forward_dynamics(model: Model, kin: Kinematics, load: Loads, qddot_prescribed: Array) -> HybridDynamics:
        qddot = accelerations(model, kin, load, qddot_prescribed)
        return recursive.inverse_dynamics(model, kin, load, qddot)

    return forward_dynamics


RECURSIVE = Formulation(
    kinematics,
    loads,
    projected.mass_matrix,
    recursive.forward_dynamics,
    recursive.inverse_dynamics,
    linearised.linear_system,
)
PROJECTED = replace(
    RECURSIVE,
    forward_dynamics=with_forces(projected.forward_dynamics),
    driven_accelerations=projected_drives.forward_dynamics,
)
SI_GUENTER = replace(RECURSIVE, forward_dynamics=with_forces(si_guenter.forward_dynamics))
FLOATING_BASE = replace(RECURSIVE, forward_dynamics=with_forces(floating_base.forward_dynamics))
VECTORISED = Formulation(
    vectorised.kinematics,
    vectorised.loads,
    vectorised.mass_matrix,
    vectorised.forward_dynamics,
    vectorised.inverse_dynamics,
    vectorised.linear_system,
)
