# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of simulations: in memory, and on disk beside the .blend file.

A result is named by a hash of everything it depends on, so "is it still right?" is one comparison. It lies in
`//redmax_cache/<identifier>.npz`; while the file has never been saved, or where that folder cannot be written, in
Blender's temporary folder until the next save brings it over.
"""

from __future__ import annotations

import errno
import hashlib
import json
import logging
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ..._engine import fields, package, trajectory
from ...properties.scene import integrator_of
from ..core import cache_index
from ..core.findings import BridgeError, Finding
from ..extract import extraction as extract
from ..objects import changes
from . import cache_places, cache_usage, rope_files
from .cache_places import FOLDER, folder, temporary_folder
from .result_frames import stored_extraction, with_frames

log = logging.getLogger(__package__)

__all__ = [
    "FOLDER",
    "file_opened",
    "file_saved",
    "fingerprint",
    "folder",
    "forget",
    "is_stale",
    "let_go",
    "load",
    "not_following",
    "problem",
    "require",
    "store",
    "temporary_folder",
    "with_frames",
]

Trajectory = trajectory.Trajectory
MOST_BYTES = 512 * 2**20
"""Results kept in memory; the one used last always stays."""

_memory: OrderedDict[str, Trajectory] = OrderedDict()
_lost: dict[str, str] = {}
"""Identifiers whose file could not be read, with what the artist should know: said once, not at every frame."""

_only_in_memory: set[str] = set()
"""Identifiers that no disk has room for: they stay in memory however much there is."""

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Errors of a disk, or of a part of it, that takes no more."""


# --- identity --------------------------------------------------------------------------------


def fingerprint(extraction: extract.Extraction, integrator: Any) -> str:
    """Identifier of a result: 32 hex digits that change with anything the result depends on."""
    facts = {
        "frames": [extraction.frame_start, extraction.frame_end],
        "fps": extraction.fps,
        "length": extraction.length,
        "bodies": [body.name for body in extraction.bodies],
        "integrator": integrator.kind,
        "settings": {name: getattr(integrator, name) for name in fields.specs(type(integrator))},
        "engine": package.__version__,
    }  # not the route: results of numba and numpy differ by rounding, and one is as right as the other
    digest = hashlib.sha256(extraction.digest)
    digest.update(json.dumps(facts, sort_keys=True).encode())
    digest.update(np.array([body.A for body in extraction.bodies], np.float64).tobytes())
    return digest.hexdigest()[:32]


def is_stale(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> bool:
    """True if simulating now would give another result than the one there is; extracts the scene to know.

    Raises RedMaxError where the scene cannot be simulated any more. Sets the live flag `result.changed` right.
    """
    with changes.ours():
        extraction = extract.extract(scene, view_layer)
    extract.require_sound(extraction)
    stale = bool(fingerprint(extraction, integrator_of(scene)) != scene.redmax.result.identifier)
    if scene.redmax.result.changed != stale:
        scene.redmax.result.changed = stale
    return stale


# --- storing and loading ---------------------------------------------------------------------


def store(identifier: str, result: Trajectory) -> str:
    """Keep a result in memory and on disk; returns what the artist should know, empty when all went well."""
    cache_places.take_newest(identifier)
    _only_in_memory.discard(identifier)
    _remember(identifier, result)
    _lost.pop(identifier, None)
    cache_usage.forget()
    wanted = cache_places.folder_to_write()
    note = ""
    if wanted is not None:
        try:
            cache_places.write(wanted, identifier, result)
            cache_index.note(wanted, Path(bpy.data.filepath).name, identifier)
        except OSError as error:
            note = _not_kept(wanted, error)
        else:
            cache_places.discard(cache_index.file_of(temporary_folder(), identifier))
            return ""
    try:
        cache_places.write(temporary_folder(), identifier, result)
    except OSError as error:
        _only_in_memory.add(identifier)
        note = note or _not_kept(temporary_folder(), error)
    return note


def _not_kept(where: Path, error: OSError) -> str:
    """What to tell the artist of a folder that takes no results."""
    help_ = "free some space" if error.errno in FULL else "make it writable, or save the file elsewhere,"
    return (
        f"'{where}' cannot be written ({error.strerror or error}): results are kept only until Blender closes; "
        f"{help_} and save the file to keep them"
    )


def load(scene: bpy.types.Scene) -> Trajectory | None:
    """The scene's result; None without one, or where its file is missing or damaged (see `problem`)."""
    identifier = _identifier(scene)
    if not identifier or identifier in _lost:
        return None
    if identifier in _memory and not _of_former_file(identifier):
        _memory.move_to_end(identifier)
        return _memory[identifier]
    path = cache_places.find(identifier)
    try:
        if path is None:
            where = folder() or temporary_folder()
            raise trajectory.TrajectoryError(f"'{cache_index.file_of(where, identifier)}' is missing")
        result = trajectory.load(path)
        _require_shown(path, result)
    except trajectory.TrajectoryError as error:
        _lost[identifier] = f"The result of scene '{scene.name}' cannot be loaded: {error}. Simulate again"
        log.warning("RedMax: %s", _lost[identifier])
        return None
    if not _of_former_file(identifier):
        _remember(identifier, result)
    return result


def _require_shown(path: Path, result: Trajectory) -> None:
    """Refuse a result that cannot be put on objects."""
    try:
        stored_extraction(result)
    except trajectory.TrajectoryError as error:
        raise trajectory.TrajectoryError(f"'{path}' was not written by Simulate: {error}") from None


def problem(scene: bpy.types.Scene) -> str:
    """Why `load` gave nothing although the scene has a result; empty otherwise. Cheap enough for draw()."""
    return _lost.get(scene.redmax.result.identifier, "")


def require(scene: bpy.types.Scene) -> Trajectory:
    """The scene's result; raises BridgeError with the reason where there is none."""
    result = load(scene)
    if result is None:
        text = problem(scene) or f"Scene '{scene.name}' has no result yet"
        raise BridgeError([Finding("", text, "" if problem(scene) else "Simulate first")])
    return result


def let_go(identifier: str) -> None:
    """A result that was brought beside a written file is kept there alone; for runs of many files."""
    _memory.pop(identifier, None)
    cache_places.discard(cache_index.file_of(temporary_folder(), identifier))


def forget(scene: bpy.types.Scene) -> None:
    """Remove the scene's results from memory and disk, also one put aside, unless another scene or file needs them."""
    cache_usage.forget()
    removed = _identifiers_of(scene)
    for facts in (scene.redmax.result, scene.redmax.former):
        for prop in facts.bl_rna.properties:
            if not prop.is_readonly:
                facts.property_unset(prop.identifier)
    for identifier in removed - set(_identifiers()):
        _release(identifier)


def _release(identifier: str) -> None:
    """Remove a result that the open file no longer refers to."""
    _lost.pop(identifier, None)
    if not cache_places.lies_beside(identifier):  # else what lies elsewhere is another file's
        _memory.pop(identifier, None)
        _only_in_memory.discard(identifier)
        cache_places.discard(cache_index.file_of(temporary_folder(), identifier))
    wanted = folder()
    if wanted is not None and wanted.is_dir():
        try:
            cache_index.release(wanted, Path(bpy.data.filepath).name, identifier)
        except OSError as error:
            log.warning("RedMax: a result in '%s' cannot be deleted: %s", wanted, error.strerror or error)


# --- following the file ----------------------------------------------------------------------


def file_opened() -> None:
    """Another file is open: its results lie beside it, and those that could not be read may be there again."""
    cache_places.settle_down()
    cache_usage.forget()
    _lost.clear()
    for identifier in set(_memory) - _only_in_memory:
        if cache_places.find(identifier) is not None:
            del _memory[identifier]
    cache_places.prefer_beside(_identifier(scene) for scene in _scenes_with_results() if _is_beside(scene))


def _is_beside(scene: bpy.types.Scene) -> bool:
    """Whether what lies beside the file has the frames that the scene speaks of, while a former file left something
    else under the same identifier: the same scene, stopped earlier or later."""
    identifier, facts, wanted = _identifier(scene), scene.redmax.result, folder()
    left = cache_index.file_of(temporary_folder(), identifier)
    if wanted is None or not (left.is_file() or identifier in _memory):
        return False
    try:
        result = trajectory.load(cache_index.file_of(wanted, identifier))
    except trajectory.TrajectoryError:  # the other one is better than none
        return False
    return len(result) == int(facts.frame_end - facts.frame_start + 1)


def _of_former_file(identifier: str) -> bool:
    """Whether what memory alone has is another file's result."""
    return identifier in _only_in_memory and cache_places.lies_beside(identifier)


@contextmanager
def not_following() -> Iterator[None]:
    """Inside, results stay in the temporary folder and saved files are not followed; `file_saved` does both after."""
    cache_places.unfollowed.append(True)
    try:
        yield
    finally:
        cache_places.unfollowed.pop()


def file_saved(path: str) -> str:
    """Bring the results of the open file beside the .blend that was just written, and delete those it left behind.

    path: the file written; after Save As it is the open one, after Save Copy another.
    Returns what the artist should know, empty when all went well.
    """
    if cache_places.unfollowed:
        return ""
    note = ""
    cache_usage.forget()
    target = cache_places.folder_of(path)
    own = cache_places.is_open_file(path)
    needed = sorted(set(_identifiers()))
    try:
        for identifier in needed:
            if not cache_places.bring(target, identifier, move=own) and identifier in _memory:
                cache_places.write(target, identifier, _memory[identifier])
            if not cache_places.lies_beside(identifier):
                _only_in_memory.discard(identifier)
        ropes = sorted(rope_files.identifiers())
        for identifier in ropes:
            rope_files.bring(target, identifier, move=own)
        if target.is_dir():
            cache_places.sweep(target)
            rope_files.put_aside(target, Path(path).name, ropes)
            cache_index.settle(target, Path(path).name, [*needed, *ropes])
    except OSError as error:
        note = _not_kept(target, error)
        log.warning("RedMax: %s", note)
    if own:
        cache_places.settle_down()
        _lost.clear()
    return note


def _identifier(scene: bpy.types.Scene) -> str:
    """The scene's result; empty without one, and for what is no identifier: it becomes part of a path."""
    identifier = str(scene.redmax.result.identifier)
    return identifier if cache_index.IDENTIFIER.fullmatch(identifier) else ""


def _identifiers() -> Iterator[str]:
    """Results that the scenes of the open file refer to."""
    return (identifier for scene in bpy.data.scenes if scene.library is None for identifier in _identifiers_of(scene))


def _identifiers_of(scene: bpy.types.Scene) -> set[str]:
    """The scene's result and the whole one that was put aside for it, as far as there are such."""
    named = {_identifier(scene), str(scene.redmax.former.identifier)}
    return {identifier for identifier in named if cache_index.IDENTIFIER.fullmatch(identifier)}


def _scenes_with_results() -> Iterator[bpy.types.Scene]:
    return (scene for scene in bpy.data.scenes if scene.library is None and _identifier(scene))


def _remember(identifier: str, result: Trajectory) -> None:
    _memory[identifier] = result
    _memory.move_to_end(identifier)
    for oldest in [other for other in _memory if other != identifier and other not in _only_in_memory]:
        if sum(map(_bytes, _memory.values())) <= MOST_BYTES:
            break
        del _memory[oldest]


def _bytes(result: Trajectory) -> int:
    own = (result.t, result.q, result.qdot, result.position, result.rotation)
    return sum(array.nbytes for array in (*own, *result.channels.values()))
