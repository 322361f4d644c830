# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree of a model, without its drives, loops and constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import vectorised
from ...arrays import Array
from ...dynamics import recursive
from ...dynamics.body_forces import IMPLICIT
from ...dynamics.hybrid_dynamics import HybridDynamics
from ...dynamics.linear_system import LinearSystem
from ...model import Model
from .formulation import VECTORISED
from .mechanism_at import MechanismAt
from .route import Unconstrained
from .solvable import resisted, solvable

if TYPE_CHECKING:
    from ...kernels.compiled_tree import Tree


class TreeRoute(Unconstrained):
    """By any formulation."""

    def motion(self, at: MechanismAt) -> HybridDynamics:
        return self.formulation.forward_dynamics(self.model, at.kin, at.load, at.qddot)

    def accelerations_and_powers(self, at: MechanismAt) -> tuple[Array, Array]:
        if not self.model.prescribed.all():
            return super().accelerations_and_powers(at)
        found = recursive.inverse_dynamics(self.model, at.kin, at.load, at.qddot)  # nothing is left to solve for
        return found.qddot, self.powers(at, found.tau)

    def residual(self, at: MechanismAt, qddot: Array) -> Array:
        return self.formulation.inverse_dynamics(self.model, at.kin, at.load, qddot).tau - at.load.f_r

    def linear_system(self, at: MechanismAt, *, which: str = IMPLICIT) -> LinearSystem:
        return self.formulation.linear_system(self.model, at.kin, at.load, at.t, which=which)


class VectorisedTree(TreeRoute):
    """By numpy; accelerations and powers skip what only a reader of forces wants."""

    def __init__(self, model: Model) -> None:
        super().__init__(model, VECTORISED)

    def accelerations(self, at: MechanismAt) -> Array:
        with solvable(at):
            return vectorised.accelerations(self.model, at.q, at.qdot, at.chart, at.t, at.qddot)

    def accelerations_and_powers(self, at: MechanismAt) -> tuple[Array, Array]:
        if self.model.prescribed.all():
            return super().accelerations_and_powers(at)
        with solvable(at):
            return vectorised.accelerations_and_powers(self.model, at.q, at.qdot, at.chart, at.t, at.qddot)


class CompiledTree(VectorisedTree):
    """By kernels where they have a function for it, else by numpy."""

    def __init__(self, model: Model, kernels: Tree) -> None:
        super().__init__(model)
        self.kernels = kernels

    def accelerations(self, at: MechanismAt) -> Array:
        return self.accelerations_and_powers(at)[0]

    def accelerations_and_powers(self, at: MechanismAt) -> tuple[Array, Array]:
        return resisted(self.model, self.kernels.forward_dynamics(at.q, at.qdot, at.chart, at.t, at.qddot))

    def residual(self, at: MechanismAt, qddot: Array) -> Array:
        tau, load = self.kernels.inverse_dynamics(at.q, at.qdot, at.chart, at.t, qddot)
        return tau - load
