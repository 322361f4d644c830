# SPDX-License-Identifier: GPL-3.0-or-later
"""A contact problem written into the two arrays of `layout` from numpy arrays, block by block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...arrays import Array, IntArray
from . import layout as at
from .solve import solve

Parts = Sequence[tuple[int, Any]]
"""Rows of a block on each tree that they move: (tree, values (rows, coordinates of the tree))."""


@dataclass(frozen=True)
class Packed:
    """A problem in two arrays; see `layout`."""

    ints: IntArray
    numbers: Array

    def section(self, name: int) -> Array:
        """A section of the numbers, as a view."""
        return at.numbers_of(self.ints, self.numbers, name)


@dataclass
class Problem:
    """Mass matrices and velocities of trees, and blocks of rows that are added one by one."""

    masses: Sequence[Any]
    v_free: Any
    blocks: list[tuple[Any, ...]] = field(default_factory=list)

    def add(
        self,
        kind: int,
        parts: Parts,
        b: Any = 0.0,
        *,
        lo: Any = 0.0,
        hi: Any = 0.0,
        unit: Any = 1.0,
        friction: tuple[float, float, float] = (0.0, 0.0, 0.0),
        restitution: float = 0.0,
    ) -> int:
        """Add a block; returns its number. friction: mu, torsional and rolling radius [m]."""
        tables = [(tree, np.atleast_2d(np.asarray(values, float))) for tree, values in parts]
        count = len(tables[0][1])
        numbers = [np.broadcast_to(np.asarray(each, float), count) for each in (b, lo, hi, unit)]
        self.blocks.append((kind, *numbers, friction, restitution, tables))
        return len(self.blocks) - 1

    def packed(self, tolerance: float, *, room: int | None = None) -> Packed:
        """The problem in two arrays, with impulses 0 and usual options."""
        sizes = [len(np.atleast_2d(mass)) for mass in self.masses]
        counts = [len(block[1]) for block in self.blocks]
        parts = [part for block in self.blocks for part in block[-1]]
        trees, coordinates, rows = len(sizes), sum(sizes), sum(counts)
        mass = sum(n * n for n in sizes)
        jacobian = sum(values.size for _, values in parts)
        ints = np.zeros(at.integer_count(trees, len(self.blocks), len(parts)), np.int64)
        room = at.factor_room(trees, coordinates) if room is None else room
        numbers = np.zeros(
            at.lay_out(ints, trees, coordinates, len(self.blocks), rows, len(parts), mass, jacobian, room)
        )
        filled = Packed(ints, numbers)
        at.integers(ints, at.TREE_START)[:] = np.cumsum([0, *sizes])
        at.integers(ints, at.MASS_START)[:] = np.cumsum([0, *(n * n for n in sizes)])
        filled.section(at.MASS)[:] = np.concatenate([np.ravel(np.asarray(each, float)) for each in self.masses])
        filled.section(at.V_FREE)[:] = self.v_free
        block, part = (
            at.integers(ints, at.BLOCK).reshape(-1, at.BLOCK_FIELDS),
            at.integers(ints, at.PART).reshape(-1, 2),
        )
        row = first = value = 0
        for k, (kind, b, lo, hi, unit, friction, restitution, tables) in enumerate(self.blocks):
            block[k] = kind, row, len(b), first, len(tables)
            for section, each in ((at.B, b), (at.LO, lo), (at.HI, hi), (at.UNIT, unit)):
                filled.section(section)[row : row + len(b)] = each
            filled.section(at.FRICTION)[at.FRICTIONS * k : at.FRICTIONS * (k + 1)] = friction
            filled.section(at.RESTITUTION)[k] = restitution
            for tree, values in tables:
                part[first] = tree, value
                filled.section(at.JACOBIAN)[value : value + values.size] = values.ravel()
                first, value = first + 1, value + values.size
            row += len(b)
        at.defaults(filled.section(at.OPTIONS), tolerance)
        return filled


def solved(problem: Problem, tolerance: float, *, function: Callable[..., int] = solve) -> tuple[int, Packed]:
    """The problem, solved from impulses 0, and its result. function: `solve`, or its compiled form."""
    packed = problem.packed(tolerance)
    code = function(packed.ints, packed.numbers)
    if code == at.MORE_SPACE:
        packed = problem.packed(tolerance, room=int(packed.section(at.REPORT)[at.FACTOR_NEEDED]))
        code = function(packed.ints, packed.numbers)
    return code, packed
