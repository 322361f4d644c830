# SPDX-License-Identifier: GPL-3.0-or-later
"""Simple shapes around points: each encloses them, is as small as it can be, and is found whatever way it lies."""

from typing import Any

import numpy as np
import pytest

from redmax_blender._engine import so3
from redmax_blender.bridge.core import enclosing_ball, hull_points, surface_fit


def _box(size: Any = (1.0, 2.0, 3.0)) -> Any:
    return 0.5 * np.array(size) * [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]


def _ball(radius: float = 0.7, rings: int = 25) -> Any:
    theta, phi = np.meshgrid(np.linspace(0.0, np.pi, rings), np.linspace(0.0, 2.0 * np.pi, 2 * rings - 1)[:-1])
    theta, phi = theta.ravel(), phi.ravel()
    return radius * np.stack([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], 1)


def _rod(radius: float = 0.3, length: float = 2.0, points: int = 48) -> Any:
    angle = np.linspace(0.0, 2.0 * np.pi, points + 1)[:-1]
    ring = radius * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], 1)
    end = np.array([0.0, 0.0, 0.5 * length])
    return np.concatenate([ring - end, ring + end])


def _capsule(radius: float = 0.25, straight: float = 1.0) -> Any:
    ball = _ball(radius, 25)
    return np.concatenate(
        [ball[ball[:, 2] >= 0] + [0, 0, 0.5 * straight], ball[ball[:, 2] <= 0] - [0, 0, 0.5 * straight]]
    )


def _cone(radius: float = 0.5, height: float = 1.2) -> Any:
    ring = _rod(radius, 2.0)[:48] * [1.0, 1.0, 0.0]
    return np.vstack([ring, [0.0, 0.0, height]]) - [0.0, 0.0, 0.5 * height]


VOLUMES = {
    "box": (_box(), 6.0),
    "sphere": (_ball(), 4.0 / 3.0 * np.pi * 0.7**3),
    "cylinder": (_rod(), np.pi * 0.3**2 * 2.0),
    "capsule": (_capsule(), np.pi * 0.25**2 * (1.0 + 4.0 / 3.0 * 0.25)),
    "cone": (_cone(), np.pi / 3.0 * 0.5**2 * 1.2),
    "ellipsoid": (_ball(1.0) * [0.3, 0.5, 0.8], 4.0 / 3.0 * np.pi * 0.3 * 0.5 * 0.8),
}
SIZES = {"box": [1.0, 2.0, 3.0], "sphere": [1.4] * 3, "cylinder": [0.6, 0.6, 2.0], "capsule": [0.5, 0.5, 1.5]}
SIZES |= {"cone": [1.0, 1.0, 1.2], "ellipsoid": [0.6, 1.0, 1.6]}


def _distance_outside(fit: Any, points: Any) -> float:
    """How far the furthest point is outside a shape, roughly: by the shape's own inequality."""
    local = (points - fit.E[:3, 3]) @ fit.E[:3, :3]
    aside = np.linalg.norm(local[:, :2], axis=1)
    match fit.kind:
        case "box":
            return float((np.abs(local) - 0.5 * fit.size).max())
        case "sphere":
            return float((np.linalg.norm(local, axis=1) - fit.radius).max())
        case "cylinder":
            return float(max((aside - fit.radius).max(), (np.abs(local[:, 2]) - 0.5 * fit.straight).max()))
        case "cone":
            low = local[:, 2] + 0.5 * fit.straight
            return float(max((aside - fit.radius * (1.0 - low / fit.straight)).max(), (-low).max()))
        case "ellipsoid":
            return float(fit.size.min() * (np.linalg.norm(2.0 * local / fit.size, axis=1).max() - 1.0))
    beyond = np.maximum(np.abs(local[:, 2]) - 0.5 * fit.straight, 0.0)
    return float((np.hypot(aside, beyond) - fit.radius).max())


@pytest.mark.parametrize("kind", VOLUMES)
def test_the_tightest_shape_is_the_one_that_was_drawn(kind: str) -> None:
    points, volume = VOLUMES[kind]
    found = surface_fit.best(points, volume)
    assert found is not None
    assert found.kind == kind
    assert found.volume == pytest.approx(volume, rel=1e-6 if kind == "box" else 5e-3)  # facets
    np.testing.assert_allclose(sorted(found.size), sorted(SIZES[kind]), rtol=5e-3)


@pytest.mark.parametrize("kind", VOLUMES)
@pytest.mark.parametrize("other", VOLUMES)
def test_every_shape_encloses_any_points(kind: str, other: str) -> None:
    rng = np.random.default_rng(3)
    for points in (VOLUMES[other][0], rng.normal(size=(200, 3)) * [1.0, 0.2, 3.0] + [5.0, -2.0, 1.0]):
        size = float(np.ptp(points, axis=0).max())
        assert _distance_outside(surface_fit.fit(kind, points), points) <= 1e-7 * size


@pytest.mark.parametrize("kind", VOLUMES)
def test_a_shape_is_found_in_any_place_and_size(kind: str) -> None:
    points, volume = VOLUMES[kind]
    for scale in (1e-3, 1e3):
        R = so3.exp(np.array([0.4, -1.1, 0.7]))
        moved = scale * (points @ R.T + [3.0, -1.0, 2.0])
        found = surface_fit.best(moved, scale**3 * volume)
        assert found is not None
        assert found.kind == kind
        np.testing.assert_allclose(np.sort(found.size), scale * np.sort(SIZES[kind]), rtol=1e-2)
        np.testing.assert_allclose(found.E[:3, 3], scale * np.array([3.0, -1.0, 2.0]), atol=1e-2 * scale)


def test_a_tetrahedron_is_better_served_by_its_hull() -> None:
    corners = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)], np.float64)
    assert surface_fit.best(corners, 8.0 / 3.0) is None


def test_the_smallest_ball_is_no_larger_than_any_ball() -> None:
    rng = np.random.default_rng(5)
    for dimension in (2, 3):
        for _ in range(20):
            points = rng.normal(size=(rng.integers(2, 60), dimension))
            centre, radius = enclosing_ball.enclosing_ball(points)
            assert np.linalg.norm(points - centre, axis=1).max() <= radius * (1.0 + 1e-8)
            for step in 1e-4 * rng.normal(size=(30, dimension)):  # every other centre needs a larger one
                assert np.linalg.norm(points - centre - step, axis=1).max() > radius * (1.0 - 1e-9)


def test_hull_points_are_few_and_their_hull_is_nearly_that_of_all() -> None:
    rng = np.random.default_rng(7)
    inside = rng.uniform(-0.5, 0.5, size=(5000, 3))
    found = hull_points.hull_points(np.concatenate([inside, _box((1.2, 1.2, 1.2))]), 64)
    assert sorted(found.chosen) == list(range(5000, 5008))
    assert found.error < 1e-6
    ball = _ball(1.0, 60)
    errors = [hull_points.hull_points(ball, most).error for most in (16, 32, 64, 128)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.05
    assert len(hull_points.hull_points(ball, 64).chosen) == 64


def test_a_thin_plate_keeps_its_thickness() -> None:
    plate = _box((1.0, 1.0, 1e-4))
    assert len(hull_points.hull_points(plate, 64).chosen) == 8
    assert not surface_fit.is_flat(plate)
    assert surface_fit.is_flat(plate * [1.0, 1.0, 0.0])
