# SPDX-License-Identifier: GPL-3.0-or-later
"""Results on disk: they follow the file, survive a reload bit by bit, know when they are stale, and leave no litter."""

from __future__ import annotations

import json
import os
from pathlib import Path

import bpy
import numpy as np
import pytest
import swinging
from cached_results import drop_memory, identical, results_in, save_as

from redmax_blender.bridge.core import cache_index
from redmax_blender.bridge.core.findings import RedMaxError
from redmax_blender.bridge.results import cache, cache_places
from redmax_blender.bridge.run import live


def stale():
    return cache.is_stale(bpy.context.scene, bpy.context.view_layer)


# --- where results lie -----------------------------------------------------------------------


def test_a_result_survives_save_and_reload_bit_by_bit(tmp_path):
    scene = swinging.build()
    identifier = swinging.simulate().identifier
    before = cache.load(scene)
    save_as(tmp_path / "shot.blend")
    scene.frame_set(9)
    shown = swinging.world("Lower")
    drop_memory()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    scene = bpy.context.scene
    assert scene.redmax.result.identifier == identifier
    identical(cache.load(scene), before)
    scene.frame_set(9)
    assert np.array_equal(swinging.world("Lower"), shown)
    assert not stale()


def test_an_unsaved_result_waits_in_the_temporary_folder_and_is_moved_by_saving(tmp_path):
    swinging.build()
    identifier = swinging.simulate().identifier
    waiting = cache_index.file_of(cache.temporary_folder(), identifier)
    assert waiting.is_file()
    save_as(tmp_path / "shot.blend")
    assert results_in(tmp_path) == sorted([f"{identifier}.npz", cache_index.NAME])
    assert not waiting.exists()
    drop_memory()
    assert cache.load(bpy.context.scene) is not None


def test_a_result_of_a_saved_file_is_written_beside_it_at_once(tmp_path):
    swinging.build()
    save_as(tmp_path / "shot.blend")
    identifier = swinging.simulate().identifier
    assert f"{identifier}.npz" in results_in(tmp_path)
    assert not cache_index.file_of(cache.temporary_folder(), identifier).exists()


def test_save_as_takes_the_result_along_and_leaves_the_old_one(tmp_path):
    (tmp_path / "other").mkdir()
    swinging.build()
    save_as(tmp_path / "shot.blend")
    identifier = swinging.simulate().identifier
    bpy.ops.wm.save_mainfile()
    drop_memory()
    save_as(tmp_path / "other" / "shot.blend")
    for folder in (tmp_path, tmp_path / "other"):
        assert f"{identifier}.npz" in results_in(folder)
    drop_memory()
    assert cache.load(bpy.context.scene) is not None


def test_saving_a_copy_gives_the_copy_its_result(tmp_path):
    (tmp_path / "copies").mkdir()
    swinging.build()
    save_as(tmp_path / "shot.blend")
    identifier = swinging.simulate().identifier
    save_as(tmp_path / "copies" / "copy.blend", copy=True)
    assert f"{identifier}.npz" in results_in(tmp_path / "copies")
    assert f"{identifier}.npz" in results_in(tmp_path)
    drop_memory()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "copies" / "copy.blend"))
    assert cache.load(bpy.context.scene) is not None


@pytest.mark.parametrize("obstacle", ["file", "permission"])
def test_a_folder_that_cannot_be_written_is_said_and_the_result_kept(tmp_path, obstacle, monkeypatch):
    scene = swinging.build()
    save_as(tmp_path / "shot.blend")
    if obstacle == "file":
        (tmp_path / cache.FOLDER).write_text("in the way")
    else:  # tests may run as root, whom permissions do not stop
        write = cache_places.write

        def refuse(place, identifier, result):
            if place == tmp_path / cache.FOLDER:
                raise PermissionError(13, "Permission denied", str(place))
            write(place, identifier, result)

        monkeypatch.setattr(cache_places, "write", refuse)
    identifier = swinging.simulate().identifier
    message = bpy.context.window_manager.redmax.message
    assert "cannot be written" in message
    assert "only until Blender closes" in message
    assert str(tmp_path / cache.FOLDER) in message
    assert cache_index.file_of(cache.temporary_folder(), identifier).is_file()
    drop_memory()
    assert cache.load(scene) is not None
    bpy.ops.wm.save_mainfile()
    monkeypatch.undo()
    if obstacle == "file":
        (tmp_path / cache.FOLDER).unlink()
    bpy.ops.wm.save_mainfile()
    assert f"{identifier}.npz" in results_in(tmp_path)


# --- files that are not there, or not right --------------------------------------------------


@pytest.mark.parametrize("damage", ["missing", "empty", "truncated", "text", "other archive"])
def test_a_lost_or_damaged_result_is_said_and_is_no_result(tmp_path, damage, caplog):
    scene = swinging.build()
    save_as(tmp_path / "shot.blend")
    path = cache_index.file_of(tmp_path / cache.FOLDER, swinging.simulate().identifier)
    bpy.ops.wm.save_mainfile()
    content = path.read_bytes()
    if damage == "missing":
        path.unlink()
    elif damage == "other archive":
        np.savez(path, other=np.zeros(3))
    else:
        path.write_bytes({"empty": b"", "truncated": content[: len(content) // 2], "text": b"hello"}[damage])
    drop_memory()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    scene = bpy.context.scene
    scene.frame_set(9)  # shows nothing, and says why, once
    scene.frame_set(10)
    assert cache.load(scene) is None
    assert "cannot be loaded" in cache.problem(scene)
    assert "Simulate again" in bpy.context.window_manager.redmax.message
    assert path.name in cache.problem(scene)
    assert caplog.text.count("cannot be loaded") == 1
    with pytest.raises(RedMaxError, match="cannot be loaded"):
        cache.require(scene)
    assert np.allclose(swinging.world("Lower")[:3, 3], (1.5, 0.0, 2.0))
    swinging.simulate()
    assert cache.problem(scene) == ""
    assert cache.load(scene) is not None


def rewritten(path, *, change=None, meta=None, frames=None, **arrays):
    """Let a result's file hold other arrays, or other entries of its meta or of the frames in it, None for none."""
    with np.load(path) as stored:
        content = {name: stored[name] for name in stored.files}
    header = json.loads(str(content["header"]))
    for group, changes in ((header, change), (header["meta"], meta), (header["meta"]["blender"], frames)):
        for name, value in (changes or {}).items():
            group[name] = value
            if value is None:
                del group[name]
    content["header"] = np.array(json.dumps(header))
    for name, make in arrays.items():
        content[name.replace("__", ":")] = make(content[name.replace("__", ":")].copy())
    np.savez(path, **content)


def put(value):
    """One number of an array is another."""

    def change(values):
        values.flat[5] = value
        return values

    return change


def no_frames(path):
    with np.load(path) as stored:
        content = {name: stored[name] if name == "header" else stored[name][:0] for name in stored.files}
    np.savez(path, **content)


def without(name):
    def change(path):
        with np.load(path) as stored:
            content = {key: stored[key] for key in stored.files if key != name}
        np.savez(path, **content)

    return change


BODY = ["Lower", np.eye(4).tolist(), np.eye(4).tolist(), 1.0, False]
BROKEN = {
    "no frames": no_frames,
    "a position that is no number": lambda path: rewritten(path, position=put(np.nan)),
    "a position of 1e300": lambda path: rewritten(path, position=put(1e300)),
    "a rotation that is no number": lambda path: rewritten(path, rotation=put(np.nan)),
    "a twist that is no number": lambda path: rewritten(path, channel__twist=put(np.inf)),
    "times that go back": lambda path: rewritten(path, t=lambda t: t[::-1]),
    "no twists": without("channel:twist"),
    "no charts": without("channel:chart"),
    "no torques": without("channel:torque"),
    "meta of a list": lambda path: rewritten(path, change={"meta": [1]}),
    "no fps": lambda path: rewritten(path, meta={"fps": None}),
    "fps of text": lambda path: rewritten(path, meta={"fps": "24"}),
    "frames that are a list": lambda path: rewritten(path, meta={"blender": []}),
    "frames that are a number": lambda path: rewritten(path, meta={"blender": 3}),
    "no length": lambda path: rewritten(path, frames={"length": None}),
    "length 0": lambda path: rewritten(path, frames={"length": 0.0}),
    "length of NaN": lambda path: rewritten(path, frames={"length": float("nan")}),
    "another fps": lambda path: rewritten(path, frames={"fps": 25.0}),
    "a first frame of text": lambda path: rewritten(path, frames={"frame_start": "1"}),
    "a first frame far out": lambda path: rewritten(path, frames={"frame_start": 10**12}),
    "bodies that are a number": lambda path: rewritten(path, frames={"bodies": 3}),
    "a body that is missing": lambda path: rewritten(path, frames={"bodies": [BODY]}),
    "bodies of three": lambda path: rewritten(path, frames={"bodies": [BODY[:3]]}),
    "a matrix of three rows": lambda path: rewritten(
        path, frames={"bodies": [[*BODY[:1], np.eye(3).tolist(), *BODY[2:]]]}
    ),
    "a matrix of text": lambda path: rewritten(path, frames={"bodies": [[*BODY[:1], "E", *BODY[2:]]]}),
    "a matrix of 1e300": lambda path: rewritten(path, frames={"bodies": [[*BODY[:1], [[1e300] * 4] * 4, *BODY[2:]]]}),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_result_that_simulate_has_not_written_is_refused_by_name_and_left_alone(tmp_path, how):
    """Neither shown nor baked: keys of NaN or 1e300 would be the end of a scene."""
    scene = swinging.build()
    save_as(tmp_path / "shot.blend")
    path = cache_index.file_of(tmp_path / cache.FOLDER, swinging.simulate().identifier)
    bpy.ops.wm.save_mainfile()
    BROKEN[how](path)
    content = path.read_bytes()
    drop_memory()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    scene = bpy.context.scene
    scene.frame_set(9)
    with pytest.raises(RuntimeError, match=f"cannot be loaded: .*{path.name}.*Simulate again"):
        bpy.ops.redmax.bake()
    assert "Simulate again" in bpy.context.window_manager.redmax.message
    assert not scene.objects["Lower"].redmax.baked.active
    assert np.allclose(swinging.world("Lower")[:3, 3], (1.5, 0.0, 2.0))
    assert path.read_bytes() == content
    swinging.simulate()
    assert bpy.ops.redmax.bake() == {"FINISHED"}


def test_an_identifier_from_a_strange_file_never_becomes_a_path(tmp_path):
    precious = tmp_path / "precious.npz"
    precious.write_bytes(b"data")
    scene = swinging.build()
    swinging.simulate()  # so that the folder is there from which the path would lead
    scene.redmax.result.identifier = os.path.relpath(precious.with_suffix(""), cache.temporary_folder())
    assert cache.load(scene) is None
    save_as(tmp_path / "shot.blend")
    bpy.ops.redmax.clear_result()
    assert precious.read_bytes() == b"data"
    assert not scene.redmax.result.identifier


# --- no litter, and nothing lost that is needed ----------------------------------------------


def test_clearing_removes_the_file_and_the_memory(tmp_path):
    scene = swinging.build()
    save_as(tmp_path / "shot.blend")
    identifier = swinging.simulate().identifier
    bpy.ops.redmax.clear_result()
    assert not scene.redmax.result.identifier
    assert scene.redmax.result.message == ""
    assert identifier not in cache._memory
    assert f"{identifier}.npz" not in results_in(tmp_path)
    assert cache.load(scene) is None
    assert cache.problem(scene) == ""


def test_a_replaced_result_goes_when_the_file_is_saved(tmp_path):
    """Not before: the file on disk still refers to it, and undo may bring it back."""
    scene = swinging.build()
    save_as(tmp_path / "shot.blend")
    first = swinging.simulate().identifier
    bpy.ops.wm.save_mainfile()
    scene.objects["Upper"].redmax.body.density = 3000.0
    second = swinging.simulate().identifier
    assert second != first
    assert {f"{first}.npz", f"{second}.npz"} <= set(results_in(tmp_path))
    bpy.ops.wm.save_mainfile()
    assert results_in(tmp_path) == sorted([f"{second}.npz", cache_index.NAME])


def test_results_of_another_file_in_the_folder_stay(tmp_path):
    scene = swinging.build()
    save_as(tmp_path / "one.blend")
    first = swinging.simulate().identifier
    bpy.ops.wm.save_mainfile()
    save_as(tmp_path / "two.blend")
    scene.objects["Upper"].redmax.body.density = 3000.0
    second = swinging.simulate().identifier
    bpy.ops.wm.save_mainfile()
    assert {f"{first}.npz", f"{second}.npz"} <= set(results_in(tmp_path))
    (tmp_path / "one.blend").unlink()
    bpy.ops.wm.save_mainfile()
    assert f"{first}.npz" not in results_in(tmp_path), "nobody is left who needs it"


def test_files_of_others_are_never_deleted(tmp_path):
    folder = tmp_path / cache.FOLDER
    folder.mkdir()
    for name in ("mine.npz", "0" * 32 + ".npz", "0" * 32 + ".txt"):
        (folder / name).write_text("precious")
    scene = swinging.build()
    save_as(tmp_path / "shot.blend")
    swinging.simulate()
    bpy.ops.wm.save_mainfile()
    scene.objects["Upper"].redmax.body.density = 3000.0
    swinging.simulate()
    bpy.ops.wm.save_mainfile()
    bpy.ops.redmax.clear_result()
    bpy.ops.wm.save_mainfile()
    assert results_in(tmp_path) == sorted(["mine.npz", "0" * 32 + ".npz", "0" * 32 + ".txt", cache_index.NAME])


def test_a_damaged_index_deletes_nothing(tmp_path):
    scene = swinging.build()
    save_as(tmp_path / "shot.blend")
    first = swinging.simulate().identifier
    bpy.ops.wm.save_mainfile()
    for broken in ("", "[]", '{"format": "redmax-cache", "version": 1, "files": 3}'):
        (tmp_path / cache.FOLDER / cache_index.NAME).write_text(broken)
        scene.objects["Upper"].redmax.body.density += 1000.0
        swinging.simulate()
        bpy.ops.wm.save_mainfile()
        assert f"{first}.npz" in results_in(tmp_path)


def test_a_result_that_two_scenes_share_is_cleared_with_the_second(tmp_path):
    swinging.build()
    save_as(tmp_path / "shot.blend")
    identifier = swinging.simulate().identifier
    copy = bpy.context.scene.copy()
    assert copy.redmax.result.identifier == identifier
    bpy.ops.redmax.clear_result()
    assert f"{identifier}.npz" in results_in(tmp_path)
    bpy.context.window.scene = copy
    bpy.ops.redmax.clear_result()
    assert f"{identifier}.npz" not in results_in(tmp_path)


def test_memory_is_limited_and_the_newest_stays(monkeypatch):
    scene = swinging.build()
    monkeypatch.setattr(cache, "MOST_BYTES", 1)
    first = swinging.simulate().identifier
    scene.objects["Upper"].redmax.body.density = 3000.0
    second = swinging.simulate().identifier
    assert list(cache._memory) == [second]
    scene.redmax.result.identifier = first
    assert cache.load(scene) is not None, "it is still on disk"


# --- stale or not ----------------------------------------------------------------------------


def key_the_elbow():
    joint = bpy.data.objects["Elbow"]
    joint.redmax.joint.motion_type = "animated"
    for frame, angle in ((1, 0.0), (13, 1.0)):
        joint.redmax.joint.coordinate_angle_1 = angle
        joint.keyframe_insert("redmax.joint.coordinate_angle_1", frame=frame)


def move_a_key():
    from redmax_blender import compat

    curve = compat.fcurves_of(bpy.data.objects["Elbow"])[0]
    curve.keyframe_points[1].co.y = 0.5
    curve.update()


EDITS = {
    "move a body": lambda scene: setattr(scene.objects["Upper"], "location", (0.6, 0.0, 2.0)),
    "turn a body": lambda scene: setattr(scene.objects["Lower"], "rotation_euler", (0.3, 0.0, 0.0)),
    "scale a body": lambda scene: setattr(scene.objects["Lower"], "scale", (1.0, 2.0, 1.0)),
    "move a joint": lambda scene: setattr(scene.objects["Elbow"], "location", (1.1, 0.0, 2.0)),
    "density": lambda scene: setattr(scene.objects["Upper"].redmax.body, "density", 2000.0),
    "joint axis": lambda scene: setattr(scene.objects["Elbow"].redmax.joint.revolute, "axis", (0.0, 1.0, 0.2)),
    "joint damping": lambda scene: setattr(scene.objects["Elbow"].redmax.joint, "damping", (0.5,) + (0.0,) * 5),
    "joint kind": lambda scene: setattr(scene.objects["Elbow"].redmax.joint, "kind", "spherical"),
    "motion type": lambda scene: setattr(scene.objects["Elbow"].redmax.joint, "motion_type", "locked"),
    "keys": lambda scene: key_the_elbow(),
    "last frame": lambda scene: setattr(scene, "frame_end", 20),
    "frame rate": lambda scene: setattr(scene.render, "fps", 25),
    "gravity": lambda scene: setattr(scene, "gravity", (0.0, 0.0, -5.0)),
    "unit scale": lambda scene: setattr(scene.unit_settings, "scale_length", 0.01),
    "accuracy": lambda scene: setattr(scene.redmax, "accuracy", "HIGH"),
    "modifier": lambda scene: setattr(scene.objects["Lower"].modifiers.new("Thick", "SOLIDIFY"), "thickness", 0.02),
    "mesh": lambda scene: setattr(scene.objects["Lower"].data.vertices[0], "co", (-0.7, -0.05, -0.05)),
    "remove a body": lambda scene: bpy.data.objects.remove(scene.objects["Lower"]),
    "rename a body": lambda scene: setattr(scene.objects["Lower"], "name", "Hand"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_result_is_stale_after(edit):
    scene = swinging.build(frames=(1, 5))
    swinging.simulate()
    assert not stale()
    EDITS[edit](scene)
    bpy.context.view_layer.update()
    if edit == "remove a body":
        bpy.data.objects.remove(scene.objects["Elbow"])
    assert stale()
    assert scene.redmax.result.changed


def test_a_result_is_stale_after_moving_a_key():
    scene = swinging.build(frames=(1, 5))
    key_the_elbow()
    swinging.simulate()
    assert not stale()
    move_a_key()
    bpy.context.view_layer.update()
    assert stale()
    assert scene.redmax.result.changed


def test_undoing_an_edit_makes_it_fresh_again():
    scene = swinging.build()
    swinging.simulate()
    scene.objects["Upper"].redmax.body.density = 2000.0
    assert stale()
    scene.objects["Upper"].redmax.body.property_unset("density")
    assert not stale()
    assert not scene.redmax.result.changed


def test_a_result_is_not_stale_after_showing_scrubbing_saving_and_reloading(tmp_path):
    scene = swinging.build()
    swinging.simulate()
    for frame in (1, 7, 13, 30, 4):
        scene.frame_set(frame)
        assert not scene.redmax.result.changed
        assert not stale()
        assert scene.frame_current == frame
    bpy.ops.redmax.show_result()
    assert not stale()
    bpy.ops.redmax.show_result()
    assert not stale()
    save_as(tmp_path / "shot.blend")
    assert not scene.redmax.result.changed
    assert not stale()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert not stale()
    bpy.context.scene.frame_set(9)
    assert not stale()
    assert not bpy.context.scene.redmax.result.changed


def test_a_result_is_not_stale_after_baking_and_removing_the_bake(tmp_path):
    scene = swinging.build()
    swinging.simulate()
    scene.frame_set(6)
    bpy.ops.redmax.bake()
    assert not stale()
    assert not scene.redmax.result.changed
    scene.frame_set(9)
    assert not stale()
    save_as(tmp_path / "shot.blend")
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert not stale()
    bpy.ops.redmax.remove_bake()
    assert not stale()
    assert not bpy.context.scene.redmax.result.changed


def test_selecting_hiding_and_naming_other_things_is_no_edit():
    scene = swinging.build()
    lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    scene.collection.objects.link(lamp)
    swinging.simulate()
    lamp.location.x = 3.0
    scene.objects["Upper"].select_set(True)
    bpy.context.view_layer.objects.active = scene.objects["Upper"]
    lamp.name = "Sun"
    bpy.context.view_layer.update()
    assert not scene.redmax.result.changed
    assert not stale()


def test_a_scene_that_cannot_be_simulated_any_more_says_why():
    scene = swinging.build()
    swinging.simulate()
    scene.objects["Elbow"].redmax.joint.child = None
    with pytest.raises(RedMaxError, match="Elbow"):
        stale()


def test_the_identifier_depends_on_what_it_should():
    scene = swinging.build()
    extraction, integrator = live.prepare(scene, bpy.context.view_layer)
    identifier = cache.fingerprint(extraction, integrator)
    assert cache_index.IDENTIFIER.fullmatch(identifier)
    assert cache.fingerprint(*live.prepare(scene, bpy.context.view_layer)) == identifier
    assert cache.fingerprint(extraction, type(integrator)(accuracy="draft")) != identifier


def test_paths_are_beside_the_file(tmp_path):
    assert cache.folder() is None
    save_as(tmp_path / "shot.blend")
    assert cache.folder() == Path(tmp_path) / "redmax_cache"
