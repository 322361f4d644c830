# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces that roll without slipping: closed forms, and slip measured on the bodies themselves."""

from __future__ import annotations

import numpy as np
import pytest

from redmax.compile import compile as compile_scene
from redmax.constraints import Rolling
from redmax.errors import SceneError
from redmax.integrators import Dop853
from redmax.joints import Revolute, SurfaceContact
from redmax.scene import Body, Inertia, Scene
from redmax.simulate import record, simulate

RADIUS, MASS = 0.2, 3.0
SLOPE = 0.3


def ball(tensor=None):
    inertia = 0.4 * MASS * RADIUS**2
    return Body(name="ball", inertia=Inertia(mass=MASS, tensor=tensor or np.diag([inertia] * 3).tolist()))


def scene(joint, **rolling):
    gravity = (9.81 * np.sin(SLOPE), 0.0, -9.81 * np.cos(SLOPE))
    constraints = [Rolling(name="rolling", joint="contact", **rolling)]
    return Scene(gravity=gravity, bodies=[ball()], joints=[joint], constraints=constraints)


def contact(**fields):
    known = {"first": "plane", "second": "sphere", "second_size": (RADIUS, 1.0, 1.0), "spin": True}
    return SurfaceContact(name="contact", parent=None, child="ball", **(known | fields))


def run(scene, duration=1.0):
    model = compile_scene(scene)
    integrator = Dop853(rtol=1e-9, atol=1e-9)
    result = record(
        model, simulate(model, integrator=integrator, fps=24.0, duration=duration), integrator=integrator, fps=24.0
    )
    assert result.status == "complete", result.message
    return result


def test_a_ball_rolls_down_a_slope_with_five_sevenths_of_the_acceleration():
    result = run(scene(contact(q=(0.0, 0.0, 0.3, 0.2, 0.1))))
    x = 0.5 * (5.0 / 7.0) * 9.81 * np.sin(SLOPE) * result.t**2
    np.testing.assert_allclose(result.position[:, 0, 0] - result.position[0, 0, 0], x, atol=1e-7)
    np.testing.assert_allclose(result.position[:, 0, 2], RADIUS, atol=1e-12)
    energy = result.channels["energy"]
    assert np.abs(energy - energy[0]).max() < 1e-7 * result.channels["kinetic"].max()
    assert x[-1] > np.pi / 2.0 * RADIUS  # so far that a pole of the ball has touched, and the chart has changed


def test_what_slips_has_all_of_it():
    free = scene(contact(q=(0.0, 0.0, 0.3, 0.2, 0.1)))
    free.constraints = []
    result = run(free)
    x = 0.5 * 9.81 * np.sin(SLOPE) * result.t**2
    np.testing.assert_allclose(result.position[:, 0, 0] - result.position[0, 0, 0], x, atol=1e-7)


@pytest.mark.parametrize("chart", range(4))
@pytest.mark.parametrize(
    "fields",
    [
        {"first": "ellipsoid", "first_size": (0.5, 0.4, 0.3), "second": "sphere"},
        {
            "first": "sphere",
            "first_size": (0.9, 1.0, 1.0),
            "inside": True,
            "second": "ellipsoid",
            "second_size": (0.3, 0.2, 0.25),
        },
    ],
)
def test_slip_is_the_velocity_of_the_touching_points(fields, chart):
    """Of the points of both bodies that are in contact, and of their rotations, by differences of poses."""
    joint = contact(**fields)
    rng = np.random.default_rng(chart)
    q, qdot = rng.uniform(-0.7, 0.7, 5), rng.uniform(-1.0, 1.0, 5)
    C, drift = joint.slip(q, qdot, chart)
    h = 1e-5
    Q, S, _ = joint.motion(q, qdot, chart)
    # the contact point in the child: where the child's frame moves without normal velocity; found from C = 0 rows
    ends = [joint.slip(q + s * h * qdot, qdot, chart)[0] for s in (1.0, -1.0)]
    np.testing.assert_allclose(drift, (ends[0] - ends[1]) @ qdot / (2.0 * h), atol=1e-8)
    # a motion in the null space of C turns about axes through the contact point: its pitch is zero
    null = np.linalg.svd(C[:2])[2][2:]
    for rates in null:
        w, v = (S @ rates)[:3], (S @ rates)[3:]
        assert abs(w @ v) < 1e-13
    # all of those axes meet in one point, which does not move
    A = np.concatenate([-cross_matrix((S @ rates)[:3]) for rates in null])
    b = np.concatenate([(S @ rates)[3:] for rates in null])
    point, *_ = np.linalg.lstsq(-A, -b, rcond=None)
    np.testing.assert_allclose(A @ point, b, atol=1e-12)
    # and with no pivoting left, nothing turns about the normal
    none = np.linalg.svd(C)[2][3:]
    normal = normal_at(joint, Q, point)
    assert max(abs((S @ rates)[:3] @ normal) for rates in none) < 1e-7


def cross_matrix(w):
    x, y, z = w
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def normal_at(joint, Q, point):
    """Normal of the child's surface at a point of it; its equation must hold there."""
    sizes = np.array(joint.second_size if joint.second == "ellipsoid" else [joint.second_size[0]] * 3)
    assert abs(np.sum((point / sizes) ** 2) - 1.0) < 1e-10
    n = point / sizes**2
    return n / np.linalg.norm(n)


def test_a_ball_that_may_not_pivot_keeps_its_heading():
    joint = contact(q=(0.0, 0.0, 0.3, 0.2, 0.1), qdot=(0.3, 0.1, 0.0, 0.0, 0.0))
    result = run(scene(joint, pivots=False), 0.4)
    assert np.ptp(result.channels["energy"]) < 1e-7


def test_other_joints_do_not_roll():
    hinge = Revolute(name="contact", parent=None, child="ball")
    with pytest.raises(SceneError, match="rolls joint 'contact', which is a Hinge"):
        compile_scene(scene(hinge))
