# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/adding_a_joint.md is true: its file and its line alone make a joint that everything knows."""

from __future__ import annotations

import dataclasses
import importlib
import json
import re
import sys
from pathlib import Path

import joint_battery
import numpy as np
import pytest

import redmax.joints
from engine.constraints.closed import looped_scene
from engine.random_trees import random_situation
from redmax import io
from redmax.__main__ import main
from redmax.compile import compile as compile_scene
from redmax.dynamics import recursive
from redmax.integrators import Dop853
from redmax.joints import JOINTS
from redmax.reference import projected
from redmax.simulate import simulate

DOC = Path(__file__).parents[3] / "docs" / "adding_a_joint.md"
FILE, LINE, SCENE = re.findall(r"^```(?:python|json)\n(.*?)^```$", DOC.read_text(encoding="utf-8"), re.M | re.S)


@pytest.fixture(autouse=True)
def cam(tmp_path, monkeypatch):
    """The joint of the page, in a file of its own, registered by the line of the page."""
    (tmp_path / "cam.py").write_text(FILE, encoding="utf-8")
    monkeypatch.setattr(redmax.joints, "__path__", [*redmax.joints.__path__, str(tmp_path)])
    cls = importlib.import_module("redmax.joints.cam").Cam
    exec(compile(LINE, str(DOC), "exec"), {"JOINTS": JOINTS, "Cam": cls})
    yield cls
    JOINTS.remove("cam")
    del sys.modules["redmax.joints.cam"], redmax.joints.cam


@pytest.mark.parametrize("check", joint_battery.CHECKS, ids=lambda check: check.__name__)
def test_the_whole_battery_holds(cam, check):
    for joint in joint_battery.examples(cam):
        check(joint)


def test_the_battery_finds_it_by_itself():
    assert "cam-0" in dict(joint_battery.cases())


def test_it_closes_a_loop():
    """As it would carry the body in the tree, with another joint closing the loop."""
    scene = looped_scene("cam", 12, stiffness=3.0)
    runs = []
    for joints in (scene.joints, [scene.joints[-1], *scene.joints[:-1]]):
        model = compile_scene(dataclasses.replace(scene, joints=joints))
        samples = list(simulate(model, integrator=Dop853(rtol=1e-9, atol=1e-9), fps=24.0, duration=0.1))
        assert samples[-1].status == "complete"
        runs.append(samples[-1].E_wb[[model.body_names.index(body.name) for body in scene.bodies]])
    np.testing.assert_allclose(runs[0], runs[1], atol=1e-7)


def test_a_wrong_sign_would_not_pass(cam, monkeypatch):
    right = cam.evaluate

    def wrong(data, q, qdot, chart, Q, S, Sdot):
        right(data, q, qdot, chart, Q, S, Sdot)
        Sdot *= -1.0

    monkeypatch.setattr(cam, "evaluate", staticmethod(wrong))
    with pytest.raises(AssertionError):
        joint_battery.Sdot_is_the_derivative_of_S_along_the_motion(cam.part())


def test_its_scene_survives_json():
    scene = io.loads(SCENE)
    assert scene.joints[0].rise == 0.2
    assert json.loads(io.dumps(scene)) == json.loads(SCENE)


def test_the_command_line_describes_it(tmp_path, capsys):
    (tmp_path / "cam.json").write_text(SCENE)
    assert main(["info", str(tmp_path / "cam.json")]) == 0
    said = capsys.readouterr().out
    assert "1 x Cam (cam)" in said
    assert "angle [rad]" in said


def test_its_fields_are_checked():
    _, problems = io.read(SCENE.replace('"rise": 0.2', '"rise": -1.0'))
    assert [str(problem) for problem in problems] == [
        "joint 'camshaft': rise is -1; give a finite number of at least 0 in m"
    ]
    _, problems = io.read(SCENE.replace('"rise"', '"rize"'))
    assert "did you mean 'rise'?" in str(problems[0])


def test_it_can_be_a_part_of_a_composite():
    joint = {"kind": "composite", "parts": [{"kind": "cam", "rise": 0.2}, {"kind": "revolute", "axis": [1, 0, 0]}]}
    data = json.loads(SCENE)
    data["joints"] = [joint | {"name": "both", "parent": None, "child": "follower"}]
    assert compile_scene(io.loads(json.dumps(data))).joints[0].dof_names == ("1.angle", "2.angle")


def test_all_dynamics_work_with_it():
    case = random_situation(60, 6, kinds=["cam", "revolute", "spherical", "cam"])
    expected = projected.forward_dynamics(*case[:3])
    qddot = recursive.forward_dynamics(*case[:3]).qddot
    np.testing.assert_allclose(qddot, expected, rtol=1e-9, atol=1e-9)  # cond(M) of these trees is below 1e4


def test_it_is_simulated_and_keeps_its_energy():
    # Lifted by gravity's leave only: T + m g z is constant, with z = rise (1 - cos q) / 2 the height of the box.
    model = compile_scene(io.loads(SCENE))
    m, g, rise, Iz = model.mass, 9.81, 0.2, 500.0 * 0.006 / 12.0 * (0.1**2 + 0.2**2)
    energies = []
    for sample in simulate(model, integrator=Dop853(rtol=1e-11, atol=1e-11), fps=24.0, duration=1.0):
        (q,), (qdot,) = sample.state.q, sample.state.qdot
        T = 0.5 * Iz * qdot**2 + 0.5 * m * (0.5 * rise * np.sin(q) * qdot) ** 2
        energies.append(T + m * g * 0.5 * rise * (1.0 - np.cos(q)))
    assert len(energies) == 25
    np.testing.assert_allclose(energies, energies[0], rtol=1e-8)  # 1e-11 per step, some hundred steps
