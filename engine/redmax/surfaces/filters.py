# SPDX-License-Identifier: GPL-3.0-or-later
"""Which surfaces can touch.

Never: surfaces of one body, or of bodies that fixed joints hold together; two that no force can move; surfaces whose
groups do not touch each other. Not by default: surfaces of bodies that a joint connects, tree joints and loop joints
alike, with what fixed joints hold to them. A joint with all six freedoms connects nothing, and the world is nobody's
neighbour: a pendulum that hangs from the world hits the ground.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ..arrays import BoolArray, IntArray
from .surface import Surface

WORLD, FREE = -1, 6


class Connection(NamedTuple):
    """A joint between two bodies, by their numbers in the model (-1: world), and how many freedoms it has."""

    parent: int
    child: int
    ndof: int


def clusters(body_count: int, connections: Iterable[Connection]) -> IntArray:
    """(n,) number of the rigid piece that each body is part of, which is that of its first body."""
    leader = list(range(body_count))

    def first(body: int) -> int:
        while leader[body] != body:
            body = leader[body]
        return body

    for parent, child, ndof in connections:
        if ndof == 0 and WORLD not in (parent, child):
            low, high = sorted((first(parent), first(child)))
            leader[high] = low
    return np.array([first(body) for body in range(body_count)], np.int64)


def excluded(
    surfaces: Sequence[Surface], bodies: IntArray, cluster: IntArray, connections: Iterable[Connection]
) -> list[list[int]]:
    """Surfaces of a higher number that each surface does not touch because a joint connects their bodies.

    bodies: (s,) body of each surface.
    """
    members: dict[int, list[int]] = {}
    for number, body in enumerate(bodies.tolist()):
        if body != WORLD:
            members.setdefault(int(cluster[body]), []).append(number)
    found: list[set[int]] = [set() for _ in surfaces]
    for parent, child, ndof in connections:
        if WORLD in (parent, child) or ndof in (0, FREE):
            continue
        for a in members.get(int(cluster[parent]), ()):
            for b in members.get(int(cluster[child]), ()):
                if not (surfaces[a].touches_neighbours or surfaces[b].touches_neighbours):
                    found[min(a, b)].add(max(a, b))
    return [sorted(each) for each in found]


def scenery(parent: IntArray, moves: BoolArray) -> BoolArray:
    """(n,) bodies that no force can move. parent: (n,) of each body; moves: (n,) whether its joint has a freedom that
    the motion decides."""
    result = np.zeros(len(parent), np.bool_)
    for body, above in enumerate(parent.tolist()):
        result[body] = not moves[body] and (above == WORLD or result[above])
    return result
