# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of a scene by their paths."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from redmax import io
from redmax.batch import PathError, changed, value_at
from redmax.examples import EXAMPLES
from redmax.fields import specs
from redmax.io import LISTS
from redmax.joints import JOINTS
from redmax.joints.motor import Motor
from redmax.scene import Body, Inertia, Scene


def pendulum() -> Scene:
    inertia = Inertia(mass=2.0, tensor=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    names = ("Arm", "Arm.001", "Arm.001.x")
    bodies = [Body(name=name, inertia=inertia) for name in names]
    ball = JOINTS["spherical"](name="Ball", parent=None, child="Arm", damping=3.0)
    hinge = JOINTS["revolute"](name="Pin.001", parent="Arm", child="Arm.001", motor=Motor(maximum=5.0))
    last = JOINTS["revolute"](name="Pin", parent="Arm.001", child="Arm.001.x")
    return Scene(bodies=bodies, joints=[ball, hinge, last])


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("gravity[2]", -1.62),
        ("bodies.Arm.inertia.mass", 7.0),
        ("bodies.Arm.001.inertia.center[1]", 0.25),
        ("bodies.Arm.001.x.damping", 0.5),
        ("joints.Pin.001.motor.maximum", 11.0),
        ("joints.Ball.damping[2]", 9.0),
        ("joints.Pin.qdot", 1.5),
        ("name", "Another"),
    ],
)
def test_a_value_is_read_back_and_nothing_else_changes(path, value):
    scene = pendulum()
    before = io.dumps(scene)
    new = changed(scene, path, value)
    assert value_at(new, path) == value
    assert io.dumps(scene) == before
    assert changed(new, path, value_at(scene, path)) == _expanded(scene, path)


def _expanded(scene: Scene, path: str) -> Scene:
    """One number for all coordinates is written out where one of them was changed."""
    if path != "joints.Ball.damping[2]":
        return scene
    joints = [replace(scene.joints[0], damping=(3.0, 3.0, 3.0)), *scene.joints[1:]]
    return replace(scene, joints=joints)


def test_every_element_of_a_list():
    new = changed(pendulum(), "bodies.*.inertia.mass", 3.0, "times")
    assert [body.inertia.mass for body in new.bodies] == [6.0, 6.0, 6.0]
    assert value_at(changed(new, "gravity", 0.5, "plus"), "gravity") == (0.5, 0.5, -9.31)


def test_the_longest_name_is_meant():
    scene = changed(pendulum(), "bodies.Arm.001.damping", 4.0)
    assert [body.damping for body in scene.bodies] == [0.0, 4.0, 0.0]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("joint.Ball.damping", "a scene has no 'joint'; did you mean 'joints'?"),
        ("joints.Bal.damping", "no such joint; did you mean 'Ball'?"),
        ("joints.Ball.dampin", "no 'dampin' there; did you mean 'damping'?"),
        ("joints.Ball.damping[3]", "no entry [3]; there are 3, counted from 0"),
        ("joints.Ball.motor.maximum", "nothing to change before '.maximum'"),
        ("joints.Ball.name[0]", "it is a single value"),
        ("joints.Ball.damping[-1]", "'[-1]' is no index"),
        ("joints.Ball.damping[x]", "is no index"),
        ("joints.Ball.__class__", "no '__class__' there"),
        ("joints.Ball.damping.__init__.__globals__", "there is no '__init__' there"),
        ("strands.*.mass", "the scene has no strands"),
        ("gravity[2", "'[2' is no index"),
        ("", "is no name of a field"),
        ("bodies.Arm.", "is no name of a field"),
        ("joints.Ball.damping[99999999999999999999]", "is no index"),
    ],
)
def test_paths_that_lead_nowhere_say_where(path, said):
    with pytest.raises(PathError, match=re.escape(said)):
        changed(pendulum(), path, 1.0)


def test_only_numbers_have_factors():
    for path, value in (("name", 2.0), ("joints.Ball.lower", 2.0), ("joints.Ball.damping", "much")):
        with pytest.raises(PathError, match="only numbers have times"):
            changed(pendulum(), path, value, "times")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_every_declared_field_of_the_examples_can_be_read_and_written(example):
    scene = io.load(example.path)
    for list_name in LISTS:
        for element in getattr(scene, list_name):
            for field in specs(type(element)):
                path = f"{list_name}.{element.name}.{field}"
                assert changed(scene, path, value_at(scene, path)) == scene
