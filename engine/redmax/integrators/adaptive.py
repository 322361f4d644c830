# SPDX-License-Identifier: GPL-3.0-or-later
"""What methods share that choose their step by an error estimate.

They begin anew where coordinates are recentred and where inputs jump. They integrate RBDN eq. 2.21.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Array
from ..dynamics.animation import prescribed_motion
from ..dynamics.freedoms import free_coordinates
from ..errors import ElementName, Quantity
from ..fields import number
from ..model import Model
from ..state import State
from .base import (
    MAX_TURN,
    Integrator,
    StalledError,
    Stepper,
    TooManyStepsError,
)
from .routes import begin, formulation_choice
from .switching import after_switch, switch_times
from .watch import FRAME

if TYPE_CHECKING:
    from ..kernels.compiled_tree import Tree

MAX_STEPS = 10_000
"""More steps than this in a usual frame mean that the run goes nowhere."""


@dataclass(frozen=True, kw_only=True)
class Adaptive(Integrator):
    """Settings shared by the adaptive methods."""

    rtol: float = number(1e-8, doc="Error allowed per step, relative to each coordinate and velocity", positive=True)
    atol: float = number(1e-8, doc="Error allowed per step", unit="rad, m, rad/s or m/s", positive=True)
    dynamics: str = formulation_choice()


class AdaptiveStepper(Stepper):
    """y = (q, qdot) of the free coordinates; what is prescribed or moved by drives is put in at every evaluation.

    max_steps: between two samples, or in a usual frame where samples are further apart.
    """

    max_steps = MAX_STEPS
    _frame = FRAME

    def __init__(self, model: Model, state: State, settings: Adaptive, tree: Tree | None = None) -> None:
        super().__init__(model, state, tree)
        self.settings = settings
        self.route = begin(model, settings.dynamics, self.constraints)
        self._free = model.once(free_coordinates)
        self._prescribed = len(self._free) < model.dof_count  # or moved by drives
        self._switches = model.once(switch_times)

    @abstractmethod
    def _begin_anew(self) -> None:
        """The state or the inputs have changed at once: nothing known of the motion so far holds any longer."""

    def _last_step(self, interval: float) -> int:
        """Number of the last step that a frame of so many seconds may take, which begins now."""
        self._frame = interval
        return self.steps + self._most_steps()

    def _most_steps(self) -> int:
        return math.ceil(self.max_steps * max(1.0, self._frame / FRAME))

    def _count_step(self, limit: int) -> None:
        self.steps += 1
        self._look_at_progress(limit)

    def _look_at_progress(self, limit: int, work: int = 1) -> None:
        """IntegrationError or NoProgressError where the run goes nowhere, naming what holds it up. work: see `look`."""
        self.look(work)
        if self.watch.stalls(self.state.t, self.steps, self._frame):
            raise self._nowhere(StalledError, self._standing_still())
        if self.steps > limit:
            most = self._most_steps()
            what = f"needs more than {most} steps between two samples"
            raise self._nowhere(TooManyStepsError, what, {"most_steps": Quantity(most)})

    def _hardest(self) -> ElementName:
        component = self._worst_component()
        if component is None:
            return super()._hardest()
        return self.model.owner(int(self._free[component % len(self._free)]))

    def _worst_component(self) -> int | None:
        """Which component of y had the largest error in the last step; None where nobody knows."""
        return None

    def put(self, state: State) -> None:
        if state is not self.state:
            self.state = state
            self._begin_anew()

    def _pass_switch(self) -> None:
        self.state = after_switch(self.model, self.state)
        if self.constraints is not None:
            self.state = self.constraints.projected(self.state)
        self._begin_anew()

    def _recentre(self) -> None:
        """Recentre; if that changed the coordinates, the method must begin anew."""
        old = self.state
        self.recentre()
        if self.state is old:
            return
        if not np.array_equal(old.q, self.state.q) or not np.array_equal(old.chart, self.state.chart):
            self._begin_anew()

    def _longest_step(self) -> float:
        """Steps are kept so short that no joint can turn into its singularity before it is recentred."""
        rate = self.turn_rate()
        return MAX_TURN / rate if rate > 0.0 else math.inf

    def _free_motion(self) -> Array:
        return np.concatenate([self.state.q[self._free], self.state.qdot[self._free]])

    def motion(self, t: float, y: Array) -> tuple[Array, Array, Array]:
        """q, qdot and the given accelerations, each (nr,), for the free coordinates and velocities in y."""
        free = len(self._free)
        if not self._prescribed:
            return y[:free], y[free : 2 * free], np.zeros(free)
        q, qdot, qddot = prescribed_motion(self.model, t)
        q[self._free], qdot[self._free] = y[:free], y[free : 2 * free]
        if self.model.followers is not None:
            q, qdot = self.model.followers.placed(q, qdot)
        return q, qdot, qddot

    def _state(self, t: float, y: Array) -> State:
        q, qdot, _ = self.motion(t, y)
        return State(t, q, qdot, self.state.chart)
