# SPDX-License-Identifier: GPL-3.0-or-later
"""Impacts with restitution and friction: closed forms, and energy that never grows."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from engine.solvers import contact_laws as laws
from engine.solvers import contact_scenes as scenes
from redmax.kernels import route
from redmax.solvers.contact import layout as at
from redmax.solvers.contact.impacts import resolve as plain_resolve
from redmax.solvers.contact.solve import solve as plain_solve

TOLERANCE = 1e-9


@pytest.fixture(scope="module")
def fast():
    if route.name() == "numpy":
        return plain_resolve
    from redmax.kernels import contact_solver

    return contact_solver.resolve_impacts


def collide(scene, resolve, *, v=None, **options):
    problem = scene.problem()
    if v is not None:
        problem.v_free = np.array(v, float)
    packed = problem.packed(TOLERANCE)
    packed.numbers[packed.ints[at.MASS_FACTOR] :] = np.nan  # work space holds nothing
    for name, value in options.items():
        packed.section(at.OPTIONS)[getattr(at, name)] = value
    code = resolve(packed.ints, packed.numbers)
    s = laws.Solved(problem, packed)
    return SimpleNamespace(code=code, v=s.v, x=s.x, s=s, report=packed.section(at.REPORT).copy(), packed=packed)


def weightless():
    return scenes.Scene(1.0, 0.0)


def ball_on_floor(velocity, e, mu):
    scene = weightless()
    ball = scene.body(1.0, [0.1] * 3, [0, 0, 0.1], velocity)
    scene.contact(ball, None, [0, 0, 0], mu=mu, restitution=e)
    return scene


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_ball_bounces_with_its_restitution(fast, e):
    found = collide(ball_on_floor([0, 0, 0, 0, 0, -2.0], e, 0.5), fast)
    assert found.code == at.SOLVED
    np.testing.assert_allclose(found.v, [0, 0, 0, 0, 0, 2.0 * e], atol=1e-8)
    assert found.report[at.ENERGY] == pytest.approx(-2.0 * (1.0 - e * e), abs=1e-7)


def test_a_ball_that_slides_through_the_impact_loses_mu_times_the_normal_impulse(fast):
    e, mu, arm = 0.5, 0.1, 0.1
    scene = ball_on_floor([0, 0, 0, 3.0, 0, -2.0], e, mu)
    inertia, normal = scene.masses[0][1, 1], 2.0 * (1.0 + e)
    found = collide(scene, fast)
    np.testing.assert_allclose(found.v, [0, mu * normal * arm / inertia, 0, 3.0 - mu * normal, 0, 2.0 * e], atol=1e-7)


def test_a_ball_that_grips_leaves_rolling(fast):
    """Momentum about the point it touches is kept, and that point has no speed after the impact."""
    arm = 0.1
    scene = ball_on_floor([0, 0, 0, 1.0, 0, -2.0], 0.8, 1.0)
    inertia = scene.masses[0][1, 1]
    found = collide(scene, fast)
    speed = 1.0 / (1.0 + inertia / arm**2)
    np.testing.assert_allclose(found.v, [0, speed / arm, 0, speed, 0, 1.6], atol=1e-7)


@pytest.mark.parametrize("moving", [1, 2, 3])
def test_newtons_cradle_lets_as_many_go_as_arrive(fast, moving):
    scene = weightless()
    for k in range(5):
        scene.body(1.0, [0.1] * 3, [0.2 * k, 0, 0], [0, 0, 0, 1.0 if k < moving else 0.0, 0, 0])
        if k:
            scene.contact(k, k - 1, [0.2 * k - 0.1, 0, 0], [1.0, 0, 0], mu=0.3, restitution=1.0)
    found = collide(scene, fast)
    assert found.code == at.SOLVED
    np.testing.assert_allclose(found.v.reshape(5, 6)[:, 3], [0.0] * (5 - moving) + [1.0] * moving, atol=1e-7)


def test_a_box_that_lands_flat_bounces_flat(fast):
    scene = weightless()
    box = scene.body(1.0, [0.5] * 3, [0, 0, 0.5], [0, 0, 0, 0, 0, -1.0])
    for point in scenes.corners([0, 0], [0.5] * 3, 0.0):
        scene.contact(box, None, point, restitution=0.7)
    np.testing.assert_allclose(collide(scene, fast).v, [0, 0, 0, 0, 0, 0.7], atol=1e-7)


def test_slow_impacts_do_not_bounce_and_surfaces_that_move_count(fast):
    found = collide(ball_on_floor([0, 0, 0, 0, 0, -0.5], 0.9, 0.5), fast, SLOW=1.0)
    np.testing.assert_allclose(found.v, 0.0, atol=1e-8)
    scene = ball_on_floor([0, 0, 0, 0, 0, -1.0], 0.5, 0.0)
    scene.contacts[0][2][0] = 2.0  # the floor rises at 2 m/s: they meet at 3, part at 1.5
    np.testing.assert_allclose(collide(scene, fast).v[5], 3.5, atol=1e-8)


def test_equations_hold_through_an_impact_and_motors_give_no_impulse(fast):
    scene = scenes.four_bar_on_ground()
    scene.contacts[-1][2][:] = 0.0
    scene.add(at.BOXED, [(0, np.eye(9)[6:7])], 5.0, lo=-1.0, hi=1.0)
    for contact in scene.contacts[:4]:
        contact[3]["restitution"] = 0.5
    v = np.zeros(9)
    v[5] = -1.0
    found = collide(scene, fast, v=v)
    assert found.code == at.SOLVED
    assert laws.equations(found.s) < 1e-7
    assert found.x[-1] == 0.0
    assert laws.approach(found.s) < 1e-6


def energy_error(seed, resolve, mu=1.0):
    rng = np.random.default_rng(seed)
    scene = scenes.random_trees(seed, trees=1 + seed % 4, bodies=5, h=1.0, mu=mu)
    for _, _, bias, given in scene.contacts:
        bias[:] = 0.0
        given["restitution"] = float(rng.choice([0.0, 0.5, 1.0]))
    v = rng.standard_normal(sum(len(mass) for mass in scene.masses))
    found = collide(scene, resolve, v=v)
    energy = 0.5 * v @ found.s.M @ v
    return found, found.s.energy_gained() / energy, found.report[at.ENERGY] / energy


def test_energy_never_grows(fast):
    """Random trees that meet in many points at once, with much friction; also where the solver misses its tolerance."""
    solved = 0
    for seed in range(60):
        found, gained, reported = energy_error(seed, fast)
        assert gained <= 1e-9
        assert reported == pytest.approx(gained, abs=1e-9)
        assert np.isfinite(found.v).all()
        solved += found.code == at.SOLVED
    assert solved >= 40


def rod_on_rough_floor(angle, slide, mu=1.0, **given):
    """A slanted rod that strikes the floor at 1 m/s with its lower end."""
    scene = weightless()
    arm = np.array([np.cos(angle), 0.0, np.sin(angle)])
    rod = scene.body(1.0, [0.01, 0.01, 1.0], arm, [0, 0, 0, slide, 0, -1.0])
    scene.contact(rod, None, [0, 0, 0], mu=mu, **given)
    return scene


def test_restitution_gives_way_where_it_would_add_energy(fast):
    """Kane's paradox: by Newton's law, u' = -u at the end of the rod, it would leave with more energy than it came."""
    by_newtons_law = collide(rod_on_rough_floor(1.0, 0.75, speed=1.0), plain_solve)
    assert by_newtons_law.code == at.SOLVED
    assert by_newtons_law.s.energy_gained() > 0.1
    found = collide(rod_on_rough_floor(1.0, 0.75, restitution=1.0), fast)
    assert found.s.energy_gained() <= 1e-9
    assert found.s.sigma[0] > 0.1
    for angle in np.linspace(0.2, 1.4, 5):
        for slide in (-3.0, -0.5, 0.5, 3.0):
            found = collide(rod_on_rough_floor(angle, slide, restitution=1.0), fast)
            assert found.s.energy_gained() <= 1e-9
            assert laws.approach(found.s) < 1e-6


def test_velocities_before_and_speeds_of_surfaces_are_left_as_they_are(fast):
    scene = ball_on_floor([0, 0, 0, 0, 0, -2.0], 0.5, 0.5)
    found = collide(scene, fast)
    np.testing.assert_array_equal(found.packed.section(at.V_FREE), found.s.v_free)
    np.testing.assert_array_equal(found.packed.section(at.B), found.s.b)


def test_rounds_that_come_to_no_end_end_together_without_restitution(fast):
    scene = weightless()
    for k in range(5):
        scene.body(1.0, [0.1] * 3, [0.2 * k, 0, 0], [0, 0, 0, 1.0 if k < 1 else 0.0, 0, 0])
        if k:
            scene.contact(k, k - 1, [0.2 * k - 0.1, 0, 0], [1.0, 0, 0], mu=0.0, restitution=1.0)
    found = collide(scene, fast, MOST_ROUNDS=2)
    assert found.report[at.ROUNDS] == 3
    assert laws.approach(found.s) < 1e-7
    assert found.s.energy_gained() < 0.0


def test_plain_python_resolves_the_same_text():
    found = collide(ball_on_floor([0, 0, 0, 3.0, 0, -2.0], 0.5, 0.1), plain_resolve)
    np.testing.assert_allclose(found.v[3:], [2.7, 0, 1.0], atol=1e-7)
