# SPDX-License-Identifier: GPL-3.0-or-later
"""The sections of a packed model in compiled code, as rows and as arrays; both share its memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import carray, types
from numba.core.cgutils import create_struct_proxy
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, models, register_model

from ..cache.jit import inlined
from . import plain_memory
from .declaration import FLOATS, INTS, Head
from .memory import INTEGERS, NUMBERS, address_of, constant_element, fixed, integers_at, made_of, numbers_at, pointer_to
from .records import Record, Size

ELEMENT = 8
"""Bytes of an element."""
_word = ir.IntType(64)
SECTIONS = INTS + FLOATS
NAMES = [section.name for section in SECTIONS]


class Views(types.Type):  # type: ignore[misc]
    """A packed model whose attributes are its sections. Functions hand it on as two rows, however many there are."""

    def __init__(self, name: str, kinds: dict[str, Any]) -> None:
        self.kinds = kinds
        super().__init__(name=name)


ROWS = Views("Rows", {each.name: INTEGERS if each in INTS else NUMBERS for each in SECTIONS})
ARRAYS = Views(
    "Arrays",
    {each.name: types.Array(ROWS.kinds[each.name].dtype, len(each.shape), "C") for each in SECTIONS if each.as_array},
)


@register_model(Views)
class _ViewsModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, [("ints", INTEGERS), ("floats", NUMBERS)])


@infer_getattr
class _ViewsAttributes(AttributeTemplate):  # type: ignore[misc]
    key = Views

    def generic_resolve(self, kind: Any, name: str) -> Any:
        """The type of a section, or None for an error that names it."""
        return kind.kinds.get(name)


@lower_getattr_generic(Views)
def _section(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    """A section as a row or as an array."""
    views = create_struct_proxy(kind)(context, builder, value=value)
    number, place = _numbers(context, builder, views.ints), NAMES.index(name)
    section, row_kind = SECTIONS[place], ROWS.kinds[name]
    start = _start(context, builder, views.ints, place)
    row = made_of.shifted(context, builder, row_kind, views.ints if section in INTS else views.floats, start)
    if kind is ROWS and made_of is plain_memory:
        return row
    shape = [number(size) for size in section.shape]
    if section.only_with:
        some = builder.icmp_signed(">", number(section.only_with), _word(0))
        shape[0] = builder.select(some, shape[0], _word(0))
    count, before = _product(builder, shape), _product(builder, shape[1:]) if section.world_first else _word(0)
    if made_of is not plain_memory:
        end = _end(context, builder, views.ints, place, number)
        row = made_of.narrowed(context, builder, row_kind, row, before, builder.sub(end, start))
    row = made_of.narrowed(context, builder, row_kind, row, before, count)
    if kind is ROWS:
        return row
    first = made_of.reached(context, builder, row_kind, row, _word(0), count)
    return _array(context, builder, kind.kinds[name], first, shape)


def _start(context: Any, builder: Any, ints: Any, place: int) -> Any:
    return constant_element(context, builder, INTEGERS, ints, _word(Head.SIZE + place))


def _end(context: Any, builder: Any, ints: Any, place: int, number: Callable[[Size], Any]) -> Any:
    """Where the room of a section ends: at the next one, or with its array."""
    if NAMES[place] in (INTS[-1].name, FLOATS[-1].name):
        return number("INTS" if SECTIONS[place] in INTS else "FLOATS")
    following = SECTIONS[place + 1]
    before = _product(builder, [number(size) for size in following.shape[1:]]) if following.world_first else _word(0)
    return builder.sub(_start(context, builder, ints, place + 1), before)


@intrinsic
def rows_of(typing_context: Any, ints: Any, floats: Any) -> Any:
    """Every section as a row, by its name: `rows_of(ints, floats).bodies`. ints, floats: the two arrays as rows. A row
    may be used where its section is and in the world's line before it, and nowhere else."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        views = create_struct_proxy(ROWS)(context, builder)
        views.ints, views.floats = arguments
        if made_of is not plain_memory:
            for name in NAMES:  # each has its room
                _section(context, builder, ROWS, views._getvalue(), name)
        return views._getvalue()

    return ROWS(ints, floats), generate


@intrinsic
def arrays_of(typing_context: Any, ints: Any, rows: Any) -> Any:
    """Sections as arrays, by their names; see `Section.as_array`. rows: what `rows_of` gives."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return arguments[1]

    return ARRAYS(ints, rows), generate


def _array(context: Any, builder: Any, kind: Any, start: Any, shape: list[Any]) -> Any:
    """Memory from a pointer on as an array."""
    from numba.np.arrayobj import populate_array  # noqa: PLC0415  (slow to load, and needed by the compiler alone)

    array = context.make_array(kind)(context, builder)
    strides = [builder.mul(_word(ELEMENT), _product(builder, shape[k + 1 :])) for k in range(len(shape))]
    populate_array(array, start, shape, strides, _word(ELEMENT), meminfo=None)
    return array._getvalue()


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
