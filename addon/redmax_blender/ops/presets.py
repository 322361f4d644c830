# SPDX-License-Identifier: GPL-3.0-or-later
"""Load and save presets of materials, of feel and formulas of joints, of accuracy; and set a feel by its numbers."""

from pathlib import Path
from typing import Any

import bpy
from bl_operators.presets import AddPresetBase

from ..bridge.authoring import joint_feel, presets
from ..bridge.core.findings import RedMaxError
from . import readiness


class REDMAX_OT_apply_preset(bpy.types.Operator):
    """Use this preset. Only values are read from its file; nothing in it is run"""

    bl_idname = "redmax.apply_preset"
    bl_label = "Use Preset"
    bl_options = {"REGISTER", "UNDO"}

    filepath: bpy.props.StringProperty(
        name="File", description="The preset's file", subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        return readiness.idle(cls, context)

    @readiness.refusing
    def execute(self, context: Any) -> set[str]:
        path = Path(self.filepath)
        kind = presets.find_kind(path.parent)
        if not kind:
            self.report({"ERROR"}, f"'{path}' is no preset of RedMax")
            return {"CANCELLED"}
        done = presets.apply(context, path, presets.KINDS[kind])
        self.report({"INFO"}, f"{bpy.path.display_name(path.name, title_case=False)}: {done}")
        return {"FINISHED"}


class SavePreset(AddPresetBase):
    """What the operators of + and - share: Blender finds the file, we write its values."""

    kind = ""
    of = ""
    """What the active object must be, "body" or "joint"; empty if it does not matter."""

    _values: Any = None

    @classmethod
    def poll(cls: Any, context: Any) -> bool:
        if cls.of and not (context.object is not None and getattr(context.object.redmax, f"is_{cls.of}")):
            cls.poll_message_set(f"Select a {cls.of} first")
            return False
        return True

    def add(self: Any, _context: Any, filepath: str) -> None:
        """Called by Blender's operator instead of writing Python."""
        presets.save(Path(filepath), self._values)

    def execute(self: Any, context: Any) -> Any:
        if not (self.remove_name or self.remove_active):
            try:
                self._values = presets.KINDS[self.kind].read(context)
            except RedMaxError as error:
                self.report({"ERROR"}, str(error))
                return {"CANCELLED"}
        try:
            return set(super().execute(context))
        except OSError as error:
            self.report({"ERROR"}, f"The preset cannot be saved: {error.strerror or error}")
            return {"CANCELLED"}


class REDMAX_OT_save_material(SavePreset, bpy.types.Operator):
    """Save the density of the active body as a preset, or remove this preset"""

    bl_idname = "redmax.save_material"
    bl_label = "Save Material Preset"
    bl_options = {"REGISTER", "INTERNAL"}
    kind, of = "material", "body"
    preset_menu = "REDMAX_PT_material_presets"
    preset_subdir = presets.subfolder(kind)


class REDMAX_OT_save_joint_feel(SavePreset, bpy.types.Operator):
    """Save how the active joint feels as a preset that fits joints of any size, or remove this preset"""

    bl_idname = "redmax.save_joint_feel"
    bl_label = "Save Joint Feel Preset"
    bl_options = {"REGISTER", "INTERNAL"}
    kind, of = "joint_feel", "joint"
    preset_menu = "REDMAX_PT_joint_feel_presets"
    preset_subdir = presets.subfolder(kind)


class REDMAX_OT_save_formula(SavePreset, bpy.types.Operator):
    """Save the formulas of the active joint as a preset, or remove this preset"""

    bl_idname = "redmax.save_formula"
    bl_label = "Save Formula Preset"
    bl_options = {"REGISTER", "INTERNAL"}
    kind, of = "formula", "joint"
    preset_menu = "REDMAX_PT_formula_presets"
    preset_subdir = presets.subfolder(kind)


class REDMAX_OT_save_accuracy(SavePreset, bpy.types.Operator):
    """Save the accuracy of this scene as a preset, or remove this preset"""

    bl_idname = "redmax.save_accuracy"
    bl_label = "Save Accuracy Preset"
    bl_options = {"REGISTER", "INTERNAL"}
    kind = "accuracy"
    preset_menu = "REDMAX_PT_accuracy_presets"
    preset_subdir = presets.subfolder(kind)


class REDMAX_OT_set_feel(bpy.types.Operator):
    """Set spring and damping of the selected joints by how they should swing; fits joints of any size"""

    bl_idname = "redmax.set_feel"
    bl_label = "Set Feel"
    bl_options = {"REGISTER", "UNDO"}

    frequency: bpy.props.FloatProperty(
        name="Frequency",
        description="Swings per second of the spring, with what the joint carries; 0 for no spring [Hz]",
        default=1.0,
        min=0.0,
        soft_max=10.0,
    )
    decay: bpy.props.FloatProperty(
        name="Decay",
        description="Seconds in which the swing falls to about a third; 0 for no damping",
        default=1.0,
        min=0.0,
        soft_max=10.0,
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        return readiness.may_edit_joint(cls, context)

    @readiness.refusing
    def execute(self, context: Any) -> set[str]:
        joints = [obj for obj in readiness.targets(context) if obj.redmax.is_joint]
        joint_feel.apply(context, joints, joint_feel.Feel(self.frequency, self.decay))
        self.report({"INFO"}, f"Set the feel of {', '.join(repr(obj.name) for obj in joints)}")
        return {"FINISHED"}


CLASSES = (
    REDMAX_OT_apply_preset,
    REDMAX_OT_save_material,
    REDMAX_OT_save_joint_feel,
    REDMAX_OT_save_formula,
    REDMAX_OT_save_accuracy,
    REDMAX_OT_set_feel,
)
