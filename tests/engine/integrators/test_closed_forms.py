# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions with a known answer: pendulum period, torque-free tops, animated joints, tumbling without singularities."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk

from engine.integrators.pendulums import chain, free_body, hinge
from redmax.dynamics import energy
from redmax.dynamics.animation import prescribed_motion
from redmax.dynamics.kinematics import kinematics
from redmax.integrators import (
    INTEGRATORS,
    Bdf2,
    Dop853,
    LinearlyImplicitEuler,
    Radau,
    Rk45,
    RungeKutta4,
    SemiImplicitEuler,
)
from redmax.joints.base import ANIMATED, LOCKED
from redmax.model import Model
from redmax.reference.projected import mass_matrix
from redmax.simulate import record, simulate
from redmax.spatial import so3
from redmax.state import State
from redmax.tables import Table, spline_slopes

FREE_KINDS = ("free", "free_translation_rotation", "free_translation_euler")


def test_pendulum_period_is_the_elliptic_integral():
    """From rest at amplitude a the pendulum is back after 4 K(sin^2(a/2)) sqrt(I / (m g l))."""
    amplitude = 2.0
    model = chain(hinge(0, q=np.pi / 2.0 - amplitude))  # hangs at q = pi/2
    mass, l = model.inertia[0, 3], 0.25
    I = model.inertia[0, 1] + mass * l**2
    period = 4.0 * ellipk(np.sin(amplitude / 2.0) ** 2) * np.sqrt(I / (mass * 9.81 * l))
    state = Dop853(rtol=1e-11, atol=1e-11).begin(model, model.initial_state()).advance(period)
    # The tolerance, some 100 steps.
    np.testing.assert_allclose(state.q, model.q0, atol=1e-8)
    np.testing.assert_allclose(state.qdot, 0.0, atol=1e-8)


@pytest.mark.parametrize("kind", FREE_KINDS)
def test_torque_free_symmetric_top_precesses(kind):
    """R(t) = exp(t h / I1) R(0) exp(t (1 - I3 / I1) w3 e3), with the constant angular momentum h."""
    I1, I3 = 0.05, 0.09
    omega = np.array([0.7, -1.1, 3.0])
    model = free_body(kind, tuple(omega), inertia=(I1, I1, I3))
    t = 4.0  # several turns, hence several recentrings
    stepper = Dop853(rtol=1e-11, atol=1e-11).begin(model, model.initial_state())
    stepper.advance(t)
    momentum = np.array([I1, I1, I3]) * omega
    spin = (1.0 - I3 / I1) * omega[2]
    R = so3.exp(t * momentum / I1) @ so3.exp(np.array([0.0, 0.0, t * spin]))
    # The tolerance, some 300 steps.
    np.testing.assert_allclose(stepper.body_motion()[0][0, :3, :3], R, atol=1e-8)


# --- animated and locked joints ------------------------------------------------------------------

SWING = Table(x=(0.0, 0.3, 0.7, 1.0), y=((0.2,), (0.9,), (-0.4,), (0.5,)), interpolation="cubic")


def driven() -> Model:
    """Four links: the second is animated, the third locked, the others are free."""
    return chain(
        hinge(0, q=0.3),
        hinge(1, motion_type=ANIMATED, animation=SWING),
        hinge(2, q=0.6, motion_type=LOCKED, stiffness=2.0),
        hinge(3, q=-0.2, damping=0.01),
    )


@pytest.mark.parametrize("cls", INTEGRATORS, ids=INTEGRATORS.kinds)
def test_prescribed_coordinates_are_exactly_where_their_animation_says(cls):
    model = driven()
    stepper = cls().begin(model, model.initial_state())
    for t in (0.01, 0.04):
        state = stepper.advance(t)
        q, qdot, _ = prescribed_motion(model, t)
        given = model.prescribed
        # maximal_euler reads coordinates off poses, which costs a few roundings.
        np.testing.assert_allclose(state.q[given], q[given], rtol=0.0, atol=1e-12)
        np.testing.assert_allclose(state.qdot[given], qdot[given], rtol=0.0, atol=1e-10)


@pytest.mark.parametrize(
    ("integrator", "tolerance"),
    [
        (Radau(rtol=1e-9, atol=1e-9), 1e-6),
        (Rk45(rtol=1e-9, atol=1e-9), 1e-6),
        (RungeKutta4(h=2.5e-3), 1e-6),
        (Bdf2(h=2.5e-3), 2e-3),
        (LinearlyImplicitEuler(h=1e-3), 5e-2),
        (SemiImplicitEuler(h=1e-3), 5e-2),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_free_joints_feel_animated_ones_alike_under_every_method(integrator, tolerance):
    """Within each method's own error of the tight solution."""
    model = driven()
    exact = Dop853(rtol=1e-11, atol=1e-11).begin(model, model.initial_state()).advance(0.2)
    state = integrator.begin(model, model.initial_state()).advance(0.2)
    np.testing.assert_allclose(state.q, exact.q, atol=tolerance)
    np.testing.assert_allclose(state.qdot, exact.qdot, atol=10.0 * tolerance)


def test_work_of_animated_joints_is_the_change_of_energy():
    """E(t) - E(0) = integral of motor . qdot - damping, here with Simpson's rule over frames."""
    model = chain(hinge(0, q=0.3), hinge(1, motion_type=ANIMATED, animation=SWING), hinge(2, q=0.6))
    integrator, fps = Dop853(rtol=1e-9, atol=1e-9), 400.0
    trajectory = record(
        model, simulate(model, integrator=integrator, fps=fps, duration=0.2), integrator=integrator, fps=fps
    )
    power = (trajectory.channels["motor"] * trajectory.qdot).sum(axis=1)
    weights = np.ones(len(power))
    weights[1:-1:2], weights[2:-1:2] = 4.0, 2.0
    work = float(weights @ power) / (3.0 * fps)
    change = trajectory.channels["energy"][-1] - trajectory.channels["energy"][0]
    assert abs(change) > 0.05  # the test would be empty without work
    # Simpson's rule: h^4 times the fourth derivative of the power, about 1e-10 * 1e4.
    assert work == pytest.approx(change, abs=1e-6)


CORNERS = {
    "linear": Table(x=(0.0, 0.1, 1.0), y=((0.0,), (0.1,), (2.8,)), interpolation="linear"),
    "hermite": Table(
        x=(0.0, 0.1, 1.0),
        y=((0.0,), (0.1,), (0.4,)),
        interpolation="hermite",
        slopes=((0.0,), (-0.5,), (1.5,), (0.0,)),
    ),
    "end of hermite": Table(x=(0.0, 0.1), y=((0.0,), (0.1,)), interpolation="hermite", slopes=((0.3,), (-2.0,))),
    "start of hermite": Table(x=(0.1, 1.0), y=((0.3,), (0.1,)), interpolation="hermite", slopes=((2.0,), (0.0,))),
}
"""Tables whose slope grows by 2 at 0.1 s."""


@pytest.mark.parametrize("integrator", [RungeKutta4(h=1e-3), Dop853(), Rk45(), Radau()], ids=lambda value: value.kind)
@pytest.mark.parametrize("sharp", CORNERS.values(), ids=CORNERS)
def test_a_corner_in_an_animation_passes_its_impulse_on(integrator, sharp):
    """The velocity jumps, and so do free velocities, as in the limit of a sharp smooth corner."""
    corner = 0.1
    model = chain(hinge(0, motion_type=ANIMATED, animation=sharp), hinge(1, q=0.7), gravity=(0.0, 0.0, 0.0))
    stepper = integrator.begin(model, model.initial_state())
    before = stepper.advance(corner - 1e-9)
    after = stepper.advance(corner + 1e-9)
    kin = kinematics(model, after.q, after.qdot)
    impulse = mass_matrix(model, kin) @ (after.qdot - before.qdot)
    assert after.qdot[0] - before.qdot[0] == pytest.approx(2.0)
    # No impulse acts on the free coordinate; forces need time, here 2e-9 s.
    assert impulse[1] == pytest.approx(0.0, abs=1e-7)
    assert abs(after.qdot[1] - before.qdot[1]) > 0.5


def swung(table: Table) -> Model:
    return chain(hinge(0, motion_type=ANIMATED, animation=table), hinge(1, q=0.4))


@pytest.mark.parametrize("cls", [Rk45, Dop853, Radau, RungeKutta4])
def test_smooth_points_of_a_hermite_animation_pass_no_impulse(cls):
    """The same motion as a cubic table; round-off of slopes is no jump of velocity."""
    x = np.array(SWING.x)
    slopes = np.repeat(spline_slopes(x, np.array(SWING.y)), 2, axis=0)[1:-1]
    hermite = Table(x=x, y=SWING.y, interpolation="hermite", slopes=slopes)
    ends = []
    for table in (SWING, hermite):
        model = swung(table)
        stepper = cls().begin(model, model.initial_state())
        before = stepper.advance(x[1] - 1e-9)
        after = stepper.advance(x[1] + 1e-9)
        np.testing.assert_allclose(after.qdot, before.qdot, atol=1e-6)  # 2e-9 s at some 100 rad/s^2
        ends.append(stepper.advance(0.9))
    np.testing.assert_allclose(ends[1].q, ends[0].q, atol=1e-9)


@pytest.mark.parametrize("cls", [Rk45, Dop853])
@pytest.mark.parametrize("off", [0.0, 1.0, -1.0], ids=["on frames", "a rounding after", "a rounding before"])
def test_a_point_on_every_frame_costs_next_to_nothing(cls, off):
    """Frames end steps anyway; also where key times and frame times differ in their last digit."""
    counts = []
    t = np.arange(25) / 24.0
    dense = np.nextafter(t, off * np.inf) if off else t
    for x in (t[:1], dense):
        slopes = np.full((2 * (len(x) - 1), 1), 0.7) if len(x) > 1 else None
        table = Table(x=x, y=0.7 * x[:, None], interpolation="hermite", slopes=slopes)
        model = swung(table)
        stepper = cls(dynamics="recursive").begin(model, model.initial_state())
        slope, calls = stepper._solver.slope, []
        stepper._solver.slope = lambda t, y, slope=slope, calls=calls: calls.append(t) or slope(t, y)
        for frame in range(1, 25):
            stepper.advance(frame / 24.0)
        counts.append(len(calls))
    assert counts[1] < 1.15 * counts[0]


def test_torque_switches_are_met_exactly_by_rk4():
    """A torque that switches within a step costs RK4 nothing: steps are split there."""
    table = Table(x=(0.0, 0.0333, 0.0777), y=((1.0,), (-2.0,), (0.5,)), interpolation="step")
    model = chain(hinge(0, torque_table=table), gravity=(0.0, 0.0, 0.0))
    I = model.inertia[0, 1] + model.inertia[0, 3] * 0.25**2
    state = RungeKutta4(h=0.05).begin(model, model.initial_state()).advance(0.1)
    impulse = 1.0 * 0.0333 - 2.0 * 0.0444 + 0.5 * 0.0223
    assert state.qdot[0] == pytest.approx(impulse / I, rel=1e-13)


# --- singularities --------------------------------------------------------------------------------


def conserved(model: Model, state: State) -> np.ndarray:
    """Kinetic energy and angular momentum."""
    kin = kinematics(model, state.q, state.qdot, state.chart)
    return np.append(energy.kinetic_energy(model, kin), energy.angular_momentum(model, kin, np.zeros(3)))


@pytest.mark.parametrize("cls", INTEGRATORS, ids=INTEGRATORS.kinds)
@pytest.mark.parametrize("kind", FREE_KINDS)
def test_fast_tumbling_meets_no_singularity(kind, cls):
    """80 rad/s about the unstable axis, a quarter turn and more per nominal step: coordinates stay regular."""
    model = free_body(kind, (1.0, 80.0, 2.0))
    choices = {"h": 0.02, "rtol": 1e-6, "atol": 1e-6}
    settings = {name: value for name, value in choices.items() if name in vars(cls())}
    stepper = cls(**settings).begin(model, model.initial_state())
    for frame in range(1, 11):
        state = stepper.advance(0.02 * frame)
        motion = model.joints[0].motion(state.q, state.qdot, int(state.chart[0]))
        rotation = motion.S[:3][:, np.array(model.joints[0].dof_units) == "rad"]
        # 0.3 is the smallest singular value at |q| = 1.5 pi, sqrt(1 - sqrt(3) / 2) = 0.37 at det 0.5 of Euler angles.
        assert np.linalg.svd(rotation, compute_uv=False).min() > 0.29
        E = stepper.body_motion()[0][0]
        assert so3.is_rotation(E[:3, :3])
        assert np.isfinite(state.qdot).all()


@pytest.mark.parametrize("kind", FREE_KINDS)
def test_tumbling_body_keeps_energy_and_momentum(kind):
    model = free_body(kind, (0.3, 9.0, 0.4))
    start = conserved(model, model.initial_state())
    stepper = RungeKutta4(h=2e-3).begin(model, model.initial_state())
    stepper.advance(0.6)  # 5.4 rad, enough to be recentred
    # RK4: 300 steps with an error of (9 rad/s * 2 ms)^5 = 2e-9 each, relative.
    np.testing.assert_allclose(conserved(model, stepper.state), start, atol=1e-6 * np.abs(start).max())


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", FREE_KINDS[1:])  # "free" has the same rotation vector as the second
def test_body_tumbling_for_1e5_steps_keeps_rotation_energy_and_momentum(kind):
    model = free_body(kind, (0.3, 9.0, 0.4))
    start = conserved(model, model.initial_state())
    stepper = RungeKutta4(h=1e-3).begin(model, model.initial_state())
    for frame in range(1, 101):
        stepper.advance(float(frame))
        assert so3.is_rotation(stepper.body_motion()[0][0, :3, :3])
        # RK4 drifts by 5e-10 in 1e4 steps (measured), hence 5e-9 here if it goes on like that.
        np.testing.assert_allclose(conserved(model, stepper.state), start, atol=1e-7 * np.abs(start).max())
    assert stepper.steps >= 100_000
