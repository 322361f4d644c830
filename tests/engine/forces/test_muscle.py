# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves of a muscle against the printed coefficients and closed forms, and the tension they give."""

from __future__ import annotations

import numpy as np
import pytest

from redmax.forces import Muscle
from redmax.forces.lines.muscle_curves import ACTIVE_LENGTH, PASSIVE, VELOCITY
from redmax.forces.lines.muscle_law import MuscleLaw
from redmax.tables import Table

PRINTED = {
    "passive": (
        PASSIVE,
        [
            [2.55305620081729, -7.02386028610914, 6.38855196976641, -1.91774788447456],
            [-2.76122280853939, 14.6587935048229, -23.0429533092186, 11.3749950550874],
        ],
    ),
    "active length": (
        ACTIVE_LENGTH,
        [
            [-39.881247949014, 68.3443204612586, -35.5324573534802, 5.83029153632759],
            [-0.322674853252855, -1.71744046959073, 4.40290549894003, -1.36279017609645],
            [4.85118460831817, -20.9908796589089, 28.3080866793169, -11.2356843095252],
        ],
    ),
    "velocity": (
        VELOCITY,
        [
            [0.915253473864, 2.745760421593, 2.745760421593, 0.915253473864],
            [-453.333333333333, -8.780487804878, 5.0, 1.0],
            [0.266648649866, -0.799945949598, 0.799945949598, 1.133351350134],
        ],
    ),
}
CURVES = [PASSIVE, ACTIVE_LENGTH, VELOCITY]
JOINTS = [(curve, x) for curve in CURVES for x in curve.points]


@pytest.mark.parametrize("name", PRINTED)
def test_coefficients_are_the_printed_ones(name):
    """To the digits in print: 1.42, 1.44 and 1.46; the passive curve ends at 1.7, where eq. 1.41 prints 1.8."""
    curve, printed = PRINTED[name]
    assert np.allclose(curve.coefficients, printed, rtol=3e-12, atol=3e-12)


@pytest.mark.parametrize(("curve", "x"), JOINTS)
def test_value_and_slope_go_on_at_the_joints(curve, x):
    below, above = curve(x - 1e-9), curve(x + 1e-9)
    at = curve(x)
    assert abs(below[0] - at[0]) <= 1e-8
    assert abs(above[0] - at[0]) <= 1e-8
    assert abs(below[1] - above[1]) <= 1e-5  # bends up to 2720 over 2e-9


@pytest.mark.parametrize(
    ("curve", "x", "value", "slope"),
    [
        (PASSIVE, 1.0, 0.0, 0.0),
        (PASSIVE, 1.3, 0.126110265892917, 1.07051016402631),
        (PASSIVE, 1.7, 1.0, 2.85714285714286),
        (PASSIVE, 2.0, 1.0 + 0.3 * 2.85714285714286, 2.85714285714286),
        (PASSIVE, 0.3, 0.0, 0.0),
        (PASSIVE, -5.0, 0.0, 0.0),
        (ACTIVE_LENGTH, 0.4, 0.0, 0.0),
        (ACTIVE_LENGTH, 1.0, 1.0, 0.0),
        (ACTIVE_LENGTH, 1.81, 0.0, 0.0),
        (ACTIVE_LENGTH, 0.1, 0.0, 0.0),
        (ACTIVE_LENGTH, 3.0, 0.0, 0.0),
        (VELOCITY, -1.0, 0.0, 0.0),
        (VELOCITY, 0.0, 1.0, 5.0),
        (VELOCITY, 1.0, 1.4, 0.0),
        (VELOCITY, -7.0, 0.0, 0.0),
        (VELOCITY, 7.0, 1.4, 0.0),
    ],
)
def test_curves_have_their_stated_values_and_are_clamped_outside(curve, x, value, slope):
    found = curve(x)
    assert found[0] == pytest.approx(value, abs=1e-12)
    assert found[1] == pytest.approx(slope, abs=1e-11)


def test_curves_keep_their_shape():
    """The velocity curve never falls, no curve is negative, and the active one is greatest at the optimal length."""
    x = np.linspace(-2.0, 2.5, 4001)
    assert np.diff([VELOCITY(v)[0] for v in x]).min() >= -1e-13
    assert min(curve(v)[0] for curve in CURVES for v in x) >= -1e-12
    assert max(ACTIVE_LENGTH(v)[0] for v in x) <= 1.0 + 1e-12


@pytest.mark.parametrize("x", [0.2, 1.0, 1.15, 1.3, 1.62, 1.7, 2.6])
def test_the_integral_is_the_energy_of_the_passive_curve(x):
    points = np.linspace(PASSIVE.points[0], x, 200001)
    values = np.array([PASSIVE(v)[0] for v in points])
    step = points[1] - points[0]
    by_sum = step * (values.sum() - 0.5 * (values[0] + values[-1]))
    assert PASSIVE.integral(x) == pytest.approx(by_sum, abs=1e-9)


def law(**values):
    settings = {"f_opt": 500.0, "l_opt": 0.1, "tendon": 0.2, "v_max": 8.0, "activation": 1.0, "table": None}
    return MuscleLaw(**(settings | values))


def test_tension_at_the_landmarks():
    """Isometric and optimal: the peak force. Shortening at greatest speed: the passive part alone."""
    assert law().tension(0.3, 0.0, 0.0)[0] == pytest.approx(500.0, rel=1e-12)
    assert law().tension(0.3, -0.8, 0.0)[0] == pytest.approx(0.0, abs=1e-10)
    assert law(activation=0.0).tension(0.37, -3.0, 0.0)[0] == pytest.approx(500.0, rel=1e-12)
    assert law(activation=0.5).tension(0.3, 0.8, 0.0)[0] == pytest.approx(0.5 * 1.4 * 500.0, rel=1e-12)


def test_activation_over_time_is_clamped():
    """A cubic table overshoots its points."""
    table = Table(x=(0.0, 0.1, 0.9, 1.0), y=((0.0,), (1.0,), (1.0,), (0.0,)), interpolation="cubic")
    assert float(table.value(0.5)[0]) > 1.2
    assert law(table=table).activation_at(0.5) == 1.0
    assert law(table=table).activation_at(-0.2) == 0.0


def test_keys_in_single_precision_may_pass_the_ends_by_rounding():
    ends = {"peak_force": 1.0, "optimal_length": 1.0, "body_a": None, "body_b": "Arm"}
    for beyond, refused in ((1e-7, False), (1e-3, True)):
        table = Table(x=(0.0, 1.0), y=((-beyond,), (1.0 + beyond,)))
        said = [text for text, *_ in Muscle(name="M", activation_table=table, **ends).problems()]
        assert any("has an activation of" in text for text in said) == refused


def test_active_power_is_work_and_passive_power_is_stored():
    """Shortening puts energy in, being stretched takes it back."""
    assert law().powers(0.3, -0.1, 0.0)[0] > 0.0
    assert law().powers(0.3, 0.1, 0.0)[0] < 0.0
    assert law(activation=0.0).powers(0.37, 0.1, 0.0) == (0.0, 0.0)
