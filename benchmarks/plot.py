# SPDX-License-Identifier: GPL-3.0-or-later
"""Plots of benchmark rows, as SVG and PNG."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

from .measure import Row


def ratio_plot(rows: list[Row], path: Path) -> None:
    """Horizontal bars of ours / peer on a logarithmic axis; 1 is a tie."""
    compared = [row for row in rows if row.ratio is not None]
    if not compared:
        return
    figure, axes = plt.subplots(figsize=(8, 1.2 + 0.34 * len(compared)), layout="constrained")
    ratios = [row.ratio or 1.0 for row in compared]
    colours = ["#2f7d4f" if ratio <= 1.0 else "#b0552d" for ratio in ratios]
    labels = [f"{row.benchmark}: {row.case} / {row.peer}" for row in compared]
    bars = axes.barh(labels, [ratio - 1.0 for ratio in ratios], left=1.0, color=colours)
    axes.bar_label(bars, [f"{ratio:.2f}" for ratio in ratios], padding=3, fontsize=8)
    axes.axvline(1.0, color="black", linewidth=0.8)
    axes.set_xscale("log")
    axes.margins(x=0.2)
    axes.invert_yaxis()
    axes.set_xlabel("ours / peer (below 1 is better)")
    _save(figure, path)


def growth_plot(rows: list[Row], path: Path) -> None:
    """Cost over size for cases named 'n = ...', with a dotted line for linear growth."""
    series: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for row in rows:
        if row.case.startswith("n = "):
            series[f"{row.benchmark} [{row.unit}]"].append((int(row.case[4:].replace(" ", "")), row.ours))
    if not series:
        return
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    for name, points in series.items():
        sizes, costs = zip(*sorted(points), strict=True)
        (line,) = axes.loglog(sizes, costs, marker="o", label=name)
        axes.loglog(sizes, [costs[-1] * size / sizes[-1] for size in sizes], ":", color=line.get_color(), linewidth=1)
    axes.set_xlabel("bodies (dotted: linear growth)")
    axes.set_ylabel("cost")
    axes.grid(which="both", alpha=0.25)
    axes.legend(fontsize=8)
    _save(figure, path)


def _save(figure: plt.Figure, path: Path) -> None:
    figure.savefig(path.with_suffix(".svg"))
    figure.savefig(path.with_suffix(".png"), dpi=120)
    plt.close(figure)
