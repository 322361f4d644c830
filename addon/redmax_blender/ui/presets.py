# SPDX-License-Identifier: GPL-3.0-or-later
"""Preset menus in the headers of panels: Blender's own list with + and -, whose files are read and never run."""

from typing import Any

import bpy
from bl_ui.utils import PresetPanel


class PresetMenu(PresetPanel):
    """What the menus share."""

    preset_operator = "redmax.apply_preset"
    preset_extensions = frozenset({".py"})


class REDMAX_PT_material_presets(PresetMenu, bpy.types.Panel):
    bl_label = "Materials"
    preset_subdir = "redmax/material"
    preset_add_operator = "redmax.save_material"


class REDMAX_PT_joint_feel_presets(PresetMenu, bpy.types.Panel):
    bl_label = "Joint Feel"
    preset_subdir = "redmax/joint_feel"
    preset_add_operator = "redmax.save_joint_feel"


class REDMAX_PT_formula_presets(PresetMenu, bpy.types.Panel):
    bl_label = "Formulas"
    preset_subdir = "redmax/formula"
    preset_add_operator = "redmax.save_formula"


class REDMAX_PT_accuracy_presets(PresetMenu, bpy.types.Panel):
    bl_label = "Accuracy"
    preset_subdir = "redmax/accuracy"
    preset_add_operator = "redmax.save_accuracy"


def draw_in_header(layout: Any, menu: Any) -> None:
    """The small icon at the right end of a panel's header."""
    menu.draw_panel_header(layout.row(align=True))


CLASSES = (
    REDMAX_PT_material_presets,
    REDMAX_PT_joint_feel_presets,
    REDMAX_PT_formula_presets,
    REDMAX_PT_accuracy_presets,
)
