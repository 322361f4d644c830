# SPDX-License-Identifier: GPL-3.0-or-later
"""Nobody waits for the fast solver in a window: a process compiles it, numpy computes meanwhile, and both are said.

Without a window a run compiles first. Blender's own Python has no numba, so the compiler is played here;
tests/extension has the real one.
"""

from __future__ import annotations

import re
import threading
from types import SimpleNamespace

import bpy
import pytest
import swinging
from gated_runs import until
from modal_simulate import ESC, RUNNING, TICK, Window
from played_compiler import PARTS, Played
from recording_layout import RecordingLayout

from redmax_blender import cli, handlers, headless, preferences
from redmax_blender._engine import route, warm_up_process
from redmax_blender.bridge.core.findings import RedMaxError
from redmax_blender.bridge.results import preparation
from redmax_blender.bridge.run import live, simulation
from redmax_blender.ops import simulate
from redmax_blender.ops.warm_up import REDMAX_OT_warm_up
from redmax_blender.ui import sidebar


class CachedSolver:
    """What preparation.solver says; ready: asked whenever it is."""

    def __init__(self, ready):
        self.ready = ready

    def __call__(self):
        name = "Compiled, numba 0.62.1"
        return preparation.Solver(name, compiled=True, ready=self.ready(), size=6_400_000, note="")

    def cache_clear(self):
        """Nothing is kept."""


@pytest.fixture(autouse=True)
def _afterwards():
    yield
    live.abandon()
    simulate.clean_up()
    preparation.abandon()
    for name in ("message", "progress", "preparing"):
        bpy.context.window_manager.redmax.property_unset(name)


@pytest.fixture
def played(tmp_path, monkeypatch):
    """A process that plays the compiler of a full zip in which nothing is prepared yet."""
    made = Played(tmp_path)
    monkeypatch.setattr(warm_up_process, "PROGRAM", made.program)
    monkeypatch.setattr(preparation, "_is_kept", lambda: True)
    monkeypatch.setattr(preparation, "solver", CachedSolver(lambda: made.ready))
    yield made
    made.go(9)


class Compiler:
    """Stands in for the engine's in this process: three functions, each of which waits for `go`."""

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
        monkeypatch.setattr(preparation, "_is_kept", lambda: False)
        monkeypatch.setattr(preparation, "solver", CachedSolver(lambda: made.warm))
        return made

    return use


def last_message():
    return bpy.context.window_manager.redmax.message


def panel():
    layout = RecordingLayout()
    sidebar.REDMAX_PT_simulate.draw(SimpleNamespace(layout=layout), bpy.context)
    return layout


def ended(window):
    """Send ticks until the operator has ended."""
    until(lambda: window.send(TICK) not in RUNNING)
    return window.reports[-1]


# --- Simulate in a window --------------------------------------------------------------------


def test_the_first_simulation_does_not_wait_and_says_what_computes(played, slow):
    """Numpy computes while the process compiles; the result says by which route, and is as good as any."""
    scene, window = swinging.build(frames=(1, 5)), Window()
    assert window.press() == {"RUNNING_MODAL"}
    played.go(1)
    until(lambda: preparation.part() == 0.4)
    slow(2)
    until(lambda: live.progress()[0] == 3)
    window.send(TICK)
    said = "Simulating frame 3 of 5, by numpy while the fast solver is being prepared (40 %)"
    assert window.status == f"RedMax: {said}    ESC: stop and keep what is done"
    slow(9)
    level, text = ended(window)
    assert level == "INFO"
    pattern = r"Simulated frames 1-5 in \d+\.\d s, by numpy while the fast solver is being prepared \(40 %\)"
    assert re.fullmatch(pattern, text)
    assert scene.redmax.result.route.startswith("numpy ")
    assert played.starts == 1
    assert preparation.current() is not None, "the process goes on"


def test_once_it_is_ready_the_next_run_uses_it_and_the_former_result_still_holds(played):
    scene, window = swinging.build(frames=(1, 5)), Window()
    window.press()
    assert live._current.run.route == route.NUMPY
    ended(window)
    identifier = scene.redmax.result.identifier
    played.go(9)
    until(lambda: preparation.current() is None)
    assert preparation.watch() is None
    assert re.fullmatch(r"The fast solver is ready, \d+ s: the next simulation uses it", last_message())
    assert preparation.route_now() == ""
    scene.redmax.result.route = "numba 0.62.1"
    assert window.press() == {"FINISHED"}
    assert window.reports[-1] == ("INFO", "Nothing has changed since the simulation: frames 1-5 kept")
    assert (scene.redmax.result.identifier, scene.redmax.result.changed) == (identifier, False)
    window.again = True
    assert window.press() == {"RUNNING_MODAL"}
    assert live._current.run.route == "", "chosen when the run begins"
    assert played.starts == 1


def test_a_run_that_began_by_numpy_ends_by_numpy(played, slow):
    scene, window = swinging.build(frames=(1, 5)), Window()
    window.press()
    played.go(9)
    until(lambda: preparation.current() is None)
    slow(9)
    assert ended(window)[1].endswith("s, by numpy, as the fast solver was not ready when it began")
    assert scene.redmax.result.route.startswith("numpy ")


def test_panel_3_shows_the_preparation_until_it_is_done(played):
    state = bpy.context.window_manager.redmax
    assert "redmax.simulate" in panel().operators()
    preparation.begin()
    played.go(1)
    until(lambda: preparation.part() == 0.4)
    assert preparation.watch() == preparation.INTERVAL
    assert state.preparing == pytest.approx(0.4)
    layout = panel()
    (bar,) = (call for call in layout.calls if call.what == "progress")
    assert (bar.text, bar.arguments["factor"]) == ("Preparing the fast solver: 40 %", pytest.approx(0.4))
    assert "numpy" in " ".join(layout.texts())
    assert "redmax.simulate" in layout.operators(), "nothing is greyed out meanwhile"
    played.go(9)
    until(lambda: preparation.current() is None)
    assert preparation.watch() is None
    assert state.preparing < 0.0
    assert not [call for call in panel().calls if call.what == "progress"]


def test_it_begins_as_soon_as_there_is_a_mechanism_and_a_window(played, monkeypatch):
    monkeypatch.setattr(handlers, "_has_window", lambda: True)
    handlers.look_again()
    assert preparation.current() is None
    swinging.build()
    handlers.look_again()
    assert preparation.current() is not None
    handlers.look_again()
    until(lambda: preparation.part() == 0.0 and played.starts)
    assert played.starts == 1, "one at a time"


def test_who_asks_for_numba_waits_for_it(played, monkeypatch):
    assert preparation.route_now() == route.NUMPY
    monkeypatch.setenv(route.VARIABLE, route.NUMBA)
    assert preparation.route_now() == ""


# --- the process -----------------------------------------------------------------------------


def test_a_process_that_dies_is_started_again_and_given_up_after_a_few_times(played, caplog):
    played.wish("crash")
    played.go(9)
    preparation.ensure()
    for starts in (1, 2):
        until(lambda: preparation._current.finished)
        assert played.starts == starts
        assert preparation.watch() == preparation.INTERVAL, "started again"
    until(lambda: preparation._current.finished)
    assert preparation.watch() is None
    assert "ended unexpectedly (exit code 9)" in last_message()
    assert "Simulations run by numpy" in last_message()
    preparation.ensure()
    assert preparation.current() is None
    assert played.starts == preparation.MOST_STARTS
    preparation.retry()
    preparation.ensure()
    assert preparation.current() is not None, "Warm Up tries again"


def test_a_compiler_that_cannot_is_told_once_and_numpy_goes_on(played, caplog):
    played.wish("fail")
    played.go(9)
    preparation.ensure()
    until(lambda: preparation._current.finished)
    preparation.watch()
    assert last_message().startswith("This processor is not known. Simulations run by numpy")
    preparation.ensure()
    assert preparation.current() is None
    window = Window()
    swinging.build(frames=(1, 5))
    window.press()
    assert "by numpy, as the fast solver was not ready" in ended(window)[1]
    assert played.starts == 1


def test_disabling_the_add_on_ends_the_process(played):
    running = preparation.begin()
    until(lambda: played.starts)
    preparation.abandon()
    assert running.finished
    assert running._process.poll() is not None
    assert (running.complete, running.failure) == (False, "")
    assert preparation.current() is None


@pytest.mark.parametrize("hindrance", ["no Python", "nothing kept"])
def test_where_no_process_helps_a_thread_compiles(compiler, monkeypatch, hindrance):
    """As where nothing can be kept on disk: what a process compiles would be lost with it."""
    made = compiler(waiting=True)
    if hindrance == "no Python":
        monkeypatch.setattr(preparation, "_is_kept", lambda: True)
        monkeypatch.setattr(warm_up_process, "interpreter", lambda: "")
    monkeypatch.setattr(preparation, "solver", CachedSolver(lambda: False))
    preparation.ensure()
    assert preparation.route_now() == route.NUMPY
    made.go.release(10)
    until(lambda: preparation.current() is None)
    assert made.threads == ["RedMax preparation"]
    assert preparation.route_now() == "", "it is in memory"
    preparation.clear()
    assert preparation.route_now() == route.NUMPY


# --- without a window ------------------------------------------------------------------------


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
    assert cli.main(["bake", "--report", str(tmp_path / "report.json"), "--again"]) == 0
    said = capfd.readouterr().err
    assert said.index("Preparing the fast solver") < said.index("Simulating")
    compiler()
    assert cli.main(["bake", "--report", str(tmp_path / "report.json"), "--again", "--quiet"]) == 0
    assert "Preparing" not in capfd.readouterr().err


@pytest.mark.parametrize("options", [(), ("--shared",)])
def test_the_command_prepares_ahead_of_time_or_says_why_there_is_nothing_to_do(capfd, options):
    assert cli.main(["warm-up", *options]) == 0
    assert "Plain numpy computes here, there is nothing to prepare: numba is not installed" in capfd.readouterr().out


def test_a_batch_can_choose_its_route(compiler, tmp_path, capfd):
    made = compiler()
    swinging.build(frames=(1, 5))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert cli.main(["bake", "--report", str(tmp_path / "report.json"), "--route", "numpy"]) == 0
    assert made.threads == [], "nothing is compiled for numpy"
    assert cli.main(["bake", "--report", str(tmp_path / "report.json"), "--route", "numba", "--again"]) == 1
    assert "numba cannot compute here: numba is not installed" in capfd.readouterr().err


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


def test_preferences_follow_the_solver(played):
    assert preferences.UNPREPARED in texts()
    preparation.begin()
    played.go(1)
    until(lambda: preparation.part() == 0.4)
    assert preparation.text(0.4) in texts()
    played.go(9)
    until(lambda: preparation.current() is None)
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


def test_warm_up_beside_the_artists_work_tells_and_can_be_stopped(played):
    running, window = preparation.begin(), Window()
    until(lambda: played.starts)
    warm_up, reports = operator(running)
    assert REDMAX_OT_warm_up.modal(warm_up, window.context, TICK) == {"PASS_THROUGH"}
    assert preparation.text(0.0) in window.status
    assert REDMAX_OT_warm_up.modal(warm_up, window.context, ESC) == {"RUNNING_MODAL"}
    until(lambda: running.finished)
    assert REDMAX_OT_warm_up.modal(warm_up, window.context, TICK) == {"CANCELLED"}
    assert reports == [({"INFO"}, "Stopped; what is compiled is kept")]
    preparation.ensure()
    assert preparation.current() is None, "who has stopped it does not want it"
    assert window.status is None


def test_what_is_in_use_is_left_alone(played):
    swinging.build(frames=(1, 5))
    preparation.begin()
    assert bpy.ops.redmax.simulate.poll()
    for button in (bpy.ops.redmax.warm_up, bpy.ops.redmax.clear_kernels):
        with pytest.raises(RuntimeError, match="It is in use"):
            button()


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
