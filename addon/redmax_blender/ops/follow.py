# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether bodies stand where coordinates put them, or as they were modelled."""

import bpy

from ..bridge.results import keyed_pose, preview
from ..properties.window_manager import running


class REDMAX_OT_follow_coordinates(bpy.types.Operator):
    """Let bodies stand where the coordinates of their joints put them, also before any simulation. Off, they stand as you modelled them and can be edited"""  # noqa: E501

    bl_idname = "redmax.follow_coordinates"
    bl_label = "Follow Coordinates"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if running(context):
            cls.poll_message_set("A simulation is running; press ESC to stop it")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        scene = context.scene
        scene.redmax.follow_coordinates = not scene.redmax.follow_coordinates
        keyed_pose.prepare(scene, context.view_layer)
        preview.show(scene)
        return {"FINISHED"}


CLASSES = (REDMAX_OT_follow_coordinates,)
