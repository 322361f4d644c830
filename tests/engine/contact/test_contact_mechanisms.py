# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms that touch: joints, loops, limits, prescribed motion and drives in one problem with contacts."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from engine.contact.held_scenes import four_bar_on_ground, limited_links
from engine.contact_scenes import Builder as Crates
from engine.contact_scenes import G, run
from engine.mechanisms import Builder as Linkage
from redmax.fields import Pose
from redmax.joints.base import ANIMATED
from redmax.kernels import route
from redmax.scene import Scene
from redmax.surfaces import BoxSurface, CapsuleSurface, PlaneSurface, SphereSurface
from redmax.tables import Table
from redmax.trajectory import Trajectory


def wall(x: float, **material: float) -> PlaneSurface:
    """A wall that faces -x."""
    half = math.sqrt(0.5)
    return PlaneSurface(name="wall", frame=Pose((x, 0.0, 0.0), (half, 0.0, -half, 0.0)), **material)


def pendulum(**joint: object) -> Scene:
    """A bar of 1 m that hangs from the origin, with a ball at its end."""
    b = Linkage("pendulum")
    b.bar("bar", (0.0, 0.0, 0.0), (0.0, 0.0, -1.0))
    b.hinge("hinge", None, "bar", (0.0, 0.0, 0.0), **joint)
    ball = SphereSurface(name="end", body="bar", radius=0.05, frame=Pose((0.0, 0.0, -0.5)), bounce=0.6, friction=0.0)
    b.scene.surfaces.append(ball)
    return b.scene


def test_a_pendulum_bounces_off_a_wall_by_its_restitution() -> None:
    scene = pendulum(q=(0.8,))  # about +y: its end is at x = -sin q
    scene.surfaces.append(wall(0.05, bounce=0.6, friction=0.0))  # met where the bar hangs straight down
    found = run(scene, 1.5, "high", fps=240)
    q = found.q[:, 0]
    assert q.min() > -1e-9
    energy, floor = found.channels["energy"], -0.5 * G
    bounced = energy[np.flatnonzero(np.diff(energy) < -1e-6)[0] + 1]
    assert bounced - floor == pytest.approx(0.36 * (energy[0] - floor), rel=1e-7)
    assert found.channels["impact_loss"][-1] == pytest.approx(energy[0] - energy[-1], rel=1e-9)


def test_a_four_bar_lies_on_the_ground_with_its_loop_closed() -> None:
    scene = four_bar_on_ground()
    found = run(scene, 2.0)
    assert found.status == "complete", found.message
    assert np.abs(found.channels["gap"]).max() < 1e-9
    lowest = found.position[:, :, 2].min()
    assert lowest > -0.05 - 1e-6
    assert np.abs(found.qdot[-1]).max() < 1e-6  # it comes to rest
    books = found.channels["energy"] + found.channels["loss"] - found.channels["work"]
    assert np.abs(books - books[0]).max() < 1e-3 * np.ptp(found.channels["energy"])
    assert np.abs(found.channels["acceleration"][-1]).max() < 1e-4


def test_a_limit_and_the_ground_hold_a_link_together() -> None:
    found = run(limited_links(), 1.0)
    assert found.status == "complete", found.message
    assert found.q[:, 1].max() < 0.1 + 1e-6
    assert found.q[-1, 1] == pytest.approx(-0.5, abs=1e-6)
    angle = found.q.sum(axis=1)
    tip = found.position[:, 1, 2] - 0.5 * np.sin(angle)
    assert tip.min() > -0.65 - 1e-5
    assert np.abs(found.qdot[-1]).max() < 1e-6


def test_an_animated_platform_lifts_a_box_and_does_the_work() -> None:
    from engine.contact_scenes import Builder

    b = Builder("lift")
    b.box("box", (0.0, 0.0, 0.15), (0.2, 0.2, 0.1))
    scene = b.scene
    platform = Linkage("platform")
    platform.body("platform", (0.0, 0.0, 0.05), 1.0, np.eye(3))
    t = np.linspace(0.0, 1.0, 21)
    rise = 0.1 * (1.0 - np.cos(math.pi * t))
    table = Table(x=tuple(t), y=tuple((float(z),) for z in rise), interpolation="cubic")
    platform.joint("prismatic", "lift", None, "platform", (0.0, 0.0, 0.05), axis=(0.0, 0.0, 1.0), motion_type=ANIMATED,
                   animation=table)  # fmt: skip
    scene.bodies += platform.scene.bodies
    scene.joints += platform.scene.joints
    scene.surfaces.append(BoxSurface(name="top", body="platform", size=(0.5, 0.5, 0.1)))
    found = run(scene, 1.0)
    assert found.status == "complete", found.message
    height = found.position[:, 0, 2] - found.position[:, 1, 2]
    np.testing.assert_allclose(height, 0.1, atol=1e-5)
    gained = found.channels["energy"] - found.channels["energy"][0]
    lost = found.channels["loss"]
    np.testing.assert_allclose(gained, found.channels["work"] - lost, atol=2e-4 * 4.0 * G * 0.2)


def test_an_animated_lift_whose_fork_is_on_a_spring_does_the_work_once() -> None:
    """The fork feels the box in its free motion, and so does what the lift needs, which must not count it again."""

    def lifted(duration: float) -> Trajectory:
        scene = Crates("lift").box("box", (0.0, 0.0, 0.15), (0.2, 0.2, 0.1)).scene
        lift = Linkage("lift")
        for name in ("mast", "fork"):
            lift.body(name, (0.0, 0.0, 0.05), 1.0, np.eye(3))
        t = np.linspace(0.0, 0.5, 11)
        table = Table(x=tuple(t), y=tuple((0.2 * float(s * s),) for s in t), interpolation="cubic")
        at, up = (0.0, 0.0, 0.05), (0.0, 0.0, 1.0)
        lift.joint("prismatic", "lift", None, "mast", at, axis=up, motion_type=ANIMATED, animation=table)
        # The box weighs 4 kg and the fork 1 kg.
        spring = {"stiffness": 2000.0, "damping": 60.0, "rest": 5.0 * G / 2000.0}
        lift.joint("prismatic", "spring", "mast", "fork", at, axis=up, **spring)
        scene.bodies += lift.scene.bodies
        scene.joints += lift.scene.joints
        scene.surfaces.append(BoxSurface(name="top", body="fork", size=(0.5, 0.5, 0.1)))
        return run(scene, duration)

    found = lifted(0.5)
    assert found.status == "complete", found.message
    channels = found.channels
    gained = channels["energy"] - channels["energy"][0]
    rise = 4.0 * G * np.ptp(found.position[:, 0, 2])
    assert rise > 1.5
    np.testing.assert_allclose(gained, channels["work"] - channels["loss"], atol=0.05 * rise)
    if route.name() != route.NUMPY:
        # Free motions of the routes differ by 3 mJ; what is counted twice would be 49 mJ of 198.
        with route.held(route.NUMPY):
            np.testing.assert_allclose(lifted(0.125).channels["work"], channels["work"][:4], rtol=0.0, atol=0.01)


def test_a_chain_that_swings_far_away_moves_as_if_it_were_alone() -> None:
    def chain() -> Linkage:
        b = Linkage("chain")
        for k in range(4):
            b.bar(f"link {k}", (5.0 + 0.3 * k, 0.0, 2.0), (5.3 + 0.3 * k, 0.0, 2.0))
            b.hinge(f"hinge {k}", None if k == 0 else f"link {k - 1}", f"link {k}", (5.0 + 0.3 * k, 0.0, 2.0))
        return b

    from engine.contact_scenes import stack

    alone = run(chain().scene, 1.0, "high")
    beside = stack(2)
    b = chain().scene
    both = dataclasses.replace(
        b, bodies=b.bodies + beside.bodies, joints=b.joints + beside.joints, surfaces=beside.surfaces
    )
    found = run(both, 1.0, "high")
    np.testing.assert_allclose(found.q[:, :4], alone.q[:, :4], atol=1e-8)


def test_a_lying_capsule_rolls_off_and_comes_to_rest() -> None:
    b = Linkage("log")
    b.body("log", (0.0, 0.0, 0.1), 1.0, np.diag([0.01, 0.1, 0.1]))
    b.joint("free_translation_rotation", "free", None, "log", (0.0, 0.0, 0.1), qdot=(0.0, 1.0, 0.0, 0.0, 0.0, 0.0))
    half = math.sqrt(0.5)
    b.scene.surfaces.append(
        CapsuleSurface(name="skin", body="log", radius=0.1, height=1.0, frame=Pose(rotation=(half, 0.0, half, 0.0)),
                       rolling_friction=0.01)
    )  # fmt: skip
    b.scene.surfaces.append(PlaneSurface(name="ground"))
    found = run(b.scene, 4.0)
    assert found.status == "complete", found.message
    assert np.abs(found.qdot[-1]).max() < 1e-6
    np.testing.assert_allclose(found.position[:, 0, 2], 0.1, atol=1e-6)


def test_a_pendulum_that_pushes_a_crate_along_keeps_its_books() -> None:
    """Forces that it feels ahead in its free motion are no work of anything, though nothing else exchanges energy."""
    scene = pendulum(q=(0.8,))
    scene.surfaces[0] = dataclasses.replace(scene.surfaces[0], bounce=0.0, friction=0.3)
    crate = Crates("crate").plane(friction=0.4, frame=Pose((0.0, 0.0, -1.1)))
    crate.box("crate", (0.2, 0.0, -1.0), (0.2, 0.2, 0.2), density=50.0, friction=0.4)
    for kind in ("bodies", "joints", "surfaces"):
        getattr(scene, kind).extend(getattr(crate.scene, kind))
    found = run(scene, 1.5)
    assert found.status == "complete", found.message
    books = found.channels["energy"] - found.channels["work"] + found.channels["loss"]
    assert found.channels["loss"][-1] > 0.1  # the crate was pushed
    assert np.abs(books - books[0]).max() < 1e-3 * np.ptp(found.channels["energy"])
