# SPDX-License-Identifier: GPL-3.0-or-later
"""Add Motor: a joint gets a motor whose gains and strength follow from what it has to move.

I is the inertia that a coordinate feels, m the mass that the joint carries. Gravity turns or pulls it with at most
h = g sqrt(m I): the centre of mass is no further from a hinge than the radius of gyration, and I = m along a slider.

    speed       gain = max(I / response, h / (DROOP |target|)): up to speed in time, little slower under load
    position    gain = max(I (2 / response)^2, h / SAG), speed gain = 2 sqrt(gain I): critically damped
    maximum     strength (h + I a), a the acceleration that the target asks for within the response
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import bpy

from ..._engine import motors
from ...properties import joint as joint_properties
from ..core.findings import refuse
from ..extract.extraction import extract
from ..objects import units
from ..objects.editable import require_editable
from ..objects.joint_graph import JointGraph
from ..results import preview
from . import joint_feel
from .picked_joints import picked_joints

Object = bpy.types.Object

DROOP = 0.1
"""Part of its speed that a motor may lose under the weight that it moves."""

SAG = {"rad": math.radians(1.0), "m": 0.005, "1": 0.01}
"""How far a position motor may stay behind under that weight, by unit of the coordinate [rad, m, 1]."""


class Wishes(NamedTuple):
    """target: speed [rad/s, m/s] or coordinate [rad, m] by unit of the joint's first coordinate. response: time in
    which it gets there [s]. strength: greatest torque in times of what it takes, 0 for no limit."""

    control: Literal["speed", "position"] = "speed"
    angle: float = math.pi
    distance: float = 0.5
    response: float = 0.2
    strength: float = 2.0


class Gains(NamedTuple):
    """speed and position gain, and the greatest torque or force, in SI units."""

    speed: float
    position: float
    maximum: float


class Made(NamedTuple):
    """Joints with new motors, and those of them that were animated: a motor moves what is simulated."""

    joints: list[Object]
    animated: list[Object]


def add_motor(context: bpy.types.Context, objects: Sequence[Object], wishes: Wishes) -> Made:
    """Motors on the joints that some objects mean."""
    joints = picked_joints(context.scene, objects)
    if not joints:
        raise refuse("", "No joint is selected", "select joints, or bodies that one joint carries each")
    require_editable(joints)
    inertias = joint_feel.inertias(context, joints)
    with preview.paused():
        extraction = extract(context.scene, context.view_layer)
    masses = {body.name: body.mass for body in extraction.bodies}
    graph = JointGraph.of(context.scene)
    gravity = math.hypot(*units.gravity(context.scene, extraction.length))
    animated = [joint for joint in joints if joint.redmax.joint.motion_type == "animated"]
    for joint in joints:
        mass = sum(masses.get(body.name, 0.0) for body in _carried(graph, joint))
        _set(joint, inertias[joint.name], gravity, mass, extraction.length, wishes)
    return Made(joints, animated)


def _carried(graph: JointGraph, joint: Object) -> set[Object]:
    """All bodies that move with the child of a joint, without what closes loops back to its parent."""
    found: set[Object] = set()
    waiting = [joint.redmax.joint.child]
    while waiting:
        body = waiting.pop()
        if body is not None and body not in found and body != joint.redmax.joint.parent:
            found.add(body)
            waiting += [each.redmax.joint.child for each in graph.carried[body]]
    return found


def gains(inertia: float, mass: float, gravity: float, target: float, wishes: Wishes, *, unit: str) -> Gains:
    """What a motor needs. target: in SI units."""
    hold = gravity * math.sqrt(mass * inertia)
    if wishes.control == motors.SPEED:
        droop = hold / (DROOP * abs(target)) if target != 0.0 else 0.0
        speed = max(inertia / wishes.response, droop)
        return Gains(speed, 0.0, wishes.strength * (hold + inertia * abs(target) / wishes.response))
    omega = 2.0 / wishes.response
    position = max(inertia * omega**2, hold / SAG[unit])
    speed = 2.0 * math.sqrt(position * inertia)
    return Gains(speed, position, wishes.strength * (hold + inertia * abs(target) * omega**2))


def _set(joint: Object, inertias: Sequence[float], gravity: float, mass: float, length: float, wishes: Wishes) -> None:
    """The first coordinate gets the target, others of the joint are held where they are."""
    settings: Any = joint.redmax.joint
    settings.motion_type = "simulated"
    settings.motor_control = wishes.control
    settings.use_motor_maximum = wishes.strength > 0.0
    field = joint_properties.TARGETS[wishes.control]
    for dof, inertia in zip(joint_properties.dofs(settings), inertias, strict=False):
        per = units.per_coordinate(dof.unit, length)
        shown = (wishes.angle if dof.unit == "rad" else wishes.distance) if dof.index == 0 else 0.0
        joint_properties.set_value(settings, field, dof, shown)
        found = gains(inertia, mass, gravity, shown * per, wishes, unit=dof.unit)
        settings.motor_speed_gain[dof.index] = found.speed
        if wishes.control == motors.POSITION:
            settings.motor_position_gain[dof.index] = found.position
        if wishes.strength > 0.0:
            settings.motor_maximum[dof.index] = found.maximum
    settings.use_motor = True
    joint.update_tag()
