# SPDX-License-Identifier: GPL-3.0-or-later
"""Charts of written joints: motions go through poles and gimbal locks as if there were none."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from redmax.compile import compile as compile_scene
from redmax.integrators import Bdf2, Dop853
from redmax.joints import Custom, PointContact, Spherical, SurfaceContact
from redmax.joints.custom import OtherChart
from redmax.kernels import route
from redmax.scene import Body, Inertia, Scene
from redmax.simulate import record, simulate
from redmax.symbolic.contacts import EULER_CHARTS

ROUTES = [route.NUMPY, *([route.NUMBA] if route.name() == route.NUMBA else [])]
LENGTH, START = 0.5, 0.9
BALL = Body(name="body", inertia=Inertia(mass=2.0, tensor=np.diag((0.02, 0.02, 0.02)).tolist()))
PLATE = Body(name="body", inertia=Inertia(mass=2.0, tensor=np.diag((0.02, 0.03, 0.045)).tolist()))


def run(scene, duration, integrator=None):
    integrator = integrator or Dop853(rtol=1e-10, atol=1e-10)
    samples = list(simulate(compile_scene(scene), integrator=integrator, fps=24.0, duration=duration))
    model = compile_scene(scene)
    result = record(model, iter(samples), integrator=integrator, fps=24.0)
    assert result.status == "complete", result.message
    return result


def test_a_pendulum_on_a_sphere_swings_through_the_pole_below():
    """It starts in the plane x-z and turns about y; the pole of the first chart is where it hangs."""
    joint = PointContact(
        name="joint", parent=None, child="body", first="sphere", first_size=(LENGTH, 1.0, 1.0),
        q=(0.0, START - 0.5 * np.pi, 0.0, 0.0, 0.0), qdot=(0.0, 0.0, 0.0, 3.0, 0.0),
    )  # fmt: skip
    result = run(Scene(bodies=[BALL], joints=[joint]), 2.0)
    exact = solve_ivp(
        lambda t, y: (y[1], -9.81 / LENGTH * np.sin(y[0])), (0.0, 2.0), (START, 0.0), t_eval=result.t,
        method="DOP853", rtol=1e-12, atol=1e-12,
    ).y[0]  # fmt: skip
    expected = LENGTH * np.stack([np.sin(exact), 0.0 * exact, -np.cos(exact)], axis=1)
    np.testing.assert_allclose(result.position[:, 0], expected, atol=1e-8)
    half = 1.5 * result.t  # it turns about y at 3 rad/s
    turned = np.stack([np.cos(half), 0.0 * half, np.sin(half), 0.0 * half], axis=1)
    assert np.abs(np.abs(np.einsum("tk,tk->t", turned, result.rotation[:, 0])) - 1.0).max() < 1e-9
    assert (np.diff(np.sign(exact)) != 0).sum() >= 2


def ball(**fields):
    """A ball joint in two orders of Euler angles."""
    return Custom(
        name="joint", parent=None, child="body", coordinates="a: rad; b: rad; c: rad",
        transform="euler_xyz(a, b, c)", from_pose=EULER_CHARTS[0][1],
        charts=(OtherChart(transform="euler_zxz(a, b, c)", from_pose=EULER_CHARTS[1][1]),), **fields,
    )  # fmt: skip


@pytest.mark.parametrize("name", ROUTES)
def test_a_custom_ball_joint_is_a_ball_joint(name):
    """It tumbles about its middle axis, through many gimbal locks."""
    w = (0.1, 6.0, 0.1)
    duration = 3.0 if name == route.NUMBA else 0.5
    with route.held(name):
        ours = run(Scene(gravity=(0, 0, 0), bodies=[PLATE], joints=[ball(qdot=w)]), duration)
    theirs = run(
        Scene(gravity=(0, 0, 0), bodies=[PLATE], joints=[Spherical(name="joint", parent=None, child="body", qdot=w)]),
        duration,
    )
    off = [
        np.abs(np.abs(a @ b) - 1.0) for a, b in zip(ours.rotation[:, 0], theirs.rotation[:, 0], strict=True)
    ]  # unit quaternions, of either sign
    assert max(off) < 1e-7


def test_torques_and_springs_act_on_the_first_chart_throughout():
    """A stiff spring holds angles of the first chart, while the body is pushed to its gimbal lock and beyond."""
    held = ball(q=(0.0, 1.2, 0.0), rest=(0.0, 1.2, 0.0), stiffness=(0.5, 0.5, 0.5), qdot=(0.3, 1.5, 0.0))
    result = run(Scene(gravity=(0, 0, 0), bodies=[PLATE], joints=[held]), 1.0)
    energy = result.channels["energy"]
    assert np.abs(energy - energy[0]).max() < 1e-7 * np.abs(energy[0])


@pytest.mark.parametrize("fields", [{}, {"first": "ellipsoid", "first_size": (0.5, 0.45, 0.4)}])
def test_a_ball_rolls_over_both_poles_without_loss(fields):
    balls = {"first": "sphere", "first_size": (0.5, 1.0, 1.0), "second": "sphere", "second_size": (0.2, 1.0, 1.0)}
    joint = SurfaceContact(
        name="joint", parent=None, child="body", **(balls | fields), spin=True,
        q=(0.3, 0.2, 0.1, 0.4, 0.2), qdot=(0.1, 3.0, 0.2, 2.0, 0.5),
    )  # fmt: skip
    result = run(Scene(bodies=[PLATE], joints=[joint]), 2.0)
    energy = result.channels["energy"]
    assert np.abs(energy - energy[0]).max() < 1e-7 * result.channels["kinetic"].max()
    distance = np.linalg.norm(result.position[:, 0], axis=1)
    if not fields:
        np.testing.assert_allclose(distance, 0.7, atol=1e-13)
    steps = np.abs(np.diff(result.position[:, 0], axis=0)).max()
    speed = np.sqrt(2.0 * result.channels["kinetic"].max() / 2.0)
    assert steps < 1.1 * speed / 24.0  # no jump


@pytest.mark.slow
def test_multistep_integrators_carry_their_memory_into_the_new_chart():
    w = (0.1, 6.0, 0.1)
    scene = Scene(gravity=(0, 0, 0), bodies=[PLATE], joints=[ball(qdot=w)])
    fine, coarse = (run(scene, 0.5, Bdf2(h=h)) for h in (1e-4, 4e-4))
    exact = run(scene, 0.5)
    errors = [np.abs(so3_distance(each, exact)).max() for each in (fine, coarse)]
    assert errors[1] < 0.05
    assert 8.0 < errors[1] / errors[0] < 32.0  # second order: 16


def so3_distance(a, b):
    cosine = np.abs(np.einsum("tk,tk->t", a.rotation[:, 0], b.rotation[:, 0])).clip(0.0, 1.0)
    return 2.0 * np.arccos(cosine)


def test_a_formula_that_leads_to_another_pose_is_not_followed():
    wrong = dataclasses.replace(ball(), charts=(OtherChart(transform="euler_zxz(a, b, c)", from_pose="0.1; 0.2; 0.3"),))
    q, qdot = np.array([0.3, 0.5 * np.pi - 0.1, 0.2]), np.ones(3)
    q1, qdot1, chart = wrong.recentre(q, qdot, 0)
    np.testing.assert_allclose(wrong.motion(q1, qdot1, chart).Q, wrong.motion(q, qdot, 0).Q, atol=1e-12)
    far = dataclasses.replace(wrong, charts=(OtherChart(transform="Tx(a) * Ty(b) * Tz(c)", from_pose="x; y; z"),))
    q1, _, chart = far.recentre(q, qdot, 0)
    assert chart == 0
    assert q1 is q
