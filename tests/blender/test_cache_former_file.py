# SPDX-License-Identifier: GPL-3.0-or-later
"""What another file of the session has left under the same identifier: the same scene, stopped earlier or later."""

from __future__ import annotations

import dataclasses

import bpy
import pytest
import swinging
from cached_results import arrays, drop_memory, identical, results_in, save_as
from gated_runs import begin, until

from redmax_blender.bridge.core import cache_index
from redmax_blender.bridge.results import cache, cache_places, preview
from redmax_blender.bridge.run import live


def no_space(*_, **__):
    raise OSError(28, "No space left on device")


def stopped_in_a_new_file():
    """The scene of `swinging`, in a file of its own, stopped before its end."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    _scene, slow, run = begin()
    slow.gate.release(4)
    until(lambda: run.poll() == 5)
    live.stop()
    slow.gate.release()
    until(live.finished)
    live.finish()
    assert len(cache.load(bpy.context.scene)) < 13


@pytest.fixture
def _nothing_only_in_memory():
    yield
    cache._only_in_memory.clear()


@pytest.mark.parametrize("full_disk", [False, True])
@pytest.mark.usefixtures("_nothing_only_in_memory")
def test_a_stopped_run_of_another_file_and_the_whole_result_beside_the_opened_one(tmp_path, monkeypatch, full_disk):
    """The same scene, so the same identifier: neither stands for the other, not after saving, and neither is lost."""
    swinging.build()
    swinging.simulate()
    whole, short = tmp_path / "whole" / "shot.blend", tmp_path / "short" / "shot.blend"
    for path in (whole, short):
        path.parent.mkdir()
    save_as(whole)
    with monkeypatch.context() as while_stopped:
        if full_disk:
            while_stopped.setattr(cache_places, "write", no_space)
        stopped_in_a_new_file()
        while_stopped.setattr(cache_places, "bring", no_space)
        save_as(short)
    assert results_in(short.parent) == []
    frames = len(cache.load(bpy.context.scene))
    for _ in range(2):
        bpy.ops.wm.open_mainfile(filepath=str(whole))
        assert len(cache.load(bpy.context.scene)) == 13
        bpy.ops.wm.save_mainfile()
        preview._sources.clear()
        assert len(cache.load(bpy.context.scene)) == 13
    bpy.ops.redmax.clear_result()
    bpy.ops.wm.open_mainfile(filepath=str(short))
    assert len(cache.load(bpy.context.scene)) == frames
    bpy.ops.wm.save_mainfile()
    drop_memory()
    assert len(cache.load(bpy.context.scene)) == frames
    assert len(results_in(short.parent)) == 2


def test_a_result_in_memory_outlives_its_file_on_disk_while_the_blend_is_opened_again(tmp_path):
    swinging.build()
    identifier = swinging.simulate().identifier
    save_as(tmp_path / "shot.blend")
    cache_index.file_of(tmp_path / cache.FOLDER, identifier).unlink()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert len(cache.load(bpy.context.scene)) == 13
    bpy.ops.wm.save_mainfile()
    drop_memory()
    assert len(cache.load(bpy.context.scene)) == 13


def test_a_longer_result_that_waits_for_room_beats_the_stopped_one_beside_the_file(tmp_path):
    scene = swinging.build()
    swinging.simulate()
    whole = cache.load(scene)
    save_as(tmp_path / "shot.blend")
    beside = cache_index.file_of(tmp_path / cache.FOLDER, scene.redmax.result.identifier)
    cut = {name: values[:6] for name, values in arrays(whole).items() if not name.startswith("channel ")}
    channels = {name: values[:6] for name, values in whole.channels.items()}
    dataclasses.replace(whole, channels=channels, **cut).save(beside)
    whole.save(cache_index.file_of(cache.temporary_folder(), scene.redmax.result.identifier))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    identical(cache.load(bpy.context.scene), whole)
