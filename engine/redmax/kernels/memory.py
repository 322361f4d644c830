# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of numbers by their address, for the innermost loops.

An array costs a compiled function seven arguments, and each of its indices a test for negative ones. A row is one
address; nothing is checked, so that only code which knows the layout may use it.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

NUMBERS, INTEGERS = types.CPointer(types.float64), types.CPointer(types.int64)


def _cast(kind: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return kind(types.int64), generate


@intrinsic
def numbers_at(typing_context: Any, address: Any) -> Any:
    """Numbers that begin at an address."""
    return _cast(NUMBERS)


@intrinsic
def integers_at(typing_context: Any, address: Any) -> Any:
    """Integers that begin at an address."""
    return _cast(INTEGERS)


@intrinsic
def further(typing_context: Any, row: Any, count: Any) -> Any:
    """The row that begins `count` elements later."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.gep(arguments[0], [arguments[1]], inbounds=True)

    return row(row, types.int64), generate


def _reader(count: int, *, constant: bool) -> Any:
    """A function that reads `count` elements of a row: one, or a tuple of them.

    One call instead of `count` in the source, so that it is compiled in a fraction of the time.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        row, start = arguments
        values = []
        for offset in range(count):
            where = builder.add(start, start.type(offset)) if offset else start
            value = builder.load(builder.gep(row, [where], inbounds=True))
            if constant:
                value.set_metadata("invariant.load", builder.module.add_metadata([]))
            values.append(value)
        return values[0] if count == 1 else context.make_tuple(builder, signature.return_type, values)

    def typed(typing_context: Any, row: Any, k: Any) -> Any:
        found = row.dtype if count == 1 else types.UniTuple(row.dtype, count)
        return found(row, types.int64), generate

    return typed


get = intrinsic(_reader(1, constant=False))
"""get(row, k): element k of a row. get3, get6, get9, get21: that and the following ones."""
get3 = intrinsic(_reader(3, constant=False))
get6 = intrinsic(_reader(6, constant=False))
get9 = intrinsic(_reader(9, constant=False))
get21 = intrinsic(_reader(21, constant=False))
fixed = intrinsic(_reader(1, constant=True))
"""fixed(row, k): the same of a row that no kernel ever writes: the compiler may read it when it likes."""
fixed3 = intrinsic(_reader(3, constant=True))
fixed9 = intrinsic(_reader(9, constant=True))
fixed10 = intrinsic(_reader(10, constant=True))


def _write(builder: Any, row: Any, start: Any, values: Any) -> Any:
    for offset, value in enumerate(values):
        where = builder.add(start, start.type(offset)) if offset else start
        builder.store(value, builder.gep(row, [where], inbounds=True))
    return ir.Constant(ir.IntType(1), 0)


@intrinsic
def put(typing_context: Any, row: Any, k: Any, value: Any) -> Any:
    """Write element k of a row."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _write(builder, arguments[0], arguments[1], arguments[2:])

    return types.boolean(row, types.int64, row.dtype), generate


@intrinsic
def put3(typing_context: Any, row: Any, k: Any, a: Any, b: Any, c: Any) -> Any:
    """Write element k of a row and the following ones."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _write(builder, arguments[0], arguments[1], arguments[2:])

    return types.boolean(row, types.int64, *3 * [row.dtype]), generate


@intrinsic
def put6(typing_context: Any, row: Any, k: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any) -> Any:
    """Write element k of a row and the following ones."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _write(builder, arguments[0], arguments[1], arguments[2:])

    return types.boolean(row, types.int64, *6 * [row.dtype]), generate


@intrinsic
def put_all(typing_context: Any, row: Any, k: Any, values: Any) -> Any:
    """Write a tuple from element k of a row on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _write(builder, arguments[0], arguments[1], cgutils.unpack_tuple(builder, arguments[2]))

    return types.boolean(row, types.int64, values), generate
