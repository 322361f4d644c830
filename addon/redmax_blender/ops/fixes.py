# SPDX-License-Identifier: GPL-3.0-or-later
"""The buttons beside a problem: one fix of one object, Enter Mass with a number, and Fix All."""

from typing import Any

import bpy

from ..bridge.check import check_report
from ..bridge.check.fixes import fixes, fixes_bodies
from ..bridge.core.findings import RedMaxError, refuse
from ..bridge.extract import weighing
from ..bridge.objects.named_objects import local_object
from ..properties import fixes as words
from . import readiness

SIMULATE = "SIMULATE"
HIDDEN: Any = {"HIDDEN", "SKIP_SAVE"}


def element_property() -> Any:
    return bpy.props.StringProperty(name="Object", description="Name of the object it is about", options=HIDDEN)


class REDMAX_OT_fix(bpy.types.Operator):
    """Do something about a problem that Check has found"""

    bl_idname = "redmax.fix"
    bl_label = "Fix"
    bl_options = {"REGISTER", "UNDO"}

    fix: bpy.props.EnumProperty(name="Fix", description="What to do", items=words.ITEMS, options=HIDDEN)
    element: element_property()

    @classmethod
    def description(cls, _context: Any, properties: Any) -> str:
        return words.FIXES[properties.fix].text

    @classmethod
    def poll(cls, context: Any) -> bool:
        return readiness.may_edit(cls, context)

    @readiness.refusing
    def execute(self, context: Any) -> set[str]:
        if self.fix == SIMULATE:
            return _simulate()
        said = fixes.apply(context, self.fix, self.element)
        check_report.refresh(context)
        context.window_manager.redmax.message = said
        self.report({"INFO"}, said)
        return {"FINISHED"}


def _simulate() -> set[str]:
    """What Simulate returns. What it reports as an error comes out of Blender as a RuntimeError, and is refused."""
    operators: Any = bpy.ops
    try:
        return set(operators.redmax.simulate("INVOKE_DEFAULT"))
    except RuntimeError as error:
        raise RedMaxError(str(error).removeprefix("Error: ").strip()) from None


class REDMAX_OT_enter_mass(bpy.types.Operator):
    """Give the mass of the body yourself; its shape only distributes it"""

    bl_idname = "redmax.enter_mass"
    bl_label = "Enter Mass"
    bl_options = {"REGISTER", "UNDO"}

    element: element_property()
    mass: bpy.props.FloatProperty(
        name="Mass",
        description="Mass of the body",
        min=0.0,
        default=1.0,
        unit="MASS",
        precision=4,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        return readiness.may_edit(cls, context)

    def invoke(self, context: Any, event: Any) -> set[str]:
        body = weighing.body_of(local_object(self.element))
        if body is not None and not self.properties.is_property_set("mass"):
            self.mass = body.redmax.body.mass
        if bpy.app.background or context.window is None:
            return set(self.execute(context))
        return set(context.window_manager.invoke_props_popup(self, event))

    @readiness.refusing
    def execute(self, context: Any) -> set[str]:
        obj = local_object(self.element)
        if obj is None:
            raise refuse(self.element, f"There is no object '{self.element}'", "run Check again")
        said = fixes_bodies.enter_mass(context, obj, self.mass)
        context.view_layer.update()  # so that it is noticed as an edit, before Check looks
        check_report.refresh(context)
        self.report({"INFO"}, said)
        return {"FINISHED"}


class REDMAX_OT_fix_all(bpy.types.Operator):
    """Do the first fix of every problem that needs no decision of yours, as one step that Undo takes back"""

    bl_idname = "redmax.fix_all"
    bl_label = "Fix All"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        if not readiness.may_edit(cls, context):
            return False
        if not any(can_fix(problem) for problem in context.window_manager.redmax.problems):
            cls.poll_message_set("Check has found nothing that can be fixed without you")
            return False
        return True

    @readiness.refusing
    def execute(self, context: Any) -> set[str]:
        result = fixes.fix_all(context)
        for sentence in (*result.done, *result.refused):
            self.report({"INFO"} if sentence in result.done else {"WARNING"}, sentence)
        left = sum(finding.severity != "INFO" for finding in result.left)
        text = f"Fixed {len(result.done)}; {left or 'nothing'} left"
        context.window_manager.redmax.message = "; ".join([text, *result.done])
        self.report({"WARNING"} if left else {"INFO"}, text)
        return {"FINISHED"} if result.done else {"CANCELLED"}


def can_fix(problem: Any) -> bool:
    """Whether Fix All would do something about a row of the list."""
    named = [name for name in problem.fixes.split(",") if name in words.FIXES]
    return problem.severity != "INFO" and any(words.FIXES[name].in_fix_all for name in named)


CLASSES = (REDMAX_OT_fix, REDMAX_OT_enter_mass, REDMAX_OT_fix_all)
