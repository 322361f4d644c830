# SPDX-License-Identifier: GPL-3.0-or-later
"""One operator per template, generated from the list of templates: Add > Mechanism."""

from types import ModuleType
from typing import Any

import bpy

from .. import templates
from ..bridge.objects import units
from . import readiness


class TemplateOperator:
    """Builds a template at the 3D cursor with the parameters of the redo panel."""

    template: ModuleType

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return readiness.may_edit(cls, context)

    @readiness.building
    def execute(self: Any, context: Any) -> set[str]:
        scale_lengths(self, context.scene)
        names = type(self).template.PARAMETERS
        objects = type(self).template.build(context, **{name: getattr(self, name) for name in names})
        bodies, joints = (sum(getattr(obj.redmax, flag) for obj in objects) for flag in ("is_body", "is_joint"))
        self.report({"INFO"}, f"Added {type(self).template.LABEL}: {bodies} bodies, {joints} joints")
        return {"FINISHED"}


def scale_lengths(operator: Any, scene: bpy.types.Scene) -> None:
    """Lengths that nobody set are meant in metres: a pendulum of 1 m is 100 units long in a scene in centimetres."""
    length = units.metres_per_unit(scene)
    for name in type(operator).template.PARAMETERS:
        prop = operator.properties.bl_rna.properties[name]
        if prop.unit == "LENGTH" and not operator.properties.is_property_set(name):
            setattr(operator, name, prop.default / length)


def _operator(template: ModuleType) -> Any:
    return type(
        f"REDMAX_OT_add_{template.NAME}",
        (TemplateOperator, bpy.types.Operator),
        {
            "__doc__": template.DESCRIPTION,
            "__annotations__": dict(template.PARAMETERS),
            "template": template,
            "bl_idname": f"redmax.add_{template.NAME}",
            "bl_label": f"Add {template.LABEL}",
            "bl_options": {"REGISTER", "UNDO"},
        },
    )


CLASSES = tuple(_operator(template) for template in templates.TEMPLATES)
