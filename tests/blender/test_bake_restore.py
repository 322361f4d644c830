# SPDX-License-Identifier: GPL-3.0-or-later
"""Remove Bake brings back exactly what was there; a bake that fails changes nothing at all."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from bake_cases import (
    baking,
    box,
    double_pendulum,
    extracted,
    hinge,
    largest_error,
    run_and_bake,
    simulated,
    thrown,
)

from redmax_blender import compat
from redmax_blender.bridge.bake import actions, keys
from redmax_blender.bridge.core.findings import BridgeError

SINGLE = 4e-6
KEY = ("co", "handle_left", "handle_right")
KIND = ("interpolation", "easing", "type", "handle_left_type", "handle_right_type")


def curve_picture(curve):
    """Everything there is to see of an F-curve."""
    keyframes = [
        tuple(tuple(getattr(point, name)) for name in KEY) + tuple(getattr(point, name) for name in KIND)
        for point in curve.keyframe_points
    ]
    modifiers = []
    for modifier in curve.modifiers:
        values = {
            prop.identifier: getattr(modifier, prop.identifier)
            for prop in modifier.bl_rna.properties
            if not prop.is_readonly and prop.identifier not in ("coefficients",)
        }
        points = [(point.frame, point.min, point.max) for point in getattr(modifier, "control_points", ())]
        modifiers.append((modifier.type, values, list(getattr(modifier, "coefficients", ())), points))
    looks = (curve.extrapolation, curve.mute, curve.lock, curve.hide, curve.color_mode, tuple(curve.color))
    group = curve.group.name if curve.group else None
    return (curve.data_path, curve.array_index, group, looks, keyframes, modifiers)


def owner_picture(owner):
    data = owner.animation_data
    channels = {
        name: tuple(getattr(owner, name))
        for name in ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale")
        if hasattr(owner, name)
    }
    custom = {
        key: list(owner[key]) if hasattr(owner[key], "__len__") else owner[key]
        for key in owner.keys()  # noqa: SIM118
        if key not in ("redmax", "cycles")
    }
    picture = {"channels": channels, "custom": custom, "baked": owner.redmax.baked.active, "has_data": data is not None}
    if hasattr(owner.redmax, "kept"):
        picture["kept"] = owner.redmax.kept.active
    if data is not None:
        picture |= {
            "action": data.action.name if data.action else None,
            "slot": compat.slot_identifier(owner),
            "mix": (data.action_influence, data.action_blend_type, data.action_extrapolation, data.use_nla),
            "nla": [(track.name, track.mute, [strip.name for strip in track.strips]) for track in data.nla_tracks],
            "drivers": sorted(driver.data_path for driver in data.drivers),
            "curves": sorted((curve_picture(curve) for curve in compat.fcurves_of(owner)), key=lambda c: c[:2]),
        }
    return picture


def picture():
    """All of the scene that a bake may touch."""
    bpy.context.view_layer.update()
    owners = {obj.name: owner_picture(obj) for obj in bpy.context.scene.objects}
    owners["the scene"] = owner_picture(bpy.context.scene)
    return {"owners": owners, "actions": sorted((action.name, action.use_fake_user) for action in bpy.data.actions)}


def key(owner, path, index, values, *, action=None, group=""):
    """An F-curve with a key every ten frames."""
    curve = compat.ensure_fcurves(owner, action).new(path, index, group)
    curve.keyframe_points.add(len(values))
    for count, (point, value) in enumerate(zip(curve.keyframe_points, values, strict=True)):
        point.co = (1.0 + 10.0 * count, value)
        point.interpolation = "SINE" if count else "BEZIER"
        point.easing = "EASE_OUT"
        point.handle_left_type = point.handle_right_type = "AUTO"
    curve.update()
    return curve


def animate(obj):
    """Keys, modifiers and a custom property of the artist's own on an object."""
    curve = key(obj, "location", 0, (obj.location[0], 2.0, -1.0), group="Mine")
    curve.extrapolation, curve.lock = "LINEAR", True
    noise = curve.modifiers.new("NOISE")
    noise.strength, noise.use_restricted_range, noise.frame_start, noise.frame_end = 0.4, True, 15.0, 25.0
    generator = curve.modifiers.new("GENERATOR")
    generator.poly_order, generator.use_additive, generator.mute = 2, True, True
    generator.coefficients = (0.5, 0.25, 0.125)
    envelope = curve.modifiers.new("ENVELOPE")
    envelope.mute = True
    envelope.control_points.add(12.0)
    envelope.control_points.foreach_set("min", [-3.0])
    envelope.control_points.foreach_set("max", [4.0])
    key(obj, "rotation_euler", 1, (0.0, 0.3))
    obj["mine"] = 3.0
    key(obj, '["mine"]', 0, (3.0, 5.0))
    key(obj, "color", 2, (0.25, 1.0))
    bpy.context.scene.frame_set(1)


@pytest.fixture
def links():
    return double_pendulum()


@pytest.mark.parametrize("target", ["NEW", "CURRENT"])
@pytest.mark.parametrize("frame", [1, 17])
def test_objects_without_animation(scene, links, target, frame):
    scene.frame_set(frame)
    before = picture()
    run_and_bake(target=target, torque=True, reaction=True, energy=True)
    assert picture() != before
    assert baking.remove_bake(scene) == 4
    assert picture() == before


@pytest.mark.parametrize("target", ["NEW", "CURRENT"])
@pytest.mark.parametrize("frame", [1, 17])
def test_objects_with_keys_and_modifiers(scene, links, target, frame):
    for obj in links:
        animate(obj)
    scene.frame_set(frame)
    before = picture()
    extraction, result, _ = run_and_bake(target=target, torque=True, reaction=True, energy=True)
    assert largest_error(extraction, result, ["Upper", "Lower"]) < SINGLE
    scene.frame_set(frame)
    baking.remove_bake(scene)
    assert picture() == before


@pytest.mark.parametrize("targets", [("NEW", "NEW"), ("NEW", "CURRENT"), ("CURRENT", "NEW"), ("CURRENT", "CURRENT")])
def test_baking_twice_replaces_the_bake_and_remembers_the_original(scene, links, targets):
    animate(links[0])
    before = picture()
    first, second = targets
    run_and_bake(target=first, torque=True)
    names = sorted(action.name for action in bpy.data.actions)
    again = run_and_bake(target=first, torque=True)
    assert sorted(action.name for action in bpy.data.actions) == names
    extraction, result, _ = run_and_bake(target=second, energy=True)
    assert largest_error(extraction, result, ["Upper", "Lower"]) < SINGLE
    assert "redmax_torque" not in bpy.data.objects["Elbow"]
    assert again[2].keys > 0
    scene.frame_set(1)
    baking.remove_bake(scene)
    assert picture() == before


def test_a_bake_stays_what_it_is_when_it_is_done_again_at_another_frame(scene, links):
    """The modelled pose is that of the first frame, wherever the timeline stands, also under keys of the artist's."""
    animate(links[0])
    scene.frame_set(1)
    one = extracted()
    scene.frame_set(23)
    run_and_bake()
    two = extracted()
    np.testing.assert_array_equal(one.body("Upper").E_wb, two.body("Upper").E_wb)
    np.testing.assert_array_equal(one.body("Lower").E_wb, two.body("Lower").E_wb)


@pytest.mark.parametrize("target", ["NEW", "CURRENT"])
def test_what_was_replaced_survives_save_and_reload(scene, links, target, tmp_path):
    animate(links[0])
    before = picture()
    run_and_bake(target=target)
    path = str(tmp_path / "baked.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    baking.remove_bake(bpy.context.scene)
    assert picture() == before


def test_other_channels_go_on_under_a_new_action(links):
    upper, _ = links
    animate(upper)
    run_and_bake()
    bpy.context.scene.frame_set(11)
    assert upper["mine"] == pytest.approx(5.0)
    assert upper.color[2] == pytest.approx(1.0)


def test_keys_of_an_animated_joint_on_a_body_object_keep_working(scene):
    """An object may be body and joint at once: its coordinate keys go into the new action with it."""
    scene.frame_end = 20
    arm = box("Arm")
    arm.redmax.is_joint = True
    joint = arm.redmax.joint
    joint.kind, joint.child, joint.motion_type = "revolute", arm, "animated"
    key(arm, "redmax.joint.coordinate_angle_1", 0, (0.0, 1.0, -1.0))
    extraction, result, _ = run_and_bake()
    assert largest_error(extraction, result, ["Arm"]) < SINGLE
    again = simulated(extracted())
    np.testing.assert_array_equal(again.q, result.q)
    assert np.ptp(again.q) > 0.5


def test_an_edit_of_other_channels_in_the_current_action_survives_removal(scene, links):
    upper, _ = links
    animate(upper)
    run_and_bake(target="CURRENT")
    key(upper, "hide_render", 0, (0.0, 1.0))
    baking.remove_bake(scene)
    assert any(curve.data_path == "hide_render" for curve in compat.fcurves_of(upper))


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("had_keys", [False, True])
def test_keys_on_other_channels_of_a_baked_object_survive_baking_again_and_removal(scene, links, had_keys, again):
    """An artist who keys the visibility of a baked object, or edits its colour, does so in the bake's action."""
    upper, _ = links
    if had_keys:
        animate(upper)
    own = upper.animation_data.action if had_keys else None
    run_and_bake()
    visible = curve_picture(key(upper, "hide_render", 0, (0.0, 1.0), group="Mine"))
    if had_keys:
        colour = next(curve for curve in compat.fcurves_of(upper) if curve.data_path == "color")
        colour.keyframe_points[0].co[1] = 0.75
        colour.update()
        mine = next(curve for curve in compat.fcurves_of(upper) if curve.data_path == '["mine"]')
        compat.curves_of(upper).remove(mine)
    if again:
        extraction, result, _ = run_and_bake()
        assert largest_error(extraction, result, ["Upper", "Lower"]) < SINGLE
        assert visible in [curve_picture(curve) for curve in compat.fcurves_of(upper)]
    baking.remove_bake(scene)
    found = {curve.data_path: curve for curve in compat.fcurves_of(upper)}
    assert curve_picture(found["hide_render"]) == visible
    assert set(found) == ({"hide_render", "color", "location", "rotation_euler"} if had_keys else {"hide_render"})
    if had_keys:
        assert upper.animation_data.action == own
        assert found["color"].keyframe_points[0].co[1] == 0.75
    assert [action.name for action in bpy.data.actions] == ["Upper"]


def test_keys_on_other_channels_never_get_into_an_action_that_others_use(scene, links):
    upper, _ = links
    animate(upper)
    shared, handle = upper.animation_data.action, compat.slot_handle(upper)
    other = bpy.data.objects.new("Other", None)
    scene.collection.objects.link(other)
    compat.assign_action(other, shared, handle)
    before = owner_picture(other)["curves"]
    run_and_bake()
    key(upper, "hide_render", 0, (0.0, 1.0))
    baking.remove_bake(scene)
    assert owner_picture(other)["curves"] == before
    assert upper.animation_data.action != shared
    paths = {curve.data_path for curve in compat.fcurves_of(upper)}
    assert paths == {"hide_render", "color", '["mine"]', "location", "rotation_euler"}


@pytest.mark.parametrize("pushed_down", [False, True])
def test_an_action_taken_away_from_a_baked_object_does_not_take_the_artists_own_with_it(scene, links, pushed_down):
    upper, _ = links
    animate(upper)
    own = upper.animation_data.action
    run_and_bake()
    if pushed_down:
        upper.animation_data.nla_tracks.new().strips.new("Baked", 1, upper.animation_data.action)
    compat.assign_action(upper, None)
    baking.remove_bake(scene)
    assert upper.animation_data.action == own
    assert len(upper.animation_data.nla_tracks) == int(pushed_down)


def test_an_action_that_the_artist_assigned_meanwhile_stays_and_the_former_one_is_kept(scene, links, tmp_path):
    upper, _ = links
    animate(upper)
    run_and_bake()
    other = bpy.data.actions.new("Other")
    compat.assign_action(upper, other)
    baking.remove_bake(scene)
    assert upper.animation_data.action == other
    assert not upper.redmax.baked.active
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    assert sorted(action.name for action in bpy.data.actions) == ["Other", "Upper"]


def test_a_baked_action_with_a_fake_user_is_kept(scene, links):
    upper, _ = links
    run_and_bake()
    baked = upper.animation_data.action
    baked.use_fake_user = True
    baking.remove_bake(scene)
    assert baked.name in bpy.data.actions
    assert upper.animation_data is None


def test_a_baked_action_that_somebody_else_uses_stays(scene, links):
    upper, _ = links
    run_and_bake()
    action = upper.animation_data.action
    other = bpy.data.objects.new("Other", None)
    scene.collection.objects.link(other)
    compat.assign_action(other, action)
    baking.remove_bake(scene)
    assert action.name in bpy.data.actions
    assert other.animation_data.action == action


def test_a_copy_of_a_baked_object_is_restored_too(scene, links):
    upper, _ = links
    run_and_bake()
    copy = upper.copy()
    copy.animation_data.action = upper.animation_data.action.copy()
    scene.collection.objects.link(copy)
    baking.remove_bake(scene)
    assert copy.animation_data is None
    assert tuple(copy.location) == tuple(upper.location)


@pytest.mark.parametrize("target", ["NEW", "CURRENT"])
def test_the_nla_cannot_alter_a_bake(scene, links, target):
    """Influence and blending are set while the bake lasts, and brought back."""
    upper, _ = links
    walk = bpy.data.actions.new("Walk")
    key(upper, "location", 2, (9.0, 7.0, 5.0), action=walk)
    slot = compat.slot_handle(upper)
    track = upper.animation_data.nla_tracks.new()
    strip = track.strips.new("Walk", 1, walk)
    strip.action_slot = next(s for s in walk.slots if s.handle == slot)
    compat.assign_action(upper, bpy.data.actions.new("Top"))
    key(upper, "location", 1, (0.0, 0.5))
    upper.animation_data.action_influence, upper.animation_data.action_blend_type = 0.25, "ADD"
    scene.frame_set(1)
    before = picture()
    extraction, result, _ = run_and_bake(target=target)
    assert largest_error(extraction, result, ["Upper", "Lower"]) < SINGLE
    scene.frame_set(1)
    baking.remove_bake(scene)
    assert picture() == before


@pytest.mark.parametrize("target", ["NEW", "CURRENT"])
def test_removal_in_tweak_mode_is_refused_by_name(links, target):
    """There the object's action is that of the strip: the baked one, and what it replaced, would be lost."""
    upper, lower = links
    animate(upper)
    run_and_bake(target=target)
    track = upper.animation_data.nla_tracks.new()
    track.strips.new("Walk", 1, bpy.data.actions.new("Walk"))
    upper.animation_data.nla_tracks.active = track
    upper.animation_data.use_tweak_mode = True
    before = picture()
    with pytest.raises(RuntimeError, match=r"'Upper' is being edited in the NLA"):
        bpy.ops.redmax.remove_bake()
    select = {"selected_only": True, "target": target}
    for obj in links:
        obj.select_set(obj == lower)
    with pytest.raises(BridgeError, match=r"'Upper' is being edited in the NLA"):
        run_and_bake(**select)
    assert picture() == before


def test_an_f_curve_left_over_from_a_result_channel_is_no_obstacle(scene, links):
    elbow = bpy.data.objects["Elbow"]
    key(elbow, '["redmax_torque"]', 0, (1.0, 2.0))
    before = picture()
    run_and_bake(target="CURRENT", torque=True)
    assert not [curve for curve in compat.fcurves_of(elbow) if "redmax_torque" in curve.data_path], "it would hide them"
    scene.frame_set(1)
    assert elbow["redmax_torque"][0] == 0.0
    baking.remove_bake(scene)
    assert picture() == before


def test_a_linked_object_of_the_same_name_is_another_object(scene, tmp_path):
    path = str(tmp_path / "library.blend")
    prop = bpy.data.objects.new("Upper", None)
    bpy.data.libraries.write(path, {prop})
    bpy.data.objects.remove(prop)
    with bpy.data.libraries.load(path, link=True) as (_, there):
        there.objects = ["Upper"]
    linked = bpy.data.objects["Upper", path]
    scene.collection.objects.link(linked)
    double_pendulum()
    assert scene.objects["Upper"] == linked  # what a search by name alone would find
    run_and_bake()
    assert bpy.data.objects["Upper", None].redmax.baked.active
    assert linked.animation_data is None


def refused(match, **options):
    before = picture()
    with pytest.raises(BridgeError, match=match):
        run_and_bake(**options)
    assert picture() == before


def test_tweak_mode_and_solo_tracks_are_refused_by_name(links):
    _, lower = links
    walk = bpy.data.actions.new("Walk")
    key(lower, '["other"]', 0, (9.0, 7.0), action=walk)
    track = lower.animation_data.nla_tracks.new()
    track.strips.new("Walk", 1, walk)
    compat.assign_action(lower, None)
    track.is_solo = True
    refused(r"NLA track of 'Lower' is solo")
    track.is_solo = False
    track.select = True
    lower.animation_data.use_tweak_mode = True
    refused(r"'Lower' is being edited in the NLA")


def test_a_driver_or_constraint_on_a_body_is_refused_by_name(links):
    upper, lower = links
    driver = upper.driver_add("location", 0)
    driver.driver.expression = "frame"
    refused("'Upper'")
    upper.driver_remove("location", 0)
    lower.constraints.new("COPY_LOCATION").target = upper
    refused("'Lower'")


def test_a_rotation_mode_that_changes_is_refused_by_name(links):
    upper, _ = links
    key(upper, "rotation_mode", 0, (1.0, 2.0))
    refused("'Upper' changes its rotation mode")


def test_a_parent_that_changes_its_scale_is_refused_by_name(links):
    upper, lower = links
    lower.parent = upper
    key(upper, "scale", 0, (1.0, 2.0))
    refused("'Lower' is a child of 'Upper', which changes its scale")


def test_a_shared_action_is_refused_by_name_in_current_mode(scene, links):
    upper, lower = links
    animate(upper)
    handle = compat.slot_handle(upper)
    compat.assign_action(lower, upper.animation_data.action, handle)
    refused("'Upper' shares its keys in the action 'Upper' with 'Lower'", target="CURRENT")
    extraction, result, _ = run_and_bake(target="NEW")
    assert largest_error(extraction, result, ["Upper", "Lower"]) < SINGLE


def test_a_linked_action_is_refused_by_name_in_current_mode(scene, links, tmp_path):
    library = bpy.data.actions.new("Library")
    bpy.data.libraries.write(str(tmp_path / "library.blend"), {library})
    bpy.data.actions.remove(library)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, there):
        there.actions = ["Library"]
    links[0].animation_data_create().action = bpy.data.actions["Library"]
    refused("The action 'Library' of 'Upper' is linked", target="CURRENT")
    run_and_bake(target="NEW")


def test_a_property_of_the_artists_with_the_name_of_a_result_is_refused(links):
    bpy.data.objects["Elbow"]["redmax_torque"] = 5.0
    refused("'Elbow' already has a custom property 'redmax_torque'", torque=True)


# --- all or nothing --------------------------------------------------------------------------


class InjectedError(RuntimeError):
    pass


@pytest.mark.parametrize("target", ["NEW", "CURRENT"])
@pytest.mark.parametrize("at", [1, 2, 3, 5])
@pytest.mark.parametrize("baked_before", [None, "NEW", "CURRENT"])
def test_a_bake_that_fails_in_the_middle_changes_nothing(monkeypatch, scene, links, target, at, baked_before):
    upper, _ = links
    animate(upper)
    hinge("World Pin", None, thrown("Ball", location=(9.0, 0.0, 0.0)), (9.0, 0.0, 1.0))
    if baked_before:
        run_and_bake(target=baked_before, torque=True, energy=True)
    before = picture()
    extraction = extracted()
    result = simulated(extraction)
    count = [0]
    write = keys.write

    def failing(*arguments):
        count[0] += 1
        if count[0] == at:
            raise InjectedError
        return write(*arguments)

    monkeypatch.setattr(keys, "write", failing)
    options = baking.BakeOptions(target=target, torque=True, reaction=True, energy=True)
    with pytest.raises(InjectedError):
        baking.bake(scene, bpy.context.view_layer, extraction, result, options)
    assert count[0] == at
    assert picture() == before


def test_a_removal_that_fails_in_the_middle_changes_nothing(monkeypatch, scene, links):
    animate(links[0])
    run_and_bake(target="CURRENT")
    before = picture()
    restore, count = actions.restore, [0]

    def failing(*arguments):
        count[0] += 1
        if count[0] == 2:
            raise InjectedError
        restore(*arguments)

    monkeypatch.setattr(actions, "restore", failing)
    with pytest.raises(InjectedError):
        baking.remove_bake(scene)
    assert picture() == before


def test_a_linked_body_is_refused_by_name_before_writing(scene, tmp_path):
    double_pendulum()
    extraction = extracted()
    result = simulated(extraction)
    path = str(tmp_path / "rig.blend")
    bpy.data.libraries.write(path, {bpy.data.objects["Lower"]})
    bpy.data.objects.remove(bpy.data.objects["Lower"])
    with bpy.data.libraries.load(path, link=True) as (_, there):
        there.objects = ["Lower"]
    scene.collection.objects.link(bpy.data.objects["Lower"])
    before = picture()
    with pytest.raises(BridgeError, match="'Lower' is linked and cannot get keys"):
        baking.bake(scene, bpy.context.view_layer, extraction, result, baking.BakeOptions())
    assert picture() == before
    assert Path(path).exists()


def test_an_object_that_is_gone_is_named(scene, links):
    extraction = extracted()
    result = simulated(extraction)
    bpy.data.objects.remove(links[1])
    with pytest.raises(BridgeError, match="'Lower' is only in one of them"):
        baking.bake(scene, bpy.context.view_layer, extraction, result, baking.BakeOptions())
    assert not bpy.data.actions
