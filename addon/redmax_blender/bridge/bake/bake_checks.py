# SPDX-License-Identifier: GPL-3.0-or-later
"""What would keep a bake from being written, or let something else than the simulation move the objects afterwards."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import bpy

from ... import compat
from ..core.findings import Finding
from ..objects import movers
from ..results import placement
from . import actions

MODE = "rotation_mode"


def owner_findings(owner: Any, *, in_place: bool, on_track: bool = False, results: bool = False) -> Iterator[Finding]:
    """Of an object or scene that gets keys. in_place: into the action it has. on_track: as a strip of the NLA.
    results: only results are on it."""
    name, data = owner.name, owner.animation_data
    if owner.library is not None or not owner.is_editable:
        yield Finding(name, f"'{name}' is linked and cannot get keys", "make it local or a library override")
        return
    if data is None:
        return
    yield from tweak_findings(owner)
    if data.use_nla and any(track.is_solo for track in data.nla_tracks):
        yield Finding(name, f"An NLA track of '{name}' is solo and would hide the bake", "switch solo off")
    if on_track and not data.use_nla:
        text = f"The NLA of '{name}' is switched off, so a strip would not be played"
        otherwise = "bake without results" if results else "bake to a new action"
        yield Finding(name, text, f"switch on the NLA tracks of '{name}' in the NLA Editor, or {otherwise}")
    action, slot = actions.own_action(owner)
    if not in_place or action is None:
        return
    if action.library is not None or not action.is_editable:
        text = f"The action '{action.name}' of '{name}' is linked and cannot get keys"
        yield Finding(name, text, "bake to a new action")
    others = [user.name for user in compat.animated_by(action, slot) if user != owner]
    if others:
        text = f"'{name}' shares its keys in the action '{action.name}' with '{others[0]}'"
        yield Finding(name, text, "make the action a single-user copy")


def tweak_findings(owner: Any) -> Iterator[Finding]:
    """In tweak mode the action of an object or scene is one of its strips': its own can neither be seen nor changed."""
    if owner.animation_data is not None and owner.animation_data.use_tweak_mode:
        text = f"'{owner.name}' is being edited in the NLA (tweak mode)"
        yield Finding(owner.name, text, "leave tweak mode and try again")


def body_findings(obj: bpy.types.Object, moving: Collection[str]) -> Iterator[Finding]:
    """Of a body that gets keys, what extraction does not mind. moving: names of bodies with keys."""
    if _changes(obj, MODE):
        text = f"'{obj.name}' changes its rotation mode over time"
        yield Finding(obj.name, text, "remove the keys or the driver on its rotation mode")
    carrier = placement.carrier(obj, moving)
    if carrier is not None and _changes(carrier, "scale"):
        text = f"'{obj.name}' is a child of '{carrier.name}', which changes its scale over time"
        yield Finding(obj.name, text, f"remove the keys on the scale of '{carrier.name}', or clear the parent")


def _changes(obj: bpy.types.Object, data_path: str) -> bool:
    """Whether keys or a driver change a property of an object."""
    curves = (*compat.fcurves_of(obj), *movers.nla_curves(obj))
    keyed = (curve for curve in curves if curve.data_path == data_path and movers.is_active(curve))
    return any(movers.varies(curve) for curve in keyed) or data_path in movers.driven_paths(obj)


def property_findings(owner: Any, names: Collection[str], ours: Collection[str]) -> Iterator[Finding]:
    """Custom properties that are not from a bake but have the names of result channels."""
    for name in names:
        if name in owner and name not in ours:
            text = f"'{owner.name}' already has a custom property '{name}'"
            yield Finding(owner.name, text, "rename or remove it")
