# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiling in a process of its own: told as it goes on, ended with its parent, and done by one process at a time.

Small programs play the compiler; tests/extension has the real one in Blender.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest

from redmax import only_one, warm_up, warm_up_process
from redmax.errors import RedMaxError
from redmax.kernels import route
from redmax.kernels.cache import cache_folder
from redmax.warm_up_process import WarmUpProcess

needs_numba = pytest.mark.skipif(route.name() != route.NUMBA, reason="plain numpy has nothing to compile")
PATIENCE = 60.0


def program(text: str) -> list[str]:
    return [sys.executable, "-I", "-c", f"import json, os, sys, time\nwish = json.loads(sys.stdin.readline())\n{text}"]


def ended(text: str) -> WarmUpProcess:
    process = WarmUpProcess(program(text))
    process.start()
    assert process.wait(PATIENCE)
    return process


def until(condition, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_what_it_says_is_read_as_plain_data():
    process = WarmUpProcess(program("print('{\"part\": 0.25}', flush=True); sys.stdin.readline(); time.sleep(60)"))
    process.start()
    until(lambda: process.part == 0.25)
    assert not process.finished
    process.abandon(PATIENCE)
    assert process.finished
    assert (process.complete, process.failure, process.died) == (False, "", False)


def test_it_is_ready_when_it_says_so():
    process = ended("print(json.dumps({'part': 0.5})); print(json.dumps({'ready': True}))")
    assert (process.complete, process.part, process.failure) == (True, 1.0, "")
    assert process.seconds > 0.0


@pytest.mark.parametrize("line", ["[1]", "{}", '{"part": 7}', '{"part": "x"}', '{"ready": "yes"}', "no JSON at all"])
def test_a_line_that_means_nothing_changes_nothing(line):
    process = ended(f"print({line!r})")
    assert (process.part, process.complete) == (0.0, False)
    assert process.died
    assert line in process.failure


def test_a_failure_is_told_in_its_own_words_and_a_crash_with_its_code():
    failed = ended("print(json.dumps({'failure': 'unknown processor'})); sys.exit(1)")
    assert (failed.failure, failed.died, failed.complete) == ("unknown processor", False, False)
    crashed = ended("print('Illegal instruction', flush=True); os._exit(132)")
    assert crashed.died
    assert crashed.failure.endswith("ended unexpectedly (exit code 132: Illegal instruction)")


def test_no_python_and_no_process_are_said(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/opt/blender/blender")
    with pytest.raises(RedMaxError, match="no Python was found"):
        WarmUpProcess().start()
    with pytest.raises(RedMaxError, match=r"process of its own: .*nowhere"):
        WarmUpProcess(["/nowhere/python"]).start()


def test_the_wish_names_the_engine_its_places_and_the_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(cache_folder, "_wished", [tmp_path])
    process = WarmUpProcess(program("print(json.dumps({'failure': json.dumps([wish['engine'], wish['place']])}))"))
    process.start()
    assert process.wait(PATIENCE)
    assert json.loads(process.failure) == ["redmax", str(tmp_path)]


def test_one_process_at_a_time_has_the_lock(tmp_path):
    path = tmp_path / "lock"
    held = "import sys\nfrom pathlib import Path\nfrom redmax import only_one\n"
    held += (
        f"with only_one.locked(Path({str(path)!r})) as mine:\n    print(mine, flush=True)\n    sys.stdin.readline()\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", held], **pipes) as other:
        assert other.stdout.readline() == "True\n"
        with only_one.locked(path) as mine:
            assert not mine
        other.kill()
        other.wait(PATIENCE)
    with only_one.locked(path) as mine:
        assert mine, "a process that is killed gives it back"


@needs_numba
def test_the_real_program_sees_that_all_is_there():
    """What this process has compiled counts as compiled: same name, same folder, same hash."""
    if not warm_up.is_warm():
        assert warm_up.warm_up()
    process = WarmUpProcess()
    process.start()
    assert process.wait(4 * PATIENCE)
    assert process.complete, process.failure
    assert 0.9 < warm_up.part_on_disk() <= 1.0, "all but what becomes part of its callers"


@needs_numba
def test_the_real_program_ends_with_its_parent(tmp_path, monkeypatch):
    """It waits for the lock, which this process has, and its input ends."""
    monkeypatch.setenv(cache_folder.VARIABLE, str(tmp_path / "cache"))
    cache_folder.look_again()
    folder = cache_folder.writable()
    with only_one.locked(folder.path / "compiling") as mine:
        assert mine
        process = WarmUpProcess()
        process.start()
        until(lambda: process.finished or folder.path.exists())
        time.sleep(0.2)
        process._process.stdin.close()
        assert process.wait(4 * PATIENCE)
        assert not process.complete
    cache_folder.look_again()
    assert not list(folder.path.glob("*.kernel")), "it has waited"


def test_a_route_is_held_for_one_run():
    with route.held(route.NUMPY):
        assert route.name() == route.NUMPY
        assert route.versions().startswith("numpy ")
        assert warm_up.is_warm(), "nothing to compile"
    assert route.name() == route.usual()
    with pytest.raises(RedMaxError, match="There is no route 'cuda'"), route.held("cuda"):
        pass


def test_the_program_is_found_beside_the_engine():
    assert warm_up_process.PROGRAM.is_file()
    assert warm_up_process.interpreter()
