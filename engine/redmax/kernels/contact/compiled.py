# SPDX-License-Identifier: GPL-3.0-or-later
"""Detection as machine code: every pair by itself, called by its address, and compiled only where a model has it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ...surfaces import layout
from ..cache.jit import callback, compiled_for
from ..cache.same_text import compiled_text, replace_text
from ..layout.memory import integers_at, numbers_at
from ..layout.views import line
from .find import IDS, collide, find_contacts
from .manifold import MOST_OUT, OUT
from .pairs.table import PAIRS
from .sizes import PAIR_IDS, PAIR_OUT, TABLE, work_sizes

PAIR = types.int64(*[types.int64] * 6, types.float64, types.int64, types.int64)
"""Both packed arrays by address and length, the two surfaces, the margin, and the addresses of both work spaces."""
_word, _double = ir.IntType(64), ir.DoubleType()

INTS, NUMBERS = types.Array(types.int64, 1, "C"), types.Array(types.float64, 1, "C")
FROZEN_INTS, FROZEN_NUMBERS = (types.Array(each.dtype, 1, "C", readonly=True) for each in (INTS, NUMBERS))

_pairs: dict[Any, Any] = {}


def _entrance(text: Any) -> Any:
    def entrance(ints_at, ints_count, numbers_at_, numbers_count, a, b, margin, work_at, spare_at):
        work, spare = numbers_at(work_at, PAIR_OUT), integers_at(spare_at, PAIR_IDS)
        return text(
            line(integers_at(ints_at, ints_count), ints_count),
            line(numbers_at(numbers_at_, numbers_count), numbers_count),
            a,
            b,
            margin,
            line(work, PAIR_OUT),
            line(spare, PAIR_IDS),
            line(numbers_at(work_at + 8 * PAIR_OUT, OUT * MOST_OUT), OUT * MOST_OUT),
            line(integers_at(spare_at + 8 * PAIR_IDS, MOST_OUT), MOST_OUT),
        )

    return entrance


def pair_address(function: Any) -> int:
    """Address of the function of a pair, compiled when it is first asked for."""
    found = _pairs.get(function)
    if found is None:
        entrance = _entrance(compiled_text(function))
        entrance.__qualname__ = f"contact.{function.__qualname__}"
        found = _pairs[function] = callback(PAIR)(entrance)
    return int(found.address)


def put_addresses(shape_pairs: Iterable[tuple[int, int]], marks: Any) -> None:
    """Compile pairs of shapes, and write their addresses into the work space of `find_contacts`."""
    for first, second in sorted(shape_pairs):
        marks[TABLE + first * layout.SHAPES + second] = pair_address(PAIRS[first, second])


@intrinsic
def call_pair(typing_context, where, *arguments):  # noqa: ARG001  (numba passes it)
    """Call the function of a pair at an address."""

    def generate(context, builder, found, values):  # noqa: ARG001  (numba passes it)
        kind = ir.FunctionType(_word, [*[_word] * 6, _double, _word, _word])
        parts = [builder.extract_value(values[1], k) for k in range(9)]
        return builder.call(builder.inttoptr(values[0], kind.as_pointer()), parts)

    return types.int64(types.int64, types.StarArgTuple(PAIR.args)), generate


def collide_by_address(code, ints, numbers, a, b, margin, work, spare, out, ids, marks):  # noqa: ARG001
    """`find.collide` for kernels."""
    return call_pair(
        marks[TABLE + code], ints.ctypes.data, ints.size, numbers.ctypes.data, numbers.size, a, b, margin,
        work.ctypes.data, spare.ctypes.data,
    )  # fmt: skip


replace_text(collide, collide_by_address)

_find, _work_sizes = compiled_text(find_contacts), compiled_text(work_sizes)


FIND = types.int64(*[types.int64] * 12)


@callback(FIND)
def find_at(
    ints_at,
    ints_count,
    numbers_at_,
    numbers_count,
    poses_at,
    bodies,
    margins_at,
    marks_at,
    work_at,
    ids_at,
    out_at,
    room,
):
    """`find_contacts` by its address, for compiled frames. bodies: how many poses there are; room: for how many points.
    The work space is that of `detection.Finder`, whose `marks` hold the addresses of pairs."""
    ints = line(integers_at(ints_at, ints_count), ints_count)
    count = ints[layout.SURFACES]
    marks_count, work_count = _work_sizes(count)
    return _find(
        ints,
        line(numbers_at(numbers_at_, numbers_count), numbers_count),
        line(numbers_at(poses_at, 12 * bodies), 12 * bodies),
        line(numbers_at(margins_at, count), count),
        line(integers_at(marks_at, marks_count), marks_count),
        line(numbers_at(work_at, work_count), work_count),
        line(integers_at(ids_at, IDS * room), IDS * room),
        line(numbers_at(out_at, OUT * room), OUT * room),
    )


@intrinsic
def call_find(typing_context, where, *arguments):  # noqa: ARG001  (numba passes it)
    """Call `find_at` at its address, with its twelve arguments."""

    def generate(context, builder, found, values):  # noqa: ARG001  (numba passes it)
        parts = [builder.extract_value(values[1], k) for k in range(12)]
        kind = ir.FunctionType(_word, [_word] * 12)
        return builder.call(builder.inttoptr(values[0], kind.as_pointer()), parts)

    return types.int64(types.int64, types.StarArgTuple(FIND.args)), generate


@compiled_for(types.int64(FROZEN_INTS, FROZEN_NUMBERS, NUMBERS, NUMBERS, INTS, NUMBERS, INTS, NUMBERS))
def compiled_find(ints, numbers, poses, margins, marks, work, out_ints, out_numbers):
    """`find_contacts`, for Python."""
    return _find(ints, numbers, poses, margins, marks, work, out_ints, out_numbers)
