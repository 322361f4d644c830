# SPDX-License-Identifier: GPL-3.0-or-later
"""energy(t) - energy(0) = work - loss: whatever drives and damps a mechanism, to the accuracy of its motion.

Energy is computed from poses and velocities and shares no code with the powers that are integrated. Closed forms say
which part of the exchange is work and which is loss.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.integrators.pendulums import chain, double_pendulum, hinge, link
from engine.random_trees import random_model
from redmax.compile import compile as compile_scene
from redmax.integrators import INTEGRATORS, Dop853, Integrator, LinearlyImplicitEuler, Rk45, RungeKutta4
from redmax.integrators.energy_balance import BalancedStepper
from redmax.integrators.routes import FORMULATIONS
from redmax.joints import JOINTS, Revolute
from redmax.joints.base import ANIMATED, LOCKED
from redmax.model import Model
from redmax.scene import Body, Inertia, Scene
from redmax.simulate import record, simulate
from redmax.tables import Table
from redmax.trajectory import Trajectory

TIGHT = {"rtol": 1e-10, "atol": 1e-10}
SWEEP = {"x": (0.0, 0.13, 0.3, 0.4), "y": ((0.2,), (0.9,), (-0.4,), (0.5,))}
CUBIC, LINEAR, STEP = (Table(**SWEEP, interpolation=kind) for kind in ("cubic", "linear", "step"))
BROKEN = Table(**SWEEP, interpolation="hermite", slopes=((1.0,), (0.0,), (0.0,), (-2.0,), (3.0,), (1.0,)))
NO_GRAVITY = (0.0, 0.0, 0.0)


def on_every_frame() -> Table:
    """A sine with a point on each frame, as a bake writes it; it stands still where its points end, at 0.375 s."""
    t = np.arange(10) / 24.0
    slopes = np.repeat(5.0 * np.cos(5.0 * t)[:, None], 2, axis=0)[1:-1]
    return Table(x=t, y=np.sin(5.0 * t)[:, None], interpolation="hermite", slopes=slopes)


def animated(table: Table) -> Model:
    """Three links; the one in the middle is driven, so that free joints feel it from both sides."""
    return chain(hinge(0, q=0.1), hinge(1, motion_type=ANIMATED, animation=table), hinge(2, q=0.4))


def ball(kind: str, **values: object) -> Model:
    """A link on a ball or free joint, with a damped pendulum on it."""
    joint = JOINTS[kind](name="Ball", parent=None, child="Link 0", **values)
    bodies = [link("Link 0"), link("Link 1", damping=0.02)]
    return compile_scene(Scene(bodies=bodies, joints=[joint, hinge(1, q=0.5)]))


def limited() -> Model:
    """Falls into a soft limit and swings out of another, both with damping."""
    stop = {"limit_stiffness": 50.0, "limit_damping": 0.3}
    return chain(hinge(0, q=1.0, qdot=2.0, upper=1.1, **stop), hinge(1, q=0.1, qdot=-2.0, lower=-0.05, **stop))


def body_damped() -> Model:
    bodies = [link("Link 0", damping=0.2), link("Link 1", damping=0.05)]
    return compile_scene(Scene(bodies=bodies, joints=[hinge(0, q=0.4), hinge(1, q=0.9)]))


WORK, LOSS = "work", "loss"
CASES: dict[str, tuple[Model, set[str]]] = {
    "crank and pendulum": (chain(hinge(0, motion_type=ANIMATED, animation=CUBIC), hinge(1, q=0.4)), {WORK}),
    "cubic": (animated(CUBIC), {WORK}),
    "corners": (animated(LINEAR), {WORK}),
    "broken handles": (animated(BROKEN), {WORK}),
    "jumps": (animated(STEP), {WORK}),
    "a point on every frame": (animated(on_every_frame()), {WORK}),
    "nothing free": (
        chain(
            hinge(0, motion_type=ANIMATED, animation=BROKEN, damping=0.1),
            hinge(1, motion_type=ANIMATED, animation=LINEAR, torque=1.0, stiffness=2.0),
        ),
        {WORK, LOSS},
    ),
    "joint damping": (double_pendulum(damping=0.1, stiffness=1.0), {LOSS}),
    "body damping": (body_damped(), {LOSS}),
    "soft limits": (limited(), {LOSS}),
    "torque": (double_pendulum(torque=1.0), {WORK}),
    "torque tables": (chain(hinge(0, torque_table=STEP), hinge(1, q=0.3, torque_table=BROKEN)), {WORK}),
    "torque and damping of an animated joint": (
        chain(hinge(0, q=0.2), hinge(1, motion_type=ANIMATED, animation=CUBIC, torque=2.0, damping=0.3)),
        {WORK, LOSS},
    ),
    "springs and limits of an animated joint": (
        chain(
            hinge(0, q=0.2),
            hinge(
                1,
                motion_type=ANIMATED,
                animation=BROKEN,
                upper=0.5,
                lower=-0.1,
                limit_stiffness=60.0,
                limit_damping=0.5,
                stiffness_table=Table(x=(-0.3, 0.1, 0.3), y=((-2.0,), (3.0,), (3.5,))),
                rest=0.1,
            ),
        ),
        {WORK, LOSS},
    ),
    "ball": (
        ball("spherical", q=(0.3, 0.2, 0.1), damping=0.05, torque=(0.5, 0.2, 2.0), qdot=(9.0, 1.0, 2.0)),
        {WORK, LOSS},
    ),
    "ball with Euler angles": (
        ball("spherical_euler", sequence="yxz", q=(0.2, 1.1, 0.1), damping=0.02, torque=(0.5, 0.01, 0.1)),
        {WORK, LOSS},
    ),
    "flying": (
        ball("free", damping=0.01, torque=(0.01, 0.2, 0.3, 3.0, 2.0, 1.0), qdot=(1.0, 12.0, 2.0, 1.0, 0.0, 0.0)),
        {WORK, LOSS},
    ),
}


def run(model: Model, integrator: Integrator, fps: float = 24.0, duration: float = 0.5) -> Trajectory:
    samples = simulate(model, integrator=integrator, fps=fps, duration=duration)
    trajectory = record(model, samples, integrator=integrator, fps=fps)
    assert trajectory.status == "complete", trajectory.message
    return trajectory


def remainder(trajectory: Trajectory) -> float:
    """Largest |energy change - work + loss| of all samples, relative to the largest energy that is in play."""
    channels = trajectory.channels
    change = channels["energy"] - channels["energy"][0]
    scale = max(np.abs(channels[name]).max() for name in ("kinetic", "work", "loss"))
    return float(np.abs(change - channels["work"] + channels["loss"]).max() / scale)


LONG = {("flying", Rk45), ("ball", Rk45), ("ball with Euler angles", Rk45)}
"""Dop853 tries these mechanisms too, and Rk45 all others."""


@pytest.mark.parametrize(
    ("case", "cls"),
    [
        pytest.param(case, cls, marks=[pytest.mark.slow] if (case, cls) in LONG else [])
        for case in CASES
        for cls in (Dop853, Rk45)
    ],
)
def test_energy_changes_by_work_less_loss(case, cls):
    model, exchanged = CASES[case]
    trajectory = run(model, cls(**TIGHT))
    for name in (WORK, LOSS):
        amount = np.abs(trajectory.channels[name]).max()
        assert amount > 0.02 if name in exchanged else amount == 0.0
        assert trajectory.channels[name][0] == 0.0
    # The tolerance of 1e-10 per step, some hundred steps; the worst case measured is 5e-10.
    assert remainder(trajectory) < 1e-8


def test_power_is_that_of_the_coordinates_the_scene_means():
    """The cases above would be empty without motion that is written in other coordinates than the scene's."""
    model, _ = CASES["ball with Euler angles"]
    trajectory = run(model, Dop853())
    assert (trajectory.channels["chart"][:, 0] != 0.0).any()
    model, _ = CASES["flying"]
    trajectory = run(model, Dop853())
    assert np.linalg.norm(trajectory.q[:, :3], axis=1).max() > np.pi + 0.05  # beyond half a turn from rest


@pytest.mark.parametrize("seed", [0, 2, 3, 5])
def test_random_mechanisms_keep_their_balance(seed):
    """Every joint kind, springs, tables, limits, dampers, animated and locked joints in one tree."""
    model = random_model(np.random.default_rng(seed), 5, prescribed=0.4)
    trajectory = run(model, Dop853(**TIGHT), duration=0.2)
    assert remainder(trajectory) < 1e-8  # as above; kinks of soft limits are met at the tolerance too


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_every_formulation_counts_the_same_work(formulation):
    model = chain(hinge(0, q=0.2), hinge(1, motion_type=ANIMATED, animation=BROKEN, torque=2.0), hinge(2, damping=0.1))
    reference = run(model, Dop853(**TIGHT))
    trajectory = run(model, Dop853(dynamics=formulation, **TIGHT))
    for name in (WORK, LOSS):
        np.testing.assert_allclose(trajectory.channels[name], reference.channels[name], atol=1e-8)


def test_work_of_a_constant_torque_is_torque_times_angle():
    model = chain(hinge(0, q=0.3, torque=0.7), hinge(1, q=-0.2, torque=(-0.4,)))
    trajectory = run(model, Dop853(**TIGHT))
    work = 0.7 * (trajectory.q[:, 0] - 0.3) - 0.4 * (trajectory.q[:, 1] + 0.2)
    np.testing.assert_allclose(trajectory.channels[WORK], work, atol=1e-9)


def test_loss_of_a_damped_wheel_is_its_kinetic_energy():
    """I dv/dt = -d v: the energy I v^2 / 2 decays with exp(-2 d t / I)."""
    d = 0.3
    model = chain(hinge(0, qdot=2.0, damping=d), gravity=NO_GRAVITY)
    I = model.inertia[0, 1] + model.inertia[0, 3] * 0.25**2
    trajectory = run(model, Dop853(**TIGHT))
    loss = 0.5 * I * 4.0 * -np.expm1(-2.0 * d / I * trajectory.t)
    np.testing.assert_allclose(trajectory.channels[LOSS], loss, atol=1e-10)
    np.testing.assert_array_equal(trajectory.channels[WORK], 0.0)


def test_a_motor_that_lifts_a_weight_does_its_work():
    """Steadily, without gravity's help: at the end the work is the height won, and the kinetic energy given back."""
    lift = Table(x=(0.0, 0.4), y=((np.pi / 2.0,), (-0.3,)), interpolation="linear")
    model = chain(hinge(0, motion_type=ANIMATED, animation=lift))
    trajectory = run(model, Dop853(**TIGHT))
    # It starts in motion, and stops dead at 0.4 s: that impulse takes the kinetic energy out.
    kinetic = trajectory.channels["kinetic"][0]
    height = 0.25 * (np.sin(np.pi / 2.0) - np.sin(-0.3))
    assert trajectory.channels[WORK][-1] == pytest.approx(model.mass * 9.81 * height - kinetic, abs=1e-9)
    assert trajectory.channels["kinetic"][-1] == 0.0


def test_locked_joints_do_no_work():
    """Neither they nor their torques and dampers; the impulses they pass on do none either."""
    locked = {"motion_type": LOCKED, "torque": 3.0, "damping": 1.0, "stiffness": 2.0}
    trajectory = run(chain(hinge(0, q=0.3), hinge(1, q=0.3, **locked), hinge(2)), Dop853(**TIGHT))
    for name in (WORK, LOSS):
        np.testing.assert_array_equal(trajectory.channels[name], 0.0)
    assert np.abs(trajectory.channels["motor"]).max() > 1.0


@pytest.mark.parametrize("cls", [Dop853, Rk45])
def test_work_and_loss_have_no_say_in_the_steps(cls):
    """A pendulum beside a shaken body it knows nothing of: however heavy that is, the pendulum's run is the same."""
    t = np.linspace(0.0, 0.5, 4)
    shaken = Table(x=t, y=np.sin(40.0 * t)[:, None], interpolation="cubic")
    runs = []
    for mass in (1e-9, 1e9):
        tensor = np.diag([0.1, 0.2, 0.2]) * mass
        body = Body(name="Shaken", inertia=Inertia(mass=mass, center=(0.3, 0.0, 0.0), tensor=tensor.tolist()))
        shaker = Revolute(
            name="Shaker", parent=None, child="Shaken", axis=(0, 1, 0), motion_type=ANIMATED, animation=shaken
        )
        model = compile_scene(Scene(bodies=[link("Link 0"), body], joints=[hinge(0, q=1.4), shaker]))
        stepper = cls().begin(model, model.initial_state())
        for frame in range(1, 13):
            stepper.advance(frame / 24.0)
        runs.append((stepper.steps, stepper.work, stepper.state))
    assert abs(runs[1][1]) > 1e8
    assert runs[1][0] == runs[0][0]
    np.testing.assert_array_equal(runs[1][2].q, runs[0][2].q)
    np.testing.assert_array_equal(runs[1][2].qdot, runs[0][2].qdot)


# --- other integrators ---------------------------------------------------------------------------


@pytest.mark.parametrize("cls", INTEGRATORS, ids=INTEGRATORS.kinds)
def test_every_integrator_reports_work_and_loss(cls):
    """At many frames per second the trapezoidal rule is close too; the methods of order 1 are off by their steps."""
    slow = Table(x=(0.0, 0.3, 0.6), y=((0.0,), (0.5,), (0.2,)), interpolation="cubic")
    model = chain(hinge(0, q=0.2, damping=0.2), hinge(1, motion_type=ANIMATED, animation=slow))
    exact = run(model, Dop853(**TIGHT), fps=240.0, duration=0.1)
    trajectory = run(model, cls(), fps=240.0, duration=0.1)
    for name in (WORK, LOSS):
        size = np.abs(exact.channels[name]).max()
        assert size > 0.01
        np.testing.assert_allclose(trajectory.channels[name], exact.channels[name], atol=0.03 * size)


def test_other_integrators_sum_powers_by_the_trapezoidal_rule():
    model = chain(hinge(0, q=0.2, damping=0.2, torque=0.5), hinge(1, motion_type=ANIMATED, animation=CUBIC))
    trajectory = run(model, RungeKutta4())
    motor, qdot, t = trajectory.channels["motor"], trajectory.qdot, trajectory.t
    for name, power in ((WORK, motor[:, 1] * qdot[:, 1] + 0.5 * qdot[:, 0]), (LOSS, 0.2 * qdot[:, 0] ** 2)):
        pieces = 0.5 * np.diff(t) * (power[1:] + power[:-1])
        np.testing.assert_allclose(trajectory.channels[name], np.append(0.0, np.cumsum(pieces)), atol=1e-12)
    assert not isinstance(RungeKutta4().begin(model, model.initial_state()), BalancedStepper)


def without_mass(*hinges) -> Model:
    """The last link has no mass: forces do not determine its motion, only springs of an implicit method do."""
    model = chain(*hinges)
    inertia = model.inertia.copy()
    inertia[-1] = 0.0
    return dataclasses.replace(model, inertia=inertia)


def test_unknown_forces_leave_loss_and_torques_known():
    """NaN only where a motor's force is unknown; the work of torques is torque times angle all the same."""
    light = {"stiffness": 5.0, "damping": 0.4, "qdot": 3.0}
    trajectory = run(without_mass(hinge(0, torque=2.0), hinge(1, **light)), LinearlyImplicitEuler(h=1e-3), fps=200.0)
    assert np.isnan(trajectory.channels["qddot"]).all()
    assert trajectory.channels[LOSS][-1] > 0.005
    angle = trajectory.q[:, 0] - trajectory.q[0, 0]
    np.testing.assert_allclose(trajectory.channels[WORK], 2.0 * angle, atol=0.02 * np.abs(angle).max())


def test_work_of_a_motor_with_unknown_force_is_nan_from_its_first_frame_on():
    model = without_mass(hinge(0, motion_type=ANIMATED, animation=CUBIC), hinge(1, stiffness=5.0, damping=0.4))
    trajectory = run(model, LinearlyImplicitEuler(h=1e-3))
    assert trajectory.channels[WORK][0] == 0.0
    assert np.isnan(trajectory.channels[WORK][1:]).all()
    assert np.isfinite(trajectory.channels[LOSS]).all()
