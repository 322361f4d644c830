# SPDX-License-Identifier: GPL-3.0-or-later
"""Add Gear, Belt, Rack, Mimic: one joint follows another, by a ratio from the radii of their wheels or a given one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import bpy
import numpy as np

from ..._engine import arrays, constraints
from ...properties import joint as joint_properties
from ...properties.sorts import SORTS
from ..core.findings import refuse
from ..objects import frames, joint_objects, units
from ..objects.editable import require_editable
from . import elements
from .picked_joints import picked_joints, require_plain_coordinate

Array = arrays.Array
Object = bpy.types.Object

KIND = constraints.CONSTRAINTS["coupling"].kind


class Wishes(NamedTuple):
    """source: of the ratio. ratio: a given one. same_way: wheels on a belt, or one inside the other, turn alike; wheels
    that touch turn against each other. word: what is added."""

    source: Literal["RADII", "GIVEN"] = "RADII"
    ratio: float = 1.0
    same_way: bool = False
    word: Literal["Gear", "Belt", "Rack", "Mimic"] = "Gear"


class Wheel(NamedTuple):
    """A joint of a gear: where it is and along what it turns or slides (3,) in the world, how far its body reaches from
    the axis [Blender units], and the unit of its coordinate."""

    joint: Object
    place: Array
    axis: Array
    radius: float
    unit: str


def add_gear(context: bpy.types.Context, objects: Sequence[Object], wishes: Wishes) -> Object:
    """A gear between two joints, given themselves or by the bodies that they carry; the last one follows."""
    joints = _two_joints(context.scene, objects)
    require_editable(joints)
    with joint_objects.first_frame(context, joints) as depsgraph:
        wheels = [_wheel(joint, depsgraph) for joint in joints]
    leader, follower = wheels
    _require_fitting(wheels, wishes.word)
    length = units.metres_per_unit(context.scene)
    ratio = wishes.ratio if wishes.source == "GIVEN" else ratio_of(leader, follower, length, same_way=wishes.same_way)
    place = 0.5 * (leader.place + follower.place)
    gear = elements.add(context, SORTS["constraint"], KIND, joints, place, name=wishes.word)
    settings: Any = gear.redmax.constraint.coupling
    settings.ratio = ratio
    # They mesh as they stand at the start, wherever that is.
    starts = [_start(wheel, length) for wheel in wheels]
    offset = starts[1] - ratio * starts[0]
    unit = follower.unit
    name = {"rad": "offset_angle", "m": "offset_distance"}.get(unit, "offset_number")
    setattr(settings, name, offset / units.per_coordinate(unit, length))
    return gear


NEEDED = {"Belt": (["rad", "rad"], "two wheels on hinges"), "Rack": (["m", "rad"], "a wheel on a hinge and a slider")}
"""Units of the coordinates that some couplings are between, and what has them."""


def _require_fitting(wheels: Sequence[Wheel], word: str) -> None:
    """Refuses a belt between anything but wheels, and a rack without a wheel or without a slider."""
    wanted, what = NEEDED.get(word, (None, ""))
    if wanted is not None and sorted(wheel.unit for wheel in wheels) != wanted:
        names = " and ".join(f"'{wheel.joint.name}'" for wheel in wheels)
        text = f"A {word.lower()} is between {what}, which {names} are not"
        raise refuse(wheels[0].joint.name, text, "select such joints, or use Add Mimic with a ratio of your own")


def _two_joints(scene: bpy.types.Scene, objects: Sequence[Object]) -> list[Object]:
    """The two joints that some objects mean."""
    joints = picked_joints(scene, objects)
    if len(joints) != 2:
        count = len(joints)
        text = f"{count} joint{'s' * (count != 1)} {'is' if count == 1 else 'are'} selected"
        raise refuse("", text, "select two joints, or two wheels that turn on one each")
    for joint in joints:
        require_plain_coordinate(joint, "gear")
    return joints


def _start(wheel: Wheel, length: float) -> float:
    """The coordinate at the start, in SI units."""
    settings = wheel.joint.redmax.joint
    dof = joint_properties.dofs(settings)[0]
    return joint_properties.value(settings, "q", dof) * units.per_coordinate(dof.unit, length)


def _wheel(joint: Object, depsgraph: bpy.types.Depsgraph) -> Wheel:
    E = joint_objects.place_of(joint, depsgraph)
    twist = joint_properties.traits_of(joint.redmax.joint).twist
    own = np.array([0.0, 0.0, 1.0]) if twist is None else twist[:3] if np.any(twist[:3]) else twist[3:]
    dof = joint_properties.dofs(joint.redmax.joint)[0]
    axis = E[:3, :3] @ (own / np.linalg.norm(own))
    return Wheel(joint, E[:3, 3], axis, _radius(joint.redmax.joint.child, E[:3, 3], axis, depsgraph), dof.unit)


def _radius(body: Object | None, place: Array, axis: Array, depsgraph: bpy.types.Depsgraph) -> float:
    """How far a body's own geometry reaches from an axis [Blender units], 0 if it has none."""
    if body is None:
        return 0.0
    data: Any = body.evaluated_get(depsgraph).data
    if isinstance(data, bpy.types.Mesh):
        own = np.empty(3 * len(data.vertices), np.float32)
        data.vertices.foreach_get("co", own)
        points = own.reshape(-1, 3).astype(np.float64)
    else:
        points = np.array(body.bound_box, np.float64).reshape(-1, 3)
    M = frames.modelled_matrix(body, depsgraph)
    away = points @ M[:3, :3].T + M[:3, 3] - place
    return float(np.linalg.norm(np.cross(away, axis), axis=1).max(initial=0.0))


def ratio_of(leader: Wheel, follower: Wheel, length: float, *, same_way: bool) -> float:
    """Motion of the follower per motion of the leader, in SI units: both wheels move alike where they touch.

    Two wheels: by their radii, against each other. A wheel and a rack: by the wheel's radius; `same_way`: the wheel
    is on the other side of the rack.
    """
    for wheel in (leader, follower):
        if wheel.unit == "rad" and wheel.radius == 0.0:
            child = wheel.joint.redmax.joint.child
            text = f"'{wheel.joint.name if child is None else child.name}' has no size from which a ratio could follow"
            raise refuse(wheel.joint.name, text, "give the ratio yourself")
    sign = 1.0 if same_way else -1.0
    if leader.unit == follower.unit == "rad":
        alike = 1.0 if leader.axis @ follower.axis >= 0.0 else -1.0
        return sign * alike * leader.radius / follower.radius
    if leader.unit == "rad":
        return -sign * _along_rack(leader, follower) * length
    if follower.unit == "rad":
        return -sign / (_along_rack(follower, leader) * length)
    return 1.0


def _along_rack(wheel: Wheel, rack: Wheel) -> float:
    """How far a rack moves per radian of a wheel that touches it [Blender units]."""
    towards = rack.place - wheel.place
    towards = towards - (towards @ wheel.axis) * wheel.axis - (towards @ rack.axis) * rack.axis
    size = float(np.linalg.norm(towards))
    if size == 0.0:
        return wheel.radius
    moved = float(np.cross(wheel.axis, towards / size) @ rack.axis)
    return wheel.radius * (1.0 if moved >= 0.0 else -1.0)
