# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert Rigid Body World, and Back to Rigid Bodies."""

from typing import Any

import bpy

from ..bridge.authoring import make_mechanism, rigid_bodies
from ..bridge.results import cache, preview
from ..properties import rigid_bodies as properties
from . import readiness


def _selected_only(text: str) -> Any:
    return bpy.props.BoolProperty(name="Selected Only", description=text)


class REDMAX_OT_convert_rigid_bodies(bpy.types.Operator):
    """Make a mechanism of Blender's rigid bodies and their constraints. They keep their settings, \
and Back to Rigid Bodies brings them back as they were"""

    bl_idname = "redmax.convert_rigid_bodies"
    bl_label = "Convert Rigid Body World"
    bl_options = {"REGISTER", "UNDO"}

    selected_only: _selected_only("Convert only selected rigid bodies, and what constraints tie to them")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not readiness.may_edit(cls, context):
            return False
        if not rigid_bodies.may_convert(context.scene):
            cls.poll_message_set("There is no active rigid body in this scene that is not converted yet")
            return False
        return True

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        report = rigid_bodies.convert(context, list(context.selected_objects) if self.selected_only else None)
        for line in report.lines:
            self.report({"INFO"}, line)
        counted = [
            _counted(report.bodies, "body", "bodies"),
            _counted(report.joints, "joint", "joints"),
            f"{report.scenery} of scenery",
        ]
        notes = _counted(len(report.lines), "note", "notes")
        self.report({"INFO"}, f"Converted {', '.join(counted)}; {notes} in Scene > RedMax World > Rigid Bodies")
        return {"FINISHED"}


class REDMAX_OT_back_to_rigid_bodies(bpy.types.Operator):
    """Take the mechanism away that was made of Blender's rigid bodies, and let Blender simulate them again"""

    bl_idname = "redmax.back_to_rigid_bodies"
    bl_label = "Back to Rigid Bodies"
    bl_options = {"REGISTER", "UNDO"}

    selected_only: _selected_only("Bring back only selected rigid bodies, and what joints tie to them")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not readiness.may_edit(cls, context):
            return False
        if not properties.has_converted(context.scene):
            cls.poll_message_set("No rigid body of this scene is converted")
            return False
        return True

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        scene = context.scene
        preview.hide(scene)
        done = rigid_bodies.restore(context, list(context.selected_objects) if self.selected_only else None)
        if not any(obj.redmax.is_body for obj in scene.objects):  # nothing is left that a result could move
            preview.forget(scene.redmax.result.identifier)
            preview.forget(scene.redmax.former.identifier)
            cache.forget(scene)
        preview.show(scene)
        gone = f"; removed {make_mechanism.listed(done.others)}" if done.others else ""
        self.report({"INFO"}, f"{_counted(done.objects, 'object is', 'objects are')} Blender's again{gone}")
        return {"FINISHED"}


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


CLASSES = (REDMAX_OT_convert_rigid_bodies, REDMAX_OT_back_to_rigid_bodies)
