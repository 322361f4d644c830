# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's rigid body world as a mechanism, and back.

What is converted keeps its rigid body and constraint, with every setting and key; Blender only no longer simulates it.
So the way back is to take away what was added.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import bpy

from ..._engine import joints
from ...properties import rigid_bodies
from ..check.findings import frame_objects
from ..core.conversion_notes import Notes
from ..core.findings import refuse
from ..objects import joint_objects, rigid_worlds, units
from . import build, elements, motion_keys, rigid_body_joints, rigid_body_shapes
from .rigid_body_joints import Tie

Object = bpy.types.Object

ROOT = joints.FreeTranslationRotation.kind
"""Joint on which a rigid body moves that follows keys and holds others."""

FOLLOWS = 1e-4
"""How closely that joint follows those keys [rad, Blender units]."""


class Report(NamedTuple):
    """bodies, scenery, joints: how many were made. lines: what is not as in Bullet."""

    bodies: int
    scenery: int
    joints: int
    lines: tuple[str, ...]


def may_convert(scene: bpy.types.Scene) -> bool:
    """Whether there is a rigid body that forces move, cheap enough for poll()."""
    return any(
        rigid_bodies.is_simulated(obj) and rigid_worlds.is_moved_by_forces(obj) and not obj.redmax.is_body
        for obj in scene.objects
    )


def convert(context: bpy.types.Context, objects: Collection[Object] | None) -> Report:
    """Rigid bodies, and what constraints tie to them, become a mechanism. objects: None for all of the scene.

    What stands still comes along in any case: it is scenery of both worlds. Everything or nothing is converted.
    """
    scene = context.scene
    if rigid_worlds.is_baked(scene):
        raise refuse("", "The rigid body world is baked", "use Scene > Rigid Body World > Cache > Delete Bake first")
    notes = Notes()
    known = [obj for obj in rigid_worlds.bodies(scene) if _is_convertible(obj, notes)]
    found = rigid_body_joints.ties(scene, known, notes)
    moving = [obj for obj in known if _moves(obj)]
    if objects is not None:
        wanted = [rigid_worlds.compound_above(obj) or obj for obj in objects if obj in moving]
        tied = rigid_body_joints.connected(wanted, found)
        moving = [obj for obj in moving if (rigid_worlds.compound_above(obj) or obj) in tied]
    if not moving:
        raise refuse("", "No rigid body that forces move is selected", "select some, or convert all")
    chosen = set(moving)
    found = [tie for tie in found if tie.first in chosen or tie.second in chosen]
    still = [obj for obj in known if not _moves(obj)]
    try:
        report = _convert(context, moving, still, found, notes)
    except Exception:  # whatever it is: the scene is left as it was, and the operator says what happened
        restore(context, moving)
        raise
    scene.redmax.rigid_bodies.report = "\n".join(report.lines)
    return report


def _moves(obj: Object) -> bool:
    """Whether forces move a rigid body, or the compound that it is a part of."""
    return rigid_worlds.is_moved_by_forces(rigid_worlds.compound_above(obj) or obj)


def _is_convertible(obj: Object, notes: Notes) -> bool:
    """Whether a rigid body can be converted now. What stands still may serve again what is converted later."""
    if obj.redmax.from_rigid_body != rigid_bodies.NONE:
        return not _moves(obj)
    if obj.redmax.is_body or obj.redmax.is_surface or obj.redmax.is_force:
        notes.say("is part of a RedMax mechanism already, and stays as it is", obj.name)
        return False
    if obj.library is not None:
        notes.say("is linked from another file and cannot be changed; make a library override of it", obj.name)
        return False
    return True


def _convert(
    context: bpy.types.Context, moving: Sequence[Object], still: Sequence[Object], found: Sequence[Tie], notes: Notes
) -> Report:
    scene, length = context.scene, units.metres_per_unit(context.scene)
    holders = {end for tie in found for end in (tie.first, tie.second) if end in set(still)}
    for obj in moving:
        is_part = rigid_worlds.compound_above(obj) is not None
        rigid_body_shapes.mark(obj, rigid_bodies.PART if is_part else rigid_bodies.BODY)
    fresh = {*moving, *(obj for obj in still if obj.redmax.from_rigid_body == rigid_bodies.NONE)}
    for obj in still:
        if obj in holders:
            rigid_body_shapes.mark(obj, rigid_bodies.BODY)
        elif obj in fresh:
            rigid_body_shapes.mark(obj, rigid_bodies.SCENERY)
    rigid_worlds.take_out(scene)
    everything = [*moving, *still]
    _say_of_world(scene, everything, notes)
    rigid_body_joints.orient(found)
    with joint_objects.first_frame(context, [*everything, *(tie.obj for tie in found)]) as depsgraph:
        sizes = rigid_body_shapes.sizes(everything, depsgraph)
        for obj in everything:
            if obj.redmax.from_rigid_body == rigid_bodies.BODY and not obj.redmax.is_body:
                moves = obj not in holders
                rigid_body_shapes.make_body(obj, sizes[obj.name], notes, length, moves=moves)
        rigid_body_shapes.make_surfaces(everything, fresh, sizes, notes)
        made = rigid_body_joints.make(context, found, depsgraph, notes, length)
        rigid_body_joints.drive(made, found, sizes, notes, length)
    rigid_body_joints.let_neighbours_touch(made, notes)
    carried = {obj.redmax.joint.child for obj in scene.objects if obj.redmax.is_joint}
    led = [obj for obj in holders if obj not in carried and frame_objects.motion_on(obj, None)]
    roots = [_follow_keys(context, obj, length) for obj in sorted(led, key=lambda obj: obj.name)]
    bodies = sum(obj.redmax.from_rigid_body == rigid_bodies.BODY for obj in moving)
    return Report(bodies, len(fresh) - len(moving), len(made) + len(roots), tuple(notes.lines()))


def _follow_keys(context: bpy.types.Context, obj: Object, length: float) -> Object:
    """A rigid body that keys move and that holds others hangs on a joint with the same keys."""
    joint = build.connect(context, None, obj, kind=ROOT, name=f"{obj.name} Joint")
    rigid_body_shapes.mark(joint, rigid_bodies.MADE)
    motion_keys.coordinate_from_motion(
        context,
        joint,
        tolerance_angle=FOLLOWS,
        tolerance_distance=FOLLOWS,
        interpolation="BEZIER",
        step=1,
        length=length,
    )
    return joint


def _say_of_world(scene: bpy.types.Scene, objects: Sequence[Object], notes: Notes) -> None:
    """What a world has that a mechanism has not."""
    world: Any = scene.rigidbody_world
    if world is None:
        return
    if not world.enabled:
        notes.say("The rigid body world is switched off; the mechanism is simulated all the same")
    if world.time_scale != 1.0:
        notes.say(f"Speed {world.time_scale:.3g} of the world: RedMax simulates in real time; retime what you bake")
    if world.effector_weights.gravity != 1.0:
        notes.say(f"Gravity weight {world.effector_weights.gravity:.3g}: the scene's gravity counts in full")
    if any(each.field is not None and each.field.type != "NONE" for each in scene.objects):
        notes.say("Force fields: RedMax does not feel them; Add Force and Add Drag do such things")
    if world.point_cache.frame_start != scene.frame_start:
        notes.say(
            f"Bullet starts at frame {world.point_cache.frame_start}, RedMax where the scene does; see Custom Range"
        )
    notes.say("Substeps and solver iterations: RedMax chooses its steps by Accuracy")
    for obj in objects:
        _say_of_body(obj, notes)


def _say_of_body(obj: Object, notes: Notes) -> None:
    physics: Any = obj.rigid_body
    if physics.use_deactivation and physics.type == "ACTIVE":
        notes.say("falls asleep when slow in Bullet; here what rests stays where it is without that", obj.name)
    if physics.type == "ACTIVE" and not physics.enabled:
        notes.say("is not Dynamic, so it stands still", obj.name)
    paths = set(rigid_worlds.keyed(obj))
    if "rigid_body.kinematic" in paths:
        notes.say("has keys on Animated; it stays what it is at the current frame", obj.name)
    elif paths:
        notes.say("has keys or drivers on rigid body settings; the values of the current frame count", obj.name)
    if rigid_worlds.is_moved_by_forces(obj) and frame_objects.motion_on(obj, None):
        notes.say("is moved by keys or constraints too; remove or mute them", obj.name)


# --- back again ------------------------------------------------------------------------------


class Restored(NamedTuple):
    """objects: how many are rigid bodies again. others: names of what was removed with them, though not converted."""

    objects: int
    others: tuple[str, ...]


def to_restore(scene: bpy.types.Scene, objects: Collection[Object] | None) -> list[Object]:
    """Converted objects among some, with all that joints of the conversion tie to them; None for all.

    Scenery goes back with the last of the bodies.
    """
    everything = rigid_worlds.converted(scene)
    if objects is None:
        return everything
    wanted = {_whole(obj) for obj in objects if obj in everything}
    joints = [obj for obj in everything if obj.redmax.from_rigid_body == rigid_bodies.MADE]
    pairs = [(obj, *(end for end in _ends(obj) if end is not None)) for obj in joints]
    for _ in pairs:
        for tied in pairs:
            if any(each in wanted and not _is_locked(each) for each in tied):
                wanted.update(tied)
    if all(obj in wanted for obj in everything if _is_a_moving_body(obj)):
        return everything
    held = {end for tied in pairs if tied[0] not in wanted for end in tied[1:]}
    wanted.update(obj for obj in everything if _is_unfinished(obj))
    return [obj for obj in everything if _whole(obj) in wanted and obj not in held and not _stays(obj)]


def _is_a_moving_body(obj: Object) -> bool:
    return bool(obj.redmax.from_rigid_body == rigid_bodies.BODY and obj.redmax.is_body and not _is_locked(obj))


def _is_unfinished(obj: Object) -> bool:
    """Whether a conversion that failed had only begun with an object."""
    return bool(obj.redmax.from_rigid_body == rigid_bodies.BODY and not obj.redmax.is_body)


def _stays(obj: Object) -> bool:
    return bool(obj.redmax.from_rigid_body == rigid_bodies.SCENERY)


def _is_locked(obj: Object) -> bool:
    return bool(obj.redmax.from_rigid_body == rigid_bodies.BODY and obj.redmax.body.root == "LOCKED")


def _ends(joint: Object) -> tuple[Object | None, Object | None]:
    settings: Any = joint.redmax.joint
    return settings.parent, settings.child


def _whole(obj: Object) -> Object:
    """The body that a part of a compound belongs to."""
    if obj.redmax.from_rigid_body != rigid_bodies.PART:
        return obj
    return rigid_worlds.compound_above(obj) or obj


def restore(context: bpy.types.Context, objects: Collection[Object] | None) -> Restored:
    """What was converted is rigid bodies of Blender's again, as before."""
    scene = context.scene
    chosen = to_restore(scene, objects)
    baked = [obj.name for obj in chosen if obj.redmax.baked.active]
    if baked:
        raise refuse(baked[0], f"'{baked[0]}' has baked keyframes", "use Remove Bake first")
    count = sum(obj.redmax.from_rigid_body in (rigid_bodies.BODY, rigid_bodies.SCENERY) for obj in chosen)
    made = {obj.name for obj in chosen if obj.redmax.from_rigid_body == rigid_bodies.MADE}
    kept = [obj for obj in chosen if obj.name not in made]
    locked = {obj.name for obj in kept if _is_locked(obj)}
    for obj in kept:  # its own drag would else go as an element of the artist's
        elements.remove([obj], context.evaluated_depsgraph_get(), keep_empty=True)
    gone = build.remove_body(context, [obj for obj in kept if obj.redmax.is_body])
    for name in made - set(gone):
        obj = bpy.data.objects.get(name)
        if obj is not None:
            bpy.data.objects.remove(obj)
    remains = any(_is_a_moving_body(obj) for obj in rigid_worlds.converted(scene) if obj not in kept)
    for obj in kept:
        if remains and obj.name in locked:  # it held what is gone, and is scenery for the others
            rigid_body_shapes.mark(obj, rigid_bodies.SCENERY)
        else:
            rigid_body_shapes.take_back(obj)
    rigid_worlds.give_back(scene)
    return Restored(count, tuple(name for name in gone if name not in made))
