# SPDX-License-Identifier: GPL-3.0-or-later
"""What may be changed: objects of this file, and library overrides."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ..core.findings import refuse

Object = bpy.types.Object


def require_editable(objects: Iterable[Object]) -> None:
    """Refuses objects of another file by name; a library override is this file's own."""
    for obj in objects:
        if obj.library is not None:
            raise refuse(
                obj.name,
                f"'{obj.name}' is linked from another file and cannot be changed here",
                "make a library override of it, or append it",
            )
