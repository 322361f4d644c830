# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of the animated properties of a data-block: what is there now, whether it was keyed or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ... import compat
from . import movers


def read(owner: bpy.types.ID, paths: Iterable[str]) -> dict[str, Any]:
    """By data path, the values as plain numbers; a path that leads nowhere is left out."""
    found = {}
    for path in paths:
        try:
            value: Any = owner.path_resolve(path)
        except ValueError:
            continue
        found[path] = tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value
    return found


def paths_of(owner: bpy.types.ID) -> set[str]:
    """Data paths of a data-block that its action or the NLA animates."""
    return {curve.data_path for curve in (*compat.fcurves_of(owner), *movers.nla_curves(owner))}


def assign(owner: bpy.types.ID, values: dict[str, Any]) -> None:
    """Write values that `read` has read."""
    for path, value in values.items():
        if path.endswith('"]'):
            base, _, key = path.rpartition('["')  # a quotation mark in a name has a backslash before it
            target: Any = owner.path_resolve(base) if base else owner
            target[bpy.utils.unescape_identifier(key[:-2])] = value
        else:
            base, _, name = path.rpartition(".")
            setattr(owner.path_resolve(base) if base else owner, name, value)


@contextmanager
def unchanged(owners: Iterable[bpy.types.ID], meant: Callable[[Any, str], bool]) -> Iterator[None]:
    """Values that the artist has not keyed yet outlive an edit of the keys beside them, after which Blender evaluates
    all keys of an action for everything that it animates.

    meant: whether the property of an owner and a data path is there to be changed.
    """
    owners = list(owners)
    before = [
        (owner, read(owner, [path for path in paths_of(owner) if not (owner in owners and meant(owner, path))]))
        for owner in {*owners, *_animated_together(owners)}
    ]
    try:
        yield
    finally:
        bpy.context.view_layer.update()
        for owner, values in before:
            now = read(owner, values)
            assign(owner, {path: value for path, value in values.items() if path in now and now[path] != value})


def all_animated() -> Iterator[bpy.types.ID]:
    """Every data-block of the file that has keys, drivers or strips."""
    for prop in bpy.data.bl_rna.properties:
        blocks: Any = getattr(bpy.data, prop.identifier) if prop.type == "COLLECTION" else ()
        for block in blocks:
            for each in (block, getattr(block, "node_tree", None)):
                if getattr(each, "animation_data", None) is not None and each.library is None:
                    yield each


def _animated_together(owners: Iterable[bpy.types.ID]) -> Iterator[bpy.types.ID]:
    """Data-blocks that share an action with one of the owners, as an object and its mesh do."""
    actions = {action for owner in owners if (action := compat.action_of(owner)) is not None}
    users = bpy.data.user_map(subset=actions) if actions else {}
    for user in {user for found in users.values() for user in found}:
        for each in (user, getattr(user, "node_tree", None)):
            if getattr(each, "animation_data", None) is not None and user.library is None:
                yield each
