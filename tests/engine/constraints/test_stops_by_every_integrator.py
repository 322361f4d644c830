# SPDX-License-Identifier: GPL-3.0-or-later
"""A double pendulum that rattles between the stops of both hinges, with every integrator: it goes on to the end."""

from __future__ import annotations

import numpy as np
import pytest

from redmax.compile import compile as compile_scene
from redmax.constraints import JointLimit
from redmax.dynamics.energy import kinetic_energy
from redmax.dynamics.kinematics import kinematics
from redmax.dynamics.loads import potential_energy
from redmax.fields import Pose
from redmax.integrators import INTEGRATORS, FixedStep
from redmax.integrators.constrained import Bracket, ConstrainedRun
from redmax.joints.revolute import Revolute
from redmax.scene import Body, Inertia, Scene
from redmax.simulate import simulate
from redmax.solvers.impacts import MOST_IN_STEP

LIMITS = np.array([(-0.4, 0.5), (-0.6, 0.3)])
OVERSHOOT = 1e-9
"""What a run may be beyond a limit [rad]."""

RESTITUTIONS = (0.0, 0.5, 0.9, 1.0)
STEPS = (5e-3, 4e-3, 1e-2, 4e-2)


def rattling(restitution):
    """Two links whose hinge axes are at an angle; they fall onto the stops of both hinges."""
    tensor = ((0.02, 0.0, 0.0), (0.0, 0.03, 0.0), (0.0, 0.0, 0.015))
    inertia = Inertia(mass=1.0, center=(0.5, 0.0, 0.0), tensor=tensor)
    far = Pose(position=(1.0, 0.0, 0.0), rotation=(1.0, 0.0, 0.0, 0.0))
    names = ("shoulder", "elbow")
    return compile_scene(
        Scene(
            bodies=[Body(name="upper", inertia=inertia), Body(name="lower", inertia=inertia)],
            joints=[
                Revolute(name="shoulder", parent=None, child="upper", axis=(0.0, 1.0, 0.0)),
                Revolute(
                    name="elbow", parent="upper", child="lower", axis=(0.0, 1.0, 1.0), frame_in_parent=far, qdot=1.0
                ),
            ],
            constraints=[
                JointLimit(name=f"stop of {name}", joint=name, lower=lower, upper=upper, restitution=restitution)
                for name, (lower, upper) in zip(names, LIMITS.tolist(), strict=True)
            ],
        )
    )


def energies(model, state):
    """Kinetic and potential energy [J]."""
    kin = kinematics(model, state.q, state.qdot, state.chart)
    return kinetic_energy(model, kin), potential_energy(model, kin)


def comes_to_the_end(monkeypatch, kind, h, restitution):
    """Completes; limits are kept, no impact adds energy, and in the end there is no more than at first."""
    settled, gains, beyond = ConstrainedRun.settled, [0.0], [0.0]

    def watched(run, state):
        found = settled(run, state)
        beyond.append(float(np.max([LIMITS[:, 0] - state.q, state.q - LIMITS[:, 1]])))
        if found is not state:
            before, after = (energies(run.model, each)[0] for each in (state, found))
            gains.append((after - before) / (1.0 + before))
        return found

    monkeypatch.setattr(ConstrainedRun, "settled", watched)
    model, cls = rattling(restitution), INTEGRATORS[kind]
    integrator = cls(h=h) if issubclass(cls, FixedStep) else cls()
    samples = list(simulate(model, integrator=integrator, fps=25.0, duration=3.0))
    assert samples[-1].status == "complete", samples[-1].message
    assert max(gains) < 1e-13
    assert max(beyond) <= OVERSHOOT
    for sample in samples:
        assert (LIMITS[:, 0] - OVERSHOOT <= sample.state.q).all()
        assert (sample.state.q <= LIMITS[:, 1] + OVERSHOOT).all()
    loss = np.array([sample.channels["loss"] for sample in samples])
    assert np.diff(loss).min() >= -1e-12
    total = np.array([sum(energies(model, sample.state)) for sample in samples])
    # BDF2 itself gains a thousandth of the 10 J of the fall at most; impacts are seen apart, above.
    assert total.max() <= total[0] + 1e-2
    if restitution <= 0.5:
        assert np.abs(samples[-1].state.qdot).max() < 1e-9
        assert np.ptp(total[-10:]) < 1e-9


@pytest.mark.parametrize("kind", INTEGRATORS.kinds)
def test_bounces_come_to_rest(monkeypatch, kind):
    comes_to_the_end(monkeypatch, kind, 2e-2, 0.5)


@pytest.mark.parametrize("restitution", RESTITUTIONS)
def test_bounces_of_any_strength_are_followed(monkeypatch, restitution):
    comes_to_the_end(monkeypatch, "semi_implicit_euler", 5e-3, restitution)


@pytest.mark.slow
@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("restitution", RESTITUTIONS)
@pytest.mark.parametrize("kind", INTEGRATORS.kinds)
def test_every_restitution_and_step(monkeypatch, kind, h, restitution):
    if h > min(STEPS) and not issubclass(INTEGRATORS[kind], FixedStep):
        h = min(STEPS)
    comes_to_the_end(monkeypatch, kind, h, restitution)


def between_stops(gap, speed, restitution):
    """A hinge without gravity between two stops that are so far apart [rad], and its speed [rad/s]."""
    inertia = Inertia(mass=1.0, center=(0.5, 0.0, 0.0), tensor=((0.02, 0.0, 0.0), (0.0, 0.03, 0.0), (0.0, 0.0, 0.015)))
    hinge = Revolute(name="hinge", parent=None, child="bar", axis=(0.0, 1.0, 0.0), qdot=speed)
    stop = JointLimit(name="stop", joint="hinge", lower=-0.5 * gap, upper=0.5 * gap, restitution=restitution)
    bodies, joints = [Body(name="bar", inertia=inertia)], [hinge]
    return compile_scene(Scene(gravity=(0.0, 0.0, 0.0), bodies=bodies, joints=joints, constraints=[stop]))


def impacts_of(monkeypatch, model, integrator, duration):
    """How many impacts a run has, and its samples."""
    settled, count = ConstrainedRun.settled, [0]

    def watched(run, state):
        found = settled(run, state)
        count[0] = run.impacts
        return found

    monkeypatch.setattr(ConstrainedRun, "settled", watched)
    samples = list(simulate(model, integrator=integrator, fps=25.0, duration=duration))
    assert samples[-1].status == "complete", samples[-1].message
    return count[0], samples


@pytest.mark.parametrize("kind", [kind for kind in INTEGRATORS.kinds if issubclass(INTEGRATORS[kind], FixedStep)])
def test_what_rattles_within_a_fixed_step_rests(monkeypatch, kind):
    """1e-4 rad apart at 10 rad/s: 100 000 impacts a second if all of them bounced. What they take is in the books."""
    model = between_stops(1e-4, 10.0, 1.0)
    impacts, samples = impacts_of(monkeypatch, model, INTEGRATORS[kind](h=1e-2), 0.08)
    assert impacts <= MOST_IN_STEP + 2
    assert abs(samples[-1].state.qdot[0]) < 1e-9
    assert abs(samples[-1].state.q[0]) <= 0.5e-4 + OVERSHOOT
    before, after = (float(sample.channels["energy"]) for sample in (samples[0], samples[-1]))
    assert float(samples[-1].channels["loss"]) == pytest.approx(before - after, rel=1e-6)


def test_what_bounces_less_often_goes_on(monkeypatch):
    """Ten elastic impacts in every step for twenty steps: none of them is one too many."""
    model = between_stops(0.1, 25.0, 1.0)
    impacts, samples = impacts_of(monkeypatch, model, INTEGRATORS["rk4"](h=0.04), 0.8)
    assert impacts == pytest.approx(200, abs=2)
    assert abs(samples[-1].state.qdot[0]) == pytest.approx(25.0, rel=1e-9)


def met_at(root, room, guess, *, tries=25):
    """How many tries it takes to know a root within 1e-10 where the motion within a step says `guess` of it."""
    bracket = Bracket(0.0, np.array([room(0.0)]))
    bracket.end_late(1.0, np.array([room(1.0)]))
    t = bracket.next(guess)
    for count in range(1, tries):
        if abs(t - root) < 1e-10:
            return count
        (bracket.end_early if room(t) > 0.0 else bracket.end_late)(t, np.array([room(t)]))
        assert bracket.early <= root <= bracket.late
        t = bracket.next(bracket.false_position())
    return tries


def test_a_bracket_closes_on_the_moment_whatever_the_guess():
    assert met_at(0.25, lambda t: 0.25 - t, 0.9) <= 3
    assert met_at(0.5, lambda t: 0.25 - t * t, 0.01) < 12
    assert met_at(0.1, lambda t: 1e-2 - t * t, 0.999) < 15


def test_a_bracket_halves_where_its_ends_say_nothing():
    """A stop that is met within the step and left again has room at both ends."""
    bracket = Bracket(1.0, np.array([0.2, np.inf]))
    bracket.end_late(2.0, np.array([0.3, np.inf]))
    assert bracket.next(bracket.false_position()) == 1.5
    assert bracket.next(5.0) == 1.5
    bracket.end_early(np.nextafter(2.0, 0.0), np.array([0.3, np.inf]))
    assert bracket.next(1.5) == bracket.early
