# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples read off inside steps: as scipy's dense output, as accurate as ends of steps, and without a say in them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import DOP853, RK45

from engine.integrators.pendulums import chain, double_pendulum, free_body, hinge
from engine.integrators.test_energy_balance import CASES, TIGHT, remainder, run
from redmax.dynamics.kinematics import kinematics
from redmax.integrators import Dop853, IntegrationError, Rk45, RungeKutta4
from redmax.integrators.explicit_runge_kutta import ExplicitRungeKutta, NotFiniteError
from redmax.integrators.tableaux import DORMAND_PRINCE_5, DORMAND_PRINCE_8, inside
from redmax.tables import Table

METHODS = {"rk45": (DORMAND_PRINCE_5, RK45, 4), "dop853": (DORMAND_PRINCE_8, DOP853, 7)}
each_method = pytest.mark.parametrize(("method", "scipy_class", "order"), METHODS.values(), ids=METHODS)
each_class = pytest.mark.parametrize("cls", [Dop853, Rk45], ids=lambda cls: cls.kind)


def swing(t, y):
    """A pendulum with its own integral beside it."""
    return np.array([y[1], -9.81 * math.sin(y[0]), y[0] * y[1] + math.cos(t)])


START = np.array([1.0, 0.5, 0.0])


def one_step(method, h, **options):
    """A single step of length h from the start, of which everything is known."""
    solver = ExplicitRungeKutta(method, swing, 0.0, START, rtol=1e-3, atol=1e-3)
    solver.step = 2.0 * h
    solver.advance(h, sample=0.01 * h, interval=0.0, **options)
    assert solver.t == h
    return solver


@each_method
def test_the_inside_of_a_step_is_scipys(method, scipy_class, order):
    theirs = scipy_class(swing, 0.0, START, 0.05, rtol=1e-3, atol=1e-3, first_step=0.05)
    theirs.step()
    assert theirs.t == 0.05
    ours, dense = one_step(method, 0.05), theirs.dense_output()
    for t in np.linspace(0.0, 0.05, 11):
        np.testing.assert_allclose(ours.inside(t), dense(t), rtol=1e-13, atol=1e-14)


@each_method
def test_the_inside_joins_both_ends_with_their_slopes(method, scipy_class, order):
    solver, h, d = one_step(method, 0.05), 0.05, 1e-6
    np.testing.assert_allclose(solver.inside(0.0), START, atol=1e-15)
    np.testing.assert_allclose(solver.inside(h), solver.y, atol=1e-14)
    for t, y, inwards in ((0.0, START, d), (h, solver.y, -d)):
        rate = (solver.inside(t + inwards) - y) / inwards
        np.testing.assert_allclose(rate, swing(t, y), atol=2e-5)  # half the second derivative times d, and rounding


@each_method
def test_the_order_inside_is_one_less_than_at_the_end(method, scipy_class, order):
    """Error of one step at 0.37 of its length falls with h to the power order + 1."""
    errors = []
    lengths = (0.2, 0.1) if order == 7 else (0.04, 0.02)
    for h in lengths:
        exact = ExplicitRungeKutta(DORMAND_PRINCE_8, swing, 0.0, START, rtol=1e-13, atol=1e-14)
        while exact.t < 0.37 * h:
            exact.advance(0.37 * h)
        errors.append(np.abs(one_step(method, h).inside(0.37 * h) - exact.y).max())
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order + 1, abs=0.6)


def test_a_polynomial_is_read_row_by_row():
    rows = np.array([[5.0], [2.0], [3.0], [7.0]])
    x = 0.25
    assert inside(rows, x)[0] == pytest.approx(5.0 + x * (2.0 + (1.0 - x) * (3.0 + x * 7.0)))


@each_method
def test_steps_shorter_than_two_intervals_end_at_the_sample(method, scipy_class, order):
    """Their inside costs nothing because nobody asks for it."""
    count = 0

    def counted(t, y):
        nonlocal count
        count += 1
        return swing(t, y)

    def steps(interval):
        nonlocal count
        solver = ExplicitRungeKutta(method, counted, 0.0, START, rtol=1e-8, atol=1e-8)
        solver.step, count = 0.02, 0
        solver.advance(math.inf, sample=0.019, interval=interval)
        return solver.t, count

    stages = len(method.nodes)
    assert steps(0.019) == (0.019, stages + method.ends_with_slope)
    solver = ExplicitRungeKutta(method, counted, 0.0, START, rtol=1e-3, atol=1e-3)
    solver.step, count = 0.1, 0
    solver.advance(math.inf, sample=0.019, interval=0.019)
    assert solver.t > 0.019
    assert count == method.slopes


def test_what_is_not_finite_beyond_a_sample_is_said():
    """Such a step is not taken, so that one can be taken that ends at the sample."""
    broken = False

    def slope(t, y):
        return np.array([math.nan if broken and t > 0.96 and y[0] > 0.06 else 1.0])

    class Broken(ExplicitRungeKutta):
        def _error(self, *step):
            nonlocal broken
            broken = True  # after the stages: only slopes for the inside come after this
            return super()._error(*step)

    solver = Broken(DORMAND_PRINCE_8, slope, 0.9, np.zeros(1), rtol=1e-3, atol=1e-3)
    solver.step = 0.2
    with pytest.raises(NotFiniteError):
        solver.advance(1.0, sample=0.95, interval=0.0)
    assert solver.t == 0.9
    solver.advance(0.95)
    assert solver.y[0] == pytest.approx(0.05, abs=1e-15)


MODELS = {
    "double pendulum": double_pendulum(),
    "damped": double_pendulum(damping=0.1, stiffness=1.0),
    "five links": chain(*(hinge(k, q=0.2) for k in range(5))),
    "damped bodies": CASES["body damping"][0],
    "torque tables": CASES["torque tables"][0],
}
"""None has charts: where they change depends on the steps, and the error with it."""
SAMPLES = {Dop853: np.arange(1, 481) / 480.0, Rk45: np.arange(1, 961) / 3840.0}
"""So often that most lie inside steps."""


def seen(model, integrator, times):
    """Poses, twists, work and loss at given times; the stepper, and how many of the times lay inside a step."""
    stepper = integrator.begin(model, model.initial_state())
    rows, inner = [], 0
    for t in times:
        state = stepper.advance(t)
        assert state is stepper.state
        assert state.t == t
        inner += stepper._front.t > t
        kin = kinematics(model, state.q, state.qdot, state.chart)
        rows.append(np.concatenate([kin.E_wi.ravel(), kin.phi.ravel(), [stepper.work, stepper.loss]]))
    return np.array(rows), stepper, inner


def ends_of_free_steps(model, integrator, t_end):
    stepper, times = integrator.begin(model, model.initial_state()), []
    while True:
        stepper.advance(stepper._front.t + 1e-9)
        if stepper._front.t >= t_end:
            return times
        times.append(stepper._front.t)


@each_class
@pytest.mark.parametrize("tolerance", [1e-8, *(pytest.param(t, marks=pytest.mark.slow) for t in (1e-4, 1e-6, 1e-10))])
@pytest.mark.parametrize("name", MODELS)
def test_samples_inside_steps_are_as_accurate_as_ends_of_steps(name, tolerance, cls, monkeypatch):
    pytest.importorskip("numba")  # thousands of steps
    model, integrator, samples = MODELS[name], cls(rtol=tolerance, atol=tolerance), SAMPLES[cls]
    ours, _, inner = seen(model, integrator, samples)
    assert inner > len(samples) / 2
    with monkeypatch.context() as patch:
        patch.setattr(cls.method, "strictness", 1.0)  # steps as long as their ends allow
        times = ends_of_free_steps(model, integrator, samples[-1])
        ends, _, _ = seen(model, integrator, times)
    union = np.union1d(samples, times)
    exact, _, _ = seen(model, Dop853(rtol=1e-13, atol=1e-13), union)
    at_samples = np.abs(ours - exact[np.searchsorted(union, samples)])
    at_ends = np.abs(ends - exact[np.searchsorted(union, times)])
    for what, columns in (("motion", slice(None, -2)), ("work and loss", slice(-2, None))):
        # ends may by luck be far more accurate than asked for; samples need not
        assert at_samples[:, columns].max() < 3.0 * max(at_ends[:, columns].max(), tolerance), what


@each_class
def test_how_often_samples_are_taken_does_not_change_long_steps(cls):
    """Twice as many samples: the same steps, and where both look the same numbers to the last digit."""
    model, integrator = double_pendulum(damping=0.1), cls(rtol=1e-5, atol=1e-5)
    ours, coarse, inner = seen(model, integrator, np.arange(1, 121) / 480.0)
    more, fine, _ = seen(model, integrator, np.arange(1, 241) / 960.0)
    assert inner > 100
    assert coarse.steps == fine.steps < 40
    np.testing.assert_array_equal(ours, more[1::2])


@each_class
@pytest.mark.parametrize("case", CASES)
def test_books_balance_between_ends_of_steps(case, cls):
    """Also across corners and jumps of inputs, where steps end and samples lie on both sides."""
    trajectory = run(CASES[case][0], cls(**TIGHT), fps=2400.0, duration=0.14)
    assert remainder(trajectory) < 1e-7


@pytest.mark.parametrize("dynamics", ["fast", "recursive"])
def test_states_are_handed_out_recentred(dynamics):
    """A body that spins at 9 rad/s: inside steps its rotation vector grows past 1.5 pi, where it is shortened."""
    model = free_body("free", (9.0, 1.0, 2.0))
    stepper = Dop853(rtol=1e-4, atol=1e-4, dynamics=dynamics).begin(model, model.initial_state())
    lengths = [np.linalg.norm(stepper.advance(t).q[:3]) for t in np.arange(1, 601) / 300.0]
    assert stepper.steps < 200
    assert 1.45 * math.pi < max(lengths) <= 1.5 * math.pi


@pytest.mark.parametrize("dynamics", ["fast", "recursive"])
def test_what_lies_beyond_the_last_sample_does_not_spoil_it(dynamics, monkeypatch):
    model = double_pendulum()
    stepper = Dop853(rtol=1e-6, atol=1e-6, dynamics=dynamics).begin(model, model.initial_state())
    stepper.advance(0.2)
    go_past = type(stepper)._go_past

    def up_to_there(self, t_end, interval, t_bound, limit):
        if t_bound > 0.201:
            raise IntegrationError("beyond")
        go_past(self, t_end, interval, t_bound, limit)

    monkeypatch.setattr(type(stepper), "_go_past", up_to_there)
    assert stepper.advance(0.2005).t == 0.2005
    with pytest.raises(IntegrationError, match="beyond"):
        stepper.advance(0.25)


def test_what_is_met_for_a_moment_does_not_go_unseen():
    """An arm turns freely through an eighth of a radian in which a spring slows it and pushes it on."""
    x, y = (-9.0, 2.5, 2.53, 2.56, 2.59, 2.62, 99.0), (0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0)
    hill = Table(x=x, y=[[value] for value in y])
    model = chain(hinge(0, q=0.0, qdot=1.0, stiffness_table=hill), gravity=(0.0, 0.0, 0.0))
    ends = []
    for integrator in (Dop853(rtol=1e-8, atol=1e-8), RungeKutta4(h=1e-3)):
        stepper = integrator.begin(model, model.initial_state())
        for t in np.arange(1, 401) / 100.0:
            state = stepper.advance(t)
        ends.append(state.q[0])
    assert ends[1] < 3.99  # the hill has cost it some time
    assert ends[0] == pytest.approx(ends[1], abs=1e-4)
