# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors a person can act on: which element, what is wrong, what would be right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class Place:
    """A field of an element, or an entry of a list that is its field."""

    field: str
    index: int | None = None

    def __str__(self) -> str:
        return self.field if self.index is None else f"{self.field}[{self.index}]"


@dataclass(frozen=True)
class ElementName:
    """Which element is meant; False where nobody knows.

    sort: "body", "joint", "loop joint", "constraint", "force", "strand", "drive", "track", "sheet", "surface",
    "surface_pair", "integrator", "scene" or "file".
    name: as in the scene, empty for what has none. index: its place in its list, where it has no name.
    inside: the part of it that is meant, outermost first.
    """

    sort: str = ""
    name: str = ""
    index: int | None = None
    inside: tuple[Place, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.sort or self.name)

    def __str__(self) -> str:
        """As a person would name it, such as "joint 'Pin', parts[0]"."""
        words = [self.sort.replace("_", " ")] if self.sort else []
        if self.name:
            words.append(f"'{self.name}'" if self.sort else self.name)
        elif self.index is not None:
            words.append(str(self.index))
        return ", ".join([" ".join(words), *map(str, self.inside)])

    def part(self, field: str, index: int | None = None) -> ElementName:
        """A field of this element, or an entry of it."""
        return ElementName(self.sort, self.name, self.index, (*self.inside, Place(field, index)))


UNKNOWN = ElementName()
"""The element where nobody knows which."""


class Quantity(NamedTuple):
    """A number and its SI unit, empty for pure numbers."""

    value: float
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.value:.3g} {self.unit}".rstrip()


class RedMaxError(Exception):
    """Base of every error the engine raises on purpose."""


class RunError(RedMaxError):
    """A run that cannot go on, as data: sentences are made of it, never read back.

    what: in words, naming the element. element: what it failed at. advice: what to do. numbers: further facts by name.
    code: the reason, for programs (`outcome.CODES`); that of the class unless another is given.
    """

    code = "failed"

    def __init__(
        self,
        what: str,
        element: ElementName = UNKNOWN,
        advice: str = "",
        *,
        code: str = "",
        numbers: Mapping[str, Quantity] | None = None,
    ) -> None:
        self.what, self.element, self.advice = what, element, advice
        self.code = code or type(self).code
        self.numbers = dict(numbers or {})
        super().__init__(f"{what}; {advice}" if advice else what)


class Fault(NamedTuple):
    """What is wrong with an element. what: in words that go on from its name, or from its field's where that is given.

    hint: what would be right. code: which fault it is, for programs.
    """

    what: str
    hint: str
    code: str = "unsound"
    field: str = ""

    @property
    def sentence(self) -> str:
        """The fault with the name of the field."""
        return f"{self.field} {self.what}" if self.field else self.what


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a scene: an element, and the parts of its `Fault`."""

    element: ElementName
    what: str
    hint: str
    code: str = "unsound"
    field: str = ""

    def __str__(self) -> str:
        said = f"{self.element}: {self.field} {self.what}" if self.field else f"{self.element}: {self.what}"
        return f"{said}; {self.hint}" if self.hint else said


class SceneError(RedMaxError):
    """A scene that cannot be loaded or compiled, with every problem found in it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        count = len(self.problems)
        title = "1 problem" if count == 1 else f"{count} problems"
        super().__init__(f"{title} in the scene:\n" + "\n".join(f"- {problem}" for problem in self.problems))


class MissingWheelError(RedMaxError):
    """A feature whose optional wheel is not installed."""

    def __init__(self, feature: str, wheel: str) -> None:
        self.feature, self.wheel = feature, wheel
        super().__init__(f"{feature} needs the '{wheel}' wheel, which is not here; install {wheel} or use the full zip")
