# SPDX-License-Identifier: GPL-3.0-or-later
"""Explicit Runge-Kutta methods that choose their step by an error estimate, with numpy alone.

Error norm and first step are those of scipy's RK45 and DOP853 (after Hairer, Norsett and Wanner, Solving Ordinary
Differential Equations I, section II.4). With `CLASSICAL` control, which is theirs, a run takes the same steps too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ..arrays import Array
from .events import Hops, Landing, Lookout
from .tableaux import StepControl, Tableau, inside, root_mean_square

Slope: TypeAlias = Callable[[float, Array], Array]
"""dy/dt at (t, y)."""

MIN_FACTOR, MAX_FACTOR = 0.2, 10.0
"""Bounds on the ratio of one step to the next."""

TINY_ERROR = 1e-4
"""After a step with so little of the error that is allowed the next is as long as it alone says."""

SMALLEST_RTOL = 100.0 * float(np.finfo(np.float64).eps)
"""Rounding makes a smaller relative tolerance meaningless; it is raised to this."""


LEAST_SAMPLES = 2.0
"""A step passes the next sample if it is as long as so many intervals between samples; the slopes that its inside needs
would otherwise cost more than a step that ends there."""


MOST_STRICT = 10.0
"""Errors of steps much shorter than the pace count at most so many times: rounding bounds what can be asked."""


PART_OF_WORK = 1e3
"""Work and loss may be wrong by so many times the relative tolerance, as parts of what the larger of their powers would
add in the step: mostly they are far more accurate, because motion is."""


class StepTooSmallError(Exception):
    """No step that can be told from none is accurate enough. component: of y, whose error is the largest."""

    def __init__(self, component: int) -> None:
        self.component = component
        super().__init__(f"component {component}")


class NotFiniteError(StepTooSmallError):
    """A slope that is not a finite number, where the run stands or inside its step. component: which."""


class ExplicitRungeKutta:
    """One run of a method from (t, y). step: how long the next step will be tried; None before the first.

    worst: component of y whose error was the largest in the last step.

    quadratures: how many of the last components of y nothing depends on. They are integrated with the same steps and
    the same order, but do not enter the choice of the steps, unless there is nothing else or they are energies.
    energy: of the motion at unit speeds [J], where quadratures are energies: errors below atol times it do not count.
    0 where they are none.
    control: another one than the method's. lookout: looks into every step for what switches inside it, which ends it.
    pace: a step shorter than this [s] may have an error in proportion to its length only, so that many short steps,
    as of what spins fast, add up to no more than few long ones. 0 for errors per step.
    """

    def __init__(
        self,
        method: Tableau,
        slope: Slope,
        t: float,
        y: Array,
        *,
        rtol: float,
        atol: float,
        quadratures: int = 0,
        energy: float = 0.0,
        control: StepControl | None = None,
        pace: float = 0.0,
        lookout: Lookout | None = None,
    ) -> None:
        self.method, self.slope, self.lookout = method, slope, lookout
        self.control = method.control if control is None else control
        self.t, self.y = t, np.array(y, np.float64)
        self.rtol, self.atol, self.pace = max(rtol, SMALLEST_RTOL), atol, pace
        self.step: float | None = None
        self.worst = 0
        self._error_before: float | None = None
        self._controlled, self._energy = self.y.size - quadratures, energy
        self._slope_here: Array | None = None
        self._K = np.empty((method.slopes, self.y.size))
        self._used = len(method.nodes) + method.ends_with_slope  # slopes that every step has
        self._last = (t, 0.0)
        self._hops = Hops()
        self._polynomial: Array | None = None

    def go_on_from(self, t: float, y: Array) -> None:
        """Continue from other values, or under other inputs; steps go on as they were."""
        self.t, self.y, self._slope_here = t, np.array(y, np.float64), None

    def advance(
        self, t_bound: float, max_step: float = math.inf, *, sample: float = math.inf, interval: float = math.inf
    ) -> None:
        """One step that is accurate enough, at most up to t_bound > t. StepTooSmallError if there is none.

        sample: when y is wanted next, > t, and interval: how often. A step ends there, or it is long and passes; then
        `inside` knows y.
        """
        t, y = self.t, self.y
        f = self.slope(t, y) if self._slope_here is None else self._slope_here
        if not np.isfinite(f).all():
            raise NotFiniteError(int(np.isfinite(f).argmin()))
        self._slope_here, self._polynomial = f, None
        t_stop, shortest = min(sample, t_bound), 10.0 * (math.nextafter(t, math.inf) - t)
        if t_stop - t < shortest:  # times that only rounding tells apart
            self.t, self.y = t_stop, y + (t_stop - t) * f
            return
        exponent = -1.0 / (self.method.error_order + 1)
        step = self._first_step(f, t_bound - t, max_step) if self.step is None else self.step
        strictness, step = 1.0, min(step, max_step)
        landing = None if self.lookout is None else self.lookout.landing(t, y, step)
        beyond = None if landing is None else self._hops.over(landing, t, y, f, t_stop)
        if beyond is not None:
            self.t, self.y = beyond
            self.step, self._slope_here = step, None
            return
        shortened = step * self.method.strictness**exponent
        if shortened >= LEAST_SAMPLES * interval:
            strictness, step, t_stop = self.method.strictness, shortened, t_bound
        wanted = h = max(step, shortest)
        rejected, worst = False, np.zeros(1)
        while True:
            if not h >= shortest:  # also if it is not a number
                raise StepTooSmallError(int(worst.argmax()))
            t_new = min(t + h, t_stop)
            h = t_new - t
            y_new = self._stages(y, f, h, t_new)
            error, worst = self._error(y, y_new, h)
            error *= min(MOST_STRICT, max(1.0, self.pace / h))
            if error * strictness < 1.0:
                again = 0.0 if landing is None else self._again(landing, f, y_new, h, shortest)
                if landing is None or again == 0.0:
                    break
                wanted, rejected, h = landing.length, False, again
                continue
            # max gives MIN_FACTOR for an error that is not a number: the step went somewhere impossible
            h *= max(MIN_FACTOR, self.control.safety * (error * strictness) ** exponent)
            rejected = True
        cut_short = (t_new == t_stop or (landing is not None and landing.tries > 0)) and h < wanted and not rejected
        following = h * self._factor(error, strictness, rejected=rejected, cut_short=cut_short)
        if cut_short:
            following = max(following, wanted)  # a step cut short says nothing against its full length
        knows_end = self.method.ends_with_slope or self.lookout is not None or t_new > sample
        self._polynomial = self._inside_of(y, y_new, h, t_new) if t_new > sample else None
        self._last, self.t, self.y, self.step = (t, h), t_new, y_new, following
        self.worst = int(worst.argmax())
        self._slope_here = self._K[len(self.method.nodes)].copy() if knows_end else None

    def _again(self, landing: Landing, f: Array, y_new: Array, h: float, shortest: float) -> float:
        """How long the step must be instead of h [s], so that it ends where something switches; 0 if it may stay."""
        end = len(self.method.nodes)
        if not self.method.ends_with_slope:
            self._K[end] = self.slope(self.t + h, y_new)
        return landing.next_try(self.t, self.y, f, h, y_new, self._K[end], shortest)

    def _factor(self, error: float, strictness: float, *, rejected: bool, cut_short: bool) -> float:
        """By how much a next step that need not be strict is longer than one that was, with this error."""
        safety, now, before = self.control
        k, factor, error = self.method.error_order + 1, MAX_FACTOR, error * strictness
        if error > 0.0:
            if self._error_before is None or error < TINY_ERROR:
                now, before = 1.0, 0.0
            earlier = 1.0 if self._error_before is None else self._error_before
            change = safety * error ** (-now / k) * earlier ** (before / k)
            factor = min(MAX_FACTOR, change * strictness ** (1.0 / k))
        if not cut_short:
            self._error_before = max(error, TINY_ERROR)
        return min(1.0, factor) if rejected else factor

    def inside(self, t: float) -> Array:
        """y at a time within the last step, which has passed the sample that was asked for."""
        if self._polynomial is None:
            raise ValueError("nothing is known of the inside of this step")
        t_last, h = self._last
        return inside(self._polynomial, (t - t_last) / h)

    def _inside_of(self, y: Array, y_new: Array, h: float, t_new: float) -> Array:
        """The polynomial inside a step that has passed, by some more slopes."""
        method, K, end = self.method, self._K, len(self.method.nodes)
        if not method.ends_with_slope:
            K[end] = self.slope(t_new, y_new)
        for k, (node, row) in enumerate(zip(method.inner_nodes, method.inner_rows, strict=True), end + 1):
            K[k] = self.slope(self.t + node * h, y + h * (row @ K[:k]))
        polynomial = method.polynomial(y, y_new, h, K)
        finite = np.isfinite(polynomial).all(axis=0)
        if not finite.all():
            raise NotFiniteError(int(finite.argmin()))
        return polynomial

    def _stages(self, y: Array, f: Array, h: float, t_new: float) -> Array:
        """Fills K and gives y at the end of a step of length h that begins with slope f."""
        method, K = self.method, self._K
        K[0] = f
        for stage in range(1, len(method.nodes)):
            K[stage] = self.slope(self.t + method.nodes[stage] * h, y + h * (method.rows[stage] @ K[:stage]))
        y_new: Array = y + h * (method.weights @ K[: len(method.nodes)])
        if method.ends_with_slope:
            K[len(method.nodes)] = self.slope(t_new, y_new)
        return y_new

    def _error(self, y: Array, y_new: Array, h: float) -> tuple[float, Array]:
        """Error over what is allowed, and how much each component contributes."""
        n, K = self._controlled, self._K[: self._used]
        if n > 0:
            scale = self.atol + self.rtol * np.maximum(np.abs(y[:n]), np.abs(y_new[:n]))
            error, ratio = self.method.error_norm(K[:, :n], h, scale)
            of_work = self._error_of_work(h) if self._energy > 0.0 else 0.0
            if not of_work <= 0.0 and not of_work < error:  # also if it is not a number
                error = of_work
        else:
            # Sums may pass through zero while large terms cancel, so that they are measured by what is added.
            scale = self.atol + self.rtol * h * np.abs(K).max(axis=0)
            error, ratio = self.method.error_norm(K, h, scale)
        return error, np.nan_to_num(np.abs(ratio), nan=math.inf)

    def _error_of_work(self, h: float) -> float:
        """Error of the quadratures, which are energies, over what is allowed."""
        K = self._K[: self._used, self._controlled :]
        allowed = self.atol * self._energy + PART_OF_WORK * self.rtol * h * float(np.abs(K).max(initial=0.0))
        return self.method.error_norm(K, h, np.full(K.shape[1], allowed))[0]

    def _first_step(self, f: Array, longest: float, max_step: float) -> float:
        """A first step from the size of y, its slope f and how fast that changes, as the book above does it."""
        n, y = self._controlled, self.y
        if n == 0:
            return min(longest, max_step)
        scale = self.atol + self.rtol * np.abs(y[:n])
        size, speed = root_mean_square(y[:n] / scale), root_mean_square(f[:n] / scale)
        h = 1e-6 if size < 1e-5 or speed < 1e-5 else 0.01 * size / speed
        h = min(h, longest)
        if h == 0.0:  # a slope whose square is beyond all numbers
            return h
        change = self.slope(self.t + h, y + h * f)[:n] - f[:n]
        bend = root_mean_square(change / scale) / h
        if speed <= 1e-15 and bend <= 1e-15:
            h_bend = max(1e-6, h * 1e-3)
        else:
            h_bend = (0.01 / max(speed, bend)) ** (1.0 / (self.method.error_order + 1))
        return min(100.0 * h, h_bend, longest, max_step)
