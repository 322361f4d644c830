# SPDX-License-Identifier: GPL-3.0-or-later
"""Extraction as a whole: it sees the scene as modelled, leaves it as it was, and finds whatever else moves bodies."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from by_hand import add, body, cube, extract, joint, said

from redmax.io import dumps
from redmax_blender.bridge.extract import mass, mesh
from redmax_blender.bridge.objects import modelled


def keyed(obj, path, *values):
    """Keys at frames 1, 11, 21 ..."""
    for k, value in enumerate(values):
        setattr(obj, path, value)
        obj.keyframe_insert(path, frame=1 + 10 * k)


def crane():
    base = body("Base", (2.0, 2.0, 1.0), root="LOCKED")
    arm = body("Arm", (4.0, 0.5, 0.5), (2.0, 0.0, 1.0))
    arm.modifiers.new("Subdivision", "SUBSURF")
    hook = body("Hook", at=(4.0, 0.0, 0.0))
    cube("Weight", at=(0.0, 0.0, -1.0)).parent = hook
    slew = joint("Slew", base, arm, at=(0.0, 0.0, 1.0))
    swing = joint("Swing", arm, hook, "universal", at=(4.0, 0.0, 1.0))
    for pin, owner in ((slew, base), (swing, arm)):
        pin.parent = owner
    slew.redmax.joint.motion_type = "animated"
    for frame, angle in ((1, 0.0), (20, 1.0)):
        slew.redmax.joint.coordinate_angle_1 = angle
        slew.keyframe_insert("redmax.joint.coordinate_angle_1", frame=frame)
    return base, arm, hook


def datablocks():
    return {
        name: sorted(block.name_full for block in getattr(bpy.data, name))
        for name in ("objects", "meshes", "curves", "actions", "collections", "scenes", "node_groups")
    }


def test_the_scene_is_left_as_it_was():
    _, arm, hook = crane()
    scene, layer = bpy.context.scene, bpy.context.view_layer
    scene.frame_set(7, subframe=0.25)
    arm.select_set(True)
    layer.objects.active = hook
    before = datablocks()
    matrices = {obj.name: np.array(obj.matrix_world) for obj in scene.objects}
    extraction = extract()
    assert not extraction.errors
    assert (scene.frame_current, scene.frame_subframe) == (7, 0.25)
    assert [obj.name for obj in layer.objects.selected] == ["Arm"]
    assert layer.objects.active == hook
    assert datablocks() == before
    for obj in scene.objects:
        np.testing.assert_array_equal(np.array(obj.matrix_world), matrices[obj.name])


def test_extraction_is_the_same_at_every_frame_and_repeats():
    base, _, _ = crane()
    scene = bpy.context.scene
    text = dumps(extract().scene)
    assert text == dumps(extract().scene)
    scene.frame_set(15)
    assert dumps(extract().scene) == text
    base.location.x += 1e-3
    assert dumps(extract().scene) != text


def test_extraction_is_the_same_while_a_result_moves_the_bodies():
    """Also where Blender's own evaluation depends on where things stand: instances, modifiers, constraints."""
    from redmax_blender.bridge.objects import changes, kept

    _, arm, hook = crane()
    cutter = cube("Cutter", (0.2, 0.2, 3.0), (2.0, 0.0, 1.0))
    modifier = arm.modifiers.new("Cut", "BOOLEAN")
    modifier.object, modifier.operation = cutter, "DIFFERENCE"
    kit = bpy.data.collections.new("Kit")
    cube("Bolt", collection=kit)
    bolts = add("Bolts")
    bolts.instance_type, bolts.instance_collection, bolts.parent = "COLLECTION", kit, hook
    bolts.location = (0.1, 0.2, 0.3)
    follower = joint("Held", hook, body("Lamp", at=(6.0, 0.0, 0.0)))
    follower.constraints.new("COPY_LOCATION").target = hook
    scene = bpy.context.scene
    scene.frame_set(scene.frame_start)
    before = extract()
    assert not before.errors, said(before)
    text = dumps(before.scene)
    with changes.ours():
        for obj, shift in ((arm, 3.3), (hook, -7.7)):
            kept.keep(obj)
            obj.location.x += shift
            obj.rotation_euler = (0.1, shift, 0.3)
    moved = tuple(hook.location)
    after = extract()
    assert dumps(after.scene) == text
    assert tuple(hook.location) == moved
    assert hook.redmax.kept.active
    for name in ("Arm", "Hook"):
        np.testing.assert_array_equal(after.body(name).E_wb, before.body(name).E_wb)
        np.testing.assert_array_equal(after.body(name).A, before.body(name).A)
    scene.frame_set(9)
    assert dumps(extract().scene) == text
    with changes.ours():
        kept.restore(hook)
    hook.location.x += 1.0
    assert dumps(extract().scene) != text


def test_a_baked_body_is_extracted_as_it_was_modelled():
    from redmax_blender.bridge.objects import changes, kept

    _, arm, _ = crane()
    text = dumps(extract().scene)
    with changes.ours():
        kept.keep(arm)
        keyed(arm, "location", (9.0, 9.0, 9.0), (1.0, 1.0, 1.0))
        arm.redmax.baked.active = True
    bpy.context.scene.frame_set(12)
    extraction = extract()
    assert dumps(extraction.scene) == text
    assert not said(extraction, "WARNING"), "the bake's own keys are not reported as the artist's"


def test_modelled_matrices_are_blenders():
    """Every rotation mode, deltas, parents and parent inverses, against what Blender evaluates."""
    from redmax_blender.bridge.objects.modelled import Modelled

    rng = np.random.default_rng(2)
    previous = None
    for mode in ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "QUATERNION", "AXIS_ANGLE"):
        obj = add(mode)
        obj.rotation_mode, obj.parent = mode, previous
        obj.location, obj.delta_location = rng.normal(size=(2, 3))
        obj.rotation_euler, obj.delta_rotation_euler = rng.normal(size=(2, 3))
        obj.rotation_quaternion, obj.delta_rotation_quaternion = rng.normal(size=(2, 4))
        obj.rotation_axis_angle = rng.normal(size=4)
        obj.scale, obj.delta_scale = rng.uniform(0.5, 1.5, size=(2, 3))
        if previous is not None:
            bpy.context.view_layer.update()
            obj.matrix_parent_inverse = previous.matrix_world.inverted()
        previous = obj
    bpy.context.view_layer.update()
    objects = list(bpy.context.scene.objects)
    for prepared in (objects, []):
        modelled = Modelled(bpy.context.view_layer.depsgraph, prepared)
        for obj in objects:
            np.testing.assert_allclose(modelled.matrix(obj), np.array(obj.matrix_world), atol=2e-5)


def test_errors_come_first():
    body("Ball")  # good to know: it will fall
    keyed(body("Box"), "location", (0, 0, 0), (1, 0, 0))
    joint("Loose", None, None)
    kit = bpy.data.collections.new("Kit")
    bpy.context.scene.collection.children.link(kit)
    kit.objects.link(cube("Away"))
    bpy.context.scene.collection.objects.unlink(bpy.data.objects["Away"])
    bpy.data.objects["Away"].redmax.is_body = True
    bpy.context.view_layer.layer_collection.children["Kit"].exclude = True
    assert [finding.severity for finding in extract().findings] == ["ERROR", "WARNING", "INFO"]


def test_frames_and_rate_come_from_the_scene():
    crane()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps, scene.render.fps_base = 3, 50, 30, 1.001
    extraction = extract()
    assert (extraction.frame_start, extraction.frame_end) == (3, 50)
    assert extraction.fps == pytest.approx(30 / 1.001)
    scene.redmax.use_range, scene.redmax.frame_start, scene.redmax.frame_end = True, 10, 10
    assert "Frames 10 to 10 are no range to simulate; set the last frame after the first" in said(extract(), "ERROR")
    scene.redmax.frame_end = 3
    assert said(extract(), "ERROR") == [
        "Frames 10 to 3 are no range to simulate; set the last frame after the first"
    ], "also with keys, which then have no frames to be read at"


def test_time_stretching_is_refused():
    crane()
    bpy.context.scene.render.frame_map_new = 200
    assert any(text.startswith("Time Stretching is on") for text in said(extract(), "ERROR"))


def test_require_sound_raises_every_error_at_once():
    from redmax_blender.bridge.core.findings import BridgeError
    from redmax_blender.bridge.extract.extraction import require_sound

    crane()
    require_sound(extract())
    joint("Loose", None, None)
    joint("Other", None, None)
    with pytest.raises(BridgeError) as caught:
        require_sound(extract())
    assert len(caught.value.findings) == 2
    assert "'Loose'" in str(caught.value)
    assert "'Other'" in str(caught.value)


# --- what else moves bodies -------------------------------------------------------------------


def errors_of(name):
    return [finding.text for finding in extract().errors if finding.element == name]


def test_constraints_drivers_and_physics_on_a_body_are_refused_by_name():
    target = add("Target")
    held, driven, dynamic, shifted = (body(name) for name in ("Held", "Driven", "Dynamic", "Shifted"))
    constraint = held.constraints.new("COPY_LOCATION")
    constraint.target = target
    driven.driver_add("location", 0).driver.expression = "frame"
    bpy.ops.rigidbody.world_add()
    with bpy.context.temp_override(object=dynamic, selected_objects=[dynamic]):
        bpy.ops.rigidbody.object_add()
    keyed(shifted, "delta_location", (0, 0, 0), (1, 0, 0))
    found = {finding.element: finding for finding in extract().errors}
    assert "'Held' is also driven by its constraint 'Copy Location'" in found["Held"].text
    assert "'Driven' is also driven by a driver on its location" in found["Driven"].text
    assert "'Dynamic' is also driven by Blender's rigid-body physics" in found["Dynamic"].text
    assert "'Shifted' is also driven by keys on its delta_location" in found["Shifted"].text
    assert all("the bake would be overwritten" in finding.text for finding in found.values())
    assert len(found) == 4
    constraint.mute = True
    assert "Held" not in {finding.element for finding in extract().errors}


def test_an_animated_body_is_warned_about():
    obj = body("Box")
    keyed(obj, "location", (0, 0, 0), (1, 0, 0))
    (text,) = said(extract(), "WARNING")
    assert text.startswith("'Box' is animated; the bake replaces that motion, and Remove Bake brings it back")
    still = body("Still")
    keyed(still, "location", (3, 0, 0), (3, 0, 0))
    assert len(said(extract(), "WARNING")) == 1, "keys that all say the same move nothing"


def test_nla_motion_of_a_body_is_found():
    obj = body("Box")
    keyed(obj, "rotation_euler", (0, 0, 0), (1, 0, 0))
    data = obj.animation_data
    action, slot = data.action, data.action_slot
    data.action = None
    assert not said(extract(), "WARNING")
    strip = data.nla_tracks.new().strips.new("Spin", 1, action)
    strip.action_slot = slot
    assert any(text.startswith("'Box' is animated") for text in said(extract(), "WARNING"))


def test_a_body_must_not_follow_what_moves_without_the_simulation():
    truck = add("Truck")
    bed = add("Bed")
    bed.parent = truck
    base = body("Base")
    base.parent = bed
    assert errors_of("Base") == []
    keyed(truck, "location", (0, 0, 0), (1, 0, 0))
    assert errors_of("Base") == ["'Base' follows 'Truck', which is animated; only joints may move a body"]
    truck.animation_data_clear()
    truck.location = (0, 0, 0)
    bed.constraints.new("COPY_ROTATION").target = truck
    (text,) = errors_of("Base")
    assert text.startswith("'Base' follows 'Bed', which is moved by its constraint")


def test_a_body_may_be_parented_to_a_body():
    outer, inner = body("Outer"), body("Inner", at=(2.0, 0.0, 0.0))
    middle = add("Middle")
    middle.parent, inner.parent = outer, middle
    assert not extract().errors
    outer.constraints.new("COPY_ROTATION").target = add("Target")
    assert [finding.element for finding in extract().errors] == ["Outer"], "said of the one it is about"


def test_bone_parents_are_followed_only_while_they_stand_still():
    bpy.ops.object.armature_add(location=(1.0, 2.0, 3.0))
    rig = bpy.context.object
    obj = body("Box", at=(0.5, 0.0, 0.0))
    obj.parent, obj.parent_type, obj.parent_bone = rig, "BONE", "Bone"
    bpy.context.view_layer.update()
    extraction = extract()
    assert not extraction.errors
    np.testing.assert_allclose(extraction.body("Box").E_wb, np.array(obj.matrix_world), atol=1e-6)
    bone = rig.pose.bones[0]
    bone.keyframe_insert("location", frame=1)
    bone.location = (1.0, 0.0, 0.0)
    bone.keyframe_insert("location", frame=10)
    assert errors_of("Box") == [f"'Box' follows '{rig.name}', whose bones are animated; only joints may move a body"]
    rig.animation_data_clear()
    assert errors_of("Box") == []
    rig.parent = body("Carrier")
    assert errors_of("Box") == [f"'Box' follows a bone of '{rig.name}', which hangs from the body 'Carrier'"]


def test_vertex_parents_are_refused_by_name():
    plate = cube("Plate")
    obj = body("Box")
    obj.parent, obj.parent_type = plate, "VERTEX"
    assert errors_of("Box") == ["'Box' follows 'Plate' through a parent of type vertex"]


def test_a_part_that_moves_is_warned_about():
    obj = body("Crane")
    part = cube("Fan")
    part.parent = obj
    keyed(part, "rotation_euler", (0, 0, 0), (1, 0, 0))
    (text,) = said(extract(), "WARNING")
    assert text.startswith("'Crane' has the part 'Fan', which is animated; it is weighed where it stands")


def test_keys_on_the_transform_of_a_joint_are_warned_about():
    base, arm = body("Base", root="LOCKED"), body("Arm")
    pin = joint("Pin", base, arm)
    keyed(pin, "rotation_euler", (0, 0, 0), (1, 0, 0))
    (text,) = said(extract(), "WARNING")
    assert text.startswith("Joint 'Pin' has keys on its transform")


def test_every_finding_names_its_object():
    body("A").scale = (0, 1, 1)
    joint("B", None, None)
    keyed(body("C"), "location", (0, 0, 0), (1, 0, 0))
    add("D").redmax.is_body = True
    findings = extract().findings
    assert {finding.element for finding in findings} >= {"A", "B", "C", "D"}
    for finding in findings:
        assert f"'{finding.element}'" in finding.text, finding


# --- many bodies -------------------------------------------------------------------------------


def many_bodies(count, *, nested):
    """A chain of bumpy balls of 500 faces, each with its own mesh; parented into each other or not."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=32, ring_count=16)
    template = bpy.context.object.data
    bpy.data.objects.remove(bpy.context.object)
    co = np.empty(3 * len(template.vertices), np.float32)
    template.vertices.foreach_get("co", co)
    previous = body("Base", root="LOCKED")
    for k in range(count):
        data = template.copy()
        data.vertices.foreach_set("co", co * np.float32(0.2 + 1e-3 * k))
        obj = add(f"Ball{k:03}", data)
        obj.redmax.is_body, obj.location = True, (0.5, 0.0, 0.1)
        pin = joint(f"Pin{k:03}", previous, obj, "spherical")
        if nested:
            obj.parent, pin.parent = previous, previous
        previous = obj


@pytest.mark.parametrize("nested", [False, True])
def test_a_hundred_bodies_are_the_same_when_their_meshes_are_known(nested):
    many_bodies(100, nested=nested)
    for known in (mesh._measured, mass._known):  # other tests may have left the same bodies there
        known.clear()
    first = extract()
    assert not first.errors
    assert len(first.bodies) == 101
    assert mesh._measured
    assert dumps(extract().scene) == dumps(first.scene)


def test_a_body_is_placed_once_however_deep_it_is_nested(monkeypatch):
    many_bodies(50, nested=True)
    bpy.context.view_layer.update()
    objects = [obj for obj in bpy.context.scene.objects if obj.name != "Base"]
    placed, place = [], modelled.Modelled._place
    monkeypatch.setattr(modelled.Modelled, "_place", lambda self, obj: (placed.append(obj.name), place(self, obj))[1])
    matrices = modelled.Modelled(bpy.context.view_layer.depsgraph, objects)
    for obj in objects:
        np.testing.assert_allclose(matrices.matrix(obj), np.array(obj.matrix_world), atol=1e-5)
    assert sorted(placed) == sorted(obj.name for obj in bpy.context.scene.objects)
