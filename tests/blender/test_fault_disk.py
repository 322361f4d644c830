# SPDX-License-Identifier: GPL-3.0-or-later
"""Disks that are full and folders that cannot be written: results stay, and it is said where and what to do."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import bpy
import pytest
import swinging
from cached_results import drop_memory, save_as

from redmax_blender import headless
from redmax_blender._engine import files
from redmax_blender.bridge.core import blend_files, cache_index, unexpected
from redmax_blender.bridge.results import cache, cache_places, preparation

resource = pytest.importorskip("resource", reason="this system has no limits on files")
ROOT = Path(__file__).parents[2]
RESULT = "0" * 32 + ".npz"
DEVICE = Path("/dev/full")
needs_device = pytest.mark.skipif(not DEVICE.exists(), reason="no device that is always full")


@pytest.fixture(autouse=True)
def _memory():
    yield
    cache._only_in_memory.clear()


def message():
    return bpy.context.window_manager.redmax.message


def in_folder(path):
    return sorted(entry.name for entry in (path / cache.FOLDER).iterdir())


# --- a full disk -----------------------------------------------------------------------------


@contextmanager
def no_room(most=4096):
    """No file may grow beyond so many bytes, as on a disk that is nearly full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def full(folder):
    """Let the folder take no result: what is written there goes to a device that is always full."""
    make = files._new_partial

    def new_partial(target, start):
        if target.parent != folder:
            return make(target, start)
        partial = target.with_name(f"{start}.full")
        partial.symlink_to(DEVICE)
        return partial

    files._new_partial = new_partial
    try:
        yield
    finally:
        files._new_partial = make


@needs_device
def test_a_full_disk_keeps_the_result_elsewhere_and_says_so(tmp_path):
    scene = swinging.build()
    identifier = swinging.simulate().identifier
    bpy.ops.redmax.clear_result()
    save_as(tmp_path / "shot.blend")
    with full(tmp_path / cache.FOLDER):
        assert swinging.simulate().identifier == identifier
    assert f"'{tmp_path / cache.FOLDER}' cannot be written (No space left on device)" in message()
    assert "free some space and save the file to keep them" in message()
    assert in_folder(tmp_path) == [], "no half of a result"
    drop_memory()
    assert len(cache.load(scene)) == 13, "it waits in the temporary folder"
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    bpy.ops.wm.save_mainfile()
    assert f"{identifier}.npz" in in_folder(tmp_path)
    drop_memory()
    assert len(cache.load(scene)) == 13


@pytest.mark.parametrize("room", [0, 100, 4096])
def test_with_every_disk_full_the_result_stays_in_memory_whatever_comes(tmp_path, monkeypatch, room):
    scene = swinging.build()
    save_as(tmp_path / "shot.blend")
    with no_room(room):
        identifier = swinging.simulate().identifier
    assert "kept only until Blender closes; free some space" in message()
    assert in_folder(tmp_path) == []
    assert not list(cache.temporary_folder().glob(f"{identifier}*"))
    monkeypatch.setattr(cache, "MOST_BYTES", 0)
    for other in ("1" * 32, "2" * 32):
        cache.store(other, cache.load(scene))
    assert set(cache._memory) == {identifier, "2" * 32}, "what a disk has may go; the only copy stays"
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    bpy.ops.wm.save_mainfile()
    assert not cache._only_in_memory
    drop_memory()
    assert len(cache.load(scene)) == 13


@needs_device
def test_a_disk_that_is_full_when_the_file_is_saved_is_said_in_the_panel(tmp_path):
    swinging.build()
    identifier = swinging.simulate().identifier
    with full(tmp_path / cache.FOLDER):
        save_as(tmp_path / "shot.blend")
    assert "No space left on device" in message()
    assert "save the file to keep them" in message()
    assert in_folder(tmp_path) == []
    assert cache_index.file_of(cache.temporary_folder(), identifier).is_file()
    bpy.ops.wm.save_mainfile()
    assert f"{identifier}.npz" in in_folder(tmp_path)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert len(cache.load(bpy.context.scene)) == 13


def test_a_blend_file_that_does_not_fit_on_the_disk_leaves_the_former_one(tmp_path):
    scene = swinging.build()
    save_as(tmp_path / "shot.blend")
    before = (tmp_path / "shot.blend").read_bytes()
    swinging.simulate()
    scene.frame_set(5)
    with no_room():
        try:
            bpy.ops.wm.save_mainfile()
        except RuntimeError:
            assert (tmp_path / "shot.blend").read_bytes() == before
        else:  # Blender 5 does not notice where it compresses: it is said, and the former file is beside it
            assert "could not write" in message()
            assert (tmp_path / "shot.blend1").read_bytes() == before
    assert scene.objects["Upper"].redmax.kept.active, "the result is shown again"
    bpy.ops.wm.save_mainfile()
    assert (tmp_path / "shot.blend").read_bytes() != before
    assert "could not write" not in message()


@pytest.mark.parametrize("compress", [True, False])
def test_a_blend_file_that_was_cut_off_is_known_by_its_end(tmp_path, compress):
    swinging.build()
    path = tmp_path / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=compress)
    content = path.read_bytes()
    assert blend_files.is_whole(path)
    for part in (0.0, 0.1, 0.5, 0.9):
        path.write_bytes(content[: int(part * len(content))])
        assert not blend_files.is_whole(path)
    path.write_bytes(content[:-100])
    assert not blend_files.is_whole(path)


def test_a_file_baked_without_a_window_is_written_whole_or_not_at_all(tmp_path):
    swinging.build()
    save_as(tmp_path / "shot.blend")
    with no_room():
        report = headless.bake_file(tmp_path / "shot.blend", out=tmp_path / "baked.blend")
    assert report.exit_code == 2
    assert "baked.blend' cannot be written" in report.message
    assert not (tmp_path / "baked.blend").exists()
    report = headless.bake_file(tmp_path / "shot.blend", out=tmp_path / "baked.blend")
    assert (report.exit_code, report.notes) == (0, [])
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "baked.blend"))
    assert bpy.data.objects["Upper"].redmax.baked.active


def test_an_error_nobody_foresaw_is_in_the_report_of_a_run_without_a_window(tmp_path, monkeypatch, caplog):
    swinging.build()
    save_as(tmp_path / "shot.blend")
    monkeypatch.setattr(headless.baking, "bake", lambda *_: 1 / 0)
    report = headless.bake_file(tmp_path / "shot.blend", out=tmp_path / "baked.blend")
    assert (report.exit_code, report.out) == (1, None)
    assert "ZeroDivisionError" in report.message
    assert "Traceback" in caplog.text
    assert not (tmp_path / "baked.blend").exists()


def test_preparing_the_solver_on_a_full_disk_is_told(monkeypatch, caplog):
    def full(*_arguments, **_options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(preparation.warm_up, "warm_up", full)
    made = preparation.Preparation()
    made.work()
    assert made.finished
    assert "Preparing the fast solver met an error it does not know (OSError: [Errno 28] No space" in made.failure
    assert "Traceback" in caplog.text
    assert "ran out of memory" in unexpected.told("Bake", MemoryError())


# --- what processes that were killed leave behind --------------------------------------------


MARK = ".redmax-0123456789abcdef.partial"


@pytest.mark.parametrize(
    "name", [f"{RESULT}{MARK}", f"index.json{MARK}", f"{RESULT}.4711.partial", f"{RESULT}.partial"]
)
def test_left_overs_of_a_killed_process_are_never_read_and_go_with_the_next_result(tmp_path, name):
    scene = swinging.build()
    save_as(tmp_path / "shot.blend")
    folder = tmp_path / cache.FOLDER
    folder.mkdir()
    left = folder / name
    left.write_bytes(b"half a result")
    scene.redmax.result.identifier = "0" * 32
    assert cache.load(scene) is None
    swinging.simulate()
    assert left.exists(), "somebody may be writing it"
    long_ago = time.time() - 2.0 * files.GIVEN_UP
    os.utime(left, (long_ago, long_ago))
    bpy.ops.wm.save_mainfile()
    assert not left.exists()


def test_only_what_is_ours_is_swept(tmp_path):
    folder = tmp_path / cache.FOLDER
    folder.mkdir()
    others = ["mine.partial", f"{RESULT}.bak", "notes.txt.12.partial", RESULT]
    for name in others:
        (folder / name).write_text("precious")
        os.utime(folder / name, (0, 0))
    cache_places.sweep(folder)
    assert in_folder(tmp_path) == sorted(others)
    cache_places.sweep(tmp_path / "nowhere")


# --- folders that cannot be written ----------------------------------------------------------

READ_ONLY = """
import ctypes, os, sys
if os.getuid() == 0:  # permissions do not stop root; without this capability they do
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    rights = (ctypes.c_uint32 * 6)()
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.capget(header, rights) == 0
    rights[0] &= ~2  # effective, without CAP_DAC_OVERRIDE
    assert libc.capset(header, rights) == 0
sys.path[:0] = [{paths}]
import bpy, redmax_blender
redmax_blender.register()
bpy.ops.wm.open_mainfile(filepath={blend!r})
bpy.ops.redmax.simulate()
print("MESSAGE", bpy.context.window_manager.redmax.message)
from redmax_blender.bridge.results import cache
print("FRAMES", len(cache.load(bpy.context.scene)))
bpy.ops.redmax.bake()
try:
    bpy.ops.wm.save_mainfile()
    print("SAVED")
except RuntimeError as error:
    print("NOT SAVED", error)
bpy.ops.wm.save_as_mainfile(filepath={elsewhere!r})
sys.stdout.flush()
os._exit(0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="root gives up its right to write anywhere in Linux only")
def test_a_folder_and_a_home_that_cannot_be_written_are_said_and_nothing_is_lost(tmp_path):
    """Where a user may read but not write: the .blend, the folder beside it, and the home."""
    swinging.build()
    shared, home, own = (tmp_path / name for name in ("shared", "home", "own"))
    for folder in (shared, home, own):
        folder.mkdir()
    blend = shared / "shot.blend"
    save_as(blend)
    before = blend.read_bytes()
    shared.chmod(0o555)
    home.chmod(0o555)
    paths = ", ".join(repr(str(place)) for place in (ROOT / "engine", ROOT / "addon"))
    code = READ_ONLY.format(paths=paths, blend=str(blend), elsewhere=str(own / "shot.blend"))
    environment = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""}
    try:
        run = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=250, env=environment, check=False
        )
    finally:
        shared.chmod(0o755)
        home.chmod(0o755)
    assert run.returncode == 0, run.stderr
    assert f"'{shared / cache.FOLDER}' cannot be written (Permission denied)" in run.stdout
    assert "make it writable, or save the file elsewhere, and save the file to keep them" in run.stdout
    assert "FRAMES 13" in run.stdout
    assert "NOT SAVED" in run.stdout
    assert blend.read_bytes() == before
    assert [entry.name for entry in shared.iterdir()] == ["shot.blend"]
    bpy.ops.wm.open_mainfile(filepath=str(own / "shot.blend"))
    assert bpy.data.objects["Upper"].redmax.baked.active
    assert len(cache.load(bpy.context.scene)) == 13
