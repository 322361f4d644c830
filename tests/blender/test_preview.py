# SPDX-License-Identifier: GPL-3.0-or-later
"""The preview: bodies stand where the result has them, and nothing of it is ever stored, keyed or rendered."""

from __future__ import annotations

import subprocess
import sys

import bpy
import numpy as np
import pytest
import swinging

from redmax_blender import compat
from redmax_blender.bridge.objects import kept
from redmax_blender.bridge.results import cache, placement, preview

TOLERANCE = 2e-6
"""Single precision at distances of a few metres."""


def expected(name, frame):
    """World matrix of a body in the result: its frame coincides with the object's, as the boxes have no scale."""
    from redmax_blender._engine import quaternion

    result = cache.load(bpy.context.scene)
    index = min(max(frame - bpy.context.scene.redmax.result.frame_start, 0), len(result) - 1)
    matrix = np.eye(4)
    matrix[:3, :3] = quaternion.to_matrix(result.rotation[index, result.body(name)])
    matrix[:3, 3] = result.position[index, result.body(name)]
    return matrix


def stands(name, frame):
    assert np.abs(swinging.world(name) - expected(name, frame)).max() < TOLERANCE, (name, frame)


def modelled():
    return {name: swinging.channels(name) for name in swinging.BODIES}


def all_channels(scene):
    return {
        name: [tuple(getattr(scene.objects[name], channel)) for channel in kept.CHANNELS] for name in swinging.MOVING
    }


def simulated(**options):
    scene = swinging.build(**options)
    before = modelled()
    swinging.simulate()
    return scene, before


@pytest.mark.parametrize("frame", [1, 2, 7, 13])
def test_bodies_stand_where_the_result_has_them(frame):
    scene, _ = simulated()
    scene.frame_set(frame)
    for name in swinging.BODIES:
        stands(name, frame)


@pytest.mark.parametrize(("frame", "held"), [(-20, 1), (0, 1), (14, 13), (400, 13)])
def test_before_and_after_the_result_its_ends_are_held(frame, held):
    scene, _ = simulated()
    scene.frame_set(frame)
    for name in swinging.BODIES:
        stands(name, held)


@pytest.mark.parametrize("mode", ["XYZ", "ZXY", "QUATERNION", "AXIS_ANGLE"])
def test_every_rotation_mode_is_shown_and_restored(mode):
    scene = swinging.build()
    for name in swinging.MOVING:
        scene.objects[name].rotation_mode = mode
    before = all_channels(scene)
    swinging.simulate()
    scene.frame_set(9)
    for name in swinging.MOVING:
        stands(name, 9)
    preview.hide(scene)
    assert before == all_channels(scene)


def test_changing_the_rotation_mode_afterwards_is_followed():
    scene, _ = simulated()
    scene.frame_set(4)
    bpy.ops.redmax.show_result()
    scene.objects["Lower"].rotation_mode = "QUATERNION"
    bpy.ops.redmax.show_result()
    scene.frame_set(9)
    stands("Lower", 9)


def test_a_body_parented_to_a_body_is_shown_right():
    scene = swinging.build()
    lower, upper = scene.objects["Lower"], scene.objects["Upper"]
    lower.parent = upper
    lower.matrix_parent_inverse = upper.matrix_world.inverted()
    bpy.context.view_layer.update()
    swinging.simulate()
    for frame in (5, 12):
        scene.frame_set(frame)
        for name in swinging.MOVING:
            stands(name, frame)


def test_other_frames_than_the_first_are_computed_when_they_are_asked_for(monkeypatch):
    asked, motions = [], placement.channel_motions

    def counted(objects, extraction, result, depsgraph, **options):
        asked.append(len(result) - 1)  # less the pose that leads in
        return motions(objects, extraction, result, depsgraph, **options)

    monkeypatch.setattr(placement, "channel_motions", counted)
    scene, _ = simulated()
    assert asked == [1]
    scene.frame_set(-3)
    assert asked == [1]
    scene.frame_set(1, subframe=0.5)
    assert asked == [1, 13]
    for frame in (9, 1, 13):
        scene.frame_set(frame)
        for name in swinging.MOVING:
            stands(name, frame)
    assert asked == [1, 13]


def test_between_frames_it_moves_straight_on():
    scene, _ = simulated()
    scene.frame_set(6, subframe=0.5)
    middle = 0.5 * (expected("Upper", 6) + expected("Upper", 7))[:3, 3]
    assert np.abs(swinging.world("Upper")[:3, 3] - middle).max() < TOLERANCE


def test_at_rest_the_artists_channels_are_left_alone_and_can_be_edited():
    scene, before = simulated()
    scene.frame_set(9)
    scene.frame_set(1)
    assert modelled() == before
    assert not any(obj.redmax.kept.active for obj in scene.objects)
    scene.objects["Lower"].location.z = 2.5
    bpy.context.view_layer.update()
    assert scene.redmax.result.changed
    scene.frame_set(9)
    stands("Lower", 9)
    scene.frame_set(1)
    assert scene.objects["Lower"].location.z == 2.5, "the old result must not hide what was edited"
    assert not scene.objects["Lower"].redmax.kept.active


def test_a_body_that_cannot_move_is_never_touched():
    scene, _ = simulated()
    scene.frame_set(9)
    assert not scene.objects["Post"].redmax.kept.active


def test_show_result_switches_it_off_and_on():
    scene, before = simulated()
    scene.frame_set(9)
    assert modelled() != before
    bpy.ops.redmax.show_result()
    assert modelled() == before
    scene.frame_set(10)
    assert modelled() == before
    bpy.ops.redmax.show_result()
    stands("Lower", 10)


def test_clearing_the_result_brings_everything_back():
    scene, before = simulated()
    scene.frame_set(9)
    bpy.ops.redmax.clear_result()
    assert modelled() == before
    scene.frame_set(10)
    assert modelled() == before


def test_paused_gives_the_modelled_scene_and_shows_it_again():
    scene, before = simulated()
    scene.frame_set(9)
    with preview.paused():
        assert modelled() == before
        with preview.paused():
            scene.frame_set(11)
            assert modelled() == before
        assert modelled() == before
    stands("Lower", 11)


def test_the_file_stores_what_was_modelled(tmp_path):
    scene, before = simulated()
    scene.frame_set(9)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    stands("Lower", 9)
    program = (
        "import bpy, sys\n"
        "bpy.ops.wm.open_mainfile(filepath=sys.argv[1])\n"
        "assert not hasattr(bpy.types.Scene, 'redmax')\n"
        "for name in ('Post', 'Upper', 'Lower'):\n"
        "    obj = bpy.data.objects[name]\n"
        "    print('CHANNELS', name, [float(x).hex() for x in (*obj.location, *obj.rotation_euler)])\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "shot.blend")], capture_output=True, text=True, check=False
    )
    stored = [line for line in run.stdout.splitlines() if line.startswith("CHANNELS")]
    wanted = [
        f"CHANNELS {name} {[float(x).hex() for x in (*before[name][0], *before[name][1])]}" for name in swinging.BODIES
    ]
    assert stored == wanted, run.stderr


def test_a_save_that_fails_shows_the_result_again(tmp_path):
    scene, _ = simulated()
    scene.frame_set(9)
    with pytest.raises(RuntimeError):
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "no such folder" / "shot.blend"))
    stands("Lower", 9)
    scene.frame_set(10)
    stands("Lower", 10)


def test_scrubbing_sets_no_keys_although_auto_keying_is_on():
    scene = swinging.build()
    scene.tool_settings.use_keyframe_insert_auto = True
    swinging.simulate()
    for frame in (3, 8, 13, 1):
        scene.frame_set(frame)
    assert not bpy.data.actions
    assert all(obj.animation_data is None for obj in scene.objects)


def test_undo_and_redo_keep_the_modelled_channels():
    scene, before = simulated()
    bpy.ops.ed.undo_push(message="simulated")
    scene.frame_set(9)
    scene.objects["Post"].redmax.body.density = 500.0
    bpy.ops.ed.undo_push(message="lighter")
    scene.frame_set(11)
    for step in (bpy.ops.ed.undo, bpy.ops.ed.redo, bpy.ops.ed.undo):
        step()
        scene = bpy.context.scene
        stands("Lower", scene.frame_current)
        scene.frame_set(5)
        stands("Lower", 5)
    assert not scene.redmax.result.changed
    preview.hide(scene)
    assert modelled() == before


def test_undoing_simulate_brings_the_former_result_back():
    scene = swinging.build()
    first = swinging.simulate().identifier
    bpy.ops.ed.undo_push(message="first")
    scene.objects["Upper"].redmax.body.density = 500.0
    swinging.simulate()
    bpy.ops.ed.undo_push(message="second")
    bpy.ops.ed.undo()
    scene = bpy.context.scene
    assert scene.redmax.result.identifier == first
    scene.frame_set(9)
    stands("Lower", 9)


def test_a_render_is_not_touched():
    """A render begins with what is on display and nothing moves until it ends."""
    scene, _ = simulated()
    scene.frame_set(9)
    shown = modelled()
    for handler in bpy.app.handlers.render_init:
        handler(scene)
    scene.frame_set(11)
    assert modelled() == shown
    for handler in bpy.app.handlers.render_complete:
        handler(scene)
    scene.frame_set(12)
    stands("Lower", 12)


def test_rendering_an_animation_moves_nothing(tmp_path):
    scene, _ = simulated(frames=(1, 4))
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x = scene.render.resolution_y = 16
    scene.render.filepath = str(tmp_path / "frame")
    scene.frame_set(3)
    shown, seen = modelled(), []
    bpy.app.handlers.render_post.append(lambda *_: seen.append(modelled()))
    try:
        bpy.ops.render.render(animation=True)
    finally:
        bpy.app.handlers.render_post.pop()
    assert seen == [shown] * 4


def test_baked_bodies_follow_their_keys_and_not_the_preview():
    scene, _ = simulated()
    bpy.ops.redmax.bake()
    for name in swinging.MOVING:
        for curve in compat.fcurves_of(scene.objects[name]):
            for point in curve.keyframe_points:
                point.co.y += 1.0
            curve.update()
    scene.frame_set(9)
    with pytest.raises(AssertionError):
        stands("Lower", 9)


def test_a_copy_of_a_shown_body_stays_where_it_is():
    scene, before = simulated()
    scene.frame_set(9)
    copy = scene.objects["Lower"].copy()
    scene.collection.objects.link(copy)
    copy.location.x += 5.0
    bpy.context.view_layer.update()
    place = tuple(copy.location)
    assert not copy.redmax.kept.active
    scene.frame_set(4)
    bpy.ops.redmax.show_result()
    assert tuple(copy.location) == place
    assert modelled() == before


def test_moving_a_body_that_shows_the_result_is_explained():
    scene, before = simulated()
    scene.frame_set(9)
    scene.objects["Lower"].location.x += 1.0
    bpy.context.view_layer.update()
    message = bpy.context.window_manager.redmax.message
    assert "'Lower' shows the simulation here" in message
    assert "go to frame 1" in message
    scene.frame_set(10)
    stands("Lower", 10)
    preview.hide(scene)
    assert modelled() == before


def test_a_body_that_cannot_be_placed_is_named_and_the_others_move():
    scene, _ = simulated()
    pole = bpy.data.objects.new("Pole", None)
    scene.collection.objects.link(pole)
    pole.scale = (1.0, 3.0, 1.0)
    pole.rotation_euler = (0.0, 0.4, 0.7)
    scene.objects["Lower"].parent = pole
    bpy.context.view_layer.update()
    scene.frame_set(9)
    stands("Upper", 9)
    assert "'Lower'" in bpy.context.window_manager.redmax.message
    assert "Pole" in bpy.context.window_manager.redmax.message


def test_disabling_the_add_on_leaves_the_objects_as_modelled():
    import redmax_blender

    scene, before = simulated()
    scene.frame_set(9)
    redmax_blender.unregister()
    try:
        assert modelled() == before
        scene.frame_set(10)
        assert modelled() == before
    finally:
        redmax_blender.register()


def test_an_autosave_caught_in_a_preview_is_put_right_on_opening(tmp_path):
    """Autosaves are written without asking anybody, so they hold shown channels and those put aside."""
    scene, before = simulated()
    scene.frame_set(9)
    handlers = [(events, list(events)) for events in (bpy.app.handlers.save_pre, bpy.app.handlers.save_post)]
    for events, _ in handlers:
        events.clear()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "autosave.blend"))
    for events, registered in handlers:
        events.extend(registered)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "autosave.blend"))
    assert modelled() == before


def test_a_hundred_bodies_are_shown_and_restored():
    scene = swinging.build(frames=(1, 3))
    for index in range(98):
        swinging.box(f"Box {index:02}", (3.0 + index, 0.0, 1.0), (0.5, 0.5, 0.5))
    scene.redmax.accuracy, scene.redmax.integrator = "CUSTOM", "semi_implicit_euler"
    scene.redmax.semi_implicit_euler.h = 1.0 / 24.0
    swinging.simulate()
    moving = [obj for obj in scene.objects if obj.redmax.is_body and obj.name != "Post"]
    before = [tuple(obj.location) for obj in moving]
    assert len(moving) == 100
    scene.frame_set(3)
    assert all(obj.redmax.kept.active for obj in moving)
    assert all(tuple(obj.location) != place for obj, place in zip(moving, before, strict=True))
    bpy.ops.redmax.show_result()
    assert not any(obj.redmax.kept.active for obj in moving)
    assert [tuple(obj.location) for obj in moving] == before


def test_an_object_that_is_no_body_any_more_goes_back_and_is_left_alone():
    scene = swinging.build()
    swinging.simulate()
    scene.frame_set(9)
    lower = scene.objects["Lower"]
    assert lower.redmax.kept.active
    for obj in scene.objects:
        obj.select_set(obj == lower)
    bpy.context.view_layer.objects.active = lower
    assert bpy.ops.redmax.remove_body() == {"FINISHED"}
    assert tuple(lower.location) == (1.5, 0.0, 2.0)
    scene.frame_set(12)
    assert not lower.redmax.kept.active
    assert tuple(lower.location) == (1.5, 0.0, 2.0)
    assert scene.objects["Upper"].redmax.kept.active


def test_a_new_object_with_the_name_of_a_body_is_left_alone():
    scene = swinging.build()
    swinging.simulate()
    bpy.data.objects.remove(scene.objects["Lower"])
    lamp = bpy.data.objects.new("Lower", None)
    scene.collection.objects.link(lamp)
    scene.frame_set(9)
    assert tuple(lamp.location) == (0.0, 0.0, 0.0)
    assert not lamp.redmax.kept.active
