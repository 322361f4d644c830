# SPDX-License-Identifier: GPL-3.0-or-later
"""All contact points of a model's surfaces: the whole of detection in one function."""

from __future__ import annotations

from typing import Any

from ...arrays import Array, IntArray
from ...surfaces import layout
from .broadphase import boxes_overlap, can_touch, put_boxes, put_pairs, put_pose, put_poses
from .manifold import OUT
from .pairs.table import PAIRS
from .sizes import BOUNDS, PAIR_IDS, PAIR_NUMBERS, PAIR_OUT, pair_ints_at, pair_list_at
from .vectors import dot, minus, placed, pose_at, put_vector, relative, times, turned, vector_at

SURFACE_A, SURFACE_B, FEATURE = range(3)
IDS = 3
"""Integers of a contact point."""
NUMBERS = OUT
"""Numbers of a contact point: midway between both surfaces, normal from b to a, gap; in the world."""


def find_contacts(
    ints: IntArray,
    numbers: Array,
    poses: Array,
    margins: Array,
    marks: IntArray,
    work: Array,
    out_ints: IntArray,
    out_numbers: Array,
) -> int:
    """Write all contact points in the order of their surfaces; how many. Negative: there is no room for so many.

    ints, numbers: of `PackedSurfaces`. poses: (12 n,) pose of the *joint frame* of each body in the world, matrix by
    rows and origin. margins: (s,) [m]; points count up to the sum of both surfaces' margins apart. marks, work: work
    space, as long as `sizes.work_sizes` says, zeros before the first call. out_ints: IDS for each point, the surface of
    the lower number first. out_numbers: NUMBERS for each.
    """
    count = ints[layout.SURFACES]
    room = min(len(out_ints) // IDS, len(out_numbers) // NUMBERS)
    put_poses(ints, numbers, poses, work)
    put_boxes(ints, numbers, margins, work)
    found = put_pairs(ints, marks, work)
    first, points = pair_list_at(count), 0
    for a in range(count):
        if found >= 0:
            for k in range(marks[first + a], marks[first + a + 1]):
                b = marks[first + count + 2 + k]
                points = add_pair(ints, numbers, a, b, margins, marks, work, points, room, out_ints, out_numbers)
        else:  # too many for the list: all pairs, one by one
            for b in range(a + 1, count):
                if boxes_overlap(count, a, b, work) and can_touch(ints, a, b):
                    points = add_pair(ints, numbers, a, b, margins, marks, work, points, room, out_ints, out_numbers)
    return points if points <= room else -points


def add_pair(
    ints: IntArray,
    numbers: Array,
    a: int,
    b: int,
    margins: Array,
    marks: IntArray,
    work: Array,
    points: int,
    room: int,
    out_ints: IntArray,
    out_numbers: Array,
) -> int:
    """Add the contact points of two surfaces; how many there are then, counted also where there is no room."""
    count = ints[layout.SURFACES]
    shape_a = ints[ints[layout.SURFACE_INTS] + a * layout.INTS + layout.SHAPE]
    shape_b = ints[ints[layout.SURFACE_INTS] + b * layout.INTS + layout.SHAPE]
    margin, turn = margins[a] + margins[b], shape_a > shape_b
    i, k = (b, a) if turn else (a, b)
    E, F = pose_at(work, 12 * i), pose_at(work, 12 * k)
    reach = margin + numbers[ints[layout.SURFACE_NUMBERS] + i * layout.NUMBERS + layout.REACH]
    reach += numbers[ints[layout.SURFACE_NUMBERS] + k * layout.NUMBERS + layout.REACH]
    d = minus((E[9], E[10], E[11]), (F[9], F[10], F[11]))
    if dot(d, d) > reach * reach:
        return points
    own, spare = work[(12 + BOUNDS) * count :], marks[pair_ints_at(count) :]
    put_pose(own, 0, relative(E, F))
    found = collide(
        min(shape_a, shape_b) * layout.SHAPES + max(shape_a, shape_b),
        ints, numbers, i, k, margin, own, spare, own[PAIR_OUT:PAIR_NUMBERS], spare[PAIR_IDS:], marks,
    )  # fmt: skip
    for p in range(found):
        if points < room:
            at, row = NUMBERS * points, PAIR_OUT + OUT * p
            n = turned(E, vector_at(own, row + 3))
            put_vector(out_numbers, at, placed(E, vector_at(own, row)))
            put_vector(out_numbers, at + 3, times(-1.0, n) if turn else n)
            out_numbers[at + 6] = own[row + 6]
            out_ints[IDS * points + SURFACE_A], out_ints[IDS * points + SURFACE_B] = a, b
            out_ints[IDS * points + FEATURE] = spare[PAIR_IDS + p]
        points += 1
    return points


def collide(
    code: int,
    ints: IntArray,
    numbers: Array,
    a: int,
    b: int,
    margin: float,
    work: Array,
    spare: IntArray,
    out: Array,
    ids: IntArray,
    _marks: Any,
) -> int:
    """Call the function of a pair of shapes. Kernels call it by its address, which `_marks` holds (`compiled`)."""
    return PAIRS[int(code) // layout.SHAPES, int(code) % layout.SHAPES](
        ints, numbers, a, b, margin, work, spare, out, ids
    )
