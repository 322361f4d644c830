# SPDX-License-Identifier: GPL-3.0-or-later
"""Impacts one after another: what rows expect, and what energy never does."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from engine.solvers.box_oracle import delassus, room_for
from redmax.solvers import box_rows, impacts

CORNERS = np.array([[1.0, 1.0, 1.0, 1.0], [1.0, -1.0, -1.0, 1.0], [1.0, 1.0, -1.0, -1.0]])
"""W (3, 4) of a plate that can rise and tilt, with A = W^T W."""


def resolve(A, u, e, *, kind=None, slow=None, tiny=None, rounds=impacts.MOST_ROUNDS, function=impacts.resolve):
    """u after the impacts, impulses, kinds and result; u before and all else are left alone."""
    m = len(u)
    at, u, impulse = room_for(m), np.array(u, float), np.full(m, np.nan)
    kind = np.full(m, impacts.ONE_SIDED) if kind is None else np.array(kind, np.int64)
    slow, tiny = np.zeros(m) if slow is None else slow, np.full(m, 1e-12) if tiny is None else tiny
    code = function(
        m,
        np.array(A, float),
        u,
        np.array(e, float),
        slow,
        tiny,
        kind,
        rounds,
        impulse,
        at.state,
        at.L,
        at.work,
        at.order,
        np.full((impacts.WORK, m), np.nan),
    )
    return SimpleNamespace(u=u, impulse=impulse, kind=kind, code=code)


def cradle(v, e, masses=None):
    """Velocities after the impacts of balls in a line that all touch; e: of each pair."""
    v, n = np.array(v, float), len(v)
    masses = np.ones(n) if masses is None else np.array(masses, float)
    G = np.diff(np.eye(n), axis=0)
    found = resolve(G / masses @ G.T, G @ v, np.broadcast_to(e, n - 1))
    assert found.code == box_rows.SOLVED
    return v + G.T @ found.impulse / masses


@pytest.mark.parametrize("moving", [1, 2, 3])
def test_newtons_cradle_lets_as_many_go_as_arrive(moving):
    v = cradle([1.0] * moving + [0.0] * (5 - moving), 1.0)
    np.testing.assert_allclose(v, [0.0] * (5 - moving) + [1.0] * moving, atol=1e-14)


def test_balls_that_meet_from_both_sides_change_places():
    np.testing.assert_allclose(cradle([1.0, 0.0, -2.0], 1.0), [-2.0, 0.0, 1.0], atol=1e-14)
    np.testing.assert_allclose(cradle([1.0, 0.0, -1.0], 1.0), [-1.0, 0.0, 1.0], atol=1e-14)


def test_a_row_of_balls_without_restitution_moves_on_together():
    np.testing.assert_allclose(cradle([1.0, 0.0, 0.0, 0.0], 0.0), 0.25, atol=1e-14)


def test_one_elastic_contact_among_dull_ones():
    """The first two stick, the elastic contact throws the third ball off: it takes what the second had; once more."""
    v = cradle([1.0, 0.0, 0.0], [0.0, 1.0])
    np.testing.assert_allclose(v, [0.25, 0.25, 0.5], atol=1e-14)


@pytest.mark.parametrize("e", [(0.0, 1.0), (1.0, 0.0)])
def test_of_two_stops_in_one_place_the_one_that_bounces_more_counts(e):
    found = resolve(np.ones((2, 2)), [-1.0, -1.0], e)
    np.testing.assert_allclose(found.u, 1.0, atol=1e-15)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_plate_that_lands_flat_bounces_flat(e):
    found = resolve(CORNERS.T @ CORNERS, [-2.0] * 4, [e] * 4)
    np.testing.assert_allclose(found.u, 2.0 * e, atol=1e-14)


def test_a_plate_without_restitution_comes_to_lie_whatever_its_tilt():
    u = CORNERS.T @ np.array([-1.0, 0.2, 0.1])
    np.testing.assert_allclose(resolve(CORNERS.T @ CORNERS, u, [0.0] * 4).u, 0.0, atol=1e-14)


def test_slow_impacts_do_not_bounce():
    slow = np.full(4, 0.1)
    np.testing.assert_allclose(resolve(CORNERS.T @ CORNERS, [-0.09] * 4, [1.0] * 4, slow=slow).u, 0.0, atol=1e-15)
    np.testing.assert_allclose(resolve(CORNERS.T @ CORNERS, [-0.11] * 4, [1.0] * 4, slow=slow).u, 0.11, atol=1e-15)


def test_nothing_happens_without_an_approach():
    found = resolve(CORNERS.T @ CORNERS, [0.0, 1.0, 0.0, -1e-13], [1.0] * 4)
    assert found.u.tolist() == [0.0, 1.0, 0.0, -1e-13]
    assert not found.impulse.any()


def test_equations_keep_their_speed_and_far_rows_get_no_impulse():
    """Two sliders geared 1 : -1 (row 0): one hits its stop (1), the other turns back with it; row 2 is far."""
    W = np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
    kind = [impacts.EQUATION, impacts.ONE_SIDED, impacts.ABSENT]
    v = np.array([-1.0, 1.0])
    found = resolve(W.T @ W, W.T @ v, [0.0, 0.5, 0.0], kind=kind)
    np.testing.assert_allclose(v + W @ found.impulse, [0.5, -0.5], atol=1e-15)
    assert found.impulse[2] == 0.0


def test_a_row_that_equations_move_is_named_as_blocked():
    A, kind = np.ones((2, 2)), [impacts.EQUATION, impacts.ONE_SIDED]
    found = resolve(A, [0.0, -1.0], [0.0, 1.0], kind=kind)
    assert found.code == box_rows.CONTRADICTED
    assert found.kind.tolist() == [impacts.EQUATION, impacts.BLOCKED]
    np.testing.assert_allclose(A @ found.impulse, 0.0, atol=1e-15)


def random_impact(seed):
    """A, W (k, m), v (k,), restitutions and kinds; rows depend on each other in most cases, equations hold."""
    rng = np.random.default_rng(seed)
    k, m = int(rng.integers(1, 7)), int(rng.integers(1, 12))
    A, W = delassus(rng, k, m, rank=int(rng.integers(1, 7)), uneven=rng.choice([0.0, 2.0]))
    kind = rng.choice([impacts.EQUATION, impacts.ONE_SIDED, impacts.ABSENT], m, p=(0.1, 0.8, 0.1))
    v = rng.standard_normal(k)
    held = W[:, kind == impacts.EQUATION]
    v -= held @ (np.linalg.pinv(held) @ v)
    return A, W, v, rng.choice([0.0, 0.5, 1.0, rng.random()], m), kind


@pytest.mark.parametrize("rounds", [0, 3, impacts.MOST_ROUNDS])
@pytest.mark.parametrize("slowest", [0.0, 1e-4])
def test_energy_never_grows_and_nothing_is_approached_any_more(rounds, slowest):
    """Rows of any restitution from 0 to 1, dependent ones too. Rounding of 100 rounds can make opposed rows contradict
    each other by 1e-8 of what they began with."""
    for seed in range(300):
        A, W, v, e, kind = random_impact(seed)
        s = np.linalg.norm(W, axis=0)
        found = resolve(A, W.T @ v, e, kind=kind, slow=slowest * s, tiny=1e-11 * s, rounds=rounds)
        after = v + W @ found.impulse
        one_sided, equations = kind == impacts.ONE_SIDED, kind == impacts.EQUATION
        assert found.code == box_rows.SOLVED
        assert after @ after <= v @ v * (1.0 + 1e-11) + 1e-20
        assert ((W.T @ after / s)[one_sided]).min(initial=0.0) > -1e-8
        assert np.abs((W.T @ after / s)[equations]).max(initial=0.0) < 1e-9
        assert found.impulse[one_sided].min(initial=0.0) >= 0.0
        assert not found.impulse[kind == impacts.ABSENT].any()
        np.testing.assert_allclose(found.u / s, W.T @ after / s, atol=1e-9)


def test_elastic_impacts_keep_the_energy():
    """Until the rounds are used up, which these do not."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        A, W = delassus(rng, 6, 3)
        v = rng.standard_normal(6)
        found = resolve(A, W.T @ v, np.ones(3))
        after = v + W @ found.impulse
        assert after @ after == pytest.approx(v @ v, rel=1e-12)


def test_all_rows_at_once_would_gain_energy():
    """Why impacts are taken one after another: one row is hit, which pushes into another that was moving away."""
    A, u, e = np.array([[1.0, -0.9], [-0.9, 1.0]]), np.array([-1.0, 0.1]), np.array([1.0, 0.0])
    x = np.linalg.solve(A, -u - np.where(u < 0.0, e * u, 0.0))
    assert (x > 0.0).all()
    assert x @ (u + u + A @ x) > 0.1
    found = resolve(A, u, e)
    assert found.impulse @ (u + found.u) <= 1e-15


def test_kernels_compile_it_as_it_stands():
    numba = pytest.importorskip("numba", reason="needs numba")
    from redmax.kernels.cache import jit, same_text

    fast = numba.njit(**jit.OPTIONS)(same_text.rebound(impacts.resolve))
    for seed in range(100):
        A, W, v, e, kind = random_impact(seed)
        s = np.linalg.norm(W, axis=0)
        one, two = (
            resolve(A, W.T @ v, e, kind=kind, slow=1e-4 * s, tiny=1e-11 * s, function=function)
            for function in (impacts.resolve, fast)
        )
        assert one.code == two.code
        np.testing.assert_allclose(one.u / s, two.u / s, atol=1e-9)
