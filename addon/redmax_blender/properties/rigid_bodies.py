# SPDX-License-Identifier: GPL-3.0-or-later
"""What was converted from Blender's rigid bodies, and what is needed to give it back."""

from typing import Any

import bpy

from . import from_specs

NONE = "NONE"
BODY, SCENERY, PART, MADE = "BODY", "SCENERY", "PART", "MADE"
ITEMS = [
    (NONE, "None", "Nothing was converted here", 0),
    (BODY, "Body", "A rigid body that became a body of a mechanism", 1),
    (SCENERY, "Scenery", "A passive rigid body that became scenery", 2),
    (PART, "Part", "A child of a compound that became a surface of its body", 3),
    (MADE, "Made", "An object that the conversion added", 4),
]


def mark() -> Any:
    """The property of an object that says what it was converted to."""
    return bpy.props.EnumProperty(
        name="Converted Rigid Body",
        description="What this rigid body of Blender's was converted to",
        items=ITEMS,
        default=NONE,
        options={"HIDDEN"},
        override=from_specs.OVERRIDABLE,
    )


def is_simulated(obj: Any) -> bool:
    """Whether an object belongs to Blender's own rigid-body physics; a converted one keeps its settings only."""
    return obj.rigid_body is not None and obj.redmax.from_rigid_body == NONE


def has_converted(scene: Any) -> bool:
    """Whether anything in a scene is converted, cheap enough for draw() and poll()."""
    return bool(scene.redmax.rigid_bodies.active)


def lines(scene: Any) -> list[str]:
    """What the last conversion said."""
    return [line for line in scene.redmax.rigid_bodies.report.split("\n") if line]


def _collection(description: str) -> Any:
    return bpy.props.PointerProperty(type=bpy.types.Collection, description=description)


REDMAX_PG_rigid_bodies = from_specs.make_group(
    "REDMAX_PG_rigid_bodies",
    {
        "active": bpy.props.BoolProperty(options={"HIDDEN"}),
        "objects": _collection("Objects of Blender's rigid body world before the conversion"),
        "constraints": _collection("Constraints of Blender's rigid body world before the conversion"),
        "left_objects": _collection("Objects that Blender goes on to simulate"),
        "left_constraints": _collection("Constraints that Blender goes on to simulate"),
        "report": bpy.props.StringProperty(
            description="What the conversion could not take over, a sentence on each line", options={"HIDDEN"}
        ),
    },
    "Blender's rigid body world while some of it is converted.",
)

CLASSES = (REDMAX_PG_rigid_bodies,)
