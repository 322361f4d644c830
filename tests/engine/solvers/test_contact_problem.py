# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact problems of small rigid-body scenes: every law holds, closed forms, redundancy, islands, units."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from engine.solvers import contact_laws as laws
from engine.solvers import contact_scenes as scenes
from redmax.kernels import route
from redmax.solvers.contact import layout as at
from redmax.solvers.contact.problem import Problem
from redmax.solvers.contact.solve import solve as plain_solve

TOLERANCE = 1e-8
"""Of the residual [m/s]; speeds of these scenes are g h = 0.1 m/s and more."""

LAWFUL = 20.0 * TOLERANCE
"""Each law by itself may be missed by a few times the residual, which joins them in one projection."""


@pytest.fixture(scope="module")
def fast():
    """The solver as it runs: compiled where numba is."""
    if route.name() == "numpy":
        return plain_solve
    from redmax.kernels import contact_solver

    return contact_solver.solve


def run(scene_or_problem, solve, *, tolerance=TOLERANCE, warm=None, room=None, **options):
    """The solved problem in dense arrays, with code, report and the packed arrays."""
    problem = scene_or_problem if isinstance(scene_or_problem, Problem) else scene_or_problem.problem()
    packed = problem.packed(tolerance, room=room)
    packed.numbers[packed.ints[at.MASS_FACTOR] :] = np.nan  # work space holds nothing
    for name, value in options.items():
        packed.section(at.OPTIONS)[getattr(at, name)] = value
    if warm is not None:
        packed.section(at.IMPULSE)[:] = warm
    code = solve(packed.ints, packed.numbers)
    report = packed.section(at.REPORT).copy()
    dense = laws.Solved(problem, packed)
    return SimpleNamespace(code=code, report=report, packed=packed, s=dense, v=dense.v, x=dense.x)


def assert_lawful(found, law=at.SIGNORINI_COULOMB, tolerance=LAWFUL):
    assert found.code == at.SOLVED, found.report
    assert found.report[at.RESIDUAL] <= TOLERANCE
    for name, violation in laws.all_laws(found.s, law).items():
        assert violation <= tolerance, (name, violation)


def assert_finite(found):
    assert np.isfinite(np.concatenate((found.x, found.v))).all()


# --- random problems against oracles -----------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
def test_without_friction_speeds_are_those_of_enumeration(fast, seed):
    scene = scenes.random_trees(seed, trees=1 + seed % 3, bodies=4, contacts=2, mu=0.0)
    scene.contacts = scene.contacts[:9]
    found = run(scene, fast)
    rows = [block[1].start for block in found.s.blocks]
    q = (found.s.G @ found.s.v_free - found.s.b)[rows]
    expected = laws.frictionless_by_enumeration(found.s.A[np.ix_(rows, rows)], q)
    np.testing.assert_allclose(found.s.sigma[rows], expected, atol=1e-6)  # cond(A) of nearly dependent rows
    assert_lawful(found)


@pytest.mark.parametrize(("trees", "mu"), [(1, 0.2), (1, 0.6), (2, 0.3), (4, 0.3), (10, 0.2)])
def test_every_law_holds_in_heaps_of_random_trees(fast, trees, mu):
    for seed in range(12 if trees < 10 else 4):
        assert_lawful(run(scenes.random_trees(seed, trees=trees, bodies=6, mu=mu), fast))


def test_with_much_friction_few_problems_are_missed_and_all_are_finite(fast):
    """Friction up to 2 on random normals; a caller halves its step where the solver misses."""
    missed = 0
    for seed in range(30):
        found = run(scenes.random_trees(seed, trees=2, bodies=6, mu=1.0), fast)
        assert_finite(found)
        if found.code == at.SOLVED:
            assert_lawful(found)
        else:
            missed += 1
            assert found.code == at.MISSES
            assert found.report[at.RESIDUAL] > TOLERANCE
            assert found.report[at.MISSED] >= 1
            assert 0 <= found.report[at.WORST_BLOCK] < len(found.s.blocks)
    assert missed <= 3


# --- closed forms ----------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [0.1, 0.5, 1.2])
def test_a_block_on_a_slope_sticks_just_below_the_angle_of_friction(fast, mu):
    found = run(scenes.slope_block(math.atan(mu / 1.001), mu, size=0.01), fast, tolerance=1e-10)
    assert found.code == at.SOLVED
    assert np.abs(found.v).max() < 1e-8


@pytest.mark.parametrize("mu", [0.1, 0.5, 1.2])
def test_and_slides_just_above_it_with_the_right_acceleration(fast, mu):
    h, angle = 1e-2, math.atan(mu * 1.001)
    found = run(scenes.slope_block(angle, mu, h, size=0.01), fast, tolerance=1e-10)
    assert found.code == at.SOLVED
    gained = h * scenes.GRAVITY * (math.sin(angle) - mu * math.cos(angle))
    np.testing.assert_allclose(found.v, [0, 0, 0, gained, 0, 0], atol=1e-8)


def test_what_slides_never_lifts_but_by_the_relaxed_law(fast):
    """The relaxed cone lifts a block by mu times its speed; Signorini and Coulomb's law does not."""
    mu, speed = 0.5, 2.0
    found = run(scenes.slope_block(0.0, mu, speed=speed), fast)
    assert_lawful(found)
    slower = speed - 1e-2 * scenes.GRAVITY * mu
    np.testing.assert_allclose(found.v, [0, 0, 0, slower, 0, 0], atol=1e-7)
    relaxed = run(scenes.slope_block(0.0, mu, speed=speed), fast, LAW=at.RELAXED)
    assert relaxed.code == at.SOLVED
    assert relaxed.v[5] > 0.5 * mu * speed


def test_the_pyramid_bounds_each_tangent_by_itself(fast):
    """Along a diagonal of the tangents its friction is sqrt(2) times that of the cone."""
    scene = scenes.Scene(1e-2, 0.0)
    body = scene.body(1.0, [0.1] * 3, [0, 0, 0.1])
    axes = scenes.frame_of(scenes.UP)
    push = 2.0 * (axes[1] + axes[2]) - 0.1 * scenes.UP
    scene.v[0] = np.concatenate((np.zeros(3), push))
    for point in scenes.corners([0, 0], [0.1] * 3, 0.0):
        scene.contact(body, None, point, mu=0.5)
    found = run(scene, fast, LAW=at.PYRAMID)
    assert_lawful(found, at.PYRAMID)
    lost = 0.5 * 0.1 * (axes[1] + axes[2])
    np.testing.assert_allclose(found.v[3:], push + 0.1 * scenes.UP - lost, atol=1e-7)


def test_a_spinning_coin_is_braked_by_its_torsional_friction(fast):
    scene, h, radius = scenes.Scene(), 1e-2, 3e-3
    coin = scene.body(0.01, [0.01, 0.01, 0.001], [0, 0, 0.001], [0, 0, 30.0, 0, 0, 0])
    scene.contact(coin, None, [0, 0, 0], mu=0.3, torsional=radius)
    found = run(scene, fast)
    assert_lawful(found)
    inertia = scene.masses[0][2, 2]
    slower = 30.0 - radius * 0.01 * scenes.GRAVITY * h / inertia
    np.testing.assert_allclose(found.v, [0, 0, slower, 0, 0, 0], atol=1e-6)


def test_a_slow_coin_stops_spinning_and_stays(fast):
    scene = scenes.Scene()
    coin = scene.body(0.01, [0.01, 0.01, 0.001], [0, 0, 0.001], [0, 0, 0.1, 0, 0, 0])
    scene.contact(coin, None, [0, 0, 0], mu=0.3, torsional=3e-3)
    found = run(scene, fast)
    assert_lawful(found)
    assert np.abs(found.v).max() < 1e-6


def test_a_rolling_ball_is_braked_by_rolling_friction(fast):
    """It keeps rolling: m a = -F, I alpha = F R - radius N, a = alpha R."""
    scene, h, R, radius = scenes.Scene(), 1e-2, 0.1, 2e-3
    ball = scene.body(1.0, [R] * 3, [0, 0, R], [0, 1.0 / R, 0, 1.0, 0, 0])
    scene.contact(ball, None, [0, 0, 0], mu=0.5, rolling=radius)
    found = run(scene, fast)
    assert_lawful(found)
    inertia = scene.masses[0][0, 0]
    slower = 1.0 - h * radius * scenes.GRAVITY / R / (1.0 + inertia / R**2)
    np.testing.assert_allclose(found.v, [0, slower / R, 0, slower, 0, 0], atol=1e-6)


def test_torsional_and_rolling_rows_together(fast):
    scene = scenes.Scene()
    ball = scene.body(1.0, [0.1] * 3, [0, 0, 0.1], [3.0, 10.0, 20.0, 1.0, -0.4, 0.0])
    scene.contact(ball, None, [0, 0, 0], mu=0.5, torsional=0.01, rolling=2e-3)
    found = run(scene, fast)
    assert_lawful(found)
    bounds = [(bound, np.linalg.norm(x)) for bound, x, *_ in laws.discs(found.s)]
    assert bounds[1][0] == pytest.approx(bounds[1][1], rel=1e-6)  # still spinning: both radii are used up
    assert bounds[2][0] == pytest.approx(bounds[2][1], rel=1e-6)


@pytest.mark.parametrize(("strength", "moves"), [(4.0, False), (6.0, True)])
def test_a_motor_pushes_with_its_bound_against_friction(fast, strength, moves):
    """A motor that wants 1 m/s with up to `strength` N on a box of 1 kg held by 0.5 g N of friction."""
    h = 1e-2
    scene = scenes.slope_block(0.0, 0.5, h)
    scene.add(at.BOXED, [(0, np.array([[0, 0, 0, 1.0, 0, 0]]))], 1.0, lo=-strength * h, hi=strength * h)
    found = run(scene, fast)
    assert_lawful(found)
    assert found.x[-1] == pytest.approx(strength * h, rel=1e-7)
    expected = h * (strength - 0.5 * scenes.GRAVITY) if moves else 0.0
    np.testing.assert_allclose(found.v[3], expected, atol=1e-7)


# --- redundancy, mass ratios, many bodies ------------------------------------------------------


@pytest.mark.parametrize("count", [10, 20])
def test_stacks_rest_and_every_layer_carries_what_is_above(fast, count):
    found = run(scenes.stack(count), fast)
    assert_lawful(found)
    assert np.abs(found.v).max() < 1e-6
    layers = found.x.reshape(count, 4, 3)[:, :, 0].sum(axis=1)
    np.testing.assert_allclose(layers, 1e-2 * scenes.GRAVITY * np.arange(count, 0, -1), rtol=1e-5)


@pytest.mark.parametrize("heavy", [0, 1, 9])
def test_one_thousand_times_heavier_boxes_in_a_stack(fast, heavy):
    found = run(scenes.stack(10, lambda k: 1000.0 if k == heavy else 1.0), fast)
    assert_lawful(found)
    assert np.abs(found.v).max() < 1e-6


@pytest.mark.parametrize("ratio", [1000.0, 1e-3])
def test_two_boxes_of_very_different_mass(fast, ratio):
    found = run(scenes.stack(2, lambda k: ratio**k), fast)
    assert_lawful(found)
    np.testing.assert_allclose(found.v, 0.0, atol=1e-7)


@pytest.mark.parametrize("rows", [5, 10])
def test_pyramids_of_15_and_55_boxes_stand(fast, rows):
    found = run(scenes.pyramid(rows), fast)
    assert_lawful(found)
    assert np.abs(found.v).max() < 1e-5


def test_a_chain_of_20_links_lies_on_the_ground_and_slides_when_thrown(fast):
    assert_lawful(run(scenes.chain_on_ground(), fast))
    thrown = np.zeros(25)
    thrown[3:5], thrown[6::3] = (1.0, 2.0), 0.3
    assert_lawful(run(scenes.chain_on_ground(axis=(0.0, 0.0, 1.0), velocity=thrown), fast))


def test_redundant_loop_equations_that_disagree_by_rounding_have_moderate_impulses(fast):
    found = run(scenes.four_bar_on_ground(), fast)
    assert_lawful(found)
    assert np.abs(found.x).max() < 10.0  # the frame weighs 4 g h = 0.4 N s
    assert np.abs(found.v).max() < 1e-6


def test_painleve_rods_that_jam_end_with_a_status_and_finite_numbers(fast):
    """A rod slides on its end with so much friction that no force keeps it from pressing in; seen from b = 0 there is
    still an impulse, seen from a demanded speed it cannot have there may be none."""
    for mu in (0.5, 2.0, 5.0):
        for angle in np.linspace(0.2, 1.4, 7):
            scene = scenes.Scene()
            arm = np.array([math.cos(angle), 0.0, math.sin(angle)])
            rod = scene.body(1.0, [0.01, 0.01, 1.0], arm, [0, 0, 0, -1.0, 0, 0])
            scene.contact(rod, None, [0, 0, 0], mu=mu, speed=0.5)
            found = run(scene, fast)
            assert found.code in (at.SOLVED, at.MISSES)
            assert_finite(found)


def test_contradicting_rows_end_with_a_status(fast):
    """A body that must rise and must sink at once."""
    scene = scenes.Scene()
    scene.body(1.0, [0.1] * 3, [0, 0, 0.1])
    up = np.array([[0, 0, 0, 0, 0, 1.0]])
    scene.add(at.ONE_SIDED, [(0, up)], 1.0)
    scene.add(at.EQUATION, [(0, up)], -1.0)
    found = run(scene, fast)
    assert found.code == at.MISSES
    assert_finite(found)


# --- islands, units, arrays ----------------------------------------------------------------------


def test_islands_are_solved_as_if_each_were_alone(fast):
    together = scenes.stack(3)
    lone = together.body(2.0, [0.1] * 3, [5, 0, 3.0])
    other = together.body(1.0, [0.5] * 3, [9, 0, 0.5], [0, 0, 0, 1.0, 0, 0])
    for point in scenes.corners([9, 0], [0.5] * 3, 0.0):
        together.contact(other, None, point)
    found, alone = run(together, fast), run(scenes.stack(3), fast)
    assert found.report[at.ISLAND_COUNT] == 2
    np.testing.assert_array_equal(found.v[:18], alone.v)
    np.testing.assert_array_equal(found.x[:36], alone.x)
    tree = together.bodies[lone][0]
    np.testing.assert_array_equal(found.v[6 * tree : 6 * tree + 6], together.v[tree])


def test_the_same_problem_gives_the_same_bits(fast):
    first, second = (run(scenes.random_trees(3, trees=4, bodies=6), fast) for _ in range(2))
    np.testing.assert_array_equal(first.x, second.x)
    np.testing.assert_array_equal(first.report, second.report)


@pytest.mark.parametrize("scale", [4.0**-4, 4.0**4])
def test_the_same_rig_of_another_size_takes_the_same_iterations(fast, scale):
    """Lengths times scale, times by its root, masses by its cube: every number is the same but for powers of 2."""

    def sized(size):
        half = np.full(3, 0.5 * size)
        scene = scenes.stack(5, lambda k: size**3, half, h=1e-2 * math.sqrt(size))
        scene.v = [v + np.sqrt(size) * np.array([0.1 / size, 0, 0, 0.3, 0, 0]) for v in scene.v]
        return run(scene, fast, tolerance=TOLERANCE * math.sqrt(size))

    found, expected = sized(scale), sized(1.0)
    np.testing.assert_array_equal(found.report[at.OUTER : at.SWEEPS + 1], expected.report[at.OUTER : at.SWEEPS + 1])
    np.testing.assert_allclose(found.x, expected.x * scale**3.5, rtol=1e-9, atol=1e-12 * scale**3.5)


def test_a_solved_problem_needs_no_iteration_when_warm(fast):
    found = run(scenes.stack(5), fast)
    again = run(scenes.stack(5), fast, warm=found.x)
    assert again.report[at.OUTER] == again.report[at.SWEEPS] == 0
    np.testing.assert_allclose(again.x, found.x, rtol=1e-14)  # put back into the cones, by rounding


def test_a_heap_that_moves_is_solved_to_a_part_of_its_speeds(fast):
    scene = scenes.random_trees(3, mu=0.6)
    speed = run(scene, fast, MOST_SWEEPS=0, MOST_OUTER=0, MOST_ADMM=0).report[at.RESIDUAL]  # without any impulse
    rough, fine = run(scene, fast, RELATIVE=1e-3), run(scene, fast)
    assert (rough.code, fine.code) == (at.SOLVED, at.SOLVED)
    assert TOLERANCE < rough.report[at.RESIDUAL] <= 1e-2 * speed
    assert np.abs(rough.v - fine.v).max() < 0.1 * np.abs(fine.v - fine.s.v_free).max()
    assert rough.report[at.NEWTON] < 0.8 * fine.report[at.NEWTON]


def test_what_rests_is_solved_to_the_tolerance_within_a_few_steps(fast):
    impulses = None
    for _ in range(4):  # each begins with what the one before has left
        found = run(scenes.pyramid(4), fast, warm=impulses, RELATIVE=1e-3)
        impulses = found.x
    assert_lawful(found)
    assert found.report[at.SWEEPS] + found.report[at.NEWTON] <= 10


def test_warm_impulses_that_are_no_numbers_or_outside_of_their_cones_do_no_harm(fast):
    scene = scenes.stack(2)
    warm = np.full(24, np.nan)
    warm[1] = 1e6
    assert_lawful(run(scene, fast, warm=warm))


def test_rows_that_move_nothing_have_no_impulse(fast):
    scene = scenes.slope_block(0.0, 0.5)
    scene.add(at.EQUATION, [(0, np.zeros((1, 6)))], 1.0)
    found = run(scene, fast)
    assert found.code == at.SOLVED
    assert found.x[-1] == 0.0


def test_room_that_is_too_small_is_asked_for(fast):
    found = run(scenes.stack(20), fast, room=10)
    assert found.code == at.MORE_SPACE
    needed = int(found.report[at.FACTOR_NEEDED])
    assert needed > 10
    assert_lawful(run(scenes.stack(4), fast, room=needed))


def test_numbers_that_are_no_numbers_and_indefinite_masses_are_unfit(fast):
    for spoil in ("v", "b", "mass", "row"):
        scene = scenes.slope_block(0.0, 0.5)
        if spoil == "v":
            scene.v[0][2] = np.nan
        elif spoil == "mass":
            scene.masses[0] = -scene.masses[0]
        elif spoil == "b":
            scene.contacts[0][2][0] = np.inf
        else:
            scene.contacts[0][1][0][1][0, 0] = np.nan
        problem = scene.problem()
        packed = problem.packed(TOLERANCE)
        assert fast(packed.ints, packed.numbers) == at.UNFIT


def test_a_problem_without_rows_leaves_velocities_alone(fast):
    scene = scenes.Scene()
    scene.body(1.0, [0.1] * 3, [0, 0, 1.0], [1, 2, 3, 4, 5, 6])
    packed = scene.problem().packed(TOLERANCE)
    assert fast(packed.ints, packed.numbers) == at.SOLVED
    np.testing.assert_array_equal(packed.section(at.V), scene.v[0])


# --- one text -----------------------------------------------------------------------------------


SMALL = {
    "slope": lambda: scenes.slope_block(0.3, 0.2, speed=0.5),
    "stack": lambda: scenes.stack(2),
    "four-bar": scenes.four_bar_on_ground,
    "trees": lambda: scenes.random_trees(5, trees=2, bodies=3, contacts=2, mu=0.4),
}


@pytest.mark.parametrize("name", SMALL)
def test_plain_python_solves_the_same_text(name):
    assert_lawful(run(SMALL[name](), plain_solve))


@pytest.mark.parametrize("name", SMALL)
def test_compiled_and_plain_text_agree(fast, name):
    """Products and sums may be contracted in compiled code, and redundant impulses are not unique: velocities are."""
    if fast is plain_solve:
        pytest.skip("needs numba")
    found, plain = run(SMALL[name](), fast), run(SMALL[name](), plain_solve)
    assert found.code == plain.code == at.SOLVED
    np.testing.assert_allclose(found.v, plain.v, atol=1e-6)


@pytest.mark.slow
def test_no_index_leaves_its_section():
    """Compiled with checks of every index."""
    numba = pytest.importorskip("numba", reason="needs numba")
    from redmax.kernels.cache import jit, same_text

    checked = numba.njit(**{**jit.OPTIONS, "boundscheck": True})(same_text.rebound(plain_solve))
    for make in (*SMALL.values(), lambda: scenes.random_trees(0, trees=2, bodies=4, mu=1.0)):
        assert run(make(), checked).code in (at.SOLVED, at.MISSES)
