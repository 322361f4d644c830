# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast two surfaces in contact slip on each other and pivot, as rows on the coordinates of their joint.

The contact point runs over either surface. Where it runs equally fast over both, they roll without slipping:
v1 = R12 v2, with the velocities of the frames E1 and E2 in their own axes and R12 between them.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..arrays import Array
from . import slip_row
from .contacts import AT_ZERO, Points, Sized, contact_sides, surface_contact
from .grammar import transform
from .graph import Graph, Node
from .tape import MASK, SHIFT, play, tape
from .transforms import Pose, added, applied
from .written import coordinates, known_names

ROWS = 3
"""Slip along y and along z of the frame on the first surface [m/s], and pivoting about the normal [rad/s]."""


@lru_cache(maxsize=256)
def slip_tape(
    first: Sized, second: Sized, *, spin: bool, twist: float, inside: bool, chart: int, points: Points = AT_ZERO
) -> tuple[float, ...]:
    """Tape of C (ROWS, n), row by row, and of its derivative times qdot (ROWS,), in one chart of a contact."""
    texts = surface_contact(first, second, spin=spin, twist=twist, inside=inside, points=points)
    names = coordinates(texts.coordinates).names
    n = len(names)
    g = Graph(2 * n)
    known = known_names(g, g.inputs[:n], names, texts.constants)
    a, b = contact_sides(first[0], second[0], spin=spin, points=points)[chart]
    between = f"Rx({'twist + spin' if spin else 'twist'})" + ("" if inside else " * Rz(pi)")
    poses = []
    for text in (a.frame, b.frame, between):
        pose = Pose(g, g.inputs[:n], g.inputs[n:])
        pose.append(transform(g, known, text))
        poses.append(pose)
    one, two, R12 = poses
    C: list[list[Node]] = [[], [], []]
    for k in range(n):
        (w1, v1), (w2, v2), (w12, _) = one.S[k], two.S[k], R12.S[k]
        back = applied(R12.R, v2)
        # the child turns as E1 does, then as R12, then as E2 backwards
        turn = added(w1, applied(R12.R, w12))[0] - applied(R12.R, w2)[0]
        for row, node in zip(C, (v1[1] - back[1], v1[2] - back[2], turn), strict=True):
            row.append(node)
    rates = [sum((one.rate(node) * speed for node, speed in zip(row, one.qdot, strict=True)), g.zero) for row in C]
    return tuple(tape(g, [*(node for row in C for node in row), *rates], [0.0] * (ROWS * n + ROWS)))


COMPONENTS = (4, 5, 0)
"""Of the twist of the child relative to the parent, seen from the frame on the first surface: what the rows are."""


def row_numbers(
    first: Sized, second: Sized, *, spin: bool, twist: float, inside: bool, points: Points, frame: Array, row: int
) -> tuple[float, ...]:
    """The numbers of `slip_row`. frame: (4, 4) of the joint on the parent. row: one of ROWS."""
    count, tapes = _frame_tapes(first, second, spin=spin, twist=twist, inside=inside, points=points)
    numbers = [0.0] * slip_row.TAPES
    numbers[slip_row.COUNT], numbers[slip_row.COMPONENT] = float(count), float(COMPONENTS[row])
    numbers[slip_row.FRAME : slip_row.FRAME + 12] = np.asarray(frame)[:3].ravel().tolist()
    for chart, each in enumerate(tapes):
        numbers[slip_row.STARTS + chart] = float(len(numbers))
        numbers += each
    return tuple(numbers)


@lru_cache(maxsize=256)
def _frame_tapes(
    first: Sized, second: Sized, *, spin: bool, twist: float, inside: bool, points: Points
) -> tuple[int, tuple[tuple[float, ...], ...]]:
    """How many coordinates the first surface has, and tapes of the frame on it in each chart."""
    texts = surface_contact(first, second, spin=spin, twist=twist, inside=inside, points=points)
    sides = contact_sides(first[0], second[0], spin=spin, points=points)
    count, tapes = len(sides[0][0].names), []
    for a, _ in sides:
        g = Graph(2 * count)
        pose = Pose(g, g.inputs[:count], g.inputs[count:])
        pose.append(transform(g, known_names(g, g.inputs[:count], a.names, texts.constants), a.frame))
        identity = [float(slot % 5 == 0) for slot in range(12)]
        tapes.append(tuple(tape(g, pose.results, [*identity, *[0.0] * (12 * count)])))
    return count, tuple(tapes)


def slip(numbers: tuple[float, ...], q: Array, qdot: Array) -> tuple[Array, Array]:
    """C (ROWS, n) and Cdot qdot (ROWS,), from a `slip_tape`."""
    n = len(q)
    registers = [*q.tolist(), *qdot.tolist(), *[0.0] * (int(numbers[0]) - 2 * n)]
    place = play(numbers, 0, registers)  # type: ignore[arg-type]
    found = np.zeros(ROWS * n + ROWS)
    for word in numbers[place:]:
        found[int(word) >> SHIFT] = registers[int(word) & MASK]
    return found[: ROWS * n].reshape(ROWS, n), found[ROWS * n :]
