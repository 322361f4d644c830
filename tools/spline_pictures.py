# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact sheets of the templates with spline joints for the docs: added, simulated, baked, and drawn by Workbench.

    PYTHONPATH=engine:addon .venv-blender-4.5/bin/python -m tools.spline_pictures docs/images

Runs in a Blender environment (bpy). Pictures are splines_<name>.png.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import bpy
from tools import template_pictures
from tools.crane_demo import pictures

import redmax_blender

SIZE = (400, 280)

SHEETS: dict[str, tuple[str, str, tuple[int, ...]]] = {
    "coaster": (
        "Roller Coaster",
        "A train of four carts on one closed curve, with nothing but gravity",
        (1, 40, 62, 78, 110, 150),
    ),
    "cable_car": (
        "Cable Car",
        "Keys move the carriage along the rope; the cabin is simulated",
        (1, 50, 90, 130, 170, 220),
    ),
    "bowl": (
        "Bowl and Puck",
        "A spline surface: the puck slides without friction, and its orbit turns",
        (1, 12, 24, 36, 48, 60),
    ),
    "cam": (
        "Cam and Follower",
        "The roller runs in a closed track on the cam, which turns by keys",
        (1, 60, 85, 110, 130, 150),
    ),
}
"""Title, subtitle and frames."""


def take(name: str, folder: Path) -> Path:
    """Add a template, simulate and bake it, and draw some frames."""
    title, subtitle, frames = SHEETS[name]
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scene = bpy.context.scene
    scene.frame_end = frames[-1]
    getattr(bpy.ops.redmax, f"add_{name}")()
    bpy.ops.redmax.simulate()
    bpy.ops.redmax.bake()
    scene.frame_set(frames[1])  # where what moves reaches far
    direction = template_pictures.VIEWS.get(name, template_pictures.DIRECTION)
    template_pictures.add_camera(list(scene.objects), direction, SIZE[0] / SIZE[1])
    path = folder / f"splines_{name}.png"
    template_pictures.set_up_render(path, SIZE)
    stills = [pictures.still(scene, frame, path, size=SIZE, samples="8") for frame in frames]
    captions = [f"frame {frame}" for frame in frames]
    pictures.contact_sheet(path, stills, captions, title=title, subtitle=subtitle)
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="templates to show, all if none is named")
    options = parser.parse_args()
    redmax_blender.register()
    for name in options.names or SHEETS:
        path = take(name, options.folder.resolve())
        print(f"{path.name}: {path.stat().st_size / 1024:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
