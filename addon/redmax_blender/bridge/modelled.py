# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene as the artist modelled it: at the first frame, without any result that moves it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np

from .._engine import arrays, euler
from . import changes, frames, kept

Array = arrays.Array


@contextmanager
def as_modelled(
    scene: bpy.types.Scene,
    view_layer: bpy.types.ViewLayer,
    frame: int,
    unhide: Sequence[bpy.types.Object] = (),
) -> Iterator[bpy.types.Depsgraph]:
    """The evaluated scene at a frame with the artist's own channels; what was shown before comes back after.

    Modifiers, constraints and instances may depend on where objects stand, so a body that a result has moved is put
    back for as long as the scene is read. unhide: objects whose closed eye is opened meanwhile, because Blender lists
    the instances of visible objects only. The view layer must be up to date: what Blender has not evaluated yet is
    an edit of the artist's, and not one of ours.
    """
    with changes.ours(evaluate=False):
        shown_frame, shown_subframe = scene.frame_current, scene.frame_subframe
        elsewhere = (shown_frame, shown_subframe) != (frame, 0.0)
        moved: list[tuple[bpy.types.Object, dict[str, tuple[float, ...]]]] = []
        hidden: list[bpy.types.Object] = []
        try:
            if elsewhere:
                scene.frame_set(frame)
            moved += [(obj, _channels(obj)) for obj in scene.objects if obj.redmax.kept.active]
            hidden += [obj for obj in unhide if obj.hide_get(view_layer=view_layer)]
            for obj, _ in moved:
                _assign(obj, _channels(obj.redmax.kept))
            for obj in hidden:
                obj.hide_set(False, view_layer=view_layer)
            if moved or hidden:
                view_layer.update()
            yield view_layer.depsgraph
        finally:
            for obj in hidden:
                obj.hide_set(True, view_layer=view_layer)
            for obj, channels in moved:
                _assign(obj, channels)
            if elsewhere:
                scene.frame_set(shown_frame, subframe=shown_subframe)
            if moved or hidden:
                view_layer.update()


def _channels(source: Any) -> dict[str, tuple[float, ...]]:
    return {name: tuple(getattr(source, name)) for name in kept.CHANNELS}


def _assign(obj: bpy.types.Object, channels: dict[str, tuple[float, ...]]) -> None:
    for name, values in channels.items():
        setattr(obj, name, values)


class Modelled:
    """World matrices as modelled, each computed once: chains of parents would else be walked again and again.

    Lives no longer than one look at the evaluated scene.
    """

    def __init__(self, depsgraph: bpy.types.Depsgraph, objects: Sequence[bpy.types.Object] = ()) -> None:
        """objects: those whose matrices will be asked for, so that their channels are worked out all at once."""
        self.depsgraph = depsgraph
        self._objects = objects
        self._basis = dict(zip((obj.name_full for obj in objects), basis_matrices(objects), strict=True))
        self._matrices: dict[str, Array] = {}
        self._frames: dict[str, tuple[Array, Array, str]] | None = None

    def matrix(self, obj: bpy.types.Object) -> Array:
        """World matrix (4, 4) in Blender units, as `frames.modelled_matrix`."""
        pending = [obj]
        while pending[-1].parent is not None and self._follows_object(pending[-1]) and not self._known(pending[-1]):
            pending.append(pending[-1].parent)
        for ancestor in reversed(pending):
            if not self._known(ancestor):
                self._matrices[ancestor.name_full] = self._place(ancestor)
        return self._matrices[obj.name_full]

    def rigid_part(self, obj: bpy.types.Object) -> tuple[Array, Array]:
        """(E, A) of an object's matrix as `frames.rigid_part`, of all objects at once. Raises FrameError."""
        if self._frames is None:
            matrices = np.array([self.matrix(each) for each in self._objects]).reshape(-1, 4, 4)
            parts = zip(*frames.rigid_parts(matrices), strict=True)
            self._frames = dict(zip((each.name_full for each in self._objects), parts, strict=True))
        if obj.name_full not in self._frames:
            return frames.rigid_part(self.matrix(obj))
        E, A, wrong = self._frames[obj.name_full]
        if wrong:
            raise frames.FrameError(wrong)
        return E, A

    def _known(self, obj: bpy.types.Object) -> bool:
        return obj.name_full in self._matrices

    def _follows_object(self, obj: bpy.types.Object) -> bool:
        return obj.parent_type == "OBJECT" and frames.follows_channels(obj)

    def _place(self, obj: bpy.types.Object) -> Array:
        if not self._follows_object(obj):
            return frames.modelled_matrix(obj, self.depsgraph)
        basis = self._basis.get(obj.name_full)
        M: Array = frames.basis_matrix(obj) if basis is None else basis
        if obj.parent is not None:
            inverse = np.array(obj.matrix_parent_inverse, np.float64)
            M = self._matrices[obj.parent.name_full] @ inverse @ M
        return M


def basis_matrices(objects: Sequence[bpy.types.Object]) -> Array:
    """`frames.basis_matrix` of many objects at once, (n, 4, 4)."""
    M = np.tile(np.eye(4), (len(objects), 1, 1))
    by_mode: dict[str, list[int]] = {}
    for index, each in enumerate(objects):
        by_mode.setdefault(each.rotation_mode, []).append(index)
    for mode, indices in by_mode.items():
        if mode in ("QUATERNION", "AXIS_ANGLE"):
            M[indices] = [frames.basis_matrix(objects[index]) for index in indices]
            continue
        rows = []
        for index in indices:
            obj: Any = objects[index]
            source = kept.channels(obj)
            rows.append(
                [
                    *source.rotation_euler,
                    *obj.delta_rotation_euler,
                    *source.location,
                    *obj.delta_location,
                    *obj.scale,
                    *obj.delta_scale,
                ]
            )
        values = np.array(rows, np.float64).reshape(-1, 6, 3)
        sequence: Any = mode[::-1].lower()
        turns = euler.to_matrix(values[:, :2, ["xyz".index(axis) for axis in sequence]], sequence)
        M[indices, :3, :3] = turns[:, 1] @ turns[:, 0] * (values[:, 4] * values[:, 5])[:, None, :]
        M[indices, :3, 3] = values[:, 2] + values[:, 3]
    return M
