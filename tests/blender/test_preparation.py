# SPDX-License-Identifier: GPL-3.0-or-later
"""The fast solver is prepared in the open: told in the panels, the status bar and the terminal, and stopped by ESC.

Blender's own Python has no numba, so the compiler is played here; tests/extension has the real one.
"""

from __future__ import annotations

import re
import threading
import time
from types import SimpleNamespace

import bpy
import pytest
import swinging
from recording_layout import RecordingLayout

from redmax_blender import cli, headless, preferences
from redmax_blender.bridge import live, preparation, simulation
from redmax_blender.bridge.findings import RedMaxError
from redmax_blender.ops.simulate import REDMAX_OT_simulate
from redmax_blender.ops.warm_up import REDMAX_OT_warm_up

PARTS = (0.0, 0.4, 1.0)


class Compiler:
    """Stands in for the engine's: three functions, each of which waits for `go`; and what was asked of it."""

    def __init__(self, *, waiting: bool = False, failing: bool = False) -> None:
        self.go = threading.Semaphore(0 if waiting else 100)
        self.failing, self.warm, self.threads = failing, False, []

    def is_warm(self) -> bool:
        return self.warm

    def warm_up(self, progress, *, stopped) -> bool:
        self.threads.append(threading.current_thread().name)
        for part in PARTS:
            progress(part, "place.place_ball")
            assert self.go.acquire(timeout=60)
            if self.failing:
                raise RedMaxError("The fast solver could not be prepared")
            if stopped():
                return False
        self.warm = True
        return True


@pytest.fixture
def compiler(monkeypatch):
    def use(**settings) -> Compiler:
        made = Compiler(**settings)
        monkeypatch.setattr(simulation.warm_up, "is_warm", made.is_warm)
        monkeypatch.setattr(simulation.warm_up, "warm_up", made.warm_up)
        solver = preparation.Solver("Compiled, numba 0.62.1", compiled=True, ready=False, size=6_400_000, note="")
        monkeypatch.setattr(preparation, "solver", CachedSolver(solver, made))
        return made

    yield use
    live.abandon()
    preparation.abandon()
    bpy.context.window_manager.redmax.property_unset("message")
    bpy.context.window_manager.redmax.property_unset("progress")


class CachedSolver:
    def __init__(self, solver, compiler):
        self.solver, self.compiler = solver, compiler

    def __call__(self):
        return self.solver._replace(ready=self.compiler.warm)

    def cache_clear(self):
        """Nothing is kept."""


def until(condition, seconds=30.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


def begin():
    scene = swinging.build(frames=(1, 5))
    return scene, live.begin(scene, *live.prepare(scene, bpy.context.view_layer))


def window():
    """A context whose status bar can be read: a background Blender has none."""
    said: list[str | None] = []
    manager = bpy.context.window_manager
    windows = SimpleNamespace(redmax=manager.redmax, windows=(), progress_update=lambda _value: None)
    return SimpleNamespace(window_manager=windows, workspace=SimpleNamespace(status_text_set=said.append)), said


# --- Simulate --------------------------------------------------------------------------------


def test_a_cold_run_prepares_in_its_thread_and_says_so_in_panel_and_status_bar(compiler):
    made = compiler(waiting=True)
    _scene, run = begin()
    context, said = window()
    made.go.release()
    until(lambda: live.preparing() == 0.4)
    REDMAX_OT_simulate._show_progress(SimpleNamespace(), context)
    message = context.window_manager.redmax.message
    assert re.fullmatch(r"Preparing the fast solver \(once, about \d+ s\): 40 %", message)
    assert context.window_manager.redmax.progress == pytest.approx(0.4)
    assert message in said[-1]
    assert "ESC" in said[-1]
    made.go.release(10)
    until(live.finished)
    assert made.threads == ["RedMax simulation"]
    assert live.preparing() is None
    assert run.preparing_seconds > 0.0
    REDMAX_OT_simulate._show_progress(SimpleNamespace(), context)
    assert context.window_manager.redmax.message.startswith("Simulating frame 5")
    assert live.finish().kept


def test_escape_ends_a_preparation_and_nothing_is_kept(compiler):
    made = compiler(waiting=True)
    scene, _run = begin()
    until(lambda: live.preparing() == 0.0)
    live.stop()
    made.go.release()
    until(live.finished)
    outcome = live.finish()
    assert (outcome.level, outcome.text, outcome.kept) == ("WARNING", "Stopped before the first frame", False)
    assert scene.redmax.result.identifier == ""
    assert not made.warm


def test_a_warm_run_prepares_nothing(compiler):
    made = compiler()
    made.warm = True
    _scene, _run = begin()
    until(live.finished)
    assert made.threads == []
    assert live.finish().kept


def test_a_compiler_that_fails_is_told_in_its_own_words(compiler):
    compiler(failing=True)
    swinging.build(frames=(1, 5))
    with pytest.raises(RuntimeError, match="The fast solver could not be prepared"):
        bpy.ops.redmax.simulate()


def test_scripts_and_headless_runs_print_it(compiler, capfd, tmp_path):
    compiler()
    swinging.build(frames=(1, 5))
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    assert re.search(r"Preparing the fast solver \(once, about \d+ s\): 40%", capfd.readouterr().err)
    compiler()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert cli.main(["bake", "--report", str(tmp_path / "report.json")]) == 0
    said = capfd.readouterr().err
    assert said.index("Preparing the fast solver") < said.index("Simulating")
    compiler()
    assert cli.main(["bake", "--report", str(tmp_path / "report.json"), "--quiet"]) == 0
    assert "Preparing" not in capfd.readouterr().err


@pytest.mark.parametrize("options", [(), ("--shared",)])
def test_the_command_prepares_ahead_of_time_or_says_why_there_is_nothing_to_do(capfd, options):
    assert cli.main(["warm-up", *options]) == 0
    assert "Plain numpy computes here, there is nothing to prepare: numba is not installed" in capfd.readouterr().out


def test_a_report_keeps_the_time_of_the_preparation_apart(compiler):
    compiler()
    swinging.build(frames=(1, 5))
    report = headless.bake_file(None)
    assert report.exit_code == 0
    assert 0.0 < report.seconds["prepare"] < report.seconds["total"]
    assert report.seconds["simulate"] > 0.0
    assert report.route.startswith("numpy ")
    assert report.versions["numba"] is None


# --- Warm Up and Clear -----------------------------------------------------------------------


def texts():
    layout = RecordingLayout()
    preferences.REDMAX_AP_preferences.draw(SimpleNamespace(layout=layout), bpy.context)
    return layout.texts()


def test_without_numba_preferences_say_what_to_install_and_offer_nothing():
    preparation.solver.cache_clear()
    layout = RecordingLayout()
    preferences.REDMAX_AP_preferences.draw(SimpleNamespace(layout=layout), bpy.context)
    said = layout.texts()
    assert said[said.index("Solver") + 1] == "Plain numpy"
    assert "Numba is not installed; install the full zip of RedMax for speed" in said
    assert not {"redmax.warm_up", "redmax.clear_kernels"} & set(layout.operators()), "there is nothing to prepare"
    with pytest.raises(RuntimeError, match="Plain numpy computes here: numba is not installed"):
        bpy.ops.redmax.warm_up()


def test_preferences_follow_the_solver(compiler):
    made = compiler(waiting=True)
    assert preferences.UNPREPARED in texts()
    running = preparation.begin()
    made.go.release()
    until(lambda: running.part == 0.4)
    assert preparation.text(0.4) in texts()
    made.go.release(10)
    until(lambda: running.finished)
    assert "Ready, 6.4 MB on disk" in texts()


def test_warm_up_at_once_says_how_long_it_took(compiler):
    made = compiler()
    assert bpy.ops.redmax.warm_up() == {"FINISHED"}
    assert made.warm
    assert re.fullmatch(r"The fast solver is ready, \d+\.\d s", bpy.context.window_manager.redmax.message)


def operator(running):
    """The operator as Blender runs it, without its window."""
    reports: list[tuple[set[str], str]] = []
    made = SimpleNamespace(_timer=None, _preparation=running, report=lambda *what: reports.append(what))
    for name in ("_tell", "_clean_up"):
        setattr(made, name, getattr(REDMAX_OT_warm_up, name).__get__(made))
    return made, reports


def test_warm_up_beside_the_artists_work_tells_and_can_be_stopped(compiler):
    made = compiler(waiting=True)
    running = preparation.begin()
    warm_up, reports = operator(running)
    context, said = window()
    tick, escape = SimpleNamespace(type="TIMER"), SimpleNamespace(type="ESC", value="PRESS")
    assert REDMAX_OT_warm_up.modal(warm_up, context, tick) == {"PASS_THROUGH"}
    assert preparation.text(0.0) in said[-1]
    assert REDMAX_OT_warm_up.modal(warm_up, context, escape) == {"RUNNING_MODAL"}
    made.go.release()
    until(lambda: running.finished)
    assert REDMAX_OT_warm_up.modal(warm_up, context, tick) == {"CANCELLED"}
    assert reports == [({"WARNING"}, "Stopped; what is compiled is kept")]
    assert said[-1] is None


def test_what_is_in_use_is_left_alone(compiler):
    made = compiler(waiting=True)
    swinging.build(frames=(1, 5))
    preparation.begin()
    with pytest.raises(RuntimeError, match="The fast solver is being prepared; wait until it is ready"):
        bpy.ops.redmax.simulate()
    for button in (bpy.ops.redmax.warm_up, bpy.ops.redmax.clear_kernels):
        with pytest.raises(RuntimeError, match="It is in use"):
            button()
    made.go.release(10)


def test_clear_deletes_and_says_what_it_cannot(compiler, monkeypatch):
    compiler()
    cleared: list[bool] = []
    monkeypatch.setattr(preparation.cache_folder, "clear", lambda: cleared.append(True))
    assert bpy.ops.redmax.clear_kernels() == {"FINISHED"}
    assert cleared == [True]

    def refuse():
        raise PermissionError(13, "Permission denied", "C:/kernels")

    monkeypatch.setattr(preparation.cache_folder, "clear", refuse)
    with pytest.raises(RuntimeError, match="'C:/kernels' cannot be deleted: Permission denied"):
        bpy.ops.redmax.clear_kernels()


def test_disabling_ends_a_preparation(compiler):
    made = compiler(waiting=True)
    running = preparation.begin()
    until(lambda: made.threads)
    threading.Timer(0.2, made.go.release, (10,)).start()
    preparation.abandon()
    assert running.finished
    assert not running.complete
    assert preparation.current() is None
