# SPDX-License-Identifier: GPL-3.0-or-later
"""Rolling without slipping as a row on two bodies, in plain arithmetic that kernels compile.

1 is the frame on the first surface where it is touched, a and b are the bodies. The twist of the child relative to the
parent, seen from 1, is nu = Ad(E_1b) V_b - Ad(E_1a) V_a. Its velocities along y and z are how fast the surfaces slip,
its rotation about x is how fast they pivot. Frame 1 moves over the first surface with the twist sigma = S1 (u', v'), so
that d(Ad(E_1a))/dt = -ad(sigma) Ad(E_1a) and d(Ad(E_1b))/dt = -ad(sigma - nu) Ad(E_1b).
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..spatial.scalar import applied, cross, product, turned_back, turned_into
from .tape import play_motion

Q, QDOT, CHART, COUNT, COMPONENT, FRAME, STARTS = 0, 6, 12, 13, 14, 15, 27
"""Places in a row's numbers: coordinates and velocities of the joint, and the chart they are written in; how many of
them the first surface has; which component of the twist is meant; E_aj, the joint frame on the parent, as rows of 4;
and where the tape of frame 1 in each chart begins."""

MOST_CHARTS = 4
TAPES = STARTS + MOST_CHARTS


def slip_row(data: Array, E_a: Array, V_a: Array, E_b: Array, V_b: Array, result: Array) -> None:
    """How fast a contact slips or pivots; see `constraints.packed_rows.FunctionRow`. It has no error."""
    n, component = int(data[COUNT]), int(data[COMPONENT])
    E, S, unused = np.eye(4), np.zeros((6, n)), np.zeros((6, n))
    start = int(data[STARTS + int(data[CHART])])
    play_motion(data, start, data[Q : Q + n], data[QDOT : QDOT + n], E, S, unused)
    s0, s1, s2, s3, s4, s5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(n):
        x = data[QDOT + k]
        s0, s1, s2 = s0 + x * S[0, k], s1 + x * S[1, k], s2 + x * S[2, k]
        s3, s4, s5 = s3 + x * S[3, k], s4 + x * S[4, k], s5 + x * S[5, k]
    A = (E_a[0, 0], E_a[0, 1], E_a[0, 2], E_a[1, 0], E_a[1, 1], E_a[1, 2], E_a[2, 0], E_a[2, 1], E_a[2, 2])
    B = (E_b[0, 0], E_b[0, 1], E_b[0, 2], E_b[1, 0], E_b[1, 1], E_b[1, 2], E_b[2, 0], E_b[2, 1], E_b[2, 2])
    J = (data[FRAME], data[FRAME + 1], data[FRAME + 2], data[FRAME + 4], data[FRAME + 5], data[FRAME + 6],
         data[FRAME + 8], data[FRAME + 9], data[FRAME + 10])  # fmt: skip
    R = (E[0, 0], E[0, 1], E[0, 2], E[1, 0], E[1, 1], E[1, 2], E[2, 0], E[2, 1], E[2, 2])
    p0, p1, p2 = applied(J, E[0, 3], E[1, 3], E[2, 3])
    p_a = (p0 + data[FRAME + 3], p1 + data[FRAME + 7], p2 + data[FRAME + 11])
    R_a = product(J, R)
    R_w = product(A, R_a)
    p0, p1, p2 = applied(A, p_a[0], p_a[1], p_a[2])
    p0, p1, p2 = p0 + E_a[0, 3] - E_b[0, 3], p1 + E_a[1, 3] - E_b[1, 3], p2 + E_a[2, 3] - E_b[2, 3]
    p_b = turned_into(B, p0, p1, p2)
    R_b = product((B[0], B[3], B[6], B[1], B[4], B[7], B[2], B[5], B[8]), R_w)
    k = component % 3
    put_component(result, 1, R_a[k], R_a[k + 3], R_a[k + 6], p_a, component, -1.0)
    put_component(result, 7, R_b[k], R_b[k + 3], R_b[k + 6], p_b, component, 1.0)
    a0, a1, a2, a3, a4, a5 = turned_back(R_a, p_a, V_a[0], V_a[1], V_a[2], V_a[3], V_a[4], V_a[5])
    b0, b1, b2, b3, b4, b5 = turned_back(R_b, p_b, V_b[0], V_b[1], V_b[2], V_b[3], V_b[4], V_b[5])
    # sigma - nu: how frame 1 moves as the child sees it
    c0, c1, c2, c3, c4, c5 = s0 - b0 + a0, s1 - b1 + a1, s2 - b2 + a2, s3 - b3 + a3, s4 - b4 + a4, s5 - b5 + a5
    if component < 3:
        x, y = cross(c0, c1, c2, b0, b1, b2), cross(s0, s1, s2, a0, a1, a2)
        result[13] = y[k] - x[k]
    else:
        x, y = cross(c0, c1, c2, b3, b4, b5), cross(s0, s1, s2, a3, a4, a5)
        z, w = cross(c3, c4, c5, b0, b1, b2), cross(s3, s4, s5, a0, a1, a2)
        result[13] = y[k] + w[k] - x[k] - z[k]


def put_component(
    result: Array, start: int, x: float, y: float, z: float, p: tuple[float, float, float], component: int, sign: float
) -> None:
    """A component of a twist as seen from a frame at p, one of whose axes is (x, y, z), as six numbers on the twist."""
    if component < 3:
        result[start], result[start + 1], result[start + 2] = sign * x, sign * y, sign * z
        return
    t0, t1, t2 = cross(p[0], p[1], p[2], x, y, z)
    result[start], result[start + 1], result[start + 2] = sign * t0, sign * t1, sign * t2
    result[start + 3], result[start + 4], result[start + 5] = sign * x, sign * y, sign * z
