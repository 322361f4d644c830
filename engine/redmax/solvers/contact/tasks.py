# SPDX-License-Identifier: GPL-3.0-or-later
"""Both things the solver does, in one function: kernels that need both compile what they share once."""

from __future__ import annotations

from ...arrays import Array, IntArray
from .impacts import resolve
from .solve import solve

SOLVE, RESOLVE_IMPACTS = range(2)


def run(task: int, ints: IntArray, numbers: Array) -> int:
    """`solve.solve` or `impacts.resolve` of the problem in both arrays; returns their result."""
    if task == RESOLVE_IMPACTS:
        return resolve(ints, numbers)
    return solve(ints, numbers)
