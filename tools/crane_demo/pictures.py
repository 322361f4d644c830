# SPDX-License-Identifier: GPL-3.0-or-later
"""Stills, a contact sheet and a film of a scene."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy

from .canvas import Canvas, Pixels, colour, read_image

PAPER, INK, FAINT, WHITE = colour("#fcfcfb"), colour("#22272e"), colour("#69717c"), colour("#ffffff")
GAP, HEAD = 16, 92


def still(scene: bpy.types.Scene, frame: int, path: Path, *, size: tuple[int, int], samples: str) -> Pixels:
    """Render one frame to a PNG file; its pixels. samples: how Workbench smooths edges, such as 'FXAA' or '8'."""
    settings: Any = scene.render.image_settings
    _set_size(scene, size, samples)
    if hasattr(settings, "media_type"):  # Blender 5 sorts the formats
        settings.media_type = "IMAGE"
    settings.file_format, settings.color_mode, settings.compression = "PNG", "RGB", 60
    scene.frame_set(frame)
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True, scene=scene.name)
    return read_image(path)


def film(scene: bpy.types.Scene, path: Path, *, size: tuple[int, int], samples: str) -> None:
    """Render the scene's frames into an H.264 film."""
    settings: Any = scene.render.image_settings
    _set_size(scene, size, samples)
    if hasattr(settings, "media_type"):
        settings.media_type = "VIDEO"
    settings.file_format = "FFMPEG"
    settings.color_mode = "RGB"
    film_settings: Any = scene.render.ffmpeg
    film_settings.format, film_settings.codec, film_settings.audio_codec = "MPEG4", "H264", "NONE"
    film_settings.constant_rate_factor, film_settings.gopsize = "HIGH", 24
    scene.render.filepath = str(path)
    scene.render.use_file_extension = False
    bpy.ops.render.render(animation=True, scene=scene.name)
    scene.render.use_file_extension = True


def _set_size(scene: bpy.types.Scene, size: tuple[int, int], samples: str) -> None:
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.render.resolution_percentage = 100
    scene.display.render_aa = samples


def contact_sheet(
    path: Path, pictures: Sequence[Pixels], captions: Sequence[str], *, title: str, subtitle: str, columns: int = 3
) -> None:
    """Pictures of one size in rows, each with its caption, under a title."""
    height, width, _ = pictures[0].shape
    rows = math.ceil(len(pictures) / columns)
    sheet = Canvas(columns * (width + GAP) + GAP, HEAD + rows * (height + GAP), PAPER)
    sheet.text(GAP + 4, 46, title, INK, size=30)
    sheet.text(GAP + 4, 76, subtitle, FAINT, size=18)
    for k, (picture, caption) in enumerate(zip(pictures, captions, strict=True)):
        row, column = divmod(k, columns)
        x, y = GAP + column * (width + GAP), HEAD + row * (height + GAP)
        sheet.paste(picture, x, y)
        sheet.rectangle(x, y + height - 32, 118, 32, INK, opacity=0.72)
        sheet.text(x + 12, y + height - 10, caption, WHITE, size=17)
    sheet.save(path)
