# SPDX-License-Identifier: GPL-3.0-or-later
"""Dense blocks of a mass matrix: coordinates that feel each other through a common ancestor, factorised together.

Two coordinates share an entry of the mass matrix only if one carries the other. So everything above which nothing
moves freely (each tree, or each chain that hangs from a fixed or animated body) is a block of its own. Small blocks
are put together, so that a few batched numpy calls serve them all.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from ..arrays import Array, BoolArray, IntArray

PACKED = 32
"""Small groups share a block of up to so many coordinates; more would be spent on zeros than saved on calls."""

SOLVED_AT_ONCE = 150
"""Up to so many coordinates two solutions from scratch are quicker than factors that are kept."""

PANEL = 50
"""Coordinates factorised at a time."""

LARGEST_INVERSE = 1e14
"""Beyond it a matrix of unit diagonal is singular but for a few roundings."""


@dataclass(frozen=True, eq=False)
class Batch:
    """T blocks of D coordinates each.

    columns: (T, D) coordinates, nr where a block has fewer. filled: (T, D). above: (T, D, D), 1.0 where the row's
    joint carries the column's. rows, cols: pairs of coordinates of the same joint, written at `entries` of the
    flattened blocks. padding: flat positions of the diagonal of unused coordinates.
    single: whether every joint has one coordinate here, so that these pairs are the diagonal. chains: whether of any
    two joints in a block the later hangs from the earlier, so that `above` says nothing about the upper triangle.
    """

    columns: IntArray
    filled: BoolArray
    above: Array
    rows: IntArray
    cols: IntArray
    entries: IntArray | slice
    padding: IntArray
    single: bool
    chains: bool


@dataclass(frozen=True, eq=False)
class Blocks:
    """All blocks of some coordinates, by size. whole: there is one block and it has every coordinate of the model.

    inner: (n,) 1.0 for joints inside a group, 0.0 at its top and outside.
    """

    batches: list[Batch]
    whole: bool
    inner: Array


def groups(parent: IntArray, owner: IntArray, wanted: BoolArray) -> tuple[list[IntArray], BoolArray]:
    """The wanted coordinates (nr,) that hang together, and (n,) whether a joint is inside a group, below its top.

    owner: (nr,) joint of each coordinate.
    """
    n = len(parent)
    has = np.zeros(n, np.bool_)
    has[owner[wanted]] = True
    top = np.full(n, -1)
    for j, p in enumerate(parent.tolist()):
        above = top[p] if p >= 0 else -1
        top[j] = above if above >= 0 else (j if has[j] else -1)
    columns = np.flatnonzero(wanted)
    order = np.argsort(top[owner[columns]], kind="stable")
    starts = np.flatnonzero(np.diff(top[owner[columns]][order])) + 1
    parts = np.split(columns[order], starts) if len(columns) else []
    return parts, (top >= 0) & (top != np.arange(n))


def blocks(parent: IntArray, owner: IntArray, wanted: BoolArray) -> Blocks:
    """Blocks of the wanted coordinates (nr,). owner: (nr,) joint of each coordinate."""
    parts, inner = groups(parent, owner, wanted)
    large: dict[int, list[IntArray]] = {}
    small: list[list[IntArray]] = []
    for group in parts:
        if len(group) > PACKED:
            large.setdefault(len(group), []).append(group)
        elif small and sum(map(len, small[-1])) + len(group) <= PACKED:
            small[-1].append(group)
        else:
            small.append([group])
    batches = [_batch(members, parent, owner) for members in large.values()]
    if small:
        batches.append(_batch([np.sort(np.concatenate(members)) for members in small], parent, owner))
    whole = len(batches) == 1 and batches[0].columns.shape == (1, len(owner))
    return Blocks(batches, whole, inner.astype(np.float64))


def _batch(members: list[IntArray], parent: IntArray, owner: IntArray) -> Batch:
    nr, size = len(owner), max(map(len, members))
    columns = np.full((len(members), size), nr)
    for row, group in zip(columns, members, strict=True):
        row[: len(group)] = group
    filled = columns < nr
    joint = np.append(owner, -1)[columns]
    same = (joint[:, :, None] == joint[:, None, :]) & filled[:, :, None] & filled[:, None, :]
    above = _carries(parent, joint) & ~same
    t, a, b = np.nonzero(same)
    single = bool(same.sum() == filled.sum())
    spare = np.flatnonzero(~filled)
    return Batch(
        columns=columns,
        filled=filled,
        above=above.astype(np.float64),
        rows=columns[t, a],
        cols=columns[t, b],
        entries=slice(0, size * size, size + 1) if single and len(t) == size else (t * size + a) * size + b,
        padding=spare * size + spare % size,
        single=single,
        chains=bool((above | same)[:, *np.triu_indices(size)].all()),
    )


def _carries(parent: IntArray, joint: IntArray) -> BoolArray:
    """(T, D, D) whether joint [t, a] carries joint [t, b] or is the same. Joints in a row of `joint` ascend."""
    T, D = joint.shape
    carries = np.zeros((T, D, D), np.bool_)
    for row, table in zip(joint, carries, strict=True):
        listed, position = np.unique(row[row >= 0], return_inverse=True)
        place = {j: k for k, j in enumerate(listed.tolist())}
        above = np.zeros((len(listed), len(listed)), np.bool_)
        for j, k in place.items():
            p = int(parent[j])
            while p >= 0 and p not in place:
                p = int(parent[p])
            if p >= 0:
                above[:, k] = above[:, place[p]]
            above[k, k] = True
        table[: len(position), : len(position)] = above[position[:, None], position]
    return carries


def _elimination() -> Callable[[Array, Array], Array]:
    """x (..., D) with A x = b: numpy's inner function, where it can be found, which saves a fifth of the time of
    `np.linalg.solve` for 100 coordinates. It does not raise: a singular A gives NaN."""
    try:
        inner: Callable[[Array, Array], Array] = importlib.import_module("numpy.linalg._umath_linalg").solve1
    except (ImportError, AttributeError):
        return lambda A, b: np.asarray(np.linalg.solve(A, b[..., None])[..., 0])
    return inner


solve_regular = _elimination()


class Factors:
    """Solves with symmetric positive definite matrices (T, D, D) of unit diagonal, for one right side after another.

    Small matrices are simply solved each time, which is quickest. Large ones, of which only the upper triangle is read,
    get Cholesky factors U^T U, a panel of rows at a time. The factor's blocks on the diagonal are kept as their
    inverses: these are triangular and as well behaved as the factor, while inverses of whole blocks of the matrix would
    lose all digits on long chains.
    LinAlgError where a matrix is singular, up to rounding, or, if large, not positive definite. A singular system may
    have solutions, so that is seen by another right side that is solved along with the first. It leaves behind
    `largest_inverse`, the factor by which errors of a right side, and of the matrix, appear in the solution; inf where
    it was not asked for.
    """

    def __init__(self, A: Array, *, looks: bool = True) -> None:
        """looks: whether it is looked for singular matrices."""
        self.A = A
        self.looks = looks
        self.largest_inverse = np.inf
        self.panels: list[tuple[slice, slice, slice, Array]] = []
        size = A.shape[1]
        if not is_large(size):
            return
        self.U: Array = np.empty_like(A)
        count = -(-size // PANEL)
        for start, end in pairwise([round(size * k / count) for k in range(count + 1)]):
            before, now, after = slice(0, start), slice(start, end), slice(end, size)
            panel = A[:, now, start:] - np.swapaxes(self.U[:, before, now], 1, 2) @ self.U[:, before, start:]
            inverse = np.linalg.inv(np.linalg.cholesky(np.swapaxes(panel[:, :, : end - start], 1, 2)))
            self.U[:, now, after] = inverse @ panel[:, :, end - start :]
            self.panels.append((before, now, after, inverse))

    def solve(self, b: Array) -> Array:
        """x, (T, D), with A x = b (T, D)."""
        if not self.looks:
            return self._solved(b[:, :, None])[:, :, 0] if self.panels else solve_regular(self.A, b)
        sides = np.empty((*b.shape, 2))
        sides[:, :, 0], sides[:, :, 1] = b, anything(b.shape[1])
        x = self._solved(sides)
        self.looks = False
        self.largest_inverse = float(np.abs(x[:, :, 1]).max())
        if self.largest_inverse > LARGEST_INVERSE:
            raise np.linalg.LinAlgError("singular up to rounding")
        return x[:, :, 0]

    def _solved(self, b: Array) -> Array:
        """Of several right sides, (T, D, k)."""
        if not self.panels:
            return np.asarray(np.linalg.solve(self.A, b))
        x, U = b.copy(), self.U
        for before, now, _, inverse in self.panels:
            x[:, now] = inverse @ (x[:, now] - np.swapaxes(U[:, before, now], 1, 2) @ x[:, before])
        for _, now, after, inverse in reversed(self.panels):
            x[:, now] = np.swapaxes(inverse, 1, 2) @ (x[:, now] - U[:, now, after] @ x[:, after])
        return x


@cache
def anything(size: int) -> Array:
    """(size,) numbers up to 1 that are perpendicular to nothing in particular, the same every time."""
    return np.asarray(np.cos(np.arange(size) ** 2.0))


def is_large(size: int) -> bool:
    """Whether so many coordinates are factorised instead of solved for each time."""
    return size > SOLVED_AT_ONCE
