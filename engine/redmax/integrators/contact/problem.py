# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact problem of a mechanism at one pose, in the arrays of `solvers.contact`.

Unknowns are velocities of the free coordinates of all trees that rows act on; M (v - v_free) = G^T P with impulses P.
Source: K16 (Kindr), M du - h dt = W P.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...arrays import Array, BoolArray, IntArray
from ...dynamics.constraint_rows import ConstraintRows
from ...solvers.contact import layout as at
from ...solvers.contact.layout import integers, numbers_of
from .placed import Placed
from .points import Points
from .trees import Trees, trees

STATIC, KINETIC, BOUNCE, BOUNCE_ABOVE, ROLLING, TORSIONAL = range(6)
"""Columns of `Points.material`."""


class Block(NamedTuple):
    """Rows that belong together. kind: of `solvers.contact.layout`. trees: that they act on. G: (r, f) on all free
    coordinates. b: (r,) sigma = G v - b. unit: (r,) metres per unit of the row. friction: mu and two levers [m]."""

    kind: int
    trees: tuple[int, ...]
    G: Array
    b: Array
    unit: Array
    friction: tuple[float, float, float] = (0.0, 0.0, 0.0)
    bounce: float = 0.0
    warm: Array | None = None


@dataclass(frozen=True, eq=False)
class Problem:
    """ints, numbers: as `solvers.contact.layout` says. free: (c,) the unknowns, as places among free coordinates."""

    ints: IntArray
    numbers: Array
    free: IntArray
    rows: tuple[slice, ...]

    def impulses(self) -> Array:
        """(rows,) of the solution."""
        return numbers_of(self.ints, self.numbers, at.IMPULSE)

    def velocities(self) -> Array:
        """(c,) of the solution."""
        return numbers_of(self.ints, self.numbers, at.V)


def contact_blocks(
    placed: Placed, points: Points, b: Array, mu: Array, unit: float, warm: Array | None = None
) -> tuple[list[Block], Array]:
    """A block for each point, and the rows (k, 6, nr) of normal, tangents, torsion and rolling on all coordinates.

    b: (k, 3) of normal and tangents. mu: (k,). unit: [m] by which angular speeds are measured. warm: (k, 6).
    """
    linear, angular = placed.rows(points.bodies, points.x)
    rows = np.concatenate([points.axes @ linear, points.axes @ angular], axis=1)
    k, _, nr = rows.shape
    G = placed.freedoms.columns(rows.reshape(6 * k, nr)).reshape(k, 6, -1)
    known = placed.state.qdot[placed.freedoms.free]
    moved = rows @ placed.state.qdot - G @ known  # what prescribed coordinates do
    of_body = placed.model.once(trees).of_body
    owners = of_body[points.bodies]
    blocks = []
    for i in range(k):
        rolling, torsional = float(points.material[i, ROLLING]), float(points.material[i, TORSIONAL])
        used = [0, 1, 2, *([3] if torsional > 0.0 else []), *([4, 5] if rolling > 0.0 else [])]
        wanted = np.zeros(6)
        wanted[:3] = b[i]
        first, second = int(owners[i, 0]), int(owners[i, 1])
        blocks.append(
            Block(
                at.CONTACT,
                tuple(sorted({first, second} - {-1})),
                G[i, used],
                wanted[used] - moved[i, used],
                np.array([1.0, 1.0, 1.0, unit, unit, unit])[used],
                (float(mu[i]), torsional, rolling),
                float(points.material[i, BOUNCE]),
                None if warm is None else warm[i, used],
            )
        )
    return blocks, rows


def constraint_blocks(
    placed: Placed, rows: ConstraintRows, chosen: BoolArray, b: Array, unit: float, warm: Array | None = None
) -> list[Block]:
    """A block for each chosen row of loops, constraints and limits. b: (m,) on all coordinates, G qdot >= b or = b."""
    G = placed.freedoms.columns(rows.G)
    moved = rows.G @ placed.state.qdot - G @ placed.state.qdot[placed.freedoms.free]
    of_free = placed.model.once(trees).of_free
    blocks = []
    for i in np.flatnonzero(chosen):
        touched = tuple(np.unique(of_free[np.flatnonzero(G[i])]).tolist())
        if not touched:
            continue
        kind = at.ONE_SIDED if rows.one_sided[i] else at.EQUATION
        length = 1.0 if rows.metres[i] else unit
        start = None if warm is None else warm[i : i + 1]
        wanted = np.array([b[i] - moved[i]])
        blocks.append(Block(kind, touched, G[i : i + 1], wanted, np.array([length]), bounce=float(rows.bounce[i]), warm=start))
    return blocks


def involved(blocks: list[Block], of_contacts: int, count: int) -> list[Block]:
    """The blocks of islands that have a contact: those that are tied to one of the first `of_contacts` blocks.

    count: how many trees there are.
    """
    if len(blocks) == of_contacts:
        return blocks
    leader = np.arange(count)

    def first(tree: int) -> int:
        while leader[tree] != tree:
            tree = leader[tree]
        return tree

    for block in blocks:
        for tree in block.trees[1:]:
            a, b = first(block.trees[0]), first(tree)
            leader[max(a, b)] = min(a, b)
    touched = {first(block.trees[0]) for block in blocks[:of_contacts] if block.trees}
    return [*blocks[:of_contacts], *(block for block in blocks[of_contacts:] if first(block.trees[0]) in touched)]


def assemble(placed: Placed, blocks: list[Block], v_free: Array, tolerance: float) -> Problem:
    """The problem of these blocks. v_free: (f,) velocities of all free coordinates without impulses."""
    all_trees: Trees = placed.model.once(trees)
    used = sorted({tree for block in blocks for tree in block.trees})
    place = {tree: k for k, tree in enumerate(used)}
    members = [all_trees.members[tree] for tree in used]
    sizes = np.array([len(each) for each in members], np.int64)
    parts = sum(len(block.trees) for block in blocks)
    row_count = sum(len(block.b) for block in blocks)
    mass = int((sizes**2).sum())
    jacobian = sum(len(block.b) * int(sizes[place[tree]]) for block in blocks for tree in block.trees)
    room = at.factor_room(len(used), int(sizes.sum()))
    ints = np.zeros(at.integer_count(len(used), len(blocks), parts), np.int64)
    counted = (len(used), int(sizes.sum()), len(blocks), row_count, parts, mass, jacobian, room)
    numbers = np.zeros(at.lay_out(ints, *counted))
    integers(ints, at.TREE_START)[1:] = np.cumsum(sizes)
    integers(ints, at.MASS_START)[1:] = np.cumsum(sizes**2)
    M = placed.freedoms.reduced(placed.mass_matrix)
    masses, start = numbers_of(ints, numbers, at.MASS), 0
    for each in members:
        end = start + len(each) ** 2
        masses[start:end] = M[np.ix_(each, each)].ravel()
        start = end
    free = np.concatenate([np.zeros(0, np.int64), *members])
    numbers_of(ints, numbers, at.V_FREE)[:] = v_free[free]
    table, part = integers(ints, at.BLOCK).reshape(-1, at.BLOCK_FIELDS), integers(ints, at.PART)
    values, b, unit = (numbers_of(ints, numbers, section) for section in (at.JACOBIAN, at.B, at.UNIT))
    friction, bounce = numbers_of(ints, numbers, at.FRICTION), numbers_of(ints, numbers, at.RESTITUTION)
    impulse = numbers_of(ints, numbers, at.IMPULSE)
    row = filled = parts = 0
    spans = []
    for k, block in enumerate(blocks):
        count = len(block.b)
        table[k] = block.kind, row, count, parts, len(block.trees)
        for tree in block.trees:
            part[at.PART_FIELDS * parts : at.PART_FIELDS * parts + 2] = place[tree], filled
            columns = all_trees.members[tree]
            values[filled : filled + count * len(columns)] = block.G[:, columns].ravel()
            filled += count * len(columns)
            parts += 1
        span = slice(row, row + count)
        b[span], unit[span] = block.b, block.unit
        friction[at.FRICTIONS * k : at.FRICTIONS * k + 3] = block.friction
        bounce[k] = block.bounce
        if block.warm is not None:
            impulse[span] = block.warm
        spans.append(span)
        row += count
    at.defaults(numbers_of(ints, numbers, at.OPTIONS), tolerance)
    return Problem(ints, numbers, free, tuple(spans))
