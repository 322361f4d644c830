# SPDX-License-Identifier: GPL-3.0-or-later
"""Custom joints, contacts of surfaces, rolling and motors as an artist makes them: number by number what the engine is
told by hand, simulated and baked as the engine moves it; saved, undone, copied, appended, overridden, renamed, lost."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from geared import extracted, select
from intents import post_and_arm, press
from swinging import box
from test_element_life import save_and_open
from test_intents import same_numbers
from test_surface_contacts import ball, slab

import redmax_blender
from redmax import compile as compiling
from redmax import fields, joints, simulate
from redmax.constraints import Rolling
from redmax.fields import Pose
from redmax.joints.motor import Motor
from redmax.spatial import quaternion
from redmax_blender import handlers
from redmax_blender.properties import joint as joint_properties
from redmax_blender.properties.scene import integrator_of

PRESETS = Path(redmax_blender.__file__).parent / "presets" / "redmax" / "formula"
FLOAT32 = 2e-6
TILT = 0.2
"""Of the sheet that a ball rolls on [rad]."""

NORMAL = np.array([math.sin(TILT), 0.0, math.cos(TILT)])

SPIN = 6.0
"""Of the ball joint in two charts [rad/s]: it passes the singularity of the first twice in a second."""

Q = math.sqrt(0.5)
ALONG_Y = (Q, -Q, 0.0, 0.0)
"""How a joint that Connect puts across a level arm is turned: its z along the world's y."""


def arm_beside(kind: str) -> Any:
    """A joint of a kind at the origin of a locked base, whose child stands half a metre beside it along x."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps = 1, 25, 24
    base, arm = box("Base", (0.0, 0.0, 0.0), (0.2, 0.2, 0.2)), box("Arm", (0.5, 0.0, 0.0), (0.4, 0.2, 0.2))
    base.redmax.body.root = "LOCKED"
    press("connect", arm, base, kind=kind, at="PARENT")
    (joint,) = (obj for obj in scene.objects if obj.redmax.is_joint)
    joint.name = "Joint"
    select(joint)
    return joint


def by_formula() -> Any:
    joint = arm_beside("custom")
    group = joint.redmax.joint.custom
    group.coordinates, group.constants = "angle: rad; slide: m", "length = 0.5"
    group.transform = "Rz(angle) * Tx(length + slide)"
    joint.redmax.joint.stiffness[1] = 4000.0
    return joint


def in_two_charts() -> Any:
    joint = arm_beside("custom")
    assert bpy.ops.redmax.apply_preset(filepath=str(PRESETS / "Ball_in_Two_Charts.py")) == {"FINISHED"}
    joint_properties.set_value(joint.redmax.joint, "qdot", joint_properties.dofs(joint.redmax.joint)[1], SPIN)
    return joint


def on_a_circle() -> Any:
    joint = arm_beside("point_contact")
    group = joint.redmax.joint.point_contact
    group.first, group.first_size[0] = "circle", 0.5
    return joint


def rolling() -> Any:
    """A ball on a sheet that falls off along x by 0.2 rad."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps = 1, 13, 24
    floor, sphere = slab(rotation=(0.0, TILT, 0.0)), ball(location=(0.0, 0.0, 0.6))
    joint = press("add_surface_contact", sphere, floor, rolling=True)
    floor.redmax.body.root = "LOCKED"
    joint.name = "Joint"
    return joint


def motorised() -> Any:
    joint = post_and_arm()
    press("add_motor", joint, angle=-1.0, response=0.1)
    joint.name = "Joint"
    return joint


def beside(cls: Any, **told: Any) -> Any:
    """The joint of `arm_beside` as the engine is told of it."""
    at_base, at_arm = Pose((0.0, 0.0, 0.0), ALONG_Y), Pose(told.pop("in_arm", (0.0, 0.0, 0.0)), ALONG_Y)
    return cls(name="Joint", parent="Base", child="Arm", frame_in_parent=at_base, frame_in_child=at_arm, **told)


OTHER_CHART = joints.custom.OtherChart(
    transform="euler_zxz(a, b, c)",
    from_pose="atan2(r13, -r23); atan2(sqrt(r13**2 + r23**2), r33); atan2(r31, r32)",
)
CENTRE = -math.sin(TILT) * 0.6
"""Where the ball touches the sheet, along its slope."""

INERTIA = 10.0 * (1.0 + 0.01) / 12.0 + 10.0 * 0.25
HOLD = 9.81 * math.sqrt(10.0 * INERTIA)
"""Of the arm about its hinge, and a bound of what gravity turns it with: docs/authoring.md, Motors."""

BY_HAND = {
    "custom": beside(
        joints.Custom,
        stiffness=(0.0, 4000.0),
        coordinates="angle: rad; slide: m",
        constants="length = 0.5",
        transform="Rz(angle) * Tx(length + slide)",
    ),
    "charts": beside(
        joints.Custom,
        in_arm=(-0.5, 0.0, 0.0),
        qdot=(0.0, SPIN, 0.0),
        coordinates="a: rad; b: rad; c: rad",
        transform="euler_xyz(a, b, c)",
        from_pose="atan2(-r23, r33); atan2(r13, sqrt(r11**2 + r12**2)); atan2(-r12, r11)",
        charts=(OTHER_CHART,),
    ),
    "point_contact": beside(joints.PointContact, first="circle", first_size=(0.5, 0.1, 0.1)),
    "rolling": joints.SurfaceContact(
        name="Joint",
        parent="Slab",
        child="Ball",
        frame_in_parent=Pose((0.0, 0.0, 0.05), (1.0, 0.0, 0.0, 0.0)),
        frame_in_child=Pose((0.0, 0.0, 0.0), (0.5, 0.5, 0.5, 0.5)),
        first="plane",
        first_size=(1.0, 1.0, 1.0),
        second="sphere",
        second_size=(0.2, 0.2, 0.2),
        first_point=(CENTRE, 0.0),
        second_point=(-math.pi / 2.0, -TILT),
        twist=-math.pi / 2.0,
        spin=True,
    ),
    "motor": joints.Revolute(
        name="Joint",
        parent="Post",
        child="Arm",
        frame_in_child=Pose((-0.5, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)),
        axis=(0.0, 1.0, 0.0),
        motor=Motor(
            control="speed",
            target_speed=(-1.0,),
            speed_gain=(max(INERTIA / 0.1, 10.0 * HOLD),),
            maximum=(2.0 * (HOLD + INERTIA / 0.1),),
        ),
    ),
}
"""By what is made, the joint that the engine is told of by hand."""

MAKERS: dict[str, Callable[[], Any]] = {
    "custom": by_formula,
    "charts": in_two_charts,
    "point_contact": on_a_circle,
    "rolling": rolling,
    "motor": motorised,
}
every = pytest.mark.parametrize("what", MAKERS)


def made(what: str) -> Any:
    joint = MAKERS[what]()
    bpy.context.view_layer.update()
    return joint


def the_joint() -> Any:
    """The engine's, out of the file as it is."""
    (found,) = (joint for joint in extracted().scene.joints if joint.parent is not None)
    return found


def change(joint: Any, what: str) -> None:
    """Something that an artist edits in the panel of the joint."""
    settings = joint.redmax.joint
    match what:
        case "custom" | "charts":
            settings.custom.constants = "length = 0.25"
        case "point_contact":
            settings.point_contact.first_size[0] = 0.25
        case "rolling":
            settings.surface_contact.twist = 0.5
        case "motor":
            settings.motor_maximum[0] = 12.5


@every
def test_what_is_made_moves_and_bakes_as_the_engine_told_by_hand(what):
    made(what)
    scene = bpy.context.scene
    extraction = extracted()
    assert not extraction.findings
    same_numbers(the_joint(), spread(BY_HAND[what]))
    others = [joint for joint in extraction.scene.joints if joint.parent is None]
    told = dataclasses.replace(extraction.scene, joints=[*others, BY_HAND[what]])
    if what == "rolling":
        assert told.constraints == [Rolling(name="Rolling", joint="Joint")]
    model = compiling.compile(told)
    duration = (extraction.frame_end - extraction.frame_start) / extraction.fps
    integrator, charts = integrator_of(scene), set()

    def watched() -> Iterator[simulate.Sample]:
        for sample in simulate.simulate(model, integrator=integrator, fps=extraction.fps, duration=duration):
            charts.update(sample.state.chart)
            yield sample

    wanted = simulate.record(model, watched(), integrator=integrator, fps=extraction.fps)
    assert wanted.status == "complete"
    assert len(charts) == (2 if what == "charts" else 1), "it passes the singularity of its first chart"
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    scene.redmax.bake.keys = "EVERY"
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    bpy.ops.redmax.clear_result()
    moved = 0.0
    for frame in range(scene.frame_start, scene.frame_end + 1, 4):
        scene.frame_set(frame)
        for body in wanted.body_names:
            M, index = np.array(bpy.data.objects[body].matrix_world), wanted.body(body)
            np.testing.assert_allclose(M[:3, 3], wanted.position[frame - 1, index], atol=FLOAT32)
            size = np.linalg.norm(M[:3, :3], axis=0)
            R = quaternion.to_matrix(wanted.rotation[frame - 1, index])
            np.testing.assert_allclose(M[:3, :3] / size, R, atol=FLOAT32)
            moved += np.abs(wanted.position[frame - 1, index] - wanted.position[0, index]).max()
            if body == "Ball":
                start, here = rolled(0.0), rolled((frame - 1) / 24.0)
                np.testing.assert_allclose(M[:3, 3], here, atol=1e-5 + 0.01 * np.linalg.norm(here - start))
    assert moved > 0.05
    bpy.ops.redmax.remove_bake()
    assert not [action for action in bpy.data.actions if action.get("redmax_bake")]


def spread(joint: Any) -> Any:
    """A joint with a number for each of its coordinates where one was said for all of them."""
    count = len(joint.dof_units)
    found = {}
    for name, spec in fields.specs(type(joint)).items():
        value = getattr(joint, name)
        if spec.sort == "per_dof" and not isinstance(value, tuple):
            found[name] = (value,) * count
    return dataclasses.replace(joint, **found)


def rolled(t: float) -> Any:
    """Where the centre of a solid ball is that rolls down the sheet: its acceleration is 5/7 g sin. The mesh is a
    polyhedron within that ball, whose inertia is smaller by a hundredth."""
    start = np.array([0.0, 0.0, 0.6]) - (math.cos(TILT) * 0.6 - 0.25) * NORMAL
    return start + 0.5 * (5.0 / 7.0) * 9.81 * math.sin(TILT) * t * t * np.array([math.cos(TILT), 0.0, -math.sin(TILT)])


@every
def test_saving_and_opening_keeps_everything(tmp_path, what):
    made(what)
    before, joint = extracted().digest, the_joint()
    save_and_open(tmp_path / "file.blend")
    assert extracted().digest == before
    assert the_joint() == joint


@every
def test_undo_takes_an_edit_back_and_redo_repeats_it(what):
    made(what)
    bpy.ops.ed.undo_push(message="made")
    before = the_joint()
    change(bpy.data.objects["Joint"], what)
    bpy.ops.ed.undo_push(message="changed")
    after = the_joint()
    assert after != before
    bpy.ops.ed.undo()
    assert the_joint() == before
    bpy.ops.ed.redo()
    assert the_joint() == after


@every
def test_a_duplicate_is_a_mechanism_of_its_own(what):
    made(what)
    before = the_joint()
    select(*bpy.context.scene.objects)
    bpy.ops.object.duplicate()
    change(bpy.data.objects["Joint.001"], what)
    found = {joint.name: joint for joint in extracted().scene.joints if joint.parent is not None}
    assert found["Joint"] == before
    copy = found["Joint.001"]
    assert (copy.parent, copy.child) == (f"{before.parent}.001", f"{before.child}.001")
    assert dataclasses.replace(copy, name="Joint", parent=before.parent, child=before.child) != before
    if what == "rolling":
        assert {each.joint for each in extracted().scene.constraints} == {"Joint", "Joint.001"}
    assert not [finding for finding in extracted().findings if finding.severity == "ERROR"]


@every
def test_appended_it_brings_its_bodies(tmp_path, what):
    made(what)
    before = the_joint()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=False) as (_, here):
        here.objects = ["Joint"]
    for obj in bpy.data.objects:
        bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.update()
    same_numbers(the_joint(), before)
    assert not extracted().errors


@every
def test_linked_and_overridden_it_can_be_edited_and_that_survives(tmp_path, what):
    made(what)
    before = the_joint()
    collection = bpy.data.collections.new("All")
    bpy.context.scene.collection.children.link(collection)
    for obj in bpy.context.scene.collection.objects:
        collection.objects.link(obj)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, here):
        here.collections = ["All"]
    bpy.context.scene.collection.children.link(here.collections[0])
    here.collections[0].override_hierarchy_create(bpy.context.scene, bpy.context.view_layer, do_fully_editable=True)
    bpy.context.scene.collection.children.unlink(here.collections[0])
    bpy.context.view_layer.update()
    assert the_joint() == before
    change(bpy.data.objects[("Joint", None)], what)
    changed = the_joint()
    assert changed != before
    for _ in range(2):
        save_and_open(tmp_path / "user.blend")
        assert the_joint() == changed
    assert not extracted().errors


@every
def test_renaming_its_child_changes_nothing_and_losing_it_is_named(what):
    joint = made(what)
    before, child = the_joint(), joint.redmax.joint.child
    child.name = "Ärmel 'x'"
    handlers.renamed()
    assert the_joint() == dataclasses.replace(before, child="Ärmel 'x'")
    bpy.data.objects.remove(child)
    bpy.context.view_layer.update()
    found = extracted()
    (lost,) = [finding for finding in found.findings if finding.element == "Joint"]
    assert lost.text == "Joint 'Joint' has lost its child, 'Ärmel 'x''"
    assert lost.fixes
    assert not found.scene.constraints, "nothing rolls any more"
    with pytest.raises(RuntimeError):
        bpy.ops.redmax.simulate()


@every
def test_deleting_the_joint_leaves_its_bodies_and_says_what_is_lost(what):
    made(what)
    select(bpy.data.objects["Joint"])
    bpy.ops.object.delete()
    found = extracted()
    assert all(joint.parent is None for joint in found.scene.joints)
    lost = [finding for finding in found.findings if finding.severity == "ERROR"]
    assert [("'Joint'" in each.text, bool(each.fixes)) for each in lost] == [(True, True)] * (what == "rolling")
