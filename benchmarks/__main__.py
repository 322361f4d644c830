# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs benchmarks, prints a table of ratios and saves it with plots in benchmarks/results."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import time
from dataclasses import asdict
from pathlib import Path

from .measure import Options, Row, clock
from .plot import growth_plot, ratio_plot
from .report import markdown

HERE = Path(__file__).parent
RESULTS = HERE / "results"
FIRST = (
    "accuracy",
    "forward_dynamics",
    "simulation",
    "work_precision",
    "loops",
    "constraints",
    "contact",
    "growth",
    "routes",
    "start",
    "memory",
)
"""In this order; whatever else there is follows."""


def known() -> list[str]:
    found = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    return [*(name for name in FIRST if name in found), *(name for name in found if name not in FIRST)]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which to run, all if none: {', '.join(known())}")
    parser.add_argument("--quick", action="store_true", help="less of everything, under 3 minutes")
    parser.add_argument("--rounds", type=int, help="interleaved rounds (5, quick: 3)")
    parser.add_argument(
        "--cpu-time", action="store_true", help="count processor time instead of a stopwatch's, on a busy machine"
    )
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder for tables and plots")
    chosen = parser.parse_args(arguments)
    unknown = set(chosen.names) - set(known())
    if unknown:
        print(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(known())}")
        return 2
    clock["cpu"] = chosen.cpu_time
    rounds = chosen.rounds or (3 if chosen.quick else 5)
    options = Options(chosen.results, quick=chosen.quick, rounds=rounds)
    options.results.mkdir(parents=True, exist_ok=True)
    rows, load = measured(chosen.names or known(), options)
    title = options.prefix + "-".join(chosen.names or ["benchmarks"])
    text = markdown(rows, options, load)
    print("\n" + text)
    (options.results / f"{title}.md").write_text(text, encoding="utf-8")
    listed = json.dumps([asdict(row) for row in rows], indent=1)
    (options.results / f"{title}.json").write_text(listed, encoding="utf-8")
    ratio_plot(rows, options.results / f"{title}-ratios")
    growth_plot(rows, options.results / f"{title}-growth")
    print(f"saved in {options.results}: {title}.md and .json, {title}-ratios and {title}-growth as SVG and PNG")
    return 0


def measured(names: list[str], options: Options) -> tuple[list[Row], list[float]]:
    """Rows of all the benchmarks named, and how busy the machine was before each and at the end."""
    rows: list[Row] = []
    load = []
    for name in names:
        load.append(os.getloadavg()[0])
        print(f"{name} ...", flush=True)
        begin = time.perf_counter()
        rows += importlib.import_module(f"benchmarks.bench_{name}").run(options)
        print(f"  {name} took {time.perf_counter() - begin:.0f} s", flush=True)
    return rows, [*load, os.getloadavg()[0]]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
