# SPDX-License-Identifier: GPL-3.0-or-later
"""Making several things that are only useful together: if one cannot be made, none is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import bpy

from . import build, elements

Object = bpy.types.Object


@contextmanager
def making(context: bpy.types.Context) -> Iterator[list[Object]]:
    """A list for what is made inside. If anything is raised these are taken away again: new empties and shapes are
    deleted, bodies become plain objects."""
    made: list[Object] = []
    try:
        yield made
    except Exception:  # whatever it is: the scene is left as it was, and the operator says what happened
        acting = [obj for obj in made if not obj.redmax.is_body]
        elements.remove(acting, context.evaluated_depsgraph_get())
        build.remove_body(context, [obj for obj in made if obj not in acting])
        raise


def make_bodies(objects: Sequence[Object], made: list[Object]) -> None:
    """Objects that are no bodies become some."""
    for obj in objects:
        if not obj.redmax.is_body:
            build.add_body(obj)
            made.append(obj)
