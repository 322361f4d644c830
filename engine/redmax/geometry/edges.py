# SPDX-License-Identifier: GPL-3.0-or-later
"""Which polygons meet at which edges, and the pieces they form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import IntArray

# Half-edges and links handled at a time. Fresh memory costs more than arithmetic here (a page fault per 4 KB), so
# intermediate arrays are kept to this length and full-length ones to 32 bits.
_CHUNK = 1 << 16
# Slots per vertex in the first round of edge matching. A vertex is the lower end of three edges on average, so
# eight slots settle five edges in six while neighbours stay close in memory.
_SLOT_BITS = 3
# Odd multipliers of the later rounds; two keys that collide under one rarely collide under the next.
_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)
# Each round leaves about a fifth of the edges, so millions are settled in ten; more than this means a defect of the
# hash, and sorting takes over.
_MAX_ROUNDS = 40


@dataclass(frozen=True, eq=False)
class EdgeSurvey:
    """Edges, as vertex pairs (k, 2) with the lower index first, that keep a surface from being closed.

    open_edges: with one polygon. non_manifold_edges: with more than two. miswound_edges: with two that both run
    along it in the same direction, so that one of them faces the wrong way.
    link_a, link_b: (m,) polygons that share an edge.
    """

    open_edges: IntArray
    non_manifold_edges: IntArray
    miswound_edges: IntArray
    link_a: IntArray
    link_b: IntArray

    @property
    def is_closed(self) -> bool:
        return len(self.open_edges) + len(self.non_manifold_edges) + len(self.miswound_edges) == 0


def survey_edges(corners: IntArray, starts: IntArray, vertex_count: int) -> EdgeSurvey:
    """All edges of polygons (corners and starts as in `Mesh`, no empty polygon, indices in range)."""
    narrow: Any = np.int32 if max(len(corners), vertex_count) < 2**31 else np.int64
    heads: IntArray = np.empty(len(corners), dtype=narrow)
    heads[:-1] = corners[1:]
    heads[starts[1:] - 1] = corners[starts[:-1]]
    polygons: IntArray = np.repeat(np.arange(len(starts) - 1, dtype=narrow), np.diff(starts))
    links = _match_opposite(corners, heads, polygons, vertex_count)
    if links is not None:
        none = np.zeros((0, 2), dtype=np.int64)
        return EdgeSurvey(none, none, none, *links)
    return _survey_by_sorting(corners, heads.astype(np.int64), polygons.astype(np.int64), vertex_count)


def _match_opposite(
    tails: IntArray, heads: IntArray, polygons: IntArray, vertex_count: int
) -> tuple[IntArray, IntArray] | None:
    """Polygons (a, b) on the two sides of every edge; None unless each edge is run once up and once down.

    A hash join instead of a sort: every half-edge that runs upwards (tail < head) writes its number into a slot
    computed from its two vertices, every downward one reads the slot of its mirror image. The join is exact: keys
    are compared, and what lost its slot to another edge tries again with another hash. An upward half-edge that
    holds its slot must be read by exactly one downward one; anything else is a defect.
    """
    count = len(tails)
    table = np.zeros(vertex_count << _SLOT_BITS, dtype=heads.dtype)
    up_count = 0
    for begin in range(0, count, _CHUNK):
        tail, head = tails[begin : begin + _CHUNK], heads[begin : begin + _CHUNK]
        up = np.flatnonzero(tail < head)
        up_count += len(up)
        # Where a slot is written twice the last writer stays.
        table[_near_slots(tail[up], head[up])] = up + begin
    if 2 * up_count != count:
        return None

    link_a, link_b = np.empty(up_count, dtype=heads.dtype), np.empty(up_count, dtype=heads.dtype)
    was_read = np.zeros(count, dtype=bool)
    held = matched = 0
    late_up, late_down = [], []
    for begin in range(0, count, _CHUNK):
        tail, head = tails[begin : begin + _CHUNK], heads[begin : begin + _CHUNK]
        upward = tail < head
        up, down = np.flatnonzero(upward), np.flatnonzero(~upward)
        holds = table[_near_slots(tail[up], head[up])] == up + begin
        held += np.count_nonzero(holds)
        late_up.append(up[~holds] + begin)

        lo, hi = head[down], tail[down]
        found = table[_near_slots(lo, hi)].astype(np.int64)
        fits = (tails[found] == lo) & (heads[found] == hi)
        late_down.append(down[~fits] + begin)
        found, down = found[fits], down[fits]
        was_read[found] = True
        link_a[matched : matched + len(found)] = polygons[found]
        link_b[matched : matched + len(found)] = polygons[begin : begin + _CHUNK][down]
        matched += len(found)

    up, down = np.concatenate(late_up), np.concatenate(late_down)
    key_up, key_down = (tails[up] << 32) | heads[up], (heads[down].astype(np.int64) << 32) | tails[down]
    for attempt in range(_MAX_ROUNDS):
        # Equal numbers of readers and holders, and every holder read: exactly one reader each.
        if held != matched or np.count_nonzero(was_read) != matched:
            return None
        if len(up) == 0:
            return link_a, link_b
        bits = max((4 * len(up)).bit_length(), 4)
        multiplier = _MULTIPLIERS[attempt % len(_MULTIPLIERS)]
        table = np.zeros(1 << bits, dtype=np.int64)
        slot_up, slot_down = _far_slots(key_up, multiplier, bits), _far_slots(key_down, multiplier, bits)
        table[slot_up] = np.arange(len(up))
        holds = table[slot_up] == np.arange(len(up))
        found = table[slot_down]
        fits = key_up[found] == key_down
        was_read[up[found[fits]]] = True
        stop = matched + np.count_nonzero(fits)
        link_a[matched:stop] = polygons[up[found[fits]]]
        link_b[matched:stop] = polygons[down[fits]]
        held, matched = held + np.count_nonzero(holds), stop
        up, key_up, down, key_down = up[~holds], key_up[~holds], down[~fits], key_down[~fits]
    return None


def _near_slots(lo: IntArray, hi: IntArray) -> IntArray:
    """Slots beside each other for edges with the same lower vertex."""
    mixed = (hi.astype(np.int64) * 0x9E3779B1) >> 29
    mixed &= (1 << _SLOT_BITS) - 1
    mixed |= lo.astype(np.int64) << _SLOT_BITS
    return mixed


def _far_slots(key: IntArray, multiplier: int, bits: int) -> IntArray:
    """Slots spread over a table of 2^bits, by multiplicative hashing modulo 2^64."""
    product = key.astype(np.uint64) * np.uint64(multiplier)
    return (product >> np.uint64(64 - bits)).astype(np.int64)


def _survey_by_sorting(tails: IntArray, heads: IntArray, polygons: IntArray, vertex_count: int) -> EdgeSurvey:
    """The full census, for meshes with something to report. Sides from a vertex to itself are left out."""
    proper = tails != heads
    tails, heads, polygons = tails[proper], heads[proper], polygons[proper]
    key = np.minimum(tails, heads) * np.int64(vertex_count) + np.maximum(tails, heads)
    order = np.argsort(key, kind="stable")
    key, polygons = key[order], polygons[order]
    direction = np.where(tails < heads, 1, -1)[order]
    same = key[1:] == key[:-1]
    first = np.flatnonzero(np.append(True, ~same)[: len(key)])
    if len(key) == 0:
        none = np.zeros((0, 2), dtype=np.int64)
        return EdgeSurvey(none, none, none, polygons, polygons)
    count = np.diff(np.append(first, len(key)))
    balance = np.add.reduceat(direction, first)

    def ends(of: IntArray) -> IntArray:
        result: IntArray = np.stack(np.divmod(key[first[of]], vertex_count), axis=1)
        return result

    return EdgeSurvey(
        ends(np.flatnonzero(count == 1)),
        ends(np.flatnonzero(count > 2)),
        ends(np.flatnonzero((count == 2) & (balance != 0))),
        polygons[:-1][same],
        polygons[1:][same],
    )


def connected_components(count: int, a: IntArray, b: IntArray) -> IntArray:
    """Component number (count,) of each node, given links a[k] - b[k]; 0 is the component of node 0, and so on.

    Every node hooks onto a neighbour, the trees that result are flattened by pointer doubling and become the nodes
    of a smaller graph. Hooking onto any lower neighbour is cheapest and nearly always shrinks the graph severalfold;
    after a pass that did not halve it, Boruvka's rule (every node takes its first link) does, so that the number of
    passes is logarithmic.
    """
    group = np.arange(count)
    nodes, halved = count, True
    while len(a):
        parent = _hook_downwards(nodes, a, b) if halved else _hook_by_first_link(nodes, a, b)
        while True:
            grandparent = parent[parent]
            if np.array_equal(grandparent, parent):
                break
            parent = grandparent
        is_root = parent == np.arange(nodes)
        roots = np.count_nonzero(is_root)
        number = np.cumsum(is_root)
        number -= 1
        merged = number[parent]
        group = merged if nodes == count else merged[group]
        a, b = _contract(merged, a, b)
        nodes, halved = roots, 2 * roots <= nodes
    if nodes > 1:
        first = np.empty(nodes, dtype=np.int64)
        first[group[::-1]] = np.arange(count)[::-1]
        rank = np.empty(nodes, dtype=np.int64)
        rank[np.argsort(first)] = np.arange(nodes)
        group = rank[group]
    return group


def _contract(merged: IntArray, a: IntArray, b: IntArray) -> tuple[IntArray, IntArray]:
    """The links between merged nodes, without those that now lie within one."""
    kept_a, kept_b = [], []
    for begin in range(0, len(a), _CHUNK):
        new_a, new_b = merged[a[begin : begin + _CHUNK]], merged[b[begin : begin + _CHUNK]]
        apart = new_a != new_b
        kept_a.append(new_a[apart])
        kept_b.append(new_b[apart])
    return np.concatenate(kept_a), np.concatenate(kept_b)


def _hook_downwards(nodes: int, a: IntArray, b: IntArray) -> IntArray:
    """A parent for every node: a lower neighbour where there is one, else itself. Free of cycles by order."""
    parent = np.arange(nodes)
    for begin in range(0, len(a), _CHUNK):
        x, y = a[begin : begin + _CHUNK], b[begin : begin + _CHUNK]
        parent[np.maximum(x, y)] = np.minimum(x, y)
    return parent


def _hook_by_first_link(nodes: int, a: IntArray, b: IntArray) -> IntArray:
    """A parent for every node: the far end of its lowest-numbered link.

    Link numbers are distinct, so the only cycles are two nodes that chose the same link; the lower becomes a root.
    """
    node = np.arange(nodes)
    chosen = np.full(nodes, -1, dtype=np.int64)
    # Assigned from the last link to the first: the lowest number stays.
    link = np.arange(len(a))[::-1]
    chosen[np.stack((a[::-1], b[::-1]), axis=1).reshape(-1)] = np.repeat(link, 2)
    parent = np.where(chosen < 0, node, a[chosen] + b[chosen] - node)
    mutual = (parent[parent] == node) & (node < parent)
    parent[mutual] = node[mutual]
    return parent
