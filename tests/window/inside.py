# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by Blender at its start: answers questions about what the window shows. It never acts; mouse and keys do.

A question is a Python expression in `question.json`, its answer JSON in `answer.json`, both in the folder that
REDMAX_WINDOW names. Expressions see `bpy` and the functions below.
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


def windows():
    """Open windows: the main one, which fills the screen, and those of dialogs."""
    return bpy.context.window_manager.windows


def find_region(area_type, region_type):
    """(window, area, region) of the largest area of that type that shows such a region; dialogs come first."""
    for window in reversed(windows()):
        for area in sorted(window.screen.areas, key=lambda area: -area.width * area.height):
            for region in area.regions:
                if (area.type, region.type) == (area_type, region_type) and min(region.width, region.height) > 1:
                    return window, area, region
    raise LookupError(f"{area_type} shows no region {region_type}")


def on_screen(window, x, y):
    """Pixels of the screen, which counts from above, of a place in a window, which counts from below."""
    return [round(window.x + x), round(windows()[0].height - window.y - y)]


def rectangle(area_type, region_type):
    """Left, top, right, bottom on the screen, in pixels."""
    window, _, region = find_region(area_type, region_type)
    return [
        *on_screen(window, region.x, region.y + region.height),
        *on_screen(window, region.x + region.width, region.y),
    ]


def scroll(area_type, region_type):
    """How far a region is scrolled: what the view of its content begins with."""
    _, _, region = find_region(area_type, region_type)
    return list(region.view2d.region_to_view(0, 0))


def tab():
    """The tab of the viewport's sidebar; None while it is closed."""
    try:
        return find_region("VIEW_3D", "UI")[2].active_panel_category
    except LookupError:
        return None


def point(name):
    """Where the origin of an object is on the screen."""
    return place(bpy.data.objects[name].matrix_world.translation)


def place(location):
    """Where a point of the world is on the screen, in pixels."""
    window, area, region = find_region("VIEW_3D", "WINDOW")
    seen = view3d_utils.location_3d_to_region_2d(region, area.spaces.active.region_3d, Vector(location))
    if seen is None:
        raise LookupError(f"{location} is behind the view")
    return on_screen(window, region.x + seen.x, region.y + seen.y)


def hovered(area_type, region_type):
    """The button under the mouse: its operator as a call, or its property as `data-block.path[index]`; else None."""
    window, area, region = find_region(area_type, region_type)
    with bpy.context.temp_override(window=window, area=area, region=region):
        if bpy.ops.ui.copy_python_command_button.poll():
            kept = bpy.context.window_manager.clipboard
            bpy.ops.ui.copy_python_command_button()
            call = bpy.context.window_manager.clipboard
            bpy.context.window_manager.clipboard = kept
            return call
        if (shown := bpy.context.property) is not None:
            block, path, index = shown
            return f"{getattr(block, 'name', '')}.{path}" + (f"[{index}]" if index >= 0 else "")
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
        said = {"value": eval(asked["expression"], globals())}  # a question of our own
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
