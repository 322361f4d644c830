# SPDX-License-Identifier: GPL-3.0-or-later
"""The explicit adaptive methods RK45 and DOP853.

Where steps are longer than the time between samples they go past them, and samples are read off inside a step (dense
output): a slow motion costs the same at any frame rate. Shorter steps end at samples, and all end where inputs jump.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .. import fast
from ..arrays import Array
from ..model import Model
from ..state import State
from .adaptive import Adaptive, AdaptiveStepper
from .base import IntegrationError, TooManyStepsError, rubbing_joints
from .compiled import CompiledRungeKutta, stuck_component
from .energy_balance import (
    BalancedStepper,
    EnergyPromise,
    energy_at_unit_speeds,
    energy_of,
    exchanges_energy,
    explicit_part,
)
from .events import Lookout, slow_switches, state_switches
from .explicit_runge_kutta import ExplicitRungeKutta, NotFiniteError, StepTooSmallError
from .routes import FAST
from .switching import before, before_switch, moves_suddenly, next_switch
from .tableaux import DORMAND_PRINCE_5, DORMAND_PRINCE_8, Tableau
from .watch import STEPS_AT_ONCE

if TYPE_CHECKING:
    from ..kernels.compiled_tree import Tree

LONGEST_STEP = 0.25
"""No step is longer than this [s], or than the time between two samples where that is longer: a mechanism at rest or
in free flight would allow any step, and what it meets for a moment only, such as a soft limit, would go unseen."""


LOOP = 10
"""A loop costs as much as so many bodies."""


@dataclass(frozen=True, kw_only=True)
class AdaptiveExplicit(Adaptive):
    """Settings of the explicit ones."""

    integrates_energy: ClassVar[bool] = True
    has_joint_friction: ClassVar[bool] = True
    method: ClassVar[Tableau]
    pace: ClassVar[float] = 0.0  # see `ExplicitRungeKutta`

    def cannot(self, model: Model) -> list[str]:
        found = super().cannot(model)
        if not found and self.dynamics != FAST and rubbing_joints(model):
            found.append(f"friction inside joints is simulated with dynamics '{FAST}' alone; choose these")
        return found

    def begin(self, model: Model, state: State) -> ExplicitStepper:
        return ExplicitStepper(model, state, self, tree_for(self, model))


def tree_for(settings: Adaptive, model: Model) -> Tree | None:
    """Kernels that compute whole frames of a model; None where runs go step by step."""
    return (fast.new_tree(model) or _constrained_tree(model)) if settings.dynamics == FAST else None


def _constrained_tree(model: Model) -> Tree | None:
    """Kernels for a mechanism with loops and constraints; None where rows depend on each other in every pose, so that
    their rank has to be followed from step to step (`ConstrainedRun.rank`)."""
    tree = fast.constrained_tree(model)
    return tree if tree is not None and tree.knows_all_rows else None


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
    """y also holds work and loss, which shorten steps only where they are far less accurate than the motion.

    `state` is what was asked for last; `_front` is where the steps have come to, in the charts of the last step.
    tree: kernels that know all of the mechanism; they compute many steps in one call, from switch to switch.
    """

    settings: Any  # of the method, beside what all adaptive ones have

    def __init__(self, model: Model, state: State, settings: Adaptive, tree: Tree | None = None) -> None:
        super().__init__(model, state, settings, tree)
        self._exchanges = model.once(exchanges_energy)
        self._front, self._before_switch = self.state, False
        self._solver: Any = self._new_solver(np.append(self._free_motion(), (0.0, 0.0)))
        self._y = self._solver.y
        if self.tree is not None and self.tree.settle_address:  # what sticks where the run begins
            self.tree.settle(self.state.q, self.state.qdot, self.state.chart, self.state.t)
        self._bent: list[tuple[State, bytes, Array]] = []

    def _new_solver(self, y: Array) -> Any:
        """The method, about to start at the present time from y."""
        method, t, pace = self.settings.method, self.state.t, self.settings.pace
        tolerances = {"rtol": self.settings.rtol, "atol": self.settings.atol}
        control = {**tolerances, "pace": pace, "energy": energy_at_unit_speeds(self.model) if self._exchanges else 0.0}
        if self.tree is not None:
            return CompiledRungeKutta(self.tree, method, t, y, **control)
        lookout = self.lookout(**tolerances)
        return ExplicitRungeKutta(method, self.slope, t, y, **control, quadratures=2, lookout=lookout)

    def lookout(self, *, rtol: float, atol: float, calm: bool = False) -> Lookout | None:
        """What looks into steps for switches by state; None where nothing switches by it.

        calm: vibrations faster than steps die away.
        """
        switches = self.model.once(slow_switches if calm else state_switches)
        return Lookout(self.model, switches, self._placed, rtol=rtol, atol=atol) if len(switches.sorts) else None

    def _placed(self, t: float, y: Array) -> State:
        return self._state(min(t, self.inputs_until), y)

    @property
    def energy_promise(self) -> EnergyPromise:
        return EnergyPromise(explicit_part(self.settings.rtol))

    @property
    def work(self) -> float:
        return float(self._y[-2]) + (0.0 if self.constraints is None else self.constraints.work)

    @property
    def loss(self) -> float:
        return float(self._y[-1]) + (0.0 if self.constraints is None else self.constraints.loss)

    def advance(self, t_end: float) -> State:
        interval = t_end - self.state.t
        limit = self._last_step(interval)
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
        if isinstance(self._solver, CompiledRungeKutta):
            self._go_past_in_kernels(self._solver, t_end, interval, t_bound, limit)
            return
        self.inputs_until = before(t_bound)
        while self.state.t < min(t_end, t_bound):
            self._recentre()
            with np.errstate(all="ignore"):
                if self.constraints is None:
                    self._step(t_end, interval, t_bound)
                else:
                    self.follow(self._step_to, min(t_end, t_bound))
            self._count_step(limit)

    def _go_past_in_kernels(
        self, solver: CompiledRungeKutta, t_end: float, interval: float, t_bound: float, limit: int
    ) -> None:
        """Many steps in one call; charts change between them."""
        tree, model = solver.tree, self.model
        if not len(self._free) and not self._exchanges:
            solver.go_on_from(min(t_end, t_bound), solver.y)
            self.state = self._state(solver.t, solver.y)
            return
        if self.constraints is not None:  # stops that touch where a run begins
            self.constraints.hand_over_stops()
        tree.set_chart(self.state.chart)
        most = max(1, STEPS_AT_ONCE // (model.body_count + LOOP * len(model.loops)))
        done = False
        while not done:
            before = solver.steps
            try:
                some = min(limit, before + most)
                solver.advance(t_end, interval, t_bound, max(LONGEST_STEP, interval), some)
                done = True
            except TooManyStepsError:
                done = False
            finally:
                self.steps = solver.steps
                q, qdot, _ = self.motion(solver.t, solver.y)
                self.state = State(solver.t, q, qdot, tree.chart(self.state.chart))
            if not done:
                self._look_at_progress(limit, len(self.settings.method.nodes) * (self.steps - before))

    def _step(self, t_end: float, interval: float, t_bound: float) -> None:
        solver = self._solver
        if not len(self._free) and not self._exchanges:
            solver.t = min(t_end, t_bound)
        else:
            try:
                longest = min(max(LONGEST_STEP, interval), self._longest_step())
                solver.advance(t_bound, longest, sample=t_end, interval=interval)
            except NotFiniteError as error:
                raise stuck_component(self.model, self._free, error.component, too_small=False) from None
            except StepTooSmallError as error:
                raise stuck_component(self.model, self._free, error.component, too_small=True) from None
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

    def bends(self, start: State, end: State) -> tuple[Array, Array]:
        first, last = super().bends(start, end)
        first[self._free], last[self._free] = self._accelerations(start), self._accelerations(end)
        return first, last

    def _accelerations(self, state: State) -> Array:
        """Of the free coordinates; those of the last two states are remembered as long as the same rows touch."""
        touching = b"" if self.constraints is None else self.constraints.touching.tobytes()
        for seen, by, found in self._bent:
            if seen is state and by == touching:
                return found
        y = np.concatenate([state.q[self._free], state.qdot[self._free], (0.0, 0.0)])
        n = len(self._free)
        found = self.slope(state.t, y)[n : 2 * n]
        self._bent = [(state, touching, found), *self._bent[:1]]
        return found

    def _begin_anew(self) -> None:
        self._solver.go_on_from(self.state.t, np.append(self._free_motion(), self._solver.y[-2:]))

    def _pass_switch(self) -> None:
        if not moves_suddenly(self.model, self.state.t):
            self._begin_anew()
            return
        energy = energy_of(self.model, before_switch(self.model, self.state))
        super()._pass_switch()
        self._solver.y[-2] += energy_of(self.model, self.state) - energy

    def _worst_component(self) -> int | None:
        worst: int = self._solver.worst
        return worst if worst < 2 * len(self._free) else None

    def slope(self, t: float, y: Array) -> Array:
        self.look()
        t = min(t, self.inputs_until)
        q, qdot, qddot = self.motion(t, y)
        if self.constraints is not None and self.constraints.near:  # stages near a singular pose, too, lie on the loops
            placed = self.constraints.projected(State(t, q, qdot, self.state.chart), t)
            q, qdot = placed.q, placed.qdot
        at = self.route.at(t, q, qdot, self.state.chart, qddot)
        if self._exchanges:
            qddot, powers = self.route.accelerations_and_powers(at)
        else:
            qddot, powers = self.route.accelerations(at), np.zeros(2)
        if not self._prescribed:
            return np.concatenate([qdot, qddot, powers])
        return np.concatenate([qdot[self._free], qddot[self._free], powers])
