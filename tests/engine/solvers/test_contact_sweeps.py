# SPDX-License-Identifier: GPL-3.0-or-later
"""What sweeps over the blocks of an island do, and which blocks slower methods look at, in the plain text."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.solvers import contact_laws as laws
from engine.solvers import contact_scenes as scenes
from redmax.solvers.contact import layout as at
from redmax.solvers.contact import near, sweeps
from redmax.solvers.contact.augmented import velocities_of_impulses
from redmax.solvers.contact.islands import find_islands
from redmax.solvers.contact.residual import residual
from redmax.solvers.contact.solve import prepare, solve

TOLERANCE = 1e-10


def prepared(scene, tolerance=TOLERANCE):
    """A problem in its arrays as the first method finds it, from no impulses, and its residual."""
    problem = scene.problem()
    packed = problem.packed(tolerance)
    packed.numbers[packed.ints[at.MASS_FACTOR] :] = np.nan
    assert prepare(packed.ints, packed.numbers)
    assert find_islands(packed.ints) == 1
    velocities_of_impulses(packed.ints, packed.numbers, 0, packed.section(at.IMPULSE))
    return problem, packed, missed(packed)


def missed(packed):
    x, sigma = packed.section(at.IMPULSE), packed.section(at.SIGMA)
    return residual(packed.ints, packed.numbers, 0, x, sigma)[0]


def one_contact(mu, velocity, *, arm=(0.3, 0.2, -0.5)):
    """A box that touches the ground at one point away from below its centre, so that its rows are coupled."""
    scene = scenes.Scene()
    body = scene.body(2.0, (0.5, 0.3, 0.2), (0.0, 0.0, 0.5), velocity)
    scene.contact(body, None, np.array((0.0, 0.0, 0.5)) + arm, mu=mu)
    return scene


@pytest.mark.parametrize("mu", [0.0, 0.1, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("seed", range(12))
def test_one_sweep_solves_one_contact(mu, seed):
    """It opens, sticks and slides among these: the law is exact, not only nearly converged."""
    velocity = np.random.default_rng(seed).standard_normal(6)
    problem, packed, before = prepared(one_contact(mu, velocity))
    sweeps.sweep(packed.ints, packed.numbers, 0, 1e-14)
    velocities_of_impulses(packed.ints, packed.numbers, 0, packed.section(at.IMPULSE))
    pushed = np.abs(packed.section(at.DELASSUS) * packed.section(at.IMPULSE)).max()
    assert missed(packed) <= 1e-11 * max(before, pushed)
    for name, violation in laws.all_laws(laws.Solved(problem, packed)).items():
        assert violation <= 1e-10, name


def test_those_contacts_open_stick_and_slide():
    kinds = set()
    for mu in (0.1, 0.5):
        for seed in range(12):
            _, packed, _ = prepared(one_contact(mu, np.random.default_rng(seed).standard_normal(6)))
            sweeps.sweep(packed.ints, packed.numbers, 0, 1e-14)
            n, a, b = packed.section(at.IMPULSE)
            kinds.add("opens" if n == 0.0 else ("slides" if math.hypot(a, b) > (1.0 - 1e-9) * mu * n else "sticks"))
    assert kinds == {"opens", "slides", "sticks"}


def test_a_tangent_that_moves_nothing_leaves_the_other_its_friction():
    """A slider along x that stands on the ground: its second tangent, or its first, has no Delassus entry."""
    J = np.zeros((6, 2))
    J[3, 0], J[5, 1] = 1.0, 1.0
    scene = scenes.Scene()
    (body,) = scene.tree([scenes.box_mass(1.0, (0.1, 0.1, 0.1))], [(0.0, 0.0, 0.1)], J, (1.0, 0.0))
    scene.contact(body, None, (0.0, 0.0, 0.0), mu=0.5)
    _, packed, _ = prepared(scene)
    sweeps.sweep(packed.ints, packed.numbers, 0, 1e-14)
    velocities_of_impulses(packed.ints, packed.numbers, 0, packed.section(at.IMPULSE))
    assert missed(packed) <= 1e-12
    weight = scenes.GRAVITY * scene.h
    assert packed.section(at.V) == pytest.approx([1.0 - 0.5 * weight, 0.0], abs=1e-12)


@pytest.mark.parametrize("mu", [0.2, 0.6])
def test_conjugate_directions_save_sweeps(mu, monkeypatch):
    """Beside plain sweeps, as many, the residual of a heap is less."""
    left = []
    for plain in (False, True):
        if plain:
            monkeypatch.setattr(sweeps, "go_on", lambda *_: math.inf)
        _, packed, before = prepared(scenes.random_trees(3, trees=4, mu=mu))
        packed.section(at.OPTIONS)[at.GOAL] = TOLERANCE
        left.append(sweeps.gauss_seidel(packed.ints, packed.numbers, 0, before, 100, True) / before)
    assert left[0] < 0.5 * left[1], left


def test_directions_keep_velocities_and_impulses_together():
    _, packed, _ = prepared(scenes.random_trees(2, trees=3))
    ints, numbers = packed.ints, packed.numbers
    sweeps.begin_directions(ints, numbers, 0)
    last = math.inf
    for _ in range(6):
        sweeps.keep_start(ints, numbers, 0)
        sweeps.sweep(ints, numbers, 0, 1e-14)
        last = sweeps.go_on(ints, numbers, 0, last)
    assert np.abs(packed.section(at.WAY)).max() > 0.0
    v = packed.section(at.V).copy()
    velocities_of_impulses(ints, numbers, 0, packed.section(at.IMPULSE))
    np.testing.assert_allclose(v, packed.section(at.V), atol=1e-12)


def test_sweeps_end_where_they_would_not_be_done_in_time():
    """A stack of 20 conducts forces too slowly for sweeps; a single contact is done at once."""
    _, packed, value = prepared(scenes.stack(20))
    packed.section(at.OPTIONS)[at.GOAL] = TOLERANCE
    sweeps.gauss_seidel(packed.ints, packed.numbers, 0, value, 200, False)
    assert packed.section(at.REPORT)[at.SWEEPS] < 200
    assert sweeps.sweeps_left(1e-6, 1e-3, 1e-2) == pytest.approx(3 * sweeps.STRETCH)
    assert sweeps.sweeps_left(1e-6, 1e-2, 1e-2) == math.inf


def row_of_boxes(count, speed):
    """Boxes in a row with gaps between them, which the first, that is thrown at them, closes one after another within
    the step; above them, far from anything, is a lid that falls slowly."""
    scene, half = scenes.Scene(h=1e-2), (0.5, 0.5, 0.5)
    boxes = []
    for k in range(count):
        body = scene.body(1.0, half, (1.001 * k, 0.0, 0.5), (0.0, 0.0, 0.0, speed if k == 0 else 0.0, 0.0, 0.0))
        for x in (-0.5, 0.5):
            for y in (-0.5, 0.5):
                scene.contact(body, None, (1.001 * k + x, y, 0.0), mu=0.1)
        if boxes:
            for y in (-0.5, 0.5):
                at_x = 1.001 * k - 0.5
                scene.contact(body, boxes[-1], (at_x, y, 0.5), (1.0, 0.0, 0.0), mu=0.1, gap=1e-3)
        boxes.append(body)
    lid = scene.body(1.0, half, (0.0, 0.0, 3.0))
    scene.contact(lid, boxes[0], (0.0, 0.0, 1.0), mu=0.1, gap=1.5)
    return scene, lid


def test_contacts_that_stay_open_are_not_near_and_those_that_others_close_become_so(monkeypatch):
    """Newton's method alone, so that nothing has pushed the row before; and only what closes is near at first."""
    counts, choose = [], near.choose_near

    def counted(ints, numbers, island, end, slow):
        more = choose(ints, numbers, island, end, slow if slow == math.inf else 0.0)
        counts.append(int(np.sum(at.integers(ints, at.IS_NEAR))))
        return more

    monkeypatch.setattr("redmax.solvers.contact.solve.choose_near", counted)
    scene, lid = row_of_boxes(4, 2.0)
    problem = scene.problem()
    packed = problem.packed(TOLERANCE)
    packed.section(at.OPTIONS)[at.MOST_SWEEPS] = 0
    assert solve(packed.ints, packed.numbers) == at.SOLVED
    for name, violation in laws.all_laws(laws.Solved(problem, packed)).items():
        assert violation <= 20.0 * TOLERANCE, name
    assert counts[0] < counts[-1] < len(problem.blocks)
    assert packed.section(at.V)[6 * lid : 6 * lid + 6].tolist() == scene.v[lid].tolist()
    island = at.integers(packed.ints, at.ISLAND_BLOCKS)
    assert island.tolist() == list(range(len(problem.blocks))), "all blocks, in their order"


def test_what_pushes_or_hardly_parts_is_near_and_what_was_near_stays():
    scene, _ = row_of_boxes(2, 2.0)
    _, packed, _ = prepared(scene)
    ints, numbers = packed.ints, packed.numbers
    packed.section(at.SIGMA)[::3] = 5.0
    packed.section(at.SIGMA)[3], packed.section(at.SIGMA)[6], packed.section(at.IMPULSE)[9] = -0.1, 0.5, 0.2
    island, bounds = at.integers(ints, at.ISLAND_BLOCKS), at.integers(ints, at.ISLAND_BLOCK_START)
    everything = island.tolist()
    end = near.list_blocks(ints, 0)
    assert near.choose_near(ints, numbers, 0, end, 1.0)
    assert island[: bounds[1]].tolist() == [1, 2, 3]
    packed.section(at.SIGMA)[::3] = 5.0
    packed.section(at.SIGMA)[0] = -1.0
    assert near.choose_near(ints, numbers, 0, end, 1.0)
    assert island[: bounds[1]].tolist() == [0, 1, 2, 3]
    assert not near.choose_near(ints, numbers, 0, end, 1.0)
    near.all_blocks(ints, 0, end)
    assert island.tolist() == everything
    assert bounds[1] == end


def test_an_island_that_is_missed_is_whole_again():
    scene, _ = row_of_boxes(3, 2.0)
    packed = scene.problem().packed(TOLERANCE)
    for option in (at.MOST_SWEEPS, at.MOST_OUTER, at.MOST_ADMM):
        packed.section(at.OPTIONS)[option] = 0
    assert solve(packed.ints, packed.numbers) == at.MISSES
    blocks = packed.ints[at.BLOCKS]
    assert at.integers(packed.ints, at.ISLAND_BLOCKS).tolist() == list(range(blocks))
    assert at.integers(packed.ints, at.ISLAND_BLOCK_START)[:2].tolist() == [0, blocks]
