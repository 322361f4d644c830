# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes the pictures of docs/interface.md from a real Blender window.

    python -m tools.screenshots.take --zip dist/redmax_blender-0.1.0.zip --window "gui-blender shot" [panel_body ...]

`--window` is a command that opens Blender without a screen and takes a picture of its window; it is called as
`COMMAND OUT.png --zip EXTENSION.zip --script SCRIPT.py --size WIDTHxHEIGHT --wait SECONDS`.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageChops

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
SCENES = Path(__file__).parent / "scenes.py"

WIDTH, HEIGHT = 1600, 1200
TABS = 30
"""Width of the column of icons at the left of the Properties editor."""

BORDER = 12
"""Pixels at its right and lower end that belong to the window."""

PROPERTIES = (1318, 270, 1598, 1176)
"""The Properties editor in the window: left, top, right, bottom."""

CROPS = {
    "panel_empty": (1026, 66, 1314, 766),
    "panel_baked": (1026, 66, 1314, 926),
    "panel_stopped": (1026, 66, 1314, 836),
    "panel_sidebar": (440, 66, 1314, 1088),
    "panel_check": (1026, 66, 1314, 746),
    "panel_loops": (440, 66, 1314, 1088),
    "panel_simulating": (440, 66, 1314, 1088),
    "panel_body": PROPERTIES,
    "panel_spring": PROPERTIES,
    "panel_surface": PROPERTIES,
    "contact_overlay": (400, 400, 960, 790),
    "panel_gear": PROPERTIES,
    **dict.fromkeys(("panel_strand", "panel_damper", "panel_cable", "panel_muscle", "panel_drive"), PROPERTIES),
    **dict.fromkeys(("panel_force", "panel_drag", "panel_pin", "panel_inertia"), PROPERTIES),
    "panel_elements_menu": (640, 488, 846, 1196),
    "overlay_lines": (270, 330, 1080, 800),
    "panel_lost": (1026, 66, 1314, 746),
    "panel_joint": PROPERTIES,
    "panel_joint_limits": PROPERTIES,
    "panel_motor": PROPERTIES,
    "panel_joint_ball": PROPERTIES,
    "panel_composite": PROPERTIES,
    **dict.fromkeys(("panel_custom", "panel_custom_wrong", "panel_surface_contact"), PROPERTIES),
    "panel_world": PROPERTIES,
    "panel_rigid_bodies": (460, 330, 1598, 1176),
    "panel_results": PROPERTIES,
    "overlay_joints": (440, 66, 1314, 844),
    "overlay_glyphs": (300, 370, 1120, 750),
    "panel_add_menu": (640, 488, 846, 1196),
    "panel_object_menu": (640, 550, 846, 1012),
}

FAINT = 24
"""Differences in brightness below this are shades of the empty background."""

COLOURS = 256
"""Enough for an interface; the files stay small."""


def take(name: str, command: list[str], extension: Path, *, wait: float, whole: bool) -> Path:
    """One picture, cropped to what it is about."""
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / f"{name}.png"
        options = ["--zip", extension, "--script", SCENES, "--size", f"{WIDTH}x{HEIGHT}", "--wait", f"{wait:g}"]
        subprocess.run(
            [*command, str(raw), *map(str, options)], env=os.environ | {"REDMAX_SHOT": name}, check=True, timeout=300
        )
        log = Path(f"{raw}.log")
        if log.exists() and "Traceback" in (text := log.read_text(errors="replace")):
            sys.exit(f"{name}: Blender met an error\n{text}")
        with Image.open(raw) as window:
            picture = window.convert("RGB") if whole else window.convert("RGB").crop(CROPS[name])
    if not whole and CROPS[name] == PROPERTIES:
        picture = without_empty_end(picture)
    out = IMAGES / f"{name}.png"
    IMAGES.mkdir(parents=True, exist_ok=True)
    # An octree keeps the colours of thin lines, which mean something.
    picture.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(out, optimize=True)
    return out


def without_empty_end(picture: Image.Image) -> Image.Image:
    """The picture up to the last row that shows something beside the column of tabs."""
    panels = picture.crop((TABS, 0, picture.width - BORDER, picture.height - BORDER))
    background = Image.new("RGB", panels.size, panels.getpixel((panels.width // 2, panels.height - 1)))
    box = ImageChops.difference(panels, background).convert("L").point(lambda value: 255 * (value > FAINT)).getbbox()
    return picture if box is None else picture.crop((0, 0, picture.width, min(picture.height, box[3] + 8)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="PICTURE", help="all of them when left out")
    parser.add_argument("--zip", type=Path, required=True, dest="extension", help="the extension to install")
    parser.add_argument("--window", required=True, help="command that takes a picture of a Blender window")
    parser.add_argument("--wait", type=float, default=6.0, help="seconds before the picture")
    parser.add_argument("--whole", action="store_true", help="do not crop, to find new crops")
    chosen = parser.parse_args()
    unknown = sorted(set(chosen.names) - set(CROPS))
    if unknown:
        parser.error(f"no picture {', '.join(unknown)}; there are {', '.join(CROPS)}")
    for name in chosen.names or CROPS:
        out = take(name, shlex.split(chosen.window), chosen.extension, wait=chosen.wait, whole=chosen.whole)
        print(f"{out.relative_to(ROOT)}: {out.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
