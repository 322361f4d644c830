# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of results on disk share."""

from __future__ import annotations

import bpy
import numpy as np

from redmax_blender.bridge.results import cache, preview


def arrays(result):
    own = {name: getattr(result, name) for name in ("t", "q", "qdot", "position", "rotation")}
    return own | {f"channel {name}": values for name, values in result.channels.items()}


def identical(a, b):
    a, b = arrays(a), arrays(b)
    assert set(a) == set(b)
    for name, values in a.items():
        assert np.array_equal(values, b[name], equal_nan=True), name


def save_as(path, **options):
    bpy.ops.wm.save_as_mainfile(filepath=str(path), **options)


def results_in(folder):
    return sorted(path.name for path in (folder / cache.FOLDER).glob("*")) if (folder / cache.FOLDER).is_dir() else []


def drop_memory():
    """Forget what is in memory, so that the next load reads the file."""
    cache._memory.clear()
    preview._sources.clear()
