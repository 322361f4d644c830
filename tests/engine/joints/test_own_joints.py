# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of an extension's own: plain numbers as coordinates, an array, Q(0) not the identity, n by its data."""

from __future__ import annotations

import json

import joint_battery
import numpy as np
import pytest

import own_joints
from redmax import io
from redmax.__main__ import main
from redmax.compile import compile as compile_scene
from redmax.dynamics.kinematics import body_poses, kinematics
from redmax.integrators import Dop853
from redmax.joints import JOINTS, Composite, Revolute
from redmax.simulate import simulate
from redmax.spatial import pose

EXAMPLES = [
    own_joints.Patch.part(),
    own_joints.Patch.part(size=(0.5, 2.0), heights=((0.3, 0.1, 0.0),)),
    own_joints.Stack.part(count=1),
    own_joints.Stack.part(count=3),
    Composite.part(parts=(Revolute.part(), own_joints.Patch.part())),
]


HEIGHTS = [[0.0, 0.1, 0.2], [0.5, 0.3, 0.0]]


@pytest.fixture(autouse=True)
def _registered():
    JOINTS.add(98, own_joints.Patch)
    JOINTS.add(97, own_joints.Stack)
    yield
    JOINTS.remove("patch")
    JOINTS.remove("stack")


@pytest.mark.parametrize("check", joint_battery.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("joint", EXAMPLES, ids=lambda joint: joint.kind)
def test_the_whole_battery_holds(joint, check):
    check(joint)


def scene(**more):
    joint = {"kind": "patch", "name": "plate", "parent": None, "child": "puck", "heights": HEIGHTS, **more}
    shape = {"kind": "box", "size": [0.1, 0.2, 0.3], "density": 500.0}
    return {
        "format": "redmax-scene",
        "version": 1,
        "bodies": [{"name": "puck", "shapes": [shape]}],
        "joints": [joint],
    }


def test_a_body_stands_where_Q_of_its_start_puts_it():
    frames = {"frame_in_parent": {"position": [1, 2, 3]}, "frame_in_child": {"position": [0, 0, 0.5]}}
    read = io.loads(json.dumps(scene(**frames)))
    model = compile_scene(read)
    zero = np.zeros(2)
    E_wb = body_poses(model, kinematics(model, zero, zero, model.initial_state().chart))[0]
    Q0 = read.joints[0].motion(zero, zero).Q
    assert np.abs(Q0 - np.eye(4)).max() > 0.2
    E_wj, E_bj = pose.make(np.eye(3), np.array([1.0, 2.0, 3.0])), pose.make(np.eye(3), np.array([0.0, 0.0, 0.5]))
    np.testing.assert_allclose(E_wb @ E_bj, E_wj @ Q0, atol=1e-14)  # some roundings


def test_its_array_is_checked_and_survives_json():
    text = json.dumps(scene(q=[0.1, 0.2]))
    assert json.loads(io.dumps(io.loads(text))) == json.loads(text)
    _, problems = io.read(json.dumps(scene(q=[0.1])))
    assert [str(problem) for problem in problems] == [
        "joint 'plate': q has shape 1; give 2 finite numbers in rad, m or 1"
    ]


def test_the_command_line_names_its_coordinates(tmp_path, capsys):
    (tmp_path / "scene.json").write_text(json.dumps(scene()))
    assert main(["info", str(tmp_path / "scene.json")]) == 0
    assert "u [1], v [1]" in capsys.readouterr().out


@pytest.mark.parametrize("motion", ["simulated", "animated", "locked"])
def test_it_moves(motion):
    more = {"motion_type": motion, "q": [0.1, -0.2]}
    if motion == "animated":
        more["animation"] = {"x": [0.0, 1.0], "y": [[0.1, -0.2], [0.4, 0.3]], "interpolation": "linear"}
    model = compile_scene(io.loads(json.dumps(scene(**more))))
    samples = list(simulate(model, integrator=Dop853(rtol=1e-10, atol=1e-10), fps=24.0, duration=1.0))
    last = samples[-1].state
    assert len(samples) == 25
    if motion == "simulated":
        energies = [sample.channels["energy"] for sample in samples]
        np.testing.assert_allclose(energies, energies[0], atol=1e-6 * model.mass * 9.81)
        assert np.abs(last.q - [0.1, -0.2]).max() > 0.1
    else:
        np.testing.assert_allclose(last.q, [0.4, 0.3] if motion == "animated" else [0.1, -0.2], atol=1e-12)
