# SPDX-License-Identifier: GPL-3.0-or-later
"""A screen without a monitor (Xvfb), whose picture is a file."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
from PIL import Image


def begin(command: list[str], folder: Path, width: int, height: int) -> tuple[subprocess.Popen[bytes], str]:
    """The process, and the name of its display, a free one. The folder is made, and holds the picture and a log."""
    folder.mkdir()
    ours, its = os.pipe()
    arguments = ["-displayfd", str(its), "-screen", "0", f"{width}x{height}x24", "-fbdir", str(folder)]
    with (folder / "log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [*command, *arguments], pass_fds=[its], stdout=log, stderr=log, start_new_session=True
        )
    os.close(its)
    with os.fdopen(ours) as told:
        number = told.readline().strip()
    if not number:
        raise RuntimeError(f"Xvfb did not start\n{(folder / 'log').read_text(encoding='utf-8')}")
    return process, f":{number}"


def picture(folder: Path) -> Image.Image:
    """What the screen shows: Xvfb's file is XWD, a header, a colour table and 32 bits per pixel, blue first."""
    data = (folder / "Xvfb_screen0").read_bytes()
    header = np.frombuffer(data, ">u4", 25)
    size, width, height, line, colours = (int(header[field]) for field in (0, 4, 5, 12, 19))
    pixels = np.frombuffer(data, np.uint8, line * height, size + 12 * colours).reshape(height, line)
    rgb = pixels[:, : 4 * width].reshape(height, width, 4)[:, :, 2::-1]
    return Image.fromarray(np.ascontiguousarray(rgb))
