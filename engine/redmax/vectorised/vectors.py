# SPDX-License-Identifier: GPL-3.0-or-later
"""Products of many small vectors and matrices at once: vectors are (3, n), matrices (3, 3, n).

Twists and wrenches are (2, 3, n), angular part first; what takes vectors takes these too, part by part.

With the count along the last axis a numpy call is a few long loops in memory order; stacks (n, 3, 3) would be n short
ones.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..arrays import Array, IntArray

_YZX: IntArray = np.array([1, 2, 0])
_ZXY: IntArray = np.array([2, 0, 1])
# [v] row by row: entries 7, 2, 3 hold x, y, z and entries 5, 6, 1 hold -x, -y, -z; the same as rows and signs.
_PLUS: IntArray = np.array([7, 2, 3])
_MINUS: IntArray = np.array([5, 6, 1])
_ROWS: IntArray = np.array([0, 2, 1, 2, 1, 0, 1, 0, 2])
_SIGNS: Array = np.array([0.0, -1.0, 1.0, 1.0, 0.0, -1.0, -1.0, 1.0, 0.0])[:, None]


def _summation() -> Callable[..., Array]:
    """numpy's `einsum`; by its inner function where that can be found, which saves a third of a call's time."""
    for name in ("numpy._core.multiarray", "numpy.core.multiarray"):  # of numpy 2 and of numpy 1
        try:
            inner: Callable[..., Array] | None = getattr(importlib.import_module(name), "c_einsum", None)
        except ImportError:
            continue
        if inner is not None:
            return inner
    return np.einsum


einsum = _summation()


def cross(a: Array, b: Array) -> Array:
    """a x b, (..., 3, n)."""
    result: Array = a.take(_YZX, -2) * b.take(_ZXY, -2)
    result -= a.take(_ZXY, -2) * b.take(_YZX, -2)
    return result


class Crossing(NamedTuple):
    """Vectors a (..., 3, n) ready for many products: matrix is [a], (..., 3, 3, n)."""

    matrix: Array

    @classmethod
    def of(cls, a: Array) -> Crossing:
        matrix = a.take(_ROWS, -2)
        matrix *= _SIGNS
        return cls(matrix.reshape(*a.shape[:-2], 3, *a.shape[-2:]))

    def part(self, k: int) -> Crossing:
        """Of the k-th vectors alone."""
        return Crossing(self.matrix[k])

    def before(self, b: Array) -> Array:
        """a x b, (..., 3, n), of vectors a (3, n)."""
        return apply(self.matrix, b)

    def write_after(self, to: Array, b: Array) -> None:
        """Writes b x a, (3, n), to an array that shares nothing with either."""
        einsum("kin,kn->in", self.matrix, b, out=to)


def dot(a: Array, b: Array) -> Array:
    """a . b, (n,)."""
    return einsum("in,in->n", a, b)


def power(twist: Array, wrench: Array) -> Array:
    """Of twists with wrenches, both (2, 3, n): (n,)."""
    return einsum("ain,ain->n", twist, wrench)


def length(a: Array) -> Array:
    """|a|, (..., n)."""
    return np.asarray(np.sqrt(einsum("...in,...in->...n", a, a)))


def hat(v: Array) -> Array:
    """[v], (3, 3, n)."""
    A = np.zeros((9, v.shape[1]))
    A[_PLUS] = v
    A[_MINUS] = -v
    return A.reshape(3, 3, -1)


def diagonal(A: Array) -> Array:
    """The three diagonals, (..., 3, n): a view of a contiguous A."""
    return A.reshape(*A.shape[:-3], 9, A.shape[-1])[..., ::4, :]


def apply(A: Array, v: Array) -> Array:
    """A v, (..., 3, n)."""
    return einsum("ikn,kn->in" if v.ndim == 2 else "ikn,akn->ain", A, v)


def write_applied(to: Array, A: Array, v: Array) -> None:
    """Writes A v, (3, n), to an array that shares nothing with either."""
    einsum("ikn,kn->in", A, v, out=to)


def apply_transposed(A: Array, v: Array) -> Array:
    """A^T v, (..., 3, n)."""
    return einsum("kin,kn->in" if v.ndim == 2 else "kin,akn->ain", A, v)


def multiply(A: Array, B: Array) -> Array:
    """A B, (3, 3, n)."""
    return einsum("ikn,kjn->ijn", A, B)
