# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms with loops, limits and couplings that touch things. From `engine.contact.held_scenes`."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from engine.mechanisms import Builder as Linkage
from engine.mechanisms import four_bar, jansen_leg, scissor_lift
from redmax.constraints import BallLimit, Coupling
from redmax.drives import Drive, DriveInput, Follower
from redmax.fields import Pose
from redmax.geometry.solids import Box
from redmax.joints.motor import Motor
from redmax.scene import Body, Scene
from redmax.surfaces import BoxSurface, PlaneSurface, SphereSurface


def limited_links(*, restitution: float = 0.0, lower: float = -0.5, upper: float = 0.1) -> Scene:
    """Two links on hinges, the second with hard limits, above a ground that its tip falls on."""
    b = Linkage("two links")
    b.bar("upper", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    b.bar("lower", (1.0, 0.0, 0.0), (2.0, 0.0, 0.0))
    b.hinge("shoulder", None, "upper", (0.0, 0.0, 0.0))
    b.hinge("elbow", "upper", "lower", (1.0, 0.0, 0.0), lower=(lower,), upper=(upper,), restitution=restitution)
    b.scene.surfaces.append(SphereSurface(name="tip", body="lower", radius=0.05, frame=Pose((0.5, 0.0, 0.0))))
    b.scene.surfaces.append(PlaneSurface(name="ground", frame=Pose((0.0, 0.0, -0.7)), friction=0.3))
    return b.scene


def four_bar_on_ground(*, friction: float = 0.5) -> Scene:
    """A four-bar that falls with balls at its bars onto the ground."""
    scene = four_bar(angle=1.2)
    for body in scene.bodies:
        ball = SphereSurface(name=f"{body.name} ball", body=body.name, radius=0.05, friction=friction)
        scene.surfaces.append(ball)
    scene.surfaces.append(PlaneSurface(name="ground", frame=Pose((0.0, 0.0, -0.1)), friction=friction))
    return scene


LIMBS: dict[str, tuple[str, Any, Any, tuple[float, float, float]]] = {
    "head": ("torso", (0.0, 0.0, 0.3), (0.0, 0.0, 0.45), (0.16, 0.16, 0.2)),
    "left arm": ("torso", (0.0, 0.2, 0.25), (0.0, 0.35, 0.25), (0.08, 0.28, 0.08)),
    "right arm": ("torso", (0.0, -0.2, 0.25), (0.0, -0.35, 0.25), (0.08, 0.28, 0.08)),
    "left hand": ("left arm", (0.0, 0.5, 0.25), (0.0, 0.65, 0.25), (0.07, 0.28, 0.07)),
    "right hand": ("right arm", (0.0, -0.5, 0.25), (0.0, -0.65, 0.25), (0.07, 0.28, 0.07)),
    "left leg": ("torso", (0.0, 0.1, -0.3), (0.0, 0.1, -0.5), (0.1, 0.1, 0.38)),
    "right leg": ("torso", (0.0, -0.1, -0.3), (0.0, -0.1, -0.5), (0.1, 0.1, 0.38)),
    "left foot": ("left leg", (0.0, 0.1, -0.7), (0.0, 0.1, -0.9), (0.09, 0.09, 0.38)),
    "right foot": ("right leg", (0.0, -0.1, -0.7), (0.0, -0.1, -0.9), (0.09, 0.09, 0.38)),
}
"""Of a doll: what a limb hangs on, where its joint and its middle are, how large it is."""


def doll(*, height: float = 1.2, tilt: float = 0.4, name: str = "", at: tuple[float, float] = (0.0, 0.0)) -> Scene:
    """A ragdoll whose shoulders, hips and neck have cones and whose elbows and knees bend one way, above the ground."""
    b = Linkage("ragdoll")

    def limb(part: str, center: Any, size: tuple[float, float, float]) -> None:
        b.E[name + part] = np.eye(4)
        b.E[name + part][:3, 3] = center
        b.scene.bodies.append(Body(name=name + part, shapes=(Box(size=size, density=500.0),)))
        b.scene.surfaces.append(BoxSurface(name=f"{name}{part} skin", body=name + part, size=size, friction=0.6))

    limb("torso", (0.0, 0.0, 0.0), (0.2, 0.38, 0.58))
    b.joint(
        "free_translation_rotation", f"{name}body", None, f"{name}torso", (0.0, 0.0, 0.0),
        q=(*at, height, 0.3 * tilt, tilt, 0.0),
    )  # fmt: skip
    for part, (parent, at_joint, center, size) in LIMBS.items():
        limb(part, center, size)
        bends = part.split()[-1] in ("hand", "foot")
        joint = f"{name}{part} joint"
        if bends:
            axis = (0.0, 0.0, 1.0) if "hand" in part else (0.0, 1.0, 0.0)
            limits = (-2.0, 0.0) if part == "right hand" else (0.0, 2.0)
            b.hinge(joint, name + parent, name + part, at_joint, axis, lower=limits[:1], upper=limits[1:])
            continue
        b.joint("spherical", joint, name + parent, name + part, at_joint)
        along = "y" if "arm" in part else "z"
        b.scene.constraints.append(
            BallLimit(name=f"{joint} limit", joint=joint, twist_axis=along, swing_1=0.7, swing_2=0.5, twist_lower=-0.3,
                      twist_upper=0.3)
        )  # fmt: skip
    b.scene.surfaces.append(PlaneSurface(name="ground", friction=0.6))
    return b.scene


def slider_at_a_stop(*, speed: float, room: float, restitution: float, friction: float) -> Scene:
    """A sledge of 2 kg on the ground, guided along x by a rail of 1 kg that meets a stop."""
    b = Linkage("sledge")
    b.body("rail", (0.0, 0.0, 0.05), 1.0, 0.1 * np.eye(3))
    b.body("sledge", (0.0, 0.0, 0.05), 2.0, 0.1 * np.eye(3))
    limits = {"lower": (-10.0,), "upper": (room,), "restitution": restitution}
    b.joint("prismatic", "rail", None, "rail", (0.0, 0.0, 0.05), axis=(1.0, 0.0, 0.0), qdot=(speed,), **limits)
    b.joint("prismatic", "sledge", "rail", "sledge", (0.0, 0.0, 0.05), axis=(0.0, 0.0, 1.0))
    b.scene.surfaces.append(BoxSurface(name="runner", body="sledge", size=(0.4, 0.2, 0.1), friction=friction))
    b.scene.surfaces.append(PlaneSurface(name="ground", friction=friction))
    return b.scene


def gears_under_a_block(*, ratio: float = -1.0, driven: bool = False) -> Scene:
    """Two rollers side by side, of which one turns by `ratio` against the other, by a gear or a drive, the first at
    3 rad/s; a crate lies on both of them."""
    b = Linkage("rollers")
    for name, x, rate in (("left", -0.2, 3.0), ("right", 0.2, 3.0 * ratio)):
        b.body(name, (x, 0.0, 0.0), 2.0, 0.02 * np.eye(3))
        b.hinge(name, None, name, (x, 0.0, 0.0), qdot=(rate,))
        b.scene.surfaces.append(SphereSurface(name=f"{name} skin", body=name, radius=0.1, friction=0.4))
    if driven:
        follower = Follower(joint="right", ratio=ratio)
        b.scene.drives.append(Drive(name="gears", inputs=(DriveInput(joint="left"),), followers=(follower,)))
    else:
        b.scene.constraints.append(Coupling(name="gears", leader="left", follower="right", ratio=ratio))
    upright = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # a plane of x and z
    b.body("crate", (0.0, 0.0, 0.125), 10.0, np.diag([0.1, 0.6, 0.6]))
    b.joint("free_2d", "crate", None, "crate", (0.0, 0.0, 0.125), upright)
    b.scene.surfaces.append(BoxSurface(name="crate skin", body="crate", size=(0.8, 0.3, 0.05), friction=0.4))
    return b.scene


def lift_on_the_ground() -> Scene:
    """A scissor lift that sinks, until a ball at its top lies on the ground or its foot meets a stop."""
    scene = scissor_lift(2, lower=(-0.6,), upper=(0.1,))
    scene.surfaces.append(SphereSurface(name="top", body="rising 1", radius=0.06, friction=0.4))
    scene.surfaces.append(PlaneSurface(name="ground", frame=Pose((0.0, 0.0, 0.5)), friction=0.4))
    return scene


def stamping_crank(**drive: Any) -> Scene:
    """A crank whose rod stamps on rough ground and scrapes over it. drive: what turns the crank, as fields of its
    joint."""
    b = Linkage("stamper")
    b.bar("crank", (0.0, 0.0, 0.0), (0.3, 0.0, 0.0), mass=2.0)
    b.bar("rod", (0.3, 0.0, 0.0), (0.3, 0.0, -0.6))
    b.hinge("crank", None, "crank", (0.0, 0.0, 0.0), **drive)
    b.hinge("rod", "crank", "rod", (0.3, 0.0, 0.0), damping=(0.05,))
    b.scene.surfaces.append(SphereSurface(name="foot", body="rod", radius=0.03, frame=Pose((0.0, 0.0, -0.3))))
    b.scene.surfaces.append(PlaneSurface(name="ground", frame=Pose((0.0, 0.0, -0.75)), friction=0.5))
    return b.scene


def dragged_rod(**drive: Any) -> Scene:
    """A cart on a rail that drags a rod over rough ground. drive: what moves the cart, as fields of its joint."""
    b = Linkage("dragged rod")
    b.body("cart", (0.0, 0.0, 0.5), 2.0, 0.1 * np.eye(3))
    b.bar("rod", (0.0, 0.0, 0.5), (-0.4, 0.0, 0.03))
    b.joint("prismatic", "rail", None, "cart", (0.0, 0.0, 0.5), axis=(1.0, 0.0, 0.0), **drive)
    b.hinge("rod", "cart", "rod", (0.0, 0.0, 0.5))
    b.scene.surfaces.append(SphereSurface(name="end", body="rod", radius=0.03, frame=Pose((-0.2, 0.0, -0.235))))
    b.scene.surfaces.append(PlaneSurface(name="ground", friction=0.5))
    return b.scene


def walker() -> Scene:
    """A Jansen leg below a hull that slides in x and z and cannot turn: its motor walks it along the ground."""
    scene = jansen_leg(scale=0.01, motor=Motor(target_speed=(2.0,), speed_gain=(200.0,)))
    b = Linkage("walker")
    for name, axis, mass in (("rail", (1.0, 0.0, 0.0), 0.5), ("hull", (0.0, 0.0, 1.0), 2.0)):
        b.body(name, (0.0, 0.0, 0.0), mass, 0.1 * np.eye(3))
        b.joint("prismatic", name, None if name == "rail" else "rail", name, (0.0, 0.0, 0.0), axis=axis)
    scene.name = "walker"
    joints = [dataclasses.replace(j, parent="hull") if j.parent is None else j for j in scene.joints]
    scene.bodies[:0] = b.scene.bodies
    scene.joints[:] = [*b.scene.joints, *joints]
    scene.surfaces.append(SphereSurface(name="foot", body="lower triangle", radius=0.02, frame=Pose((0.1, 0.0, -0.35))))
    scene.surfaces.append(PlaneSurface(name="ground", frame=Pose((0.0, 0.0, -1.0)), friction=0.8))
    return scene
