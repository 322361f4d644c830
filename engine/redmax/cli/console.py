# SPDX-License-Identifier: GPL-3.0-or-later
"""Text on a terminal, in a file or through a pipe, whatever its encoding, and whether or not anybody still reads it."""

from __future__ import annotations

import os
import sys
from typing import TextIO


def say(line: str, stream: TextIO | None = None) -> None:
    """Write a line, to standard output unless told otherwise."""
    write(f"{line}\n", sys.stdout if stream is None else stream)


def write(text: str, stream: TextIO | None) -> None:
    """Write text at once; characters that the stream's encoding has not are written as their numbers.

    None: a program without a window has no streams in Windows.
    """
    if stream is None:
        return
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except BrokenPipeError:  # as in `| head -1`: the rest is for nobody, also what is in the buffer when Python ends
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
