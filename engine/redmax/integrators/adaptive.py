# SPDX-License-Identifier: GPL-3.0-or-later
"""Methods that choose their step by an error estimate: our own RK45 and DOP853, and scipy's Radau.

Steps end at every sample, so that samples have the full accuracy of the method. The method begins
anew where coordinates are recentred and where inputs jump.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .. import fast
from ..arrays import Array
from ..dynamics.animation import prescribed_motion
from ..errors import MissingWheelError
from ..fields import number
from ..model import Model
from ..state import State
from .base import MAX_TURN, IntegrationError, Integrator, Stepper
from .compiled import CompiledRungeKutta, TooManyStepsError, stuck_component
from .energy_balance import BalancedStepper, energy_of, exchanges_energy
from .equations import FAST, accelerations, motion_and_powers, route_choice
from .explicit_runge_kutta import (
    DORMAND_PRINCE_5,
    DORMAND_PRINCE_8,
    ExplicitRungeKutta,
    NotFiniteError,
    StepTooSmallError,
    Tableau,
)
from .switching import after_switch, before, before_switch, is_switch, moves_suddenly, next_switch, switch_times

if TYPE_CHECKING:
    from ..kernels.tree import Tree

MAX_STEPS = 10_000
"""More steps than this between two samples mean that the run goes nowhere."""


@dataclass(frozen=True, kw_only=True)
class Adaptive(Integrator):
    """Settings shared by the adaptive methods."""

    rtol: float = number(1e-8, doc="Error allowed per step, relative to each coordinate and velocity", positive=True)
    atol: float = number(1e-8, doc="Error allowed per step", unit="rad, m, rad/s or m/s", positive=True)
    dynamics: str = route_choice()


@dataclass(frozen=True, kw_only=True)
class AdaptiveExplicit(Adaptive):
    """Settings of the explicit ones."""

    method: ClassVar[Tableau]

    def begin(self, model: Model, state: State) -> ExplicitStepper:
        tree = fast.new_tree(model) if self.dynamics == FAST else None
        return (
            ExplicitStepper(model, state, self) if tree is None else CompiledExplicitStepper(model, state, self, tree)
        )


@dataclass(frozen=True, kw_only=True)
class Rk45(AdaptiveExplicit):
    """Dormand-Prince, order 5; for moderate accuracy."""

    kind: ClassVar[str] = "rk45"
    label: ClassVar[str] = "Adaptive RK45"
    method: ClassVar[Tableau] = DORMAND_PRINCE_5


@dataclass(frozen=True, kw_only=True)
class Dop853(AdaptiveExplicit):
    """Dormand-Prince, order 8; the cheapest where accuracy matters."""

    kind: ClassVar[str] = "dop853"
    label: ClassVar[str] = "Adaptive DOP853"
    method: ClassVar[Tableau] = DORMAND_PRINCE_8


@dataclass(frozen=True, kw_only=True)
class Radau(Adaptive):
    """Radau IIA, order 5, implicit; for stiff springs and dampers. Needs the scipy wheel."""

    kind: ClassVar[str] = "radau"
    label: ClassVar[str] = "Adaptive Radau"

    def begin(self, model: Model, state: State) -> RadauStepper:
        return RadauStepper(model, state, self)


class AdaptiveStepper(Stepper):
    """y = (q, qdot) of the free coordinates; prescribed ones are put in at every evaluation."""

    def __init__(self, model: Model, state: State, settings: Adaptive) -> None:
        super().__init__(model, state)
        self.settings = settings
        self._free = np.flatnonzero(~model.prescribed)
        self._prescribed = bool(model.prescribed.any())
        self._switches = switch_times(model)
        self._inputs_until = math.inf

    @abstractmethod
    def _step(self, t_end: float) -> None:
        """One step of the method, at most up to t_end."""

    @abstractmethod
    def _begin_anew(self) -> None:
        """The state or the inputs have changed at once: nothing known of the motion so far holds any longer."""

    def advance(self, t_end: float) -> State:
        limit = self.steps + MAX_STEPS
        while self.state.t < t_end:
            t_part = next_switch(self._switches, self.state.t, t_end)
            self._advance_smoothly(t_part, limit)
            if is_switch(self._switches, t_part):
                self._pass_switch()
        self._recentre()
        return self.state

    def _advance_smoothly(self, t_end: float, limit: int) -> None:
        """Steps up to t_end; over (t, t_end) all inputs are smooth, at t_end they still have their old values."""
        self._inputs_until = before(t_end)
        while self.state.t < t_end:
            self._recentre()
            with np.errstate(all="ignore"):
                self._step(t_end)
            self.steps += 1
            if self.steps > limit:
                raise IntegrationError(f"needs more than {MAX_STEPS} steps between two samples")

    def _pass_switch(self) -> None:
        self.state = after_switch(self.model, self.state)
        self._begin_anew()

    def _recentre(self) -> None:
        """Recentre; if that changed the coordinates, the method must begin anew."""
        old = self.state
        self.recentre()
        if not np.array_equal(old.q, self.state.q) or not np.array_equal(old.chart, self.state.chart):
            self._begin_anew()

    def _longest_step(self) -> float:
        """Steps are kept so short that no joint can turn into its singularity before it is recentred."""
        rate = self.turn_rate()
        return MAX_TURN / rate if rate > 0.0 else math.inf

    def _free_motion(self) -> Array:
        return np.concatenate([self.state.q[self._free], self.state.qdot[self._free]])

    def _motion(self, t: float, y: Array) -> tuple[Array, Array, Array]:
        """q, qdot and the given accelerations, each (nr,), for the free coordinates and velocities in y."""
        free = len(self._free)
        if not self._prescribed:
            return y[:free], y[free : 2 * free], np.zeros(free)
        q, qdot, qddot = prescribed_motion(self.model, t)
        q[self._free], qdot[self._free] = y[:free], y[free : 2 * free]
        return q, qdot, qddot

    def _state(self, t: float, y: Array) -> State:
        q, qdot, _ = self._motion(t, y)
        return State(t, q, qdot, self.state.chart)


class ExplicitStepper(AdaptiveStepper, BalancedStepper):
    """y also holds work and loss, which are integrated along but have no say in the steps."""

    def __init__(self, model: Model, state: State, settings: AdaptiveExplicit) -> None:
        super().__init__(model, state, settings)
        self._exchanges = exchanges_energy(model)
        self._solver = ExplicitRungeKutta(
            settings.method,
            self._slope,
            self.state.t,
            np.append(self._free_motion(), (0.0, 0.0)),
            rtol=settings.rtol,
            atol=settings.atol,
            quadratures=2,
        )

    @property
    def work(self) -> float:
        return float(self._solver.y[-2])

    @property
    def loss(self) -> float:
        return float(self._solver.y[-1])

    def _step(self, t_end: float) -> None:
        solver = self._solver
        if not len(self._free) and not self._exchanges:
            solver.t = t_end
        else:
            try:
                solver.advance(t_end, self._longest_step())
            except NotFiniteError as error:
                what = "the acceleration is no longer finite"
                raise stuck_component(self.model, self._free, error.component, what) from None
            except StepTooSmallError as error:
                what = "the adaptive step became too small; loosen the tolerances, or use radau if something is stiff"
                raise stuck_component(self.model, self._free, error.component, what) from None
        self.state = self._state(solver.t, solver.y)

    def _begin_anew(self) -> None:
        self._solver.go_on_from(np.append(self._free_motion(), self._solver.y[-2:]))

    def _pass_switch(self) -> None:
        if not moves_suddenly(self.model, self.state.t):
            self._begin_anew()
            return
        energy = energy_of(self.model, before_switch(self.model, self.state))
        super()._pass_switch()
        self._solver.y[-2] += energy_of(self.model, self.state) - energy

    def _slope(self, t: float, y: Array) -> Array:
        t = min(t, self._inputs_until)
        q, qdot, qddot = self._motion(t, y)
        chart, route = self.state.chart, self.settings.dynamics
        if self._exchanges:
            qddot, powers = motion_and_powers(self.model, q, qdot, chart, t, qddot, route=route)
        else:
            qddot = accelerations(self.model, q, qdot, chart, t, route=route, qddot_prescribed=qddot)
            powers = np.zeros(2)
        if not self._prescribed:
            return np.concatenate([qdot, qddot, powers])
        return np.concatenate([qdot[self._free], qddot[self._free], powers])


class CompiledExplicitStepper(ExplicitStepper):
    """The same run in kernels, from switch to switch in one call."""

    _solver: Any

    def __init__(self, model: Model, state: State, settings: AdaptiveExplicit, tree: Tree) -> None:
        self._tree = tree
        super().__init__(model, state, settings)
        self._solver = CompiledRungeKutta(
            tree,
            settings.method,
            self.state.t,
            self._solver.y,
            rtol=settings.rtol,
            atol=settings.atol,
            exchanges=self._exchanges,
        )

    def recentre(self) -> None:
        if self._charted:
            state = self.state
            self.state = State(state.t, *self._tree.recentred(state.q, state.qdot, state.chart))

    def _advance_smoothly(self, t_end: float, limit: int) -> None:
        solver, tree = self._solver, self._tree
        if not len(self._free) and not self._exchanges:
            solver.go_on_from(t_end, solver.y)
        else:
            tree.set_chart(self.state.chart)
            try:
                solver.advance(t_end, before(t_end), limit)
            except TooManyStepsError:
                raise IntegrationError(f"needs more than {MAX_STEPS} steps between two samples") from None
            self.steps = solver.steps
        q, qdot, _ = self._motion(solver.t, solver.y)
        self.state = State(solver.t, q, qdot, tree.chart(self.state.chart))

    def _begin_anew(self) -> None:
        self._solver.go_on_from(self.state.t, np.append(self._free_motion(), self._solver.y[-2:]))


class RadauStepper(AdaptiveStepper):
    """scipy's solver, stepped by hand."""

    def __init__(self, model: Model, state: State, settings: Radau) -> None:
        super().__init__(model, state, settings)
        self._solver_class = radau_class(settings)
        self._solver: Any = None

    def _step(self, t_end: float) -> None:
        if not len(self._free):
            self.state = self._state(t_end, np.zeros(0))
            return
        options = {"rtol": self.settings.rtol, "atol": self.settings.atol, "max_step": self._longest_step()}
        if self._solver is None:
            self._solver = self._solver_class(self._slope, self.state.t, self._free_motion(), t_end, **options)
        solver = self._solver
        solver.t_bound, solver.status, solver.max_step = t_end, "running", options["max_step"]
        message = solver.step()
        if solver.status == "failed":
            raise IntegrationError(f"the adaptive step became too small ({message})")
        self.state = self._state(float(solver.t), solver.y)

    def _begin_anew(self) -> None:
        self._solver = None

    def _slope(self, t: float, y: Array) -> Array:
        t = min(t, self._inputs_until)
        q, qdot, qddot = self._motion(t, y)
        qddot = accelerations(
            self.model, q, qdot, self.state.chart, t, route=self.settings.dynamics, qddot_prescribed=qddot
        )
        return np.concatenate([qdot[self._free], qddot[self._free]])


def radau_class(settings: Radau) -> Any:
    """The class in scipy.integrate."""
    try:
        from scipy import integrate  # noqa: PLC0415  (an optional wheel, only needed here)
    except ImportError:
        raise MissingWheelError(f"integrator '{settings.kind}'", "scipy") from None
    return integrate.Radau
