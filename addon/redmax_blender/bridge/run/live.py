# SPDX-License-Identifier: GPL-3.0-or-later
"""The one simulation that may run beside the artist's work: begun, shown as it computes, finished or given up.

A modal operator drives it by a timer. The scene is found anew at every tick, so that undo, deleting the scene or
loading another file end a run safely.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any, Literal

import bpy

from ..._engine import route
from ...properties.scene import integrator_of
from ..check import check_report
from ..core import time_left, unexpected
from ..extract import extraction as extract
from ..objects import changes
from ..results import cache, preparation, preview, result_history, shown
from . import simulation

MOST_NAMED = 3
"""Objects that a message names; of more it gives the number."""

PATIENCE = 5.0
"""Longest wait [s] for a frame that is being computed when a run must end at once, as when the add-on is disabled."""


STOPPED_WITHIN = 0.3
"""Seconds that a run which was asked to stop is waited for. A frame may take longer: then its thread is left to itself,
so that with the looks of the operator and what it costs to keep the result ESC acts within half a second."""


Level = Literal["INFO", "WARNING", "ERROR"]
LEVELS: dict[str, Level] = {"complete": "INFO", "stopped": "INFO", "failed": "ERROR"}
"""Who stops a run knows that it was stopped: no warning."""


@dataclass
class _Live:
    scene: int
    """session_uid of the scene"""
    run: simulation.Run
    names: dict[int, str]
    """By session_uid: the bodies and joints as they were called when it began."""
    shown: int = 0
    """Frames that were done when the bodies were put where the newest has them."""
    changed: bool = False
    """The artist edited the mechanism while it was simulated."""
    pace: time_left.Pace | None = None
    asked_to_stop: float | None = None
    """When it was."""


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
    check_report.show(extraction, bpy.context.window_manager.redmax, scene, of_result=False)
    extract.require_sound(extraction)
    return extraction, integrator_of(scene)


def unchanged(scene: bpy.types.Scene, extraction: extract.Extraction, integrator: Any) -> Outcome | None:
    """What to tell instead of simulating again what was simulated to its end; None where it must be simulated.

    A whole result that a stopped run has put aside is brought back where the scene is what it was then.
    """
    identifier, facts = cache.fingerprint(extraction, integrator), scene.redmax.result
    if result_history.is_former(scene, identifier):
        result_history.bring_back(scene)
    if facts.identifier != identifier or facts.status != result_history.COMPLETE or cache.load(scene) is None:
        return None
    if facts.changed:
        facts.changed = False
    changes.remember_settings(scene)
    text = f"Nothing has changed since the simulation: frames {facts.frame_start}-{facts.frame_end} kept"
    return Outcome("INFO", text, kept=True)


def begin(scene: bpy.types.Scene, extraction: extract.Extraction, integrator: Any) -> simulation.Run:
    """Start to simulate in a worker thread and show the frames as they come. Nobody waits for the fast solver."""
    global _current  # noqa: PLW0603  (there is one run at a time, and modules outlive operators)
    assert _current is None
    run = simulation.Run(extraction, integrator, route=preparation.route_now())
    try:
        _current = _Live(scene.session_uid, run, _names(extraction), pace=time_left.Pace(time.monotonic()))
        if scene.redmax.show_result:
            preview.begin_live(scene, shown.Growing(run))
        run.start()
    except BaseException:  # as where no thread can be had: nothing runs then
        _forget()
        raise
    return run


def _names(extraction: extract.Extraction) -> dict[int, str]:
    """Bodies and joints by session_uid, which stays when they are renamed."""
    names = {body.name for body in extraction.bodies} | set(extraction.joint_objects.values())
    found: list[Any] = [bpy.data.objects.get((name, None)) for name in sorted(names)]
    return {obj.session_uid: obj.name for obj in found if obj is not None}


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


def remaining() -> str:
    """How long the run will still take, as in "about 12 s left"; empty where that is not known."""
    assert _current is not None
    assert _current.pace is not None
    now, run = time.monotonic(), _current.run
    _current.pace.note(now, run.frames_done)
    return time_left.text(_current.pace.left(now, run.frames_total))


def by_numpy() -> str:
    """What to say of a run that numpy computes because the fast solver is not ready; empty for any other."""
    return _stand_in(_current.run) if _current is not None else ""


def _stand_in(run: simulation.Run) -> str:
    if run.route != route.NUMPY:
        return ""
    part = preparation.part()
    if part is None:
        return "by numpy, as the fast solver was not ready when it began"
    return f"by numpy while the fast solver is being prepared ({100.0 * part:.0f} %)"


def preparing() -> float | None:
    """Which part of the fast solver is compiled, 0 to 1; None unless that is going on."""
    return _current.run.preparing if _current is not None else None


def show_newest() -> None:
    """Let the bodies stand as at the newest frame there is."""
    scene = scene_of_run()
    if scene is None or _current is None or not _current.run.frames_done or not scene.redmax.show_result:
        return
    done = _current.run.frames_done
    if done != _current.shown:
        _current.shown = done
        preview.show_live(scene, _current.run.extraction.frame_start + done - 1)


def stop() -> None:
    """Ask the run to end after the step it computes; the frames that are done are kept."""
    if _current is not None:
        _current.run.cancel()
        if _current.asked_to_stop is None:
            _current.asked_to_stop = time.monotonic()


def stopping() -> bool:
    """True once the run was asked to end."""
    return _current is not None and _current.run.cancelled


def overdue() -> bool:
    """True for a run that was asked to end and is not waited for any longer."""
    asked = _current.asked_to_stop if _current is not None else None
    return asked is not None and time.monotonic() - asked >= STOPPED_WITHIN


def note_change() -> None:
    """The mechanism was edited: what is being computed will not fit it any more."""
    if _current is not None:
        _current.changed = True


def finish() -> Outcome:
    """Keep what the run computed and show it at the frame that the artist stands on.

    A run that still computes is left to itself: its thread touches nothing of Blender, and ends after its step.
    Where something is raised the run waits on, and `rescue` tries once more to keep its result.
    """
    live = _current
    assert live is not None
    live.run.cancel()
    scene = scene_of_run()
    if scene is None:
        _forget()
        return Outcome("WARNING", "The scene that was simulated is gone; nothing was kept")
    try:
        outcome = keep(scene, live.run)
        meanwhile = _disturbances(live.names, scene) if outcome.kept else ""
        if live.changed or meanwhile:
            scene.redmax.result.changed = True
    finally:  # whatever is raised, bodies do not stay where the run had shown them
        preview.end_live()
        preview.show(scene)
    _forget()
    if meanwhile:
        text = f"{outcome.text}. Meanwhile {meanwhile}: simulate again before you bake"
        outcome = replace(outcome, text=text, level="WARNING" if outcome.level == "INFO" else outcome.level)
    return outcome


def _disturbances(names: dict[int, str], scene: bpy.types.Scene) -> str:
    """What happened to bodies and joints while they were simulated; empty for nothing."""
    present = {obj.session_uid: obj.name for obj in bpy.data.objects if obj.library is None}
    here = {obj.session_uid for obj in scene.objects}
    found = []
    for uid, name in names.items():
        if uid not in present:
            found.append(f"'{name}' was deleted")
        elif uid not in here:
            found.append(f"'{name}' was taken out of the scene")
        elif present[uid] != name:
            found.append(f"'{name}' was renamed to '{present[uid]}'")
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return ", ".join(found[:MOST_NAMED]) + more


def keep(scene: bpy.types.Scene, run: simulation.Run) -> Outcome:
    """Store what an ended run computed, if it is worth that; says how it went."""
    try:
        result = run.trajectory()
    except simulation.RedMaxError as error:
        return Outcome("INFO" if run.cancelled and not run.failure else "ERROR", str(error))
    level = LEVELS[result.status]
    if not simulation.worth_keeping(result):
        return Outcome(level, f"{result.message}; nothing was kept")
    identifier, facts = cache.fingerprint(run.extraction, run.integrator), scene.redmax.result
    whole = result.status == result_history.COMPLETE
    if not whole and facts.identifier == identifier and result_history.is_whole(scene):
        stays = f"The whole result, frames {facts.frame_start}-{facts.frame_end}, stays"
        return Outcome(level, f"{run.ending(result)}. {stays}")
    former = facts.identifier
    note = simulation.store_result(scene, run.extraction, run.integrator, result, run.seconds)
    preview.forget(former)
    preview.forget(scene.redmax.result.identifier)
    text = f"{result.message} in {run.seconds:.1f} s" if whole else result.message
    if whole and (stand_in := _stand_in(run)):
        text += f", {stand_in}"
    level = "WARNING" if (note or scene.redmax.result.remark) and level == "INFO" else level
    return Outcome(level, f"{text}. {note}" if note else text, kept=True)


def abandon() -> str:
    """End the run without keeping anything, as its file is closed; returns what to tell, empty if nothing ran."""
    live = _current
    if live is None:
        return ""
    scene = scene_of_run()
    live.run.cancel()
    _forget()
    live.run.wait(PATIENCE)
    of = f" of scene '{scene.name}'" if scene is not None else ""
    return f"The simulation{of} was given up after {live.run.frames_done} frames, as another file was opened"


def finish_now() -> Outcome | None:
    """End the run and keep what it has; for when no further tick will come. None if nothing ran."""
    if _current is None:
        return None
    stop()
    _current.run.wait(PATIENCE)
    return finish()


def rescue() -> Outcome:
    """End the run after an error that nobody foresaw: what can be kept is kept, and nothing is raised."""
    try:
        outcome = finish_now()
    except Exception as error:  # it may well be the same error again
        _forget()
        return Outcome("ERROR", unexpected.told("Keeping the result", error))
    return outcome or Outcome("ERROR", "")


def _forget() -> None:
    global _current  # noqa: PLW0603
    _current = None
    preview.end_live()
