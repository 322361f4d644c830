# SPDX-License-Identifier: GPL-3.0-or-later
"""From a trajectory to the location and rotation channels that bring objects to the bodies' poses.

With E(t) the pose of a body and A what its object adds to it (scale, shear, mirror), the object's world matrix is
M = E A. Blender makes it from the parent's N and from the channels' L: M = N L. If another body carries the object
(an ancestor that moves), N = E_c C with a constant C, else N is constant: so

    L = C^-1 (E_c^-1 E) A,     L = (delta_location + location, delta_rotation rotation scale).

Rates follow exactly from the bodies' twists. Scale is never a channel of ours: where a parent would shear the object
no rotation gives the pose, and the object is refused by name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import bpy
import numpy as np

from .._engine import arrays, pose, trajectory
from . import frames, kept, object_motion, rotation_channels, units
from .findings import BridgeError, Finding
from .modelled import Modelled
from .object_motion import Motions, Place

if TYPE_CHECKING:
    from .extract import BodyFrame, Extraction

Array = arrays.Array
Trajectory = trajectory.Trajectory

CHUNK = 200_000
"""Most poses worked on at once, so that long simulations of many bodies need little memory."""


class ChannelMotion(NamedTuple):
    """An object's channels over f samples; Blender units and radians, rates per second.

    location, location_rate: (f, 3). rotation, rotation_rate: (f, 3) Euler angles (x, y, z), or (f, 4) quaternion
    or axis-angle, by the object's rotation mode. resolved: False if the mode's singularity (gimbal lock) comes so near
    that its channels swing from frame to frame, and only the frames themselves are right.
    """

    location: Array
    location_rate: Array
    rotation: Array
    rotation_rate: Array
    resolved: bool = True


def channel_motion(
    obj: bpy.types.Object,
    extraction: Extraction,
    result: Trajectory,
    depsgraph: bpy.types.Depsgraph,
    *,
    moving: Collection[str] | None = None,
) -> ChannelMotion:
    """The channels of one object, see `channel_motions`."""
    return channel_motions([obj], extraction, result, depsgraph, moving=moving)[obj.name]


def channel_motions(
    objects: Iterable[bpy.types.Object],
    extraction: Extraction,
    result: Trajectory,
    depsgraph: bpy.types.Depsgraph,
    *,
    moving: Collection[str] | None = None,
) -> dict[str, ChannelMotion]:
    """By object name, the channels that give each object its body's pose at every sample.

    moving: names of the bodies whose objects will follow the trajectory, None for all; a parent that is a body but
    does not move counts as part of what it hangs on. Raises BridgeError with every object that cannot be placed.
    """
    names = set(result.body_names) if moving is None else set(moving)
    modelled = Modelled(depsgraph)
    bodies = {body.name: body for body in extraction.bodies}
    indices = {name: index for index, name in enumerate(result.body_names)}
    places = [_place(obj, bodies, indices, extraction.length, modelled, names) for obj in objects]
    motions: dict[str, ChannelMotion] = {}
    findings: list[Finding] = []
    size = max(1, CHUNK // max(1, len(result)))
    plain = object_motion.are_plain(places)
    for wanted, move in ((True, object_motion.of_plain_objects), (False, object_motion.of_objects)):
        alike = [place for place, is_plain in zip(places, plain, strict=True) if is_plain == wanted]
        for start in range(0, len(alike), size):
            some = alike[start : start + size]
            _add_channels(some, move(some, result, extraction.length), extraction.fps, motions, findings)
    if findings:
        raise BridgeError(findings)
    return {place.name: motions[place.name] for place in places}


def carrier(obj: bpy.types.Object, moving: Collection[str]) -> bpy.types.Object | None:
    """The nearest ancestor that is one of the moving bodies."""
    return next((ancestor for ancestor in ancestors(obj) if ancestor.redmax.is_body and ancestor.name in moving), None)


def ancestors(obj: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """The parent, its parent and so on."""
    while obj.parent is not None:
        obj = obj.parent
        yield obj


def _place(
    obj: bpy.types.Object,
    bodies: dict[str, BodyFrame],
    indices: dict[str, int],
    length: float,
    modelled: Modelled,
    moving: set[str],
) -> Place:
    on = carrier(obj, moving)
    C = np.eye(4)
    if obj.parent is not None:
        C = _parent_matrix(obj, modelled)
    if on is not None:
        C = pose.inverse(units.in_blender_units(bodies[on.name].E_wb, length)) @ C
    mode = obj.rotation_mode
    return Place(
        name=obj.name,
        parent=obj.parent.name if obj.parent is not None else "",
        mode=mode,
        body=indices[obj.name],
        carrier=-1 if on is None else indices[on.name],
        C_inverse=C if obj.parent is None else np.linalg.inv(C),
        A=bodies[obj.name].A[:3, :3] / frames.channel_scale(obj),
        delta=frames.delta_rotation(obj),
        delta_location=np.array(obj.delta_location, np.float64),
        rest=np.array(getattr(kept.channels(obj), rotation_channels.path(mode)), np.float64),
    )


def _parent_matrix(obj: bpy.types.Object, modelled: Modelled) -> Array:
    """What the parent adds, as modelled; the parents' own matrices are computed once for all their children."""
    if obj.parent is None or obj.parent_type != "OBJECT":
        return frames.parent_matrix(obj, modelled.depsgraph)
    N: Array = modelled.matrix(obj.parent) @ np.array(obj.matrix_parent_inverse, np.float64)
    return N


def _add_channels(
    places: Sequence[Place],
    moved: Motions,
    fps: float,
    motions: dict[str, ChannelMotion],
    findings: list[Finding],
) -> None:
    """Add the channels of some objects, or what is wrong with them."""
    findings += [_sheared(place) for place, bad in zip(places, moved.sheared.tolist(), strict=True) if bad]
    for mode in {place.mode for place in places}:
        which = [index for index, place in enumerate(places) if place.mode == mode and not moved.sheared[index]]
        if not which:
            continue
        rest = np.array([places[index].rest for index in which])
        values, rates, unresolved = rotation_channels.channels(mode, moved.q[which], moved.spin[which] / fps, rest)
        resolved = ~unresolved.any(axis=1)
        rates = rates * fps
        for row, index in enumerate(which):
            motions[places[index].name] = ChannelMotion(
                moved.location[index],
                moved.location_rate[index],
                values[row],
                rates[row],
                resolved=bool(resolved[row]),
            )


def _sheared(place: Place) -> Finding:
    if not place.parent:
        return Finding(place.name, f"'{place.name}' is sheared and cannot be turned by its channels", "apply its scale")
    return Finding(
        place.name,
        f"'{place.name}' would be sheared by its parent '{place.parent}', whose scale is not uniform",
        f"clear the parent with Keep Transformation, or apply the scale of '{place.parent}'",
    )
