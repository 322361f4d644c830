# SPDX-License-Identifier: GPL-3.0-or-later
"""Interleaved timing of several ways to do one thing, and what a benchmark reports."""

from __future__ import annotations

import gc
import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[1]
clock = {"cpu": False}
"""Whether to count the processor's seconds of this process instead of a stopwatch's: nothing here uses threads, so on
a busy machine that is the fairer clock. Processes of their own and Blender are always timed by stopwatch."""


@dataclass(frozen=True)
class Row:
    """One result. ratio is ours / peer: below 1 we are faster (or smaller).

    spread, their_spread: (largest - smallest) / median over the rounds. limit: what `ours` may be at most.
    ratio_limit, aim: what the ratio may be at most, and should be. difference: of the peer's result from ours.
    """

    benchmark: str
    case: str
    ours: float
    unit: str
    peer: str = ""
    theirs: float | None = None
    spread: float = 0.0
    limit: float | None = None
    ratio_limit: float | None = None
    aim: float | None = None
    their_spread: float | None = None
    difference: float | None = None

    @property
    def ratio(self) -> float | None:
        return None if self.theirs is None else self.ours / self.theirs

    @property
    def met(self) -> bool | None:
        """Whether what was asked for holds; None where nothing was asked for."""
        checks = []
        if self.limit is not None:
            checks.append(self.ours <= self.limit)
        if self.ratio_limit is not None and self.ratio is not None:
            checks.append(self.ratio <= self.ratio_limit)
        return all(checks) if checks else None


@dataclass
class Options:
    """How to run, and what could not be run: a benchmark never leaves something out in silence."""

    results: Path
    quick: bool = False
    rounds: int = 5
    skipped: dict[str, None] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)

    def skip(self, what: str) -> None:
        """Say, once, what is not measured and why."""
        if what not in self.skipped:
            self.skipped[what] = None
            print(f"  skipped: {what}", flush=True)

    def note(self, what: str) -> None:
        """A sentence for the end of the report; the same one counts once."""
        self.notes[what] = None

    @property
    def prefix(self) -> str:
        """How names of files begin: what a quick run found never replaces a full run's."""
        return "quick-" if self.quick else ""

    def seconds(self, full: float, quick: float) -> float:
        """How long a batch should last at least."""
        return quick if self.quick else full


@dataclass(frozen=True)
class Timing:
    """Median [s] and spread of one way."""

    median: float
    spread: float


def timing(values: list[float]) -> Timing:
    median = statistics.median(values)
    return Timing(median, (max(values) - min(values)) / median if median else 0.0)


def interleaved(ways: Mapping[str, Callable[[], object]], rounds: int = 5) -> dict[str, tuple[float, float]]:
    """Median seconds and spread of each way, called once per round.

    The ways take turns within every round, so that a busy moment of the machine hits all of them;
    one round before the first is not counted.
    """
    loops = {name: partial(_once, way) for name, way in ways.items()}
    result = interleaved_loops(loops, rounds, at_least=0.0)
    return {name: (value.median, value.spread) for name, value in result.items()}


def interleaved_calls(
    ways: Mapping[str, Callable[[], object]], rounds: int, *, at_least: float
) -> dict[str, Timing]:  # fmt: skip
    """As `interleaved`, of calls so short that a round makes many, for at least so many seconds."""
    return interleaved_loops({name: partial(_many, way) for name, way in ways.items()}, rounds, at_least=at_least)


def interleaved_loops(
    loops: Mapping[str, Callable[[int], object]], rounds: int, *, at_least: float
) -> dict[str, Timing]:  # fmt: skip
    """As `interleaved_calls`, of functions that are told how often to do it."""
    counts = {name: _fitting_count(loop, at_least) for name, loop in loops.items()}
    times: dict[str, list[float]] = {name: [] for name in loops}
    with no_collection():
        for round_number in range(rounds + 1):
            for name, loop in loops.items():
                seconds = _seconds(loop, counts[name])
                if round_number:
                    times[name].append(seconds / counts[name])
    return {name: timing(values) for name, values in times.items()}


def _once(way: Callable[[], object], count: int) -> None:
    del count
    way()


def _many(way: Callable[[], object], count: int) -> None:
    for _ in range(count):
        way()


def _fitting_count(loop: Callable[[int], object], at_least: float) -> int:
    """How often to repeat within a round; a power of two. The first call, which may compile, is not counted."""
    if at_least == 0.0:
        return 1
    loop(1)
    count = 1
    while count < 2**24 and _seconds(loop, count) < at_least:
        count *= 2
    return count


def _seconds(loop: Callable[[int], object], count: int) -> float:
    start = now()
    loop(count)
    return now() - start


def now() -> float:
    """Seconds on the clock that was chosen."""
    return time.process_time() if clock["cpu"] else time.perf_counter()


@contextmanager
def no_collection() -> Iterator[None]:
    """Python's garbage collector would strike at random."""
    was = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def child_environment(**changes: str) -> dict[str, str]:
    """The environment for a Python of its own: this one's, with our engine and the benchmarks importable."""
    paths = [*filter(None, [os.environ.get("PYTHONPATH")]), str(ROOT / "engine"), str(ROOT)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OPENBLAS_NUM_THREADS": "1", **changes}
