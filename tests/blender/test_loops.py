# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed loops from end to end: templates simulated and baked, gaps in the evaluated scene, the work of a crank.

Which joint closes a loop, and axes that single precision has bent, are what only Blender brings in.
"""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
import swinging
from mathutils import Euler
from test_acceptance import FLOAT32, hinge_gap, modelled_hinges, press, run_python, simulated
from test_messages import check, fix, gone, refused, simulates, the_row
from test_messages_loops import four_bar, row

from redmax_blender.bridge.core import loop_choice, mechanisms
from redmax_blender.bridge.extract import extraction as extract
from redmax_blender.bridge.results import cache
from redmax_blender.templates import four_bar as four_bar_template
from redmax_blender.templates import planar, scissor_lift, slider_crank

__all__ = ["four_bar"]
OF_ITS_SIZE = 1e-6
"""Largest gap in the evaluated scene, which is single precision, in parts of the mechanism's size."""


def extracted():
    return extract.extract(bpy.context.scene, bpy.context.view_layer)


def result():
    return cache.load(bpy.context.scene)


def course(name, field="q"):
    """A joint's only coordinate over all samples; the first joint holds the base and has none."""
    found = result()
    return getattr(found, field)[:, found.joint_names.index(name) - 1]


def moved(name):
    """How far a body's origin has come between the first frame and the others [m]."""
    found = result()
    place = found.position[:, found.body(name)]
    return float(np.linalg.norm(place - place[0], axis=1).max())


# --- gaps in the evaluated scene -------------------------------------------------------------


def turning_four_bar(frames):
    """The template with a crank that turns about once a second all the time."""
    seconds = (frames - 1) / 24.0
    four_bar_template.build(bpy.context, turns=float(round(seconds)), duration=seconds)


def largest_gap_after_bake(scene, frames):
    """Largest distance of the two sides of a joint, on every frame; the fixed pins are 1 apart."""
    hinges = modelled_hinges()
    assert len(hinges) == 4
    found = simulated(scene, frames, "STANDARD")
    assert np.abs(found.channels["gap"]).max() < 1e-12
    press(bpy.ops.redmax.bake)
    return hinge_gap(scene, hinges, range(1, frames + 1))


def test_a_four_bar_stays_closed_in_the_evaluated_scene(scene):
    turning_four_bar(49)
    assert largest_gap_after_bake(scene, 49) < OF_ITS_SIZE
    assert moved("Four-Bar Coupler") > 0.4


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.skipif(bpy.app.version[:2] != (4, 5), reason="numbers, not Blender's interface: once is enough")
def test_a_four_bar_stays_closed_in_the_evaluated_scene_over_ten_thousand_frames(scene):
    turning_four_bar(10_000)
    assert largest_gap_after_bake(scene, 10_000) < OF_ITS_SIZE
    assert np.ptp(course("Four-Bar Crank Hinge")) > 400 * 2.0 * math.pi


@pytest.mark.parametrize("template", [slider_crank, scissor_lift])
def test_other_loops_stay_closed_as_well(scene, template):
    template.build(bpy.context, duration=1.0, **({"turns": 1.0} if template is slider_crank else {}))
    pins = {name: ends for name, ends in modelled_hinges().items() if "Slider" not in name.replace("Slider-", "")}
    simulated(scene, 25, "STANDARD")
    press(bpy.ops.redmax.bake)
    # Angles of up to a turn and places of a few metres, in single precision.
    assert hinge_gap(scene, pins, range(1, 26)) < 32 * FLOAT32


@pytest.mark.parametrize(
    "template",
    [*(pytest.param(each, marks=pytest.mark.slow) for each in (four_bar_template, slider_crank)), scissor_lift],
)
def test_the_command_line_bakes_a_file_with_a_template(tmp_path, template):
    template.build(bpy.context)
    source, out = tmp_path / "source.blend", tmp_path / "out.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(source))
    arguments = ("--file", source, "--frames", 1, 4, "--out", out, "--quiet")
    run_python("-m", "redmax_blender", "bake", *arguments, folder=tmp_path)
    bpy.ops.wm.open_mainfile(filepath=str(out))
    moving = [obj for obj in bpy.data.objects if obj.redmax.is_body and obj.redmax.body.root == "FREE"]
    assert len(moving) >= 3
    assert all(obj.redmax.baked.active for obj in moving)


# --- work ------------------------------------------------------------------------------------


@pytest.mark.parametrize("damping", [pytest.param(0.0, marks=pytest.mark.slow), 0.5])
def test_the_work_of_an_animated_crank_is_the_change_of_energy_and_the_losses(scene, damping):
    four_bar_template.build(bpy.context, turns=1.0, duration=1.0)
    bpy.data.objects["Four-Bar Rocker Hinge"].redmax.joint.damping[0] = damping
    channels = simulated(scene, 25, "HIGH").channels
    energy, work, loss = (channels[name] for name in ("energy", "work", "loss"))
    scale = max(np.ptp(channels[name]) for name in ("kinetic", "potential", "work"))
    assert np.ptp(work) > 0.5 * scale
    assert loss[-1] > 1e-3 * scale if damping else not loss.any()
    assert np.abs(energy - energy[0] - work + loss).max() < 1e-6 * scale


def test_that_work_is_the_cranks_torque_along_its_angle(scene):
    """The channel `motor`, which a bake writes as F-curves, integrated by hand (Boole's rule) over a tenth of a second.

    At 24 frames a second that would be right to three digits: the engine's own integral is what is to be trusted.
    """
    rate, frames = 480, 49
    scene.render.fps = rate
    four_bar_template.build(bpy.context, turns=0.25, duration=0.4)
    scene.frame_start, scene.frame_end, scene.redmax.accuracy = 1, frames, "HIGH"
    press(bpy.ops.redmax.simulate)
    found = result()
    crank = found.joint_names.index("Four-Bar Crank Hinge") - 1
    power = found.channels["motor"][:, crank] * course("Four-Bar Crank Hinge", "qdot")
    weights = np.zeros(frames)
    for start in range(0, frames - 4, 4):
        weights[start : start + 5] += np.array([7.0, 32.0, 12.0, 32.0, 7.0]) * 2.0 / 45.0 / rate
    work = found.channels["work"]
    assert abs(work[-1]) > 0.1
    assert weights @ power == pytest.approx(work[-1], rel=1e-6)


def test_a_joint_that_closes_a_loop_has_its_reaction_baked_too(scene):
    four_bar_template.build(bpy.context, turns=1.0, duration=1.0)
    simulated(scene, 5, "STANDARD")
    scene.redmax.bake.reaction = True
    press(bpy.ops.redmax.bake)
    (closing,) = mechanisms.structure(extracted().scene).loops
    scene.frame_set(3)
    found = np.array(bpy.data.objects[closing]["redmax_reaction"])
    assert np.abs(found[3:]).max() > 1.0
    assert found == pytest.approx(result().channels["loop_reaction"][2, 0], rel=1e-5, abs=1e-4)


# --- numbers per mechanism -------------------------------------------------------------------


def lift(stages):
    return scissor_lift.build(bpy.context, stages=stages, with_motor=False)


@pytest.mark.parametrize(
    ("build", "numbers"),
    [
        (lambda: four_bar_template.build(bpy.context, with_motor=False), (4, 1, 1, 3)),
        (lambda: four_bar_template.build(bpy.context), (4, 0, 1, 3)),
        (lambda: slider_crank.build(bpy.context, with_motor=False), (4, 1, 1, 3)),
        (lambda: lift(1), (6, 1, 2, 6)),
        (lambda: lift(4), (12, 1, 5, 15)),
    ],
    ids=["four-bar", "driven four-bar", "slider-crank", "one stage", "four stages"],
)
def test_bodies_freedoms_loops_and_redundancy(build, numbers):
    build()
    check()
    assert (row().bodies, row().dofs, row().loops, row().redundant) == numbers


@pytest.mark.parametrize(
    ("kinds", "freedoms", "redundant"),
    [
        ({"D": "spherical"}, 1, 1),
        ({"D": "spherical", "B": "universal"}, 1, 0),
        ({"D": "spherical", "C": "spherical"}, 2, 0),  # the rocker turns about the line between its balls
        ({"D": "fixed"}, 0, 3),
    ],
)
def test_what_other_joints_hold(four_bar, kinds, freedoms, redundant):
    for name, kind in kinds.items():
        four_bar[name].redmax.joint.kind = kind
    check()
    assert (row().dofs, row().redundant) == (freedoms, redundant)


# --- axes in single precision ----------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("closing", ["revolute", "spherical"])
def test_hinges_turned_about_their_axes_in_a_mechanism_that_stands_anywhere(four_bar, seed, closing):
    """Each pin has its own rotation, so each axis is rounded on its own: as modelled they are parallel."""
    rng = np.random.default_rng(seed)
    R = Euler(rng.uniform(-3.0, 3.0, 3).tolist()).to_matrix().to_4x4()
    for name in "ABCD":
        four_bar[name].rotation_euler = Euler((0.0, rng.uniform(-3.0, 3.0), 0.0))
    bpy.context.view_layer.update()
    R.translation = rng.uniform(-20.0, 20.0, 3).tolist()
    for obj in four_bar:
        obj.matrix_world = R @ obj.matrix_world
    four_bar["D"].redmax.joint.kind = closing
    check()
    assert (row().dofs, row().redundant) == (1, 3 if closing == "revolute" else 1)
    simulates()
    assert moved("Coupler") > 1e-3
    assert np.abs(result().channels["gap"]).max() < 1e-9


def test_axes_that_are_meant_to_differ_are_left_as_they_are(four_bar):
    four_bar["C"].rotation_euler = Euler((3e-5, 0.0, 0.0))
    made = {joint.name: joint for joint in extracted().scene.joints}
    assert made["C"].frame_in_child.rotation[1] == pytest.approx(1.5e-5, rel=1e-2)
    four_bar["C"].rotation_euler = Euler((3e-7, 0.0, 0.0))
    made = {joint.name: joint for joint in extracted().scene.joints}
    assert abs(made["C"].frame_in_child.rotation[1]) < 1e-7


# --- which joint closes the loop -------------------------------------------------------------


def closers():
    return list(mechanisms.structure(extracted().scene).loops)


def limit(joint, lower, upper):
    settings = joint.redmax.joint
    settings.lower_angle[0], settings.upper_angle[0] = lower, upper
    settings.use_lower[0] = settings.use_upper[0] = True


NEEDS = {
    "limits": lambda joint: limit(joint, -0.1, 0.1),
    "a spring": lambda joint: joint.redmax.joint.stiffness.__setitem__(0, 10.0),
    "damping": lambda joint: joint.redmax.joint.damping.__setitem__(0, 1.0),
    "a torque": lambda joint: setattr(joint.redmax.joint, "torque_1", 1.0),
    "a start velocity": lambda joint: joint.redmax.joint.velocity_angle.__setitem__(0, 1.0),
    "a lock": lambda joint: setattr(joint.redmax.joint, "motion_type", "locked"),
}


@pytest.mark.parametrize("need", NEEDS)
@pytest.mark.parametrize("name", ["C", "D"])
def test_a_joint_with_something_on_its_coordinate_never_closes_a_loop(four_bar, need, name):
    assert closers() == ["D"]
    NEEDS[need](four_bar[name])
    check()
    assert closers() == ["C" if name == "D" else "D"]
    if need != "a lock":
        simulates()


def test_hard_limits_in_a_loop_are_never_passed(four_bar):
    """The crank falls until the rocker, whose pin closed the loop before it had limits, meets its stop."""
    limit(four_bar["D"], -0.05, 0.05)
    bpy.context.scene.gravity, bpy.context.scene.frame_end = (5.0, 0.0, -8.0), 20
    simulates()
    found, angle = result(), course("D")
    assert np.abs(angle).max() == pytest.approx(0.05, abs=1e-9)
    assert np.abs(angle).max() <= 0.05 + 1e-9
    assert found.channels["loss"][-1] > 0.0  # what the impact took
    assert np.abs(found.channels["gap"]).max() < 1e-12


def test_a_spring_in_a_loop_stores_the_energy(four_bar):
    bpy.context.scene.redmax.accuracy = "HIGH"
    four_bar["D"].redmax.joint.stiffness[0] = 200.0
    bpy.context.scene.gravity, bpy.context.scene.frame_end = (5.0, 0.0, -8.0), 20
    simulates()
    energy = result().channels["energy"]
    assert np.ptp(result().channels["kinetic"]) > 1.0
    assert np.ptp(energy) < 1e-6 * np.ptp(result().channels["kinetic"])


def test_two_that_carry_the_same_body_may_both_have_limits(four_bar):
    for name in "CD":
        limit(four_bar[name], -0.2, 0.2)
    check()
    gone("closes a loop")
    simulates()
    assert np.abs(course("C")).max() <= 0.2 + 1e-9


def test_two_that_carry_the_same_body_cannot_both_have_start_velocities(four_bar):
    for name in "CD":
        four_bar[name].redmax.joint.velocity_angle[0] = 0.1
    problem = the_row("Joint 'D' closes a loop, so that its start velocity follows from those of the others")
    assert problem.hint == "take it away, or take that of 'C', which carries the same body"
    refused("closes a loop")
    four_bar["C"].redmax.joint.velocity_angle[0] = 0.0
    check()
    gone("closes a loop")
    simulates()


def test_the_order_of_a_tree_is_left_alone():
    swinging.build()
    bpy.data.objects["Elbow"].redmax.joint.stiffness[0] = 1.0
    made = extracted().scene
    assert [joint.name for joint in made.joints][1:] == ["Elbow", "Shoulder"]
    assert loop_choice.with_choice(made, {"Elbow": "Elbow", "Shoulder": "Shoulder"}) is made


# --- closing, undone -------------------------------------------------------------------------


def test_close_loop_is_one_undo_step(four_bar):
    def starts():
        return [bpy.data.objects[name].redmax.joint.coordinate_angle_1 for name in "ABCD"]

    four_bar["A"].redmax.joint.coordinate_angle_1 = 0.3
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Before")
    before = starts()
    assert bpy.ops.redmax.fix("EXEC_DEFAULT", True, fix="CLOSE_LOOP", element="D") == {"FINISHED"}
    after = starts()
    assert after != before
    bpy.ops.ed.undo()
    assert starts() == before
    bpy.ops.ed.redo()
    assert starts() == after
    assert not extracted().errors


def test_close_loop_keeps_within_hard_limits(four_bar):
    """B may not turn far, so the crank itself goes back most of the way."""
    four_bar["A"].redmax.joint.coordinate_angle_1 = 0.3
    limit(four_bar["B"], -0.02, 0.02)
    fix(the_row("Loop through 'D' does not close"), "CLOSE_LOOP")
    gone("does not close")
    assert abs(four_bar["B"].redmax.joint.coordinate_angle_1) <= 0.02 + 1e-6
    simulates()


# --- lengths of templates --------------------------------------------------------------------


def test_links_that_cannot_meet_are_refused_by_their_lengths():
    with pytest.raises(
        RuntimeError, match=r"Links of 5, 0.9, 0.7 and 1 cannot be closed to a loop.*shorten the one of 5"
    ):
        bpy.ops.redmax.add_four_bar(crank=5.0)
    with pytest.raises(RuntimeError, match=r"A rod of 0.1 is too short for a crank of 0.2.*at least 0.24"):
        bpy.ops.redmax.add_slider_crank(rod=0.1)
    assert not bpy.data.objects


@pytest.mark.parametrize("seed", range(30))
def test_a_crank_reaches_every_angle_of_its_range_and_none_beyond(seed):
    rng = np.random.default_rng(seed)
    crank, coupler, rocker, ground = rng.uniform(0.2, 2.0, 4)
    reach = planar.crank_range(crank, coupler, rocker, ground)
    angles = np.linspace(-math.pi, math.pi, 721)
    distance = np.sqrt(crank**2 + ground**2 - 2.0 * crank * ground * np.cos(angles))
    closes = (distance > abs(coupler - rocker)) & (distance < coupler + rocker)
    if reach is None:
        assert closes.mean() < 0.2
    elif reach.full:
        assert closes.all()
    else:
        inside = np.array([abs(reach.nearest(angle) - angle) < 1e-9 for angle in angles])
        assert closes[inside].all()
        kept = [reach.nearest(angle) for angle in angles]
        assert reach.low < min(kept)
        assert max(kept) < reach.high


def test_links_meet_where_both_reach():
    place = planar.meeting((0.0, 0.0), 3.0, (5.0, 0.0), 4.0)
    assert place == pytest.approx((1.8, 2.4))


def test_a_crank_that_cannot_turn_rocks_and_the_run_completes():
    four_bar_template.build(bpy.context, crank=1.0, coupler=0.3, rocker=0.7, ground=0.9, turns=2.0, duration=2.0)
    bpy.context.scene.frame_end = 49
    bpy.context.scene.redmax.accuracy = "DRAFT"
    simulates()
    assert moved("Four-Bar Rocker") == pytest.approx(0.0, abs=1e-6)  # its origin is its fixed pin
    assert moved("Four-Bar Coupler") > 0.2


def test_a_lift_without_a_motor_falls_onto_its_stop_and_stays_there():
    scissor_lift.build(bpy.context, with_motor=False)
    bpy.context.scene.frame_end = 30
    simulates()
    found = result()
    foot = course("Lift Foot Slider")
    stop = bpy.data.objects["Lift Foot Slider"].redmax.joint.lower_distance[0]
    assert foot.min() == pytest.approx(stop, abs=1e-9)
    assert np.abs(found.qdot[-1]).max() < 1e-6
