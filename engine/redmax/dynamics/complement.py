# SPDX-License-Identifier: GPL-3.0-or-later
"""The combinations of a relative twist that a joint with motions S (6, n) does not allow."""

from __future__ import annotations

import numpy as np

from ..arrays import Array


def complement(S: Array) -> Array:
    """C (6 - n, 6): orthonormal rows with C S = 0, for S (6, n) of full rank.

    The projector onto the complement is factored with pivoting, 1 - S S^+ = C^T C. Where S spans coordinate axes the
    projector is diagonal and C consists of the other rows of the identity: rows dropped, as in RBDN section 1.10.
    """
    rest = np.eye(6) - S @ pseudo_inverse(S)
    C = np.zeros((6 - S.shape[1], 6))
    for k in range(len(C)):
        pivot = int(np.argmax(np.diag(rest)))
        C[k] = rest[pivot] / np.sqrt(rest[pivot, pivot])
        rest = rest - np.outer(C[k], C[k])
    return C


def pseudo_inverse(S: Array) -> Array:
    """S^+ (n, 6) of S (6, n), also for a joint without degrees of freedom."""
    return np.linalg.pinv(S) if S.shape[1] else np.zeros((0, 6))
