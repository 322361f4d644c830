# SPDX-License-Identifier: GPL-3.0-or-later
"""`object.redmax.fit`: where a joint stood in its two bodies when they were fitted together; Check compares."""

from typing import Any

import bpy

from . import from_specs
from .from_specs import OVERRIDABLE

ANCHORS = 3
"""Points of a body's geometry that tell a body that was moved from one whose origin was."""


def _numbers(size: int, description: str) -> Any:
    return bpy.props.FloatVectorProperty(
        size=size, precision=6, description=description, options={"HIDDEN"}, override=OVERRIDABLE
    )


REDMAX_PG_fit_end = from_specs.make_group(
    "REDMAX_PG_fit_end",
    {
        "body": bpy.props.PointerProperty(
            type=bpy.types.Object, description="The body, none for the world", override=OVERRIDABLE
        ),
        "location": _numbers(3, "Origin of the joint, seen from the body's rigid frame"),
        "rotation": _numbers(4, "Axes of the joint, seen from the body's rigid frame: quaternion (w, x, y, z)"),
        "own": _numbers(3 * ANCHORS, "Points of the body's geometry in its own coordinates"),
        "placed": _numbers(3 * ANCHORS, "The same points, seen from the joint"),
    },
    "Where a joint stands in one of its bodies.",
)

REDMAX_PG_fit = from_specs.make_group(
    "REDMAX_PG_fit",
    {
        "recorded": bpy.props.BoolProperty(options={"HIDDEN"}, override=OVERRIDABLE),
        "parent": bpy.props.PointerProperty(type=REDMAX_PG_fit_end, override=OVERRIDABLE),
        "child": bpy.props.PointerProperty(type=REDMAX_PG_fit_end, override=OVERRIDABLE),
        "location": _numbers(3, "Origin of the joint in the world"),
        "rotation": _numbers(4, "Axes of the joint in the world: quaternion (w, x, y, z)"),
    },
    "Where a joint stood in both bodies and in the world, in Blender units.",
)

CLASSES = (REDMAX_PG_fit_end, REDMAX_PG_fit)
