# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that look at a mechanism: check it, select what a finding is about, write it as a scene of the engine."""

from pathlib import Path
from typing import Any

import bpy

from .._engine import io
from ..bridge.check import check_report
from ..bridge.extract.extraction import extract, require_sound
from ..bridge.objects.named_objects import local_object
from . import readiness


def _scene_is_ours(cls: Any, context: Any) -> bool:
    if context.scene is None or context.scene.library is not None:
        cls.poll_message_set("The scene is linked from another file")
        return False
    return readiness.idle(cls, context)


class REDMAX_OT_check(bpy.types.Operator):
    bl_idname = "redmax.check"
    bl_label = "Check"
    bl_description = "Look for everything that would keep the mechanism from moving as you want, and measure masses"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return _scene_is_ours(cls, context)

    @readiness.refusing
    def execute(self, context: Any) -> set[str]:
        extraction = check_report.refresh(context)
        warned = any(finding.severity != "INFO" for finding in extraction.findings)
        self.report({"WARNING"} if warned else {"INFO"}, check_report.summary(extraction))
        return {"FINISHED"}


class REDMAX_OT_select_element(bpy.types.Operator):
    bl_idname = "redmax.select_element"
    bl_label = "Select"
    bl_description = "Select the object that this is about"
    bl_options = {"REGISTER", "UNDO"}

    name: bpy.props.StringProperty(name="Name", description="Name of the object", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context: Any) -> bool:
        if context.mode != "OBJECT":
            cls.poll_message_set("Only in Object Mode")
            return False
        return True

    def execute(self, context: Any) -> set[str]:
        obj = local_object(self.name) or bpy.data.objects.get(self.name)
        if obj is None:
            self.report({"ERROR"}, f"There is no object '{self.name}'; run Check again")
            return {"CANCELLED"}
        if not obj.visible_get(view_layer=context.view_layer):
            self.report({"ERROR"}, f"'{self.name}' is hidden or not in this view layer; show it to select it")
            return {"CANCELLED"}
        for other in context.view_layer.objects.selected[:]:
            other.select_set(False)
        obj.select_set(True)
        context.view_layer.objects.active = obj
        return {"FINISHED"}


class REDMAX_OT_export_scene(bpy.types.Operator):
    bl_idname = "redmax.export_scene"
    bl_label = "Export RedMax Scene"
    bl_description = "Write the mechanisms of this scene as JSON, which the engine simulates without Blender"
    bl_options = {"REGISTER"}

    filepath: bpy.props.StringProperty(name="File Path", subtype="FILE_PATH", options={"SKIP_SAVE"})
    check_existing: bpy.props.BoolProperty(default=True, options={"HIDDEN"})
    filter_glob: bpy.props.StringProperty(default="*.json", options={"HIDDEN"})

    @classmethod
    def poll(cls, context: Any) -> bool:
        return _scene_is_ours(cls, context)

    def invoke(self, context: Any, _event: Any) -> set[str]:
        if not self.filepath:
            blend = Path(bpy.data.filepath)
            self.filepath = str(blend.with_suffix(".json") if blend.name else Path(f"{context.scene.name}.json"))
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    @readiness.refusing
    def execute(self, context: Any) -> set[str]:
        if not self.filepath:
            self.report({"ERROR"}, "No file to write to; give a file path")
            return {"CANCELLED"}
        path = Path(bpy.path.abspath(self.filepath))
        extraction = extract(context.scene, context.view_layer)
        require_sound(extraction)
        try:
            io.save(extraction.scene, path)
        except OSError as error:
            self.report({"ERROR"}, f"Cannot write '{path}': {error.strerror or error}")
            return {"CANCELLED"}
        self.report({"INFO"}, f"Wrote '{path}'")
        return {"FINISHED"}


CLASSES = (REDMAX_OT_check, REDMAX_OT_select_element, REDMAX_OT_export_scene)
