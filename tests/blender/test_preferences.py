# SPDX-License-Identifier: GPL-3.0-or-later
"""Preferences: room that results take, deleting them, and the guides."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import pytest
import swinging
from recording_layout import RecordingLayout

from redmax_blender import preferences
from redmax_blender.bridge.results import cache, cache_usage
from redmax_blender.ops import files


def texts():
    layout = RecordingLayout()
    preferences.REDMAX_AP_preferences.draw(SimpleNamespace(layout=layout), bpy.context)
    return layout


@pytest.fixture(autouse=True)
def _no_results(tmp_path, monkeypatch):
    for module in (cache, cache.cache_places):
        monkeypatch.setattr(module, "temporary_folder", lambda: tmp_path / "temporary")
    cache_usage.forget()
    yield
    cache_usage.forget()


def test_the_room_that_results_take_follows_them(tmp_path):
    assert "None yet" in texts().texts()
    assert not bpy.ops.redmax.clear_results.poll()
    swinging.build(frames=(1, 4))
    swinging.simulate()
    assert cache_usage.usage().files == 1
    assert cache_usage.usage().size > 1000
    assert "temporary folder" in " ".join(texts().texts())
    assert any(text.startswith("1 file, ") and text.endswith(" kB") for text in texts().texts())
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "arms.blend"))
    assert cache_usage.usage().files == 1, "it moved beside the file"
    assert str(tmp_path / "redmax_cache") in " ".join(texts().texts())
    assert bpy.ops.redmax.clear_results() == {"FINISHED"}
    assert cache_usage.usage().files == 0
    assert not list(tmp_path.rglob("*.npz"))
    assert not bpy.context.scene.redmax.result.identifier


def test_drawing_looks_at_no_file(monkeypatch):
    texts()

    def looked(*_args):
        raise AssertionError("draw() computes nothing")

    monkeypatch.setattr(cache_usage, "results", looked)
    texts()


def test_results_of_all_scenes_are_deleted_and_objects_stand_as_modelled():
    scene = swinging.build(frames=(1, 6))
    modelled = swinging.world("Lower")
    swinging.simulate()
    scene.frame_set(6)
    assert not (swinging.world("Lower") == modelled).all()
    bpy.ops.redmax.clear_results()
    assert (swinging.world("Lower") == modelled).all()


def test_the_guides_are_found_or_the_button_says_why_not(monkeypatch, tmp_path):
    assert files.documentation().name == "docs"
    assert "redmax.open_documentation" in texts().operators()
    assert bpy.ops.redmax.open_documentation.poll()
    monkeypatch.setattr(files, "DOCUMENTATION", (tmp_path,))
    assert not bpy.ops.redmax.open_documentation.poll()
