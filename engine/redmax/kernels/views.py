# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a packed model, as views of its two arrays."""

from __future__ import annotations

from . import layout as at
from .jit import inner

HEAD, BODY_INTS, PRIMITIVE_INTS, TABLE_INTS = at.HEAD, at.BODY_INTS, at.PRIMITIVE_INTS, at.TABLE_INTS
BODY_NUMBERS, PRIMITIVE_NUMBERS, DOF_NUMBERS = at.BODY_NUMBERS, at.PRIMITIVE_NUMBERS, at.DOF_NUMBERS
WORLD_NUMBERS, VECTOR_ROWS, WORK, DOF_WORK = at.WORLD_NUMBERS, at.VECTOR_ROWS, at.WORK, at.DOF_WORK
N_BODIES, N_PRIMITIVES, N_DOFS, N_TABLES = at.N_BODIES, at.N_PRIMITIVES, at.N_DOFS, at.N_TABLES
N_POOL, N_GIVEN, N_SLOTS = at.N_POOL, at.N_GIVEN, at.N_SLOTS


@inner
def arrays_of(ints, floats):
    """The parts of a packed model, in the order of `layout`; they share its memory."""
    n, m, nr, tables = ints[N_BODIES], ints[N_PRIMITIVES], ints[N_DOFS], ints[N_TABLES]
    a = HEAD
    b = a + n * BODY_INTS
    c = b + m * PRIMITIVE_INTS
    d = c + tables * TABLE_INTS
    e = d + ints[N_GIVEN]
    links, kinds = ints[a:b].reshape((n, BODY_INTS)), ints[b:c].reshape((m, PRIMITIVE_INTS))
    table_ints, given, charts = ints[c:d].reshape((tables, TABLE_INTS)), ints[d:e], ints[e : e + ints[N_SLOTS]]
    f = n * BODY_NUMBERS
    g = f + m * PRIMITIVE_NUMBERS
    h = g + nr * DOF_NUMBERS
    i = h + ints[N_POOL]
    j = i + WORLD_NUMBERS
    k = j + VECTOR_ROWS * nr
    o = k + n * WORK
    return (
        floats[0:f].reshape((n, BODY_NUMBERS)),
        links,
        floats[f:g].reshape((m, PRIMITIVE_NUMBERS)),
        kinds,
        floats[g:h].reshape((nr, DOF_NUMBERS)),
        table_ints,
        floats[h:i],
        floats[i:j],
        given,
        charts,
        floats[k:o].reshape((n, WORK)),
        floats[o : o + nr * DOF_WORK].reshape((nr, DOF_WORK)),
        floats[j:k].reshape((VECTOR_ROWS, nr)),
    )
