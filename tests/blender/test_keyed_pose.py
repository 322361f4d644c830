# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies stand where the coordinates of their joints put them, as long as no result is shown."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
import swinging
from bake_cases import box, hinge, world_matrix
from by_hand import extract as extracted
from linkages import bar, turned_by_keys
from unkeyed_battery import Battery

from redmax_blender import compat, handlers
from redmax_blender.bridge.check.findings import torn_parts
from redmax_blender.bridge.core import loop_following
from redmax_blender.bridge.results import keyed_pose

AXIS = (0.0, 1.0, 0.0)
CLOSE = 2e-6
"""Single precision of channels, for mechanisms of a few units."""


@pytest.fixture(autouse=True)
def _watched():
    """As in a window; the timer is run by hand."""
    keyed_pose.start_anew()
    keyed_pose.watch(on=True)
    yield
    keyed_pose.watch(on=False)
    keyed_pose.start_anew()


def four_bar(*, ground=2.0, crank=0.5, coupler=1.8, rocker=1.2):
    """Pins A, B, C and D in the xz plane, the crank standing upright on A; which joint closes the loop is left open."""
    B = np.array((0.0, 0.0, crank))
    D = np.array((ground, 0.0, 0.0))
    along, far = (D - B) / np.linalg.norm(D - B), float(np.linalg.norm(D - B))
    reach = (coupler**2 - rocker**2 + far**2) / (2.0 * far)
    up = np.array((-along[2], 0.0, along[0]))
    C = B + reach * along + math.sqrt(coupler**2 - reach**2) * up
    links = {"Crank": ((0.0, 0.0, 0.0), B), "Coupler": (B, C), "Rocker": (D, C)}
    made = {name: bar(name, *ends) for name, ends in links.items()}
    joints = {
        "A": hinge("A", None, made["Crank"], (0.0, 0.0, 0.0), axis=AXIS),
        "B": hinge("B", made["Crank"], made["Coupler"], tuple(B), axis=AXIS),
        "C": hinge("C", made["Coupler"], made["Rocker"], tuple(C), axis=AXIS),
        "D": hinge("D", None, made["Rocker"], tuple(D), axis=AXIS),
    }
    joints["A"].redmax.joint.motion_type = "animated"
    bpy.context.view_layer.update()
    return joints


def look():
    """What the timer does."""
    handlers.follow_again()


def typed(joint, value, field="coordinate_angle_1"):
    """As typing into the field does it."""
    setattr(joint.redmax.joint, field, value)
    joint.update_tag()
    bpy.context.view_layer.update()


def matrices(*names):
    bpy.context.view_layer.update()
    return {name: world_matrix(name) for name in names or ("Crank", "Coupler", "Rocker")}


def pin(body, joint_name, modelled):
    """Where a pin lies on a body, in the world."""
    local = np.linalg.inv(modelled[body]) @ np.array((*bpy.data.objects[joint_name].location, 1.0))
    return (world_matrix(body) @ local)[:3]


def angle_of(name, modelled):
    """By how much a body is turned about y."""
    R = world_matrix(name)[:3, :3] @ np.linalg.inv(modelled[name][:3, :3])
    return math.atan2(R[0, 2], R[2, 2])


# --- forward kinematics and loops ------------------------------------------------------------


def test_typing_a_coordinate_moves_the_mechanism_at_once():
    joints = four_bar()
    modelled = matrices()
    look()
    typed(joints["A"], 0.4)
    assert angle_of("Crank", modelled) == pytest.approx(0.4, abs=CLOSE)
    for body, other, name in (("Crank", "Coupler", "B"), ("Coupler", "Rocker", "C")):
        assert pin(body, name, modelled) == pytest.approx(pin(other, name, modelled), abs=CLOSE)
    assert pin("Rocker", "D", modelled) == pytest.approx(joints["D"].location, abs=CLOSE)
    assert np.abs(world_matrix("Coupler") - modelled["Coupler"]).max() > 0.05


def test_it_follows_keys_while_scrubbing_as_the_simulation_does():
    joints = four_bar()
    turned_by_keys(joints["A"], (1, 0.0), (13, 2.0))
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 13
    look()
    shown = {}
    for frame in (4, 13, 7, 1):  # also back, and by leaps
        scene.frame_set(frame)
        shown[frame] = matrices()
    assert not any(obj.redmax.kept.active for obj in scene.objects)  # as modelled: left alone
    bpy.ops.redmax.simulate("EXEC_DEFAULT", True)
    for frame, before in shown.items():
        scene.frame_set(frame)
        for name, matrix in matrices().items():
            assert matrix == pytest.approx(before[name], abs=2e-5), (frame, name)


def test_a_simulation_starts_where_the_mechanism_is_shown(scene):
    joints = four_bar()
    turned_by_keys(joints["A"], (1, 0.8), (5, 1.0))
    scene.frame_start, scene.frame_end = 1, 5
    look()
    scene.frame_set(1)
    shown = matrices()
    assert bpy.ops.redmax.simulate("EXEC_DEFAULT", True) == {"FINISHED"}
    for name, stands in matrices().items():
        assert stands == pytest.approx(shown[name], abs=2e-5)
    assert [joints[name].redmax.joint.coordinate_angle_1 for name in "BCD"] == [0.0] * 3, "nothing was entered for them"


def test_a_start_beyond_a_hard_limit_is_left_to_the_artist(scene):
    joints = four_bar()
    turned_by_keys(joints["A"], (1, 0.8), (5, 1.0))
    settings = joints["B"].redmax.joint
    settings.lower_angle[0], settings.upper_angle[0] = -0.02, 0.02
    settings.use_lower[0] = settings.use_upper[0] = settings.use_limits = True
    scene.frame_start, scene.frame_end = 1, 5
    scene.frame_set(1)
    assert any("does not close" in finding.text for finding in extracted().errors)


def test_a_tree_moves_and_simulated_joints_stay_at_their_start(scene):
    base, upper, lower = box("Base"), box("Upper", (0.0, 0.0, 1.0)), box("Lower", (0.0, 0.0, 2.0))
    base.redmax.body.root = "LOCKED"
    shoulder = hinge("Shoulder", base, upper, (0.0, 0.0, 0.5), axis=AXIS)
    elbow = hinge("Elbow", upper, lower, (0.0, 0.0, 1.5), axis=AXIS)
    shoulder.redmax.joint.motion_type = "locked"
    modelled = matrices("Base", "Upper", "Lower")
    shoulder.redmax.joint.coordinate_angle_1 = math.pi / 2
    look()
    assert world_matrix("Base") == pytest.approx(modelled["Base"])
    assert world_matrix("Upper")[:3, 3] == pytest.approx((0.5, 0.0, 0.5), abs=CLOSE)
    assert world_matrix("Lower")[:3, 3] == pytest.approx((1.5, 0.0, 0.5), abs=CLOSE)
    typed(elbow, math.pi / 2)
    assert world_matrix("Lower")[:3, 3] == pytest.approx((1.0, 0.0, 0.0), abs=CLOSE)
    typed(elbow, 0.0)
    typed(shoulder, 0.0)
    assert {name: tuple(map(tuple, m)) for name, m in matrices("Upper", "Lower").items()} == {
        name: tuple(map(tuple, modelled[name])) for name in ("Upper", "Lower")
    }
    assert not any(obj.redmax.kept.active for obj in scene.objects)


def test_a_result_and_its_bake_show_what_a_locked_joint_holds_elsewhere(scene):
    base, upper, lower = box("Base"), box("Upper", (0.0, 0.0, 1.0)), box("Lower", (0.0, 0.0, 2.0))
    base.redmax.body.root = "LOCKED"
    shoulder = hinge("Shoulder", base, upper, (0.0, 0.0, 0.5), axis=AXIS)
    hinge("Elbow", upper, lower, (0.0, 0.0, 1.5), axis=AXIS)
    shoulder.redmax.joint.motion_type, shoulder.redmax.joint.coordinate_angle_1 = "locked", 1.0
    scene.frame_start, scene.frame_end = 1, 3
    look()
    posed = matrices("Base", "Upper", "Lower")
    for step in (bpy.ops.redmax.simulate, bpy.ops.redmax.bake):
        assert step("EXEC_DEFAULT", True) == {"FINISHED"}
        for name, stands in matrices("Base", "Upper", "Lower").items():
            assert stands == pytest.approx(posed[name], abs=CLOSE), name
    assert not base.redmax.kept.active, "it stands as modelled"


def test_a_driven_coordinate_is_followed(scene):
    joints = four_bar()
    modelled = matrices()
    control = bpy.data.objects.new("Control", None)
    scene.collection.objects.link(control)
    driver = joints["A"].driver_add("redmax.joint.coordinate_angle_1").driver
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = control, "location[0]"
    driver.expression = variable.name
    look()
    control.location.x = 0.3
    bpy.context.view_layer.update()
    assert angle_of("Crank", modelled) == pytest.approx(0.3, abs=CLOSE)


def test_a_loop_that_cannot_follow_stays_at_its_last_pose_and_the_field_says_so():
    joints = four_bar(ground=2.0, crank=1.0, coupler=1.5, rocker=1.0)  # the crank cannot go round
    modelled = matrices()
    look()
    typed(joints["A"], -3.0)
    reached = angle_of("Crank", modelled)
    assert -3.0 < reached < -0.1
    for body, other, name in (("Crank", "Coupler", "B"), ("Coupler", "Rocker", "C")):
        assert pin(body, name, modelled) == pytest.approx(pin(other, name, modelled), abs=CLOSE)
    reach = np.linalg.norm(pin("Crank", "B", modelled) - np.array(joints["D"].location))
    assert reach == pytest.approx(2.5, abs=2e-3)  # coupler and rocker are stretched out
    (note,) = bpy.context.window_manager.redmax.pose_notes
    assert note.name == "A"
    assert note.text.startswith(f"Shown at {math.degrees(reached):.1f}°: the loop through '")
    assert note.text.endswith("' cannot follow")
    assert joints["A"].redmax.joint.coordinate_angle_1 == -3.0  # what was typed stays
    typed(joints["A"], 0.2)
    assert angle_of("Crank", modelled) == pytest.approx(0.2, abs=CLOSE)
    assert not bpy.context.window_manager.redmax.pose_notes


@pytest.mark.parametrize("kept_still", [False, True], ids=["a crank that goes round", "one that does not"])
def test_a_coordinate_far_away_is_reached_without_going_all_the_way(kept_still, monkeypatch):
    """A motor's frame far ahead, or a number typed wrong: Blender must not stand still for minutes."""
    lengths = {"ground": 2.0, "crank": 1.0, "coupler": 1.5, "rocker": 1.0} if kept_still else {}
    joints = four_bar(**lengths)
    modelled = matrices()
    look()
    typed(joints["A"], -0.4)
    near = matrices()
    closings, real = [], loop_following.Follower._closed
    monkeypatch.setattr(
        loop_following.Follower, "_closed", lambda self, q, change: closings.append(1) or real(self, q, change)
    )
    typed(joints["A"], -0.4 - 2000.0 * math.pi)
    assert len(closings) < 200
    notes = [note.text for note in bpy.context.window_manager.redmax.pose_notes]
    if kept_still:
        assert notes[0].startswith(f"Shown at {math.degrees(angle_of('Crank', modelled)):.1f}°")
    else:
        assert not notes
        for name, matrix in matrices().items():
            assert matrix == pytest.approx(near[name], abs=5e-4), name  # single precision of the number typed


def test_a_slider_far_away_does_not_hold_blender_up(monkeypatch):
    joints = four_bar()
    far = hinge("Rail", bpy.data.objects["Rocker"], box("Sled", (0.0, 0.0, 5.0)), (0.0, 0.0, 5.0), axis=AXIS)
    far.redmax.joint.kind, far.redmax.joint.motion_type = "prismatic", "animated"
    look()
    closings, real = [], loop_following.Follower._closed
    monkeypatch.setattr(
        loop_following.Follower, "_closed", lambda self, q, change: closings.append(1) or real(self, q, change)
    )
    typed(far, 1e6, "coordinate_distance_1")
    assert 0 < len(closings) <= 2 * loop_following.MOST_STEPS
    assert np.linalg.norm(world_matrix("Sled")[:3, 3]) > 1e5
    assert joints


def test_a_given_joint_that_closes_a_loop_says_that_it_is_not_followed():
    joints = four_bar()
    for joint in joints.values():
        joint.redmax.joint.motion_type = "animated"
    modelled = matrices()
    look()
    typed(joints["A"], 0.2)
    notes = {note.name: note.text for note in bpy.context.window_manager.redmax.pose_notes}
    assert notes["A"].startswith("Shown at 0.0°")
    assert [text for text in notes.values() if "seen after Simulate" in text]
    for name, matrix in matrices().items():
        assert matrix == pytest.approx(modelled[name], abs=2e-3)  # nothing is left that could close it


# --- what it leaves alone --------------------------------------------------------------------


def test_a_result_that_is_shown_wins_and_without_it_keys_are_followed():
    scene = swinging.build(frames=(1, 13))
    shoulder = scene.objects["Shoulder"].redmax.joint
    shoulder.coordinate_angle_1 = 0.3
    look()
    held = matrices("Upper")["Upper"]
    bpy.ops.redmax.simulate("EXEC_DEFAULT", True)
    scene.frame_set(13)
    assert np.abs(matrices("Upper")["Upper"] - held).max() > 0.05
    bpy.ops.redmax.show_result()
    assert matrices("Upper")["Upper"] == pytest.approx(held, abs=CLOSE)
    bpy.ops.redmax.show_result()
    bpy.ops.redmax.clear_result()
    assert matrices("Upper")["Upper"] == pytest.approx(held, abs=CLOSE)


def test_saving_extracting_and_switching_off_see_the_modelled_pose(tmp_path):
    joints = four_bar()
    modelled = matrices()
    before = extracted()
    typed(joints["A"], 0.4)
    look()
    assert extracted().body("Rocker").E_wb == pytest.approx(before.body("Rocker").E_wb, abs=1e-12)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "keyed.blend"), copy=True)
    assert np.abs(world_matrix("Crank") - modelled["Crank"]).max() > 0.1  # and it is shown again
    with bpy.data.libraries.load(str(tmp_path / "keyed.blend"), link=True) as (_, chosen):
        chosen.objects = ["Crank"]
    assert tuple(chosen.objects[0].location) == pytest.approx(modelled["Crank"][:3, 3], abs=1e-7)
    assert not chosen.objects[0].redmax.kept.active
    bpy.ops.redmax.follow_coordinates()
    for name, matrix in matrices().items():
        assert matrix.tolist() == modelled[name].tolist()
    bpy.ops.redmax.follow_coordinates()
    assert np.abs(world_matrix("Crank") - modelled["Crank"]).max() > 0.1


def test_a_bake_of_a_hidden_result_is_that_of_the_modelled_pose():
    baked = {}
    for on in (False, True):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        keyed_pose.watch(on=on)
        scene = swinging.build(frames=(1, 5))
        modelled = matrices("Upper", "Lower")
        scene.objects["Shoulder"].redmax.joint.coordinate_angle_1 = 0.3
        look()
        bpy.ops.redmax.simulate("EXEC_DEFAULT", True)
        bpy.ops.redmax.show_result()
        assert scene.objects["Upper"].redmax.kept.active == on
        assert bpy.ops.redmax.bake("EXEC_DEFAULT", True) == {"FINISHED"}
        baked[on] = {
            (obj.name, curve.data_path, curve.array_index): [tuple(key.co) for key in curve.keyframe_points]
            for obj in scene.objects
            for curve in compat.fcurves_of(obj)
        }
        bpy.ops.redmax.remove_bake("EXEC_DEFAULT", True)
        bpy.ops.redmax.follow_coordinates()
        for name, matrix in matrices("Upper", "Lower").items():
            assert matrix.tolist() == modelled[name].tolist()
    assert baked[True] == baked[False] != {}


def test_undo_takes_the_mechanism_back():
    joints = four_bar()
    look()
    modelled = matrices()
    bpy.ops.ed.undo_push(message="before")
    typed(joints["A"], 0.4)
    bpy.ops.ed.undo_push(message="typed")
    moved = matrices()
    bpy.ops.ed.undo()
    for name, matrix in matrices().items():
        assert matrix == pytest.approx(modelled[name], abs=1e-7), name
    bpy.ops.ed.redo()
    for name, matrix in matrices().items():
        assert matrix == pytest.approx(moved[name], abs=CLOSE), name


def test_it_is_no_edit_of_the_artists():
    scene = swinging.build(frames=(1, 13))
    look()
    bpy.ops.redmax.simulate("EXEC_DEFAULT", True)
    bpy.ops.redmax.show_result()
    scene.objects["Shoulder"].redmax.joint.coordinate_angle_1 = 0.2
    scene.redmax.result.changed = False
    bpy.context.window_manager.redmax.outdated = False
    look()
    scene.frame_set(5)
    bpy.context.view_layer.update()
    assert not scene.redmax.result.changed
    assert not bpy.context.window_manager.redmax.outdated


def test_a_mechanism_that_was_edited_is_built_anew_and_one_that_was_not_is_not(monkeypatch):
    joints = four_bar()
    look()
    built, real = [], keyed_pose.keyed_mechanisms
    monkeypatch.setattr(keyed_pose, "keyed_mechanisms", lambda extraction: built.append(extraction) or real(extraction))
    typed(joints["A"], 0.3)
    bpy.context.scene.frame_set(4)
    look()
    assert not built
    joints["D"].location.x += 0.1
    bpy.context.view_layer.update()
    assert keyed_pose.wants_look(bpy.context.scene)
    look()
    assert len(built) == 1
    assert not keyed_pose.wants_look(bpy.context.scene)


def test_a_mechanism_that_cannot_be_built_stands_as_modelled(scene):
    joints = four_bar()
    modelled = matrices()
    joints["B"].redmax.joint.child = None
    typed(joints["A"], 0.4)
    look()
    scene.frame_set(3)
    joints["A"].redmax.joint.child = joints["A"].redmax.joint.parent = bpy.data.objects["Crank"]
    typed(joints["A"], 0.5)
    look()
    assert matrices()["Crank"].tolist() == modelled["Crank"].tolist()
    assert "RedMax" not in bpy.context.window_manager.redmax.message


def test_values_that_nobody_keyed_survive():
    battery = Battery()
    scene = bpy.context.scene
    for name in ("Shoulder", "Elbow"):
        scene.objects[name].redmax.joint.motion_type = "animated"
    look()
    scene.frame_set(7)
    before = battery.change()
    look()
    typed(scene.objects["Elbow"], 0.4)
    bpy.ops.redmax.follow_coordinates()
    bpy.ops.redmax.follow_coordinates()
    bpy.ops.redmax.follow_coordinates()
    lost = [name for name, bits in battery.read().items() if bits != before[name]]
    assert not lost


def test_a_body_that_shows_a_coordinate_goes_back_when_it_is_moved():
    joints = four_bar()
    look()
    typed(joints["A"], 0.4)
    shown = matrices()["Crank"]
    bpy.data.objects["Crank"].location.x += 1.0
    bpy.context.view_layer.update()
    assert matrices()["Crank"] == pytest.approx(shown, abs=CLOSE)
    message = bpy.context.window_manager.redmax.message
    assert message.startswith(
        "'Crank' stands where the coordinates of its joints put it; switch Follow Coordinates off"
    )


def test_what_is_moved_along_with_it_goes_back_too(scene):
    joints = four_bar()
    stand = box("Stand", (2.0, 0.0, -0.5))
    stand.redmax.body.root = "LOCKED"
    scenery = box("Scenery", (5.0, 0.0, 0.0))
    scenery.redmax.is_body = False
    bpy.context.view_layer.update()
    look()
    typed(joints["A"], 0.4)
    names = [obj.name for obj in scene.objects]
    shown = matrices(*names)
    for obj in scene.objects:
        obj.location.x += 1.0
    bpy.context.view_layer.update()
    moved = [name for name, M in matrices(*names).items() if np.abs(M - shown[name]).max() > CLOSE]
    assert moved == ["Scenery"], "else the mechanism would turn about pins that stand elsewhere"
    joints["D"].location.x += 0.1
    bpy.context.view_layer.update()
    assert joints["D"].location.x == pytest.approx(2.1), "a pin alone is moved where the artist wants it"


def test_it_moves_along_with_what_it_is_parented_to(scene):
    joints = four_bar()
    root = bpy.data.objects.new("Root", None)
    scene.collection.objects.link(root)
    for obj in scene.objects:
        obj.parent = None if obj == root else root
    bpy.context.view_layer.update()
    look()
    typed(joints["A"], 0.4)
    shown = matrices()
    root.location.x, root.scale = 1.0, (2.0, 2.0, 2.0)
    grown = np.diag([2.0, 2.0, 2.0, 1.0])
    grown[0, 3] = 1.0
    for _ in range(2):  # at once, and after it was built anew
        for name, stands in matrices().items():
            assert stands == pytest.approx(grown @ shown[name], abs=2.0 * CLOSE)
        look()
    assert not bpy.context.window_manager.redmax.message, "nothing is wrong with it"


def test_a_mechanism_that_is_copied_while_it_shows_coordinates_is_the_same_mechanism(scene):
    joints = four_bar()
    modelled = matrices()
    bpy.ops.redmax.check()  # which records how the joints fit
    look()
    typed(joints["A"], 0.4)
    shown = matrices()
    for obj in scene.objects:
        obj.select_set(True)
    bpy.ops.object.duplicate()
    bpy.context.view_layer.update()
    copies = [f"{name}.001" for name in modelled]
    for name, stands in matrices(*copies).items():
        assert stands == pytest.approx(modelled[name.removesuffix(".001")], abs=CLOSE)
    look()
    for name, stands in matrices(*copies, *modelled).items():
        assert stands == pytest.approx(shown[name.removesuffix(".001")], abs=CLOSE)
    assert not torn_parts.findings(extracted())


def test_nothing_moves_in_the_background_unless_asked(scene):
    keyed_pose.watch(on=False)
    joints = four_bar()
    modelled = matrices()
    typed(joints["A"], 0.4)
    look()
    scene.frame_set(3)
    assert matrices()["Crank"].tolist() == modelled["Crank"].tolist()
