# SPDX-License-Identifier: GPL-3.0-or-later
"""The types that kernels return, and the constants they look up, as plain data that JSON knows.

A type is a name, or a list that begins with what it is; a constant is itself, or a number type of numpy in a list.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numba import types

SCALARS = {str(kind): kind for kind in (types.none, types.boolean, types.int64, types.float64)}

NUMBER_TYPE = re.compile(r"[<>|][biufc]\d\d?")


def to_plain(kind: Any) -> Any:
    """Raises ValueError for a type that has no plain form."""
    if SCALARS.get(str(kind)) == kind:
        return str(kind)
    plain: list[Any] = []
    if isinstance(kind, types.CPointer):
        plain = ["pointer", to_plain(kind.dtype)]
    elif isinstance(kind, types.BaseAnonymousTuple):
        plain = ["tuple", *map(to_plain, kind.types)]
    elif isinstance(kind, types.Array):
        plain = ["array", to_plain(kind.dtype), kind.ndim, kind.layout]
    if not plain or from_plain(plain) != kind:
        raise ValueError(f"the type {kind} has no plain form")
    return plain


def from_plain(plain: Any) -> Any:
    """Raises ValueError for what `to_plain` never gives."""
    match plain:
        case str() if plain in SCALARS:
            return SCALARS[plain]
        case ["pointer", of]:
            return types.CPointer(from_plain(of))
        case ["tuple", *parts]:
            return types.Tuple([from_plain(part) for part in parts])
        case ["array", str(of), int(ndim), "C" | "F" | "A" as layout]:
            return types.Array(from_plain(of), ndim, layout)
    raise ValueError(f"{plain!r:.100} is no type")


def constant_to_plain(constant: Any) -> Any:
    """Raises ValueError for a constant that has no plain form."""
    plain = [constant.str] if isinstance(constant, np.dtype) else constant
    if constant_from_plain(plain) != constant:
        raise ValueError(f"the constant {constant!r:.100} has no plain form")
    return plain


def constant_from_plain(plain: Any) -> Any:
    """Raises ValueError for what `constant_to_plain` never gives."""
    match plain:
        case None | bool() | int() | float() | str():
            return plain
        case [str(name)] if NUMBER_TYPE.fullmatch(name):
            return np.dtype(name)
    raise ValueError(f"{plain!r:.100} is no constant")
