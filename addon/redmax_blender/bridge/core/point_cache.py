# SPDX-License-Identifier: GPL-3.0-or-later
"""Points that move, as a PC2 file: what Blender's Mesh Cache modifier and other programs read.

A header of 32 bytes (mark, version, number of points, first frame, frames from sample to sample, number of samples),
then the coordinates of every point, sample after sample, as 32-bit floats; all with the lowest byte first.
"""

from __future__ import annotations

import hashlib
import struct

import numpy as np

from ..._engine import arrays

Array = arrays.Array

HEADER = struct.Struct("<12siiffi")
MARK = b"POINTCACHE2\0"
VERSION = 1


def encoded(points: Array, first: float) -> bytes:
    """A file of points (frames, points, 3) that begins at a frame and has one sample in each."""
    samples, count, _ = points.shape
    return HEADER.pack(MARK, VERSION, count, first, 1.0, samples) + points.astype("<f4").tobytes()


def decoded(content: bytes) -> tuple[Array, float]:
    """Points (frames, points, 3) and the first frame of a file. Raises ValueError for anything else."""
    if len(content) < HEADER.size:
        raise ValueError("it ends within its header")
    mark, version, count, first, step, samples = HEADER.unpack_from(content)
    if (mark, version, step) != (MARK, VERSION, 1.0) or count < 0 or samples < 0:
        raise ValueError("it is no point cache of one sample in each frame")
    if len(content) != HEADER.size + 12 * count * samples:
        raise ValueError("its size does not fit its header")
    return np.frombuffer(content, "<f4", offset=HEADER.size).reshape(samples, count, 3), first


def identifier(content: bytes) -> str:
    """Name of a file by what is in it: 32 hex digits."""
    return hashlib.sha256(content).hexdigest()[:32]
