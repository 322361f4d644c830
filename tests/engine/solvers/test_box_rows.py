# SPDX-License-Identifier: GPL-3.0-or-later
"""Multipliers of rows with bounds, of any rank and whatever the right sides: against enumeration and least squares."""

from __future__ import annotations

import collections
from types import FunctionType

import numpy as np
import pytest
from scipy.optimize import least_squares, linprog, lsq_linear

from engine.solvers.box_oracle import (
    BOXED,
    EQUATION,
    ONE_SIDED,
    bounds,
    by_enumeration,
    delassus,
    feasible,
    room_for,
    solve,
    violation,
)
from redmax.solvers import box_rows

EXACT = 1e-9
"""Of effects, relative to the largest demand: the rounding of random systems with cond(A) up to 1e5."""

MIXES = {
    "one-sided": (0.0, 1.0, 0.0),
    "equations": (1.0, 0.0, 0.0),
    "boxed": (0.0, 0.0, 1.0),
    "mixed": (0.3, 0.4, 0.3),
}


def system(seed, mix, *, most=8):
    """A, b, lo, hi with more rows than coordinates in most cases; b can be satisfied."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, most + 1))
    A, W = delassus(rng, int(rng.integers(1, 6)), m, rank=int(rng.integers(1, 6)), uneven=rng.choice([0.0, 3.0]))
    kinds = rng.choice(3, m, p=MIXES[mix])
    lo, hi = bounds(kinds, 10.0 ** rng.uniform(-2.0, 2.0, m) / np.sqrt(np.diag(A)))
    return A, feasible(rng, W, kinds), lo, hi


def assert_same_effect(A, b, x, y, tolerance=EXACT):
    s = 1.0 / np.sqrt(np.diag(A))
    size = np.abs(s * b).max() + np.abs(s * (A @ y)).max()
    np.testing.assert_allclose(s * (A @ x), s * (A @ y), atol=tolerance * size, rtol=0.0)


@pytest.mark.parametrize("mix", ["one-sided", "mixed"])
def test_the_effect_is_that_of_the_right_active_set(mix):
    """Every active set of up to 6 rows is tried; among dependent rows multipliers may differ, their effect not."""
    for seed in range(250):
        A, b, lo, hi = system(seed, mix, most=8 if mix == "one-sided" else 6)
        x, _, code = solve(A, b, lo, hi)
        assert code == box_rows.SOLVED
        assert_same_effect(A, b, x, by_enumeration(A, b, lo, hi))


@pytest.mark.parametrize("mix", MIXES)
def test_the_conditions_of_optimality_hold(mix):
    for seed in range(300):
        A, b, lo, hi = system(seed, mix, most=30)
        x, _, code = solve(A, b, lo, hi)
        assert code == box_rows.SOLVED
        assert violation(A, b, lo, hi, x) < EXACT


@pytest.mark.parametrize("mix", ["boxed", "one-sided"])
def test_bounded_least_squares_have_the_same_solution(mix):
    """min |W x - y|^2 within bounds is the problem with A = W^T W and b = W^T y."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        m = int(rng.integers(1, 15))
        A, W = delassus(rng, m + 3, m)
        lo, hi = bounds(rng.choice(3, m, p=MIXES[mix]), rng.exponential(size=m))
        y = rng.standard_normal(len(W))
        x, _, _ = solve(A, W.T @ y, lo, hi)
        found = lsq_linear(W, y, (lo, hi), method="bvls", tol=1e-14, max_iter=1000)
        np.testing.assert_allclose(x, found.x, atol=1e-7)  # what its stopping rule leaves
        assert_same_effect(A, W.T @ y, x, found.x, 1e-7)


def test_a_box_on_four_corners_with_unequal_gaps():
    """Four rows, three coordinates: three corners carry it, which ones depends on the gaps."""
    lo, hi = bounds(np.full(4, ONE_SIDED), 0.0)
    carrying = set()
    for seed in range(200):
        rng = np.random.default_rng(seed)
        W = np.array([[1.0, 1.0, 1.0, 1.0], [1.0, -1.0, -1.0, 1.0], [1.0, 1.0, -1.0, -1.0]])
        W *= rng.uniform(0.1, 10.0, (3, 1))
        A, b = W.T @ W, 0.5 + rng.uniform(-1.0, 1.0, 4)
        x, _, code = solve(A, b, lo, hi)
        assert code == box_rows.SOLVED
        assert_same_effect(A, b, x, by_enumeration(A, b, lo, hi))
        carrying.add(tuple(x > 0.0))
    assert len(carrying) > 8


def test_ties_do_not_cycle():
    """Small whole numbers: rows repeated many times, demands that meet in one point."""
    for seed in range(300):
        rng = np.random.default_rng(seed)
        k, m = int(rng.integers(1, 6)), int(rng.integers(1, 25))
        W = rng.integers(-1, 2, (k, m)).astype(float)
        W[0, ~W.any(axis=0)] = 1.0
        kinds = rng.choice(3, m, p=(0.1, 0.6, 0.3))
        lo, hi = bounds(kinds, np.ones(m))
        b = W.T @ rng.integers(-1, 2, k) - np.where(kinds == EQUATION, 0.0, rng.integers(0, 2, m))
        x, _, code = solve(W.T @ W, b, lo, hi)
        assert code == box_rows.SOLVED
        assert violation(W.T @ W, b, lo, hi, x) < EXACT


def test_contradicting_rows_are_found_and_satisfied_in_the_sense_of_least_squares():
    """Right sides at random, more rows than coordinates; linear programming says which can be satisfied."""
    results = collections.Counter()
    for seed in range(200):
        rng = np.random.default_rng(seed)
        m = int(rng.integers(2, 16))
        A, W = delassus(rng, 3, m)
        lo, hi = bounds(np.full(m, ONE_SIDED), 0.0)
        b = rng.standard_normal(m)
        x, state, code = solve(A, b, lo, hi)
        possible = linprog(np.zeros(3), -W.T, -b, bounds=(None, None)).status == 0
        assert code == (box_rows.SOLVED if possible else box_rows.CONTRADICTED)
        assert possible == (not (state == box_rows.LEFT_OUT).any())
        results[code] += 1
        if not possible:
            s = np.linalg.norm(W, axis=0)

            def missed(v, s=s, W=W, b=b):
                """Half the sum of its squares is least, up to the softness times that of v."""
                return np.concatenate([np.maximum(b - W.T @ v, 0.0) / s, np.sqrt(box_rows.SOFTNESS) * v])

            best = least_squares(missed, np.zeros(3), xtol=1e-15, ftol=1e-15, gtol=1e-15)
            assert 0.5 * (missed(W @ x) ** 2).sum() < best.cost * (1.0 + 1e-6)
    assert results[box_rows.SOLVED] > 30
    assert results[box_rows.CONTRADICTED] > 30


def test_an_equation_wins_over_a_stop_that_contradicts_it():
    A, b = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([2.0, 3.0])
    x, state, code = solve(A, b, np.array([0.0, -np.inf]), np.full(2, np.inf))
    assert code == box_rows.CONTRADICTED
    assert state.tolist() == [box_rows.LEFT_OUT, box_rows.FREE]
    assert x.tolist() == [0.0, 3.0]


def test_of_contradicting_equations_one_is_left_out():
    x, state, code = solve(np.ones((2, 2)), np.array([1.0, 2.0]), np.full(2, -np.inf), np.full(2, np.inf))
    assert code == box_rows.CONTRADICTED
    assert state.tolist() == [box_rows.FREE, box_rows.LEFT_OUT]
    assert x.tolist() == [1.0, 0.0]


def test_of_two_stops_in_one_place_the_one_that_asks_for_more_pushes():
    for b in ([1.0, 2.0], [2.0, 1.0]):
        x, _, _ = solve(np.ones((2, 2)), np.array(b), np.zeros(2), np.full(2, np.inf))
        np.testing.assert_array_equal(x, np.where(np.array(b) == 2.0, 2.0, 0.0))


def test_units_do_not_matter():
    """Rows in other units, masses of watches and cranes: the same active set, multipliers in those units."""
    for seed in range(50):
        A, b, lo, hi = system(seed, "mixed")
        unit = 2.0 ** np.random.default_rng(seed).integers(-16, 17, len(b))
        x, state, _ = solve(A, b, lo, hi)
        y, other, _ = solve(A * np.outer(unit, unit), b * unit, lo / unit, hi / unit)
        np.testing.assert_array_equal(state, other)
        np.testing.assert_array_equal(y * unit, x)  # powers of 2 are exact


def test_a_watch_beside_a_crane_is_as_exact_as_alone():
    watch, crane = system(3, "one-sided"), system(4, "one-sided")
    A = np.zeros((len(watch[1]) + len(crane[1]),) * 2)
    k = len(watch[1])
    A[:k, :k], A[k:, k:] = watch[0], crane[0]
    b, lo, hi = (np.concatenate([watch[i] * (1e-9 if i == 1 else 1.0), crane[i]]) for i in (1, 2, 3))
    x, _, _ = solve(A, b, lo, hi)
    alone, _, _ = solve(*watch)
    np.testing.assert_allclose(x[:k], 1e-9 * alone, rtol=1e-12, atol=1e-24)


def test_rows_that_move_nothing_get_nothing():
    A = np.diag([1.0, 0.0, 1e-30])
    x, state, code = solve(A, np.ones(3), np.full(3, -np.inf), np.full(3, np.inf))
    assert x.tolist() == [1.0, 0.0, 0.0]
    assert state.tolist() == [box_rows.FREE, box_rows.HELD, box_rows.HELD]
    assert code == box_rows.SOLVED
    assert solve(np.zeros((0, 0)), np.zeros(0), np.zeros(0), np.zeros(0))[2] == box_rows.SOLVED


def test_a_warm_start_gives_the_same_effect_without_a_change_of_state():
    """From its own solution nothing changes; from that of another demand the effect is right all the same."""
    for seed in range(100):
        A, b, lo, hi = system(seed, "mixed", most=20)
        at = room_for(len(b))
        x, state, _ = (np.copy(each) for each in solve(A, b, lo, hi, at))
        _, again, _ = solve(A, b, lo, hi, at)
        np.testing.assert_array_equal(again, state)
        assert_same_effect(A, b, at.x, x, 1e-12)
        other = b - np.where(np.isfinite(lo), np.random.default_rng(seed).exponential(size=len(b)), 0.0) * np.abs(b)
        solve(A, other, lo, hi, at)
        assert solve(A, b, lo, hi, at)[2] == box_rows.SOLVED
        assert_same_effect(A, b, at.x, x)


def test_nothing_behind_the_rows_is_touched():
    """Arrays may be larger than the system."""
    A, b, lo, hi = system(11, "mixed")
    m = len(b)
    at, big = room_for(m + 3), np.full((m + 3, m + 3), np.nan)
    big[:m, :m] = A
    more = [np.concatenate([each, np.full(3, np.nan)]) for each in (b, lo, hi)]
    at.x[m:], at.state[m:] = 7.0, 7
    box_rows.solve(m, big, *more, at.x, at.state, at.L, at.work, at.order)
    np.testing.assert_array_equal(at.x[:m], solve(A, b, lo, hi)[0])
    assert (at.x[m:] == 7.0).all()
    assert (at.state[m:] == 7).all()
    assert np.isnan(at.L[m:]).all()
    assert np.isnan(at.work[:, m:]).all()


def block(push, mu):
    """A block of 2 kg on the ground, pushed sideways [N], for one second: row 0 presses, row 1 rubs."""
    m, g = 2.0, 9.81
    A, b = np.eye(2) / m, np.array([g, -push / m])
    at = room_for(2)
    lo, hi = np.zeros(2), np.full(2, np.inf)
    master, friction = np.array([-1, 0]), np.array([0.0, mu])
    code = box_rows.solve_with_friction(2, A, b, lo, hi, master, friction, 20, at.x, at.state, at.L, at.work, at.order)
    return at.x, code, m * g


def test_friction_holds_up_to_its_bound_and_slides_beyond():
    for share, slides in ((0.999, False), (1.001, True)):
        x, code, weight = block(share * 0.3 * 2.0 * 9.81, 0.3)
        assert code == box_rows.SOLVED
        assert x[0] == pytest.approx(weight, rel=1e-12)
        assert x[1] == pytest.approx(-0.3 * weight * min(share, 1.0), rel=1e-9)
        assert (abs(x[1]) >= 0.3 * weight * (1.0 - 1e-9)) == slides


def test_friction_that_feeds_back_converges_or_says_that_it_did_not():
    """Rows that press and rub are coupled by 0.5, so that bounds change by a factor mu / 2 from round to round, with
    either sign: where that is 1.5 and grows, rubbing rows stick in the end; where it swings, rounds are relaxed."""
    for mu, coupling, rounds, code in (
        (0.5, 0.5, 40, box_rows.SOLVED),
        (0.5, -0.5, 40, box_rows.SOLVED),
        (3.0, 0.5, 60, box_rows.SOLVED),
        (3.0, -0.5, 60, box_rows.SOLVED),
        (3.0, 0.5, 4, box_rows.UNFINISHED),
    ):
        A = np.array([[1.0, coupling], [coupling, 1.0]])
        at, lo, hi = room_for(2), np.zeros(2), np.full(2, np.inf)
        friction, master = np.array([0.0, mu]), np.array([-1, 0])
        b = np.array([1.0, 10.0])
        found = box_rows.solve_with_friction(
            2, A, b, lo, hi, master, friction, rounds, at.x, at.state, at.L, at.work, at.order
        )
        assert found == code
        if code == box_rows.SOLVED:
            assert abs(at.x[1]) <= mu * at.x[0] * (1.0 + 1e-8)
            assert violation(A, b, lo, hi, at.x) < EXACT


def compiled(function):
    """The function and all that it calls, compiled without any freedom of rounding."""
    import numba

    names = set(function.__code__.co_names)
    around = {name: value for name, value in function.__globals__.items() if name in names}
    around = {name: compiled(value) if isinstance(value, FunctionType) else value for name, value in around.items()}
    around |= {"__builtins__": __builtins__, "__name__": function.__module__}
    return numba.njit(FunctionType(function.__code__, around, function.__name__))


def test_compiled_text_has_the_same_bits():
    pytest.importorskip("numba", reason="needs numba")
    fast = compiled(box_rows.solve)
    for seed in range(120):
        for mix in MIXES:
            problem = system(seed, mix, most=15)
            x, state, code = solve(*problem)
            other = solve(*problem, function=fast)
            np.testing.assert_array_equal(x, other[0])
            np.testing.assert_array_equal(state, other[1])
            assert code == other[2]


def test_kernels_compile_it_as_it_stands():
    """As kernels compile plain text; products and sums may be contracted there."""
    numba = pytest.importorskip("numba", reason="needs numba")
    from redmax.kernels.cache import jit, same_text

    fast = numba.njit(**jit.OPTIONS)(same_text.rebound(box_rows.solve))
    for seed in range(120):
        A, b, lo, hi = system(seed, "mixed", most=15)
        x, _, code = solve(A, b, lo, hi, function=fast)
        assert code == box_rows.SOLVED
        assert_same_effect(A, b, x, solve(A, b, lo, hi)[0], 1e-12 * 1e3)  # 1e3: cond of the free rows


def test_boxed_rows_alone_never_contradict():
    for seed in range(50):
        rng = np.random.default_rng(seed)
        A, _ = delassus(rng, 2, 10)
        lo, hi = bounds(np.full(10, BOXED), np.ones(10))
        b = rng.standard_normal(10)
        x, state, code = solve(A, b, lo, hi)
        assert code == box_rows.SOLVED
        assert not (state == box_rows.LEFT_OUT).any()
        assert violation(A, b, lo, hi, x) < EXACT
