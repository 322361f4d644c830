# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of bodies as animated custom properties, as seen from another body or from the world."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bake_cases import baking, box, double_pendulum, run_and_bake
from test_ui_panels import drawn

from redmax_blender import compat, headless
from redmax_blender.bridge.bake.bake_options import BakeOptions
from redmax_blender.bridge.core.findings import BridgeError
from redmax_blender.ui import sidebar

NAMES = ("position", "rotation", "velocity", "angular_velocity", "acceleration", "angular_acceleration")


def motion_of(obj):
    return {name: np.array(obj[f"redmax_{name}"]) for name in NAMES}


def matrix(obj):
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return np.array(obj.evaluated_get(depsgraph).matrix_world)


def rotation_matrix(q):
    w, u = q[0], q[1:]
    hat = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    return np.eye(3) + 2.0 * w * hat + 2.0 * hat @ hat


@pytest.mark.parametrize("observer", ["Upper", ""])
def test_a_body_moves_as_it_is_seen_in_the_viewport(scene, observer):
    """Pose by what Blender evaluates; velocities and accelerations by differences of these numbers from key to key."""
    scene.render.fps = 240
    double_pendulum(frames=40)
    lower = bpy.data.objects["Lower"]
    _, result, _ = run_and_bake(motion=True, seen_from=observer)
    seen = []
    for frame in range(10, 15):
        scene.frame_set(frame)
        base = matrix(bpy.data.objects[observer]) if observer else np.eye(4)
        E = np.linalg.inv(base) @ matrix(lower)
        found = motion_of(lower)
        np.testing.assert_allclose(found["position"], E[:3, 3], atol=1e-5)  # single precision
        np.testing.assert_allclose(rotation_matrix(found["rotation"]), E[:3, :3], atol=1e-5)
        seen.append(found)
    rates = {name: (seen[3][name] - seen[1][name]) * 120.0 for name in NAMES}
    for name, rate in (("velocity", "position"), ("acceleration", "velocity")):
        np.testing.assert_allclose(seen[2][name], rates[rate], atol=2e-3 * np.abs(seen[2][name]).max() + 2e-3)
    np.testing.assert_allclose(seen[2]["angular_acceleration"], rates["angular_velocity"], atol=0.05)
    wanted = result.seen_from("Lower", observer or None)
    np.testing.assert_allclose(seen[0]["angular_velocity"], wanted.twist[9, :3], atol=1e-5)
    np.testing.assert_allclose(seen[0]["acceleration"], wanted.acceleration[9, 3:], atol=1e-4)
    assert np.abs(seen[2]["acceleration"]).max() > 1.0


def test_it_is_written_for_what_stands_still_too_but_not_for_the_observer(scene):
    upper, _ = double_pendulum()
    post = box("Post", (3.0, 0.0, 0.0))
    post.redmax.body.root = "LOCKED"
    run_and_bake(motion=True, seen_from="Upper")
    assert "redmax_velocity" not in upper
    scene.frame_set(20)
    assert np.abs(motion_of(post)["velocity"]).max() > 0.1
    baking.remove_bake(scene)
    assert not [key for key in post.keys() if key.startswith("redmax_")]  # noqa: SIM118


def test_titles_and_tooltips_say_what_is_seen_from_what(scene):
    _, lower = double_pendulum()
    run_and_bake(motion=True, seen_from="Upper")
    record = lower.redmax.baked
    groups = {c.data_path[2:-2]: c.group.name for c in compat.curves_in(record.results, record.results_slot)}
    assert groups == {
        "redmax_position": "Position (m)",
        "redmax_rotation": "Rotation",
        "redmax_velocity": "Velocity (m/s)",
        "redmax_angular_velocity": "Angular Velocity (rad/s)",
        "redmax_acceleration": "Acceleration (m/s^2)",
        "redmax_angular_acceleration": "Angular Acceleration (rad/s^2)",
    }
    told = lower.id_properties_ui("redmax_velocity").as_dict()["description"]
    assert told == "How fast the body's origin moves, seen from Upper and along its axes [m/s]"
    bpy.context.view_layer.objects.active = lower
    layout = drawn()["REDMAX_PT_body_results"]
    assert layout.texts()[:9] == ["Position (m)", *"XYZ", "Rotation", *"WXYZ"]
    baking.remove_bake(scene)
    assert "REDMAX_PT_body_results" not in drawn()


def test_what_is_no_simulated_body_is_named(scene):
    double_pendulum()
    with pytest.raises(BridgeError, match=r"'Elbow' is not one of the simulated bodies.*pick a body under Seen From"):
        run_and_bake(motion=True, seen_from="Elbow")
    assert not bpy.data.actions


def test_an_observer_that_was_deleted_is_missed_and_not_taken_for_the_world(scene):
    double_pendulum()
    options = scene.redmax.bake
    options.motion = True
    assert BakeOptions.from_scene(scene).seen_from == ""
    options.seen_from = box("Watcher", (9.0, 0.0, 0.0))
    assert BakeOptions.from_scene(scene).seen_from == "Watcher"
    bpy.data.objects.remove(bpy.data.objects["Watcher"])
    layout = drawn([sidebar.REDMAX_PT_bake_options])["REDMAX_PT_bake_options"]
    assert "Lost: Watcher" in [call.arguments.get("placeholder") for call in layout.calls]
    with pytest.raises(BridgeError, match="'Watcher' is not one of the simulated bodies"):
        run_and_bake(motion=True, seen_from=BakeOptions.from_scene(scene).seen_from)


def test_the_command_line_takes_the_observer_by_name(scene, tmp_path):
    double_pendulum()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "pendulum.blend"))
    settings = {"out": tmp_path / "out.blend", "channels": ["motion"]}
    report = headless.bake_file(tmp_path / "pendulum.blend", options={"seen_from": "Upper"}, **settings)
    assert report.exit_code == 0, report.message
    lower = bpy.data.objects["Lower"]
    assert "seen from Upper" in lower.id_properties_ui("redmax_position").as_dict()["description"]
    report = headless.bake_file(tmp_path / "pendulum.blend", options={"seen_from": "Hook"}, **settings)
    assert "There is no object 'Hook' in the scene" in report.message
