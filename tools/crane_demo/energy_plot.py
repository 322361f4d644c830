# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the energy of a run goes: kinetic, potential and total, what motors put in, and how well the books balance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .canvas import Canvas, Colour, colour

WIDTH, HEIGHT = 1440, 900
PAPER, INK, FAINT, GRID = colour("#fcfcfb"), colour("#22272e"), colour("#69717c"), colour("#e3e5e8")
# Told apart also by colour-blind people (Okabe and Ito).
LINES = {
    "kinetic": (colour("#0072B2"), 3.0, 0.0),
    "potential": (colour("#D55E00"), 3.0, 0.0),
    "work of the motors": (colour("#009E73"), 7.0, 0.0),
    "total": (colour("#111111"), 2.5, 9.0),
}
BALANCE = colour("#8a4fa3")
FLOOR = 1e-16
"""Smallest imbalance drawn on the logarithmic axis: below it there is nothing but round-off."""


class Panel(NamedTuple):
    """An area of the picture [px] and the numbers at its edges."""

    left: int
    top: int
    right: int
    bottom: int
    x_range: tuple[float, float]
    y_range: tuple[float, float]

    def places(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        (x0, x1), (y0, y1) = self.x_range, self.y_range
        across = self.left + (x - x0) / (x1 - x0) * (self.right - self.left)
        down = self.bottom - (y - y0) / (y1 - y0) * (self.bottom - self.top)
        return np.stack([across, down], axis=-1)


def imbalance(channels: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
    """(f,) |energy change - work + loss|, as a fraction of the largest change of any of the energies."""
    energy = channels["energy"]
    scale = max(float(np.ptp(channels[name])) for name in ("kinetic", "potential", "work"))
    gap: NDArray[np.float64] = np.abs(energy - energy[0] - channels["work"] + channels["loss"])
    return gap / scale if scale > 0.0 else gap


def draw(path: Path, t: NDArray[np.float64], channels: Mapping[str, NDArray[np.float64]], *, title: str) -> None:
    """Two panels over time [s]: energies [kJ] measured from their values at the start, and the imbalance."""
    curves = {
        "kinetic": channels["kinetic"] - channels["kinetic"][0],
        "potential": channels["potential"] - channels["potential"][0],
        "work of the motors": channels["work"] - channels["loss"],
        "total": channels["energy"] - channels["energy"][0],
    }
    if channels["loss"].any():
        curves = {("work less losses" if name == "work of the motors" else name): y for name, y in curves.items()}
    unit, factor = ("kJ", 1e-3) if max(np.abs(y).max() for y in curves.values()) > 2000.0 else ("J", 1.0)
    curves = {name: y * factor for name, y in curves.items()}
    canvas = Canvas(WIDTH, HEIGHT, PAPER)
    canvas.text(72, 62, title, INK, size=30)
    canvas.text(72, 96, f"Energy since the start [{unit}]", FAINT, size=19)
    low, high = min(y.min() for y in curves.values()), max(y.max() for y in curves.values())
    room = 0.06 * (high - low)
    times = (float(t[0]), float(t[-1]))
    upper = Panel(112, 124, WIDTH - 250, 590, times, (low - room, high + room))
    _axes(canvas, upper, _ticks(*upper.y_range, 7), "{:g}")
    for name, y in curves.items():
        paint, width, dash = LINES[name if name in LINES else "work of the motors"]
        canvas.line(upper.places(t, y), paint, width=width, dash=dash)
    _name_the_ends(canvas, upper, curves)

    error = np.log10(np.maximum(imbalance(channels), FLOOR))
    decades = (math.floor(math.log10(FLOOR)), max(math.ceil(float(error.max())), -10))
    lower = Panel(112, 680, WIDTH - 250, 820, times, (float(decades[0]), float(decades[1])))
    canvas.text(72, 656, "Imbalance: | change of energy − work + losses |, relative", FAINT, size=19)
    powers = [float(p) for p in range(decades[0], decades[1] + 1, max(1, (decades[1] - decades[0]) // 4))]
    _axes(canvas, lower, powers, "1e{:g}")
    canvas.line(lower.places(t, error), BALANCE, width=2.5)
    worst = float(imbalance(channels).max())
    canvas.text(lower.right + 18, 756, f"worst {worst:.0e}".replace("-", "−"), BALANCE, size=20)
    for tick in _ticks(*times, 9):
        x = float(lower.places(np.array(tick), np.array(0.0))[0])
        canvas.text(x, lower.bottom + 30, f"{tick:g}", FAINT, size=18, anchor="middle")
    canvas.text(lower.right, lower.bottom + 58, "time [s]", FAINT, size=18, anchor="right")
    canvas.save(path)


def _axes(canvas: Canvas, panel: Panel, y_ticks: list[float], form: str) -> None:
    for tick in y_ticks:
        y = float(panel.places(np.array(panel.x_range[0]), np.array(tick))[1])
        paint: Colour = FAINT if tick == 0.0 else GRID
        canvas.line(np.array([[panel.left, y], [panel.right, y]]), paint, width=1.0)
        canvas.text(panel.left - 14, y + 6, form.format(tick).replace("-", "−"), FAINT, size=18, anchor="right")
    for tick in _ticks(*panel.x_range, 9):
        x = float(panel.places(np.array(tick), np.array(panel.y_range[0]))[0])
        canvas.line(np.array([[x, panel.top], [x, panel.bottom]]), GRID, width=1.0)


def _name_the_ends(canvas: Canvas, panel: Panel, curves: Mapping[str, NDArray[np.float64]]) -> None:
    """Write each curve's name beside its end, moved apart where ends are close."""
    spacing = 28.0
    ends = sorted((float(panel.places(np.array(0.0), y[-1])[1]), name) for name, y in curves.items())
    places: list[float] = []
    for y, _ in ends:
        places.append(max(y, places[-1] + spacing) if places else y)
    overhang = max(0.0, places[-1] - panel.bottom)
    for place, (_, name) in zip(places, ends, strict=True):
        paint = LINES[name if name in LINES else "work of the motors"][0]
        canvas.text(panel.right + 18, place - overhang + 7, name, paint, size=20)


def _ticks(low: float, high: float, count: int) -> list[float]:
    """Round numbers within [low, high], about `count` of them."""
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = power * next(factor for factor in (1.0, 2.0, 5.0, 10.0) if raw <= factor * power * (1.0 + 1e-9))
    return [round(k * step, 12) + 0.0 for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]
