# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the section "Speed" of docs/measurements.md, and its plots, from the results of the last full `make bench`.

Run as `python -m benchmarks.document`.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from .measure import ROOT, Row
from .report import limit_table, number

RESULTS = ROOT / "benchmarks" / "results"
DOCUMENT = ROOT / "docs" / "measurements.md"
BEGIN, END = "<!-- speed: made by `python -m benchmarks.document` -->", "<!-- speed: end -->"
PLOTS = {
    "work-precision-smooth": "Time over error, smooth start",
    "work-precision-whip": "Time over error, whip",
    "benchmarks-growth": "Growth with the number of bodies",
}


LOOPS = "loops, as closed"
"""Rows that compare loops, each with an accuracy of ours of its own."""

SHOWN = 4
"""Peers named in a line, the best first."""


def main(results: Path = RESULTS, document: Path = DOCUMENT) -> int:
    source = results / "benchmarks.json"
    if not source.exists():
        print(f"there is no {source}; run `make bench` first")
        return 1
    rows = [Row(**row) for row in json.loads(source.read_text(encoding="utf-8"))]
    about = (results / "benchmarks.md").read_text(encoding="utf-8").split("## ")[0].splitlines()[2:]
    text = document.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        print(f"{document} has lost its marks {BEGIN} and {END}")
        return 1
    images = document.parent / "images"
    images.mkdir(exist_ok=True)
    shown = []
    for name, title in PLOTS.items():
        plot = results / f"{name}.svg"
        if plot.exists():
            shutil.copy(plot, images / f"{name}.svg")
            shown.append(f"![{title}](images/{name}.svg)")
    made = "\n".join([BEGIN, *section(rows, about), "", *shown, END])
    renewed = re.sub(f"{re.escape(BEGIN)}.*{re.escape(END)}", lambda _: made, text, flags=re.DOTALL)
    document.write_text(renewed, encoding="utf-8")
    print(f"renewed {document.name}")
    return 0


def section(rows: list[Row], about: list[str]) -> list[str]:
    lines = [*(line for line in about if line), ""]
    asked = [row for row in rows if row.met is not None]
    lines += ["What was asked for:", "", *limit_table(asked), ""]
    for title, unit in (
        ("forward dynamics, compiled loop", "us"),
        ("forward dynamics, call from Python", "us"),
        ("simulation", "s"),
        ("accuracy", ""),
    ):
        chosen = [row for row in rows if row.benchmark == title]
        if chosen:
            heading = f"{title[0].upper()}{title[1:]}" + (f" [{unit}]" if unit else " (relative error)")
            lines += [f"{heading}:", "", *side_by_side(chosen), ""]
    loops = [row for row in rows if row.benchmark.startswith(LOOPS)]
    if loops:
        lines += ["Mechanisms with loops [ms per simulated second]:", "", *loop_table(loops), ""]
    held = [row for row in rows if row.benchmark == "constraints"]
    if held:
        lines += ["Limits, gears, drives, prescribed joints [ms per simulated second]:", "", *side_by_side(held), ""]
    lines += ["Everything else:", "", "| what | case | ours | beside it, the best first |", "|---|---|---|---|"]
    others = ("work-precision", "loops", "growth", "plain numpy", "start", "memory", "chain in Blender", "simulation, ")
    rest = (row for row in rows if row.benchmark.startswith(others) and not row.benchmark.startswith(LOOPS))
    for key, members in grouped(rest).items():
        lines.append(one_line(*key, members))
    return lines


def grouped(rows: Iterable[Row]) -> dict[tuple[str, str], list[Row]]:
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.benchmark, row.case), []).append(row)
    return groups


def side_by_side(rows: list[Row]) -> list[str]:
    """A line per case, a column per engine."""
    peers = [peer for peer in dict.fromkeys(row.peer for row in rows) if peer]
    lines = ["| case | ours | " + " | ".join(peers) + " |", "|---" * (len(peers) + 2) + "|"]
    for (_, case), members in grouped(rows).items():
        theirs = {row.peer: row.theirs for row in members}
        cells = ["" if theirs.get(peer) is None else number(theirs[peer], 3) for peer in peers]
        lines.append(f"| {case} | {number(members[0].ours, 3)} | " + " | ".join(cells) + " |")
    return lines


def loop_table(rows: list[Row]) -> list[str]:
    """A line per mechanism and peer, the mechanisms as they come."""
    lines = ["| case | as closed | ours | peer | theirs | its error [m] | ratio | asked for |", "|---" * 8 + "|"]
    for name in dict.fromkeys(row.case.partition(",")[0] for row in rows):
        for row in (row for row in rows if row.case.partition(",")[0] == name and row.theirs is not None):
            asked = "" if row.met is None else f"{row.ratio_limit:g} x: " + ("met" if row.met else "**MISSED**")
            how = row.benchmark.removeprefix(f"{LOOPS} ")
            error = "" if row.difference is None else f"{row.difference:.0e}"
            cells = (row.case, how, number(row.ours, 3), row.peer, number(row.theirs or 0.0, 3), error)
            lines.append(f"| {' | '.join(cells)} | {number(row.ratio or 0.0, 2)} | {asked} |")
    return lines


def one_line(benchmark: str, case: str, members: list[Row]) -> str:
    row = members[0]
    beside = sorted((row.theirs, row.peer) for row in members if row.theirs is not None)
    listed = ", ".join(f"{peer} {number(theirs, 3)}" for theirs, peer in beside[:SHOWN])
    return f"| {benchmark} | {case} | {number(row.ours, 3)} {row.unit} | {listed} |"


if __name__ == "__main__":
    sys.exit(main())
