# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyed coordinates and torques of joints as tables for the engine.

F-curves are followed as `courses` says; what drivers and the NLA do is sampled once per frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import bpy
import numpy as np

from ... import compat
from ..._engine import arrays, fields, simulate, tables
from ...properties import from_specs
from ...properties import joint as joint_properties
from ..core import curve_pieces
from ..core.curve_pieces import Pieces
from ..core.findings import Finding
from ..objects import movers, units
from ..objects.other_frames import OtherFrames
from .courses import NEAREST, Clock, Course, course_of, has_content

__all__ = [
    "Clock",
    "Course",
    "broken_findings",
    "coordinate_table",
    "courses",
    "jump_findings",
    "sample",
    "speed_findings",
]

Array = arrays.Array


class Channel(NamedTuple):
    """One number that can be keyed: name of its object, data path and array index, as F-curves have them."""

    owner: str
    path: str
    component: int


Samples = dict[Channel, Array]
"""Values per frame of `Clock.frames` for what only an evaluated scene can tell."""


def channels(obj: bpy.types.Object, field: str) -> list[Channel]:
    """The channels that hold a field ('q' or 'torque') of a joint, one per coordinate."""
    joint: Any = obj.redmax.joint
    places = [joint_properties.place(field, dof) for dof in joint_properties.dofs(joint)]
    return [Channel(obj.name, place.path, place.component) for place in places]


def channels_to_sample(obj: bpy.types.Object) -> Iterator[Channel]:
    """Channels of a joint that drivers or the NLA set, whatever its own F-curves say."""
    if obj.animation_data is None or len(joint_properties.dofs(obj.redmax.joint)) > from_specs.MOST_DOFS:
        return
    yield from set_elsewhere(obj, [each for field in joint_properties.KEYED for each in channels(obj, field)])


def set_elsewhere(obj: bpy.types.Object, own: list[Channel]) -> Iterator[Channel]:
    """Those of some channels of an animated object that drivers or the NLA set."""
    data: Any = obj.animation_data
    elsewhere = {(d.data_path, d.array_index) for d in data.drivers if not d.mute}
    elsewhere |= {(c.data_path, c.array_index) for c in movers.nla_curves(obj)}
    yield from (channel for channel in own if channel[1:] in elsewhere)


def sample(elsewhere: OtherFrames, wanted: list[Channel], clock: Clock) -> Samples:
    """Evaluate every frame and write down the wanted channels."""
    if not wanted:
        return {}
    rows = []
    for frame in clock.frames:
        depsgraph = elsewhere.evaluate(frame)
        owners = {name: bpy.data.objects[name].evaluated_get(depsgraph) for name in {c.owner for c in wanted}}
        rows.append([value(owners[channel.owner], channel) for channel in wanted])
    values = np.array(rows, np.float64)
    return {channel: values[:, k] for k, channel in enumerate(wanted)}


def courses(obj: bpy.types.Object, field: str, clock: Clock, samples: Samples) -> list[Course] | None:
    """How each coordinate's field goes; None if nothing keys or drives it, so that it stands at its value."""
    return None if obj.animation_data is None else courses_of(obj, channels(obj, field), clock, samples)


def courses_of(obj: bpy.types.Object, own: list[Channel], clock: Clock, samples: Samples) -> list[Course] | None:
    """How some channels of an object go; None if nothing keys or drives any of them."""
    if obj.animation_data is None:
        return None
    curves = compat.curves_of(obj)
    found, any_keyed = [], False
    for channel in own:
        curve = None if curves is None else curves.find(channel.path, channel.component)
        if channel in samples:
            x = np.array(clock.frames, np.float64)
            found.append(Course(float(samples[channel][0]), curve_pieces.through_samples(x, samples[channel])))
        elif curve is not None and movers.is_active(curve) and has_content(curve):
            found.append(course_of(curve, clock))
        else:
            found.append(Course(value(obj, channel)))
            continue
        any_keyed = True
    return found if any_keyed else None


def coordinate_table(found: list[Course], factors: list[float], clock: Clock) -> Any:
    """One hermite table over time [s] of several courses, each times its factor to SI units."""
    nodes = _nodes([course.pieces for course in found if course.pieces is not None], clock)
    columns = [_column(course, nodes) for course in found]
    y = np.stack([column[0] * factor for column, factor in zip(columns, factors, strict=True)], axis=1)
    slopes = np.stack([column[1] * factor for column, factor in zip(columns, factors, strict=True)], axis=1)
    return tables.Table(
        x=tuple(units.seconds(node, clock.start, clock.fps) for node in nodes.tolist()),
        y=tuple(map(tuple, y.tolist())),
        interpolation="hermite",
        slopes=tuple(map(tuple, (slopes * clock.fps).tolist())) if len(nodes) > 1 else None,
    )


def jump_findings(obj: bpy.types.Object, found: list[Course], clock: Clock) -> Iterator[Finding]:
    """Where an animated coordinate would have to be in two places at once, or moves without bound."""
    dofs = joint_properties.dofs(obj.redmax.joint)
    for dof, course in zip(dofs, found, strict=True):
        which = f" along {dof.name}" if len(dofs) > 1 else ""
        for frame in [frame for frame in course.jumps if clock.start < frame <= clock.end][:1]:
            text = f"Joint '{obj.name}' jumps{which} at frame {frame:g}; nothing can follow it"
            yield Finding(obj.name, text, "use Linear or Bezier keys there")
        for frame in [frame for frame in course.steep if clock.start <= frame <= clock.end][:1]:
            text = f"Joint '{obj.name}' moves{which} almost infinitely fast at frame {frame:g}"
            yield Finding(obj.name, text, "shorten the handles of the keys around it")


def broken_findings(obj: bpy.types.Object, found: list[Course]) -> Iterator[Finding]:
    """Keys that are not finite; only scripts make such."""
    if any(course.broken for course in found):
        yield Finding(obj.name, f"Joint '{obj.name}' has a key that is not a finite number", "delete its keys")


def speed_findings(obj: bpy.types.Object, found: list[Course], table: Any, clock: Clock) -> Iterator[Finding]:
    """Keys so close that nothing can move from one to the other. table: of these courses; jumps are said elsewhere."""
    dofs = joint_properties.dofs(obj.redmax.joint)
    frames = clock.start + clock.fps * np.array(table.x, np.float64)
    peaks = np.where((frames[:-1] < clock.end)[:, None], table.peak_slopes(), 0.0)
    for dof, course, column in zip(dofs, found, peaks.T, strict=True):
        if column.max(initial=0.0) <= simulate.MAX_SPEED or course.jumps or course.steep:
            continue
        k = int(column.argmax())
        which = f" along {dof.name}" if len(dofs) > 1 else ""
        unit = fields.per_dof_unit(joint_properties.COMMON["qdot"], dof.unit)
        speed, where = f"{column[k]:.3g} {unit}", f"between frames {frames[k]:.9g} and {frames[k + 1]:.9g}"
        text = f"Joint '{obj.name}' moves{which} at {speed} {where}; nothing can follow it"
        yield Finding(obj.name, text, "move the keys there apart")


def value(obj: bpy.types.Object, channel: Channel) -> float:
    """The number that a channel holds at present."""
    found: Any = obj.path_resolve(channel.path)
    return float(found)


def _nodes(all_pieces: list[Pieces], clock: Clock) -> Array:
    """Points at which any course begins a new piece, from the first frame to the last that matters."""
    start, stop = float(clock.frames[0]), float(clock.frames[-1])
    points = np.concatenate([np.array([start]), *(p.a for p in all_pieces), *(p.b for p in all_pieces)])
    points = np.unique(np.clip(points, start, stop))
    keep = np.append(True, np.diff(points) > NEAREST)
    nodes: Array = points[keep]
    return nodes


def _column(course: Course, nodes: Array) -> tuple[Array, Array]:
    """Values (k,) at the nodes and slopes (2 k - 2,) at both ends of the intervals between them."""
    if course.pieces is None or len(nodes) == 1:
        return np.full(len(nodes), course.value), np.zeros(2 * len(nodes) - 2)
    pieces = course.pieces
    middle = 0.5 * (nodes[:-1] + nodes[1:])
    index = np.clip(np.searchsorted(pieces.a, middle, side="right") - 1, 0, len(pieces.a) - 1)
    inside = (middle > pieces.a[0]) & (middle < pieces.b[-1])
    ends = []
    for x in (nodes[:-1], nodes[1:]):
        y, slope = pieces.at(x, index)
        held = np.where(middle < pieces.a[0], pieces.ya[0], pieces.yb[-1])
        ends.append((np.where(inside, y, held), np.where(inside, slope, 0.0)))
    (y0, m0), (y1, m1) = ends
    return np.append(y0, y1[-1]), np.stack((m0, m1), axis=1).reshape(-1)
