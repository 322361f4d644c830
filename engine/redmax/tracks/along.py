# SPDX-License-Identifier: GPL-3.0-or-later
"""Control frames for a path that is given otherwise: by frames to pass through, or by points."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, ArrayLike
from ..spatial import pose, so3
from .bases import B_SPLINE
from .curve import curve, motion

ROUNDS = 200
"""Corrections of control frames; each leaves at most two thirds of what is missing."""


def frames_through(E: Array, *, cyclic: bool) -> Array:
    """Control frames (n, 4, 4) of the b_spline that passes through frames E (n, 4, 4).

    Frame k is passed at the parameter k - 1 of a cyclic track, which comes to the last one before the first, and at k
    of an open one, which has `endpoints`.
    """
    E = np.asarray(E, np.float64)
    n = len(E)
    frames = E.copy()
    at = np.arange(n)
    for _ in range(ROUNDS):
        path = curve(frames, B_SPLINE, cyclic=cyclic, endpoints=True)
        segment = (at - 1) % n if cyclic else np.minimum(at, n - 2)
        t = np.zeros(n) if cyclic else (at - segment).astype(np.float64)
        missing = pose.log(pose.inverse(motion(path, segment, t)[0]) @ E)
        frames = frames @ pose.exp(missing)
        if np.abs(missing).max() <= 1e-14 * (1.0 + np.abs(E).max()):
            break
    return pose.project(frames)


def frames_along(
    points: ArrayLike, *, cyclic: bool, up: ArrayLike = (0.0, 0.0, 1.0), tilt: ArrayLike | None = None
) -> Array:
    """Frames (n, 4, 4) at points (n, 3) [m] with x along the path, which turn about it as little as they can.

    The first has its z axis as near to `up` as possible. What a closed path has turned by when it comes back is spread
    evenly over it. tilt: (n,) further angles [rad] about the direction of travel.
    """
    x = np.asarray(points, np.float64)
    n = len(x)
    ahead, behind = np.roll(x, -1, axis=0), np.roll(x, 1, axis=0)
    if not cyclic:
        ahead[-1], behind[0] = x[-1], x[0]
    tangent = ahead - behind
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    z = np.asarray(up, np.float64) - (np.asarray(up, np.float64) @ tangent[0]) * tangent[0]
    if np.linalg.norm(z) < 1e-6:
        z = np.eye(3)[np.abs(tangent[0]).argmin()]
        z = z - (z @ tangent[0]) * tangent[0]
    normals = [z / np.linalg.norm(z)]
    for k in range(1, n + cyclic):
        normals.append(_carried(tangent[k - 1], tangent[k % n], normals[-1]))
    angle = np.zeros(n) if tilt is None else np.asarray(tilt, np.float64)
    if cyclic:
        left = np.cross(normals[0], tangent[0])
        off = np.arctan2(normals[n] @ left, normals[n] @ normals[0])  # turned by -off about x
        angle = angle + off * np.arange(n) / n
    z = np.array(normals[:n])
    y = np.cross(z, tangent)
    R = np.stack([tangent, y, z], -1) @ so3.exp(np.stack([angle, 0.0 * angle, 0.0 * angle], -1))
    return pose.make(R, x)


def _carried(a: Array, b: Array, normal: Array) -> Array:
    """A normal of direction a, carried to direction b by the shortest rotation."""
    axis, c = np.cross(a, b), float(a @ b)
    if c < -1.0 + 1e-12:
        return normal
    carried = normal * c + np.cross(axis, normal) + axis * (axis @ normal) / (1.0 + c)
    carried -= (carried @ b) * b
    return np.asarray(carried / np.linalg.norm(carried))
