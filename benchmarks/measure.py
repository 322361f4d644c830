# SPDX-License-Identifier: GPL-3.0-or-later
"""Interleaved timing of several ways to do one thing."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One result. ratio is ours / peer: below 1 we are faster (or smaller)."""

    benchmark: str
    case: str
    ours: float
    unit: str
    peer: str = ""
    theirs: float | None = None
    spread: float = 0.0
    limit: float | None = None

    @property
    def ratio(self) -> float | None:
        return None if self.theirs is None else self.ours / self.theirs


def interleaved(ways: Mapping[str, Callable[[], object]], rounds: int = 5) -> dict[str, tuple[float, float]]:
    """Median seconds and spread (max - min, as a fraction of the median) of each way.

    The ways take turns within every round, so that a busy moment of the machine hits all of them;
    one round before the first is not counted.
    """
    times: dict[str, list[float]] = {name: [] for name in ways}
    for round_number in range(rounds + 1):
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            if round_number:
                times[name].append(time.perf_counter() - start)
    result = {}
    for name, values in times.items():
        median = statistics.median(values)
        result[name] = (median, (max(values) - min(values)) / median)
    return result
