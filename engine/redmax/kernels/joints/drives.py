# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled drives: where followers are, and inputs without inertia, which are led by other coordinates."""

from __future__ import annotations

from ..cache.jit import inner
from ..layout.declaration import Follower, FollowerNumbers, Head, Led, LedNumbers, Vector
from ..layout.memory import fixed, further, get, put
from .loads import table_motion, table_piece


@inner
def follower_motion(count, followed, numbers, table, arrays, q, qdot):
    """q, dq/dx and d2q/dx2 of a follower, and dx/dt. followed: the coordinates it depends on, a row; numbers: its
    `FollowerNumbers`."""
    x, rate = get(numbers, FollowerNumbers.START), 0.0
    for k in range(count):
        ratio, c = get(numbers, FollowerNumbers.SIZE + k), get(followed, k)
        x += ratio * get(q, c)
        rate += ratio * get(qdot, c)
    slope, bend = 1.0, 0.0
    if table >= 0:
        piece, d = table_piece(arrays.tables, table, arrays.pool, x)
        x, slope, bend = table_motion(arrays.pool, piece, d)
    return get(numbers, FollowerNumbers.OFFSET) + x, slope, bend, rate


@inner
def put_followers(ints, rows, arrays, q, qdot):
    """Coordinates and velocities of all followers, from those of the inputs."""
    for i in range(fixed(ints, Head.FOLLOWERS)):
        follower = further(rows.followers, i * Follower.SIZE)
        value, slope, _, rate = follower_motion(
            fixed(follower, Follower.COUNT), further(rows.followed, fixed(follower, Follower.FOLLOWED)),
            further(rows.pool, fixed(follower, Follower.DATA)), fixed(follower, Follower.TABLE), arrays, q, qdot,
        )  # fmt: skip
        k = fixed(follower, Follower.COORDINATE)
        put(q, k, value)
        put(qdot, k, slope * rate)


@inner
def clear_led(ints, rows, x):
    """Zero x (nr,) at inputs without inertia."""
    for i in range(fixed(ints, Head.LED)):
        put(x, fixed(rows.led, i * Led.SIZE + Led.INPUT), 0.0)


@inner
def put_led(ints, rows, x, are_places):
    """Coordinates x, or with are_places = 0 velocities or accelerations, of inputs without inertia, from the others."""
    clear_led(ints, rows, x)
    for i in range(fixed(ints, Head.LED)):
        led, numbers = further(rows.led, i * Led.SIZE), further(rows.led_numbers, i * LedNumbers.SIZE)
        k, c = fixed(led, Led.INPUT), fixed(led, Led.COORDINATE)
        offset = are_places * get(numbers, LedNumbers.OFFSET)
        put(x, k, get(x, k) + get(numbers, LedNumbers.FACTOR) * (get(x, c) - offset))


@inner
def put_drive_loads(ints, rows):
    """`Vector.DRIVE` with what acts along inputs without inertia, as the coordinates that lead them feel it; the whole
    forces get it, too."""
    nr = fixed(ints, Head.DOFS)
    drive, force = further(rows.vectors, Vector.DRIVE * nr), further(rows.vectors, Vector.FORCE * nr)
    load = further(rows.vectors, Vector.LOAD * nr)
    for k in range(nr):
        put(drive, k, 0.0)
    for i in range(fixed(ints, Head.LED)):
        led = further(rows.led, i * Led.SIZE)
        c = fixed(led, Led.COORDINATE)
        push = get(rows.led_numbers, i * LedNumbers.SIZE + LedNumbers.FACTOR) * get(load, fixed(led, Led.INPUT))
        put(drive, c, get(drive, c) + push)
        put(force, c, get(force, c) + push)
