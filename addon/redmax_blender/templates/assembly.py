# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts a template's parts into the scene: objects, bodies, joints and keys, in a collection of their own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal

import bpy
import numpy as np
from mathutils import Matrix

from .. import compat
from .._engine import arrays, fields
from ..bridge.authoring import build, motion_keys
from ..properties import generated
from ..properties import joint as joint_properties
from ..properties.scene import frame_range
from . import shells
from .paint import Paint, blender_material
from .shells import Shell

Array = arrays.Array
Object = bpy.types.Object
Part = tuple[Shell, Paint]
"""A shell and its colour."""

SHARP = np.radians(30.0)
"""Edges that turn more stay sharp: bevels catch the light, round parts look round."""


class Assembly:
    """A mechanism in the making at the 3D cursor. Frames given to it are relative to the cursor's location."""

    def __init__(self, context: bpy.types.Context, name: str) -> None:
        self.context = context
        self.depsgraph = context.evaluated_depsgraph_get()
        self.origin = np.array(context.scene.cursor.location, np.float64)
        self.collection = bpy.data.collections.new(name)
        context.scene.collection.children.link(self.collection)
        self.objects: list[Object] = []

    def body(
        self,
        name: str,
        shape: Sequence[Part] | bpy.types.Mesh,
        frame: Array,
        *,
        material: str,
        root: Literal["LOCKED", "FREE"] = "FREE",
        turns: bool = False,
    ) -> Object:
        """A body made of parts, or of a mesh that another one has already. material: identifier of its density.

        turns: it may turn for ever or in every direction, so its rotation is a quaternion: keys of an angle lose a
        digit every ten turns, and Euler angles meet gimbal lock.
        """
        mesh = shape if isinstance(shape, bpy.types.Mesh) else new_mesh(name, shape)
        obj = bpy.data.objects.new(name, mesh)
        self.collection.objects.link(obj)
        obj.rotation_mode = "QUATERNION" if turns else "XYZ"
        obj.matrix_basis = Matrix(self.in_world(frame).tolist())
        obj.redmax.is_body = True
        obj.redmax.body.material = material
        obj.redmax.body.root = root
        self.objects.append(obj)
        return obj

    def joint(self, parent: Object | None, child: Object, frame: Array, *, kind: str, size: float) -> Object:
        """A joint at a frame; size of its empty."""
        obj = build.connect(
            self.context, parent, child, kind=kind, frame=self.in_world(frame), size=size, depsgraph=self.depsgraph
        )
        self.objects.append(obj)
        return obj

    @staticmethod
    def damp_joint(joint: Object, damping: float) -> None:
        """Viscous damping of every coordinate of a joint [N m s/rad or N s/m]."""
        settings: Any = joint.redmax.joint
        for dof in joint_properties.dofs(settings):
            settings.damping[dof.index] = min(damping, fields.LARGEST)

    @staticmethod
    def spring_joint(joint: Object, stiffness: float) -> None:
        """A spring on every coordinate of a joint, relaxed as modelled [N m/rad or N/m]."""
        settings: Any = joint.redmax.joint
        for dof in joint_properties.dofs(settings):
            settings.stiffness[dof.index] = min(stiffness, fields.LARGEST)

    @staticmethod
    def damp_body(body: Object, damping: float) -> None:
        """Viscous damping of a body's own motion [N s/m and N m s/rad]."""
        body.redmax.body.damping = min(damping, fields.LARGEST)

    def keys(self, joint: Object, values: Sequence[tuple[float, float]], *, gentle: bool = False) -> None:
        """Smooth keys (seconds after the first frame, value) on the joint's first coordinate, which it follows.

        gentle: it is at rest at every key, and starts and stops with less than half of the usual acceleration.
        """
        scene = self.context.scene
        start, fps = frame_range(scene)[0], scene.render.fps / scene.render.fps_base
        dof = joint_properties.dofs(joint.redmax.joint)[0]
        frames = [start + round(seconds * fps) for seconds, _value in values]
        motion_keys.write_keys(joint, dof, frames, [value for _seconds, value in values], "BEZIER")
        if gentle:
            _lengthen_handles(compat.fcurves_of(joint)[-1])
        joint.redmax.joint.motion_type = "animated"

    def steady(self, joint: Object, rate: float) -> None:
        """Keys that turn a joint at the same rate [rad/s] for ever."""
        scene = self.context.scene
        start, fps = frame_range(scene)[0], scene.render.fps / scene.render.fps_base
        dof = joint_properties.dofs(joint.redmax.joint)[0]
        motion_keys.write_keys(joint, dof, [start, start + round(fps)], [0.0, rate * round(fps) / fps], "LINEAR")
        compat.fcurves_of(joint)[-1].extrapolation = "LINEAR"
        joint.redmax.joint.motion_type = "animated"

    def push(self, joint: Object, values: Sequence[tuple[float, float]]) -> None:
        """Keys (seconds after the first frame, N m or N) on what pushes a joint along its first coordinate.

        It changes evenly from one to the next.
        """
        scene = self.context.scene
        start, fps = frame_range(scene)[0], scene.render.fps / scene.render.fps_base
        dof = joint_properties.dofs(joint.redmax.joint)[0]
        frames = [start + round(seconds * fps) for seconds, _value in values]
        limited = [min(max(value, -fields.LARGEST), fields.LARGEST) for _seconds, value in values]
        motion_keys.write_keys(joint, dof, frames, limited, "LINEAR", "torque")

    @staticmethod
    def soft_stop(joint: Object, stiffness: float, damping: float, *, lower: float) -> None:
        """A soft lower limit of a joint's first coordinate [rad or Blender units], with its stiffness and damping."""
        settings: Any = joint.redmax.joint
        dof = joint_properties.dofs(settings)[0]
        for field, value in (("lower", lower), ("limit_stiffness", stiffness), ("limit_damping", damping)):
            joint_properties.set_value(settings, field, dof, min(value, fields.LARGEST))
        settings.limit_type, settings.use_lower[0] = "SOFT", True

    @staticmethod
    def rub(joint: Object, coefficient: float, *, radius: float, height: float) -> None:
        """Dry friction in a pin of a joint. radius, height: of its bearing [Blender units]."""
        settings: Any = joint.redmax.joint
        settings.use_friction = True
        group: Any = settings.friction
        group.coefficient, group.radius, group.height = coefficient, radius, height

    def table_keys(self, settings: Any, table: str, values: Sequence[tuple[float, float]]) -> None:
        """Smooth keys (seconds after the first frame, value) on what an element takes from a table over time.

        settings: its properties. table: name of the field.
        """
        scene = self.context.scene
        start, fps = frame_range(scene)[0], scene.render.fps / scene.render.fps_base
        setattr(settings, f"{table}_source", generated.KEYS)
        name = generated.column(table, 0)
        path = f"{settings.path_from_id()}.{name}"
        curve = compat.ensure_fcurves(settings.id_data).new(path, 0, "RedMax")
        for seconds, value in values:
            point = curve.keyframe_points.insert(start + round(seconds * fps), value)
            point.interpolation, point.handle_left_type, point.handle_right_type = (
                "BEZIER",
                "AUTO_CLAMPED",
                "AUTO_CLAMPED",
            )
        curve.update()
        setattr(settings, name, values[0][1])

    def finish(self, active: Object) -> list[Object]:
        """Select what was made, as Blender does with whatever is added."""
        for obj in self.context.view_layer.objects.selected:
            obj.select_set(False)
        for obj in self.objects:
            if obj.redmax.is_body:
                obj.select_set(True)
        self.context.view_layer.objects.active = active
        return self.objects

    def in_world(self, frame: Array) -> Array:
        """A frame relative to the cursor's location, in the world."""
        E = np.array(frame, np.float64)
        E[:3, 3] += self.origin
        return E


def new_mesh(name: str, parts: Sequence[Part]) -> bpy.types.Mesh:
    """One mesh of several shells, each in its colour, smooth but for sharp edges."""
    mesh = bpy.data.meshes.new(name)
    paints = list(dict.fromkeys(paint for _shell, paint in parts))
    starts = np.cumsum([0, *(len(shell.vertices) for shell, _paint in parts)])
    vertices = np.concatenate([shell.vertices for shell, _paint in parts])
    faces = [
        tuple(index + start for index in face)
        for (shell, _paint), start in zip(parts, starts.tolist(), strict=False)
        for face in shell.faces
    ]
    mesh.from_pydata(vertices.tolist(), [], faces)
    for paint in paints:
        mesh.materials.append(blender_material(paint))
    slots = np.repeat([paints.index(paint) for _shell, paint in parts], [len(shell.faces) for shell, _paint in parts])
    mesh.polygons.foreach_set("material_index", slots.astype(np.int32))
    mesh.polygons.foreach_set("use_smooth", np.ones(len(faces), bool))
    mesh.set_sharp_from_angle(angle=float(SHARP))
    mesh.update()
    return mesh


def _lengthen_handles(curve: bpy.types.FCurve) -> None:
    """Flat handles that reach half way to the next key, where Blender's own reach a third of the way.

    A handle of the part a of the time T between two keys gives the acceleration 2 / (3 a^2) of their difference / T^2.
    """
    points = curve.keyframe_points
    for point in points:
        point.handle_left_type = point.handle_right_type = "ALIGNED"
    for before, after in pairwise(points):
        middle = 0.5 * (before.co[0] + after.co[0])
        before.handle_right, after.handle_left = (middle, before.co[1]), (middle, after.co[1])
    curve.update()


def scaled(parts: Sequence[Part], factor: float) -> list[Part]:
    """Parts drawn in units of `factor`."""
    return [(shells.scaled(shell, factor), paint) for shell, paint in parts]


def placed(parts: Sequence[Part], frame: Array) -> list[Part]:
    """Parts in another frame (4, 4)."""
    return [(shells.placed(shell, frame), paint) for shell, paint in parts]


# --- frames ----------------------------------------------------------------------------------


def at(position: Sequence[float] | Array, rotation: Array | None = None) -> Array:
    """A frame (4, 4) at a position, with a rotation (3, 3)."""
    E = np.eye(4)
    E[:3, 3] = position
    if rotation is not None:
        E[:3, :3] = rotation
    return E


def turn(axis: Literal["X", "Y", "Z"], angle: float) -> Array:
    """Rotation (3, 3) about an axis [rad]."""
    c, s = np.cos(angle), np.sin(angle)
    R: Any = {
        "X": [[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]],
        "Y": [[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]],
        "Z": [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]],
    }[axis]
    return np.array(R)


SIDEWAYS = turn("X", 0.5 * np.pi)
"""Axes of a flat part that stands upright: its x stays, its y is up, its z points to -y, towards the viewer."""
