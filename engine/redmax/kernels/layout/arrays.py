# SPDX-License-Identifier: GPL-3.0-or-later
"""The two arrays of a packed model in numpy: put together from sections, and taken apart into them."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

import numpy as np

from ...arrays import Array, IntArray
from .declaration import FLOATS, INTS, Head
from .records import Place, places

LENGTHS = ("INTS", "FLOATS")
"""Counts of the head that follow from the others."""


def assembled(counts: Mapping[str, int], contents: Mapping[str, Array | IntArray]) -> tuple[IntArray, Array]:
    """The integers and the numbers of a model, both read-only.

    counts: all of `Head` but the lengths of the arrays. contents: of sections that are not zero at first, by name, of
    their shape or any other of that size; of one with a line of the world's own, that line first.
    """
    of_ints, of_floats = places(INTS, counts), places(FLOATS, counts)
    ints = np.zeros(_length(of_ints), np.int64)
    floats = np.zeros(_length(of_floats))
    _fill(ints, of_ints["head"], "head", _head(counts, len(ints), len(floats)))
    for name, content in contents.items():
        if name in of_ints:
            _fill(ints, of_ints[name], name, content)
        else:
            _fill(floats, of_floats[name], name, content)
    ints.setflags(write=False)
    floats.setflags(write=False)
    return ints, floats


def sections_of(ints: IntArray, floats: Array) -> SimpleNamespace:
    """Every section by its name, as an array of its shape that shares the memory of the packed model."""
    counts = {name: int(ints[getattr(Head, name)]) for name in Head.fields}
    found = {name: _view(ints, place) for name, place in places(INTS, counts).items()}
    found |= {name: _view(floats, place) for name, place in places(FLOATS, counts).items()}
    return SimpleNamespace(**found)


def _head(counts: Mapping[str, int], ints: int, floats: int) -> IntArray:
    whole = {**counts, **dict(zip(LENGTHS, (ints, floats), strict=True))}
    head = np.zeros(Head.SIZE, np.int64)
    for name in Head.fields:
        head[getattr(Head, name)] = whole.pop(name)
    if whole:
        raise KeyError(f"the head has no {', '.join(whole)}")
    return head


def _length(of: Mapping[str, Place]) -> int:
    return max(place.end for place in of.values())


def _fill(array: IntArray | Array, place: Place, name: str, content: Array | IntArray) -> None:
    target = array[place.start - place.before : place.end]
    if content.size != target.size:
        raise ValueError(f"section '{name}' has {target.size} elements, not {content.size}")
    target[:] = np.ravel(content)


def _view(array: IntArray | Array, place: Place) -> IntArray | Array:
    return array[place.start : place.end].reshape(place.shape)
