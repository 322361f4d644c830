# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of the engine for the archive: the examples, and every kind of joint, force, constraint, drive and strand.

What is generated here follows the registries, so that the archive of a later version has what that version adds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from engine.drives.driven import equal_angles, hand
from engine.forces.force_battery import EXAMPLES as FORCE_EXAMPLES
from engine.mechanisms import Builder, four_bar, slider_crank
from redmax import io
from redmax.constraints import CONSTRAINTS
from redmax.examples import EXAMPLES
from redmax.fields import Pose
from redmax.forces import FORCES
from redmax.geometry.solids import SHAPES
from redmax.joints import JOINTS, Composite, Fixed, Joint, Prismatic, Revolute
from redmax.scene import Body, Scene
from redmax.strands import Attachment, Strand
from redmax.tables import Table

LONGEST = 1.0
"""Seconds of a run; longer ones of free-falling chains would only show how chaotic they are."""

TILTED = Pose((0.1, -0.2, 0.3), (0.9, 0.1, -0.3, np.sqrt(1.0 - 0.81 - 0.01 - 0.09)))
JOINT_EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "revolute": [{}, {"axis": (1.0, -2.0, 0.5)}],
    "prismatic": [{}, {"axis": (1.0, -2.0, 0.5)}],
    "screw": [{"axis": (1.0, -2.0, 0.5), "pitch": 0.7}, {"pitch": -0.02}],
    "spherical_euler": [{}, {"sequence": "zyx"}],
    "free_translation_euler": [{}, {"sequence": "yzx"}],
    "composite": [
        {"parts": (Revolute.part(axis=(1.0, 0.0, 0.0)), Prismatic.part(axis=(1.0, 0.0, 0.0)))},
        {"parts": (Prismatic.part(), Composite.part(parts=(Revolute.part(axis=(0.0, 1.0, 1.0)), Fixed.part())))},
    ],
}
"""Parameters of joints that have some; springs on Euler angles stay away from gimbal lock."""

SHAPE_EXAMPLES: dict[str, dict[str, Any]] = {
    "box": {"size": (0.2, 0.3, 0.4)},
    "sphere": {"radius": 0.2},
    "cylinder": {"radius": 0.1, "height": 0.4},
    "capsule": {"radius": 0.1, "height": 0.3},
    "cone": {"radius": 0.2, "height": 0.5},
    "ellipsoid": {"radii": (0.1, 0.2, 0.3)},
    "mesh": {
        "vertices": ((0.0, 0.0, 0.0), (0.4, 0.0, 0.0), (0.0, 0.5, 0.0), (0.0, 0.0, 0.6)),
        "faces": ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)),
    },
}


def all_scenes() -> Iterator[tuple[str, Scene, float]]:
    """Name, scene and seconds to simulate."""
    for example in EXAMPLES:
        yield f"example_{example.name}", io.load(example.path), min(LONGEST, example.duration)
    for cls in JOINTS:
        for number, own in enumerate(JOINT_EXAMPLES.get(cls.kind, [{}])):
            yield f"joint_{cls.kind}_{number}", with_joint(cls, own), 0.5
    for kind, scene in with_tables().items():
        yield f"table_{kind}", scene, 0.5
    yield "shapes", with_shapes(), 0.5
    for cls in FORCES:
        forces = [cls(name=f"Pull {n}", **own) for n, own in enumerate(FORCE_EXAMPLES.get(cls.kind, [{}]))]
        yield f"force_{cls.kind}", with_forces(forces), 0.5
    for cls in CONSTRAINTS:
        for number, scene in enumerate(with_constraints(cls)):
            yield f"constraint_{cls.kind}_{number}", scene, 0.5
    yield "drive_of_equal_angles", equal_angles(3, armature=0.2, damping=0.3, stiffness=4.0), 0.5
    yield "drives_of_a_hand", hand(torque=0.5, rest=0.3, stiffness=2.0), 0.5
    yield "strand", with_strand(), 0.5
    yield "loop_four_bar", four_bar(qdot=4.0, damping=0.1), LONGEST
    yield "loop_slider_crank", slider_crank(qdot=5.0, stiffness=3.0, rest=0.2), LONGEST


def bodies(*names: str) -> list[Body]:
    """Boxes of different sizes, their frames beside their centres."""
    return [
        Body(
            name=name,
            damping=0.02 * number,
            shapes=(SHAPES["box"](size=(0.3, 0.2, 0.5 - 0.1 * number), density=400.0, frame=Pose((0.0, 0.05, -0.2))),),
        )
        for number, name in enumerate(names)
    ]


def with_joint(cls: type[Joint], own: dict[str, Any]) -> Scene:
    """A body on a joint with all its loads, and one that hangs from it by a hinge."""
    count = len(cls.part(**own).dof_names)
    numbers = np.arange(count)
    fields = {
        "q": 0.1 + 0.05 * numbers,
        "qdot": 0.4 - 0.3 * numbers,
        "torque": 0.5 + 0.2 * numbers,
        "stiffness": 60.0 + 5.0 * numbers,
        "rest": -0.1 + 0.02 * numbers,
        "damping": 0.4 + 0.1 * numbers,
        "lower": -0.15 - 0.01 * numbers,
        "upper": 0.25 + 0.05 * numbers,
        "limit_stiffness": 300.0 + numbers,
        "limit_damping": 1.0 + 0.1 * numbers,
    }
    per_dof = {name: tuple(values.tolist()) for name, values in fields.items()} if count else {}
    first = cls(name="First", parent=None, child="Upper", frame_in_parent=TILTED, **own, **per_dof)
    second = JOINTS["revolute"](
        name="Second",
        parent="Upper",
        child="Lower",
        axis=(0.0, 1.0, 0.0),
        frame_in_parent=Pose((0.0, 0.0, -0.4)),
        q=0.7,
    )
    return Scene(name=f"On a {cls.kind} joint", bodies=bodies("Upper", "Lower"), joints=[first, second])


def with_tables() -> dict[str, Scene]:
    """An animated hinge, a torque and a spring from tables of every interpolation."""
    x, y = (0.0, 0.2, 0.35, 0.6), ((0.0,), (0.5,), (0.3,), (0.8,))
    slopes = ((0.0,), (1.0,), (1.0,), (-0.5,), (0.2,), (0.0,))
    made = {}
    for interpolation in ("step", "linear", "cubic", "hermite"):
        more = {"slopes": slopes} if interpolation == "hermite" else {}
        table = Table(x=x, y=y, interpolation=interpolation, **more)
        spring = Table(x=(-0.8, -0.2, 0.2, 0.8), y=((-3.0,), (-0.5,), (0.5,), (3.0,)))
        moved = {"torque_table": table} if interpolation == "step" else {"motion_type": "animated", "animation": table}
        joints = [
            JOINTS["revolute"](name="First", parent=None, child="Upper", axis=(0.0, 1.0, 0.0), **moved),
            JOINTS["revolute"](
                name="Second",
                parent="Upper",
                child="Lower",
                axis=(1.0, 0.0, 0.0),
                frame_in_parent=Pose((0.0, 0.0, -0.4)),
                q=0.5,
                stiffness_table=spring,
            ),
        ]
        made[interpolation] = Scene(name=f"{interpolation} tables", bodies=bodies("Upper", "Lower"), joints=joints)
    return made


def with_shapes() -> Scene:
    """A pendulum of every shape, by density and by mass, and one of an inertia."""
    scene = Scene(name="Shapes", gravity=(0.5, -1.0, -9.0))
    for number, cls in enumerate(SHAPES):
        own = SHAPE_EXAMPLES[cls.kind]
        weighed = {"mass": 2.0} if number % 2 else {"density": 800.0}
        scene.bodies.append(Body(name=cls.kind, shapes=(cls(frame=TILTED, **own, **weighed),)))
        scene.joints.append(
            JOINTS["revolute"](name=f"Pin {cls.kind}", parent=None, child=cls.kind, axis=(0.3, 1.0, 0.2), q=0.4)
        )
    return scene


def with_forces(forces: list[Any]) -> Scene:
    """Two bodies on universal joints, and forces on them and between them."""
    joints = [
        JOINTS["universal"](
            name=f"Joint {name}", parent=None, child=name, frame_in_parent=Pose((x, 0.0, 0.0)), q=(0.3, -0.2)
        )
        for name, x in (("A", 0.0), ("B", 0.8))
    ]
    return Scene(name=f"Force {forces[0].kind}", bodies=bodies("A", "B"), joints=joints, forces=forces)


def with_constraints(cls: Any) -> list[Scene]:
    """A four-bar closed by pins, or a double pendulum with a constraint of another kind."""
    if cls.kind == "pin":
        return [pinned_four_bar(cls), pinned_four_bar(cls, axis=(0.0, 1.0, 0.0))]
    ramp = Table(x=(0.0, 0.3, 0.8), y=((0.1,), (0.4,), (0.2,)), interpolation="cubic")
    turning = Table(x=(0.0, 1.0), y=((0.0, 0.5, 0.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0, 0.0, 0.0)))
    quantities = ("position", "velocity", "acceleration")
    examples: dict[str, list[dict[str, Any]]] = {
        "coupling": [{"leader": "first", "follower": "second", "ratio": -2.0, "offset": 0.05}],
        "joint_motion": [{"joint": "first", "quantity": quantity, "table": ramp} for quantity in quantities],
        "body_motion": [{"body": "upper", "components": (0.0, 1.0, 0.0, 0.0, 0.0, 0.0), "table": turning}],
        "joint_limit": [{"joint": "second", "lower": -0.3, "upper": 0.2, "restitution": 0.5}],
    }
    return [in_pendulum(cls(name="Held", **own)) for own in examples[cls.kind]]


def pinned_four_bar(cls: Any, **more: Any) -> Scene:
    """A four-bar whose last hinge is a pin."""
    scene = four_bar(qdot=3.0)
    last = scene.joints[-1]
    pin = cls(
        name="Held",
        body=last.parent,
        point=last.frame_in_parent.position,
        other=last.child,
        other_point=last.frame_in_child.position,
        **more,
    )
    return replace(scene, joints=scene.joints[:-1], constraints=[pin])


def in_pendulum(constraint: Any) -> Scene:
    """A double pendulum with a constraint; it starts where the constraint wants it."""
    b = Builder(f"Constraint {constraint.kind}")
    b.bar("upper", (0.0, 0.0, 0.0), (0.4, 0.0, 0.0))
    b.bar("lower", (0.4, 0.0, 0.0), (0.8, 0.0, 0.0), mass=0.5)
    first = 0.1 if getattr(constraint, "quantity", "") == "position" else 0.0
    b.hinge("first", None, "upper", (0.0, 0.0, 0.0), damping=0.1, q=first)
    second = getattr(constraint, "offset", 0.0)
    b.hinge("second", "upper", "lower", (0.4, 0.0, 0.0), damping=0.1, q=second)
    return replace(b.scene, constraints=[constraint])


def with_strand() -> Scene:
    """A strand with every field set, between a swinging plank and the world."""
    b = Builder("Strand")
    b.bar("plank", (0.0, 0.0, 0.0), (0.5, 0.0, 0.0), mass=2.0)
    b.hinge("hinge", None, "plank", (0.0, 0.0, 0.0))
    count = 5
    nodes = tuple((0.5 + 0.1 * k, 0.0, -0.02 * k * (count - 1 - k)) for k in range(count))
    strand = Strand(
        name="Rope",
        nodes=nodes,
        node_masses=(0.02, 0.03, 0.03, 0.03, 0.02),
        stiffness=200.0,
        damping=1.0,
        rest_lengths=(0.1, 0.11, 0.1, 0.09),
        pulls_only=True,
        drag=0.01,
        velocities=((0.0, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.2, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.0)),
        attachments=(Attachment(node=0, body="plank"), Attachment(node=count - 1, body=None)),
    )
    return replace(b.scene, strands=[strand])
