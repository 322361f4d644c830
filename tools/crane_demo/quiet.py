# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender says a line per frame on the console, from C: it goes to a file, and is shown when something fails."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TAIL = 40
"""Lines of Blender's own words shown with a failure."""


@contextmanager
def console_to(path: Path) -> Iterator[None]:
    """Everything written to the console inside the block is appended to a file instead."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(descriptor) for descriptor in (1, 2)]
    failed = True
    with path.open("ab") as file:
        try:
            for descriptor in (1, 2):
                os.dup2(file.fileno(), descriptor)
            yield
            failed = False
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for descriptor, original in zip((1, 2), kept, strict=True):
                os.dup2(original, descriptor)
                os.close(original)
            if failed:
                lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
                print("\n".join(lines[-TAIL:]), file=sys.stderr)
