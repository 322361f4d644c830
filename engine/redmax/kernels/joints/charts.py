# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled recentring: the same pose and motion in coordinates away from singularities, and how fast joints turn."""

from __future__ import annotations

import math

from ..cache.jit import inner
from ..layout.declaration import Column, Link, Part
from ..layout.memory import address_of, fixed, further, get, get3, put
from .functions import call_recentre
from .general import chart_of, data_address


@inner
def recentre(n, links, parts, data, charts, q, qdot):
    """Recentre all simulated joints (`Joint.recentre_in_place`); whether anything changed."""
    changed = False
    for j in range(n):
        link = further(links, j * Link.SIZE)
        if fixed(link, Link.PRESCRIBED):
            continue
        for i in range(fixed(link, Link.FIRST), fixed(link, Link.LAST)):
            part = further(parts, i * Part.SIZE)
            address, k, count = fixed(part, Part.RECENTRE), fixed(part, Part.COORDINATE), fixed(part, Part.NDOF)
            if address == 0:
                continue
            chart = call_recentre(
                address, data_address(part, data), fixed(part, Part.COUNT), address_of(further(q, k), count),
                address_of(further(qdot, k), count), count, chart_of(part, charts),
            )  # fmt: skip
            if chart >= 0:
                changed = True
                if fixed(part, Part.SLOT) >= 0:
                    put(charts, fixed(part, Part.SLOT), chart)
    return changed


@inner
def turn_rate(n, links, columns, qdot):
    """Fastest relative rotation [rad/s] of simulated joints that have a singularity, from S as placed."""
    fastest = 0.0
    for j in range(n):
        link = further(links, j * Link.SIZE)
        if fixed(link, Link.PRESCRIBED) or not fixed(link, Link.SINGULAR):
            continue
        x, y, z = 0.0, 0.0, 0.0
        for k in range(fixed(link, Link.DOF), fixed(link, Link.DOF) + fixed(link, Link.NDOF)):
            s, v = get3(further(columns, k * Column.SIZE), Column.S), get(qdot, k)
            x, y, z = x + v * s[0], y + v * s[1], z + v * s[2]
        fastest = max(fastest, math.sqrt(x * x + y * y + z * z))
    return fastest
