# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of rows to the root, and runs whose steps are longer than the time between samples."""

from __future__ import annotations

import numpy as np
import pytest

from engine.mechanisms import Builder, four_bar, scissor_lift
from redmax.compile import compile as compile_scene
from redmax.constraints import Coupling, JointMotion
from redmax.integrators import Dop853
from redmax.tables import Table

pytest.importorskip("numba")
from redmax import fast
from redmax.kernels.compiled_tree import Tree
from redmax.kernels.layout.declaration import Path
from redmax.kernels.layout.packing import pack


def listed(parent, pairs):
    """Of each body the rows whose paths join there and the paths that pass: of couplings between the joints of bodies,
    or of one that follows a table."""
    b = Builder("paths")
    for body, above in enumerate(parent):
        x = (0.3 * body, 0.1 * body**2, 0.2 * body)
        b.body(f"b{body}", x, 1.0, 0.01 * np.eye(3))
        b.hinge(f"j{body}", f"b{above}" if above >= 0 else None, f"b{body}", x)
    for number, (one, other) in enumerate(pairs):
        if other < 0:
            table = Table(x=(0.0,), y=((0.0,),))
            b.scene.constraints.append(JointMotion(name=f"c{number}", joint=f"j{one}", table=table))
        else:
            b.scene.constraints.append(
                Coupling(name=f"c{number}", leader=f"j{one}", follower=f"j{other}", ratio=1.0 + number)
            )
    model = compile_scene(b.scene)
    tree, start = Tree(model, pack(model)), model.initial_state()
    tree.row_errors(start.q, start.qdot, start.chart)
    ints = tree._sections.paths
    lines = ints[: len(parent) * Path.SIZE].reshape(-1, Path.SIZE)
    ranges = ints[len(parent) * Path.SIZE :].reshape(-1, 2)
    found = []
    for first, joining, passing in lines.tolist():
        mine = ranges[first : first + joining + passing].tolist()
        parts = mine[:joining], mine[joining:]
        found.append(tuple([k for a, count in part for k in range(a, a + count)] for part in parts))
    return found


def test_two_paths_join_where_the_tree_branches():
    """Bodies 1 and 2 hang on 0; three rows between 1 and 2, of which the paths from 2 are 3 to 5."""
    assert listed([-1, 0, 0], [(1, 2)] * 3) == [([0, 1, 2], [0, 1, 2]), ([], [0, 1, 2]), ([], [3, 4, 5])]


def test_a_path_that_passes_the_other_end_joins_it_there():
    assert listed([-1, 0, 1], [(0, 2)]) == [([0], [0]), ([], [1]), ([], [1])]


def test_a_row_on_one_body_has_one_path():
    assert listed([-1, 0], [(1, -1)]) == [([], [0]), ([], [0])]


def test_paths_in_separate_trees_never_join():
    assert listed([-1, -1], [(0, 1)]) == [([], [0]), ([], [1])]


def test_ranges_end_at_gaps_and_between_first_and_second_paths():
    """Body 2 is on the first paths of rows 0 and 2 and on the second one of row 1, number 4 of three rows."""
    assert listed([-1, 0, 0], [(2, 1), (1, 2), (2, 1)])[2] == ([], [0, 2, 4])


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
        found.append(
            fast.constrained_tree(model).forward_dynamics(state.q, state.qdot, state.chart, 0.0, np.zeros(3))[0]
        )
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9)


@pytest.mark.parametrize("fps", [240.0, 1000.0])
@pytest.mark.parametrize("make", [four_bar, lambda: scissor_lift(3)])
def test_samples_within_steps_are_on_the_loops(make, fps):
    """Steps of several samples: loops are as closed as where steps end, and the motion is that of steps that end at
    every sample, within the tolerance."""
    model = compile_scene(make())
    tight = Dop853(rtol=1e-10, atol=1e-10)
    passing, ending = tight.begin(model, model.initial_state()), tight.begin(model, model.initial_state())
    tree = fast.constrained_tree(model)
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
