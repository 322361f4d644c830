# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's rigid body world as it stands: its bodies, its constraints, and the collections that say what Blender
simulates.

What is converted keeps its settings, collections and keys; the world only looks at other collections meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import bpy

from ... import compat
from ...properties import rigid_bodies
from ..core import bullet_joints
from ..core.bullet_joints import Bound, Constraint, Push, Spring
from . import movers

Object = bpy.types.Object

LEFT = "Rigid Bodies Left to Blender"
LEFT_CONSTRAINTS = "Rigid Body Constraints Left to Blender"


def bodies(scene: bpy.types.Scene) -> list[Object]:
    """Objects of the scene that are rigid bodies, by name."""
    return sorted((obj for obj in scene.objects if obj.rigid_body is not None), key=lambda obj: obj.name)


def constraints(scene: bpy.types.Scene) -> list[Object]:
    """Objects of the scene that have a rigid body constraint, by name."""
    return sorted((obj for obj in scene.objects if obj.rigid_body_constraint is not None), key=lambda obj: obj.name)


def converted(scene: bpy.types.Scene) -> list[Object]:
    """Objects of the scene that were converted, or made by a conversion."""
    return [obj for obj in scene.objects if obj.redmax.from_rigid_body != rigid_bodies.NONE]


def is_moved_by_forces(obj: Object) -> bool:
    """Whether Bullet lets forces move a rigid body."""
    physics: Any = obj.rigid_body
    return physics.type == "ACTIVE" and physics.enabled and not physics.kinematic


def compound_above(obj: Object) -> Object | None:
    """The compound whose shape a rigid body is a part of."""
    above, found = obj.parent, None
    while above is not None and above.rigid_body is not None and above.rigid_body.collision_shape == "COMPOUND":
        found, above = above, above.parent
    return found


def is_baked(scene: bpy.types.Scene) -> bool:
    world: Any = scene.rigidbody_world
    return world is not None and bool(world.point_cache.is_baked)


# --- constraints -----------------------------------------------------------------------------


def read(obj: Object) -> Constraint:
    """What a constraint says, in Blender's units."""
    settings: Any = obj.rigid_body_constraint
    by_axis = [[f"{what}_{axis}" for axis in bullet_joints.AXES] for what in ("lin", "ang")]
    linear, angular = ([_bound(settings, name) for name in names] for names in by_axis)
    return Constraint(
        settings.type,
        (linear[0], linear[1], linear[2]),
        (angular[0], angular[1], angular[2]),
        _springs(settings, ""),
        _springs(settings, "ang_"),
        springs_as_of_old=settings.spring_type == "SPRING1",
    )


def _bound(settings: Any, name: str) -> Bound:
    lower, upper = getattr(settings, f"limit_{name}_lower"), getattr(settings, f"limit_{name}_upper")
    return Bound(getattr(settings, f"use_limit_{name}"), lower, upper)


def _springs(settings: Any, prefix: str) -> tuple[Spring, Spring, Spring]:
    x, y, z = (
        Spring(
            getattr(settings, f"use_spring_{prefix}{axis}"),
            getattr(settings, f"spring_stiffness_{prefix}{axis}"),
            getattr(settings, f"spring_damping_{prefix}{axis}"),
        )
        for axis in bullet_joints.AXES
    )
    return x, y, z


def pushes(obj: Object) -> tuple[Push, Push]:
    """What a motor does along and about the x axis of its constraint."""
    settings: Any = obj.rigid_body_constraint
    linear, angular = (
        Push(
            getattr(settings, f"use_motor_{what}"),
            getattr(settings, f"motor_{what}_target_velocity"),
            getattr(settings, f"motor_{what}_max_impulse"),
        )
        for what in ("lin", "ang")
    )
    return linear, angular


# --- what Blender goes on to simulate --------------------------------------------------------


def take_out(scene: bpy.types.Scene) -> None:
    """Let Blender simulate no object that is converted. Scenery stays, as it stands still in both worlds, while there
    is something that can fall on it."""
    world: Any = scene.rigidbody_world
    kept: Any = scene.redmax.rigid_bodies
    if world is None:
        return
    if not kept.active:
        kept.objects, kept.constraints, kept.active = world.collection, world.constraints, True
    _look_at_what_is_left(world, kept)


def give_back(scene: bpy.types.Scene) -> None:
    """Let Blender simulate again what is no longer converted; with nothing converted the world is as it was."""
    kept: Any = scene.redmax.rigid_bodies
    if not kept.active:
        return
    world: Any = scene.rigidbody_world
    if any(obj.redmax.from_rigid_body in (rigid_bodies.BODY, rigid_bodies.SCENERY) for obj in scene.objects):
        if world is not None:
            _look_at_what_is_left(world, kept)
        return
    if world is not None:
        _adopt(kept.objects, world.collection, kept.left_objects)
        _adopt(kept.constraints, world.constraints, kept.left_constraints)
        world.collection, world.constraints = kept.objects, kept.constraints
    left = [each for each in (kept.left_objects, kept.left_constraints) if each is not None]
    for name in ("active", "objects", "constraints", "left_objects", "left_constraints", "report"):
        kept.property_unset(name)
    for each in left:
        bpy.data.collections.remove(each)


def _look_at_what_is_left(world: Any, kept: Any) -> None:
    """Collections of their own for what Blender goes on to simulate, made anew."""
    _adopt(kept.objects, world.collection, kept.left_objects)
    _adopt(kept.constraints, world.constraints, kept.left_constraints)
    staying = [obj for obj in _all(kept.objects) if obj.rigid_body is not None]
    moving = [obj for obj in staying if rigid_bodies.is_simulated(obj) and obj.rigid_body.type == "ACTIVE"]
    left = [obj for obj in staying if rigid_bodies.is_simulated(obj) or (moving and _is_scenery(obj))]
    names = {obj.name for obj in left}
    tied = [obj for obj in _all(kept.constraints) if _is_left(obj, names)]
    before = [each for each in (kept.left_objects, kept.left_constraints) if each is not None]
    kept.left_objects, kept.left_constraints = _collection(LEFT, left), _collection(LEFT_CONSTRAINTS, tied)
    world.collection, world.constraints = kept.left_objects, kept.left_constraints
    for each in before:
        bpy.data.collections.remove(each)


def _adopt(home: Any, seen: Any, made: Any) -> None:
    """What was added to Blender's world while it looked at a collection that the conversion made."""
    if home is None or seen is None or seen != made:
        return
    known = set(_all(home))
    for obj in _all(seen):
        if obj not in known:
            home.objects.link(obj)


def _all(collection: Any) -> list[Object]:
    return [] if collection is None else list(collection.all_objects)


def _is_scenery(obj: Object) -> bool:
    return bool(obj.redmax.from_rigid_body == rigid_bodies.SCENERY)


def _is_left(obj: Object, names: Iterable[str]) -> bool:
    settings: Any = obj.rigid_body_constraint
    if settings is None:
        return False
    return all(end is None or end.name in names for end in (settings.object1, settings.object2))


def _collection(name: str, objects: Iterable[Object]) -> bpy.types.Collection:
    made = bpy.data.collections.new(name)
    for obj in objects:
        made.objects.link(obj)
    return made


def keyed(obj: Object) -> Iterator[str]:
    """Settings of a rigid body that have keys or drivers, which a conversion reads once."""
    yield from (path for path in movers.driven_paths(obj) if path.startswith("rigid_body"))
    for curve in compat.fcurves_of(obj):
        if curve.data_path.startswith("rigid_body"):
            yield curve.data_path
