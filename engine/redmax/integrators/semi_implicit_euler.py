# SPDX-License-Identifier: GPL-3.0-or-later
"""Semi-implicit (symplectic) Euler: new velocities from old forces, new positions from new velocities.

Source: RBDN eqs. 2.19-2.20.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..dynamics.animation import prescribed_motion, with_prescribed
from ..kernels.steps.methods import SEMI_IMPLICIT
from ..model import Model
from ..state import State
from .base import FixedStep
from .compiled import CompiledFixedStepper
from .routes import formulation_choice


@dataclass(frozen=True, kw_only=True)
class SemiImplicitEuler(FixedStep):
    """Order 1, cheap; energy stays near its value for small steps, stiff springs make it diverge."""

    kind: ClassVar[str] = "semi_implicit_euler"
    label: ClassVar[str] = "Semi-implicit Euler"

    dynamics: str = formulation_choice()

    def begin(self, model: Model, state: State) -> SemiImplicitEulerStepper:
        return SemiImplicitEulerStepper(model, state, self)


class SemiImplicitEulerStepper(CompiledFixedStepper):
    method, drives = SEMI_IMPLICIT, True

    def __init__(self, model: Model, state: State, settings: SemiImplicitEuler) -> None:
        super().__init__(model, state, settings.h, formulation=settings.dynamics)

    def step(self, h: float, t_end: float) -> State:
        """v1 = v0 + h qddot(q0, v0, t0), q1 = q0 + h v1.

        Prescribed coordinates accelerate by their change of velocity over the step, so that sudden
        changes are felt too.
        """
        q0, v0 = self.state.q, self.state.qdot
        given = (prescribed_motion(self.model, t_end)[1] - v0) / h
        v1 = v0 + h * self.route.accelerations(self.route.at(self.state.t, q0, v0, self.state.chart, given))
        return State(t_end, *with_prescribed(self.model, t_end, q0 + h * v1, v1), self.state.chart)
