# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways of rows to the root, and runs whose steps are longer than the time between samples."""

from __future__ import annotations

import numpy as np
import pytest

from engine.mechanisms import Builder, four_bar, scissor_lift
from redmax.compile import compile as compile_scene
from redmax.integrators import Dop853

pytest.importorskip("numba")
from redmax import fast
from redmax.kernels.layout import codes
from redmax.kernels.layout.declaration import Path
from redmax.kernels.layout.packing_paths import pack_paths, runs


def halves(pairs, first):
    return pairs[:first], pairs[first:]


def listed(parent, rows):
    """Of each body the rows that meet there and the ways that pass."""
    ints = pack_paths(np.array(parent), np.array([[codes.POINT, a, b, 0] for a, b in rows]))
    lines = ints[: len(parent) * Path.SIZE].reshape(-1, Path.SIZE)
    pairs = ints[len(parent) * Path.SIZE :].reshape(-1, 2)
    found = []
    for first, meetings, ranges in lines.tolist():
        mine = pairs[first : first + meetings + ranges].tolist()
        found.append(tuple([k for a, count in part for k in range(a, a + count)] for part in halves(mine, meetings)))
    return found


def test_two_ways_meet_where_the_tree_branches():
    """Bodies 1 and 2 hang on 0; three rows between 1 and 2, of which the ways from 2 are 3 to 5."""
    assert listed([-1, 0, 0], [(1, 2)] * 3) == [([0, 1, 2], [0, 1, 2]), ([], [0, 1, 2]), ([], [3, 4, 5])]


def test_a_way_that_passes_the_other_end_meets_it_there():
    assert listed([-1, 0, 1], [(0, 2)]) == [([0], [0]), ([], [1]), ([], [1])]


def test_what_is_held_by_the_world_has_one_way():
    assert listed([-1, 0], [(-1, 1)]) == [([], [0]), ([], [0])]


def test_ways_in_separate_trees_never_meet():
    assert listed([-1, -1], [(0, 1)]) == [([], [0]), ([], [1])]


def test_runs_end_at_gaps_and_at_the_cut():
    assert runs([0, 1, 2, 3, 5], 2) == [(0, 2), (2, 2), (5, 1)]


def moved_away(distance):
    """A four-bar that far from the world's origin."""
    b = Builder("away")
    o = distance * np.array([1.0, 0.5, -2.0])
    A, B, C, D = o + np.array([(0.0, 0.0, 0.0), (0.0, 0.0, 0.4), (1.1, 0.0, 0.5), (1.0, 0.0, 0.0)])
    for name, ends in (("left", (A, B)), ("coupler", (B, C)), ("right", (D, C))):
        b.bar(name, *ends)
    b.hinge("A", None, "left", A, qdot=1.0)
    b.hinge("B", "left", "coupler", B)
    b.hinge("D", None, "right", D)
    b.hinge("C", "coupler", "right", C)
    return compile_scene(b.scene)


def test_far_from_the_origin_accelerations_keep_their_digits():
    """Positions lose the digits of the distance; arms between joints are differences of them."""
    near, far = moved_away(0.0), moved_away(1e4)
    found = []
    for model in (near, far):
        stepper = Dop853().begin(model, model.initial_state())
        state = stepper.state
        found.append(fast.looped_tree(model).forward_dynamics(state.q, state.qdot, state.chart, 0.0, np.zeros(3))[0])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9)


@pytest.mark.parametrize("fps", [240.0, 1000.0])
@pytest.mark.parametrize("make", [four_bar, lambda: scissor_lift(3)])
def test_samples_within_steps_are_on_the_loops(make, fps):
    """Steps of several samples: loops are as closed as where steps end, and the motion is that of steps that end at
    every sample, within the tolerance."""
    model = compile_scene(make())
    tight = Dop853(rtol=1e-10, atol=1e-10)
    passing, ending = tight.begin(model, model.initial_state()), tight.begin(model, model.initial_state())
    tree = fast.looped_tree(model)
    count = round(0.3 * fps)
    for k in range(1, count + 1):
        state = passing.advance(k / fps)
        seen = tree.evaluate_loops(state.q, state.qdot, state.chart)
        assert seen.gaps().max() < 1e-14
        assert np.abs(seen.rates).max() < 1e-12 * (1.0 + np.abs(state.qdot).max())
    assert passing.steps < 0.6 * count
    last = ending.advance(count / fps)
    np.testing.assert_allclose(state.q, last.q, atol=1e-7)
    np.testing.assert_allclose(state.qdot, last.qdot, atol=1e-6)
