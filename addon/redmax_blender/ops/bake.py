# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake to Keyframes and Remove Bake."""

import dataclasses
from typing import Any

import bpy

from ..bridge.bake import actions
from ..bridge.bake import bake as baking
from ..bridge.extract import extraction as extract
from ..bridge.results import cache, preview
from ..properties.scene import integrator_of
from . import readiness

STALE = "Settings changed since the simulation; bake would differ"


class REDMAX_OT_bake(bpy.types.Operator):
    """Write the simulated motion as keyframes; the setup is kept, and Remove Bake brings back what was there"""

    bl_idname = "redmax.bake"
    bl_label = "Bake to Keyframes"
    bl_options = {"REGISTER", "UNDO"}

    allow_stale: bpy.props.BoolProperty(
        name="Bake Old Result",
        description="Bake the result although something it depends on was changed since",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        if not readiness.idle(cls, context):
            return False
        if not context.scene.redmax.result.identifier:
            cls.poll_message_set("There is nothing to bake; press Simulate first")
            return False
        return True

    @readiness.refusing
    def execute(self, context: Any) -> set[str]:
        scene, view_layer = context.scene, context.view_layer
        try:
            preview.hide(scene)
            result = cache.require(scene)
            extraction = extract.extract(scene, view_layer)
            extract.require_sound(extraction)
            if cache.fingerprint(extraction, integrator_of(scene)) != scene.redmax.result.identifier:
                if not self.allow_stale:
                    self.report({"ERROR"}, f"{STALE}. Press Simulate")
                    return {"CANCELLED"}
                extraction = dataclasses.replace(extraction, frame_start=scene.redmax.result.frame_start)
            elif scene.redmax.result.changed:  # edited, and back again
                scene.redmax.result.changed = False
            report = baking.bake(scene, view_layer, extraction, result, baking.BakeOptions.from_scene(scene))
        finally:
            preview.show(scene)
        context.window_manager.redmax.message = str(report)
        readiness.list_result(self, context)
        self.report({"WARNING"} if report.notes else {"INFO"}, str(report))
        return {"FINISHED"}


class REDMAX_OT_remove_bake(bpy.types.Operator):
    """Take the baked keyframes away and bring back what was there before"""

    bl_idname = "redmax.remove_bake"
    bl_label = "Remove Bake"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        if not readiness.idle(cls, context):
            return False
        if not actions.has_bake(context.scene):
            cls.poll_message_set("Nothing in this scene is baked")
            return False
        return True

    @readiness.refusing
    def execute(self, context: Any) -> set[str]:
        scene = context.scene
        count = baking.remove_bake(scene)
        preview.show(scene)
        self.report({"INFO"}, f"Removed the bake of {'1 object' if count == 1 else f'{count} objects'}")
        return {"FINISHED"}


CLASSES = (REDMAX_OT_bake, REDMAX_OT_remove_bake)
