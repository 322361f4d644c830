# SPDX-License-Identifier: GPL-3.0-or-later
"""How a memory layout is declared: records of named fields, and sections, which are tables of records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from types import ModuleType
from typing import NamedTuple


class Record(ModuleType):
    """Named fields of one line of numbers or of integers. A field is the offset of its first element; SIZE is the
    number of elements of the whole record. sizes: how many elements each field has, in their order.

    It is a module because compiled code takes the attributes of modules for constants.
    """

    SIZE: int

    def __init__(self, name: str, **sizes: int) -> None:
        super().__init__(name)
        self.SIZE = 0
        self.fields: dict[str, int] = {}
        self._add(sizes)

    def or_else(self, **sizes: int) -> Record:
        """The record with a second set of fields for the same elements."""
        self._add(sizes)
        return self

    def span(self, field: str) -> slice:
        """All elements of a field."""
        first = int(getattr(self, field))
        return slice(first, first + self.fields[field])

    def _add(self, sizes: Mapping[str, int]) -> None:
        offset = 0
        for field, size in sizes.items():
            if hasattr(self, field):
                raise ValueError(f"record {self.__name__} has {field} already")
            setattr(self, field, offset)
            self.fields[field] = size
            offset += size
        self.SIZE = max(self.SIZE, offset)


Size = int | str | Record
"""A number, the name of a count in the head, or a record, of which it is the size."""


@dataclass(frozen=True)
class Section:
    """A part of one of the two arrays of a packed model.

    shape: one size per dimension, the last one contiguous.
    world_first: a line that belongs to the world stands before the first one, at index -1.
    only_with: a count of the head; where that is 0 the section is empty.
    as_array: `views.arrays_of` has it too.
    """

    name: str
    shape: tuple[Size, ...]
    world_first: bool = False
    only_with: str = ""
    as_array: bool = False


class Place(NamedTuple):
    """Where a section stands: elements start : end, of which the world's own line, if it has one, is not a part."""

    start: int
    end: int
    shape: tuple[int, ...]
    before: int
    """Elements of the world's own line, which stands before `start`."""


def places(sections: tuple[Section, ...], counts: Mapping[str, int]) -> dict[str, Place]:
    """Places of all sections of an array, by name. counts: those of the head."""
    found: dict[str, Place] = {}
    end = 0
    for section in sections:
        shape = tuple([size if isinstance(size, int) else _number(size, counts) for size in section.shape])
        if section.only_with and counts[section.only_with] == 0:
            shape = (0, *shape[1:])
        before = prod(shape[1:]) if section.world_first else 0
        start = end + before
        end = start + prod(shape)
        found[section.name] = Place(start, end, shape, before)
    return found


def _number(size: str | Record, counts: Mapping[str, int]) -> int:
    return counts[size] if isinstance(size, str) else size.SIZE
