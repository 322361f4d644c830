# SPDX-License-Identifier: GPL-3.0-or-later
"""Detection as a whole: all pairs of many surfaces, the same again, the same on both routes, and what is filtered."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.contact.contact_oracle import KINDS, finder_of, pose, rotation, surface
from redmax.compile import compile as compile_scene
from redmax.dynamics.kinematics import kinematics
from redmax.geometry.solids import Box
from redmax.joints import JOINTS
from redmax.kernels import route
from redmax.kernels.contact.detection import Finder
from redmax.scene import Body, Scene
from redmax.spatial.pose import inverse
from redmax.surfaces import BoxSurface, HeightfieldSurface, MeshSurface, PlaneSurface, SphereSurface
from redmax.surfaces.packed import packed


def terrain(rng):
    heights = 0.2 * rng.normal(size=(7, 7))
    vertices = [[1.5 * (i - 3), 1.5 * (k - 3), float(heights[i, k])] for i in range(7) for k in range(7)]
    faces = [[7 * i + k, 7 * i + 7 + k, 7 * i + 8 + k, 7 * i + 1 + k] for i in range(6) for k in range(6)]
    return MeshSurface(name="terrain", vertices=vertices, faces=faces)


def hills(rng):
    return HeightfieldSurface(name="hills", size=(6.0, 5.0), heights=(0.2 * rng.normal(size=(20, 19)) - 0.4).tolist())


def heap(seed, count=24):
    rng = np.random.default_rng(seed)
    surfaces = [surface(KINDS[k % len(KINDS)], f"s{k}", size=0.5, seed=k) for k in range(count)]
    poses = np.array([pose(rotation(rng), rng.uniform(-2.0, 2.0, 3) * [1.0, 1.0, 0.4]) for _ in surfaces])
    return surfaces, poses, [PlaneSurface(name="g"), terrain(rng), hills(rng)]


def alike(one, other):
    assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("seed", range(3))
def test_all_pairs_are_found(seed):
    """The contacts of many surfaces are those of every two of them by themselves, in order."""
    surfaces, poses, scenery = heap(seed)
    together = finder_of(*surfaces, scenery=scenery).find(poses, 0.01)
    pairs = [tuple(pair) for pair in together.surfaces.tolist()]
    assert pairs == sorted(pairs)
    listed = [*surfaces, *scenery]
    for a in range(len(listed)):
        for b in range(a + 1, len(listed)):
            if a >= len(surfaces):
                continue
            known = [k for k, pair in enumerate(pairs) if pair == (a, b)]
            if b < len(surfaces):
                alone = finder_of(listed[a], listed[b]).find(poses[[a, b]], 0.01)
            else:
                alone = finder_of(listed[a], scenery=[listed[b]]).find(poses[[a]], 0.01)
            assert np.array_equal(alone.gaps, together.gaps[known]), (a, b)
            assert np.array_equal(alone.points, together.points[known])
            assert np.array_equal(alone.features, together.features[known])


def test_an_overfull_list_of_pairs_changes_nothing():
    """More pairs than there is room for are looked at one by one, in the same order."""
    balls = [SphereSurface(name=f"s{k}", radius=1.0) for k in range(60)]
    rng = np.random.default_rng(4)
    poses = np.array([pose(p=0.1 * rng.normal(size=3)) for _ in balls])
    found = finder_of(*balls).find(poses, 0.0)
    assert len(found.gaps) == 60 * 59 // 2
    assert found.surfaces.tolist() == [[a, b] for a in range(60) for b in range(a + 1, 60)]


def test_the_same_again_whatever_was_looked_for_before():
    surfaces, poses, scenery = heap(7)
    finder = finder_of(*surfaces, scenery=scenery)
    first = finder.find(poses, 0.01)
    for k in range(3):
        finder.find(heap(k)[1], 0.02)
    alike(first, finder.find(poses, 0.01))
    alike(first, finder_of(*surfaces, scenery=scenery).find(poses, 0.01))


@pytest.mark.skipif(route.usual() != route.NUMBA, reason="needs numba")
def test_both_routes_find_the_same():
    """The compiled text may contract products and sums; a point chosen by rounding may be another, a gap may not."""
    surfaces, poses, scenery = heap(3, count=12)
    compiled = finder_of(*surfaces, scenery=scenery).find(poses, 0.01)
    with route.held(route.NUMPY):
        plain = finder_of(*surfaces, scenery=scenery).find(poses, 0.01)
    assert {tuple(pair) for pair in compiled.surfaces.tolist()} == {tuple(pair) for pair in plain.surfaces.tolist()}
    for pair in np.unique(plain.surfaces, axis=0):
        a, b = (found.gaps[(found.surfaces == pair).all(axis=1)].min() for found in (compiled, plain))
        assert a == pytest.approx(b, abs=1e-7)


@pytest.mark.skipif(route.usual() != route.NUMBA, reason="needs numba")
def test_frames_can_call_it_by_its_address():
    from redmax.kernels.contact import compiled

    surfaces, poses, scenery = heap(5)
    finder = finder_of(*surfaces, scenery=scenery)
    known = finder.find(poses, 0.01)
    find = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 12)(compiled.find_at.address)
    flat = np.concatenate([poses[:, :3, :3].reshape(-1, 9), poses[:, :3, 3]], axis=1).ravel()
    margins, ids, out = np.full(len(finder.surfaces), 0.01), np.zeros(3000, np.int64), np.zeros(7000)
    at = [each.ctypes.data for each in (finder.surfaces.ints, finder.surfaces.numbers)]

    def call(room):
        return find(
            at[0], finder.surfaces.ints.size, at[1], finder.surfaces.numbers.size, flat.ctypes.data, len(poses),
            margins.ctypes.data, finder.marks.ctypes.data, finder.work.ctypes.data, ids.ctypes.data, out.ctypes.data,
            room,
        )  # fmt: skip

    assert call(1000) == len(known.gaps)
    assert np.array_equal(out[: 7 * len(known.gaps)].reshape(-1, 7)[:, 6], known.gaps)
    assert call(3) == -len(known.gaps), "as many as there would be"


def test_a_model_finds_its_contacts():
    """From a scene to contacts: neighbours across a joint, and groups, stay out."""
    cube = Box(size=(1.0, 1.0, 1.0), mass=1.0)
    bodies = [Body(name=name, shapes=(cube,)) for name in "abc"]
    joints = [
        JOINTS["free"](name="fa", parent=None, child="a", q=(0.0, 0.0, 0.0, 0.0, 0.0, 0.5)),
        JOINTS["revolute"](name="ab", parent="a", child="b"),
        JOINTS["free"](name="fc", parent=None, child="c", q=(0.0, 0.0, 0.0, 0.2, 0.1, 1.5)),
    ]
    boxes = [BoxSurface(name=name, body=name, size=(1.0, 1.0, 1.0)) for name in "abc"]
    model = compile_scene(Scene(bodies=bodies, joints=joints, surfaces=[*boxes, PlaneSurface(name="g")]))
    kin = kinematics(model, model.q0, model.qdot0, model.initial_state().chart)
    found = Finder(model.surfaces).find(kin.E_wi @ inverse(model.E_ji), 1e-6)
    names = {(model.surfaces.names[a], model.surfaces.names[b]) for a, b in found.surfaces.tolist()}
    assert names == {("a", "c"), ("b", "c"), ("a", "g"), ("b", "g")}
    np.testing.assert_allclose(found.gaps, 0.0, atol=1e-12)
    assert len(found.gaps) == 16


def test_pairs_that_cannot_touch_are_the_same_in_kernels():
    from redmax.kernels.contact.broadphase import can_touch

    rng = np.random.default_rng(9)
    count = 30
    surfaces = [
        SphereSurface(name=str(k), radius=1.0, group=int(rng.integers(3)), touches=int(rng.integers(8)))
        for k in range(count - 2)
    ] + [PlaneSurface(name="p"), PlaneSurface(name="q")]
    bodies = rng.integers(-1, 12, size=count)
    excluded = [
        sorted({int(b) for b in rng.integers(k + 1, count, size=3)}) if k < count - 1 else [] for k in range(count)
    ]
    found = packed(surfaces, bodies, np.tile(np.eye(4), (count, 1, 1)), bodies.copy(), excluded, bodies < 4)
    for a in range(count):
        for b in range(a + 1, count):
            assert can_touch(found.ints, a, b) == found.can_touch(a, b)
    assert 0 < len(list(found.pairs())) < count * (count - 1) // 2


@pytest.mark.slow
@pytest.mark.skipif(route.usual() != route.NUMBA, reason="needs numba")
def test_checked_kernels_reach_nothing_outside():
    """Bounds of every array are checked, and the results are the same."""
    tests = Path(__file__).parents[2]

    def printed(**variables):
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, sys.path)), **variables}
        command = [sys.executable, "-m", "engine.contact.checked_contacts", "1"]
        ran = subprocess.run(
            command, cwd=tests, env=environment, capture_output=True, text=True, timeout=900, check=False
        )
        assert ran.returncode == 0, ran.stderr[-2000:]
        return ran.stdout

    one, other = printed(REDMAX_CHECKED="1"), printed(REDMAX_CHECKED="0")
    assert len(one.splitlines()) == 3
    for a, b in zip(one.splitlines(), other.splitlines(), strict=True):
        np.testing.assert_allclose(np.array(a.split(), float).min(), np.array(b.split(), float).min(), atol=1e-6)
        assert len(a.split()) == len(b.split())
