# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators of the list of mechanisms: which of them are simulated."""

from typing import Any

import bpy

from ..bridge.check import check_report
from ..bridge.objects import mechanism_switches
from . import readiness


class REDMAX_OT_solo_mechanism(bpy.types.Operator):
    """Check, simulate and bake only this mechanism; if it is the only one already, all of them again"""

    bl_idname = "redmax.solo_mechanism"
    bl_label = "Solo Mechanism"
    bl_options = {"REGISTER", "UNDO"}

    root: bpy.props.StringProperty(
        name="Base", description="Name of the body that the mechanism hangs from", options={"HIDDEN", "SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        if not readiness.idle(cls, context):
            return False
        if len(context.window_manager.redmax.mechanisms) < 2:
            cls.poll_message_set("There is only one mechanism")
            return False
        return True

    @readiness.refusing
    def execute(self, context: Any) -> set[str]:
        roots = [row.root for row in context.window_manager.redmax.mechanisms]
        said = mechanism_switches.solo(roots, self.root)
        check_report.refresh(context)
        self.report({"INFO"}, said)
        return {"FINISHED"}


CLASSES = (REDMAX_OT_solo_mechanism,)
