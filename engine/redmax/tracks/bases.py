# SPDX-License-Identifier: GPL-3.0-or-later
"""Cubic bases of splines: one matrix each, and which control values a segment reads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array

B_SPLINE, CATMULL_ROM, BEZIER = "b_spline", "catmull_rom", "bezier"
BASES = (B_SPLINE, CATMULL_ROM, BEZIER)
DOC = (
    "B-spline: smooth, near the frames. Catmull-Rom: through every frame. "
    "Bezier: through every third frame, the two between are handles"
)

MATRICES: dict[str, Array] = {
    B_SPLINE: np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6.0,
    CATMULL_ROM: np.array([[0, -1, 2, -1], [2, 0, -5, 3], [0, 1, 4, -3], [0, 0, -1, 1]]) / 2.0,
    BEZIER: np.array([[1.0, -3, 3, -1], [0, 3, -6, 3], [0, 0, 3, -3], [0, 0, 0, 1]]),
}
"""(4, 4): row i times (1, t, t^2, t^3) is the weight of control value i at the fraction t of a segment.

Source: RM19 section 5.2, eqs. 52-55: eq. 53 for the B-spline, whose place the others take."""


class Layout(NamedTuple):
    """segments: how many there are. stride: control values from one segment to the next. padded: whether a value is
    added before the first and after the last, as far from them as their neighbours."""

    segments: int
    stride: int
    padded: bool


def layout(basis: str, count: int, *, cyclic: bool, endpoints: bool) -> Layout:
    """How `count` control values along one direction make segments."""
    if basis == BEZIER:
        return Layout(count // 3 if cyclic else (count - 1) // 3, 3, padded=False)
    padded = not cyclic and (endpoints or basis == CATMULL_ROM)
    return Layout(count if cyclic else count - 1 if padded else count - 3, 1, padded)


def count_problem(basis: str, count: int, *, cyclic: bool) -> str:
    """What a number of control values along one direction should be, or nothing where it is right."""
    if basis == BEZIER and count % 3 != (0 if cyclic else 1):
        return "3, 6, 9 ... in all, as the last one's handles lead to the first" if cyclic else "4, 7, 10 ... in all"
    return ""


def cumulative(basis: str) -> Array:
    """(3, 4) coefficients of the cumulative weights of the differences to values 2, 3 and 4. Source: RM19 eq. 57."""
    B = MATRICES[basis]
    return np.array([B[1] + B[2] + B[3], B[2] + B[3], B[3]])


def powers(t: Array) -> tuple[Array, Array]:
    """(1, t, t^2, t^3) and its derivative, each (..., 4)."""
    one, zero = np.ones_like(t), np.zeros_like(t)
    return np.stack([one, t, t * t, t**3], -1), np.stack([zero, one, 2.0 * t, 3.0 * t * t], -1)
