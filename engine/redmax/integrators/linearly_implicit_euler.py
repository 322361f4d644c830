# SPDX-License-Identifier: GPL-3.0-or-later
"""Linearly implicit Euler: springs and dampers at the end of the step, by one linear solve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..dynamics.animation import prescribed_motion, with_prescribed
from ..dynamics.body_forces import IMPLICIT, REFERENCE
from ..dynamics.saturation import within_maxima
from ..kernels.steps.methods import CONJUGATE_GRADIENTS, LINEARLY_IMPLICIT
from ..model import Model
from ..state import State
from .base import FixedStep
from .compiled import CompiledFixedStepper
from .routes.solvable import solve_free


@dataclass(frozen=True, kw_only=True)
class LinearlyImplicitEuler(FixedStep):
    """Order 1, stable for stiff springs and strong damping; loses energy. The reference's REDMAX_EULER."""

    kind: ClassVar[str] = "linearly_implicit_euler"
    label: ClassVar[str] = "Linearly implicit Euler"

    def begin(self, model: Model, state: State) -> LinearlyImplicitEulerStepper:
        return LinearlyImplicitEulerStepper(model, state, self.h)


class LinearlyImplicitEulerStepper(CompiledFixedStepper):
    """Kernels eliminate from body to body; forces that tie bodies together need iterations, to the same solution.

    which: K and D of forces in the matrix, those of the reference in a model that is treated like it.
    """

    method = LINEARLY_IMPLICIT
    tolerance = 1e-14

    def __init__(self, model: Model, state: State, h: float) -> None:
        self.which = terms_of_forces(model)
        if model.forces:
            self.method = CONJUGATE_GRADIENTS
        super().__init__(model, state, h, compiled=self.which == IMPLICIT or not model.forces)

    def step(self, h: float, t_end: float) -> State:
        """(M - h D - h^2 K) v1 = (M - h D) v0 + h f, q1 = q0 + h v1; all at the old state, inputs at the new time.

        f holds the damping D v0 too, so the right-hand side is M v0 + h (f without damping). RBDN eq. 1.30 writes
        +hD with the opposite sign of D and "all forces" in f, which taken literally counts damping twice (erratum).
        Source: RBDN eq. 2.71-2.75. Prescribed coordinates enter by their velocity at the end of the step. There motors
        push no harder than their maximum (`dynamics.saturation`).
        """
        return implicit_step(self, h, t_end, which=self.which)


def terms_of_forces(model: Model) -> str:
    """K and D of forces that linearly implicit steps take into their matrix."""
    return IMPLICIT if model.treatment.projects else REFERENCE


def implicit_step(stepper: CompiledFixedStepper, h: float, t_end: float, *, which: str = IMPLICIT) -> State:
    """The step with matrices, see `LinearlyImplicitEulerStepper.step`. which: K and D of forces in the matrix."""
    model, state = stepper.model, stepper.state
    q0, v0 = state.q, state.qdot
    at = stepper.route.at(t_end, q0, v0, state.chart)
    system, given = stepper.route.linear_system(at, which=which), prescribed_motion(model, t_end)[1]

    def velocity(f: Array, K: Array, D: Array) -> Array:
        M_hD = system.M - h * (system.D + np.diag(D))
        A = M_hD - h**2 * (system.K + np.diag(K))
        v1 = solve_free(model, q0, A, M_hD @ v0 + h * (system.f + f), given)
        return v1 if stepper.constraints is None else stepper.constraints.implicit_velocity(state, t_end, A, v1)

    v1 = within_maxima(model, at.kin, h, t_end, velocity)
    return State(t_end, *with_prescribed(model, t_end, q0 + h * v1, v1), state.chart)
