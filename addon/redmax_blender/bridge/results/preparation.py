# SPDX-License-Identifier: GPL-3.0-or-later
"""The fast solver: compiled once for each computer, in a process of its own, while simulations run by numpy.

In a window nobody waits for it: `ensure` begins as soon as there is a mechanism, `route_now` says what computes until
it is ready. Runs without a window compile first, in their own process, as a batch gains from it.
"""

from __future__ import annotations

import functools
import logging
import os
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from ... import _engine
from ..._engine import cache_folder, errors, route, warm_up, warm_up_process
from ..core import unexpected

if TYPE_CHECKING:
    from ...registration import Ledger

log = logging.getLogger(__package__)

FOLDER = "kernels"
PATIENCE = 5.0
"""Longest wait [s] for the function that is being compiled when the add-on is disabled."""

INTERVAL = 0.5
"""Seconds between two looks at the process that compiles."""

MOST_STARTS = 3
"""How often a process that died is started in a session before the fast solver is given up."""

AREAS = {"VIEW_3D", "PROPERTIES", "PREFERENCES"}
"""Where the state of the fast solver is shown."""


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

    def abandon(self, seconds: float) -> None:
        """End it, waiting at most so long."""
        self.cancel()
        self.wait(seconds)


Work = Preparation | warm_up_process.WarmUpProcess

_current: Work | None = None
_state: dict[str, Any] = {"starts": 0, "compiled here": False, "given up": False, "untold": ""}
"""starts: of processes, in this session. compiled here: all kernels are in memory, even where none can be kept on disk.
given up: it failed or was stopped. untold: what the artist should know of it, once no simulation runs."""


def begin() -> Work:
    """Start to compile: in a process of its own; in a worker thread where there is no Python for one, or where nothing
    can be kept on disk, so that another process would compile in vain."""
    global _current  # noqa: PLW0603  (there is one at a time, and modules outlive operators)
    assert _current is None or _current.finished
    _current = warm_up_process.WarmUpProcess() if _is_kept() and warm_up_process.interpreter() else Preparation()
    _state["starts"] += 1
    try:
        _current.start()
    except errors.RedMaxError as error:
        log.warning("RedMax: %s", error)
        _current = Preparation()
        _current.start()
    _watch_soon()
    return _current


def _is_kept() -> bool:
    return cache_folder.writable() is not None


def current() -> Work | None:
    """The one that is going on; None if there is none."""
    return _current if _current is not None and not _current.finished else None


def ensure() -> None:
    """Begin to compile what is not compiled yet, unless that goes on or was given up. For sessions with a window."""
    settle()
    if current() is None and not _state["given up"] and not is_ready():
        begin()


def settle() -> None:
    """Take note of how a preparation ended; `watch` tells it."""
    global _current  # noqa: PLW0603
    done = _current
    if done is None or not done.finished:
        return
    _current = None
    solver.cache_clear()
    if done.complete:
        _state["compiled here"] = _state["compiled here"] or isinstance(done, Preparation)
        _state["untold"] = f"The fast solver is ready, {done.seconds:.0f} s: the next simulation uses it"
        return
    if not done.failure:  # somebody stopped it, and may go on by Warm Up
        _state["given up"] = True
        return
    log.warning("RedMax: %s", done.failure)
    if getattr(done, "died", False) and _state["starts"] < MOST_STARTS:
        return  # the next `ensure` starts it again
    told = f"{done.failure}. Simulations run by numpy; Warm Up in the preferences tries again"
    _state["given up"], _state["untold"] = True, told


def is_ready() -> bool:
    """Whether nothing has to be compiled for the next run: all is there, or numpy computes anyway."""
    return not solver().compiled or solver().ready or _state["compiled here"]


def route_now() -> str:
    """The route of a run that begins now and must not wait: numpy while the fast solver is not ready; empty for the
    usual one."""
    settle()
    asked = os.environ.get(route.VARIABLE) == route.NUMBA  # who asks for it waits for it
    return "" if asked or is_ready() else route.NUMPY


def part() -> float | None:
    """Which part is compiled, 0 to 1; None unless that is going on."""
    going = current()
    return going.part if going is not None else None


def retry() -> None:
    """Somebody asks for it: what was given up may be tried again."""
    _state.update({"starts": 0, "given up": False, "untold": ""})


def abandon() -> None:
    """End it, as the add-on is disabled."""
    global _current  # noqa: PLW0603
    if bpy.app.timers.is_registered(watch):
        bpy.app.timers.unregister(watch)
    if _current is not None:
        _current.abandon(PATIENCE)
        _current = None
    retry()


def _watch_soon() -> None:
    """Show it in the panels as it goes on; without a window nobody looks, and no timer runs."""
    if not bpy.app.background and not bpy.app.timers.is_registered(watch):
        bpy.app.timers.register(watch, first_interval=INTERVAL, persistent=True)  # also when another file is opened


def watch() -> float | None:
    """Timer: what panels show of the preparation. Starts a process again that has died."""
    try:
        return _shown()
    except Exception as error:
        bpy.context.window_manager.redmax.message = unexpected.told("Preparing the fast solver", error)
        return None


def _shown() -> float | None:
    manager = bpy.context.window_manager
    died = _current is not None and _current.finished and getattr(_current, "died", False)
    settle()
    if died:
        ensure()
    done = part()
    manager.redmax.preparing = -1.0 if done is None else done
    if _state["untold"] and not manager.redmax.running:
        manager.redmax.message, _state["untold"] = _state["untold"], ""
    for window in manager.windows:
        for area in window.screen.areas:
            if area.type in AREAS:
                area.tag_redraw()
    return None if done is None and not _state["untold"] else INTERVAL


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
        _state["compiled here"] = False
        solver.cache_clear()


def register(ledger: Ledger) -> None:
    """Keep machine code in the extension's own folder, which Blender removes together with it."""
    package = _engine.__package__ or ""
    solver.cache_clear()
    if package.startswith("bl_ext."):
        cache_folder.use(Path(bpy.utils.extension_path_user(package)) / FOLDER)
        ledger.on_undo(lambda: cache_folder.use(None))
    ledger.on_undo(abandon)
