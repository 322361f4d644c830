# SPDX-License-Identifier: GPL-3.0-or-later
"""Which .blend file needs which results and baked ropes in a `redmax_cache` folder, so that only what nobody needs is
deleted.

Several .blend files of a folder share its cache. `index.json` lists, per .blend file, the results it wrote or refers
to. A result leaves the folder when the last file that listed it no longer does; what no index ever listed is not ours
and stays.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from ..._engine import files

NAME = "index.json"
FORMAT = "redmax-cache"
VERSION = 1
MOST_BYTES = 10_000_000
"""Largest index that is read: a hundred thousand results."""

IDENTIFIER = re.compile(r"[0-9a-f]{32}")
"""What names a result or a baked rope; no file of another name is ever touched."""


def file_of(folder: Path, identifier: str) -> Path:
    """Where a folder holds a result."""
    return folder / f"{identifier}.npz"


def points_of(folder: Path, identifier: str) -> Path:
    """Where a folder holds the points of a baked rope."""
    return folder / f"{identifier}.pc2"


def listed(folder: Path, blend: str) -> list[str]:
    """What the file named `blend` has written or needs."""
    return _read(folder).get(blend, [])


def note(folder: Path, blend: str, identifier: str) -> None:
    """Remember that the file named `blend` has written a result. Raises OSError where that is impossible."""
    rows = _read(folder)
    if identifier not in rows.get(blend, ()):
        rows[blend] = [*rows.get(blend, ()), identifier]
        _write(folder, rows)


def settle(folder: Path, blend: str, needed: Iterable[str]) -> list[str]:
    """The file named `blend` was saved and needs only these results; returns the names of the files deleted.

    Rows of .blend files that are gone are dropped too. Raises OSError where the folder cannot be written.
    """
    rows = _read(folder)
    before = {identifier for row in rows.values() for identifier in row}
    present = {name: row for name, row in rows.items() if name != blend and (folder.parent / name).is_file()}
    if row := sorted(set(needed)):
        present[blend] = row
    if present != rows:
        _write(folder, present)
    after = {identifier for row in present.values() for identifier in row}
    return _delete(folder, before - after)


def release(folder: Path, blend: str, identifier: str) -> list[str]:
    """The file named `blend` no longer needs a result; returns the names of the files deleted."""
    rows = _read(folder)
    if identifier in rows.get(blend, ()):
        rows[blend] = [other for other in rows[blend] if other != identifier]
        _write(folder, rows)
    if any(identifier in row for row in rows.values()):
        return []
    return _delete(folder, {identifier})


def _delete(folder: Path, identifiers: set[str]) -> list[str]:
    deleted = []
    for identifier in sorted(identifiers):
        for path in (file_of(folder, identifier), points_of(folder, identifier)):
            if IDENTIFIER.fullmatch(identifier) and path.is_file():
                path.unlink()
                deleted.append(path.name)
    return deleted


def _read(folder: Path) -> dict[str, list[str]]:
    """Rows by name of .blend file; empty where there is no index or a damaged one: then nothing is known to be ours."""
    try:
        data = json.loads(files.read_text(folder / NAME, MOST_BYTES))
        if data["format"] != FORMAT or data["version"] != VERSION:
            return {}
        return {str(name): [str(identifier) for identifier in row] for name, row in data["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _write(folder: Path, rows: dict[str, list[str]]) -> None:
    data = {"format": FORMAT, "version": VERSION, "files": {name: row for name, row in sorted(rows.items()) if row}}
    files.write_text(folder / NAME, json.dumps(data, indent=1) + "\n")
