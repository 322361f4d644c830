# SPDX-License-Identifier: GPL-3.0-or-later
"""How much room the results of the open file take, for the preferences."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import NamedTuple

from ..core import cache_index
from . import cache_places


class Usage(NamedTuple):
    """files, size: results on disk and their bytes. where: the folder, for people."""

    files: int
    size: int
    where: str


@functools.cache
def usage() -> Usage:
    """Found out once and again after every change: draw() only shows it."""
    beside = cache_places.folder()
    files = [
        path for place in (beside, cache_places.temporary_folder()) if place is not None for path in results(place)
    ]
    where = "In Blender's temporary folder until the file is saved" if beside is None else f"In '{beside}'"
    return Usage(len(files), sum(path.stat().st_size for path in files), where)


def forget() -> None:
    """Something was written or deleted, or another file is open."""
    usage.cache_clear()


def results(folder: Path) -> list[Path]:
    """Files in a folder that hold results and baked ropes."""
    if not folder.is_dir():
        return []
    found = (*folder.glob("*.npz"), *folder.glob("*.pc2"))
    return [path for path in found if cache_index.IDENTIFIER.fullmatch(path.stem)]
