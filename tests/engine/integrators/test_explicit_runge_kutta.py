# SPDX-License-Identifier: GPL-3.0-or-later
"""Our RK45 and DOP853 beside scipy's: the same numbers and, by classical control, steps; and what scipy's do not do."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import DOP853, RK45

from engine.integrators.pendulums import double_pendulum
from redmax.integrators import routes
from redmax.integrators.explicit_runge_kutta import MAX_FACTOR, PART_OF_WORK, ExplicitRungeKutta, StepTooSmallError
from redmax.integrators.tableaux import CLASSICAL, DORMAND_PRINCE_5, DORMAND_PRINCE_8, STEADY

METHODS = {"rk45": (DORMAND_PRINCE_5, RK45), "dop853": (DORMAND_PRINCE_8, DOP853)}
each_method = pytest.mark.parametrize(("method", "scipy_class"), METHODS.values(), ids=METHODS)


def satellite(t, y):
    """A satellite about two bodies that turn about each other: fast and slow by turns, so that steps are rejected."""
    mu = 0.012277471
    x, z, vx, vz = y
    d1, d2 = ((x + mu) ** 2 + z**2) ** 1.5, ((x - 1 + mu) ** 2 + z**2) ** 1.5
    return np.array(
        [
            vx,
            vz,
            x + 2 * vz - (1 - mu) * (x + mu) / d1 - mu * (x - 1 + mu) / d2,
            z - 2 * vx - (1 - mu) * z / d1 - mu * z / d2,
        ]
    )


SATELLITE = np.array([0.994, 0.0, 0.0, -2.00158510637908])


def pendulum_slope(model):
    route = routes.begin(model)

    def slope(t, y):
        q, qdot = np.split(y, 2)
        return np.append(qdot, route.accelerations(route.at(t, q, qdot, np.zeros(2, np.int64))))

    return slope


class Counted:
    def __init__(self, slope):
        self.slope, self.count = slope, 0

    def __call__(self, t, y):
        self.count += 1
        return self.slope(t, y)


@each_method
def test_coefficients_are_scipys(method, scipy_class):
    stages = len(method.nodes)
    np.testing.assert_array_equal(method.nodes, scipy_class.C[:stages])
    for stage, row in enumerate(method.rows):
        np.testing.assert_array_equal(row, scipy_class.A[stage, :stage])
    np.testing.assert_array_equal(method.weights, scipy_class.B)
    assert method.error_order == scipy_class.error_estimator_order
    if scipy_class is RK45:
        np.testing.assert_array_equal(method.error, RK45.E)
    else:
        np.testing.assert_array_equal(method.error_5, DOP853.E5[:stages])
        np.testing.assert_array_equal(method.error_3, DOP853.E3[:stages])
        assert DOP853.E5[stages] == DOP853.E3[stages] == 0.0  # the slope at the end is not needed


@each_method
@pytest.mark.parametrize("tolerance", [1e-5, 1e-9])
@pytest.mark.parametrize("problem", ["satellite", "double pendulum"])
def test_every_step_is_scipys(method, scipy_class, tolerance, problem):
    """From the same place with the same first try both accept the same step and propose the same next one."""
    model = double_pendulum(damping=0.02)
    slope, y, t_end = {
        "satellite": (satellite, SATELLITE, 4.0),
        "double pendulum": (pendulum_slope(model), np.append(model.q0, model.qdot0), 0.5),
    }[problem]
    theirs = scipy_class(slope, 0.0, y, t_end, rtol=tolerance, atol=tolerance)
    counted = Counted(slope)
    ours = ExplicitRungeKutta(method, counted, 0.0, y, rtol=tolerance, atol=tolerance, control=CLASSICAL)
    first_try = ours._first_step(slope(0.0, y), t_end, math.inf)
    # A difference of slopes divided by a step of 1e-6 or more loses up to ten digits.
    assert first_try == pytest.approx(theirs.h_abs, rel=1e-6)
    rejections = steps = 0
    while theirs.status == "running":
        ours.t, ours.step = theirs.t, theirs.h_abs
        ours.go_on_from(theirs.t, theirs.y)
        before, evaluations = theirs.h_abs, theirs.nfev
        theirs.step()
        ours.advance(t_end)
        steps += 1
        rejected = theirs.nfev - evaluations > len(method.nodes)
        rejections += rejected
        # A rejected step is shortened by an error that is itself a small difference: six digits are left of it.
        np.testing.assert_allclose(ours.t, theirs.t, rtol=1e-6 if rejected else 1e-15)
        if not rejected:
            np.testing.assert_allclose(ours.y, theirs.y, rtol=1e-13, atol=1e-13)
        if theirs.status == "running":
            assert ours.step == pytest.approx(theirs.h_abs, rel=1e-5)
        elif not rejected:
            assert ours.step >= before  # the last step was cut short by t_end; scipy forgets what it had tried
    assert steps > 5
    assert counted.count <= theirs.nfev + 2 * steps
    if problem == "satellite" and tolerance == 1e-9:
        assert rejections > 0  # the test would be empty without


@each_method
def test_a_whole_run_takes_as_many_steps_as_scipys(method, scipy_class):
    theirs = scipy_class(satellite, 0.0, SATELLITE, 4.0, rtol=1e-9, atol=1e-9)
    counted = Counted(satellite)
    ours = ExplicitRungeKutta(method, counted, 0.0, SATELLITE, rtol=1e-9, atol=1e-9, control=CLASSICAL)
    steps = 0
    while theirs.status == "running":
        theirs.step()
        ours.advance(4.0)
        steps += 1
    assert (ours.t, theirs.t) == (4.0, 4.0)
    # The orbit passes close to a body and magnifies differences of the first steps' last digits some 1e4 times.
    np.testing.assert_allclose(ours.y, theirs.y, atol=1e-6)
    assert counted.count <= theirs.nfev  # DOP853 needs no slope at the end of a step that is rejected


def whole_run(method, control, slope, start, t_end, tolerance):
    """Where a run ends and how many slopes it took."""
    counted = Counted(slope)
    run = ExplicitRungeKutta(method, counted, 0.0, start, rtol=tolerance, atol=tolerance, control=control)
    while run.t < t_end:
        run.advance(t_end)
    return run.y, counted.count


def two_links(t, y):
    """A double pendulum of unit masses and lengths; angles from the vertical."""
    a, b, v, w = y
    s, c, g = math.sin(a - b), math.cos(a - b), 9.81
    first = -g * (2.0 * math.sin(a) - c * math.sin(b)) - s * (w * w + c * v * v)
    second = g * (2.0 * c * math.sin(a) - 2.0 * math.sin(b)) + s * (2.0 * v * v + c * w * w)
    return np.array([v, w, first / (2.0 - c * c), second / (2.0 - c * c)])


@each_method
def test_steady_control_reaches_more_with_less(method, scipy_class):
    """Slopes times error to the power at which the order trades them, over tolerances from 1e-4 to 1e-10."""
    start, k = np.array([1.0, 1.0, 0.0, 0.0]), method.error_order + 1
    exact, _ = whole_run(DORMAND_PRINCE_8, CLASSICAL, two_links, start, 2.0, 1e-14)
    price = {CLASSICAL: 1.0, STEADY: 1.0}
    tolerances = 10.0 ** -np.arange(4.0, 10.1, 0.5)
    for control in price:
        for tolerance in tolerances:
            y, count = whole_run(method, control, two_links, start, 2.0, tolerance)
            price[control] *= (count * np.abs(y - exact).max() ** (1.0 / k)) ** (1.0 / len(tolerances))
    assert price[STEADY] < 0.93 * price[CLASSICAL]  # 0.91 and 0.78 were seen


@each_method
def test_steady_control_weighs_the_last_error_and_the_one_before(method, scipy_class):
    run = ExplicitRungeKutta(method, lambda t, y: -y, 0.0, np.ones(1), rtol=1e-6, atol=1e-6, control=STEADY)
    k = method.error_order + 1
    plain = {"rejected": False, "cut_short": False}
    assert run._factor(0.5, 1.0, **plain) == pytest.approx(0.9 * 0.5 ** (-1.0 / k))  # none before
    assert run._factor(0.25, 1.0, **plain) == pytest.approx(0.9 * 0.25 ** (-0.6 / k) * 0.5 ** (0.2 / k))
    assert run._factor(0.8, 1.0, rejected=False, cut_short=True) == pytest.approx(
        0.9 * 0.8 ** (-0.6 / k) * 0.25 ** (0.2 / k)
    )
    # A step cut short was not remembered; one that was tried twice is, and is not followed by a longer one.
    assert run._factor(0.3, 1.0, **plain) == pytest.approx(0.9 * 0.3 ** (-0.6 / k) * 0.25 ** (0.2 / k))
    assert run._factor(0.01, 1.0, rejected=True, cut_short=False) == 1.0
    assert run._factor(0.3, 1.0, **plain) == pytest.approx(0.9 * 0.3 ** (-0.6 / k) * 0.01 ** (0.2 / k))
    assert run._factor(1e-6, 1.0, **plain) == pytest.approx(min(10.0, 0.9 * 1e-6 ** (-1.0 / k)))  # far too short a step
    assert run._factor(0.5, 1.0, **plain) == pytest.approx(0.9 * 0.5 ** (-0.6 / k) * 1e-4 ** (0.2 / k))
    assert run._factor(0.0, 1.0, **plain) == MAX_FACTOR
    # After a step that had to be eight times as accurate: as if it had been as long and as inaccurate as others.
    run._factor(0.5, 1.0, **plain)
    expected = 0.9 * 0.4 ** (-0.6 / k) * 0.5 ** (0.2 / k) * 8.0 ** (1.0 / k)
    assert run._factor(0.05, 8.0, **plain) == pytest.approx(expected)


@each_method
def test_quadratures_follow_the_motion_and_do_not_change_it(method, scipy_class):
    """y' = (cos t, -sin t) with the integral of the product beside it, which is cos(2 t) / 4 - 1/4 of (sin, cos)."""

    def circle(t, y):
        return np.array([y[1], -y[0]])

    def with_product(t, y):
        return np.append(circle(t, y), (y[0] * y[1], 1e9))

    plain = ExplicitRungeKutta(method, circle, 0.0, np.array([0.0, 1.0]), rtol=1e-9, atol=1e-9)
    both = ExplicitRungeKutta(
        method, with_product, 0.0, np.array([0.0, 1.0, 0.0, 0.0]), rtol=1e-9, atol=1e-9, quadratures=2
    )
    while plain.t < 5.0:
        plain.advance(5.0)
        both.advance(5.0)
        np.testing.assert_allclose(both.t, plain.t, rtol=1e-9)  # six to nine digits of a step, see above
        np.testing.assert_allclose(both.y[:2], plain.y, atol=1e-8)
    # sin^2(5) / 2; the tolerance and some hundred steps of RK45.
    assert both.y[2] == pytest.approx(0.5 * np.sin(5.0) ** 2, abs=1e-7)
    assert both.y[3] == pytest.approx(5e9, rel=1e-13)


@each_method
def test_quadratures_alone_choose_their_own_steps(method, scipy_class):
    counted = Counted(lambda t, y: np.array([np.exp(-t) * np.cos(40.0 * t) * 1e6]))
    run = ExplicitRungeKutta(method, counted, 0.0, np.zeros(1), rtol=1e-9, atol=1e-9, quadratures=1)
    while run.t < 2.0:
        run.advance(2.0)
    exact = 1e6 * ((np.exp(-2.0) * (40.0 * np.sin(80.0) - np.cos(80.0))) + 1.0) / (1.0 + 40.0**2)
    assert run.y[0] == pytest.approx(exact, abs=1e-9 * 1e6)
    assert counted.count > 100  # one step would have been far off


@each_method
def test_energies_shorten_steps_where_the_motion_would_allow_longer_ones(method, scipy_class):
    """Work sin(w t) / w beside a motion that any step can follow. It may be off by what the tolerance allows of |power|
    over the whole time; noise far below the energy of the motion counts for nothing."""
    rtol, w = 1e-9, 40.0

    def solved(power, energy):
        def slope(t, y):
            return np.array([y[1], 0.0, power * math.cos(w * t), 0.0])

        run = ExplicitRungeKutta(
            method, slope, 0.0, np.array([0.0, 1.0, 0.0, 0.0]), rtol=rtol, atol=rtol, quadratures=2, energy=energy
        )
        steps = 0
        while run.t < 1.0:
            run.advance(1.0, 0.25)
            steps += 1
        return abs(run.y[2] - power * math.sin(w) / w), steps

    allowed = PART_OF_WORK * rtol
    assert solved(1.0, 0.0)[0] > 1e3 * allowed
    assert solved(1.0, 1.0)[0] < allowed
    assert solved(1e-12, 1.0) == (pytest.approx(0.0, abs=1e-12), solved(1e-12, 0.0)[1])


@each_method
def test_an_end_that_cuts_a_step_short_does_not_shorten_the_next(method, scipy_class):
    run = ExplicitRungeKutta(
        method, lambda t, y: np.array([y[1], -y[0]]), 0.0, np.array([0.0, 1.0]), rtol=1e-6, atol=1e-6
    )
    for _ in range(5):
        run.advance(10.0)
    usual, t = run.step, run.t
    run.advance(t + 1e-9)
    assert run.t == t + 1e-9
    assert run.step >= usual


@each_method
def test_times_that_only_rounding_tells_apart_are_passed_without_a_step(method, scipy_class):
    counted = Counted(lambda t, y: np.array([3.0]))
    run = ExplicitRungeKutta(method, counted, 1.0, np.array([2.0]), rtol=1e-6, atol=1e-6)
    run.advance(math.nextafter(1.0, 2.0))
    assert (run.t, counted.count) == (math.nextafter(1.0, 2.0), 1)
    assert run.y[0] == pytest.approx(2.0, abs=1e-15)


@each_method
@pytest.mark.parametrize(
    "slope",
    [
        lambda t, y: np.array([0.0, np.nan]),
        lambda t, y: np.array([0.0, np.inf]),
        lambda t, y: np.array([0.0, y[1] ** 2]),
    ],
    ids=["nan", "inf", "blow-up"],
)
def test_what_no_step_can_follow_names_its_component(method, scipy_class, slope):
    run = ExplicitRungeKutta(method, slope, 0.0, np.array([1.0, 1.0]), rtol=1e-8, atol=1e-8)

    def go_on():
        for _ in range(10_000):
            run.advance(2.0)

    with np.errstate(all="ignore"), pytest.raises(StepTooSmallError) as caught:
        go_on()
    assert caught.value.component == 1


@each_method
def test_a_slope_whose_square_is_beyond_all_numbers_is_followed_or_refused(method, scipy_class):
    run = ExplicitRungeKutta(method, lambda t, y: np.array([1e200]), 0.0, np.zeros(1), rtol=1e-8, atol=1e-8)
    with np.errstate(over="ignore"):
        try:
            run.advance(2.0)
        except StepTooSmallError:
            return
    assert run.y[0] == pytest.approx(run.t * 1e200)
