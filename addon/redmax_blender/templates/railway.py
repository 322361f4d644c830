# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks of templates: a smooth curve object through places, rails and wires along it, and carts on it."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from .._engine import arrays, tracks
from ..bridge.authoring import track_frames
from ..bridge.authoring import tracks as authoring
from ..bridge.core import curve_points, track_samples
from ..bridge.extract import guide_reader
from ..bridge.objects import units
from . import shells
from .assembly import Assembly, Object
from .shells import Shell

Array = arrays.Array

DENSE = 1024
"""Points of a curve at which its own twist is looked at."""


def smooth_spline(points: Array, *, cyclic: bool) -> curve_points.Spline:
    """The Bezier spline through points (n, 3) whose curvature does not jump: a cubic spline over the chords between
    them, which an open one leaves without curvature."""
    n = len(points)
    ahead = np.roll(points, -1, axis=0) - points
    h = np.linalg.norm(ahead if cyclic else ahead[:-1], axis=1)
    M, rhs = np.zeros((n, n)), np.zeros((n, 3))
    for k in range(n):
        if cyclic or 0 < k < n - 1:
            a, b = h[k - 1], h[k]
            M[k, k - 1], M[k, k], M[k, (k + 1) % n] = 1.0 / a, 2.0 / a + 2.0 / b, 1.0 / b
            rhs[k] = 3.0 * ((points[k] - points[k - 1]) / a**2 + (points[(k + 1) % n] - points[k]) / b**2)
        else:
            other, step = (1, h[0]) if k == 0 else (n - 2, h[-1])
            M[k, k], M[k, other] = 2.0 / step, 1.0 / step
            rhs[k] = 3.0 * (points[max(k, other)] - points[min(k, other)]) / step**2
    slope = np.linalg.solve(M, rhs)
    before, after = (np.roll(h, 1), h) if cyclic else (np.append(h[0], h), np.append(h, h[-1]))
    left, right = points - slope * before[:, None] / 3.0, points + slope * after[:, None] / 3.0
    knots = curve_points.Knots(4, cyclic=cyclic)
    flat = np.zeros(n)
    return curve_points.Spline(curve_points.BEZIER, points, left, right, 1.0 + flat, flat, knots, curve_points.BSPLINE)


def enlarged(spline: curve_points.Spline, factor: float) -> curve_points.Spline:
    """The spline in a unit that is `factor` times as small."""
    return spline._replace(points=spline.points * factor, left=spline.left * factor, right=spline.right * factor)


def rounded(points: Array, values: Array, count: int, reach: float) -> tuple[Array, Array]:
    """A closed path through points (n, 3), rounded over a distance `reach`, as `count` points at even distances; and
    values (n, m) along it likewise.

    Cubics between a few points have kinks in their curvature, which riders feel: here none is left.
    """
    even = track_samples.evenly(smooth_spline(points, cyclic=True), DENSE)
    assert even is not None
    path = even[0]
    length = float(np.linalg.norm(np.diff(path, axis=0, append=path[:1]), axis=1).sum())
    at = [int(np.linalg.norm(path - point, axis=1).argmin()) for point in points]
    known = np.stack([np.interp(np.arange(DENSE), at, column, period=DENSE) for column in values.T], 1)
    wave = 2.0 * np.pi * np.fft.fftfreq(DENSE, length / DENSE)
    damped = np.exp(-0.5 * (wave * reach) ** 2)[:, None]
    every = DENSE // count
    found = [np.fft.ifft(np.fft.fft(given, axis=0) * damped, axis=0).real[::every] for given in (path, known)]
    return found[0], found[1]


def banked(spline: curve_points.Spline, up: Array) -> curve_points.Spline:
    """The spline with the tilt at its points that turns its z axis as near to `up` (n, 3) as possible."""
    even = track_samples.evenly(spline, DENSE)
    assert even is not None
    E = tracks.frames_along(even[0], cyclic=spline.cyclic)
    nearest = [int(np.linalg.norm(E[:, :3, 3] - point, axis=1).argmin()) for point in spline.points]
    local = np.einsum("kji,kj->ki", E[nearest, :3, :3], up)
    tilt = np.unwrap(np.arctan2(-local[:, 1], local[:, 2]))
    return spline._replace(tilt=tilt)


def curve_object(
    made: Assembly, name: str, spline: curve_points.Spline, parent: Object, frame: Array | None = None
) -> Object:
    """A curve object with a Bezier spline at a frame, by default at the assembly's origin; it is a track."""
    data: Any = bpy.data.curves.new(name, "CURVE")
    data.dimensions, data.resolution_u, data.twist_mode = "3D", 24, "MINIMUM"
    new = data.splines.new("BEZIER")
    new.bezier_points.add(len(spline.points) - 1)
    for point, co, left, right, tilt in zip(
        new.bezier_points, spline.points, spline.left, spline.right, spline.tilt, strict=True
    ):
        point.handle_left_type = point.handle_right_type = "FREE"
        point.co, point.handle_left, point.handle_right, point.tilt = co, left, right, tilt
        point.handle_left_type = point.handle_right_type = "ALIGNED"
    new.use_cyclic_u, new.tilt_interpolation = spline.cyclic, spline.tilting
    obj = bpy.data.objects.new(name, data)
    made.collection.objects.link(obj)
    place(made, obj, parent, frame)
    obj.redmax.is_track = True
    made.objects.append(obj)
    return obj


def place(made: Assembly, obj: Object, parent: Object, frame: Array | None = None) -> None:
    """Let an object stand at a frame and follow a body."""
    obj.matrix_basis = Matrix(made.in_world(np.eye(4) if frame is None else frame).tolist())
    obj.parent, obj.matrix_parent_inverse = parent, parent.matrix_basis.inverted()


def track_along(spline: curve_points.Spline) -> Any:
    """The engine's track along a spline, in its unit of length."""
    found = track_samples.sampled(spline, z_up=False)
    assert found is not None
    frames = tuple(tracks.pose_of(E) for E in found.frames)
    return tracks.Track(name="", frames=frames, cyclic=spline.cyclic, endpoints=not spline.cyclic)


def swept(frames: Array, outline: Array, *, closed: bool) -> Shell:
    """A profile (m, 2) in the y-z planes of frames (n, 4, 4), closed to a ring or with flat ends."""
    surface = shells.Surface()
    profile = np.column_stack([np.zeros(len(outline)), outline])
    rings = [surface.ring(profile @ E[:3, :3].T + E[:3, 3]) for E in frames]
    return surface.tube(rings, closed=closed)


def put_on(made: Assembly, sort: str, guide: Object, bodies: list[Object], size: float) -> list[Object]:
    """Joints that let bodies run on a track or sheet. size: of their empties."""
    made.context.view_layer.update()
    depsgraph = made.context.evaluated_depsgraph_get()
    found = guide_reader.require(guide, made.context.scene, depsgraph)
    joints = [authoring.connect(made.context, sort, found, body, depsgraph, size) for body in bodies]
    made.objects.extend(joints)
    return joints


def rates(made: Assembly, sheet: Object, frame: Array, velocity: Array) -> list[float]:
    """Velocities of the coordinates of a joint on a sheet [1/s] that give its child, which stands at a frame, a
    velocity (3,) [Blender units/s]."""
    scene = made.context.scene
    found = guide_reader.require(sheet, scene, made.context.evaluated_depsgraph_get())
    length = units.metres_per_unit(scene)
    E_tb = np.linalg.solve(found.E_wt, units.in_metres(made.in_world(frame), length))
    Q, S = found.element.motion(found.element.nearest(E_tb[:3, 3])[0])
    local = found.E_wt[:3, :3].T @ velocity * length
    return [float(rate) for rate in np.linalg.lstsq(Q[:3, :3] @ S[3:], local, rcond=None)[0]]


def couple(made: Assembly, joints: list[Object]) -> Object:
    """A train of what runs on one track."""
    made.context.view_layer.update()
    train = track_frames.add_train(made.context, joints)
    made.objects.append(train)
    return train
