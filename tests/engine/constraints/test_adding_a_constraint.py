# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/adding_a_constraint.md is true: its file and its line alone make a constraint that everything knows."""

from __future__ import annotations

import dataclasses
import importlib
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import redmax.constraints
from engine.constraints.closed import tree_of_hinges
from redmax import fast, io
from redmax.__main__ import main
from redmax.compile import compile as compile_scene
from redmax.constraints import CONSTRAINTS
from redmax.dynamics import recursive
from redmax.dynamics.assembly import close_loops, mobility
from redmax.dynamics.constraint_rows import constraint_rows
from redmax.dynamics.kinematics import kinematics
from redmax.dynamics.loads import loads
from redmax.integrators import Dop853, LinearlyImplicitEuler
from redmax.integrators.constrained import ConstrainedRun
from redmax.integrators.routes import begin
from redmax.simulate import simulate
from redmax.spatial import adjoint, pose

DOC = Path(__file__).parents[3] / "docs" / "adding_a_constraint.md"
FILE, LINE, SCENE = re.findall(r"^```(?:python|json)\n(.*?)^```$", DOC.read_text(encoding="utf-8"), re.M | re.S)


@pytest.fixture(autouse=True)
def rod(tmp_path, monkeypatch):
    """The constraint of the page, in a file of its own, registered by the line of the page."""
    (tmp_path / "rod.py").write_text(FILE, encoding="utf-8")
    monkeypatch.setattr(redmax.constraints, "__path__", [*redmax.constraints.__path__, str(tmp_path)])
    cls = importlib.import_module("redmax.constraints.rod").Rod
    exec(compile(LINE, str(DOC), "exec"), {"CONSTRAINTS": CONSTRAINTS, "Rod": cls})
    yield cls
    CONSTRAINTS.remove("rod")
    del sys.modules["redmax.constraints.rod"], redmax.constraints.rod


def test_its_scene_survives_json():
    scene = io.loads(SCENE)
    assert scene.constraints[0].length == 1.0
    assert json.loads(io.dumps(scene)) == json.loads(SCENE)


@pytest.mark.parametrize("integrator", [Dop853(), LinearlyImplicitEuler(h=1e-2)])
def test_it_is_simulated_as_it_says(integrator):
    samples = list(simulate(compile_scene(io.loads(SCENE)), integrator=integrator, duration=0.5))
    assert samples[-1].status == "complete", samples[-1].message
    positions = np.array([sample.E_wb[0, :3, 3] for sample in samples])
    np.testing.assert_allclose(np.linalg.norm(positions - [1.0, 0.0, 0.0], axis=1), 1.0, atol=1e-12)
    assert positions[-1, 2] < -0.3


def test_the_command_line_counts_its_freedoms(tmp_path, capsys):
    (tmp_path / "rod.json").write_text(SCENE)
    assert main(["info", str(tmp_path / "rod.json")]) == 0
    assert "Closed: 5 degrees of freedom; 0 of 1 conditions are redundant" in capsys.readouterr().out


def test_its_fields_and_references_are_checked():
    _, problems = io.read(SCENE.replace('"length": 1.0', '"length": 0.0').replace('"body": "ball"', '"body": "bal"'))
    said = [str(problem) for problem in problems]
    assert "constraint 'string': length is 0; give a finite number above 0 in m" in said
    assert "constraint 'string': body is 'bal', but there is no body of that name; did you mean 'ball'?" in said


def test_rows_by_finite_differences(rod):
    """G and the acceleration level, between two bodies of a tree."""
    constraint = rod(name="r", body="body 1", other="body 3", point=(0.2, 0.1, 0.0), length=0.7)
    model = tree_of_hinges(3, constraints=[constraint])
    q, qdot, qddot = np.random.default_rng(3).uniform(-1.0, 1.0, (3, model.dof_count))
    h = 1e-5

    def rows_at(s):
        v = qdot + s * qddot
        rows = constraint_rows(model, kinematics(model, q + s * qdot + 0.5 * s**2 * qddot, v), 0.0)
        return rows, rows.G @ v - rows.rate

    (after, slip_after), (before, slip_before) = rows_at(h), rows_at(-h)
    rows, slip = rows_at(0.0)
    np.testing.assert_allclose((after.error - before.error) / (2.0 * h), slip, atol=1e-8)
    kin = kinematics(model, q, qdot)
    Vdot = recursive.inverse_dynamics(model, kin, loads(model, kin, 0.0), qddot).Vdot
    phidot = adjoint.transform_twist(pose.inverse(model.E_ji), Vdot)
    change = rows.acceleration(model, qddot, phidot) - rows.bias
    np.testing.assert_allclose(change, (slip_after - slip_before) / (2.0 * h), atol=1e-8)


def test_assembly_knows_it(rod):
    constraint = rod(name="r", body="body 1", other="body 3", length=0.7)
    model = tree_of_hinges(3, constraints=[constraint])
    found = close_loops(model)
    assert found.closed
    assert mobility(dataclasses.replace(model, q0=found.q)).freedoms == model.dof_count - 1


def test_its_function_runs_in_compiled_frames(rod):
    """The same text in kernels: accelerations, multipliers and whole runs are those of Python."""
    pytest.importorskip("numba")
    constraint = rod(name="r", body="body 1", other="body 3", point=(0.2, 0.1, 0.0), length=0.7)
    model = tree_of_hinges(3, constraints=[constraint])
    tree = fast.constrained_tree(model)
    q, qdot = np.random.default_rng(3).uniform(-1.0, 1.0, (2, model.dof_count))
    chart = model.initial_state().chart
    readable = begin(model, "recursive", ConstrainedRun(model))
    held = readable.held_motion(readable.at(0.0, q, qdot, chart))
    qddot, _, _ = tree.forward_dynamics(q, qdot, chart, 0.0, np.zeros(model.dof_count))
    np.testing.assert_allclose(qddot, held.qddot, atol=1e-10)
    np.testing.assert_allclose(tree.observe(q, qdot, chart, 0.0).constraint, held.multipliers, atol=1e-10)
    swinging = compile_scene(io.loads(SCENE))
    assert Dop853().begin(swinging, swinging.initial_state()).tree is not None


def refused(data, E_a, V_a, E_b, V_b, result):
    """Numbers by way of text: Python can, the compiler cannot."""
    result[0] = float("{:g}".format(data[6]))  # noqa: UP032  (the compiler knows f-strings)


def test_a_function_that_the_compiler_refuses_runs_in_python(rod, monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setattr(sys.modules["redmax.constraints.rod"], "distance", refused)
    model = tree_of_hinges(3, constraints=[rod(name="r", body="body 1", other="body 3", length=0.7)])
    assert fast.constrained_tree(model) is None
