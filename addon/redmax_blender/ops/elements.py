# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on elements of every generated sort: add, remove, and edit their lists."""

from typing import Any

import bpy
import numpy as np

from ..bridge.authoring import element_lists, elements, make_mechanism, shapes
from ..bridge.core.findings import refuse
from ..bridge.objects import element_points
from ..properties import sorts
from . import readiness


def show(context: bpy.types.Context, obj: bpy.types.Object) -> None:
    """Let the new element be selected and active, so that its panel is there."""
    for other in context.selected_objects:
        other.select_set(False)
    if obj.name in context.view_layer.objects:
        obj.select_set(True)
        context.view_layer.objects.active = obj


def _items(sort: Any) -> list[tuple[str, str, str]]:
    return [(f"{sort.name}.{cls.kind}", cls.label, cls.summary) for cls in sort.classes()]


class REDMAX_OT_add_element(bpy.types.Operator):
    """Add a force, a constraint or the like that acts on the selected bodies or joints"""

    bl_idname = "redmax.add_element"
    bl_label = "Add Element"
    bl_options = {"REGISTER", "UNDO"}

    kind: bpy.props.EnumProperty(
        name="Type",
        description="What is added",
        items=[item for sort in sorts.GENERATED for item in _items(sort)],
    )

    @classmethod
    def description(cls, _context: Any, properties: Any) -> str:
        """What the kind is; without one, what the operator does."""
        sort, _, kind = properties.kind.partition(".")
        found = next(each for each in sorts.SORTS[sort].classes() if each.kind == kind)
        return f"{found.summary}; between what is selected"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return readiness.may_edit(cls, context)

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        sort, _, kind = self.kind.partition(".")
        cls = next(each for each in sorts.SORTS[sort].classes() if each.kind == kind)
        ends = [obj for obj in readiness.in_order(context) if elements.may_be_end(obj, cls)]
        places = [np.array(obj.matrix_world.translation, np.float64) for obj in ends]
        cursor = np.array(context.scene.cursor.location, np.float64)
        place = np.mean(places, axis=0) if places else cursor
        added = elements.add(context, sorts.SORTS[sort], kind, ends, place)
        show(context, added)
        self.report({"INFO"}, f"Added '{added.name}'")
        return {"FINISHED"}


class REDMAX_OT_remove_element(bpy.types.Operator):
    """Remove the selected forces, constraints and the like; bodies and joints stay"""

    bl_idname = "redmax.remove_element"
    bl_label = "Remove Element"
    bl_options = {"REGISTER", "UNDO"}

    keep_empty: bpy.props.BoolProperty(
        name="Keep Empty", description="Keep the empty as an ordinary object instead of deleting it"
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not readiness.may_edit(cls, context):
            return False
        if not _elements(context):
            cls.poll_message_set("Select a force, a constraint or the like first")
            return False
        return True

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        depsgraph = context.evaluated_depsgraph_get()
        names = elements.remove(_elements(context), depsgraph, keep_empty=self.keep_empty)
        self.report({"INFO"}, f"Removed {make_mechanism.listed(names)}")
        return {"FINISHED"}


class REDMAX_OT_add_shape(bpy.types.Operator):
    """Add an object that makes each selected spring, cable, muscle or strand visible in renders: a coil or a curve,
    which follows it. Give it a material as any other object"""

    bl_idname = "redmax.add_shape"
    bl_label = "Add Visible Shape"
    bl_options = {"REGISTER", "UNDO"}

    thickness: bpy.props.FloatProperty(
        name="Thickness",
        description="In times of the usual one, which follows from the length",
        default=1.0,
        min=0.01,
        soft_max=10.0,
    )
    turns: bpy.props.FloatProperty(
        name="Turns", description="Turns of a coil", default=8.0, min=1.0, soft_max=40.0, max=400.0
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not readiness.may_edit(cls, context):
            return False
        if not _lines(context):
            cls.poll_message_set("Select a spring, a cable, a muscle or a strand first")
            return False
        return True

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        wishes = shapes.Wishes(self.thickness, self.turns)
        added = shapes.add_shapes(context, _lines(context), wishes)
        self.report({"INFO"}, f"Added {make_mechanism.listed([obj.name for obj in added])}")
        return {"FINISHED"}


def _lines(context: bpy.types.Context) -> list[bpy.types.Object]:
    return [obj for obj in readiness.targets(context) if element_points.is_line(obj)]


def _elements(context: bpy.types.Context) -> list[bpy.types.Object]:
    return [obj for obj in readiness.targets(context) if sorts.generated_sorts(obj.redmax)]


class REDMAX_OT_edit_list(bpy.types.Operator):
    """Add, remove or move an entry of a list of the active element. Points are added at the selected objects, or at the
    selected vertices of a mesh"""

    bl_idname = "redmax.edit_list"
    bl_label = "Edit List"
    bl_options = {"REGISTER", "UNDO"}

    sort: bpy.props.StringProperty(name="Sort", description="Sort of the element", options={"HIDDEN", "SKIP_SAVE"})
    field: bpy.props.StringProperty(name="Field", description="Which list", options={"HIDDEN", "SKIP_SAVE"})
    action: bpy.props.EnumProperty(
        name="Action",
        description="What to do with the active entry",
        items=[("ADD", "Add", ""), ("REMOVE", "Remove", ""), ("UP", "Move Up", ""), ("DOWN", "Move Down", "")],
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not readiness.idle(cls, context):
            return False
        if context.object is None or not sorts.generated_sorts(context.object.redmax):
            cls.poll_message_set("Select a force, a constraint or the like first")
            return False
        return True

    @readiness.refusing
    def execute(self, context: bpy.types.Context) -> set[str]:
        obj = context.object
        if self.sort not in [sort.name for sort in sorts.generated_sorts(obj.redmax)]:
            raise refuse(obj.name, f"'{obj.name}' is no {self.sort or 'such element'}", "use the buttons of its panel")
        element_lists.edit(context, obj, sorts.SORTS[self.sort], self.field, self.action)
        obj.update_tag()
        return {"FINISHED"}


CLASSES = (
    REDMAX_OT_add_element,
    REDMAX_OT_add_shape,
    REDMAX_OT_remove_element,
    REDMAX_OT_edit_list,
)
