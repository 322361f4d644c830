# SPDX-License-Identifier: GPL-3.0-or-later
"""Motors of joints: what they push with, closed forms, energy books, stalls, and all routes alike."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from engine.mechanisms import Builder, four_bar
from engine.random_trees import random_scene
from redmax import fast, io, vectorised
from redmax.check import find_problems
from redmax.compile import compile as compile_scene
from redmax.dynamics.kinematics import kinematics
from redmax.dynamics.loads import joint_loads, loads
from redmax.dynamics.motors import motors
from redmax.dynamics.powers import of_motors, powers
from redmax.integrators import Automatic, Bdf2, Dop853, LinearlyImplicitEuler, RungeKutta4
from redmax.integrators.switching import switch_times
from redmax.joints import JOINTS
from redmax.joints.motor import Motor
from redmax.kernels import route
from redmax.motor_stalls import CODE
from redmax.scene import Body, Inertia, Scene
from redmax.simulate import record, simulate
from redmax.state import State
from redmax.tables import Table

I = 2.0
"""Moment of inertia of the wheel [kg m^2]."""

TIGHT = Dop853(rtol=1e-11, atol=1e-11)
HIGH = Automatic(accuracy="high")
STILL = (0.0, 0.0, 0.0)
O = (0.0, 0.0, 0.0)

ROUTES = [route.NUMPY, pytest.param(route.NUMBA, marks=pytest.mark.skipif(route.name() != route.NUMBA, reason="numpy"))]
each_route = pytest.mark.parametrize("how", ROUTES)


def run(scene, integrator=HIGH, duration=3.0, fps=24.0):
    model = compile_scene(scene)
    found = record(
        model, simulate(model, integrator=integrator, fps=fps, duration=duration), integrator=integrator, fps=fps
    )
    assert found.status == "complete", found.message
    return found


def wheel(qdot=0.0, **fields):
    b = Builder("wheel", gravity=STILL)
    b.body("wheel", O, 1.0, I * np.eye(3))
    b.hinge("pin", None, "wheel", O, qdot=qdot, **fields)
    return b.scene


def arm(links=1, gravity=(0.0, 0.0, -9.81), **fields):
    """Bars of 1 m and 1 kg in a row along x; the fields are those of the first joint, whose positive turn is down."""
    b = Builder("arm", gravity=gravity)
    for k in range(links):
        b.bar(f"bar {k}", (float(k), 0.0, 0.0), (k + 1.0, 0.0, 0.0))
        b.hinge(
            f"pin {k}", f"bar {k - 1}" if k else None, f"bar {k}", (float(k), 0.0, 0.0), **(fields if k == 0 else {})
        )
    return b.scene


def stalls(found):
    return [facts for facts in found.meta.get("remarks", ()) if facts["code"] == CODE]


# --- closed forms ------------------------------------------------------------------------------


@each_route
def test_a_speed_motor_approaches_its_target_exponentially(how):
    with route.held(how):
        found = run(wheel(qdot=1.0, motor=Motor(target_speed=5.0, speed_gain=4.0)))
    np.testing.assert_allclose(found.qdot[:, 0], 5.0 - 4.0 * np.exp(-4.0 / I * found.t), atol=1e-8)
    np.testing.assert_allclose(found.channels["motor"][:, 0], 16.0 * np.exp(-4.0 / I * found.t), atol=1e-7)
    np.testing.assert_allclose(
        found.channels["motor_power"], found.channels["motor"] * found.qdot, rtol=1e-14, atol=1e-14
    )


@each_route
@pytest.mark.parametrize(("integrator", "error"), [(HIGH, 1e-8), (Automatic(), 1e-4), (RungeKutta4(h=1e-3), 1e-5)])
def test_at_its_maximum_a_speed_motor_accelerates_evenly(how, integrator, error):
    """Until kd (target - qdot) is the maximum, between two frames, and exponentially from then on."""
    with route.held(how):
        found = run(wheel(motor=Motor(target_speed=10.0, speed_gain=4.0, maximum=9.0)), integrator, 4.0)
    speed = 10.0 - 9.0 / 4.0
    t1 = speed * I / 9.0
    exact = np.where(found.t < t1, 9.0 / I * found.t, 10.0 - 9.0 / 4.0 * np.exp(-4.0 / I * (found.t - t1)))
    np.testing.assert_allclose(found.qdot[:, 0], exact, atol=error)
    np.testing.assert_allclose(found.channels["motor"][:, 0], np.minimum(9.0, 4.0 * (10.0 - exact)), atol=5.0 * error)
    assert not stalls(found), "it speeds up all the time"


@each_route
@pytest.mark.parametrize("integrator", [TIGHT, LinearlyImplicitEuler(h=1.0 / 240.0), Bdf2(h=1.0 / 240.0)], ids=str)
def test_a_position_motor_moves_a_joint_as_a_spring_and_a_damper_do(how, integrator):
    """Implicit methods take the same K and D of both."""
    spring = {"stiffness": 30.0, "rest": 0.7, "damping": 1.5}
    motor = Motor(control="position", target_position=0.7, position_gain=30.0, speed_gain=1.5)
    with route.held(how):
        ours, theirs = run(arm(2, motor=motor), integrator), run(arm(2, **spring), integrator)
    np.testing.assert_allclose(ours.q, theirs.q, atol=1e-8)
    np.testing.assert_allclose(ours.channels["motor"][:, 0], theirs.channels["torque"][:, 0], atol=1e-6)


@each_route
def test_a_position_motor_follows_the_rate_of_a_keyed_target(how):
    """Along a target that moves at an even rate, from the start, nothing is left to push."""
    table = Table(x=(-1.0, 9.0), y=((-0.3,), (2.7,)))
    motor = Motor(control="position", target_table=table, target_position=0.5, position_gain=9.0, speed_gain=2.0)
    with route.held(how):
        found = run(dataclasses.replace(wheel(qdot=0.3, q=0.5, motor=motor)))
    np.testing.assert_allclose(found.q[:, 0], 0.5 + 0.3 * found.t, atol=1e-9)
    np.testing.assert_allclose(found.channels["motor"], 0.0, atol=1e-8)


@each_route
def test_a_keyed_speed_ends_steps_where_it_jumps(how):
    table = Table(x=(0.0, 1.013), y=((2.0,), (-1.0,)), interpolation="step")
    scene = wheel(motor=Motor(target_table=table, target_speed=0.5, speed_gain=6.0))
    assert 1.013 in switch_times(compile_scene(scene))
    with route.held(how):
        found = run(scene)
    t, late = found.t, np.maximum(found.t - 1.013, 0.0)
    at_jump = 2.5 * (1.0 - math.exp(-3.0 * 1.013))
    exact = np.where(t < 1.013, 2.5 * (1.0 - np.exp(-3.0 * t)), -0.5 + (at_jump + 0.5) * np.exp(-3.0 * late))
    np.testing.assert_allclose(found.qdot[:, 0], exact, atol=1e-8)


# --- loads -------------------------------------------------------------------------------------

KEYED = Table(x=np.linspace(-1.0, 2.0, 6), y=np.random.default_rng(4).uniform(-1.0, 1.0, (6, 3)), interpolation="cubic")
BALL = {
    "speed": Motor(
        target_speed=(1.0, -2.0, 0.5), target_table=KEYED, speed_gain=(2.0, 0.0, 1.0), maximum=(1.0, 5.0, None)
    ),
    "position": Motor(
        control="position",
        target_position=(0.2, -0.4, 0.6),
        target_table=KEYED,
        position_gain=(7.0, 3.0, 0.0),
        speed_gain=(0.5, 0.0, 1.0),
        maximum=(None, 0.8, 0.6),
    ),
}


def on_ball(kind, motor, **fields):
    joint = JOINTS[kind](name="J", parent=None, child="B", motor=motor, **fields)
    tensor = ((0.3, 0.02, 0.0), (0.02, 0.4, 0.01), (0.0, 0.01, 0.5))
    return Scene(
        bodies=[Body(name="B", inertia=Inertia(mass=2.0, center=(0.3, 0.1, 0.2), tensor=tensor))], joints=[joint]
    )


@pytest.mark.parametrize("control", BALL)
@pytest.mark.parametrize("t", [-2.0, 0.3, 5.0])
def test_K_and_D_are_the_derivatives_of_the_push(control, t):
    """Some coordinates are at their maximum, some are not, some have no gain."""
    model = compile_scene(on_ball("translational", BALL[control]))
    q, qdot = np.array([0.4, -0.5, 0.3]), np.array([0.2, 0.7, -0.6])
    f, K, D = joint_loads(model, q, qdot, t)
    numbers = motors(model).numbers
    assert (np.abs(f) <= numbers.maximum).all()
    at_maximum = np.abs(motors(model).demand(q, qdot, t)) > numbers.maximum
    assert at_maximum.any()
    assert not at_maximum.all()
    np.testing.assert_array_equal(K[at_maximum], 0.0)
    np.testing.assert_array_equal(D[at_maximum], 0.0)
    for k, step in enumerate(1e-6 * np.eye(3)):
        by_q = joint_loads(model, q + step, qdot, t)[0] - joint_loads(model, q - step, qdot, t)[0]
        by_qdot = joint_loads(model, q, qdot + step, t)[0] - joint_loads(model, q, qdot - step, t)[0]
        np.testing.assert_allclose(by_q / 2e-6, K[k] * np.eye(3)[k], atol=1e-8)
        np.testing.assert_allclose(by_qdot / 2e-6, D[k] * np.eye(3)[k], atol=1e-8)


COMPOSITE = (JOINTS["spherical_euler"].part(), JOINTS["prismatic"].part(axis=(1.0, 0.0, 0.0)))


def composite(motor):
    wider = dataclasses.replace(
        motor,
        target_table=None,
        **{name: (*getattr(motor, name), value) for name, value in (("speed_gain", 1.0), ("maximum", 0.2))},
        target_speed=1.0,
        target_position=0.3,
        position_gain=4.0,
    )
    return on_ball("composite", wider, parts=COMPOSITE)


CASES = {
    "rotation vector": lambda motor: on_ball("spherical", motor),
    "Euler angles": lambda motor: on_ball("spherical_euler", motor, damping=0.3),
    "composite": composite,
}


def states(model):
    """Somewhere, and the same place in other coordinates: longer by a turn, or in another order of angles."""
    rng = np.random.default_rng(1)
    n = model.dof_count
    q, qdot = rng.uniform(-0.6, 0.6, n), rng.uniform(-1.0, 1.0, n)
    joint = model.joints[0]
    yield State(0.3, q, qdot, np.zeros(1, np.int64))
    for chart in range(1, min(joint.chart_count, 4)):
        yield State(0.3, *joint.rewrite(q, qdot, 0, chart_like=chart, q_like=q), np.array([chart]))
    if joint.kind == "spherical":
        longer = q * (1.0 - 2.0 * np.pi / np.linalg.norm(q))
        yield State(0.3, *joint.rewrite(q, qdot, 0, chart_like=0, q_like=longer), np.zeros(1, np.int64))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("control", BALL)
def test_readable_vectorised_and_compiled_code_agree_however_coordinates_are_written(case, control):
    """The push and its power are the same in every chart, and on every route."""
    model = compile_scene(CASES[case](BALL[control]))
    tree = fast.new_tree(model)
    assert (tree is not None) == (route.name() == route.NUMBA)
    first = None
    for state in states(model):
        kin = kinematics(model, state.q, state.qdot, state.chart)
        readable, quick = loads(model, kin, state.t), vectorised.loads(model, kin, state.t)
        for name in ("f_r", "K_r", "D_r"):
            np.testing.assert_allclose(getattr(quick, name), getattr(readable, name), atol=1e-12, err_msg=name)
        motion = vectorised.forward_dynamics(model, kin, readable)
        power = powers(model, kin, readable, motion.tau, state.t)
        push, put_in = of_motors(model, kin, state.t)
        first = (push, put_in, power) if first is None else first
        for ours, theirs in zip((push, put_in, power), first, strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-12)
        assert power[0] == pytest.approx(put_in.sum())
        assert power[1] == pytest.approx(float(model.damping @ state.qdot**2)) or state.chart.any()
        if tree is not None:
            seen = tree.observe(state.q, state.qdot, state.chart, state.t)
            np.testing.assert_allclose(seen.motor, push, atol=1e-12)
            np.testing.assert_allclose(seen.motor_power, put_in, atol=1e-12)
            np.testing.assert_allclose(seen.power, power, atol=1e-12)
            np.testing.assert_allclose(seen.load, readable.f_r, atol=1e-12)
            np.testing.assert_allclose(seen.qddot, motion.qddot, atol=1e-10)


def with_motors(scene, seed):
    """Random motors on every simulated joint."""
    rng = np.random.default_rng(seed)
    joints = []
    for joint in scene.joints:
        if joint.motion_type != "simulated" or joint.ndof == 0:
            joints.append(joint)
            continue
        n = joint.ndof
        table = Table(x=(0.0, 0.1, 0.3), y=rng.uniform(-1.0, 1.0, (3, n)), interpolation="cubic")
        most = tuple(None if rng.random() < 0.3 else float(rng.uniform(0.1, 2.0)) for _ in range(n))
        motor = Motor(
            control="speed" if rng.random() < 0.5 else "position",
            target_speed=tuple(rng.uniform(-2.0, 2.0, n)),
            target_position=tuple(rng.uniform(-0.5, 0.5, n)),
            target_table=table if rng.random() < 0.5 else None,
            speed_gain=tuple(rng.uniform(0.1, 2.0, n)),
            position_gain=tuple(rng.uniform(0.1, 9.0, n)),
            maximum=most,
        )
        joints.append(dataclasses.replace(joint, motor=motor))
    return dataclasses.replace(scene, joints=joints)


@pytest.mark.skipif(route.name() != route.NUMBA, reason="compares compiled runs")
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    "integrator", [Dop853(rtol=1e-9, atol=1e-9), LinearlyImplicitEuler(h=0.01), Bdf2(h=0.01)], ids=lambda i: i.kind
)
def test_compiled_runs_are_those_of_the_readable_code(integrator, seed):
    """Random trees of all joints with springs, limits, tables and motors, of which K and D matter to implicit steps."""
    scene = with_motors(random_scene(np.random.default_rng(seed), 5, prescribed=0.3 if seed % 2 else 0.0), seed)
    ours = run(scene, integrator, 0.25)
    with route.held(route.NUMPY):
        others = [run(scene, integrator, 0.25)]
    if hasattr(integrator, "dynamics"):
        others.append(run(scene, dataclasses.replace(integrator, dynamics="recursive"), 0.25))
    for other in others:
        np.testing.assert_allclose(ours.position, other.position, atol=1e-6)
        for channel in ("motor", "motor_power", "work", "loss", "torque"):
            a, b = ours.channels[channel], other.channels[channel]
            np.testing.assert_allclose(a, b, atol=1e-5 * (1.0 + np.abs(b).max()), err_msg=channel)


# --- energy ------------------------------------------------------------------------------------


@each_route
@pytest.mark.parametrize(("control", "gain", "maximum"), [("speed", 30.0, 8.0), ("position", 3.0, 15.0)])
def test_energy_books_balance_at_high_accuracy(how, control, gain, maximum):
    """A keyed target on a double pendulum, at its maximum now and then; what motors do is work, never loss."""
    target = Table(x=np.linspace(0.0, 3.0, 7), y=3.0 * np.sin(np.arange(7.0))[:, None], interpolation="cubic")
    motor = Motor(control=control, target_table=target, speed_gain=gain, position_gain=40.0, maximum=maximum)
    with route.held(how):
        found = run(arm(2, motor=motor))
    at_maximum = np.abs(found.channels["motor"][:, 0]) > maximum - 1e-9
    assert 0.1 < at_maximum.mean() < 0.9
    assert found.meta["energy_books"]["part"] < 1e-9, found.meta["energy_books"]
    np.testing.assert_array_equal(found.channels["loss"], 0.0)
    if how == route.NUMBA:
        fine = run(arm(2, motor=motor), fps=2400.0)
        power = fine.channels["motor_power"].sum(axis=1)
        summed = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(fine.t))])[::100]
        np.testing.assert_allclose(found.channels["work"], summed, atol=1e-3)  # trapezoids of 1/2400 s


def test_a_motor_that_brakes_takes_work_back():
    found = run(wheel(qdot=5.0, motor=Motor(speed_gain=4.0)))
    assert found.channels["work"][-1] == pytest.approx(-0.5 * I * 25.0, rel=1e-4)
    assert (found.channels["motor_power"] <= 0.0).all()


# --- stalls ------------------------------------------------------------------------------------

LIFT = {"control": "position", "target_position": -0.5, "position_gain": 2000.0, "speed_gain": 50.0}
WEIGHT = 9.81 / 2.0
"""Torque [N m] that holds one bar of `arm` level."""


def test_a_motor_that_cannot_lift_its_load_is_named_with_what_it_would_need():
    found = run(arm(motor=Motor(**LIFT, maximum=4.0)), fps=240.0)
    (said,) = stalls(found)
    assert (said["sort"], said["name"], said["frame"], said["lasting"]) == ("joint", "pin 0", 0, False)
    assert said["numbers"]["maximum"] == 4.0
    assert said["numbers"]["torque"] == pytest.approx(WEIGHT, rel=1e-3)
    assert said["units"] == {"torque": "N m", "maximum": "N m", "coordinate": ""}
    assert found.meta["note"].startswith(
        "at frame 0 the motor of joint 'pin 0' stalls: 4.9 N m of 4; raise its maximum"
    )


def test_it_is_named_where_it_stalls_first():
    """Strong enough until a second load comes: a torque that is switched on at frame 24."""
    load = Table(x=(0.0, 1.0), y=((0.0,), (30.0,)), interpolation="step")
    scene = arm(motor=Motor(**LIFT, maximum=20.0), torque_table=load)
    (said,) = stalls(run(scene))
    assert 23 <= said["frame"] <= 26
    assert said["numbers"]["torque"] > 20.0


@pytest.mark.parametrize("maximum", [WEIGHT * 1.02, 8.0, 50.0, None])
def test_a_motor_that_gets_there_is_not(maximum):
    found = run(arm(motor=Motor(**LIFT, maximum=maximum)), duration=6.0)
    assert found.q[-1, 0] == pytest.approx(-0.5, abs=0.01)
    assert not stalls(found)


def test_a_target_that_jumps_away_from_a_motor_that_speeds_up_is_no_stall():
    """Between two frames, at 0.52 s; the motor is at its maximum before and after."""
    table = Table(x=(0.0, 0.52), y=((6.0,), (12.0,)), interpolation="step")
    assert not stalls(run(wheel(motor=Motor(target_table=table, speed_gain=20.0, maximum=8.0))))


def test_a_motor_that_is_held_by_a_stop_says_what_it_asks_for():
    found = run(arm(gravity=STILL, lower=-0.2, motor=Motor(**LIFT, maximum=10.0)))
    (said,) = stalls(found)
    assert said["numbers"]["torque"] == pytest.approx(2000.0 * 0.3, rel=0.01)


def test_a_motor_that_friction_slows_down_before_its_target_speed_has_stalled():
    """Terminal speed 2 rad/s of 3: it comes ever nearer to that, and never to its target."""
    found = run(wheel(motor=Motor(target_speed=3.0, speed_gain=100.0, maximum=4.0), damping=2.0), duration=10.0)
    (said,) = stalls(found)
    assert 1.5 < found.qdot[said["frame"], 0] < 2.0


@pytest.mark.parametrize("motor", [Motor(target_speed=3.0, speed_gain=5.0, maximum=0.0), Motor(speed_gain=5.0)])
def test_a_motor_that_is_off_or_has_no_maximum_never_stalls(motor):
    assert not stalls(run(arm(motor=motor)))


# --- loops -------------------------------------------------------------------------------------


def turned(maximum):
    """A linkage whose crank a motor is to lift."""
    motor = Motor(target_speed=-3.0, speed_gain=500.0, maximum=maximum)
    return dataclasses.replace(four_bar(motor=motor), gravity=(0.0, 0.0, -9.81))


def test_a_crank_motor_turns_a_linkage_and_names_the_load_of_all_of_it():
    found = run(turned(500.0))
    assert not stalls(found)
    np.testing.assert_allclose(found.qdot[:, 0][6:], -3.0, atol=0.2)
    (said,) = stalls(run(turned(0.5), fps=240.0, duration=0.1))
    needed = said["numbers"]["torque"]
    assert said["frame"] == 0
    assert needed > 0.5
    assert [facts["frame"] for facts in stalls(run(turned(0.99 * needed), fps=240.0, duration=0.1))] == [0]
    assert not stalls(run(turned(1.01 * needed), fps=240.0, duration=0.1))


# --- scenes ------------------------------------------------------------------------------------

UNSOUND = {
    "motor: speed_gain has a number below 0; give 1 finite number of at least 0": {"speed_gain": (-1.0,)},
    "motor: speed_gain is -1; give 1 finite number of at least 0 in N m s/rad": {"speed_gain": -1.0},
    "motor: position_gain is -2; give 1 finite number of at least 0": {"speed_gain": 1.0, "position_gain": -2.0},
    "motor: maximum is -1; give 1 finite number of at least 0 in N m": {"speed_gain": 1.0, "maximum": -1.0},
    "motor: speed_gain is 0, so that the motor never pushes; give a number above 0, or remove the motor": {},
    "motor: position_gain is 0, so that the motor never pushes": {"control": "position", "speed_gain": 1.0},
    "motor: control is 'torque'; give one of: speed, position": {"control": "torque", "speed_gain": 1.0},
    "motor: target_speed has shape 2; give 1 finite number in rad/s": {"target_speed": (1.0, 2.0), "speed_gain": 1.0},
    "motor.target_table has 2 columns of values; give 1 column, one per degree of freedom": {
        "speed_gain": 1.0,
        "target_table": Table(x=(0.0, 1.0), y=((0.0, 1.0), (1.0, 2.0))),
    },
}


@pytest.mark.parametrize("said", UNSOUND)
def test_what_is_wrong_with_a_motor_names_the_joint_and_a_remedy(said):
    (problem,) = find_problems(wheel(motor=Motor(**UNSOUND[said])))
    assert problem.element.name == "pin"
    assert said in str(problem).replace("joint 'pin', ", "")


@pytest.mark.parametrize("motion", ["animated", "locked"])
def test_only_a_simulated_joint_has_a_motor(motion):
    animation = {"animation": Table(x=(0.0,), y=((0.0,),))} if motion == "animated" else {}
    (problem,) = find_problems(wheel(motor=Motor(speed_gain=1.0), motion_type=motion, **animation))
    assert f"has a motor but is {motion}" in str(problem)
    assert problem.hint == "remove the motor, or make the joint simulated"


@pytest.mark.parametrize("control", BALL)
def test_a_motor_survives_json(control):
    scene = on_ball("spherical", BALL[control])
    again = io.loads(io.dumps(scene))
    motor, other = scene.joints[0].motor, again.joints[0].motor
    for name in ("control", "target_speed", "target_position", "speed_gain", "position_gain", "maximum"):
        assert getattr(other, name) == getattr(motor, name)
    np.testing.assert_array_equal(other.target_table.y, motor.target_table.y)
    assert io.dumps(again) == io.dumps(scene)
