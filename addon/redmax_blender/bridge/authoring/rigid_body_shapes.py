# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies of Blender as bodies with surfaces, and as scenery."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..._engine import arrays, convex_pieces, fields, forces
from ..._engine import mesh as meshes
from ...properties import rigid_bodies
from ...properties.surface import HULL, MESH, PIECES
from ..core import bullet_pairs, surface_fit
from ..core.conversion_notes import Notes
from ..extract import mass, surface_shapes
from ..objects import frames, joint_objects, rigid_worlds
from . import build

Array = arrays.Array
Object = bpy.types.Object

KINDS = {
    "BOX": surface_fit.BOX,
    "SPHERE": surface_fit.SPHERE,
    "CAPSULE": surface_fit.CAPSULE,
    "CYLINDER": surface_fit.CYLINDER,
    "CONE": surface_fit.CONE,
    "CONVEX_HULL": HULL,
    "MESH": MESH,
}
"""Surface of each collision shape; a compound has those of its parts."""

ROUND = ("SPHERE", "CAPSULE", "CYLINDER")
WITH_SKIN = ("CONE", "MESH")
"""Shapes that Bullet always puts a margin around."""

BOUNCES_ABOVE = 0.2
"""Speed of impacts that bounce in Bullet [Blender units per second]."""

FLAT = 1e-6
"""A thickness below this part of the largest side is none."""

OFF_CENTRE = 0.01
"""How far the origin may be from the middle, as a part of the size, before that is said."""

SCALED = 0.01

MOST_DAMPED = 1.0 - 1e-6
"""Bullet's damping is the part of the speed that is lost in a second; all of it would need an infinite force."""

DRAG = forces.FORCES["drag"].kind


class Size(NamedTuple):
    """lengths: (3,) sides of the box around an object along its own axes; middle: (3,) of it from the origin; centre:
    (3,) the same in the world; scale: (3,) of the object. All in Blender units."""

    lengths: Array
    middle: Array
    centre: Array
    scale: Array

    @property
    def is_flat(self) -> bool:
        return bool(self.lengths.min() <= FLAT * self.lengths.max())

    @property
    def is_centred(self) -> bool:
        return bool(np.linalg.norm(self.middle) <= OFF_CENTRE * np.linalg.norm(self.lengths))


def sizes(objects: Sequence[Object], depsgraph: bpy.types.Depsgraph) -> dict[str, Size]:
    """By name; an object of no scale is refused by its name."""
    found = {}
    for obj in objects:
        box = joint_objects.extent_of(obj, depsgraph)
        _, A = frames.rigid_part(box.M)
        scale = np.linalg.norm(A[:3, :3], axis=0)
        lengths, middle = (box.high - box.low) * scale, 0.5 * (box.high + box.low) * scale
        found[obj.name] = Size(lengths, middle, box.centre, scale)
    return found


# --- bodies ----------------------------------------------------------------------------------


def make_body(obj: Object, size: Size, notes: Notes, length: float, *, moves: bool) -> None:
    """A rigid body becomes a body: one that forces move, or that stands still so that joints can hang on it.

    length: metres per Blender unit.
    """
    physics: Any = obj.rigid_body
    build.add_body(obj)
    settings: Any = obj.redmax.body
    settings.mass_source, settings.mass = "MASS", physics.mass
    settings.root = "FREE" if moves else "LOCKED"
    if not moves:
        settings.shape = surface_fit.SPHERE
        return
    settings.keep_free = True
    _spread_mass(obj, size, notes)
    _damp(obj, size, length)
    if np.abs(size.scale - 1.0).max() > SCALED:
        notes.say("turns with the inertia of its real size; Bullet takes that of the unscaled mesh", obj.name)
    if not size.is_centred:
        notes.say("has its mass in the middle of its geometry; Bullet has it at the origin", obj.name)
    if physics.use_start_deactivated:
        notes.say("starts asleep in Bullet, until something touches it; here it moves from the start", obj.name)


def _spread_mass(obj: Object, size: Size, notes: Notes) -> None:
    """How the mass is spread: over the collision shape."""
    settings: Any = obj.redmax.body
    shape = obj.rigid_body.collision_shape
    radius, height = 0.5 * float(size.lengths[:2].max()), float(size.lengths[2])
    if shape in ROUND and size.is_centred:
        if shape == "SPHERE":
            settings.shape = surface_fit.SPHERE
            settings.sphere.radius = 0.5 * float(size.lengths.max())
            return
        settings.shape = surface_fit.CAPSULE if shape == "CAPSULE" and height > 2.0 * radius else surface_fit.CYLINDER
        own = getattr(settings, settings.shape)
        own.radius = radius
        own.height = height - 2.0 * radius if settings.shape == surface_fit.CAPSULE else height
        return
    box = shape == "BOX" or size.is_flat or not mass.has_hulls()
    settings.mesh.approximation = "box" if box else "hull"
    if size.is_flat:
        notes.say("is flat, so it touches nothing; give it thickness", obj.name)


def mean_inertia(obj: Object, size: Size) -> float:
    """Mean of the moments of inertia of a rigid body [kg Blender units^2]."""
    m, shape = float(obj.rigid_body.mass), obj.rigid_body.collision_shape
    radius, height = 0.5 * float(size.lengths[:2].max()), float(size.lengths[2])
    if shape == "SPHERE":
        return 0.4 * m * (0.5 * float(size.lengths.max())) ** 2
    if shape in ROUND:
        return m * (height**2 / 6.0 + radius**2) / 3.0
    return m * float((size.lengths**2).sum()) / 18.0


def _damp(obj: Object, size: Size, length: float) -> None:
    """Bullet lets a part of the speed go in each second: a force and a torque against the motion."""
    physics: Any = obj.rigid_body
    linear, angular = (_rate(each) for each in (physics.linear_damping, physics.angular_damping))
    if linear == angular == 0.0:
        return
    obj.redmax.is_force = True
    force: Any = obj.redmax.force
    force.kind = DRAG
    force.drag.body = obj
    force.drag.linear = min(physics.mass * linear * length**3, fields.LARGEST)
    force.drag.angular = min(mean_inertia(obj, size) * angular * length**5, fields.LARGEST)


def _rate(damping: float) -> float:
    """Rate of decay [1/s] where this part of the speed is lost in a second."""
    return -math.log1p(-min(damping, MOST_DAMPED))


# --- surfaces --------------------------------------------------------------------------------


def make_surfaces(
    objects: Sequence[Object], fresh: Collection[Object], found: Mapping[str, Size], notes: Notes
) -> None:
    """Let rigid bodies touch as Bullet has them: shape, friction, bounce and layers. fresh: those of the objects that
    have no surface yet."""
    touching = [
        obj
        for obj in objects
        if (_make_shape(obj, found[obj.name], notes) if obj in fresh else bool(obj.redmax.is_surface))
    ]
    bullet = [float(obj.rigid_body.restitution) for obj in touching]
    moves = [_is_moved(obj) for obj in touching]
    bounces = bullet_pairs.bounces(bullet, moves)
    layers: list[Any] = [obj.rigid_body.collision_collections for obj in touching]
    groups, left = bullet_pairs.groups([tuple(of_one) for of_one in layers])
    for obj, bounce, group in zip(touching, bounces.values, groups, strict=True):
        if obj not in fresh:
            continue
        settings: Any = obj.redmax.surface
        settings.friction = bullet_pairs.friction(obj.rigid_body.friction)
        settings.bounce, settings.bounce_above = bounce, BOUNCES_ABOVE
        settings.group, settings.touches = group.number, group.touches
    for k in left:
        notes.say("has layers that no group is left for; it touches as group 1", touching[k].name)
    if bounces.pair is not None:
        first, second = (touching[k].name for k in bounces.pair)
        text = f"Bounce: Bullet multiplies, here the larger one counts; '{first}' on '{second}' is off by"
        notes.say(f"{text} {bounces.error:.2g}, no pair by more")


def _is_moved(obj: Object) -> bool:
    compound = rigid_worlds.compound_above(obj)
    return rigid_worlds.is_moved_by_forces(compound or obj)


def _make_shape(obj: Object, size: Size, notes: Notes) -> bool:
    """Whether an object touches anything."""
    physics: Any = obj.rigid_body
    shape, moves = physics.collision_shape, _is_moved(obj)
    if shape == "COMPOUND":
        return False
    kind = KINDS[shape]
    if size.is_flat:
        if moves:
            return False
        kind = MESH
    elif kind == MESH and moves:
        kind = _of_moving_mesh(obj, notes)
    settings: Any = obj.redmax.surface
    settings.kind = kind
    settings.two_sided = kind == MESH and not _is_closed(obj.data)
    obj.redmax.is_surface = True
    has_skin = shape in WITH_SKIN or (shape == "CONVEX_HULL" and physics.use_margin)
    if has_skin and physics.collision_margin > 0.0:
        notes.say("has a margin around its shape in Bullet; here it is as large as it looks", obj.name)
    if not size.is_centred and shape not in ("CONVEX_HULL", "MESH") and not size.is_flat:
        notes.say("touches where it is seen; Bullet has its shape around the origin", obj.name)
    if physics.use_deform and shape in ("MESH", "CONVEX_HULL"):
        notes.say("deforms; its surface is that of the first frame", obj.name)
    if physics.mesh_source != "FINAL" and len(obj.modifiers) and shape in ("MESH", "CONVEX_HULL"):
        notes.say("touches with its modifiers, as it looks; Bullet takes it without some", obj.name)
    return True


def _of_moving_mesh(obj: Object, notes: Notes) -> str:
    """Convex pieces keep the dents of a mesh that moves; its hull does as well where it has none."""
    mesh: Any = obj.data
    points = np.array([vertex.co[:] for vertex in mesh.vertices], np.float64).reshape(-1, 3)
    faces = [tuple(face.vertices) for face in mesh.polygons]
    if not faces or surface_shapes.is_convex(points, faces):
        return HULL
    if convex_pieces.is_here():
        notes.say("is a mesh with dents that moves; it touches as convex pieces, which follow it nearly", obj.name)
        return PIECES
    if len(convex_pieces.loose_parts(meshes.Mesh.from_faces(points, faces))) > 1:
        notes.say("is a mesh that moves; it touches as the convex hulls of its loose parts", obj.name)
        return PIECES
    notes.say("is a mesh that moves; it touches as its convex hull", obj.name)
    return HULL


def _is_closed(data: Any) -> bool:
    """Whether every edge of a mesh has two faces."""
    return len(data.edges) > 0 and 2 * len(data.edges) == sum(len(face.vertices) for face in data.polygons)


def mark(obj: Object, what: str) -> None:
    obj.redmax.from_rigid_body = what


def take_back(obj: Object) -> None:
    """What a conversion set on an object is as if it had never been."""
    for name in ("is_surface", "is_force", "is_body"):
        setattr(obj.redmax, name, False)
    for name in ("body", "surface", "force", "fit", "mechanism", "version"):
        obj.redmax.property_unset(name)
    mark(obj, rigid_bodies.NONE)
