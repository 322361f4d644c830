# SPDX-License-Identifier: GPL-3.0-or-later
"""Linearly implicit Euler without matrices: conjugate gradients with products in O(n)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..dynamics import body_forces
from ..dynamics.animation import prescribed_motion, with_prescribed
from ..dynamics.body_forces import IMPLICIT, Coupling
from ..dynamics.jacobians import jacobian_products, jacobian_transpose_product
from ..dynamics.kinematics import Kinematics, kinematics
from ..dynamics.loads import Loads, loads
from ..dynamics.saturation import within_maxima
from ..dynamics.singular import ImmovableError
from ..fields import number
from ..kernels.steps.methods import CONJUGATE_GRADIENTS
from ..model import Model
from ..reference.inverse_inertia import articulated_inertia, implicit_terms, inverse_inertia_product
from ..reference.projected import generalized_force
from ..solvers.pcg import PcgError, PcgResult, Product, pcg
from ..state import State
from .base import FixedStep, IntegrationError
from .compiled import CompiledFixedStepper
from .linearly_implicit_euler import implicit_step, terms_of_forces


@dataclass(frozen=True, kw_only=True)
class LinearlyImplicitEulerPcg(FixedStep):
    """The same steps as linearly implicit Euler, in O(n) instead of O(n^3)."""

    kind: ClassVar[str] = "linearly_implicit_euler_pcg"
    label: ClassVar[str] = "Linearly implicit Euler (conjugate gradients)"

    tolerance: float = number(1e-12, doc="Residual of the linear solve, relative", positive=True)

    def begin(self, model: Model, state: State) -> LinearlyImplicitEulerPcgStepper:
        return LinearlyImplicitEulerPcgStepper(model, state, self.h, self.tolerance)


class LinearlyImplicitEulerPcgStepper(CompiledFixedStepper):
    method = CONJUGATE_GRADIENTS

    def __init__(self, model: Model, state: State, h: float, tolerance: float, *, compiled: bool = True) -> None:
        self.which = terms_of_forces(model)
        known = self.which == IMPLICIT or not model.forces
        super().__init__(model, state, h, compiled=compiled and known)
        self.tolerance = tolerance

    def step(self, h: float, t_end: float) -> State:
        if self._needs_matrix:
            return implicit_step(self, h, t_end, which=self.which)
        q0, v0 = self.state.q, self.state.qdot
        kin = kinematics(self.model, q0, v0, self.state.chart)
        load = loads(self.model, kin, t_end)
        v_prescribed = prescribed_motion(self.model, t_end)[1]
        try:
            forces = body_forces.couplings(self.model, kin.E_wi, kin.phi, t_end)

            def velocity(f: Array, K: Array, D: Array) -> Array:
                more = replace(load, f_r=load.f_r + f, K_r=load.K_r + K, D_r=load.D_r + D)
                model, tolerance = self.model, self.tolerance
                return implicit_velocity(model, kin, more, h, v_prescribed, forces=forces, tolerance=tolerance).x

            v1 = within_maxima(self.model, kin, h, t_end, velocity)
        except (PcgError, ImmovableError) as error:
            raise IntegrationError.of(error) from None
        return State(t_end, *with_prescribed(self.model, t_end, q0 + h * v1, v1), self.state.chart)

    @property
    def _needs_matrix(self) -> bool:
        """Drives leave few unknowns, for which matrices are quicker; rows show their rank in them."""
        held = self.constraints is not None and not self.constraints.idle
        return self.model.followers is not None or held or self.which != IMPLICIT


def implicit_velocity(
    model: Model,
    kin: Kinematics,
    load: Loads,
    h: float,
    v_prescribed: Array | None = None,
    *,
    forces: Sequence[Coupling] = (),
    coupling: Product | None = None,
    tolerance: float = 1e-12,
) -> PcgResult:
    """v1 (nr,) of (M - h D - h^2 K) v1 = (M - h D) v0 + h f in the free rows; v1 as given at prescribed ones.

    forces: K and D of forces that tie bodies together, symmetric. coupling: product (nr,) -> (nr,) with further
    -h D - h^2 K, symmetric. The preconditioner, RBDN Alg. 10, holds everything else, so that without either the first
    iteration is the answer.
    The matrix takes the symmetric part of D. Starts from v0. Source: RBDN sections 1.9 and 2.13.
    """
    P_r, P_m = implicit_terms(load, h)
    held, n = model.prescribed, model.body_count
    inertia = articulated_inertia(model, kin, P_r=P_r, P_m=P_m, held=held)

    def of_forces(phi: Array, h_D: float, h_K: float) -> Array:
        """(n, 6) wrenches -(h_D D + h_K K) phi of the forces, for twists phi (n, 6)."""
        f, twists = np.zeros(6 * n + 6), np.append(phi, np.zeros(6))
        for force in forces:
            f[force.rows] -= (h_D * force.D + h_K * force.K) @ twists[force.rows]
        return f[: 6 * n].reshape(n, 6)

    def implicit_product(x: Array) -> Array:
        y, _ = jacobian_products(model, kin, x)
        wrenches = model.inertia * y + np.einsum("nab,nb->na", P_m, y) + of_forces(y, h, h**2)
        product = jacobian_transpose_product(model, kin, wrenches) + P_r * x
        return product if coupling is None else product + coupling(x)

    def free_product(x: Array) -> Array:
        return np.where(held, 0.0, implicit_product(x))

    momentum = model.inertia * kin.phi - h * np.einsum("nab,nb->na", load.D_m, kin.phi) + of_forces(kin.phi, h, 0.0)
    rhs = jacobian_transpose_product(model, kin, momentum) - h * load.D_r * kin.qdot
    rhs = rhs + h * generalized_force(model, kin, load)
    given = np.zeros(model.dof_count) if v_prescribed is None else np.where(held, v_prescribed, 0.0)
    result = pcg(
        free_product,
        np.where(held, 0.0, rhs - implicit_product(given)),
        preconditioner=lambda r: inverse_inertia_product(inertia, r),
        x0=np.where(held, 0.0, kin.qdot),
        tolerance=tolerance,
    )
    return PcgResult(result.x + given, result.iterations, result.residual)
