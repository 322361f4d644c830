# SPDX-License-Identifier: GPL-3.0-or-later
"""Q, S and Sdot of written joints against jets, which differentiate the same texts in another way."""

from __future__ import annotations

import itertools

import jets
import numpy as np
import pytest

from redmax.joints import Custom, PointContact, SurfaceContact
from redmax.symbolic.graph import Derivative, Graph
from redmax.symbolic.surfaces import CURVES, SURFACES

AGREES = 1e-13  # a few hundred operations on numbers of about 1

SIZES = {"sphere": (0.4, 0.1, 0.1), "ellipsoid": (0.5, 0.4, 0.3), "torus": (0.6, 0.15, 0.1)}
PAIRS = [pair for pair in itertools.product(SURFACES, SURFACES) if pair != ("plane", "plane")]


def sizes(kind, factor=1.0):
    return tuple(factor * size for size in SIZES.get(kind, (0.3, 0.2, 0.1)))


def compare(joint, seed=0):
    rng = np.random.default_rng(seed)
    for chart in range(joint.chart_count):
        q, qdot = rng.uniform(0.2, 1.0, joint.ndof), rng.uniform(-1.0, 1.0, joint.ndof)
        expected = jets.motion(joint.texts, joint.dof_names, chart, q, qdot)
        for found, exact in zip(joint.motion(q, qdot, chart), expected, strict=True):
            np.testing.assert_allclose(found, exact, rtol=0.0, atol=AGREES * max(1.0, np.abs(exact).max()))


@pytest.mark.parametrize("spin", [False, True])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_every_pair_of_surfaces(first, second, spin):
    compare(
        SurfaceContact.part(
            first=first, first_size=sizes(first), second=second, second_size=sizes(second, 1.3), spin=spin, twist=0.7
        )
    )


@pytest.mark.parametrize("first", [*CURVES, *SURFACES])
def test_a_point_on_every_curve_and_surface(first):
    compare(PointContact.part(first=first, first_size=sizes(first)))


@pytest.mark.parametrize(("first", "second"), [*itertools.combinations_with_replacement(CURVES, 2)])
def test_every_pair_of_curves(first, second):
    compare(PointContact.part(first=first, second=second, first_size=(0.5, 0.4, 0.1), second_size=(0.3, 0.2, 0.1)))


CUSTOM = {
    "cam": ("a: rad", "Rz(a) * Tz(0.2 * (1 - cos(3 * a)) / 2)"),
    "functions": ("a: 1; b: 1", "T(exp(a) / 3, log(1 + b), sqrt(a * b)) * Rx(tanh(a)) * Ry(sinh(b) - cosh(a))"),
    "arcs": ("a: 1; b: 1", "Rx(asin(a / 2)) * Ty(acos(b / 2)) * Rz(atan(a * b)) * Tx(atan2(a, -b)) * Ry(tan(a))"),
    "powers": ("a: 1; b: 1", "T(a**3, b**-2, (a + b)**2.5) * Rz(a**0.5 * b**7) * Tx(a**20)"),
    "moving axis": ("a: rad; b: 1; c: rad", "R(a, 1 - b, b**2, c) * T(a, b, c) * R(0, 0, -2, a * b) * R(1, 2, 3, c)"),
    "euler": ("a: rad; b: rad; c: rad", "euler_zxz(a, b, c) * euler_yzx(c, a * b, b) * Ty(a)"),
    "signs": ("a: rad; b: rad", "Rz(-a) * Tx(-(a - b)) * Ry(-(-b)) * Tz(b - a) * Rx(-2 * a) * Ty(-a * -b / -(1 + b))"),
}


@pytest.mark.parametrize("title", CUSTOM)
def test_custom_joints(title):
    coordinates, transform = CUSTOM[title]
    compare(Custom.part(coordinates=coordinates, transform=transform))


def test_equal_parts_are_one_node_and_nothing_is_left_of_zeros():
    g = Graph(2)
    x, y = g.inputs
    assert x + y is y + x
    assert x * y is y * x
    assert (x - y) is -(y - x)
    assert x - x is g.zero
    assert 0.0 * g.sine(x) + y is y
    assert (-x) * (-y) is x * y
    assert g.sine(g.constant(np.pi)) is g.zero
    by_x = Derivative(g, [1.0, 0.0])
    assert by_x(y * y) is g.zero
    assert by_x(x * y) is y
