# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward dynamics as the quickest call from Python.

numba unpacks every array that a call hands over, which takes a tenth of a microsecond each. So a `Tree` hands over
one address, behind which it says where its arrays are.
"""

from __future__ import annotations

from numba import carray, types

from . import layout as at
from .core import run
from .jit import compiled_for
from .memory import integers_at, numbers_at

ADDRESS, INTS_AT, INTS, FLOATS_AT, FLOATS, COORDINATES = range(6)
"""What a call needs to know, int64: address of `core.compute`; where both arrays of a packed model are, and how long;
how many coordinates there are."""
ENTRIES = 6
WRONG_LENGTH = -2

NUMBERS = types.Array(types.float64, 1, "C")


@compiled_for(types.int64(types.int64, NUMBERS, NUMBERS, NUMBERS))
def accelerations(place_at, q, qdot, qddot):
    """qddot at t = 0; it holds the accelerations of prescribed coordinates. place_at: address of the entries above.

    Gives -1, the body at whose joint nothing resists, or WRONG_LENGTH.
    """
    place = carray(integers_at(place_at), (ENTRIES,))
    nr = place[COORDINATES]
    if q.shape[0] != nr or qdot.shape[0] != nr or qddot.shape[0] != nr:
        return WRONG_LENGTH
    ints = carray(integers_at(place[INTS_AT]), (place[INTS],))
    floats = carray(numbers_at(place[FLOATS_AT]), (place[FLOATS],))
    return run(place[ADDRESS], ints, floats, q, qdot, qddot, 0.0, at.ACCELERATE)
