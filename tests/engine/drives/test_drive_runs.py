# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs with drives: energy, motors, limits, loops, constraints, strands; and what a run says where it cannot go on."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.drives.driven import CAM, chain, constrained_twin, equal_angles, hand, run, with_drives, with_wheel
from engine.mechanisms import four_bar
from redmax import fast
from redmax.compile import compile as compile_scene
from redmax.constraints import Coupling, JointMotion
from redmax.drives import Drive, DriveInput, Follower
from redmax.dynamics.assembly import close_loops, mobility
from redmax.integrators import INTEGRATORS, Bdf2, Dop853, LinearlyImplicitEuler, MaximalEuler, Rk45, RungeKutta4
from redmax.joints.motor import Motor
from redmax.simulate import SimulationError, simulate
from redmax.strands import Attachment, Strand
from redmax.tables import Table

TIGHT = Dop853(rtol=1e-12, atol=1e-12)


def test_energy_is_conserved():
    scene = hand(stiffness=3.0)
    scene = dataclasses.replace(scene, joints=[dataclasses.replace(joint, damping=0.0) for joint in scene.joints])
    found = run(compile_scene(scene), integrator=TIGHT, duration=2.0)
    energy = found.channels["energy"]
    assert np.ptp(energy) < 1e-9 * np.abs(found.channels["kinetic"]).max()
    assert found.channels["kinetic"].max() > 1.0


def test_work_of_torques_and_losses_of_dampers_balance_the_energy():
    table = Table(x=(0.0, 0.4, 0.8), y=((3.0,), (-2.0,), (1.0,)))
    scene = hand(torque=2.0, damping=0.4, torque_table=table)
    joints = [dataclasses.replace(j, damping=0.3, torque=0.2) if "left" in j.name else j for j in scene.joints]
    scene = dataclasses.replace(scene, joints=joints)
    found = run(compile_scene(scene), integrator=TIGHT)
    made = found.channels["work"] - found.channels["loss"]
    np.testing.assert_allclose(np.diff(found.channels["energy"]), np.diff(made), atol=1e-8)
    assert found.channels["loss"][-1] > 0.1
    assert abs(found.channels["work"][-1]) > 0.1


SWING = Table(x=(0.0, 0.5, 1.0, 1.5), y=((0.0,), (0.8,), (0.1,), (0.9,)), interpolation="cubic")
CORNERS = dataclasses.replace(SWING, interpolation="linear")


@pytest.mark.parametrize(
    ("table", "compiled"),
    [
        pytest.param(CORNERS, True, id="corners"),
        pytest.param(SWING, True, id="smooth", marks=pytest.mark.slow),
        pytest.param(CORNERS, False, id="corners by numpy", marks=pytest.mark.slow),
    ],
)
def test_an_animated_input_moves_all_that_follows_and_its_motor_does_the_work(table, compiled, monkeypatch):
    """Also where the animation has corners: impulses pass through the drive to everything else."""
    if not compiled:
        monkeypatch.setattr(fast, "bare_tree", lambda model: None)
        monkeypatch.setattr(fast, "constrained_tree", lambda model: None)
    model = compile_scene(hand(motion_type="animated", animation=table, q=0.0, qdot=0.0))
    found = run(model, integrator=TIGHT)
    own = model.followers.inputs[1]
    assert str(model.owner(int(own))) == "drive 'grip, input 0'"
    np.testing.assert_allclose(found.channels["input"][:, 1, 0], [table.value(t)[0] for t in found.t], atol=1e-14)
    np.testing.assert_allclose(
        np.diff(found.channels["energy"]), np.diff(found.channels["work"] - found.channels["loss"]), atol=1e-8
    )
    assert np.ptp(found.channels["work"]) > 1e-2
    if compiled:
        np.testing.assert_allclose(found.q, run(constrained_twin(model), integrator=TIGHT).q, atol=1e-9)


def test_the_force_of_an_animated_input_is_what_its_motor_needs():
    """motor = armature times acceleration + what the drive passes on, here for a joint that is the input."""
    scene = chain(3)
    first = dataclasses.replace(scene.joints[0], motion_type="animated", animation=SWING)
    scene = dataclasses.replace(scene, joints=[first, *scene.joints[1:]])
    drive = Drive(name="curl", inputs=(DriveInput(joint="h0"),),
                  followers=(Follower(joint="h1"), Follower(joint="h2", table=CAM)))  # fmt: skip
    model = compile_scene(with_drives(scene, drive))
    found = run(model, integrator=TIGHT)
    whole, drive_, motor = (found.channels[name] for name in ("torque", "drive", "motor"))
    np.testing.assert_allclose(motor[:, 0], whole[:, 0] - drive_[:, 0], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.channels["input"][:, 0, 2], -drive_[:, 0], rtol=1e-12)
    power = motor[:, 0] * found.qdot[:, 0]
    rate = np.gradient(run(model, integrator=TIGHT, fps=2000.0, duration=0.1).channels["energy"], 1.0 / 2000.0)
    np.testing.assert_allclose(rate[100], power[1], rtol=1e-4)
    assert not motor[:, 1:].any()


def test_motors_push_inputs_and_followers_alike():
    """As in the twin that constraints hold together; what both put in is the work; a stall counts all that moves."""
    scene = chain(3)
    pushing = Motor(control="position", target_position=-0.8, position_gain=60.0, speed_gain=4.0, maximum=9.0)
    turning = Motor(target_speed=-1.0, speed_gain=3.0, maximum=2.0)
    joints = [dataclasses.replace(j, motor=m) for j, m in zip(scene.joints, (pushing, turning, None), strict=True)]
    drive = Drive(name="curl", inputs=(DriveInput(joint="h0"),),
                  followers=(Follower(joint="h1"), Follower(joint="h2", table=CAM)))  # fmt: skip
    model = compile_scene(with_drives(dataclasses.replace(scene, joints=joints), drive))
    found, twin = run(model, integrator=TIGHT), run(constrained_twin(model), integrator=TIGHT)
    np.testing.assert_allclose(found.q, twin.q, atol=1e-9)
    for channel in ("motor", "motor_power", "work"):
        np.testing.assert_allclose(found.channels[channel], twin.channels[channel], atol=1e-7)
    np.testing.assert_allclose(
        found.channels["energy"] - found.channels["energy"][0], found.channels["work"], atol=1e-9
    )
    assert np.abs(found.channels["motor"][:, :2]).min(axis=0).max() > 0.0
    stalls = [{facts["name"]: facts for facts in each.meta["remarks"]} for each in (found, twin)]
    assert stalls[0].keys() == stalls[1].keys()
    for name, facts in stalls[0].items():
        assert facts["numbers"]["torque"] == pytest.approx(stalls[1][name]["numbers"]["torque"], rel=1e-6)


@pytest.mark.parametrize("where", ["follower", "input", "both"])
def test_limits_of_followers_and_inputs_are_never_passed(where):
    scene = equal_angles(3, qdot=2.0, **({"upper": 0.35} if where != "follower" else {}))
    joints = list(scene.joints)
    if where != "input":
        joints[1] = dataclasses.replace(joints[1], upper=0.35)
    found = run(compile_scene(dataclasses.replace(scene, joints=joints)), integrator=Dop853(), duration=0.5, fps=100.0)
    assert found.q.max() <= 0.35 + 1e-9
    assert np.ptp(found.q[-5:], axis=0).max() < 1e-9  # gravity presses it on the stop
    np.testing.assert_allclose(found.q[-1], 0.35, atol=1e-9)


@pytest.mark.slow
def test_a_limit_of_a_follower_stops_as_its_twin():
    scene = hand(qdot=2.0)
    joints = [dataclasses.replace(j, upper=0.9) if j.name == "left knuckle" else j for j in scene.joints]
    joints = [dataclasses.replace(j, upper=0.25) if j.name == "shoulder" else j for j in joints]
    model = compile_scene(dataclasses.replace(scene, joints=joints))
    twin = constrained_twin(model)
    ours, theirs = (run(each, integrator=TIGHT, duration=0.6) for each in (model, twin))
    np.testing.assert_allclose(ours.q, theirs.q, atol=1e-8)
    assert ours.channels["loss"][-1] > 0.05  # an impact


def test_loops_close_with_drives():
    """Crank and follower wheel move together; the four-bar's loop still holds, as with constraints."""
    model = with_wheel(four_bar(qdot=2.0))
    assert len(model.loops) == 1
    assert mobility(model).freedoms == 1
    tight = Dop853(rtol=1e-11, atol=1e-11)
    ours, theirs = (run(each, integrator=tight, duration=0.1) for each in (model, constrained_twin(model)))
    np.testing.assert_allclose(ours.q, theirs.q, atol=1e-9)
    assert ours.channels["gap"].max() < 1e-12
    assert np.ptp(ours.q[:, -1]) > 0.05


def test_a_loop_joint_with_a_spring_carries_half_of_its_body_beside_drives():
    """As the same joint does in the tree; the wheel's coordinate is none of the half's."""
    scene = four_bar()
    crank, b, d, pin = scene.joints
    pin = dataclasses.replace(pin, stiffness=20.0)
    loop, tree = (
        with_wheel(dataclasses.replace(scene, joints=joints)) for joints in ([crank, b, d, pin], [crank, b, pin, d])
    )
    assert (len(loop.halves), len(tree.halves)) == (1, 0)
    tight = Dop853(rtol=1e-10, atol=1e-10)
    ours, theirs = (run(each, integrator=tight, duration=0.2) for each in (loop, tree))
    order = [theirs.body_names.index(name) for name in ours.body_names]
    np.testing.assert_allclose(ours.position, theirs.position[:, order], atol=1e-8)
    assert np.ptp(ours.q[:, ours.joint_names.index("wheel")]) > 0.01


@pytest.mark.parametrize(
    "method",
    [LinearlyImplicitEuler(h=5e-3), RungeKutta4(h=5e-3), pytest.param(Bdf2(h=5e-3), marks=pytest.mark.slow)],
    ids=lambda method: method.kind,
)
def test_loops_stay_closed_with_drives_whatever_the_method(method):
    model = with_wheel(four_bar(qdot=2.0))
    assert run(model, integrator=method, duration=0.05).channels["gap"].max() < 1e-12


def test_assembly_moves_followers_with_their_inputs():
    model = with_wheel(four_bar(q=0.05))
    closed = close_loops(model)
    assert closed.closed
    assert np.abs(closed.q - model.q0).max() > 1e-3
    np.testing.assert_allclose(model.followers.placed(closed.q, closed.q)[0], closed.q, atol=1e-15)


def test_constraints_act_on_followers():
    """A prescribed follower takes its input with it; a coupling that says the same as the drive is redundant."""
    scene = equal_angles(3, q=0.0, qdot=0.0)
    scene.constraints.append(Coupling(name="same", leader="h0", follower="h2"))
    scene.constraints.append(JointMotion(name="move", joint="h1", table=SWING))
    model = compile_scene(scene)
    found = run(model, integrator=Dop853())
    np.testing.assert_allclose(found.q[:, 2], [SWING.value(t)[0] for t in found.t], atol=1e-12)
    assert mobility(model).redundant == 1


def test_strands_hang_from_what_drives_move():
    scene = equal_angles(2)
    strand = Strand(name="rope", nodes=((0.8, 0.0, 0.0), (1.0, 0.0, 0.0), (1.2, 0.0, 0.0)), mass=0.1, stiffness=50.0,
                    attachments=(Attachment(node=0, body="bar 1"),))  # fmt: skip
    scene = dataclasses.replace(scene, strands=[strand])
    model = compile_scene(scene)
    assert (model.hidden, model.shown) == (3, 2)
    found = run(model, integrator=Rk45(rtol=1e-9, atol=1e-9), duration=0.3)
    assert found.body_names == ("bar 0", "bar 1")
    assert found.q.shape[1] == 2
    assert np.ptp(found.channels["energy"]) < 1e-6
    assert found.channels["nodes"].shape[1:] == (3, 3)


@pytest.mark.parametrize("method", [cls for cls in INTEGRATORS if cls is not MaximalEuler], ids=lambda cls: cls.kind)
def test_every_integrator_runs_drives_and_keeps_them_exactly(method):
    model = compile_scene(hand(stiffness=2.0))
    found = run(model, integrator=method(), duration=0.2, fps=10.0)
    for q, qdot, inputs in zip(found.q, found.qdot, found.channels["input"], strict=True):
        whole, rate = np.zeros((2, model.dof_count))
        whole[: len(q)], rate[: len(q)] = q, qdot
        whole[model.followers.inputs], rate[model.followers.inputs] = inputs[:, 0], inputs[:, 1]
        wanted, speed = model.followers.placed(whole, rate)
        np.testing.assert_allclose(whole, wanted, atol=1e-15)
        np.testing.assert_allclose(rate, speed, atol=1e-14)
    assert found.qdot.shape[1] == int(model.dof[model.shown])


def test_maximal_coordinates_refuse_drives_by_name():
    with pytest.raises(SimulationError, match=r"'maximal_euler' does not know drives \('curl'\).*choose dop853"):
        next(simulate(compile_scene(equal_angles(2)), integrator=MaximalEuler(), duration=1.0))


def test_a_run_ends_by_name_where_no_joint_moves_with_an_input():
    """The joint falls into the flat end of a curve: its input could be anywhere."""
    flat = Table(x=(-1.0, 0.0, 1.0), y=((-1.0,), (0.0,), (0.2,)), interpolation="hermite",
                 slopes=((0.0,), (1.0,), (1.0,), (0.0,)))  # fmt: skip
    scene = with_drives(
        chain(1), Drive(name="cam", inputs=(DriveInput(qdot=2.0),), followers=(Follower(joint="h0", table=flat),))
    )
    samples = list(simulate(compile_scene(scene), integrator=Dop853(), duration=2.0))
    assert samples[-1].status == "failed"
    assert "drive 'cam'" in samples[-1].message


def test_an_armature_has_energy_but_turns_nowhere_in_the_world():
    heavy, light = (run(compile_scene(equal_angles(2, armature=a)), duration=0.05).channels for a in (0.5, 0.0))
    assert heavy["kinetic"][0] == pytest.approx(light["kinetic"][0] + 0.5 * 0.5 * 0.5**2)
    np.testing.assert_allclose(heavy["momentum"][0], light["momentum"][0], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(heavy["center_of_mass"][0], light["center_of_mass"][0], rtol=1e-14)


def test_two_runs_of_one_model_are_the_same():
    model = compile_scene(hand())
    first, second = run(model, duration=0.3), run(model, duration=0.3)
    np.testing.assert_array_equal(first.q, second.q)
