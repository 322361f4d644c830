# SPDX-License-Identifier: GPL-3.0-or-later
"""Where compiled kernels are kept between runs.

numba's own cache notices neither edited callees nor read-only folders. Ours is a folder of the user's, named by what
the machine code depends on: the engine's kernels, numba, Python and the processor.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from importlib import metadata
from pathlib import Path

VARIABLE = "REDMAX_CACHE_DIR"


def base() -> Path:
    """The folder for all versions: $REDMAX_CACHE_DIR, or the system's place for caches of a user."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
        return Path(home) / "redmax" / "kernels"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "redmax" / "kernels"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "redmax" / "kernels"


def folder() -> Path:
    """The folder for these sources on this machine."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    parts = (metadata.version("numba"), platform.python_version(), platform.machine(), platform.processor())
    digest.update("\0".join(parts).encode())
    return base() / digest.hexdigest()[:16]
