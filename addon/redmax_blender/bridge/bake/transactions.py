# SPDX-License-Identifier: GPL-3.0-or-later
"""All or nothing: what a bake changes can be taken back until it is committed, whatever goes wrong in between."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np

from ... import compat
from ..objects import kept
from ..results import rope_files
from . import nla_strips

MARK = "redmax_bake"
"""Custom property of actions that a bake made."""

RESULTS = "redmax_"
"""How the custom properties begin that a bake adds to objects and scenes."""


class Transaction:
    """Changes to actions and records that can be taken back as long as they are not committed."""

    def __init__(self, owners: Iterable[Any]) -> None:
        self._states = [_State(owner) for owner in owners]
        self._contents: list[tuple[bpy.types.Action, bpy.types.Action]] = []
        self._copies: dict[str, bpy.types.Action] = {}
        self._made: list[tuple[bpy.types.Action, str]] = []
        self._obsolete: list[bpy.types.Action] = []
        self._secured: list[bpy.types.Action] = []
        self._tracks: list[tuple[Any, Any, str]] = []
        self._strips: list[tuple[Any, bpy.types.Action, bool]] = []
        self._files: list[str] = []
        self._modifiers: list[tuple[bpy.types.Object, Any, str]] = []
        self._old_modifiers: list[tuple[bpy.types.Object, str]] = []
        self.notes: list[str] = []
        """What the artist should know of files that were written."""

    def new_action(self, name: str) -> bpy.types.Action:
        """A new action marked as a bake's. It gets its name for good on commit, when a former bake's is free."""
        action = self._make(lambda: compat.new_action(name), name)
        action[MARK] = True
        return action

    def protect(self, action: bpy.types.Action) -> None:
        """Remember an action's F-curves before they are changed."""
        if all(action != known for known, _ in self._contents) and all(action != made for made, _ in self._made):
            self._contents.append((action, action.copy()))

    def copy_before(self, action: bpy.types.Action) -> bpy.types.Action:
        """A copy of the action as it is now, to stay in the file; one for all slots of it."""
        if action.name not in self._copies:
            self._copies[action.name] = self._make(action.copy, f"{action.name} before bake")
        return self._copies[action.name]

    def artists_action(self, name: str, source: bpy.types.Action | None = None) -> bpy.types.Action:
        """A new action that is the artist's own from now on; source: what it is a copy of."""
        return self._make((lambda: compat.new_action(name)) if source is None else source.copy, name)

    def _make(self, maker: Callable[[], bpy.types.Action], name: str) -> bpy.types.Action:
        """An action that is known to be ours from its first moment on, so that it never outlives a failure."""
        self._made.append((maker(), name))
        return self._made[-1][0]

    def secure(self, action: bpy.types.Action) -> None:
        """An action of the artist's that nobody may be using any more: Blender must not drop it."""
        self._secured.append(action)

    def discard(self, action: bpy.types.Action | None) -> None:
        """Remove an action on commit, if nobody uses it then."""
        if action is not None and action not in self._obsolete:
            self._obsolete.append(action)

    def new_track(self, owner: Any, name: str) -> Any:
        """A new NLA track above all others, taken back from its first moment on.

        It gets its name for good on commit, when a former bake's is gone.
        """
        tracks = owner.animation_data.nla_tracks
        active = tracks.active
        self._tracks.append((owner, tracks.new(), name))
        tracks.active = active  # Blender makes the new one active
        return self._tracks[-1][1]

    def remove_strips(self, owner: Any, action: bpy.types.Action, *, keep_data: bool) -> None:
        """Remove an owner's NLA strips of an action on commit; keep_data: even if its animation data is empty then."""
        self._strips.append((owner, action, keep_data))

    def store_points(self, identifier: str, content: bytes) -> None:
        """Write the file of a rope. One that lies there already is the same, and stays whatever happens."""
        if not rope_files.lies_where_written(identifier):
            self._files.append(identifier)
        self.notes += filter(None, [rope_files.store(identifier, content)])

    def new_modifier(self, obj: bpy.types.Object, name: str, kind: Any) -> Any:
        """A new modifier before all others. It gets its name for good on commit, when a former bake's is gone."""
        active = obj.modifiers.active
        self._modifiers.append((obj, obj.modifiers.new(name, kind), name))
        obj.modifiers.move(len(obj.modifiers) - 1, 0)
        if active is not None:  # Blender makes the new one active
            obj.modifiers.active = active
        return self._modifiers[-1][1]

    def remove_modifier(self, obj: bpy.types.Object, name: str) -> None:
        """Remove a modifier on commit."""
        self._old_modifiers.append((obj, name))

    def commit(self) -> None:
        for _, copy in self._contents:
            bpy.data.actions.remove(copy)
        for owner, action, keep_data in self._strips:
            nla_strips.remove(owner, action)
            data = owner.animation_data
            if not (keep_data or data is None or data.action is not None or data.drivers or data.nla_tracks):
                owner.animation_data_clear()
        for obj, name in self._old_modifiers:
            obj.modifiers.remove(obj.modifiers[name])
        for _, modifier, name in self._modifiers:
            modifier.name = name
        for _, track, name in self._tracks:
            track.name = track.strips[0].name = name
        for action in self._obsolete:
            if action.users == 0:  # an artist who gave it a fake user wants to keep it
                bpy.data.actions.remove(action)
        for action in self._secured:
            action.use_fake_user = action.use_fake_user or action.users == 0
        for action, name in self._made:
            if action not in self._obsolete:
                action.name = name

    def take_back(self) -> None:
        """Everything as it was when the transaction began."""
        for obj, modifier, _ in self._modifiers:
            obj.modifiers.remove(modifier)
        for owner, track, _ in self._tracks:
            owner.animation_data.nla_tracks.remove(track)
        for state in self._states:
            state.bring_back()
        for action, copy in self._contents:
            compat.replace_contents(action, copy)
            bpy.data.actions.remove(copy)
        for action, _ in self._made:
            bpy.data.actions.remove(action)
        for identifier in self._files:
            rope_files.drop(identifier)


@contextmanager
def transaction(owners: Iterable[Any]) -> Iterator[Transaction]:
    """All or nothing: whatever is raised inside, the owners, their actions and records are as before."""
    changes = Transaction(owners)
    try:
        yield changes
    except BaseException:
        changes.take_back()
        raise
    changes.commit()


class _State:
    """An object, curve or scene as it is when a transaction begins."""

    def __init__(self, owner: Any) -> None:
        data = owner.animation_data
        self.owner = owner
        self.had_animation_data = data is not None
        self.action, self.slot = compat.action_of(owner), compat.slot_handle(owner)
        self.mix = (data.action_influence, data.action_blend_type) if data is not None else None
        self.groups = [(group, _values(group)) for group in self._groups()]
        self.channels = {name: tuple(getattr(owner, name)) for name in kept.CHANNELS if hasattr(owner, name)}
        self.points = _points(owner)
        self.properties = {key: _plain(owner[key]) for key in _result_keys(owner)}

    def _groups(self) -> list[Any]:
        settings = self.owner.redmax
        return [settings.baked, settings.kept] if isinstance(self.owner, bpy.types.Object) else [settings.baked]

    def bring_back(self) -> None:
        owner = self.owner
        if self.had_animation_data:
            owner.animation_data_create()
            compat.assign_action(owner, self.action, self.slot)
            owner.animation_data.action_influence, owner.animation_data.action_blend_type = self.mix
        else:
            owner.animation_data_clear()
        for group, values in self.groups:
            for name, value in values.items():
                setattr(group, name, value)
        for key in _result_keys(owner) - self.properties.keys():
            del owner[key]
        for key, value in self.properties.items():
            owner[key] = value
        for name, value in self.channels.items():
            setattr(owner, name, value)
        if self.points is not None:
            owner.splines[0].points.foreach_set("co", self.points)
            owner.update_tag()


def _points(owner: Any) -> Any:
    """Coordinates of the points of a curve that shows a strand; None of anything else."""
    if not isinstance(owner, bpy.types.Curve) or not owner.splines:
        return None
    found = np.empty(4 * len(owner.splines[0].points), np.float32)
    owner.splines[0].points.foreach_get("co", found)
    return found


def _values(group: Any) -> dict[str, Any]:
    return {name: _plain(getattr(group, name)) for name in type(group).__annotations__}


def _plain(value: Any) -> Any:
    """A value that does not change with its owner."""
    return tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value


def _result_keys(owner: Any) -> set[str]:
    return {key for key in owner.keys() if key.startswith(RESULTS)}  # noqa: SIM118 (a data-block is no mapping)
