# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact problem of a mechanism at one pose: rows of contacts, loops, constraints and stops on its trees.

Unknowns are velocities of the free coordinates of all trees that rows act on; M (v - v_free) = G^T P with impulses P.
Source: K16 (Kindr), M du - h dt = W P.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Array, BoolArray, IntArray
from ...dynamics.constraint_rows import ConstraintRows
from ...solvers.contact import layout as at
from ...solvers.contact.problem import Problem
from .placed import Placed
from .points import Points
from .trees import trees

STATIC, KINETIC, BOUNCE, BOUNCE_ABOVE, ROLLING, TORSIONAL = range(6)
"""Columns of `Points.material`."""

ROWS = 6
"""Rows of a contact: normal and two tangents of the relative velocity, then of the relative angular velocity."""


class Block(NamedTuple):
    """Rows that belong together. kind: of `solvers.contact.layout`. trees: that they act on. G: (r, f) on all free
    coordinates. b: (r,) sigma = G v - b. unit: (r,) metres per unit of the row. friction: mu and two levers [m].
    row: its place among those of constraints."""

    kind: int
    trees: tuple[int, ...]
    G: Array
    b: Array
    unit: Array
    friction: tuple[float, float, float] = (0.0, 0.0, 0.0)
    bounce: float = 0.0
    row: int = -1


class Stops(NamedTuple):
    """One-sided rows at one instant. rows: all that there are. room: (m,) of stops [m, angles by the length of the
    smallest body], infinite for other rows. speed: (m,) how fast it grows [m/s]."""

    rows: ConstraintRows
    room: Array
    speed: Array


class ContactRows:
    """rows: (k, 6, nr) of points on all coordinates. G: (k, 6, f) on the free ones. moved: (k, 6) speeds that
    prescribed coordinates alone give. used: (k, 6) which rows count."""

    def __init__(self, placed: Placed, points: Points) -> None:
        linear, angular = placed.rows(points)
        self.points = points
        self.rows: Array = np.concatenate([points.axes @ linear, points.axes @ angular], axis=1)
        k, _, nr = self.rows.shape
        free, qdot = placed.freedoms.free, placed.state.qdot
        self.G: Array = placed.freedoms.columns(self.rows.reshape(ROWS * k, nr)).reshape(k, ROWS, len(free))
        self.moved: Array = self.rows @ qdot - self.G @ qdot[free]
        self.used: BoolArray = np.ones((k, ROWS), np.bool_)
        self.used[:, 3] = points.material[:, TORSIONAL] > 0.0
        self.used[:, 4:] = (points.material[:, ROLLING] > 0.0)[:, None]
        owners = placed.model.once(trees).of_body[points.bodies].tolist()
        self.trees = [tuple(sorted({a, b} - {-1})) for a, b in owners]

    def blocks(self, b: Array, mu: Array, unit: float) -> list[Block]:
        """A block for each point. b: (k, 6) on all coordinates. mu: (k,). unit: [m] by which angular speeds count."""
        units = np.array([1.0, 1.0, 1.0, unit, unit, unit])
        wanted = b - self.moved
        material, found = self.points.material, []
        for i, which in enumerate(self.used):
            friction = (float(mu[i]), float(material[i, TORSIONAL]), float(material[i, ROLLING]))
            found.append(
                Block(
                    at.CONTACT, self.trees[i], self.G[i, which], wanted[i, which], units[which], friction,
                    float(material[i, BOUNCE]),
                )
            )  # fmt: skip
        return found


def constraint_blocks(placed: Placed, rows: ConstraintRows, chosen: BoolArray, b: Array, unit: float) -> list[Block]:
    """A block for each chosen row of loops, constraints and stops that moves anything.

    b: (m,) on all coordinates: G qdot = b, or at least b.
    """
    G = placed.freedoms.columns(rows.G)
    moved = rows.G @ placed.state.qdot - G @ placed.state.qdot[placed.freedoms.free]
    of_free = placed.model.once(trees).of_free
    found = []
    for i in np.flatnonzero(chosen).tolist():
        touched = tuple(np.unique(of_free[np.flatnonzero(G[i])]).tolist())
        if not touched:
            continue
        kind = at.ONE_SIDED if rows.one_sided[i] else at.EQUATION
        length = np.array([1.0 if rows.metres[i] else unit])
        wanted = np.array([b[i] - moved[i]])
        found.append(Block(kind, touched, G[i : i + 1], wanted, length, bounce=float(rows.bounce[i]), row=i))
    return found


def tied(blocks: list[Block], contacts: int, count: int) -> list[bool]:
    """Which blocks belong to islands that have a contact, which the first `contacts` blocks are, or a stop.
    count: of trees."""
    if len(blocks) == contacts:
        return [True] * contacts
    leader = list(range(count))

    def first(tree: int) -> int:
        while leader[tree] != tree:
            tree = leader[tree]
        return tree

    for block in blocks:
        for tree in block.trees[1:]:
            low, high = sorted((first(block.trees[0]), first(tree)))
            leader[high] = low
    stops = [block for block in blocks[contacts:] if block.kind == at.ONE_SIDED]
    touched = {first(block.trees[0]) for block in (*blocks[:contacts], *stops) if block.trees}
    return [True] * contacts + [first(block.trees[0]) in touched for block in blocks[contacts:]]


def assembled(placed: Placed, blocks: list[Block], v_free: Array) -> tuple[Problem, IntArray]:
    """The problem of these blocks, and its unknowns as places among free coordinates (c,).

    v_free: (f,) velocities of all free coordinates without impulses.
    """
    members = placed.model.once(trees).members
    used = sorted({tree for block in blocks for tree in block.trees})
    place = {tree: k for k, tree in enumerate(used)}
    M = placed.freedoms.reduced(placed.mass_matrix)
    free = np.concatenate([np.zeros(0, np.int64), *(members[tree] for tree in used)])
    problem = Problem([M[np.ix_(members[tree], members[tree])] for tree in used], v_free[free])
    for block in blocks:
        parts = [(place[tree], block.G[:, members[tree]]) for tree in block.trees]
        problem.add(block.kind, parts, block.b, unit=block.unit, friction=block.friction, restitution=block.bounce)
    return problem, free
