# SPDX-License-Identifier: GPL-3.0-or-later
"""Methods whose frames kernels compute: one compiled call takes many steps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from .. import fast
from ..arrays import Array, IntArray
from ..dynamics.animation import with_prescribed
from ..dynamics.constraint_rows import element_names
from ..dynamics.freedoms import free_coordinates
from ..errors import ElementName, Quantity
from ..model import Model
from ..outcome import SMALLER_STEP
from ..solvers import pcg
from ..state import State
from .base import (
    MAX_PARTS,
    MAX_TURN,
    WHAT_IS_FAST,
    FixedStepper,
    IntegrationError,
    TooManyStepsError,
    step_count,
    turns_too_far,
)
from .events import Switches, state_switches
from .explicit_runge_kutta import (
    LEAST_SAMPLES,
    MAX_FACTOR,
    MIN_FACTOR,
    MOST_STRICT,
    PART_OF_WORK,
    SMALLEST_RTOL,
    TINY_ERROR,
)
from .routes import FAST, begin
from .switching import after_switch, next_switch, switch_times
from .tableaux import DormandPrince5, DormandPrince8, Tableau, inside
from .watch import STEPS_AT_ONCE

if TYPE_CHECKING:
    from ..kernels.compiled_tree import Tree

FRICTION_PER_TOLERANCE, FRICTION_PART, EXACT_FRICTION = 1.0, 1e-7, 1e-12
"""Friction in bearings may be off by this part of the relative tolerance, and of itself; rounding sets the last."""


@cache
def tableau_arrays(method: Tableau) -> tuple[Array, Array, IntArray, Array]:
    """Nodes, rows, where rows are not zero, and bends as kernels read them.

    Nodes and rows are those of the stages, of the end, whose row are the weights, and of the inner stages. Two more
    rows are the error estimates, of which the first decides.
    """
    nodes = np.array([*method.nodes, 1.0, *method.inner_nodes])
    if isinstance(method, DormandPrince8):
        errors = (method.error_5, method.error_3)
    elif isinstance(method, DormandPrince5):
        errors = (method.error, np.zeros_like(method.error))
    else:
        raise TypeError(f"kernels do not know the error estimate of {type(method).__name__}")
    listed = (*method.rows, method.weights, *method.inner_rows, *errors)
    rows = np.zeros((len(listed), method.slopes))
    used = np.zeros((len(listed), method.slopes + 1), np.int64)
    for stage, row in enumerate(listed):
        rows[stage, : len(row)] = row
        where = np.flatnonzero(row)
        used[stage, 0], used[stage, 1 : 1 + len(where)] = len(where), where
    return nodes, rows, used, method.bends


def watched_arrays(switches: Switches) -> tuple[IntArray, Array]:
    """What switches by state as kernels read it; see `kernels.steps.events`."""
    counts = np.array([len(levels.values) for levels in switches.levels], np.int64)
    periods = np.array([levels.period for levels in switches.levels])
    m = len(counts)
    first = 2 * m + np.cumsum(counts) - counts
    rows = np.stack([switches.sorts, switches.indices, first, counts], axis=1).ravel()
    head = np.array([m, switches.posed, len(switches.turning)], np.int64)
    levels = np.array([level for one in switches.levels for level in one.values])
    return np.concatenate([head, rows, switches.turning]), np.concatenate([switches.gaps, periods, levels])


class CompiledRungeKutta:
    """The adaptive method of one run in compiled code; in place of `ExplicitRungeKutta`.

    y: free coordinates, their velocities, work and loss. steps: taken so far. energy: see `ExplicitRungeKutta`; 0 where
    work and loss stay 0.
    """

    def __init__(
        self, tree: Tree, method: Tableau, t: float, y: Array, *, rtol: float, atol: float, pace: float, energy: float
    ) -> None:
        from ..kernels.steps import runge_kutta  # noqa: PLC0415  (needs numba)

        self._kernel, self.tree, self.y = runge_kutta, tree, np.array(y, np.float64)
        self._tableau = tableau_arrays(method)
        self._control = np.array(
            [
                *(*method.control, TINY_ERROR, MIN_FACTOR, MAX_FACTOR, method.strictness, LEAST_SAMPLES),
                *(method.error_order, len(method.nodes), method.ends_with_slope),
                *(max(rtol, SMALLEST_RTOL), atol, MAX_TURN, pace, MOST_STRICT, energy, PART_OF_WORK),
            ]
        )
        self._traits = np.array([tree.singular, energy > 0.0], np.int64)
        self._free = tree.model.once(free_coordinates)
        self._stops_at, self._settle_at = tree.stops_address, tree.settle_address
        tree.find_friction_to(min(FRICTION_PART, max(FRICTION_PER_TOLERANCE * rtol, EXACT_FRICTION)))
        self._places = np.zeros(tree.model.dof_count, np.int64)
        self._places[self._free] = np.arange(len(self._free))
        due = self._is_due
        self._clock = np.array([t, -1.0, 0.0, 0.0, 0.0, t, 0.0, -1.0, 0.0, due, 0.0, t, 0.0])
        self._K = np.zeros((method.slopes, self.y.size))
        self._polynomial = np.zeros((4 + len(method.bends), self.y.size))
        self._motion = np.zeros((3, tree.model.dof_count))
        self._jammed = ""
        self._watched = watched_arrays(tree.model.once(state_switches))

    @property
    def t(self) -> float:
        return float(self._clock[self._kernel.TIME])

    @property
    def step(self) -> float | None:
        """How long the next step will be tried [s]; None before the first."""
        step = float(self._clock[self._kernel.STEP])
        return step if step >= 0.0 else None

    @property
    def steps(self) -> int:
        return int(self._clock[self._kernel.STEPS])

    @property
    def worst(self) -> int:
        """Component of y whose error was the largest in the last step, after one too many."""
        return int(self._clock[self._kernel.WHERE])

    def pass_stops(self, *, freely: bool) -> None:
        """From now on go on beyond stops, or heed them again; `go_on_from` is to follow."""
        self._stops_at = 0 if freely else self.tree.stops_address
        if self.tree.stops_address:
            self.tree.let_go()

    def go_on_from(self, t: float, y: Array) -> None:
        """Continue from other values, or under other inputs; steps go on as they were."""
        self.y[:] = y
        self._clock[self._kernel.TIME], self._clock[self._kernel.KNOWN] = t, 0.0
        self._clock[self._kernel.DUE] = self._is_due

    @property
    def _is_due(self) -> float:
        """Whether what stops, sticks and slides is found anew before a step from other values."""
        return float(self._stops_at != 0 or self._settle_at != 0)

    def advance(self, sample: float, interval: float, t_bound: float, longest: float, limit: int) -> None:
        """Steps up to t_bound or a sample; see `steps.runge_kutta.advance`. IntegrationError where it cannot."""
        kernel, tree = self._kernel, self.tree
        ended = kernel.advance(
            tree.address, tree.ints, tree.floats, *self._tableau, self._control, self._traits, self._free,
            self._clock, self.y, self._K, self._polynomial, self._motion, *self._watched, self._stops_at,
            self._settle_at, self._places, sample, interval, t_bound, longest, limit,
        )  # fmt: skip
        if ended != kernel.DONE:
            raise self._error(ended, int(self._clock[kernel.WHERE]))

    def inside(self, t: float) -> Array:
        """y at a time within the last step, which has passed the sample that was asked for."""
        last, length = self._clock[self._kernel.LAST], self._clock[self._kernel.LENGTH]
        return inside(self._polynomial, float((t - last) / length))

    def _widest_open(self) -> ElementName:
        """The loop or constraint that is open most where the last step would have ended."""
        tree, model = self.tree, self.tree.model
        q, qdot, _ = self._motion
        owner = tree.widest_open(q, qdot, tree.chart(np.zeros(model.body_count, np.int64)), self.t)
        return element_names(model)[owner]

    def _error(self, ended: int, where: int) -> IntegrationError:
        kernel, model = self._kernel, self.tree.model
        self._jammed = self.tree.jammed_joint() or self._jammed
        if self._jammed and ended in (kernel.NOT_FINITE, kernel.TOO_SMALL, kernel.STUCK):
            return self._jams(self._jammed)
        if ended == kernel.TOO_MANY:
            return TooManyStepsError("too many steps")
        if ended == kernel.STUCK:
            return IntegrationError.of(fast.stuck_joint(model, where))
        if ended == kernel.TORN:
            loop = self._widest_open()
            what = f"{loop}: can no longer be closed after t = {self.t:.6g} s"
            advice = "something moves its bodies further than they reach"
            return IntegrationError(what, loop, advice, code="cannot_close", numbers={"t": Quantity(self.t, "s")})
        if ended == kernel.BLOCKED:
            return self._blocked(where)
        return stuck_component(model, self._free, where, too_small=ended == kernel.TOO_SMALL)

    def _jams(self, name: str) -> IntegrationError:
        """The error for a joint in whose bearing friction presses so hard that it feeds itself."""
        joint = ElementName("joint", name)
        what = f"{joint}: jams at t = {self.t:.6g} s, as friction presses its bearing harder than it slows it"
        advice = "use less friction, or a longer bearing"
        return IntegrationError(what, joint, advice, code="jams", numbers={"t": Quantity(self.t, "s")})

    def _blocked(self, row: int) -> IntegrationError:
        """The error for a stop, given by its row, that equations contradict."""
        element = element_names(self.tree.model)[self.tree.owner_of(row)]
        what = f"{element}: something moves it on against its stop at t = {self.t:.6g} s"
        advice = "let what is animated or coupled end before the stop, or widen the limits"
        return IntegrationError(what, element, advice, code="cannot_close", numbers={"t": Quantity(self.t, "s")})


def stuck_component(model: Model, free: IntArray, component: int, *, too_small: bool) -> IntegrationError:
    """The error for a component of y that cannot be followed, naming its joint.

    too_small: the step shrinks to nothing; else the acceleration is no longer finite. At the end of its reach a driven
    loop is ever faster.
    """
    what, advice, code = "the acceleration is no longer finite", WHAT_IS_FAST, "not_finite"
    if too_small:
        what, code = "the adaptive step became too small", "step_too_small"
        advice = "loosen the tolerances, or use extrapolated_euler if something is stiff"
        if model.loops:
            advice += ", and see whether a loop is moved to the end of its reach"
    if component >= 2 * len(free):
        return IntegrationError(what, advice=advice, code=code)
    owner = model.owner(int(free[component % len(free)]))
    return IntegrationError(f"{owner}: {what}", owner, advice, code=code)


class CompiledFixedStepper(FixedStepper):
    """Recipe of a fixed-step run whose frames kernels compute. method: a number of `kernels.steps.fixed_steps`.

    splits: whether the method divides steps where inputs jump; such frames go step by step through `step`.
    drives: whether kernels take the steps of mechanisms with drives, too. tolerance: of the methods that iterate.
    """

    method: int
    splits = False
    drives = False
    tolerance = 0.0

    def __init__(self, model: Model, state: State, h: float, *, formulation: str = FAST, compiled: bool = True) -> None:
        """compiled: whether kernels may compute frames."""
        super().__init__(model, state, h, self._tree_for(model) if compiled and formulation == FAST else None)
        self.route = begin(model, formulation, self.constraints)
        self._switches = model.once(switch_times) if self.splits else np.zeros(0)

    def _tree_for(self, model: Model) -> Tree | None:
        """Kernels for whole frames; None where steps are taken one by one, as with loops and constraints."""
        if self.drives and model.followers is not None and not (model.loops or model.constraints):
            return fast.constrained_tree(model)
        return fast.new_tree(model)

    def advance(self, t_end: float) -> State:
        state, tree = self.state, self.tree
        if tree is None or next_switch(self._switches, state.t, t_end) < t_end:
            return super().advance(t_end)
        from ..kernels.steps import fixed_steps  # noqa: PLC0415  (needs numba)

        q, qdot = state.q.copy(), state.qdot.copy()
        tree.set_chart(state.chart)
        count = step_count(t_end - state.t, self.h)
        most = max(1, STEPS_AT_ONCE // max(1, self.model.body_count))
        for until, some in parts(state.t, t_end, count, most):
            self.look()
            progress = np.zeros(3)
            ended = fixed_steps.advance(
                tree.address, tree.ints, tree.floats, self.method, tree.singular, self.max_turn,
                MAX_PARTS * self.max_turn, self.tolerance, q, qdot, self.state.t, until, some, progress,
            )  # fmt: skip
            self.steps += int(progress[0])
            if ended != fixed_steps.DONE:
                raise self._error(ended, progress)
            self.state = State(until, *with_prescribed(self.model, until, q, qdot), tree.chart(state.chart))
        if self.splits:
            self.state = after_switch(self.model, self.state)
        return self.state

    def _error(self, ended: int, progress: Array) -> IntegrationError:
        from ..kernels.steps import fixed_steps  # noqa: PLC0415  (needs numba)

        if ended == fixed_steps.STUCK:
            return IntegrationError.of(fast.stuck_joint(self.model, int(progress[1])))
        if ended == fixed_steps.PUSHED:
            joint = ElementName("joint", self.model.joint_names[int(progress[1])])
            what = f"{joint}: its springs or dampers push harder than its inertia resists within a step"
            return IntegrationError(what, joint, SMALLER_STEP, code="springs_too_stiff")
        if ended == fixed_steps.TOO_FAST:
            return turns_too_far(self._hardest(), float(progress[1]))
        if ended == fixed_steps.NO_END:
            return IntegrationError.of(pcg.no_end(progress[1], pcg.most_iterations(self.model.dof_count), progress[2]))
        which = "matrix" if ended == fixed_steps.NO_MATRIX else "preconditioner"
        return IntegrationError.of(pcg.not_definite(which))


def parts(t: float, t_end: float, count: int, most: int) -> Iterator[tuple[float, int]]:
    """Ends [s] and numbers of steps of calls that take at most so many of `count` equal steps from t to t_end."""
    for first in range(0, count, most):
        last = min(count, first + most)
        yield (t_end if last == count else t + (t_end - t) * last / count), last - first
