# SPDX-License-Identifier: GPL-3.0-or-later
"""What a joint looks like: lines in its own frame, made from the motions that the engine gives it.

A glyph shows the ways in which a joint moves, whatever its kind is called: it turns about the line through a ring, a
helix is a screw, a double arrow slides, and a joint that does several of these shows them together. Its size is 1, the
distance from the joint to the tips of its arrows. An axis is seen from every side: along it, one sees the ring.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from .._engine import arrays

Array = arrays.Array

Polyline = Array
"""Points (n, 3) that are joined one after the other."""

ROUND = 32
"""Straight pieces of a circle."""

RING, BALL, YOKE, PIN, THREAD = 0.6, 0.75, 0.8, 0.12, 0.42
"""Radius of a hinge's ring, a ball's circles, a universal joint's forks and their pins, and a screw's thread."""

TURNS, THREADED = 3, 0.75
"""Turns of a screw's thread, and half its length."""

CUBE, PLATE = 0.45, 0.6
"""Half a side of a fixed joint's cube, and of the square in which a planar joint slides."""

RAIL, RAIL_LENGTH = 0.22, 0.6
"""Half the width and half the length of a slider's guide."""

ARROW = 0.17
"""Length of an arrow's head; it is half as wide to each side."""

INSIDE = 0.6
"""Size of what turns where the joint slides as well."""

DASH, PERIOD = 0.13, 0.22
"""Length of a dash, and from dash to dash."""

NO_MOTION = 1e-9
"""A direction that is shorter is none."""

PARALLEL = 1e-6
"""Sine of the angle between directions that are the same."""


def lines_of(S: Array) -> list[Polyline]:
    """Lines of a joint whose coordinates move it by the columns of S (6, n), angular part first."""
    if not np.isfinite(S).all():
        return list(_cross())
    turning = np.linalg.norm(S[:3], axis=0) > NO_MOTION
    is_ball = turning.sum() >= 3  # Euler angles may begin where two of their axes are one
    turns = list(np.eye(3)) if is_ball else _independent(S[:3, turning].T)
    slides = _independent(S[3:, ~turning].T)
    if not turns and not slides:
        return list(_cube())
    pitch = float((S[:3, turning] * S[3:, turning]).sum()) if len(turns) == 1 else 0.0
    size = INSIDE if turns and slides else 1.0
    return [size * line for line in _turning(turns, pitch)] + list(_sliding(slides))


def solid(lines: list[Polyline]) -> Array:
    """Segments (n, 2, 3) of lines."""
    return np.concatenate([np.stack([line[:-1], line[1:]], axis=1) for line in lines])


def dashed(lines: list[Polyline]) -> Array:
    """Segments (n, 2, 3) with gaps between them."""
    return np.concatenate([_dashes(line) for line in lines])


def _dashes(line: Polyline) -> Array:
    """Dashes along a line, the first of which begins at its start."""
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    begin = np.arange(0.0, along[-1] - 0.25 * DASH, PERIOD) if along[-1] > DASH else np.zeros(1)
    end = np.minimum(begin + DASH, along[-1])
    at = np.stack([begin, end], axis=1)
    return np.stack([np.interp(at, along, line[:, k]) for k in range(3)], axis=-1)


def _independent(directions: Array) -> list[Array]:
    """Unit vectors of as many directions (n, 3) as do not follow from those before them."""
    found: list[Array] = []
    for direction in directions:
        length = np.linalg.norm(direction)
        if length <= NO_MOTION:
            continue
        unit = direction / length
        if np.linalg.matrix_rank(np.array([*found, unit]), tol=PARALLEL) > len(found):
            found.append(unit)
    return found


def _turning(axes: list[Array], pitch: float) -> Iterator[Polyline]:
    match axes:
        case [axis] if pitch:
            yield from _arrow(axis, -axis)
            yield _thread(axis, 1.0 if pitch > 0.0 else -1.0)
        case [axis]:
            yield from _hinge(axis)
        case [first, second]:
            yield from _universal(first, second)
        case [_, _, _]:
            for axis in np.eye(3):
                yield _circle(axis, BALL)


def _sliding(axes: list[Array]) -> Iterator[Polyline]:
    for axis in axes:
        yield from _arrow(axis, -axis)
        yield from _head(-axis)
    match axes:
        case [axis]:
            yield from _guide(axis)
        case [first, second]:
            corners = [s * first + t * second for s, t in ((1, 1), (-1, 1), (-1, -1), (1, -1), (1, 1))]
            yield PLATE * np.array(corners)


def _hinge(axis: Array) -> Iterator[Polyline]:
    """The axis, and a ring with a head that points the way a positive angle turns."""
    yield from _arrow(axis, -axis)
    yield _circle(axis, RING)
    x, y = _across(axis)
    tip = RING * x
    for side in (x, -x):
        yield np.array([tip, tip - ARROW * y + 0.5 * ARROW * side])


def _universal(first: Array, second: Array) -> Iterator[Polyline]:
    """Two crossed axes, each held at both ends by a fork, one from each side."""
    normal = np.cross(first, second)
    normal /= np.linalg.norm(normal)
    for axis, side in ((first, -normal), (second, normal)):
        yield np.array([-YOKE * axis, YOKE * axis])
        angles = np.linspace(0.0, np.pi, ROUND // 2 + 1)
        yield YOKE * (np.outer(np.cos(angles), axis) + np.outer(np.sin(angles), side))
        yield np.array([YOKE * side, side])
        for end in (YOKE * axis, -YOKE * axis):
            yield end + _circle(axis, PIN, pieces=12)


def _thread(axis: Array, hand: float) -> Polyline:
    """A helix that advances along the axis as it turns about it; hand -1: the other way."""
    x, y = _across(axis)
    angles = np.linspace(0.0, 2.0 * np.pi * TURNS, TURNS * ROUND // 2 + 1)
    height = hand * THREADED * np.linspace(-1.0, 1.0, len(angles))
    return THREAD * (np.outer(np.cos(angles), x) + np.outer(np.sin(angles), y)) + np.outer(height, axis)


def _guide(axis: Array) -> Iterator[Polyline]:
    """Four rails along an axis between two square frames."""
    x, y = _across(axis)
    corners = [RAIL * (s * x + t * y) for s, t in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    for corner in corners:
        yield np.array([corner - RAIL_LENGTH * axis, corner + RAIL_LENGTH * axis])
    for end in (-RAIL_LENGTH * axis, RAIL_LENGTH * axis):
        yield end + np.array([*corners, corners[0]])


def _arrow(tip: Array, start: Array) -> Iterator[Polyline]:
    yield np.array([start, tip])
    yield from _head(tip)


def _head(tip: Array) -> Iterator[Polyline]:
    """Four barbs at the end of a line from the joint, a cross for who looks along it."""
    for across in _across(tip):
        back, side = tip * (1.0 - ARROW), 0.5 * ARROW * across
        yield np.array([back + side, tip, back - side])


def _circle(axis: Array, radius: float, *, pieces: int = ROUND) -> Polyline:
    x, y = _across(axis)
    angles = np.linspace(0.0, 2.0 * np.pi, pieces + 1)
    return radius * (np.outer(np.cos(angles), x) + np.outer(np.sin(angles), y))


def _across(axis: Array) -> tuple[Array, Array]:
    """Unit vectors x, y with x, y, axis right-handed and square to each other."""
    x = np.cross(np.eye(3)[np.abs(axis).argmin()], axis)
    x /= np.linalg.norm(x)
    y = np.cross(axis, x)
    return x, y / np.linalg.norm(y)


def _cube() -> Iterator[Polyline]:
    corners = CUBE * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1], [1, 1]], np.float64)
    low, high = (np.column_stack([corners, np.full(5, z)]) for z in (-CUBE, CUBE))
    yield from (low, high)
    for below, above in list(zip(low, high, strict=True))[:4]:
        yield np.array([below, above])


def _cross() -> Iterator[Polyline]:
    """A joint whose direction is not known: its axis has no length."""
    ends = CUBE * np.array([[1, 1, 1], [-1, -1, -1], [1, -1, -1], [-1, 1, 1], [-1, 1, -1], [1, -1, 1]], np.float64)
    for start, end in list(pairwise(ends))[::2]:
        yield np.array([start, end])
