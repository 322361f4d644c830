# SPDX-License-Identifier: GPL-3.0-or-later
"""The benchmarks' result as a Markdown document."""

from __future__ import annotations

import datetime
import platform
from importlib import metadata

from .measure import Options, Row, clock

PACKAGES = ("numpy", "scipy", "numba", "pin", "mujoco", "dartpy", "drake", "pybullet", "exudyn", "trimesh")
HEADER = "| case | ours | spread | peer | theirs | spread | ratio | differs by | asked for |"


def markdown(rows: list[Row], options: Options, load: list[float]) -> str:
    """What was asked for first, then every row, then what was left out and how to read it."""
    lines = ["# Benchmarks", "", *heading(options, load), ""]
    limits = [row for row in rows if row.met is not None]
    if limits:
        met = sum(bool(row.met) for row in limits)
        lines += [f"## Asked for: {met} of {len(limits)} met", "", *limit_table(limits), ""]
    for benchmark in dict.fromkeys(row.benchmark for row in rows):
        lines += [f"## {benchmark}", "", HEADER, "|" + "---|" * HEADER.count(" | ") + "---|"]
        lines += [table_row(row) for row in rows if row.benchmark == benchmark]
        lines.append("")
    if options.skipped:
        lines += ["## Not measured", "", *(f"- {what}" for what in options.skipped), ""]
    if options.notes:
        lines += ["## How to read it", "", *(f"- {what}" for what in options.notes), ""]
    return "\n".join(lines)


def heading(options: Options, load: list[float]) -> list[str]:
    versions = ", ".join(f"{name} {version}" for name in PACKAGES if (version := installed(name)))
    when = datetime.datetime.now(tz=datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")
    manner = "quick" if options.quick else "full"
    busy = max(load)
    warning = " **The machine was busy: do not trust the times.**" if busy > 1.5 else ""
    counted = " Times inside this process are the processor's." if clock["cpu"] else ""
    return [
        f"{when}, {manner} run, medians of {options.rounds} interleaved rounds; ratio = ours / peer, "
        "below 1 is better; spread = (largest - smallest) / median.",
        "",
        f"{platform.system()} {platform.machine()}, {processor()}, Python {platform.python_version()}, {versions}.",
        f"Load of the machine {min(load):.1f} to {busy:.1f}, the benchmarks' own 1 included.{warning}{counted}",
    ]


def installed(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.partition(":")[2].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def limit_table(rows: list[Row]) -> list[str]:
    """Per benchmark and kind of limit: how many rows met it, and the worst of them."""
    groups: dict[tuple[str, str, bool], list[Row]] = {}
    for row in rows:
        absolute = row.limit is not None
        key = (row.benchmark, f"{row.limit:g} {row.unit}" if absolute else f"{row.ratio_limit:g} x", absolute)
        groups.setdefault(key, []).append(row)
    lines = ["| what | at most | rows met | worst | |", "|---|---|---|---|---|"]
    for (benchmark, limit, absolute), members in groups.items():
        worst = max(members, key=lambda row: row.ours if absolute else row.ratio or 0.0)
        value = f"{number(worst.ours)} {worst.unit}" if absolute else f"{worst.ratio:.2f}"
        where = worst.case + (f", beside {worst.peer}" if worst.peer and not absolute else "")
        met = sum(bool(row.met) for row in members)
        verdict = "met" if met == len(members) else "**MISSED**"
        lines.append(f"| {benchmark} | {limit} | {met} of {len(members)} | {value} ({where}) | {verdict} |")
    return lines


def table_row(row: Row) -> str:
    asked = []
    if row.limit is not None:
        asked.append(f"{row.limit:g} {row.unit}")
    if row.ratio_limit is not None:
        asked.append(f"{row.ratio_limit:g} x" + (f" (aim {row.aim:g})" if row.aim is not None else ""))
    verdict = "" if row.met is None else (": met" if row.met else ": **MISSED**")
    cells = [
        row.case,
        f"{number(row.ours)} {row.unit}",
        f"{row.spread:.0%}" if row.spread else "",
        row.peer,
        "" if row.theirs is None else f"{number(row.theirs)} {row.unit}",
        "" if row.their_spread is None else f"{row.their_spread:.0%}",
        "" if row.ratio is None else number(row.ratio, digits=2),
        "" if row.difference is None else f"{row.difference:.1e}",
        ", ".join(asked) + verdict,
    ]
    return "| " + " | ".join(cells) + " |"


def number(value: float, digits: int = 4) -> str:
    """Plain where that is short, with an exponent elsewhere."""
    if 10.0**digits <= abs(value) < 1e5:
        return f"{value:.0f}"
    return f"{value:.{digits}g}" if 1e-3 <= abs(value) < 1e5 else f"{value:.1e}"
