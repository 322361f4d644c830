# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the working tree with another commit: `make bench-compare BASE=main NAMES="forward_dynamics loops"`.

Either side has a process of its own that stays; both take turns, in the order ABBA, so that a busy moment of the
machine hits both. Each pair gives a ratio, ours / base: the median of nine tells two per cent apart where times alone
vary by thirty. Both sides run the benchmarks of the working tree, each on its own engine.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .measure import ROOT
from .timed_blocks import BENCHMARKS, CHECKOUT

PAIRS = 9
WITHIN = 0.10
FEWEST = 3
SHORTEST = 1e-12
"""Seconds below which a measurement is no measurement."""


# --- statistics ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Comparison:
    """Seconds per turn of a row on both sides, pair by pair."""

    row: str
    base: tuple[float, ...]
    here: tuple[float, ...]

    @property
    def ratios(self) -> list[float]:
        """Working tree / base of each pair: below 1 the working tree is faster."""
        return [mine / max(theirs, SHORTEST) for mine, theirs in zip(self.here, self.base, strict=True)]

    @property
    def median(self) -> float:
        return statistics.median(self.ratios)

    @property
    def quartiles(self) -> tuple[float, float]:
        """Between which the middle half of the ratios lies."""
        if len(self.ratios) == 1:
            return self.ratios[0], self.ratios[0]
        low, _, high = statistics.quantiles(self.ratios, n=4, method="inclusive")
        return low, high

    @property
    def verdict(self) -> str:
        """What the middle half of the ratios agrees on; one or two ratios decide nothing."""
        if len(self.ratios) < FEWEST:
            return "undecided"
        low, high = self.quartiles
        least, most = 1.0 / (1.0 + WITHIN), 1.0 + WITHIN
        if low > most:
            return "slower"
        if high < least:
            return "faster"
        return f"within {WITHIN:.0%}" if least <= low and high <= most else "undecided"


def paired(
    base: Callable[[], float], here: Callable[[], float], pairs: int, *, uncounted: int = 1
) -> list[tuple[float, float]]:
    """What both sides measure, pair by pair (base, here): base first, then here first, and so on.

    uncounted: pairs before the first, in which caches of all sorts are filled.
    """
    found = []
    for number in range(pairs + uncounted):
        if number % 2 == 0:
            one = base()
            other = here()
        else:
            other = here()
            one = base()
        if number >= uncounted:
            found.append((one, other))
    return found


def table(comparisons: list[Comparison]) -> list[str]:
    """Markdown; ratios are working tree / base."""
    lines = ["| row | base | here | ratio | middle half | all | verdict |", "|---|---|---|---|---|---|---|"]
    for each in comparisons:
        low, high = each.quartiles
        base, here = (shown(statistics.median(side)) for side in (each.base, each.here))
        spread = f"{low:.3f} to {high:.3f} | {min(each.ratios):.3f} to {max(each.ratios):.3f}"
        lines.append(f"| {each.row} | {base} | {here} | {each.median:.3f} | {spread} | {each.verdict} |")
    return lines


def shown(seconds: float) -> str:
    """Seconds in a unit that fits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


# --- the two sides ---------------------------------------------------------------------------


class WorkerError(Exception):
    """A side that cannot do what it is asked for, in its own words."""


class Worker:
    """A process that runs the engine of a checkout on one route."""

    def __init__(self, checkout: Path, route: str, arguments: list[str]) -> None:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(checkout / "engine"), str(ROOT)]),
            "OPENBLAS_NUM_THREADS": "1",
            "REDMAX_ROUTE": route,
            CHECKOUT: str(checkout),
        }
        command = [sys.executable, "-m", "benchmarks.compare_worker", *arguments]
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, **message: Any) -> dict[str, Any]:
        """Its answer. Raises WorkerError with what it says otherwise."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise WorkerError(f"its process ended with {self.process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise WorkerError(answer["error"])
        return answer

    def close(self) -> None:
        self.process.communicate()


class Sides:
    """The workers of both checkouts, started when they are first asked for."""

    def __init__(self, base: Path, here: Path, start: Callable[[Path, str], Any]) -> None:
        self.checkouts = {"base": base, "here": here}
        self.start = start
        self.workers: dict[tuple[str, str], Any] = {}

    def worker(self, side: str, route: str) -> Any:
        if (side, route) not in self.workers:
            self.workers[side, route] = self.start(self.checkouts[side], route)
        return self.workers[side, route]

    def listed(self, side: str, benchmark: str, route: str) -> dict[str, tuple[str, int | None]]:
        """Route and largest number of pairs of each row that a side knows; a side that cannot say knows none."""
        try:
            rows = self.worker(side, route).ask(do="list", benchmark=benchmark)["rows"]
        except WorkerError as error:
            print(f"  {benchmark}, {side}: {error}", flush=True)
            return {}
        return {name: (its_route, pairs) for name, its_route, pairs in rows if its_route == route}

    def close(self) -> None:
        for worker in self.workers.values():
            worker.close()


def compare(
    sides: Sides, benchmark: str, pairs: int, say: Callable[[str], None] = print
) -> tuple[list[Comparison], list[str]]:
    """The rows of a benchmark that both sides can run, and what is to be said of the others."""
    found, left_out = [], []
    for route in ("numba", "numpy"):
        known = {side: sides.listed(side, benchmark, route) for side in ("base", "here")}
        for row in dict.fromkeys((*known["here"], *known["base"])):
            missing = [side for side in known if row not in known[side]]
            if missing:
                left_out.append(f"{row}: {missing[0]} does not know it")
                continue
            try:
                comparison = measured(sides, row, route, known["here"][row][1], pairs)
            except WorkerError as error:
                left_out.append(f"{row}: {error}")
                continue
            found.append(comparison)
            say(f"  {row}: {comparison.median:.3f}, {comparison.verdict}")
    return found, left_out


def measured(sides: Sides, row: str, route: str, most: int | None, pairs: int) -> Comparison:
    """A row on both sides, with the same number of turns in every measurement. Raises WorkerError with the side."""
    workers = {side: sides.worker(side, route) for side in ("base", "here")}

    def ask(side: str, **message: Any) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = workers[side].ask(row=row, **message)
        except WorkerError as error:
            raise WorkerError(f"{side} cannot run it ({error})") from None
        return answer

    count = max(ask(side, do="prepare")["count"] for side in workers)

    def seconds(side: str) -> float:
        return float(ask(side, do="time", count=count)["seconds"])

    times = paired(
        lambda: seconds("base"),
        lambda: seconds("here"),
        pairs if most is None else min(pairs, most),
        uncounted=1 if most is None else 0,
    )
    return Comparison(row, tuple(one for one, _ in times), tuple(other for _, other in times))


@contextmanager
def exported(commit: str) -> Iterator[Path]:
    """The files of a commit in a folder of their own; the repository is not touched."""
    found = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=False)
    if found.returncode:
        raise SystemExit(f"there is no commit '{commit}': {found.stderr.decode().strip()}")
    with tempfile.TemporaryDirectory(prefix="redmax-base-") as folder:
        with tarfile.open(fileobj=io.BytesIO(found.stdout)) as archive:
            archive.extractall(folder, filter="data")
        yield Path(folder)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all if none: {', '.join(BENCHMARKS)}")
    parser.add_argument("--base", required=True, metavar="COMMIT", help="what to compare the working tree with")
    parser.add_argument("--pairs", type=int, default=PAIRS, help=f"ratios per row ({PAIRS})")
    parser.add_argument("--quick", action="store_true", help="fewer and smaller rows")
    parser.add_argument("--stopwatch", action="store_true", help="count seconds instead of processor seconds")
    parser.add_argument("--strict", action="store_true", help="fail unless every row is within 10 %% or faster")
    chosen = parser.parse_args(arguments)
    unknown = set(chosen.names) - set(BENCHMARKS)
    if unknown or chosen.pairs < 1:
        parser.error(f"unknown: {', '.join(sorted(unknown))}" if unknown else "--pairs must be at least 1")
    passed_on = [f"--{name}" for name in ("quick", "stopwatch") if getattr(chosen, name)]
    comparisons: list[Comparison] = []
    left_out: list[str] = []
    with ExitStack() as stack:
        base = stack.enter_context(exported(chosen.base))
        sides = Sides(base, ROOT, lambda checkout, route: Worker(checkout, route, passed_on))
        stack.callback(sides.close)
        for name in chosen.names or BENCHMARKS:
            print(f"{name} ...", flush=True)
            found, others = compare(sides, name, chosen.pairs)
            comparisons += found
            left_out += others
    clock = "a stopwatch" if chosen.stopwatch else "the processor's seconds, of processes of their own a stopwatch"
    print(f"\n# Working tree beside {chosen.base}\n")
    print(f"Ratios are working tree / base, medians of {chosen.pairs} (cold starts: 3), by {clock}.\n")
    print("\n".join(table(comparisons)))
    if left_out:
        print("\nNot compared:\n\n" + "\n".join(f"- {what}" for what in left_out))
    return int(chosen.strict and not all(each.verdict.startswith(("within", "faster")) for each in comparisons))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
