# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on tracks and sheets: Spline Track, Spline Surface, Edit Track, Add Train."""

import bpy

from ..bridge.authoring import make_mechanism, track_frames, tracks
from . import readiness
from .elements import show

ORDER = [
    ("NAME", "Name", "In the order of their names: Frame 2 comes before Frame 10", 0),
    ("NEAREST", "Nearest", "From the active empty to the one next to it, and so on", 1),
]


def _told(made: tracks.Made, word: str) -> str:
    head = f"'{made.guide.name}' is a {word}" if made.is_new else f"'{made.guide.name}'"
    if not made.joints:
        return head
    names = make_mechanism.listed([joint.redmax.joint.child.name for joint in made.joints])
    return f"{head}; {names} {'runs' if len(made.joints) == 1 else 'run'} on it"


class REDMAX_OT_add_track(bpy.types.Operator):
    """Make a track of the selected curve, or of at least four selected empties, and let the selected bodies run on it.
    With a track among the selection only put the bodies on that"""

    bl_idname = "redmax.add_track"
    bl_label = "Spline Track"
    bl_options = {"REGISTER", "UNDO"}

    source: bpy.props.EnumProperty(
        name="From",
        description="What the track is made of",
        items=[
            ("SELECTED", "Selection", "The selected curve, or the selected empties as control frames", 0),
            ("MOTION", "Motion", "The path of the active object over the frames of the scene", 1),
        ],
    )
    order: bpy.props.EnumProperty(name="Order", description="In which order empties are passed", items=ORDER)
    cyclic: bpy.props.BoolProperty(name="Closed", description="Lead the track from the last empty back to the first")
    count: bpy.props.IntProperty(
        name="Frames", description="Control frames that are made of a motion", default=24, min=4, soft_max=200, max=1000
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return readiness.may_use_selection(
            cls, context, "Select a curve, or at least four empties, and what should run on them"
        )

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "source")
        if self.source == "MOTION":
            layout.prop(self, "count")
        else:
            layout.prop(self, "order")
        layout.prop(self, "cyclic")

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        wishes = tracks.Wishes(self.order, self.cyclic, 0, self.source == "MOTION", self.count)
        made = tracks.add(context, "track", list(context.selected_objects), context.object, wishes)
        show(context, made.joints[-1] if made.joints else made.guide)
        self.report({"INFO"}, _told(made, "track"))
        return {"FINISHED"}


class REDMAX_OT_add_sheet(bpy.types.Operator):
    """Make a sheet of the active NURBS surface or grid mesh, or of a grid of empties, and let the other selected bodies
    slide over it"""

    bl_idname = "redmax.add_sheet"
    bl_label = "Spline Surface"
    bl_options = {"REGISTER", "UNDO"}

    order: bpy.props.EnumProperty(name="Order", description="In which order empties make rows", items=ORDER[:1])
    columns: bpy.props.IntProperty(
        name="Columns", description="Empties in a row of the grid; 0 for as many as there are rows", min=0, soft_max=50
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return readiness.may_use_selection(cls, context, "Select a NURBS surface, a grid mesh or a grid of empties")

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        wishes = tracks.Wishes("NAME", False, self.columns)
        made = tracks.add(context, "sheet", list(context.selected_objects), context.object, wishes)
        show(context, made.joints[-1] if made.joints else made.guide)
        self.report({"INFO"}, _told(made, "sheet"))
        return {"FINISHED"}


class REDMAX_OT_edit_track(bpy.types.Operator):
    """Reverse, close or space the control frames of the active track"""

    bl_idname = "redmax.edit_track"
    bl_label = "Edit Track"
    bl_options = {"REGISTER", "UNDO"}

    action: bpy.props.EnumProperty(
        name="Action",
        description="What to do with the frames of the track",
        items=[
            ("REVERSE", "Reverse", "Pass the frames in the other order", 0),
            ("CLOSE", "Close or Open", "Lead the track from its last frame back to its first, or no longer", 1),
            ("EVEN", "Space Evenly", "Move the empties to even distances along the path", 2),
        ],
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not readiness.may_edit(cls, context):
            return False
        if context.object is None or not context.object.redmax.is_track:
            cls.poll_message_set("Select a track first")
            return False
        return True

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        said = track_frames.edit(context, context.object, self.action)
        context.object.update_tag()
        self.report({"INFO"}, said)
        return {"FINISHED"}


class REDMAX_OT_add_train(bpy.types.Operator):
    """Couple the selected bodies that run on one track: they keep their distances along it"""

    bl_idname = "redmax.add_train"
    bl_label = "Add Train"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return readiness.may_use_selection(cls, context, "Select at least two bodies that run on one track")

    @readiness.building
    def execute(self, context: bpy.types.Context) -> set[str]:
        train = track_frames.add_train(context, list(context.selected_objects))
        show(context, train)
        self.report({"INFO"}, f"'{train.name}' couples {len(train.redmax.drive.followers) + 1} carts")
        return {"FINISHED"}


CLASSES = (REDMAX_OT_add_track, REDMAX_OT_add_sheet, REDMAX_OT_edit_track, REDMAX_OT_add_train)
