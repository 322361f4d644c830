# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft limits of balls: springs and dampers beyond cones and ranges of twist, as forces between the two bodies."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.constraints.closed import limited_balls
from engine.constraints.hung_balls import ALONG, ARM, MASS, G, books, hung, limit, run
from engine.forces import force_battery
from redmax import fast
from redmax.compile import compile as compile_scene
from redmax.dynamics.kinematics import kinematics
from redmax.dynamics.loads import loads, potential_energy
from redmax.dynamics.powers import powers
from redmax.forces.soft_turn_limit import SoftTurnLimit
from redmax.integrators import Bdf1, LinearlyImplicitEuler
from redmax.reference.projected import forward_dynamics, mass_matrix
from redmax.simulate import simulate
from redmax.spatial import so3
from redmax.spatial.swing_twist import CONE, TWIST

CHECKS = [check for check in force_battery.CHECKS if check is not force_battery.it_is_written_and_read_exactly]
SHAPES = [
    (CONE, (0.5**-2.0, 0.9**-2.0, 0.9**-2.0)),
    (CONE, (0.0, 0.9**-2.0, 0.9**-2.0)),
    (TWIST, (0.1, 1.0, 0.0)),
    (TWIST, (0.1, -1.0, 0.0)),
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("bodies", [(0, 1), (-1, 0)])
@pytest.mark.parametrize("shape", SHAPES)
def test_force(shape, bodies, check, monkeypatch):
    """The battery of all forces, with poses inside and beyond the limit."""
    rng = np.random.default_rng(4)
    axes = so3.random(rng, (2,))
    one = SoftTurnLimit("limit", bodies, *axes, limit=shape[0], shape=shape[1], k=30.0, d=2.0)
    beyond = [one.potential(E) > 0.0 for E, _, _ in force_battery.situations(one)]
    assert 0 < sum(beyond) < len(beyond)
    monkeypatch.setattr(force_battery, "bound", lambda _: (None, one))
    check(None)


def soft_chain(seed):
    model, q = limited_balls(seed, stiffness=40.0, damping=1.5)
    assert not model.constraints
    assert len(model.forces) == model.hidden_forces == 18
    return model, q, np.random.default_rng(seed).uniform(-1.0, 1.0, model.dof_count)


@pytest.mark.parametrize("seed", range(4))
def test_kernels_know_them(seed):
    """Accelerations, powers and energy, against the projected equations."""
    model, q, qdot = soft_chain(seed)
    tree, chart = fast.new_tree(model), model.initial_state().chart
    kin = kinematics(model, q, qdot, chart)
    load = loads(model, kin, 0.0)
    expected = forward_dynamics(model, kin, load, np.zeros(model.dof_count))
    qddot, power, stuck = tree.forward_dynamics(q, qdot, chart, 0.0, np.zeros(model.dof_count))
    assert stuck == -1
    scale = max(1.0, np.abs(expected).max()) * np.linalg.cond(mass_matrix(model, kin))
    np.testing.assert_allclose(qddot, expected, atol=1e-13 * scale)
    np.testing.assert_allclose(power, powers(model, kin, load, load.f_r, 0.0), rtol=1e-10, atol=1e-10)
    seen = tree.observe(q, qdot, chart, 0.0)
    assert seen.potential == pytest.approx(potential_energy(model, kin), rel=1e-11)


def test_a_twist_beyond_its_limit_swings_back():
    """Half a period of the spring later it leaves at the speed it came with."""
    rate, upper, k = 3.0, 0.4, 20.0
    stop = limit(twist_lower=-0.4, twist_upper=upper, stiffness=k)
    model = compile_scene(hung(stop, gravity=0.0, qdot=(0.0, 0.0, rate)))
    natural = np.sqrt(k / ALONG)
    came = upper / rate
    samples = run(model, duration=came + np.pi / natural + 0.5 / 24.0, fps=96.0)
    for sample in samples:
        t, psi = sample.t, sample.state.q[2]
        true = rate * t if t < came else upper + rate / natural * np.sin(natural * (t - came))
        true = true if t < came + np.pi / natural else upper - rate * (t - came - np.pi / natural)
        assert psi == pytest.approx(true, abs=1e-8)
    np.testing.assert_allclose(books(samples), books(samples)[0], atol=1e-9)


def test_a_body_that_stands_leans_on_its_soft_cone():
    """k (sigma - a) of the cone's room carries m g l sin sigma, once the damper has taken the rest; books balance."""
    a, k = 0.5, 60.0
    stop = limit(swing_1=a, swing_2=a, stiffness=k, damping=6.0)
    model = compile_scene(hung(stop, up=True, q=(0.3, 0.0, 0.0)))
    samples = run(model, duration=6.0, tolerance=1e-9)
    sigma = float(np.linalg.norm(samples[-1].state.q))
    room = (a * a - sigma * sigma) / (2.0 * a)
    assert -k * room * sigma / a == pytest.approx(MASS * G * ARM * np.sin(sigma), rel=1e-4)
    np.testing.assert_allclose(books(samples), books(samples)[0], atol=1e-6)


@pytest.mark.parametrize("integrator", [LinearlyImplicitEuler(h=1e-2), Bdf1(h=1e-2)], ids=lambda each: each.kind)
def test_implicit_steps_know_stiff_ones(integrator):
    """With a spring that explicit steps of this length could not bear: period 0.9 ms."""
    stop = limit(swing_1=0.5, swing_2=0.5, stiffness=2e7, damping=1e3)
    model = compile_scene(hung(stop, up=True, q=(0.3, 0.0, 0.0)))
    samples = list(simulate(model, integrator=integrator, fps=24.0, duration=1.0))
    assert samples[-1].status == "complete", samples[-1].message
    assert np.linalg.norm(samples[-1].state.q) == pytest.approx(0.5, abs=1e-3)
    assert np.abs(samples[-1].state.qdot).max() < 1e-2


def test_both_routes_move_a_soft_arm_alike():
    fields = {"swing_1": 0.6, "swing_2": 0.4, "twist_lower": -0.1, "twist_upper": 0.2, "stiffness": 50.0}
    limits = [limit(k, **fields, damping=1.0) for k in range(3)]
    model = compile_scene(hung(*limits, links=3, qdot=(3.0, 1.0, 2.0)))
    one, other = (run(model, dynamics=dynamics, duration=0.375) for dynamics in ("fast", "recursive"))
    for x, y in zip(one, other, strict=True):
        np.testing.assert_allclose(x.E_wb, y.E_wb, atol=1e-7)
    for samples in (one, other):
        np.testing.assert_allclose(books(samples), books(samples)[0], atol=1e-7)
    assert float(one[-1].channels["loss"]) > 0.1


def test_the_stiffer_the_nearer_to_a_hard_one():
    hard = compile_scene(hung(limit(swing_1=0.5, swing_2=0.5, restitution=1.0), qdot=(5.0, 0.0, 0.0)))
    end = run(hard, duration=0.4)[-1].E_wb
    off = []
    for stiffness in (1e4, 1e6):
        soft = dataclasses.replace(limit(swing_1=0.5, swing_2=0.5), stiffness=stiffness)
        off.append(np.abs(run(compile_scene(hung(soft, qdot=(5.0, 0.0, 0.0))), duration=0.4)[-1].E_wb - end).max())
    assert off[1] < 0.15 * off[0]  # time in contact falls with the root of the stiffness
