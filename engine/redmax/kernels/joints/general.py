# SPDX-License-Identifier: GPL-3.0-or-later
"""Any joint: placed by its own function (`Joint.evaluate`), part after part, each in the frame the former ones reach.

Velocity products are gathered along the way, for accelerations of points; see `tree.motion`.
"""

from __future__ import annotations

from ..cache.jit import inlined, inner
from ..layout.declaration import Body, Column, Link, Part, Work
from ..layout.memory import address_of, fixed, fixed3, fixed9, further, get, get3, get6, put3, put6, put_all
from ..spatial import applied, centripetal, cross, product, turned_back, turned_into
from ..tree.motion import keep_bias
from .functions import COLUMN, POSE, call_evaluate


@inlined
def chart_of(part, charts):
    """Chart in which the coordinates of a part are written."""
    slot = fixed(part, Part.SLOT)
    return get(charts, slot) if slot >= 0 else 0


@inlined
def data_address(part, data):
    """Address of the numbers that a part's functions read."""
    return address_of(further(data, fixed(part, Part.DATA)), fixed(part, Part.COUNT))


@inner
def evaluate_part(part, data, chart, q, qdot, result):
    """Q, S and Sdot of one part, into `result`; q, qdot: of its first coordinate."""
    n = fixed(part, Part.NDOF)
    call_evaluate(
        fixed(part, Part.EVALUATE), data_address(part, data), fixed(part, Part.COUNT), address_of(q, n),
        address_of(qdot, n), n, chart, address_of(result, POSE + 2 * COLUMN * n),
    )  # fmt: skip


@inlined
def rate(result, start, n, qdot):
    """S qdot or Sdot qdot of a part, whose rows of n numbers begin at `start` of the result."""
    x0, x1, x2, x3, x4, x5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for m in range(n):
        v, at = get(qdot, m), start + m
        x0, x1, x2 = x0 + v * get(result, at), x1 + v * get(result, at + n), x2 + v * get(result, at + 2 * n)
        x3, x4 = x3 + v * get(result, at + 3 * n), x4 + v * get(result, at + 4 * n)
        x5 += v * get(result, at + 5 * n)
    return x0, x1, x2, x3, x4, x5


@inner
def place_general(body, work, up, link, parts, data, charts, columns, q, qdot, result):
    """Pose, angular velocity, velocity products and S of any joint. result: work space for one evaluation."""
    dof = fixed(link, Link.DOF)
    E, (p0, p1, p2) = fixed9(body, Body.R0), fixed3(body, Body.P0)
    w0, w1, w2 = get3(up, Work.V)
    c0, c1, c2 = 0.0, 0.0, 0.0
    c3, c4, c5 = centripetal(w0, w1, w2, p0, p1, p2)
    c3, c4, c5 = turned_into(E, c3, c4, c5)
    w0, w1, w2 = turned_into(E, w0, w1, w2)
    for i in range(fixed(link, Link.FIRST), fixed(link, Link.LAST)):
        part = further(parts, i * Part.SIZE)
        k, n = fixed(part, Part.COORDINATE), fixed(part, Part.NDOF)
        rates = further(qdot, k)
        evaluate_part(part, data, chart_of(part, charts), further(q, k), rates, result)
        a, b, d = get3(result, 0), get3(result, 4), get3(result, 8)
        Q = (a[0], a[1], a[2], b[0], b[1], b[2], d[0], d[1], d[2])
        t = (get(result, 3), get(result, 7), get(result, 11))
        for m in range(dof, k):
            former = further(columns, m * Column.SIZE)
            s0, s1, s2, s3, s4, s5 = get6(former, Column.S)
            s0, s1, s2, s3, s4, s5 = turned_back(Q, t, s0, s1, s2, s3, s4, s5)
            put6(former, Column.S, s0, s1, s2, s3, s4, s5)
        for m in range(n):
            at = POSE + m
            put6(
                further(columns, (k + m) * Column.SIZE), Column.S, get(result, at), get(result, at + n),
                get(result, at + 2 * n), get(result, at + 3 * n), get(result, at + 4 * n), get(result, at + 5 * n),
            )  # fmt: skip
        x0, x1, x2, x3, x4, x5 = rate(result, POSE, n, rates)
        y0, y1, y2, y3, y4, y5 = rate(result, POSE + COLUMN * n, n, rates)
        g0, g1, g2 = centripetal(w0, w1, w2, t[0], t[1], t[2])
        c0, c1, c2, c3, c4, c5 = turned_back(Q, t, c0, c1, c2, c3 + g0, c4 + g1, c5 + g2)
        w0, w1, w2 = turned_into(Q, w0, w1, w2)
        d0, d1, d2 = applied(E, t[0], t[1], t[2])
        p0, p1, p2 = p0 + d0, p1 + d1, p2 + d2
        E = product(E, Q)
        # (w x s, (2 w + s) x u) with the part's own twist (s, u), and Sdot qdot
        a0, a1, a2 = cross(w0, w1, w2, x0, x1, x2)
        d0, d1, d2 = cross(2.0 * w0 + x0, 2.0 * w1 + x1, 2.0 * w2 + x2, x3, x4, x5)
        c0, c1, c2 = c0 + a0 + y0, c1 + a1 + y1, c2 + a2 + y2
        c3, c4, c5 = c3 + d0 + y3, c4 + d1 + y4, c5 + d2 + y5
        w0, w1, w2 = w0 + x0, w1 + x1, w2 + x2
    put_all(work, Work.R, E)
    put3(work, Work.P, p0, p1, p2)
    put3(work, Work.V, w0, w1, w2)
    put6(work, Work.C, c0, c1, c2, c3, c4, c5)
    put3(work, Work.G, 0.0, 0.0, 0.0)
    keep_bias(body, work, w0, w1, w2)
