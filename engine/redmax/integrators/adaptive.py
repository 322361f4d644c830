# SPDX-License-Identifier: GPL-3.0-or-later
"""Methods that choose their step by an error estimate: scipy's RK45, DOP853 and Radau, stepped by hand.

Steps end at every sample, so that samples have the full accuracy of the method. The solver begins
anew where coordinates are recentred and where inputs jump.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..arrays import Array
from ..dynamics.animation import with_prescribed
from ..errors import MissingWheelError
from ..fields import number
from ..model import Model
from ..state import State
from .base import MAX_TURN, IntegrationError, Integrator, Stepper
from .equations import accelerations, route_choice
from .switching import after_switch, before, next_switch, switch_times

MAX_STEPS = 10_000
"""More steps than this between two samples mean that the run goes nowhere."""


@dataclass(frozen=True, kw_only=True)
class Adaptive(Integrator):
    """Settings shared by the adaptive methods; solver: name of the class in scipy.integrate."""

    solver: ClassVar[str] = ""

    rtol: float = number(1e-8, doc="Error allowed per step, relative to each coordinate and velocity", positive=True)
    atol: float = number(1e-8, doc="Error allowed per step", unit="rad, m, rad/s or m/s", positive=True)
    dynamics: str = route_choice()

    def begin(self, model: Model, state: State) -> AdaptiveStepper:
        return AdaptiveStepper(model, state, self)


@dataclass(frozen=True, kw_only=True)
class Rk45(Adaptive):
    """Dormand-Prince, order 5; for moderate accuracy."""

    kind: ClassVar[str] = "rk45"
    label: ClassVar[str] = "Adaptive RK45"
    solver: ClassVar[str] = "RK45"


@dataclass(frozen=True, kw_only=True)
class Dop853(Adaptive):
    """Dormand-Prince, order 8; the cheapest where accuracy matters."""

    kind: ClassVar[str] = "dop853"
    label: ClassVar[str] = "Adaptive DOP853"
    solver: ClassVar[str] = "DOP853"


@dataclass(frozen=True, kw_only=True)
class Radau(Adaptive):
    """Radau IIA, order 5, implicit; for stiff springs and dampers."""

    kind: ClassVar[str] = "radau"
    label: ClassVar[str] = "Adaptive Radau"
    solver: ClassVar[str] = "Radau"


class AdaptiveStepper(Stepper):
    """y = (q, qdot) of the free coordinates; prescribed ones are put in at every evaluation."""

    def __init__(self, model: Model, state: State, settings: Adaptive) -> None:
        super().__init__(model, state)
        self.settings = settings
        self._free = ~model.prescribed
        self._switches = switch_times(model)
        self._solver_class = solver_class(settings)
        self._solver: Any = None
        self._inputs_until = math.inf

    def advance(self, t_end: float) -> State:
        limit = self.steps + MAX_STEPS
        while self.state.t < t_end:
            t_part = next_switch(self._switches, self.state.t, t_end)
            self._advance_smoothly(t_part, limit)
            state = after_switch(self.model, self.state)
            if state is not self.state or t_part in self._switches:
                self.state, self._solver = state, None
        self._recentre_solver()
        return self.state

    def _advance_smoothly(self, t_end: float, limit: int) -> None:
        """Steps up to t_end; over (t, t_end) all inputs are smooth, at t_end they still have their old values."""
        self._inputs_until = before(t_end)
        while self.state.t < t_end:
            self._recentre_solver()
            if not np.any(self._free):
                self.state = self._state(t_end, np.zeros(0))
                return
            if self._solver is None:
                self._solver = self._new_solver(t_end)
            solver = self._solver
            solver.t_bound, solver.status = t_end, "running"
            solver.max_step = self._longest_step()
            with np.errstate(all="ignore"):
                message = solver.step()
            if solver.status == "failed":
                raise IntegrationError(f"the adaptive step became too small ({message})")
            self.state = self._state(float(solver.t), solver.y)
            self.steps += 1
            if self.steps > limit:
                raise IntegrationError(f"needs more than {MAX_STEPS} steps between two samples")

    def _recentre_solver(self) -> None:
        """Recentre; if that changed the coordinates, the solver must begin anew."""
        old = self.state
        self.recentre()
        if not np.array_equal(old.q, self.state.q) or not np.array_equal(old.chart, self.state.chart):
            self._solver = None

    def _longest_step(self) -> float:
        """Steps are kept so short that no joint can turn into its singularity before it is recentred."""
        rate = self.turn_rate()
        return MAX_TURN / rate if rate > 0.0 else math.inf

    def _new_solver(self, t_end: float) -> Any:
        y = np.concatenate([self.state.q[self._free], self.state.qdot[self._free]])
        options = {"rtol": self.settings.rtol, "atol": self.settings.atol, "max_step": self._longest_step()}
        with np.errstate(all="ignore"):
            return self._solver_class(self._slope, self.state.t, y, t_end, **options)

    def _slope(self, t: float, y: Array) -> Array:
        t = min(t, self._inputs_until)
        state = self._state(t, y)
        qddot = accelerations(self.model, state.q, state.qdot, self.state.chart, t, route=self.settings.dynamics)
        return np.concatenate([state.qdot[self._free], qddot[self._free]])

    def _state(self, t: float, y: Array) -> State:
        q, qdot = np.zeros(self.model.dof_count), np.zeros(self.model.dof_count)
        q[self._free], qdot[self._free] = np.split(y, 2)
        return State(t, *with_prescribed(self.model, t, q, qdot), self.state.chart)


def solver_class(settings: Adaptive) -> Any:
    """The class in scipy.integrate."""
    try:
        from scipy import integrate  # noqa: PLC0415  (an optional wheel, only needed here)
    except ImportError:
        raise MissingWheelError(f"integrator '{settings.kind}'", "scipy") from None
    return getattr(integrate, settings.solver)
