# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that a selection means: joints themselves, or bodies that one joint carries."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ...properties import joint as joint_properties
from ..core.findings import refuse
from ..objects.joint_graph import JointGraph

Object = bpy.types.Object


def picked_joints(scene: bpy.types.Scene, objects: Sequence[Object]) -> list[Object]:
    """Joints that some objects mean, each once and in their order."""
    graph = JointGraph.of(scene)
    found = [obj if obj.redmax.is_joint else graph.carrier(obj) if obj.redmax.is_body else None for obj in objects]
    return list(dict.fromkeys(joint for joint in found if joint is not None))


def require_plain_coordinate(joint: Object, what: str) -> None:
    """Refuses a joint without a coordinate that says where it is. what: could move it."""
    dofs = joint_properties.dofs(joint.redmax.joint)
    if not dofs or not joint_properties.may_have_hard_limits(joint.redmax.joint):
        text = f"Joint '{joint.name}' has no coordinate that a {what} could turn"
        raise refuse(joint.name, text, "use a hinge or a slider")
