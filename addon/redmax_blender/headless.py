# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulate and bake a .blend file without a window: one plain function behind every command.

`bake_file` never raises for what can go wrong on the way; its report says what happened and which exit code that is.
"""

from __future__ import annotations

import errno
import os
import signal
import stat
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy

from ._engine import errors, files, trajectory
from .bridge.bake import bake as baking
from .bridge.core import blend_files, unexpected
from .bridge.extract import extraction as extract
from .bridge.results import cache, preview
from .bridge.run import live, run_report, simulation, varied
from .bridge.run.run_report import FAILED, OK, PARTIAL, USAGE, Report
from .properties.scene import CHANNELS, CUSTOM

OnProgress = Callable[[int, int], None]
Change = Callable[[Any], Any]
"""What a variation makes of the engine's scene; raises RedMaxError for what does not fit it."""


class FileProblem(errors.RedMaxError):
    """A file that cannot be read or written, or a name that is not in it."""


def bake_file(
    source: Path | None,
    *,
    out: Path | None = None,
    frames: tuple[int, int] | None = None,
    scene: str | None = None,
    accuracy: str | None = None,
    integrator: str | None = None,
    pre_roll: int | None = None,
    options: Mapping[str, Any] | None = None,
    channels: Collection[str] | None = None,
    bake: bool = True,
    route: str = "",
    again: bool = False,
    report: Path | None = None,
    progress: OnProgress | None = None,
    preparing: simulation.OnPreparing | None = None,
    change: Change | None = None,
) -> Report:
    """Simulate a scene of a .blend file, bake it to keyframes and write it to another file.

    source: the file, None for the one that is open. out: where to write, None to write nothing; the source is only
    overwritten where it is named here. frames, accuracy, integrator, pre_roll, options, channels: instead of what the
    file says, None for that; they are written into the file, as its result depends on them. options: those of the Bake
    panel by name (`scene.redmax.bake`), such as tangents="LINEAR". bake: False only simulates; the result is then in
    the cache beside `out`. route: "numba" or "numpy" instead of the usual one, which is numba where it is installed;
    numpy waits for no compiler. again: simulate also where the file has a whole result of what is asked for. progress:
    called with the frames done and all frames. preparing: called while the fast solver is compiled, which a computer
    does once, with the part done (0 to 1) and what is compiled. change: simulates a variation of the mechanism; the
    setup in the file stays as it was.
    What a run computed before it failed, or before Ctrl+C, is baked and written too.
    """
    facts = Report(file=_shown(source or bpy.data.filepath), out=_shown(out))
    begun = time.perf_counter()
    try:
        _check_report(report, source or bpy.data.filepath, out)
    except FileProblem as error:  # the one thing that cannot be told in the report
        facts.refuse(str(error), USAGE)
        facts.out = None
        return facts
    try:
        _check_out(out)
        if source is not None:
            _open(source)
        chosen = _choose_scene(scene)
        facts.scene = chosen.name
        _apply(chosen, frames, accuracy, integrator, pre_roll, options or {}, channels)
        with cache.not_following():  # nothing is written beside the source
            _simulate_and_bake(
                chosen,
                facts,
                bake=bake,
                route=route,
                again=again,
                progress=progress,
                preparing=preparing,
                change=change,
            )
        if out is not None:
            facts.notes += filter(None, [_save(out)])
    except FileProblem as error:
        facts.refuse(str(error), USAGE)
    except errors.RedMaxError as error:
        facts.refuse(str(error), FAILED)
    except Exception as error:  # a farm needs its report whatever happens
        facts.refuse(unexpected.told("RedMax", error), FAILED)
    if facts.exit_code not in (OK, PARTIAL):
        facts.out = None
    facts.seconds["total"] = time.perf_counter() - begun
    facts.versions = run_report.versions()  # now, because an integrator loads scipy only where it needs it
    if report is not None:
        try:
            facts.save(report)
        except OSError as error:
            facts.refuse(f"{facts.message}; '{report}' cannot be written: {error.strerror or error}", USAGE)
    return facts


# --- the steps -------------------------------------------------------------------------------


def _check_report(report: Path | None, source: Path | str, out: Path | None) -> None:
    """Refuse a report that cannot be written, or that would take the place of a .blend file."""
    if report is None:
        return
    target = _target(report)
    blends = {Path(path).resolve() for path in (source, out) if path}
    if target in blends or target.suffix.lower() == ".blend":
        raise FileProblem(f"'{report}' is a .blend file, which the report would replace; let its name end in .json")


def _check_out(out: Path | None) -> None:
    """Say what cannot be written before anything is computed."""
    if out is not None and out.suffix != ".blend":
        raise FileProblem(f"'{out}' is no name of a .blend file; let it end in .blend")
    if out is not None:
        _target(out)


def _target(path: Path) -> Path:
    """The file that is written where `path` is named."""
    try:
        target = files.replaceable(path)
    except OSError as error:
        raise FileProblem(f"'{path}' cannot be written: {error.strerror or error}; give another name") from None
    if not target.parent.is_dir():
        raise FileProblem(f"'{target.parent}' is not a folder; create it or name another one")
    return target


def _open(source: Path) -> None:
    if not source.is_file():
        raise FileProblem(f"'{source}' is not a file; check the name")
    try:
        bpy.ops.wm.open_mainfile(filepath=str(source.resolve()), load_ui=False)
    except RuntimeError as error:
        raise FileProblem(f"'{source}' cannot be opened: {_reason(error)}") from None


def _choose_scene(name: str | None) -> bpy.types.Scene:
    if name is None:
        return bpy.context.scene
    # Compared here, as Blender's own search fails for names that are no Unicode text.
    chosen = next((scene for scene in bpy.data.scenes if scene.name == name), None)
    if chosen is None:
        known = ", ".join(f"'{scene.name}'" for scene in bpy.data.scenes)
        raise FileProblem(f"There is no scene '{name}'; the file has {known}")
    bpy.context.window.scene = chosen
    return chosen


def _apply(
    scene: bpy.types.Scene,
    frames: tuple[int, int] | None,
    accuracy: str | None,
    integrator: str | None,
    pre_roll: int | None,
    options: Mapping[str, Any],
    channels: Collection[str] | None,
) -> None:
    """Put what was asked for in place of what the file says. Without a range, all that is simulated is baked."""
    settings = scene.redmax
    if frames is not None:
        settings.use_range = True
        _set(settings, "frame_start", frames[0])
        _set(settings, "frame_end", frames[1])
    if accuracy is not None:
        _set(settings, "accuracy", accuracy.upper())
    if integrator is not None:
        _set(settings, "accuracy", CUSTOM)
        _set(settings, "integrator", integrator)
    if pre_roll is not None:
        _set(settings, "pre_roll", pre_roll)
    if channels is not None:
        for name in CHANNELS:
            setattr(settings.bake, name, name in channels)
    for name, value in {"range": "SCENE", "selected_only": False, **options}.items():
        _set(settings.bake, name, value)


def _set(group: Any, name: str, value: Any) -> None:
    """Set a property of the panels. Blender would bring a number that is out of range into it without a word."""
    prop = group.bl_rna.properties.get(name)
    if prop is None:
        raise FileProblem(f"There is no option '{name}'; the options are those of the panel by name")
    if prop.type == "POINTER" and isinstance(value, str):
        value = _object(group.id_data, value)
    try:
        if prop.type in ("INT", "FLOAT") and not prop.hard_min <= value <= prop.hard_max:
            least, most = (f"{bound:g}" if prop.type == "FLOAT" else bound for bound in (prop.hard_min, prop.hard_max))
            raise FileProblem(f"{prop.name} ({name}) is {_short(value)}; give a number from {least} to {most}")
        setattr(group, name, value)
    except (TypeError, ValueError) as error:
        raise FileProblem(f"{prop.name} ({name}) cannot be {_short(value)}: {error}") from None


def _object(scene: Any, name: str) -> bpy.types.Object:
    found: bpy.types.Object | None = scene.objects.get(name)
    if found is None:
        raise FileProblem(f"There is no object '{name}' in the scene '{scene.name}'")
    return found


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _simulate_and_bake(
    scene: bpy.types.Scene,
    facts: Report,
    *,
    bake: bool,
    route: str,
    again: bool,
    progress: OnProgress | None,
    preparing: simulation.OnPreparing | None,
    change: Change | None,
) -> None:
    view_layer = bpy.context.view_layer
    with preview.paused():
        with facts.timed("extract"):
            extraction, integrator = live.prepare(scene, view_layer)
            if change is not None:
                extraction = varied.extraction(extraction, change(extraction.scene))
        facts.describe(extraction, integrator, accuracy=scene.redmax.accuracy)
        kept = None if again else live.unchanged(scene, extraction, integrator)
        if kept is not None:
            result = cache.require(scene)
            facts.add_result(result, extraction)
            facts.notes.append(kept.text)
        else:
            result = _simulated(scene, facts, extraction, integrator, route, progress, preparing)
        if bake:
            with facts.timed("bake"):
                facts.add_bake(baking.bake(scene, view_layer, extraction, result, baking.BakeOptions.from_scene(scene)))


def _simulated(
    scene: bpy.types.Scene,
    facts: Report,
    extraction: extract.Extraction,
    integrator: Any,
    route: str,
    progress: OnProgress | None,
    preparing: simulation.OnPreparing | None,
) -> trajectory.Trajectory:
    """What a new run computed, which is the scene's result from now on."""
    run = simulation.Run(extraction, integrator, route=route)
    with _stopped_by_interrupt(run):
        run.work(progress, preparing)
    facts.seconds["prepare"], facts.seconds["simulate"] = run.preparing_seconds, run.seconds
    result = run.trajectory()
    facts.add_result(result, extraction)
    if not simulation.worth_keeping(result):
        raise errors.RedMaxError(result.message)
    facts.notes += filter(None, [simulation.store_result(scene, extraction, integrator, result, run.seconds)])
    return result


def _save(out: Path) -> str:
    """Write the open file as a copy, whole or not at all; returns what the user should know."""
    out = out.resolve()
    try:
        with files.replacing(out) as partial:  # in the same folder, so that relative paths are right
            mode = stat.S_IMODE(partial.stat().st_mode)
            partial.unlink()  # Blender would keep what it finds there as a backup
            with cache.not_following(), _creating_files_with(mode):
                bpy.ops.wm.save_as_mainfile(filepath=str(partial), copy=True)
            if not blend_files.is_whole(partial):
                raise OSError(errno.ENOSPC, "the disk is full")
    except RuntimeError as error:
        raise FileProblem(f"'{out}' cannot be written: {_reason(error)}") from None
    except OSError as error:
        raise FileProblem(f"'{out}' cannot be written: {error.strerror or error}") from None
    return cache.file_saved(str(out))


@contextmanager
def _creating_files_with(mode: int) -> Iterator[None]:
    """New files of this process get at most these permissions: a copy of a private file is never public."""
    before = os.umask(~mode & 0o777)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def _stopped_by_interrupt(run: simulation.Run) -> Iterator[None]:
    """Ctrl+C ends the run after the step it computes and keeps what is done; a second one ends the program."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(_number: int, _frame: Any) -> None:
        if run.cancelled:
            raise KeyboardInterrupt
        run.cancel()

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        # Blender's own handler was not installed from Python and cannot be put back from there.
        signal.signal(signal.SIGINT, before if before is not None else signal.default_int_handler)


def _shown(path: Path | str | None) -> str | None:
    return str(Path(path).resolve()) if path else None


def _reason(error: RuntimeError) -> str:
    """Blender's words without the 'Error: ' in front."""
    return str(error).strip().removeprefix("Error: ")
