# SPDX-License-Identifier: GPL-3.0-or-later
"""What every route answers."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ...arrays import Array, IntArray
from ...dynamics import powers
from ...dynamics.body_forces import IMPLICIT
from ...dynamics.hybrid_dynamics import HybridDynamics
from ...dynamics.linear_system import LinearSystem
from ...model import Model
from .formulation import Formulation
from .mechanism_at import MechanismAt
from .solvable import solvable


class Route(ABC):
    """The equations of motion of one model. IntegrationError names a joint that nothing resists."""

    def __init__(self, model: Model, formulation: Formulation) -> None:
        self.model, self.formulation = model, formulation

    def at(self, t: float, q: Array, qdot: Array, chart: IntArray, qddot: Array | None = None) -> MechanismAt:
        """The mechanism at time t [s]; see `MechanismAt`."""
        return MechanismAt(self.formulation, self.model, t, q, qdot, chart, qddot)

    @abstractmethod
    def accelerations(self, at: MechanismAt) -> Array:
        """qddot (nr,) [rad/s^2 or m/s^2]; prescribed coordinates accelerate as given."""

    @abstractmethod
    def accelerations_and_powers(self, at: MechanismAt) -> tuple[Array, Array]:
        """qddot (nr,), and the powers (2,) [W] of `dynamics.powers` in the same motion."""

    @abstractmethod
    def residual(self, at: MechanismAt, qddot: Array) -> Array:
        """M qddot - f, (nr,) [N m or N]: zero in the free rows of a motion that obeys the equations.

        f contains what constraints push with at (q, qdot). Inputs of drives feel what acts on their followers.
        """

    @abstractmethod
    def linear_system(self, at: MechanismAt, *, which: str = IMPLICIT) -> LinearSystem:
        """The system linearised about an instant, without constraints.

        which: K and D of forces, see `body_forces.couplings`; the usual ones are symmetric and never push away.
        """


class Unconstrained(Route):
    """The equations of a mechanism without loops, constraints and limits."""

    @abstractmethod
    def motion(self, at: MechanismAt) -> HybridDynamics:
        """Accelerations with all forces along coordinates and between bodies.

        Raises ImmovableError or LinAlgError where there are none.
        """

    def accelerations(self, at: MechanismAt) -> Array:
        with solvable(at):
            return self.motion(at).qddot

    def accelerations_and_powers(self, at: MechanismAt) -> tuple[Array, Array]:
        with solvable(at):
            found = self.motion(at)
        return found.qddot, self.powers(at, found.tau)

    def powers(self, at: MechanismAt, tau: Array) -> Array:
        """(2,) [W] put in and taken out, with whole forces tau (nr,) along the coordinates."""
        return powers.powers(at.model, at.kin, at.load, tau, at.t)
