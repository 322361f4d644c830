# SPDX-License-Identifier: GPL-3.0-or-later
"""The explicit adaptive methods RK45 and DOP853.

Where steps are longer than the time between samples they go past them, and samples are read off inside a step (dense
output): a slow motion costs the same at any frame rate. Shorter steps end at samples, and all end where inputs jump.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from .. import fast
from ..arrays import Array
from ..model import Model
from ..state import State
from .adaptive import Adaptive, AdaptiveStepper, too_many_steps
from .base import IntegrationError, TooManyStepsError
from .compiled import CompiledRungeKutta, step_too_small, stuck_component
from .energy_balance import BalancedStepper, energy_of, exchanges_energy
from .equations import FAST, accelerations, motion_and_powers
from .explicit_runge_kutta import ExplicitRungeKutta, NotFiniteError, StepTooSmallError
from .switching import before, before_switch, moves_suddenly, next_switch
from .tableaux import DORMAND_PRINCE_5, DORMAND_PRINCE_8, Tableau

if TYPE_CHECKING:
    from ..kernels.tree import Tree

LONGEST_STEP = 0.25
"""No step is longer than this [s], or than the time between two samples where that is longer: a mechanism at rest or
in free flight would allow any step, and what it meets for a moment only, such as a soft limit, would go unseen."""


@dataclass(frozen=True, kw_only=True)
class AdaptiveExplicit(Adaptive):
    """Settings of the explicit ones."""

    integrates_energy: ClassVar[bool] = True
    method: ClassVar[Tableau]

    def begin(self, model: Model, state: State) -> ExplicitStepper:
        tree = tree_for(self, model, state)
        return (
            ExplicitStepper(model, state, self) if tree is None else CompiledExplicitStepper(model, state, self, tree)
        )


def tree_for(settings: Adaptive, model: Model, state: State) -> Tree | None:
    """Kernels that compute whole frames of a model; None where runs go step by step."""
    return (fast.new_tree(model) or _regular_tree(model, state)) if settings.dynamics == FAST else None


def _regular_tree(model: Model, state: State) -> Tree | None:
    """Kernels for a mechanism with loops of which none depends on the others.

    Where some do, as in flat poses and in mechanisms that are held too often, the rank has to be followed from step to
    step (`ConstrainedRun.rank`).
    """
    tree = fast.looped_tree(model)
    return tree if tree is not None and tree.is_regular(state.q, state.chart) else None


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


class ExplicitStepper(AdaptiveStepper, BalancedStepper):
    """y also holds work and loss, which are integrated along but have no say in the steps.

    `state` is what was asked for last; `_front` is where the steps have come to, in the charts of the last step.
    """

    settings: Any  # of the method, beside what all adaptive ones have

    def __init__(self, model: Model, state: State, settings: Adaptive) -> None:
        super().__init__(model, state, settings)
        self._exchanges = model.once(exchanges_energy)
        self._front, self._before_switch = self.state, False
        self._solver: Any = self._new_solver(np.append(self._free_motion(), (0.0, 0.0)))
        self._y = self._solver.y

    def _new_solver(self, y: Array) -> Any:
        """The method, about to start at the present time from y."""
        settings = self.settings
        return ExplicitRungeKutta(
            settings.method, self.slope, self.state.t, y, rtol=settings.rtol, atol=settings.atol, quadratures=2
        )

    @property
    def work(self) -> float:
        return float(self._y[-2])

    @property
    def loss(self) -> float:
        return float(self._y[-1]) + (0.0 if self.constraints is None else self.constraints.loss)

    def advance(self, t_end: float) -> State:
        limit, interval = self.steps + self.max_steps, t_end - self.state.t
        self.state = self._front
        while self.state.t < t_end or (self._before_switch and self.state.t == t_end):
            if self._before_switch:
                self._pass_switch()
                self._before_switch = False
                continue
            t_bound = next_switch(self._switches, self.state.t, math.inf)
            try:
                self._go_past(t_end, interval, t_bound, limit)
            except IntegrationError:
                if t_bound <= t_end:
                    raise
                self._go_past(t_end, interval, t_end, limit)  # what lies beyond must not keep a run from getting here
            self._before_switch = self.state.t == t_bound
        if self.state.t == t_end:
            self._recentre()
            self._front, self._y = self.state, self._solver.y.copy()
        else:
            self._front, self._y = self.state, self._solver.inside(t_end)
            self.state = self._state(t_end, self._y)
            self.recentre()
            if self.constraints is not None:
                self.state = self.constraints.projected(self.state, self.inputs_until)
        return self.state

    def _go_past(self, t_end: float, interval: float, t_bound: float, limit: int) -> None:
        """Steps until one reaches or passes t_end, at most up to t_bound, before which all inputs are smooth."""
        self.inputs_until = before(t_bound)
        while self.state.t < min(t_end, t_bound):
            self._recentre()
            with np.errstate(all="ignore"):
                if self.constraints is None:
                    self._step(t_end, interval, t_bound)
                else:
                    self.follow(self._step_to, min(t_end, t_bound))
            self._count_step(limit)

    def _step(self, t_end: float, interval: float, t_bound: float) -> None:
        solver = self._solver
        if not len(self._free) and not self._exchanges:
            solver.t = min(t_end, t_bound)
        else:
            try:
                longest = min(max(LONGEST_STEP, interval), self._longest_step())
                solver.advance(t_bound, longest, sample=t_end, interval=interval)
            except NotFiniteError as error:
                what = "the acceleration is no longer finite"
                raise stuck_component(self.model, self._free, error.component, what) from None
            except StepTooSmallError as error:
                what = step_too_small(self.model)
                raise stuck_component(self.model, self._free, error.component, what) from None
        self.state = self._state(solver.t, solver.y)

    def _step_to(self, t: float) -> None:
        """A step that ends at t at the latest: with constraints samples are ends of steps, which are put on them."""
        self._step(t, math.inf, t)

    def remember(self) -> tuple[State, Any, Array]:
        return self.state, copy.copy(self._solver), self._solver.y.copy()

    def recall(self, past: tuple[State, Any, Array]) -> None:
        self.state, solver, y = past
        self._solver = copy.copy(solver)
        self._solver.y = y.copy()

    def _begin_anew(self) -> None:
        self._solver.go_on_from(np.append(self._free_motion(), self._solver.y[-2:]))

    def _pass_switch(self) -> None:
        if not moves_suddenly(self.model, self.state.t):
            self._begin_anew()
            return
        energy = energy_of(self.model, before_switch(self.model, self.state))
        super()._pass_switch()
        self._solver.y[-2] += energy_of(self.model, self.state) - energy

    def slope(self, t: float, y: Array) -> Array:
        t = min(t, self.inputs_until)
        q, qdot, qddot = self.motion(t, y)
        chart, route = self.state.chart, self.settings.dynamics
        run = self.constraints
        if self._exchanges:
            qddot, powers = motion_and_powers(self.model, q, qdot, chart, t, qddot, route=route, constraints=run)
        else:
            qddot = accelerations(self.model, q, qdot, chart, t, route=route, qddot_prescribed=qddot, constraints=run)
            powers = np.zeros(2)
        if not self._prescribed:
            return np.concatenate([qdot, qddot, powers])
        return np.concatenate([qdot[self._free], qddot[self._free], powers])


class CompiledExplicitStepper(ExplicitStepper):
    """The same run in kernels, from switch to switch in one call."""

    def __init__(self, model: Model, state: State, settings: Adaptive, tree: Tree) -> None:
        self.tree = tree
        super().__init__(model, state, settings)

    def _new_solver(self, y: Array) -> Any:
        settings, tree = self.settings, cast("Tree", self.tree)
        return CompiledRungeKutta(
            tree,
            settings.method,
            self.state.t,
            y,
            rtol=settings.rtol,
            atol=settings.atol,
            exchanges=self._exchanges,
        )

    def _go_past(self, t_end: float, interval: float, t_bound: float, limit: int) -> None:
        solver, tree = self._solver, self._solver.tree
        if not len(self._free) and not self._exchanges:
            solver.go_on_from(min(t_end, t_bound), solver.y)
            self.state = self._state(solver.t, solver.y)
            return
        tree.set_chart(self.state.chart)
        try:
            solver.advance(t_end, interval, t_bound, max(LONGEST_STEP, interval), limit)
        except TooManyStepsError:
            raise too_many_steps(self.max_steps) from None
        finally:
            self.steps = solver.steps
            q, qdot, _ = self.motion(solver.t, solver.y)
            self.state = State(solver.t, q, qdot, tree.chart(self.state.chart))

    def _begin_anew(self) -> None:
        self._solver.go_on_from(self.state.t, np.append(self._free_motion(), self._solver.y[-2:]))
