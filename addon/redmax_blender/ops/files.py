# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons of the preferences: delete the results of this file, open the documentation."""

from pathlib import Path
from typing import Any

import bpy

from ..bridge.results import cache, preview
from . import readiness

PACKAGE = Path(__file__).parents[1]
DOCUMENTATION = (PACKAGE / "docs", PACKAGE.parents[1] / "docs")
"""In the built extension, and in a checkout."""


def documentation() -> Path | None:
    """Folder of the guides; None where there is none."""
    return next((folder for folder in DOCUMENTATION if (folder / "interface.md").is_file()), None)


class REDMAX_OT_clear_results(bpy.types.Operator):
    """Delete the results of all scenes of this file, in memory and on disk. Baked keys stay"""

    bl_idname = "redmax.clear_results"
    bl_label = "Clear Results"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        if not readiness.idle(cls, context):
            return False
        if not any(scene.redmax.result.identifier for scene in bpy.data.scenes):
            cls.poll_message_set("No scene of this file has a result")
            return False
        return True

    def invoke(self, context: Any, event: Any) -> set[str]:
        if bpy.app.background or context.window is None:
            return self.execute(context)
        return set(context.window_manager.invoke_confirm(self, event))

    def execute(self, context: Any) -> set[str]:
        scenes = [scene for scene in bpy.data.scenes if scene.library is None and scene.redmax.result.identifier]
        for scene in scenes:
            preview.hide(scene)
            preview.forget(scene.redmax.result.identifier)
            preview.forget(scene.redmax.former.identifier)
            cache.forget(scene)
            preview.show(scene)  # where coordinates put the bodies
        readiness.list_result(self, context)
        text = f"Deleted the results of {', '.join(repr(scene.name) for scene in scenes)}"
        context.window_manager.redmax.message = text
        self.report({"INFO"}, text)
        return {"FINISHED"}


class REDMAX_OT_open_documentation(bpy.types.Operator):
    """Open the folder of the guides that come with RedMax; begin with interface.md"""

    bl_idname = "redmax.open_documentation"
    bl_label = "Documentation"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, _context: Any) -> bool:
        if documentation() is None:
            cls.poll_message_set("The guides are not installed with this copy of RedMax")
            return False
        return True

    def execute(self, _context: Any) -> set[str]:
        return set(bpy.ops.wm.path_open(filepath=str(documentation())))


CLASSES = (REDMAX_OT_clear_results, REDMAX_OT_open_documentation)
