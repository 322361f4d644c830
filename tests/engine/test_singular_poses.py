# SPDX-License-Identifier: GPL-3.0-or-later
"""A linkage that passed a pose from which it can go on in more than one way says so; no other one does."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine import singular_sweep
from engine.mechanisms import (
    Builder,
    bennett,
    four_bar,
    jansen_leg,
    parallelogram,
    peaucellier,
    sarrus,
    scene_pose,
    scissor_lift,
    slider_crank,
)
from redmax.compile import compile as compile_scene
from redmax.fields import Pose
from redmax.integrators.automatic import Automatic
from redmax.simulate import record, simulate
from redmax.spatial import pose, quaternion, so3

EVERY_SIZE = [(1.0, 1.0), (1e-3, 1e-3), (1e3, 1e3), (1.0, 1e-4)]
"""Factors of lengths and of masses."""


@pytest.fixture(params=["numba", "numpy"])
def route(request, monkeypatch):
    if request.param == "numpy":
        monkeypatch.setattr("redmax.fast.constrained_tree", lambda _model: None)
        monkeypatch.setattr("redmax.fast.new_tree", lambda _model: None)
    return request.param


def run(scene, duration, *, accuracy="draft", fps=24.0):
    model, integrator = compile_scene(scene), Automatic(accuracy=accuracy)
    samples = simulate(model, integrator=integrator, fps=fps, duration=duration)
    return record(model, samples, integrator=integrator, fps=fps)


def remarks(found):
    return [remark for remark in found.meta.get("remarks", ()) if remark["code"] == "singular_pose"]


def pushed(scene, speed):
    """The scene with another velocity of its first joint."""
    return dataclasses.replace(scene, joints=[dataclasses.replace(scene.joints[0], qdot=speed), *scene.joints[1:]])


def scaled(scene, length, mass):
    """The same motion in time, of a mechanism that is longer and heavier by these factors."""

    def moved(frame):
        return Pose(tuple(length * x for x in frame.position), frame.rotation)

    def grown(inertia):
        tensor = tuple(tuple(mass * length**2 * x for x in row) for row in inertia.tensor)
        return dataclasses.replace(inertia, mass=mass * inertia.mass, tensor=tensor)

    return dataclasses.replace(
        scene,
        gravity=tuple(length * g for g in scene.gravity),
        bodies=[dataclasses.replace(body, inertia=grown(body.inertia)) for body in scene.bodies],
        joints=[
            dataclasses.replace(
                joint, frame_in_parent=moved(joint.frame_in_parent), frame_in_child=moved(joint.frame_in_child)
            )
            for joint in scene.joints
        ],
    )


def legs(count):
    """A parallelogram on three or more legs: all but two say nothing new, but where it lies flat."""
    b = Builder(f"{count} legs")
    arm = 0.5 * np.array([np.cos(0.8), 0.0, np.sin(0.8)])
    feet = [np.array([x, 0.0, 0.0]) for x in np.linspace(0.0, 1.0, count)]
    for k, foot in enumerate(feet):
        b.bar(f"leg {k}", foot, foot + arm)
        b.hinge(f"foot {k}", None, f"leg {k}", foot)
    b.bar("beam", feet[0] + arm, feet[-1] + arm)
    for k, foot in enumerate(feet):
        b.hinge(f"head {k}", f"leg {k}", "beam", foot + arm)
    return b.scene


def doubled_pins():
    """A parallelogram with every pin twice, side by side."""
    scene = parallelogram()
    again = [
        dataclasses.replace(
            joint,
            name=f"{joint.name} again",
            **{
                name: Pose((x, y + 0.1, z), frame.rotation)
                for name in ("frame_in_parent", "frame_in_child")
                for frame in (getattr(joint, name),)
                for x, y, z in (frame.position,)
            },
        )
        for joint in scene.joints
    ]
    return dataclasses.replace(scene, joints=[*scene.joints, *again])


def anywhere(scene, origin, turn):
    """The scene somewhere else in the world, turned by a rotation vector [rad], and gravity with it."""
    E = pose.make(so3.exp(turn), np.array(origin))

    def moved(frame):
        return scene_pose(E @ pose.make(quaternion.to_matrix(frame.rotation), np.array(frame.position)))

    joints = [
        joint if joint.parent is not None else dataclasses.replace(joint, frame_in_parent=moved(joint.frame_in_parent))
        for joint in scene.joints
    ]
    return dataclasses.replace(scene, gravity=tuple((E[:3, :3] @ scene.gravity).tolist()), joints=joints)


def flat_at(found, body):
    """First frame after which a body is below the pivots."""
    return int((found.position[:, found.body_names.index(body), 2] < 0.0).argmax())


# --- IFToMM's windows ------------------------------------------------------------------------------------------------


def check(runs):
    """Whoever leaves the right branch says so; whoever passes the flat pose says so too, and at which frame."""
    for one in runs:
        assert one.said or not (one.wrong or one.energy_remark), one
        if one.status == "complete":
            assert one.remark, one
        else:
            assert one.element.startswith("loop joint '"), one
        if one.remark and one.flat >= 0:
            assert abs(one.frame - one.flat) <= 1, one


def test_windows_that_fold_flat_say_so():
    check(singular_sweep.sweep(singular_sweep.SPEEDS[-5::2]))


@pytest.mark.slow
def test_all_windows_that_fold_flat_say_so():
    check(singular_sweep.sweep())


@pytest.mark.parametrize("fps", [5.0, 24.0, 100.0, 400.0])
def test_the_remark_names_loop_and_frame(fps):
    found = run(parallelogram(), 0.6, accuracy="standard", fps=fps)
    (remark,) = remarks(found)
    assert remark["element"] == "loop joint 'C'"
    said = f"at frame {remark['frame']} loop joint 'C' passed a pose from which it can go on in more than one way"
    assert said in found.meta["note"]
    assert abs(remark["frame"] - flat_at(found, "left")) <= 1


@pytest.mark.parametrize("speed", [10.0, 30.0, 60.0])
@pytest.mark.parametrize("accuracy", ["draft", "standard"])
def test_quick_passes_are_noticed(speed, accuracy):
    """At 60 rad/s it turns by 2.5 rad from frame to frame."""
    (remark,) = remarks(run(pushed(parallelogram(), speed), 0.5, accuracy=accuracy))
    assert remark["frame"] <= 9


# --- redundant rows --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make", [lambda: legs(3), lambda: legs(4), doubled_pins, sarrus], ids=["3", "4", "pins", "Sarrus"]
)
def test_mechanisms_with_redundant_rows_say_so(make, route):
    scene = make()
    found = run(scene, 0.6)
    (remark,) = remarks(found)
    assert remark["element"].startswith("loop joint '")
    if scene.name != "Sarrus":
        assert abs(remark["frame"] - flat_at(found, found.body_names[0])) <= 1


@pytest.mark.parametrize(("length", "mass"), EVERY_SIZE)
def test_sizes_and_masses_do_not_matter(length, mass):
    for scene in (parallelogram(), legs(3)):
        assert remarks(run(scaled(scene, length, mass), 0.6))


@pytest.mark.parametrize("turn", [(0.3, -0.7, 1.1), (2.0, 0.4, -0.2)])
def test_nor_does_the_place_in_the_world(turn, route):
    """Turned out of the planes of the axes, redundant rows of the plane are so up to rounding only."""
    for scene in (parallelogram(), doubled_pins()):
        assert remarks(run(anywhere(scene, (100.0, -30.0, 7.0), turn), 0.6))
    assert not remarks(run(anywhere(four_bar(), (100.0, -30.0, 7.0), turn), 0.6))


def test_a_flat_start_says_so(route):
    (remark,) = remarks(run(parallelogram(angle=0.0, qdot=3.0), 0.5))
    assert remark["frame"] == 0


# --- no false notes --------------------------------------------------------------------------------------------------

QUIET = {
    "four-bar": (four_bar(), (0.0, 20.0), 1.0),
    "slider-crank": (slider_crank(), (3.0, 20.0), 1.0),
    "Jansen leg": (jansen_leg(), (0.0, 20.0), 1.0),
    "scissor lift": (scissor_lift(3), (0.0,), 0.4),
    "Bennett": (bennett(), (0.0, 3.0), 1.0),
    "Peaucellier": (peaucellier(), (0.5,), 1.0),
}


@pytest.mark.parametrize("name", QUIET)
def test_linkages_that_never_come_near_such_a_pose_say_nothing(name, route):
    scene, speeds, duration = QUIET[name]
    for speed in speeds if route == "numba" else speeds[-1:]:
        found = run(pushed(scene, speed), duration if route == "numba" else 0.4 * duration)
        assert found.status == "complete"
        assert not remarks(found)


@pytest.mark.parametrize("name", QUIET)
@pytest.mark.parametrize(("length", "mass"), EVERY_SIZE[1:])
def test_nor_do_they_in_another_size(name, length, mass):
    scene, speeds, duration = QUIET[name]
    for accuracy, fps in (("draft", 24.0), ("standard", 3.0), ("high", 100.0)):
        found = run(scaled(pushed(scene, speeds[-1]), length, mass), duration, accuracy=accuracy, fps=fps)
        assert found.status == "complete"
        assert not remarks(found)
