# SPDX-License-Identifier: GPL-3.0-or-later
"""Example scenes of forces and strands, for tools/make_examples.py."""

from __future__ import annotations

import math

from redmax.fields import Pose
from redmax.forces.cable import Cable
from redmax.forces.drag import Drag
from redmax.forces.lines.points import PathPoint
from redmax.forces.multi_point_muscle import MultiPointMuscle
from redmax.forces.muscle import Muscle
from redmax.forces.spring_damper import SpringDamper
from redmax.geometry.solids import Box, Capsule, Sphere
from redmax.joints import JOINTS
from redmax.scene import Body, Scene
from redmax.strands import Attachment, Strand
from redmax.tables import Table

Y = (0.0, 1.0, 0.0)


def spring_and_cable() -> Scene:
    """A boom on a hinge: a spring carries it, a cable over a pulley point holds its tip, air slows it down."""
    boom = Body(name="Boom", shapes=(Box(size=(2.0, 0.1, 0.1), density=300.0, frame=Pose((1.0, 0.0, 0.0))),))
    weight = Body(name="Weight", shapes=(Sphere(radius=0.12, density=2700.0),))
    hinge = JOINTS["revolute"](name="Foot", parent=None, child="Boom", axis=Y, q=-0.4)
    hook = JOINTS["spherical"](
        name="Hook",
        parent="Boom",
        child="Weight",
        frame_in_parent=Pose((2.0, 0.0, 0.0)),
        frame_in_child=Pose((0.0, 0.0, 0.5)),
        q=(0.0, 0.5, 0.0),
    )
    forces = [
        SpringDamper(
            name="Spring",
            body_a=None,
            point_a=(0.0, 0.0, -0.6),
            body_b="Boom",
            point_b=(0.7, 0.0, 0.0),
            stiffness=1500.0,
            damping=60.0,
            rest_length=0.9,
        ),
        Cable(
            name="Cable",
            points=(
                PathPoint(body=None, point=(-1.0, 0.0, 0.0)),
                PathPoint(body=None, point=(0.0, 0.0, 1.5)),
                PathPoint(body="Boom", point=(1.9, 0.0, 0.05)),
            ),
            stiffness=8000.0,
            damping=100.0,
            rest_length=3.9,
        ),
        Drag(name="Air", body="Weight", area=math.pi * 0.12**2, coefficient=0.5),
    ]
    notes = "A boom carried by a spring; a cable through a point of the world holds its tip once it is taut."
    return Scene(name="Spring and cable", notes=notes, bodies=[boom, weight], joints=[hinge, hook], forces=forces)


def muscle_arm() -> Scene:
    """An elbow with a biceps, and a triceps whose line runs around the joint."""
    upper = Body(
        name="Upper arm",
        shapes=(Capsule(radius=0.04, height=0.25, density=1050.0, frame=Pose((0.0, 0.0, -0.15))),),
    )
    lower = Body(
        name="Forearm",
        shapes=(
            Capsule(
                radius=0.03,
                height=0.22,
                density=1050.0,
                frame=Pose((0.13, 0.0, 0.0), (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)),
            ),
        ),
    )
    shoulder = JOINTS["fixed"](name="Shoulder", parent=None, child="Upper arm")
    elbow = JOINTS["revolute"](
        name="Elbow",
        parent="Upper arm",
        child="Forearm",
        axis=(0.0, -1.0, 0.0),
        frame_in_parent=Pose((0.0, 0.0, -0.3)),
        damping=0.2,
        q=-0.6,
        lower=-1.4,
        upper=1.4,
        limit_stiffness=50.0,
        limit_damping=1.0,
    )
    pulse = Table(x=(0.0, 0.2, 0.5, 0.9, 1.2), y=((0.02,), (0.35,), (0.35,), (0.02,), (0.02,)))
    late = Table(x=(0.0, 1.0, 1.3, 1.8, 2.0), y=((0.0,), (0.0,), (0.3,), (0.3,), (0.0,)))
    forces = [
        Muscle(
            name="Biceps",
            body_a="Upper arm",
            point_a=(0.02, 0.0, 0.0),
            body_b="Forearm",
            point_b=(0.04, 0.0, 0.01),
            peak_force=600.0,
            optimal_length=0.14,
            tendon_length=0.17,
            activation_table=pulse,
        ),
        MultiPointMuscle(
            name="Triceps",
            points=(
                PathPoint(body="Upper arm", point=(-0.03, 0.0, -0.02)),
                PathPoint(body="Upper arm", point=(-0.035, 0.0, -0.3)),
                PathPoint(body="Forearm", point=(-0.02, 0.0, -0.015)),
            ),
            peak_force=600.0,
            optimal_length=0.12,
            tendon_length=0.18,
            activation_table=late,
        ),
    ]
    notes = "Biceps and triceps, told when to pull by tables, bend and stretch an elbow."
    return Scene(name="Muscle arm", notes=notes, bodies=[upper, lower], joints=[shoulder, elbow], forces=forces)


def rope() -> Scene:
    """A rope between the world and a swinging plank."""
    plank = Body(name="Plank", shapes=(Box(size=(0.8, 0.2, 0.04), density=600.0, frame=Pose((0.4, 0.0, 0.0))),))
    hinge = JOINTS["revolute"](name="Hinge", parent=None, child="Plank", axis=Y, q=0.2, damping=0.1)
    tip = (0.8 * math.cos(0.2), 0.0, -0.8 * math.sin(0.2))
    far, count = (1.8, 0.0, 0.3), 16
    nodes = tuple(
        tuple(a + (b - a) * k / count - (0.35 * math.sin(math.pi * k / count) if axis == 2 else 0.0)
              for axis, (a, b) in enumerate(zip(tip, far, strict=True)))
        for k in range(count + 1)
    )  # fmt: skip
    strand = Strand(
        name="Rope",
        nodes=nodes,
        mass=0.6,
        stiffness=4000.0,
        damping=4.0,
        drag=0.005,
        pulls_only=True,
        attachments=(Attachment(node=0, body="Plank"), Attachment(node=count, body=None)),
    )
    notes = "A rope of masses and springs from the tip of a plank on a hinge to a place in the world."
    return Scene(name="Rope", notes=notes, bodies=[plank], joints=[hinge], strands=[strand])


MADE = {"spring_and_cable": spring_and_cable, "muscle_arm": muscle_arm, "rope": rope}
