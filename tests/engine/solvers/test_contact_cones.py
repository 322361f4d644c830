# SPDX-License-Identifier: GPL-3.0-or-later
"""Projections onto cones of friction and their derivatives; block factors of Newton's matrix; islands."""

from __future__ import annotations

import numpy as np
import pytest

from engine.solvers import contact_laws as laws
from engine.solvers import contact_scenes as scenes
from redmax.solvers.contact import cones, islands
from redmax.solvers.contact import layout as at
from redmax.solvers.contact.augmented import newton_matrix
from redmax.solvers.contact.block_cholesky import add_contact, add_row, begin_matrix, factorise, solve_factored
from redmax.solvers.contact.products import delassus_diagonal, factor_masses, row_speeds

LAWS = [at.SIGNORINI_COULOMB, at.PYRAMID]


def random_cone(rng, count, law):
    """Softness, friction, and a function that projects."""
    softness = np.repeat(10.0 ** rng.uniform(-2, 2), count)
    if count in (4, 6):
        softness[3] = 10.0 ** rng.uniform(-2, 2)
    if count >= 5:
        softness[-2:] = 10.0 ** rng.uniform(-2, 2)
    friction = rng.uniform(0.05, 1.5, 3)
    cone = np.zeros(at.CONE_NUMBERS)

    def project(y):
        out = np.full(count, np.nan)
        cones.describe_discs(count, friction, 0, law, softness, 0, cone)
        cones.project_contact(count, softness, 0, cone, y, out)
        return out

    return softness, friction, cone, project


def members(rng, count, law, friction, many=200):
    """Random points of the cone, many on its boundary."""
    points = rng.standard_normal((many, count))
    points[:, 0] = np.abs(points[:, 0])
    groups = [(slice(1, 3), 0)] if law != at.PYRAMID else [(slice(1, 2), 0), (slice(2, 3), 0)]
    groups += [(slice(3, 4), 1)] if count in (4, 6) else []
    groups += [(slice(count - 2, count), 2)] if count >= 5 else []
    for rows, kind in groups:
        size = np.linalg.norm(points[:, rows], axis=1, keepdims=True)
        wanted = friction[kind] * points[:, :1] * np.minimum(1.0, 2.0 * rng.random((many, 1)))
        points[:, rows] *= wanted / size
    return points


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("count", [3, 4, 5, 6])
def test_the_projection_is_the_nearest_point_of_the_cone(count, law):
    """p lies in K and (y - p) R (k - p) <= 0 for all k in K."""
    rng = np.random.default_rng(count)
    for _ in range(60):
        softness, friction, _, project = random_cone(rng, count, law)
        y = rng.standard_normal(count)
        p = project(y)
        inside = members(rng, count, law, friction)
        assert ((y - p) * softness @ (inside - p).T).max() <= 1e-12 * softness.max()
        np.testing.assert_allclose(project(p), p, atol=1e-14)
        bounds = [(friction[0], p[1:3])] if law != at.PYRAMID else [(friction[0], p[1:2]), (friction[0], p[2:3])]
        assert all(np.linalg.norm(part) <= radius * p[0] + 1e-14 for radius, part in bounds)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("count", [3, 4, 5, 6])
def test_the_weight_is_the_derivative_of_the_projection(count, law):
    rng = np.random.default_rng(10 + count)
    step = 1e-6
    for _ in range(60):
        softness, _, cone, project = random_cone(rng, count, law)
        y, weight = rng.standard_normal(count), np.full(36, np.nan)
        project(y)
        cones.contact_weight(count, softness, 0, cone, y, weight)
        W = weight[: count * count].reshape(count, count)
        columns = [(project(y + step * e) - project(y - step * e)) / (2 * step) for e in np.eye(count)]
        np.testing.assert_allclose(W, np.array(columns).T / softness, rtol=1e-4, atol=1e-6 / softness.min())
        np.testing.assert_allclose(W, W.T, atol=1e-13 / softness.min())
        assert np.linalg.eigvalsh(W).min() > -1e-12 / softness.min()


def test_circular_contacts_have_the_projection_and_weight_of_general_ones():
    rng = np.random.default_rng(1)
    for case in range(200):
        mu, soft = (0.0 if case % 10 == 0 else rng.uniform(0.0, 2.0)), 10.0 ** rng.uniform(-3, 3)
        y = rng.standard_normal(3) * (rng.random(3) > 0.1)
        softness, friction, cone = np.full(3, soft), np.array([mu, 0.0, 0.0]), np.zeros(at.CONE_NUMBERS)
        cones.describe_discs(3, friction, 0, at.SIGNORINI_COULOMB, softness, 0, cone)
        general, circular, W, short = np.zeros(3), np.zeros(3), np.zeros(36), np.zeros(36)
        cones.project_contact(3, softness, 0, cone, y, general)
        cones.contact_weight(3, softness, 0, cone, y, W)
        cones.project_circle(mu, 0, y, circular)
        cones.circle_weight(mu, soft, 0, y, short)
        np.testing.assert_allclose(circular, general, atol=1e-14)
        if np.linalg.norm(y[1:]) > 0.0 and mu > 0.0:
            np.testing.assert_allclose(short[:9], W[:9], atol=1e-12 / soft)


@pytest.mark.parametrize("mu", [0.0, 0.5])
def test_what_pulls_straight_along_the_normal_is_projected_to_nothing(mu):
    """Without friction, too, where the cone is a line: open contacts of what does not move have no residual."""
    y, out, weight = np.array([-1e-8, 0.0, 0.0]), np.full(3, np.nan), np.full(9, np.nan)
    cones.project_circle(mu, 0, y, out)
    assert out.tolist() == [0.0, 0.0, 0.0]
    assert not cones.circle_weight(mu, 1.0, 0, y, weight)


def prepared(scene, softness=1e-3):
    """A packed problem with all that Newton's matrix needs, one island."""
    problem = scene.problem()
    packed = problem.packed(1e-8)
    ints, numbers = packed.ints, packed.numbers
    assert factor_masses(ints, numbers)
    assert delassus_diagonal(ints, numbers)
    assert islands.find_islands(ints) == 1
    size = islands.order_elimination(ints, 0)
    packed.section(at.SOFTNESS)[:] = softness * packed.section(at.DELASSUS)
    return problem, packed, size


@pytest.mark.parametrize("make", [lambda: scenes.pyramid(3), lambda: scenes.random_trees(1, trees=5, bodies=5)])
def test_block_factors_solve_newtons_matrix(make):
    problem, packed, size = prepared(make())
    ints, numbers = packed.ints, packed.numbers
    rng = np.random.default_rng(0)
    dense = laws.Solved(problem, packed)
    H = dense.M.copy()
    begin_matrix(ints, numbers, 0, size)
    for k, (_, rows, *_) in enumerate(dense.blocks):
        W = rng.standard_normal((3, 3))
        W = W @ W.T
        if k % 3 == 0:
            W = np.diag([0.0, 2.0, 0.0])
            add_row(ints, numbers, 0, k, 1, 2.0)
        else:
            add_contact(ints, numbers, 0, k, W.ravel().copy())
        H += dense.G[rows].T @ W @ dense.G[rows]
    assert factorise(ints, numbers, 0)
    x = rng.standard_normal(len(H))
    solution = x.copy()
    solve_factored(ints, numbers, 0, solution)
    np.testing.assert_allclose(H @ solution, x, atol=1e-9)
    assert size < len(H) ** 2


def test_newtons_matrix_is_the_derivative_of_the_gradient():
    """Of M (v - v_free) - G^T P(x - (G v - b) / R), by differences along random directions."""
    problem, packed, size = prepared(scenes.random_trees(7, trees=3, bodies=4), softness=0.3)
    ints, numbers = packed.ints, packed.numbers
    dense, rng = laws.Solved(problem, packed), np.random.default_rng(2)
    x, soft = rng.uniform(0, 1, len(dense.b)), packed.section(at.SOFTNESS)

    def pushed(v):
        y = x - (dense.G @ v - dense.b) / soft
        out = np.zeros(len(y))
        for i in range(len(dense.blocks)):
            cones.project_block(ints, numbers, i, soft, y, out)
        return dense.M @ v - dense.G.T @ out, y

    v = rng.standard_normal(len(dense.M))
    packed.section(at.Y)[:] = pushed(v)[1]
    assert newton_matrix(ints, numbers, 0, size)
    for _ in range(5):
        direction = rng.standard_normal(len(v))
        slope = (pushed(v + 1e-6 * direction)[0] - pushed(v - 1e-6 * direction)[0]) / 2e-6
        solution = slope.copy()
        solve_factored(ints, numbers, 0, solution)
        np.testing.assert_allclose(solution, direction, atol=1e-5)


def test_islands_are_the_connected_trees_in_order():
    scene = scenes.stack(2)
    scene.body(1.0, [0.1] * 3, [9, 9, 9])
    for x in (5.0, 7.0):
        body = scene.body(1.0, [0.1] * 3, [x, 0, 0.1])
        scene.contact(body, None, [x, 0, 0])
    scene.contact(4, 3, [6, 0, 0.1], [1.0, 0, 0])
    packed = scene.problem().packed(1e-8)
    ints = packed.ints
    assert islands.find_islands(ints) == 3
    starts, trees = at.integers(ints, at.ISLAND_TREE_START), at.integers(ints, at.ISLAND_TREES)
    assert [list(trees[starts[k] : starts[k + 1]]) for k in range(3)] == [[0, 1], [2], [3, 4]]
    starts, blocks = at.integers(ints, at.ISLAND_BLOCK_START), at.integers(ints, at.ISLAND_BLOCKS)
    assert [list(blocks[starts[k] : starts[k + 1]]) for k in range(3)] == [list(range(8)), [], [8, 9, 10]]


def test_elimination_of_a_stack_fills_nothing_in():
    """A chain of boxes: diagonal blocks and one below each."""
    _, _, size = prepared(scenes.stack(12))
    assert size == (12 + 11) * 36


def test_diagonal_and_row_products_are_those_of_dense_matrices():
    problem, packed, _ = prepared(scenes.random_trees(4, trees=3, bodies=5))
    dense, out = laws.Solved(problem, packed), np.zeros(packed.ints[at.ROWS])
    v = np.random.default_rng(3).standard_normal(len(dense.M))
    row_speeds(packed.ints, packed.numbers, 0, v, out)
    np.testing.assert_allclose(out, dense.G @ v, atol=1e-12)
    for _, rows, *_ in dense.blocks:
        np.testing.assert_allclose(packed.section(at.DELASSUS)[rows], dense.d[rows].mean(), rtol=1e-10)
