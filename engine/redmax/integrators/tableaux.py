# SPDX-License-Identifier: GPL-3.0-or-later
"""The two explicit Runge-Kutta methods in numbers: how a step is made, how wrong it is, and what lies inside it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..arrays import Array
from . import dop853_coefficients as dop853


class StepControl(NamedTuple):
    """How long the next step is tried: the last one times safety e^(-now / k) e_before^(before / k).

    e, e_before: errors of the last step and of the one before, over what is allowed. k: order of the error in the
    step's length.
    """

    safety: float
    now: float
    before: float


CLASSICAL = StepControl(safety=0.9, now=1.0, before=0.0)
"""As if the error of the next step were that of the last one."""
STEADY = StepControl(safety=0.9, now=0.6, before=0.2)
"""PI control, to which the error before says how errors change. Long steps of high order meet something new each time:
of a chain's steps by classical control up to a third are tried in vain. K. Gustafsson, Control theoretic techniques for
stepsize selection in explicit Runge-Kutta methods, 1991; gains as G. Soederlind writes them (Digital filters in
adaptive time-stepping, 2003): integral 0.4, proportional 0.2, so that exponents are 0.4 + 0.2 and 0.2."""


class Tableau(ABC):
    """One method. nodes c, rows a and weights b as in a Butcher tableau; error_order: of its error estimate.

    ends_with_slope: whether the error estimate needs the slope at the end of the step.
    inner_nodes, inner_rows: further stages that only values inside a step need. They come after the slope at the end,
    whose number is `len(nodes)`.
    bends: (m, slopes) what all these slopes add to the polynomial inside a step, see `polynomial`.
    strictness: what lies inside a step is one order less accurate than its end. A step of which the inside is wanted
    must be so many times as accurate as others, so that its inside is as accurate as the ends of others.
    control: how long its steps are tried.
    """

    nodes: tuple[float, ...]
    rows: tuple[Array, ...]
    weights: Array
    error_order: int
    ends_with_slope: bool
    inner_nodes: tuple[float, ...]
    inner_rows: tuple[Array, ...]
    bends: Array
    strictness: float
    control: StepControl

    @property
    def slopes(self) -> int:
        """How many slopes a step has at most: its stages, its end, and the further stages."""
        return len(self.nodes) + 1 + len(self.inner_nodes)

    @abstractmethod
    def error_norm(self, K: Array, h: float, scale: Array) -> tuple[float, Array]:
        """Error of a step of length h over what is allowed (scale), and that ratio for each component.

        K: slopes at the stages and, where needed, at the end of the step, one row each.
        """

    def polynomial(self, y: Array, y_new: Array, h: float, K: Array) -> Array:
        """What `inside` reads: rows of the polynomial that joins y to y_new, over a step of length h with slopes K.

        At both ends it has the step's values and slopes; `bends` add the rest.
        """
        change, end = y_new - y, len(self.nodes)
        rows = [y, change, h * K[0] - change, 2.0 * change - h * (K[0] + K[end])]
        return np.concatenate([rows, h * (self.bends @ K)])


def inside(polynomial: Array, x: float) -> Array:
    """y after the fraction x of a step: y0 + x (r1 + (1 - x) (r2 + x (r3 + ...))) with rows y0, r1, r2 ..."""
    weights, weight = [1.0], 1.0
    for k in range(len(polynomial) - 1):
        weight *= x if k % 2 == 0 else 1.0 - x
        weights.append(weight)
    return np.asarray(np.dot(weights, polynomial))


class DormandPrince5(Tableau):
    """Order 5 with an error estimate of order 4, and of order 4 inside a step.

    J. R. Dormand, P. J. Prince, A family of embedded formulae, 1980; L. F. Shampine, Some practical Runge-Kutta
    formulas, 1986, for what lies inside.
    """

    def __init__(self) -> None:
        rows: tuple[list[float], ...] = (
            [],
            [1 / 5],
            [3 / 40, 9 / 40],
            [44 / 45, -56 / 15, 32 / 9],
            [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
            [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
        )
        self.nodes, self.rows = (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0), tuple(map(np.array, rows))
        self.weights = np.array([35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84])
        self.error_order, self.ends_with_slope = 4, True
        self.error = np.array([-71 / 57600, 0.0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40])
        self.inner_nodes, self.inner_rows, self.strictness = (), (), 32.0
        self.control = CLASSICAL
        self.bends = np.array(
            [
                [
                    -12715105075 / 11282082432,
                    0.0,
                    87487479700 / 32700410799,
                    -10690763975 / 1880347072,
                    701980252875 / 199316789632,
                    -1453857185 / 822651844,
                    69997945 / 29380423,
                ]
            ]
        )

    def error_norm(self, K: Array, h: float, scale: Array) -> tuple[float, Array]:
        ratio = h * (self.error @ K) / scale
        return root_mean_square(ratio), ratio


class DormandPrince8(Tableau):
    """Order 8 with error estimates of order 5 and 3, and of order 7 inside a step: DOP853."""

    def __init__(self) -> None:
        stages = len(dop853.NODES)
        self.nodes, self.rows = dop853.NODES, tuple(_filled(row, k) for k, row in enumerate(dop853.STAGES))
        self.weights = _filled(dop853.WEIGHTS, stages)
        self.error_order, self.ends_with_slope = 7, False
        self.error_3 = self.weights - _filled(dop853.WEIGHTS_3, stages)
        self.error_5 = _filled(dop853.ERROR_5, stages)
        self.inner_nodes, self.strictness, self.control = dop853.INNER_NODES, 12.0, STEADY
        self.inner_rows = tuple(_filled(row, stages + 1 + k) for k, row in enumerate(dop853.INNER_STAGES))
        self.bends = np.array([_filled(row, self.slopes) for row in dop853.BENDS])

    def error_norm(self, K: Array, h: float, scale: Array) -> tuple[float, Array]:
        ratio_5, ratio_3 = self.error_5 @ K / scale, self.error_3 @ K / scale
        size_5, size_3 = float(ratio_5 @ ratio_5), float(ratio_3 @ ratio_3)
        if size_5 == 0.0 and size_3 == 0.0:
            return 0.0, ratio_5
        return h * size_5 / math.sqrt((size_5 + 0.01 * size_3) * scale.size), ratio_5


def _filled(listed: Mapping[int, float], length: int) -> Array:
    row = np.zeros(length)
    for index, value in listed.items():
        row[index] = value
    return row


def root_mean_square(x: Array) -> float:
    """Of the components."""
    return math.sqrt(float(x @ x) / x.size)


DORMAND_PRINCE_5 = DormandPrince5()
DORMAND_PRINCE_8 = DormandPrince8()
