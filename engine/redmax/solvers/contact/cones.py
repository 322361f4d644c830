# SPDX-License-Identifier: GPL-3.0-or-later
"""Projection onto what impulses of a block may be, and its derivative.

Impulses of a contact lie in K = {(n, x_1, x_2 ...): |x_k| <= r_k n}: normal and discs, of two tangents (mu), of a
torsional row, of two rolling ones; a pyramid has a disc for each tangent. The nearest point of K in the metric of the
softness R (`_i`: of each row) is found in rows times sqrt(R), with r_k sqrt(R_k / R_n) in place of r_k. Its normal is
the root of n - n0 - sum of r_k (|x_k| - r_k n) over discs that are left. Newton's method finds it in as many steps as
there are discs: the function is concave.

CONE is the work space of one block: number of discs, projected normal, and for each disc first row, end, radius, length
of its part before the projection, whether it is at its bound.
"""

from __future__ import annotations

import math

from ...arrays import Array, IntArray
from . import layout as at
from .layout import integers, numbers_of

DISCS, NORMAL, DISC = 0, 1, 2
FIRST, END, RADIUS, LENGTH, SLIDES = range(5)
DISC_NUMBERS = 5


def describe_discs(count: int, friction: Array, i: int, law: int, softness: Array, row: int, cone: Array) -> None:
    """Write the discs of contact i, whose first row is `row`, with radii in rows times sqrt(softness)."""
    discs = 0
    for part in range(4):
        if part == 0:
            first, end, radius = 1, (2 if law == at.PYRAMID else 3), friction[at.FRICTIONS * i + at.MU]
        elif part == 1:
            if law != at.PYRAMID:
                continue
            first, end, radius = 2, 3, friction[at.FRICTIONS * i + at.MU]
        elif part == 2:
            if count not in (4, 6):
                continue
            first, end, radius = 3, 4, friction[at.FRICTIONS * i + at.TORSIONAL]
        else:
            if count < 5:
                continue
            first, end, radius = count - 2, count, friction[at.FRICTIONS * i + at.ROLLING]
        k = DISC + DISC_NUMBERS * discs
        cone[k + FIRST] = first
        cone[k + END] = end
        cone[k + RADIUS] = radius * math.sqrt(softness[row + first] / softness[row])
        discs += 1
    cone[DISCS] = discs


def project_contact(count: int, softness: Array, row: int, cone: Array, y: Array, out: Array) -> None:
    """Nearest point `out` of the cone described in `cone` to y, both arrays over all rows; in place if they are one."""
    root = math.sqrt(softness[row])
    n0 = root * y[row]
    discs = int(cone[DISCS])
    pull = n0
    for d in range(discs):
        k = DISC + DISC_NUMBERS * d
        total = 0.0
        for j in range(int(cone[k + FIRST]), int(cone[k + END])):
            total += softness[row + j] * y[row + j] * y[row + j]
        cone[k + LENGTH] = math.sqrt(total)
        cone[k + SLIDES] = 0.0
        pull += cone[k + RADIUS] * cone[k + LENGTH]
    if pull <= 0.0:
        for j in range(count):
            out[row + j] = 0.0
        cone[NORMAL] = 0.0
        return
    n = n0
    for _ in range(discs + 1):
        above, below = n0, 1.0
        for d in range(discs):
            k = DISC + DISC_NUMBERS * d
            if cone[k + LENGTH] > cone[k + RADIUS] * n or cone[k + RADIUS] == 0.0:
                above += cone[k + RADIUS] * cone[k + LENGTH]
                below += cone[k + RADIUS] * cone[k + RADIUS]
                cone[k + SLIDES] = 1.0
            else:
                cone[k + SLIDES] = 0.0
        following = above / below
        if following == n:
            break
        n = following
    cone[NORMAL] = n
    out[row] = n / root
    for d in range(discs):
        k = DISC + DISC_NUMBERS * d
        part = 1.0
        if cone[k + SLIDES] == 1.0:
            part = cone[k + RADIUS] * n / cone[k + LENGTH] if cone[k + LENGTH] > 0.0 else 0.0
        for j in range(int(cone[k + FIRST]), int(cone[k + END])):
            out[row + j] = part * y[row + j]


def contact_weight(count: int, softness: Array, row: int, cone: Array, y: Array, weight: Array) -> None:
    """Minus the derivative of the projected impulses by the speeds sigma, (count, count) in `weight`; after
    `project_contact` of the same y."""
    for j in range(count * count):
        weight[j] = 0.0
    n = cone[NORMAL]
    if n <= 0.0:
        return
    below, discs = 1.0, int(cone[DISCS])
    for d in range(discs):
        k = DISC + DISC_NUMBERS * d
        if cone[k + SLIDES] == 1.0:
            below += cone[k + RADIUS] * cone[k + RADIUS]
    weight[0] = 1.0 / (below * softness[row])
    for d in range(discs):
        k = DISC + DISC_NUMBERS * d
        first, end, length, radius = int(cone[k + FIRST]), int(cone[k + END]), cone[k + LENGTH], cone[k + RADIUS]
        if cone[k + SLIDES] == 0.0:
            for j in range(first, end):
                weight[j * count + j] = 1.0 / softness[row + j]
        elif length > 0.0 and radius > 0.0:
            # x = r n u: along u it follows the normal, across it turns with y. Components of u: sqrt(R) y / length.
            for j in range(first, end):
                along = radius * y[row + j] / (length * below * math.sqrt(softness[row]))
                weight[j * count] = along
                weight[j] = along
                weight[j * count + j] = radius * n / (length * softness[row + j])
    # Second passes: u u^T terms need the normal's part of every disc that slides.
    for d in range(discs):
        k = DISC + DISC_NUMBERS * d
        if cone[k + SLIDES] == 0.0 or cone[k + LENGTH] == 0.0 or cone[k + RADIUS] == 0.0:
            continue
        for e in range(discs):
            i = DISC + DISC_NUMBERS * e
            if cone[i + SLIDES] == 0.0 or cone[i + LENGTH] == 0.0 or cone[i + RADIUS] == 0.0:
                continue
            factor = cone[k + RADIUS] * cone[i + RADIUS] / below
            if d == e:
                factor -= cone[k + RADIUS] * n / cone[k + LENGTH]
            factor /= cone[k + LENGTH] * cone[i + LENGTH]
            for p in range(int(cone[k + FIRST]), int(cone[k + END])):
                for q in range(int(cone[i + FIRST]), int(cone[i + END])):
                    weight[p * count + q] += factor * y[row + p] * y[row + q]


def is_circular(kind: int, count: int, law: int) -> bool:
    """Whether a block is a contact with one disc, whose rows have the same softness: the shorter functions below do."""
    return kind == at.CONTACT and count == 3 and law != at.PYRAMID


def project_circle(mu: float, row: int, y: Array, out: Array) -> None:
    """`project_contact` of a circular cone with equal softness."""
    n, a, b = y[row], y[row + 1], y[row + 2]
    length = math.sqrt(a * a + b * b)
    if n < 0.0 and n + mu * length <= 0.0:
        out[row], out[row + 1], out[row + 2] = 0.0, 0.0, 0.0
    elif length <= mu * n:
        out[row], out[row + 1], out[row + 2] = n, a, b
    else:
        n = (n + mu * length) / (1.0 + mu * mu)
        part = mu * n / length
        out[row], out[row + 1], out[row + 2] = n, part * a, part * b


def circle_weight(mu: float, softness: float, row: int, y: Array, weight: Array) -> bool:
    """`contact_weight` of a circular cone with equal softness; False where it is 0."""
    n, a, b = y[row], y[row + 1], y[row + 2]
    length = math.sqrt(a * a + b * b)
    if n < 0.0 and n + mu * length <= 0.0:
        return False
    if length <= mu * n:
        for j in range(9):
            weight[j] = 0.0
        weight[0] = weight[4] = weight[8] = 1.0 / softness
        return True
    below = 1.0 + mu * mu
    turning = mu * (n + mu * length) / (below * length)
    a, b = a / length, b / length
    weight[0] = 1.0 / (below * softness)
    weight[1] = weight[3] = mu * a * weight[0]
    weight[2] = weight[6] = mu * b * weight[0]
    along = mu * mu / below - turning
    weight[4] = (along * a * a + turning) / softness
    weight[8] = (along * b * b + turning) / softness
    weight[5] = weight[7] = along * a * b / softness
    return True


def clip(kind: int, lo: float, hi: float, y: float) -> float:
    """Nearest allowed impulse of a row by itself."""
    if kind == at.EQUATION:
        return y
    if kind == at.ONE_SIDED:
        return max(y, 0.0)
    return min(max(y, lo), hi)


def sliding_shift(count: int, friction: Array, i: int, law: int, sigma: Array, row: int, unmoved: Array) -> float:
    """De Saxce's shift of a contact's normal speed: the sum of radius times sliding speed over discs; 0 for RELAXED.

    unmoved: Delassus diagonal over all rows; discs whose entries are 0 do not count.
    """
    if law == at.RELAXED:
        return 0.0
    mu = friction[at.FRICTIONS * i + at.MU]
    if law == at.PYRAMID:
        total = mu * (abs(sigma[row + 1]) + abs(sigma[row + 2]))
    else:
        total = mu * math.sqrt(sigma[row + 1] * sigma[row + 1] + sigma[row + 2] * sigma[row + 2])
    if count in (4, 6) and unmoved[row + 3] > 0.0:
        total += friction[at.FRICTIONS * i + at.TORSIONAL] * abs(sigma[row + 3])
    if count >= 5 and unmoved[row + count - 1] > 0.0:
        a, b = sigma[row + count - 2], sigma[row + count - 1]
        total += friction[at.FRICTIONS * i + at.ROLLING] * math.sqrt(a * a + b * b)
    return float(total)


def project_block(ints: IntArray, numbers: Array, i: int, softness: Array, y: Array, out: Array) -> None:
    """Impulses `out` that block i may have, nearest to y in the metric of the softness; arrays over all rows."""
    block, delassus = integers(ints, at.BLOCK), numbers_of(ints, numbers, at.DELASSUS)
    kind, row, count = block[at.BLOCK_FIELDS * i], block[at.BLOCK_FIELDS * i + 1], block[at.BLOCK_FIELDS * i + 2]
    if kind == at.CONTACT:
        if delassus[row] == 0.0:
            for j in range(count):
                out[row + j] = 0.0
            return
        cone, friction = numbers_of(ints, numbers, at.CONE), numbers_of(ints, numbers, at.FRICTION)
        law = int(numbers_of(ints, numbers, at.OPTIONS)[at.LAW])
        describe_discs(count, friction, i, law, softness, row, cone)
        project_contact(count, softness, row, cone, y, out)
        return
    lo, hi = numbers_of(ints, numbers, at.LO), numbers_of(ints, numbers, at.HI)
    for j in range(row, row + count):
        out[j] = clip(kind, lo[j], hi[j], y[j]) if delassus[j] > 0.0 else 0.0
