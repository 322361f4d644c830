# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joints make the tree and which close loops, and what hangs together."""

from __future__ import annotations

import heapq
from collections.abc import Container, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

WORLD = -1


@dataclass(frozen=True)
class Topology:
    """A spanning forest of the graph of bodies and joints, rooted in the world.

    tree: joint indices, parents before children; the k-th carries the k-th body of the model.
    loops: joint indices the forest did not use, in scene order.
    unreached: body indices with no path of joints from the world.
    """

    tree: tuple[int, ...]
    loops: tuple[int, ...]
    unreached: tuple[int, ...]


def spanning_forest(body_count: int, parents: Sequence[int], children: Sequence[int]) -> Topology:
    """The forest grown from the world, always by the first possible joint in scene order.

    parents, children: body index of either side of each joint, WORLD for the world.
    A joint is only ever followed from its parent to its child, so a scene in which
    every body is the child of one joint keeps exactly those joints as its tree.
    """
    leaving: list[list[int]] = [[] for _ in range(body_count + 1)]  # the last list is the world's
    for joint, parent in enumerate(parents):
        leaving[parent].append(joint)
    reached = [False] * body_count
    candidates = leaving[WORLD]
    heapq.heapify(candidates)
    tree: list[int] = []
    loops: list[int] = []
    while candidates:
        joint = heapq.heappop(candidates)
        child = children[joint]
        if reached[child]:
            loops.append(joint)
            continue
        reached[child] = True
        tree.append(joint)
        for next_joint in leaving[child]:
            heapq.heappush(candidates, next_joint)
    unreached = tuple(body for body in range(body_count) if not reached[body])
    return Topology(tuple(tree), tuple(sorted(loops)), unreached)


def find_cycle(start: int, parent_of: Sequence[int | None]) -> tuple[int, ...]:
    """Bodies of the cycle that following parents from `start` runs into; () if it ends.

    parent_of: parent body of each body, WORLD for the world, None for a body that no joint carries.
    """
    position: dict[int, int] = {}
    path: list[int] = []
    body: int | None = start
    while body is not None and body != WORLD:
        if body in position:
            return tuple(path[position[body] :])
        position[body] = len(path)
        path.append(body)
        body = parent_of[body]
    return ()


def connected(start: Hashable, edges: Iterable[tuple[Hashable, Hashable]], ends: Container[Hashable] = ()) -> list[Any]:
    """Nodes that hang together with `start`, itself first. ends: nodes that are reached, not passed, as the world."""
    neighbours: dict[Hashable, list[Hashable]] = {}
    for a, b in edges:
        neighbours.setdefault(a, []).append(b)
        neighbours.setdefault(b, []).append(a)
    found: dict[Hashable, None] = {start: None}
    waiting = [start]
    while waiting:
        node = waiting.pop()
        new = [other for other in neighbours.get(node, ()) if other not in found and node not in ends]
        found.update(dict.fromkeys(new))
        waiting += new
    return list(found)


def groups(nodes: Iterable[Hashable], edges: Iterable[tuple[Hashable, Hashable]]) -> list[list[Any]]:
    """Nodes that hang together, in groups; groups and their nodes are in the order of `nodes`. Edges that end elsewhere
    tie nothing."""
    leader = {node: node for node in nodes}

    def first(node: Hashable) -> Hashable:
        while leader[node] != node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    for a, b in edges:
        if a in leader and b in leader:
            leader[first(b)] = first(a)
    found: dict[Hashable, list[Any]] = {}
    for node in leader:
        found.setdefault(first(node), []).append(node)
    return list(found.values())
