# SPDX-License-Identifier: GPL-3.0-or-later
"""Extrapolated linearly implicit Euler: order and step adapt, stiff springs and dampers do not shorten the step.

A step of length h is taken by n = 2, 3, 4 ... small linearly implicit Euler steps with one and the same matrix, and the
results are extrapolated to infinitely many (Hairer and Wanner, Solving Ordinary Differential Equations II, section
IV.9, whose control of order and step this follows). The order holds whatever the matrix is; that it holds what is stiff
of the forces makes the method stable. So the stiffness and damping that forces know by formula are all it needs, and
what bends slowly (gyroscopic terms, geometric stiffness) may be left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array
from .events import Hops, Landing, Lookout
from .explicit_runge_kutta import SMALLEST_RTOL, NotFiniteError, Slope, StepTooSmallError
from .tableaux import root_mean_square

MOST_COLUMNS = 9
"""Highest order. Rounding errors grow by three digits up to here."""

COUNTS = np.arange(2, MOST_COLUMNS + 2)
WORK = np.concatenate([[0], np.cumsum(COUNTS)])
"""Evaluations of a step that uses the first k rows, at index k."""

SAFETY, LEAST_RATIO, MOST_RATIO = 0.9, 0.1, 10.0
MOST_CHANGE, SHORTER = 0.1, 0.3
"""A step that changes more of its own matrix is tried again, so much shorter."""

JUDGED = 2
"""Errors are found from so many rows before that of the order on; shorter ones are never chosen."""

OF_VIBRATIONS, LEAP, LEAPS = 10.0, 4.0, 2
"""A calm step that fails, and whose whole error is so many times the one that counts, is tried so much longer,
so often. They are largest in steps of about a period: shorter ones follow a vibration, longer ones let it die away."""

CHEAPER, DEARER = 0.8, 0.9
"""A lower order is taken if its work per time is below the first part of the present one's, a higher one if below the
second."""


@dataclass(frozen=True, eq=False)
class Linearisation:
    """Of n free coordinates about one state: M (n, n), and K = +df/dq, D = +df/dqdot (n, n) of the stiff forces.

    Z: (n, r) directions that constraints leave free, None for all.
    """

    M: Array
    K: Array
    D: Array
    Z: Array | None = None

    def along(self) -> Linearisation:
        """The linearisation of motion along the free directions alone: Z^T M Z, Z^T K Z, Z^T D Z."""
        if self.Z is None:
            return self
        Z = self.Z
        return replace(self, M=Z.T @ self.M @ Z, K=Z.T @ self.K @ Z, D=Z.T @ self.D @ Z, Z=None)

    def rates(self) -> tuple[float, float]:
        """Fastest vibration [rad/s] and fastest decay [1/s] of the linearised mechanism."""
        on = self.along()
        if not len(on.M):
            return 0.0, 0.0
        L = np.linalg.inv(np.linalg.cholesky(on.M))
        stiffness, damping = (float(np.linalg.eigvalsh(-L @ (A + A.T) @ L.T)[-1]) / 2.0 for A in (on.K, on.D))
        return math.sqrt(max(stiffness, 0.0)), max(damping, 0.0)


def change_within(h: float, before: Linearisation, after: Linearisation) -> float:
    """Which part of the stiffness of a step of h [s] comes or goes within it, 0 to 1: of that eigenvalue of
    -M^-1 (h D + h^2 K) which changes most against 1 and itself.

    Where a stop is met or left nearly all of one does; a spring that turns keeps its own. Errors need not show that:
    the small steps of all rows agree if none looks beyond, or if the matrix holds back what nothing holds any longer.
    """
    A, B = (-h * (system.D + h * system.K) for system in (before, after))
    if np.abs(B - A).sum(axis=1).max(initial=0.0) <= 0.1 * MOST_CHANGE * np.diag(before.M).min(initial=np.inf):
        return 0.0
    half = np.linalg.inv(np.linalg.cholesky(before.M))
    old, new = (np.linalg.eigvalsh(half @ (C + C.T) @ half.T) / 2.0 for C in (A, B))
    return float((np.abs(new - old) / (1.0 + np.abs(old) + np.abs(new))).max(initial=0.0))


class StepMatrix:
    """(M - h D - h^2 K) on the free directions. inverse: (n, n), zero across them.

    Raises LinAlgError where it is singular.
    """

    def __init__(self, system: Linearisation, h: float) -> None:
        self.system, self.h = system, h
        A = system.M - h * system.D - h * h * system.K
        if system.Z is not None:
            A = system.Z.T @ A @ system.Z
        try:
            half = np.linalg.inv(np.linalg.cholesky(A))
            self.inverse = half.T @ half
        except np.linalg.LinAlgError:  # a spring table that pushes away
            self.inverse = np.linalg.inv(A)

        if system.Z is not None:
            self.inverse = system.Z @ self.inverse @ system.Z.T

    def solve(self, b: Array) -> Array:
        """x (n,) along the free directions."""
        return np.asarray(self.inverse @ b)

    def change(self, v: Array, a: Array) -> Array:
        """Change of the velocities v (n,) in a step; a: (n,) accelerations where it begins, which obey constraints.

        Beyond h a it is along the free directions only.
        """
        system, h = self.system, self.h
        return h * a + self.solve(h * h * (system.D @ a + system.K @ (v + h * a)))


class LinearlyImplicitExtrapolation:
    """One run from (t, y), with the interface of `ExplicitRungeKutta`. step: how long the next is tried, None at first.

    y: free coordinates, their velocities, and `quadratures` further numbers that nothing depends on.
    linearise: at (t, y). calm: errors of what vibrates faster than a step are not counted; the method lets it die away.
    lookout: looks into every step for what switches inside it, which ends it.
    evaluations, matrices: of slopes and factored so far, the cost of the run.
    """

    def __init__(
        self,
        slope: Slope,
        linearise: Callable[[float, Array], Linearisation],
        t: float,
        y: Array,
        *,
        rtol: float,
        atol: float,
        quadratures: int = 2,
        calm: bool = False,
        lookout: Lookout | None = None,
    ) -> None:
        self.slope, self.linearise, self.lookout = slope, linearise, lookout
        self.t, self.y = t, np.array(y, np.float64)
        self.rtol, self.atol, self.calm = max(rtol, SMALLEST_RTOL), atol, calm
        self.step: float | None = None
        self.order = 4
        self.evaluations = self.matrices = 0
        self._n = (self.y.size - quadratures) // 2
        self._here: Linearisation | None = None
        self._slope_here: Array | None = None
        self._hops = Hops()

    def go_on_from(self, t: float, y: Array) -> None:
        """Continue from other values, or under other inputs; the step stays as it was."""
        self.t, self.y, self._here, self._slope_here = t, np.array(y, np.float64), None, None

    def advance(
        self,
        t_bound: float,
        max_step: float = math.inf,
        *,
        sample: float = math.inf,
        interval: float = math.inf,  # noqa: ARG002  (steps end at samples)
    ) -> None:
        """One step that is accurate enough, at most up to t_bound or the sample. StepTooSmallError if there is none."""
        t, y, t_stop = self.t, self.y, min(sample, t_bound)
        if not np.isfinite(y).all():
            raise NotFiniteError(int(np.isfinite(y).argmin()))
        system = self._linearised(t, y) if self._here is None else self._here
        longest, shortest = min(max_step, t_stop - t), 10.0 * (math.nextafter(t, math.inf) - t)
        if self.step is None:
            self.step = self._first_step(system, longest)
        wanted = h = max(min(self.step, max_step), shortest)
        landing = None if self.lookout is None else self.lookout.landing(t, y, wanted)
        beyond = None if landing is None else self._hops.over(landing, t, y, self._known_slope(), t_stop)
        if beyond is not None:
            self.go_on_from(*beyond)
            return
        order, rejected, leaps, before_leap = self.order, False, LEAPS if self.calm else 0, None
        while True:
            if not h >= shortest and t_stop - t > shortest:
                raise StepTooSmallError(self.worst)
            t_new = min(t + h, t_stop)
            h = t_new - t
            attempt = self._attempt(system, h, t_new, order)
            if attempt.accepted:
                there = self._linearised(t_new, attempt.y)
                if h <= shortest or self._change(h, system, there) <= MOST_CHANGE:
                    again = 0.0 if landing is None else self._again(landing, attempt.y, h, t_new, shortest)
                    if landing is None or again == 0.0:
                        break
                    wanted, rejected, h = landing.length, False, again
                    continue
                attempt = replace(attempt, next_step=SHORTER * h)
            rejected = True
            if leaps and attempt.vibrates and h < longest and (landing is None or landing.tries == 0):
                before_leap = attempt if before_leap is None else before_leap
                leaps, h = leaps - 1, min(LEAP * h, longest)
                continue
            if before_leap is not None:
                attempt, leaps, before_leap = before_leap, 0, None
            order, h = attempt.next_order, min(attempt.next_step, 0.5 * h if attempt.broken else math.inf)
        order, following = self._following(attempt, order, longest, rejected=rejected)
        if (t_new == t_stop or (landing is not None and landing.tries > 0)) and h < wanted and not rejected:
            following = max(following, wanted)  # a step cut short says nothing against its full length
        self._slope_here = self._slope_there if landing is not None else None
        self.t, self.y, self.step, self.order, self._here = t_new, attempt.y, following, order, there

    _slope_there: Array | None = None

    def _known_slope(self) -> Array:
        if self._slope_here is None:
            self._slope_here = self.slope(self.t, self.y)
            self.evaluations += 1
        return self._slope_here

    def _again(self, landing: Landing, y_new: Array, h: float, t_new: float, shortest: float) -> float:
        """How long the step must be instead of h [s], so that it ends where something switches; 0 if it may stay."""
        self._slope_there = self.slope(t_new, y_new)
        self.evaluations += 1
        return landing.next_try(self.t, self.y, self._known_slope(), h, y_new, self._slope_there, shortest)

    def _linearised(self, t: float, y: Array) -> Linearisation:
        self.matrices += 1
        return self.linearise(t, y)

    def _first_step(self, system: Linearisation, longest: float) -> float:
        """So short that what decays fast is seen, and what vibrates fast, unless it need not be."""
        return self._first_step_at(self.rates(system), longest)

    def _first_step_at(self, rates: tuple[float, float], longest: float) -> float:
        vibration, decay = rates
        rate = decay if self.calm else vibration + decay
        return min(0.25 * longest, 1.0 / rate) if rate > 0.0 else 0.25 * longest

    worst = 0

    def rates(self, system: Linearisation) -> tuple[float, float]:
        """Fastest vibration [rad/s] and fastest decay [1/s] of the linearised mechanism."""
        return system.rates()

    def _change(self, h: float, before: Linearisation, after: Linearisation) -> float:
        return change_within(h, before, after)

    def _attempt(self, system: Linearisation, h: float, t_new: float, order: int) -> Attempt:
        """A step of length h with up to order + 1 rows."""
        tried = self._try(system, h, t_new, order)
        steps, works = [math.inf, math.inf], [math.inf, math.inf]
        for k, error in enumerate(tried.errors, 2):
            ratio = SAFETY * error ** (-1.0 / k) if error > 0.0 else MOST_RATIO
            steps.append(h * min(MOST_RATIO, max(LEAST_RATIO, ratio)))
            works.append(float(WORK[k]) / steps[k])
        last = len(steps) - 1
        if tried.accepted:
            return Attempt(True, tried.y, last, steps, works, h, order)
        if tried.broken:
            following = max(2, order - 1) if tried.rows else order
            return Attempt(
                False, tried.y, tried.rows, steps, works, 0.25 * h, following, broken=True, vibrates=tried.vibrates
            )
        best = min(range(2, last + 1), key=works.__getitem__)
        goes_nowhere = steps[best] >= h
        return Attempt(
            False, tried.y, last, steps, works, steps[best], best, broken=goes_nowhere, vibrates=tried.vibrates
        )

    def _try(self, system: Linearisation, h: float, t_new: float, order: int) -> Tried:
        rows: list[Array] = []
        errors: list[float] = []
        vibrates = False
        try:
            filtered = StepMatrix(system, h) if self.calm and self._n else None
            for k in range(1, min(order + 1, MOST_COLUMNS) + 1):
                with np.errstate(all="ignore"):
                    rows = self._next_row(rows, self._euler(system, h, t_new, int(COUNTS[k - 1])), k)
                if k < max(2, order - JUDGED):
                    errors += [math.inf] * (k - 1 - len(errors))
                    continue
                difference = rows[-1] - rows[-2]
                whole = 0.0 if filtered is None else self._error_of_motion(difference, rows[-1])
                error = self._error(system, difference, rows[-1], filtered)
                vibrates = whole > OF_VIBRATIONS * error
                if not math.isfinite(error) or (k > 2 and error > max(1.0, 4.0 * errors[-1])):
                    return Tried(rows[-1], k, errors, broken=True, vibrates=vibrates)
                errors.append(error)
                if k >= order - 1 and error <= 1.0:
                    return Tried(rows[-1], k, errors, accepted=True)
                # Hopeless: the rows still to come cannot bring the error down far enough.
                left = COUNTS[min(order, MOST_COLUMNS - 1)] / COUNTS[0]
                if k >= order and error > left**2:
                    break
        except np.linalg.LinAlgError:
            return Tried(self.y, 0, [], broken=True)
        return Tried(rows[-1], len(errors) + 1, errors, vibrates=vibrates)

    def _euler(self, system: Linearisation, h: float, t_new: float, count: int) -> Array:
        """y after `count` equal linearly implicit steps, with inputs at the end of each."""
        self.evaluations += count
        self.matrices += 1
        y, matrix = self.y.copy(), StepMatrix(system, h / count)
        n, t, part = self._n, self.t, matrix.h
        for k in range(1, count + 1):
            f = self.slope(t_new if k == count else t + k * part, y)
            v = y[n : 2 * n].copy()
            dv = matrix.change(v, f[n : 2 * n])
            if self.calm and y.size > 2 * n:
                # Dampers push with D (v + dv), and the energy that leaves is that times the mean velocity; the power
                # at the start, -v D v, would be taken for the whole of a small step in which all motion dies.
                f[-1] -= 0.5 * float(dv @ system.D @ (3.0 * v + dv))
            y[:n] += part * (y[n : 2 * n] + dv)
            y[n : 2 * n] += dv
            y[2 * n :] += part * f[2 * n :]
        return y

    @staticmethod
    def _next_row(rows: list[Array], first: Array, k: int) -> list[Array]:
        """Row k of the extrapolation table from the one before."""
        new = [first]
        for column, above in enumerate(rows, 1):
            new.append(new[-1] + (new[-1] - above) / (COUNTS[k - 1] / COUNTS[k - 1 - column] - 1.0))
        return new

    def _error(self, system: Linearisation, difference: Array, y_new: Array, filtered: StepMatrix | None) -> float:
        """Error over what is allowed: of coordinates and velocities alike, and of energies put in or taken out."""
        n = self._n
        of_energy = self._energy_error(system, difference[2 * n :], y_new)
        if n == 0:
            return of_energy
        parts = difference[: 2 * n].copy()
        if filtered is not None:
            for half in (slice(0, n), slice(n, 2 * n)):
                parts[half] = filtered.solve(system.M @ filtered.solve(system.M @ parts[half]))
        return max(self._error_of_motion(parts, y_new), of_energy)

    def _error_of_motion(self, difference: Array, y_new: Array) -> float:
        """Error of coordinates and velocities over what is allowed, for a difference (2 n or more,) of y."""
        n, y = self._n, self.y
        scale = self.atol + self.rtol * np.maximum(np.abs(y[: 2 * n]), np.abs(y_new[: 2 * n]))
        ratio = np.abs(difference[: 2 * n] / scale)
        self.worst = int(np.where(np.isnan(ratio), np.inf, ratio).argmax())
        return root_mean_square(ratio)

    def _energy_error(self, system: Linearisation, difference: Array, y_new: Array) -> float:
        """Of the quadratures, against the energies in play; only coarsely, so that a motion which needs no short steps
        is not slowed down by them. They are what betrays a damper that stops something within a step."""
        n, y = self._n, self.y
        change = np.abs(y_new[2 * n :] - y[2 * n :]).max(initial=0.0)
        if n == 0:  # nothing else there is: sums, which may pass through zero, are measured by what is added
            return float(np.abs(difference).max(initial=0.0) / (self.atol + self.rtol * change))
        v, w = y[n : 2 * n], y_new[n : 2 * n]
        kinetic = 0.5 * float(v @ system.M @ v + w @ system.M @ w) + self.atol * float(np.trace(system.M))
        return float(np.abs(difference).max(initial=0.0) / (math.sqrt(self.rtol) * (kinetic + change)))

    @staticmethod
    def _following(done: Attempt, order: int, longest: float, *, rejected: bool) -> tuple[int, float]:
        """Order and length of the next step: the ones that cost least per time, as the book above chooses them.

        longest: time to the next sample; orders that could go further cost as if they went there.
        """
        k = done.rows
        works = [
            float(WORK[j]) / min(step, longest) if step < math.inf else math.inf for j, step in enumerate(done.steps)
        ]
        if k == 2:
            best = 3
        elif k <= order:
            best = k
            if works[k - 1] < CHEAPER * works[k]:
                best = k - 1
            elif works[k] < DEARER * works[k - 1]:
                best = k + 1
        else:
            best = k - 1
            if k > 3 and works[k - 2] < CHEAPER * works[k - 1]:
                best = k - 2
            if works[k] < DEARER * works[best]:
                best = k
        best = max(2, min(best, MOST_COLUMNS - 1))
        if rejected:
            best = min(best, k)
        step = done.steps[best] if best <= k else done.steps[k] * float(WORK[best] / WORK[k])
        return best, min(step, done.next_step) if rejected else step  # steps do not grow at once after a rejection


@dataclass(frozen=True, eq=False)
class Tried:
    """Rows of a step that were computed, and where the last of them ended. errors: of those from the second on.

    vibrates: nearly all of the last error is of what vibrates faster than a calm step, and does not count.
    """

    y: Array
    rows: int
    errors: list[float]
    accepted: bool = False
    broken: bool = False
    vibrates: bool = False


@dataclass(frozen=True, eq=False)
class Attempt:
    """A step that was tried. y: where it ended. rows: how many were computed.

    steps, works: by number of rows, the step that would have been right and its work per time.
    next_step, next_order: what to try next where it was not accepted. broken: it went nowhere, or cannot be repaired by
    the order alone. vibrates: it failed by what is left of errors that a calm step does not count.
    """

    accepted: bool
    y: Array
    rows: int
    steps: list[float]
    works: list[float]
    next_step: float
    next_order: int
    broken: bool = False
    vibrates: bool = False
