# SPDX-License-Identifier: GPL-3.0-or-later
"""A contact sheet of a batch as SVG text: for every variation a picture of its end and the numbers that matter.

Pictures are drawn from where bodies are at last, all to one scale and from one side, or are PNG images of whoever has
better ones.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from ..arrays import Array
from ..errors import RedMaxError
from ..registry import suggestion
from ..scene import Scene

NUMBERS = {
    "energy_drift": ("drift", ""),
    "worst_gap": ("gap", "m"),
    "peak_torque": ("torque", ""),
    "peak_speed": ("speed", "m/s"),
}
"""Columns of the table that a sheet shows, with a short word and a unit."""

COLUMNS, WIDTH, PICTURE, MARGIN, LINE = 4, 240, 150, 12, 17
"""Cards in a row, width of a card, height of its picture, space between cards and height of a line of text [px]."""

MOST_VALUES = 4
"""Varied values that a card names."""

MOST_CARDS = 400
LETTERS = 33
"""Letters that fit into the width of a card."""

GOOD, BAD = "#2b8a3e", "#c92a2a"


class SheetError(RedMaxError):
    """A contact sheet that cannot be made."""


@dataclass(frozen=True)
class Card:
    """One variation. values: what varies, with its value. numbers: those of its record. picture: a PNG, if any."""

    name: str
    values: Mapping[str, Any]
    numbers: Mapping[str, Any]
    picture: bytes | None = None


def in_order(cards: Iterable[Card], column: str, *, descending: bool = False) -> list[Card]:
    """Cards by a number or a varied value; those without one last. Raises SheetError for a column nobody has."""
    cards = list(cards)
    known = {name for card in cards for name in (*card.values, *card.numbers)} | {"name"}
    if column not in known and cards:
        raise SheetError(f"the table has no column '{column}'; {suggestion(column, tuple(sorted(known)), 'it has')}")

    def value(card: Card) -> Any:
        return card.name if column == "name" else card.values.get(column, card.numbers.get(column))

    having = [card for card in cards if _is_known(value(card))]
    texts = any(isinstance(value(card), str) for card in having)
    having.sort(key=(lambda card: str(value(card))) if texts else value, reverse=descending)
    return [*having, *(card for card in cards if not _is_known(value(card)))]


def contact_sheet(title: str, cards: Sequence[Card], scene: Scene) -> str:
    """An SVG document; of more than MOST_CARDS the first."""
    left = len(cards) - MOST_CARDS
    more = f" (the first {MOST_CARDS} of {len(cards)})" if left > 0 else f" ({len(cards)})"
    cards = cards[:MOST_CARDS]
    names = [body.name for body in scene.bodies]
    places = _Places(scene, [_ends(card, names) for card in cards])
    lines = min(MOST_VALUES, max((len(card.values) for card in cards), default=0)) + 1 + len(NUMBERS) // 2
    height = PICTURE + LINE * (lines + 1)
    rows = math.ceil(len(cards) / COLUMNS)
    w, h = COLUMNS * (WIDTH + MARGIN) + MARGIN, 48 + rows * (height + MARGIN)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{w}" height="{h}" fill="#f1f3f5"/>',
        _text(MARGIN, 31, title + more, 'font-size="18" font-weight="bold"'),
    ]
    for k, card in enumerate(cards):
        x, y = MARGIN + (k % COLUMNS) * (WIDTH + MARGIN), 48 + (k // COLUMNS) * (height + MARGIN)
        parts.append(f'<g transform="translate({x} {y})">')
        parts.append(f'<rect width="{WIDTH}" height="{height}" rx="4" fill="white"/>')
        parts += _picture(card.picture) if card.picture else places.drawn(k)
        parts += _words(card)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>"]) + "\n"


def _words(card: Card) -> list[str]:
    y = PICTURE + LINE
    complete = card.numbers.get("status") == "complete"
    status = "" if complete else f"  {card.numbers.get('status', 'not simulated')}"
    colour = GOOD if complete else BAD
    parts = [
        f'<circle cx="{WIDTH - 14}" cy="{y - 5}" r="5" fill="{colour}"/>',
        _text(8, y, _cut(card.name + status, LETTERS - 3), 'font-weight="bold"'),
    ]
    given = {name: value for name, value in card.values.items() if value is not None}
    for name, value in list(given.items())[:MOST_VALUES]:
        y += LINE
        number = show(value)
        parts.append(_text(8, y, _end(name, LETTERS - len(number) - 2), 'fill="#495057"'))
        parts.append(_text(WIDTH - 8, y, number, 'text-anchor="end"'))
    known = [(name, card.numbers.get(name)) for name in NUMBERS if _is_known(card.numbers.get(name))]
    for k, (name, value) in enumerate(known):
        word, unit = NUMBERS[name]
        y += LINE if k % 2 == 0 else 0
        parts.append(_text(8 + (k % 2) * WIDTH // 2, y, f"{word} {show(value)} {unit}".strip(), 'fill="#1864ab"'))
    if not complete and not known:
        parts.append(_text(8, y + LINE, _cut(str(card.numbers.get("message") or ""), LETTERS), f'fill="{BAD}"'))
    return parts


def show(value: Any) -> str:
    """A value in few letters."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{value:.3g}"
    return str(value)[:LETTERS]


class _Places:
    """Where bodies are at the end of every variation, seen along the axis in which they differ least."""

    def __init__(self, scene: Scene, ends: list[Array]) -> None:
        self.ends = ends
        index = {body.name: k for k, body in enumerate(scene.bodies)}
        joined = [(joint.parent, joint.child) for joint in scene.joints]
        self.lines = [(index[a], index[b]) for a, b in joined if a in index and b in index]
        self.grounded = [index[b] for a, b in joined if a is None and b in index]
        seen = np.concatenate([end[np.isfinite(end).all(axis=1)] for end in ends]) if ends else np.zeros((0, 3))
        if not len(seen):
            seen = np.zeros((1, 3))
        low, high = seen.min(axis=0), seen.max(axis=0)
        across = int(np.argmin(high - low))
        self.axes = [axis for axis in (0, 1, 2) if axis != across]
        self.middle = 0.5 * (low + high)
        spread = np.maximum((high - low)[self.axes], 1e-9 * (1.0 + np.abs(self.middle[self.axes])))
        self.scale = float(min((WIDTH - 40) / spread[0], (PICTURE - 40) / spread[1]))

    def drawn(self, k: int) -> list[str]:
        at = (self.ends[k] - self.middle)[:, self.axes] * self.scale
        x, y = WIDTH / 2 + at[:, 0], PICTURE / 2 - at[:, 1]
        sound = np.isfinite(x) & np.isfinite(y)
        parts = [f'<rect width="{WIDTH}" height="{PICTURE}" rx="4" fill="#e9ecef"/>']
        parts += [
            f'<line x1="{x[a]:.1f}" y1="{y[a]:.1f}" x2="{x[b]:.1f}" y2="{y[b]:.1f}" stroke="#495057" stroke-width="2"/>'
            for a, b in self.lines
            if sound[a] and sound[b]
        ]
        held = set(self.grounded)
        for b in np.flatnonzero(sound):
            fill = "#e8590c" if b in held else "#1971c2"
            parts.append(f'<circle cx="{x[b]:.1f}" cy="{y[b]:.1f}" r="4" fill="{fill}"/>')
        return parts


def _ends(card: Card, names: Sequence[str]) -> Array:
    rows = [[card.numbers.get(f"end.{name}.{axis}") for axis in "xyz"] for name in names]
    numbers = [[value if isinstance(value, (int, float)) else math.nan for value in row] for row in rows]
    return np.array(numbers, np.float64).reshape(-1, 3)


def _picture(png: bytes) -> list[str]:
    data = base64.b64encode(png).decode("ascii")
    return [f'<image width="{WIDTH}" height="{PICTURE}" href="data:image/png;base64,{data}"/>']


def _is_known(value: Any) -> bool:
    return value is not None and not (isinstance(value, float) and math.isnan(value))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}\u2026"


def _end(text: str, most: int) -> str:
    return text if len(text) <= most else f"\u2026{text[1 - most :]}"


def _text(x: float, y: float, text: str, style: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" {style}>{escape("".join(c for c in text if c.isprintable()))}</text>'
