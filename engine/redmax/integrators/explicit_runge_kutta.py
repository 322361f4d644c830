# SPDX-License-Identifier: GPL-3.0-or-later
"""Explicit Runge-Kutta methods that choose their step by an error estimate, with numpy alone.

Error norm, step control and first step are those of scipy's RK45 and DOP853 (after Hairer, Norsett and Wanner,
Solving Ordinary Differential Equations I, section II.4), so that a run takes the same steps.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from ..arrays import Array
from . import dop853_coefficients as dop853

Slope: TypeAlias = Callable[[float, Array], Array]
"""dy/dt at (t, y)."""

SAFETY = 0.9
MIN_FACTOR, MAX_FACTOR = 0.2, 10.0
"""Bounds on the ratio of one step to the next."""

SMALLEST_RTOL = 100.0 * float(np.finfo(np.float64).eps)
"""Rounding makes a smaller relative tolerance meaningless; it is raised to this."""


class StepTooSmallError(Exception):
    """No step that can be told from none is accurate enough. component: of y, whose error is the largest."""

    def __init__(self, component: int) -> None:
        self.component = component
        super().__init__(f"component {component}")


class NotFiniteError(StepTooSmallError):
    """A slope that is not a finite number, where the run stands. component: which."""


class Tableau(ABC):
    """One method. nodes c, rows a and weights b as in a Butcher tableau; error_order: of its error estimate.

    ends_with_slope: whether the error estimate needs the slope at the end of the step.
    """

    def __init__(
        self, nodes: tuple[float, ...], rows: tuple[Array, ...], weights: Array, error_order: int, *, end: bool
    ) -> None:
        self.nodes, self.rows, self.weights = nodes, rows, weights
        self.error_order, self.ends_with_slope = error_order, end

    @abstractmethod
    def error_norm(self, K: Array, h: float, scale: Array) -> tuple[float, Array]:
        """Error of a step of length h over what is allowed (scale), and that ratio for each component.

        K: slopes at the stages and, where needed, at the end of the step, one row each.
        """


class DormandPrince5(Tableau):
    """Order 5 with an error estimate of order 4. J. R. Dormand, P. J. Prince, A family of embedded formulae, 1980."""

    def __init__(self) -> None:
        rows: tuple[list[float], ...] = (
            [],
            [1 / 5],
            [3 / 40, 9 / 40],
            [44 / 45, -56 / 15, 32 / 9],
            [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
            [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
        )
        weights = np.array([35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84])
        super().__init__((0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0), tuple(map(np.array, rows)), weights, 4, end=True)
        self.error = np.array([-71 / 57600, 0.0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40])

    def error_norm(self, K: Array, h: float, scale: Array) -> tuple[float, Array]:
        ratio = h * (self.error @ K) / scale
        return _root_mean_square(ratio), ratio


class DormandPrince8(Tableau):
    """Order 8 with error estimates of order 5 and 3, DOP853."""

    def __init__(self) -> None:
        rows = tuple(_dense(row, stage) for stage, row in enumerate(dop853.STAGES))
        weights = _dense(dop853.WEIGHTS, len(rows))
        super().__init__(dop853.NODES, rows, weights, 7, end=False)
        self.error_3 = weights - _dense(dop853.WEIGHTS_3, len(rows))
        self.error_5 = _dense(dop853.ERROR_5, len(rows))

    def error_norm(self, K: Array, h: float, scale: Array) -> tuple[float, Array]:
        ratio_5, ratio_3 = self.error_5 @ K / scale, self.error_3 @ K / scale
        size_5, size_3 = float(ratio_5 @ ratio_5), float(ratio_3 @ ratio_3)
        if size_5 == 0.0 and size_3 == 0.0:
            return 0.0, ratio_5
        return h * size_5 / math.sqrt((size_5 + 0.01 * size_3) * scale.size), ratio_5


def _dense(listed: Mapping[int, float], length: int) -> Array:
    row = np.zeros(length)
    for index, value in listed.items():
        row[index] = value
    return row


def _root_mean_square(x: Array) -> float:
    return math.sqrt(float(x @ x) / x.size)


DORMAND_PRINCE_5 = DormandPrince5()
DORMAND_PRINCE_8 = DormandPrince8()


class ExplicitRungeKutta:
    """One run of a method from (t, y). step: how long the next step will be tried; None before the first.

    quadratures: how many of the last components of y nothing depends on. They are integrated with the same steps and
    the same order, but do not enter the choice of the steps, unless there is nothing else.
    """

    def __init__(
        self, method: Tableau, slope: Slope, t: float, y: Array, *, rtol: float, atol: float, quadratures: int = 0
    ) -> None:
        self.method, self.slope = method, slope
        self.t, self.y = t, np.array(y, np.float64)
        self.rtol, self.atol = max(rtol, SMALLEST_RTOL), atol
        self.step: float | None = None
        self._controlled = self.y.size - quadratures
        self._slope_here: Array | None = None
        self._K = np.empty((len(method.nodes) + method.ends_with_slope, self.y.size))

    def go_on_from(self, y: Array) -> None:
        """Continue from other values, or under other inputs, at the same time; the step stays as it was."""
        self.y, self._slope_here = np.array(y, np.float64), None

    def advance(self, t_bound: float, max_step: float = math.inf) -> None:
        """One step that is accurate enough, at most up to t_bound > t. StepTooSmallError if there is none."""
        t, y = self.t, self.y
        f = self.slope(t, y) if self._slope_here is None else self._slope_here
        if not np.isfinite(f).all():
            raise NotFiniteError(int(np.isfinite(f).argmin()))
        shortest = 10.0 * (math.nextafter(t, math.inf) - t)
        if t_bound - t < shortest:  # times that only rounding tells apart
            self.t, self.y, self._slope_here = t_bound, y + (t_bound - t) * f, f
            return
        step = self._first_step(f, t_bound - t, max_step) if self.step is None else self.step
        wanted = h = max(min(step, max_step), shortest)
        rejected, worst = False, np.zeros(1)
        while True:
            if not h >= shortest:  # also if it is not a number
                raise StepTooSmallError(int(worst.argmax()))
            t_new = min(t + h, t_bound)
            h = t_new - t
            y_new = self._stages(y, f, h, t_new)
            error, worst = self._error(y, y_new, h)
            if error < 1.0:
                break
            # max gives MIN_FACTOR for an error that is not a number: the step went somewhere impossible
            h *= max(MIN_FACTOR, SAFETY * error ** (-1.0 / (self.method.error_order + 1)))
            rejected = True
        factor = MAX_FACTOR
        if error > 0.0:
            factor = min(MAX_FACTOR, SAFETY * error ** (-1.0 / (self.method.error_order + 1)))
        self.step = h * (min(1.0, factor) if rejected else factor)
        if t_new == t_bound and h < wanted and not rejected:
            self.step = max(self.step, wanted)  # a step cut short by t_bound says nothing against its full length
        self.t, self.y = t_new, y_new
        self._slope_here = self._K[-1].copy() if self.method.ends_with_slope else None

    def _stages(self, y: Array, f: Array, h: float, t_new: float) -> Array:
        """Fills K and gives y at the end of a step of length h that begins with slope f."""
        method, K = self.method, self._K
        K[0] = f
        for stage in range(1, len(method.nodes)):
            K[stage] = self.slope(self.t + method.nodes[stage] * h, y + h * (method.rows[stage] @ K[:stage]))
        y_new: Array = y + h * (method.weights @ K[: len(method.nodes)])
        if method.ends_with_slope:
            K[-1] = self.slope(t_new, y_new)
        return y_new

    def _error(self, y: Array, y_new: Array, h: float) -> tuple[float, Array]:
        """Error over what is allowed, and how much each component contributes."""
        n, K = self._controlled, self._K
        if n > 0:
            scale = self.atol + self.rtol * np.maximum(np.abs(y[:n]), np.abs(y_new[:n]))
            error, ratio = self.method.error_norm(K[:, :n], h, scale)
        else:
            # Sums may pass through zero while large terms cancel, so that they are measured by what is added.
            scale = self.atol + self.rtol * h * np.abs(K).max(axis=0)
            error, ratio = self.method.error_norm(K, h, scale)
        return error, np.nan_to_num(np.abs(ratio), nan=math.inf)

    def _first_step(self, f: Array, longest: float, max_step: float) -> float:
        """A first step from the size of y, its slope f and how fast that changes, as the book above does it."""
        n, y = self._controlled, self.y
        if n == 0:
            return min(longest, max_step)
        scale = self.atol + self.rtol * np.abs(y[:n])
        size, speed = _root_mean_square(y[:n] / scale), _root_mean_square(f[:n] / scale)
        h = 1e-6 if size < 1e-5 or speed < 1e-5 else 0.01 * size / speed
        h = min(h, longest)
        if h == 0.0:  # a slope whose square is beyond all numbers
            return h
        change = self.slope(self.t + h, y + h * f)[:n] - f[:n]
        bend = _root_mean_square(change / scale) / h
        if speed <= 1e-15 and bend <= 1e-15:
            h_bend = max(1e-6, h * 1e-3)
        else:
            h_bend = (0.01 / max(speed, bend)) ** (1.0 / (self.method.error_order + 1))
        return min(100.0 * h, h_bend, longest, max_step)
