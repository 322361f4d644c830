# SPDX-License-Identifier: GPL-3.0-or-later
"""The maximal-coordinate simulation against reduced ones, and its joints staying closed."""

from __future__ import annotations

import numpy as np
import pytest

from engine.mechanisms import four_bar
from engine.random_trees import random_model
from redmax.compile import compile as compile_scene
from redmax.constraints import JointLimit
from redmax.dynamics.animation import prescribed_motion
from redmax.dynamics.energy import kinetic_energy
from redmax.dynamics.kinematics import kinematics
from redmax.dynamics.loads import potential_energy
from redmax.fields import Pose
from redmax.integrators import INTEGRATORS, Dop853, IntegrationError, LinearlyImplicitEuler, MaximalEuler, RungeKutta4
from redmax.integrators.maximal_euler import end_twists
from redmax.joints.free import Free
from redmax.joints.revolute import Revolute
from redmax.reference.joint_rows import coordinate_rates
from redmax.scene import Body, Inertia, Scene
from redmax.simulate import simulate
from redmax.spatial import so3

DURATION = 0.2


def end(model, integrator, duration=DURATION):
    return integrator.begin(model, model.initial_state()).advance(duration)


def poses(model, state):
    return kinematics(model, state.q, state.qdot, state.chart).E_wi


def test_it_is_selectable_like_any_other():
    assert INTEGRATORS["maximal_euler"] is MaximalEuler


@pytest.mark.parametrize("seed", [1, 2])
def test_it_converges_to_the_reduced_simulation_at_first_order(seed):
    model = random_model(np.random.default_rng(seed), 3, tables=False, prescribed=0.2)
    exact = poses(model, end(model, RungeKutta4(h=0.01)))
    errors = [np.abs(poses(model, end(model, MaximalEuler(h=h))) - exact).max() for h in (0.02, 0.01, 0.005)]
    # Halving the step halves the error, up to terms of second order; soft limits that switch cost a little more.
    assert 1.6 < errors[0] / errors[1] < 2.5
    assert 1.7 < errors[1] / errors[2] < 2.35


@pytest.mark.parametrize("seed", [4, 5])
def test_joints_stay_closed_and_the_state_describes_the_bodies(seed):
    model = random_model(np.random.default_rng(seed), 6)
    stepper = MaximalEuler(h=0.01).begin(model, model.initial_state())
    for k in range(1, 6):
        state = stepper.advance(0.03 * k)
        assert np.abs(stepper.gap).max() <= 1e-12  # what stabilisation promises
        kin = kinematics(model, state.q, state.qdot, state.chart)
        # Gaps of 1e-13 add up along six bodies; twists are multiplied by lever arms.
        np.testing.assert_allclose(kin.E_wi, stepper.body_motion()[0], atol=1e-11)
        np.testing.assert_allclose(kin.phi, stepper.body_motion()[1], atol=1e-10)
        assert so3.is_rotation(stepper.E_wi[:, :3, :3], 1e-14).all()


def test_without_stabilisation_joints_drift_and_baumgarte_holds_them():
    model = compile_scene(double_pendulum())
    gaps = {}
    for method in ("none", "baumgarte", "post"):
        stepper = MaximalEuler(h=0.01, stabilisation=method, rate=40.0).begin(model, model.initial_state())
        stepper.advance(0.5)
        gaps[method] = np.abs(stepper.gap).max()
    # After half a swing drift is ten times what Baumgarte leaves at this rate; "post" closes to round-off.
    assert gaps["none"] > 5.0 * gaps["baumgarte"]
    assert gaps["baumgarte"] > 1e-5
    assert gaps["post"] < 1e-12


def test_springs_and_dampers_are_implicit():
    """A spring a thousand times too stiff for an explicit step of h: as in reduced coordinates, it only decays."""
    scene = double_pendulum()
    stiff = {"stiffness": 1e6, "damping": 1e2}
    scene.joints = [
        Revolute(name=j.name, parent=j.parent, child=j.child, axis=j.axis, frame_in_child=j.frame_in_child, **stiff)
        for j in scene.joints
    ]
    model = compile_scene(scene)
    found, reduced = end(model, MaximalEuler(h=0.02), 1.0), end(model, LinearlyImplicitEuler(h=0.02), 1.0)
    # Both rest where weight bends the springs, some 1e-5 rad; they differ by terms of second order in that.
    np.testing.assert_allclose(found.q, reduced.q, atol=1e-8)
    np.testing.assert_allclose(found.qdot, 0.0, atol=1e-6)


def test_a_single_hinge_rotates_exactly_about_its_pin():
    """exp(h phi) with G phi = 0 is a rotation about the hinge: no gap even without stabilisation."""
    scene = double_pendulum()
    scene.bodies, scene.joints = scene.bodies[:1], scene.joints[:1]
    model = compile_scene(scene)
    stepper = MaximalEuler(h=0.01, stabilisation="none").begin(model, model.initial_state())
    stepper.advance(1.0)
    # Rounding of 100 steps.
    assert np.abs(stepper.gap).max() < 1e-13


def test_animated_joints_follow_their_animation():
    model = random_model(np.random.default_rng(10), 5, prescribed=0.6)
    assert model.prescribed.any()
    assert not model.prescribed.all()
    state = end(model, MaximalEuler(h=0.01))
    q, qdot, _ = prescribed_motion(model, DURATION)
    np.testing.assert_array_equal(state.q[model.prescribed], q[model.prescribed])
    np.testing.assert_array_equal(state.qdot[model.prescribed], qdot[model.prescribed])


def test_a_spinning_free_body_passes_every_singularity():
    """Five turns about a slowly precessing axis: rotation vectors and their recovery never fail."""
    tensor = ((0.1, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.0, 0.25))
    scene = Scene(
        gravity=(0.0, 0.0, 0.0),
        bodies=[Body(name="top", inertia=Inertia(mass=1.0, tensor=tensor))],
        joints=[Free(name="base", parent=None, child="top", qdot=(0.3, 0.2, 20.0, 1.0, 0.0, 0.0))],
    )
    model = compile_scene(scene)
    stepper = MaximalEuler(h=0.01).begin(model, model.initial_state())
    state = stepper.advance(0.5 * np.pi)
    kin = kinematics(model, state.q, state.qdot, state.chart)
    np.testing.assert_allclose(kin.E_wi, stepper.E_wi, atol=1e-12)  # recovered to round-off
    momentum = model.inertia[0] * kin.phi[0]
    # Momentum is carried along without loss, in body axes; round-off of 160 steps.
    np.testing.assert_allclose(np.linalg.norm(momentum[3:]), 1.0, rtol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(momentum[:3]), np.linalg.norm([0.03, 0.04, 5.0]), rtol=1e-12)


def test_energy_drifts_by_less_as_the_step_shrinks():
    model = compile_scene(double_pendulum())
    start = model.initial_state()
    kin = kinematics(model, start.q, start.qdot)
    E0 = kinetic_energy(model, kin) + potential_energy(model, kin)
    drifts = []
    for h in (0.01, 0.005, 0.0025):
        state = end(model, MaximalEuler(h=h), 0.25)
        kin = kinematics(model, state.q, state.qdot)
        drifts.append(abs(kinetic_energy(model, kin) + potential_energy(model, kin) - E0))
    # First order: each halving halves it, with room for the second.
    assert drifts[0] > 1.5 * drifts[1] > 2.25 * drifts[2]


def test_a_step_that_cannot_be_taken_is_an_integration_error(monkeypatch):
    model = compile_scene(double_pendulum())
    monkeypatch.setattr("redmax.reference.maximal.MAX_ITERATIONS", 1)
    monkeypatch.setattr("redmax.reference.maximal.CLOSED", 0.0)
    with pytest.raises(IntegrationError, match="stays open"):
        end(model, MaximalEuler(h=0.1))


def double_pendulum() -> Scene:
    """Two links of half a metre whose hinge axes are at an angle, swinging from the horizontal."""
    tensor = ((0.02, 0.0, 0.0), (0.0, 0.03, 0.0), (0.0, 0.0, 0.015))
    inertia = Inertia(mass=1.0, center=(0.5, 0.0, 0.0), tensor=tensor)
    at = {"position": (0.0, 0.0, 0.0), "rotation": (1.0, 0.0, 0.0, 0.0)}
    far = {"position": (1.0, 0.0, 0.0), "rotation": (1.0, 0.0, 0.0, 0.0)}
    return Scene(
        bodies=[Body(name="upper", inertia=inertia), Body(name="lower", inertia=inertia)],
        joints=[
            Revolute(name="shoulder", parent=None, child="upper", axis=(0.0, 1.0, 0.0), frame_in_child=Pose(**at)),
            Revolute(
                name="elbow", parent="upper", child="lower", axis=(0.0, 1.0, 1.0), frame_in_parent=Pose(**far), qdot=1.0
            ),
        ],
    )


# --- limits ------------------------------------------------------------------------------------------------------


def limited(restitution: float) -> Scene:
    """A double pendulum that falls onto the stops of both hinges, one after the other."""
    scene = double_pendulum()
    first, second = (joint.name for joint in scene.joints)
    scene.constraints = [
        JointLimit(name="first stop", joint=first, lower=-0.4, upper=0.5, restitution=restitution),
        JointLimit(name="second stop", joint=second, lower=-0.6, upper=0.3, restitution=restitution),
    ]
    return scene


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_it_converges_to_the_reduced_simulation_with_limits(restitution):
    model = compile_scene(limited(restitution))
    duration = 0.5
    exact = end(model, Dop853(rtol=1e-10, atol=1e-10), duration)
    free = end(compile_scene(double_pendulum()), Dop853(), duration)
    assert np.abs(free.q - exact.q).max() > 0.1  # stops count
    errors = []
    for h in (4e-3, 2e-3):
        state = end(model, MaximalEuler(h=h), duration)
        errors.append(np.abs(state.q - exact.q).max())
    assert errors[0] < 0.05
    assert errors[1] < max(0.6 * errors[0], 1e-9)  # without bounces both end on their stops, where nothing is off


def test_bodies_stand_where_coordinates_say_after_impacts():
    model = compile_scene(limited(0.5))
    stepper = MaximalEuler(h=5e-3).begin(model, model.initial_state())
    for k in range(1, 31):
        state = stepper.advance(0.05 * k)
        kin = kinematics(model, state.q, state.qdot, state.chart)
        np.testing.assert_allclose(kin.E_wi, stepper.body_motion()[0], atol=1e-11)
        np.testing.assert_allclose(kin.phi, stepper.body_motion()[1], atol=1e-9)
        assert -0.4 - 1e-8 <= state.q[0] <= 0.5 + 1e-8
        assert -0.6 - 1e-8 <= state.q[1] <= 0.3 + 1e-8


@pytest.mark.parametrize(("speed", "pushes"), [(0.0, True), (-2.0, False)])
def test_a_stop_pushes_within_the_step_and_never_pulls(speed, pushes):
    model = compile_scene(limited(0.0))
    chart = model.initial_state().chart
    kin = kinematics(model, np.array([0.5, 0.0]), np.array([speed, 0.0]), chart)
    upper = np.array([False, True, False, False])  # of both stops, lower and upper
    options = {"gap": np.zeros((2, 6)), "rate": 0.0, "reached": np.zeros(0)}
    held, free = (end_twists(model, kin, 0.01, 0.01, **options, pushing=rows)[0] for rows in (upper, None))
    before, after = (float((coordinate_rates(model, kin) @ phi.ravel())[0]) for phi in (free, held))
    if pushes:
        assert before > 0.05  # its weight moves it on
        assert after == pytest.approx(0.0, abs=1e-12)
    else:
        np.testing.assert_allclose(held, free, atol=1e-12)


def test_a_loop_rests_on_a_stop_as_in_reduced_coordinates():
    """Rows of a loop, which depend on each other, beside one that only pushes."""
    scene = four_bar()
    scene.constraints.append(JointLimit(name="stop", joint=scene.joints[0].name, lower=-0.2, upper=0.2))
    model = compile_scene(scene)
    ends = []
    for integrator in (MaximalEuler(h=2e-3), Dop853()):
        *_, last = simulate(model, integrator=integrator, duration=1.0)
        assert last.status == "complete"
        ends.append(last)
    np.testing.assert_allclose(ends[0].state.q, ends[1].state.q, atol=2e-3)
    assert abs(abs(ends[1].state.q[0]) - 0.2) < 1e-6  # it lies on the stop
    np.testing.assert_allclose(ends[0].channels["constraint"], ends[1].channels["constraint"], rtol=0.02, atol=1e-3)
