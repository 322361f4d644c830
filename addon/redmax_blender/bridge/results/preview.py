# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows a result on the objects while the artist scrubs, without changing what the file stores of them.

Without a result to show, objects stand where the joints' coordinates put them (`keyed_pose`). The artist's own channels
are put aside (`kept`) before an object is moved, and brought back when the result is hidden, saved or baked. Where a
result stands as modelled, as at most first frames, objects are left alone, so they can be edited there. Nothing is
written while Blender renders.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import bpy

from ..._engine import arrays
from ..core import rotation_channels
from ..objects import changes, kept
from . import cache, keyed_pose, shown, strand_curves

Array = arrays.Array

_sources: dict[str, shown.Recorded] = {}
_live: dict[int, shown.Source] = {}
_placed: dict[int, tuple[str, tuple[float, ...], tuple[float, ...]]] = {}
"""By session_uid of the object: rotation mode, location and rotation written last."""

_hidden: set[int] = set()
"""session_uid of scenes whose bodies stand as modelled until `show`, whatever coordinates say."""

_state = {"paused": 0, "rendering": 0}


# --- what others call ------------------------------------------------------------------------


def show(scene: bpy.types.Scene) -> None:
    """Let the scene's bodies stand where its result, or coordinates, have them; as modelled without either."""
    _hidden.discard(scene.session_uid)
    with changes.ours():
        if not _place(scene, _depsgraph(scene)):
            _restore(_objects_of(scene))


def hide(scene: bpy.types.Scene) -> None:
    """Bring back the artist's own channels of the scene's objects; objects with baked keys stay as they are.

    A result is shown again at the next frame, what coordinates say only after `show`.
    """
    _hidden.add(scene.session_uid)
    with changes.ours():
        _restore(_objects_of(scene))


@contextmanager
def paused() -> Iterator[None]:
    """Inside, no object is moved by a result, in any scene; may be nested."""
    try:
        pause()
        yield
    finally:
        resume()


def pause() -> None:
    """Bring back the artist's own channels of all objects of the file, until `resume`."""
    _state["paused"] += 1
    if _state["paused"] == 1:
        with changes.ours():
            _restore(bpy.data.objects)


def resume() -> None:
    """Show again what was shown before `pause`."""
    _state["paused"] = max(_state["paused"] - 1, 0)
    if not _state["paused"]:
        show_all()


def show_all() -> None:
    """Show the results of all scenes that are open in a window, as far as they are to be shown."""
    windows = bpy.context.window_manager.windows
    for scene in {bpy.context.scene, *(window.scene for window in windows)}:
        if scene is not None and scene.library is None:
            show(scene)


class Told(NamedTuple):
    """What the result that a scene shows tells of lines at the present frame, by element: nodes (n, 3) of strands
    [Blender units], and tensions as parts, -1 to 1, of the greatest of the run."""

    nodes: dict[str, Array]
    tensions: dict[str, float]


def told_of_lines(scene: bpy.types.Scene) -> Told:
    """Nothing where no result is shown."""
    source = _source(scene) if scene.session_uid in _live or wanted(scene) else None
    if source is None or _state["paused"]:
        return Told({}, {})
    at = scene.frame_current_final
    return Told(source.nodes(at), source.tensions(at))


def wanted(scene: bpy.types.Scene) -> bool:
    """Whether the scene has a result that is to be shown."""
    return bool(scene.redmax.show_result and scene.redmax.result.identifier)


def scenes_shown() -> list[str]:
    """Names of the scenes in which a result, or coordinates, move objects now."""
    return [scene.name for scene in bpy.data.scenes if any(obj.session_uid in _placed for obj in scene.objects)]


def forget(identifier: str) -> None:
    """A result was replaced or cleared: what was computed for showing it is no longer valid."""
    _sources.pop(identifier, None)


def forget_motions() -> None:
    """Objects were edited: how they must be moved to show a result has to be computed anew."""
    for source in _sources.values():
        source.forget_motions()


def follow(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, *, edited: bool) -> None:
    """Something was edited: where no result is shown, bodies go where coordinates put them now.

    edited: objects of mechanisms were among it, so that bodies may stand elsewhere although no coordinate changed. A
    mechanism that has changed itself, as when what it is parented to is moved, stays as it is until it is built anew.
    """
    source = None if _state["paused"] or _state["rendering"] else _source(scene)
    if isinstance(source, keyed_pose.Keyed) and ((edited and not keyed_pose.is_stale(scene)) or source.has_moved()):
        with changes.ours(evaluate=False):
            _place(scene, depsgraph)


def begin_live(scene: bpy.types.Scene, source: shown.Source) -> None:
    """While a simulation of the scene runs, show its frames as they come."""
    _live[scene.session_uid] = source


def show_live(scene: bpy.types.Scene, frame: int) -> None:
    """Let the bodies stand where a running simulation has them at a frame; the timeline stays where it is.

    Going there would evaluate all animation of the scene, over whatever the artist has changed but not keyed.
    """
    depsgraph = _depsgraph(scene)
    with changes.ours():
        _place(scene, depsgraph, frame)


def end_live() -> None:
    """The simulation has ended."""
    _live.clear()


# --- what handlers call ----------------------------------------------------------------------


def frame_changed(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None) -> None:
    """The scene stands at another frame; Blender evaluates what is written here before it draws."""
    if depsgraph is None or depsgraph.mode == "RENDER":
        return
    with changes.ours(evaluate=False):
        if not _place(scene, depsgraph) and _placed:
            _restore(_objects_of(scene))


def set_rendering(*, on: bool) -> None:
    """Between the start and the end of a render nothing is written."""
    _state["rendering"] = int(on)


def rendering() -> bool:
    """True while Blender renders."""
    return _state["rendering"] > 0


def start_anew() -> None:
    """Another file is open: its objects show what it stores, except those an autosave caught in a preview."""
    _placed.clear()
    _hidden.clear()
    _live.clear()
    _sources.clear()
    _state.update(paused=0, rendering=0)
    with changes.ours():
        _restore(bpy.data.objects)


def moved_by_hand(obj: bpy.types.Object) -> bool:
    """True if somebody moved an object that shows a result: the next frame takes that back."""
    placed = _placed.get(obj.session_uid)
    return placed is not None and obj.redmax.kept.active and placed != _present(obj)


def adopt_copies(objects: Any) -> None:
    """A copy of an object that shows a result is a new object standing where it is: it has nothing put aside.

    A body that was copied with its joints stands as modelled, as they do: they move it from there.
    """
    copies = [obj for obj in objects if _is_moved(obj) and obj.session_uid not in _placed]
    if not copies:
        return
    joints = [obj.redmax.joint for obj in objects if obj.redmax.is_joint]
    held = {end.session_uid for joint in joints for end in (joint.parent, joint.child) if end is not None}
    with changes.ours():
        for obj in copies:
            if obj.session_uid in held:
                kept.restore(obj)
            obj.redmax.kept.active = False


# --- placing ---------------------------------------------------------------------------------


def _place(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, frame: float | None = None) -> bool:
    """Put the bodies where the result has them at a frame, or at the present one; False if there is nothing to show."""
    if _state["paused"] or _state["rendering"]:
        return rendering()  # a render keeps what it began with
    source = _source(scene)
    if source is None:
        _tell({})
        return False
    at = scene.frame_current_final if frame is None else frame
    told = source.problem
    before = set(_placed)
    for pose in source.poses(at, depsgraph):
        _put(pose)
        before.discard(pose.obj.session_uid)
    if before:  # bodies that are none any more go back; those of other scenes stay
        _restore(obj for obj in _objects_of(scene) if obj.session_uid in before)
    nodes = source.nodes(at)
    if nodes:
        strand_curves.place(scene.objects, nodes)
    if source.problem != told:
        bpy.context.window_manager.redmax.message = source.problem
    _tell(source.notes)
    return True


def _tell(notes: dict[str, str]) -> None:
    """Let panels say why a joint is not where its coordinate was put."""
    shown: Any = bpy.context.window_manager.redmax.pose_notes
    if notes != {note.name: note.text for note in shown}:
        shown.clear()
        for name, text in notes.items():
            note = shown.add()
            note.name, note.text = name, text
        for window in bpy.context.window_manager.windows:
            for area in window.screen.areas:
                if area.type in ("VIEW_3D", "PROPERTIES"):
                    area.tag_redraw()


def _put(pose: shown.Pose) -> None:
    obj = pose.obj
    if pose.at_rest:
        kept.restore(obj)
        _placed.pop(obj.session_uid, None)
        return
    kept.keep(obj)
    obj.location = pose.location
    setattr(obj, rotation_channels.path(obj.rotation_mode), pose.rotation)
    _placed[obj.session_uid] = _present(obj)


def _present(obj: bpy.types.Object) -> tuple[str, tuple[float, ...], tuple[float, ...]]:
    mode = obj.rotation_mode
    return mode, tuple(obj.location[:]), tuple(getattr(obj, rotation_channels.path(mode)))


def _is_moved(obj: bpy.types.Object) -> bool:
    """Whether a preview, not a bake, has put an object's channels aside."""
    return bool(obj.library is None and obj.redmax.kept.active and not obj.redmax.baked.active)


def _objects_of(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The scene's objects, and those that were shown and then taken out of all scenes: nobody else restores them."""
    found = list(scene.objects)
    strays = set(_placed) - {obj.session_uid for obj in found}
    if strays:
        found += [obj for obj in bpy.data.objects if obj.session_uid in strays and not obj.users_scene]
    return found


def _restore(objects: Any) -> int:
    objects = list(objects)
    strand_curves.rest(objects, bpy.context.view_layer.depsgraph)
    moved = [obj for obj in objects if _is_moved(obj)]
    for obj in moved:
        kept.restore(obj)
        _placed.pop(obj.session_uid, None)
    return len(moved)


def _source(scene: bpy.types.Scene) -> shown.Source | None:
    """What there is to show: a running simulation, or the result if it is to be shown and can be loaded, or where
    coordinates put bodies."""
    if scene.session_uid in _live:
        return _live[scene.session_uid]
    if not wanted(scene):
        return _keyed(scene)
    identifier = scene.redmax.result.identifier
    if identifier not in _sources:
        result = cache.load(scene)
        if result is None:
            if problem := cache.problem(scene):
                bpy.context.window_manager.redmax.message = problem
            return _keyed(scene)
        _sources.clear()  # one at a time: the arrays of a long result are large
        _sources[identifier] = shown.Recorded(result)
    return _sources[identifier]


def _keyed(scene: bpy.types.Scene) -> shown.Source | None:
    """Where coordinates put bodies, unless that is hidden."""
    return None if scene.session_uid in _hidden else keyed_pose.source(scene)


def _depsgraph(scene: bpy.types.Scene) -> bpy.types.Depsgraph:
    """The evaluated scene; in the window's view layer where it is the one in the window."""
    if bpy.context.scene == scene:
        return bpy.context.evaluated_depsgraph_get()
    view_layer = scene.view_layers[0]
    view_layer.update()
    return view_layer.depsgraph
