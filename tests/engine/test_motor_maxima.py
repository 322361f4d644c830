# SPDX-License-Identifier: GPL-3.0-or-later
"""Motors within implicit steps: what acts in a step never exceeds their maximum, and is what samples tell."""

from __future__ import annotations

import dataclasses
from itertools import product

import numpy as np
import pytest

from engine.mechanisms import Builder
from engine.test_motors import LIFT, I, arm, each_route, run, stalls, wheel
from redmax.compile import compile as compile_scene
from redmax.constraints import Coupling
from redmax.dynamics import recursive
from redmax.dynamics.kinematics import kinematics
from redmax.dynamics.loads import loads
from redmax.dynamics.motors import motors
from redmax.dynamics.saturation import within_maxima
from redmax.integrators import LinearlyImplicitEuler, LinearlyImplicitEulerPcg, MaximalEuler
from redmax.joints.motor import Motor
from redmax.kernels import route
from redmax.reference.projected import mass_matrix
from redmax.simulate import simulate

H = 0.1
MOST = 3.0
IMPLICIT = {
    "linearly_implicit_euler": LinearlyImplicitEuler(h=H),
    "linearly_implicit_euler_pcg": LinearlyImplicitEulerPcg(h=H),
    "maximal_euler": MaximalEuler(h=H),
}
each_method = pytest.mark.parametrize("kind", IMPLICIT)


def coupled(scene):
    """The scene with a wheel whose joint is coupled to the first one, which has no inertia to speak of."""
    b = Builder("second", gravity=scene.gravity)
    b.body("shadow", (5.0, 0.0, 0.0), 1e-9, 1e-9 * np.eye(3))
    b.hinge("shadow pin", None, "shadow", (5.0, 0.0, 0.0))
    scene.bodies.extend(b.scene.bodies)
    scene.joints.extend(b.scene.joints)
    scene.constraints.append(Coupling(name="c", leader=scene.joints[0].name, follower="shadow pin"))
    return scene


ALONE_OR_COUPLED = {"alone": lambda scene: scene, "coupled": coupled}
each_scene = pytest.mark.parametrize("tied", ALONE_OR_COUPLED)


def one_step(how, kind, scene):
    """Velocity of the first joint after one step of H, and what its motor is said to push with there."""
    with route.held(how):
        found = run(scene, IMPLICIT[kind], duration=H, fps=1.0 / H)
    return float(found.qdot[1, 0]), float(found.channels["motor"][1, 0])


@each_route
@each_method
@each_scene
def test_a_load_that_comes_within_a_step_meets_no_more_than_the_maximum(how, kind, tied):
    """At rest at its target nothing is asked of the motor where the step begins: at its end 19.6 N m would be."""
    scene = wheel(torque=-20.0, motor=Motor(target_speed=0.0, speed_gain=1000.0, maximum=MOST))
    v, push = one_step(how, kind, ALONE_OR_COUPLED[tied](scene))
    assert v == pytest.approx(H * (MOST - 20.0) / I, rel=1e-6)
    assert push == pytest.approx(MOST, rel=1e-12)


@each_route
@each_method
@each_scene
def test_a_motor_far_from_its_target_does_not_shoot_beyond_it(how, kind, tied):
    """With its maximum of 3000 N m it would be at 150 rad/s at the end of the step; 5 is what it is to reach."""
    scene = wheel(motor=Motor(target_speed=5.0, speed_gain=1000.0, maximum=3000.0))
    v, push = one_step(how, kind, ALONE_OR_COUPLED[tied](scene))
    expected = 5.0 * H * 1000.0 / (I + H * 1000.0)
    assert v == pytest.approx(expected, rel=1e-6)
    assert push == pytest.approx(1000.0 * (5.0 - expected), rel=1e-6)


@each_route
@each_method
def test_a_position_motor_pushes_with_its_spring_at_the_end_of_the_step(how, kind):
    motor = Motor(control="position", target_position=0.2, position_gain=200.0, speed_gain=1.0, maximum=30.0)
    v, push = one_step(how, kind, wheel(qdot=1.0, torque=-10.0, motor=motor))
    expected = (I * 1.0 + H * (200.0 * 0.2 - 10.0)) / (I + H * (1.0 + H * 200.0))
    assert v == pytest.approx(expected, rel=1e-9)
    assert push == pytest.approx(200.0 * (0.2 - H * expected) - expected, rel=1e-9)
    assert abs(push) < 30.0


@each_route
@each_method
@each_scene
@pytest.mark.parametrize("load", [-40.0, -8.0, 0.0, 25.0])
def test_momentum_balances_with_what_samples_tell(how, kind, tied, load):
    """In every step, braking, beyond its target and back: I dv = h (load + motor), and the motor keeps its maximum."""
    motor = Motor(control="position", target_position=0.3, position_gain=400.0, speed_gain=60.0, maximum=12.0)
    scene = ALONE_OR_COUPLED[tied](wheel(qdot=4.0, torque=load, damping=0.5, motor=motor))
    with route.held(how):
        found = run(scene, IMPLICIT[kind], duration=60 * H, fps=1.0 / H)
    v, push = found.qdot[:, 0], found.channels["motor"][:, 0]
    assert np.abs(push).max() <= 12.0
    np.testing.assert_allclose(I * np.diff(v), H * (load + push[1:] - 0.5 * v[1:]), rtol=1e-6, atol=1e-6)
    at_most = np.abs(push[1:]) > 12.0 * (1.0 - 1e-9)
    assert at_most.any()  # it brakes with all it has
    assert at_most.all() == (abs(load) > 12.0)


@each_route
def test_an_arm_that_is_too_heavy_stalls_and_sinks(how):
    """In implicit steps too: before, the motor held it by three times its maximum."""
    with route.held(how):
        found = run(arm(motor=Motor(**LIFT, maximum=1.5)), LinearlyImplicitEuler(h=0.02), duration=0.2)
    assert stalls(found)
    assert found.q[-1, 0] > 0.05  # down


# --- many motors -------------------------------------------------------------------------------


def brute_force(A, b, c, g, most, h):
    """The one v with A v = b + h clip(c - g v, -most, most), by trying all sides of all motors."""
    found = []
    for sides in product((0, -1, 1), repeat=len(b)):
        side = np.array(sides, np.float64)
        follows = side == 0.0
        v = np.linalg.solve(A + h * np.diag(np.where(follows, g, 0.0)), b + h * np.where(follows, c, side * most))
        demand = c - g * v
        right = np.where(follows, np.abs(demand) <= most * (1.0 + 1e-9), side * demand >= most * (1.0 - 1e-9))
        if right.all():
            found.append(v)
    return found


@pytest.mark.parametrize("seed", range(30))
def test_motors_of_a_tree_find_their_sides_together(seed):
    """Stiff motors on coordinates that push each other, against the enumeration of all active sets."""
    rng = np.random.default_rng(seed)
    n, h = 5, 0.05
    b = Builder("tree")
    for k in range(n):
        b.bar(f"bar {k}", (float(k), 0.0, 0.0), (k + 1.0, 0.0, 0.0))
        motor = Motor(
            control="position",
            target_position=rng.normal(),
            position_gain=10.0 ** rng.uniform(0.0, 4.0),
            speed_gain=10.0 ** rng.uniform(0.0, 4.0),
            maximum=10.0 ** rng.uniform(0.0, 3.0),
        )
        parent = f"bar {k - 1}" if k else None
        b.hinge(
            f"pin {k}", parent, f"bar {k}", (float(k), 0.0, 0.0), q=rng.normal(), qdot=3.0 * rng.normal(), motor=motor
        )
    model = compile_scene(b.scene)
    start, numbers = model.initial_state(), motors(model).numbers
    kin = kinematics(model, start.q, start.qdot)
    A, free = mass_matrix(model, kin), without_motors(model)
    load = loads(free, kin, h)
    bias = recursive.inverse_dynamics(free, kin, load, np.zeros(n)).tau - load.f_r
    gain = numbers.speed_gain + h * numbers.position_gain
    c = numbers.position_gain * (numbers.target - start.q)
    expected = brute_force(A, A @ start.qdot - h * bias, c, gain, numbers.maximum, h)
    assert len(expected) == 1
    for how in (route.NUMPY, route.NUMBA) if route.name() == route.NUMBA else (route.NUMPY,):
        for integrator in (LinearlyImplicitEuler(h=h), LinearlyImplicitEulerPcg(h=h)):
            with route.held(how):
                last = list(simulate(model, integrator=integrator, fps=1.0 / h, duration=h))[-1]
            np.testing.assert_allclose(last.state.qdot, expected[0], rtol=1e-7, atol=1e-7)


def without_motors(model):
    joints = tuple(dataclasses.replace(joint, motor=None) for joint in model.joints)
    return dataclasses.replace(model, joints=joints)


@pytest.mark.parametrize("seed", range(3))
def test_sides_that_never_settle_end_at_the_maximum(seed):
    """A matrix that is not positive definite may leave no active set that fits: the search ends, within the maximum."""
    scene = wheel(qdot=1.0, motor=Motor(target_speed=2.0 + seed, speed_gain=10.0, maximum=4.0))
    model = compile_scene(scene)
    calls = []

    def step(f, K, D):
        calls.append(f)
        return np.array([(-1.0) ** len(calls) * 100.0])  # whatever acts, the other side is the right one

    start = model.initial_state()
    within_maxima(model, kinematics(model, start.q, start.qdot), H, H, step)
    assert len(calls) < 300
