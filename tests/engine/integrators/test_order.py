# SPDX-License-Identifier: GPL-3.0-or-later
"""Each integrator converges to the motion at its own order, and treats energy as its method should."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from engine.integrators.pendulums import chain, double_pendulum, free_body, hinge
from redmax.dynamics.energy import mechanical_energy
from redmax.dynamics.kinematics import kinematics
from redmax.errors import MissingWheelError
from redmax.integrators import (
    INTEGRATORS,
    Bdf1,
    Bdf2,
    Dop853,
    ExtrapolatedEuler,
    Integrator,
    LinearlyImplicitEuler,
    Radau,
    Rk45,
    RungeKutta4,
    SemiImplicitEuler,
)
from redmax.model import Model
from redmax.state import State

ORDERS = {
    "contact_euler": 1,
    "linearly_implicit_euler": 1,
    "linearly_implicit_euler_pcg": 1,
    "maximal_euler": 1,
    "semi_implicit_euler": 1,
    "rk4": 4,
    "bdf1": 1,
    "bdf2": 2,
}
ADAPTIVE = ("rk45", "dop853", "radau", "extrapolated_euler", "automatic")


def final_state(model: Model, integrator: Integrator, t: float) -> State:
    return integrator.begin(model, model.initial_state()).advance(t)


def energy(model: Model, state: State) -> float:
    return mechanical_energy(model, kinematics(model, state.q, state.qdot, state.chart))


def test_every_integrator_has_a_known_order_or_adapts():
    assert set(INTEGRATORS.kinds) == set(ORDERS) | set(ADAPTIVE)


@pytest.mark.parametrize("kind", ORDERS)
def test_error_falls_with_the_order_of_the_method(kind):
    """Halving h divides the error by 2^p; damped and sprung, so that every term of the step takes part."""
    model = double_pendulum(stiffness=0.5, damping=0.05, rest=0.2)
    t = 0.12
    exact = final_state(model, Dop853(rtol=1e-12, atol=1e-12), t)
    steps = (8, 16) if ORDERS[kind] > 1 else (40, 80)
    errors = []
    for count in steps:
        state = final_state(model, INTEGRATORS[kind](h=t / count), t)
        errors.append(np.linalg.norm(np.concatenate([state.q - exact.q, state.qdot - exact.qdot])))
    order = np.log2(errors[0] / errors[1])
    # The next term of the error expansion shifts the measured order by a few percent at these steps.
    assert order == pytest.approx(ORDERS[kind], abs=0.15)


def test_the_first_step_of_bdf2_is_of_order_2_by_itself():
    """One step has an error of h^3, also of the stage formulas of SDIRK2; with another coefficient it is h^2."""
    model = double_pendulum(stiffness=0.5, damping=0.05)
    errors = []
    for h in (4e-3, 2e-3):
        exact = final_state(model, Dop853(rtol=1e-13, atol=1e-13), h)
        errors.append(np.linalg.norm(final_state(model, Bdf2(h=h), h).qdot - exact.qdot))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(3.0, abs=0.15)


@pytest.mark.parametrize("kind", ["free_translation_rotation", "free_translation_euler"])
def test_bdf2_keeps_its_order_while_coordinates_are_recentred(kind):
    """The past step is rewritten in the new coordinates; left as it was, the next step would be far off."""
    model = free_body(kind, (0.5, 9.0, 0.7))
    t = 0.6  # 5.4 rad: beyond 1.5 pi, and through three gimbal locks
    steppers = [integrator.begin(model, model.initial_state()) for integrator in (Bdf2(h=1.5e-2), Bdf2(h=7.5e-3))]
    reference = Dop853(rtol=1e-11, atol=1e-11).begin(model, model.initial_state())
    poses = []
    for stepper in (*steppers, reference):
        stepper.advance(t)
        poses.append(stepper.body_motion()[0][0])
    coarse, fine = (np.linalg.norm(E - poses[2]) for E in poses[:2])
    assert np.log2(coarse / fine) == pytest.approx(2.0, abs=0.3)  # coarse steps, to be quick
    assert fine < 0.05  # after 5.4 rad at 0.07 rad a step


@pytest.mark.parametrize("cls", [Rk45, Dop853, Radau, ExtrapolatedEuler])
def test_adaptive_error_follows_the_tolerance(cls):
    model = double_pendulum()
    exact = final_state(model, Dop853(rtol=1e-12, atol=1e-12), 0.4)
    errors = []
    for tolerance in (1e-5, 1e-8):
        state = final_state(model, cls(rtol=tolerance, atol=tolerance), 0.4)
        errors.append(np.abs(np.concatenate([state.q - exact.q, state.qdot - exact.qdot])).max())
    # Tolerances bound the error of one step; this many steps may add up to some 30 times as much.
    assert errors[0] < 30e-5
    assert errors[1] < 30e-8


def test_without_scipy_only_radau_is_missing_and_names_the_wheel(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    model = double_pendulum()
    with pytest.raises(MissingWheelError, match="integrator 'radau' needs the 'scipy' wheel"):
        Radau().begin(model, model.initial_state())


@pytest.mark.parametrize("kind", [kind for kind in ADAPTIVE if kind != "radau"])
def test_other_adaptive_methods_need_numpy_alone(kind):
    """In a process of its own, where nothing of scipy has been imported yet."""
    program = (
        "import sys\n"
        "sys.modules['scipy'] = None\n"
        f"sys.path[:0] = {sys.path!r}\n"
        "from engine.integrators.pendulums import double_pendulum\n"
        "from redmax.integrators import INTEGRATORS\n"
        "model = double_pendulum()\n"
        f"print(INTEGRATORS[{kind!r}]().begin(model, model.initial_state()).advance(0.1).t)\n"
        "assert not any(name.startswith('scipy.') for name in sys.modules)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "0.1\n"), run.stderr


def test_all_formulations_of_the_dynamics_give_the_same_run():
    model = double_pendulum(damping=0.1)
    states = [
        final_state(model, RungeKutta4(h=0.01, dynamics=route), 0.2)
        for route in ("recursive", "projected", "si_guenter")
    ]
    for state in states[1:]:
        # Rounding of 20 steps of quantities of order 10.
        np.testing.assert_allclose(state.q, states[0].q, atol=1e-12)
        np.testing.assert_allclose(state.qdot, states[0].qdot, atol=1e-12)


def test_energy_is_kept_by_dop853_and_lost_by_implicit_methods():
    model = double_pendulum()
    start = energy(model, model.initial_state())
    changes = {
        integrator.kind: energy(model, final_state(model, integrator, 1.0)) - start
        for integrator in (
            Dop853(rtol=1e-10, atol=1e-10),
            RungeKutta4(h=1e-2),
            SemiImplicitEuler(h=1e-2),
            Bdf2(h=1e-2),
            Bdf1(h=1e-2),
        )
    }
    assert abs(changes["dop853"]) < 1e-8  # the tolerance times the number of steps
    assert abs(changes["rk4"]) < 1e-4  # h^4 times a modest constant
    assert abs(changes["semi_implicit_euler"]) < 0.1  # oscillates within order h
    assert changes["bdf1"] < changes["bdf2"] < 0.0


def test_linearly_implicit_euler_survives_springs_that_explicit_methods_do_not():
    model = double_pendulum(stiffness=1e5, damping=10.0)
    state = final_state(model, LinearlyImplicitEuler(h=1e-2), 0.5)
    assert np.abs(state.q).max() < 0.1  # held near rest, 0


def test_linearly_implicit_euler_counts_damping_once():
    """M v1 = M v0 - h d v1 without gravity: v1 = v0 / (1 + h d / I) exactly. RBDN eq. 1.30 would damp twice."""
    d, h = 0.3, 0.05
    model = chain(hinge(0, qdot=2.0, damping=d), gravity=(0.0, 0.0, 0.0))
    I = model.inertia[0, 1] + model.inertia[0, 3] * 0.25**2
    state = final_state(model, LinearlyImplicitEuler(h=h), h)
    assert state.qdot[0] == pytest.approx(2.0 / (1.0 + h * d / I), rel=1e-14)
    assert state.q[0] == pytest.approx(h * state.qdot[0], rel=1e-14)


@pytest.mark.parametrize("cls", INTEGRATORS, ids=INTEGRATORS.kinds)
def test_stepping_changes_nothing_it_was_given_and_repeats_exactly(cls):
    model = double_pendulum()
    start = model.initial_state()
    before = {name: value.copy() for name, value in vars(model).items() if isinstance(value, np.ndarray)}
    states = [cls().begin(model, start).advance(0.05) for _ in range(2)]
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(model, name), value, err_msg=name)
    np.testing.assert_array_equal(start.q, model.q0)
    np.testing.assert_array_equal(states[0].q, states[1].q)
    np.testing.assert_array_equal(states[0].qdot, states[1].qdot)
