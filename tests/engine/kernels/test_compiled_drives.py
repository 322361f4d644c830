# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives in compiled frames, where followers are rows, beside the readable route, which solves for inputs alone."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.drives.driven import CAM, branching, chain, equal_angles, hand, run, with_drives
from engine.mechanisms import four_bar
from redmax import fast
from redmax.compile import compile as compile_scene
from redmax.constraints import Coupling, JointMotion
from redmax.drives import Drive, DriveInput, Follower
from redmax.integrators import Automatic, Dop853, Rk45, RungeKutta4, SemiImplicitEuler
from redmax.joints.motor import Motor
from redmax.kernels import route
from redmax.simulate import simulate
from redmax.tables import Table

pytestmark = pytest.mark.skipif(route.name() != route.NUMBA, reason="needs kernels")

TIGHT = Dop853(rtol=1e-12, atol=1e-12)
SWING = Table(x=(0.0, 0.5, 1.0, 1.5), y=((0.2,), (0.8,), (0.1,), (0.9,)), interpolation="cubic")
LIFT = Drive(name="lift", inputs=(DriveInput(joint="h0"),), followers=(Follower(joint="h2", ratio=-0.6, table=CAM),))


def with_fields(scene, joint, **fields):
    """The scene with other fields of one joint."""
    joints = [dataclasses.replace(j, **fields) if j.name == joint else j for j in scene.joints]
    return dataclasses.replace(scene, joints=joints)


def with_constraint(scene, constraint):
    return dataclasses.replace(scene, constraints=[*scene.constraints, constraint])


def differential(**input_):
    """Two inputs of the drive's own, without inertia unless they are given some, of which four joints have a part."""
    inputs = (DriveInput(q=0.2, qdot=0.7, **input_), DriveInput(q=-0.1, qdot=-0.4, torque=0.3))
    followers = (
        Follower(joint="h0", ratio=(0.5, 0.5), offset=0.1),
        Follower(joint="h1", ratio=(0.5, -0.5)),
        Follower(joint="h2", ratio=(1.0, 0.3), table=CAM),
        Follower(joint="h3", ratio=(0.0, -1.2)),
    )
    return with_drives(chain(4), Drive(name="differential", inputs=inputs, followers=followers))


def pushed(scene, joint="h1"):
    """With springs, dampers and a motor along what drives move."""
    motor = Motor(target_speed=-1.0, speed_gain=3.0, maximum=2.0)
    return with_fields(scene, joint, motor=motor, stiffness=4.0, damping=0.2, torque=0.3)


def coupled_beside():
    scene = with_drives(branching(qdot=0.8, stiffness=15.0), *hand().drives[:1])
    return with_constraint(
        scene, Coupling(name="gear", leader="shoulder", follower="left knuckle", ratio=0.8, offset=-0.08)
    )


def loop_driven():
    """A slider's spring turns the coupler's joint of a four-bar by a table."""
    scene = four_bar(qdot=1.0)
    name = scene.joints[0].name
    wheel = chain(1)
    scene = dataclasses.replace(
        scene, bodies=[*scene.bodies, *wheel.bodies], joints=[*scene.joints, *wheel.joints], constraints=[]
    )
    follower = Follower(joint="h0", ratio=0.7, table=CAM)
    return with_drives(scene, Drive(name="cam", inputs=(DriveInput(joint=name),), followers=(follower,)))


MACHINES = {
    "ratios": lambda: equal_angles(5, armature=0.2),
    "ratios of an input without inertia": lambda: pushed(equal_angles(4, torque=0.6, damping=0.1, stiffness=2.0)),
    "tables and two drives": hand,
    "tables and an input without inertia": lambda: hand(armature=0.0, torque=0.4),
    "two inputs without inertia": differential,
    "one of two inputs without inertia": lambda: differential(armature=0.3),
    "an animated input": lambda: pushed(hand(motion_type="animated", animation=SWING, q=0.0, qdot=0.0), "left knuckle"),
    "an input locked beside one without inertia": lambda: differential(motion_type="locked", armature=0.3),
    "an animated joint": lambda: with_drives(
        with_fields(pushed(chain(3)), "h0", motion_type="animated", animation=SWING), LIFT
    ),
    "a motor's followers": lambda: with_drives(pushed(pushed(chain(3)), "h2"), LIFT),
    "a gear on a follower": coupled_beside,
    "a prescribed coordinate that nothing drives": lambda: with_constraint(
        with_drives(chain(4), LIFT), JointMotion(name="crank", joint="h3", table=SWING, quantity="velocity")
    ),
    "a prescribed follower": lambda: with_constraint(
        with_drives(chain(3), LIFT), JointMotion(name="crank", joint="h2", table=SWING, quantity="velocity")
    ),
    "a loop beside": loop_driven,
}


def readable(monkeypatch):
    """Have runs go step by step, by the equations of the inputs."""
    monkeypatch.setattr(fast, "constrained_tree", lambda model: None)


@pytest.mark.parametrize("make", MACHINES.values(), ids=MACHINES.keys())
def test_every_channel_is_that_of_the_readable_route(make, monkeypatch):
    model = compile_scene(make())
    tree = fast.constrained_tree(model)
    assert tree is not None
    assert tree.driven > 0
    found = run(model, integrator=TIGHT)
    readable(monkeypatch)
    other = run(compile_scene(make()), integrator=TIGHT)
    np.testing.assert_allclose(found.q, other.q, atol=1e-8)
    assert np.ptp(found.q, axis=0).max() > 0.1
    for name, values in other.channels.items():
        scale = 1.0 + np.abs(values).max(initial=0.0)
        np.testing.assert_allclose(found.channels[name], values, atol=1e-7 * scale, err_msg=name)


@pytest.mark.parametrize("make", MACHINES.values(), ids=MACHINES.keys())
def test_followers_are_where_their_inputs_put_them(make):
    for integrator in (Automatic(), Rk45()):
        model = compile_scene(make())
        for sample in simulate(model, integrator=integrator, duration=2.0, fps=20.0):
            state = sample.state
            np.testing.assert_allclose((state.q, state.qdot), model.followers.placed(state.q, state.qdot), atol=1e-11)
        assert sample.status == "complete"


def test_a_single_follower_of_an_input_without_inertia_needs_no_row(monkeypatch):
    """It is the hinge itself, with what acts along the input."""
    scene = equal_angles(1, q=0.4, torque=0.5, damping=0.2)
    model = compile_scene(scene)
    tree = fast.constrained_tree(model)
    assert tree is not None
    assert tree.driven == 0
    hinge = compile_scene(with_fields(chain(1), "h0", q=0.4, qdot=0.5, torque=0.5, damping=0.2))
    found, alone = run(model, integrator=TIGHT), run(hinge, integrator=TIGHT)
    np.testing.assert_allclose(found.q[:, 0], alone.q[:, 0], atol=1e-11)
    np.testing.assert_allclose(found.channels["work"], alone.channels["work"], atol=1e-11)
    np.testing.assert_allclose(found.channels["loss"], alone.channels["loss"], atol=1e-11)


STOPS = {
    "a follower": lambda: with_fields(equal_angles(4, armature=0.2, q=0.1), "h2", upper=0.35, restitution=0.5),
    "two followers": lambda: with_fields(
        with_fields(equal_angles(4, armature=0.2, q=0.1), "h1", upper=0.2), "h3", lower=-0.3, restitution=0.8
    ),
    "an input without inertia": lambda: equal_angles(3, q=0.1, upper=0.3, lower=-0.2),
    "an input that two joints lead": lambda: differential(upper=0.4),
    "a follower by a table": lambda: with_fields(hand(), "shoulder", upper=0.5, lower=-0.4, restitution=0.6),
    "the joint that drives": lambda: with_fields(hand(), "rail", upper=0.1, lower=-0.05, restitution=0.3),
    "a joint beside": lambda: with_fields(with_drives(chain(4), LIFT), "h1", upper=0.2, lower=-0.3, restitution=0.4),
}


@pytest.mark.parametrize("make", STOPS.values(), ids=STOPS.keys())
def test_stops_are_met_as_by_the_readable_route(make, monkeypatch):
    """The first bounces; later ones differ by the tolerance within which each route meets a stop."""
    model = compile_scene(make())
    assert fast.constrained_tree(model) is not None
    found = run(model, integrator=TIGHT, duration=0.8)
    lower, upper = (limits[: found.q.shape[1]] for limits in limits_of(model))
    assert (found.q >= lower - 1e-9).all()
    assert (found.q <= upper + 1e-9).all()
    assert found.channels["constraint"].any() or found.channels["loss"][-1] > 0.0
    np.testing.assert_allclose(
        np.diff(found.channels["energy"]), np.diff(found.channels["work"] - found.channels["loss"]), atol=1e-7
    )
    readable(monkeypatch)
    other = run(compile_scene(make()), integrator=TIGHT, duration=0.8)
    np.testing.assert_allclose(found.q, other.q, atol=1e-6)
    np.testing.assert_allclose(found.channels["loss"], other.channels["loss"], atol=1e-5)


def limits_of(model):
    """(nr,) lower and upper limits of all coordinates."""
    lower, upper = np.full(model.dof_count, -np.inf), np.full(model.dof_count, np.inf)
    for j, joint in enumerate(model.joints):
        for k, low, high in joint.hard_limits():
            place = model.dof[j] + k
            lower[place] = -np.inf if low is None else low
            upper[place] = np.inf if high is None else high
    return lower, upper


def test_stops_come_to_rest_on_followers():
    """A chain that hangs on its stop stays there, and the stop bears what the drive passes on."""
    scene = with_fields(equal_angles(3, q=0.1, qdot=0.0, damping=0.5), "h1", upper=0.3, restitution=0.2)
    found = run(compile_scene(scene), integrator=Automatic(), duration=4.0)
    np.testing.assert_allclose(found.q[-1], 0.3, atol=1e-9)
    np.testing.assert_allclose(found.qdot[-1], 0.0, atol=1e-9)
    assert np.abs(found.channels["constraint"][-1]).max() > 1.0


def test_inputs_without_inertia_that_tables_alone_follow_are_left_to_readable_code():
    own = DriveInput(q=0.2, qdot=0.4, damping=3.0)
    scene = with_drives(
        chain(2),
        Drive(name="cam", inputs=(own,), followers=(Follower(joint="h0", table=CAM), Follower(joint="h1", table=CAM))),
    )
    model = compile_scene(scene)
    assert fast.constrained_tree(model) is None
    found = run(model, integrator=TIGHT)
    np.testing.assert_allclose(found.q[:, 0], found.q[:, 1], atol=1e-14)


def test_limits_of_inputs_that_three_joints_lead_are_left_to_readable_code():
    """Such a limit would be a one-sided row on three coordinates."""
    inputs = (DriveInput(q=0.2, upper=1.0), DriveInput(), DriveInput(qdot=0.3))
    ratios = ((0.5, 0.4, 0.3), (0.3, -0.5, 0.2), (-0.1, 0.3, 0.8))
    followers = tuple(Follower(joint=f"h{k}", ratio=ratio) for k, ratio in enumerate(ratios))
    drive = Drive(name="three", inputs=inputs, followers=followers)
    assert fast.constrained_tree(compile_scene(with_drives(chain(3), drive))) is None
    free = dataclasses.replace(drive, inputs=(DriveInput(q=0.2), *inputs[1:]))
    assert fast.constrained_tree(compile_scene(with_drives(chain(3), free))) is not None


@pytest.mark.parametrize("method", [RungeKutta4, SemiImplicitEuler])
@pytest.mark.parametrize("make", MACHINES.values(), ids=MACHINES.keys())
def test_fixed_steps_are_those_of_the_readable_route(make, method, monkeypatch):
    """Whole frames by kernels, unless loops or constraints have to be kept, too."""
    model, settings = compile_scene(make()), method(h=5e-3)
    quick = settings.begin(model, model.initial_state())
    readable(monkeypatch)
    slow = settings.begin(model, model.initial_state())
    assert slow.tree is None
    assert (quick.tree is not None) is not bool(model.loops or model.constraints)
    if quick.tree is None:  # both go step by step, and close loops by projections of their own
        return
    for t in (0.1, 0.2, 0.33):
        found, expected = quick.advance(t), slow.advance(t)
        np.testing.assert_allclose(found.q, expected.q, rtol=0.0, atol=1e-10)
        np.testing.assert_allclose(found.qdot, expected.qdot, rtol=0.0, atol=1e-9)
    assert quick.steps == slow.steps
