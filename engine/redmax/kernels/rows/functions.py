# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints' own functions, compiled and called by their address; see `constraints.packed_rows.FunctionRow`."""

from __future__ import annotations

import logging
import weakref
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.errors import NumbaError
from numba.extending import intrinsic

from ..cache.jit import callback
from ..cache.same_text import compiled_text, is_known
from ..joints.functions import table
from ..layout.declaration import RowFunction
from ..layout.memory import numbers_at
from ..layout.views import line

log = logging.getLogger(__name__)
SIGNATURE = types.void(*[types.int64] * 3)
REFUSED = 0

_compiled: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


def address(function: Any) -> int:
    """Address of a row's function, compiled when it is first asked for; REFUSED where the compiler does not take it."""
    found = _compiled.get(function)
    if found is None:
        entrance = _entrance(compiled_text(function))
        entrance.__qualname__ = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
        found = _compiled[function] = callback(SIGNATURE, kept=is_known(function))(entrance)
    try:
        return int(found.address)
    except NumbaError as error:
        log.warning(
            "Constraints by %s go step by step in Python: %s", function.__qualname__, str(error).splitlines()[0]
        )
        return REFUSED


def _entrance(text: Any) -> Any:
    def entrance(data_at, count, work_at):
        text(
            line(numbers_at(data_at, count), count),
            table(numbers_at(work_at + 8 * RowFunction.E_A, 16), 4, 4),
            line(numbers_at(work_at + 8 * RowFunction.V_A, 6), 6),
            table(numbers_at(work_at + 8 * RowFunction.E_B, 16), 4, 4),
            line(numbers_at(work_at + 8 * RowFunction.V_B, 6), 6),
            line(numbers_at(work_at + 8 * RowFunction.RESULT, 14), 14),
        )

    return entrance


@intrinsic
def call_row(typing_context, where, data_at, count, work_at):  # noqa: ARG001  (numba passes it)
    """Call a row's function at an address."""

    def generate(context, builder, found, values):  # noqa: ARG001  (numba passes it)
        integer = ir.IntType(64)
        kind = ir.FunctionType(ir.VoidType(), [integer] * 3)
        builder.call(builder.inttoptr(values[0], kind.as_pointer()), values[1:])
        return context.get_dummy_value()

    return types.void(types.int64, *SIGNATURE.args), generate
