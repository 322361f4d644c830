# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves of time spent over error reached."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Curve:
    """One method: for each of its settings the error reached, the median time [s] and its spread."""

    label: str
    errors: list[float]
    seconds: list[float]
    spreads: list[float]


def front(curve: Curve) -> list[tuple[float, float]]:
    """(error, seconds) of the settings that no other one beats in both, by falling error and rising time."""
    kept: list[tuple[float, float]] = []
    for error, seconds in sorted(zip(curve.errors, curve.seconds, strict=True)):
        # From the smallest error on: a larger one must be cheaper to be of use.
        if not kept or seconds < kept[-1][1]:
            kept.append((error, seconds))
    return kept[::-1]


def time_for(curve: Curve, error: float) -> float | None:
    """Seconds to an error, interpolated between settings on logarithmic axes; None if the curve ends before it."""
    points = front(curve)
    if not points or points[-1][0] > error:
        return None
    for (coarse, cheap), (fine, dear) in itertools.pairwise(points):
        if fine <= error < coarse:
            part = math.log(coarse / error) / math.log(coarse / fine)
            return math.exp((1.0 - part) * math.log(cheap) + part * math.log(dear))
    return points[0][1]
