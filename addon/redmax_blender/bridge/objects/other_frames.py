# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene at other frames than the one the artist stands on, without touching what the artist sees.

Going to another frame makes Blender write every animated value into the file's data, over values that were changed
but not keyed yet. So another frame is evaluated in a copy of the scene that no window shows: the objects are the
same, but what Blender computes stays in the evaluated copies and is never written back. The copy is removed
afterwards, whatever happens.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from . import changes

HANDLERS = ("frame_change_pre", "frame_change_post", "depsgraph_update_pre", "depsgraph_update_post")
"""Python that Blender runs when it evaluates a scene. It would write what belongs to the other frame into the file."""

_stand_ins: dict[int, StandIn] = {}
"""By session_uid, objects that stand elsewhere for as long as another frame is read without evaluating it."""

_copies: set[int] = set()
"""session_uid of the copies that there are now."""


class StandIn:
    """An object whose channels have the values of another frame."""

    def __init__(self, obj: bpy.types.Object, channels: dict[str, tuple[float, ...]]) -> None:
        self._obj, self._channels = obj, channels

    def __getattr__(self, name: str) -> Any:
        channels = self.__dict__["_channels"]
        return channels[name] if name in channels else getattr(self.__dict__["_obj"], name)


class OtherFrames:
    """One copy of a scene for all frames of one look at it, made when the first is asked for."""

    def __init__(self, scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> None:
        self._scene, self._view_layer = scene, view_layer
        self._copy: bpy.types.Scene | None = None
        self._retargeted: list[Any] | None = None

    @property
    def view_layer(self) -> bpy.types.ViewLayer:
        """The copy's, for hiding and showing objects in it."""
        if self._copy is None:
            self._make_copy()
        assert self._copy is not None
        return self._copy.view_layers[0]

    def evaluate(self, frame: int) -> bpy.types.Depsgraph:
        """The scene at a frame. What was evaluated of another frame before is gone."""
        view_layer = self.view_layer
        assert self._copy is not None
        self._ask_copy()
        with _silence():
            self._copy.frame_set(frame)
        return view_layer.depsgraph

    def refresh(self) -> None:
        """Evaluate at the same frame what was edited since."""
        with _silence():
            self.view_layer.depsgraph.update()

    def _make_copy(self) -> None:
        self._copy = copy = self._scene.copy()
        _copies.add(copy.session_uid)
        for layer in [layer for layer in copy.view_layers if layer.name != self._view_layer.name]:
            copy.view_layers.remove(layer)
        physics: Any = copy.rigidbody_world
        if physics is not None:
            # The simulation itself is the objects' own and not the copy's: two worlds must not share it.
            physics.collection = physics.constraints = None

    def _ask_copy(self) -> None:
        """Let drivers that read something of the scene, such as its frame, read it of the copy."""
        if self._retargeted is None:
            self._retargeted = _driver_targets(self._scene)
            for target in self._retargeted:
                target.id = self._copy

    def hand_back(self) -> None:
        """Drivers read the scene itself again; what was evaluated stays. Before anything is deleted."""
        targets, self._retargeted = self._retargeted or (), None
        for target in targets:
            target.id = self._scene

    def remove(self) -> None:
        """Leave nothing of the copy. What Blender evaluates because of that is no edit of the artist's."""
        if self._copy is None:
            return
        try:
            self.hand_back()
        finally:
            copy, self._copy = self._copy, None
            _copies.discard(copy.session_uid)
            bpy.data.scenes.remove(copy)
        with changes.ours(evaluate=False):
            self._view_layer.update()


@contextmanager
def other_frames(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> Iterator[OtherFrames]:
    """Other frames of a scene, as the view layer shows it. Evaluated objects live as long as this."""
    found = OtherFrames(scene, view_layer)
    try:
        yield found
    finally:
        found.remove()


def at_present(depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether this is a scene as the artist sees it, so that the objects themselves hold its values."""
    return not _copies or depsgraph.scene.session_uid not in _copies


def holder(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Any:
    """What holds an object's values at the frame that is read: the object, what stands in for it, or its evaluated
    copy elsewhere."""
    if not at_present(depsgraph):
        return obj.evaluated_get(depsgraph)
    return _stand_ins.get(obj.session_uid, obj) if _stand_ins else obj


def stand_in(obj: bpy.types.Object) -> StandIn | None:
    """What stands in for an object at present."""
    return _stand_ins.get(obj.session_uid)


@contextmanager
def standing_in(found: dict[int, StandIn]) -> Iterator[None]:
    """Objects have channels of another frame for whoever asks `holder`. Nothing of Blender's is changed."""
    before = dict(_stand_ins)
    _stand_ins.update(found)
    try:
        yield
    finally:
        _stand_ins.clear()
        _stand_ins.update(before)


@contextmanager
def _silence() -> Iterator[None]:
    """No handler, ours or another add-on's, hears of the copy."""
    handlers = [getattr(bpy.app.handlers, name) for name in HANDLERS]
    were = [each[:] for each in handlers]
    for each in handlers:
        each.clear()
    try:
        yield
    finally:
        for each, was in zip(handlers, were, strict=True):
            each[:] = was


def _driver_targets(scene: bpy.types.Scene) -> list[Any]:
    """What drivers of this file read from the scene itself, such as its frame."""
    found = []
    for user in bpy.data.user_map(subset={scene})[scene]:
        for owner in (user, getattr(user, "node_tree", None)):
            data: Any = getattr(owner, "animation_data", None)
            if data is None or user.library is not None:
                continue
            for driver in data.drivers:
                variables = driver.driver.variables
                found += [target for each in variables for target in each.targets if target.id == scene]
    return found
