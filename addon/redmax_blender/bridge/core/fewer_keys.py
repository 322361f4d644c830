# SPDX-License-Identifier: GPL-3.0-or-later
"""As few keys as possible with which curves stay within their tolerances; many curves at once, plain arrays.

Keys lie on frames and have the exact values and slopes of the motion, so the segments between them do not depend on
each other: from each key the next one is put as far ahead as the tolerance allows. How far that is, is found by
trying; all curves are tried at the same time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._engine import arrays
from . import bezier_segments

Array = arrays.Array

POINTS = 20
"""Most points of a segment that are looked at while its length is sought."""

ORDER, LINEAR_ORDER = 6, 2
"""Powers of its length that a segment with the best handles, and a straight one, are off by."""

STILL = 0.25
"""Part of its tolerance by which a curve may vary and still be a single key."""

EVEN = bezier_segments.EVEN


class Fitted(NamedTuple):
    """Keys of a curve. frames: (k,) indices of their frames. ahead, behind: (k,) lengths of the handles after and
    before each key, in parts of the segment there."""

    frames: arrays.IntArray
    ahead: Array
    behind: Array


def fit(values: Array, slopes: Array, tolerance: Array, per_frame: int, *, linear: bool) -> list[Fitted]:
    """values: (c, per_frame (f - 1) + 1) of c curves. slopes: (2, c, f) per frame before and after each frame, which
    differ where velocities jump. tolerance: (c,)."""
    search = _Search(values, slopes, tolerance, per_frame, linear=linear)
    while search.step():
        pass
    return search.fitted()


def at_frames(values: Array, slopes: Array, frames: Any, per_frame: int, *, linear: bool) -> list[Fitted]:
    """Keys at the given frames (k,), the first and the last among them, with the handles that fit best."""
    start, end = frames[:-1], frames[1:]
    found = []
    for row in range(len(values)):
        own = np.full(len(start), row)
        tolerance = np.full(len(start), 1e-6 * np.ptp(values[row]) + 1e-30)
        a, b, _ = _try(values, slopes, own, start, end, tolerance, per_frame, linear=linear)
        found.append(Fitted(np.asarray(frames), np.append(a, EVEN), np.insert(b, 0, EVEN)))
    return found


def _try(
    values: Array, slopes: Array, row: Any, start: Any, end: Any, tolerance: Array, per_frame: int, *, linear: bool
) -> tuple[Array, Array, Array]:
    """Handles (m,) of segments of curves, and by how many tolerances they are off at most (m,)."""
    span = (end - start)[:, None]
    part = np.linspace(0.0, 1.0, POINTS + 2)[1:-1]
    index = start[:, None] * per_frame + np.rint(part * span * per_frame).astype(np.int64)
    tau = (index - start[:, None] * per_frame) / (span * per_frame)
    wanted = values[row[:, None], index]
    y0, y1 = values[row, start * per_frame], values[row, end * per_frame]
    if linear:
        off = y0[:, None] + tau * (y1 - y0)[:, None] - wanted
        a = b = np.full(len(row), EVEN)
    else:
        length = span[:, 0].astype(np.float64)
        ends = bezier_segments.Ends(y0, y1, slopes[1, row, start] * length, slopes[0, row, end] * length)
        a, b, off = bezier_segments.fit(tau, wanted, ends, tolerance)
    return a, b, np.abs(off).max(axis=1) / tolerance


class _Search:
    """How far each curve has come. short: longest segment from its present key that was found to do, with its
    handles; long: shortest one that does not, or one frame more than there are left."""

    def __init__(self, values: Array, slopes: Array, tolerance: Array, per_frame: int, *, linear: bool) -> None:
        self.values, self.slopes, self.tolerance = values, slopes, tolerance
        self.per_frame, self.linear = per_frame, linear
        count, last = len(values), slopes.shape[2] - 1
        still = np.abs(values - values[:, :1]).max(axis=1) <= STILL * tolerance
        self.last = np.where(still, 0, last)
        self.at = np.zeros(count, np.int64)
        self.short = np.zeros(count, np.int64)
        self.long = self.last + 1
        self.trial = np.minimum(8, self.last)
        self.handles = np.full((count, 2), EVEN)
        self.keys: list[list[tuple[int, float, float]]] = [[] for _ in range(count)]

    def step(self) -> bool:
        """Try one segment of every curve that is not done; False if all are."""
        row = np.nonzero(self.at < self.last)[0]
        if not len(row):
            return False
        start, end = self.at[row], self.at[row] + self.trial[row]
        a, b, off = _try(
            self.values, self.slopes, row, start, end, self.tolerance[row], self.per_frame, linear=self.linear
        )
        does = (off <= 1.0) | (self.trial[row] == 1)  # a single frame must do
        good, bad = row[does], row[~does]
        self.short[good], self.long[bad] = self.trial[good], self.trial[bad]
        self.handles[good, 0], self.handles[good, 1] = a[does], b[does]
        # What a segment is off by grows with a power of its length, which tells the next length to try.
        told = self.trial[row] * np.clip(off, 1e-3, 1e3) ** (-1.0 / (LINEAR_ORDER if self.linear else ORDER))
        self.trial[row] = np.clip(told.astype(np.int64), self.short[row] + 1, self.long[row] - 1)
        self._take(row[self.long[row] - self.short[row] <= 1])
        return True

    def _take(self, rows: Any) -> None:
        """End a segment where it was found to end best, and begin the next."""
        for row in rows.tolist():
            length = int(self.short[row])
            self.keys[row].append((int(self.at[row]), *self.handles[row].tolist()))
            self.at[row] += length
            left = int(self.last[row] - self.at[row])
            self.trial[row] = min(length, left)  # the next one is probably about as long
            self.short[row], self.long[row] = 0, left + 1

    def fitted(self) -> list[Fitted]:
        found = []
        for row, taken in enumerate(self.keys):
            frames = np.array([key[0] for key in taken] + [int(self.last[row])], np.int64)
            ahead = np.array([key[1] for key in taken] + [EVEN])
            behind = np.array([EVEN] + [key[2] for key in taken])
            found.append(Fitted(frames, ahead, behind))
        return found
