# SPDX-License-Identifier: GPL-3.0-or-later
"""How kernels are compiled. Imported only where numba is; `route` decides that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from . import cache_folder

FOLDER = str(cache_folder.folder())


def compiled(function: Callable[..., Any]) -> Any:
    """The function as machine code, compiled at its first call and kept on disk.

    Products and sums may be contracted (a * b + c rounded once), nothing else of fastmath: sums keep their order, and
    NaN stays NaN. Other users of numba in this process keep their own cache folder.
    """
    theirs = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = FOLDER
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})(function)
    finally:
        numba.config.CACHE_DIR = theirs
