# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether Blender has written a .blend file to its end: where the disk is full it may say that it has."""

from __future__ import annotations

from pathlib import Path

LAST_BLOCK = b"ENDB"
"""Code of the last block of a file that is not compressed; little more than its length follows."""

SEEK_TABLE = b"\xb1\xea\x92\x8f"
"""Last bytes of a compressed file: of the table by which parts of it are found (zstd, seekable format)."""

END = 64
"""Bytes in which the last block lies."""


def is_whole(path: Path) -> bool:
    """Whether the end of a .blend file is there, which is written last. Raises OSError."""
    with path.open("rb") as file:
        file.seek(0, 2)
        file.seek(max(file.tell() - END, 0))
        end = file.read()
    return LAST_BLOCK in end or end.endswith(SEEK_TABLE)
