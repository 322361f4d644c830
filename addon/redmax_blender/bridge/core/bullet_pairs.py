# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials and collision layers of Bullet's bodies, as RedMax's surfaces combine them.

Two bodies of Bullet's have the product of their frictions and of their bounces, two surfaces of RedMax's the geometric
mean of the frictions and the larger bounce. Bullet's bodies touch if they share a layer; a surface is in one group.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

HALVINGS = 40
"""Of the interval in which the least error of a bounce is sought."""

SAME = 1e-6
"""Bounces that differ by less are alike: Blender stores single precision."""


def friction(bullet: float) -> float:
    """The friction of a surface: the geometric mean of squares is the product, so that every pair is alike."""
    return bullet * bullet


class Bounces(NamedTuple):
    """values: of each body's surface. error: the most by which the bounce of a pair is off; pair: which, if any is."""

    values: list[float]
    error: float
    pair: tuple[int, int] | None


def bounces(bullet: Sequence[float], moves: Sequence[bool]) -> Bounces:
    """Bounces whose larger one is closest to the product of Bullet's, over all pairs that can meet.

    Pairs of a moving body and one that stands come first: there things land. moves: whether forces move a body.
    Bodies alike in both stand for each other.
    """
    bodies = list(zip(bullet, moves, strict=True))
    kinds = sorted(set(bodies))
    pairs = [
        (i, j)
        for i in range(len(kinds))
        for j in range(i, len(kinds))
        if (kinds[i][1] or kinds[j][1]) and (i != j or bodies.count(kinds[i]) > 1)
    ]
    wanted = {pair: kinds[pair[0]][0] * kinds[pair[1]][0] for pair in pairs}
    landing = {(i, j) for i, j in pairs if kinds[i][1] != kinds[j][1]}

    def largest(first: float, others: float) -> list[float]:
        """The largest values that make no pair bounce more than it may."""
        found = [1.0] * len(kinds)
        for pair, value in wanted.items():
            most = min(value + (first if pair in landing else others), 1.0)
            for k in pair:
                found[k] = min(found[k], most)
        return found

    def suits(first: float, others: float) -> bool:
        """Whether some values keep all pairs within these errors: then the largest do."""
        found = largest(first, others)
        return all(
            max(found[i], found[j]) >= value - (first if (i, j) in landing else others) - 1e-12
            for (i, j), value in wanted.items()
        )

    first = _least(lambda error: suits(error, 1.0))
    others = _least(lambda error: suits(first, error))
    chosen = largest(first, others)
    of = dict(zip(kinds, chosen, strict=True))
    values = [of[kind] for kind in bodies]
    errors = {pair: abs(max(chosen[pair[0]], chosen[pair[1]]) - value) for pair, value in wanted.items()}
    worst = max(errors, key=lambda pair: errors[pair], default=None)
    if worst is None or errors[worst] <= SAME:
        return Bounces(values, 0.0, None)
    first_one = bodies.index(kinds[worst[0]])
    second_one = next(k for k, kind in enumerate(bodies) if kind == kinds[worst[1]] and k != first_one)
    return Bounces(values, errors[worst], (first_one, second_one))


def _least(suits: Callable[[float], bool]) -> float:
    """The least error in [0, 1] that suits; 1 does."""
    if suits(0.0):
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if suits(middle) else (middle, high)
    return high


class Group(NamedTuple):
    """number: of the group a surface is in. touches: which groups it touches."""

    number: int
    touches: tuple[bool, ...]


def groups(layers: Sequence[tuple[bool, ...]]) -> tuple[list[Group], list[int]]:
    """A group for each body of Bullet's, which has layers; and the bodies for whose layers no group is left.

    Bodies with the same layers share a group. One of a single layer has the group of that number.
    """
    count = max((len(each) for each in layers), default=0)
    number: dict[tuple[bool, ...], int] = {}
    for each in layers:
        if sum(each) == 1:
            number[each] = each.index(True)
    free = [k for k in range(count) if k not in number.values()]
    for each in layers:
        if each not in number and free:
            number[each] = free.pop(0)
    left = [k for k, each in enumerate(layers) if each not in number]

    def touches(mine: tuple[bool, ...]) -> tuple[bool, ...]:
        apart = {k for other, k in number.items() if not any(a and b for a, b in zip(mine, other, strict=True))}
        return tuple(k not in apart for k in range(count))

    return [Group(number.get(each, 0), touches(each)) for each in layers], left
