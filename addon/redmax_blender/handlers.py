# SPDX-License-Identifier: GPL-3.0-or-later
"""What RedMax does when Blender loads, saves, undoes, renders, changes the frame or evaluates the scene."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bpy.app.handlers import persistent

from .bridge.bake import actions
from .bridge.check import check_report, live_check
from .bridge.core import blend_files, unexpected
from .bridge.extract import weighing
from .bridge.objects import changes, old_paths
from .bridge.results import cache, keyed_pose, preparation, preview, rope_files
from .bridge.run import live, many
from .properties import joint as joint_properties
from .properties import migration, stored_groups
from .properties.scene import has_bodies

if TYPE_CHECKING:
    from .registration import Ledger

log = logging.getLogger(__package__)

CALM = 0.3
"""Seconds without an edit after which the scene is checked, or the active body weighed, again."""

BUSY = 1.0
"""Seconds after which to ask again whether a mechanism can be built: not while something runs or a mesh is edited."""

_given_up = [""]
"""What to tell of a simulation once the other file is open."""

_of_saving = [""]
"""What was told of the last save."""

_listener = object()
"""Whom Blender's message bus knows us by."""


def _stays(handler: Callable[..., None]) -> Callable[..., None]:
    """Blender keeps such a handler when another file is opened. What it does not foresee is told, not only printed."""

    @functools.wraps(handler)
    def telling(*arguments: Any) -> None:
        try:
            handler(*arguments)
        except Exception as error:
            bpy.context.window_manager.redmax.message = unexpected.told("RedMax", error)

    kept: Callable[..., None] = persistent(telling)
    return kept


@_stays
def load_pre(*_: Any) -> None:
    _given_up[0] = live.abandon()
    many.abandon()
    _stop_waiting()


def forget_findings(state: Any) -> None:
    """Blender keeps its window manager when a file is opened: what was said of the former file goes."""
    state.running = state.checked = state.outdated = False
    state.message = state.failure = state.axis_joints = ""
    state.problems.clear()
    state.mechanisms.clear()
    state.active_problem = state.active_mechanism = 0


@_stays
def load_post(*_: Any) -> None:
    window_manager = bpy.context.window_manager
    forget_findings(window_manager.redmax)
    check_report.start_anew()
    cache.file_opened()
    rope_files.follow()
    keyed_pose.start_anew()
    preview.start_anew()
    changes.start_anew()
    _listen_to_names()
    window_manager.redmax.message, _given_up[0] = _given_up[0], ""
    _migrate()
    joint_properties.put_arrows_right()
    stored_groups.store_all()
    actions.adopt_slots()
    # In the background nobody looks: a render of the file shows what it stores, and scripts see a result as soon as
    # they change the frame.
    if not bpy.app.background:
        preview.show_all()
        _follow_soon(bpy.context.scene)


def _migrate() -> None:
    """Bring what an older RedMax has written up to date, and tell what the artist should know of it."""
    for message in (*migration.migrate_file(), *old_paths.rewrite()):
        log.warning("RedMax: %s", message)
        bpy.context.window_manager.redmax.message = message
    stored_groups.note_names()


@_stays
def blend_import_post(*_: Any) -> None:
    """Something was linked or appended, perhaps from an older file."""
    _migrate()


@_stays
def save_pre(path: str = "", *_: Any) -> None:
    preview.pause()
    stored_groups.store_all()
    rope_files.about_to_save(path or bpy.data.filepath)


@_stays
def save_post(path: str = "", *_: Any) -> None:
    saved = Path(path or bpy.data.filepath)
    note = cache.file_saved(str(saved))
    rope_files.follow()
    preview.resume()
    if not blend_files.is_whole(saved):
        note = (
            f"Blender could not write '{saved}' to its end, as the disk is full: free some space and save again; "
            f"'{saved.name}1' may hold what was there before"
        )
    state = bpy.context.window_manager.redmax
    if note or state.message == _of_saving[0]:  # what was wrong with the last save is no longer
        state.message = _of_saving[0] = note


@_stays
def save_post_fail(*_: Any) -> None:
    rope_files.follow()
    preview.resume()


@_stays
def frame_change_post(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None = None) -> None:
    preview.frame_changed(scene, depsgraph)
    if depsgraph is not None and depsgraph.mode != "RENDER":
        _follow_soon(scene)
    if depsgraph is not None and depsgraph.mode != "RENDER" and changes.settings_changed(scene):
        _mark_changed(scene)


@_stays
def depsgraph_update_post(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None = None) -> None:
    if depsgraph is None or depsgraph.mode == "RENDER" or changes.busy() or scene.library is not None:
        return
    objects = changes.mechanism_objects(depsgraph)
    if objects:
        preview.adopt_copies(objects)
        preview.forget_motions()
        if moved := next((obj for obj in objects if preview.moved_by_hand(obj)), None):
            bpy.context.window_manager.redmax.message = _why_it_goes_back(scene, moved)
            if not preview.wanted(scene):
                keyed_pose.put_back(scene, objects)
        keyed_pose.note_edit(scene, objects, depsgraph)
    removed = changes.member_removed(scene, depsgraph)
    changed = objects or changes.keys_changed(scene, depsgraph) or changes.settings_changed(scene) or removed
    if changed:
        _mark_changed(scene)
    counted = changes.objects_added_or_removed(scene, depsgraph) or removed
    if counted:
        stored_groups.note_names()
        keyed_pose.note_changes(scene, depsgraph)
    preview.follow(scene, depsgraph, edited=bool(objects))
    _follow_soon(scene)
    if (changed or counted) and live_check.note_change(scene):
        _look_soon()
    elif objects:
        _weigh_soon(objects)


def _why_it_goes_back(scene: bpy.types.Scene, moved: bpy.types.Object) -> str:
    """What to do to move an object that a preview moves."""
    if preview.wanted(scene):
        first = scene.redmax.result.frame_start
        return f"'{moved.name}' shows the simulation here; go to frame {first} or switch Show Result off to move it"
    return (
        f"'{moved.name}' stands where the coordinates of its joints put it; switch Follow Coordinates off to move it, "
        "or go to a frame where they are 0"
    )


def _listen_to_names() -> None:
    """Blender evaluates nothing when something is renamed; its message bus tells. Opening a file ends all listening."""
    bpy.msgbus.clear_by_owner(_listener)
    # The Outliner speaks of data-blocks, everything else of objects; bones have names of their own in each mode.
    kinds: tuple[Any, ...] = (bpy.types.Object, bpy.types.ID, bpy.types.Bone, bpy.types.EditBone, bpy.types.PoseBone)
    for kind in kinds:
        bpy.msgbus.subscribe_rna(key=(kind, "name"), owner=_listener, args=(), notify=renamed)


@_stays
def renamed() -> None:
    """Something was renamed, perhaps an element or a bone that one refers to."""
    stored_groups.note_names()
    for scene in bpy.data.scenes:
        if scene.library is None and changes.names_changed(scene):
            _mark_changed(scene)
            keyed_pose.note_changes(scene)
            _follow_soon(scene)
            if live_check.note_change(scene):
                _look_soon()


def _mark_changed(scene: bpy.types.Scene) -> None:
    live.note_change()
    if scene.redmax.result.identifier and not scene.redmax.result.changed:
        scene.redmax.result.changed = True
    if scene.redmax.variations.base and not scene.redmax.variations.changed:
        scene.redmax.variations.changed = True


def _weigh_soon(objects: list[bpy.types.Object]) -> None:
    """The panel shows the mass of the active body: weigh it again once the artist pauses."""
    body = weighing.body_of(bpy.context.view_layer.objects.active)
    if body is not None and any(weighing.body_of(obj) == body for obj in objects):
        _look_soon()


def _look_soon() -> None:
    """Once the artist pauses; in the background no timer runs, and one that is left when Blender 4.5 ends hangs it."""
    if _has_window():
        if bpy.app.timers.is_registered(look_again):
            bpy.app.timers.unregister(look_again)
        bpy.app.timers.register(look_again, first_interval=CALM)


def _has_window() -> bool:
    return not bpy.app.background


@_stays
def look_again() -> None:
    """Timer: runs once, when nothing was edited for a moment."""
    context = bpy.context
    if _has_window() and context.scene is not None and has_bodies(context.scene):
        preparation.ensure()
    if live.running() or preview.rendering() or live_check.check(context):
        return
    body = weighing.body_of(context.view_layer.objects.active)
    if body is not None:
        weighing.weigh(body, context.scene, context.view_layer)


def _follow_soon(scene: bpy.types.Scene, wait: float = CALM) -> None:
    """Build the scene's mechanisms anew once the artist pauses, if they have changed."""
    if _has_window() and keyed_pose.wants_look(scene):
        if bpy.app.timers.is_registered(follow_again):
            bpy.app.timers.unregister(follow_again)
        bpy.app.timers.register(follow_again, first_interval=max(wait, keyed_pose.pause_before_look()))


@_stays
def follow_again() -> None:
    """Timer: runs once, when nothing was edited for a moment."""
    context = bpy.context
    if live.running() or preview.rendering() or context.mode != "OBJECT":
        _follow_soon(context.scene, BUSY)
        return
    keyed_pose.prepare(context.scene, context.view_layer)
    preview.show(context.scene)


def _stop_waiting() -> None:
    for timer in (look_again, follow_again):
        if bpy.app.timers.is_registered(timer):
            bpy.app.timers.unregister(timer)


@_stays
def undo_post(*_: Any) -> None:
    """The file is as it was: so is what it says of the result, and what showing it had put aside.

    What was told last, as "Baked 250 frames", may just have been taken back.
    """
    bpy.context.window_manager.redmax.message = ""
    live.note_change()
    live.stop()
    rope_files.follow_undo()
    scene = bpy.context.scene
    if scene is not None and scene.library is None:
        with changes.ours(evaluate=False):
            keyed_pose.note_changes(scene, bpy.context.evaluated_depsgraph_get())
        _follow_soon(scene)
    preview.show_all()
    changes.start_anew()
    if live_check.note_change(bpy.context.scene):
        _look_soon()


@_stays
def render_init(*_: Any) -> None:
    """A render shows what the file stores, or what was on display when it began; nothing is moved until it ends.

    Blender calls this from the thread of the render, where writing to the file's data is not safe.
    """
    preview.set_rendering(on=True)
    if shown := preview.scenes_shown():
        log.warning(
            "RedMax: the preview of scene '%s' is not rendered; use Bake to Keyframes to render its motion", shown[0]
        )


@_stays
def render_end(*_: Any) -> None:
    preview.set_rendering(on=False)


def _unregister() -> None:
    _stop_waiting()
    bpy.msgbus.clear_by_owner(_listener)
    live.rescue()
    preview.pause()  # objects stand as modelled when nobody is left to restore them
    preview.start_anew()


def register(ledger: Ledger) -> None:
    handlers = bpy.app.handlers
    ledger.on_undo(_unregister)
    _listen_to_names()
    for handlers_list, handler in (
        (handlers.load_pre, load_pre),
        (handlers.load_post, load_post),
        (handlers.blend_import_post, blend_import_post),
        (handlers.save_pre, save_pre),
        (handlers.save_post, save_post),
        (handlers.save_post_fail, save_post_fail),
        (handlers.frame_change_post, frame_change_post),
        (handlers.depsgraph_update_post, depsgraph_update_post),
        (handlers.undo_post, undo_post),
        (handlers.redo_post, undo_post),
        (handlers.render_init, render_init),
        (handlers.render_complete, render_end),
        (handlers.render_cancel, render_end),
    ):
        ledger.add_handler(handlers_list, handler)
