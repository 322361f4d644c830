# SPDX-License-Identifier: GPL-3.0-or-later
"""What a .blend file stores (`redmax` of objects, pose bones, curves and scenes), and what is running."""

from typing import TYPE_CHECKING

import bpy

from . import body, curve, element, joint, rigid_bodies, scene, surface, variations, window_manager

if TYPE_CHECKING:
    from ..registration import Ledger

CLASSES = (
    *joint.CLASSES,
    *body.CLASSES,
    *surface.CLASSES,
    *element.CLASSES,
    *curve.CLASSES,
    *variations.CLASSES,
    *rigid_bodies.CLASSES,
    *scene.CLASSES,
    *window_manager.CLASSES,
)


def register(ledger: "Ledger") -> None:
    ledger.add_classes(CLASSES)
    for owner, group, what in (
        (bpy.types.Object, element.REDMAX_PG_object, "Body or joint of a RedMax mechanism"),
        (bpy.types.PoseBone, element.REDMAX_PG_bone, "Body or joint of a RedMax mechanism"),
        (bpy.types.Curve, curve.REDMAX_PG_curve, "What RedMax has baked to this curve"),
        (bpy.types.Scene, scene.REDMAX_PG_scene, "RedMax settings of this scene"),
    ):
        pointer = bpy.props.PointerProperty(
            type=group, name="RedMax", description=what, override={"LIBRARY_OVERRIDABLE"}
        )
        ledger.add_property(owner, "redmax", pointer)
    running = bpy.props.PointerProperty(type=window_manager.REDMAX_PG_window_manager, options={"SKIP_SAVE"})
    ledger.add_property(bpy.types.WindowManager, "redmax", running)
