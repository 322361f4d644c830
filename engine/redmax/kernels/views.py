# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a packed model, as views of its two arrays."""

from __future__ import annotations

from typing import Any

from numba import carray, types
from numba.extending import intrinsic

from . import layout as at
from .jit import inner

HEAD, BODY_INTS, PRIMITIVE_INTS, TABLE_INTS = at.HEAD, at.BODY_INTS, at.PRIMITIVE_INTS, at.TABLE_INTS
BODY_NUMBERS, PRIMITIVE_NUMBERS, DOF_NUMBERS = at.BODY_NUMBERS, at.PRIMITIVE_NUMBERS, at.DOF_NUMBERS
WORLD_NUMBERS, VECTOR_ROWS, WORK, DOF_WORK = at.WORLD_NUMBERS, at.VECTOR_ROWS, at.WORK, at.DOF_WORK
N_BODIES, N_PRIMITIVES, N_DOFS, N_TABLES = at.N_BODIES, at.N_PRIMITIVES, at.N_DOFS, at.N_TABLES
N_POOL, N_GIVEN, N_SLOTS = at.N_POOL, at.N_GIVEN, at.N_SLOTS


@intrinsic
def pointer_to_numbers(typing_context: Any, address: Any) -> Any:  # noqa: ARG001  (as numba calls it)
    """An address as a pointer to numbers."""
    return types.CPointer(types.float64)(types.int64), _as_pointer


@intrinsic
def pointer_to_integers(typing_context: Any, address: Any) -> Any:  # noqa: ARG001  (as numba calls it)
    """An address as a pointer to integers."""
    return types.CPointer(types.int64)(types.int64), _as_pointer


def _as_pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))


@inner
def arrays_of(ints, floats):
    """The parts of a packed model, in the order of `layout`; they share its memory, which the caller keeps alive.

    They are made from addresses: numba's `reshape` asks a function of its runtime whether it must copy, which takes
    longer than the dynamics of a body.
    """
    n, m, nr, tables = ints[N_BODIES], ints[N_PRIMITIVES], ints[N_DOFS], ints[N_TABLES]
    a = ints.ctypes.data + 8 * HEAD
    b = a + 8 * n * BODY_INTS
    c = b + 8 * m * PRIMITIVE_INTS
    d = c + 8 * tables * TABLE_INTS
    e = d + 8 * ints[N_GIVEN]
    f = floats.ctypes.data
    g = f + 8 * n * BODY_NUMBERS
    h = g + 8 * m * PRIMITIVE_NUMBERS
    i = h + 8 * nr * DOF_NUMBERS
    j = i + 8 * ints[N_POOL]
    k = j + 8 * WORLD_NUMBERS
    o = k + 8 * VECTOR_ROWS * nr
    p = o + 8 * n * WORK
    return (
        carray(pointer_to_numbers(f), (n, BODY_NUMBERS)),
        carray(pointer_to_integers(a), (n, BODY_INTS)),
        carray(pointer_to_numbers(g), (m, PRIMITIVE_NUMBERS)),
        carray(pointer_to_integers(b), (m, PRIMITIVE_INTS)),
        carray(pointer_to_numbers(h), (nr, DOF_NUMBERS)),
        carray(pointer_to_integers(c), (tables, TABLE_INTS)),
        carray(pointer_to_numbers(i), (ints[N_POOL],)),
        carray(pointer_to_numbers(j), (WORLD_NUMBERS,)),
        carray(pointer_to_integers(d), (ints[N_GIVEN],)),
        carray(pointer_to_integers(e), (ints[N_SLOTS],)),
        carray(pointer_to_numbers(o), (n, WORK)),
        carray(pointer_to_numbers(p), (nr, DOF_WORK)),
        carray(pointer_to_numbers(k), (VECTOR_ROWS, nr)),
    )
