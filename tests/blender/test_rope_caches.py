# SPDX-License-Identifier: GPL-3.0-or-later
"""Ropes baked to one file each: their curves stand where the simulation has the nodes, wherever the .blend file goes,
and nothing of it is left when the bake is removed or fails."""

from __future__ import annotations

import logging
import shutil

import bpy
import faults
import numpy as np
import pytest
from cached_results import save_as
from intents import MAKERS
from recording_layout import RecordingLayout

from redmax_blender import cli, headless
from redmax_blender.bridge.authoring import shapes
from redmax_blender.bridge.bake import rope_caches
from redmax_blender.bridge.check import result_findings
from redmax_blender.bridge.core import cache_index, point_cache
from redmax_blender.bridge.results import cache, cache_places, rope_files
from redmax_blender.ui import bake_options


def roped(first=1, unit=1.0, **options):
    """A simulated rope on whose curve's object the artist has a modifier; the curve's object."""
    scene = bpy.context.scene
    scene.unit_settings.scale_length = unit
    scene.gravity[2] /= unit  # Blender keeps it in the scene's units
    strand = MAKERS["add_strand"].make()
    scene.frame_start, scene.frame_end = first, first + 6
    scene.frame_set(first)
    (shape,) = shapes.shapes_of(strand)
    shape.location, shape.rotation_euler, shape.scale = (0.5, 0.0, 0.1), (0.1, 0.5, -0.3), (2.0, 1.0, 0.5)
    shape.modifiers.new("Mine", "SIMPLE_DEFORM").angle = 0.0
    bpy.context.view_layer.update()
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    scene.redmax.bake.ropes = "CACHE"
    for name, value in options.items():
        setattr(scene.redmax.bake, name, value)
    return shape


def bake():
    assert bpy.ops.redmax.bake() == {"FINISHED"}


def rope():
    return next(obj for obj in bpy.data.objects if obj.redmax.shows)


def evaluated(frame, subframe=0.0):
    """Vertices of the bare line of the rope, as Blender evaluates them, in the curve's own coordinates."""
    shape = rope()
    radius, shape.data.bevel_depth = shape.data.bevel_depth, 0.0
    bpy.context.scene.frame_set(frame, subframe=subframe)
    found = shape.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = found.to_mesh()
    points = np.array([vertex.co for vertex in mesh.vertices])
    found.to_mesh_clear()
    shape.data.bevel_depth = radius
    return points


def local_nodes(nodes, unit=1.0):
    """Nodes of a result in the coordinates of the rope's object, by matrices alone."""
    unit = float(np.float32(unit))  # as Blender keeps it
    inverse = np.linalg.inv(np.array(rope().matrix_world, float))
    homogeneous = np.concatenate([nodes / unit, np.ones((*nodes.shape[:-1], 1))], axis=-1)
    return (homogeneous @ inverse.T)[..., :3]


def follows(nodes, first=1, unit=1.0):
    target = local_nodes(nodes, unit)
    for at in (0, 2, 3, 6):
        np.testing.assert_array_equal(evaluated(first + at), target[at].astype(np.float32))


def files_in(folder):
    return sorted(path.name for path in folder.glob("*.pc2"))


def said():
    return [str(finding) for finding in result_findings.result_findings(bpy.context.scene)]


@pytest.fixture(autouse=True)
def _silent(caplog):
    caplog.set_level(logging.CRITICAL)
    yield
    shutil.rmtree(cache_places.temporary_folder(), ignore_errors=True)


# --- the motion ------------------------------------------------------------------------------


@pytest.mark.parametrize(("first", "unit"), [(1, 1.0), (50, 1.0), (101, 0.01)])
def test_the_curve_has_the_nodes_of_the_simulation_to_float32(first, unit):
    roped(first, unit)
    nodes = cache.load(bpy.context.scene).channels["nodes"]
    assert np.abs(nodes[6] - nodes[0]).max() > 1e-3 * unit
    bake()
    bpy.ops.redmax.clear_result()
    follows(nodes, first, unit)
    target = local_nodes(nodes, unit)
    np.testing.assert_allclose(evaluated(first + 2, 0.25), 0.75 * target[2] + 0.25 * target[3], atol=1e-5 / unit)
    for before, held in ((first - 9, 0), (first + 30, 6)):
        np.testing.assert_array_equal(evaluated(before), target[held].astype(np.float32))


def test_a_part_of_the_frames_begins_at_the_first_of_them():
    roped(range="CUSTOM", frame_start=4, frame_end=6)
    nodes = cache.load(bpy.context.scene).channels["nodes"]
    bake()
    bpy.ops.redmax.clear_result()
    for frame, at in ((1, 3), (4, 3), (5, 4), (6, 5), (7, 5)):
        np.testing.assert_array_equal(evaluated(frame), local_nodes(nodes)[at].astype(np.float32))


def test_the_tube_keeps_its_thickness_and_material_and_both_may_be_changed():
    shape = roped()
    nodes = cache.load(bpy.context.scene).channels["nodes"]
    shape.location, shape.rotation_euler, shape.scale = (0, 0, 0), (0, 0, 0), (1, 1, 1)
    shape.modifiers.clear()
    shape.data.materials.append(bpy.data.materials.new("Hemp"))
    bpy.context.view_layer.update()
    bake()
    bpy.ops.redmax.clear_result()
    for radius in (shape.data.bevel_depth, 0.03):
        shape.data.bevel_depth = radius
        bpy.context.scene.frame_set(5)
        found = shape.evaluated_get(bpy.context.evaluated_depsgraph_get())
        mesh = found.to_mesh()
        assert [material.name for material in mesh.materials] == ["Hemp"]
        points = np.array([vertex.co for vertex in mesh.vertices])
        found.to_mesh_clear()
        away = np.linalg.norm(points[:, None] - nodes[4][None], axis=2).min(axis=1)
        np.testing.assert_allclose(away, radius, rtol=0.05)


def test_what_a_bake_tells_and_writes(tmp_path):
    shape = roped()
    save_as(tmp_path / "shot.blend")
    bake()
    assert "1 mesh cache" in bpy.context.window_manager.redmax.message
    assert shape.data.animation_data is None, "no keys"
    modifier = shape.modifiers[0]
    assert (modifier.name, modifier.filepath) == (
        rope_caches.NAME,
        f"//{cache.FOLDER}/{shape.data.redmax.baked.cache}.pc2",
    )
    assert [each.name for each in shape.modifiers] == [rope_caches.NAME, "Mine"]
    (path,) = (tmp_path / cache.FOLDER).glob("*.pc2")
    points, first = point_cache.decoded(path.read_bytes())
    assert (points.shape, first) == ((7, len(shape.data.splines[0].points), 3), 1.0)
    assert said() == []


def test_a_point_cache_is_read_back_and_what_is_none_is_refused():
    points = np.random.default_rng(1).normal(size=(3, 4, 3)).astype(np.float32)
    content = point_cache.encoded(points, -7.0)
    found, first = point_cache.decoded(content)
    assert first == -7.0
    np.testing.assert_array_equal(found, points)
    for wrong in (b"", content[:-1], content + b"\0", b"X" + content[1:]):
        with pytest.raises(ValueError, match="it"):
            point_cache.decoded(wrong)


# --- whole or not at all ---------------------------------------------------------------------


def test_remove_bake_leaves_the_file_as_it_was():
    shape = roped()
    shape.modifiers.active = shape.modifiers["Mine"]
    before = faults.everything()
    points = evaluated(1)
    bake()
    assert faults.differences(before, faults.everything()) != []
    assert bpy.ops.redmax.remove_bake() == {"FINISHED"}
    assert faults.differences(before, faults.everything()) == []
    assert not shape.data.redmax.baked.active
    bpy.ops.redmax.clear_result()
    np.testing.assert_allclose(evaluated(1), points, atol=1e-6)


@pytest.mark.parametrize("former", ["KEYS", "CACHE"])
@pytest.mark.parametrize("now", ["KEYS", "CACHE"])
def test_another_bake_replaces_the_one_before(former, now):
    shape = roped(ropes=former, range="CUSTOM", frame_end=5)
    nodes = cache.load(bpy.context.scene).channels["nodes"]
    bake()
    options = bpy.context.scene.redmax.bake
    options.ropes, options.range = now, "SCENE"
    bake()
    bpy.ops.redmax.clear_result()
    follows(nodes)
    assert [modifier.name for modifier in shape.modifiers] == [rope_caches.NAME, "Mine"][now == "KEYS" :]
    assert (shape.data.animation_data is None) == (now == "CACHE")
    bpy.ops.redmax.remove_bake()
    assert [modifier.name for modifier in shape.modifiers] == ["Mine"]
    assert shape.data.animation_data is None


WRITING = ("bridge/bake/bake", "bridge/bake/rope_caches", "bridge/bake/actions", "bridge/results/rope_files")


@pytest.mark.parametrize("bakes", [0, 1])
def test_an_error_at_any_line_of_writing_leaves_everything_as_it_was(tmp_path, bakes):
    shape = roped(range="CUSTOM", frame_end=5)
    save_as(tmp_path / "shot.blend")
    for _ in range(bakes):
        bake()
    bpy.context.scene.redmax.bake.range = "SCENE"
    before, kept = faults.everything(), (shape.data.redmax.baked.cache, files_in(tmp_path / cache.FOLDER))
    with faults.planted(0, *WRITING) as lines:
        bake()
    bpy.ops.redmax.remove_bake()
    bpy.ops.wm.save_mainfile()
    bpy.context.scene.redmax.bake.range = "CUSTOM"
    for _ in range(bakes):
        bake()
    bpy.context.scene.redmax.bake.range = "SCENE"
    assert faults.differences(before, faults.everything()) == []
    failed = 0
    for number in faults.spread(lines.count, 25):
        with faults.planted(number, *WRITING), pytest.raises(RuntimeError):
            bpy.ops.redmax.bake()
        after = (shape.data.redmax.baked.cache, files_in(tmp_path / cache.FOLDER))
        if after != kept:  # all was done, and only the report was left to make
            break
        failed += 1
        assert faults.differences(before, faults.everything()) == []
    assert failed >= 20


def test_a_disk_that_takes_no_file_is_said_and_nothing_is_baked(monkeypatch):
    roped()
    before = faults.everything()

    def full(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(rope_files.files, "replacing", full)
    with pytest.raises(RuntimeError, match=r"No space left on device.*bake ropes as keyed points"):
        bpy.ops.redmax.bake()
    assert faults.differences(before, faults.everything()) == []


def test_a_folder_that_cannot_be_written_is_said_and_the_rope_moves_until_blender_closes(tmp_path):
    roped()
    save_as(tmp_path / "shot.blend")
    nodes = cache.load(bpy.context.scene).channels["nodes"]
    shutil.rmtree(tmp_path / cache.FOLDER)
    (tmp_path / cache.FOLDER).write_text("in the way")
    bake()
    assert "the mesh cache is kept only until Blender closes" in bpy.context.window_manager.redmax.message
    bpy.context.scene.redmax.show_result = False
    follows(nodes)


def test_a_curve_with_other_points_is_named_and_nothing_is_baked():
    shape = roped()
    bake()
    shape.data.splines[0].points.add(1)
    assert "so it does not move; bake again" in said()[0]
    before = faults.everything()
    with pytest.raises(RuntimeError, match="remove the bake and simulate again"):
        bpy.ops.redmax.bake()
    assert faults.differences(before, faults.everything()) == []
    bpy.ops.redmax.remove_bake()
    bake()
    assert said() == []


def test_a_mesh_cache_is_not_repeated_and_that_is_said():
    roped(loop=True, loop_frames=3)
    bake()
    assert "is not repeated before and after the baked frames" in bpy.context.window_manager.redmax.message


# --- undo ------------------------------------------------------------------------------------


def test_baking_and_removing_are_one_undo_step_each_also_after_the_file_was_saved(tmp_path):
    roped()
    nodes = cache.load(bpy.context.scene).channels["nodes"]
    save_as(tmp_path / "shot.blend")
    bpy.context.scene.redmax.show_result = False
    bpy.ops.ed.undo_push(message="simulated")
    bake()
    bpy.ops.ed.undo_push(message="baked")
    bpy.ops.wm.save_mainfile()
    bpy.ops.redmax.remove_bake()
    bpy.ops.ed.undo_push(message="removed")
    assert files_in(tmp_path / cache.FOLDER), "the file on disk still refers to it"
    bpy.ops.wm.save_mainfile()
    assert files_in(tmp_path / cache.FOLDER) == []
    bpy.ops.ed.undo()
    assert said() == []
    assert len(files_in(tmp_path / cache.FOLDER)) == 1
    follows(nodes)
    bpy.ops.ed.undo()
    assert len(rope().modifiers) == 1
    assert not rope().data.redmax.baked.active
    bpy.ops.ed.redo()
    follows(nodes)


# --- the file goes elsewhere -----------------------------------------------------------------


@pytest.mark.parametrize("saved_before", [False, True])
def test_a_saved_file_has_its_ropes_beside_it(tmp_path, saved_before):
    roped()
    nodes = cache.load(bpy.context.scene).channels["nodes"]
    homes = [tmp_path / name for name in ("one", "two", "three")]
    for home in homes:
        home.mkdir()
    if saved_before:
        save_as(homes[0] / "shot.blend")
    bake()
    bpy.context.scene.redmax.show_result = False
    follows(nodes)
    save_as(homes[0] / "shot.blend")
    assert files_in(cache_places.temporary_folder()) == []
    save_as(homes[1] / "copy.blend", copy=True)
    save_as(homes[2] / "other.blend")
    for home, name in zip(homes, ("shot", "copy", "other"), strict=True):
        bpy.ops.wm.open_mainfile(filepath=str(home / f"{name}.blend"))
        follows(nodes)
        assert rope().modifiers[0].filepath == f"//{cache.FOLDER}/{rope().data.redmax.baked.cache}.pc2"
        assert said() == []
    moved = tmp_path / "moved"
    shutil.move(homes[2], moved)
    shutil.rmtree(homes[0])
    shutil.rmtree(homes[1])
    bpy.ops.wm.open_mainfile(filepath=str(moved / "other.blend"))
    follows(nodes)


def test_a_file_as_it_is_written_needs_no_add_on_to_find_its_ropes(tmp_path, monkeypatch):
    roped()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    bake()
    monkeypatch.setattr(rope_files, "follow", lambda: None)
    for name, options in (("one", {}), ("two", {}), ("one", {"copy": True})):
        save_as(tmp_path / name / "shot.blend", **options)
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / name / "shot.blend"))
        assert rope().modifiers[0].filepath.startswith(f"//{cache.FOLDER}/")


def test_a_rope_that_was_appended_takes_its_file_along(tmp_path):
    roped()
    nodes = cache.load(bpy.context.scene).channels["nodes"]
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    save_as(tmp_path / "one" / "shot.blend")
    bake()
    bpy.ops.wm.save_mainfile()
    name = rope().name
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    save_as(tmp_path / "two" / "shot.blend")
    with bpy.data.libraries.load(str(tmp_path / "one" / "shot.blend")) as (_, into):
        into.objects = [name]
    bpy.context.scene.collection.objects.link(into.objects[0])
    bpy.ops.wm.save_mainfile()
    shutil.rmtree(tmp_path / "one")
    bpy.context.view_layer.update()
    assert said() == []
    follows(nodes)


def test_a_missing_or_other_file_is_a_named_finding_and_baking_again_repairs_it(tmp_path):
    shape = roped()
    save_as(tmp_path / "shot.blend")
    bake()
    path = cache_index.points_of(tmp_path / cache.FOLDER, shape.data.redmax.baked.cache)
    content = path.read_bytes()
    path.write_bytes(content[:-4] + b"\0\0\0\0")
    assert said() == [f"The mesh cache of 'Strand Shape' is not the one that was baked: '{path}'; bake again"]
    path.unlink()
    assert said() == [f"The mesh cache of 'Strand Shape' is missing: '{path}'; bake again"]
    bpy.ops.redmax.check()
    problems = bpy.context.window_manager.redmax.problems
    assert ("Strand Shape", "WARNING") in [(row.element, row.severity) for row in problems]
    bake()
    assert path.read_bytes() == content
    assert said() == []
    assert "Strand Shape" not in [row.element for row in problems]
    shape.modifiers.remove(shape.modifiers[0])
    assert "was removed, or reads another file; bake again" in said()[0]
    bake()
    assert said() == []


def test_without_a_window_the_file_lies_beside_what_was_written(tmp_path):
    roped()
    for name in ("source", "out"):
        (tmp_path / name).mkdir()
    save_as(tmp_path / "source" / "shot.blend")
    before = sorted(path.name for path in (tmp_path / "source").rglob("*"))
    report = headless.bake_file(
        tmp_path / "source" / "shot.blend", out=tmp_path / "out" / "baked.blend", options={"ropes": "CACHE"}
    )
    assert (report.exit_code, report.keys, report.caches) == (0, 6 * 7, 1)
    assert report.notes == ["Nothing has changed since the simulation: frames 1-7 kept"]
    assert "Baked 42 keys on 2 objects, 1 mesh cache, " in "\n".join(cli.summary(report))
    report.keys = report.keys_every = 0
    assert "Baked 0 keys on 2 objects, 1 mesh cache, " in "\n".join(cli.summary(report))
    assert sorted(path.name for path in (tmp_path / "source").rglob("*")) == before
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out" / "baked.blend"))
    bpy.context.scene.redmax.show_result = False
    follows(cache.load(bpy.context.scene).channels["nodes"])
    assert files_in(tmp_path / "out" / cache.FOLDER) == [f"{rope().data.redmax.baked.cache}.pc2"]


def test_the_panel_asks_only_where_there_is_a_rope():
    def asked():
        layout = RecordingLayout()
        bake_options.draw_main(layout, bpy.context)
        return "ropes" in [name for name, _ in layout.properties()]

    assert not asked()
    roped()
    assert asked()
