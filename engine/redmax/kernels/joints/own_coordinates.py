# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled change of coordinates for joints' loads: those in which the scene gives them, nearest to rest.

Torques, springs, limits and tables on a rotation vector or on Euler angles are meant in the scene's own coordinates;
the force along the present ones is B^T times theirs, B = d own / d present, as in `dynamics.loads.own_coordinates`.
"""

from __future__ import annotations

import math

from ..cache.jit import inner
from ..layout.declaration import Dof, JointWork, Part
from ..layout.memory import address_of, fixed, further, get, put
from .functions import COLUMN, POSE, call_rewrite
from .general import chart_of, data_address, evaluate_part


@inner
def write_as_meant(part, data, charts, dofs, own_q, own_qdot, space):
    """Rewrite a part's coordinates and velocities as its loads mean them: in chart 0, nearest to rest."""
    k, n = fixed(part, Part.COORDINATE), fixed(part, Part.NDOF)
    rest = further(space, JointWork.LIKE)
    for m in range(n):
        put(rest, m, fixed(dofs, (k + m) * Dof.SIZE + Dof.REST))
    call_rewrite(
        fixed(part, Part.REWRITE), data_address(part, data), fixed(part, Part.COUNT), address_of(further(own_q, k), n),
        address_of(further(own_qdot, k), n), n, chart_of(part, charts), 0, address_of(rest, n),
    )  # fmt: skip


@inner
def is_written_otherwise(part, charts, q, own_q):
    """Whether a part's coordinates are not those that its loads mean."""
    differs = chart_of(part, charts) != 0
    for m in range(fixed(part, Part.COORDINATE), fixed(part, Part.COORDINATE) + fixed(part, Part.NDOF)):
        differs |= get(own_q, m) != get(q, m)
    return differs


@inner
def coordinate_change(part, data, charts, q, qdot, own_q, own_qdot, space):
    """B = d own / d present of a part, (n, n) row by row, into the work space: S_own B = S.

    Columns of S_own are made orthogonal one after another (modified Gram-Schmidt), and S with them. In a gimbal lock of
    the own coordinates B has no bound.
    """
    k, n = fixed(part, Part.COORDINATE), fixed(part, Part.NDOF)
    own, present, B = further(space, JointWork.RESULT), further(space, JointWork.PRESENT), further(space, JointWork.B)
    evaluate_part(part, data, 0, further(own_q, k), further(own_qdot, k), own)
    evaluate_part(part, data, chart_of(part, charts), further(q, k), further(qdot, k), present)
    A, X, R = further(own, POSE), further(present, POSE), further(own, POSE + COLUMN * n)  # Sdot is not needed
    for c in range(n):
        square = 0.0
        for row in range(COLUMN):
            square += get(A, row * n + c) ** 2
        length = math.sqrt(square)
        put(R, c * n + c, length)
        for row in range(COLUMN):
            put(A, row * n + c, get(A, row * n + c) / length)
        for d in range(c + 1, n):
            take_off(A, c, A, d, n, R, c * n + d)
        for d in range(n):
            take_off(A, c, X, d, n, B, c * n + d)
    for c in range(n - 1, -1, -1):  # R B = Q^T S
        diagonal = get(R, c * n + c)
        for d in range(n):
            x = get(B, c * n + d)
            for e in range(c + 1, n):
                x -= get(R, c * n + e) * get(B, e * n + d)
            put(B, c * n + d, x / diagonal)


@inner
def take_off(A, c, X, d, n, kept, at):
    """Take from column d of X its part along the unit column c of A, and keep how much that is."""
    along = 0.0
    for row in range(COLUMN):
        along += get(A, row * n + c) * get(X, row * n + d)
    for row in range(COLUMN):
        put(X, row * n + d, get(X, row * n + d) - along * get(A, row * n + c))
    put(kept, at, along)


@inner
def turn_loads(part, space, f, K, D):
    """Write a part's loads and the diagonals of their derivatives along its present coordinates: B^T f, B^T K B."""
    k, n, B = fixed(part, Part.COORDINATE), fixed(part, Part.NDOF), further(space, JointWork.B)
    force, stiffness, damping = (
        further(space, JointWork.PRESENT),
        further(space, JointWork.PRESENT + COLUMN),
        further(space, JointWork.PRESENT + 2 * COLUMN),
    )
    for m in range(n):
        put(force, m, f[k + m])
        put(stiffness, m, K[k + m])
        put(damping, m, D[k + m])
    for m in range(n):
        x, y, z = 0.0, 0.0, 0.0
        for c in range(n):
            b = get(B, c * n + m)
            x, y, z = x + b * get(force, c), y + b * b * get(stiffness, c), z + b * b * get(damping, c)
        f[k + m], K[k + m], D[k + m] = x, y, z
