# SPDX-License-Identifier: GPL-3.0-or-later
"""Example scenes of closed loops, gears, hard limits and drives, for tools/make_examples.py."""

from __future__ import annotations

import math

from redmax.constraints import Coupling
from redmax.drives import Drive, DriveInput, Follower
from redmax.fields import Pose
from redmax.geometry.solids import Box, Cylinder
from redmax.joints import JOINTS
from redmax.scene import Body, Scene
from redmax.tables import Table

Point = tuple[float, float]
"""x and z in the plane of a mechanism [m]."""

Y = (0.0, 1.0, 0.0)


def bar(name: str, a: Point, b: Point) -> Body:
    """A wooden bar from a to b; its frame has the world's axes and stands in the middle."""
    dx, dz = b[0] - a[0], b[1] - a[1]
    half = -0.5 * math.atan2(dz, dx)
    frame = Pose(rotation=(math.cos(half), 0.0, math.sin(half), 0.0))
    return Body(name=name, shapes=(Box(size=(math.hypot(dx, dz), 0.03, 0.03), density=700.0, frame=frame),))


class Plane:
    """Bodies and hinges of a mechanism in the x-z plane, given by places at the start."""

    def __init__(self, name: str, notes: str) -> None:
        self.scene = Scene(name=name, notes=f"{notes} Units are m, kg, s.")
        self.centers: dict[str | None, Point] = {None: (0.0, 0.0)}

    def add(self, body: Body, center: Point) -> None:
        self.scene.bodies.append(body)
        self.centers[body.name] = center

    def bar(self, name: str, a: Point, b: Point) -> None:
        self.add(bar(name, a, b), (0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])))

    def joint(self, kind: str, name: str, parent: str | None, child: str, at: Point, **fields: object) -> None:
        frames = {}
        for side, body in (("parent", parent), ("child", child)):
            x, z = (round(p - c, 12) for p, c in zip(at, self.centers[body], strict=True))
            frames[f"frame_in_{side}"] = Pose((x, 0.0, z))
        self.scene.joints.append(JOINTS[kind](name=name, parent=parent, child=child, **frames, **fields))

    def hinge(self, name: str, parent: str | None, child: str, at: Point, **fields: object) -> None:
        self.joint("revolute", name, parent, child, at, axis=Y, **fields)


def meeting(a: Point, ra: float, b: Point, rb: float) -> Point:
    """Where circles about a and b meet, to the left of the way from a to b."""
    dx, dz = b[0] - a[0], b[1] - a[1]
    d = math.hypot(dx, dz)
    along = (ra**2 - rb**2 + d**2) / (2.0 * d)
    across = math.sqrt(ra**2 - along**2)
    return a[0] + (along * dx - across * dz) / d, a[1] + (along * dz + across * dx) / d


def four_bar() -> Scene:
    """A crank turns once in two seconds and makes a rocker swing."""
    plane = Plane("Four-bar linkage", "The last hinge closes a loop; the crank is animated.")
    A, D = (0.0, 0.0), (1.0, 0.0)
    B = (0.3 * math.cos(0.5), 0.3 * math.sin(0.5))
    C = meeting(B, 0.9, D, 0.7)
    for name, a, b in (("Crank", A, B), ("Coupler", B, C), ("Rocker", D, C)):
        plane.bar(name, a, b)
    table = Table(x=(0.0, 10.0), y=((0.0,), (-10.0 * math.pi,)))
    plane.hinge("A", None, "Crank", A, motion_type="animated", animation=table)
    plane.hinge("B", "Crank", "Coupler", B)
    plane.hinge("D", None, "Rocker", D)
    plane.hinge("C", "Coupler", "Rocker", C)
    return plane.scene


def slider_crank() -> Scene:
    """A flywheel on the crank keeps a piston moving; a gear drives a second wheel."""
    plane = Plane("Slider-crank", "A piston, its rod and a crank close a loop; a coupling gears a second wheel 1 : -2.")
    A, B = (0.0, 0.0), (0.2 * math.cos(0.7), 0.2 * math.sin(0.7))
    C = (B[0] + math.sqrt(0.6**2 - B[1] ** 2), 0.0)
    turned = Pose(rotation=(math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0))
    wheel = Cylinder(radius=0.25, height=0.04, density=2700.0, frame=turned)
    plane.add(Body(name="Flywheel", shapes=(wheel,)), A)
    plane.bar("Rod", B, C)
    plane.add(Body(name="Piston", shapes=(Box(size=(0.12, 0.1, 0.1), density=2700.0),)), C)
    small = Cylinder(radius=0.125, height=0.04, density=2700.0, frame=turned)
    plane.add(Body(name="Pinion", shapes=(small,)), (-0.375, 0.0))
    plane.hinge("Crank", None, "Flywheel", A, qdot=6.0)
    plane.hinge("Crank pin", "Flywheel", "Rod", B)
    plane.joint("prismatic", "Cylinder", None, "Piston", C, axis=(1.0, 0.0, 0.0))
    plane.hinge("Gudgeon pin", "Rod", "Piston", C)
    plane.hinge("Axle", None, "Pinion", (-0.375, 0.0))
    plane.scene.constraints.append(Coupling(name="Gear", leader="Crank", follower="Axle", ratio=-2.0))
    return plane.scene


def scissor_lift() -> Scene:
    """Five stages of crossed arms; the foot slides in, the lift goes up and its foot meets a stop."""
    plane = Plane("Scissor lift", "Five stages with five loops; a force pulls the foot in until it meets a hard limit.")
    dx, dz = 0.5 * math.cos(0.4), 0.5 * math.sin(0.4)
    foot = (round(2.0 * dx, 12), 0.0)
    plane.add(Body(name="Foot", shapes=(Box(size=(0.1, 0.1, 0.05), density=2700.0),)), foot)
    plane.joint(
        "prismatic", "Floor", None, "Foot", foot, axis=(1.0, 0.0, 0.0), torque=-1200.0, lower=-0.3, damping=500.0
    )
    below: tuple[str | None, str] = (None, "Foot")
    for k in range(5):
        middle = (dx, (2 * k + 1) * dz)
        low, high = (middle[0] - dx, middle[1] - dz), (middle[0] + dx, middle[1] + dz)
        falling_low, falling_high = (middle[0] + dx, middle[1] - dz), (middle[0] - dx, middle[1] + dz)
        rising, falling = f"Rising {k + 1}", f"Falling {k + 1}"
        plane.bar(rising, low, high)
        plane.bar(falling, falling_low, falling_high)
        plane.hinge(f"Left {k + 1}", below[0], rising, low)
        plane.hinge(f"Cross {k + 1}", rising, falling, middle)
        plane.hinge(f"Right {k + 1}", below[1], falling, falling_low)
        below = (falling, rising)
    return plane.scene


def curling_arm() -> Scene:
    """An arm of ten links with one angle for all, and a slider that opens three flaps by a curve."""
    plane = Plane(
        "Curling arm and flaps",
        "Two drives: a motor bends ten hinges by the same angle, a slider on a spring turns three flaps by a table.",
    )
    parent = None
    for k in range(10):
        plane.bar(f"Link {k + 1}", (0.2 * k, 1.0), (0.2 * k + 0.2, 1.0))
        plane.hinge(f"Bend {k + 1}", parent, f"Link {k + 1}", (0.2 * k, 1.0), damping=0.02)
        parent = f"Link {k + 1}"
    pushes = Table(x=(0.0, 1.0, 2.0, 4.0), y=((-150.0,), (120.0,), (0.0,), (-100.0,)))
    motor = DriveInput(armature=0.05, stiffness=40.0, damping=2.0, lower=-0.6, upper=0.6, torque_table=pushes)
    bends = tuple(Follower(joint=f"Bend {k + 1}") for k in range(10))
    plane.scene.drives.append(Drive(name="Curl", inputs=(motor,), followers=bends))

    plane.add(Body(name="Handle", shapes=(Box(size=(0.2, 0.1, 0.1), density=700.0),)), (0.0, -0.3))
    plane.joint(
        "prismatic", "Slide", None, "Handle", (0.0, -0.3), axis=(1.0, 0.0, 0.0), stiffness=60.0, rest=0.2, qdot=0.5
    )
    opening = Table(x=(-0.6, -0.3, 0.0, 0.3, 0.6), y=((-0.5,), (-0.35,), (0.0,), (0.8,), (1.2,)), interpolation="cubic")
    flaps = []
    for k in range(3):
        foot = (0.5 + 0.3 * k, -0.3)
        plane.bar(f"Flap {k + 1}", foot, (foot[0], -0.05))
        plane.hinge(f"Flap hinge {k + 1}", None, f"Flap {k + 1}", foot)
        flaps.append(Follower(joint=f"Flap hinge {k + 1}", table=opening))
    plane.scene.drives.append(Drive(name="Flaps", inputs=(DriveInput(joint="Slide"),), followers=tuple(flaps)))
    return plane.scene


MADE = {
    "four_bar": four_bar,
    "slider_crank": slider_crank,
    "scissor_lift": scissor_lift,
    "curling_arm": curling_arm,
}
