# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiling ahead of time: announced, stoppable, and complete, so that nothing is compiled afterwards."""

from __future__ import annotations

import gc
import io as text_io
import os
import re
import subprocess
import sys
import types

import pytest

from redmax import warm_up
from redmax.__main__ import main
from redmax.cli import run as running
from redmax.cli import warm_up as command
from redmax.errors import RedMaxError
from redmax.examples import EXAMPLES
from redmax.kernels import route
from redmax.kernels.cache import cache_folder

needs_numba = pytest.mark.skipif(route.name() != route.NUMBA, reason="plain numpy has nothing to compile")


@pytest.fixture
def empty_folder(tmp_path, monkeypatch):
    """An empty folder of this test, and three small kernels in place of the engine's."""
    numba_jit = pytest.importorskip("redmax.kernels.cache.jit", exc_type=ImportError)
    monkeypatch.setenv(cache_folder.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(numba_jit, "sizes", {})
    cache_folder.look_again()
    names = ("one", "two", "three")

    def run_everything() -> None:
        kernels = types.ModuleType("toy")
        kernels.compiled = numba_jit.compiled
        exec("".join(f"@compiled\ndef {name}(x):\n    return x + 1.0\n" for name in names), vars(kernels))
        for name in names:
            assert getattr(kernels, name)(1.0) == 2.0

    monkeypatch.setattr(warm_up, "_run_everything", run_everything)
    yield cache_folder.folder()
    cache_folder.look_again()


@needs_numba
def test_progress_grows_from_0_to_1_and_the_folder_is_ready(empty_folder):
    heard: list[tuple[float, str]] = []
    assert not warm_up.is_warm()
    assert warm_up.warm_up(lambda part, what: heard.append((part, what)))
    assert warm_up.is_warm()
    parts = [part for part, _ in heard]
    assert parts == sorted(parts)
    assert (parts[0], parts[-1]) == (0.0, 1.0)
    assert [what.split(".")[-1] for _, what in heard] == ["one", "one", "two", "two", "three", "three", ""]


@needs_numba
def test_stopping_between_functions_keeps_what_is_done(empty_folder):
    heard: list[str] = []

    def remember(_part: float, what: str) -> None:
        heard.append(what.rsplit(".", maxsplit=1)[-1])

    assert not warm_up.warm_up(remember, stopped=lambda: "two" in heard)
    assert heard == ["one", "one", "two"]
    assert not warm_up.is_warm()
    heard.clear()
    assert warm_up.warm_up(remember)
    assert heard == ["two", "two", "three", "three", ""]


@needs_numba
def test_a_compiler_that_fails_says_what_to_do(empty_folder, monkeypatch):
    def fail() -> None:
        raise ValueError("unknown processor")

    monkeypatch.setattr(warm_up, "_run_everything", fail)
    with pytest.raises(RedMaxError, match=r"ValueError: unknown processor\).*REDMAX_ROUTE=numpy"):
        warm_up.warm_up()
    assert not warm_up.is_warm()


def test_plain_numpy_is_always_warm(monkeypatch, capsys):
    monkeypatch.setattr(route, "name", lambda: route.NUMPY)
    monkeypatch.setenv(route.VARIABLE, route.NUMPY)
    assert warm_up.is_warm()
    assert warm_up.warm_up()
    assert main(["warm-up"]) == 0
    assert "nothing to prepare: REDMAX_ROUTE asks for it" in capsys.readouterr().out


@needs_numba
def test_the_command_shows_progress_seconds_and_the_place(empty_folder, capsys):
    assert main(["warm-up"]) == 0
    said = capsys.readouterr()
    lines = said.err.splitlines()
    assert re.fullmatch(r"Preparing the fast solver \(once, about \d+ s\): 0%, \d+\.\d s", lines[0])
    assert lines[-1].split(": ")[1].startswith("100%")
    assert re.search(r"The fast solver \(numba [\d.]+\) is ready, \d+\.\d s", said.out)
    assert f"Kept in '{empty_folder.parent}'" in said.out
    assert main(["warm-up"]) == 0
    assert capsys.readouterr().err == ""  # nothing was left to do


@needs_numba
def test_sharing_needs_a_folder_to_share(monkeypatch, capsys):
    monkeypatch.delenv(cache_folder.VARIABLE, raising=False)
    assert main(["warm-up", "--shared"]) == 1
    assert "No folder is named: set REDMAX_CACHE_DIR to the one that is to be shared" in capsys.readouterr().out


@needs_numba
def test_interrupting_the_command_is_no_error_but_exits_with_1(empty_folder, monkeypatch, capsys):
    def interrupt(*_: object, **__: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "warm_up", interrupt)
    assert main(["warm-up"]) == 1
    assert "Stopped; what is compiled is kept" in capsys.readouterr().out


def test_a_run_prepares_the_solver_first_and_ends_where_that_is_stopped(tmp_path, monkeypatch, capsys):
    asked: list[object] = []
    monkeypatch.setattr(running, "prepare", lambda stream: bool(asked.append(stream)))
    arguments = ["simulate", str(EXAMPLES[0].path), "--duration", "0.1", "--out", str(tmp_path / "run.npz")]
    assert main(arguments) == 1
    assert asked == [sys.stderr]
    assert "Saved the 0 frames computed before that" in capsys.readouterr().out


def test_a_terminal_gets_one_bar_that_is_wiped():
    class Terminal(text_io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    bar = command.Percent(stream)
    bar.show(0.0, "place.place_ball")
    bar.show(0.5, "loads.near")
    bar.end()
    _, first, second, wiped, _ = stream.getvalue().split("\r")
    assert "[..............................]   0%, 0 s  place.place_ball" in first
    assert "[###############...............]  50%, 0 s  loads.near" in second
    assert wiped.strip() == ""
    assert len(wiped) == max(len(first), len(second))


AFTERWARDS = """
from redmax import io, warm_up
from redmax.compile import compile as compile_scene
from redmax.examples import EXAMPLES
from redmax.integrators import INTEGRATORS
from redmax.kernels.cache import jit
from redmax.simulate import simulate

assert warm_up.warm_up()
asked, load = [], jit._Kept.load_overload

def remember(kept, sig, context):
    asked.append(f"{kept._name} {sig}")
    return load(kept, sig, context)

jit._Kept.load_overload = remember
for example in EXAMPLES:
    model = compile_scene(io.load(example.path))
    for cls in INTEGRATORS:
        if cls().cannot(model):
            continue
        for _ in simulate(model, integrator=cls(), fps=24.0, duration=2.0 / 24.0):
            pass
print(len(EXAMPLES) * len(tuple(INTEGRATORS)), asked)
"""


AGAIN = """
from redmax import warm_up
from redmax.kernels.cache import jit

compiled = []
with jit.watched(lambda name, done: compiled.append(name) if done else None):
    warm_up._run_everything()
print(len(jit.sizes), compiled)
"""


@needs_numba
def test_every_kernel_has_a_form_that_can_be_kept():
    """The next process compiles nothing: a kernel that returned another type, or looked up an object, would be."""
    assert warm_up.warm_up()
    run = subprocess.run([sys.executable, "-c", AGAIN], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    count, compiled = run.stdout.strip().split(" ", 1)
    assert int(count) > 150
    assert compiled == "[]"


@needs_numba
@pytest.mark.slow
def test_after_a_warm_up_every_kernel_is_there_for_every_joint_load_and_integrator():
    """In a process of its own, where kernels are in memory after a warm-up or have to be asked for."""
    run = subprocess.run([sys.executable, "-c", AFTERWARDS], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    count, asked = run.stdout.strip().split(" ", 1)
    assert int(count) > 100
    assert asked == "[]"


@needs_numba
def test_other_threads_wait_only_for_moments(empty_folder, monkeypatch):
    """No full garbage collection while compiling, and quick turns; as before when it is over, however it ends."""
    before, seen = (gc.get_threshold(), sys.getswitchinterval()), []

    def fail() -> None:
        seen.append((gc.get_threshold(), sys.getswitchinterval()))
        raise ValueError

    monkeypatch.setattr(warm_up, "_run_everything", fail)
    with pytest.raises(RedMaxError):
        warm_up.warm_up()
    (thresholds, interval), *_ = seen
    assert thresholds[:2] == before[0][:2]
    assert thresholds[2] > 1e6
    assert interval == pytest.approx(2e-4)
    assert (gc.get_threshold(), sys.getswitchinterval()) == before


def test_version_says_what_computes():
    def version(**variables: str) -> str:
        command = [sys.executable, "-m", "redmax", "--version"]
        run = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        return run.stdout

    assert f"computed by {route.versions()}" in version()
    assert "(REDMAX_ROUTE asks for it)" in version(REDMAX_ROUTE="numpy")
