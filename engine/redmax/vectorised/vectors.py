# SPDX-License-Identifier: GPL-3.0-or-later
"""Products of many small vectors and matrices at once: vectors are (3, n), matrices (3, 3, n).

With the count along the last axis a numpy call is a few long loops in memory order; stacks (n, 3, 3) would be n short
ones.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, IntArray

_YZX: IntArray = np.array([1, 2, 0])
_ZXY: IntArray = np.array([2, 0, 1])
# [v] row by row: entries 7, 2, 3 hold x, y, z and entries 5, 6, 1 hold -x, -y, -z.
_PLUS: IntArray = np.array([7, 2, 3])
_MINUS: IntArray = np.array([5, 6, 1])
# Symmetric matrices as six rows xx, xy, xz, yy, yz, zz.
_ROWS: IntArray = np.array([0, 0, 0, 1, 1, 2])
_COLUMNS: IntArray = np.array([0, 1, 2, 1, 2, 2])
_UNPACKED: IntArray = np.array([0, 1, 2, 1, 3, 4, 2, 4, 5])
_DIAGONAL: IntArray = np.array([0, 3, 5])


def cross(a: Array, b: Array) -> Array:
    """a x b, (3, n)."""
    return np.asarray(a.take(_YZX, 0) * b.take(_ZXY, 0) - a.take(_ZXY, 0) * b.take(_YZX, 0))


def dot(a: Array, b: Array) -> Array:
    """a . b, (n,)."""
    return np.asarray(np.einsum("in,in->n", a, b))


def hat(v: Array) -> Array:
    """[v], (3, 3, n)."""
    A = np.zeros((9, v.shape[1]))
    A[_PLUS] = v
    A[_MINUS] = -v
    return A.reshape(3, 3, -1)


def diagonal(A: Array) -> Array:
    """The three diagonals, (3, n): a view of a contiguous A."""
    return A.reshape(9, -1)[::4]


def apply(A: Array, v: Array) -> Array:
    """A v, (3, n)."""
    return np.asarray(np.einsum("ikn,kn->in", A, v))


def apply_transposed(A: Array, v: Array) -> Array:
    """A^T v, (3, n)."""
    return np.asarray(np.einsum("kin,kn->in", A, v))


def multiply(A: Array, B: Array) -> Array:
    """A B, (3, 3, n)."""
    return np.asarray(np.einsum("ikn,kjn->ijn", A, B))


def packed(A: Array) -> Array:
    """The six numbers of symmetric matrices, (6, n), from (3, 3, n)."""
    return np.asarray(A[_ROWS, _COLUMNS])


def unpacked(six: Array) -> Array:
    """(3, 3, n) of six numbers (6, n)."""
    return np.asarray(six.take(_UNPACKED, 0).reshape(3, 3, -1))


def lever(d: Array, e: Array) -> Array:
    """2 (d . e) 1 - d e^T - e d^T as six numbers, (6, n).

    With e = h + m d / 2 it is what inertia of mass m and first moment h gains when seen from a point d away.
    """
    d_r, d_c, e_r, e_c = d.take(_ROWS, 0), d.take(_COLUMNS, 0), e.take(_ROWS, 0), e.take(_COLUMNS, 0)
    six = np.negative(d_r * e_c + d_c * e_r)
    six[_DIAGONAL] -= six[0] + six[3] + six[5]
    return np.asarray(six)
