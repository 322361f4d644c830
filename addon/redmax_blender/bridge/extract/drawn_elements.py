# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks and sheets that are drawn: a curve object as a track, a NURBS surface or a grid of a mesh as a sheet.

Their shape is what the artist sees: scale, shear and mirror of the object are part of it. Radii count for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..._engine import arrays, tracks
from ..core import curve_points, sheet_samples, track_samples
from ..core.curve_points import Knots, Spline
from ..core.findings import Finding

Array = arrays.Array

EVEN_SCALE = 1e-4
"""Scales along the axes of an object that differ by less than this part are the same."""

ROWS = 3
"""Samples of a NURBS surface for each of its control points."""


class Drawn(NamedTuple):
    """values: of the fields that the geometry gives, None where it makes no element. findings: what is to be said."""

    values: dict[str, Any] | None
    findings: list[Finding]


def _refused(obj: bpy.types.Object, text: str, hint: str, *fixes: str) -> Drawn:
    return Drawn(None, [Finding(obj.name, text, hint, fixes=fixes)])


def curve_track(obj: bpy.types.Object, A: Array, length: float) -> Drawn:
    """Control frames of the track along a curve object, in its rigid frame [m]. A: (4, 4) the rest of its matrix."""
    data: Any = obj.data
    splines = [spline for spline in data.splines if spline_points(spline) > 0]
    title = f"Track '{obj.name}'"
    if not splines:
        return _refused(obj, f"{title} has no spline", "draw one in Edit Mode, or remove the track", "REMOVE_ELEMENT")
    if len(splines) > 1:
        text = f"{title} has {len(splines)} splines, and a track is one"
        return _refused(obj, text, "keep one of them, and separate the others (P in Edit Mode)", "KEEP_SPLINE")
    spline = read_spline(splines[0], A, length)
    if spline.segments < 1 or (spline.kind == curve_points.NURBS and len(spline.points) < spline.knots.order):
        text = f"{title} has a spline of {len(spline.points)} points, which has no length"
        return _refused(obj, text, "add points to it", "REMOVE_ELEMENT")
    z_up = data.twist_mode == "Z_UP"
    found = track_samples.sampled(spline, z_up=z_up)
    if found is None:
        text = f"{title} has no length" if not z_up else f"{title} goes straight up somewhere, and its Twist is Z-Up"
        hint = "move its points apart" if not z_up else "set Twist Method of the curve to Minimum"
        return _refused(obj, text, hint, *(("MINIMUM_TWIST",) if z_up else ()))
    frames = tuple(tracks.pose_of(E) for E in found.frames)
    values = {"frames": frames, "basis": "b_spline", "cyclic": spline.cyclic, "endpoints": not spline.cyclic}
    return Drawn(values | {"bank": None}, list(_curve_findings(obj, A, found)))


def _curve_findings(obj: bpy.types.Object, A: Array, found: track_samples.Samples) -> Iterator[Finding]:
    title = f"Track '{obj.name}'"
    if not found.is_close:
        text = f"{title} is up to {1e3 * found.error:.3g} mm beside its curve, which has a corner or a sharp bend"
        yield Finding(obj.name, text, "round it: line up the handles, or add points", "WARNING")
    modifier = next((each for each in obj.modifiers if each.show_viewport), None)
    if modifier is not None:
        text = f"{title} runs along its curve as it is without the modifier '{modifier.name}'"
        yield Finding(obj.name, text, "apply the modifier, or remove it", "WARNING")
    yield from scale_findings(obj, A, title)


def scale_findings(obj: bpy.types.Object, A: Array, title: str) -> Iterator[Finding]:
    """A scale that stretches what is drawn, which is handled as it looks."""
    sizes = np.linalg.norm(A[:3, :3], axis=0)
    if np.ptp(sizes) > EVEN_SCALE * sizes.max():
        shown = ", ".join(f"{number:.3g}" for number in sizes)
        text = f"{title} is stretched by its scale ({shown}); it runs as it looks"
        yield Finding(obj.name, text, "apply the scale", "INFO", ("APPLY_SCALE",))


def spline_points(spline: Any) -> int:
    """How many control points a spline has."""
    return len(spline.bezier_points) if spline.type == "BEZIER" else len(spline.points)


def read_spline(spline: Any, A: Array, length: float) -> Spline:
    """A spline of Blender's in metres, seen from the rigid frame of its object."""
    is_bezier = spline.type == "BEZIER"
    points = spline.bezier_points if is_bezier else spline.points
    n = len(points)
    size = 3 if is_bezier else 4
    co, tilt = np.zeros(n * size, np.float32), np.zeros(n, np.float32)
    points.foreach_get("co", co)
    points.foreach_get("tilt", tilt)
    given = co.reshape(n, size).astype(np.float64)
    left = right = np.zeros((0, 3))
    if is_bezier:
        left, right = (_vectors(points, name) for name in ("handle_left", "handle_right"))

    def placed(x: Array) -> Array:
        return (x @ A[:3, :3].T) * length

    weights = np.ones(n) if is_bezier else np.maximum(given[:, 3], 1e-6)
    knots = Knots(
        min(spline.order_u, n), bool(spline.use_cyclic_u), bool(spline.use_endpoint_u), bool(spline.use_bezier_u)
    )
    turn = 1.0 if np.linalg.det(A[:3, :3]) > 0.0 else -1.0
    return Spline(
        spline.type,
        placed(given[:, :3]),
        placed(left),
        placed(right),
        weights,
        turn * tilt.astype(np.float64),
        knots,
        spline.tilt_interpolation,
    )


def _vectors(points: Any, name: str) -> Array:
    values = np.zeros(3 * len(points), np.float32)
    points.foreach_get(name, values)
    return values.reshape(-1, 3).astype(np.float64)


def surface_sheet(obj: bpy.types.Object, A: Array, length: float) -> Drawn:
    """Control points of the sheet over a NURBS surface object."""
    data: Any = obj.data
    title = f"Sheet '{obj.name}'"
    if len(data.splines) != 1:
        text = f"{title} has {len(data.splines)} surfaces, and a sheet is one"
        return _refused(obj, text, "keep one of them, and separate the others (P in Edit Mode)", "REMOVE_ELEMENT")
    spline = data.splines[0]
    rows, columns = spline.point_count_v, spline.point_count_u  # the points of a row are along Blender's u
    given = np.array([point.co[:] for point in spline.points], np.float64).reshape(rows, columns, 4)
    along_v = Knots(min(spline.order_v, rows), spline.use_cyclic_v, spline.use_endpoint_v, spline.use_bezier_v)
    along_u = Knots(min(spline.order_u, columns), spline.use_cyclic_u, spline.use_endpoint_u, spline.use_bezier_u)
    if min(rows, columns) < 2:
        return _refused(obj, f"{title} is a line, not a surface", "add rows to it", "REMOVE_ELEMENT")
    points = (given[..., :3] @ A[:3, :3].T) * length
    shape = (max(4, ROWS * rows), max(4, ROWS * columns))
    through = curve_points.surface_positions(points, np.maximum(given[..., 3], 1e-6), along_v, along_u, shape)
    return _sheet(obj, A, title, through, (along_v.cyclic, along_u.cyclic))


def mesh_sheet(obj: bpy.types.Object, A: Array, length: float) -> Drawn:
    """Control points of the sheet through the vertices of a mesh that is a grid of quads."""
    data: Any = obj.data
    title = f"Sheet '{obj.name}'"
    faces = [tuple(face.vertices) for face in data.polygons]
    grid = sheet_samples.grid_of(faces, len(data.vertices))
    if grid is None or min(grid.shape) < 4:
        text = f"{title} is no grid of quads with at least 4 rows and 4 columns of vertices"
        return _refused(obj, text, "use Add > Mesh > Grid, or a NURBS surface", "REMOVE_ELEMENT")
    co = np.zeros(3 * len(data.vertices), np.float32)
    data.vertices.foreach_get("co", co)
    points = (co.reshape(-1, 3).astype(np.float64) @ A[:3, :3].T) * length
    return _sheet(obj, A, title, points[grid], (False, False))


def _sheet(obj: bpy.types.Object, A: Array, title: str, through: Array, cyclic: tuple[bool, bool]) -> Drawn:
    positions = sheet_samples.control_points(through, cyclic=cyclic)
    values = {
        "positions": tuple(tuple(map(tuple, row)) for row in positions.tolist()),
        "angles": None,
        "basis": "b_spline",
        "cyclic_u": cyclic[0],
        "cyclic_v": cyclic[1],
        "endpoints": not all(cyclic),
        "orientation": "normal",
    }
    return Drawn(values, list(scale_findings(obj, A, title)))


READERS: dict[tuple[str, str], Callable[[bpy.types.Object, Array, float], Drawn]] = {
    ("track", "CURVE"): curve_track,
    ("sheet", "SURFACE"): surface_sheet,
    ("sheet", "MESH"): mesh_sheet,
}
"""By sort of element and type of object, as `properties.drawn`."""
