# SPDX-License-Identifier: GPL-3.0-or-later
"""Small dense matrices, row by row in flat arrays: Cholesky factors and products of blocks.

On the diagonal of a factor stand the reciprocals of its entries, so that solving needs no division.
"""

from __future__ import annotations

import math

from ...arrays import Array


def cholesky(a: Array, at: int, n: int) -> bool:
    """Lower factor in place of the lower triangle of the n x n matrix at a[at]; False if it is not positive
    definite."""
    for i in range(n):
        r = at + i * n
        for j in range(i):
            c = at + j * n
            total = a[r + j]
            for k in range(j):
                total -= a[r + k] * a[c + k]
            a[r + j] = total * a[c + j]
        total = a[r + i]
        for k in range(i):
            total -= a[r + k] * a[r + k]
        if not 0.0 < total < math.inf:
            return False
        a[r + i] = 1.0 / math.sqrt(total)
    return True


def forward(a: Array, at: int, n: int, x: Array, c: int) -> None:
    """L^-1 x in place, x from c on."""
    for i in range(n):
        r = at + i * n
        total = x[c + i]
        for k in range(i):
            total -= a[r + k] * x[c + k]
        x[c + i] = total * a[r + i]


def backward(a: Array, at: int, n: int, x: Array, c: int) -> None:
    """L^-T x in place, x from c on."""
    for i in range(n - 1, -1, -1):
        r = at + i * n
        value = x[c + i] * a[r + i]
        x[c + i] = value
        for k in range(i):
            x[c + k] -= a[r + k] * value


def right_solve(a: Array, at: int, n: int, block: int, rows: int) -> None:
    """B L^-T in place, for the rows x n matrix B at a[block] and the factor L at a[at]."""
    for i in range(rows):
        r = block + i * n
        for j in range(n):
            c = at + j * n
            total = a[r + j]
            for k in range(j):
                total -= a[r + k] * a[c + k]
            a[r + j] = total * a[c + j]


def subtract_product(a: Array, x: int, rows: int, y: int, columns: int, n: int, out: int) -> None:
    """C - X Y^T in place of the rows x columns matrix C at a[out]; X (rows x n) at a[x], Y (columns x n) at a[y]."""
    for i in range(rows):
        r = x + i * n
        o = out + i * columns
        for j in range(columns):
            c = y + j * n
            total = a[o + j]
            for k in range(n):
                total -= a[r + k] * a[c + k]
            a[o + j] = total


def subtract_square(a: Array, x: int, rows: int, n: int, out: int) -> None:
    """The lower triangle of C - X X^T in place of the square matrix C at a[out]; X (rows x n) at a[x]."""
    for i in range(rows):
        r = x + i * n
        o = out + i * rows
        for j in range(i + 1):
            c = x + j * n
            total = a[o + j]
            for k in range(n):
                total -= a[r + k] * a[c + k]
            a[o + j] = total
