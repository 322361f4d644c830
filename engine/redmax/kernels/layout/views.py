# SPDX-License-Identifier: GPL-3.0-or-later
"""The sections of a packed model in compiled code, as rows and as arrays; both share its memory."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any

from llvmlite import ir
from numba import carray, types
from numba.extending import intrinsic

from ..cache.jit import inlined
from .declaration import FLOATS, INTS, Head
from .memory import INTEGERS, NUMBERS, address_of, constant_element, fixed, integers_at, made_of, numbers_at, pointer_to
from .records import Record, Section, Size

ELEMENT = 8
"""Bytes of an element."""
_word = ir.IntType(64)
SECTIONS = INTS + FLOATS
Rows: Any = namedtuple("Rows", [section.name for section in SECTIONS])  # type: ignore[misc]
Arrays: Any = namedtuple("Arrays", [section.name for section in SECTIONS if section.as_array])  # type: ignore[misc]


@intrinsic
def rows_of(typing_context: Any, ints: Any, floats: Any) -> Any:
    """Every section as a row, by its name: `rows_of(ints, floats).bodies`. ints, floats: the two arrays as rows."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = _numbers(context, builder, arguments[0])
        found: list[Any] = []
        for sections, kind, row in zip((INTS, FLOATS), (INTEGERS, NUMBERS), arguments, strict=True):
            found.extend(_parts(context, builder, sections, kind, row, number))
        return context.make_tuple(builder, signature.return_type, found)

    kinds = [INTEGERS] * len(INTS) + [NUMBERS] * len(FLOATS)
    return types.NamedTuple(kinds, Rows)(ints, floats), generate


@intrinsic
def arrays_of(typing_context: Any, ints: Any, rows: Any) -> Any:
    """Sections as arrays, by their names; see `Section.as_array`. rows: what `rows_of` gives."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = _numbers(context, builder, arguments[0])
        found = []
        for section, kind, array in zip(listed, kinds, signature.return_type.types, strict=True):
            shape = [number(size) for size in section.shape]
            if section.only_with:
                some = builder.icmp_signed(">", number(section.only_with), _word(0))
                shape[0] = builder.select(some, shape[0], _word(0))
            row = builder.extract_value(arguments[1], Rows._fields.index(section.name))
            start = made_of.reached(context, builder, kind, row, _word(0), _product(builder, shape))
            found.append(_array(context, builder, array, start, shape))
        return context.make_tuple(builder, signature.return_type, found)

    listed = [section for section in SECTIONS if section.as_array]
    kinds = [INTEGERS if section in INTS else NUMBERS for section in listed]
    arrays = [types.Array(kind.dtype, len(each.shape), "C") for each, kind in zip(listed, kinds, strict=True)]
    return types.NamedTuple(arrays, Arrays)(ints, rows), generate


def _array(context: Any, builder: Any, kind: Any, start: Any, shape: list[Any]) -> Any:
    """Memory from a pointer on as an array."""
    from numba.np.arrayobj import populate_array  # noqa: PLC0415  (slow to load, and needed by the compiler alone)

    array = context.make_array(kind)(context, builder)
    strides = [builder.mul(_word(ELEMENT), _product(builder, shape[k + 1 :])) for k in range(len(shape))]
    populate_array(array, start, shape, strides, _word(ELEMENT), meminfo=None)
    return array._getvalue()


def _parts(
    context: Any, builder: Any, sections: tuple[Section, ...], kind: Any, row: Any, number: Any
) -> Iterator[Any]:
    """The row of each section, which may be used there and in the world's line before it, and nowhere else."""
    for section in sections:
        shape = [number(size) for size in section.shape]
        count, before = _product(builder, shape), _word(0)
        if section.only_with:
            some = builder.icmp_signed(">", number(section.only_with), _word(0))
            count = builder.select(some, count, _word(0))
        if section.world_first:
            before = _product(builder, shape[1:])
            row = made_of.shifted(context, builder, kind, row, before)
        yield made_of.narrowed(context, builder, kind, row, before, count)
        row = made_of.shifted(context, builder, kind, row, count)


def _numbers(context: Any, builder: Any, ints: Any) -> Callable[[Size], Any]:
    """What gives the value of a size; a count is read from the head once."""
    known: dict[str, Any] = {}

    def number(size: Size) -> Any:
        if not isinstance(size, str):
            return _word(size.SIZE if isinstance(size, Record) else size)
        if size not in known:
            known[size] = constant_element(context, builder, INTEGERS, ints, _word(getattr(Head, size)))
        return known[size]

    return number


def _product(builder: Any, values: list[Any]) -> Any:
    product = _word(1)
    for value in values:
        product = builder.mul(product, value)
    return product


@inlined
def line(row, count):
    """The first `count` elements of a row as an array."""
    return carray(pointer_to(row, count), (count,))


@inlined
def numbers_of(array):
    """The numbers of an array, one after another, as a row."""
    return numbers_at(array.ctypes.data, array.size)


@inlined
def address_in(array, count):
    """Address of an array of which `count` numbers are used there."""
    return address_of(numbers_of(array), count)


@inlined
def whole(ints_at, floats_at):
    """Both arrays of a packed model as rows, from their addresses."""
    head = integers_at(ints_at, Head.SIZE)
    return integers_at(ints_at, fixed(head, Head.INTS)), numbers_at(floats_at, fixed(head, Head.FLOATS))


@inlined
def addresses(ints, floats):
    """Where both arrays of a packed model are."""
    row = integers_at(ints.ctypes.data, ints.size)
    return address_of(row, fixed(row, Head.INTS)), address_in(floats, fixed(row, Head.FLOATS))


@inlined
def packed_rows(ints, floats):
    """Both arrays of a packed model as rows."""
    ints_at, floats_at = addresses(ints, floats)
    return whole(ints_at, floats_at)
