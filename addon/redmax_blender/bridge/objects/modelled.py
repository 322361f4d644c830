# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene as the artist modelled it: at the first frame, without any result that moves it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import bpy
import numpy as np

from ..._engine import arrays, euler
from . import animated_values, changes, frames, kept, stillness
from .other_frames import OtherFrames, holder, other_frames, standing_in

Array = arrays.Array


@contextmanager
def as_modelled(
    scene: bpy.types.Scene,
    view_layer: bpy.types.ViewLayer,
    frame: int,
    unhide: Sequence[bpy.types.Object] = (),
    *,
    read: Iterable[bpy.types.Object] | None = None,
    elsewhere: OtherFrames | None = None,
) -> Iterator[bpy.types.Depsgraph]:
    """The evaluated scene at a frame with the artist's own channels. Everything in the file stays what it is.

    Modifiers, constraints and instances may depend on where objects stand, so a body that a result has moved is put
    back while the scene is evaluated. unhide: objects whose closed eye is opened meanwhile, because Blender lists
    the instances of visible objects only. read: all objects that will be asked for, None for any; where
    nothing but keys of their own moves them, no frame is evaluated. elsewhere: used for another frame, if there is
    one already.
    The view layer must be up to date: what Blender has not evaluated yet is an edit of the artist's, not one of ours.
    """
    with changes.ours(evaluate=False), ExitStack() as stack:
        if (scene.frame_current, scene.frame_subframe) == (frame, 0.0):
            yield stack.enter_context(_put_back(scene, view_layer, unhide))
        elif read is not None and (found := stillness.stand_ins(scene, read, frame)) is not None:
            stack.enter_context(standing_in(found))
            yield view_layer.depsgraph
        else:
            frames_of_scene = elsewhere or stack.enter_context(other_frames(scene, view_layer))
            yield _evaluated(scene, frames_of_scene, frame, unhide)


@contextmanager
def _put_back(
    scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, unhide: Sequence[bpy.types.Object]
) -> Iterator[bpy.types.Depsgraph]:
    """The scene at the frame it stands on, without what a result does to it; what was shown comes back after."""
    hidden: list[bpy.types.Object] = []
    moved = [obj for obj in scene.objects if obj.redmax.kept.active]
    try:
        with own_channels(moved):
            hidden += [obj for obj in unhide if obj.hide_get(view_layer=view_layer)]
            for obj in hidden:
                obj.hide_set(False, view_layer=view_layer)
            if moved or hidden:
                view_layer.update()
            yield view_layer.depsgraph
    finally:
        for obj in hidden:
            obj.hide_set(True, view_layer=view_layer)
        if moved or hidden:
            view_layer.update()


def _evaluated(
    scene: bpy.types.Scene, elsewhere: OtherFrames, frame: int, unhide: Sequence[bpy.types.Object]
) -> bpy.types.Depsgraph:
    """The scene at another frame, without what a result does to it."""
    for obj in unhide:
        obj.hide_set(False, view_layer=elsewhere.view_layer)
    moved = [obj for obj in scene.objects if obj.redmax.kept.active]
    baked = [obj for obj in moved if obj.redmax.baked.active]
    with own_channels(moved):
        depsgraph = elsewhere.evaluate(frame)
        if baked:  # keys have the last word about them, but not after they were evaluated
            with ExitStack() as stack:
                for obj in baked:
                    stack.enter_context(_values_at(obj, depsgraph))
                copy = depsgraph.scene
                animated_values.assign(copy, animated_values.read(depsgraph.scene_eval, animated_values.paths_of(copy)))
                with own_channels(baked):
                    elsewhere.refresh()
    elsewhere.hand_back()
    return depsgraph


@contextmanager
def own_channels(objects: Iterable[bpy.types.Object]) -> Iterator[None]:
    """Objects have the channels that a result has put aside."""
    before: list[tuple[bpy.types.Object, dict[str, tuple[float, ...]]]] = []
    try:
        for obj in objects:
            if obj.redmax.kept.active:
                before.append((obj, _channels(obj)))
                _assign(obj, _channels(obj.redmax.kept))
        yield
    finally:
        for obj, channels in before:
            _assign(obj, channels)


@contextmanager
def _values_at(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Iterator[None]:
    """An object has the animated values that were evaluated: what is edited is copied from it anew, without them."""
    paths = animated_values.paths_of(obj)
    before = animated_values.read(obj, paths)
    try:
        animated_values.assign(obj, animated_values.read(obj.evaluated_get(depsgraph), paths))
        yield
    finally:
        animated_values.assign(obj, before)


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
        self._basis = dict(zip((obj.name_full for obj in objects), basis_matrices(objects, depsgraph), strict=True))
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
        return obj.parent_type == "OBJECT" and frames.follows_channels(obj, self.depsgraph)

    def _place(self, obj: bpy.types.Object) -> Array:
        if not self._follows_object(obj):
            return frames.modelled_matrix(obj, self.depsgraph)
        basis = self._basis.get(obj.name_full)
        M: Array = frames.basis_matrix(obj, self.depsgraph) if basis is None else basis
        if obj.parent is not None:
            inverse = np.array(obj.matrix_parent_inverse, np.float64)
            M = self._matrices[obj.parent.name_full] @ inverse @ M
        return M


def basis_matrices(objects: Sequence[bpy.types.Object], depsgraph: bpy.types.Depsgraph) -> Array:
    """`frames.basis_matrix` of many objects at once, (n, 4, 4)."""
    M = np.tile(np.eye(4), (len(objects), 1, 1))
    by_mode: dict[str, list[int]] = {}
    holders = [holder(each, depsgraph) for each in objects]
    for index, each in enumerate(holders):
        by_mode.setdefault(each.rotation_mode, []).append(index)
    for mode, indices in by_mode.items():
        if mode in ("QUATERNION", "AXIS_ANGLE"):
            M[indices] = [frames.basis_matrix(objects[index], depsgraph) for index in indices]
            continue
        rows = []
        for index in indices:
            obj: Any = holders[index]
            source = frames.channels(objects[index], depsgraph)
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
