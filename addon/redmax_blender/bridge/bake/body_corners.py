# SPDX-License-Identifier: GPL-3.0-or-later
"""Boxes around what moves with bodies: their own geometry and that of objects that hang on them."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ..._engine import arrays, pose
from ..objects import extents, units
from ..objects.modelled import Modelled
from ..results import placement

if TYPE_CHECKING:
    from ..extract.extraction import Extraction

Array = arrays.Array

_UNIT = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float64)


def corners(
    scene: bpy.types.Scene, names: Collection[str], extraction: Extraction, depsgraph: bpy.types.Depsgraph
) -> Array:
    """(n, 8, 3) corners in the frames of the bodies, in the order of their names; Blender units."""
    modelled = Modelled(depsgraph)
    points: dict[str, list[Array]] = {name: [] for name in names}
    into = {name: pose.inverse(units.in_blender_units(extraction.body(name).E_wb, extraction.length)) for name in names}
    for obj in scene.objects:
        body = obj if obj.name in points and obj.redmax.is_body else placement.carrier(obj, names)
        if body is None or obj.type not in extents.GEOMETRY:
            continue
        M = into[body.name] @ modelled.matrix(obj)
        box = np.array(obj.evaluated_get(depsgraph).bound_box, np.float64) @ M[:3, :3].T + M[:3, 3]
        if np.isfinite(box).all():
            points[body.name].append(box)
    found = np.zeros((len(points), 8, 3))
    for index, boxes in enumerate(points.values()):
        if boxes:
            low, high = np.concatenate(boxes).min(axis=0), np.concatenate(boxes).max(axis=0)
            found[index] = low + _UNIT * (high - low)
    return found
