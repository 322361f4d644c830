# SPDX-License-Identifier: GPL-3.0-or-later
"""Where objects stand as they were modelled, in double precision and Blender units.

The same object gives the same numbers whether a result moves it or not: matrices are computed from the artist's own
channels, as Blender does, and not read from what is evaluated at the moment.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ..._engine import arrays, euler, quaternion, so3
from ...properties import rigid_bodies
from . import kept, other_frames

Array = arrays.Array


class FrameError(ValueError):
    """A matrix that no rigid frame belongs to: its scale is zero or not finite."""


def euler_matrix(angles: Any, order: str) -> Array:
    """Rotation of Blender's Euler angles (x, y, z). Its order 'XYZ' turns about x first: R = Rz Ry Rx."""
    sequence: Any = order[::-1].lower()
    by_axis = dict(zip("xyz", angles, strict=True))
    return euler.to_matrix(np.array([by_axis[axis] for axis in sequence], np.float64), sequence)


def rotation_matrix(mode: str, source: Any) -> Array:
    """Rotation (3, 3) that the channels of `source` mean in a rotation mode."""
    if mode == "QUATERNION":
        q = np.array(source.rotation_quaternion, np.float64)
        length = float(np.linalg.norm(q))
        return quaternion.to_matrix(q / length) if length > 0.0 else np.eye(3)
    if mode == "AXIS_ANGLE":
        angle, *axis = (float(number) for number in source.rotation_axis_angle)
        length = float(np.linalg.norm(axis))
        return so3.exp(np.array(axis) / length * angle) if length > 0.0 else np.eye(3)
    return euler_matrix(source.rotation_euler, mode)


def delta_rotation(obj: bpy.types.Object) -> Array:
    """The delta rotation (3, 3), which Blender applies after the rotation. Axis-angle mode has none."""
    if obj.rotation_mode == "QUATERNION":
        q = np.array(obj.delta_rotation_quaternion, np.float64)
        length = np.linalg.norm(q)
        return quaternion.to_matrix(q / length) if length > 0.0 else np.eye(3)
    if obj.rotation_mode == "AXIS_ANGLE" or not any(obj.delta_rotation_euler[:]):
        return np.eye(3)
    return euler_matrix(obj.delta_rotation_euler, obj.rotation_mode)


def channel_scale(obj: bpy.types.Object) -> Array:
    """Scale (3,) that the channels give, delta included."""
    return np.array(obj.scale, np.float64) * np.array(obj.delta_scale, np.float64)


def channels(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Any:
    """Whatever holds the artist's own channels at the frame of the depsgraph."""
    if other_frames.at_present(depsgraph) or (obj.redmax.baked.active and obj.redmax.kept.active):
        return other_frames.stand_in(obj) or kept.channels(obj)
    return obj.evaluated_get(depsgraph)  # evaluated with what a preview has put aside


def basis_matrix(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Array:
    """What location, rotation and scale of the artist's own channels make, deltas included."""
    source, holder = channels(obj, depsgraph), other_frames.holder(obj, depsgraph)
    M = np.eye(4)
    M[:3, :3] = delta_rotation(holder) @ rotation_matrix(holder.rotation_mode, source) * channel_scale(holder)
    M[:3, 3] = np.array(source.location, np.float64) + np.array(holder.delta_location, np.float64)
    return M


def follows_channels(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """True if an object's place comes from its channels and its parent's, and from nothing else."""
    obj = other_frames.holder(obj, depsgraph)
    constrained = any(not constraint.mute and constraint.influence > 0.0 for constraint in obj.constraints)
    return (
        not constrained and not rigid_bodies.is_simulated(obj) and (obj.parent is None or obj.parent_type == "OBJECT")
    )


def parent_matrix(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Array:
    """What the parent adds, as modelled: matrix_world = parent_matrix @ basis_matrix."""
    if obj.parent is None:
        return np.eye(4)
    if obj.parent_type == "OBJECT":
        inverse = np.array(obj.matrix_parent_inverse, np.float64)
        return modelled_matrix(obj.parent, depsgraph) @ inverse
    evaluated = obj.evaluated_get(depsgraph)
    return np.array(evaluated.matrix_world, np.float64) @ np.linalg.inv(np.array(evaluated.matrix_basis, np.float64))


def modelled_matrix(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Array:
    """World matrix (4, 4) as modelled, in Blender units."""
    if follows_channels(obj, depsgraph):
        return parent_matrix(obj, depsgraph) @ basis_matrix(obj, depsgraph)
    return np.array(obj.evaluated_get(depsgraph).matrix_world, np.float64)


def rigid_part(M: Array) -> tuple[Array, Array]:
    """(E, A) with M = E @ A: a rigid frame E at M's origin with M's z axis, and the scale, shear or mirror A.

    The y axis of E lies in M's y-z plane. Raises FrameError where a scale is zero or not finite.
    """
    (E,), (A,), (wrong,) = rigid_parts(M[None])
    if wrong:
        raise FrameError(wrong)
    return E, A


def rigid_parts(M: Array) -> tuple[Array, Array, list[str]]:
    """`rigid_part` of many matrices (n, 4, 4) at once, and what is wrong with each; empty where nothing is."""
    axes = M[:, :3, :3]
    finite = np.isfinite(M).all(axis=(1, 2))
    with np.errstate(all="ignore"):  # what comes of bad matrices is said and not used
        size = np.sqrt((axes * axes).sum(axis=1))
        unit = axes / size[:, None, :]
        flat = (size < np.finfo(np.float32).tiny).any(axis=1) | (np.abs(np.linalg.det(unit)) < 1e-6)
        z = unit[:, :, 2]
        y = unit[:, :, 1]
        y = y - (y * z).sum(axis=1, keepdims=True) * z
        y = y / np.sqrt((y * y).sum(axis=1, keepdims=True))
        E, A = np.zeros_like(M), np.zeros_like(M)
        E[:, 3, 3] = A[:, 3, 3] = 1.0
        E[:, :3, 0] = np.cross(y, z)
        E[:, :3, 1], E[:, :3, 2], E[:, :3, 3] = y, z, M[:, :3, 3]
        A[:, :3, :3] = np.swapaxes(E[:, :3, :3], 1, 2) @ axes
    wrong = [
        "" if sound else "is flattened: a scale is zero" if known else "has a transform that is not finite"
        for sound, known in zip((finite & ~flat).tolist(), finite.tolist(), strict=True)
    ]
    return E, A, wrong
