# SPDX-License-Identifier: GPL-3.0-or-later
"""Line plots as SVG text, so that the engine draws without a plotting library."""

from __future__ import annotations

import math
from collections.abc import Mapping
from xml.sax.saxutils import escape

import numpy as np

from .arrays import Array

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 92, 24, 72, 58
"""Margins [px] around the plotting area."""

COLORS = ("#0072B2", "#D55E00", "#111111", "#009E73", "#CC79A7")
"""Told apart also by colour-blind people (Okabe and Ito)."""

DASHES = ("none", "none", "7 5", "2 4", "12 4 2 4")
"""The third line is dashed, so that a line it covers (a total of one part) still shows."""

MAX_POINTS = 2000


def line_plot(title: str, x: Array, series: Mapping[str, Array], *, x_label: str, y_label: str) -> str:
    """An SVG document with one line per series (k,) over x (k,); values that are not finite are left out."""
    finite = np.concatenate([values[np.isfinite(values)] for values in series.values()])
    x_low, x_high = _range(x)
    y_low, y_high = _range(finite)
    room = 0.04 * (y_high - y_low)
    y_low, y_high = y_low - room, y_high + room

    def px(value: float) -> float:
        return LEFT + (value - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT)

    def py(value: float) -> float:
        return HEIGHT - BOTTOM - (value - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="14">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        _text(LEFT, 26, title, size=17, weight="bold"),
    ]
    for tick in ticks(x_low, x_high):
        parts.append(_line(px(tick), TOP, px(tick), HEIGHT - BOTTOM, "#e4e4e4"))
        parts.append(_text(px(tick), HEIGHT - BOTTOM + 19, f"{tick:g}", anchor="middle"))
    for tick in ticks(y_low, y_high):
        parts.append(_line(LEFT, py(tick), WIDTH - RIGHT, py(tick), "#999999" if tick == 0.0 else "#e4e4e4"))
        parts.append(_text(LEFT - 8, py(tick) + 5, f"{tick:g}", anchor="end"))
    parts.append(_line(LEFT, TOP, LEFT, HEIGHT - BOTTOM, "#333333"))
    parts.append(_line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, "#333333"))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, x_label, anchor="middle"))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(_text(20, middle, y_label, anchor="middle", transform=f"rotate(-90 20 {middle:g})"))
    for index, (name, values) in enumerate(series.items()):
        color = COLORS[index % len(COLORS)]
        dashes = DASHES[index % len(DASHES)]
        for run in _runs(x, values):
            points = " ".join(f"{px(a):.2f},{py(b):.2f}" for a, b in run)
            parts.append(
                f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2" '
                f'stroke-dasharray="{dashes}"/>'
            )
        x0 = LEFT + index * 130
        parts.append(_line(x0, 51, x0 + 26, 51, color, width=3, dashes=dashes))
        parts.append(_text(x0 + 33, 56, name))
    return "\n".join([*parts, "</svg>"]) + "\n"


def ticks(low: float, high: float, count: int = 8) -> list[float]:
    """Round numbers (1, 2 or 5 times a power of ten apart) that lie within [low, high], about `count` of them."""
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = power * next(factor for factor in (1.0, 2.0, 5.0, 10.0) if raw <= factor * power * (1.0 + 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    # Rounded to the step's own digits, so that 0.30000000000000004 prints as 0.3.
    digits = max(0, 1 - math.floor(math.log10(step)))
    return [round(k * step, digits) + 0.0 for k in range(first, last + 1)]


def _range(values: Array) -> tuple[float, float]:
    """Lowest and highest value with a little room; never empty."""
    if values.size == 0:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        room = 0.5 * max(abs(low), abs(high), 1e-9)
        return low - room, high + room
    return low, high


def _runs(x: Array, y: Array) -> list[list[tuple[float, float]]]:
    """Stretches of finite points, thinned to MAX_POINTS."""
    step = max(1, math.ceil(len(x) / MAX_POINTS))
    runs: list[list[tuple[float, float]]] = [[]]
    for a, b in zip(x[::step], y[::step], strict=True):
        if math.isfinite(b):
            runs[-1].append((float(a), float(b)))
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _line(x1: float, y1: float, x2: float, y2: float, color: str, *, width: float = 1.0, dashes: str = "none") -> str:
    return (
        f'<line x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}" stroke="{color}" stroke-width="{width:g}" '
        f'stroke-dasharray="{dashes}"/>'
    )


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", size: int = 14, weight: str = "normal", transform: str = ""
) -> str:
    turned = f' transform="{transform}"' if transform else ""
    return (
        f'<text x="{x:.2f}" y="{y:.2f}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}"{turned}>'
        f"{escape(text)}</text>"
    )
