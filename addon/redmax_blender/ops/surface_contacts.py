# SPDX-License-Identifier: GPL-3.0-or-later
"""Operator on two objects that keep touching: Add Surface Contact."""

from typing import Any

import bpy

from ..bridge.authoring import surface_contacts
from ..bridge.objects import units
from . import readiness
from .elements import show

SURFACES = [
    (surface_contacts.AUTO, "From Mesh", "The surface that the mesh looks like", 0),
    ("sphere", "Sphere", "A ball", 1),
    ("ellipsoid", "Ellipsoid", "A ball with three radii", 2),
    ("torus", "Torus", "A ring", 3),
    ("cylinder", "Cylinder", "A round bar along its axis", 4),
    ("plane", "Plane", "A flat sheet, or the side of a box that is nearest", 5),
]
SIZES = "Its sizes, 0 for as measured: radius; three radii of an ellipsoid; ring and tube of a torus"


def _surface(owner: str) -> Any:
    return bpy.props.EnumProperty(name=owner, description=f"Surface of the {owner.lower()}", items=SURFACES)


def _sizes(owner: str) -> Any:
    return bpy.props.FloatVectorProperty(
        name=f"{owner} Sizes", description=SIZES, size=3, min=0.0, unit="LENGTH", precision=4
    )


class REDMAX_OT_add_surface_contact(bpy.types.Operator):
    """Keep the surface of the other selected object in touch with that of the active one, which is the parent: it
    slides and rolls on it and never parts. Surfaces are read from the meshes, or entered"""

    bl_idname = "redmax.add_surface_contact"
    bl_label = "Add Surface Contact"
    bl_options = {"REGISTER", "UNDO"}

    first: _surface("Parent")
    first_size: _sizes("Parent")
    second: _surface("Child")
    second_size: _sizes("Child")
    spin: bpy.props.BoolProperty(name="Spin", description="The child also turns about the common normal", default=True)
    inside: bpy.props.BoolProperty(name="Inside", description="The child touches the parent's surface from within")
    move: bpy.props.BoolProperty(
        name="Move to Touch", description="Move the child to where the surfaces touch", default=True
    )
    rolling: bpy.props.BoolProperty(name="Rolling", description="They roll on each other without slipping")
    pivots: bpy.props.BoolProperty(
        name="Pivots", description="While rolling it may turn about the common normal", default=True
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        text = "Select the child and then the parent: two objects whose surfaces touch"
        if not readiness.may_use_selection(cls, context, text, least=2):
            return False
        if len(readiness.targets(context)) != 2 or any(obj.redmax.is_joint for obj in readiness.targets(context)):
            cls.poll_message_set(text)
            return False
        return True

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        for side in ("first", "second"):
            column = layout.column(align=True)
            column.prop(self, side)
            column.prop(self, f"{side}_size")
        for name in ("spin", "inside", "move", "rolling"):
            layout.prop(self, name)
        if self.rolling and self.spin:
            layout.prop(self, "pivots")

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        child, parent = readiness.in_order(context)
        wishes = surface_contacts.Wishes(
            self.first,
            tuple(self.first_size),
            self.second,
            tuple(self.second_size),
            self.spin,
            self.inside,
            self.move,
            self.rolling,
            self.pivots,
        )
        made = surface_contacts.add(context, parent, child, wishes)
        show(context, made.joint)
        self.report({"WARNING"} if made.gap else {"INFO"}, _told(context, made, parent, child))
        return {"FINISHED"}


def _told(context: bpy.types.Context, made: surface_contacts.Made, parent: Any, child: Any) -> str:
    group = made.joint.redmax.joint
    own = getattr(group, group.kind)
    pair = f"'{child.name}' ({own.second}) touches '{parent.name}' ({own.first})"
    if made.gap:
        away = units.shown_length(context.scene, made.gap)
        return f"{pair}, but stands {away} away, as something else holds it or Move to Touch is off"
    return f"{pair}; it was moved by {units.shown_length(context.scene, made.moved)}" if made.moved else pair


CLASSES = (REDMAX_OT_add_surface_contact,)
