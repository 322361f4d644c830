# SPDX-License-Identifier: GPL-3.0-or-later
"""Sparse symmetric matrices of one pattern: L D L^T factors without pivoting, solutions, products.

Matrices of implicit steps keep their pattern for a whole run, so that the order of elimination and the places of all
numbers are found once (`pattern_of`). Bodies that forces tie in a row, as nodes of a strand, then cost as many
operations as there are bodies. `factorise`, `solve` and `add_product` are plain arithmetic on arrays that the caller
provides, so that kernels compile the same text.

    starts, columns: the lower triangle of A row by row, diagonal last; values: (e,) its numbers in that order.
    below, rows: the same of L without its diagonal, column by column; L: its numbers. before, across: the columns of
    every row of L. diagonal: (n,) of D. filled: (n,) int64 and work: (n,) hold nothing between calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..arrays import Array, BoolArray, IntArray

NO_PIVOT = 1e-15
"""A pivot that is smaller than this part of the terms that it is the sum of is rounding: the matrix is singular."""


PLACES = np.uint32
PlaceArray = npt.NDArray[np.uint32]
"""Of places in factors and products: compiled code need not ask whether one counts from the end."""


@dataclass(frozen=True, eq=False)
class Pattern:
    """Where a symmetric (n, n) matrix may have numbers, with its unknowns in the order of elimination.

    order: (n,) which unknown is eliminated as the k-th. group_starts, members: columns without a common row, group by
    group (unknowns as given). entries, entry_starts, entry_rows: for each group, the entries of `values` in its columns
    and the rows (unknowns as given) that they are in.
    """

    order: IntArray
    starts: PlaceArray
    columns: PlaceArray
    below: PlaceArray
    rows: PlaceArray
    before: PlaceArray
    across: PlaceArray
    group_starts: IntArray
    members: IntArray
    entry_starts: IntArray
    entries: IntArray
    entry_rows: IntArray

    @property
    def size(self) -> int:
        return len(self.order)

    def dense(self, values: Array) -> Array:
        """(n, n) with the unknowns as given."""
        A, row = np.zeros((self.size, self.size)), np.repeat(np.arange(self.size), np.diff(self.starts))
        A[self.order[row], self.order[self.columns]] = values
        A[self.order[self.columns], self.order[row]] = values
        return A

    def entries_of(self, A: Array) -> Array:
        """The entries of a symmetric matrix (n, n) that is 0 elsewhere."""
        row = np.repeat(np.arange(self.size), np.diff(self.starts))
        return np.asarray(A[self.order[row], self.order[self.columns]])


def pattern_of(cliques: Sequence[Sequence[int]], size: int) -> Pattern:
    """The pattern of matrices whose unknowns meet within cliques: every pair of one has an entry."""
    meets = np.eye(size, dtype=np.bool_)
    for clique in cliques:
        meets[np.ix_(clique, clique)] = True
    order = elimination_order(meets)
    lower = np.tril(meets[np.ix_(order, order)])
    filled = lower.copy()
    for k in range(size):
        later = k + 1 + np.flatnonzero(filled[k + 1 :, k])
        filled[np.ix_(later, later)] = True
    filled = np.tril(filled, -1)
    row, columns = np.nonzero(lower)
    column_of, rows = np.nonzero(filled.T)
    row_of, across = np.nonzero(filled)
    group_of = separate_columns(meets)
    members = np.argsort(group_of, kind="stable")
    column_group = group_of[order[columns]]
    entries = np.argsort(column_group, kind="stable")
    groups = int(group_of.max(initial=-1)) + 1
    return Pattern(
        order=order,
        starts=_starts(row, size).astype(PLACES),
        columns=columns.astype(PLACES),
        below=_starts(column_of, size).astype(PLACES),
        rows=rows.astype(PLACES),
        before=_starts(row_of, size).astype(PLACES),
        across=across.astype(PLACES),
        group_starts=_starts(group_of, groups),
        members=members,
        entry_starts=_starts(column_group, groups),
        entries=entries,
        entry_rows=order[row[entries]],
    )


def _starts(owners: IntArray, count: int) -> IntArray:
    """(count + 1,) where the lists of all owners begin, one after another."""
    return np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=count))]).astype(np.int64)


def elimination_order(meets: BoolArray) -> IntArray:
    """An order that fills little: always the unknown with the fewest others left to meet (minimum degree).

    Of several the first and the last in turn: a chain is eliminated from both ends, and processors do both at once.
    """
    known: dict[bytes, list[int]] = {}
    for k, line in enumerate(meets):  # unknowns that meet the same others, as those of one joint, follow each other
        known.setdefault(line.tobytes(), []).append(k)
    alike = list(known.values())
    owner = np.zeros(len(meets), np.int64)
    for group, members in enumerate(alike):
        owner[members] = group
    others = [set(owner[meets[members[0]]].tolist()) - {group} for group, members in enumerate(alike)]
    sizes = [len(members) for members in alike]
    degree = [sum(sizes[each] for each in met) for met in others]
    left, order, taken = set(range(len(alike))), [], 0
    while left:
        turn, taken = 1 - 2 * (taken % 2), taken + 1
        k = min(left, key=lambda each: (degree[each], turn * each))
        order += alike[k]
        left.discard(k)
        for each in others[k]:
            others[each] |= others[k]
            others[each] -= {each, k}
            degree[each] = sum(sizes[other] for other in others[each])
    return np.array(order, np.int64)


def separate_columns(meets: BoolArray) -> IntArray:
    """(n,) groups of columns of which no two have a row in common: one product of a matrix shows all of a group."""
    group_of, taken = np.zeros(len(meets), np.int64), np.zeros((0, len(meets)), np.bool_)
    for column, line in enumerate(meets):
        apart = ~(taken & line).any(axis=1)
        if not apart.any():
            taken = np.concatenate([taken, np.zeros((1, len(meets)), np.bool_)])
            apart = np.append(apart, True)
        group = int(apart.argmax())
        taken[group] |= line
        group_of[column] = group
    return group_of


def factorise(starts, columns, below, rows, before, across, values, L, diagonal, filled, work):  # type: ignore[no-untyped-def]
    """Write the factors of the matrix with these values; False where it is singular.

    Without pivoting, which positive definite matrices do not need; where a spring table pushes away they are nearly so.
    Row by row: of row k of L D, entry i is that of A less what the columns before i say of both.
    """
    n = len(diagonal)
    for k in range(n):
        work[k] = 0.0
        filled[k] = below[k]
    for k in range(n):
        last = starts[k + 1] - 1
        for p in range(starts[k], last):
            work[columns[p]] = values[p]
        d = values[last]
        size = abs(d)
        for p in range(before[k], before[k + 1]):
            i = across[p]
            y = work[i]
            work[i] = 0.0
            for e in range(below[i], filled[i]):
                work[rows[e]] -= L[e] * y
            x = y / diagonal[i]
            d -= x * y
            size += abs(x * y)
            L[filled[i]] = x
            filled[i] += 1
        if not abs(d) > NO_PIVOT * size:
            return False
        diagonal[k] = d
    return True


def solve(below, rows, L, diagonal, x):  # type: ignore[no-untyped-def]
    """Put A^-1 x in the place of x."""
    n = len(diagonal)
    for k in range(n):
        y = x[k]
        for e in range(below[k], below[k + 1]):
            x[rows[e]] -= L[e] * y
    for k in range(n - 1, -1, -1):
        y = x[k] / diagonal[k]
        for e in range(below[k], below[k + 1]):
            y -= L[e] * x[rows[e]]
        x[k] = y


def add_products(starts, columns, A, x, B, y, z):  # type: ignore[no-untyped-def]
    """Add A x + B y to z."""
    for k in range(len(x)):
        last = starts[k + 1] - 1
        total = A[last] * x[k] + B[last] * y[k]
        for p in range(starts[k], last):
            j = columns[p]
            total += A[p] * x[j] + B[p] * y[j]
            z[j] += A[p] * x[k] + B[p] * y[k]
        z[k] += total


def add_product(starts, columns, values, x, y):  # type: ignore[no-untyped-def]
    """Add A x to y."""
    for k in range(len(x)):
        last = starts[k + 1] - 1
        total = values[last] * x[k]
        for p in range(starts[k], last):
            j = columns[p]
            total += values[p] * x[j]
            y[j] += values[p] * x[k]
        y[k] += total
