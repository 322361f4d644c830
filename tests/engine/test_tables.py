# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables: functions given by points, against scipy's splines, quadrature and what the words promise."""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.interpolate import CubicHermiteSpline, CubicSpline

from redmax import io
from redmax.fields import field_problems
from redmax.joints import Revolute
from redmax.scene import Body, Inertia, Scene
from redmax.tables import Table, spline_slopes

ROUND_OFF = 1e-12  # spline systems of condition below 100, values up to 10
KINDS = ["step", "linear", "cubic", "hermite"]
each_kind = pytest.mark.parametrize("interpolation", KINDS)


def points(k, m=2, seed=50):
    """k uneven points, the first three of m columns of values."""
    rng = np.random.default_rng(seed)
    x = np.cumsum(rng.uniform(0.1, 2.0, k)) - 3.0
    return x, rng.standard_normal((k, m))


def broken_slopes(k, m=2, seed=52):
    """Slopes at the start and the end of every interval, different on the two sides of each point; None for k = 1."""
    return None if k == 1 else np.random.default_rng(seed).standard_normal((2 * (k - 1), m)).tolist()


def table(k, interpolation, m=2):
    x, y = points(k, m)
    slopes = broken_slopes(k, m) if interpolation == "hermite" else None
    return Table(x=x.tolist(), y=y.tolist(), interpolation=interpolation, slopes=slopes)


def inside(x, seed=51):
    return np.random.default_rng(seed).uniform(x[0], x[-1], 40)


@pytest.mark.parametrize("k", [4, 5, 12])
def test_cubic_is_the_not_a_knot_spline(k):
    x, y = points(k)
    spline, t = CubicSpline(x, y, bc_type="not-a-knot"), table(k, "cubic")
    np.testing.assert_allclose(spline_slopes(x, y), spline(x, 1), atol=ROUND_OFF)
    for xi in (*inside(x), *x[:-1]):
        np.testing.assert_allclose(t.value(xi), spline(xi), atol=ROUND_OFF)
        np.testing.assert_allclose(t.derivative(xi), spline(xi, 1), atol=10.0 * ROUND_OFF)
        np.testing.assert_allclose(t.second_derivative(xi), spline(xi, 2), atol=100.0 * ROUND_OFF)


def test_cubic_survives_very_uneven_points():
    # An animation with a burst of keys: 1e-3 s between some, 10 s between others.
    x = np.array([0.0, 10.0, 10.001, 10.002, 20.0, 20.001, 31.0])
    y = np.sin(x)[:, None]
    spline = CubicSpline(x, y, bc_type="not-a-knot")
    t = Table(x=x, y=y, interpolation="cubic")
    for xi in inside(x):
        np.testing.assert_allclose(t.value(xi), spline(xi), rtol=1e-9, atol=1e-9)  # condition 1e4 times 1e-13


def test_cubic_reproduces_cubics():
    def f(x):
        return 1.0 - 2.0 * x + 0.5 * x**2 - 0.25 * x**3

    x, _ = points(6)
    t = Table(x=x, y=f(x)[:, None], interpolation="cubic")
    for xi in inside(x):
        np.testing.assert_allclose(t.value(xi), [f(xi)], atol=ROUND_OFF)
        np.testing.assert_allclose(t.second_derivative(xi), [1.0 - 1.5 * xi], atol=100.0 * ROUND_OFF)


def test_cubic_through_three_points_is_their_parabola():
    x, y = points(3)
    t, parabola = table(3, "cubic"), np.polynomial.polynomial.polyfit(x, y, 2)
    for xi in (*inside(x), *x):
        np.testing.assert_allclose(t.value(xi), parabola.T @ xi ** np.arange(3), atol=ROUND_OFF)


def test_cubic_through_two_points_is_their_line():
    x, _ = points(2)
    line, cubic = table(2, "linear"), table(2, "cubic")
    for xi in inside(x):
        np.testing.assert_allclose(cubic.value(xi), line.value(xi), atol=ROUND_OFF)
        np.testing.assert_allclose(cubic.second_derivative(xi), 0.0, atol=ROUND_OFF)


@each_kind
def test_a_single_point_is_a_constant(interpolation):
    t = Table(x=(2.0,), y=((3.0, -1.0),), interpolation=interpolation)
    for xi in (-10.0, 2.0, 10.0):
        np.testing.assert_array_equal(t.value(xi), [3.0, -1.0])
        np.testing.assert_array_equal(t.derivative(xi), 0.0)
        np.testing.assert_allclose(t.integral(xi), [3.0 * xi, -xi], atol=ROUND_OFF)


def test_linear_is_numpy_interp():
    x, y = points(7)
    t = table(7, "linear")
    for xi in (*inside(x), *x, x[0] - 1.0, x[-1] + 1.0):
        np.testing.assert_allclose(t.value(xi), [np.interp(xi, x, column) for column in y.T], atol=ROUND_OFF)


def test_step_holds_each_value_from_its_point_to_the_next():
    t = Table(x=(0.0, 3.0, 6.0), y=((1.0,), (2.0,), (3.0,)), interpolation="step")
    for xi, value in ((-1.0, 1.0), (0.0, 1.0), (2.999, 1.0), (3.0, 2.0), (5.999, 2.0), (6.0, 3.0), (99.0, 3.0)):
        assert t.value(xi) == value
        assert t.derivative(xi) == 0.0


@each_kind
def test_derivatives_are_derivatives(interpolation):
    x, _ = points(6)
    t, h = table(6, interpolation), 1e-5
    middles = np.concatenate([[x[0] - 1.0], 0.5 * (x[1:] + x[:-1]) + 0.01, [x[-1] + 1.0]])
    for xi in middles:
        slope = (t.value(xi + h) - t.value(xi - h)) / (2.0 * h)
        np.testing.assert_allclose(t.derivative(xi), slope, atol=1e-8)  # h^2 times third derivatives up to 100
        bend = (t.derivative(xi + h) - t.derivative(xi - h)) / (2.0 * h)
        np.testing.assert_allclose(t.second_derivative(xi), bend, atol=1e-8)


def test_outside_the_points_all_hold_but_cubic_goes_on_straight():
    x, y = points(5)
    for interpolation in KINDS:
        t = table(5, interpolation)
        for end, away in ((0, -2.0), (-1, 2.0)):
            slope = spline_slopes(x, y)[end] if interpolation == "cubic" else np.zeros(2)
            np.testing.assert_allclose(t.value(x[end] + away), y[end] + away * slope, atol=ROUND_OFF)
            np.testing.assert_allclose(t.derivative(x[end] + away), slope, atol=ROUND_OFF)
            np.testing.assert_array_equal(t.second_derivative(x[end] + away), 0.0)


@each_kind
@pytest.mark.parametrize("k", [1, 2, 3, 6])
def test_integral_is_the_quadrature_from_zero(interpolation, k):
    x, _ = points(k)
    t = table(k, interpolation)
    for end in (x[0] - 1.5, x[0], *(0.5 * (x[1:] + x[:-1])), x[-1], x[-1] + 2.5, 0.0):
        low, high = sorted((0.0, float(end)))
        breaks = [low, *(xi for xi in x if low < xi < high), high]
        for column in range(2):
            pieces = [quad(lambda s, c=column: t.value(s)[c], a, b)[0] for a, b in pairwise(breaks)]
            expected = np.sign(end) * sum(pieces)
            np.testing.assert_allclose(t.integral(float(end))[column], expected, atol=1e-9)  # quad's own accuracy


def test_hermite_is_the_cubic_with_the_given_slopes_in_every_interval():
    x, y = points(6)
    t, slopes = table(6, "hermite"), np.array(broken_slopes(6))
    for k in range(5):
        cubic = CubicHermiteSpline(x[k : k + 2], y[k : k + 2], slopes[2 * k : 2 * k + 2])
        for xi in (x[k], *np.random.default_rng(k).uniform(x[k], x[k + 1], 10)):
            np.testing.assert_allclose(t.value(xi), cubic(xi), atol=ROUND_OFF)
            np.testing.assert_allclose(t.derivative(xi), cubic(xi, 1), atol=10.0 * ROUND_OFF)
            np.testing.assert_allclose(t.second_derivative(xi), cubic(xi, 2), atol=100.0 * ROUND_OFF)


def test_hermite_has_the_old_slope_just_before_a_point_and_the_new_one_at_it():
    x, y = points(4)
    t, slopes = table(4, "hermite"), np.array(broken_slopes(4))
    for k in range(4):
        before = np.nextafter(x[k], -np.inf)
        old = slopes[2 * k - 1] if k > 0 else np.zeros(2)
        new = slopes[2 * k] if k < 3 else np.zeros(2)
        np.testing.assert_allclose(t.value(before), y[k], atol=ROUND_OFF)
        np.testing.assert_allclose(t.value(x[k]), y[k], atol=0.0)
        np.testing.assert_allclose(t.derivative(before), old, atol=ROUND_OFF)
        np.testing.assert_allclose(t.derivative(x[k]), new, atol=0.0)
        np.testing.assert_array_equal(t.slope_jump(x[k]), new - old)


def test_hermite_with_the_slopes_of_the_spline_is_the_spline():
    x, y = points(7)
    slopes = np.repeat(spline_slopes(x, y), 2, axis=0)[1:-1]
    hermite, cubic = Table(x=x, y=y, interpolation="hermite", slopes=slopes), table(7, "cubic")
    for xi in inside(x):
        for a, b in zip(hermite.motion(xi), cubic.motion(xi), strict=True):
            np.testing.assert_allclose(a, b, atol=ROUND_OFF)
    # Only at its ends does it jump: it holds where the spline goes on.
    assert [hermite.slope_jump(xi).any() for xi in x] == [True] + [False] * 5 + [True]


@each_kind
def test_slope_jump_is_the_limit_of_differences(interpolation):
    x, _ = points(6)
    t, h = table(6, interpolation), 1e-9
    for xi in (x[0] - 1.0, *x, *(0.5 * (x[1:] + x[:-1])), x[-1] + 1.0):
        jump = t.derivative(xi + h) - t.derivative(xi - h)
        np.testing.assert_allclose(t.slope_jump(xi), jump, atol=1e-7)  # 2 h times second derivatives up to 50
    assert any(t.slope_jump(xi).any() for xi in x) == (interpolation in ("linear", "hermite"))


@each_kind
@pytest.mark.parametrize("k", [1, 2, 6])
def test_crossings_are_where_the_table_passes_a_level(interpolation, k):
    """All of them: between two neighbours the table stays on one side."""
    x, _ = points(k)
    t = table(k, interpolation)
    total = 0
    for level in (-0.5, 0.0, 0.3, 5.0):
        for column in range(2):
            found = t.crossings(column, level)
            total += len(found)
            assert not set(found) & set(x)
            for xi in found:
                assert t.value(xi)[column] == pytest.approx(level, abs=1e-9)
            for a, b in pairwise([x[0] - 30.0, *sorted({*found, *x}), x[-1] + 30.0]):
                signs = {np.sign(t.value(xi)[column] - level) for xi in np.linspace(a, b, 22)[1:-1]}
                assert len(signs) == 1
    assert (total > 0) == (interpolation != "step" and k > 1)  # the test would be empty without


def test_points_on_a_line_have_no_corner():
    """Chords of rounded values differ in their last digits; that must not look like a jump of velocity."""
    x = np.arange(40) / 24.0
    t = Table(x=x, y=np.stack([1e3 + 0.1 * x, -7.0 * x], axis=1), interpolation="linear")
    chords = [t.derivative(xi) for xi in x[:-1]]
    assert any((a != b).any() for a, b in pairwise(chords))  # the test would be empty without round-off
    for xi in x[1:-1]:
        np.testing.assert_array_equal(t.slope_jump(xi), 0.0)
    np.testing.assert_allclose(t.slope_jump(x[0]), [0.1, -7.0], rtol=1e-9)  # from standing still


def test_slopes_that_differ_by_a_rounding_are_no_corner():
    slopes = np.array([[0.0], [0.7], [np.nextafter(0.7, 1.0)], [0.0]])
    t = Table(x=(0.0, 1.0, 2.0), y=((0.0,), (0.5,), (0.0,)), interpolation="hermite", slopes=slopes)
    np.testing.assert_array_equal(t.slope_jump(1.0), 0.0)
    slopes[2] = 0.7 + 1e-12
    t = Table(x=(0.0, 1.0, 2.0), y=((0.0,), (0.5,), (0.0,)), interpolation="hermite", slopes=slopes)
    np.testing.assert_allclose(t.slope_jump(1.0), 1e-12, rtol=1e-3)


@each_kind
def test_results_do_not_give_access_to_the_table(interpolation):
    t, x = table(4, interpolation), points(4)[0]
    for xi in (x[0] - 1.0, x[1], x[-1] + 1.0):
        before = t.value(xi).copy()
        jump = t.slope_jump(xi).copy()
        for f in (t.value, t.derivative, t.second_derivative, t.slope_jump):
            f(xi)[:] = 7.0
        np.testing.assert_array_equal(t.slope_jump(xi), jump)
        np.testing.assert_array_equal(t.value(xi), before)
    assert not t.breakpoints().flags.writeable


@pytest.mark.parametrize(
    ("x", "y", "what"),
    [
        ((0.0, 1.0), ((1.0,), (2.0,), (3.0,)), "has 2 points but 3 rows of values"),
        ((0.0, 1.0, 1.0), ((1.0,), (2.0,), (3.0,)), "has points that do not increase"),
        ((0.0, 2.0, 1.0), ((1.0,), (2.0,), (3.0,)), "has points that do not increase"),
    ],
)
def test_points_and_values_must_fit(x, y, what):
    t = Table(x=x, y=y)
    assert list(field_problems(t)) == []
    assert [problem for problem, _ in t.problems()] == [what]


TWO_POINTS = {"x": (0.0, 1.0), "y": ((1.0,), (2.0,))}


@pytest.mark.parametrize(
    ("values", "what", "hint"),
    [
        ({"interpolation": "hermite"}, "has hermite interpolation but no slopes", "give 2 rows"),
        ({"interpolation": "hermite", "slopes": ((1.0,),)}, "has 1 rows of slopes for 1 intervals", "give 2 rows"),
        (
            {"interpolation": "hermite", "slopes": ((1.0,),) * 3},
            "has 3 rows of slopes for 1 intervals",
            "give 2 rows: for each interval the slopes at its start and at its end",
        ),
        (
            {"interpolation": "hermite", "slopes": ((1.0, 2.0),) * 2},
            "has 2 columns of slopes but 1 of values",
            "give one column per value",
        ),
        (
            {"interpolation": "hermite", "x": (0.0,), "y": ((1.0,),), "slopes": ((1.0,),) * 2},
            "has 2 rows of slopes for 0 intervals",
            "remove them",
        ),
        *(
            (
                {"interpolation": other, "slopes": ((1.0,),) * 2},
                f"has slopes, which {other} interpolation does not use",
                "remove them, or use hermite interpolation",
            )
            for other in ("step", "linear", "cubic")
        ),
    ],
)
def test_slopes_belong_to_hermite_tables_and_must_fit(values, what, hint):
    t = Table(**(TWO_POINTS | values))
    assert list(field_problems(t)) == []
    ((said, advice),) = t.problems()
    assert said == what
    assert advice.startswith(hint)


def test_sound_slopes_are_no_problem():
    assert list(Table(**TWO_POINTS, interpolation="hermite", slopes=((0.5,), (0.0,))).problems()) == []
    assert list(Table(x=(0.0,), y=((1.0,),), interpolation="hermite").problems()) == []


def test_hermite_tables_survive_a_file_bit_for_bit():
    t = table(5, "hermite", m=1)
    body = Body(name="b", inertia=Inertia(mass=1.0, tensor=np.eye(3).tolist()))
    joint = Revolute(name="j", parent=None, child="b", motion_type="animated", animation=t)
    text = io.dumps(Scene(bodies=[body], joints=[joint]))
    back = io.loads(text).joints[0].animation
    for name in ("x", "y", "slopes"):
        np.testing.assert_array_equal(getattr(back, name), getattr(t, name))
    assert back.interpolation == "hermite"
    assert io.dumps(io.loads(text)) == text


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({"x": ()}, "x is empty"),
        ({"slopes": ()}, "slopes is empty"),
        ({"slopes": (1.0, 2.0)}, "slopes has shape 2"),
        ({"slopes": ((1.0,), (float("inf"),))}, "slopes has a number that is not finite"),
        ({"x": (0.0, float("nan"))}, "x has a number that is not finite"),
        ({"x": 1.0}, "x is 1.0, not a list of numbers"),
        ({"y": (1.0, 2.0)}, "y has shape 2"),
        ({"y": ((1.0,), (1.0, 2.0))}, "y has rows of different lengths"),
        ({"interpolation": "smooth"}, "interpolation is 'smooth'"),
    ],
)
def test_wrong_fields_are_named(values, what):
    t = Table(**(TWO_POINTS | values))
    assert [fault.sentence for fault in field_problems(t)] == [what]


def test_a_table_needs_a_column_for_every_degree_of_freedom():
    text = """{"format": "redmax-scene", "version": 1,
      "bodies": [{"name": "b", "inertia": {"mass": 1.0, "tensor": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}}],
      "joints": [{"kind": "universal", "name": "j", "parent": null, "child": "b",
                  "torque_table": {"x": [0.0, 3.0], "y": [[1.0], [2.0]], "interpolation": "step"}}]}"""
    problems = io.read(text)[1]
    assert [str(problem) for problem in problems] == [
        "joint 'j': torque_table has 1 columns of values; give 2 columns, one per degree of freedom"
    ]


@each_kind
@pytest.mark.parametrize("count", [1, 2, 6])
def test_the_motion_of_one_column_is_that_of_the_table(interpolation, count):
    """Before, at, between and after the points."""
    t = table(count, interpolation, m=1)
    x = np.asarray(t.x)
    middle = 0.5 * (x[:-1] + x[1:])
    for at in (x[0] - 1.0, *x, *middle, x[-1] + 1.0):
        np.testing.assert_allclose(t.motion_of_one(float(at)), np.ravel(t.motion(float(at))), atol=10.0 * ROUND_OFF)


@each_kind
def test_polynomials_are_the_table_from_each_point_on(interpolation):
    t = table(6, interpolation)
    x = np.asarray(t.x)
    for k, (start, end) in enumerate(zip(x, [*x[1:], x[-1] + 1.0], strict=True)):
        for part in (0.0, 0.3, 0.9):
            d = part * (end - start)
            value = t.polynomials()[k] @ d ** np.arange(4)
            np.testing.assert_allclose(value, t.value(float(start + d)), atol=ROUND_OFF)


@each_kind
def test_peak_slopes_are_the_steepest_in_each_interval(interpolation):
    t = table(7, interpolation)
    x, peaks = np.asarray(t.x), t.peak_slopes()
    for k in range(6):
        inside = np.linspace(x[k], np.nextafter(x[k + 1], -np.inf), 2001)
        seen = np.max([np.abs(t.derivative(float(at))) for at in inside], axis=0)
        np.testing.assert_allclose(peaks[k], seen, rtol=1e-5, atol=ROUND_OFF)


def test_corners_are_where_the_slope_jumps():
    t = Table(x=(0.0, 1.0, 2.0, 3.0), y=((0.0,), (1.0,), (2.0,), (2.0,)))
    assert t.slope_corners().tolist() == [0.0, 2.0]
    assert t.slope_corners().tolist() == [x for x in t.x if t.slope_jump(x).any()]


@each_kind
def test_a_table_of_a_hundred_thousand_points_takes_no_time_to_use(interpolation):
    """Evaluated point by point in Python, any of these lines would take seconds."""
    k = 100_000
    x = np.arange(k) / 1000.0
    slopes = np.zeros((2 * (k - 1), 1)) if interpolation == "hermite" else None
    t = Table(x=x, y=np.sin(x)[:, None], interpolation=interpolation, slopes=slopes)
    begun = time.process_time()
    assert not list(t.problems())
    assert t.polynomials().shape == (k, 1, 4)
    areas = [t.integral(at)[0] for at in np.linspace(0.0, 100.0, 100)]
    t.slope_corners()
    assert time.process_time() - begun < 1.5
    np.testing.assert_allclose(areas, 1.0 - np.cos(np.linspace(0.0, 100.0, 100)), atol=2e-3)
