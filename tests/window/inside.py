# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by Blender at its start: answers questions about what the window shows. It never acts; mouse and keys do.

A question is a Python expression in `question.json`, its answer JSON in `answer.json`, both in the folder that
REDMAX_WINDOW names. Expressions see `bpy`, the functions below and `redmax`, the state of the add-on.
"""

import json
import os
import sys
import traceback
from pathlib import Path

import bpy
from bpy_extras import view3d_utils
from mathutils import Vector

FOLDER = Path(os.environ["REDMAX_WINDOW"])
QUESTION, ANSWER = FOLDER / "question.json", FOLDER / "answer.json"
INTERVAL = 0.01
"""Seconds between two looks for a question."""

EDGE = 20
"""Pixels at the rims of a region that belong to its neighbours, to tabs and scroll bars."""


def windows():
    return bpy.context.window_manager.windows


def height():
    """Of the window: Blender counts from below, the screen from above."""
    return windows()[0].height


def areas(kind=None):
    """Areas of the first window by type, the largest first."""
    found = [area for area in windows()[0].screen.areas if kind in (None, area.type)]
    return sorted(found, key=lambda area: -area.width * area.height)


def area_region(area_type, region_type):
    """The region of that type of the largest such area, where it is open."""
    for area in areas(area_type):
        for region in area.regions:
            if region.type == region_type and region.width > 1 and region.height > 1:
                return area, region
    raise LookupError(f"{area_type} shows no region {region_type}")


def rectangle(area_type, region_type):
    """Left, top, right, bottom on the screen, in pixels."""
    _, region = area_region(area_type, region_type)
    top = height() - region.y - region.height
    return [region.x, top, region.x + region.width, top + region.height]


def scroll(area_type, region_type):
    """How far a region is scrolled: what the view of its content begins with."""
    _, region = area_region(area_type, region_type)
    return list(region.view2d.region_to_view(0, 0))


def tab(area_type="VIEW_3D", region_type="UI"):
    return area_region(area_type, region_type)[1].active_panel_category


def point(name, area_type="VIEW_3D"):
    """Where the origin of an object is on the screen."""
    return place(bpy.data.objects[name].matrix_world.translation, area_type)


def place(location, area_type="VIEW_3D"):
    """Where a point of the world is on the screen, in pixels."""
    area, region = area_region(area_type, "WINDOW")
    seen = view3d_utils.location_3d_to_region_2d(region, area.spaces.active.region_3d, Vector(location))
    if seen is None:
        raise LookupError(f"{location} is behind the view")
    return [round(region.x + seen.x), round(height() - region.y - seen.y)]


def hovered(area_type, region_type):
    """The button under the mouse: its operator as a call, or its property as `data-block.path[index]`; else None."""
    area, region = area_region(area_type, region_type)
    window = windows()[0]
    with bpy.context.temp_override(window=window, area=area, region=region):
        if bpy.ops.ui.copy_python_command_button.poll():
            kept = bpy.context.window_manager.clipboard
            bpy.ops.ui.copy_python_command_button()
            call = bpy.context.window_manager.clipboard
            bpy.context.window_manager.clipboard = kept
            return call
        if (shown := bpy.context.property) is not None:
            block, path, index = shown
            return f"{block.name}.{path}" + (f"[{index}]" if index >= 0 else "")
    return None


def selection():
    """Names of what is selected, and of the active object."""
    layer = windows()[0].view_layer
    return [sorted(obj.name for obj in layer.objects.selected), layer.objects.active and layer.objects.active.name]


def scene():
    return windows()[0].scene


def state():
    """What RedMax is doing."""
    return bpy.context.window_manager.redmax


def answered():
    try:
        asked = json.loads(QUESTION.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return INTERVAL
    QUESTION.unlink()
    try:
        said = {"value": eval(asked["expression"], globals())}  # noqa: S307  a question of our own
    except Exception:
        said = {"error": traceback.format_exc()}
    text = json.dumps({"number": asked["number"], **said}, default=listed)
    ANSWER.with_suffix(".new").write_text(text, encoding="utf-8")
    os.replace(ANSWER.with_suffix(".new"), ANSWER)
    return INTERVAL


def listed(value):
    """Vectors and collections as lists, everything else by its name."""
    return list(value) if hasattr(value, "__len__") else str(value)


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    bpy.context.preferences.view.show_splash = False
    bpy.context.preferences.view.show_tooltips = False
    bpy.app.timers.register(answered, first_interval=0.5, persistent=True)
