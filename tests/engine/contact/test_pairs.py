# SPDX-License-Identifier: GPL-3.0-or-later
"""Every pair of shapes against an independent oracle, and the identities that hold for all of them."""

from __future__ import annotations

import itertools
import zlib

import numpy as np
import pytest

from engine.contact.contact_oracle import KINDS, finder_of, gap, pose, reach_along, rotation, separation, surface, turn

PAIRS = list(itertools.combinations_with_replacement(KINDS, 2))
NAMES = ["-".join(pair) for pair in PAIRS]
DEEP = -0.5
"""Gap below which a point near the axis of a round shape is so far from its whole skin that its depth is rough."""
WIDE = 100.0
"""A margin within which everything is reported."""


def seed_of(*words):
    return zlib.crc32("-".join(words).encode())


def scene(first, second, seed, *, size=1.0):
    a, b = surface(first, "a", size=size, seed=1), surface(second, "b", size=size, seed=2)
    rng = np.random.default_rng(seed)
    E = pose(rotation(rng), size * rng.normal(size=3))
    d = rng.normal(size=3)
    F = pose(rotation(rng), E[:3, 3] + size * rng.uniform(0.2, 3.0) * d / np.linalg.norm(d))
    return a, b, E, F


def deepest(found):
    return int(np.argmin(found.gaps))


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=NAMES)
def test_the_gap_is_the_separation_in_the_best_direction(first, second):
    """Outside it is the distance of the sets, inside minus the least translation that parts them."""
    for trial in range(4):
        a, b, E, F = scene(first, second, seed_of(first, second, str(trial)))
        found = finder_of(a, b).find(np.array([E, F]), WIDE)
        k = deepest(found)
        n = found.normals[k]
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-12)
        assert separation(a, E, b, F, n) == pytest.approx(found.gaps[k], abs=2e-10), "the normal gives that gap"
        expected = gap(a, E, b, F, seed=trial)
        assert found.gaps[k] >= expected - 1e-7, "no direction parts them more"
        assert found.gaps[k] == pytest.approx(expected, abs=2e-5), "the oracle's own accuracy"


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=NAMES)
def test_points_lie_on_both_surfaces(first, second):
    """Half a gap along the normal from the point is the skin of either shape: not outside, and the deepest on it."""
    a, b, E, F = scene(first, second, seed_of(first, second))
    found = finder_of(a, b).find(np.array([E, F]), WIDE)
    n, k = found.normals, deepest(found)
    for shape, X, sign in ((a, E, 1.0), (b, F, -1.0)):
        for x, m, g in zip(found.points, n, found.gaps, strict=True):
            on = X[:3, :3].T @ (x + sign * 0.5 * g * m - X[:3, 3])
            assert is_inside(shape, on, 1e-7)
        low = X[:3, :3].T @ (found.points[k] + sign * 0.5 * found.gaps[k] * n[k] - X[:3, 3])
        m = -sign * X[:3, :3].T @ n[k]

        assert m @ low == pytest.approx(reach_along(shape, m), abs=2e-7)


def is_inside(shape, x, tolerance):

    directions = np.random.default_rng(0).normal(size=(400, 3))
    return all(d @ x <= reach_along(shape, d) + tolerance * np.linalg.norm(d) for d in directions)


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=NAMES)
def test_swapping_turns_the_normal_and_nothing_else(first, second):
    a, b, E, F = scene(first, second, seed_of(first, second, "swap"))
    one = finder_of(a, b).find(np.array([E, F]), WIDE)
    other = finder_of(b, a).find(np.array([F, E]), WIDE)
    i, k = deepest(one), deepest(other)
    assert len(one.gaps) == len(other.gaps)
    assert one.gaps[i] == pytest.approx(other.gaps[k], abs=1e-11)
    np.testing.assert_allclose(one.normals[i], -other.normals[k], atol=2e-6)
    np.testing.assert_allclose(np.sort(one.gaps), np.sort(other.gaps), atol=3e-6)


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=NAMES)
def test_moving_both_moves_the_points(first, second):
    a, b, E, F = scene(first, second, seed_of(first, second, "move"))
    X = pose(rotation(np.random.default_rng(5)), (30.0, -20.0, 10.0))
    finder = finder_of(a, b)
    one, other = finder.find(np.array([E, F]), WIDE), finder.find(X @ np.array([E, F]), WIDE)
    i, k = deepest(one), deepest(other)
    assert one.gaps[i] == pytest.approx(other.gaps[k], abs=1e-10)
    np.testing.assert_allclose(X[:3, :3] @ one.normals[i], other.normals[k], atol=2e-6)
    assert len(one.gaps) == len(other.gaps)


@pytest.mark.parametrize("size", [0.01, 100.0])
@pytest.mark.parametrize(("first", "second"), PAIRS, ids=NAMES)
def test_scaling_everything_scales_the_gaps(first, second, size):
    seed = seed_of(first, second, "scale")
    a, b, E, F = scene(first, second, seed)
    one = finder_of(a, b).find(np.array([E, F]), WIDE)
    a, b, E, F = scene(first, second, seed, size=size)
    other = finder_of(a, b).find(np.array([E, F]), WIDE * size)
    # Along the straight lines of round sides the normal has half of the digits.
    ruled = {"cylinder", "cone"} & {first, second}
    assert one.gaps.min() == pytest.approx(other.gaps.min() / size, abs=1e-7 if ruled else 1e-11)
    np.testing.assert_allclose(one.normals[deepest(one)], other.normals[deepest(other)], atol=2e-6)


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=NAMES)
def test_the_gap_changes_by_the_normal_velocity(first, second):
    """d(gap)/dt = n . (velocity of a - velocity of b) at the point, which wrong normals and points both spoil."""
    finder, h, checked = None, 1e-5, 0
    for trial in range(5):
        a, b, E, F = scene(first, second, seed_of(first, second, "rate", str(trial)))
        finder = finder or finder_of(a, b)
        rng = np.random.default_rng(trial)
        v, w, axis = rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)

        def at(t, E=E, F=F, v=v, w=w, axis=axis):
            moved = pose(turn(axis, t * np.linalg.norm(axis)) @ E[:3, :3], E[:3, 3] + t * v)
            other = pose(turn(w, t * np.linalg.norm(w)) @ F[:3, :3], F[:3, 3] - t * v)
            return np.array([moved, other])

        now, before, after = (finder.find(at(t), WIDE) for t in (0.0, -h, h))
        k = deepest(now)
        n, x = now.normals[k], now.points[k]
        if before.normals[deepest(before)] @ n < 0.999 or after.normals[deepest(after)] @ n < 0.999:
            continue  # another face is nearest: the gap has a corner here
        rate = (after.gaps.min() - before.gaps.min()) / (2.0 * h)
        velocity_a = v + np.cross(axis, x - E[:3, 3])
        velocity_b = -v + np.cross(w, x - F[:3, 3])
        # The points of both bodies are half a gap from x; only parts across n differ there.
        half = 0.5 * now.gaps[k] * n
        expected = n @ (velocity_a + np.cross(axis, half) - velocity_b + np.cross(w, half))
        assert rate == pytest.approx(expected, abs=2e-4)
        checked += 1
    assert checked >= 3


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=NAMES)
def test_the_gap_is_continuous_along_a_sweep(first, second):
    """A slow sweep from far through each other: no step of the gap is longer than that of the motion."""
    a, b, E, F = scene(first, second, seed_of(first, second, "sweep"))
    finder = finder_of(a, b)
    rng = np.random.default_rng(3)
    way, axis = rng.normal(size=3), rng.normal(size=3)
    way /= np.linalg.norm(way)
    steps, ds, dangle = 160, 0.03, 0.004
    last = None
    for k in range(steps):
        moved = pose(turn(axis, dangle * k) @ E[:3, :3], F[:3, 3] + (k - steps / 2) * ds * way)
        found = finder.find(np.array([moved, F]), WIDE).gaps.min()
        if last is not None and min(found, last) > DEEP:
            assert abs(found - last) <= ds + 2.0 * dangle + 1e-8
        last = found


@pytest.mark.parametrize("kind", KINDS)
def test_a_plane_and_a_shape(kind):
    plane, shape = surface("plane", "g"), surface(kind, "s", seed=4)
    rng = np.random.default_rng(8)

    for _ in range(5):
        E, F = pose(rotation(rng), rng.normal(size=3)), pose(rotation(rng), rng.normal(size=3))
        found = finder_of(shape, plane).find(np.array([E, F]), WIDE)
        up = F[:3, 2]
        lowest = up @ (E[:3, 3] - F[:3, 3]) - reach_along(shape, -E[:3, :3].T @ up)
        assert found.gaps.min() == pytest.approx(lowest, abs=1e-12)
        np.testing.assert_allclose(found.normals, np.tile(up, (len(found.gaps), 1)), atol=1e-14)
        heights = (found.points - F[:3, 3]) @ up
        np.testing.assert_allclose(heights, 0.5 * found.gaps, atol=1e-13)
        assert len(set(found.features.tolist())) == len(found.features)
        turned = finder_of(plane, shape).find(np.array([F, E]), WIDE)
        np.testing.assert_allclose(turned.normals, -found.normals, atol=1e-14)


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=NAMES)
def test_features_are_unique_and_persist(first, second):
    """A small motion keeps numbers of points, and each moves little."""
    a, b, E, F = scene(first, second, seed_of(first, second, "feature"))
    finder = finder_of(a, b)
    one = finder.find(np.array([E, F]), WIDE)
    assert len(set(one.features.tolist())) == len(one.features)
    moved = pose(turn((1.0, 2.0, 3.0), 1e-7) @ E[:3, :3], E[:3, 3] + 1e-7)
    other = finder.find(np.array([moved, F]), WIDE)
    assert len(one.features) == len(other.features)
    if not {"cylinder", "cone"} & {first, second}:  # lines on round sides end in corners of rims, where edges meet
        assert one.features.tolist() == other.features.tolist()
    np.testing.assert_allclose(one.points, other.points, atol=1e-4)


def test_contacts_beyond_the_margin_are_not_reported():
    a, b = surface("box", "a"), surface("box", "b")
    finder = finder_of(a, b)
    poses = np.array([pose(), pose(p=(1.5, 0.0, 0.0))])
    assert len(finder.find(poses, 0.2499).gaps) == 0
    found = finder.find(poses, 0.2501)
    np.testing.assert_allclose(found.gaps, 0.5, atol=1e-14)
    np.testing.assert_allclose(found.normals, np.tile([-1.0, 0.0, 0.0], (4, 1)), atol=1e-14)
