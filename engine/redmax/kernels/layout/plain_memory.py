# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows as nothing but an address: what `memory` is made of, unless it is checked (`checked_memory`)."""

from __future__ import annotations

from typing import Any

from numba import types


def row_of(dtype: Any) -> Any:
    """The type of a row of numbers or integers."""
    return types.CPointer(dtype)


def made(context: Any, builder: Any, kind: Any, address: Any, _count: Any) -> Any:
    """A row of `count` elements at an address."""
    return builder.inttoptr(address, context.get_value_type(kind))


def shifted(_context: Any, builder: Any, _kind: Any, row: Any, count: Any) -> Any:
    """The row that begins `count` elements later."""
    return builder.gep(row, [count], inbounds=True)


def narrowed(_context: Any, _builder: Any, _kind: Any, row: Any, _before: Any, _count: Any) -> Any:
    """The row with tighter bounds, of which it has none here."""
    return row


def reached(_context: Any, builder: Any, _kind: Any, row: Any, start: Any, _count: Any) -> Any:
    """Pointer to element `start`, from which `count` elements are used."""
    return builder.gep(row, [start], inbounds=True)
