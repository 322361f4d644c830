# SPDX-License-Identifier: GPL-3.0-or-later
"""What surfaces and points in contact must satisfy, from their equations F(x) = 0 alone."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from redmax.joints import PointContact, SurfaceContact
from redmax.symbolic.surfaces import SURFACES

SIZES = {
    "sphere": (0.4, 0.1, 0.1),
    "ellipsoid": (0.5, 0.4, 0.3),
    "torus": (0.6, 0.15, 0.1),
    "cylinder": (0.3, 0.1, 0.1),
    "plane": (1.0, 1.0, 1.0),
}
PAIRS = [pair for pair in itertools.product(SURFACES, SURFACES) if pair != ("plane", "plane")]


def F(kind, sizes, x):
    """Zero on a surface, and growing outwards."""
    a, b = sizes[:2]
    if kind == "sphere":
        return x @ x - a * a
    if kind == "ellipsoid":
        return (x / np.array(sizes)) @ (x / np.array(sizes)) - 1.0
    if kind == "torus":
        return (np.hypot(x[0], x[1]) - a) ** 2 + x[2] ** 2 - b * b
    return x[0] ** 2 + x[1] ** 2 - a * a if kind == "cylinder" else x[2]


def normal(kind, sizes, x):
    h = 1e-6
    gradient = np.array([(F(kind, sizes, x + h * e) - F(kind, sizes, x - h * e)) / (2.0 * h) for e in np.eye(3)])
    return gradient / np.linalg.norm(gradient)


def point_of(kind, sizes, u, v):
    """A point of a surface by the angles of its frame; of an ellipsoid by its normal."""
    n = np.array([np.cos(v) * np.cos(u), np.cos(v) * np.sin(u), np.sin(v)])
    radial = np.array([np.cos(u), np.sin(u), 0.0])
    if kind == "ellipsoid":
        return np.square(sizes) * n / np.linalg.norm(np.array(sizes) * n)
    if kind == "torus":
        return sizes[0] * radial + sizes[1] * n
    if kind == "sphere":
        return sizes[0] * n
    return sizes[0] * radial + np.array([0.0, 0.0, v]) if kind == "cylinder" else np.array([u, v, 0.0])


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_surfaces_touch_with_one_tangent_plane(first, second, inside):
    rng = np.random.default_rng(4)
    joint = SurfaceContact.part(
        first=first,
        first_size=SIZES[first],
        second=second,
        second_size=SIZES[second],
        twist=0.4,
        spin=True,
        inside=inside,
    )
    for _ in range(5):
        q = rng.uniform(-1.0, 1.0, joint.ndof)
        Q = joint.motion(q, np.zeros(joint.ndof)).Q
        known = dict(zip(joint.dof_names, q, strict=True))
        p1 = point_of(first, SIZES[first], known["u1"], known.get("v1", 0.0))
        assert abs(F(first, SIZES[first], p1)) < 1e-15
        p2 = Q[:3, :3].T @ (p1 - Q[:3, 3])
        assert abs(F(second, SIZES[second], p2)) < 1e-14
        n1, n2 = normal(first, SIZES[first], p1), Q[:3, :3] @ normal(second, SIZES[second], p2)
        np.testing.assert_allclose(n1, n2 if inside else -n2, atol=1e-8)  # differences of 1e-6


@pytest.mark.parametrize("first", SURFACES)
def test_a_point_stays_on_its_surface(first):
    rng = np.random.default_rng(5)
    joint = PointContact.part(first=first, first_size=SIZES[first])
    for chart in range(joint.chart_count):
        Q = joint.motion(rng.uniform(-1.0, 1.0, 5), np.zeros(5), chart).Q
        assert abs(F(first, SIZES[first], Q[:3, 3])) < 1e-15


def test_two_circles_meet():
    joint = PointContact.part(first="circle", first_size=(0.5, 1.0, 1.0), second="ellipse", second_size=(0.3, 0.2, 1.0))
    Q = joint.motion(np.array([0.3, -0.8, 0.5, 0.2, 0.9]), np.zeros(5)).Q
    x = Q[:3, :3] @ np.array([0.3 * np.cos(-0.8), 0.2 * np.sin(-0.8), 0.0]) + Q[:3, 3]
    np.testing.assert_allclose(x, [0.5 * np.cos(0.3), 0.5 * np.sin(0.3), 0.0], atol=1e-15)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"first": "plane", "second": "plane"}, "two planes, which touch everywhere"),
        ({"first": "torus", "first_size": (0.1, 0.2, 0.1)}, "make the ring larger than the tube"),
        ({"first": "cylinder", "second": "cylinder"}, "do not move it independently at the start"),
    ],
)
def test_what_cannot_touch_is_said(fields, expected):
    found = [" ".join(problem[:2]) for problem in SurfaceContact.part(**fields).problems()]
    assert any(expected in sentence for sentence in found), found


def test_a_curve_does_not_lie_on_a_surface():
    (problem,) = PointContact.part(first="sphere", second="circle").problems()
    assert problem.what == "holds a circle on a sphere"
