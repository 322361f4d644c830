# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/adding_a_force.md is true: its file and its line alone make a force that everything knows."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import force_battery
import numpy as np
import pytest

import redmax.forces
from redmax import fast, io
from redmax.compile import compile as compile_scene
from redmax.forces import FORCES
from redmax.integrators import Dop853, LinearlyImplicitEuler
from redmax.simulate import record, simulate

DOC = Path(__file__).parents[3] / "docs" / "adding_a_force.md"
FILE, LINE, SCENE = re.findall(r"^```(?:python|json)\n(.*?)^```$", DOC.read_text(encoding="utf-8"), re.M | re.S)


@pytest.fixture(autouse=True)
def magnet(tmp_path, monkeypatch):
    """The force of the page, in a file of its own, registered by the line of the page."""
    (tmp_path / "magnet.py").write_text(FILE, encoding="utf-8")
    monkeypatch.setattr(redmax.forces, "__path__", [*redmax.forces.__path__, str(tmp_path)])
    cls = importlib.import_module("redmax.forces.magnet").Magnet
    exec(compile(LINE, str(DOC), "exec"), {"FORCES": FORCES, "Magnet": cls})
    yield cls
    FORCES.remove("magnet")
    del sys.modules["redmax.forces.magnet"], redmax.forces.magnet


@pytest.mark.parametrize("check", force_battery.CHECKS, ids=lambda check: check.__name__)
def test_the_whole_battery_holds(magnet, check):
    for force in force_battery.examples(magnet):
        check(force)


def test_the_battery_finds_it_by_itself():
    assert "magnet-0" in dict(force_battery.cases())


def test_a_wrong_sign_would_not_pass(magnet, monkeypatch):
    bound = sys.modules["redmax.forces.magnet"].BoundMagnet
    right = bound.derivatives
    monkeypatch.setattr(bound, "derivatives", lambda *given: tuple(-part for part in right(*given)))
    with pytest.raises(AssertionError):
        force_battery.K_is_the_derivative_by_increments(force_battery.examples(magnet)[0])


@pytest.mark.parametrize("integrator", [Dop853(rtol=1e-10, atol=1e-10), LinearlyImplicitEuler(h=1e-3)])
def test_the_scene_of_the_page_runs(integrator):
    model = compile_scene(io.loads(SCENE))
    samples = simulate(model, integrator=integrator, fps=50.0, duration=1.0)
    result = record(model, samples, integrator=integrator, fps=50.0)
    assert result.status == "complete"
    energy = result.channels["energy"]
    assert result.q[:, 0].min() < 0.0  # it passes through the magnet
    if isinstance(integrator, Dop853):
        assert np.abs(energy - energy[0]).max() <= 1e-9


def test_results_say_that_kernels_do_not_know_it():
    model = compile_scene(io.loads(SCENE))
    assert fast.python_force(model) == "Magnet"


def test_its_faults_are_named():
    _, problems = io.read(SCENE.replace('"strength": 0.2', '"strength": -1.0'))
    assert [str(problem) for problem in problems] == [
        "force 'Magnet': strength is -1; give a finite number of at least 0 in N m"
    ]
