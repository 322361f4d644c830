# SPDX-License-Identifier: GPL-3.0-or-later
"""`solvers.contact` compiled: functions of the two arrays of `solvers.contact.layout`, to be called from Python.

Other kernels compile the same text into themselves by `compiled_text(tasks.run)`. Imported only where numba is.
"""

from __future__ import annotations

from typing import Any

from ..arrays import Array, IntArray
from ..solvers.contact import tasks
from .cache import jit
from .cache.same_text import rebound

plain_run: Any = tasks.run
run = jit.compiled_for("int64(int64, int64[::1], float64[::1])")(rebound(plain_run))


def solve(ints: IntArray, numbers: Array) -> int:
    """`solvers.contact.solve.solve`, compiled."""
    return int(run(tasks.SOLVE, ints, numbers))


def resolve_impacts(ints: IntArray, numbers: Array) -> int:
    """`solvers.contact.impacts.resolve`, compiled."""
    return int(run(tasks.RESOLVE_IMPACTS, ints, numbers))
