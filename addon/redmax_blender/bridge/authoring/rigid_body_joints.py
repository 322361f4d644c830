# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid body constraints of Blender as joints: which body carries which, where they are, limits, springs, motors."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..._engine import arrays, fields, joints, motors
from ...properties import joint as joint_properties
from ...properties import rigid_bodies
from ..core import bullet_joints
from ..core.bullet_joints import Motion, Plan, Push
from ..core.conversion_notes import Notes
from ..objects import joint_objects, rigid_worlds
from . import build, rigid_body_shapes
from .rigid_body_shapes import Size

Array = arrays.Array
Object = bpy.types.Object

FIXED, COMPOSITE = joints.Fixed.kind, joints.Composite.kind
FREE, FREE_BACKWARDS = joints.FreeTranslationRotation.kind, joints.Free.kind
SINGLE = {"slide": joints.Prismatic.kind, "turn": joints.Revolute.kind, "ball": joints.Spherical.kind}
ALONG = {
    0: np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
    1: np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
    2: np.eye(3),
}
"""Rotations (3, 3) whose third axis is x, y or z."""


@dataclass
class Tie:
    """A constraint that connects two bodies. first, second: as Bullet has them; is_backwards: the second carries the
    first."""

    obj: Object
    first: Object
    second: Object
    is_backwards: bool = False

    @property
    def ends(self) -> tuple[Object, Object]:
        """Parent and child of the joint."""
        return (self.second, self.first) if self.is_backwards else (self.first, self.second)


@dataclass
class Made:
    """A joint that was made. frame: (4, 4) of the constraint in the world."""

    tie: Tie
    joint: Object
    plan: Plan
    frame: Array


def ties(scene: bpy.types.Scene, objects: Collection[Object], notes: Notes) -> list[Tie]:
    """Constraints between some of the scene's rigid bodies; parts of compounds stand for their whole."""
    found = []
    for obj in rigid_worlds.constraints(scene):
        settings: Any = obj.rigid_body_constraint
        ends = [end and (rigid_worlds.compound_above(end) or end) for end in (settings.object1, settings.object2)]
        inside = [end in objects for end in ends]
        if not any(inside):
            continue
        if not all(inside) or ends[0] == ends[1]:
            notes.say("has not two different rigid bodies, so it does nothing in Bullet either", obj.name)
        elif not settings.enabled:
            notes.say("is switched off, and left out", obj.name)
        elif not any(rigid_worlds.is_moved_by_forces(end) for end in ends):
            notes.say("ties what no force moves, and is left out", obj.name)
        else:
            found.append(Tie(obj, ends[0], ends[1]))
    return found


def connected(objects: Collection[Object], found: Sequence[Tie]) -> list[Object]:
    """Some rigid bodies with all that constraints tie to them; what stands still passes nothing on."""
    known = set(objects)
    neighbours = _neighbours(found)
    waiting = list(objects)
    while waiting:
        here = waiting.pop()
        if not rigid_worlds.is_moved_by_forces(here):
            continue
        for other in neighbours[here]:
            if other not in known:
                known.add(other)
                waiting.append(other)
    return sorted(known, key=lambda obj: obj.name)


def _neighbours(found: Sequence[Tie]) -> dict[Object, list[Object]]:
    neighbours: dict[Object, list[Object]] = defaultdict(list)
    for tie in found:
        neighbours[tie.first].append(tie.second)
        neighbours[tie.second].append(tie.first)
    return neighbours


def orient(found: Sequence[Tie]) -> None:
    """Let joints lead away from what stands still, or from the body with most constraints, so that they make trees."""
    neighbours = _neighbours(found)
    depth: dict[Object, int] = {}

    def reach(start: Object) -> None:
        depth[start] = 0
        layer = [start]
        for distance in itertools.count(1):
            # What stands still passes nothing on.
            passing = [obj for obj in layer if distance == 1 or rigid_worlds.is_moved_by_forces(obj)]
            layer = list(dict.fromkeys(each for obj in passing for each in neighbours[obj] if each not in depth))
            depth.update(dict.fromkeys(layer, distance))
            if not layer:
                return

    def weight(obj: Object) -> tuple[int, float, str]:
        return len(neighbours[obj]), float(obj.rigid_body.mass), obj.name

    still = [obj for obj in neighbours if not rigid_worlds.is_moved_by_forces(obj)]
    for obj in still:
        depth[obj] = 0
    for obj in still:
        reach(obj)
    while waiting := [obj for obj in neighbours if obj not in depth]:
        reach(max(waiting, key=weight))
    for tie in found:
        tie.is_backwards = depth[tie.second] < depth[tie.first]


# --- joints ----------------------------------------------------------------------------------


def make(
    context: bpy.types.Context, found: Sequence[Tie], depsgraph: bpy.types.Depsgraph, notes: Notes, length: float
) -> list[Made]:
    """The joints of constraints, but for their motors. length: metres per Blender unit."""
    held = {frozenset((tie.first, tie.second)) for tie in found if tie.obj.rigid_body_constraint.type != "MOTOR"}
    made = []
    for tie in found:
        settings: Any = tie.obj.rigid_body_constraint
        if settings.type == "MOTOR" and frozenset((tie.first, tie.second)) in held:
            continue  # it drives the joint of another constraint
        plan = bullet_joints.plan(rigid_worlds.read(tie.obj))
        for text in plan.notes:
            notes.say(text, tie.obj.name)
        if settings.use_breaking:
            notes.say("breaks under load in Bullet; here it holds", tie.obj.name)
        frame = joint_objects.place_of(tie.obj, depsgraph)
        made.append(_make(context, tie, plan.backwards if tie.is_backwards else plan, frame, depsgraph, length))
        _say_outside(made[-1], notes)
    return made


def _make(
    context: bpy.types.Context,
    tie: Tie,
    plan: Plan,
    frame: Array,
    depsgraph: bpy.types.Depsgraph,
    length: float,
) -> Made:
    parent, child = tie.ends
    E = np.array(frame)
    if len(plan.motions) == 1:  # its axis is z, as of every joint with one
        E[:3, :3] = E[:3, :3] @ ALONG[plan.motions[0].axis]
    kind = _kind(plan, is_backwards=tie.is_backwards)
    name = f"{tie.obj.name} Joint"
    obj = build.connect(context, parent, child, kind=kind, frame=E, name=name, depsgraph=depsgraph)
    rigid_body_shapes.mark(obj, rigid_bodies.MADE)
    if kind == COMPOSITE:
        _fill_parts(obj.redmax.joint, plan.motions)
    _fill(obj.redmax.joint, plan, length)
    return Made(tie, obj, plan, frame)


def _kind(plan: Plan, *, is_backwards: bool) -> str:
    if not plan.motions:
        return FIXED
    if plan.is_free:
        return FREE_BACKWARDS if is_backwards else FREE
    return SINGLE[plan.motions[0].does] if len(plan.motions) == 1 else COMPOSITE


def _fill_parts(joint: Any, motions: Sequence[Motion]) -> None:
    joint.parts.clear()
    for motion in motions:
        part = joint.parts.add()
        part.kind = SINGLE[motion.does]
        if motion.does != "ball":
            getattr(part, part.kind).axis = tuple(np.eye(3)[motion.axis].tolist())
    joint_properties.show_type(joint)


def _in_order(plan: Plan, kind: str) -> list[Motion]:
    """Motions in the order of the joint's coordinates: a free joint has the three along x, y and z together."""
    if kind != FREE_BACKWARDS:
        return list(plan.motions)
    return sorted(plan.motions, key=lambda motion: (motion.does != "ball", motion.axis))


def _fill(joint: Any, plan: Plan, length: float) -> None:
    """Limits and springs of the coordinates."""
    dofs = iter(joint_properties.dofs(joint))
    for motion in _in_order(plan, joint.kind):
        for stiffness, damping in zip(motion.stiffness, motion.damping, strict=True):
            dof = next(dofs)
            power = 3 if dof.unit == "m" else 5
            joint.stiffness[dof.index] = min(stiffness * length**power, fields.LARGEST)
            joint.damping[dof.index] = min(damping * length**power, fields.LARGEST)
            for name, limit in (("lower", motion.lower), ("upper", motion.upper)):
                if limit is not None:
                    joint_properties.set_value(joint, name, dof, limit)
                    getattr(joint, f"use_{name}")[dof.index] = True
    if any(joint.use_lower) or any(joint.use_upper):
        joint.use_limits = True


def _say_outside(made: Made, notes: Notes) -> None:
    for motion in made.plan.motions:
        if (motion.lower or 0.0) > 0.0 or (motion.upper or 0.0) < 0.0:
            notes.say(
                "starts outside its limits, into which Bullet pushes it; Check offers to widen them", made.joint.name
            )


# --- motors ----------------------------------------------------------------------------------


def drive(made: Sequence[Made], found: Sequence[Tie], sizes: Mapping[str, Size], notes: Notes, length: float) -> None:
    """Give joints the motors of constraints between the same bodies, along or about the same axis."""
    for tie in found:
        if tie.obj.rigid_body_constraint.type != "MOTOR":
            continue
        for push, does in zip(rigid_worlds.pushes(tie.obj), ("slide", "turn"), strict=True):
            if push.is_used and not _drive(_Motor(tie, push, does), made, found, sizes, length):
                text = "is a motor along or about an axis that no joint of its bodies has; it is left out"
                notes.say(text, tie.obj.name)
    for each in made:
        if each.tie.obj.rigid_body_constraint.type == "MOTOR" and each.joint.redmax.joint.use_motor:
            notes.say("is a motor without a hinge or slider; it pushes along the axes it starts with", each.joint.name)


class _Motor(NamedTuple):
    """does: what kind of motion it drives."""

    tie: Tie
    push: Push
    does: str


def _drive(motor: _Motor, made: Sequence[Made], found: Sequence[Tie], sizes: Mapping[str, Size], length: float) -> bool:
    """Whether a joint has taken a motor. Bullet moves its second object backwards along or about the motor's x."""
    tie, push = motor.tie, motor.push
    axis = np.array(tie.obj.matrix_world, np.float64)[:3, 0]
    axis = axis / np.linalg.norm(axis)
    for each in made:
        if {each.tie.first, each.tie.second} != {tie.first, tie.second}:
            continue
        index, cosine = _coordinate(each, motor.does, axis)
        if index is None:
            continue
        joint: Any = each.joint.redmax.joint
        dof = joint_properties.dofs(joint)[index]
        is_slide = dof.unit == "m"
        if not joint.use_motor:
            joint.motor_speed_gain = (0.0,) * len(joint.motor_speed_gain)
        sign = -cosine if each.tie.ends == (tie.first, tie.second) else cosine
        gain = bullet_joints.speed_gain(push, _moved_inertia(each, axis, found, sizes, is_slide=is_slide))
        joint.motor_control = motors.SPEED
        joint_properties.set_value(joint, "motor_target_speed", dof, sign * push.speed)
        joint.motor_speed_gain[index] = min(gain * length ** (3 if is_slide else 5), fields.LARGEST)
        joint.motor_maximum[index] = min(push.maximum * length ** (4 if is_slide else 5), fields.LARGEST)
        joint.use_motor = True
        return True
    return False


def _coordinate(made: Made, does: str, axis: Array) -> tuple[int | None, float]:
    """The coordinate of a joint that moves along or about an axis (3,) of the world, and the cosine between them."""
    index = 0
    for motion in _in_order(made.plan, made.joint.redmax.joint.kind):
        own = made.frame[:3, motion.axis]
        if motion.does == "ball":
            if does == "turn" and made.plan.is_free:  # the x of its rotation vector, as long as it turns about that
                cosine = float(made.frame[:3, 0] @ axis)
                if abs(cosine) > bullet_joints.PARALLEL:
                    return index, float(np.sign(cosine))
        elif motion.does == does and abs(own @ axis) > bullet_joints.PARALLEL:
            return index, float(np.sign(own @ axis))
        index += len(motion.stiffness)
    return None, 0.0


def _moved_inertia(
    made: Made, axis: Array, found: Sequence[Tie], sizes: Mapping[str, Size], *, is_slide: bool
) -> float:
    """Inertia along or about an axis of all that a motor may have to move [kg or kg Blender units^2]."""
    ends = [obj for obj in made.tie.ends if rigid_worlds.is_moved_by_forces(obj)]
    moving = [obj for obj in connected(ends, found) if rigid_worlds.is_moved_by_forces(obj)]
    if is_slide:
        return sum(float(obj.rigid_body.mass) for obj in moving)
    total = 0.0
    for obj in moving:
        arm = np.cross(sizes[obj.name].centre - made.frame[:3, 3], axis)
        total += rigid_body_shapes.mean_inertia(obj, sizes[obj.name]) + float(obj.rigid_body.mass) * float(arm @ arm)
    return total


# --- what ties let touch ---------------------------------------------------------------------


def let_neighbours_touch(made: Sequence[Made], notes: Notes) -> None:
    """Bodies that a constraint ties, but not keeps from colliding, touch: one of their surfaces touches neighbours."""
    apart: set[Object] = set()
    together: list[Made] = []
    for each in made:
        if each.tie.obj.rigid_body_constraint.disable_collisions:
            apart.update(each.tie.ends)
        else:
            together.append(each)
    for each in together:
        able = [obj for obj in reversed(each.tie.ends) if obj not in apart and obj.redmax.is_surface]
        if able:
            able[0].redmax.surface.touches_neighbours = True
        elif all(obj.redmax.is_surface for obj in each.tie.ends):
            notes.say("lets its bodies collide, but others tie them that do not; they do not touch", each.tie.obj.name)
