# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own builder and validator, as they lie in its Python module."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import zipfile
from pathlib import Path

from .errors import BuildError


def blender_ext() -> Path:
    """Blender's tool for extensions, found without starting Blender."""
    spec = importlib.util.find_spec("bpy")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for tool in sorted(Path(folder).glob("*/scripts/addons_core/bl_pkg/cli/blender_ext.py")):
            return tool
    raise BuildError(f"{sys.executable} has no Blender (module bpy) to build with; run `make extension`")


def build(folder: Path, zip_path: Path) -> None:
    """Turn the staged folder into a zip that Blender's validator accepts."""
    zip_path.parent.mkdir(parents=True, exist_ok=True)
    built = folder.parent / f"{folder.name}.zip"
    _run("build", "--source-dir", str(folder), "--output-filepath", str(built))
    normalise(built, zip_path)
    built.unlink()
    _run("validate", str(zip_path))


def normalise(source: Path, destination: Path) -> None:
    """The same files in a fixed order with fixed dates and rights: equal sources give equal bytes.

    Blender's builder takes the order from the file system and the dates from the copies.
    """
    unfinished = destination.with_suffix(".part")
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(unfinished, "w") as new:
        for name in sorted(old.namelist()):
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system = 3  # Unix, wherever this runs
            entry.external_attr = 0o100644 << 16
            entry.compress_type = old.getinfo(name).compress_type
            new.writestr(entry, old.read(name), compresslevel=9)
    unfinished.replace(destination)


def _run(*arguments: str) -> None:
    done = subprocess.run([sys.executable, str(blender_ext()), *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(f"Blender's builder refused to {arguments[0]}:\n{done.stdout}{done.stderr}".rstrip())
