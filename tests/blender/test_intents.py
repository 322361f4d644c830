# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that add elements: what they make is, number by number, what the engine is told by hand; it moves and is
baked as the engine moves it; and what they refuse leaves nothing behind."""

from __future__ import annotations

import dataclasses
import json
import math

import bpy
import geared
import intents
import numpy as np
import pytest
from geared import extracted, select
from intents import MAKERS, anchored, post_and_arm, press, wheels
from swinging import box

from redmax import compile as compiling
from redmax import constraints, forces, io, simulate
from redmax.drives import Drive, Follower
from redmax.forces.lines.points import PathPoint
from redmax.spatial import quaternion
from redmax.strands import Attachment, Strand
from redmax_blender import compat
from redmax_blender.bridge.authoring import motors
from redmax_blender.bridge.check import result_findings
from redmax_blender.bridge.check.fixes import fixes
from redmax_blender.bridge.results import cache
from redmax_blender.properties import generated, sorts
from redmax_blender.properties.scene import integrator_of
from redmax_blender.ui import menus

MASS, G = 8.0, 9.80665
"""Of the bob [kg], and standard gravity."""

FLOAT32 = 2e-6
"""A few units of the last place of Blender's numbers, in metres near 1."""

OMEGA, TAUT = 2.0 * math.pi * 2.0, 2.0 * math.pi * 10.0
FROM_BOB = (PathPoint(body="Bob"), PathPoint(body="Anchor"))
WEIGHT = G * (0.2 + MASS) / 0.1

BY_HAND = {
    "add_spring": forces.SpringDamper(
        name="Spring", body_a="Anchor", body_b="Bob", stiffness=OMEGA**2 * MASS, damping=0.2 * OMEGA * MASS
    ),
    "add_damper": forces.SpringDamper(name="Damper", body_a="Anchor", body_b="Bob", stiffness=0.0, damping=MASS / 0.5),
    "add_cable": forces.Cable(name="Cable", points=FROM_BOB, stiffness=TAUT**2 * MASS, damping=0.6 * TAUT * MASS),
    "add_muscle": forces.MultiPointMuscle(
        name="Muscle",
        points=FROM_BOB,
        peak_force=5.0 * G * MASS,
        optimal_length=0.7,
        tendon_length=0.3,
        activation=0.5,
    ),
    "add_strand": Strand(
        name="Strand",
        nodes=tuple((0.0, 0.0, 1.0 + k / 3.0) for k in range(4)),
        mass=0.2,
        stiffness=WEIGHT,
        damping=0.01 * WEIGHT,
        pulls_only=True,
        attachments=(Attachment(node=0, body="Bob"), Attachment(node=3, body="Anchor")),
    ),
    "add_gear": constraints.Coupling(name="Gear", leader="Small Hinge", follower="Large Hinge", ratio=-0.5),
    "add_belt": constraints.Coupling(name="Belt", leader="Small Hinge", follower="Large Hinge", ratio=0.5),
    "add_rack": constraints.Coupling(name="Rack", leader="Small Hinge", follower="Large Hinge", ratio=-0.2),
    "add_mimic": constraints.Coupling(name="Mimic", leader="Small Hinge", follower="Large Hinge", ratio=-2.0),
    "add_drive": Drive(
        name="Drive",
        followers=(Follower(joint="Small Hinge", ratio=(1.0,)), Follower(joint="Large Hinge", ratio=(1.0,))),
    ),
    "add_force": forces.PointForce(name="Force", body="Bob", direction=(0.0, 0.0, 1.0), force=G * MASS),
    "add_drag": forces.Drag(name="Drag", body="Bob", area=0.06),
    "pin_to_world": constraints.Pin(name="Pin to World", body="Bob", other_point=(0.0, 0.0, 1.0)),
}
"""By operator, what it makes in the mechanism of `intents`."""


@pytest.mark.parametrize("what", MAKERS)
def test_a_scene_in_centimetres_gets_the_same_element(what, monkeypatch):
    """The same things, drawn a hundred times as large in a scene whose unit is a hundredth."""

    def described(unit):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        scene = bpy.context.scene
        scene.unit_settings.scale_length, scene.gravity = unit, (0.0, 0.0, -9.81 / unit)
        monkeypatch.setattr(intents, "box", lambda name, at, size: box(name, *(np.array((at, size)) / unit)))
        monkeypatch.setattr(geared, "wheel", lambda name, x, radius: wheel(name, x / unit, radius / unit, 0.1 / unit))
        MAKERS[what].make()
        return numbers(json.loads(io.dumps(extracted().scene)))

    wheel = geared.wheel
    metres, centimetres = described(1.0), described(0.01)
    assert metres.keys() == centimetres.keys()
    for path, value in metres.items():
        assert centimetres[path] == (pytest.approx(value, rel=1e-5, abs=1e-7) if type(value) is float else value), path


def numbers(value, path=""):
    """Everything in a document, by its path."""
    if not isinstance(value, (dict, list)):
        return {path: float(value) if isinstance(value, (int, float)) else value}
    named = value.items() if isinstance(value, dict) else enumerate(value)
    return {k: v for key, inner in named for k, v in numbers(inner, f"{path}.{key}").items()}


def test_every_operator_of_the_menu_is_tried_here():
    offered = {name for group in menus.INTENTS for name, _ in group}
    assert (
        offered - {"add_motor", "add_surface_contact", "add_track", "add_sheet", "add_train"}
        == set(MAKERS)
        == set(BY_HAND)
    )


def same_numbers(ours, wanted):
    """Whether two descriptions are the same to single precision."""
    if dataclasses.is_dataclass(wanted):
        for field in dataclasses.fields(wanted):
            same_numbers(getattr(ours, field.name), getattr(wanted, field.name))
    elif isinstance(wanted, (tuple, list)) and wanted and dataclasses.is_dataclass(wanted[0]):
        assert len(ours) == len(wanted)
        for a, b in zip(ours, wanted, strict=True):
            same_numbers(a, b)
    elif isinstance(wanted, (str, bool)) or wanted is None:
        assert ours == wanted
    else:
        np.testing.assert_allclose(np.asarray(ours, float), np.asarray(wanted, float), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", MAKERS)
def test_what_an_operator_makes_moves_and_bakes_as_the_engine_told_by_hand(name):
    element = MAKERS[name].make()
    scene = bpy.context.scene
    extraction = extracted()
    assert not extraction.errors
    (ours,) = getattr(extraction.scene, MAKERS[name].listed)
    by_hand = BY_HAND[name]
    if name == "add_drive":  # the slider's keys are a table, which is compared where it is used
        assert ours.inputs[0].motion_type == "animated"
        by_hand = dataclasses.replace(by_hand, inputs=ours.inputs)
    same_numbers(ours, by_hand)
    told = dataclasses.replace(extraction.scene, **{MAKERS[name].listed: [by_hand]})
    count = extraction.frame_end - extraction.frame_start
    model = compiling.compile(told)
    run = simulate.simulate(model, integrator=integrator_of(scene), fps=extraction.fps, duration=count / extraction.fps)
    wanted = simulate.record(model, run)
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    scene.redmax.bake.forces, scene.redmax.bake.keys = True, "EVERY"
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    bpy.ops.redmax.clear_result()
    moved = 0.0
    for frame in (1, 4, 7):
        scene.frame_set(frame)
        for body in wanted.body_names:
            M = np.array(bpy.data.objects[body].matrix_world)
            index = wanted.body(body)
            np.testing.assert_allclose(M[:3, 3], wanted.position[frame - 1, index], atol=FLOAT32)
            R = quaternion.to_matrix(wanted.rotation[frame - 1, index])
            np.testing.assert_allclose(M[:3, :3], R, atol=FLOAT32)
            moved += np.abs(wanted.position[frame - 1, index] - wanted.position[0, index]).max()
            moved += np.abs(wanted.rotation[frame - 1, index] - wanted.rotation[0, index]).max()
    assert moved > 1e-4 or name in ("pin_to_world", "add_force"), "they hold the bob where it is"
    assert element.redmax.baked.units, "a result of its own"
    bpy.ops.redmax.remove_bake()
    assert not [action for action in bpy.data.actions if action.get("redmax_bake")]


@pytest.mark.parametrize("name", MAKERS)
def test_one_undo_takes_all_of_it_away(name):
    MAKERS[name].make()
    added = {obj.name for obj in bpy.data.objects if sorts.generated_sorts(obj.redmax) or obj.redmax.shows}
    for other in added:
        bpy.data.objects.remove(bpy.data.objects[other])
    kept = {obj.name for obj in bpy.data.objects}
    bpy.ops.ed.undo_push(message="before")
    ends = [bpy.data.objects[end] for end in MAKERS[name].ends if end is not None]
    select(*ends)
    assert getattr(bpy.ops.redmax, name)("EXEC_DEFAULT", True) == {"FINISHED"}
    assert {obj.name for obj in bpy.data.objects} > kept
    bpy.ops.ed.undo()
    assert {obj.name for obj in bpy.data.objects} == kept


@pytest.mark.parametrize("name", ["add_cable", "add_muscle", "add_strand", "add_spring", "add_damper"])
def test_what_cannot_be_made_leaves_nothing(name):
    """Plain objects, of which one cannot be weighed."""
    bpy.ops.mesh.primitive_cube_add(location=(0.0, 0.0, 2.0))
    a = bpy.context.object
    bpy.ops.mesh.primitive_plane_add(location=(0.0, 0.0, 2.0 if name == "add_strand" else 0.0))
    b = bpy.context.object
    select(a, b)
    before = {obj.name for obj in bpy.data.objects}
    with pytest.raises(RuntimeError):
        getattr(bpy.ops.redmax, name)()
    assert {obj.name for obj in bpy.data.objects} == before
    assert not a.redmax.is_body
    assert not b.redmax.is_body
    assert not bpy.data.curves


# --- points --------------------------------------------------------------------------------------


def test_a_cable_runs_the_shortest_way_through_empties_on_their_bodies_and_in_the_world():
    anchor, bob = anchored()
    eye = geared.empty("Eye", (0.1, 0.0, 1.9))  # on the anchor
    pulley = geared.empty("Pulley", (1.0, 0.0, 2.0))  # in the world
    hook = geared.empty("Hook", (3.0, 0.0, 1.0))
    hook.parent = bob  # so that it stands at (3, 0, 2)
    cable = press("add_cable", anchor, bob, hook, pulley, eye)
    points = cable.redmax.force.cable.points
    assert [(point.body, point.point_at) for point in points] == [(anchor, eye), (None, pulley), (bob, hook)]
    (force,) = extracted().scene.forces
    np.testing.assert_allclose(force.points[2].point, (3.0, 0.0, 1.0), atol=1e-6)
    bpy.data.objects.remove(cable)
    by_name = press("add_cable", anchor, bob, hook, pulley, eye, order="NAME")
    assert [point.point_at for point in by_name.redmax.force.cable.points] == [eye, hook, pulley]


def test_points_on_a_single_body_are_refused_with_what_to_do():
    _, bob = anchored()
    select(geared.empty("Eye", (0.1, 0.0, 1.0)), geared.empty("Hook", (-0.1, 0.0, 1.0)), bob)
    with pytest.raises(RuntimeError, match=r"All points of the cable are on 'Bob'.*parent empties to the bodies"):
        bpy.ops.redmax.add_cable()


def test_a_block_and_tackle_halves_the_pull():
    """The bob hangs in a bight: both parts carry it, and the cable gets half its weight."""
    anchor, bob = anchored()
    left, right = geared.empty("Left", (-0.2, 0.0, 3.0)), geared.empty("Right", (0.2, 0.0, 3.0))
    cable = press("add_cable", bob, left, right, order="NAME")
    points = cable.redmax.force.cable.points
    points.move(0, 1)
    assert [point.point_at for point in points] == [left, None, right]
    cable.redmax.force.cable.damping = 1e4
    bpy.data.objects.remove(anchor)
    bpy.context.scene.frame_end = 49
    scene = bpy.context.scene
    scene.redmax.bake.forces = True
    bpy.ops.redmax.simulate()
    bpy.ops.redmax.bake()
    scene.frame_set(49)
    along = math.hypot(0.2, 2.0) / 2.0
    np.testing.assert_allclose(cable["redmax_tension"][0], 0.5 * MASS * 9.81 * along, rtol=0.02)


# --- strands -------------------------------------------------------------------------------------


def test_a_strand_runs_along_a_curve_and_is_fixed_to_the_bodies_next_to_it():
    _, bob = anchored()
    data = bpy.data.curves.new("Path", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("POLY")
    spline.points.add(2)
    for point, co in zip(spline.points, ((0, 0, 0), (1, 0, 0), (1, 1, 0)), strict=True):
        point.co = (*co, 1.0)
    curve = bpy.data.objects.new("Path", data)
    curve.location = (0.0, 0.0, 1.0)
    bpy.context.scene.collection.objects.link(curve)
    strand = press("add_strand", curve, bob, segments=8)
    settings = strand.redmax.strand
    nodes = np.array([entry.place[:] for entry in settings.nodes])
    np.testing.assert_allclose(nodes[[0, 4, 8]], [(0, 0, 1), (1, 0, 1), (1, 1, 1)], atol=1e-5)
    assert [(entry.node, entry.body) for entry in settings.attachments] == [(0, bob)]
    np.testing.assert_allclose(settings.mass, 0.2 * 2.0, rtol=1e-5)
    assert not extracted().errors


def test_a_slack_strand_has_longer_segments_and_a_free_end_hangs():
    anchor, _ = anchored()
    bpy.context.scene.cursor.location = (1.0, 0.0, 2.0)
    strand = press("add_strand", anchor, segments=4, slack=1.5, free_end=True)
    (made,) = extracted().scene.strands
    np.testing.assert_allclose(made.rest_lengths, 0.25 * 1.5, rtol=1e-6)
    assert [(each.node, each.body) for each in made.attachments] == [(0, "Anchor")]
    assert strand.redmax.strand.mass == pytest.approx(0.2 * 1.5)


def test_a_strand_stretches_under_its_load_by_as_much_as_was_asked_for():
    anchored()
    strand = press("add_strand", bpy.data.objects["Anchor"], bpy.data.objects["Bob"], segments=2, stretch=0.05)
    strand.redmax.strand.damping *= 20.0
    scene = bpy.context.scene
    scene.frame_end, scene.redmax.bake.forces = 49, True
    bpy.ops.redmax.simulate()
    bpy.ops.redmax.bake()
    scene.frame_set(49)
    np.testing.assert_allclose(strand["redmax_length"][0], 1.05, rtol=2e-3)
    np.testing.assert_allclose(strand["redmax_tension"][0], MASS * 9.81, rtol=0.03)
    np.testing.assert_allclose(strand["redmax_elastic_energy"][0], 0.5 * MASS * 9.81 * 0.05, rtol=0.05)


def test_results_tell_the_energy_of_a_spring_and_the_activation_of_a_muscle():
    spring = MAKERS["add_spring"].make()
    ends = bpy.data.objects["Anchor"], bpy.data.objects["Bob"]
    muscle = press("add_muscle", *ends, keyed=True, activation=0.8, contracting=0.25)
    scene = bpy.context.scene
    scene.redmax.bake.forces = True
    bpy.ops.redmax.simulate()
    bpy.ops.redmax.bake()
    scene.frame_set(5)
    stretch = spring["redmax_length"][0] - 1.0
    stiffness = spring.redmax.force.spring_damper.stiffness
    np.testing.assert_allclose(spring["redmax_elastic_energy"][0], 0.5 * stiffness * stretch**2, rtol=1e-4, atol=1e-7)
    keyed = muscle.redmax.force.multi_point_muscle.activation_table_1
    assert 0.1 < keyed < 0.8
    np.testing.assert_allclose(muscle["redmax_activation"][0], keyed, atol=1e-5)


# --- motors and drives ---------------------------------------------------------------------------


def test_a_slider_without_keys_is_said_and_keyed_by_the_fix():
    drive = press("add_drive", *wheels())
    (finding,) = extracted().findings
    assert finding.text == "The slider of 'Drive' has no keyframes; what it moves will stand still"
    assert finding.severity == "WARNING"
    (fix,) = finding.fixes
    bpy.context.scene.frame_set(3)
    fixes.apply(bpy.context, fix, drive.name)
    assert not extracted().findings
    (curve,) = compat.curves_of(drive)
    assert [tuple(point.co) for point in curve.keyframe_points] == [(3.0, 0.0)]
    drive.redmax.drive.inputs[0].motion_type = "locked"
    with pytest.raises(fixes.BridgeError, match="'Drive' has no slider"):
        fixes.apply(bpy.context, fix, drive.name)


@pytest.mark.parametrize("control", ["speed", "position"])
def test_a_new_motor_gets_to_its_target_under_its_load_and_does_not_stall(control):
    pin = post_and_arm()
    press("add_motor", pin, control=control, angle=-1.0)
    scene = bpy.context.scene
    bpy.ops.redmax.simulate()
    found = cache.load(scene)
    if control == "speed":
        np.testing.assert_allclose(found.qdot[12:, 0], -1.0, atol=0.2)
    else:
        np.testing.assert_allclose(found.q[-1, 0], -1.0, atol=0.03)
    assert scene.redmax.result.stalled == ""


def test_a_weak_motor_stalls_and_is_told_with_its_frame():
    press("add_motor", post_and_arm(), control="position", angle=-1.0, strength=0.1)
    bpy.ops.redmax.simulate()
    (finding,) = [each for each in result_findings.result_findings(bpy.context.scene) if "stalls" in each.text]
    assert "Motor of 'Pin' stalls at frame" in finding.text
    assert finding.fixes == ("GO_TO_STALL", "RAISE_MOTOR")


def test_a_motor_on_an_animated_joint_is_told_to_take_over_from_its_keys(capfd):
    pin = post_and_arm()
    pin.redmax.joint.motion_type = "animated"
    press("add_motor", pin)
    assert pin.redmax.joint.motion_type == "simulated"
    assert "Added a motor to 'Pin'; 'Pin' was Animated and is Simulated now" in capfd.readouterr().out


def test_the_gains_of_a_motor_are_those_of_its_formulas():
    press("add_motor", post_and_arm(), angle=2.0, response=0.1, strength=3.0)
    settings = bpy.data.objects["Pin"].redmax.joint
    mass = 10.0
    inertia = mass * (1.0 + 0.01) / 12.0 + mass * 0.25
    hold = 9.81 * math.sqrt(mass * inertia)
    np.testing.assert_allclose(settings.motor_speed_gain[0], max(inertia / 0.1, hold / 0.2), rtol=1e-3)
    np.testing.assert_allclose(settings.motor_maximum[0], 3.0 * (hold + inertia * 2.0 / 0.1), rtol=1e-3)
    assert hold > mass * 9.81 * 0.5, "a bound of what gravity turns it with"
    found = motors.gains(2.0, 8.0, 10.0, 0.5, motors.Wishes("position", response=0.5), unit="m")
    assert found.position == pytest.approx(max(2.0 * 16.0, 40.0 / 0.005))
    assert found.speed == pytest.approx(2.0 * math.sqrt(found.position * 2.0)), "critical"


def test_one_slider_moves_joints_between_their_limits_every_second_one_the_other_way():
    joints = wheels()
    for joint, (low, high) in zip(joints, ((-0.5, 1.0), (0.0, 2.0)), strict=True):
        settings = joint.redmax.joint
        settings.use_limits, settings.use_lower[0], settings.use_upper[0] = True, True, True
        settings.lower_angle[0], settings.upper_angle[0] = low, high
    press("add_drive", *joints, travel="LIMITS", alternate=True, amount=1.0)
    assert not [each for each in extracted().findings if "cannot move" in each.text], "its slider moves it"
    bpy.ops.redmax.simulate()
    found = cache.load(bpy.context.scene)
    ends = {name: found.q[[0, -1], found.joint_names.index(name)] for name in ("Small Hinge", "Large Hinge")}
    order = [follower.joint.name for follower in bpy.context.object.redmax.drive.followers]
    straight, turned = order
    limits = {"Small Hinge": (-0.5, 1.0), "Large Hinge": (0.0, 2.0)}
    np.testing.assert_allclose(ends[straight], limits[straight], atol=1e-5)
    np.testing.assert_allclose(ends[turned], limits[turned][::-1], atol=1e-5)


def test_the_active_joint_moves_the_others():
    small, large = wheels()
    small.redmax.joint.torque_1 = 0.2
    drive = press("add_drive", large, small, source="ACTIVE", ratio=3.0)
    assert [given.joint for given in drive.redmax.drive.inputs] == [small]
    bpy.ops.redmax.simulate()
    found = cache.load(bpy.context.scene)
    q = {name: found.q[-1, found.joint_names.index(name)] for name in ("Small Hinge", "Large Hinge")}
    assert abs(q["Small Hinge"]) > 1e-4
    np.testing.assert_allclose(q["Large Hinge"], 3.0 * q["Small Hinge"], rtol=1e-9)


def test_a_rack_on_the_other_side_and_a_crossed_belt_turn_the_sign_round():
    assert MAKERS["add_rack"].make(other_side=True).redmax.constraint.coupling.ratio == pytest.approx(0.2, rel=1e-4)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert MAKERS["add_belt"].make(crossed=True).redmax.constraint.coupling.ratio == pytest.approx(-0.5, rel=1e-4)


def test_a_belt_needs_two_wheels():
    leader, rack = wheels()
    rack.redmax.joint.kind = "prismatic"
    select(leader, rack)
    with pytest.raises(RuntimeError, match="A belt is between two wheels on hinges"):
        bpy.ops.redmax.add_belt()


# --- loads ---------------------------------------------------------------------------------------


def test_a_keyed_force_grows_and_is_followed():
    force = MAKERS["add_force"].make(keyed=True, swelling=0.25, strength=2.0)
    settings = force.redmax.force.point_force
    assert settings.force_table_source == generated.KEYS
    table = extracted().scene.forces[0].force_table
    np.testing.assert_allclose(
        [table.value(t)[0] for t in (0.0, 0.25, 1.0)], (0.0, 2.0 * G * MASS, 2.0 * G * MASS), rtol=1e-5
    )
    assert 0.0 < table.value(0.125)[0] < 2.0 * G * MASS


def test_a_force_acts_at_each_empty_that_is_selected_with_its_body():
    _, bob = anchored()
    corner = geared.empty("Corner", (0.1, 0.1, 1.1))
    force = press("add_force", corner, bob, direction=(1.0, 0.0, 0.0), axes="body")
    (made,) = extracted().scene.forces
    np.testing.assert_allclose(made.point, (0.1, 0.1, 0.1), atol=1e-6)
    assert made.axes == "body"
    force.location.x += 0.1
    bpy.context.view_layer.update()
    np.testing.assert_allclose(extracted().scene.forces[0].point, (0.2, 0.1, 0.1), atol=1e-6), "it acts where it stands"


def test_a_pinned_body_swings_about_its_pin():
    _, bob = anchored()
    corner = geared.empty("Corner", (0.1, 0.0, 1.1))
    press("pin_to_world", corner, bob)
    bpy.ops.redmax.simulate()
    found = cache.load(bpy.context.scene)
    index = found.body("Bob")
    R = quaternion.to_matrix(found.rotation[:, index])
    ends = found.position[:, index] + R @ np.array([0.1, 0.0, 0.1])
    np.testing.assert_allclose(ends, np.tile([0.1, 0.0, 1.1], (len(ends), 1)), atol=1e-6)
    assert np.abs(found.position[-1, index] - found.position[0, index]).max() > 1e-3


def test_drag_in_water_is_stronger_and_a_wind_carries_along():
    drag = MAKERS["add_drag"].make(medium="WATER", wind=(3.0, 0.0, 0.0)).redmax.force.drag
    assert drag.density == pytest.approx(998.0)
    bpy.context.scene.use_gravity = False
    bpy.ops.redmax.simulate()
    found = cache.load(bpy.context.scene)
    assert found.channels["twist"][-1, found.body("Bob"), 3] > 0.1


def test_forces_on_several_bodies_are_one_each():
    a, b = box("A", (0.0, 0.0, 0.0), (0.2,) * 3), box("B", (1.0, 0.0, 0.0), (0.2,) * 3)
    press("add_drag", a, b)
    assert {force.body for force in extracted().scene.forces} == {"A", "B"}
