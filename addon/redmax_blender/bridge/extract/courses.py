# SPDX-License-Identifier: GPL-3.0-or-later
"""How a number goes over the frames, as its F-curve says.

Keys are followed exactly: Bezier and straight segments in double precision (`curve_pieces`). The other easings
(Sine, Bounce ...) are sampled from Blender, as densely as each smooth part needs; F-curves with modifiers or without
keys (baked to samples) once per frame. Samples are joined by a cubic spline, which is exact at the samples.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..._engine import arrays
from ..core import curve_pieces
from ..core.curve_pieces import Pieces

Array = arrays.Array

FEWEST_SAMPLES, MOST_SAMPLES, SAMPLED_TOLERANCE = 32, 512, 3e-6
"""Samples per smooth part of an easing: doubled until they hit it, but few enough for single precision."""

JUMP = 1e-5
"""Frames that a keyed torque takes to jump; a joint's coordinate may not jump at all."""

NEAREST = 2e-6
"""Points of different curves closer than this [frames] are one: rounding would make the piece between them wild."""

BOUNCES = (1.0 / 2.75, 2.0 / 2.75, 2.5 / 2.75)
"""Where an ease-out bounce touches the ground, as fractions of the segment."""


class Clock(NamedTuple):
    """The simulated frames. Tables reach one frame further, so that the last frame still has its velocity."""

    fps: float
    start: int
    end: int

    @property
    def frames(self) -> range:
        return range(self.start, max(self.end, self.start) + 2)


class Course(NamedTuple):
    """How a number goes, in Blender's unit over frames: pieces, and the value it has if there are none.

    jumps, steep: frames at which it jumps, or moves without bound. broken: keys that are no numbers, taken for 0.
    """

    value: float
    pieces: Pieces | None = None
    jumps: tuple[float, ...] = ()
    steep: tuple[float, ...] = ()
    broken: bool = False


def has_content(curve: bpy.types.FCurve) -> bool:
    """Whether the curve says anything."""
    return bool(curve.keyframe_points) or bool(curve.sampled_points) or any(not m.mute for m in curve.modifiers)


def course_of(curve: bpy.types.FCurve, clock: Clock) -> Course:
    """What Blender would evaluate the curve to, over the clock's frames."""
    if any(not modifier.mute for modifier in curve.modifiers) or not curve.keyframe_points:
        x = np.array(clock.frames, np.float64)
        y = np.array([curve.evaluate(frame) for frame in clock.frames], np.float64)
        return Course(float(y[0]), curve_pieces.through_samples(x, y))
    return _keyed_course(curve, clock)


def _keyed_course(curve: bpy.types.FCurve, clock: Clock) -> Course:
    keys = curve.keyframe_points
    co, left, right = (_points(keys, name) for name in ("co", "handle_left", "handle_right"))
    kinds: list[str] = [key.interpolation for key in keys]
    if not all(np.isfinite(points).all() for points in (co, left, right)):
        return Course(0.0, broken=True)
    start, stop = clock.frames[0], clock.frames[-1]
    size = float(np.abs(co[:, 1]).max()) or 1.0
    parts, jumps, beziers = [], [], []
    before, after = _extrapolation(curve, co, left, right, kinds)
    if co[0, 0] > start and before != 0.0:
        parts.append(curve_pieces.straight(start, co[0, 0], co[0, 1] + before * (start - co[0, 0]), co[0, 1]))
    for k in range(len(keys) - 1):
        (xa, ya), (xb, yb) = co[k], co[k + 1]
        if xb <= start or xa >= stop:
            continue
        if xb - xa <= NEAREST or (kinds[k] == "CONSTANT" and ya != yb):
            if ya != yb:
                jumps.append(float(xb))
            parts.extend(_jump(xa, xb, ya, yb))
        elif kinds[k] == "BEZIER":
            beziers.append(np.stack((co[k], right[k], left[k + 1], co[k + 1])))
        elif kinds[k] in ("LINEAR", "CONSTANT"):
            parts.append(curve_pieces.straight(xa, xb, ya, yb))
        else:
            parts.extend(_sampled(curve, keys[k], xa, xb, ya, yb))
    if co[-1, 0] < stop and after != 0.0:
        parts.append(curve_pieces.straight(co[-1, 0], stop, co[-1, 1], co[-1, 1] + after * (stop - co[-1, 0])))
    steep: Array = np.zeros(0)
    if beziers:
        pieces, steep = curve_pieces.bezier_pieces(np.stack(beziers), size, start, stop)
        parts.append(pieces)
    if not parts:
        return Course(float(co[0, 1] if co[0, 0] >= start else co[-1, 1]))
    joined = curve_pieces.joined(parts)
    return Course(float(joined.ya[0]), joined, tuple(jumps), tuple(steep.tolist()))


def _points(keys: Any, name: str) -> Array:
    values = np.empty(2 * len(keys), np.float32)
    keys.foreach_get(name, values)
    return values.reshape(-1, 2).astype(np.float64)


def _extrapolation(
    curve: bpy.types.FCurve, co: Array, left: Array, right: Array, kinds: list[str]
) -> tuple[float, float]:
    """Slopes [1/frame] before the first and after the last key, as Blender chooses them."""

    def slope(end: int, neighbour: int, handle: Array) -> float:
        if curve.extrapolation == "CONSTANT" or kinds[end] == "CONSTANT":
            return 0.0
        if kinds[end] == "LINEAR":
            if len(co) == 1:
                return 0.0
            d = co[end] - co[neighbour]
        else:
            d = co[end] - handle[end]
        return float(d[1] / d[0]) if d[0] != 0.0 else 0.0

    return slope(0, 1 if len(co) > 1 else 0, left), slope(-1, -2 if len(co) > 1 else -1, right)


def _jump(xa: float, xb: float, ya: float, yb: float) -> Iterator[Pieces]:
    """A value that holds until just before the next key."""
    edge = max(xb - JUMP, 0.5 * (xa + xb))
    if edge > xa:
        yield curve_pieces.straight(xa, edge, ya, ya)
    if xb > edge:
        yield curve_pieces.straight(edge, xb, ya, yb)


def _sampled(curve: Any, key: Any, xa: float, xb: float, ya: float, yb: float) -> Iterator[Pieces]:
    """Splines through samples of an easing, one per smooth part, as dense as it takes to hit the curve in between."""
    ends = [xa, *(xa + fraction * (xb - xa) for fraction in _corners(key)), xb]
    close = SAMPLED_TOLERANCE * max(abs(ya), abs(yb), abs(yb - ya))
    for a, b in pairwise(ends):
        per_frame = max(int(np.ceil(FEWEST_SAMPLES / (b - a))), 1)
        while True:
            x = _sample_times(a, b, per_frame)
            y = np.array([curve.evaluate(time) for time in x.tolist()], np.float64)
            y[0], y[-1] = (ya if a == xa else y[0]), (yb if b == xb else y[-1])
            pieces = curve_pieces.through_samples(x, y)
            between = 0.5 * (x[1:] + x[:-1])
            found, _ = pieces.at(between, np.arange(len(between)))
            error = np.abs(found - [curve.evaluate(time) for time in between.tolist()]).max()
            if error <= close or len(x) > MOST_SAMPLES:
                break
            per_frame *= 2
        yield pieces


def _sample_times(a: float, b: float, per_frame: int) -> Array:
    """Times from a to b, at fractions of frames, so that whole frames are among them; none close to an end."""
    first, last = np.floor(a * per_frame) + 1.0, np.ceil(b * per_frame) - 1.0
    inner = np.arange(first, last + 1.0) / per_frame
    margin = 0.3 / per_frame
    times: Array = np.concatenate(([a], inner[(inner > a + margin) & (inner < b - margin)], [b]))
    return times


def _corners(key: Any) -> list[float]:
    """Fractions of a segment at which its easing has a corner or changes its formula."""
    easing = key.easing
    if easing == "AUTO":
        easing = "EASE_OUT" if key.interpolation in ("BACK", "BOUNCE", "ELASTIC") else "EASE_IN"
    bounces = BOUNCES if key.interpolation == "BOUNCE" else ()
    if easing == "EASE_OUT":
        return list(bounces)
    if easing == "EASE_IN":
        return [1.0 - fraction for fraction in reversed(bounces)]
    return [0.5 - 0.5 * fraction for fraction in reversed(bounces)] + [0.5] + [0.5 + 0.5 * f for f in bounces]
