# SPDX-License-Identifier: GPL-3.0-or-later
"""The combinations of a relative twist that a joint with motions S (6, n) does not allow."""

from __future__ import annotations

import numpy as np

from ..arrays import Array

EQUAL_PIVOTS = 1e-9
"""Pivots that differ by no more than this part do so by rounding."""


def complement(S: Array) -> Array:
    """C (6 - n, 6): orthonormal rows with C S = 0, for S (6, n) of full rank.

    The projector onto the complement is factored with pivoting, 1 - S S^+ = C^T C. Where S spans coordinate axes the
    projector is diagonal and C consists of the other rows of the identity: rows dropped, as in RBDN section 1.10.
    Of pivots that differ by rounding the first is taken: rows must not change places while a joint moves.
    """
    rest = np.eye(6) - S @ pseudo_inverse(S)
    C = np.zeros((6 - S.shape[1], 6))
    for k in range(len(C)):
        left = np.diag(rest)
        pivot = int(np.argmax(left > (1.0 - EQUAL_PIVOTS) * left.max()))
        C[k] = rest[pivot] / np.sqrt(rest[pivot, pivot])
        rest = rest - np.outer(C[k], C[k])
    return C


def pseudo_inverse(S: Array) -> Array:
    """S^+ (n, 6) of S (6, n), also for a joint without degrees of freedom."""
    return np.linalg.pinv(S) if S.shape[1] else np.zeros((0, 6))
