# SPDX-License-Identifier: GPL-3.0-or-later
"""Compile the kernels in a process of their own, so that nobody waits: neither for the compiler nor for Python.

Processes of several programs do not compile the same twice at once: one does, the others wait for what it keeps.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from .errors import RedMaxError
from .kernels.cache import cache_folder

PROGRAM = Path(__file__).with_name("warm_up_child.py")
ENGINE = __name__.rpartition(".")[0]

QUIET = getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)
"""On Windows: no console window, and a low priority. Elsewhere the process sees to that itself."""

LONGEST = 400
"""Characters of what an unexpected end is told with."""


def interpreter() -> str:
    """The Python that runs here; empty where another program has Python inside and does not say where it lies."""
    path = Path(sys.executable or "")
    return str(path) if path.name.lower().startswith("python") and path.is_file() else ""


class WarmUpProcess:
    """Compiles from `start` on. part: 0 to 1. At its end: complete, or failure with the reason, which is a crash if it
    has died; or neither, if it was cancelled. seconds: how long it took."""

    def __init__(self, command: Sequence[str] | None = None) -> None:
        """command: the program to run, as in tests; None for the compiler."""
        self._command = list(command or (interpreter(), "-I", str(PROGRAM)))
        self.part, self.seconds = 0.0, 0.0
        self.failure = ""
        self.complete = self.died = False
        self._begun = time.perf_counter()
        self._cancelled = False
        self._ended = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Raises RedMaxError where no process can be started."""
        if not self._command[0]:
            raise RedMaxError("The fast solver cannot be prepared in a process of its own: no Python was found")
        wish = json.dumps(_wish()).encode() + b"\n"
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        try:
            self._process = subprocess.Popen(self._command, creationflags=QUIET, **pipes)  # noqa: S603 (no shell)
            assert self._process.stdin is not None
            with suppress(BrokenPipeError):  # it ended at once; why is told like any other end
                self._process.stdin.write(wish)
                self._process.stdin.flush()
        except OSError as error:
            raise RedMaxError(f"The fast solver cannot be prepared in a process of its own: {error}") from None
        threading.Thread(target=self._listen, name="RedMax preparation", daemon=True).start()

    def _listen(self) -> None:
        """Take in what the process says until it ends."""
        process = self._process
        assert process is not None
        assert process.stdout is not None
        last = ""
        for line in process.stdout:
            text = line.decode(errors="replace").strip()
            if not self._understood(text) and text:
                last = text
        code = process.wait()
        process.stdout.close()
        with suppress(OSError):
            process.stdin.close()  # type: ignore[union-attr]
        self.died = not (self.complete or self.failure or self._cancelled)
        if self.died:
            why = f"exit code {code}" + f": {last}" * bool(last)
            self.failure = f"The compiler of the fast solver ended unexpectedly ({why[:LONGEST]})"
        self.seconds = time.perf_counter() - self._begun
        self._ended.set()

    def _understood(self, text: str) -> bool:
        try:
            said = json.loads(text)
        except ValueError:
            return False
        match said:
            case {"part": int() | float() as part} if 0.0 <= part <= 1.0:
                self.part = float(part)
            case {"ready": True}:
                self.part, self.complete = 1.0, True
            case {"failure": str() as failure}:
                self.failure = failure[:LONGEST]
            case _:
                return False
        return True

    @property
    def finished(self) -> bool:
        """True once the process has ended."""
        return self._ended.is_set()

    def cancel(self) -> None:
        """End it; functions that are compiled are kept."""
        self._cancelled = True
        if self._process is not None and not self.finished:
            self._process.terminate()

    def wait(self, seconds: float) -> bool:
        """Wait until it has ended, at most so long; True if it has."""
        return self._ended.wait(seconds)

    def abandon(self, seconds: float) -> None:
        """End it whatever it takes, waiting at most so long twice."""
        self.cancel()
        if self._process is not None and not self.wait(seconds):
            self._process.kill()
            self.wait(seconds)


def _wish() -> dict[str, Any]:
    """Where the engine lies, by which names, and where its machine code is kept."""
    names = ENGINE.split(".")[:-1]
    above = [".".join(names[: count + 1]) for count in range(len(names))]
    return {
        "engine": ENGINE,
        "path": [entry for entry in sys.path if isinstance(entry, str)],
        "above": {
            name: list(getattr(sys.modules[name], "__path__", ())) for name in above
        },  # Blender's bl_ext has none
        "place": str(place) if (place := cache_folder.wished()) is not None else None,
    }
