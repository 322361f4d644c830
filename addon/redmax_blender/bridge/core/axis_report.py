# SPDX-License-Identifier: GPL-3.0-or-later
"""Says which axes were guessed, by the names of the joints, in one short sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..._engine import arrays
from .axis_choice import Choice

Array = arrays.Array

ALONG = 1e-3
"""An axis is said to be the world's if its components beside that are smaller."""

MOST_NAMES = 3


class Guess(NamedTuple):
    """A joint by name, with the axis that it was given."""

    name: str
    choice: Choice


def said(guesses: Sequence[Guess]) -> str:
    """'axes guessed: 'Pin A', 'Pin B' along Y (square to the loop)'; empty if nothing was guessed."""
    groups: dict[tuple[str, str], list[str]] = {}
    for guess in guesses:
        groups.setdefault((direction(guess.choice.axis), guess.choice.why), []).append(guess.name)
    left, parts, hidden = MOST_NAMES, [], 0
    for (where, why), names in sorted(groups.items(), key=lambda group: -len(group[1])):
        if not left:
            hidden += len(names)
            continue
        shown = ", ".join(f"'{name}'" for name in names[:left])
        more = f" and {len(names) - left} more" if len(names) > left else ""
        parts.append(f"{shown}{more} along {where} ({why})")
        left = max(0, left - len(names))
    if not parts:
        return ""
    others = f" and {hidden} more" if hidden else ""
    return f"{'axis' if len(guesses) == 1 else 'axes'} guessed: {', '.join(parts)}{others}"


def listed(names: Sequence[str]) -> str:
    """Some names in quotation marks, and how many more there are."""
    shown = ", ".join(f"'{name}'" for name in names[:MOST_NAMES])
    return shown + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")


def direction(axis: Array) -> str:
    """A world axis by its letter, any other direction by its components."""
    largest = int(np.abs(axis).argmax())
    if np.abs(np.delete(axis, largest)).max() < ALONG:
        return "XYZ"[largest]
    return "(" + ", ".join(f"{component:.2f}" for component in axis) + ")"
