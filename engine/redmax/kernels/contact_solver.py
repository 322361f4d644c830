# SPDX-License-Identifier: GPL-3.0-or-later
"""`solvers.contact` compiled: functions of the two arrays of `solvers.contact.layout`, to be called from Python.

Other kernels compile the same text into themselves by `compiled_text`. Imported only where numba is.
"""

from __future__ import annotations

from ..solvers.contact import impacts as plain_impacts
from ..solvers.contact import solve as plain_solve
from .cache import jit
from .cache.same_text import rebound

SIGNATURE = "int64(int64[::1], float64[::1])"

solve = jit.compiled_for(SIGNATURE)(rebound(plain_solve.solve))
resolve_impacts = jit.compiled_for(SIGNATURE)(rebound(plain_impacts.resolve))
