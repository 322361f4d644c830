# SPDX-License-Identifier: GPL-3.0-or-later
"""Add Drive: one slider moves many joints, each by a ratio; or one joint moves the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import bpy
import numpy as np

from ..._engine import arrays
from ...properties import generated
from ...properties import joint as joint_properties
from ...properties.sorts import SORTS
from ..core.findings import refuse
from ..objects import joint_objects, units
from ..objects.editable import require_editable
from . import all_or_nothing, element_keys, elements
from .picked_joints import picked_joints, require_plain_coordinate

Array = arrays.Array
Object = bpy.types.Object


class Wishes(NamedTuple):
    """source: a slider of the drive's own, which is keyed, or the active joint. travel: how far the slider moves each
    joint: alike, or from the lower limit at 0 to the upper one at 1. alternate: every second joint goes the other way.
    amount: value of the slider that keys reach at the last frame, 0 for no keys."""

    source: Literal["SLIDER", "ACTIVE"] = "SLIDER"
    travel: Literal["EQUAL", "LIMITS"] = "EQUAL"
    ratio: float = 1.0
    alternate: bool = False
    amount: float = 0.0


def add_drive(context: bpy.types.Context, objects: Sequence[Object], wishes: Wishes) -> Object:
    """A drive of the joints that some objects mean, the active one last."""
    joints = picked_joints(context.scene, objects)
    leader = joints[-1] if wishes.source == "ACTIVE" and joints else None
    followers = [joint for joint in joints if joint != leader]
    if not followers:
        hint = "select the joints that it moves" + ("; the active one moves the others" if leader is not None else "")
        raise refuse("", "No joint is selected that the drive could move", hint)
    for joint in joints:
        require_plain_coordinate(joint, "drive")
    require_editable(joints)
    shares = [_share(context, joint, wishes) for joint in followers]
    with joint_objects.first_frame(context, joints) as depsgraph:
        middle = np.mean([joint_objects.place_of(joint, depsgraph)[:3, 3] for joint in joints], axis=0)
    with all_or_nothing.making(context) as made:
        drive = elements.add(context, SORTS["drive"], "", joints, middle, name="Drive")
        made.append(drive)
        settings: Any = drive.redmax.drive
        settings.inputs.clear()
        settings.followers.clear()
        given = settings.inputs.add()
        given.joint = leader
        start = 0.0
        if leader is None:
            given.motion_type = "animated"
            given.animation_source = generated.KEYS  # the slider is what an artist keys
            if wishes.amount != 0.0:
                element_keys.key_rise(context, given, "animation", wishes.amount, seconds=None)
        else:
            dof = joint_properties.dofs(leader.redmax.joint)[0]
            start = joint_properties.value(leader.redmax.joint, "q", dof) * _metres(context, dof)
        for number, (joint, share) in enumerate(zip(followers, shares, strict=True)):
            sign = -1 if wishes.alternate and number % 2 else 1
            _follow(context, settings.followers.add(), joint, share, start, sign=sign)
        drive.update_tag()
    return drive


class _Share(NamedTuple):
    """ratio: motion of a joint per motion of the input, in SI units. offset: its coordinate while the input is 0; None
    where it begins wherever it stands."""

    ratio: float
    offset: float | None


def _metres(context: bpy.types.Context, dof: joint_properties.Dof) -> float:
    return units.per_coordinate(dof.unit, units.metres_per_unit(context.scene))


def _share(context: bpy.types.Context, joint: Object, wishes: Wishes) -> _Share:
    if wishes.travel == "EQUAL":
        if wishes.ratio == 0.0:
            raise refuse(joint.name, "A drive with the ratio 0 moves nothing", "give another ratio")
        return _Share(wishes.ratio, None)
    settings: Any = joint.redmax.joint
    dof = joint_properties.dofs(settings)[0]
    lower, upper = (joint_properties.value(settings, name, dof) * _metres(context, dof) for name in ("lower", "upper"))
    if not (settings.use_limits and settings.use_lower[0] and settings.use_upper[0]) or lower == upper:
        text = f"Joint '{joint.name}' has no lower and upper limit between which a slider could move it"
        raise refuse(joint.name, text, "give it limits, or let all joints move equally")
    return _Share(upper - lower, lower)


def _follow(context: bpy.types.Context, entry: Any, joint: Object, share: _Share, start: float, *, sign: int) -> None:
    settings: Any = joint.redmax.joint
    dof = joint_properties.dofs(settings)[0]
    ratio, offset = share
    if sign < 0:
        ratio = -ratio
        offset = None if offset is None else offset - ratio  # from the upper limit to the lower one
    if offset is None:
        offset = joint_properties.value(settings, "q", dof) * _metres(context, dof) - ratio * start
    entry.joint = joint
    entry.ratio[0] = ratio
    name = {"rad": "offset_angle", "m": "offset_distance"}.get(dof.unit, "offset_number")
    setattr(entry, name, offset / _metres(context, dof))
