# SPDX-License-Identifier: GPL-3.0-or-later
"""Where joint objects stand: new empties, what they follow, and the frame at which bodies are connected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from ... import compat
from ..._engine import arrays
from ...properties import joint as joint_properties
from ...properties.scene import frame_range
from ..core.boxes import Extent
from ..core.findings import refuse
from . import extents, frames, modelled, movers

Array = arrays.Array
Object = bpy.types.Object

SHEAR = 1e-4
"""Axes that are less perpendicular than this cannot be written as a rotation and a scale."""

AXES = 1e-5
"""Axes that differ less are the same [rad]."""


def ancestors(obj: Object) -> list[Object]:
    """Blender parents of an object, the nearest first."""
    found: list[Object] = []
    while obj.parent is not None and obj.parent not in found:
        obj = obj.parent
        found.append(obj)
    return found


def follow(obj: Object, parent: Object | None, depsgraph: bpy.types.Depsgraph) -> None:
    """Let a joint object follow its parent body, staying where it is; one that follows something is left alone.

    Nothing can follow a flattened body, which Check names, and stay where it is.
    """
    if parent is None or obj.parent is not None or obj in ancestors(parent):
        return
    P = frames.modelled_matrix(parent, depsgraph)
    if _is_flattened(P):
        return
    obj.parent = parent
    obj.matrix_parent_inverse = Matrix(np.linalg.inv(P).tolist())


def stay(obj: Object, depsgraph: bpy.types.Depsgraph) -> None:
    """Take an object's Blender parent away without moving it."""
    E = frames.modelled_matrix(obj, depsgraph)
    obj.parent = None
    obj.matrix_parent_inverse = Matrix()
    obj.matrix_basis = Matrix(E.tolist())


def turn(obj: Object, E: Array, depsgraph: bpy.types.Depsgraph) -> bool:
    """Give an empty the axes of a rigid frame E, keeping its place and size; what follows it stays where it is.

    False, and nothing is changed, if something else decides how it is turned, or follows it other than as an object.
    """
    if not may_turn(obj, depsgraph):
        return False
    before = frames.modelled_matrix(obj, depsgraph)
    scale = np.linalg.norm(before[:3, :3], axis=0)
    basis = np.linalg.solve(frames.parent_matrix(obj, depsgraph), E @ np.diag([*scale, 1.0]))
    axes = basis[:3, :3] / np.linalg.norm(basis[:3, :3], axis=0)
    if np.abs(axes.T @ axes - np.eye(3)).max() > SHEAR:
        return False
    location, size = obj.location.copy(), obj.scale.copy()
    obj.matrix_basis = Matrix(basis.tolist())
    obj.location = location
    if np.allclose(np.array(size), np.array(obj.scale), rtol=1e-5, atol=0.0):
        obj.scale = size
    if obj.children:
        kept = np.linalg.solve(frames.parent_matrix(obj, depsgraph) @ basis, before)
        for child in obj.children:
            child.matrix_parent_inverse = Matrix((kept @ np.array(child.matrix_parent_inverse, np.float64)).tolist())
    return True


def may_turn(obj: Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether an object's own rotation, which nothing animates, turns it, and what follows it can be kept in place."""
    curves = (*compat.fcurves_of(obj), *movers.nla_curves(obj))
    animated = {curve.data_path for curve in curves} | movers.driven_paths(obj)
    channels = {*movers.PLACE, *movers.DELTA, *movers.SCALE}
    if not obj.children:  # what follows a moving empty could be kept in place at one frame only
        channels -= {"location", "delta_location"}
    turned_by_others = animated & channels
    follow_as_objects = all(child.parent_type == "OBJECT" and child.library is None for child in obj.children)
    return frames.follows_channels(obj, depsgraph) and not turned_by_others and follow_as_objects


def has_axes_of_parent(obj: Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether an object is turned as one that it follows, so that nobody turned it for its own sake."""
    E = place_of(obj, depsgraph)
    for parent in ancestors(obj):
        try:
            P, _ = frames.rigid_part(frames.modelled_matrix(parent, depsgraph))
        except frames.FrameError:
            continue
        if np.abs(P[:3, :3] - E[:3, :3]).max() < AXES:
            return True
    return False


def use_z(obj: Object) -> None:
    """Let a joint's own z be its axis, which the arrow of its empty shows."""
    group: Any = joint_properties.own_group(obj.redmax.joint)
    if hasattr(group, "axis"):
        group.axis = (0.0, 0.0, 1.0)


def hand_over_children(obj: Object, depsgraph: bpy.types.Depsgraph) -> None:
    """Blender children of an object that goes follow its parent instead, staying where they are.

    They follow nothing where it has no parent, or a flattened one.
    """
    P = np.eye(4) if obj.parent is None else frames.modelled_matrix(obj.parent, depsgraph)
    for child in obj.children:
        if child.parent_type != "OBJECT" or child.library is not None:
            continue
        if obj.parent is None or _is_flattened(P):
            stay(child, depsgraph)
            continue
        M = frames.parent_matrix(child, depsgraph)
        child.parent = obj.parent
        child.matrix_parent_inverse = Matrix(np.linalg.solve(P, M).tolist())


def _is_flattened(M: Array) -> bool:
    try:
        frames.rigid_part(M)
    except frames.FrameError:
        return True
    return False


@contextmanager
def first_frame(context: bpy.types.Context, objects: Sequence[Object]) -> Iterator[bpy.types.Depsgraph]:
    """The scene at the first frame: joints connect bodies as they stand there. What is done meanwhile is an edit."""
    scene, view_layer = context.scene, context.view_layer
    view_layer.update()
    with modelled.as_modelled(scene, view_layer, frame_range(scene)[0], read=objects) as depsgraph:
        yield depsgraph
    for obj in objects:  # evaluated already, but as ours
        obj.update_tag(refresh={"OBJECT"})


def place_of(obj: Object, depsgraph: bpy.types.Depsgraph) -> Array:
    """Rigid frame (4, 4) of an object as modelled; refuses a flattened one by name."""
    try:
        return frames.rigid_part(frames.modelled_matrix(obj, depsgraph))[0]
    except frames.FrameError as error:
        raise _flattened(obj, error) from None


def extent_of(obj: Object, depsgraph: bpy.types.Depsgraph) -> Extent:
    """Box around an object as modelled; refuses a flattened one by name."""
    try:
        return extents.extent(obj, depsgraph)
    except frames.FrameError as error:
        raise _flattened(obj, error) from None


def _flattened(obj: Object, error: Exception) -> Exception:
    return refuse(obj.name, f"'{obj.name}' {error}", "give it a scale other than zero")


def new_empty(scene: bpy.types.Scene, name: str, child: Object, E: Array) -> Object:
    """An empty with the frame E, in the collections of the child."""
    empty = bpy.data.objects.new(name, None)
    physics: Any = scene.rigidbody_world
    reserved = {physics.collection, physics.constraints} if physics is not None else set()
    homes = [home for home in child.users_collection if home.library is None and home not in reserved]
    for home in homes or [scene.collection]:
        home.objects.link(empty)
    empty.matrix_basis = Matrix(E.tolist())
    empty.show_in_front = True
    return empty
