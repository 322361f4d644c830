# SPDX-License-Identifier: GPL-3.0-or-later
"""The Variations panel: properties picked from a list, tables in and out, all simulated, one baked."""

from __future__ import annotations

import json
import time
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
import swinging
from recording_layout import RecordingLayout

from redmax import batch, io
from redmax_blender.bridge.extract import extraction as extract
from redmax_blender.bridge.run import many, variation_table
from redmax_blender.properties import variations as properties
from redmax_blender.properties.scene import integrator_of
from redmax_blender.ui import variations as panels

OPERATORS = bpy.ops.redmax


@pytest.fixture
def settings(tmp_path):
    """Of a saved file, beside which results are."""
    scene = swinging.build(frames=(11, 17))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    return scene.redmax.variations


def vary(settings, path, values, **given):
    assert OPERATORS.add_variation(path=path) == {"FINISHED"}
    column = settings.columns[-1]
    column.source, column.values = "VALUES", values
    for name, value in given.items():
        setattr(column, name, value)
    return column


def extraction():
    return extract.extract(bpy.context.scene, bpy.context.view_layer)


def drawn(panel):
    layout = RecordingLayout()
    panel.draw(SimpleNamespace(layout=layout), bpy.context)
    return layout


def test_what_can_vary_follows_from_the_mechanism(settings):
    labels = {variation_table.label(each): each for each in variation_table.choices(extraction().scene)}
    assert labels["Shoulder: Stiffness"].path == "joints.Shoulder.stiffness"
    assert labels["Shoulder: Velocity"].unit == "rad/s"
    assert labels["Gravity Z"].value == pytest.approx(-9.81)
    assert labels["Lower: Mass and Inertia"].only == "times"
    assert labels["Lower: Mass Alone"].unit == "kg"
    assert labels["Lower: Center of Mass Z"].path == "bodies.Lower.inertia.center[2]"
    assert labels["Elbow: Torque"].unit == "N m"


def test_keyed_motion_varies_as_a_whole(settings):
    """Twice the motion in the same time is twice the speed; its thousand samples are nobody's choice."""
    shoulder = bpy.data.objects["Shoulder"]
    shoulder.redmax.joint.motion_type = "animated"
    for frame, angle in ((1, 0.0), (7, 0.6)):
        shoulder.redmax.joint.coordinate_angle_1 = angle
        shoulder.redmax.joint.keyframe_insert("coordinate_angle_1", frame=frame)
    labels = {variation_table.label(each): each for each in variation_table.choices(extraction().scene)}
    assert labels["Shoulder: Keyed Motion"].only == "times"
    assert not [label for label in labels if "Animation" in label]
    vary(settings, "joints.Shoulder.animation", "1, 2")
    assert OPERATORS.simulate_variations() == {"FINISHED"}
    assert {row.status for row in settings.rows} == {"complete"}
    scene = extraction().scene
    (shoulder,) = (joint for joint in scene.joints if joint.name == "Shoulder")
    doubled = batch.changed(scene, "joints.Shoulder.animation", 2.0, "times")
    (other,) = (joint for joint in doubled.joints if joint.name == "Shoulder")
    assert np.asarray(shoulder.animation.y)[-1] == pytest.approx(0.6, abs=1e-6)
    assert np.array_equal(other.animation.y, 2.0 * np.asarray(shoulder.animation.y))


def test_a_property_is_picked_and_removed(settings):
    vary(settings, "joints.Shoulder.damping", "1, 2")
    assert (settings.columns[0].label, settings.columns[0].unit) == ("Shoulder: Damping", "N m s/rad")
    vary(settings, "bodies.Lower.inertia", "1, 2")
    assert settings.columns[1].change == "TIMES"
    assert OPERATORS.remove_variation() == {"FINISHED"}
    assert [column.path for column in settings.columns] == ["joints.Shoulder.damping"]
    with pytest.raises(RuntimeError, match=r"no property 'joints\.Shoulder\.dumping'"):
        OPERATORS.add_variation(path="joints.Shoulder.dumping")


def test_all_are_simulated_as_the_engine_would(settings):
    vary(settings, "joints.Shoulder.damping", "0, 0.5, 2")
    assert OPERATORS.simulate_variations() == {"FINISHED"}
    rows = settings.rows
    assert [row.name for row in rows] == ["1", "2", "3"]
    assert {row.status for row in rows} == {"complete"}
    found = extraction()
    setting = batch.Settings(0.25, 24.0, integrator_of(bpy.context.scene))
    for row, damping in zip(rows, (0, 0.5, 2), strict=True):
        scene = batch.changed(found.scene, "joints.Shoulder.damping", damping)
        with_route = batch.simulated(batch.Task.of(io.dumps(scene), setting))
        assert many.result_of(row).q.tobytes() == _trajectory(with_route).q.tobytes()
        assert row.energy_drift == pytest.approx(with_route.record["energy_drift"])
    assert not bpy.context.scene.redmax.result.identifier, "the scene's own result is another thing"


def _trajectory(result):
    import tempfile
    from pathlib import Path

    from redmax import trajectory

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.npz"
        path.write_bytes(result.archive)
        return trajectory.load(path)


def test_one_is_baked_in_one_step_and_the_setup_is_kept(settings):
    vary(settings, "joints.Shoulder.qdot", "0, 5")
    OPERATORS.simulate_variations()
    settings.active_row = 1
    assert OPERATORS.bake_variation() == {"FINISHED"}
    result = many.result_of(settings.rows[1])
    scene = bpy.context.scene
    body = extraction().body("Lower")
    for index, frame in enumerate(range(11, 18)):
        scene.frame_set(frame)
        M = np.array(bpy.data.objects["Lower"].matrix_world)
        assert M[:3, 3] == pytest.approx(result.position[index, result.body("Lower")], abs=2e-6), body.name
    assert bpy.data.objects["Shoulder"].redmax.joint.velocity_angle[0] == 0.0
    assert OPERATORS.remove_bake() == {"FINISHED"}


def test_what_is_old_is_said_and_baked_only_when_asked(settings):
    vary(settings, "joints.Shoulder.damping", "0, 1")
    OPERATORS.simulate_variations()
    bpy.data.objects["Elbow"].redmax.joint.stiffness[0] = 50.0
    with pytest.raises(RuntimeError, match="was changed since its variations were simulated"):
        OPERATORS.bake_variation()
    assert settings.changed
    texts = drawn(panels.REDMAX_PT_simulated_variations).texts()
    assert any("Settings changed" in text for text in texts)
    assert bpy.data.objects["Lower"].animation_data is None
    assert OPERATORS.bake_variation(allow_stale=True) == {"FINISHED"}


def test_what_is_there_is_not_simulated_again(settings, monkeypatch):
    vary(settings, "joints.Shoulder.damping", "0, 1")
    OPERATORS.simulate_variations()
    keys = [row.key for row in settings.rows]
    seen, real = [], batch.simulated
    monkeypatch.setattr(many.batch, "simulated", lambda task, stopped: seen.append(task.key) or real(task, stopped))
    settings.columns[0].values = "1, 0, 3"
    OPERATORS.simulate_variations()
    assert [row.key for row in settings.rows][:2] == keys[::-1]
    assert seen == [settings.rows[2].key]


@pytest.mark.parametrize("after", [0, 1, 2])
def test_escape_keeps_what_is_done_and_the_rest_follows(settings, after):
    vary(settings, "joints.Shoulder.damping", "0, 1, 2, 3")
    run = many.prepared(bpy.context.scene, extraction(), integrator_of(bpy.context.scene))
    if after == 0:
        run.cancel()
    run.work(lambda progress: run.cancel() if progress.done == after else None)
    assert many.listed(bpy.context.scene, run) == f"Stopped: {after} of 4 variations simulated"
    assert len(settings.rows) == after
    OPERATORS.simulate_variations()
    assert [row.shown for row in settings.rows] == ["0", "1", "2", "3"]


def test_beside_the_artist_with_progress_and_time_left(settings):
    vary(settings, "joints.Shoulder.damping", "0, 1, 2")
    run = many.begin(bpy.context.scene, extraction(), integrator_of(bpy.context.scene))
    try:
        assert many.running()
        with pytest.raises(RuntimeError, match="A simulation is running"):
            OPERATORS.simulate()
        until = time.monotonic() + 60.0
        while not run.finished:
            assert time.monotonic() < until
            time.sleep(0.02)
        assert run.text().startswith("3 of 3 variations")
        assert many.finish() == "3 of 3 variations simulated"
    finally:
        many.abandon()
    assert not many.running()


@pytest.mark.parametrize("ending", ["json", "csv"])
def test_a_table_goes_out_and_comes_back(settings, tmp_path, ending):
    vary(settings, "joints.Shoulder.damping", "0, 1, , 2")
    column = vary(settings, "bodies.Lower.inertia", "")
    column.source, column.first, column.last = "LOG_UNIFORM", 0.1, 10.0
    settings.count, settings.seed = 4, 9
    before = variation_table.table(settings)
    path = str(tmp_path / f"table.{ending}")
    assert OPERATORS.export_variations(filepath=path) == {"FINISHED"}
    assert [row.values for row in batch.load(path).rows] == [row.values for row in before.rows]
    settings.columns.clear()
    settings.count = settings.seed = 1
    assert OPERATORS.import_variations(filepath=path) == {"FINISHED"}
    after = variation_table.table(settings)
    assert (after.columns, [row.values for row in after.rows]) == (before.columns, [row.values for row in before.rows])
    assert settings.columns[1].source == ("LOG_UNIFORM" if ending == "json" else "VALUES")
    assert settings.columns[0].label == "Shoulder: Damping"


def test_a_table_that_does_not_fit_is_refused_and_the_panel_keeps_its_own(settings, tmp_path):
    vary(settings, "joints.Shoulder.damping", "0, 1")
    path = tmp_path / "bad.csv"
    for text, said in (
        ("joints.Shoulder.damping\n1\n-1\n", r"row 2, column 1"),
        ("joints.Sholder.damping\n1\n", "there is no such joint"),
        ("joints.Shoulder.damping\n=HYPERLINK(1)\n", r"row 1, column 1"),
        ("__import__('os').system('touch hacked')\n1\n", "is no name of a field"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(RuntimeError, match=said):
            OPERATORS.import_variations(filepath=str(path))
        assert settings.columns[0].values == "0, 1"
    settings.columns[0].values = "1, much"
    with pytest.raises(RuntimeError, match=r"row 2, column 1 \(joints.Shoulder.damping\)"):
        OPERATORS.simulate_variations()


def test_lists_are_sorted_and_filtered(settings):
    for name, drift in (("a", 3.0), ("b", properties.UNKNOWN), ("c", 1.0)):
        row = settings.rows.add()
        row.name, row.energy_drift, row.status = name, drift, "complete" if drift > 0 else "failed"
    assert properties.in_order(settings) == [0, 1, 2]
    settings.order = "ENERGY_DRIFT"
    assert properties.in_order(settings) == [2, 0, 1]
    settings.descending = True
    assert properties.in_order(settings) == [0, 2, 1]
    settings.use_limit, settings.limit = True, 2.0
    assert [properties.is_listed(settings, row) for row in settings.rows] == [False, False, True]
    settings.use_limit, settings.only_complete = False, True
    assert [properties.is_listed(settings, row) for row in settings.rows] == [True, False, True]


def test_panels_in_every_state(settings):
    drawn(panels.REDMAX_PT_variations)
    vary(settings, "joints.Shoulder.damping", "0, 1")
    vary(settings, "joints.Elbow.torque", "0, 1").source = "NORMAL"
    settings.count = 2
    for source in properties.SOURCES:
        settings.columns[1].source = source
        assert "redmax.simulate_variations" in drawn(panels.REDMAX_PT_variations).operators()
    settings.columns[1].source = "NORMAL"
    OPERATORS.simulate_variations()
    for order in ("TABLE", "ENERGY_DRIFT"):
        settings.order = order
        assert "redmax.bake_variation" in drawn(panels.REDMAX_PT_simulated_variations).operators()
    assert drawn(panels.REDMAX_PT_contact_sheet).operators().count("redmax.pick_variation") == 2


def test_pictures_are_drawn_and_nothing_of_the_file_is_another(settings, tmp_path):
    vary(settings, "joints.Shoulder.qdot", "-4, 4")
    OPERATORS.simulate_variations()
    before = {kind: len(getattr(bpy.data, kind)) for kind in ("objects", "meshes", "scenes", "cameras", "worlds")}
    places = {obj.name: obj.matrix_world.copy() for obj in bpy.data.objects}
    assert OPERATORS.draw_variations() == {"FINISHED"}
    assert {kind: len(getattr(bpy.data, kind)) for kind in before} == before
    assert {obj.name: obj.matrix_world for obj in bpy.data.objects} == places
    seen = [(many.place() / f"{row.key}.png").read_bytes() for row in settings.rows]
    assert seen[0].startswith(b"\x89PNG")
    assert seen[0] != seen[1]
    assert OPERATORS.export_sheet(filepath=str(tmp_path / "sheet.svg")) == {"FINISHED"}
    assert (tmp_path / "sheet.svg").read_text().count("data:image/png") == 2


def test_results_follow_the_file(settings, tmp_path):
    """Saved with the list, found again after a reload, and after a move of the whole folder."""
    folder = tmp_path / "here"
    folder.mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
    vary(settings, "joints.Shoulder.damping", "0, 1")
    OPERATORS.simulate_variations()
    bpy.ops.wm.save_mainfile()
    folder.rename(tmp_path / "there")
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "there" / "shot.blend"))
    rows = bpy.context.scene.redmax.variations.rows
    assert [len(many.result_of(row)) for row in rows] == [7, 7]
    assert json.loads(rows[1].changes) == [["joints.Shoulder.damping", "set", 1]]
