# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of numbers by their address, for the innermost loops.

An array costs a compiled function seven arguments, and each of its indices a test for negative ones. A row is one
address. Nothing is checked, so only code that knows the layout may use it. With REDMAX_CHECKED in the environment a row
also knows where it ends, and what lies outside is an error that names the kernel and line (`checked_memory`).
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .. import route
from . import checked_memory, plain_memory

made_of: Any = checked_memory if route.is_checked() else plain_memory

NUMBERS, INTEGERS = made_of.row_of(types.float64), made_of.row_of(types.int64)


def _at(kind: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return made_of.made(context, builder, signature.return_type, *arguments)

    return kind(types.int64, types.int64), generate


@intrinsic
def numbers_at(typing_context: Any, address: Any, count: Any) -> Any:
    """`count` numbers that begin at an address."""
    return _at(NUMBERS)


@intrinsic
def integers_at(typing_context: Any, address: Any, count: Any) -> Any:
    """`count` integers that begin at an address."""
    return _at(INTEGERS)


@intrinsic
def further(typing_context: Any, row: Any, count: Any) -> Any:
    """The row that begins `count` elements later."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return made_of.shifted(context, builder, signature.args[0], *arguments)

    return row(row, types.int64), generate


@intrinsic
def part(typing_context: Any, row: Any, before: Any, count: Any) -> Any:
    """The row with tighter bounds for checked mode: `before` elements ahead of its start, and `count` from there."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return made_of.narrowed(context, builder, signature.args[0], *arguments)

    return row(row, types.int64, types.int64), generate


@intrinsic
def pointer_to(typing_context: Any, row: Any, count: Any) -> Any:
    """Pointer to the first `count` elements of a row, as `numba.carray` takes it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        row, count = arguments
        return made_of.reached(context, builder, signature.args[0], row, count.type(0), count)

    return types.CPointer(row.dtype)(row, types.int64), generate


@intrinsic
def address_of(typing_context: Any, row: Any, count: Any) -> Any:
    """Address of a row of which `count` elements are used there."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        row, count = arguments
        found = made_of.reached(context, builder, signature.args[0], row, count.type(0), count)
        return builder.ptrtoint(found, count.type)

    return types.int64(row, types.int64), generate


def _loaded(context: Any, builder: Any, kind: Any, place: Any, count: int, *, constant: bool) -> list[Any]:
    """`count` elements of a row. place: the row and the first of them. constant: no kernel ever writes them."""
    row, start = place
    first = made_of.reached(context, builder, kind, row, start, start.type(count))
    values = []
    for offset in range(count):
        value = builder.load(builder.gep(first, [start.type(offset)], inbounds=True) if offset else first)
        if constant:
            value.set_metadata("invariant.load", builder.module.add_metadata([]))
        values.append(value)
    return values


def constant_element(context: Any, builder: Any, kind: Any, row: Any, k: Any) -> Any:
    """Element k of a row that no kernel ever writes, in code that generates code."""
    return _loaded(context, builder, kind, (row, k), 1, constant=True)[0]


def _reader(count: int, *, constant: bool) -> Any:
    """A function that reads `count` elements of a row: one, or a tuple of them.

    One call instead of `count` in the source, so that it is compiled in a fraction of the time.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values = _loaded(context, builder, signature.args[0], arguments, count, constant=constant)
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
"""fixed(row, k): element k of a row that no kernel ever writes, so that the compiler may read it at any time."""
fixed3 = intrinsic(_reader(3, constant=True))
fixed9 = intrinsic(_reader(9, constant=True))
fixed10 = intrinsic(_reader(10, constant=True))


def _write(context: Any, builder: Any, signature: Any, arguments: Any, values: Any) -> Any:
    row, start = arguments[:2]
    first = made_of.reached(context, builder, signature.args[0], row, start, start.type(len(values)))
    for offset, value in enumerate(values):
        builder.store(value, builder.gep(first, [start.type(offset)], inbounds=True) if offset else first)
    return ir.Constant(ir.IntType(1), 0)


def _write_arguments(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return _write(context, builder, signature, arguments, arguments[2:])


@intrinsic
def put(typing_context: Any, row: Any, k: Any, value: Any) -> Any:
    """Write element k of a row."""
    return types.boolean(row, types.int64, row.dtype), _write_arguments


@intrinsic
def put3(typing_context: Any, row: Any, k: Any, a: Any, b: Any, c: Any) -> Any:
    """Write element k of a row and the following ones."""
    return types.boolean(row, types.int64, *3 * [row.dtype]), _write_arguments


@intrinsic
def put6(typing_context: Any, row: Any, k: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any) -> Any:
    """Write element k of a row and the following ones."""
    return types.boolean(row, types.int64, *6 * [row.dtype]), _write_arguments


@intrinsic
def put_all(typing_context: Any, row: Any, k: Any, values: Any) -> Any:
    """Write a tuple from element k of a row on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _write(context, builder, signature, arguments, cgutils.unpack_tuple(builder, arguments[2]))

    return types.boolean(row, types.int64, values), generate
