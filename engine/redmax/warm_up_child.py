# SPDX-License-Identifier: GPL-3.0-or-later
"""The program of the process that compiles the kernels; `warm_up_process` starts it, nothing imports it.

It reads one line of JSON, what to compile and where to keep it, and writes lines of JSON: {"part": 0 to 1} as it goes
on, and at its end {"ready": true} or {"failure": "why"}. When its input ends, its parent has: then it ends, too.
"""

import importlib
import json
import os
import sys
import threading
import time
from pathlib import Path
from types import ModuleType
from typing import Any

PAUSE = 0.5
"""Seconds between two looks at what another process has compiled."""

LOCK = "compiling"
"""Name of the file in the folder of kernels that is locked by the one process which fills it."""


def main() -> int:
    wish = json.loads(_line())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):  # on Windows the parent has asked for it
        os.nice(10)
    engine = _found(wish)
    names = ("kernels.cache.cache_folder", "warm_up", "errors", "only_one")
    cache_folder, warm_up, errors, only_one = (importlib.import_module(f"{engine}.{name}") for name in names)
    if wish["place"] is not None:
        cache_folder.use(Path(wish["place"]))
    try:
        folder = cache_folder.writable()
        while folder is not None and not warm_up.is_warm():
            with only_one.locked(folder.path / LOCK) as mine:
                if mine:
                    warm_up.warm_up(lambda part, _what: _say(part=part))
                    break
            _say(part=warm_up.part_on_disk())
            time.sleep(PAUSE)
        if not warm_up.is_warm():
            _say(failure="What is compiled cannot be kept on disk")
            return 1
    except (errors.RedMaxError, OSError) as error:
        _say(failure=str(error))
        return 1
    _say(ready=True)
    return 0


def _found(wish: dict[str, Any]) -> str:
    """Make the engine importable by the name it has in the parent, which compiled code knows its modules by. Packages
    that it lies in are named, and nothing of them is run: they may need Blender."""
    sys.path[:] = wish["path"]
    for name, places in wish["above"].items():
        package = ModuleType(name)
        package.__path__ = places
        sys.modules[name] = package
    return str(wish["engine"])


def _line() -> bytes:
    """The first line of the input, read without Python's buffers: a thread that waits for the rest would hold them."""
    read = b""
    while not read.endswith(b"\n"):
        more = os.read(0, 65536)
        if not more:
            raise EOFError
        read += more
    return read


def _end_with_parent() -> None:
    while os.read(0, 4096):
        pass
    os._exit(1)


def _say(**facts: object) -> None:
    os.write(1, json.dumps(facts).encode() + b"\n")


if __name__ == "__main__":
    code = 1
    try:
        code = main()
    except EOFError:  # the parent was gone before it had said what it wants
        pass
    except Exception as error:
        _say(failure=f"{type(error).__name__}: {error}")
    os._exit(code)
