# SPDX-License-Identifier: GPL-3.0-or-later
"""Small mechanisms whose motion is known, for the tests of the integrators."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.compile import compile as compile_scene
from redmax.fields import Pose
from redmax.geometry.solids import Box
from redmax.joints import JOINTS, Revolute
from redmax.model import Model
from redmax.scene import Body, Inertia, Scene

LENGTH = 0.5


def link(name: str, **values: Any) -> Body:
    """A thin box of length 0.5 m along x, 0.8 kg."""
    return Body(name=name, shapes=(Box(size=(LENGTH, 0.05, 0.1), mass=0.8),), **values)


def hinge(index: int, **values: Any) -> Revolute:
    """Hinge about y between link index - 1 (or the world) and link index, at the ends of the links."""
    parent = f"Link {index - 1}" if index else None
    return Revolute(
        name=f"Hinge {index}",
        parent=parent,
        child=f"Link {index}",
        axis=(0.0, 1.0, 0.0),
        frame_in_parent=Pose((LENGTH / 2.0, 0.0, 0.0)) if index else Pose(),
        frame_in_child=Pose((-LENGTH / 2.0, 0.0, 0.0)),
        **values,
    )


def chain(*hinges: Revolute, gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)) -> Model:
    """A chain of links, one per hinge."""
    bodies = [link(f"Link {index}") for index in range(len(hinges))]
    return compile_scene(Scene(name="Chain", gravity=gravity, bodies=bodies, joints=list(hinges)))


def double_pendulum(**values: Any) -> Model:
    """Two links that start at rest at an angle; conservative unless values (of both hinges) say otherwise."""
    return chain(hinge(0, q=0.4, **values), hinge(1, q=0.9, **values))


def free_body(
    kind: str, omega: tuple[float, float, float], *, inertia: tuple[float, float, float] = (0.02, 0.05, 0.06)
) -> Model:
    """A body of 1 kg on a free joint of the given kind that starts at q = 0 with body angular velocity omega."""
    body = Body(name="Body", inertia=Inertia(mass=1.0, tensor=np.diag(inertia).tolist()))
    cls = JOINTS[kind]
    units = np.array(cls.dof_units)
    qdot = np.zeros(len(units))
    qdot[units == "rad"] = omega  # at q = 0 rotation rates are body rates in every chart of these joints
    joint = cls(name="Free", parent=None, child="Body", qdot=tuple(qdot.tolist()))
    return compile_scene(Scene(gravity=(0.0, 0.0, 0.0), bodies=[body], joints=[joint]))
