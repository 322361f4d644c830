# SPDX-License-Identifier: GPL-3.0-or-later
"""Rings and chains in the graph of bodies and joints: which joints must agree with which.

Joints are the edges of a graph, given as pairs of nodes; what stands still is one node. Two joints lie on a common ring
exactly if they are in the same block (biconnected component) of it.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Sequence

Edge = tuple[Hashable, Hashable]


def _neighbours(edges: Sequence[Edge]) -> dict[Hashable, list[tuple[int, Hashable]]]:
    found: dict[Hashable, list[tuple[int, Hashable]]] = defaultdict(list)
    for number, (a, b) in enumerate(edges):
        found[a].append((number, b))
        found[b].append((number, a))
    return found


def blocks(edges: Sequence[Edge]) -> list[list[int]]:
    """Numbers of the joints of every block with a ring in it, in ascending order.

    Hopcroft and Tarjan's depth-first search: a block ends where nothing below a node reaches above it.
    """
    neighbours = _neighbours(edges)
    depth: dict[Hashable, int] = {}
    lowest: dict[Hashable, int] = {}
    found: list[list[int]] = []
    for start in neighbours:
        if start in depth:
            continue
        depth[start] = lowest[start] = 0
        passed: list[int] = []
        path = [(start, -1, iter(neighbours[start]))]
        while path:
            node, entered_by, waiting = path[-1]
            step = next(waiting, None)
            if step is None:
                path.pop()
                if path:
                    above = path[-1][0]
                    lowest[above] = min(lowest[above], lowest[node])
                    if lowest[node] >= depth[above]:
                        cut = passed.index(entered_by)
                        found.append(sorted(passed[cut:]))
                        del passed[cut:]
                continue
            number, other = step
            if number == entered_by or other == node:
                continue
            if other not in depth:
                depth[other] = lowest[other] = depth[node] + 1
                passed.append(number)
                path.append((other, number, iter(neighbours[other])))
            elif depth[other] < depth[node]:
                passed.append(number)
                lowest[node] = min(lowest[node], depth[other])
    return [block for block in found if len(block) > 1]


def shortest_ring(edges: Sequence[Edge], number: int) -> list[int]:
    """Joints of the shortest ring through a joint, from its first node round to its second and then itself; empty if
    there is none."""
    start, goal = edges[number]
    neighbours = _neighbours(edges)
    came_by: dict[Hashable, tuple[int, Hashable]] = {start: (-1, start)}
    waiting = deque([start])
    while waiting and goal not in came_by:
        node = waiting.popleft()
        for other_number, other in neighbours[node]:
            if other_number != number and other not in came_by:
                came_by[other] = (other_number, node)
                waiting.append(other)
    if goal not in came_by or start == goal:
        return []
    ring = [number]
    while goal != start:
        step, goal = came_by[goal]
        ring.append(step)
    return ring[::-1]


def chains(edges: Sequence[Edge], members: Sequence[int], ground: Hashable) -> list[list[int]]:
    """Joints among `members` that follow each other, in ascending order: bodies between them have no other joints."""
    count: dict[Hashable, int] = defaultdict(int)
    for edge in edges:
        for node in edge:
            count[node] += 1
    at: dict[Hashable, list[int]] = defaultdict(list)
    for number in members:
        for node in edges[number]:
            at[node].append(number)
    left, found = set(members), []
    for number in members:
        if number not in left:
            continue
        chain, waiting = [], [number]
        left.remove(number)
        while waiting:
            here = waiting.pop()
            chain.append(here)
            for node in edges[here]:
                if node != ground and count[node] == 2:
                    near = [other for other in at[node] if other in left]
                    left.difference_update(near)
                    waiting.extend(near)
        found.append(sorted(chain))
    return found
