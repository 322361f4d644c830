# SPDX-License-Identifier: GPL-3.0-or-later
"""A position, then a rotation: what the free joints that have their position first share."""

from __future__ import annotations

from ..arrays import Array
from ..spatial.scalar import Matrix, applied, negative_cross_matrix, put_block, transposed


def put_moved_rotation(
    q: Array, qdot: Array, R: Matrix, J: Matrix, Jdot: Matrix, Q: Array, S: Array, Sdot: Array
) -> None:
    """Q = T R of a position q[:3] and a rotation R whose rates qdot[3:] turn it at J qdot[3:], in its own axes.

    S = (0 J; R^T 0) and Sdot = (0 Jdot; -[J rdot] R^T 0). R, J, Jdot: nine numbers each.
    """
    put_block(Q, 0, 0, R)
    Q[0, 3], Q[1, 3], Q[2, 3] = q[0], q[1], q[2]
    put_block(S, 0, 3, J)
    put_block(S, 3, 0, transposed(R))
    put_block(Sdot, 0, 3, Jdot)
    x, y, z = applied(J, qdot[3], qdot[4], qdot[5])
    put_block(Sdot, 3, 0, negative_cross_matrix(x, y, z, transposed(R)))
