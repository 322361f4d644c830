# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact points of a placed mechanism, what they are made of, and how surfaces move there."""

from __future__ import annotations

import math

import numpy as np

from ...surfaces.layout import NUMBERS, R_JS, SURFACE_NUMBERS
from ...surfaces.materials import BOUNCE, BOUNCE_ABOVE, of_pair
from ...surfaces.materials import CONVEYOR as SKIN
from ..cache.jit import inner
from ..cache.same_text import compiled_text
from ..contact.compiled import call_find
from ..contact.manifold import OUT
from ..spatial import applied, cross
from . import numbers as at

FIRST_ROOM = 64
_of_pair = compiled_text(of_pair)


@inner
def put_margins(par, surfaces, rates, h, margins):
    """Write how far each surface may come within h [s], about (s,) [m]."""
    _, _, _, bodies, arms, _ = surfaces
    g = par[at.GRAVITY]
    for s in range(bodies.shape[0]):
        b = bodies[s]
        v = math.sqrt(rates[b, 3] ** 2 + rates[b, 4] ** 2 + rates[b, 5] ** 2)
        w = math.sqrt(rates[b, 6] ** 2 + rates[b, 7] ** 2 + rates[b, 8] ** 2)
        margins[s] = 0.5 * par[at.LINGERING] + 1.2 * h * (v + w * arms[s] + g * h)


@inner
def tangents(n0, n1, n2):
    """Two unit vectors that make right-handed axes with a unit normal; see `integrators.contact.points.axes_of`."""
    sign = 1.0 if n2 >= 0.0 else -1.0
    a = -1.0 / (sign + n2)
    b = n0 * n1 * a
    return 1.0 + sign * n0 * n0 * a, sign * b, -sign * n0, b, sign + n1 * n1 * a, -n1


@inner
def skin_velocity(surfaces, poses, s):
    """Velocity of a skin relative to its body, along the world's axes."""
    _, numbers, materials, bodies, _, _ = surfaces
    ints = surfaces[0]
    row = ints[SURFACE_NUMBERS] + s * NUMBERS + R_JS
    c0, c1, c2 = materials[s, SKIN], materials[s, SKIN + 1], materials[s, SKIN + 2]
    x = numbers[row] * c0 + numbers[row + 1] * c1 + numbers[row + 2] * c2
    y = numbers[row + 3] * c0 + numbers[row + 4] * c1 + numbers[row + 5] * c2
    z = numbers[row + 6] * c0 + numbers[row + 7] * c1 + numbers[row + 8] * c2
    b = bodies[s]
    if 12 * b >= poses.shape[0]:
        return x, y, z
    p = 12 * b
    R = (poses[p], poses[p + 1], poses[p + 2], poses[p + 3], poses[p + 4], poses[p + 5], poses[p + 6], poses[p + 7], poses[p + 8])  # fmt: skip  # noqa: E501
    return applied(R, x, y, z)


@inner
def find_points(surfaces, detection, poses, margins):
    """All contact points: how many, (k, 3) surfaces and feature, (k, POINT) numbers."""
    ints, numbers, materials, _bodies, _, _ = surfaces
    find_at, marks, work = detection
    room = FIRST_ROOM
    ids, out = np.empty((room, 3), np.int64), np.empty((room, OUT))
    while True:
        count = call_find(
            find_at, ints.ctypes.data, ints.size, numbers.ctypes.data, numbers.size, poses.ctypes.data,
            poses.shape[0] // 12, margins.ctypes.data, marks.ctypes.data, work.ctypes.data, ids.ctypes.data,
            out.ctypes.data, room,
        )  # fmt: skip
        if count >= 0:
            break
        room = -2 * count
        ids, out = np.empty((room, 3), np.int64), np.empty((room, OUT))
    found = np.zeros((count, at.POINT))
    for i in range(count):
        for j in range(7):
            found[i, j] = out[i, j]
        n0, n1, n2 = out[i, 3], out[i, 4], out[i, 5]
        half = 0.5 * out[i, 6]
        t = tangents(n0, n1, n2)
        for j in range(6):
            found[i, at.TANGENT + j] = t[j]
        found[i, 13], found[i, 14], found[i, 15] = out[i, 0] + half * n0, out[i, 1] + half * n1, out[i, 2] + half * n2
        found[i, 16], found[i, 17], found[i, 18] = out[i, 0] - half * n0, out[i, 1] - half * n1, out[i, 2] - half * n2
        a, b = ids[i, 0], ids[i, 1]
        pair = _of_pair(ints, numbers, materials, a, b)
        for j in range(6):
            found[i, at.MATERIAL + j] = pair[j]
        moved = False
        for j in range(SKIN, SKIN + 3):
            moved = moved or materials[a, j] != 0.0 or materials[b, j] != 0.0
        if moved:
            x0, x1, x2 = skin_velocity(surfaces, poses, a)
            y0, y1, y2 = skin_velocity(surfaces, poses, b)
            found[i, at.CONVEYOR], found[i, at.CONVEYOR + 1], found[i, at.CONVEYOR + 2] = x0 - y0, x1 - y1, x2 - y2
    return count, ids[:count].copy(), found


@inner
def point_velocity(centers, motion, body, x0, x1, x2):
    """Velocity of a point of a body that stands where `centers` says and moves as `motion` says."""
    u0, u1, u2 = cross(
        motion[body, 6], motion[body, 7], motion[body, 8],
        x0 - centers[body, 0], x1 - centers[body, 1], x2 - centers[body, 2],
    )  # fmt: skip
    return motion[body, 3] + u0, motion[body, 4] + u1, motion[body, 5] + u2


@inner
def relative_velocity(surfaces, centers, motion, ids, found, i):
    """Velocity of the first body at point i less that of the second."""
    bodies = surfaces[3]
    a0, a1, a2 = point_velocity(centers, motion, bodies[ids[i, 0]], found[i, 13], found[i, 14], found[i, 15])
    b0, b1, b2 = point_velocity(centers, motion, bodies[ids[i, 1]], found[i, 16], found[i, 17], found[i, 18])
    return a0 - b0, a1 - b1, a2 - b2


@inner
def parting(surfaces, centers, motion, ids, found, i):
    """How fast the surfaces part at point i [m/s]."""
    u0, u1, u2 = relative_velocity(surfaces, centers, motion, ids, found, i)
    return u0 * found[i, 3] + u1 * found[i, 4] + u2 * found[i, 5]


@inner
def find_key(ids, count, a, b, feature):
    """The place of a point in a list in the order of surfaces, or -1."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if ids[middle, 0] < a or (ids[middle, 0] == a and ids[middle, 1] < b):
            low = middle + 1
        else:
            high = middle
    while low < count and ids[low, 0] == a and ids[low, 1] == b:
        if ids[low, 2] == feature:
            return low
        low += 1
    return -1


@inner
def first_of_pair(ids, count, a, b):
    """The place of the first point of two surfaces in a list in the order of surfaces, or -1."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if ids[middle, 0] < a or (ids[middle, 0] == a and ids[middle, 1] < b):
            low = middle + 1
        else:
            high = middle
    return low if low < count and ids[low, 0] == a and ids[low, 1] == b else -1


@inner
def moves(topology, surfaces, ids, i):
    """Whether forces can move a side of point i."""
    tree_of_body, bodies = topology[0], surfaces[3]
    return tree_of_body[bodies[ids[i, 0]]] >= 0 or tree_of_body[bodies[ids[i, 1]]] >= 0


@inner
def bounces(par, found, i, approach):
    """Whether surfaces that approach each other so fast at point i part again."""
    above = max(found[i, at.MATERIAL + BOUNCE_ABOVE], par[at.SLOW])
    return found[i, at.MATERIAL + BOUNCE] > 0.0 and approach > above


@inner
def resting(par, surfaces, rates, count, ids, found, warm_ids, step, rest):
    """Write which points touch and neither part nor are about to bounce. warm_ids: those that pushed in the step
    before. step: how long steps are, about [s]."""
    for i in range(count):
        gap = found[i, at.GAP]
        rest[i] = gap <= par[at.LINGERING]
        if rest[i]:
            speed = parting(surfaces, rates, rates, ids, found, i)
            touches = gap <= par[at.CLOSED] and speed <= par[at.SETTLING]
            if not touches and speed * step <= par[at.LINGERING]:
                touches = find_key(warm_ids, warm_ids.shape[0], ids[i, 0], ids[i, 1], ids[i, 2]) >= 0
            rest[i] = touches and not bounces(par, found, i, -speed)
