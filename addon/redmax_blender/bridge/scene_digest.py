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

from .._engine import fields

LISTS = ("bodies", "joints", "forces", "constraints")


def digest(scene: Any) -> bytes:
    """32 bytes. Fields at their default are read like all others."""
    words: list[Any] = []
    numbers = array("d")
    _fields(scene, words, numbers)
    for name in LISTS:
        _value(getattr(scene, name), words, numbers)
    found = hashlib.sha256(json.dumps(words).encode())
    found.update(numbers.tobytes())
    return found.digest()


def _fields(element: Any, words: list[Any], numbers: array[float]) -> None:
    words.append(type(element).__name__)
    values = vars(element)
    for name in fields.specs(type(element)):
        _value(values[name], words, numbers)


def _value(value: Any, words: list[Any], numbers: array[float]) -> None:
    """Words tell the sort of every value and where it ends, so that no two scenes give the same words and numbers."""
    sort = type(value)
    if sort is tuple and set(map(type, value)) == _FLOATS:  # the most frequent, and quick
        words.append(len(value) + 0.5)
        numbers.extend(value)
    elif value is None or sort is str:
        words.append(value)
    elif sort is float:
        words.append(0.5)
        numbers.append(value)
    elif isinstance(value, fields.Element):
        words.append([])
        _fields(value, words, numbers)
    elif isinstance(value, (np.ndarray, np.generic)):
        plain = value.tolist()
        _value(tuple(plain) if isinstance(plain, list) else plain, words, numbers)
    elif isinstance(value, (tuple, list)):
        words.append([len(value)])
        for item in value:
            _value(item, words, numbers)
    else:  # a whole number, true or false
        words.append(value)


_FLOATS = {float}
