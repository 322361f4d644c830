# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of numbers by their address, for the innermost loops.

An array costs a compiled function seven arguments, and each of its indices a test for negative ones. A row is one
address; nothing is checked, so that only code which knows the layout may use it.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .jit import inlined

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


def _element(builder: Any, arguments: Any) -> Any:
    return builder.gep(arguments[0], [arguments[1]], inbounds=True)


@intrinsic
def further(typing_context: Any, row: Any, count: Any) -> Any:
    """The row that begins `count` elements later."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _element(builder, arguments)

    return row(row, types.int64), generate


@intrinsic
def get(typing_context: Any, row: Any, k: Any) -> Any:
    """Element k of a row."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_element(builder, arguments))

    return row.dtype(row, types.int64), generate


@intrinsic
def fixed(typing_context: Any, row: Any, k: Any) -> Any:
    """Element k of a row that no kernel ever writes: the compiler may read it when it likes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = builder.load(_element(builder, arguments))
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
        return value

    return row.dtype(row, types.int64), generate


@intrinsic
def put(typing_context: Any, row: Any, k: Any, value: Any) -> Any:
    """Write element k of a row."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], _element(builder, arguments))
        return ir.Constant(ir.IntType(1), 0)

    return types.boolean(row, types.int64, row.dtype), generate


@inlined
def get3(row, k):
    return get(row, k), get(row, k + 1), get(row, k + 2)


@inlined
def get6(row, k):
    return get(row, k), get(row, k + 1), get(row, k + 2), get(row, k + 3), get(row, k + 4), get(row, k + 5)


@inlined
def get9(row, k):
    return (
        get(row, k), get(row, k + 1), get(row, k + 2), get(row, k + 3), get(row, k + 4), get(row, k + 5),
        get(row, k + 6), get(row, k + 7), get(row, k + 8),
    )  # fmt: skip


@inlined
def fixed3(row, k):
    return fixed(row, k), fixed(row, k + 1), fixed(row, k + 2)


@inlined
def fixed9(row, k):
    return (
        fixed(row, k), fixed(row, k + 1), fixed(row, k + 2), fixed(row, k + 3), fixed(row, k + 4), fixed(row, k + 5),
        fixed(row, k + 6), fixed(row, k + 7), fixed(row, k + 8),
    )  # fmt: skip


@inlined
def put3(row, k, a, b, c):
    put(row, k, a)
    put(row, k + 1, b)
    put(row, k + 2, c)


@inlined
def put6(row, k, a, b, c, d, e, f):
    put3(row, k, a, b, c)
    put3(row, k + 3, d, e, f)


@inlined
def put9(row, k, M):
    put3(row, k, M[0], M[1], M[2])
    put3(row, k + 3, M[3], M[4], M[5])
    put3(row, k + 6, M[6], M[7], M[8])
