# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing on an array of pixels with numpy and Blender's own font: Blender brings no plotting library."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Literal

import bpy
import numpy as np
from numpy.typing import NDArray

# isort: split
# Parts of Blender, to be found only once bpy is imported.
import blf
import imbuf

Pixels = NDArray[np.float32]
Colour = tuple[float, float, float]
Anchor = Literal["left", "middle", "right"]
FONT = 0
"""blf's number of the interface font."""


def colour(code: str) -> Colour:
    """The colour of '#rrggbb'."""
    red, green, blue = (int(code[k : k + 2], 16) / 255.0 for k in (1, 3, 5))
    return red, green, blue


def read_image(path: Path) -> Pixels:
    """(height, width, 4) pixels of an image file as stored, first row at the top."""
    image = bpy.data.images.load(str(path))
    image.colorspace_settings.name = "Non-Color"
    image.alpha_mode = "CHANNEL_PACKED"
    width, height = image.size
    pixels = np.empty(width * height * 4, np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    return pixels.reshape(height, width, 4)[::-1].copy()


class Canvas:
    """A picture in the making; x to the right, y downwards [px], colours as displayed."""

    def __init__(self, width: int, height: int, background: Colour) -> None:
        self.pixels: Pixels = np.empty((height, width, 3), np.float32)
        self.pixels[:] = background
        self._texts: dict[Colour, list[tuple[str, float, float, float]]] = defaultdict(list)

    def paste(self, picture: Pixels, x: int, y: int) -> None:
        height, width, _ = picture.shape
        self.pixels[y : y + height, x : x + width] = picture[..., :3]

    def rectangle(self, x: int, y: int, width: int, height: int, paint: Colour, *, opacity: float = 1.0) -> None:
        area = self.pixels[y : y + height, x : x + width]
        area += opacity * (np.array(paint, np.float32) - area)

    def line(self, points: NDArray[np.float64], paint: Colour, *, width: float = 2.0, dash: float = 0.0) -> None:
        """A line through points (k, 2) with soft edges; dash: length of the dashes and of the gaps between [px]."""
        coverage = np.zeros(self.pixels.shape[:2], np.float32)
        for start, end in _dashes(points, dash) if dash else pairwise(points):
            self._cover(coverage, start, end, width / 2.0)
        self.pixels += coverage[..., None] * (np.array(paint, np.float32) - self.pixels)

    @staticmethod
    def _cover(coverage: Pixels, start: NDArray[np.float64], end: NDArray[np.float64], radius: float) -> None:
        """Raise the coverage to that of one segment; the largest counts, so that joints do not add up."""
        reach = radius + 1.0
        height, width = coverage.shape
        x0, y0 = np.maximum(np.floor(np.minimum(start, end) - reach), 0).astype(int)
        x1, y1 = np.minimum(np.ceil(np.maximum(start, end) + reach) + 1, (width, height)).astype(int)
        if x1 <= x0 or y1 <= y0:
            return
        along = end - start
        squared = float(along @ along)
        px, py = np.arange(x0, x1) + 0.5 - start[0], (np.arange(y0, y1) + 0.5 - start[1])[:, None]
        place = np.clip((px * along[0] + py * along[1]) / squared, 0.0, 1.0) if squared > 0.0 else 0.0
        distance = np.hypot(px - place * along[0], py - place * along[1])
        area = coverage[y0:y1, x0:x1]
        np.maximum(area, np.clip(radius + 0.5 - distance, 0.0, 1.0), out=area)

    def text(self, x: float, y: float, text: str, paint: Colour, *, size: float = 16, anchor: Anchor = "left") -> None:
        """A line of text whose baseline is at y."""
        shift = {"left": 0.0, "middle": 0.5, "right": 1.0}[anchor] * text_width(text, size)
        self._texts[paint].append((text, x - shift, y, size))

    def save(self, path: Path) -> None:
        """Write the picture, with its texts on top, as PNG."""
        height, width, _ = self.pixels.shape
        for paint, texts in self._texts.items():
            self.pixels += _text_coverage(texts, width, height) * (np.array(paint, np.float32) - self.pixels)
        self._texts.clear()
        image = bpy.data.images.new(path.stem, width, height)
        image.colorspace_settings.name = "Non-Color"
        opaque = np.ones((height, width, 4), np.float32)
        opaque[..., :3] = self.pixels[::-1]
        image.pixels.foreach_set(opaque.ravel())
        image.filepath_raw, image.file_format = str(path), "PNG"
        image.save()
        bpy.data.images.remove(image)


def text_width(text: str, size: float) -> float:
    blf.size(FONT, size)
    return float(blf.dimensions(FONT, text)[0])


def _text_coverage(texts: list[tuple[str, float, float, float]], width: int, height: int) -> Pixels:
    """(height, width, 1) how much of each pixel the texts cover."""
    buffer = imbuf.new((width, height))
    blf.color(FONT, 1.0, 1.0, 1.0, 1.0)
    with blf.bind_imbuf(FONT, buffer):
        for text, x, y, size in texts:
            blf.size(FONT, size)
            blf.position(FONT, x, height - y, 0.0)
            blf.draw_buffer(FONT, text)
    # An image buffer gives its pixels away only as a file.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.png"
        imbuf.write(buffer, filepath=str(path))
        return read_image(path)[..., 3:]


def _dashes(points: NDArray[np.float64], length: float) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Short segments along the line that leave every second stretch of `length` open."""
    steps = np.hypot(*np.diff(points, axis=0).T)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    made = []
    for begin in np.arange(0.0, along[-1], 2.0 * length):
        ends = np.array([begin, min(begin + length, along[-1])])
        inside = along[(along > ends[0]) & (along < ends[1])]
        stops = np.concatenate([ends[:1], inside, ends[1:]])
        drawn = np.stack([np.interp(stops, along, points[:, k]) for k in range(2)], axis=1)
        made += list(pairwise(drawn))
    return made
