# SPDX-License-Identifier: GPL-3.0-or-later
"""A fingerprint of an engine's scene: the same for the same content, and for no other.

Numbers are taken as their bytes and everything else as JSON, which is much quicker than writing numbers as text.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from typing import Any

import numpy as np

from ..._engine import fields

LISTS = ("bodies", "joints", "forces", "constraints")
LATER = frozenset({"motor", "restitution", "friction"})
"""Fields of elements that came later: while they hold nothing they do not count, so that older results keep their
names."""

_FLOATS = frozenset({float})
_WORDS = frozenset({str, int, bool, type(None)})


def digest(scene: Any) -> bytes:
    """32 bytes. Fields at their default count like all others, but for `LATER`."""
    words: list[Any] = []
    numbers = array("d")
    _element(scene, words, numbers)
    for name in LISTS:
        _other(tuple(getattr(scene, name)), words, numbers)
    if scene.strands:  # results of scenes without them keep their names
        _other(tuple(scene.strands), words, numbers)
    if scene.drives:
        words.append("drives")
        _other(tuple(scene.drives), words, numbers)
    for name in ("tracks", "sheets", "surfaces", "surface_pairs"):
        if getattr(scene, name):
            words.append(name)
            _other(tuple(getattr(scene, name)), words, numbers)
    found = hashlib.sha256(json.dumps(words).encode())
    found.update(numbers.tobytes())
    return found.digest()


def _element(element: Any, words: list[Any], numbers: array[float]) -> None:
    """Words tell the sort of every value and where it ends, so that no two scenes give the same words and numbers.

    A text, a whole number, true, false and nothing stand for themselves; 0.5 for a number, n + 0.5 for n of them;
    [n] for n other things, [] for an element.
    """
    words.append(type(element).__name__)
    values = vars(element)
    for name in fields.specs(type(element)):
        value = values[name]
        if name in LATER and (value is None or _is_nothing(element, name, value)):
            continue
        sort = type(value)
        if sort is tuple and value and _FLOATS.issuperset(map(type, value)):
            words.append(len(value) + 0.5)
            numbers.extend(value)
        elif sort in _WORDS:
            words.append(value)
        else:
            _other(value, words, numbers)


def _is_nothing(element: Any, name: str, value: Any) -> bool:
    """Whether 0 says no more than that the field holds nothing; where it may be left out, 0 is a value like others."""
    return isinstance(value, float) and value == 0.0 and fields.defaults(type(element))[name] is not None


def _other(value: Any, words: list[Any], numbers: array[float]) -> None:
    if isinstance(value, fields.Element):
        words.append([])
        _element(value, words, numbers)
    elif isinstance(value, (np.ndarray, np.generic)):
        plain = value.tolist()
        _other(tuple(plain) if isinstance(plain, list) else plain, words, numbers)
    elif isinstance(value, float):
        words.append(0.5)
        numbers.append(value)
    elif isinstance(value, (tuple, list)):
        if value and _FLOATS.issuperset(map(type, value)):
            words.append(len(value) + 0.5)
            numbers.extend(value)
            return
        words.append([len(value)])
        for item in value:
            _other(item, words, numbers)
    else:
        words.append(value)
