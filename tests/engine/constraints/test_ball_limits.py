# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of balls: cones and ranges of twist that are never passed, by steps in Python and in compiled frames."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.constraints.hung_balls import ALONG, ARM, MASS, STEADY, G, books, hung, limit, run
from engine.mechanisms import Builder
from redmax import io
from redmax.check import find_problems
from redmax.compile import compile as compile_scene
from redmax.constraints import BallLimit
from redmax.dynamics.constraint_rows import constraint_rows
from redmax.dynamics.kinematics import kinematics
from redmax.integrators import INTEGRATORS, Automatic, Dop853
from redmax.simulate import simulate
from redmax.spatial import so3

OVERSHOOT = 1e-9
"""What a run may be beyond a limit [rad]."""
ROUTES = ("fast", "recursive")


def least_room(model, samples):
    states = (sample.state for sample in samples)
    return min(constraint_rows(model, kinematics(model, s.q, s.qdot, s.chart), s.t).error.min() for s in states)


def start_of_precession(swing, rate):
    """q and qdot of a ball that is swung about x and turns about the vertical."""
    q = np.array([swing, 0.0, 0.0])
    w_body = so3.exp(q).T @ np.array([0.0, 0.0, rate])
    return tuple(q), tuple(so3.right_jacobian_inverse(q) @ w_body)


@pytest.mark.parametrize("dynamics", ROUTES)
def test_a_fast_conical_pendulum_runs_along_the_border(dynamics):
    """Thrown out by its turning, it presses with (I - C) w^2 sin a cos a - m g l sin a and goes on at the same rate."""
    a, rate = 0.6, 7.0
    q, qdot = start_of_precession(a, rate)
    model = compile_scene(hung(limit(swing_1=a, swing_2=a), q=q, qdot=qdot))
    samples = run(model, dynamics=dynamics, duration=2.0)
    push = (STEADY - ALONG) * rate**2 * np.sin(a) * np.cos(a) - MASS * G * ARM * np.sin(a)
    R0 = samples[0].E_wb[0, :3, :3]
    for sample in samples:
        np.testing.assert_allclose(sample.E_wb[0, :3, :3], so3.rot_z(rate * sample.t) @ R0, atol=1e-8)
        assert sample.channels["constraint"][0] == pytest.approx(push, rel=1e-8)
    assert abs(least_room(model, samples)) < 1e-12
    assert float(samples[-1].channels["loss"]) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("dynamics", ROUTES)
def test_a_damped_one_lets_go_of_the_border(dynamics):
    """It presses with (I w^2 cos a - C s w - m g l) sin a, w its rate about the vertical and s its spin, until that is
    zero, and is inside after."""
    a, rate = 0.6, 7.0
    q, qdot = start_of_precession(a, rate)
    model = compile_scene(hung(limit(swing_1=a, swing_2=a), q=q, qdot=qdot))
    model = dataclasses.replace(model, body_damping=np.array([0.05]))
    samples = run(model, dynamics=dynamics, duration=3.0)
    push = np.array([float(sample.channels["constraint"][0]) for sample in samples])
    held = push > 0.0
    assert held[:5].all()
    assert not held[-1]
    free = int(np.argmin(held))
    assert not held[free:].any()
    for sample in samples[:free]:
        state = sample.state
        w = kinematics(model, state.q, state.qdot, state.chart).phi[0, :3]
        rate = np.hypot(w[0], w[1]) / np.sin(a)
        true = (STEADY * rate**2 * np.cos(a) - ALONG * w[2] * rate - MASS * G * ARM) * np.sin(a)
        assert sample.channels["constraint"][0] == pytest.approx(true, abs=1e-8)
    assert true < 0.1 * push[0]
    assert least_room(model, samples) >= -OVERSHOOT
    np.testing.assert_allclose(books(samples), books(samples)[0], atol=1e-8)


def test_both_routes_let_go_at_the_same_time():
    a = 0.6
    q, qdot = start_of_precession(a, 7.0)
    model = compile_scene(hung(limit(swing_1=a, swing_2=0.8), q=q, qdot=qdot))
    model = dataclasses.replace(model, body_damping=np.array([0.05]))
    one, other = (run(model, dynamics=dynamics, duration=3.0) for dynamics in ROUTES)
    for x, y in zip(one, other, strict=True):
        np.testing.assert_allclose(x.E_wb, y.E_wb, atol=1e-6)
        np.testing.assert_allclose(x.channels["constraint"], y.channels["constraint"], atol=1e-5)


@pytest.mark.parametrize("dynamics", ROUTES)
def test_a_swing_into_the_cone_loses_its_outward_speed(dynamics):
    """Straight into it all of the speed, at the speed that the swing has there."""
    a, rate = 0.5, 5.0
    model = compile_scene(hung(limit(swing_1=a, swing_2=0.9), qdot=(rate, 0.0, 0.0)))
    samples = run(model, dynamics=dynamics, duration=0.25)
    lost = 0.5 * STEADY * rate**2 - MASS * G * ARM * (1.0 - np.cos(a))
    assert float(samples[-1].channels["loss"]) == pytest.approx(lost, rel=1e-9)
    np.testing.assert_allclose(books(samples), books(samples)[0], atol=1e-9)
    assert least_room(model, samples) >= -OVERSHOOT


@pytest.mark.parametrize("dynamics", ROUTES)
@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_a_twist_stop_gives_back_its_part_of_the_speed(dynamics, axis):
    """About the axis itself: from 0.7 to -0.2 and on at the speeds w, -e w, e^2 w."""
    e, rate, lower, upper = 0.5, 4.0, -0.2, 0.7
    turn = np.zeros(3)
    turn["xyz".index(axis)] = rate
    stop = limit(twist_axis=axis, twist_lower=lower, twist_upper=upper, restitution=e)
    model = compile_scene(hung(stop, gravity=0.0, qdot=tuple(turn)))
    inertia = {"x": STEADY, "y": STEADY, "z": ALONG}[axis]
    samples = run(model, dynamics=dynamics, duration=1.0)
    first = upper / rate
    second = first + (upper - lower) / (e * rate)
    for sample in samples:
        t, psi = sample.t, sample.state.q["xyz".index(axis)]
        true = rate * t if t < first else upper - e * rate * (t - first)
        true = true if t < second else lower + e * e * rate * (t - second)
        assert psi == pytest.approx(true, abs=1e-9)
    lost = 0.5 * inertia * rate**2 * (1.0 - e**4)
    assert float(samples[-1].channels["loss"]) == pytest.approx(lost, rel=1e-9)


def test_a_range_of_twist_may_lie_beyond_half_a_turn():
    """From 100 to 300 degrees, where twists jump from 180 to -180 degrees on the way."""
    start = np.radians(110.0)
    stop = limit(twist_lower=np.radians(100.0), twist_upper=np.radians(300.0), restitution=1.0)
    model = compile_scene(hung(stop, gravity=0.0, q=(0.0, 0.0, start), qdot=(0.0, 0.0, 5.0)))
    samples = run(model, duration=2.0)
    angle = np.unwrap([np.arctan2(s.E_wb[0, 1, 0], s.E_wb[0, 0, 0]) for s in samples])
    assert angle.max() <= np.radians(300.0) + OVERSHOOT
    assert angle.max() > np.radians(280.0)
    assert np.diff(angle).min() < 0.0


KINDS = ["spherical", "spherical_euler", "free", "free_translation_rotation", "free_translation_euler", "universal"]


@pytest.mark.parametrize("kind", KINDS)
def test_any_joint_that_turns_several_ways_can_be_limited(kind):
    """It is kept and the books balance, whatever its coordinates are."""
    model = compile_scene(
        hung(limit(swing_1=0.4, swing_2=0.6, twist_lower=-0.3, twist_upper=0.2, restitution=0.4), kind=kind)
    )
    turns = np.zeros(model.dof_count)
    chosen = [k for k, unit in enumerate(model.joints[0].dof_units) if unit == "rad"]
    turns[chosen] = (4.0, 3.0, 2.0)[: len(chosen)]
    model = dataclasses.replace(model, qdot0=turns)
    one, other = (run(model, dynamics=dynamics, duration=1.0) for dynamics in ROUTES)
    for samples in (one, other):
        assert least_room(model, samples) >= -OVERSHOOT
        np.testing.assert_allclose(books(samples), books(samples)[0], atol=1e-8)
    assert float(one[-1].channels["loss"]) > 0.1
    for x, y in zip(one, other, strict=True):
        np.testing.assert_allclose(x.E_wb, y.E_wb, atol=1e-6)


def arm(restitution=0.0):
    """Three links with cones and twists of their own, thrown about."""
    limits = [
        limit(0, swing_1=1.2, swing_2=0.7, twist_lower=-0.5, twist_upper=0.8, restitution=restitution),
        limit(1, swing_1=0.9, swing_2=0.4, twist_lower=-0.1, twist_upper=0.1, restitution=restitution),
        limit(2, swing_1=0.5, swing_2=0.5, restitution=restitution),
    ]
    return compile_scene(hung(*limits, links=3, qdot=(3.0, 1.0, 2.0)))


@pytest.mark.parametrize("restitution", [0.0, 0.3])
def test_an_arm_of_three_balls_keeps_all_limits_and_never_gains_energy(restitution):
    model = arm(restitution)
    samples = run(model, duration=2.0)
    assert least_room(model, samples) >= -OVERSHOOT
    energy, loss = (np.array([float(s.channels[name]) for s in samples]) for name in ("energy", "loss"))
    np.testing.assert_allclose(energy + loss, energy[0], atol=1e-7)
    assert np.diff(loss).min() >= -1e-12
    assert loss[-1] > 10.0


def test_both_routes_move_the_arm_alike():
    """Until impacts have made the difference of two runs larger: the first half second."""
    model = arm(0.3)
    one, other = (run(model, dynamics=dynamics, duration=0.5) for dynamics in ROUTES)
    for x, y in zip(one, other, strict=True):
        np.testing.assert_allclose(x.E_wb, y.E_wb, atol=1e-6)
        np.testing.assert_allclose(x.channels["loss"], y.channels["loss"], atol=1e-5)  # of 56 J in many impacts


@pytest.mark.parametrize("kind", INTEGRATORS.kinds)
def test_no_integrator_passes_a_cone(kind):
    """A body that stands on its ball falls onto the border and lies there; it presses with its weight."""
    a = 0.6
    model = compile_scene(hung(limit(swing_1=a, swing_2=a), up=True, q=(0.3, 0.0, 0.0), qdot=(1.0, 0.0, 0.0)))
    settings = {"h": 1e-2} if "h" in INTEGRATORS[kind].__dataclass_fields__ else {}
    samples = list(simulate(model, integrator=INTEGRATORS[kind](**settings), fps=24.0, duration=0.5))
    assert samples[-1].status == "complete", samples[-1].message
    assert least_room(model, samples) >= -OVERSHOOT
    assert samples[-1].state.q[0] == pytest.approx(a, abs=1e-8)
    assert np.abs(samples[-1].state.qdot).max() < 1e-8
    assert samples[-1].channels["constraint"][0] == pytest.approx(MASS * G * ARM * np.sin(a), rel=1e-6)


# --- what a scene says ---------------------------------------------------------------------------------------


def test_a_limit_is_written_as_it_was_read():
    scene = hung(limit(twist_axis="y", swing_1=0.4, twist_lower=-0.3, twist_upper=0.2, restitution=0.4))
    again = io.loads(io.dumps(scene))
    assert again.constraints == scene.constraints


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"swing_1": 3.0}, r"limit 0.*swing_1 is 3 rad, 171.9 degrees.*170 degrees"),
        ({"twist_lower": 0.1}, r"has twist_lower but no twist_upper.*give both"),
        ({"twist_upper": 0.1}, r"has twist_upper but no twist_lower.*give both"),
        ({"twist_lower": 0.2, "twist_upper": 0.1}, r"lower twist limit above the upper one.*swap"),
        ({"twist_lower": -3.0, "twist_upper": 3.0}, r"twist range of 6 rad, 343.8 degrees.*340 degrees"),
        ({}, r"limits nothing.*swing_1"),
        ({"swing_1": 0.4, "restitution": 1.1}, r"restitution is 1.1.*0 to 1"),
        ({"swing_1": 0.4, "damping": 1.1}, r"damping but no stiffness.*give a stiffness"),
        ({"swing_1": 0.4, "stiffness": 1.0, "restitution": 0.5}, r"is soft.*restitution 0"),
        ({"swing_1": -0.4}, r"swing_1"),
    ],
)
def test_what_is_wrong_is_named_with_its_remedy(fields, said):
    import re

    problems = find_problems(hung(limit(**fields)))
    assert len(problems) == 1
    assert re.search(said, str(problems[0])), str(problems[0])


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "translational", "planar"])
def test_joints_that_turn_about_one_axis_are_refused_by_name(kind):
    (problem,) = find_problems(hung(limit(swing_1=0.4), kind=kind))
    assert "limit 0" in str(problem)
    assert "ball 0" in str(problem)
    assert "joint_limit" in str(problem)


def test_a_start_outside_is_named():
    from redmax.simulate import SimulationError

    model = compile_scene(hung(limit(swing_1=0.4, swing_2=0.4), q=(0.5, 0.0, 0.0)))
    with pytest.raises(SimulationError, match=r"constraint 'limit 0' is off by .* rad at the start"):
        simulate(model, integrator=Dop853(), duration=1.0)


def test_cones_that_throw_each_other_off_by_turns_come_to_rest():
    """Twenty rods in a row: neighbours' cones are nearly dependent, and their impacts would not end in 1e5 rounds."""
    b, parent = Builder("row of rods"), None
    for k in range(20):
        b.bar(f"rod {k}", (0.2 * k, 0.0, 0.0), (0.2 * k + 0.2, 0.0, 0.0))
        b.joint("spherical", f"ball {k}", parent, f"rod {k}", (0.2 * k, 0.0, 0.0), qdot=(1.0, 0.0, 2.0))
        cone = {"swing_1": 0.5, "swing_2": 0.5, "twist_lower": -0.5, "twist_upper": 0.5}
        b.scene.constraints.append(BallLimit(name=f"limit {k}", joint=f"ball {k}", twist_axis="x", **cone))
        parent = f"rod {k}"
    samples = list(simulate(compile_scene(b.scene), integrator=Automatic(), fps=24.0, duration=0.5))
    assert samples[-1].status == "complete", samples[-1].message
    kept = books(samples)
    assert np.abs(kept - kept[0]).max() < 1e-3 * max(float(sample.channels["kinetic"]) for sample in samples)
