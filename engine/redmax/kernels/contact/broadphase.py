# SPDX-License-Identifier: GPL-3.0-or-later
"""Which surfaces are near each other: boxes along the axes of the world, swept along the one they spread most on."""

from __future__ import annotations

import math

from ...arrays import Array, IntArray
from ...surfaces import layout
from .sizes import BOUNDS, MAGIC, ORDER, pair_list_at, pairs_room
from .vectors import Pose, pose_at

USED = 20261


def put_poses(ints: IntArray, numbers: Array, poses: Array, work: Array) -> None:
    """Write the pose of every surface in the world, 12 numbers each."""
    count = ints[layout.SURFACES]
    for s in range(count):
        local = pose_at(numbers, ints[layout.SURFACE_NUMBERS] + s * layout.NUMBERS + layout.R_JS)
        body = ints[ints[layout.SURFACE_INTS] + s * layout.INTS + layout.BODY]
        if body < 0:
            put_pose(work, 12 * s, local)
            continue
        up = pose_at(poses, 12 * body)
        for i in range(3):
            x, y, z = up[3 * i], up[3 * i + 1], up[3 * i + 2]
            for k in range(3):
                work[12 * s + 3 * i + k] = x * local[k] + y * local[3 + k] + z * local[6 + k]
            work[12 * s + 9 + i] = x * local[9] + y * local[10] + z * local[11] + up[9 + i]


def put_pose(work: Array, at: int, E: Pose) -> None:
    for k in range(12):
        work[at + k] = E[k]


def put_boxes(ints: IntArray, numbers: Array, margins: Array, work: Array) -> None:
    """Write the box around every surface with its margin, after the poses."""
    count = ints[layout.SURFACES]
    for s in range(count):
        extent = ints[layout.SURFACE_NUMBERS] + s * layout.NUMBERS + layout.EXTENT
        reach = numbers[ints[layout.SURFACE_NUMBERS] + s * layout.NUMBERS + layout.REACH] + margins[s]
        box = 12 * count + BOUNDS * s
        for i in range(3):
            row = 12 * s + 3 * i
            half = reach
            if numbers[extent] < math.inf:
                half = (
                    abs(work[row]) * numbers[extent]
                    + abs(work[row + 1]) * numbers[extent + 1]
                    + abs(work[row + 2]) * numbers[extent + 2]
                    + margins[s]
                )
                half = min(half, reach)
            work[box + i], work[box + 3 + i] = work[12 * s + 9 + i] - half, work[12 * s + 9 + i] + half


def boxes_overlap(count: int, a: int, b: int, work: Array) -> bool:
    p, q = 12 * count + BOUNDS * a, 12 * count + BOUNDS * b
    for i in range(3):  # noqa: SIM110  (kernels have no generators)
        if work[p + i] > work[q + 3 + i] or work[q + i] > work[p + 3 + i]:
            return False
    return True


def can_touch(ints: IntArray, low: int, high: int) -> bool:
    """Whether two surfaces may touch at all, as `PackedSurfaces.can_touch` says. low: the lower number."""
    a = ints[layout.SURFACE_INTS] + low * layout.INTS
    b = ints[layout.SURFACE_INTS] + high * layout.INTS
    if ints[a + layout.CLUSTER] == ints[b + layout.CLUSTER]:
        return False
    if ints[a + layout.SCENERY] == 1 and ints[b + layout.SCENERY] == 1:
        return False
    if (ints[a + layout.MASK] >> ints[b + layout.GROUP]) & 1 == 0:
        return False
    if (ints[b + layout.MASK] >> ints[a + layout.GROUP]) & 1 == 0:
        return False
    shape_a, shape_b = ints[a + layout.SHAPE], ints[b + layout.SHAPE]
    if is_endless(shape_a) and is_endless(shape_b):
        return False
    start = ints[layout.EXCLUDED] + ints[a + layout.FIRST_EXCLUDED]
    for k in range(start, start + ints[a + layout.EXCLUDED_COUNT]):  # noqa: SIM110
        if ints[k] == high:
            return False
    return True


def is_endless(shape: int) -> bool:
    """Planes, meshes and heightfields do not touch each other."""
    return shape in layout.SCENERY_SHAPES


def put_pairs(ints: IntArray, marks: IntArray, work: Array) -> int:
    """Write all pairs whose boxes overlap and that can touch, in order; how many, -1 where there is no room.

    From `pair_list_at` on: at a where the surfaces b of surface a begin, at a + 1 where they end, counted from what
    follows: all surfaces b, ascending for each a.
    """
    count = ints[layout.SURFACES]
    room, first = pairs_room(count), pair_list_at(count)
    pairs_of, found_a, found_b = first + count + 2, first + count + 2 + room, first + count + 2 + 2 * room
    axis = widest_axis(count, work)
    sort_along(count, axis, marks, work)
    for s in range(count + 2):
        marks[first + s] = 0
    found = 0
    for k in range(count):
        i = marks[ORDER + k]
        top = work[12 * count + BOUNDS * i + 3 + axis]
        for m in range(k + 1, count):
            j = marks[ORDER + m]
            if work[12 * count + BOUNDS * j + axis] > top:
                break
            if boxes_overlap(count, i, j, work) and can_touch(ints, min(i, j), max(i, j)):
                if found == room:
                    return -1
                marks[found_a + found], marks[found_b + found] = min(i, j), max(i, j)
                marks[first + min(i, j) + 2] += 1
                found += 1
    for s in range(count):
        marks[first + s + 2] += marks[first + s + 1]
    # Now a + 1 holds where those of a begin, and moves to where they end while they are put in.
    for k in range(found):
        a = marks[found_a + k]
        marks[pairs_of + marks[first + a + 1]] = marks[found_b + k]
        marks[first + a + 1] += 1
    for s in range(count):
        sort(pairs_of + marks[first + s], pairs_of + marks[first + s + 1], marks)
    return found


def sort(begin: int, end: int, marks: IntArray) -> None:
    """Put a short part of an array in ascending order."""
    for k in range(begin + 1, end):
        value, m = marks[k], k
        while m > begin and marks[m - 1] > value:
            marks[m] = marks[m - 1]
            m -= 1
        marks[m] = value


def widest_axis(count: int, work: Array) -> int:
    """The axis on which the middles of finite boxes spread most."""
    best, most = 0, -1.0
    for axis in range(3):
        total, square, finite = 0.0, 0.0, 0
        for s in range(count):
            box = 12 * count + BOUNDS * s + axis
            if work[box] > -math.inf and work[box + 3] < math.inf:
                x = 0.5 * (work[box] + work[box + 3])
                total, square, finite = total + x, square + x * x, finite + 1
        spread = square - total * total / finite if finite > 0 else 0.0
        if spread > most:
            best, most = axis, spread
    return best


def sort_along(count: int, axis: int, marks: IntArray, work: Array) -> None:
    """Order surfaces by where their boxes begin on an axis, then by their numbers; quick where little has changed."""
    if marks[MAGIC] != USED:
        marks[MAGIC] = USED
        for k in range(count):
            marks[ORDER + k] = k
    for k in range(1, count):
        s = marks[ORDER + k]
        x, m = work[12 * count + BOUNDS * s + axis], k - 1
        while m >= 0:
            other = marks[ORDER + m]
            y = work[12 * count + BOUNDS * other + axis]
            if y < x or (y == x and other < s):
                break
            marks[ORDER + m + 1] = other
            m -= 1
        marks[ORDER + m + 1] = s
