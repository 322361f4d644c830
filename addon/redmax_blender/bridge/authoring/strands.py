# SPDX-License-Identifier: GPL-3.0-or-later
"""Add Strand: a rope of masses and springs between bodies, or along a curve.

Its stiffness follows from what hangs on it: with EA = (weights of the rope and of the bodies on it) / stretch it gets
longer by that part while it carries all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..._engine import arrays
from ...properties.sorts import SORTS
from ..core import track_samples
from ..core.curve_points import Spline
from ..core.findings import refuse
from ..extract.drawn_elements import read_spline, spline_points
from ..extract.extraction import extract
from ..objects import frames, joint_objects, units
from ..objects.editable import require_editable
from ..results import preview
from . import all_or_nothing, elements, shapes
from .paths import STANDARD_GRAVITY, Points, Stop, length_of, ordered, stops_of

Array = arrays.Array
Object = bpy.types.Object

POLY = "POLY"
"""Type of a spline of straight lines."""

DAMPING_TIME = 0.01
"""Damping of a rope as a part of its stiffness [s]."""


class Wishes(NamedTuple):
    """segments: how many there are at least. density [kg/m]. slack: rest length as a part of the present one. stretch:
    by which part it gets longer under what hangs on it. free_end: its last end is fixed to nothing.
    shape: whether an object is added that shows it."""

    segments: int = 12
    density: float = 0.2
    slack: float = 1.0
    stretch: float = 0.01
    free_end: bool = False
    shape: bool = False


class Course(NamedTuple):
    """Where a rope begins: nodes (n, 3) in the world [Blender units], and what is fixed: (node, body or None)."""

    nodes: Array
    fixed: list[tuple[int, Object | None]]
    at: dict[int, Object]


def add_strand(context: bpy.types.Context, points: Points, wishes: Wishes) -> Object:
    """A rope through the selected bodies and empties, or along the selected curve, to which it is no longer tied."""
    curve = next((obj for obj in points.objects if is_path(obj)), None)
    course = _through(context, points, wishes) if curve is None else _along(context, points.objects, curve, wishes)
    bodies = list(dict.fromkeys(body for _, body in course.fixed if body is not None))
    with all_or_nothing.making(context) as made:
        all_or_nothing.make_bodies(bodies, made)
        strand = elements.add(context, SORTS["strand"], "", bodies, np.mean(course.nodes, axis=0), name="Strand")
        made.append(strand)
        _fill(context, strand, course, wishes)
        if wishes.shape:
            shapes.add_shape(context, strand)
    return strand


def is_path(obj: Object) -> bool:
    """Whether an object is a curve that a rope may run along."""
    return obj.type == "CURVE" and not obj.redmax.is_body and not obj.redmax.is_track


def _through(context: bpy.types.Context, points: Points, wishes: Wishes) -> Course:
    """Straight from point to point; of a single body to the 3D cursor."""
    stops = ordered(stops_of(context, points.objects), points)
    if len(stops) == 1 and stops[0].body is not None:
        cursor = np.array(context.scene.cursor.location, np.float64)
        stops.append(Stop("3D Cursor", None, None, cursor, cursor.tolist()))
    if len(stops) < 2:
        hint = "select bodies or empties, or a curve that it runs along"
        raise refuse("", "A strand needs two points between which it hangs", hint)
    whole = length_of(stops)
    legs = [(a, b, float(np.linalg.norm(b.place - a.place))) for a, b in pairwise(stops)]
    for a, b, length in legs:
        if length <= 1e-9 * whole or whole == 0.0:
            text = f"'{a.name}' and '{b.name}' are in the same place, so that the strand has no length between them"
            raise refuse(a.name, text, "move them apart")
    nodes, fixed, at = [stops[0].place], [(0, stops[0].body)], {}
    for number, (a, b, length) in enumerate(legs):
        count = max(1, round(wishes.segments * length / whole))
        nodes += [a.place + (b.place - a.place) * (k / count) for k in range(1, count + 1)]
        if not wishes.free_end or number < len(legs) - 1:
            fixed.append((len(nodes) - 1, b.body))
    for (node, body), stop in zip(fixed, stops, strict=False):
        marker = stop.at if stop.at is not None else body
        if marker is not None:
            at[node] = marker
    return Course(np.array(nodes), fixed, at)


def _along(context: bpy.types.Context, objects: Sequence[Object], curve: Object, wishes: Wishes) -> Course:
    """Evenly along a curve; each selected body is fixed to the node next to it, without any the first node stays."""
    require_editable([curve])
    data: Any = curve.data
    splines = [spline for spline in data.splines if spline_points(spline) > 1]
    if len(splines) != 1:
        text = f"Curve '{curve.name}' has {len(splines)} splines with a length, and a strand is one line"
        raise refuse(curve.name, text, "keep one of them, and separate the others (P in Edit Mode)")
    stops = stops_of(context, [obj for obj in objects if obj != curve])
    with joint_objects.first_frame(context, [curve]) as depsgraph:
        M = frames.modelled_matrix(curve, depsgraph)
    linear = np.eye(4)
    linear[:3, :3] = M[:3, :3]
    nodes = _evenly(read_spline(splines[0], linear, 1.0), wishes.segments)
    if nodes is None:
        raise refuse(curve.name, f"Curve '{curve.name}' has no length", "move its points apart")
    nodes = nodes + M[:3, 3]
    fixed: dict[int, Object | None] = {}
    for stop in stops:
        free = [k for k in range(len(nodes)) if k not in fixed]
        if free:
            fixed[min(free, key=lambda k: float(np.linalg.norm(nodes[k] - stop.place)))] = stop.body
    if not stops:
        fixed = {0: None} if wishes.free_end else {0: None, len(nodes) - 1: None}
    return Course(nodes, list(fixed.items()), {})


FINE = 16
"""Samples of a smooth curve for each segment of a rope along it."""


def _evenly(spline: Spline, count: int) -> Array | None:
    """(count + 1, 3) points at even distances along a spline, both ends among them; None if it has no length. One of
    straight lines has corners here, which a track would round."""
    points = spline.points
    if spline.kind != POLY:
        found = track_samples.evenly(spline, FINE * count)
        if found is None:
            return None
        points = found[0]
    if spline.cyclic:
        points = np.concatenate([points, points[:1]])
    along = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
    if not (np.isfinite(along[-1]) and along[-1] > 0.0):
        return None
    wanted = np.linspace(0.0, along[-1], count + 1)
    return np.stack([np.interp(wanted, along, points[:, axis]) for axis in range(3)], axis=1)


def _fill(context: bpy.types.Context, strand: Object, course: Course, wishes: Wishes) -> None:
    settings: Any = strand.redmax.strand
    settings.nodes.clear()
    settings.attachments.clear()
    for number, place in enumerate(course.nodes.tolist()):
        entry = settings.nodes.add()
        entry.place, entry.place_at = place, course.at.get(number)
    for node, body in course.fixed:
        entry = settings.attachments.add()
        entry.node, entry.body = node, body
    gaps = np.linalg.norm(np.diff(course.nodes, axis=0), axis=1)
    metres = units.metres_per_unit(context.scene)
    mass = wishes.density * wishes.slack * float(gaps.sum()) * metres
    settings.mass = mass / metres**3  # Blender shows masses times the third power of the unit scale
    settings.pulls_only = True
    if wishes.slack != 1.0:
        settings.use_rest_lengths = True
        for gap in gaps.tolist():
            settings.rest_lengths.add().values[0] = wishes.slack * gap
    settings.stiffness = 1.0
    weight = STANDARD_GRAVITY * (mass + _hanging(context, [body for _, body in course.fixed]))
    settings.stiffness = weight / wishes.stretch
    settings.damping = DAMPING_TIME * settings.stiffness
    strand.update_tag()


def _hanging(context: bpy.types.Context, bodies: Sequence[Object | None]) -> float:
    """What may hang on a rope [kg]: the bodies on it that nothing holds in place."""
    context.view_layer.update()
    with preview.paused():
        extraction = extract(context.scene, context.view_layer)
    names = {body.name for body in bodies if body is not None}
    return sum(body.mass for body in extraction.bodies if body.name in names and not body.static)
