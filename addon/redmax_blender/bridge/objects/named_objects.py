# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of this file by name."""

from __future__ import annotations

import bpy


def local_object(name: str) -> bpy.types.Object | None:
    """The object of this file, not of a linked library, that has a name."""
    found: bpy.types.Object | None = bpy.data.objects.get((name, None))
    return found
