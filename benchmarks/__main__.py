# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs benchmarks, prints a table of ratios and saves it with plots in benchmarks/results."""

from __future__ import annotations

import importlib
import json
import platform
import sys
from dataclasses import asdict
from pathlib import Path

from .measure import Row
from .plot import growth_plot, ratio_plot

HERE = Path(__file__).parent
RESULTS = HERE / "results"


def main(names: list[str]) -> int:
    known = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    unknown = set(names) - set(known)
    if unknown:
        print(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(known)}")
        return 2
    rows: list[Row] = []
    for name in names or known:
        print(f"{name} ...", flush=True)
        rows += importlib.import_module(f"benchmarks.bench_{name}").run()
    table = markdown(rows)
    print("\n" + table)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "benchmarks.md").write_text(table, encoding="utf-8")
    (RESULTS / "benchmarks.json").write_text(json.dumps([asdict(row) for row in rows], indent=1), encoding="utf-8")
    ratio_plot(rows, RESULTS / "ratios")
    growth_plot(rows, RESULTS / "growth")
    print(f"saved in {RESULTS.relative_to(HERE.parent)}: benchmarks.md and .json, ratios and growth as SVG and PNG")
    return 0


def markdown(rows: list[Row]) -> str:
    versions = f"Python {platform.python_version()}, {platform.machine()}"
    lines = [f"{versions}; medians of interleaved rounds; ratio = ours / peer.", ""]
    lines.append("| benchmark | case | ours | spread | peer | theirs | ratio | limit |")
    lines.append("|---|---|---|---|---|---|---|---|")
    for row in rows:
        cells = [row.benchmark, row.case, f"{row.ours:.4g} {row.unit}", f"{row.spread:.0%}", row.peer]
        cells.append("" if row.theirs is None else f"{row.theirs:.4g} {row.unit}")
        cells.append("" if row.ratio is None else f"{row.ratio:.2f}")
        cells.append(
            "" if row.limit is None else f"{row.limit:g} {row.unit} {'met' if row.ours <= row.limit else 'MISSED'}"
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
