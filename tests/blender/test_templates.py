# SPDX-License-Identifier: GPL-3.0-or-later
"""Add > Mechanism: every template is sound, simulates, and means the same in every scene."""

from __future__ import annotations

import inspect
import math

import bpy
import numpy as np
import pytest

from redmax.geometry.mesh import Mesh
from redmax.geometry.mesh_check import diagnose
from redmax.spatial import pose
from redmax_blender import compat
from redmax_blender.bridge.extract import extraction as extract
from redmax_blender.bridge.run import simulation
from redmax_blender.properties.scene import integrator_of
from redmax_blender.templates import TEMPLATES, outlines, shells

BY_NAME = {template.NAME: template for template in TEMPLATES}
every_template = pytest.mark.parametrize("name", BY_NAME)

EXTREMES = {
    "pendulum": [{"length": 0.01, "bob_radius": 0.5}, {"length": 80.0, "bob_radius": 0.2, "angle": -3.0}],
    "double_pendulum": [
        {"length_1": 0.05, "length_2": 2.0},
        {"length_1": 2.0, "length_2": 0.05, "bob_radius": 1.0, "angle_1": math.pi, "angle_2": 0.0},
    ],
    "chain": [
        {"count": 1},
        {"count": 1, "kind": "HINGE"},
        {"count": 2, "kind": "HINGE", "with_weight": False},
        {"count": 2, "kind": "HINGE", "weight_radius": 0.001},
        {"count": 3, "pitch": 4.0, "weight_radius": 0.01},
    ],
    "crane": [
        {"height": 0.8, "boom_length": 0.5, "rope_length": 0.2, "load_size": 0.1, "rope_links": 1},
        {"height": 60.0, "boom_length": 50.0, "boom_angle": 0.0, "rope_links": 3, "luffing": False},
        {"height": 20.0, "boom_length": 4.0, "boom_angle": 1.4, "slew": -6.0, "duration": 0.1, "rope_links": 2},
    ],
    "four_bar": [
        {"crank": 0.02, "coupler": 0.9, "rocker": 0.7, "ground": 1.0},
        {"crank": 1.0, "coupler": 0.3, "rocker": 0.7, "ground": 0.9, "turns": 2.0},  # it can only rock
        {"crank": 0.5, "coupler": 0.5, "rocker": 0.5, "ground": 0.4, "angle": -2.0},
        {"crank": 30.0, "coupler": 90.0, "rocker": 70.0, "ground": 100.0, "turns": -3.0, "angle": 4.0},
        {"with_motor": False, "material": "STEEL"},
    ],
    "slider_crank": [
        {"crank": 0.02, "rod": 0.7},
        {"crank": 0.5, "rod": 0.6, "bore": 0.05},
        {"crank": 0.1, "rod": 0.5, "bore": 5.0, "angle": -2.0},
        {"crank": 20.0, "rod": 70.0, "bore": 20.0, "with_motor": False},
    ],
    "scissor_lift": [
        {"stages": 1, "angle": 1.2, "raised": 0.2},
        {"stages": 10, "breadth": 3.0},
        {"arm": 0.05, "breadth": 0.01, "with_motor": False},
        {"arm": 60.0, "breadth": 20.0, "stages": 2},
    ],
    "robot_arm": [{"axes": 4}, {"axes": 5, "with_gripper": False}, {"size": 0.05}, {"axes": 4, "size": 20.0}],
    "coaster": [{"carts": 1, "height": 0.2, "bank": 0.0}, {"height": 60.0, "carts": 2, "speed": 1.0}],
    "cable_car": [
        {"span": 0.5, "height": 0.4, "rise": 0.0, "sag": 0.2},
        {"span": 200.0, "height": 3.0, "rise": 0.6, "sag": 0.0},
    ],
    "bowl": [
        {"radius": 0.02, "depth": 0.0},
        {"radius": 40.0, "depth": 1.0, "start": 0.8, "speed": 1.0},
        {"start": 0.0},
    ],
    "peaucellier": [
        {"crank": 0.02, "arm": 0.06, "side": 0.027, "swing": 0.2},
        {"crank": 34.0, "arm": 100.0, "side": 45.0, "with_motor": False},
    ],
    "desk_lamp": [
        {"arm": 0.02, "lean": 2.0, "dip": 0.5, "push": -3.0},
        {"arm": 20.0, "with_springs": False},
    ],
    "suspension": [
        {"arm": 0.02, "bump": 0.006, "ride": 4.0, "damper": 1.0, "material": "STEEL"},
        {"arm": 5.0, "bump": 0.0, "ride": 0.5, "damper": 0.0, "bump_time": 2.0},
    ],
    "excavator": [
        {"boom": 0.05, "reach": 0.0, "slew": -6.0},
        {"boom": 40.0, "reach": 1.0, "cycles": 3, "duration": 0.5},
    ],
    "drawbridge": [
        {"deck": 0.1, "opening": math.radians(80.0), "weight": 0.0},
        {"deck": 60.0, "opening": 0.0, "weight": 1.0, "material": "STEEL"},
    ],
    "muscle_finger": [
        {"size": 0.02, "curl": 1.0, "strength": 3.0, "duration": 0.5},
        {"size": 5.0, "curl": 0.0, "strength": 0.0, "material": "STEEL"},
    ],
    "marionette": [
        {"height": 0.05, "tilt": 0.6, "bob": 1.0, "steps": 1, "duration": 0.5},
        {"height": 6.0, "tilt": 0.0, "bob": 0.0, "steps": 0, "material": "STEEL"},
    ],
    "driven_lift": [
        {"stages": 1, "angle": 1.2, "raised": 0.2},
        {"stages": 30, "breadth": 3.0, "raised": 1.2},
        {"angle": 0.5, "raised": 0.5, "arm": 0.05},
    ],
    "jansen_leg": [{"crank": 0.01, "turns": -2.0}, {"crank": 10.0, "angle": 2.0, "with_motor": False}, {"angle": 4.0}],
    "gear_train": [
        {"stages": 1, "wheel_teeth": 12, "pinion_teeth": 12},
        {"stages": 8, "wheel_teeth": 60, "pinion_teeth": 8, "module": 1e-3},
        {"stages": 2, "wheel_teeth": 10, "pinion_teeth": 30, "module": 0.5, "with_motor": False},
    ],
    "dominoes": [{"count": 2, "height": 0.01, "spacing": 0.0}, {"count": 2, "height": 30.0}],
    "cradle": [{"count": 2, "raised": 9}, {"radius": 0.3, "length": 0.001, "angle": 0.0, "bounce": 0.0}],
    "wrecking_ball": [{"rows": 1, "columns": 1, "brick": 0.02}],
    "dice": [{"count": 1, "size": 0.005}, {"count": 2, "size": 5.0, "seed": 7}],
    "wheel": [{"radius": 0.01, "spin": 0.0}, {"spin": -3.0, "speed": 1.0, "friction": 0.0}],
    "gripper": [{"size": 0.01, "grip": 0.0}, {"size": 5.0, "friction": 0.0, "material": "LEAD"}],
    "tipping_crane": [{"reach": 0.2, "stance": 0.0, "load": 0.0}, {"reach": 60.0, "stance": 0.8, "material": "LEAD"}],
    "jack": [
        {"height": 0.02, "lead": math.radians(1.0), "turns": -2.0},
        {"height": 5.0, "lead": math.radians(30.0), "friction": 0.0, "load": 0.5},
    ],
    "clutch": [{"radius": 0.01, "speed": -4.0}, {"radius": 4.0, "speed": 0.0, "friction": 0.0}],
    "belt_drive": [
        {"radius": 0.01, "ratio": 0.0, "distance": 0.0, "lugs": 1},
        {"radius": 4.0, "ratio": 1.0, "distance": 9.0, "speed": -3.0, "lugs": 6},
    ],
    "marble_run": [{"height": 0.05, "count": 1}, {"height": 20.0, "count": 12, "bounce": 0.0, "drag": 1.0}],
    "jansen_walker": [{"crank": 0.01, "turns": -0.5}, {"crank": 5.0, "angle": 2.0, "with_motor": False}],
    "torus_chain": [
        {"count": 1},
        {"count": 3, "ring": 0.005, "thickness": 0.0},
        {"count": 2, "ring": 8.0, "thickness": 0.3, "angle": -1.0},
    ],
    "windmill": [{"arms": 1, "radius": 0.01, "speed": -20.0}, {"arms": 3, "radius": 4.0, "material": "STEEL"}],
    "knee": [{"length": 0.02, "angle": -1.5}, {"length": 30.0, "damping": 0.0}],
    "cam": [{"lobes": 3, "lift": 0.3}, {"radius": 0.02, "lift": 0.0}, {"radius": 10.0, "lobes": 2, "turns": -1.0}],
}
LOOSE = {
    "dominoes": 40, "wrecking_ball": 30, "dice": 5, "wheel": 1, "jansen_walker": 1, "gripper": 1, "tipping_crane": 1,
}  # fmt: skip
"""Bodies that nothing holds of templates that have some; each is a mechanism of its own."""

ELSEWHERE = ("jansen_walker", "gripper", "tipping_crane", "clutch", "marble_run", "jack")
"""Mechanisms that touch, which take minutes without compiled code, and joints that rub, which need it:
tests/engine/contact simulates them."""

APART = ("jansen_walker", "tipping_crane")
"""Templates whose base is no part of what moves on it by its joints."""

LOOPS = {
    "four_bar": (1, 3),
    "slider_crank": (1, 3),
    "scissor_lift": (4, 12),
    "cam": (1, 3),
    "peaucellier": (3, 9),
    "jansen_leg": (3, 9),
    "jansen_walker": (12, 36),
    "desk_lamp": (2, 6),
    "suspension": (3, 0),
    "excavator": (4, 12),
}
"""Loop joints, and how often too often they are held, of templates with closed loops."""

SMALL = {"dominoes": {"count": 3}, "wrecking_ball": {"rows": 2, "columns": 1}, "dice": {"count": 1}}
"""Templates in which many things touch, made small enough to be simulated without compiled code."""

LONG = pytest.mark.slow  # without compiled code, which these environments lack, things that touch take minutes

CASES = [
    pytest.param(name, options, marks=(LONG,) if name in SMALL and options in EXTREMES[name] else ())
    for name in BY_NAME
    for options in (SMALL.get(name, {}), *EXTREMES[name])
]


def extraction():
    scene = bpy.context.scene
    return extract.extract(scene, bpy.context.view_layer)


def simulated(frames):
    scene = bpy.context.scene
    scene.frame_end = scene.frame_start + frames
    scene.redmax.accuracy = "DRAFT"
    return simulation.run(extraction(), integrator_of(scene))


def diagnosis(data):
    """What the engine says about a Blender mesh."""
    points = np.empty(3 * len(data.vertices), np.float32)
    corners, starts = np.empty(len(data.loops), np.int32), np.empty(len(data.polygons), np.int32)
    data.vertices.foreach_get("co", points)
    data.loops.foreach_get("vertex_index", corners)
    data.polygons.foreach_get("loop_start", starts)
    return diagnose(Mesh.from_loops(points.reshape(-1, 3), corners, starts))


def pose_of(result, name, sample):
    """Pose (4, 4) of a body at a sample of a trajectory."""
    body = result.body_names.index(name)
    return pose.from_quaternion(result.position[sample, body], result.rotation[sample, body])


def bodies():
    return [obj for obj in bpy.context.scene.objects if obj.redmax.is_body]


# --- soundness -------------------------------------------------------------------------------


@every_template
def test_every_mesh_is_a_closed_solid_without_remarks(name):
    BY_NAME[name].build(bpy.context)
    for data in {obj.data for obj in bodies()}:
        report = diagnosis(data)
        assert report.is_solid, f"{data.name}: {report.text()}"
        assert not report.notes, f"{data.name}: {report.text()}"


@pytest.mark.parametrize(("name", "options"), CASES)
def test_check_finds_nothing_and_ten_frames_simulate(name, options):
    BY_NAME[name].build(bpy.context, **options)
    scene = bpy.context.scene
    frames = 4 if name in LOOSE else 10
    scene.frame_end = scene.frame_start + frames
    scene.redmax.accuracy = "DRAFT"
    found = extraction()
    loops, redundant = LOOPS.get(name, (0, 0))
    if name == "scissor_lift" and "stages" in options:
        loops, redundant = options["stages"] + 1, 3 * (options["stages"] + 1)
    assert found.findings == ()
    held = [mechanism for mechanism in found.mechanisms if mechanism.joints or mechanism.dofs != 6]
    apart = [(0, 0)] if name in APART else []
    assert [(mechanism.loops, mechanism.redundant) for mechanism in held] == [*apart, (loops, redundant)]
    if name in ELSEWHERE:
        return
    result = simulation.run(found, integrator_of(scene))
    assert result.status == "complete"
    assert len(result.t) == frames + 1
    assert np.isfinite(result.q).all()
    assert np.isfinite(result.position).all()


@every_template
def test_the_check_operator_is_green(name):
    getattr(bpy.ops.redmax, f"add_{name}")()
    bpy.ops.redmax.check()
    assert [problem.text for problem in bpy.context.window_manager.redmax.problems] == []


@pytest.mark.parametrize("others", ["as they are", pytest.param("opposite", marks=pytest.mark.slow)])
@every_template
def test_whatever_numbers_are_given_it_is_added_or_refused_with_a_reason(name, others):
    """Each number as large or small as a file can hold it, alone or with the others at the opposite end."""
    add, huge = getattr(bpy.ops.redmax, f"add_{name}"), float(np.finfo(np.float32).max)
    floats = [each for each in BY_NAME[name].PARAMETERS if add.get_rna_type().properties[each].type == "FLOAT"]
    given = [{each: sign * huge} for each in floats for sign in (1, -1)]
    if others == "opposite":
        given = [{other: huge if other == each else -huge for other in floats} for each in floats]
    for options in given:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        try:
            add(**options)
        except RuntimeError as error:
            said = str(error)
            assert "; " in said, options  # what is wrong, and what to do
            assert "does not know" not in said, options
            continue
        for obj in bpy.context.scene.objects:
            assert np.isfinite(np.array(obj.matrix_world)).all(), (options, obj.name)
            if obj.type == "MESH":
                assert np.isfinite(np.array(obj.bound_box)).all(), (options, obj.name)
        state = bpy.context.window_manager.redmax
        assert state.checked, options  # Add looks at what it has added
        assert not [row.text for row in state.problems if "finite" in row.text], options


@every_template
def test_the_smallest_unit_of_blender_has_room_for_the_defaults(name):
    bpy.context.scene.unit_settings.scale_length = 1e-9
    assert bpy.context.scene.unit_settings.scale_length == pytest.approx(1e-9)
    add = getattr(bpy.ops.redmax, f"add_{name}")
    properties = add.get_rna_type().properties
    assert add() == {"FINISHED"}
    lengths = [each for each in BY_NAME[name].PARAMETERS if properties[each].unit == "LENGTH"]
    assert all(properties[each].default / 1e-9 <= properties[each].hard_max for each in lengths)


@pytest.mark.parametrize("kind", ["BALL", "HINGE"])
def test_a_chain_of_a_hundred_links_is_sound_and_shares_its_meshes(kind):
    BY_NAME["chain"].build(bpy.context, count=100, kind=kind)
    assert [str(finding) for finding in extraction().findings] == []
    assert len(bodies()) == 102
    assert len({obj.data for obj in bodies()}) == 4
    assert bpy.data.objects["Chain Link 100"].redmax.is_body


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["BALL", "HINGE"])
def test_a_chain_of_a_hundred_links_simulates(kind):
    BY_NAME["chain"].build(bpy.context, count=100, kind=kind)
    assert simulated(10).status == "complete"


# --- what is built ---------------------------------------------------------------------------


@every_template
def test_the_base_is_locked_and_active_and_everything_is_in_a_collection_of_its_own(name):
    before = set(bpy.data.objects)
    getattr(bpy.ops.redmax, f"add_{name}")()
    home = bpy.data.collections[BY_NAME[name].LABEL]
    new = set(bpy.data.objects) - before
    assert set(home.objects) == new
    base = bpy.context.object
    assert base.redmax.body.root == "LOCKED"
    carried = {obj.redmax.joint.child for obj in new if obj.redmax.is_joint}
    all_bodies = {obj for obj in new if obj.redmax.is_body}
    assert len(all_bodies - carried - {base}) == LOOSE.get(name, 0)
    assert set(bpy.context.selected_objects) == all_bodies


@every_template
def test_joints_follow_their_parents_and_keep_the_names_artists_read(name):
    objects = BY_NAME[name].build(bpy.context)
    for obj in objects:
        if obj.redmax.is_joint:
            joint = obj.redmax.joint
            assert obj.parent == joint.parent
            assert obj.name.startswith(joint.child.name)
            assert obj.empty_display_size > 0.0


@every_template
def test_a_template_stands_at_the_cursor_wherever_that_is(name):
    BY_NAME[name].build(bpy.context)
    here = {body.name: body.E_wb for body in extraction().bodies}
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.context.scene.cursor.location = (3.0, -4.0, 5.0)
    BY_NAME[name].build(bpy.context)
    for body in extraction().bodies:
        moved = here[body.name].copy()
        moved[:3, 3] += (3.0, -4.0, 5.0)
        assert np.allclose(body.E_wb, moved, atol=2e-6)  # locations are single precision


@every_template
def test_a_scene_in_centimetres_gets_the_same_mechanism(name):
    operator = getattr(bpy.ops.redmax, f"add_{name}")
    operator()
    metres = extraction()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.context.scene.unit_settings.scale_length = 0.01
    operator()
    for body, same in zip(extraction().bodies, metres.bodies, strict=True):
        assert body.mass == pytest.approx(same.mass, rel=1e-4)
        assert np.allclose(body.E_wb, same.E_wb, atol=1e-4)


@every_template
def test_adding_is_one_undo_step(name):
    bpy.ops.ed.undo_push(message="before")
    getattr(bpy.ops.redmax, f"add_{name}")("EXEC_DEFAULT", True)
    assert bodies()
    bpy.ops.ed.undo()
    assert len(bpy.context.scene.objects) == 0
    assert len(bpy.context.scene.collection.children) == 0


@every_template
def test_adding_twice_gives_two_mechanisms(name):
    operator = getattr(bpy.ops.redmax, f"add_{name}")
    operator()
    bpy.context.scene.cursor.location.x += 30.0
    operator()
    found = extraction()
    assert found.errors == ()
    assert len(found.mechanisms) == 2 * (1 + LOOSE.get(name, 0))


@every_template
def test_operator_and_function_have_the_same_defaults(name):
    template = BY_NAME[name]
    operator = getattr(bpy.ops.redmax, f"add_{name}").get_rna_type().properties
    arguments = inspect.signature(template.build).parameters
    assert set(template.PARAMETERS) == set(arguments) - {"context"}
    for parameter in template.PARAMETERS:
        default = arguments[parameter].default
        expected = pytest.approx(default, rel=1e-6) if isinstance(default, float) else default
        assert operator[parameter].default == expected


@every_template
def test_tooltips_are_sentences_without_a_final_period(name):
    template = BY_NAME[name]
    operator = getattr(bpy.ops.redmax, f"add_{name}").get_rna_type()
    texts = [template.DESCRIPTION, *(operator.properties[parameter].description for parameter in template.PARAMETERS)]
    for text in texts:
        assert text[0].isupper()
        assert not text.endswith(".")


def test_a_paint_the_artist_changed_is_used_as_it_is():
    BY_NAME["pendulum"].build(bpy.context)
    bpy.data.materials["RedMax Brass"].diffuse_color = (0.0, 1.0, 0.0, 1.0)
    BY_NAME["pendulum"].build(bpy.context)
    assert len([material for material in bpy.data.materials if material.name.startswith("RedMax Brass")]) == 1
    assert tuple(bpy.data.materials["RedMax Brass"].diffuse_color) == (0.0, 1.0, 0.0, 1.0)


# --- keys ------------------------------------------------------------------------------------


def coordinate_curves(obj):
    return [curve for curve in compat.fcurves_of(obj) if curve.data_path.startswith("redmax.joint.coordinate_")]


def animated():
    joints = [obj for obj in bpy.context.scene.objects if obj.redmax.is_joint]
    return [obj for obj in joints if obj.redmax.joint.motion_type == "animated"]


@pytest.mark.parametrize(
    ("name", "options", "count"),
    [
        ("crane", {}, 2),
        ("crane", {"luffing": False}, 1),
        ("four_bar", {}, 1),
        ("slider_crank", {}, 1),
        ("scissor_lift", {}, 1),
        ("cable_car", {}, 1),
        ("cam", {}, 1),
        ("suspension", {}, 1),
        ("excavator", {}, 4),
        ("drawbridge", {}, 1),
        ("marionette", {}, 2),
        ("gripper", {}, 2),
        ("tipping_crane", {}, 1),
        ("robot_arm", {}, 8),
        ("robot_arm", {"axes": 5}, 7),
        ("robot_arm", {"axes": 4, "with_gripper": False}, 4),
    ],
)
def test_animated_joints_have_smooth_keys_that_start_as_modelled_and_at_rest(name, options, count):
    scene = bpy.context.scene
    scene.frame_start = 11
    BY_NAME[name].build(bpy.context, **options)
    assert len(animated()) == count
    for obj in animated():
        (curve,) = coordinate_curves(obj)
        assert tuple(curve.keyframe_points[0].co) == (11.0, 0.0)
        assert {point.interpolation for point in curve.keyframe_points} == {"BEZIER"}
        largest = max(abs(point.co[1]) for point in curve.keyframe_points)
        assert largest > 0.0
        assert abs(curve.evaluate(11.1)) < 1e-3 * largest


def test_the_crane_slews_by_its_angle_in_its_time_and_a_positive_luff_raises_the_boom():
    scene = bpy.context.scene
    scene.render.fps = 30
    BY_NAME["crane"].build(bpy.context, slew=1.0, luff=0.2, duration=0.4, rope_links=1)
    slewing = bpy.data.objects["Crane Turntable Hinge"]
    assert tuple(coordinate_curves(slewing)[0].keyframe_points[-1].co) == pytest.approx((13.0, 1.0))
    found = simulated(12)
    start, end = (pose_of(found, "Crane Boom", sample) for sample in (0, -1))
    # x of the boom's frame points along it.
    assert start[2, 0] == pytest.approx(math.sin(math.radians(35.0)), abs=1e-5)
    assert end[2, 0] == pytest.approx(math.sin(math.radians(35.0) + 0.2), abs=1e-5)
    assert math.atan2(end[1, 0], end[0, 0]) == pytest.approx(1.0, abs=1e-5)


def test_the_robots_fingers_close_on_each_other():
    BY_NAME["robot_arm"].build(bpy.context, duration=1.0)
    found = simulated(8)  # at a third of a second the gripper is closed
    gap = [
        np.linalg.norm(pose_of(found, "Robot Finger Left", k)[:3, 3] - pose_of(found, "Robot Finger Right", k)[:3, 3])
        for k in (0, -1)
    ]
    assert gap[0] == pytest.approx(2 * 0.052, abs=1e-5)
    assert gap[1] == pytest.approx(2 * (0.052 - 0.018), abs=1e-5)


# --- shapes ----------------------------------------------------------------------------------


def volume(shell):
    report = diagnose(Mesh.from_faces(shell.vertices, shell.faces))
    assert report.is_solid, report.text()
    return sum(part.volume for part in report.shells)


def polygon_area(outline):
    x, y = outline.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def test_a_prism_has_the_volume_of_its_outline_times_its_height():
    outline = outlines.link(2.0, 0.5, 0.2)
    assert volume(shells.prism(outline, -1.0, 2.0)) == pytest.approx(3.0 * polygon_area(outline))


def test_a_bore_takes_away_its_cylinder_and_a_boss_adds_one():
    outline = outlines.rounded_rectangle(4.0, 3.0, 0.5)
    bevel = 1e-9
    disc = polygon_area(outlines.circle(1.0))
    plain = volume(shells.plate(outline, 0.0, 1.0, bevel, [shells.Boss((0.0, 0.0), 0.0, 0.0, 0.0, 0.5)]))
    assert plain == pytest.approx(polygon_area(outline) - 0.25 * disc, rel=1e-6)
    raised = volume(shells.plate(outline, 0.0, 1.0, bevel, [shells.Boss((0.3, 0.0), 1.0, 0.5, 0.25, 0.5)]))
    assert raised == pytest.approx(polygon_area(outline) + 0.75 * disc - 1.75 * 0.25 * disc, rel=1e-6)


def test_a_ring_of_wire_has_the_volume_of_a_torus():
    path = np.column_stack([outlines.circle(2.0, points=400), np.zeros(400)])
    assert volume(shells.wire(path, 0.3, 100, closed=True)) == pytest.approx(2 * math.pi**2 * 2.0 * 0.09, rel=2e-3)


def test_an_inset_outline_keeps_its_distance():
    outline = outlines.rounded_rectangle(4.0, 3.0, 0.8, 9)
    small = outlines.inset(outline, 0.25)
    assert np.allclose(small.max(axis=0), (1.75, 1.25))
    assert polygon_area(small) == pytest.approx(polygon_area(outlines.rounded_rectangle(3.5, 2.5, 0.55, 9)), rel=1e-3)
