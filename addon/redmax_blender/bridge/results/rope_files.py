# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of baked ropes: point caches that a Mesh Cache modifier on the curve of a rope reads.

They lie where results lie and follow the .blend file as these do: `//redmax_cache/<identifier>.pc2`, or the temporary
folder until that can be written. A file is named by its content and never changed. One that is no longer needed is
deleted by the next save, as until then the file on disk refers to it; undo finds a copy in the temporary folder.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import bpy

from ..._engine import files
from ..core import cache_index, point_cache
from ..core.findings import Finding, refuse
from . import cache_places, cache_usage
from .cache_places import FOLDER, folder, temporary_folder

MOST_BYTES = 4 * 2**30
"""Largest file that is read to see whether it is the one that was baked."""

Reader = tuple[bpy.types.Object, Any, str]
"""Object of a rope, the modifier that reads its file, and the identifier of that."""

_checked: dict[tuple[str, int, int], bool] = {}
"""By path, date and size of a file: whether its content is what its name says."""


def identifier_of(modifier: Any) -> str:
    """Identifier of the file that a modifier reads; empty where that is no file of a bake's."""
    if modifier.type != "MESH_CACHE":
        return ""
    name = modifier.filepath.replace("\\", "/").rsplit("/", 1)[-1]
    identifier = name.removesuffix(".pc2")
    return identifier if identifier != name and cache_index.IDENTIFIER.fullmatch(identifier) else ""


def readers(objects: Iterable[bpy.types.Object]) -> Iterator[Reader]:
    """Modifiers of this file's objects that read what was baked for their curves."""
    for obj in objects:
        cached = _cached(obj)
        for modifier in obj.modifiers if cached else ():
            if identifier_of(modifier) == cached:
                yield obj, modifier, cached


def _cached(obj: bpy.types.Object) -> str:
    """Identifier of the file that was baked for an object's curve, if there is one."""
    data: Any = obj.data
    if obj.type != "CURVE" or obj.library is not None or data.library is not None:
        return ""
    return str(data.redmax.baked.cache)


def identifiers() -> set[str]:
    """Files that curves of the open file need."""
    curves: Iterable[Any] = bpy.data.curves
    named = {str(curve.redmax.baked.cache) for curve in curves if curve.library is None}
    return {identifier for identifier in named if cache_index.IDENTIFIER.fullmatch(identifier)}


# --- writing ---------------------------------------------------------------------------------


def find(identifier: str) -> Path | None:
    """Where a file lies; what is there under one identifier is the same everywhere."""
    for place in (folder(), temporary_folder(), cache_places.former_folder()):
        if place is not None and cache_index.points_of(place, identifier).is_file():
            return cache_index.points_of(place, identifier)
    return None


def store(identifier: str, content: bytes) -> str:
    """Write a file, whole or not at all; returns what the artist should know, empty when all went well.

    Raises BridgeError where no folder takes it.
    """
    cache_usage.forget()
    beside, note = cache_places.folder_to_write(), ""
    for place in (beside, temporary_folder()):
        if place is None:
            continue
        try:
            place.mkdir(parents=True, exist_ok=True)
            cache_places.sweep(place)
            with files.replacing(cache_index.points_of(place, identifier)) as partial:
                partial.write_bytes(content)
            if place == beside:
                cache_index.note(place, Path(bpy.data.filepath).name, identifier)
        except OSError as error:
            note = note or f"'{place}' cannot be written ({error.strerror or error})"
        else:
            return note and f"{note}: the mesh cache is kept only until Blender closes; save the file elsewhere"
    raise refuse("", f"{note}, so there is no place for a mesh cache", "free some space, or bake ropes as keyed points")


def lies_where_written(identifier: str) -> bool:
    """Whether the folder that `store` writes to has a file already; one in another may be there for undo."""
    place = cache_places.folder_to_write() or temporary_folder()
    return cache_index.points_of(place, identifier).is_file()


def drop(identifier: str) -> None:
    """Delete a file that was written for a bake that failed."""
    cache_usage.forget()
    if identifier in identifiers():
        return
    beside = cache_places.folder_to_write()
    if beside is None:
        cache_places.discard(cache_index.points_of(temporary_folder(), identifier))
    elif beside.is_dir():
        with suppress(OSError):  # why the bake failed is what must be told
            cache_index.release(beside, Path(bpy.data.filepath).name, identifier)


# --- following the file ----------------------------------------------------------------------


def path_of(identifier: str) -> str:
    """What a modifier is told: a path relative to the .blend file, absolute in another folder, empty if it is lost."""
    beside = folder()
    if beside is not None and cache_index.points_of(beside, identifier).is_file():
        return f"//{FOLDER}/{identifier}.pc2"
    found = find(identifier)
    return "" if found is None else str(found)


def follow() -> None:
    """Let modifiers read files where they lie now: another file was opened or the open one was saved."""
    for _, modifier, identifier in readers(bpy.data.objects):
        path = path_of(identifier)
        if path and modifier.filepath != path:
            modifier.filepath = path


def follow_undo() -> None:
    """The file is as it was: what saving has deleted since is brought back beside it."""
    beside = cache_places.folder_to_write()
    for identifier in identifiers() if beside is not None else ():
        if not cache_index.points_of(beside, identifier).is_file():
            with suppress(OSError):  # then it is read in the temporary folder
                if _copy(beside, identifier):
                    cache_index.note(beside, Path(bpy.data.filepath).name, identifier)
    follow()


def about_to_save(blend: str) -> None:
    """Let modifiers read files beside the .blend file that is about to be written, where `bring` will put them.

    Blender itself makes paths relative that are absolute in a file without a name, and those that are relative to the
    open file relative to the new one.
    """
    home = Path(bpy.data.filepath).parent if bpy.data.filepath else None
    target = Path(blend).parent
    for _, modifier, identifier in list(readers(bpy.data.objects)):
        if find(identifier) is None and not _take_over(modifier, identifier):
            continue  # it is lost, and Check says where it was
        goal = cache_index.points_of(target / FOLDER, identifier)
        path = str(goal)
        if home is not None:
            with suppress(ValueError):  # there is no way from one drive of Windows to another
                path = bpy.path.relpath(path, start=str(home))
        modifier.filepath = f"//{FOLDER}/{goal.name}" if home == target else path


def _take_over(modifier: Any, identifier: str) -> bool:
    """Copy what came with a curve from another file into the temporary folder."""
    source = Path(bpy.path.abspath(modifier.filepath))
    try:
        temporary_folder().mkdir(parents=True, exist_ok=True)
        with files.replacing(cache_index.points_of(temporary_folder(), identifier)) as partial:
            shutil.copyfile(source, partial)
    except OSError:
        return False
    return True


def bring(target: Path, identifier: str, *, move: bool) -> None:
    """Let a folder hold a file that lies elsewhere. Raises OSError."""
    _copy(target, identifier)
    waiting = cache_index.points_of(temporary_folder(), identifier)
    if move and cache_index.points_of(target, identifier).is_file():
        cache_places.discard(waiting)


def put_aside(target: Path, blend: str, needed: Iterable[str]) -> None:
    """Keep for undo what is about to be deleted, as the .blend file of that name no longer needs it."""
    for identifier in set(cache_index.listed(target, blend)).difference(needed):
        if cache_index.points_of(target, identifier).is_file():
            with suppress(OSError):  # undo will say that it is missing
                _copy(temporary_folder(), identifier, cache_index.points_of(target, identifier))


def _copy(target: Path, identifier: str, source: Path | None = None) -> bool:
    """Copy a file into a folder, if it lies anywhere. Raises OSError."""
    goal, source = cache_index.points_of(target, identifier), source or find(identifier)
    if source is None or goal.is_file():
        return goal.is_file()
    target.mkdir(parents=True, exist_ok=True)
    with files.replacing(goal) as partial:
        shutil.copyfile(source, partial)
    return True


# --- what is wrong ---------------------------------------------------------------------------


def findings(objects: Iterable[bpy.types.Object]) -> Iterator[Finding]:
    """Ropes that do not show what was baked: their file is missing or another one, or the curve has other points."""
    for obj in objects:
        identifier = _cached(obj)
        if identifier and (wrong := _wrong(obj, identifier)):
            yield Finding(obj.name, wrong, "bake again", "WARNING")


def _wrong(obj: bpy.types.Object, identifier: str) -> str:
    modifier = next((found for _, found, _ in readers([obj])), None)
    if modifier is None:
        return f"The modifier that reads the mesh cache of '{obj.name}' was removed, or reads another file"
    path = Path(bpy.path.abspath(modifier.filepath))
    try:
        if not _is_the_baked_one(path, identifier):
            return f"The mesh cache of '{obj.name}' is not the one that was baked: '{path}'"
        with path.open("rb") as stream:
            count = point_cache.HEADER.unpack(stream.read(point_cache.HEADER.size))[2]
    except FileNotFoundError:
        return f"The mesh cache of '{obj.name}' is missing: '{path}'"
    except OSError as error:
        return f"The mesh cache of '{obj.name}' cannot be read ({error.strerror or error}): '{path}'"
    points = point_count(obj.data)
    if points != count:
        return f"'{obj.name}' has {points} points, its mesh cache {count}, so it does not move"
    return ""


def _is_the_baked_one(path: Path, identifier: str) -> bool:
    """Whether a file holds what its name says; read once, and again when it has changed. Raises OSError."""
    facts = path.stat()
    key = (str(path), facts.st_mtime_ns, facts.st_size)
    if key not in _checked:
        with files.opened(path, MOST_BYTES) as stream:
            _checked[key] = point_cache.identifier(stream.read()) == identifier
    return _checked[key]


def point_count(data: Any) -> int:
    """Points of the one spline of straight lines that shows a rope; 0 where there is something else."""
    if len(data.splines) != 1 or data.splines[0].type != "POLY":
        return 0
    return len(data.splines[0].points)
