# SPDX-License-Identifier: GPL-3.0-or-later
"""What accuracy High promises of mechanisms with loops: closed, and energies that balance, for as long as one likes."""

from __future__ import annotations

import numpy as np
import pytest

from engine.mechanisms import four_bar, jansen_leg, scissor_lift, slider_crank
from redmax.compile import compile as compile_scene
from redmax.dynamics.assembly import size
from redmax.integrators import Automatic
from redmax.simulate import simulate
from redmax.tables import Table

HIGH = Automatic(accuracy="high")
GAP = 1e-9
"""Of the size of the mechanism."""
DRIFT = 1e-3
"""Of the energies that go to and fro."""

MECHANISMS = {
    "four-bar": lambda: four_bar(qdot=4.0),
    "slider-crank": lambda: slider_crank(qdot=4.0),
    "scissor lift with 20 loops": lambda: scissor_lift(20, stiffness=2e5),
    "Jansen leg": lambda: jansen_leg(qdot=5.0),
}
"""Undamped; the lift bounces on a spring at its foot."""


def follow(scene, frames, fps=24.0):
    """Largest gap as part of the size; energy, kinetic energy, work and loss at all frames."""
    model = compile_scene(scene)
    gap, energies = 0.0, []
    for sample in simulate(model, integrator=HIGH, fps=fps, duration=frames / fps):
        channels = sample.channels
        gap = max(gap, float(channels["gap"][:, 0].max()), float(channels["gap"][:, 1].max()) / size(model))
        energies.append([float(channels[name]) for name in ("energy", "kinetic", "work", "loss")])
    assert sample.status == "complete", sample.message
    assert len(energies) == frames + 1
    return gap, *np.array(energies).T


def check_undamped(scene, frames):
    gap, energy, kinetic, _, _ = follow(scene, frames)
    assert gap < GAP
    assert np.ptp(kinetic) > 1e-2  # it does move
    assert np.abs(energy - energy[0]).max() < DRIFT * np.ptp(kinetic)


@pytest.mark.parametrize("name", ["four-bar", "Jansen leg"])
def test_a_hundred_frames_stay_closed_and_keep_their_energy(name):
    check_undamped(MECHANISMS[name](), 100)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", MECHANISMS)
def test_ten_thousand_frames_stay_closed_and_keep_their_energy(name):
    check_undamped(MECHANISMS[name](), 10_000)


def driven(frames, fps=24.0):
    """A four-bar with dampers whose crank follows keys: it turns, stops, goes back and turns again."""
    t = np.arange(0.0, frames / fps + 2.0, 2.0)
    angle = 4.0 * np.sin(0.7 * t) + 1.5 * t
    table = Table(x=tuple(t.tolist()), y=tuple((float(a),) for a in angle), interpolation="cubic")
    scene = four_bar(motion_type="animated", animation=table)
    scene.joints[1:3] = [
        type(joint)(**{**vars(joint), "damping": damping})
        for joint, damping in zip(scene.joints[1:3], (0.3, 0.1), strict=True)
    ]
    return scene


def check_driven(frames):
    gap, energy, _, work, loss = follow(driven(frames), frames)
    assert gap < GAP
    assert loss[-1] > 1.0
    assert np.abs(energy - energy[0] - work + loss).max() < 1e-6 * np.abs(work).max()


def test_the_work_of_an_animated_crank_is_energy_change_and_loss():
    check_driven(200)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_work_of_an_animated_crank_over_ten_thousand_frames():
    check_driven(10_000)
