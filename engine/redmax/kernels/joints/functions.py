# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints' own functions, compiled and called by their address: the same for every kind, also one made at run time.

A packed model holds the addresses of its joints' functions, so kernels know no kind of joint, and a new one needs no
line here. A kind that no scene uses is never compiled.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba import carray, types
from numba.extending import intrinsic

from ...joints.base import Joint
from ..cache.jit import callback, inlined
from ..cache.same_text import compiled_text, is_known
from ..layout.memory import further, numbers_at, pointer_to, put
from ..layout.views import line

POSE, COLUMN = 16, 6
"""Numbers of Q, and of one column of S or Sdot."""

INTEGER = types.int64
EVALUATE = types.void(*[INTEGER] * 7)
RECENTRE = types.int64(*[INTEGER] * 6)
REWRITE = types.void(*[INTEGER] * 8)

_addresses: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


class Functions:
    """The compiled functions of a joint; they live as long as this does. Addresses are 0 for what it does not have."""

    def __init__(self, joint: Joint | type[Joint]) -> None:
        self._functions = [
            _compiled(function, make, signature) if function is not None else None
            for function, make, signature in (
                (joint.evaluate, _evaluate, EVALUATE),
                (joint.recentre_in_place, _recentre, RECENTRE),
                (joint.rewrite_in_place, _rewrite, REWRITE),
            )
        ]

    def addresses(self, needed: Sequence[bool] = (True, True, True)) -> list[int]:
        """Of `evaluate`, `recentre_in_place` and `rewrite_in_place`; 0 for what is not needed, or not there.

        What is asked for first is compiled, or read from disk.
        """
        return [
            int(function.address) if needs and function is not None else 0
            for needs, function in zip(needed, self._functions, strict=True)
        ]


def _compiled(function: Any, make: Callable[[Any], Any], signature: Any) -> Any:
    """A joint's function behind a compiled one that takes addresses."""
    found = _addresses.get(function)
    if found is None:
        entrance = make(compiled_text(function))
        entrance.__qualname__ = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
        found = _addresses[function] = callback(signature, kept=is_known(function))(entrance)
    return found


@inlined
def table(row, lines, width):
    """The first elements of a row as an array (lines, width)."""
    return carray(pointer_to(row, lines * width), (lines, width))


def _evaluate(text: Any) -> Any:
    def entrance(data_at, count, q_at, qdot_at, n, chart, result_at):
        result = numbers_at(result_at, POSE + 2 * COLUMN * n)
        for k in range(POSE + 2 * COLUMN * n):
            put(result, k, 0.0)
        put(result, 0, 1.0)
        put(result, 5, 1.0)
        put(result, 10, 1.0)
        put(result, 15, 1.0)
        text(
            line(numbers_at(data_at, count), count),
            line(numbers_at(q_at, n), n),
            line(numbers_at(qdot_at, n), n),
            chart,
            table(result, 4, 4),
            table(further(result, POSE), COLUMN, n),
            table(further(result, POSE + COLUMN * n), COLUMN, n),
        )

    return entrance


def _recentre(text: Any) -> Any:
    def entrance(data_at, count, q_at, qdot_at, n, chart):
        return text(
            line(numbers_at(data_at, count), count),
            line(numbers_at(q_at, n), n),
            line(numbers_at(qdot_at, n), n),
            chart,
        )

    return entrance


def _rewrite(text: Any) -> Any:
    def entrance(data_at, count, q_at, qdot_at, n, chart, chart_like, like_at):
        text(
            line(numbers_at(data_at, count), count),
            line(numbers_at(q_at, n), n),
            line(numbers_at(qdot_at, n), n),
            chart,
            chart_like,
            line(numbers_at(like_at, n), n),
        )

    return entrance


def _call(signature, *arguments):
    """What an intrinsic says to call a function of this signature at the address that is its first argument."""

    def generate(context, builder, found, values):
        integer = ir.IntType(64)
        returns = ir.VoidType() if signature.return_type == types.void else integer
        kind = ir.FunctionType(returns, [integer] * len(signature.args))
        result = builder.call(builder.inttoptr(values[0], kind.as_pointer()), values[1:])
        return context.get_dummy_value() if signature.return_type == types.void else result

    assert len(arguments) == 1 + len(signature.args)
    return signature.return_type(INTEGER, *signature.args), generate


@intrinsic
def call_evaluate(typing_context, address, data_at, count, q_at, qdot_at, n, chart, result_at):
    """Q, S and Sdot of a joint of n coordinates, into POSE + 2 COLUMN n numbers; see `Joint.evaluate`."""
    return _call(EVALUATE, address, data_at, count, q_at, qdot_at, n, chart, result_at)


@intrinsic
def call_recentre(typing_context, address, data_at, count, q_at, qdot_at, n, chart):
    """Chart after `Joint.recentre_in_place`, or -1 where nothing changed."""
    return _call(RECENTRE, address, data_at, count, q_at, qdot_at, n, chart)


@intrinsic
def call_rewrite(typing_context, address, data_at, count, q_at, qdot_at, n, chart, chart_like, like_at):
    """See `Joint.rewrite_in_place`."""
    return _call(REWRITE, address, data_at, count, q_at, qdot_at, n, chart, chart_like, like_at)
