# SPDX-License-Identifier: GPL-3.0-or-later
"""Backward differentiation of order 1 and 2: fully implicit, solved by Newton's method with line search."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np

from .. import fast
from ..arrays import Array, IntArray
from ..dynamics.animation import prescribed_motion, with_prescribed
from ..dynamics.freedoms import free_coordinates
from ..fields import number
from ..model import Model
from ..outcome import SMALLER_STEP
from ..state import State
from .base import NOT_FINITE, FixedStep, FixedStepper, IntegrationError
from .routes import begin
from .routes.solvable import immovable

if TYPE_CHECKING:
    from ..kernels.compiled_tree import Tree

_Residual: TypeAlias = Callable[[Array], Array]

SDIRK2 = (2.0 - math.sqrt(2.0)) / 2.0
"""Coefficient a of the two-stage, L-stable method of order 2 that starts BDF2."""

MAX_ITERATIONS = 50
MAX_SPLITS = 6
"""A step that Newton's method does not solve is tried in 2, 4, ... 2^6 parts before the run fails."""

MAX_HALVINGS = 20
DIFFERENCE = 2.0**-17
"""Step of the central differences in the Newton matrix, the cube root of the rounding error."""


NO_SMALLER = "Newton's method finds no smaller residual"
NO_END = f"Newton's method does not converge in {MAX_ITERATIONS} iterations"


class NewtonError(IntegrationError):
    """Newton's method did not solve a stage."""

    code = "no_solution"

    def __init__(self, what: str, *, code: str = "") -> None:
        super().__init__(what, advice=SMALLER_STEP, code=code)


@dataclass(frozen=True, kw_only=True)
class ImplicitStep(FixedStep):
    """Settings shared by the fully implicit methods."""

    tolerance: float = number(
        1e-9, doc="Newton's method stops after a change this small", unit="rad or m", positive=True
    )
    residual_tolerance: float = number(
        0.0,
        doc="Newton's method also stops at |M (q - q_past - ch v_past) - ch^2 f| below this; the goldens need 1e-9",
        unit="kg m^2 or kg m",
        minimum=0.0,
    )


@dataclass(frozen=True, kw_only=True)
class Bdf1(ImplicitStep):
    """Order 1 (implicit Euler); very stable, loses much energy."""

    kind: ClassVar[str] = "bdf1"
    label: ClassVar[str] = "BDF1 (implicit Euler)"

    def begin(self, model: Model, state: State) -> Bdf1Stepper:
        return Bdf1Stepper(model, state, self)


@dataclass(frozen=True, kw_only=True)
class Bdf2(ImplicitStep):
    """Order 2; stable for stiff springs, loses little energy. Starts with one SDIRK2 step."""

    kind: ClassVar[str] = "bdf2"
    label: ClassVar[str] = "BDF2"

    def begin(self, model: Model, state: State) -> Bdf2Stepper:
        return Bdf2Stepper(model, state, self)


class ImplicitStepper(FixedStepper):
    """Solves one implicit stage; all methods here are made of such stages."""

    def __init__(self, model: Model, state: State, settings: ImplicitStep) -> None:
        super().__init__(model, state, settings.h, fast.new_tree(model))
        self.route = begin(model, constraints=self.constraints)
        self.tolerance = settings.tolerance
        self.residual_tolerance = settings.residual_tolerance

    def _step_in_parts(self, t_end: float, h: float, parts: int) -> None:
        before = dict(vars(self))  # states are immutable, so this is the whole past
        for split in range(MAX_SPLITS + 1):
            try:
                super()._step_in_parts(t_end, h, parts * 2**split)
            except NewtonError:
                if split == MAX_SPLITS:
                    raise
                vars(self).update(before)
            else:
                return

    def stage(self, q_past: Array, v_past: Array, ch: float, t: float, guess: Array) -> tuple[Array, Array]:
        """q and v (nr,) at time t with q = q_past + ch v and v = v_past + ch qddot(q, v, t).

        ch is the step [s] times the method's coefficient. The unknown is q, as in the golden README:
        g(q) = M(q) (q - q_past - ch v_past) - ch^2 f(q, v) = 0, where f holds -J^T M Jdot qdot.
        Prescribed coordinates have their own q and v; their acceleration is (v - v_past) / ch, which keeps
        the method's order and feels sudden changes of velocity.
        """
        given, free = self.model.prescribed, self.model.once(free_coordinates)
        q_given, v_given, _ = prescribed_motion(self.model, t)
        if self.tree is not None:
            past = np.stack([q_given, v_given, q_past, v_past])
            return self._compiled_stage(self.tree, free, past, ch, t, guess[free])

        def motion(x: Array) -> tuple[Array, Array]:
            q = q_given.copy()
            q[free] = x
            return q, np.where(given, v_given, (q - q_past) / ch)

        def g(x: Array) -> Array:
            self.look()
            q, v = motion(x)
            at = self.route.at(t, *with_prescribed(self.model, t, q, v), self.state.chart)
            return self.route.residual(at, (v - v_past) / ch)[free] * ch**2

        return motion(self._newton(g, guess[free]))

    def _compiled_stage(
        self, tree: Tree, free: IntArray, past: Array, ch: float, t: float, x: Array
    ) -> tuple[Array, Array]:
        """q and v (nr,) of a stage, solved by kernels.

        past: rows q_given, v_given, q_past, v_past; x: guess of the free coordinates.
        """
        from ..kernels.steps import newton  # noqa: PLC0415  (needs numba)

        tree.set_chart(self.state.chart)
        x, matrix = x.copy(), np.zeros((len(free), len(free)))
        settings = np.array([self.tolerance, self.residual_tolerance, DIFFERENCE, MAX_ITERATIONS, MAX_HALVINGS])
        ended = newton.DONE
        if len(free):
            ended = newton.stage(
                tree.address, tree.ints, tree.floats, tree.vectors, free, past, settings, ch, t, x, matrix
            )
        if ended == newton.SINGULAR:
            raise immovable(self.model, self._all_rows(matrix))
        if ended != newton.DONE:
            if ended == newton.NOT_FINITE:
                raise NewtonError(NOT_FINITE, code="not_finite")
            raise NewtonError({newton.NO_SMALLER: NO_SMALLER, newton.NO_END: NO_END}[ended])
        q, v = past[0].copy(), past[1].copy()
        q[free] = x
        v[free] = (x - past[2][free]) / ch
        return q, v

    def _newton(self, g: _Residual, x: Array) -> Array:
        """A root of g near x by Newton's method; each step is halved until g shrinks.

        g is measured by the diagonal of the Newton matrix, so that radians and metres weigh alike and
        nothing depends on the units of the scene.
        """
        if x.size == 0:
            return x
        value = g(x)
        for _ in range(MAX_ITERATIONS):
            if np.linalg.norm(value) < self.residual_tolerance:
                return x
            matrix = self._derivative(g, x)
            weight = 1.0 / np.sqrt(np.abs(np.diag(matrix)) + np.finfo(float).tiny)
            try:
                direction = np.linalg.solve(matrix, -value)
            except np.linalg.LinAlgError:
                raise immovable(self.model, self._all_rows(matrix)) from None
            small = self.tolerance * (1.0 + np.abs(x).max())
            length = 1.0
            for _ in range(MAX_HALVINGS):
                trial = x + length * direction
                trial_value = g(trial)
                close = np.abs(direction).max() <= small
                if close or np.linalg.norm(weight * trial_value) < np.linalg.norm(weight * value):
                    break
                length *= 0.5
            else:
                raise NewtonError(NO_SMALLER)
            if not np.isfinite(trial_value).all():
                raise NewtonError(NOT_FINITE, code="not_finite")
            x, value = trial, trial_value
            if close:
                return x
        raise NewtonError(NO_END)

    @staticmethod
    def _derivative(g: _Residual, x: Array) -> Array:
        """dg/dx by central differences: everything in it, geometric stiffness and dM/dq included.

        Forward differences would do for convergence, but where the method stops at `residual_tolerance`,
        as the goldens do, only the exact matrix stops at the same place.
        """
        matrix = np.empty((x.size, x.size))
        for k in range(x.size):
            before, after = x.copy(), x.copy()
            before[k] -= DIFFERENCE * max(1.0, abs(x[k]))
            after[k] += DIFFERENCE * max(1.0, abs(x[k]))
            matrix[:, k] = (g(after) - g(before)) / (after[k] - before[k])
        return matrix

    def _all_rows(self, matrix: Array) -> Array:
        """The free rows and columns spread over all coordinates; the others are never weak."""
        free = self.model.moves_freely
        A = np.eye(self.model.dof_count) * np.abs(matrix).max(initial=1.0)
        A[np.ix_(free, free)] = matrix
        return np.asarray(A)


class Bdf1Stepper(ImplicitStepper):
    def step(self, h: float, t_end: float) -> State:
        """q1 = q0 + h v1, v1 = v0 + h qddot1."""
        q0, v0 = self.state.q, self.state.qdot
        q, v = self.stage(q0, v0, h, t_end, q0 + h * v0)
        return State(t_end, *with_prescribed(self.model, t_end, q, v), self.state.chart)


class Bdf2Stepper(ImplicitStepper):
    """previous: the state one step of length `previous_h` before the present one; None before the first step."""

    def __init__(self, model: Model, state: State, settings: ImplicitStep) -> None:
        super().__init__(model, state, settings)
        self.previous: State | None = None
        self.previous_h = 0.0

    def recentre(self) -> None:
        """Recentre the present state and write the past one in the same coordinates."""
        super().recentre()
        past = self.previous
        if past is None or not self._charted:
            return
        q, qdot = past.q.copy(), past.qdot.copy()
        for j in self._charted:
            columns, chart = self.model.columns(j), int(self.state.chart[j])
            q[columns], qdot[columns] = self.model.joints[j].rewrite(
                q[columns], qdot[columns], int(past.chart[j]), chart_like=chart, q_like=self.state.q[columns]
            )
        self.previous = State(past.t, q, qdot, self.state.chart)

    def follow(self, take: Callable[[float], None], t_end: float) -> None:
        """Also forgets the past at an impact, before which the motion was another one."""
        before = 0 if self.constraints is None else self.constraints.impacts
        super().follow(take, t_end)
        if self.constraints is not None and self.constraints.impacts > before:
            self.previous = None

    def step(self, h: float, t_end: float) -> State:
        """v2 = 4/3 v1 - 1/3 v0 + 2/3 h qddot2, alike for q; SDIRK2 where there is no past step of this length."""
        present = self.state
        q1, v1 = present.q, present.qdot
        if self.previous is None or abs(self.previous_h - h) > 1e-6 * h:
            q, v = self._sdirk2(h, t_end)
        else:
            q_past = (4.0 * q1 - self.previous.q) / 3.0
            v_past = (4.0 * v1 - self.previous.qdot) / 3.0
            q, v = self.stage(q_past, v_past, 2.0 / 3.0 * h, t_end, q1 + h * v1)
        self.previous, self.previous_h = present, h
        return State(t_end, *with_prescribed(self.model, t_end, q, v), present.chart)

    def _sdirk2(self, h: float, t_end: float) -> tuple[Array, Array]:
        """Stage at t + a h, then q1 = q0 + h ((1 - a) va + a v1), alike for v."""
        a, t0 = SDIRK2, self.state.t
        q0, v0 = self.state.q, self.state.qdot
        qa, va = self.stage(q0, v0, a * h, t0 + a * h, q0 + a * h * v0)
        acceleration = (va - v0) / (a * h)
        q_past, v_past = q0 + (1.0 - a) * h * va, v0 + (1.0 - a) * h * acceleration
        return self.stage(q_past, v_past, a * h, t_end, qa + (1.0 - a) * h * va)
