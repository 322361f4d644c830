# SPDX-License-Identifier: GPL-3.0-or-later
"""Where results lie on disk: beside the .blend file, or in Blender's temporary folder until it can be there."""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import bpy

from ..._engine import files
from ..core import cache_index

if TYPE_CHECKING:
    from ..._engine import trajectory

log = logging.getLogger(__package__)

FOLDER = "redmax_cache"

LEFT_OVER = re.compile(
    rf"({cache_index.IDENTIFIER.pattern}\.(npz|pc2)|{re.escape(cache_index.NAME)})({files.MARK}|(\.\d+)?\.partial)"
)
"""Names of what a process was writing when it was killed; earlier versions wrote its number in place of the mark."""

_beside: set[str] = set()
"""Results of which the open file has its own, although a former file left one under the same identifier."""

unfollowed: list[bool] = []
"""Not empty while nothing may be written beside the .blend file."""

_home: list[Path | None] = [None]
"""Folder of the .blend file as it was opened or last saved: after Save As the results still lie there."""


def folder() -> Path | None:
    """Where the results of the open file belong; None while it has never been saved."""
    return folder_of(bpy.data.filepath) if bpy.data.filepath else None


def folder_to_write() -> Path | None:
    """That folder, if something may be written there now."""
    return None if unfollowed else folder()


def former_folder() -> Path | None:
    """Where the results of the open file were before it was saved elsewhere."""
    return _home[0]


def folder_of(blend: str) -> Path:
    """Where the results of a .blend file belong."""
    return Path(blend).parent / FOLDER


def is_open_file(blend: str) -> bool:
    """Whether a .blend file is the one that is open, under whatever name."""
    try:
        return Path(bpy.data.filepath).samefile(blend)
    except OSError:
        return False


def temporary_folder() -> Path:
    """Where results wait for the file to be saved; Blender deletes it when it closes."""
    return Path(bpy.app.tempdir) / FOLDER


def settle_down() -> None:
    """The open file has its results where it is now."""
    _home[0] = folder()


def prefer_beside(identifiers: Iterable[str]) -> None:
    """Of these results the open file has its own; what is in the temporary folder is that of a former file."""
    _beside.clear()
    _beside.update(identifiers)


def lies_beside(identifier: str) -> bool:
    """Whether that was said of it, and no newer one has been computed since."""
    return identifier in _beside


def take_newest(identifier: str) -> None:
    """A result was computed for the open file."""
    _beside.discard(identifier)


def find(identifier: str) -> Path | None:
    """Where a result lies. One in the temporary folder is the newest: those elsewhere could not be replaced by it,
    unless it is a former file's."""
    places = [temporary_folder(), folder(), _home[0]]
    if identifier in _beside:
        places.append(places.pop(0))
    for place in places:
        if place is not None and cache_index.file_of(place, identifier).is_file():
            return cache_index.file_of(place, identifier)
    return None


def write(place: Path, identifier: str, result: trajectory.Trajectory) -> None:
    """Write a result into a folder, whole or not at all. Raises OSError."""
    place.mkdir(parents=True, exist_ok=True)
    sweep(place)  # before, as the disk may be full of it
    result.save(cache_index.file_of(place, identifier), compressed=False)


def bring(target: Path, identifier: str, *, move: bool) -> bool:
    """Let the folder `target` hold a result that lies elsewhere; False if it lies nowhere. Raises OSError."""
    goal, source = cache_index.file_of(target, identifier), find(identifier)
    if source is None:
        return goal.is_file()
    if source != goal:
        target.mkdir(parents=True, exist_ok=True)
        with files.replacing(goal) as partial:
            shutil.copyfile(source, partial)
    if move and source.parent == temporary_folder():
        discard(source)
    return True


def sweep(place: Path) -> None:
    """Delete what processes that were killed have left in a folder; what somebody may be writing stays."""
    files.sweep(place, LEFT_OVER)


def discard(path: Path) -> None:
    """Delete a file that is no longer needed, if it is there and can be deleted."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        log.warning("RedMax: '%s' cannot be deleted: %s", path, error.strerror or error)
