# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces in mechanisms with loops: both act at once, on every route and in implicit steps."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.mechanisms import four_bar
from redmax import fast
from redmax.compile import compile as compile_scene
from redmax.forces.cable import Cable
from redmax.forces.drag import Drag
from redmax.forces.lines.points import PathPoint
from redmax.forces.spring_damper import SpringDamper
from redmax.integrators import Bdf2, Dop853, LinearlyImplicitEuler, LinearlyImplicitEulerPcg
from redmax.simulate import record, simulate


def loaded():
    scene = four_bar(qdot=2.0)
    first, last = scene.bodies[0].name, scene.bodies[-1].name
    forces = [
        SpringDamper(name="Spring", body_a=first, point_a=(0.1, 0.0, 0.0), body_b=last, stiffness=300.0, damping=2.0),
        Cable(
            name="Cable",
            points=(PathPoint(body=None, point=(0.0, 0.0, 3.0)), PathPoint(body=last)),
            stiffness=40.0,
            rest_length=1.0,
        ),
        Drag(name="Air", body=first, quadratic=0.3),
    ]
    return compile_scene(dataclasses.replace(scene, forces=forces))


def run(model, integrator, duration=0.5):
    samples = simulate(model, integrator=integrator, fps=48.0, duration=duration)
    result = record(model, samples, integrator=integrator, fps=48.0)
    assert result.status == "complete", result.message
    return result


@pytest.mark.parametrize("compiled", [True, False])
def test_energy_change_is_work_less_loss(compiled, monkeypatch):
    if not compiled:
        monkeypatch.setattr(fast, "new_tree", lambda model: None)
    channels = run(loaded(), Dop853(rtol=1e-10, atol=1e-10)).channels
    drift = channels["energy"] - channels["energy"][0] - channels["work"] + channels["loss"]
    assert np.abs(drift).max() <= 1e-8 * np.abs(channels["energy"]).max()
    assert channels["loss"][-1] > 1e-2


def test_the_routes_agree(monkeypatch):
    ours = run(loaded(), Dop853(rtol=1e-10, atol=1e-10))
    monkeypatch.setattr(fast, "new_tree", lambda model: None)
    theirs = run(loaded(), Dop853(rtol=1e-10, atol=1e-10))
    assert np.abs(ours.position - theirs.position).max() <= 1e-7


@pytest.mark.parametrize(
    ("integrator", "error"),
    [
        (LinearlyImplicitEuler(h=5e-4), 5e-3),
        pytest.param(LinearlyImplicitEulerPcg(h=5e-4), 5e-3, marks=pytest.mark.slow),
        pytest.param(Bdf2(h=2e-3), 1e-4, marks=pytest.mark.slow),
    ],
    ids=lambda value: getattr(value, "kind", None),
)
def test_implicit_steps_approach_the_same_motion(integrator, error):
    exact = run(loaded(), Dop853(rtol=1e-9, atol=1e-9), 0.25)
    assert np.abs(run(loaded(), integrator, 0.25).position - exact.position).max() <= error
