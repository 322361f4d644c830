# SPDX-License-Identifier: GPL-3.0-or-later
"""Archives of arrays (.npz) that may come from anybody: read without pickle, and never more than was asked for.

`numpy.load` allocates whatever the header of an array claims; here it must be what the archive holds.
"""

from __future__ import annotations

import math
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as numpy_format

from . import files

npy: Any = numpy_format  # which has no types
ENDING = ".npy"
KINDS = "fiuU"
"""Sorts of numpy's types that are read: real numbers and text."""


class ArchiveError(ValueError):
    """A file that is no archive of arrays; the message says in which way."""


DAMAGE = (
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    EOFError,
    SyntaxError,
    OverflowError,
    RuntimeError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What reading a damaged archive raises: zip, deflate or the header of an array may be broken."""


def read(path: Path, most: int) -> dict[str, Any]:
    """Arrays by name, read-only, of together at most `most` bytes. Raises OSError, MemoryError and ArchiveError."""
    with files.opened(path, most) as stream:
        try:
            with zipfile.ZipFile(stream) as archive:
                entries = archive.infolist()
                names = [entry.filename for entry in entries]
                if len(set(names)) < len(names):
                    raise ArchiveError("it has two arrays of the same name")
                if sum(entry.file_size for entry in entries) > most:
                    raise ArchiveError(f"it unpacks to more than {files.size(most)}")
                return {entry.filename.removesuffix(ENDING): _array(archive, entry) for entry in entries}
        except DAMAGE as error:
            raise error if isinstance(error, ArchiveError) else ArchiveError(str(error)) from None


def _array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Any:
    name = entry.filename.removesuffix(ENDING)
    with archive.open(entry) as stream:
        version = npy.read_magic(stream)
        if version not in ((1, 0), (2, 0)):
            raise ArchiveError(f"'{name}' is of an unknown format")
        header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, by_column, dtype = header(stream)
        if dtype.kind not in KINDS or dtype.itemsize == 0 or min(shape, default=0) < 0:
            raise ArchiveError(f"'{name}' holds something else than numbers")
        content = stream.read()
    if math.prod(shape) * dtype.itemsize != len(content):
        raise ArchiveError(f"'{name}' holds {len(content)} bytes instead of {math.prod(shape) * dtype.itemsize}")
    return np.ndarray(shape, dtype, buffer=content, order="F" if by_column else "C")


def write(path: Path, arrays: Mapping[str, Any], *, compressed: bool) -> None:
    """Write arrays by name, whole or not at all; numpy reads them too. Raises OSError."""
    with files.replacing(path) as partial, partial.open("wb") as stream:
        write_to(stream, arrays, compressed=compressed)


def write_to(stream: BinaryIO, arrays: Mapping[str, Any], *, compressed: bool) -> None:
    """The same archive, into an open file or into memory."""
    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    # What np.savez writes; but that forgets to close its archive where the disk is full, and complains later.
    # Without the time of day equal arrays make equal files.
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, values in arrays.items():
            information = zipfile.ZipInfo(f"{name}{ENDING}")
            information.compress_type = method
            with archive.open(information, "w", force_zip64=True) as entry:
                np.save(entry, values, allow_pickle=False)
