# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of variations as icons of panels; Blender keeps them until the add-on is disabled."""

from pathlib import Path
from typing import Any

import bpy.utils.previews

_loaded: list[Any] = []


def load(key: str, path: Path) -> None:
    """Let panels show a picture under a key; a newer one takes its place."""
    if not _loaded:
        _loaded.append(bpy.utils.previews.new())
    if key in _loaded[0]:
        del _loaded[0][key]
    loaded = _loaded[0].load(key, str(path), "IMAGE", force_reload=True)
    tuple(loaded.image_size)  # reads the file now: a popup that is open is not drawn again once it has been read


def icon(key: str) -> int:
    """Number of the icon; 0 where there is no picture."""
    return int(_loaded[0][key].icon_id) if _loaded and key in _loaded[0] else 0


def forget() -> None:
    """Nothing is left when the add-on is disabled."""
    while _loaded:
        bpy.utils.previews.remove(_loaded.pop())
