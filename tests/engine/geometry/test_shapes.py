# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed forms of simple solids against numerical integration over their volume."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redmax.geometry import shapes
from redmax.spatial import pose
from redmax.spatial.inertia import MassProperties, combine

# The integrands are polynomials that the rules below integrate exactly, so only round-off of some thousand terms
# remains.
RELATIVE = 1e-13

lengths = st.floats(0.05, 20.0)
densities = st.floats(0.1, 1e4)
quick = settings(max_examples=25, deadline=None)

GAUSS_X, GAUSS_W = np.polynomial.legendre.leggauss(6)  # exact to degree 11


def interval(a: float, b: float) -> tuple[np.ndarray, np.ndarray]:
    return 0.5 * (a + b) + 0.5 * (b - a) * GAUSS_X, 0.5 * (b - a) * GAUSS_W


def unit_disc() -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 2) and weights of an area rule: Gauss in the radius, equal steps in the angle."""
    r, w = interval(0.0, 1.0)
    turn = 2 * np.pi * np.arange(8) / 8
    points = r[:, None, None] * np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    weights = np.repeat((w * r)[:, None], 8, axis=1) * 2 * np.pi / 8
    return points.reshape(-1, 2), weights.ravel()


def round_solid(radius_at, *ends: float) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 3) and weights of a volume rule for a solid of revolution, piecewise between the `ends` in z."""
    disc, area = unit_disc()
    points, weights = [], []
    for a, b in pairwise(ends):
        for z, w in zip(*interval(a, b), strict=True):
            r = radius_at(z)
            points.append(np.column_stack([r * disc, np.full(len(disc), z)]))
            weights.append(w * r**2 * area)
    return np.concatenate(points), np.concatenate(weights)


def integrated(points: np.ndarray, weights: np.ndarray, density: float) -> MassProperties:
    masses = density * weights
    center = masses @ points / masses.sum()
    d = points - center
    second = np.einsum("n,ni,nj->ij", masses, d, d)
    return MassProperties(masses.sum(), center, np.trace(second) * np.eye(3) - second)


def assert_same(a: MassProperties, b: MassProperties) -> None:
    assert a.mass == pytest.approx(b.mass, rel=RELATIVE)
    size = np.sqrt(np.abs(b.inertia).max() / b.mass)
    np.testing.assert_allclose(a.center, b.center, atol=10 * RELATIVE * size)
    np.testing.assert_allclose(a.inertia, b.inertia, atol=10 * RELATIVE * np.abs(b.inertia).max())


@given(lengths, lengths, lengths, densities)
@quick
def test_box_is_its_integral(a, b, c, density):
    (x, wx), (y, wy), (z, wz) = (interval(-s / 2, s / 2) for s in (a, b, c))
    points = np.stack(np.meshgrid(x, y, z, indexing="ij"), axis=-1).reshape(-1, 3)
    weights = np.einsum("i,j,k->ijk", wx, wy, wz).ravel()
    assert_same(shapes.box((a, b, c), density), integrated(points, weights, density))
    assert shapes.box_volume((a, b, c)) == pytest.approx(weights.sum(), rel=RELATIVE)


@given(lengths, densities)
@quick
def test_sphere_is_its_integral(r, density):
    points, weights = round_solid(lambda z: np.sqrt(r**2 - z**2), -r, r)
    assert_same(shapes.sphere(r, density), integrated(points, weights, density))
    assert shapes.sphere_volume(r) == pytest.approx(weights.sum(), rel=RELATIVE)


@given(lengths, lengths, densities)
@quick
def test_cylinder_is_its_integral(r, h, density):
    points, weights = round_solid(lambda z: r, -h / 2, h / 2)
    assert_same(shapes.cylinder(r, h, density), integrated(points, weights, density))
    assert shapes.cylinder_volume(r, h) == pytest.approx(weights.sum(), rel=RELATIVE)


@given(lengths, lengths, densities)
@quick
def test_capsule_is_its_integral(r, h, density):
    def radius_at(z: float) -> float:
        return np.sqrt(max(r**2 - max(abs(z) - h / 2, 0.0) ** 2, 0.0))

    points, weights = round_solid(radius_at, -h / 2 - r, -h / 2, h / 2, h / 2 + r)
    assert_same(shapes.capsule(r, h, density), integrated(points, weights, density))
    assert shapes.capsule_volume(r, h) == pytest.approx(weights.sum(), rel=RELATIVE)


@given(lengths, lengths, densities)
@quick
def test_cone_is_its_integral(r, h, density):
    points, weights = round_solid(lambda z: r * (0.5 - z / h), -h / 2, h / 2)
    assert_same(shapes.cone(r, h, density), integrated(points, weights, density))
    assert shapes.cone_volume(r, h) == pytest.approx(weights.sum(), rel=RELATIVE)


@given(lengths, lengths, lengths, densities)
@quick
def test_ellipsoid_is_its_integral(a, b, c, density):
    points, weights = round_solid(lambda z: np.sqrt(1.0 - z**2), -1.0, 1.0)
    radii = np.array([a, b, c])
    points, weights = points * radii, weights * radii.prod()
    assert_same(shapes.ellipsoid(radii, density), integrated(points, weights, density))
    assert shapes.ellipsoid_volume(radii) == pytest.approx(weights.sum(), rel=RELATIVE)


def test_known_numbers():
    assert shapes.box((1, 2, 3), 4.0).mass == 24.0
    np.testing.assert_allclose(np.diag(shapes.box((1, 2, 3), 4.0).inertia), [26, 20, 10], rtol=1e-15)
    assert shapes.sphere(1.0, 3.0).mass == pytest.approx(4 * np.pi, rel=1e-15)
    np.testing.assert_allclose(shapes.cone(1.0, 4.0, 1.0).center, [0, 0, -1], rtol=1e-15)


def test_special_cases_agree():
    assert_same(shapes.capsule(0.7, 0.0, 2.0), shapes.sphere(0.7, 2.0))
    assert_same(shapes.ellipsoid((0.7, 0.7, 0.7), 2.0), shapes.sphere(0.7, 2.0))


@given(lengths, lengths, lengths)
@quick
def test_a_box_is_its_eight_octants(a, b, c):
    octant = shapes.box((a / 2, b / 2, c / 2), 3.0)
    parts = [
        octant.transformed(pose.make(np.eye(3), np.array(signs) * [a / 4, b / 4, c / 4]))
        for signs in product((-1, 1), repeat=3)
    ]
    assert_same(combine(parts), shapes.box((a, b, c), 3.0))


@given(lengths, lengths)
@quick
def test_a_cylinder_is_its_two_halves(r, h):
    half = shapes.cylinder(r, h / 2, 3.0)
    parts = [half.transformed(pose.make(np.eye(3), [0, 0, z])) for z in (-h / 4, h / 4)]
    assert_same(combine(parts), shapes.cylinder(r, h, 3.0))


SOLIDS = [
    lambda s, density: shapes.box((s, 2 * s, 3 * s), density),
    shapes.sphere,
    lambda s, density: shapes.cylinder(s, 2 * s, density),
    lambda s, density: shapes.capsule(s, 2 * s, density),
    lambda s, density: shapes.cone(s, 2 * s, density),
    lambda s, density: shapes.ellipsoid((s, 2 * s, 3 * s), density),
]


@pytest.mark.parametrize("solid", SOLIDS)
def test_solids_are_physical_and_scale_with_the_fifth_power(solid):
    small, large = solid(1.0, 2.0), solid(2.0, 2.0)
    assert small.problems() == []
    assert large.mass == pytest.approx(8 * small.mass, rel=1e-14)
    np.testing.assert_allclose(large.center, 2 * small.center, rtol=1e-14)
    np.testing.assert_allclose(large.inertia, 32 * small.inertia, rtol=1e-14)
    # Already along their principal axes: the body frame keeps its axes.
    np.testing.assert_array_equal(pose.rotation(small.principal()[0]), np.eye(3))


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
@pytest.mark.parametrize("solid", SOLIDS)
def test_impossible_lengths_are_refused(solid, bad):
    with pytest.raises(ValueError, match="in metres, zero or more"):
        solid(bad, 1.0)


def test_a_box_needs_three_lengths():
    with pytest.raises(ValueError, match="box: size is"):
        shapes.box((1.0, 2.0), 1.0)
