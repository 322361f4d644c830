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

from .._engine import arrays, pose, quaternion, so3, trajectory
from . import frames, kept, rotation_channels, units
from .findings import BridgeError, Finding
from .modelled import Modelled

if TYPE_CHECKING:
    from .extract import BodyFrame, Extraction

Array = arrays.Array
Trajectory = trajectory.Trajectory

SHEAR = 1e-5
"""Departure from a rotation that is still taken for one: Blender stores parent inverses in single precision [1]."""

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


class _Place(NamedTuple):
    """What is constant about one object: indices of body and carrier (-1: none), and the matrices of the module."""

    name: str
    parent: str
    mode: str
    body: int
    carrier: int
    C_inverse: Array
    A: Array
    delta: Array
    delta_location: Array
    rest: Array


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
    for start in range(0, len(places), size):
        _move(places[start : start + size], extraction, result, motions, findings)
    if findings:
        raise BridgeError(findings)
    return motions


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
) -> _Place:
    on = carrier(obj, moving)
    C = _parent_matrix(obj, modelled)
    if on is not None:
        C = pose.inverse(units.in_blender_units(bodies[on.name].E_wb, length)) @ C
    mode = obj.rotation_mode
    return _Place(
        name=obj.name,
        parent=obj.parent.name if obj.parent is not None else "",
        mode=mode,
        body=indices[obj.name],
        carrier=-1 if on is None else indices[on.name],
        C_inverse=np.linalg.inv(C),
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


def _move(
    places: Sequence[_Place],
    extraction: Extraction,
    result: Trajectory,
    motions: dict[str, ChannelMotion],
    findings: list[Finding],
) -> None:
    """Add the motions of some objects, or what is wrong with them; arrays are (object, frame, ...)."""
    R_cb, p_cb, omega, pdot = _relative_motion(places, extraction, result)
    C_inverse = np.array([place.C_inverse for place in places])
    linear, shift = C_inverse[:, None, :3, :3], C_inverse[:, None, :3, 3]
    delta_T = np.array([place.delta.T for place in places])[:, None]
    B = np.array([place.A for place in places])
    R = (delta_T @ linear) @ R_cb @ B[:, None]
    gap = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(axis=(1, 2, 3))
    sheared = ~((gap <= SHEAR) & (np.linalg.det(R) > 0.0).all(axis=1))
    findings += [_sheared(place) for place, bad in zip(places, sheared, strict=True) if bad]

    q = quaternion.from_matrix(R)
    spin = (_turned_by(B)[:, None] @ omega[..., None])[..., 0]
    location = (
        (linear @ p_cb[..., None])[..., 0] + shift - np.array([place.delta_location for place in places])[:, None]
    )
    location_rate = (linear @ pdot[..., None])[..., 0]
    for mode in {place.mode for place in places}:
        which = [index for index, place in enumerate(places) if place.mode == mode and not sheared[index]]
        if not which:
            continue
        rest = np.array([places[index].rest for index in which])
        values, rates, unresolved = rotation_channels.channels(mode, q[which], spin[which] / extraction.fps, rest)
        for row, index in enumerate(which):
            motions[places[index].name] = ChannelMotion(
                location[index],
                location_rate[index],
                values[row],
                rates[row] * extraction.fps,
                resolved=not unresolved[row].any(),
            )


def _relative_motion(
    places: Sequence[_Place], extraction: Extraction, result: Trajectory
) -> tuple[Array, Array, Array, Array]:
    """Of each body relative to its carrier: R_cb, p_cb [Blender units], omega in the body, and the rate of p_cb."""
    body, on = [place.body for place in places], [place.carrier for place in places]
    carried = np.array([index >= 0 for index in on])[:, None, None]
    q = np.swapaxes(result.rotation, 0, 1)
    p = np.swapaxes(result.position, 0, 1) / extraction.length
    twist = np.swapaxes(result.channels["twist"], 0, 1)
    omega, v = twist[..., :3], twist[..., 3:] / extraction.length

    R_wb = quaternion.to_matrix(q[body])
    R_cw = np.swapaxes(quaternion.to_matrix(np.where(carried, q[on], quaternion.identity())), -1, -2)
    p_c, omega_c, v_c = (np.where(carried, values[on], 0.0) for values in (p, omega, v))
    R_cb = R_cw @ R_wb
    p_cb = (R_cw @ (p[body] - p_c)[..., None])[..., 0]
    omega_cb = omega[body] - (np.swapaxes(R_cb, -1, -2) @ omega_c[..., None])[..., 0]
    pdot = (R_cb @ v[body][..., None])[..., 0] - v_c - np.cross(omega_c, p_cb)
    return R_cb, p_cb, omega_cb, pdot


def _turned_by(B: Array) -> Array:
    """(n, 3, 3) that maps omega to the vector of B^-1 [omega] B: the angular velocity of R B, seen in its own axes."""
    B_inverse = np.linalg.inv(B)
    columns = [so3.vee(B_inverse @ so3.hat(axis) @ B) for axis in np.eye(3)]
    return np.stack(columns, axis=-1)


def _sheared(place: _Place) -> Finding:
    if not place.parent:
        return Finding(place.name, f"'{place.name}' is sheared and cannot be turned by its channels", "apply its scale")
    return Finding(
        place.name,
        f"'{place.name}' would be sheared by its parent '{place.parent}', whose scale is not uniform",
        f"clear the parent with Keep Transformation, or apply the scale of '{place.parent}'",
    )
