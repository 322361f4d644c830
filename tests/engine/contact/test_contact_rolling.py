# SPDX-License-Identifier: GPL-3.0-or-later
"""What rolls: coins that lean, Euler's disc, eccentric balls, ellipsoids and a plank on a cylinder. Rolling contact
does no work: energies stay, and rates and periods are those of closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.contact_scenes import G, about_y, run
from redmax.fields import Pose
from redmax.joints import JOINTS
from redmax.scene import Body, Inertia, Scene
from redmax.spatial import pose, quaternion
from redmax.surfaces import BoxSurface, CylinderSurface, EllipsoidSurface, PlaneSurface, SphereSurface, Surface
from redmax.trajectory import Trajectory


def one_body(
    surface: Surface, ground: Surface, start: Any, *, mass: float, inertia: Any, twist: Any = (0.0,) * 6
) -> Scene:
    """A free body with one surface above another. start: (4, 4). twist: angular and linear velocity in its frame."""
    scene = Scene(name=surface.name)
    tensor = tuple(map(tuple, np.diag(inertia).tolist()))
    scene.bodies.append(Body(name="body", inertia=Inertia(mass=mass, tensor=tensor)))
    at = Pose(tuple(start[:3, 3].tolist()), tuple(quaternion.from_matrix(start[:3, :3]).tolist()))
    joint = JOINTS["free"](name="joint", parent=None, child="body", frame_in_parent=at, qdot=tuple(map(float, twist)))
    scene.joints.append(joint)
    scene.surfaces.extend((surface, ground))
    return scene


def rolling_coin(tilt: float, *, circle: float = 0.0) -> tuple[Scene, float]:
    """A coin that leans by an angle from level and rolls steadily around the vertical; its centre moves on a circle
    [m], for 0 as Euler's disc. Returns the scene and the rate [rad/s], from the balance of angular momentum."""
    radius, height, mass = 0.1, 0.01, 0.5
    inertia = np.array([0.25, 0.25, 0.5]) * mass * radius**2
    c, s = math.cos(tilt), math.sin(tilt)
    axes = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])  # of the coin: x down the slope, z its normal
    touch = axes @ [radius, 0.0, -0.5 * height]
    up, arm = np.array([0.0, 0.0, 1.0]), np.array([circle, 0.0, 0.0])  # from the middle of the circle to the centre
    # at one radian a second: up plus what it spins about its normal does not slip
    across = np.cross(axes[:, 2], touch)
    spin = -(np.cross(up, arm) + np.cross(up, touch))[1] / across[1]
    omega, v = up + spin * axes[:, 2], np.cross(up, arm)
    assert np.linalg.norm(v + np.cross(omega, touch)) < 1e-12
    turning = np.cross(up, axes @ (inertia * (axes.T @ omega)))  # dL/dt
    turning -= np.cross(touch, mass * np.cross(up, v))  # the push that keeps the centre on its circle
    torque = np.cross(touch, mass * G * up)
    rate = math.sqrt(torque[1] / turning[1])
    start = pose.make(axes, np.array([circle, 0.0, -touch[2]]))
    twist = rate * np.concatenate([axes.T @ omega, axes.T @ v])
    coin = CylinderSurface(name="rim", body="body", radius=radius, height=height, friction=0.8)
    ground = PlaneSurface(name="ground", friction=0.8)
    return one_body(coin, ground, start, mass=mass, inertia=inertia, twist=twist), rate


def axes_of(found: Trajectory) -> np.ndarray:
    """(k, 3) the body's z axis at each frame."""
    return np.array([quaternion.to_matrix(turn)[:, 2] for turn in found.rotation[:, 0]])


def gain(found: Trajectory) -> float:
    """The most that the energy ever grew by from an earlier frame, as part of that at the start."""
    energy = found.channels["energy"]
    return float((energy - np.minimum.accumulate(energy)).max() / abs(energy[0]))


def loss(found: Trajectory) -> float:
    energy = found.channels["energy"]
    return float((energy[0] - energy.min()) / abs(energy[0]))


@pytest.mark.parametrize(("tilt", "circle"), [(1.0, 0.0), (0.4, 0.0), (1.2, 0.2)])
def test_a_coin_rolls_round_at_its_rate_keeps_its_lean_and_gains_no_energy(tilt: float, circle: float) -> None:
    scene, rate = rolling_coin(tilt, circle=circle)
    found = run(scene, 0.5, "high", fps=96)
    normal = axes_of(found)
    turned = np.unwrap(np.arctan2(normal[:, 1], normal[:, 0]))
    assert turned[-1] == pytest.approx(rate * 0.5, rel=2e-4)
    np.testing.assert_allclose(np.arccos(normal[:, 2]), tilt, atol=3e-4)
    np.testing.assert_allclose(np.hypot(*found.position[:, 0, :2].T), circle, atol=3e-5)
    assert gain(found) < 1e-6
    assert loss(found) < 2e-4


@pytest.mark.usefixtures("by_route")
def test_kernels_and_readable_steps_roll_a_coin_alike() -> None:
    scene, rate = rolling_coin(1.0)
    found = run(scene, 0.05, "high", fps=96)
    normal = axes_of(found)
    expected = np.column_stack([math.sin(1.0) * np.cos(rate * found.t), math.sin(1.0) * np.sin(rate * found.t)])
    np.testing.assert_allclose(normal[:, :2], expected, atol=2e-5)
    assert gain(found) < 1e-6


def period(inertia: Callable[[Any], Any], potential: Callable[[Any], Any], most: float) -> float:
    """Of a motion between -most and most with the kinetic energy inertia(x) / 2 times the square of its rate."""
    s, w = np.polynomial.legendre.leggauss(200)
    angle = 0.25 * math.pi * (s + 1.0)  # x = most sin(angle): no pole at the ends
    x = most * np.sin(angle)
    speed = np.sqrt(2.0 * (potential(most) - potential(x)) / inertia(x))
    return float(4.0 * (w * most * np.cos(angle) / speed).sum() * 0.25 * math.pi)


def swings(found: Trajectory) -> np.ndarray:
    """Times between every other zero of the tilt about y."""
    axis = axes_of(found)
    tilt, t = np.arctan2(axis[:, 0], axis[:, 2]), found.t
    k = np.flatnonzero(tilt[:-1] * tilt[1:] < 0.0)
    zeros = t[k] - tilt[k] * (t[k + 1] - t[k]) / (tilt[k + 1] - tilt[k])
    assert len(zeros) > 2
    return np.asarray(zeros[2:] - zeros[:-2])


def test_an_eccentric_ball_rolls_to_and_fro_with_the_period_of_the_closed_form() -> None:
    r, e, mass, most, inertia = 0.1, 0.04, 2.0, 1.0, np.array([0.004, 0.006, 0.007])
    ball = SphereSurface(name="ball", body="body", radius=r, friction=2.0, frame=Pose((0.0, 0.0, e)))
    height = r - e * math.cos(most)
    start = pose.make(quaternion.to_matrix(about_y(most)), np.array([-e * math.sin(most), 0.0, height]))
    scene = one_body(ball, PlaneSurface(name="ground", friction=2.0), start, mass=mass, inertia=inertia)
    found = run(scene, 2.0, "high", fps=240)
    expected = period(
        lambda x: inertia[1] + mass * (r * r + e * e - 2.0 * r * e * np.cos(x)),
        lambda x: -mass * G * e * np.cos(x),
        most,
    )
    np.testing.assert_allclose(swings(found), expected, rtol=5e-4)
    assert gain(found) < 1e-5
    assert loss(found) < 4e-4


def test_a_plank_rocks_on_a_cylinder_with_the_period_of_the_closed_form() -> None:
    """Contact moves along the flat side and around the cylinder: r times the tilt from the middle."""
    r, half, mass, most = 0.2, 0.02, 1.0, 0.4
    inertia = mass / 12.0 * np.array([0.4**2 + 4 * half**2, 1.0 + 4 * half**2, 1.0 + 0.4**2])
    plank = BoxSurface(name="plank", body="body", size=(1.0, 0.4, 2.0 * half), friction=1.0)
    upright = Pose(rotation=(math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0))  # its axis along y
    log = CylinderSurface(name="log", radius=r, height=1.0, frame=upright, friction=1.0)
    R = quaternion.to_matrix(about_y(most))
    center = (r + half) * R[:, 2] - r * most * R[:, 0]
    scene = one_body(plank, log, pose.make(R, center), mass=mass, inertia=inertia)
    found = run(scene, 3.0, "high", fps=240)
    expected = period(
        lambda x: inertia[1] + mass * (half**2 + (r * x) ** 2),
        lambda x: mass * G * ((r + half) * np.cos(x) + r * x * np.sin(x)),
        most,
    )
    np.testing.assert_allclose(swings(found), expected, rtol=1e-4)
    assert gain(found) < 5e-6
    assert loss(found) < 5e-5


@pytest.mark.parametrize("accuracy", ["standard", "high"])
def test_an_ellipsoid_that_rocks_and_rolls_without_slipping_keeps_its_energy(accuracy: str) -> None:
    radii, mass = np.array([0.1, 0.14, 0.08]), 1.5
    squares = radii**2
    inertia = 0.2 * mass * (squares.sum() - squares)
    R = quaternion.to_matrix(np.array([0.9, 0.25, 0.3, 0.1]) / np.linalg.norm([0.9, 0.25, 0.3, 0.1]))
    height = math.sqrt(float((squares * R[2] ** 2).sum()))
    touch = -R @ (squares * R[2]) / height  # from the centre
    omega = np.array([3.0, 2.0, 1.0])
    twist = np.concatenate([R.T @ omega, R.T @ -np.cross(omega, touch)])
    stone = EllipsoidSurface(name="stone", body="body", radii=tuple(radii.tolist()), friction=3.0)
    start = pose.make(R, np.array([0.0, 0.0, height]))
    scene = one_body(stone, PlaneSurface(name="ground", friction=3.0), start, mass=mass, inertia=inertia, twist=twist)
    found = run(scene, 1.0, accuracy, fps=96)
    promised = {"standard": 1e-3, "high": 1e-5}[accuracy]
    assert gain(found) < promised
    assert loss(found) < {"standard": 2e-3, "high": 2e-4}[accuracy]
    assert np.ptp(found.position[:, 0, 2]) > 0.01
