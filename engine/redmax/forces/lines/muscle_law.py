# SPDX-License-Identifier: GPL-3.0-or-later
"""Tension of a muscle with a rigid tendon, and the fields that every kind of muscle has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...arrays import Array
from ...fields import number, record
from ...tables import Table
from ..base import Force, Formula, Result
from .muscle_curves import ACTIVE_LENGTH, PASSIVE, VELOCITY
from .path import Law

ROUNDING = 1e-6
"""By how much activations may pass 0 and 1, where they are clamped: keys of a curve in single precision do."""


@dataclass(frozen=True)
class MuscleLaw(Law):
    """T = f_opt (a f_L f_V + f_P) of the normalised length and rate of the path less its tendon.

    f_opt [N], l_opt and tendon [m], v_max [optimal lengths per second]. activation: over time, clamped to [0, 1].
    The passive part is a spring and has an energy; what the active part does is work put in, negative while it brakes.
    Source: RBDN eqs. 1.38-1.39 and 1.47-1.49. Erratum: the derivative by the rate is f_V' (1.56 prints f_V).
    """

    f_opt: float
    l_opt: float
    tendon: float
    v_max: float
    activation: float
    table: Table | None

    results: ClassVar[tuple[Result, ...]] = (Result("activation", "Activation", ("1",)),)

    def result_values(self, t: float) -> tuple[float, ...]:
        return (self.activation_at(t),)

    def activation_at(self, t: float) -> float:
        """a, 0 to 1."""
        a = self.activation if self.table is None else float(self.table.value(t)[0])
        return min(max(a, 0.0), 1.0)

    def _active(self, length: float, rate: float, t: float) -> tuple[float, float, float]:
        a = self.activation_at(t)
        f_L, df_L = ACTIVE_LENGTH((length - self.tendon) / self.l_opt)
        f_V, df_V = VELOCITY(rate / (self.l_opt * self.v_max))
        size = self.f_opt * a
        return size * f_L * f_V, size * df_L * f_V / self.l_opt, size * f_L * df_V / (self.l_opt * self.v_max)

    def tension(self, length: float, rate: float, t: float) -> tuple[float, float, float]:
        T, T_l, T_ldot = self._active(length, rate, t)
        f_P, df_P = PASSIVE((length - self.tendon) / self.l_opt)
        return T + self.f_opt * f_P, T_l + self.f_opt * df_P / self.l_opt, T_ldot

    def energy(self, length: float) -> float:
        return self.f_opt * self.l_opt * PASSIVE.integral((length - self.tendon) / self.l_opt)

    def powers(self, length: float, rate: float, t: float) -> tuple[float, float]:
        return -self._active(length, rate, t)[0] * rate, 0.0

    def switch_times(self) -> Array:
        return np.zeros(0) if self.table is None else self.table.breakpoints()

    def packed(self) -> tuple[Formula, tuple[float, ...], Table | None]:
        numbers = (self.f_opt, self.l_opt, self.tendon, self.v_max, self.activation)
        return Formula.MUSCLE, numbers, self.table


@dataclass(frozen=True, kw_only=True)
class MuscleBase(Force):
    """Fields of every muscle."""

    peak_force: float = number(doc="Greatest isometric force", unit="N", minimum=0.0)
    optimal_length: float = number(doc="Length of the muscle at which it is strongest", unit="m", positive=True)
    tendon_length: float = number(0.0, doc="Length of its rigid tendons, part of the path", unit="m", minimum=0.0)
    max_velocity: float = number(
        10.0, doc="Greatest speed of shortening, in optimal lengths", unit="1/s", positive=True
    )
    activation: float = number(0.0, doc="How much the muscle is told to pull, 0 to 1", minimum=0.0)
    activation_table: Table | None = record(
        Table,
        None,
        doc="Activation over time, one column, instead of the constant one; clamped to 0 to 1",
        nullable=True,
        over="time",
    )

    def problems(self) -> Iterator[tuple[str, str]]:
        if self.activation > 1.0:
            yield f"has an activation of {self.activation:g}", "keep activations from 0 to 1"
        table = self.activation_table
        if table is not None:
            y = np.asarray(table.y, np.float64)
            if y.shape[1] != 1:
                yield f"activation_table has {y.shape[1]} columns", "give one column"
            elif ((y < -ROUNDING) | (y > 1.0 + ROUNDING)).any():
                k = int(np.abs(y[:, 0] - 0.5).argmax())
                text = f"has an activation of {y[k, 0]:.4g} at {float(table.x[k]):.4g} s"
                yield text, "keep activations from 0 to 1"

    def law(self) -> MuscleLaw:
        return MuscleLaw(
            float(self.peak_force),
            float(self.optimal_length),
            float(self.tendon_length),
            float(self.max_velocity),
            float(self.activation),
            self.activation_table,
        )
