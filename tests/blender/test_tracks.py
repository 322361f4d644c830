# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks from empties and from curves, by operators only: authored, simulated, baked; and what files do with them."""

from __future__ import annotations

import math
from itertools import pairwise

import bpy
import numpy as np
import pytest
import railed
from by_hand import add, cube, extract, joint, said
from railed import MAKERS, RADIUS, select, track_of

from redmax.compile import compile as compile_scene
from redmax.scene import resolved_joint
from redmax.simulate import record, simulate
from redmax_blender.bridge.check.fixes import fixes
from redmax_blender.bridge.core import curve_points, track_samples
from redmax_blender.bridge.extract import drawn_elements
from redmax_blender.properties import joint as joint_properties
from redmax_blender.properties.scene import integrator_of

both = pytest.mark.parametrize("what", MAKERS)


def engines_own(extraction):
    """The run of the extracted scene by the engine alone."""
    model = compile_scene(extraction.scene)
    duration = (extraction.frame_end - extraction.frame_start) / extraction.fps
    integrator = integrator_of(bpy.context.scene)
    samples = simulate(model, integrator=integrator, fps=extraction.fps, duration=duration)
    return record(model, samples, integrator=integrator, fps=extraction.fps)


@both
def test_by_operators_alone_a_cart_is_simulated_and_baked_as_the_engine_moves_it(what, scene):
    MAKERS[what]()
    scene.frame_end = 24
    extraction = extract()
    assert extraction.errors == (), said(extraction)
    expected = engines_own(extraction)
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    cart = bpy.data.objects["Cart"]
    assert np.ptp(expected.position[:, 0], axis=0).max() > 0.5, "it runs"
    for frame in range(1, 25):
        scene.frame_set(frame)
        np.testing.assert_allclose(cart.matrix_world.translation, expected.position[frame - 1, 0], atol=2e-6)
        turned = np.array(cart.matrix_world.to_quaternion())
        assert abs(turned @ expected.rotation[frame - 1, 0]) == pytest.approx(1.0, abs=1e-6)


@both
def test_the_cart_stands_as_modelled_where_its_coordinate_is_0(what):
    MAKERS[what]()
    extraction = extract()
    (made,) = extraction.scene.joints
    made = resolved_joint(made, extraction.scene)
    Q, S, _ = made.motion(np.zeros(1), np.zeros(1))
    assert np.linalg.norm(S[3:, 0]) == pytest.approx(1.0), "the coordinate is a distance"
    E_wt = np.array(bpy.data.objects[made.track].matrix_world)
    place = (E_wt @ Q)[:3, 3]
    cart = np.array(bpy.data.objects["Cart"].location)
    direction = (E_wt @ Q)[:3, :3] @ S[3:, 0]
    assert abs((cart - place) @ direction) < 1e-5, "no other place is nearer"
    assert made.q == (0.0,)


def test_a_cart_that_is_moved_along_its_track_starts_from_there():
    railed.from_curve()
    before = extract().scene.joints[0].origin
    bpy.data.objects["Cart"].location = (RADIUS * math.cos(0.5), RADIUS * math.sin(0.5), 0.0)
    after = extract().scene.joints[0].origin
    assert abs(after - before) == pytest.approx(0.2 * RADIUS, rel=0.2)


def test_empties_are_passed_in_the_order_of_their_names_or_one_next_to_the_other():
    empties = railed.ring_of_empties(11)
    shuffled = [empties[k] for k in (3, 0, 7, 1, 9, 5, 10, 2, 8, 4, 6)]
    select(*shuffled)
    bpy.ops.redmax.add_track(cyclic=True)
    listed = [entry.place_at.name for entry in bpy.data.objects["Track"].redmax.track.frames]
    assert listed == [f"Frame {k + 1}" for k in range(11)]
    for number, empty in enumerate(shuffled):
        empty.name = f"{number}"
    select(*empties, active=empties[4])
    bpy.ops.redmax.add_track(order="NEAREST")
    listed = [entry.place_at for entry in bpy.data.objects["Track.001"].redmax.track.frames]
    assert listed[0] == empties[4]
    steps = [abs(empties.index(a) - empties.index(b)) for a, b in pairwise(listed)]
    assert steps.count(1) >= 9


def test_a_track_through_empties_passes_each_with_its_axes():
    railed.from_empties()
    track = track_of()
    E_wt = np.array(bpy.data.objects["Track"].matrix_world)
    for empty in (bpy.data.objects[f"Frame {k}"] for k in range(1, 9)):
        M = np.linalg.inv(E_wt) @ np.array(empty.matrix_world)
        q, distance = track.nearest(M[:3, 3])
        assert distance < 1e-6
        np.testing.assert_allclose(track.poses([q])[0][:3, :3], M[:3, :3], atol=1e-5)


# --- curves ----------------------------------------------------------------------------------


def new_curve(kind, points, *, cyclic=False, tilt=0.0, **settings):
    data = bpy.data.curves.new("Path", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new(kind)
    mine = spline.bezier_points if kind == "BEZIER" else spline.points
    mine.add(len(points) - 1)
    for point, place in zip(mine, points, strict=True):
        point.co = place if kind == "BEZIER" else (*place, 1.0)
        point.tilt = tilt
        if kind == "BEZIER":
            point.handle_left_type = point.handle_right_type = "AUTO"
    spline.use_cyclic_u = cyclic
    for name, value in settings.items():
        setattr(spline, name, value)
    obj = add("Path", data)
    bpy.context.view_layer.update()
    return obj


WAY = [(0, 0, 0), (2, 1, 0.5), (3, 3, 1), (1, 4, 0.5), (-1, 3, 0), (-2, 1, 0.2)]

SPLINES = {
    "bezier": ("BEZIER", {}),
    "closed bezier": ("BEZIER", {"cyclic": True}),
    "nurbs": ("NURBS", {"order_u": 4}),
    "nurbs to its ends": ("NURBS", {"order_u": 4, "use_endpoint_u": True}),
    "closed nurbs": ("NURBS", {"order_u": 4, "cyclic": True}),
    "quadratic nurbs": ("NURBS", {"order_u": 3, "use_endpoint_u": True}),
    "bezier nurbs": ("NURBS", {"order_u": 4, "use_bezier_u": True, "use_endpoint_u": True}),
}


@pytest.mark.parametrize("name", SPLINES)
def test_points_of_a_curve_are_those_that_blender_draws(name):
    """Vertices of the mesh that Blender makes of a curve lie on it."""
    kind, settings = SPLINES[name]
    obj = new_curve(kind, WAY if name != "bezier nurbs" else [*WAY, (-3, 0, 0)], **settings)
    obj.data.splines[0].resolution_u = 8
    bpy.context.view_layer.update()
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    drawn = np.array([vertex.co for vertex in evaluated.to_mesh().vertices])
    evaluated.to_mesh_clear()
    spline = drawn_elements.read_spline(obj.data.splines[0], np.eye(4), 1.0)
    ours, _ = curve_points.positions(spline, np.linspace(0.0, spline.segments, 20_001))
    apart = [float(np.linalg.norm(ours - vertex, axis=1).min()) for vertex in drawn]
    assert len(drawn) > 10
    assert max(apart) < 2e-3, "half the distance between ours, at most"
    assert np.abs(np.array([ours[0], ours[-1]]) - drawn[[0, 0 if settings.get("cyclic") else -1]]).max() < 1e-5


@pytest.mark.parametrize("name", SPLINES)
def test_a_track_is_as_close_to_its_curve_as_is_said(name):
    kind, settings = SPLINES[name]
    obj = new_curve(kind, WAY if name != "bezier nurbs" else [*WAY, (-3, 0, 0)], **settings)
    select(obj)
    bpy.ops.redmax.add_track()
    track = track_of("Path")
    spline = drawn_elements.read_spline(obj.data.splines[0], np.eye(4), 1.0)
    ours, _ = curve_points.positions(spline, np.linspace(0.0, spline.segments, 4001))
    size = np.linalg.norm(np.ptp(ours, axis=0))
    apart = [float(np.linalg.norm(ours - E[:3, 3], axis=1).min()) for E in track.sampled(60)[1]]
    assert max(apart) < (track_samples.CLOSE + 4e-4) * size
    x = [E[:3, :3] @ np.array([1.0, 0.0, 0.0]) for E in track.sampled(60)[1]]
    ahead = [E[:3, :3] @ track.twist(q)[3:] for q, E in zip(*track.sampled(60), strict=True)]
    assert min(a @ b for a, b in zip(x, ahead, strict=True)) > 0.99, "x is along the track"


def test_tilt_banks_a_track_and_radius_says_nothing():
    straight = [(float(k), 0.0, 0.0) for k in range(6)]
    obj = new_curve("BEZIER", straight, tilt=0.3)
    select(obj)
    bpy.ops.redmax.add_track()
    E = track_of("Path").sampled(5)[1]
    np.testing.assert_allclose(E[2][:3, 2], (0.0, -math.sin(0.3), math.cos(0.3)), atol=1e-6)
    for point in obj.data.splines[0].bezier_points:
        point.radius = 3.0
    np.testing.assert_allclose(track_of("Path").sampled(5)[1], E, atol=1e-9)


def test_z_up_and_minimum_twist_are_those_of_the_curve():
    obj = new_curve("BEZIER", WAY, cyclic=True)
    select(obj)
    bpy.ops.redmax.add_track()
    obj.data.twist_mode = "Z_UP"
    up = track_of("Path").sampled(40)[1]
    assert np.abs(up[:, 2, 1]).max() < 1e-3, "y is level everywhere"
    assert up[:, 2, 2].min() > 0.7


def test_a_stretched_curve_runs_as_it_looks_and_is_said():
    obj = railed.from_curve()
    obj.scale = (1.0, 2.0, 1.0)
    extraction = extract()
    assert [finding.fixes for finding in extraction.findings if "stretched" in finding.text] == [("APPLY_SCALE",)]
    before = track_of()
    select(obj)
    said = fixes.apply(bpy.context, "APPLY_SCALE", "Rail")
    assert "Rail" in said
    np.testing.assert_allclose(track_of().length, before.length, rtol=1e-6)
    assert not [finding for finding in extract().findings if "stretched" in finding.text]


def test_edits_of_the_curve_and_of_a_control_empty_mark_the_result_as_old(scene):
    for make in MAKERS.values():
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        scene = bpy.context.scene
        make()
        scene.frame_end = 3
        bpy.ops.redmax.simulate()
        assert not scene.redmax.result.changed
        if make is railed.from_curve:
            bpy.data.objects["Rail"].data.splines[0].bezier_points[0].co.z += 0.1
            bpy.data.objects["Rail"].data.update_tag()
        else:
            bpy.data.objects["Frame 3"].location.z += 0.1
        bpy.context.view_layer.update()
        assert scene.redmax.result.changed


# --- what an artist's file does --------------------------------------------------------------


@both
def test_saved_and_opened_it_is_the_same(what, tmp_path):
    MAKERS[what]()
    before = extract().digest
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rail.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "rail.blend"))
    assert extract().digest == before


@both
def test_undone_it_is_gone_and_redone_it_is_back(what):
    bpy.ops.ed.undo_push(message="empty")
    MAKERS[what]()
    bpy.ops.ed.undo_push(message="made")
    before = extract().digest
    bpy.ops.ed.undo()
    assert not [obj for obj in bpy.context.scene.objects if obj.redmax.is_track]
    bpy.ops.ed.redo()
    assert extract().digest == before


@both
def test_appended_it_brings_its_track_along(what, tmp_path):
    MAKERS[what]()
    joints = [obj.name for obj in bpy.context.scene.objects if obj.redmax.is_joint]
    expected = extract().scene.tracks
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rail.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    for name in joints:
        bpy.ops.wm.append(directory=str(tmp_path / "rail.blend" / "Object"), filename=name)
    for obj in bpy.data.objects:
        if not obj.users_scene:
            bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.update()
    extraction = extract()
    assert extraction.errors == (), said(extraction)
    assert extraction.scene.tracks == expected


@both
def test_duplicated_with_everything_it_runs_on_the_copy(what):
    MAKERS[what]()
    select(*bpy.context.scene.objects)
    bpy.ops.object.duplicate()
    extraction = extract()
    assert extraction.errors == (), said(extraction)
    assert len({made.track for made in extraction.scene.joints}) == 2
    assert len(extraction.mechanisms) == 2


# --- many on one track -----------------------------------------------------------------------


@both
def test_carts_on_one_track_are_coupled_to_a_train(what, scene):
    MAKERS[what](carts=3)
    carts = [bpy.data.objects[f"Cart {k}"] for k in (1, 2, 3)]
    select(*carts)
    assert bpy.ops.redmax.add_train() == {"FINISHED"}
    scene.frame_end = 12
    extraction = extract()
    assert extraction.errors == (), said(extraction)
    assert len(extraction.scene.tracks) == 1
    assert len(extraction.mechanisms) == 1
    found = engines_own(extraction)
    names = [f"Cart {k} Spline Curve" for k in (1, 2, 3)]
    q = np.array([found.q[:, found.joint_names.index(name)] for name in names])
    assert abs(q[0, -1]) > 0.02
    np.testing.assert_allclose(q[1:], [q[0], q[0]], atol=1e-9)


def test_a_coordinate_is_keyed_in_metres(scene):
    railed.from_curve()
    obj = next(obj for obj in scene.objects if obj.redmax.is_joint)
    settings = obj.redmax.joint
    (dof,) = joint_properties.dofs(settings)
    assert (dof.name, dof.unit) == ("distance", "m")
    settings.motion_type = "animated"
    for frame, value in ((1, 0.0), (13, 2.0)):
        settings.coordinate_distance_1 = value
        obj.keyframe_insert("redmax.joint.coordinate_distance_1", frame=frame)
    scene.frame_end = 13
    found = engines_own(extract())
    assert found.q[-1, 0] == pytest.approx(2.0)
    scene.unit_settings.scale_length = 0.01
    assert engines_own(extract()).q[-1, 0] == pytest.approx(0.02)


def test_limits_and_ends_of_an_open_track_stop_a_cart(scene):
    path = new_curve("BEZIER", [(float(k), 0.0, -0.5 * k) for k in range(5)])
    body = cube("Cart", (0.2, 0.2, 0.2), (1.0, 0.0, -0.5))
    select(body, path)
    bpy.ops.redmax.add_track()
    scene.frame_end = 40
    length = track_of().length
    found = engines_own(extract())
    assert found.q[-1, 0] == pytest.approx(0.75 * length, rel=1e-4), "it stands at the end"
    settings = bpy.data.objects["Cart Spline Curve"].redmax.joint
    settings.use_limits = True
    settings.lower_distance[0], settings.upper_distance[0] = -0.2, 0.5
    assert engines_own(extract()).q[-1, 0] == pytest.approx(0.5, rel=1e-6)


# --- findings and fixes ----------------------------------------------------------------------


def found(text):
    """The only finding that has a text."""
    matching = [finding for finding in extract().findings if text in finding.text]
    assert len(matching) == 1, said(extract())
    return matching[0]


def cured(text, fix=None):
    finding = found(text)
    fixes.apply(bpy.context, fix or finding.fixes[0], finding.element)
    left = [each for each in extract().findings if text in each.text]
    assert not left, said(extract())


def test_a_deleted_control_empty_is_named_and_taken_out():
    railed.from_empties()
    bpy.data.objects.remove(bpy.data.objects["Frame 3"])
    assert found("has lost 'Frame 3'").element == "Track"
    cured("has lost 'Frame 3'")
    assert len(track_of().frames) == 7


def test_a_scaled_control_empty_is_named_and_scaled_back():
    railed.from_empties()
    before = track_of()
    bpy.data.objects["Frame 2"].scale = (2.0, 2.0, 2.0)
    assert found("'Frame 2', a frame of Track 'Track',").severity == "INFO"
    assert track_of() == before, "it says nothing"
    cured("'Frame 2', a frame of Track 'Track',")


def test_a_control_empty_on_a_body_is_named_and_taken_off():
    railed.from_empties()
    other = cube("Door", at=(9.0, 0.0, 0.0))
    other.redmax.is_body = True
    empty = bpy.data.objects["Frame 2"]
    empty.parent = other
    empty.matrix_parent_inverse = other.matrix_world.inverted()
    bpy.context.view_layer.update()
    assert found("follows the body 'Door'").severity == "ERROR"
    place = empty.matrix_world.translation.copy()
    cured("follows the body 'Door'")
    bpy.context.view_layer.update()
    np.testing.assert_allclose(empty.matrix_world.translation, place, atol=1e-6)


def test_an_animated_control_empty_is_named_and_frozen(scene):
    railed.from_empties()
    empty = bpy.data.objects["Frame 2"]
    for frame, z in ((1, 0.25), (20, 3.0)):
        empty.location.z = z
        empty.keyframe_insert("location", frame=frame)
    scene.frame_set(10)
    before = track_of()
    assert found("is animated").severity == "WARNING"
    cured("is animated")
    after = track_of()
    np.testing.assert_allclose(after.length, before.length, rtol=1e-6)


def test_too_few_frames_are_named_and_filled_up():
    railed.from_empties()
    track = bpy.data.objects["Track"].redmax.track
    while len(track.frames) > 3:
        track.frames.remove(0)
    assert "needs at least 4" in found("has 3 frames").text
    cured("has 3 frames")
    assert len(track.frames) == 4


def test_exactly_half_a_turn_is_named_and_parted():
    railed.from_empties()
    first, second = bpy.data.objects["Frame 1"], bpy.data.objects["Frame 2"]
    first.rotation_euler, second.rotation_euler = (0.0, 0.0, 0.0), (0.0, 0.0, math.pi)
    assert "from 'Frame 1' to 'Frame 2'" in found("exactly half a turn").text
    cured("exactly half a turn")
    assert len(track_of().frames) == 9


def test_curves_without_a_spline_or_with_several_are_named():
    obj = railed.from_curve()
    obj.data.splines.new("BEZIER")
    obj.data.splines[1].bezier_points.add(1)
    assert found("has 2 splines").fixes == ("KEEP_SPLINE",)
    cured("has 2 splines")
    obj.data.splines.clear()
    assert found("has no spline").fixes == ("REMOVE_ELEMENT",)


def test_a_child_far_from_its_track_is_named_and_moved_there():
    railed.from_curve()
    cart = bpy.data.objects["Cart"]
    cart.location = (9.0, 0.0, 0.0)
    assert found("on which it runs").severity == "WARNING"
    cured("on which it runs")
    assert cart.location.length == pytest.approx(RADIUS, rel=0.02)


def test_a_track_that_goes_with_another_body_than_its_joint_is_named():
    rail = railed.from_curve()
    base = cube("Base", at=(0.0, 0.0, -3.0))
    base.redmax.is_body = True
    base.redmax.body.root = "LOCKED"
    rail.parent = base
    rail.matrix_parent_inverse = base.matrix_world.inverted()
    bpy.context.view_layer.update()
    cured("goes with 'Base'")
    assert bpy.data.objects["Cart Spline Curve"].redmax.joint.parent == base
    assert extract().errors == ()


def test_a_joint_without_a_track_is_named_and_gets_the_one_that_is_selected():
    rail = railed.from_curve()
    pin = joint("Pin", None, cube("Bob", at=(0.0, 4.0, 0.0)), "spline_curve")
    bpy.data.objects["Bob"].redmax.is_body = True
    assert found("Joint 'Pin' has no Track").fixes[0] == "PICK_END"
    select(rail)
    cured("Joint 'Pin' has no Track")
    assert pin.redmax.joint.spline_curve.track == rail
    bpy.data.objects.remove(rail)
    assert "has lost its Track, 'Rail'" in found("Joint 'Pin'").text


# --- the list of frames ----------------------------------------------------------------------


def test_frames_are_added_removed_moved_reversed_closed_and_spaced():
    railed.from_empties()
    holder = bpy.data.objects["Track"]
    track = holder.redmax.track
    more = add("Frame 9")
    more.location = (5.0, -2.0, 0.0)
    bpy.context.view_layer.update()
    select(more, holder)
    bpy.ops.redmax.edit_list(sort="track", field="frames", action="ADD")
    assert [entry.place_at.name for entry in track.frames] == [f"Frame {k}" for k in range(1, 10)]
    bpy.ops.redmax.edit_list(sort="track", field="frames", action="UP")
    assert track.frames[7].place_at == more
    bpy.ops.redmax.edit_list(sort="track", field="frames", action="REMOVE")
    bpy.ops.redmax.edit_track(action="REVERSE")
    assert [entry.place_at.name for entry in track.frames] == [f"Frame {k}" for k in range(8, 0, -1)]
    bpy.ops.redmax.edit_track(action="CLOSE")
    assert not track.cyclic
    bpy.ops.redmax.edit_track(action="CLOSE")
    bpy.data.objects["Frame 4"].location.x += 0.8
    bpy.context.view_layer.update()
    before = track_of()
    bpy.ops.redmax.edit_track(action="EVEN")
    bpy.context.view_layer.update()
    after = track_of()
    gaps = np.diff([*after.borders])
    assert np.ptp(gaps) < 0.1 * gaps.mean()
    assert after.length == pytest.approx(before.length, rel=0.02)


def test_a_track_of_a_baked_motion_is_the_path_of_the_object(scene):
    mover = add("Mover")
    scene.frame_end = 40
    for frame in range(1, 41):
        angle = 0.1 * frame
        mover.location = (3.0 * math.cos(angle), 3.0 * math.sin(angle), 0.02 * frame)
        mover.rotation_euler.z = angle
        mover.keyframe_insert("location", frame=frame)
        mover.keyframe_insert("rotation_euler", frame=frame)
    select(mover)
    assert bpy.ops.redmax.add_track(source="MOTION", count=20) == {"FINISHED"}
    track = track_of("Mover Track")
    assert len(track.frames) == 20
    assert track.length == pytest.approx(math.hypot(3.0, 0.2) * 3.9, rel=1e-3)
    E_wt = np.array(bpy.data.objects["Mover Track"].matrix_world)
    for frame in (5, 20, 33):
        angle = 0.1 * frame
        point = (3.0 * math.cos(angle), 3.0 * math.sin(angle), 0.02 * frame)
        assert track.nearest(np.linalg.solve(E_wt, [*point, 1.0])[:3])[1] < 2e-3
