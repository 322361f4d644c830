# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of kinds of one sort of element: joints, forces, constraints, shapes.

Everything that must know the kinds (JSON, compile, the Blender property groups, the docs
table, the test batteries) reads a registry, so a new kind is one file and one line.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Generic, TypeVar

from .fields import Element

T = TypeVar("T", bound=Element)


class Registry(Generic[T]):
    """Kinds by name and by number. Numbers are stored in .blend files and are never reused."""

    def __init__(self, title: str) -> None:
        self.title = title
        self._by_kind: dict[str, type[T]] = {}
        self._number: dict[str, int] = {}

    def add(self, number: int, cls: type[T]) -> type[T]:
        """Register `cls` under its `kind`; refuses a kind or number that is taken."""
        kind = cls.kind
        if not kind.isidentifier():
            raise ValueError(f"{self.title} kind {kind!r} is not a plain word")
        if kind in self._by_kind:
            raise ValueError(f"{self.title} kind '{kind}' is registered already")
        if number in self._number.values():
            raise ValueError(f"{self.title} number {number} is taken; numbers are never reused")
        self._by_kind[kind] = cls
        self._number[kind] = number
        return cls

    def remove(self, kind: str) -> None:
        """Take a kind out again (extensions that are switched off, tests)."""
        del self._by_kind[kind], self._number[kind]

    def get(self, kind: object) -> type[T] | None:
        return self._by_kind.get(kind) if isinstance(kind, str) else None

    def __getitem__(self, kind: str) -> type[T]:
        return self._by_kind[kind]

    def __iter__(self) -> Iterator[type[T]]:
        return iter(self._by_kind.values())

    def __len__(self) -> int:
        return len(self._by_kind)

    def __contains__(self, kind: object) -> bool:
        return kind in self._by_kind

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(self._by_kind)

    def number(self, kind: str) -> int:
        return self._number[kind]

    def hint(self, kind: object) -> str:
        """What to write instead of an unknown kind; people may know it by its label."""
        for cls in self:
            if isinstance(kind, str) and kind.lower() == cls.label.lower() != "":
                return f"write '{cls.kind}'"
        return suggestion(kind, self.kinds, f"known {self.title} kinds")


def suggestion(word: object, known: tuple[str, ...], title: str) -> str:
    """'did you mean ...?' where one is close, else the list of known words."""
    if isinstance(word, str):
        close = difflib.get_close_matches(word, known, n=1)
        if close:
            return f"did you mean '{close[0]}'?"
    return f"{title}: {', '.join(known)}" if known else f"there are no {title}"
