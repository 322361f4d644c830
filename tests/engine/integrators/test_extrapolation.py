# SPDX-License-Identifier: GPL-3.0-or-later
"""Extrapolated linearly implicit Euler: order by columns, stiffness without short steps, compiled as readable."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from engine.integrators.pendulums import chain, double_pendulum, hinge
from engine.mechanisms import four_bar
from redmax import fast
from redmax.compile import compile as compile_scene
from redmax.integrators import Dop853, ExtrapolatedEuler, extrapolation
from redmax.integrators.extrapolation import (
    COUNTS,
    MOST_COLUMNS,
    Linearisation,
    LinearlyImplicitExtrapolation,
    StepMatrix,
    change_within,
)
from redmax.kernels import route
from redmax.simulate import record, simulate
from redmax.tables import Table


def oscillator(k: float, d: float, *, t: float = 0.0, y: tuple[float, float] = (1.0, 0.0), **settings):
    """x'' = -k x - d x', with the exact matrix and the energy taken out as a quadrature."""
    one = np.ones((1, 1))

    def slope(t, y):
        return np.array([y[1], -k * y[0] - d * y[1], 0.0, d * y[1] ** 2])

    return LinearlyImplicitExtrapolation(
        slope, lambda t, y: Linearisation(one, -k * one, -d * one), t, np.array([*y, 0.0, 0.0]), **settings
    )


def exact(k: float, d: float, t: float) -> float:
    """x(t) from x = 1 at rest, overdamped or not."""
    root = np.sqrt(complex(d * d / 4.0 - k))
    fast_rate, slow = -d / 2.0 - root, -d / 2.0 + root
    return float(((fast_rate * np.exp(slow * t) - slow * np.exp(fast_rate * t)) / (fast_rate - slow)).real)


@pytest.mark.parametrize("k", range(1, 7))
def test_each_column_adds_an_order(k):
    """The error of one step with k rows is h^(k + 1)."""
    errors = []
    for h in (0.1, 0.05) if k < 6 else (0.2, 0.1):
        solver = oscillator(1.0, 0.2, rtol=1e-12, atol=1e-12)
        rows, system = [], solver.linearise(0.0, solver.y)
        for row in range(1, k + 1):
            rows = solver._next_row(rows, solver._euler(system, h, h, int(COUNTS[row - 1])), row)
        errors.append(abs(rows[-1][0] - exact(1.0, 0.2, h)))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(k + 1, abs=0.5)


@pytest.mark.parametrize("wrong", [0.0, 0.5, 2.0])
def test_the_order_holds_whatever_the_matrix_is(wrong):
    """Five rows, error h^6, with a matrix that holds another stiffness than the force has."""
    errors = []
    for h in (0.1, 0.05):
        solver = oscillator(1.0, 0.2, rtol=1e-12, atol=1e-12)
        rows, system = [], Linearisation(np.ones((1, 1)), -wrong * np.ones((1, 1)), np.zeros((1, 1)))
        for row in range(1, 6):
            rows = solver._next_row(rows, solver._euler(system, h, h, int(COUNTS[row - 1])), row)
        errors.append(abs(rows[-1][0] - exact(1.0, 0.2, h)))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(6.0, abs=0.6)


@pytest.mark.parametrize("tolerance", [1e-4, 1e-7, 1e-10])
def test_a_stiff_decay_costs_few_steps_and_keeps_the_tolerance(tolerance):
    """Rates 1e6 and 1: explicit steps would be some 300 000 in a second."""
    solver = oscillator(1e6, 1e6 + 1.0, rtol=tolerance, atol=tolerance)
    steps = 0
    while solver.t < 1.0:
        solver.advance(1.0)
        steps += 1
    assert abs(solver.y[0] - exact(1e6, 1e6 + 1.0, 1.0)) < 10.0 * tolerance
    assert steps < 120
    # all of the spring's energy has gone into the damper, but for what x has left
    assert solver.y[3] == pytest.approx(0.5e6 * (1.0 - solver.y[0] ** 2), rel=10.0 * math.sqrt(tolerance))


@pytest.mark.parametrize("amplitude", [5e-4, 9e-4, 1e-3, 1.1e-3, 2e-3, 1e-2, 0.1])
def test_calm_steps_let_a_vibration_die_whatever_its_size(amplitude):
    """1000 rad/s. Errors are largest in steps of about a period: a step that fails there is tried longer, too."""
    solver = oscillator(1e6, 0.0, y=(amplitude, 0.0), rtol=1e-6, atol=1e-6, calm=True)
    steps = 0
    while solver.t < 1.0:
        solver.advance(1.0, 1.0 / 24.0)
        steps += 1
        if solver.t < 0.2:
            last = math.hypot(solver.y[0], 1e-3 * solver.y[1])
    assert last < 1e-3 * amplitude
    assert steps < 40


@pytest.mark.slow
def test_a_vibration_is_followed_or_dies_away_as_asked():
    """1000 rad/s, excited, over 2 s: followed it keeps its energy; calm steps soon pass over it."""
    steps, energies = [], []
    for calm in (False, True):
        solver = oscillator(1e6, 0.0, y=(1e-3, 0.0), rtol=1e-6, atol=1e-6, calm=calm)
        count = 0
        while solver.t < 2.0:
            solver.advance(2.0, 1.0 / 24.0)
            count += 1
        steps.append(count)
        energies.append(0.5e6 * solver.y[0] ** 2 + 0.5 * solver.y[1] ** 2)
    assert energies[0] == pytest.approx(0.5, rel=1e-2)
    assert energies[1] < 1e-6
    assert steps[0] > 5 * steps[1]


def test_constraints_are_kept_by_small_steps():
    """The change of velocities beyond h a is along Z only, and it is the one that the reduced matrix gives."""
    rng = np.random.default_rng(3)
    A = rng.normal(size=(5, 5))
    M, K, D = A @ A.T + np.eye(5), -1e4 * (A.T @ A), -10.0 * np.eye(5)
    G = rng.normal(size=(2, 5))
    Z = np.linalg.svd(G)[2][2:].T
    v, a, h = rng.normal(size=5), rng.normal(size=5), 0.01
    matrix = StepMatrix(Linearisation(M, K, D, Z), h)
    beyond = matrix.change(v, a) - h * a
    np.testing.assert_allclose(G @ beyond, 0.0, atol=1e-12)
    # (M - h D - h^2 K) (h a + w) - h M a - h^2 K v has no part along Z
    left = (M - h * D - h * h * K) @ (h * a + beyond) - h * M @ a - h * h * K @ v
    np.testing.assert_allclose(Z.T @ left, 0.0, atol=1e-10)


def test_rates_are_those_of_the_linearised_mechanism():
    M, K, D = np.diag([2.0, 0.5]), np.diag([-200.0, -8.0]), np.diag([-0.2, -3.0])
    assert Linearisation(M, K, D).rates() == pytest.approx((10.0, 6.0))
    only_first = Linearisation(M, K, D, np.array([[1.0], [0.0]]))
    assert only_first.rates() == pytest.approx((10.0, 0.1))
    assert Linearisation(M, -K, D).rates()[0] == 0.0  # pushes away: nothing vibrates


def test_what_changes_of_the_matrix_is_measured_where_it_is_largest():
    one, nothing = np.eye(2), np.zeros((2, 2))
    free, held = Linearisation(one, nothing, nothing), Linearisation(one, nothing, np.diag([0.0, -1e6]))
    assert change_within(0.01, free, free) == 0.0
    for pair in ((free, held), (held, free)):
        assert change_within(0.01, *pair) == pytest.approx(1e4 / (1.0 + 1e4))
        assert change_within(1e-7, *pair) == pytest.approx(0.1 / 1.1)  # in no time it matters little
    turned = np.array([[math.cos(0.2), -math.sin(0.2)], [math.sin(0.2), math.cos(0.2)]])
    other = Linearisation(one, nothing, turned @ held.D @ turned.T)
    assert change_within(0.01, held, other) < 1e-9  # a damper that turns stays the same damper


def test_a_stop_is_met_and_left_on_time():
    """A ball that flies at 1 m/s meets a very stiff, damped stop, and leaves it when a push of 2 N comes after 1 s.

    At the stop it is slower by the rate 1e5/s within 10 micrometres; left behind it moves by a t^2 / 2.
    """
    d = 1e5

    def slope(t, y):
        push = -2.0 if t > 1.0 else 0.0
        held = d * y[1] if y[0] > 0.5 else 0.0
        return np.array([y[1], push - held, 0.0, held * y[1]])

    def linearise(t, y):
        return Linearisation(np.ones((1, 1)), np.zeros((1, 1)), np.full((1, 1), -d if y[0] > 0.5 else 0.0))

    solver = LinearlyImplicitExtrapolation(
        slope, linearise, 0.0, np.array([0.0, 1.0, 0.0, 0.0]), rtol=1e-10, atol=1e-10
    )
    for t_bound in (0.9, 1.0, 2.0):
        while solver.t < t_bound:
            solver.advance(t_bound)
        if t_bound == 0.9:
            assert solver.y[0] == pytest.approx(0.5 + 1.0 / d, abs=1e-7)
            assert solver.y[3] == pytest.approx(0.5, rel=1e-5)
    # the push drags it out of the damper at 2/d m/s, for 0.5 s, and then it is free; 2e-8 m are 1 ms
    assert solver.y[0] == pytest.approx(0.5 - 0.5**2, abs=1e-3)


@pytest.mark.skipif(route.name() != "numba", reason="needs kernels")
@pytest.mark.parametrize("name", ["JUDGED", "OF_VIBRATIONS"])
def test_kernels_know_the_same_numbers(name):
    from redmax.kernels.steps import extrapolation as compiled

    assert getattr(compiled, name) == getattr(extrapolation, name)


def test_the_work_of_a_step_never_exceeds_its_columns():
    solver = oscillator(1.0, 0.0, rtol=1e-13, atol=1e-13)
    for _ in range(20):
        solver.advance(100.0)
        assert 2 <= solver.order < MOST_COLUMNS


# --- in mechanisms ------------------------------------------------------------------------------------------------

SWING = Table(x=(0.0, 0.2, 0.6), y=((0.0,), (0.5,), (-0.3,)), interpolation="cubic")


def driven():
    """Animated, damped and stiff at once."""
    return chain(
        hinge(0, motion_type="animated", animation=SWING),
        hinge(1, q=0.4, stiffness=1e5, damping=300.0),
        hinge(2, q=-0.2, damping=0.05),
    )


def result(model, integrator, duration=0.5):
    found = record(
        model, simulate(model, integrator=integrator, fps=24.0, duration=duration), integrator=integrator, fps=24.0
    )
    assert found.status == "complete", found.message
    return found


@pytest.mark.parametrize("build", [driven, double_pendulum, lambda: compile_scene(four_bar(qdot=2.0))])
def test_runs_agree_with_the_explicit_method(build):
    model = build()
    tight = result(model, Dop853(rtol=1e-11, atol=1e-11))
    for tolerance in (1e-5, 1e-8):
        found = result(model, ExtrapolatedEuler(rtol=tolerance, atol=tolerance))
        assert np.abs(found.position - tight.position).max() < 30.0 * tolerance
        for name in ("work", "loss"):
            size = np.abs(tight.channels["energy"]).max()
            assert np.abs(found.channels[name] - tight.channels[name]).max() < 30.0 * math.sqrt(tolerance) * size


def vibrating(q=1e-3):
    """Stiff and let go away from rest; nothing takes its energy out but calm steps."""
    return chain(hinge(0, q=0.3), hinge(1, q=q, stiffness=1e6))


@pytest.mark.skipif(route.name() != "numba", reason="needs kernels")
@pytest.mark.parametrize("h", [1e-5, 1e-4, 3e-4, 1e-3, 1e-2])
def test_compiled_steps_know_errors_of_vibrations_as_readable_ones(h):
    model = vibrating(q=0.05)
    settings = ExtrapolatedEuler(rtol=1e-5, atol=1e-5, vibrations="slow")
    found = []
    for each in (settings, dataclasses.replace(settings, dynamics="recursive")):
        solver = each.begin(model, model.initial_state())._solver
        found.append(solver._try(solver._linearised(solver.t, solver.y), h, solver.t + h, 4))
    compiled, readable = found
    assert (compiled.accepted, compiled.broken) == (readable.accepted, readable.broken)
    assert compiled.errors == pytest.approx(readable.errors, rel=1e-6)  # differences of large numbers
    assert compiled.vibrates == (readable.vibrates and not readable.accepted) == (h > 2e-4)  # periods: 0.6 ms


@pytest.mark.parametrize(
    ("build", "vibrations"),
    [(driven, "all"), (driven, "slow"), (vibrating, "slow"), (lambda: compile_scene(four_bar(qdot=2.0)), "all")],
)
def test_compiled_steps_are_the_readable_ones(build, vibrations):
    model = build()
    if fast.new_tree(model) is None and fast.constrained_tree(model) is None:
        pytest.skip("needs numba")
    settings = ExtrapolatedEuler(rtol=1e-7, atol=1e-7, vibrations=vibrations)
    compiled = settings.begin(model, model.initial_state())
    readable = dataclasses.replace(settings, dynamics="recursive").begin(model, model.initial_state())
    assert compiled.tree is not None
    assert readable.tree is None
    for frame in range(1, 6):
        one, two = compiled.advance(frame / 24.0), readable.advance(frame / 24.0)
        assert compiled.steps == readable.steps
        np.testing.assert_allclose(one.q, two.q, atol=1e-11)
        np.testing.assert_allclose(one.qdot, two.qdot, atol=1e-9)
        assert (compiled.work, compiled.loss) == pytest.approx((readable.work, readable.loss), rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("rate", [1e-3, 1.0, 30.0, 1e4])
@pytest.mark.parametrize("count", [1, 2, 7])
def test_a_damper_that_stops_a_mass_within_small_steps_takes_its_kinetic_energy(rate, count):
    """m dv/dt = -m r v: whatever r h is, what is booked as lost is m (v^2 - v'^2) / 2."""
    mass, v = 2.0, 3.0

    def slope(_t, y):
        return np.array([y[1], -rate * y[1], 0.0, mass * rate * y[1] ** 2])

    system = Linearisation(np.array([[mass]]), np.zeros((1, 1)), np.array([[-mass * rate]]))
    y = np.array([0.0, v, 0.0, 0.0])
    method = LinearlyImplicitExtrapolation(slope, lambda _t, _y: system, 0.0, y, rtol=1e-6, atol=1e-6, calm=True)
    end = method._euler(system, 1.0, 1.0, count)
    assert end[1] == pytest.approx(v / (1.0 + rate / count) ** count, rel=1e-9, abs=1e-10)
    assert end[3] == pytest.approx(0.5 * mass * (v**2 - end[1] ** 2), rel=1e-7)
