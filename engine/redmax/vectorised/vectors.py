# SPDX-License-Identifier: GPL-3.0-or-later
"""Products of many small vectors and matrices at once: vectors are (3, n), matrices (3, 3, n).

Twists and wrenches are (2, 3, n), angular part first; what takes vectors takes these too, part by part.

With the count along the last axis a numpy call is a few long loops in memory order; stacks (n, 3, 3) would be n short
ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array, IntArray

_YZX: IntArray = np.array([1, 2, 0])
_ZXY: IntArray = np.array([2, 0, 1])
# [v] row by row: entries 7, 2, 3 hold x, y, z and entries 5, 6, 1 hold -x, -y, -z.
_PLUS: IntArray = np.array([7, 2, 3])
_MINUS: IntArray = np.array([5, 6, 1])


def cross(a: Array, b: Array) -> Array:
    """a x b, (..., 3, n)."""
    return np.asarray(a.take(_YZX, -2) * b.take(_ZXY, -2) - a.take(_ZXY, -2) * b.take(_YZX, -2))


class Crossing(NamedTuple):
    """Vectors a (..., 3, n) ready for many products: their components in the order y, z, x and z, x, y."""

    yzx: Array
    zxy: Array

    @classmethod
    def of(cls, a: Array) -> Crossing:
        return cls(a.take(_YZX, -2), a.take(_ZXY, -2))

    def part(self, k: int) -> Crossing:
        """Of the k-th vectors alone."""
        return Crossing(self.yzx[k], self.zxy[k])

    def before(self, b: Array) -> Array:
        """a x b, (..., 3, n)."""
        return np.asarray(self.yzx * b.take(_ZXY, -2) - self.zxy * b.take(_YZX, -2))

    def after(self, b: Array) -> Array:
        """b x a, (..., 3, n)."""
        return np.asarray(b.take(_YZX, -2) * self.zxy - b.take(_ZXY, -2) * self.yzx)


def dot(a: Array, b: Array) -> Array:
    """a . b, (n,)."""
    return np.asarray(np.einsum("in,in->n", a, b))


def power(twist: Array, wrench: Array) -> Array:
    """Of twists with wrenches, both (2, 3, n): (n,)."""
    return np.asarray(np.einsum("ain,ain->n", twist, wrench))


def length(a: Array) -> Array:
    """|a|, (..., n)."""
    return np.asarray(np.sqrt(np.einsum("...in,...in->...n", a, a)))


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
    return np.asarray(np.einsum("ikn,kn->in" if v.ndim == 2 else "ikn,akn->ain", A, v))


def apply_transposed(A: Array, v: Array) -> Array:
    """A^T v, (..., 3, n)."""
    return np.asarray(np.einsum("kin,kn->in" if v.ndim == 2 else "kin,akn->ain", A, v))


def multiply(A: Array, B: Array) -> Array:
    """A B, (3, 3, n)."""
    return np.asarray(np.einsum("ikn,kjn->ijn", A, B))


def lever(d: Array, e: Array) -> Array:
    """2 (d . e) 1 - d e^T - e d^T, (..., 3, 3, n).

    With e = h + m d / 2 it is what inertia of mass m and first moment h gains when seen from a point d away.
    """
    A = d[..., :, None, :] * e[..., None, :, :]
    A = A + np.swapaxes(A, -2, -3)
    gained = np.negative(A)
    diagonal(gained)[:] += (A[..., 0, 0, :] + A[..., 1, 1, :] + A[..., 2, 2, :])[..., None, :]
    return np.asarray(gained)
