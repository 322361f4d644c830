# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled rows on one coordinate each, as of prescribed joints, held by the tree itself instead of being solved for.

A coordinate of infinite armature takes no part in the elimination. Its acceleration, which is known, joins the velocity
products of its joint; the force that holds it is the row's multiplier. That is forward dynamics of the tree alone.
"""

from __future__ import annotations

import math

from ..cache.jit import inlined, inner
from ..layout.declaration import Active, Column, Head, RowBodies, RowVectors, RowWork, Vector, Work
from ..layout.memory import fixed, further, get, put
from .row_kinds import evaluate_rows, row_at


@inlined
def can_be_held(ints, rows):
    """Whether all rows that are solved for at present are equations on one coordinate each."""
    own = fixed(ints, Head.OWN_EQUATIONS)
    return own > 0 and get(rows.active, Active.ROWS) == own


@inner
def hold_coordinates(ints, rows, arrays, q, qdot, t):
    """Hold the coordinates of all active rows at the accelerations that these ask for at time t, after `place_all`."""
    m, armature = get(rows.active, Active.ROWS), further(rows.vectors, Vector.ARMATURE * fixed(ints, Head.DOFS))
    evaluate_rows(0, m, rows, arrays, q, qdot, t)
    for i in range(m):
        (row, vectors), results = row_at(i, rows), further(rows.row_work, i * RowWork.SIZE)
        k, work = fixed(row, RowBodies.COORDINATE_A), further(rows.body_work, fixed(row, RowBodies.BODY_A) * Work.SIZE)
        x, column = acceleration(vectors, results), further(rows.columns, k * Column.SIZE)
        for c in range(6):
            put(work, Work.C + c, get(work, Work.C + c) + x * get(column, Column.S + c))
        put(armature, k, math.inf)


@inner
def release_coordinates(ints, rows, qddot):
    """Write multipliers and accelerations of what `hold_coordinates` held, after forward dynamics, and hold it no
    longer."""
    m, armature = get(rows.active, Active.ROWS), further(rows.vectors, Vector.ARMATURE * fixed(ints, Head.DOFS))
    for i in range(m):
        (row, vectors), results = row_at(i, rows), further(rows.row_work, i * RowWork.SIZE)
        k = fixed(row, RowBodies.COORDINATE_A)
        push = get(rows.columns, k * Column.SIZE + Column.PUSH)
        put(results, RowWork.MULTIPLIER, push / get(vectors, RowVectors.FACTOR_A))
        put(qddot, k, acceleration(vectors, results))
        put(armature, k, 0.0)


@inlined
def acceleration(vectors, results):
    """Of the coordinate of a row, after `evaluate_rows`."""
    return -get(results, RowWork.VELOCITY_PRODUCT) / get(vectors, RowVectors.FACTOR_A)
