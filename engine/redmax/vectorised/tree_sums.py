# SPDX-License-Identifier: GPL-3.0-or-later
"""Sums along the branches of a tree, and products of rotations from the root, without a loop over the bodies.

Arrays have the bodies along their last axis, so that every numpy call runs over all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, IntArray
from .vectors import multiply

DENSE_BODIES = 160
"""Up to here one product with the ancestor matrix is quicker than log2(depth) steps of pointer jumping."""

Where = slice | IntArray


def compact(index: IntArray) -> Where:
    """The same indices as a slice where they are consecutive: a view instead of a copy."""
    if len(index) and np.array_equal(index, np.arange(index[0], index[0] + len(index))):
        return slice(int(index[0]), int(index[0]) + len(index))
    return index


def ancestor_matrix(parent: IntArray) -> Array:
    """(n, n): 1 at [k, j] where body k carries body j or is body j."""
    n = len(parent)
    A = np.zeros((n, n))
    for j, p in enumerate(parent.tolist()):
        if p >= 0:
            A[:, j] = A[:, p]
        A[j, j] = 1.0
    return A


@dataclass(frozen=True, eq=False)
class Jump:
    """One step of pointer jumping: bodies at least 2^k deep, and the ancestors 2^k above them.

    The same pairs sorted by ancestor: `sources` in that order, `starts` of each ancestor's run, `targets`.
    """

    bodies: Where
    ancestors: Where
    sources: Where
    starts: IntArray
    targets: Where


def jumps(parent: IntArray) -> tuple[Jump, ...]:
    """The steps of a forest, log2 of its depth of them."""
    steps = []
    above = np.array(parent)
    while (above >= 0).any():
        bodies = np.flatnonzero(above >= 0)
        steps.append(_jump(bodies, above[bodies]))
        above = np.where(above >= 0, above[above], -1)
    return tuple(steps)


def _jump(bodies: IntArray, ancestors: IntArray) -> Jump:
    order = np.argsort(ancestors, kind="stable")
    targets, starts = np.unique(ancestors[order], return_index=True)
    return Jump(compact(bodies), compact(ancestors), compact(bodies[order]), starts, compact(targets))


class TreeSums:
    """Sums over all ancestors and over everything carried, for arrays (k, n) of a forest of n bodies.

    Three ways, each the quickest somewhere: running sums for chains, one product with the ancestor matrix for other
    small trees, pointer jumping for large ones.
    """

    def __init__(self, parent: IntArray) -> None:
        self.jumps = jumps(parent)
        self._above: IntArray = np.maximum(parent, 0)
        self._strand = _strand_length(parent)
        self._chain = self._strand > 0 and self._strand == len(parent)
        self._dense = self._strand == 0 and len(self.jumps) > 0 and len(parent) <= DENSE_BODIES
        if self._dense:
            self._ancestors = ancestor_matrix(parent)
            self._carried = np.ascontiguousarray(self._ancestors.T)
            self._carried_only = self._carried - np.eye(len(parent))

    def at_parents(self, X: Array, out: Array | None = None) -> Array:
        """(..., n) the parent's value; at roots any."""
        return X.take(self._above, axis=-1, out=out, mode="clip")  # with "raise" numpy would copy `out` first

    def over_ancestors(self, X: Array, out: Array | None = None) -> Array:
        """(k, n) sums over each body and all that carry it. X: (k, n)."""
        if self._chain:
            return np.add.accumulate(X, axis=1, out=out)
        total = self._over_ancestors(X)
        if out is None:
            return total
        out[:] = total
        return out

    def _over_ancestors(self, X: Array) -> Array:
        if not self.jumps:
            return X.copy()
        if self._strand:
            return np.add.accumulate(X.reshape(len(X), -1, self._strand), axis=2).reshape(X.shape)
        if self._dense:
            return np.asarray(X @ self._ancestors)
        total = X.copy()
        for jump in self.jumps:
            total[:, jump.bodies] += total[:, jump.ancestors]
        return total

    def over_carried(self, X: Array, lifted: Array | None = None) -> Array:
        """(k, n) sums of X over each body and everything it carries, and of `lifted` over what it carries only.

        X is spent: it may hold the result, or anything.
        """
        if not self.jumps:
            return X
        if self._dense:
            total = X @ self._carried
            return np.asarray(total if lifted is None else total + lifted @ self._carried_only)
        if self._chain:
            if lifted is not None:
                carriers = X[:, :-1]
                carriers += lifted[:, 1:]
            backwards = X[:, ::-1]
            np.add.accumulate(backwards, axis=1, out=backwards)
            return X
        if self._strand:
            strands = X.reshape(len(X), -1, self._strand)
            if lifted is not None:
                strands[:, :, :-1] += lifted.reshape(strands.shape)[:, :, 1:]
            return np.add.accumulate(strands[:, :, ::-1], axis=2)[:, :, ::-1].reshape(X.shape)
        if lifted is not None:
            _add_to_ancestors(X, lifted, self.jumps[0])
        for jump in self.jumps:
            _add_to_ancestors(X, X, jump)
        return X

    def rotations_from_root(self, R_pj: Array) -> Array:
        """R_wj, (3, 3, n), from the rotations R_pj (3, 3, n) between parent and child.

        Every step of pointer jumping doubles the length of all products.
        """
        R = R_pj.copy()
        for jump in self.jumps:
            R[:, :, jump.bodies] = multiply(R[:, :, jump.ancestors], R[:, :, jump.bodies])
        return R


def _strand_length(parent: IntArray) -> int:
    """Length of the chains if the forest is nothing but chains of equal length, body after body; else 0."""
    n = len(parent)
    length = n // max(1, int((parent < 0).sum()))
    expected = np.where(np.arange(n) % max(1, length) == 0, -1, np.arange(n) - 1)
    return length if length > 1 and np.array_equal(parent, expected) else 0


def _add_to_ancestors(total: Array, X: Array, jump: Jump) -> None:
    """Adds X of the bodies of a jump to `total` of their ancestors."""
    moved = X[:, jump.sources]
    if len(jump.starts) < moved.shape[1]:
        moved = np.add.reduceat(moved, jump.starts, axis=1)
    total[:, jump.targets] += moved
