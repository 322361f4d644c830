# SPDX-License-Identifier: GPL-3.0-or-later
"""What RedMax draws in the 3D Viewport: joints, tracks, forces and surfaces, on top of all and never in a render."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import bpy
from bpy.app.handlers import persistent

from . import drawing, seen_joints, seen_lines, seen_surfaces, seen_tracks

if TYPE_CHECKING:
    from ..registration import Ledger


def forget(*_: Any) -> None:
    """Undo, redo or another file: nothing that was known holds."""
    seen_joints.forget()
    seen_tracks.forget()
    seen_lines.forget()
    seen_surfaces.forget()
    drawing.forget()


def depsgraph_update_post(_scene: Any, depsgraph: bpy.types.Depsgraph | None = None) -> None:
    """Joints that move are read for every redraw; a joint that was edited, added or removed is to be read anew."""
    if depsgraph is None or depsgraph.mode == "RENDER":
        return
    if any(depsgraph.id_type_updated(kind) for kind in ("SCENE", "COLLECTION")) or _joint_edited(depsgraph):
        seen_joints.forget()
        seen_tracks.forget()
        seen_lines.forget()
        seen_surfaces.forget()
        return
    for seen in (seen_tracks, seen_lines):
        if _part_edited(depsgraph, seen.is_part):
            seen.forget()
    if _surface_edited(depsgraph):
        seen_surfaces.forget()


def _part_edited(depsgraph: bpy.types.Depsgraph, is_part: Callable[[int], bool]) -> bool:
    """Whether an object that a track or a spring is made of was moved or edited."""
    for update in depsgraph.updates if depsgraph.id_type_updated("OBJECT") else ():
        obj: Any = update.id.original
        if isinstance(obj, bpy.types.Object) and is_part(obj.session_uid):
            return True
    return False


def _surface_edited(depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether the geometry or a setting of an object that is a surface, or was one, was edited; moving it is none."""
    for update in depsgraph.updates if depsgraph.id_type_updated("OBJECT") else ():
        obj: Any = update.id.original
        if update.is_updated_geometry and isinstance(obj, bpy.types.Object) and seen_surfaces.is_part(obj):
            return True
    return False


def _joint_edited(depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether an object that is a joint, or was one, was edited: that tags its geometry, and moving it does not."""
    for update in depsgraph.updates if depsgraph.id_type_updated("OBJECT") else ():
        obj: Any = update.id.original
        is_edited = update.is_updated_geometry and isinstance(obj, bpy.types.Object)
        if is_edited and (obj.type == "EMPTY" or obj.redmax.is_joint):
            return True
    return False


def register(ledger: Ledger) -> None:
    space: Any = bpy.types.SpaceView3D
    handle = space.draw_handler_add(drawing.draw, (), "WINDOW", "POST_VIEW")
    ledger.on_undo(drawing.forget)
    ledger.on_undo(lambda: space.draw_handler_remove(handle, "WINDOW"))
    handlers = bpy.app.handlers
    for handlers_list, handler in (
        (handlers.depsgraph_update_post, depsgraph_update_post),
        (handlers.undo_post, forget),
        (handlers.redo_post, forget),
        (handlers.load_post, forget),
    ):
        ledger.add_handler(handlers_list, persistent(handler))
