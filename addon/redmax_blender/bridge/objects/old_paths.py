# SPDX-License-Identifier: GPL-3.0-or-later
"""Data paths of older files: F-curves, drivers and keying sets that animate or read a joint's former vectors.

Before version 3 of the properties a coordinate was a component of a vector: 'redmax.joint.coordinate_angle' with
array index 2 is 'redmax.joint.coordinate_angle_3' now. Linked data is rewritten too, for as long as it is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import bpy

from ... import compat
from ...properties import from_specs
from ...properties import joint as joint_properties

_VECTOR = rf"\b{re.escape(joint_properties.PATH)}\.({'|'.join(joint_properties.keyed_vectors())})"
_WHOLE = re.compile(rf"{_VECTOR}$")
_COMPONENT = re.compile(rf"{_VECTOR}\[(\d)\]$")
_READ = re.compile(rf"\b({'|'.join(joint_properties.keyed_vectors())})\s*\[")
"""A component that Python reads."""


def rewrite() -> list[str]:
    """Bring all paths of the open file up to date; returns what only the artist can bring up to date."""
    for action in bpy.data.actions:
        for curve in compat.every_curve(action):
            _rewrite_curve(curve)
    told = []
    for owner in _animated():
        for driver in owner.animation_data.drivers:
            _rewrite_curve(driver)
            _rewrite_variables(driver.driver)
            if _READ.search(driver.driver.expression) and driver.driver.type == "SCRIPTED":
                told.append(
                    f"A driver of '{owner.name}' ({driver.data_path}) reads a joint's vector in its expression "
                    f"'{driver.driver.expression}'; write coordinate_angle_1 for coordinate_angle[0], and so on"
                )
    for scene in bpy.data.scenes:
        for keying_set in scene.keying_sets:
            _rewrite_keying_set(keying_set)
    return told


def _rewrite_curve(curve: Any) -> None:
    if _WHOLE.search(curve.data_path):
        curve.data_path = from_specs.keyed_name(curve.data_path, curve.array_index)
        curve.array_index = 0
        for each in (curve, curve.driver):  # Blender has tried the old path, and would skip it from then on
            if each is not None:
                each.is_valid = True


def _rewrite_variables(driver: Any) -> None:
    for target in (target for variable in driver.variables for target in variable.targets):
        if found := _COMPONENT.search(target.data_path):
            target.data_path = from_specs.keyed_name(target.data_path[: found.end(1)], int(found[2]))


def _rewrite_keying_set(keying_set: Any) -> None:
    """A path of a whole vector becomes six."""
    for path in [path for path in keying_set.paths if _WHOLE.search(path.data_path)]:
        vector, indices = path.data_path, [path.array_index]
        if path.use_entire_array:
            indices = list(range(from_specs.MOST_DOFS))
        for index in indices[1:]:
            added = keying_set.paths.add(path.id, from_specs.keyed_name(vector, index), group_method=path.group_method)
            added.group, added.use_entire_array = path.group, False
        path.data_path, path.use_entire_array = from_specs.keyed_name(vector, indices[0]), False
        path.array_index = 0


def _animated() -> Iterator[Any]:
    """All data-blocks with animation data, also those inside of others."""
    for prop in bpy.data.bl_rna.properties:
        if prop.type != "COLLECTION" or prop.identifier == "all_ids":
            continue
        for block in getattr(bpy.data, prop.identifier):
            for owner in (block, getattr(block, "node_tree", None)):
                if getattr(owner, "animation_data", None) is not None:
                    yield owner
