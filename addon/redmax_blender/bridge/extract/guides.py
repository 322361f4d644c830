# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks and sheets that joints move along: where each stands, and where on it a joint's child does.

The joint frame on the parent is that of the track's object, wherever the joint's own stands. The child stands on the
track at the place that is next to its origin; there the joint's coordinate is 0, as it is for every joint as modelled.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..._engine import arrays, fields, joints, pose, traits
from ...properties import joint as joint_properties
from ...properties import references
from ..check.findings import frame_objects
from ..core.findings import Finding
from ..objects import units

Array = arrays.Array
Object = bpy.types.Object

LOST = "lost_reference"
"""Code of findings about what an element refers to and no longer has."""

OFF = "off_its_track"
"""Code of findings about a child that is far from its track."""

NEAR = 1.0
"""A child may be as far from its track as this times the diagonal of its box: it may hang below, or ride on wheels."""

REMEMBERED = 64
"""Tracks and sheets that are remembered."""

SORTS = tuple(dict.fromkeys(sort for cls in joints.JOINTS for sort in joint_properties.guides(cls.kind).values()))
"""Sorts of what joints move along."""


class Guide(NamedTuple):
    """An engine's track or sheet, its object and that object's rigid frame in the world [m]."""

    element: Any
    obj: Object
    E_wt: Array


@dataclass(frozen=True, eq=False)
class Guides:
    """Those of one extraction, by sort and name. in_scene: full names of objects."""

    found: dict[tuple[str, str], Guide]
    in_scene: set[str]

    def find(self, sort: str, name: str) -> Any | None:
        """The engine's element of a sort and a name."""
        guide = self.found.get((sort, name))
        return None if guide is None else guide.element


class Fitted(NamedTuple):
    """A joint on a track: its own parameters, its frame in the world (4, 4) [m], traits with Q(0) alone, and the
    distance of its child from the track [m]."""

    own: dict[str, Any]
    E_wj: Array
    traits: Any
    distance: float


@functools.lru_cache(maxsize=REMEMBERED)
def sound(element: Any) -> Any | None:
    """A track or sheet that is sound in itself, the same one for the same content: it keeps what it has worked out.
    None for one of which the engine's check has something to say."""
    return None if any(True for _ in element.problems()) else element


def connection_findings(obj: Object, settings: Any, guides: Guides) -> Iterator[Finding]:
    """Tracks that a joint needs and does not have."""
    for group, name, sort in joint_properties.own_references(settings):
        words, meant = references.label_of(name), references.target(group, name)
        fixes = ("PICK_END", "REMOVE_ELEMENT")
        gone = meant is not None and meant.object.name_full not in guides.in_scene
        if gone or references.is_lost(group, name):
            text = f"Joint '{obj.name}' has lost its {words}, '{references.lost_name(group, name)}'"
            yield Finding(obj.name, text, f"pick another {sort}, or remove the joint", fixes=fixes, code=LOST)
        elif meant is None:
            hint = f"pick a {sort}, or use Spline {'Track' if sort == 'track' else 'Surface'}"
            yield Finding(obj.name, f"Joint '{obj.name}' has no {words}", hint, fixes=fixes)
        elif not getattr(meant.object.redmax, f"is_{sort}"):
            text = f"Joint '{obj.name}' has '{meant.object.name}' as its {words}, which is not a RedMax {sort}"
            yield Finding(obj.name, text, f"make it a {sort}, or pick another one", fixes=fixes)
        elif (guide := guides.found.get((sort, meant.object.name))) is not None:
            yield from _carried(obj, settings, guide, sort)


def _carried(obj: Object, settings: Any, guide: Guide, sort: str) -> Iterator[Finding]:
    """A track that Blender moves with another body than that which the simulation fixes it to."""
    body = frame_objects.carrier(guide.obj)
    if body == settings.parent:
        return
    severity: Any = "ERROR"
    if body is None:
        severity = "WARNING"  # what stands still, as a locked body does, moves with the world
        text = (
            f"Joint '{obj.name}' is fixed to '{settings.parent.name}', but its {sort} '{guide.obj.name}' stands still"
        )
        hint = f"let the world be its parent, or parent '{guide.obj.name}' to '{settings.parent.name}'"
    elif body == settings.child:
        text = f"Joint '{obj.name}' carries '{body.name}', and its {sort} '{guide.obj.name}' is a part of that"
        hint = f"clear the parent of '{guide.obj.name}'"
    else:
        text = f"The {sort} '{guide.obj.name}' goes with '{body.name}', but joint '{obj.name}' is not fixed to that"
        hint = f"let '{body.name}' be the joint's parent"
    yield Finding(obj.name, text, hint, severity, ("USE_CARRIER",), code="track_carrier")


def fitted(settings: Any, guides: Guides, child: Array, length: float) -> Fitted | None:
    """A joint as it stands on its track, None where that is missing or makes no element. child: frame (4, 4) of the
    child in the world [m]."""
    own = joint_properties.own_parameters(settings, length)
    cls = joints.JOINTS[settings.kind]
    made: Any = cls.part(**own).with_paths(guides.find)
    guide = _first(settings, guides)
    if made is None or guide is None:
        return None
    point = (pose.inverse(guide.E_wt) @ child)[:3, 3]
    placed = _placed(made, point)
    parameters = {name: getattr(placed, name) for name in own}
    if joint_properties.ORIGIN in fields.specs(cls):
        parameters[joint_properties.ORIGIN] = getattr(placed, joint_properties.ORIGIN)
    still = np.zeros(placed.ndof)
    Q0 = placed.motion(still, still).Q
    return Fitted(parameters, guide.E_wt, traits.Traits(placed.ndof, Q0), float(np.linalg.norm(Q0[:3, 3] - point)))


def _first(settings: Any, guides: Guides) -> Guide | None:
    """What the joint moves along; the first if its parts have several."""
    for group, name, sort in joint_properties.own_references(settings):
        return guides.found.get((sort, getattr(group, name).name)) if getattr(group, name) is not None else None
    return None


def _placed(joint: Any, point: Array) -> Any:
    """A joint, or one of its parts, with its coordinate 0 next to a point (3,) of its frame."""
    kind = joint.kind
    if joint_properties.guides(kind):
        origin, _ = joint.path.nearest(point)
        return replace(joint, origin=tuple(origin.tolist()) if isinstance(origin, np.ndarray) else float(origin))
    name = joint_properties.PARTS.get(kind)
    return joint if name is None else replace(joint, **{name: tuple(_placed(p, point) for p in getattr(joint, name))})


def off_track(obj: Object, settings: Any, distance: float, size: float) -> Iterator[Finding]:
    """A child that is farther from its track than its size [m] explains."""
    if distance > NEAR * size > 0.0:
        track = next(getattr(group, name) for group, name, _ in joint_properties.own_references(settings))
        text = f"'{settings.child.name}' is {units.shown(distance, 'm')} from '{track.name}', on which it runs"
        hint = "move it there; it would go along at that distance"
        yield Finding(obj.name, text, hint, "WARNING", ("MOVE_ONTO_TRACK",), code=OFF)
