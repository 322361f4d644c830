# SPDX-License-Identifier: GPL-3.0-or-later
"""The fast solver: compiled once for each computer, by the first Simulate or ahead of it, beside the artist's work."""

from __future__ import annotations

import functools
import logging
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import bpy

from .._engine import cache_folder, errors, route, warm_up
from . import unexpected

if TYPE_CHECKING:
    from ..registration import Ledger

log = logging.getLogger(__package__)

FOLDER = "kernels"
PATIENCE = 5.0
"""Longest wait [s] for the function that is being compiled when the add-on is disabled."""


def text(part: float) -> str:
    """What to say while the fast solver is compiled. part: 0 to 1."""
    return f"Preparing the fast solver (once, about {warm_up.TYPICAL_SECONDS} s): {100.0 * part:.0f} %"


class Preparation:
    """Compiles in a worker thread (`start`) or in the calling one (`work`). part: 0 to 1. failure: why it ended."""

    def __init__(self) -> None:
        self.part = 0.0
        self.failure = ""
        self.complete = False
        self.seconds = 0.0
        self._cancelled = threading.Event()
        self._ended = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self.work, name="RedMax preparation", daemon=True).start()

    def work(self) -> None:
        """Compile until all is done, a failure or `cancel`; never raises."""
        begun = time.perf_counter()
        try:
            self.complete = warm_up.warm_up(self._show, stopped=self._cancelled.is_set)
        except errors.RedMaxError as error:
            log.exception("RedMax: the fast solver could not be prepared")
            self.failure = str(error)
        except Exception as error:  # a worker thread has nobody above it: the reason must not be lost
            self.failure = unexpected.told("Preparing the fast solver", error)
        finally:
            self.seconds = time.perf_counter() - begun
            solver.cache_clear()
            self._ended.set()

    def _show(self, part: float, _what: str) -> None:
        self.part = part

    def cancel(self) -> None:
        """Ask it to end after the function that is being compiled; what is done is kept."""
        self._cancelled.set()

    @property
    def finished(self) -> bool:
        return self._ended.is_set()

    def wait(self, seconds: float) -> bool:
        return self._ended.wait(seconds)


_current: Preparation | None = None


def begin() -> Preparation:
    """Start to compile in a worker thread."""
    global _current  # noqa: PLW0603  (there is one at a time, and modules outlive operators)
    assert _current is None or _current.finished
    _current = Preparation()
    _current.start()
    return _current


def current() -> Preparation | None:
    """The one that is going on; None if there is none."""
    return _current if _current is not None and not _current.finished else None


def abandon() -> None:
    """End it, as the add-on is disabled."""
    global _current  # noqa: PLW0603
    if _current is not None:
        _current.cancel()
        _current.wait(PATIENCE)
        _current = None


class Solver(NamedTuple):
    """What computes here. name: for people. compiled: by numba. ready: nothing is left to compile. size: bytes on disk.

    note: what the user should know of it.
    """

    name: str
    compiled: bool
    ready: bool
    size: int
    note: str


@functools.cache
def solver() -> Solver:
    """Found out once and again after every change: draw() only shows it. Does not load numba, which takes long."""
    why = route.why_numpy(load="numba" in sys.modules)
    if why:
        hint = "" if route.found("numba") else "; install the full zip of RedMax for speed"
        return Solver("Plain numpy", compiled=False, ready=True, size=0, note=f"{why}{hint}")
    return Solver(
        name=f"Compiled, numba {route.found('numba')}",
        compiled=True,
        ready=cache_folder.is_ready(warm_up.READY),
        size=cache_folder.size(),
        note=cache_folder.note(),
    )


def clear() -> None:
    """Delete what is kept on disk; raises OSError where that is impossible. What is loaded goes on computing."""
    try:
        cache_folder.clear()
    finally:
        solver.cache_clear()


def register(ledger: Ledger) -> None:
    """Keep machine code in the extension's own folder, which Blender removes together with it."""
    package = __package__.rpartition(".")[0]
    solver.cache_clear()
    if package.startswith("bl_ext."):
        cache_folder.use(Path(bpy.utils.extension_path_user(package)) / FOLDER)
        ledger.on_undo(lambda: cache_folder.use(None))
    ledger.on_undo(abandon)
