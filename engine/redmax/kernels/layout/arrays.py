# SPDX-License-Identifier: GPL-3.0-or-later
"""The two arrays of a packed model in numpy: put together from sections, and taken apart into them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from ...arrays import Array, IntArray
from .declaration import FLOATS, INTS, Head
from .records import Place, places

COUNTS = tuple(name for name in Head.fields if name not in ("INTS", "FLOATS", "ROWS_FUNCTION", "BEARINGS_FUNCTION"))
"""Fields of the head, without the lengths of the arrays, which follow from them, and without addresses."""


class Sections:
    """A packed model, whose attributes are its sections: arrays of their shapes that share its memory."""

    def __init__(self, ints: IntArray, floats: Array) -> None:
        head = ints[: Head.SIZE].tolist()
        self._places = _places(tuple([head[getattr(Head, name)] for name in COUNTS]))
        self._arrays = (ints, floats)

    def __getattr__(self, name: str) -> Any:
        for array, of in zip(self._arrays, self._places, strict=True):
            if name in of:
                place = of[name]
                return array[place.start : place.end].reshape(place.shape)
        raise AttributeError(f"a packed model has no section '{name}'")


def assembled(counts: Mapping[str, int], contents: Mapping[str, Array | IntArray]) -> tuple[IntArray, Array]:
    """The integers and the numbers of a model, both read-only.

    counts: COUNTS by name. contents: of sections that are not zero at first, by name, of their shape or any other of
    that size; of one with a line of the world's own, that line first.
    """
    if counts.keys() != set(COUNTS):
        raise KeyError(f"counts of the head that are missing or unknown: {', '.join(set(COUNTS) ^ counts.keys())}")
    of_ints, of_floats = _places(tuple([counts[name] for name in COUNTS]))
    ints, floats = np.zeros(_length(of_ints), np.int64), np.zeros(_length(of_floats))
    for name, count in (*counts.items(), ("INTS", len(ints)), ("FLOATS", len(floats))):
        ints[getattr(Head, name)] = count
    starts = [place.start for of in (of_ints, of_floats) for place in of.values()]
    room = ints[of_ints["starts"].start : of_ints["starts"].end]
    room[: len(starts)] = starts
    for name, content in contents.items():
        array, place = (ints, of_ints[name]) if name in of_ints else (floats, of_floats[name])
        start, size = place.start - place.before, place.end - place.start + place.before
        if content.size != size:
            raise ValueError(f"section '{name}' has {size} elements, not {content.size}")
        array[start : place.end] = content.ravel()
    ints.setflags(write=False)
    floats.setflags(write=False)
    return ints, floats


@lru_cache(maxsize=64)
def _places(counts: tuple[int, ...]) -> tuple[dict[str, Place], dict[str, Place]]:
    """Places of all sections in the integers and in the numbers. A run asks for those of few models many times."""
    named = dict(zip(COUNTS, counts, strict=True))
    return places(INTS, named), places(FLOATS, named)


def _length(of: Mapping[str, Place]) -> int:
    return max(place.end for place in of.values())
