# SPDX-License-Identifier: GPL-3.0-or-later
"""Which code computes: numba's compiled kernels, or numpy alone. Decided here and nowhere else, once per process."""

from __future__ import annotations

import os
from functools import cache
from importlib import metadata, util

from ..errors import MissingWheelError, RedMaxError

VARIABLE = "REDMAX_ROUTE"
NUMBA, NUMPY = "numba", "numpy"


@cache
def name() -> str:
    """ "numba" where it is installed, else "numpy"; the environment variable REDMAX_ROUTE asks for one of them."""
    asked = os.environ.get(VARIABLE, "")
    if asked not in ("", NUMBA, NUMPY):
        raise RedMaxError(f"{VARIABLE} is '{asked}'; use {NUMBA} or {NUMPY}, or leave it out")
    installed = util.find_spec("numba") is not None
    if asked == NUMBA and not installed:
        raise MissingWheelError(f"{VARIABLE}={NUMBA}", "numba")
    return NUMBA if installed and asked != NUMPY else NUMPY


def versions() -> str:
    """The route with the version of what computes, as results keep it."""
    return f"{name()} {metadata.version(name())}"
