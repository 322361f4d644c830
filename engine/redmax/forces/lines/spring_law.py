# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear spring and damper along a path, with or without the ability to push."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Array
from ...fields import choice, number
from ...tables import Table
from ..base import Formula
from .path import Law

STRAIN, STRETCH = "strain", "stretch"


def stiffness_field() -> Any:
    return number(
        doc="Stiffness; what it multiplies says `measure`",
        plain="Force per stretch, or per strain as Measure says",
        unit="N or N/m",
        minimum=0.0,
    )


def damping_field() -> Any:
    return number(
        0.0,
        doc="Damping of the rate of what `measure` says",
        plain="Force per rate of stretch, or of strain",
        unit="N s or N s/m",
        minimum=0.0,
    )


def rest_field() -> Any:
    return number(
        None,
        doc="Length without tension; null for the length at the start",
        plain="Length without tension; without it that at the start",
        unit="m",
        positive=True,
        nullable=True,
    )


def measure_field() -> Any:
    return choice(
        STRETCH,
        doc="stretch: tension = stiffness (l - rest) + damping ldot, as springs are bought [N/m, N s/m]. "
        "strain: tension = (stiffness (l - rest) + damping ldot) / rest, a property of the material whatever "
        "the length [N, N s]",
        choices=(STRETCH, STRAIN),
    )


@dataclass(frozen=True)
class SpringLaw(Law):
    """T = k (l - rest) + d ldot, k [N/m] and d [N s/m].

    pulls_only: slack at l <= rest, and never below zero: a damper cannot push through a cable. What the spring then
    gives back is lost. Source: RBDN eqs. 1.65-1.66; errata: printed with both signs wrong, so that it repels and
    drives; the energy is k (l - rest)^2 / 2.
    """

    k: float
    d: float
    rest: float
    pulls_only: bool = False

    @classmethod
    def of(cls, measure: str, stiffness: float, damping: float, rest: float, *, pulls_only: bool = False) -> SpringLaw:
        """The law of a description; see `measure_field`."""
        per = rest if measure == STRAIN else 1.0
        return cls(float(stiffness) / per, float(damping) / per, float(rest), pulls_only)

    @property
    def exchanges(self) -> bool:  # type: ignore[override]
        return self.d > 0.0

    def tension(self, length: float, rate: float, t: float) -> tuple[float, float, float]:
        T = self.k * (length - self.rest) + self.d * rate
        if self.pulls_only and (length <= self.rest or T <= 0.0):
            return 0.0, 0.0, 0.0
        return T, self.k, self.d

    def energy(self, length: float) -> float:
        stretch = length - self.rest
        return 0.0 if self.pulls_only and stretch <= 0.0 else 0.5 * self.k * stretch * stretch

    def powers(self, length: float, rate: float, t: float) -> tuple[float, float]:
        elastic = 0.0 if self.pulls_only and length <= self.rest else self.k * (length - self.rest)
        return 0.0, (self.tension(length, rate, t)[0] - elastic) * rate

    def switch_lengths(self) -> Array:
        return np.array([self.rest] if self.pulls_only else [])

    def packed(self) -> tuple[Formula, tuple[float, ...], Table | None]:
        return Formula.CABLE if self.pulls_only else Formula.SPRING, (self.k, self.d, self.rest), None
