# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows that know where they end: what `memory` is made of where REDMAX_CHECKED asks for it.

A row then is an address with the first and the last address that may be used through it. `further` leaves these as they
are, `part` narrows them, and what lies outside is an IndexError that names the kernel and the line, before anything is
read or written.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.lowering import BaseLower
from numba.extending import models, register_model

SIZE = 8
"""Bytes of an element."""
ADDRESS = ir.IntType(64)


class CheckedRow(types.Type):  # type: ignore[misc]
    """at: where it begins. first, last: addresses between which its elements must lie."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(name=f"CheckedRow({dtype})")


@register_model(CheckedRow)
class _CheckedRowModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, [(name, types.int64) for name in ("at", "first", "last")])


def row_of(dtype: Any) -> Any:
    """The type of a row of numbers or integers."""
    return CheckedRow(dtype)


def made(context: Any, builder: Any, kind: Any, address: Any, count: Any) -> Any:
    """A row of `count` elements at an address."""
    return _row(context, builder, kind, address, address, _after(builder, address, count))


def shifted(context: Any, builder: Any, kind: Any, row: Any, count: Any) -> Any:
    """The row that begins `count` elements later. It may begin outside, as long as nothing is used there."""
    old = cgutils.create_struct_proxy(kind)(context, builder, value=row)
    return _row(context, builder, kind, _after(builder, old.at, count), old.first, old.last)


def narrowed(context: Any, builder: Any, kind: Any, row: Any, before: Any, count: Any) -> Any:
    """The row with tighter bounds: `before` elements ahead of its start, and `count` from there."""
    old = cgutils.create_struct_proxy(kind)(context, builder, value=row)
    first, last = _after(builder, old.at, builder.neg(before)), _after(builder, old.at, count)
    _require(context, builder, old, first, last, "a part")
    return _row(context, builder, kind, old.at, first, last)


def reached(context: Any, builder: Any, kind: Any, row: Any, start: Any, count: Any) -> Any:
    """Pointer to element `start`, from which `count` elements may be used."""
    old = cgutils.create_struct_proxy(kind)(context, builder, value=row)
    first = _after(builder, old.at, start)
    _require(context, builder, old, first, _after(builder, first, count), "an element")
    return builder.inttoptr(first, context.get_value_type(kind.dtype).as_pointer())


def _row(context: Any, builder: Any, kind: Any, at: Any, first: Any, last: Any) -> Any:
    row = cgutils.create_struct_proxy(kind)(context, builder)
    row.at, row.first, row.last = at, first, last
    return row._getvalue()


def _after(builder: Any, address: Any, count: Any) -> Any:
    return builder.add(address, builder.mul(count, ADDRESS(SIZE)))


def _require(context: Any, builder: Any, row: Any, first: Any, last: Any, what: str) -> None:
    """Raise unless all between two addresses lies in a row; an empty range lies in every row."""
    inside = builder.and_(builder.icmp_signed(">=", first, row.first), builder.icmp_signed("<=", last, row.last))
    negative = builder.icmp_signed("<", last, first)
    wrong = builder.or_(negative, builder.not_(builder.or_(inside, builder.icmp_signed("==", first, last))))
    with builder.if_then(wrong, likely=False):
        name, line = _place()
        message = f"{name}, line {line}: {what} lies outside its row; kernels would have read or written other memory"
        context.call_conv.return_user_exc(builder, IndexError, (message,))


def _place() -> tuple[str, int]:
    """Kernel and line that are being compiled, which numba tells nobody: from its frames on the stack."""
    frame: Any = sys._getframe()
    while frame is not None:
        lowering = frame.f_locals.get("self")
        if isinstance(lowering, BaseLower):
            return f"{Path(lowering.loc.filename).stem}.{lowering.func_ir.func_id.func_name}", lowering.loc.line
        frame = frame.f_back
    return "a kernel", 0
