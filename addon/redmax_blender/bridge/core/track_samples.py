# SPDX-License-Identifier: GPL-3.0-or-later
"""Control frames of a smooth track along a curve, as many as it takes to be close to it. No Blender here.

The curve is sampled evenly along its length. Frames have x along it and turn about it as little as possible (or keep z
up), tilt included; a b_spline is laid through them. Twice as many are taken until it is nowhere farther from the curve
than `CLOSE` of the curve's size.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

import numpy as np

from ..._engine import arrays, pose, so3, tracks
from .curve_points import Spline, positions

Array = arrays.Array

CLOSE = 1e-4
"""How far a track may be from its curve, as a part of the diagonal of the box around the curve."""

FEWEST, MOST = 16, 256
"""Control frames of a track along a curve."""

DENSE = 16
"""Points of the curve that are looked at from one control frame to the next."""

FINE = 4
"""Every so many of these points frames are carried along the curve, from one to the next."""

VERTICAL = 1e-3
"""Angle [rad] between a curve and z below which nothing tells which side is up."""

REMEMBERED = 64


class Samples(NamedTuple):
    """frames: (n, 4, 4) control frames of a b_spline. error: how far it is from the curve at most. size: of the curve,
    in the same unit."""

    frames: Array
    error: float
    size: float

    @property
    def is_close(self) -> bool:
        return self.error <= CLOSE * self.size


_found: OrderedDict[tuple[object, ...], Samples | None] = OrderedDict()


def sampled(spline: Spline, *, z_up: bool) -> Samples | None:
    """The control frames of a track along a spline, None for one without length or that is vertical somewhere where z
    is to be up. Remembered by content."""
    key = (spline.kind, spline.knots, spline.tilting, z_up, *(part.tobytes() for part in spline[1:6]))
    if key not in _found:
        _found[key] = _sampled(spline, z_up=z_up)
        if len(_found) > REMEMBERED:
            _found.popitem(last=False)
    _found.move_to_end(key)
    return _found[key]


def _sampled(spline: Spline, *, z_up: bool) -> Samples | None:
    count = max(FEWEST, 2 * spline.segments)
    found: Samples | None = None
    close = CLOSE
    while True:
        dense = evenly(spline, DENSE * count)
        if dense is None:
            return None
        points, tilt = dense
        size = float(np.linalg.norm(np.ptp(points, axis=0)))
        if 2 * count > MOST or _missed(points, cyclic=spline.cyclic) <= close * size:
            found = _through(points, tilt, cyclic=spline.cyclic, z_up=z_up)
            if found is None or found.is_close or 2 * count > MOST:
                return found
            close *= 0.25
        count *= 2


def _missed(points: Array, *, cyclic: bool) -> float:
    """How far the b_spline of points alone is from the curve half way between every DENSE-th of its points: nearly what
    that of frames will be, in far less time."""
    through = points[::DENSE]
    n = len(through)
    M = (4.0 * np.eye(n) + np.eye(n, k=1) + np.eye(n, k=-1)) / 6.0
    if cyclic:
        M[0, -1] = M[-1, 0] = 1.0 / 6.0
    else:
        M[0], M[-1] = np.eye(n)[0], np.eye(n)[-1]
    control = np.linalg.solve(M, through)
    if cyclic:
        control = np.concatenate([control[-1:], control, control[:2]])
    else:
        control = np.concatenate([2.0 * control[:1] - control[1:2], control, 2.0 * control[-1:] - control[-2:-1]])
    middles = (control[:-3] + 23.0 * control[1:-2] + 23.0 * control[2:-1] + control[3:]) / 48.0
    return float(np.linalg.norm(middles - points[DENSE // 2 :: DENSE], axis=1).max())


def evenly(spline: Spline, count: int) -> tuple[Array, Array] | None:
    """Points (count, 3) and tilts (count,) of a spline at even distances; an open one has its last end besides."""
    t = np.linspace(0.0, spline.segments, 4 * count + 1)
    length = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(positions(spline, t)[0], axis=0), axis=1)))
    if not (np.isfinite(length[-1]) and length[-1] > 0.0):
        return None
    wanted = np.arange(count + (0 if spline.cyclic else 1)) * length[-1] / count
    rising = np.append(True, np.diff(length) > 0.0)
    return positions(spline, np.interp(wanted, length[rising], t[rising]))


def _through(points: Array, tilt: Array, *, cyclic: bool, z_up: bool) -> Samples | None:
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    if z_up:
        E = _upright(points[::FINE], tilt[::FINE], cyclic=cyclic)
        if E is None:
            return None
    else:
        E = tracks.frames_along(points[::FINE], cyclic=cyclic, tilt=tilt[::FINE])
    frames = tracks.frames_through(E[:: DENSE // FINE], cyclic=cyclic)
    return Samples(frames, _distance(frames, points, cyclic=cyclic), size)


def _upright(points: Array, tilt: Array, *, cyclic: bool) -> Array | None:
    """Frames like those of `frames_along` whose z is up but for the tilt; None where the curve is vertical."""
    ahead, behind = np.roll(points, -1, axis=0), np.roll(points, 1, axis=0)
    if not cyclic:
        ahead[-1], behind[0] = points[-1], points[0]
    x = ahead - behind
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    y = np.cross((0.0, 0.0, 1.0), x)
    level = np.linalg.norm(y, axis=1, keepdims=True)
    if level.min() < VERTICAL:
        return None
    y = y / level
    R = np.stack([x, y, np.cross(x, y)], -1) @ so3.exp(np.stack([tilt, 0.0 * tilt, 0.0 * tilt], -1))
    return pose.make(R, points)


def _distance(frames: Array, points: Array, *, cyclic: bool) -> float:
    """How far the track is from the curve half way between the samples it passes through, at most."""
    track = tracks.Track(
        name="",
        frames=tuple(tracks.pose_of(E) for E in frames),
        cyclic=cyclic,
        endpoints=not cyclic,
        coordinate="parameter",
    )
    middles = track.poses(np.arange(int(track.extent)) + 0.5)[:, :3, 3]
    if cyclic:
        points = np.concatenate([points, points[:1]])
    a, step = points[:-1], np.diff(points, axis=0)
    worst = 0.0
    for x in middles:
        along = np.clip(np.einsum("ij,ij->i", x - a, step) / np.einsum("ij,ij->i", step, step), 0.0, 1.0)
        worst = max(worst, float(np.linalg.norm(a + along[:, None] * step - x, axis=1).min()))
    return worst
