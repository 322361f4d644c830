# SPDX-License-Identifier: GPL-3.0-or-later
"""Plots of benchmark rows, as SVG and PNG."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

from .curves import Curve
from .measure import Row


def ratio_plot(rows: list[Row], path: Path) -> None:
    """ours / peer on a logarithmic axis: a panel per benchmark, a line per case, a mark per peer; 1 is a tie."""
    groups: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row.ratio is not None and row.ratio > 0.0:
            groups[row.benchmark][row.case].append(row)
    if not groups:
        return
    colours = _colours(rows)
    heights = [len(cases) + 2.5 for cases in groups.values()]
    figure, panels = plt.subplots(
        len(groups), 1, figsize=(9, 0.22 * sum(heights) + 1), height_ratios=heights, layout="constrained", squeeze=False
    )
    for axes, (benchmark, cases) in zip(panels[:, 0], groups.items(), strict=True):
        named: set[str] = set()
        for place, members in enumerate(cases.values()):
            axes.axhline(place, color="0.9", linewidth=0.8, zorder=0)
            for row in members:
                label = None if row.peer in named else row.peer
                named.add(row.peer)
                mark = "X" if row.met is False else "o"
                axes.plot(row.ratio, place, mark, color=colours[row.peer], markersize=6, label=label)
        asked = {row.ratio_limit for members in cases.values() for row in members} - {None}
        for limit in asked:
            axes.axvline(limit, color="#c0392b", linewidth=0.8, linestyle=":")
        axes.axvline(1.0, color="black", linewidth=0.8)
        axes.set_yticks(range(len(cases)), list(cases), fontsize=7)
        axes.set_xscale("log")
        axes.set_ylim(len(cases) - 0.4, -0.6)
        axes.set_title(benchmark, fontsize=9, loc="left")
        axes.legend(fontsize=6, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    panels[-1, 0].set_xlabel("ours / peer: left of 1 is better; dotted: asked for; a cross: missed")
    _save(figure, path)


def _colours(rows: list[Row]) -> dict[str, Any]:
    """One colour per peer, whatever the panel."""
    wheel = plt.get_cmap("tab20").colors
    return {peer: wheel[k % len(wheel)] for k, peer in enumerate(dict.fromkeys(row.peer for row in rows))}


def growth_plot(rows: list[Row], path: Path) -> None:
    """Cost over size for cases named 'n = ...', ours solid and peers dashed; dotted lines are linear growth."""
    series: dict[str, dict[int, float]] = defaultdict(dict)
    for row in rows:
        if row.case.startswith("n = "):
            n = int(row.case[4:].replace(" ", ""))
            series[f"{row.benchmark} [{row.unit}]"][n] = row.ours
            if row.theirs is not None:
                series[f"{row.benchmark}, {row.peer} [{row.unit}]"][n] = row.theirs
    if not series:
        return
    ours = {f"{row.benchmark} [{row.unit}]" for row in rows}
    figure, axes = plt.subplots(figsize=(7, 5), layout="constrained")
    for name, points in series.items():
        sizes, costs = zip(*sorted(points.items()), strict=True)
        style = {"linestyle": "-", "linewidth": 2.0} if name in ours else {"linestyle": "--", "linewidth": 1.0}
        (line,) = axes.loglog(sizes, costs, marker="o", markersize=3, label=name, **style)
        if name in ours:
            linear = [costs[-1] * size / sizes[-1] for size in sizes]
            axes.loglog(sizes, linear, ":", color=line.get_color(), linewidth=1)
    axes.set_xlabel("bodies (dotted: linear growth)")
    axes.set_ylabel("cost")
    axes.grid(which="both", alpha=0.25)
    axes.legend(fontsize=7)
    _save(figure, path)


def work_precision_plot(curves: list[Curve], path: Path, title: str) -> None:
    """Time spent over error reached, one line per method; ours are thick."""
    figure, axes = plt.subplots(figsize=(7, 5), layout="constrained")
    for curve in curves:
        points = sorted(zip(curve.errors, curve.seconds, strict=True))
        thick = curve.label.startswith("RedMax")
        errors, seconds = zip(*points, strict=True)
        axes.loglog(errors, [1e3 * s for s in seconds], marker="o", markersize=3, label=curve.label,
                    linewidth=2.5 if thick else 1.0, zorder=3 if thick else 2)  # fmt: skip
    axes.axvline(1e-8, color="black", linewidth=0.6, linestyle=":")
    axes.invert_xaxis()
    axes.set_xlabel("error of the worst angle at the end [rad]")
    axes.set_ylabel("time spent [ms]")
    axes.set_title(f"pendulum of ten links, {title} start")
    axes.grid(which="major", alpha=0.3)
    axes.legend(fontsize=8)
    _save(figure, path)


def contact_plot(curves: list[Curve], path: Path, title: str) -> None:
    """Time spent over the worst error, one line per engine; ours is thick."""
    figure, axes = plt.subplots(figsize=(7, 5), layout="constrained")
    for curve in curves:
        thick = curve.label.startswith("RedMax")
        axes.loglog(curve.errors, [1e3 * s for s in curve.seconds], marker="o", markersize=4, label=curve.label,
                    linewidth=2.5 if thick else 1.0, zorder=3 if thick else 2)  # fmt: skip
    axes.invert_xaxis()
    axes.set_xlabel("worst of penetration, slip and energy, in sizes of a body")
    axes.set_ylabel("processor time per simulated second [ms]")
    axes.set_title(title)
    axes.grid(which="major", alpha=0.3)
    axes.legend(fontsize=8)
    _save(figure, path)


def _save(figure: plt.Figure, path: Path) -> None:
    figure.savefig(path.with_suffix(".svg"))
    figure.savefig(path.with_suffix(".png"), dpi=120)
    plt.close(figure)
