# SPDX-License-Identifier: GPL-3.0-or-later
"""A tree some of whose coordinates drives make functions of others: equations of the coordinates that are left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Array
from ...drives import Followers
from ...dynamics import body_forces, driven
from ...dynamics.driven import felt_by_motors
from ...dynamics.freedoms import freedoms
from ...dynamics.hybrid_dynamics import HybridDynamics
from ...dynamics.linear_system import LinearSystem
from .mechanism_at import MechanismAt
from .route import Unconstrained
from .solvable import solvable
from .tree import CompiledTree, TreeRoute

if TYPE_CHECKING:
    from ...kernels.compiled_tree import Tree


class Driven(Unconstrained):
    """On the route of the tree, whichever that is."""

    def __init__(self, tree: TreeRoute, followers: Followers) -> None:
        super().__init__(tree.model, tree.formulation)
        self.tree, self.followers = tree, followers

    def motion(self, at: MechanismAt) -> HybridDynamics:
        inverse, own = self.formulation.inverse_dynamics, self.formulation.driven_accelerations
        if own is not None:
            return inverse(self.model, at.kin, at.load, own(self.model, at.kin, at.load, at.qddot))
        return driven.forward_dynamics(self.model, at.kin, at.load, at.qddot, M=at.M, inverse=inverse)

    def powers(self, at: MechanismAt, tau: Array) -> Array:
        load = at.load.f_r
        return super().powers(at, load + felt_by_motors(self.model, at.q, tau - load))

    def residual(self, at: MechanismAt, qddot: Array) -> Array:
        qddot = self.followers.accelerated(at.q, at.qdot, qddot)
        return felt_by_motors(self.model, at.q, self.tree.residual(at, qddot))

    def linear_system(self, at: MechanismAt, *, which: str = body_forces.IMPLICIT) -> LinearSystem:
        """The system of which W^T ... W is that of the free coordinates: f without M Wdot ydot, K with what drives
        add."""
        model, kin, system = self.model, at.kin, self.tree.linear_system(at, which=which)
        f = driven.forces_along(model, kin, at.load, at.t)
        bent = driven.unforced(model, at.q, at.qdot, np.zeros(model.dof_count))
        exact = which == body_forces.EXACT
        added = driven.stiffness(model, kin, f, system.D) if exact else driven.pulling_back(model, kin.q, f)
        return LinearSystem(system.M, system.f - system.M @ bent, system.K + added, system.D)


class CompiledDriven(Driven):
    """Kernels of the tree give forces and products with its mass matrix, each in O(n)."""

    def __init__(self, tree: CompiledTree, followers: Followers) -> None:
        super().__init__(tree, followers)
        self.kernels: Tree = tree.kernels

    def accelerations(self, at: MechanismAt) -> Array:
        return self.accelerations_and_powers(at)[0]

    def accelerations_and_powers(self, at: MechanismAt) -> tuple[Array, Array]:
        model, q, qdot, kernels = self.model, at.q, at.qdot, self.kernels
        given, free = driven.unforced(model, q, qdot, at.qddot), freedoms(model, q)
        tau, load, power = kernels.needs(q, qdot, at.chart, at.t, given)
        inertia = kernels.inertia_products(free.directions)  # M W
        with solvable(at):
            x = driven.solve(model, free, free.gathered_lines(inertia), free.gathered(load - tau))
        if model.prescribed.any():
            motors = felt_by_motors(model, q, tau - load + x @ inertia)
            power[0] += float(motors[model.prescribed] @ qdot[model.prescribed])
        return given + free.spread(x), power
