# SPDX-License-Identifier: GPL-3.0-or-later
"""The generator of samples: frames, channels, and how runs end."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest

from engine.integrators.pendulums import chain, double_pendulum, hinge, link
from redmax.compile import compile as compile_scene
from redmax.dynamics.kinematics import body_poses, kinematics
from redmax.errors import ElementName
from redmax.integrators import INTEGRATORS, Automatic, Dop853, LinearlyImplicitEuler, RungeKutta4, SemiImplicitEuler
from redmax.integrators.explicit_runge_kutta import ExplicitRungeKutta, StepTooSmallError
from redmax.joints import JOINTS, Fixed, Revolute, Spherical, SphericalEuler
from redmax.scene import Body, Inertia, Scene
from redmax.simulate import CHANNELS, Recorder, SimulationError, divergence, frame_count, record, simulate
from redmax.state import State
from redmax.tables import Table
from redmax.trajectory import load


@pytest.mark.parametrize("cls", INTEGRATORS, ids=INTEGRATORS.kinds)
def test_samples_fall_exactly_on_frames(cls):
    """Also where neither h nor 1/fps divides the other."""
    model = double_pendulum()
    samples = list(simulate(model, integrator=cls(), fps=37.0, duration=0.1))
    assert [sample.t for sample in samples] == [index / 37.0 for index in range(4)]
    assert [sample.index for sample in samples] == [0, 1, 2, 3]
    assert [sample.status for sample in samples] == ["running"] * 3 + ["complete"]


def test_frames_of_a_duration_are_not_lost_to_rounding():
    assert frame_count(24.0, 5.0) == 120
    assert frame_count(100.0, 0.29) == 29  # 0.29 * 100 is 28.999999999999996
    assert frame_count(10.0, 0.05) == 0


def test_samples_do_not_depend_on_how_often_they_are_taken():
    """Adaptive steps end at samples, at full accuracy."""
    model = double_pendulum()
    integrator = Dop853(rtol=1e-10, atol=1e-10)
    rare = list(simulate(model, integrator=integrator, fps=5.0, duration=0.4))[-1]
    often = list(simulate(model, integrator=integrator, fps=50.0, duration=0.4))[-1]
    np.testing.assert_allclose(rare.state.q, often.state.q, atol=1e-8)  # some 100 times the tolerance


def test_sample_holds_poses_and_every_channel():
    model = double_pendulum(damping=0.1, stiffness=1.0)
    sample = list(simulate(model, integrator=RungeKutta4(), fps=50.0, duration=0.1))[-1]
    of_others = {"nodes", "drive", "input", "surface_force", "impact", "friction_loss", "impact_loss", "friction"}
    assert set(sample.channels) == set(CHANNELS) - of_others  # without strands, drives, surfaces and rough joints
    kin = kinematics(model, sample.state.q, sample.state.qdot)
    np.testing.assert_allclose(sample.E_wb, body_poses(model, kin), atol=1e-15)
    assert sample.channels["energy"] == sample.channels["kinetic"] + sample.channels["potential"]
    np.testing.assert_allclose(sample.channels["torque"], -0.1 * sample.state.qdot - 1.0 * sample.state.q, atol=1e-12)
    np.testing.assert_array_equal(sample.channels["motor"], 0.0)


def test_acceleration_channel_is_the_derivative_of_the_twist_channel():
    model = double_pendulum()
    integrator, fps = Dop853(rtol=1e-11, atol=1e-11), 1000.0
    trajectory = record(
        model, simulate(model, integrator=integrator, fps=fps, duration=0.01), integrator=integrator, fps=fps
    )
    for derivative, values in (
        (trajectory.channels["acceleration"], trajectory.channels["twist"]),
        (trajectory.channels["qddot"], trajectory.qdot),
    ):
        slope = (values[6] - values[4]) * fps / 2.0
        # Central differences: h^2 / 6 of a third derivative of about 1e3.
        np.testing.assert_allclose(derivative[5], slope, atol=1e-3)


def test_reaction_of_a_hanging_body_carries_its_weight():
    model = chain(hinge(0, q=np.pi / 2.0))
    sample = next(iter(simulate(model, integrator=RungeKutta4(), duration=1.0)))
    weight = model.mass * 9.81
    # The joint frame is turned by 90 degrees about y: up in the world is -x in the joint.
    np.testing.assert_allclose(sample.channels["reaction"][0], [0.0, 0.0, 0.0, -weight, 0.0, 0.0], atol=1e-12)


def test_divergence_stops_the_run_and_keeps_what_was_computed():
    model = double_pendulum(stiffness=1e6)  # far too stiff for an explicit step of 10 ms
    integrator = SemiImplicitEuler(h=1e-2)
    trajectory = record(
        model, simulate(model, integrator=integrator, fps=50.0, duration=2.0), integrator=integrator, fps=50.0
    )
    assert trajectory.status == "failed"
    assert 1 <= len(trajectory) < 100
    assert f"Stopped at frame {len(trajectory)}" in trajectory.message
    assert "body 'Link" in trajectory.message
    assert np.isfinite(trajectory.q).all()


@pytest.mark.parametrize("integrator", [RungeKutta4(), LinearlyImplicitEuler(), Dop853()], ids=lambda i: i.kind)
def test_a_joint_that_carries_no_mass_fails_by_name(integrator):
    model = chain(hinge(0, q=0.3), hinge(1))
    massless = dataclasses.replace(model, inertia=np.array([model.inertia[0], np.zeros(6)]))
    samples = list(simulate(massless, integrator=integrator, fps=10.0, duration=1.0))
    assert [sample.status for sample in samples] == ["running", "failed"]
    assert samples[-1].index == 0
    assert "joint 'Hinge 1'" in samples[-1].message
    assert "frame 1" in samples[-1].message


def test_newton_failure_is_a_status():
    model = double_pendulum(stiffness=1.0)
    broken = dataclasses.replace(model, stiffness=np.array([np.nan, 1.0]))
    samples = list(simulate(broken, integrator=INTEGRATORS["bdf2"](), fps=10.0, duration=1.0))
    assert samples[-1].status == "failed"
    assert samples[-1].message


@pytest.mark.parametrize("kind", ["rk45", "dop853"])
def test_an_acceleration_that_is_not_finite_names_its_joint(kind):
    broken = dataclasses.replace(double_pendulum(), stiffness=np.array([np.nan, 0.0]))
    samples = list(simulate(broken, integrator=INTEGRATORS[kind](), fps=10.0, duration=1.0))
    assert samples[-1].status == "failed"
    assert "joint 'Hinge 0': the acceleration is no longer finite" in samples[-1].message


def test_a_motion_that_no_step_can_follow_names_its_joint(monkeypatch):
    """Component 3 of (q0, q1, qdot0, qdot1) is the velocity of the second hinge."""

    def too_small(solver, t_bound, max_step, **sample):
        raise StepTooSmallError(3)

    monkeypatch.setattr(ExplicitRungeKutta, "advance", too_small)
    samples = list(simulate(double_pendulum(), integrator=Dop853(dynamics="recursive"), duration=1.0))
    assert samples[-1].status == "failed"
    assert "joint 'Hinge 1': the adaptive step became too small" in samples[-1].message


def test_a_run_needs_a_duration_only():
    """It is that of the automatic integrator, and the trajectory says so."""
    model = double_pendulum()
    usual = record(model, simulate(model, duration=0.5))
    asked = record(model, simulate(model, duration=0.5, integrator=Automatic(accuracy="standard"), fps=24.0))
    assert (usual.status, len(usual)) == ("complete", 13)
    np.testing.assert_array_equal(usual.q, asked.q)
    assert usual.meta["integrator"] == "automatic"
    assert (usual.meta["accuracy"], usual.meta["fps"]) == ("standard", 24.0)


def test_a_trajectory_knows_what_its_run_was_begun_with():
    model = double_pendulum()
    run = record(model, simulate(model, duration=0.5, integrator=RungeKutta4(h=2e-3), fps=50.0))
    assert (run.meta["integrator"], run.meta["h"], run.meta["fps"]) == ("rk4", 2e-3, 50.0)


def test_samples_from_elsewhere_need_their_integrator():
    model = double_pendulum()
    samples = list(simulate(model, duration=0.1))
    with pytest.raises(SimulationError, match="give the integrator and fps"):
        record(model, samples)
    assert record(model, samples, integrator=Automatic(), fps=24.0).status == "complete"


def test_closing_the_generator_stops():
    model = double_pendulum()
    integrator = RungeKutta4()
    recorder = Recorder(model, integrator=integrator, fps=24.0)
    samples = simulate(model, integrator=integrator, duration=10.0)
    for _ in range(3):
        recorder.add(next(samples))
    samples.close()
    trajectory = recorder.trajectory()
    assert trajectory.status == "stopped"
    assert len(trajectory) == 3
    assert "frame 2" in trajectory.message
    assert trajectory.meta["integrator"] == "rk4"
    assert trajectory.meta["h"] == 1e-2


def test_recorder_without_samples_is_an_empty_stopped_trajectory():
    trajectory = Recorder(double_pendulum(), integrator=RungeKutta4(), fps=24.0).trajectory()
    assert (trajectory.status, len(trajectory)) == ("stopped", 0)


def test_open_loops_are_refused_by_name():
    pin = Revolute(name="Pin.004", parent=None, child="Link 1")
    scene = Scene(bodies=[link("Link 0"), link("Link 1")], joints=[hinge(0), hinge(1), pin])
    model = compile_scene(scene)
    name = model.loops[0].joint.name
    with pytest.raises(SimulationError, match=f"loop joint '{name}' is off by .* at the start; assemble"):
        simulate(model, integrator=RungeKutta4(), duration=1.0)


@pytest.mark.parametrize("values", [{"fps": 0.0}, {"duration": -1.0}, {"fps": float("nan")}])
def test_impossible_times_are_refused(values):
    with pytest.raises(SimulationError, match="give a number above 0"):
        simulate(double_pendulum(), integrator=RungeKutta4(), **({"fps": 24.0, "duration": 1.0} | values))


def test_simulating_the_same_model_twice_gives_the_same_numbers():
    model = double_pendulum()
    runs = [list(simulate(model, integrator=Dop853(), duration=0.2)) for _ in range(2)]
    for a, b in zip(*runs, strict=True):
        np.testing.assert_array_equal(a.state.q, b.state.q)


def welded():
    """Two bodies that cannot move at all."""
    weld = [Fixed(name="J", parent=None, child="A"), Fixed(name="K", parent="A", child="B")]
    return compile_scene(Scene(bodies=[link("A"), link("B")], joints=weld))


@pytest.mark.parametrize("cls", INTEGRATORS, ids=INTEGRATORS.kinds)
def test_a_scene_without_freedom_stands_still(cls, tmp_path):
    model, integrator = welded(), cls()
    run = record(model, simulate(model, integrator=integrator, duration=0.1), integrator=integrator, fps=24.0)
    assert (run.status, run.q.shape) == ("complete", (3, 0))
    np.testing.assert_array_equal(run.position[0], run.position[-1])
    assert np.isfinite(run.channels["reaction"]).all()  # the weld carries the weight
    run.save(tmp_path / "run.npz")
    assert load(tmp_path / "run.npz").q.shape == (3, 0)


@pytest.mark.parametrize("cls", INTEGRATORS, ids=INTEGRATORS.kinds)
@pytest.mark.parametrize(("sequence", "q"), [("xzx", (0.0, 0.0, 0.0)), ("xyz", (0.3, np.pi / 2, 0.1))])
def test_euler_angles_may_start_at_gimbal_lock(cls, sequence, q):
    joint = SphericalEuler(name="J", parent=None, child="A", sequence=sequence, q=q)
    model = compile_scene(Scene(bodies=[link("A")], joints=[joint]))
    samples = list(simulate(model, integrator=cls(), duration=0.1))
    assert samples[-1].status == "complete", samples[-1].message
    assert all(np.isfinite(sample.channels["qddot"]).all() for sample in samples)


@pytest.mark.parametrize("kind", ["spherical", "spherical_euler", "free", "free_translation_rotation"])
def test_a_spring_keeps_energy_however_far_the_joint_turns(kind):
    """Recentring and changes of chart are of no concern to a spring that pulls alike about all axes."""
    cls = JOINTS[kind]
    turn = [k for k, unit in enumerate(cls.dof_units) if unit == "rad"]
    stiffness, qdot = np.zeros(len(cls.dof_names)), np.zeros(len(cls.dof_names))
    stiffness[turn] = 0.3 if kind != "spherical_euler" else (0.0, 0.0, 0.3)
    qdot[turn[2]] = 12.0
    joint = cls(name="J", parent=None, child="A", stiffness=tuple(stiffness), qdot=tuple(qdot))
    body = Body(name="A", inertia=Inertia(mass=1.0, tensor=np.diag([0.05, 0.05, 0.05])))
    model = compile_scene(Scene(gravity=(0.0, 0.0, 0.0), bodies=[body], joints=[joint]))
    energies = [s.channels["energy"] for s in simulate(model, integrator=Dop853(), fps=48.0, duration=1.2)]
    # The force changes its side where the spring is half a turn from rest; the step across costs that much.
    np.testing.assert_allclose(energies, energies[0], rtol=1e-3)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"integrator": RungeKutta4(h=-1.0)}, "integrator 'rk4': h is -1; give a finite number above 0 in s"),
        ({"integrator": RungeKutta4(h=float("nan"))}, "h is nan"),
        ({"integrator": Dop853(dynamics="nope")}, "dynamics is 'nope'; give one of: recursive"),
        ({"fps": 0.0}, "fps is 0; give a number above 0"),
        ({"duration": 1e200, "fps": 1e200}, "frames; use a shorter duration"),
        ({"duration": float("nan")}, "duration is nan"),
        ({"state": State(0.0, np.zeros(3), np.zeros(3), np.zeros(2, int))}, "the state has 3 coordinates and 2 charts"),
        ({"state": State(0.0, np.full(2, np.nan), np.zeros(2), np.zeros(2, int))}, "a number that is not finite"),
        ({"state": State(0.0, np.zeros(2), np.zeros(2), np.array([0, 7]))}, "there is no chart 7; give 0 to 0"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "-".join(value),
)
def test_settings_that_cannot_work_are_refused_by_name(settings, said):
    settings = {"integrator": RungeKutta4(), "duration": 0.1, **settings}
    with pytest.raises(SimulationError, match=re.escape(said)):
        simulate(double_pendulum(), **settings)


def test_an_absurd_start_fails_at_once():
    joint = Spherical(name="J", parent=None, child="A", qdot=1e30)
    model = compile_scene(Scene(bodies=[link("A")], joints=[joint]))
    (sample,) = simulate(model, integrator=Dop853(), duration=1.0)
    assert sample.status == "failed"
    assert "Cannot start: body 'A' exceeds" in sample.message


def test_every_way_to_diverge_is_seen_and_the_rest_is_not():
    model = double_pendulum()
    E, speeds = np.tile(np.eye(4), (2, 1, 1)), np.full((2, 2), 1e6)
    assert divergence(model, E, speeds) is None
    for place in np.ndindex(2, 2):
        for value, what in ((np.inf, "no longer finite"), (np.nan, "no longer finite"), (2e6, "exceeds")):
            faster = speeds.copy()
            faster[place] = value
            assert divergence(model, E, faster).element == ElementName("body", model.body_names[place[0]])
            assert what in divergence(model, E, faster).what
    fast = divergence(model, E, np.array([[0.0, 0.0], [0.0, 3.2e8]]))
    assert str(fast) == "body 'Link 1' exceeds 1,000,000 m/s (3.2e+08 m/s); use a smaller step"
    for place in np.ndindex(E.shape):
        for value in (np.inf, -np.inf, np.nan):
            moved = E.copy()
            moved[place] = value
            text = str(divergence(model, moved, speeds))
            assert f"'{model.body_names[place[0]]}' is no longer finite" in text
    two = E.copy()
    two[0, 0, 3], two[1, 0, 3] = np.inf, -np.inf
    assert f"'{model.body_names[0]}' is no longer finite" in str(divergence(model, two, speeds))


@pytest.mark.parametrize("interpolation", ["linear", "cubic"])
def test_points_of_an_animation_that_are_too_close_are_named(interpolation):
    """A smaller step would not help."""
    table = Table(x=(0.0, 0.5, 0.5 + 1e-9, 1.0), y=((0.0,), (0.1,), (1.1,), (1.2,)), interpolation=interpolation)
    joint = Revolute(name="Motor", parent=None, child="Arm", motion_type="animated", animation=table)
    arm = Body(name="Arm", inertia=Inertia(mass=1.0, tensor=np.eye(3).tolist()))
    model = compile_scene(Scene(bodies=[arm], joints=[joint]))
    last = list(simulate(model, integrator=RungeKutta4(), fps=24.0, duration=1.0))[-1]
    assert last.status == "failed"
    said = "the points 0.5 s and 0.500000001 s in the animation of joint 'Motor' are too close, move them apart"
    assert last.message.endswith(said)
    assert "step" not in last.message
