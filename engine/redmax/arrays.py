# SPDX-License-Identifier: GPL-3.0-or-later
"""Array types shared by the whole engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
ArrayLike: TypeAlias = "Array | Sequence[Any] | float"


def frozen(a: Any, dtype: Any = np.float64) -> Any:
    """A read-only, C-contiguous copy of `a`."""
    copy = np.array(a, dtype=dtype, order="C")
    copy.setflags(write=False)
    return copy
