# SPDX-License-Identifier: GPL-3.0-or-later
"""The one simulation that may run beside the artist's work: begun, shown as it computes, finished or given up.

A modal operator drives it by a timer. The scene is found anew at every tick, so that undo, deleting the scene or
loading another file end a run safely.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import bpy

from ..properties.scene import integrator_of
from . import changes, check_report, extract, preview, shown, simulation

PATIENCE = 5.0
"""Longest wait [s] for a frame that is being computed when a run must end at once, as when the add-on is disabled."""


Level = Literal["INFO", "WARNING", "ERROR"]
LEVELS: dict[str, Level] = {"complete": "INFO", "stopped": "WARNING", "failed": "ERROR"}


@dataclass
class _Live:
    scene: int
    """session_uid of the scene"""
    frame_before: int
    run: simulation.Run
    changed: bool = False
    """The artist edited the mechanism while it was simulated."""


@dataclass(frozen=True)
class Outcome:
    """How a run ended. level: of the report. text: what to tell. kept: whether there is a new result."""

    level: Level
    text: str
    kept: bool = False


_current: _Live | None = None


def running() -> bool:
    """True while a simulation runs or waits to be finished."""
    return _current is not None


def prepare(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> tuple[extract.Extraction, Any]:
    """What to simulate and how; the panels show what was found in the scene, like after Check.

    Raises BridgeError with every finding that keeps the scene from being simulated.
    """
    with preview.paused(), changes.ours():
        extraction = check_report.look(scene, view_layer)
    check_report.show(extraction, bpy.context.window_manager.redmax, scene)
    extract.require_sound(extraction)
    return extraction, integrator_of(scene)


def begin(scene: bpy.types.Scene, extraction: extract.Extraction, integrator: Any) -> simulation.Run:
    """Start to simulate in a worker thread and show the frames as they come."""
    global _current  # noqa: PLW0603  (there is one run at a time, and modules outlive operators)
    assert _current is None
    run = simulation.Run(extraction, integrator)
    _current = _Live(scene.session_uid, scene.frame_current, run)
    if scene.redmax.show_result:
        preview.begin_live(scene, shown.Growing(run))
    run.start()
    return run


def scene_of_run() -> bpy.types.Scene | None:
    """The scene that is simulated, None if it is gone."""
    if _current is None:
        return None
    return next((scene for scene in bpy.data.scenes if scene.session_uid == _current.scene), None)


def finished() -> bool:
    """True once the run only waits to be finished."""
    return _current is not None and _current.run.finished


def progress() -> tuple[int, int, int]:
    """Frames done, frames in all, and the frame of the timeline that was computed last."""
    assert _current is not None
    run = _current.run
    done = run.frames_done
    return done, run.frames_total, run.extraction.frame_start + max(done - 1, 0)


def preparing() -> float | None:
    """Which part of the fast solver is compiled, 0 to 1; None unless that is going on."""
    return _current.run.preparing if _current is not None else None


def show_newest() -> None:
    """Move the timeline to the newest frame there is."""
    scene = scene_of_run()
    if scene is None or _current is None or not _current.run.frames_done or not scene.redmax.show_result:
        return
    frame = _current.run.extraction.frame_start + _current.run.frames_done - 1
    if scene.frame_current != frame:
        scene.frame_set(frame)


def stop() -> None:
    """Ask the run to end after the frame it computes; what is done is kept."""
    if _current is not None:
        _current.run.cancel()


def note_change() -> None:
    """The mechanism was edited: what is being computed will not fit it any more."""
    if _current is not None:
        _current.changed = True


def finish() -> Outcome:
    """Keep what the ended run computed and go back to the frame the artist stood on."""
    live = _current
    assert live is not None
    assert live.run.finished
    scene = scene_of_run()
    _forget()
    if scene is None:
        return Outcome("WARNING", "The scene that was simulated is gone; nothing was kept")
    outcome = keep(scene, live.run)
    if live.changed:
        scene.redmax.result.changed = True
    if scene.frame_current != live.frame_before:
        scene.frame_set(live.frame_before)
    preview.show(scene)
    return outcome


def keep(scene: bpy.types.Scene, run: simulation.Run) -> Outcome:
    """Store what an ended run computed, if it is worth that; says how it went."""
    try:
        result = run.trajectory()
    except simulation.RedMaxError as error:
        return Outcome("WARNING" if run.cancelled and not run.failure else "ERROR", str(error))
    level = LEVELS[result.status]
    if not simulation.worth_keeping(result):
        return Outcome(level, f"{result.message}; nothing was kept")
    former = scene.redmax.result.identifier
    note = simulation.store_result(scene, run.extraction, run.integrator, result, run.seconds)
    preview.forget(former)
    preview.forget(scene.redmax.result.identifier)
    text = f"{result.message} in {run.seconds:.1f} s" if result.status == "complete" else result.message
    level = "WARNING" if note and level == "INFO" else level
    return Outcome(level, f"{text}. {note}" if note else text, kept=True)


def abandon() -> None:
    """End the run without keeping anything: its file is closed, or the add-on is disabled."""
    live = _current
    if live is None:
        return
    live.run.cancel()
    _forget()
    live.run.wait(PATIENCE)


def finish_now() -> None:
    """End the run and keep what it has; for when no further tick will come."""
    if _current is None:
        return
    stop()
    if _current.run.wait(PATIENCE):
        finish()
    else:
        abandon()


def _forget() -> None:
    global _current  # noqa: PLW0603
    _current = None
    preview.end_live()
