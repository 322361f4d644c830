# SPDX-License-Identifier: GPL-3.0-or-later
"""scipy's Radau. Steps end at every sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..arrays import Array
from ..errors import MissingWheelError
from ..model import Model
from ..state import State
from .adaptive import Adaptive, AdaptiveStepper
from .base import WHAT_IS_FAST, IntegrationError
from .switching import before, is_switch, next_switch


@dataclass(frozen=True, kw_only=True)
class Radau(Adaptive):
    """Radau IIA, order 5, implicit; for stiff springs and dampers. Needs the scipy wheel."""

    kind: ClassVar[str] = "radau"
    label: ClassVar[str] = "Adaptive Radau"

    def begin(self, model: Model, state: State) -> RadauStepper:
        return RadauStepper(model, state, self)


class RadauStepper(AdaptiveStepper):
    """scipy's solver, stepped by hand."""

    def __init__(self, model: Model, state: State, settings: Radau) -> None:
        super().__init__(model, state, settings)
        self._solver_class = radau_class(settings)
        self._solver: Any = None
        self._length: float | None = None

    def advance(self, t_end: float) -> State:
        limit = self._last_step(t_end - self.state.t)
        while self.state.t < t_end:
            t_part = next_switch(self._switches, self.state.t, t_end)
            self._advance_smoothly(t_part, limit)
            if is_switch(self._switches, t_part):
                self._pass_switch()
        self._recentre()
        return self.state

    def _advance_smoothly(self, t_end: float, limit: int) -> None:
        """Steps up to t_end; over (t, t_end) all inputs are smooth, at t_end they still have their old values."""
        self.inputs_until = before(t_end)
        while self.state.t < t_end:
            self._recentre()
            with np.errstate(all="ignore"):
                self.follow(self._step, t_end)
            self._count_step(limit)

    def _step(self, t_end: float) -> None:
        if not len(self._free):
            self.state = self._state(t_end, np.zeros(0))
            return
        options = {"rtol": self.settings.rtol, "atol": self.settings.atol, "max_step": self._longest_step()}
        if self._solver is None:
            # Constraints put every step back onto themselves: steps that began anew would all be short first ones.
            first = None if self._length is None else min(self._length, t_end - self.state.t, options["max_step"])
            start = self.state.t, self._free_motion(), t_end
            self._solver = self._solver_class(self._slope, *start, first_step=first, **options)
        solver = self._solver
        solver.t_bound, solver.status, solver.max_step = t_end, "running", options["max_step"]
        message = solver.step()
        if solver.status == "failed":
            element = self._hardest()
            what = f"{element}: the adaptive step became too small ({message})"
            raise IntegrationError(what, element, WHAT_IS_FAST, code="step_too_small")
        self._length = float(solver.h_abs)
        self.state = self._state(float(solver.t), solver.y)

    def _begin_anew(self) -> None:
        self._solver = None

    def remember(self) -> State:
        return self.state

    def recall(self, past: State) -> None:
        self.state, self._solver = past, None

    def _slope(self, t: float, y: Array) -> Array:
        self.look()
        t = min(t, self.inputs_until)
        q, qdot, qddot = self.motion(t, y)
        qddot = self.route.accelerations(self.route.at(t, q, qdot, self.state.chart, qddot))
        return np.concatenate([qdot[self._free], qddot[self._free]])


def radau_class(settings: Radau) -> Any:
    """The class in scipy.integrate."""
    try:
        from scipy import integrate  # noqa: PLC0415  (an optional wheel, only needed here)
    except ImportError:
        raise MissingWheelError(f"integrator '{settings.kind}'", "scipy") from None
    return integrate.Radau
