# SPDX-License-Identifier: GPL-3.0-or-later
"""What two surfaces are like together, where their materials do not say it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array, IntArray
from ..errors import Fault
from ..fields import Element, flag, number, reference, text
from .layout import PAIR
from .surface import Surface

AS_COMBINED = "null for what their materials give"

NUMBERS = ("friction", "kinetic_friction", "bounce", "bounce_above", "rolling_friction", "torsional_friction")
"""Fields in the order of `materials.Pair`."""


@dataclass(frozen=True, kw_only=True)
class SurfacePair(Element):
    """Material of two surfaces together, or of two groups of surfaces: steel on ice, a tyre on its road. It wins over
    what `materials.combined` makes of both; one between two surfaces wins over one between their groups."""

    label: ClassVar[str] = "Surface Pair"
    summary: ClassVar[str] = "Friction and bounce of two surfaces together, instead of what their materials give"
    icon: ClassVar[str] = "MOD_PHYSICS"

    name: str = text(doc="Name of the pair, unique among surface pairs")
    first: str = reference(doc="One of the two surfaces", refers_to="surface")
    second: str = reference(doc="The other one", refers_to="surface")
    whole_groups: bool = flag(False, doc="It holds for every two surfaces of the groups of these two")
    friction: float | None = number(
        None, doc=f"Coefficient of static friction; {AS_COMBINED}", plain="Coefficient of static friction",
        minimum=0.0, nullable=True, first=0.5,
    )  # fmt: skip
    kinetic_friction: float | None = number(
        None, doc="Coefficient of friction while they slide; null for the same as friction",
        plain="Coefficient of friction while they slide, if that is less", minimum=0.0, nullable=True
    )  # fmt: skip
    bounce: float | None = number(
        None, doc=f"Speed after an impact as a part of that before it, 0 to 1; {AS_COMBINED}",
        plain="Speed after an impact as a part of that before it, 0 to 1", minimum=0.0, nullable=True,
    )  # fmt: skip
    bounce_above: float | None = number(
        None, doc=f"Slower impacts do not bounce; {AS_COMBINED}", plain="Slower impacts do not bounce",
        unit="m/s", minimum=0.0, nullable=True,
    )  # fmt: skip
    rolling_friction: float | None = number(
        None, doc=f"Length of the lever with which the normal force resists rolling; {AS_COMBINED}",
        plain="Length of the lever with which the normal force resists rolling", unit="m", minimum=0.0, nullable=True,
    )  # fmt: skip
    torsional_friction: float | None = number(
        None, doc=f"Length of the lever with which the normal force resists spinning on the spot; {AS_COMBINED}",
        plain="Length of the lever with which the normal force resists spinning on the spot", unit="m", minimum=0.0,
        nullable=True,
    )  # fmt: skip

    def problems(self) -> Iterator[tuple[str, ...]]:
        if self.first == self.second and not self.whole_groups:
            yield Fault(f"pairs '{self.first}' with itself", "give two surfaces", "value", "second")
        if self.kinetic_friction is not None and self.friction is None:
            yield Fault("has a kinetic friction but no friction", "give both", "value", "kinetic_friction")
        elif self.kinetic_friction is not None and self.kinetic_friction > self.friction:  # type: ignore[operator]
            yield Fault(
                f"is {self.kinetic_friction:g}, more than the static friction of {self.friction:g}",
                "give at most the static friction", "value", "kinetic_friction",
            )  # fmt: skip
        if self.bounce is not None and self.bounce > 1.0:
            yield Fault(f"is {self.bounce:g}", "give at most 1, which loses no energy", "value", "bounce")

    def numbers(self) -> list[float]:
        """(PAIR,) its numbers in the order of `materials.Pair`, NaN for what the materials of both give."""
        given = [getattr(self, name) for name in NUMBERS]
        given[1] = given[0] if given[1] is None else given[1]
        return [np.nan if value is None else float(value) for value in given]


def said_twice(pairs: Sequence[SurfacePair], groups: dict[str, int]) -> Iterator[tuple[int, int]]:
    """Numbers of pairs that are about the same two surfaces or groups as an earlier one, with that one's number.

    groups: of the surfaces, by name; pairs that refer to others are left out.
    """
    known: dict[tuple[bool, frozenset[str | int]], int] = {}
    for number_, pair in enumerate(pairs):
        if pair.first not in groups or pair.second not in groups:
            continue
        ends = (groups[pair.first], groups[pair.second]) if pair.whole_groups else (pair.first, pair.second)
        key = (pair.whole_groups, frozenset[str | int](ends))
        if key in known:
            yield number_, known[key]
        known.setdefault(key, number_)


def classes(surfaces: Sequence[Surface], pairs: Sequence[SurfacePair]) -> tuple[IntArray, IntArray, Array]:
    """(s,) class of each surface, (c, c) row of the pair of two classes or -1, (p, PAIR) numbers of the pairs.

    Surfaces are in one class where every pair is about all of them or none. Without pairs there are no classes.
    """
    if not pairs:
        return np.zeros(len(surfaces), np.int64), np.zeros((0, 0), np.int64), np.zeros((0, PAIR))
    named = {name for pair in pairs if not pair.whole_groups for name in (pair.first, pair.second)}
    group_of = {surface.name: surface.group for surface in surfaces}
    keys = [(surface.group, surface.name if surface.name in named else "") for surface in surfaces]
    numbers: dict[tuple[int, str], int] = {}
    own = np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)
    row = np.full((len(numbers), len(numbers)), -1, np.int64)
    for k, pair in sorted(enumerate(pairs), key=lambda each: not each[1].whole_groups):  # groups first
        ends = []
        for name in (pair.first, pair.second):
            group = group_of[name]
            alike = [number_ for key, number_ in numbers.items() if key[0] == group]
            ends.append(alike if pair.whole_groups else [numbers[group, name]])
        for a in ends[0]:
            row[a, ends[1]] = row[ends[1], a] = k
    return own, row, np.array([pair.numbers() for pair in pairs]).reshape(-1, PAIR)
