# SPDX-License-Identifier: GPL-3.0-or-later
"""Other frames of a scene: what is evaluated there is right, and nothing of it is left."""

from __future__ import annotations

import bpy
import pytest
import swinging
from unkeyed_battery import Battery

from redmax_blender.bridge.extract import extraction as extract
from redmax_blender.bridge.objects import changes, modelled, other_frames


def keyed(obj, path, first, last, frames=(1, 13)):
    for frame, value in zip(frames, (first, last), strict=True):
        setattr(obj, path, value)
        assert obj.keyframe_insert(path, frame=frame)


def users():
    """How many users every data-block of the file has."""
    kinds = [name for name in dir(bpy.data) if name not in ("all_ids", "libraries")]
    collections = [getattr(bpy.data, name) for name in kinds]
    rows = [each for each in collections if isinstance(each, bpy.types.bpy_prop_collection)]
    return {(type(item).__name__, item.name): item.users for each in rows for item in each}


def look(scene):
    """Evaluate another frame, as a Check does."""
    with modelled.as_modelled(scene, bpy.context.view_layer, 1):
        pass


# --- what is evaluated is right ----------------------------------------------------------------


def moving_mechanism():
    """Bodies and joints that are placed by whatever Blender has for it."""
    scene = swinging.build()
    upper, lower, post = (scene.objects[name] for name in ("Upper", "Lower", "Post"))
    keyed(upper, "location", (0.5, 0.0, 2.0), (0.5, 1.0, 3.0))
    target = bpy.data.objects.new("Target", None)
    scene.collection.objects.link(target)
    keyed(target, "location", (0.0, 0.0, 0.0), (0.0, 3.0, 0.0))
    keyed(target, "scale", (1.0, 1.0, 1.0), (1.0, 1.0, 2.0))
    shape = lower.modifiers.new("Mirror", "MIRROR")
    shape.mirror_object = target
    scene.objects["Elbow"].constraints.new("CHILD_OF").target = upper
    driver = post.driver_add("location", 1).driver
    variable = driver.variables.new()
    variable.targets[0].id_type, variable.targets[0].id = "SCENE", scene
    variable.targets[0].data_path = "frame_current"
    driver.expression = f"0.1 * {variable.name} - 0.1"
    keyed(scene, "gravity", (0.0, 0.0, -9.81), (0.0, 0.0, 0.0))
    return scene


@pytest.mark.parametrize("at", [(7, 0.0), (13, 0.5), (-4, 0.0)])
def test_a_scene_is_the_same_whatever_frame_it_is_looked_at_from(at):
    scene = moving_mechanism()
    scene.frame_set(1)
    expected = extract.extract(scene, bpy.context.view_layer)
    scene.frame_set(at[0], subframe=at[1])
    for name in ("Upper", "Target"):
        scene.objects[name].location = (9.0, 9.0, 9.0)
    scene.gravity = (1.0, 2.0, 3.0)
    found = extract.extract(scene, bpy.context.view_layer)
    assert [str(finding) for finding in found.findings] == [str(finding) for finding in expected.findings]
    assert found.digest == expected.digest
    assert tuple(scene.gravity) == (1.0, 2.0, 3.0)


def test_drivers_read_the_frame_of_the_scene():
    scene = moving_mechanism()
    scene.frame_set(7)
    (target,) = scene.objects["Post"].animation_data.drivers[0].driver.variables[0].targets
    with other_frames.other_frames(scene, bpy.context.view_layer) as elsewhere:
        for frame in (1, 4, 11):
            post = scene.objects["Post"].evaluated_get(elsewhere.evaluate(frame))
            assert post.location.y == pytest.approx(0.1 * (frame - 1), abs=1e-6)
        elsewhere.hand_back()
        assert target.id == scene
    bpy.context.view_layer.update()
    assert scene.objects["Post"].location.y == pytest.approx(0.6)


def test_a_driven_torque_is_sampled_without_moving_the_scene():
    scene = swinging.build()
    shoulder = scene.objects["Shoulder"]
    driver = shoulder.driver_add("redmax.joint.torque_1").driver
    driver.expression = "2 * frame"
    keyed(scene.objects["Lower"], "location", (1.5, 0.0, 2.0), (1.5, 0.0, 3.0))
    scene.frame_set(7)
    scene.objects["Lower"].location.x = 4.0
    extraction = extract.extract(scene, bpy.context.view_layer)
    table = next(joint for joint in extraction.scene.joints if joint.name == "Shoulder").torque_table
    assert [float(table.value(t / 24.0)[0]) for t in (0.0, 6.0, 12.0)] == pytest.approx([2.0, 14.0, 26.0])
    assert scene.objects["Lower"].location.x == 4.0


# --- nothing of it is left -----------------------------------------------------------------------


def test_nothing_is_left_of_it():
    """Of a file with a sequencer, nodes, a world, a camera and all sorts of data, and another scene of that name."""
    Battery()
    scene, view_layer = bpy.context.scene, bpy.context.view_layer
    bpy.data.scenes.new(f"{scene.name}.001")
    scene.view_layers.new("Second")
    scene.frame_set(7)
    before, layers = users(), [layer.name for layer in scene.view_layers]
    for _ in range(3):
        look(scene)
    assert users() == before
    assert [layer.name for layer in scene.view_layers] == layers
    assert (bpy.context.scene, bpy.context.view_layer) == (scene, view_layer)


def test_nothing_is_left_after_an_error_or_escape():
    scene = moving_mechanism()
    scene.frame_set(7)
    scene.objects["Upper"].location = (9.0, 9.0, 9.0)
    before = users()
    for error in (ValueError, KeyboardInterrupt):
        with pytest.raises(error), modelled.as_modelled(scene, bpy.context.view_layer, 1):
            raise error
        assert users() == before
        assert tuple(scene.objects["Upper"].location) == (9.0, 9.0, 9.0)
        assert not changes.busy()
        assert not other_frames._copies


def test_no_handler_hears_of_it_and_all_hear_again_afterwards():
    scene = moving_mechanism()
    scene.frame_set(7)
    heard = []
    lists = [getattr(bpy.app.handlers, name) for name in other_frames.HANDLERS]

    def listener(of, *_):
        heard.append(of.name)

    before = [each[:] for each in lists]
    for each in lists:
        each.append(listener)
    try:
        look(scene)
        assert set(heard) <= {scene.name}
        heard.clear()
        scene.frame_set(8)
        assert heard
        assert [each[:-1] for each in lists] == before
    finally:
        for each in lists:
            each.remove(listener)


def test_undo_and_redo_know_nothing_of_it():
    scene = moving_mechanism()
    scene.frame_set(7)
    bpy.ops.ed.undo_push(message="built")
    scene.objects["Upper"].location = (8.0, 8.0, 8.0)
    bpy.ops.ed.undo_push(message="moved")
    bpy.ops.redmax.check()
    assert tuple(bpy.data.objects["Upper"].location) == (8.0, 8.0, 8.0)
    for step in (bpy.ops.ed.undo, bpy.ops.ed.redo, bpy.ops.ed.undo):
        step()
        bpy.ops.redmax.check()
        assert len(bpy.data.scenes) == 1
    assert bpy.context.scene.frame_current == 7


def test_blenders_own_physics_goes_on_as_if_nothing_had_been():
    scene = swinging.build()
    keyed(scene.objects["Post"], "location", (0.0, 0.0, 1.0), (0.0, 0.0, 1.5))
    bpy.ops.rigidbody.world_add()
    world = scene.rigidbody_world
    world.collection, world.constraints = bpy.data.collections.new("Rigid"), bpy.data.collections.new("Held")
    stones = [bpy.data.objects.new(f"Stone {k}", scene.objects["Upper"].data) for k in range(3)]
    for k, stone in enumerate(stones):
        scene.collection.objects.link(stone)
        world.collection.objects.link(stone)
        stone.location = (20.0, 0.0, 5.0 + 3.0 * k)

    def fallen(*, looking):
        heights = []
        for frame in range(1, 12):
            scene.frame_set(frame)
            if looking:
                with other_frames.other_frames(scene, bpy.context.view_layer) as elsewhere:
                    for other in range(1, 6):
                        elsewhere.evaluate(other)
            heights.append([swinging.world(stone.name)[2, 3] for stone in stones])
        return heights

    expected = fallen(looking=False)
    scene.frame_set(1)
    world.substeps_per_frame += 0  # forgets what was computed
    assert fallen(looking=True) == expected
    assert expected[-1][0] < expected[0][0] - 0.1
    assert all(stone.rigid_body is not None for stone in stones)
    assert (world.collection.name, world.constraints.name) == ("Rigid", "Held")
