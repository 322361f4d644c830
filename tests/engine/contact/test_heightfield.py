# SPDX-License-Identifier: GPL-3.0-or-later
"""Heightfields against planes, boxes and meshes of the same facets, and bodies that move on them."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest

from engine.contact.contact_oracle import KINDS, finder_of, pose, rotation, surface, turn
from engine.contact_scenes import Builder, G, run
from redmax.fields import Pose
from redmax.kernels import route
from redmax.surfaces import BoxSurface, HeightfieldSurface, MeshSurface, PlaneSurface, SphereSurface, SurfacePair
from redmax.surfaces.layout import BLOCK

WIDE = 100.0


def field(heights, cell=1.0, **fields):
    heights = np.asarray(heights, float)
    size = (cell * (heights.shape[1] - 1), cell * (heights.shape[0] - 1))
    return HeightfieldSurface(name="field", heights=heights.tolist(), size=size, **fields)


def hills(seed, rows=8, columns=6, height=0.3):
    return field(height * np.random.default_rng(seed).normal(size=(rows, columns)), 0.8, depth=0.7)


def slope_of(angle, rows=9, columns=11, cell=0.5):
    """Heights that rise along x by an angle."""
    x = cell * (np.arange(columns) - 0.5 * (columns - 1))
    return field(np.tile(math.tan(angle) * x, (rows, 1)), cell)


def mesh_of(terrain):
    """The same solid as a mesh: two triangles for each cell, walls down to the floor, and the floor."""
    heights = np.asarray(terrain.heights, float)
    rows, columns = heights.shape
    x, y = (np.linspace(-0.5 * size, 0.5 * size, n) for size, n in zip(terrain.size, (columns, rows), strict=True))
    top = [[x[i], y[k], heights[k, i]] for k in range(rows) for i in range(columns)]
    bottom = [[a, b, heights.min() - terrain.depth] for a, b, _ in top]

    def at(i, k, low=False):
        return columns * k + i + (len(top) if low else 0)

    faces = []
    for k in range(rows - 1):
        for i in range(columns - 1):
            faces += [[at(i, k), at(i + 1, k), at(i + 1, k + 1)], [at(i, k), at(i + 1, k + 1), at(i, k + 1)]]
            faces.append([at(i, k, True), at(i, k + 1, True), at(i + 1, k + 1, True), at(i + 1, k, True)])
    border = [(i, 0) for i in range(columns - 1)] + [(columns - 1, k) for k in range(rows - 1)]
    border += [(i, rows - 1) for i in range(columns - 1, 0, -1)] + [(0, k) for k in range(rows - 1, 0, -1)]
    for p, q in zip(border, [*border[1:], border[0]], strict=True):
        faces.append([at(*p, True), at(*q, True), at(*q), at(*p)])
    return MeshSurface(name="mesh", vertices=[*top, *bottom], faces=faces)


def height_over(terrain, x, y):
    """Height of the triangle over a place, by weights of its corners."""
    heights = np.asarray(terrain.heights, float)
    rows, columns = heights.shape
    u, v = (x / terrain.size[0] + 0.5) * (columns - 1), (y / terrain.size[1] + 0.5) * (rows - 1)
    i, k = min(int(u), columns - 2), min(int(v), rows - 2)
    u, v = u - i, v - k
    a, b, c, d = heights[k, i], heights[k, i + 1], heights[k + 1, i], heights[k + 1, i + 1]
    return a + u * (b - a) + v * (d - b) if u >= v else a + v * (c - a) + u * (d - c)


def is_in(terrain, p):
    """Whether a point is inside of the solid."""
    is_over = (np.abs(p[:2]) <= 0.5 * np.asarray(terrain.size)).all()
    return is_over and height_over(terrain, *p[:2]) >= p[2] >= np.min(terrain.heights) - terrain.depth


# --- against a plane -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("angle", [0.0, 0.4])
@pytest.mark.parametrize("by", ["heights", "frame"])
def test_a_level_or_sloped_one_is_a_plane(kind, angle, by):
    """Whatever is over it, a little above, on or a little below: the normal and the gap are those of the plane."""
    terrain = slope_of(angle if by == "heights" else 0.0)
    R = turn((0.0, 1.0, 0.0), -angle)
    frame = Pose() if by == "heights" else Pose(rotation=(math.cos(0.5 * angle), 0.0, -math.sin(0.5 * angle), 0.0))
    terrain = HeightfieldSurface(**(vars(terrain) | {"frame": frame}))
    E_plane = pose(R)
    shape = surface(kind, "s", size=0.6)
    on_plane, on_field = finder_of(shape, surface("plane", "g")), finder_of(shape, _body(terrain))
    E_field = E_plane if by == "frame" else pose()
    rng = np.random.default_rng(3)
    for gap in (-1e-3, -1e-9, 0.0, 1e-9, 1e-3, 0.5):
        for _ in range(4):
            E = pose(rotation(rng), R @ (*rng.uniform(-1.0, 1.0, 2), 0.0))
            E[:3, 3] += (gap - on_plane.find(np.array([E, E_plane]), WIDE).gaps.min()) * R[:, 2]
            margin = 1e-4 + max(gap, 0.0)
            known, found = (f.find(np.array([E, F]), margin) for f, F in ((on_plane, E_plane), (on_field, E_field)))
            digits = 1e-12 if kind in ("sphere", "capsule") else 1e-10
            assert found.gaps.min() == pytest.approx(known.gaps.min(), abs=digits)
            np.testing.assert_allclose(found.normals, np.tile(R[:, 2], (len(found.gaps), 1)), atol=1e-12)
            if kind == "sphere":
                np.testing.assert_allclose(found.points, known.points, atol=1e-12)
                assert len(found.gaps) == 1


def _body(terrain):
    """A surface in its own frame: bodies of `finder_of` are at their poses, frames of elements are not looked at."""
    return HeightfieldSurface(**(vars(terrain) | {"frame": Pose()}))


# --- against a mesh and a box of the same facets ---------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_as_the_mesh_of_its_facets(kind):
    """On hills, at their borders and walls, and under the floor: gap and normal of the deepest point."""
    checked = 0
    for seed in range(3):
        terrain = hills(seed)
        shape = surface(kind, "s", size=0.4)
        one, other = finder_of(shape, scenery=[terrain]), finder_of(shape, scenery=[mesh_of(terrain)])
        rng = np.random.default_rng(seed)
        for _ in range(45):
            E = pose(rotation(rng), rng.uniform((-3.0, -3.6, -1.6), (3.0, 3.6, 1.4)))
            if is_in(terrain, (E @ (*shape.shape().center, 1.0))[:3]):
                continue
            for margin in (0.0, 0.3):
                known, found = (f.find(np.array([E]), margin) for f in (other, one))
                assert bool(len(found.gaps)) == bool(len(known.gaps))
                if not len(known.gaps) or min(known.gaps.min(), found.gaps.min()) < -0.02:
                    continue
                i, k = int(found.gaps.argmin()), int(known.gaps.argmin())
                assert found.gaps[i] == pytest.approx(known.gaps[k], abs=1e-7)
                same = np.abs(known.gaps - known.gaps[k]) < 1e-6
                assert np.linalg.norm(known.normals[same] - found.normals[i], axis=1).min() < 1e-4
                checked += 1
    assert checked > 30


@pytest.mark.parametrize("kind", ["sphere", "capsule", "box", "hull", "cylinder"])
def test_a_level_one_is_a_box_from_all_sides(kind):
    block = field(np.zeros((5, 4)), 0.5, depth=0.8)
    box = BoxSurface(name="b", size=(*block.size, 0.8))
    below = pose(p=(0.0, 0.0, -0.4))
    shape = surface(kind, "s", size=0.5)
    one, other = finder_of(shape, scenery=[block]), finder_of(shape, box)
    rng = np.random.default_rng(4)
    for _ in range(25):
        d = rng.normal(size=3)
        E = pose(rotation(rng), 5.0 * d / np.linalg.norm(d))
        known = other.find(np.array([E, below]), WIDE)
        k = int(known.gaps.argmin())
        E[:3, 3] -= (known.gaps[k] - 0.02) * known.normals[k]
        known, found = other.find(np.array([E, below]), WIDE), one.find(np.array([E]), WIDE)
        i, k = int(found.gaps.argmin()), int(known.gaps.argmin())
        assert found.gaps[i] == pytest.approx(known.gaps[k], abs=1e-7)
        np.testing.assert_allclose(found.normals[i], known.normals[k], atol=1e-5)


def nearest_on(p, a, b, c):
    """The point of a triangle that is nearest to a point: over it, or on the nearest edge."""
    n = np.cross(b - a, c - a)
    n /= np.linalg.norm(n)
    inside = all(np.cross(y - x, p - x) @ n >= 0.0 for x, y in ((a, b), (b, c), (c, a)))
    if inside:
        return p - (p - a) @ n * n
    ends = []
    for x, y in ((a, b), (b, c), (c, a)):
        part = min(max((p - x) @ (y - x) / ((y - x) @ (y - x)), 0.0), 1.0)
        ends.append(x + part * (y - x))
    return min(ends, key=lambda x: np.linalg.norm(p - x))


@pytest.mark.parametrize("as_mesh", [False, True])
def test_the_gap_of_a_ball_is_its_distance_from_the_nearest_facet(as_mesh):
    """Over steep hills, at ridges, corners and walls: no facet leaves to another what that does not take."""
    checked = 0
    for seed in range(3):
        terrain, ball = hills(seed), SphereSurface(name="s", radius=0.28)
        mesh = mesh_of(terrain)
        vertices, triangles = mesh.triangles
        finder = finder_of(ball, scenery=[mesh if as_mesh else terrain])
        rng = np.random.default_rng(100 + seed)
        for _ in range(70):
            p = rng.uniform((-2.5, -3.3, -1.6), (2.5, 3.3, 1.0))
            if is_in(terrain, p):
                continue
            nearest = min(np.linalg.norm(p - nearest_on(p, *vertices[each])) for each in triangles)
            if nearest < 0.58:
                (least, *_) = np.sort(finder.find(np.array([pose(p=p)]), 0.35).gaps)
                assert least == pytest.approx(nearest - 0.28, abs=1e-9), (seed, p)
                checked += 1
    assert checked > 70


# --- solid below ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_below_the_heights_is_pushed_up_however_deep(kind):
    """A slow sink through a level field: gap and normal are those of a plane, to the floor."""
    block, shape = field(np.zeros((10, 10)), 0.3, depth=3.0), surface(kind, "s", size=0.4, seed=2)
    finder, plane = finder_of(shape, scenery=[block]), finder_of(shape, scenery=[PlaneSurface(name="g")])
    R = rotation(np.random.default_rng(7))
    for z in np.linspace(0.6, -2.4, 31):
        E = pose(R, (0.11, 0.07, z))
        known, found = plane.find(np.array([E]), WIDE).gaps.min(), finder.find(np.array([E]), 1.0)
        assert found.gaps.min() == pytest.approx(known, abs=1e-9)
        np.testing.assert_allclose(found.normals[:, 2], 1.0, atol=1e-9)


def test_below_a_slope_the_way_out_is_along_its_normal():
    terrain, ball = slope_of(0.5), SphereSurface(name="s", radius=0.3)
    found = finder_of(ball, scenery=[terrain]).find(np.array([pose(p=(0.2, 0.1, -0.3))]))
    up = np.array([-math.sin(0.5), 0.0, math.cos(0.5)])
    k = int(found.gaps.argmin())
    np.testing.assert_allclose(found.normals[k], up, atol=1e-12)
    assert found.gaps[k] == pytest.approx(up @ (0.2, 0.1, -0.3) - 0.3, abs=1e-12)


def test_outside_its_borders_nothing_holds():
    block, ball = field(np.zeros((3, 3)), depth=0.5), SphereSurface(name="s", radius=0.2)
    finder = finder_of(ball, scenery=[block])
    assert len(finder.find(np.array([pose(p=(1.25, 0.0, 0.1))]), 0.0).gaps) == 0
    assert len(finder.find(np.array([pose(p=(0.0, 0.0, -0.75))]), 0.0).gaps) == 0
    (gap,) = finder.find(np.array([pose(p=(1.15, 0.0, -0.2))]), 0.0).gaps
    assert gap == pytest.approx(-0.05, abs=1e-12)


# --- points ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_points_are_known_again_after_a_small_motion(kind):
    terrain, shape = hills(5), surface(kind, "s", size=0.5)
    finder = finder_of(shape, scenery=[terrain])
    rng = np.random.default_rng(9)
    for _ in range(5):
        E = pose(rotation(rng), (*rng.uniform(-1.0, 1.0, 2), 0.6))
        one, other = finder.find(np.array([E]), 0.2), finder.find(np.array([E @ pose(p=(1e-9, 0.0, 1e-9))]), 0.2)
        assert len(set(one.features.tolist())) == len(one.features) <= 16
        assert set(one.features.tolist()) == set(other.features.tolist())


@pytest.mark.skipif(route.usual() != route.NUMBA, reason="needs numba")
def test_both_routes_find_the_same():
    terrain = hills(6)
    for kind in KINDS:
        shape = surface(kind, "s", size=0.5)
        compiled = finder_of(shape, scenery=[terrain])
        with route.held(route.NUMPY):
            plain = finder_of(shape, scenery=[terrain])
        rng = np.random.default_rng(2)
        for _ in range(6):
            poses = np.array([pose(rotation(rng), rng.uniform((-2.5, -3.0, -0.2), (2.5, 3.0, 0.8)))])
            one = compiled.find(poses, 0.1)
            with route.held(route.NUMPY):
                other = plain.find(poses, 0.1)
            assert bool(len(one.gaps)) == bool(len(other.gaps))
            if len(one.gaps):
                assert one.gaps.min() == pytest.approx(other.gaps.min(), abs=1e-7)


def test_heights_stand_where_rows_and_columns_say():
    """A single peak, in a field of more columns than rows, is met where it stands and nowhere else."""
    heights = np.zeros((3 * BLOCK, 5 * BLOCK))
    heights[2 * BLOCK + 3, 4 * BLOCK + 5] = 1.0
    terrain, ball = field(heights, 0.5), SphereSurface(name="s", radius=0.1)
    finder = finder_of(ball, scenery=[terrain])
    x, y = (0.5 * (4 * BLOCK + 5) - 0.5 * terrain.size[0], 0.5 * (2 * BLOCK + 3) - 0.5 * terrain.size[1])
    found = finder.find(np.array([pose(p=(x, y, 1.15))]), 0.1)
    assert found.gaps.min() == pytest.approx(0.05, abs=1e-9)
    np.testing.assert_allclose(found.points[found.gaps.argmin()], (x, y, 1.025), atol=1e-6)
    assert len(finder.find(np.array([pose(p=(y, x, 1.15))]), 0.1).gaps) == 0


@pytest.mark.skipif(route.usual() != route.NUMBA, reason="needs numba")
def test_a_million_heights_are_as_fast_as_a_thousand():
    """Only cells under the shape are looked at. Least of several, as the machine is busy."""
    shape, poses, took = surface("box", "s", size=0.3), np.array([pose(p=(0.02, 0.03, 0.1))]), {}
    for count in (33, 1001):
        heights = 0.02 * np.sin(np.arange(count * count).reshape(count, count))
        finder = finder_of(shape, scenery=[field(heights, 0.1)])
        finder.find(poses, 0.05)
        times = []
        for _ in range(7):
            start = time.process_time()
            for _ in range(200):
                finder.find(poses, 0.05)
            times.append(time.process_time() - start)
        took[count] = min(times)
    assert took[1001] < 3.0 * took[33], took


# --- motion ------------------------------------------------------------------------------------


def test_a_ball_moves_on_a_level_one_as_on_a_plane():
    """It falls, bounces, slides and rolls: the same numbers."""
    ends = []
    for ground in (PlaneSurface(name="ground", bounce=0.5), field(np.zeros((9, 9)), 0.7, bounce=0.5)):
        b = Builder("ball").add(ground).ball("ball", (0.0, 0.0, 0.3), 0.1, velocity=(1.0, 0.3, 0.0), bounce=0.5)
        ends.append(run(b.scene, 1.0).position[:, 0])
    assert ends[0][-1, 0] > 0.5
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-12)


def test_a_box_slides_across_a_hundred_cells_without_losing_speed():
    terrain = field(np.zeros((9, 161)), 0.05, friction=0.0)
    b = Builder("slide").add(terrain)
    box = (0.22, 0.17, 0.1)
    found = run(b.box("box", (-2.8, 0.013, 0.05), box, velocity=(5.5, 0.02, 0.0), friction=0.0).scene, 1.0)
    travelled = found.position[-1, 0] - found.position[0, 0]
    assert travelled[0] > 100 * 0.05
    np.testing.assert_allclose(travelled, (5.5, 0.02, 0.0), atol=1e-7)
    np.testing.assert_allclose(found.qdot[-1, :2], (5.5, 0.02), atol=1e-7)
    np.testing.assert_allclose(found.qdot[-1, 2:], 0.0, atol=1e-5)  # it rests to the residual of its problems


def test_a_ball_comes_to_rest_in_a_valley():
    x = 0.1 * (np.arange(41) - 20)
    terrain = field(0.5 * np.add.outer(x**2, x**2), 0.1, rolling_friction=0.05, torsional_friction=0.05)
    b = Builder("valley").add(terrain).ball("ball", (0.63, 0.4, 0.6), 0.3)
    found = run(b.scene, 5.0, fps=12)
    assert found.status == "complete"
    assert np.abs(found.qdot[-1]).max() < 1e-3
    assert np.linalg.norm(found.position[-1, 0, :2]) < 0.15
    assert found.position[-1, 0, 2] == pytest.approx(0.3, abs=0.02)


def test_what_starts_below_comes_up():
    b = Builder("sunk").add(field(np.zeros((9, 9)), 0.4)).ball("ball", (0.05, 0.1, -0.05), 0.1)
    found = run(b.scene, 1.0)
    assert found.position[-1, 0, 2] == pytest.approx(0.1, abs=1e-3)


def test_a_pair_says_how_slippery_it_is():
    """A surface pair wins on a heightfield as on others: v^2 / (2 mu g)."""
    b = Builder("pair").add(field(np.zeros((5, 5)), friction=0.9))
    scene = b.box("box", (-1.0, 0.0, 0.05), (0.2, 0.2, 0.1), velocity=(1.0, 0.0, 0.0), friction=0.9).scene
    scene.surface_pairs.append(SurfacePair(name="p", first="field", second="box surface", friction=0.25))
    found = run(scene, 1.0)
    assert found.position[-1, 0, 0] + 1.0 == pytest.approx(1.0 / (2.0 * 0.25 * G), rel=1e-3)
