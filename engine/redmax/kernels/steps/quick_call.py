# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward dynamics as the quickest call from Python.

numba unpacks every array that a call hands over, which takes a tenth of a microsecond each. So a `Tree` hands over one
address, at which the addresses of its arrays stand.
"""

from __future__ import annotations

from numba import types

from .. import tasks
from ..cache.jit import compiled_for
from ..core import call
from ..layout.memory import get, integers_at

ADDRESS, INTS, FLOATS, COORDINATES = range(4)
"""What a call needs to know, int64: addresses of `core.compute` and of both arrays of a packed model, and how many
coordinates there are."""
ENTRIES = 4
WRONG_LENGTH = -2

NUMBERS = types.Array(types.float64, 1, "C")


@compiled_for(types.int64(types.int64, NUMBERS, NUMBERS, NUMBERS))
def accelerations(place_at, q, qdot, qddot):
    """Write qddot at t = 0; at prescribed coordinates it is given. place_at: address of the entries above.

    Gives -1, the body at whose joint nothing resists, or WRONG_LENGTH.
    """
    place = integers_at(place_at, ENTRIES)
    nr = get(place, COORDINATES)
    if q.shape[0] != nr or qdot.shape[0] != nr or qddot.shape[0] != nr:
        return WRONG_LENGTH
    return call(
        get(place, ADDRESS), get(place, INTS), get(place, FLOATS), q.ctypes.data, qdot.ctypes.data, qddot.ctypes.data,
        0.0, tasks.ACCELERATE,
    )  # fmt: skip
