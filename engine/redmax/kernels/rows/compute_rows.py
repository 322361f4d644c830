# SPDX-License-Identifier: GPL-3.0-or-later
"""`compute_rows`, the compiled function that holds all code of constraint rows in `core.compute`, which calls it by its
address: a model without rows does without it, and a start of such a model without compiling it."""

from __future__ import annotations

from .. import tasks
from ..cache.jit import callback
from ..core import SIGNATURE
from ..layout.declaration import Head
from ..layout.memory import fixed, numbers_at
from ..layout.views import arrays_of, rows_of, whole
from ..tree.forces import apply_forces
from .constrained import errors_and_rates, forward_with_rows
from .held_coordinates import hold_coordinates, release_coordinates
from .near_dynamics import STANDS, accelerate_near, forces_near
from .near_projection import project_near, tangent_basis, tangent_part
from .projection import evaluate_at, project
from .weak_rows import NEARBY, near_of


@callback(SIGNATURE)
def compute_rows(ints_at, floats_at, q_at, qdot_at, qddot_at, t, what):
    """The tasks of `core.compute` that need rows, in its order: PROJECT; HOLD and RELEASE, or FORWARD with or without
    WRENCHES, where rows are active, after LOADS; TANGENT_BASIS, TANGENT_PART and ROW_ERRORS, of all rows or of
    ONE_ROW. Arguments and result are those of `compute`."""
    ints, floats = whole(ints_at, floats_at)
    nr, count = fixed(ints, Head.DOFS), fixed(ints, Head.FORCES)
    q, qdot, qddot = numbers_at(q_at, nr), numbers_at(qdot_at, nr), numbers_at(qddot_at, nr)
    rows = rows_of(ints, floats)
    arrays, result = arrays_of(ints, rows), -1
    if what & tasks.PROJECT:
        result = project(ints, rows, arrays, q, qdot, t)
        if result == NEARBY:
            result = project_near(ints, rows, arrays, near_of(ints, rows), q, qdot, t)
    if what & tasks.HOLD:
        hold_coordinates(ints, rows, arrays, q, qdot, t)
    if what & tasks.RELEASE:
        release_coordinates(ints, rows, qddot)
    if what & tasks.FORWARD:
        wrenches = what & tasks.WRENCHES != 0
        result = forward_with_rows(ints, rows, arrays, q, qdot, qddot, t, wrenches)
        if result == NEARBY:
            near = near_of(ints, rows)
            if forces_near(ints, rows, arrays, near, q, qdot, qddot, t) != STANDS:
                evaluate_at(ints, rows, arrays, q, qdot, t)
                if count > 0:
                    apply_forces(count, rows, arrays, t)
            result = accelerate_near(ints, rows, near, qddot, wrenches)
    if what & tasks.TANGENT_BASIS:
        tangent_basis(ints, rows, arrays, near_of(ints, rows), q, qdot, t)
    if what & tasks.TANGENT_PART:
        tangent_part(ints, rows, near_of(ints, rows), qddot)
    if what & tasks.ROW_ERRORS:
        errors_and_rates(ints, rows, arrays, q, qdot, t, what & tasks.ONE_ROW != 0)
    return result
