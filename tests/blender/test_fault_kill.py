# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender is killed in the middle of simulating, baking or saving: the file opens, as before or fully baked."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import bpy
import faults
import pytest
import swinging

from redmax_blender._engine import trajectory
from redmax_blender.bridge.core import cache_index
from redmax_blender.bridge.core.blend_files import is_whole
from redmax_blender.bridge.results import cache, cache_places, preview

SCRIPT = Path(__file__).with_name("killed_bake.py")
START = 60.0
"""Longest wait [s] for the process to begin its work on a busy machine."""


@pytest.fixture
def states(tmp_path):
    """The file, with the two pictures that it may show: without a bake and with one."""
    scene = swinging.build(frames=(1, 30))
    scene.redmax.bake.torque = scene.redmax.bake.energy = True
    blend = tmp_path / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    plain = opened(blend)
    bpy.ops.redmax.simulate()
    bpy.ops.redmax.bake()
    bpy.ops.wm.save_mainfile()
    baked = opened(blend)
    bpy.ops.redmax.remove_bake()
    bpy.ops.redmax.clear_result()
    bpy.ops.wm.save_mainfile()
    assert opened(blend) == plain
    assert faults.differences(plain, baked)
    return blend, {"plain": plain, "baked": baked}


def opened(blend):
    """What a file shows when it is opened: all but the record of its result, which follows from the cache."""
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    picture = faults.everything()
    for scene in (value for key, value in picture.items() if key.startswith("scenes ")):
        scene["redmax"].pop("result")
        scene["redmax"].pop("version")
    return picture


def killed_after(blend, log, seconds, *more):
    """Let the process work for so long after its first save, and kill it; True if it was at work."""
    log.write_bytes(b"")
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), str(blend), str(log), *more],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + START
        while log.stat().st_size < 4:
            assert process.poll() is None, "it ended by itself"
            assert time.monotonic() < end
            time.sleep(0.005)
        time.sleep(seconds)
        assert process.poll() is None, "it ended by itself"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def recovered(blend):
    """The file, where Blender was killed within its own save: between renaming the old file to .blend1 and the new one
    from .blend@ there is none of its name for a moment, and both are whole."""
    if not blend.exists():
        before, after = blend.with_name(blend.name + "1"), blend.with_name(blend.name + "@")
        assert is_whole(before)
        assert is_whole(after)
        before.rename(blend)
    return blend


def sound(blend, states):
    """The file opens as one of its states; what is in its cache is whole; and it can be worked with. Says which."""
    picture = opened(recovered(blend))
    found = [name for name, state in states.items() if faults.differences(state, picture) == []]
    assert found, faults.differences(states["plain"], picture)
    scene = bpy.context.scene
    folder = blend.parent / cache.FOLDER
    for path in folder.glob("*.npz"):
        assert len(trajectory.load(path)) == 30
    if scene.redmax.result.identifier and not cache_index.file_of(folder, scene.redmax.result.identifier).exists():
        cache._memory.clear()
        preview._sources.clear()
        assert cache.load(scene) is None
        assert "Simulate again" in cache.problem(scene), "it was killed before the result was beside the file"
    if found == ["baked"]:
        assert bpy.ops.redmax.remove_bake() == {"FINISHED"}
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    return found[0]


def test_a_file_whose_process_is_killed_opens_as_before_or_fully_baked(states, tmp_path):
    blend, pictures = states
    killed_after(blend, tmp_path / "log", random.Random(7).uniform(0.0, 0.4))
    assert sound(blend, pictures) == "baked", "it was saved baked, and bakes again when it is killed"
    left = [path.name for path in (tmp_path / cache.FOLDER).iterdir()]
    assert all(cache_places.LEFT_OVER.fullmatch(name) or name.endswith((".npz", "index.json")) for name in left)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_file_whose_process_is_killed_again_and_again_opens_as_before_or_fully_baked(states, tmp_path):
    blend, pictures = states
    rng = random.Random(8)
    for _ in range(6):
        killed_after(blend, tmp_path / "log", rng.uniform(0.0, 0.6))
        assert sound(blend, pictures) == "baked"
        killed_after(blend, tmp_path / "log", rng.uniform(0.0, 0.6), "and-back")
        sound(blend, pictures)
