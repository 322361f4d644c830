# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are written whole or not at all, whatever happens meanwhile: a full disk, a crash, another writer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PARTIAL = ".partial"
"""Ending of what is being written, after the number of the process that writes it: two may write the same file."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Where to write what is to become `path`. It does so at the end; what fails leaves `path` as it was.

    A process that is killed leaves a file `NAME.NUMBER.partial` behind, which nobody takes for `path`.
    """
    partial = path.with_name(f"{path.name}.{os.getpid()}{PARTIAL}")
    try:
        yield partial
        partial.replace(path)
    except BaseException:
        with suppress(OSError):  # what went wrong before is what must be told
            partial.unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    """Write text in UTF-8, whole or not at all. Raises OSError."""
    with replacing(path) as partial:
        partial.write_text(text, encoding="utf-8")
