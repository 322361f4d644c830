# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact points of things at rest: enough of them, where they carry the weight, and steady."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import linprog

from engine.contact.contact_oracle import finder_of, pose, rotation, surface, turn
from redmax.surfaces import SURFACES, BoxSurface, CylinderSurface, HullSurface, MeshSurface, PlaneSurface, SphereSurface

MARGIN = 1e-3


def carries(points, x):
    """Whether x lies in the convex hull of points, both seen from above."""
    P = np.asarray(points)[:, :2]
    A = np.vstack([P.T, np.ones(len(P))])
    return linprog(np.zeros(len(P)), A_eq=A, b_eq=[*x[:2], 1.0], bounds=(0.0, None)).status == 0


def flat_ground():
    """A floor of triangles, a metre apart, under z = 0."""
    n = 6
    vertices = [[float(i - n / 2), float(k - n / 2), 0.0] for i in range(n + 1) for k in range(n + 1)]
    row = n + 1
    faces = [
        [row * i + k, row * (i + 1) + k, row * (i + 1) + k + 1, row * i + k + 1] for i in range(n) for k in range(n)
    ]
    return MeshSurface(name="floor", vertices=vertices, faces=faces)


GROUNDS = {
    "plane": (PlaneSurface(name="g"), pose()),
    "box": (BoxSurface(name="g", size=(8.0, 8.0, 1.0)), pose(p=(0.0, 0.0, -0.5))),
    "hull": (
        HullSurface(name="g", vertices=[[x, y, z] for x in (-4.0, 4.0) for y in (-4.0, 4.0) for z in (-1.0, 0.0)]),
        pose(),
    ),
    "mesh": (flat_ground(), pose()),
}
PRISM = HullSurface(
    name="s",
    vertices=[[math.cos(a), math.sin(a), z] for a in np.arange(6) * math.pi / 3.0 for z in (-0.4, 0.4)],
)
LYING = turn((0.0, 1.0, 0.0), 0.5 * math.pi)
AT_REST = {
    "box": (surface("box", "s"), np.eye(3), 0.35, 4),
    "cylinder standing": (CylinderSurface(name="s", radius=0.8, height=0.9), np.eye(3), 0.45, 4),
    "cylinder lying": (CylinderSurface(name="s", radius=0.8, height=0.9), LYING, 0.8, 2),
    "cone": (surface("cone", "s"), np.eye(3), 0.75, 4),
    "capsule lying": (surface("capsule", "s"), LYING, 0.4, 2),
    "prism": (PRISM, np.eye(3), 0.4, 4),
    "sphere": (surface("sphere", "s"), np.eye(3), 0.7, 1),
}


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("resting", AT_REST)
@pytest.mark.parametrize("gap", [-1e-5, 0.0, 1e-5])
def test_points_of_what_rests_carry_its_weight(ground, resting, gap):
    floor, F = GROUNDS[ground]
    shape, R, height, least = AT_REST[resting]
    finder = finder_of(shape, floor) if ground != "mesh" else finder_of(shape, scenery=[floor])
    for yaw in (0.0, 0.3):
        E = pose(turn((0.0, 0.0, 1.0), yaw) @ R, (0.13, -0.21, height + gap))
        found = finder.find(np.array([E, F]), MARGIN)
        np.testing.assert_allclose(found.normals, np.tile([0.0, 0.0, 1.0], (len(found.gaps), 1)), atol=1e-9)
        lowest = found.gaps <= gap + 1e-9
        assert lowest.sum() >= least
        assert found.gaps.min() == pytest.approx(gap, abs=1e-11)
        assert len(found.gaps) <= 16
        low = found.points[lowest]
        if least >= 4:
            assert carries(low, E[:3, 3])
        elif least == 2:
            ends = sorted(low @ E[:3, 2])
            middle = E[:3, 3] @ E[:3, 2]
            assert ends[0] < middle - 0.4
            assert ends[-1] > middle + 0.4


@pytest.mark.parametrize("kind", ["box", "cylinder", "hull"])
def test_two_of_the_same_stacked(kind):
    shape = PRISM if kind == "hull" else surface(kind, "a")
    half = {"box": 0.35, "cylinder": 0.45, "hull": 0.4}[kind]
    finder = finder_of(shape, shape)
    for gap in (-1e-7, 0.0, 1e-7):
        found = finder.find(np.array([pose(p=(0.0, 0.0, 2.0 * half + gap)), pose()]), MARGIN)
        np.testing.assert_allclose(found.gaps, gap, atol=1e-12)
        np.testing.assert_allclose(found.normals, np.tile([0.0, 0.0, 1.0], (len(found.gaps), 1)), atol=1e-9)
        assert 4 <= len(found.gaps) <= 8
        assert carries(found.points, (0.0, 0.0))


def test_crossed_edges_of_boxes_touch_in_one_point():
    a, b = BoxSurface(name="a", size=(1.0, 1.0, 1.0)), BoxSurface(name="b", size=(1.0, 1.0, 1.0))
    tilt = turn((1.0, 0.0, 0.0), 0.25 * math.pi)
    other = turn((0.0, 0.0, 1.0), 0.5 * math.pi) @ tilt
    found = finder_of(a, b).find(np.array([pose(tilt, (0.0, 0.0, math.sqrt(2.0) - 0.01)), pose(other)]), 1e-3)
    assert found.gaps.min() == pytest.approx(-0.01, abs=1e-12)
    k = int(found.gaps.argmin())
    np.testing.assert_allclose(found.normals[k], [0.0, 0.0, 1.0], atol=1e-9)
    np.testing.assert_allclose(found.points[k], [0.0, 0.0, 0.5 * math.sqrt(2.0) - 0.005], atol=1e-9)


@pytest.mark.parametrize("kind", ["cylinder", "cone"])
def test_a_tilted_rim_rolls_smoothly(kind):
    """The lowest point of a coin moves around the rim without steps, and its gap stays that of the rim."""
    shape, plane = surface(kind, "s"), PlaneSurface(name="g")
    r, half = shape.radius, 0.5 * shape.height
    finder = finder_of(shape, plane)
    tilt = turn((1.0, 0.0, 0.0), 0.3)
    lowest = []
    for angle in np.linspace(0.0, 2.0, 60):
        E = pose(tilt @ turn((0.0, 0.0, 1.0), angle), (0.0, 0.0, r * math.sin(0.3) + half * math.cos(0.3)))
        found = finder.find(np.array([E, pose()]), 1e-6)
        assert found.gaps.min() == pytest.approx(0.0, abs=1e-14)
        lowest.append(found.points[found.gaps.argmin()])
    np.testing.assert_allclose(lowest, np.tile(lowest[0], (60, 1)), atol=1e-12)


# --- meshes --------------------------------------------------------------------------------------


def test_nothing_catches_on_edges_inside_a_flat_mesh():
    """Whatever slides over a floor of triangles, a little above, on or a little below it, is pushed straight up."""
    floor = flat_ground()
    rng = np.random.default_rng(2)
    for kind in ("sphere", "capsule", "box", "cylinder", "hull", "ellipsoid", "cone"):
        shape = surface(kind, "s", size=0.6)
        finder, plane = finder_of(shape, scenery=[floor]), finder_of(shape, scenery=[PlaneSurface(name="g")])
        for gap in (-1e-3, -1e-8, 1e-8, 1e-3):
            R = rotation(rng)
            low = plane.find(np.array([pose(R)]), 10.0).gaps.min()
            for x in np.linspace(-1.6, 1.4, 12):
                E = pose(R, (x, 0.37 * x + 0.01, gap - low))
                found = finder.find(np.array([E]), 1e-4 + max(gap, 0.0))
                assert len(found.gaps) >= 1
                np.testing.assert_allclose(found.normals[:, 2], 1.0, atol=1e-12)
                assert found.gaps.min() == pytest.approx(gap, abs=1e-10)


def test_a_mesh_of_a_box_is_as_the_box():
    """From outside the triangles of a box touch as the box does, at faces, edges and corners."""
    half = np.array([0.9, 0.6, 0.5])
    corners = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    vertices = (np.array(corners) * half).tolist()
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    mesh = MeshSurface(name="m", vertices=vertices, faces=faces)
    box = BoxSurface(name="b", size=tuple(2.0 * half))
    rng = np.random.default_rng(11)
    for kind in ("sphere", "capsule", "box", "hull", "cylinder"):
        shape = surface(kind, "s", size=0.5)
        one, other = finder_of(shape, scenery=[mesh]), finder_of(shape, scenery=[box])
        for _ in range(12):
            d = rng.normal(size=3)
            R = rotation(rng)
            far = pose(R, 4.0 * d / np.linalg.norm(d))
            known = other.find(np.array([far]), 100.0)
            k = int(known.gaps.argmin())
            near = pose(R, far[:3, 3] - (known.gaps[k] - 0.02) * known.normals[k])
            known, found = other.find(np.array([near]), 100.0), one.find(np.array([near]), 100.0)
            assert found.gaps.min() == pytest.approx(known.gaps.min(), abs=1e-7)
            i, k = int(found.gaps.argmin()), int(known.gaps.argmin())
            np.testing.assert_allclose(found.normals[i], known.normals[k], atol=1e-5)


def test_a_sheet_is_touched_from_behind_only_where_it_says_so():
    square = {"vertices": [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], "faces": [[0, 1, 2, 3]]}
    ball = SphereSurface(name="s", radius=0.5)
    below = np.array([pose(p=(0.1, 0.2, -0.5))])
    assert len(finder_of(ball, scenery=[MeshSurface(name="m", **square)]).find(below, 0.01).gaps) == 0
    found = finder_of(ball, scenery=[MeshSurface(name="m", **square, two_sided=True)]).find(below, 0.01)
    np.testing.assert_allclose(found.normals, [[0.0, 0.0, -1.0]], atol=1e-12)
    np.testing.assert_allclose(found.gaps, [0.0], atol=1e-12)


def test_a_gutter_holds_a_ball_at_two_points():
    x = [[-1.0, -2.0, 1.0], [-1.0, 2.0, 1.0], [0.0, -2.0, 0.0], [0.0, 2.0, 0.0], [1.0, -2.0, 1.0], [1.0, 2.0, 1.0]]
    gutter = MeshSurface(name="m", vertices=x, faces=[[0, 2, 3, 1], [2, 4, 5, 3]])
    finder = finder_of(SphereSurface(name="s", radius=0.5), scenery=[gutter])
    found = finder.find(np.array([pose(p=(0.0, 0.1, 0.5 * math.sqrt(2.0)))]), 1e-6)
    np.testing.assert_allclose(np.sort(found.normals[:, 0]), [-math.sqrt(0.5), math.sqrt(0.5)], atol=1e-12)
    np.testing.assert_allclose(found.gaps, 0.0, atol=1e-12)


def test_a_fast_ball_is_seen_far_ahead():
    """The margin may be many times the shapes: a 100 m/s ball and a 1 mm plate at a step of 10 ms."""
    plate = BoxSurface(name="p", size=(1.0, 1.0, 0.001))
    finder = finder_of(SphereSurface(name="s", radius=0.01), scenery=[plate])
    found = finder.find(np.array([pose(p=(0.1, 0.0, 1.0))]), np.array([1.0, 0.0]))
    np.testing.assert_allclose(found.gaps, [1.0 - 0.01 - 0.0005], atol=1e-12)
    np.testing.assert_allclose(found.normals, [[0.0, 0.0, 1.0]], atol=1e-12)


def test_every_shape_has_a_pair_with_every_other():
    from redmax.kernels.contact.pairs.table import PAIRS
    from redmax.surfaces.layout import SCENERY_SHAPES

    numbers = {cls.shape_code for cls in SURFACES}
    wanted = {(a, b) for a in numbers for b in numbers if a <= b and not {a, b} <= {*SCENERY_SHAPES}}
    assert set(PAIRS) == wanted
