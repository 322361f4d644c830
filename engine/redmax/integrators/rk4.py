# SPDX-License-Identifier: GPL-3.0-or-later
"""The classical Runge-Kutta method of order 4."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..arrays import Array
from ..dynamics.animation import with_prescribed
from ..kernels.steps.methods import RUNGE_KUTTA
from ..model import Model
from ..state import State
from .base import FixedStep
from .compiled import CompiledFixedStepper
from .routes import formulation_choice
from .switching import after_switch, before, next_switch


@dataclass(frozen=True, kw_only=True)
class RungeKutta4(FixedStep):
    """Order 4 with four evaluations a step; steps are split where inputs jump. Not for stiff springs."""

    kind: ClassVar[str] = "rk4"
    label: ClassVar[str] = "Runge-Kutta 4"

    dynamics: str = formulation_choice()

    def begin(self, model: Model, state: State) -> RungeKutta4Stepper:
        return RungeKutta4Stepper(model, state, self)


class RungeKutta4Stepper(CompiledFixedStepper):
    method, splits, drives = RUNGE_KUTTA, True, True

    def __init__(self, model: Model, state: State, settings: RungeKutta4) -> None:
        super().__init__(model, state, settings.h, formulation=settings.dynamics)

    def step(self, h: float, t_end: float) -> State:  # noqa: ARG002  (parts end at switches, not after h)
        state = self.state
        while state.t < t_end:
            t_part = next_switch(self._switches, state.t, t_end)
            state = after_switch(self.model, self._smooth_step(state, t_part))
        return state

    def _smooth_step(self, state: State, t_end: float) -> State:
        """One step over which all inputs are smooth; at its end they still have their old values."""
        h = t_end - state.t
        last = before(t_end)
        q0, v0 = state.q, state.qdot

        def slope(t: float, q: Array, v: Array) -> tuple[Array, Array]:
            q, v = with_prescribed(self.model, t, q, v)
            return v, self.route.accelerations(self.route.at(t, q, v, state.chart))

        v1, a1 = slope(state.t, q0, v0)
        v2, a2 = slope(state.t + 0.5 * h, q0 + 0.5 * h * v1, v0 + 0.5 * h * a1)
        v3, a3 = slope(state.t + 0.5 * h, q0 + 0.5 * h * v2, v0 + 0.5 * h * a2)
        v4, a4 = slope(last, q0 + h * v3, v0 + h * a3)
        q = q0 + h / 6.0 * (v1 + 2.0 * (v2 + v3) + v4)
        v = v0 + h / 6.0 * (a1 + 2.0 * (a2 + a3) + a4)
        return State(t_end, *with_prescribed(self.model, t_end, q, v), state.chart)
