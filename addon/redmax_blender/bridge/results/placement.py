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
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy
import numpy as np

from ..._engine import arrays, pose, trajectory
from ..core import object_motion, rotation_channels
from ..core.findings import BridgeError, Finding
from ..core.object_motion import Motions, Places
from ..objects import frames, other_frames, units
from ..objects.modelled import Modelled

if TYPE_CHECKING:
    from ..extract.extraction import Extraction

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
    places = places_of(objects, extraction, result.body_names, depsgraph, moving=moving)
    return motions_of(places, result, extraction.length, extraction.fps)


def places_of(
    objects: Iterable[bpy.types.Object],
    extraction: Extraction,
    body_names: Sequence[str],
    depsgraph: bpy.types.Depsgraph,
    *,
    moving: Collection[str] | None = None,
) -> Places:
    """What is constant about objects while bodies move; body_names: those of the result."""
    names = set(body_names) if moving is None else set(moving)
    return _places(list(objects), extraction, body_names, Modelled(depsgraph), names)


def motions_of(places: Places, result: Trajectory, length: float, fps: float) -> dict[str, ChannelMotion]:
    """The same for objects whose places are known. fps: samples per second. Raises BridgeError alike."""
    motions: dict[str, ChannelMotion] = {}
    findings: list[Finding] = []
    size = max(1, CHUNK // max(1, len(result)))
    plain = places.plain()
    for wanted, move in ((True, object_motion.of_plain_objects), (False, object_motion.of_objects)):
        alike = [index for index, is_plain in enumerate(plain) if is_plain == wanted]
        for start in range(0, len(alike), size):
            some = places.some(alike[start : start + size])
            _add_channels(some, move(some, result, length), fps, motions, findings)
    if findings:
        raise BridgeError(findings)
    return {name: motions[name] for name in places.names}


def carrier(obj: bpy.types.Object, moving: Collection[str]) -> bpy.types.Object | None:
    """The nearest ancestor that is one of the moving bodies."""
    return next((ancestor for ancestor in ancestors(obj) if ancestor.redmax.is_body and ancestor.name in moving), None)


def ancestors(obj: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """The parent, its parent and so on."""
    while obj.parent is not None:
        obj = obj.parent
        yield obj


def _places(
    objects: Sequence[bpy.types.Object],
    extraction: Extraction,
    body_names: Sequence[str],
    modelled: Modelled,
    moving: set[str],
) -> Places:
    """What is constant about the objects. body_names: those of the result."""
    bodies = {body.name: body for body in extraction.bodies}
    indices = {name: index for index, name in enumerate(body_names)}
    carriers = [carrier(obj, moving) for obj in objects]
    holders: list[Any] = [other_frames.holder(obj, modelled.depsgraph) for obj in objects]
    C = np.tile(np.eye(4), (len(objects), 1, 1))
    delta = np.tile(np.eye(3), (len(objects), 1, 1))
    for index, (obj, on) in enumerate(zip(objects, carriers, strict=True)):
        if obj.parent is not None:
            C[index] = _parent_matrix(obj, modelled)
        if on is not None:
            E_wc = units.in_blender_units(bodies[on.name].E_wb, extraction.length)
            C[index] = pose.inverse(E_wc) @ C[index]
        delta[index] = frames.delta_rotation(holders[index])
    scale = (
        np.array([(*obj.scale[:], *obj.delta_scale[:]) for obj in holders], np.float64).reshape(-1, 2, 3).prod(axis=1)
    )
    A = np.array([bodies[obj.name].A[:3, :3] for obj in objects]).reshape(-1, 3, 3)
    modes: list[str] = [obj.rotation_mode for obj in holders]
    return Places(
        names=[obj.name for obj in objects],
        parents=[obj.parent.name if obj.parent is not None else "" for obj in objects],
        modes=modes,
        rest=[
            tuple(getattr(frames.channels(obj, modelled.depsgraph), rotation_channels.path(mode)))
            for obj, mode in zip(objects, modes, strict=True)
        ],
        body=np.array([indices[obj.name] for obj in objects], np.int64),
        carrier=np.array([-1 if on is None else indices[on.name] for on in carriers], np.int64),
        C_inverse=np.linalg.inv(C),
        B=A / scale[:, None, :],
        delta=delta,
        delta_location=np.array([obj.delta_location[:] for obj in holders], np.float64).reshape(-1, 3),
    )


def _parent_matrix(obj: bpy.types.Object, modelled: Modelled) -> Array:
    """What the parent adds, as modelled; the parents' own matrices are computed once for all their children."""
    if obj.parent is None or obj.parent_type != "OBJECT":
        return frames.parent_matrix(obj, modelled.depsgraph)
    N: Array = modelled.matrix(obj.parent) @ np.array(obj.matrix_parent_inverse, np.float64)
    return N


def _add_channels(
    places: Places,
    moved: Motions,
    fps: float,
    motions: dict[str, ChannelMotion],
    findings: list[Finding],
) -> None:
    """Add the channels of some objects, or what is wrong with them."""
    sheared: list[bool] = moved.sheared.tolist()
    findings += [_sheared(*both) for *both, bad in zip(places.names, places.parents, sheared, strict=True) if bad]
    for mode in sorted(set(places.modes)):
        which = [index for index, its in enumerate(places.modes) if its == mode and not sheared[index]]
        if not which:
            continue
        rest = np.array([places.rest[index] for index in which], np.float64)
        values, rates, unresolved = rotation_channels.channels(mode, moved.q[which], moved.spin[which] / fps, rest)
        resolved: list[bool] = (~unresolved.any(axis=1)).tolist()
        rates = rates * fps
        for row, index in enumerate(which):
            motions[places.names[index]] = ChannelMotion(
                moved.location[index], moved.location_rate[index], values[row], rates[row], resolved=resolved[row]
            )


def _sheared(name: str, parent: str) -> Finding:
    if not parent:
        return Finding(name, f"'{name}' is sheared and cannot be turned by its channels", "apply its scale")
    return Finding(
        name,
        f"'{name}' would be sheared by its parent '{parent}', whose scale is not uniform",
        f"clear the parent with Keep Transformation, or apply the scale of '{parent}'",
    )
