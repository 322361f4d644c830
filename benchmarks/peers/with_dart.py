# SPDX-License-Identifier: GPL-3.0-or-later
"""DART: articulated-body algorithm in C++, through dartpy."""

from __future__ import annotations

import itertools

import dartpy
import numpy as np

from ..mechanisms import GRAVITY, REVOLUTE, Mechanism, Motion, columns
from .base import FPS, Machine, steps_of_a_frame

NAME = "DART"


def version() -> str:
    return str(dartpy.__version__)


class DartMachine(Machine):
    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__(mechanism)
        self.skeleton = dartpy.dynamics.Skeleton("mechanism")
        self.skeleton.setGravity([0.0, 0.0, -GRAVITY])
        self.bodies: list[dartpy.dynamics.BodyNode] = []
        for i, link in enumerate(mechanism.links):
            parent = self.bodies[link.parent] if link.parent >= 0 else None
            hinge = link.joint == REVOLUTE
            properties = (
                dartpy.dynamics.RevoluteJointProperties() if hinge else dartpy.dynamics.BallJointProperties()
            )  # fmt: skip
            if hinge:
                properties.mAxis = link.axis
            place = dartpy.math.Isometry3()
            place.set_translation(link.offset)
            properties.mT_ParentBodyToJoint = place
            make = (
                self.skeleton.createRevoluteJointAndBodyNodePair
                if hinge
                else self.skeleton.createBallJointAndBodyNodePair
            )
            _, body = make(parent, properties)
            body.setName(f"link {i}")
            body.setInertia(dartpy.dynamics.Inertia(link.mass, link.center, np.diag(link.inertia)))
            self.bodies.append(body)
        # DART numbers coordinates tree by tree, which for one tree built parents first is our order.
        self.index = [body.getParentJoint().getIndexInSkeleton(0) for body in self.bodies]

    def set_motion(self, motion: Motion) -> None:
        count = self.skeleton.getNumDofs()
        self.q, self.v = np.zeros(count), np.zeros(count)
        for i, link, _ in columns(self.mechanism):
            k = self.index[i]
            if link.joint == REVOLUTE:
                self.q[k], self.v[k] = motion.rotation[i] @ link.axis, motion.spin[i] @ link.axis
            else:
                self.q[k : k + 3], self.v[k : k + 3] = motion.rotation[i], motion.spin[i]
        # DART keeps what it knows of coordinates it is given twice; states that take turns make it compute anew.
        self._turns = itertools.cycle([(self.q, self.v), (self.q * (1.0 + 4e-16), self.v * (1.0 + 4e-16))])

    def forward(self) -> np.ndarray:
        skeleton = self.skeleton
        q, v = next(self._turns)
        skeleton.setPositions(q)
        skeleton.setVelocities(v)
        skeleton.computeForwardDynamics()
        return skeleton.getAccelerations()

    def joint_accelerations(self) -> np.ndarray:
        a = self.forward()
        return np.array(
            [
                a[k] * np.array(link.axis) if link.joint == REVOLUTE else a[k : k + 3]
                for k, link in zip(self.index, self.mechanism.links, strict=True)
            ]
        )

    def simulate(self, h: float, frames: int) -> np.ndarray:
        steps = steps_of_a_frame(h)
        h = 1.0 / (FPS * steps)
        skeleton = self.skeleton
        skeleton.setPositions(self.q)
        skeleton.setVelocities(self.v)
        places = np.empty((frames, len(self.bodies), 3))
        for frame in range(frames):
            for _ in range(steps):
                skeleton.computeForwardDynamics()
                skeleton.integrateVelocities(h)
                skeleton.integratePositions(h)
            poses = [body.getWorldTransform().matrix() for body in self.bodies]
            places[frame] = np.array(poses)[:, :3, 3]
        return places


def build(mechanism: Mechanism) -> DartMachine:
    return DartMachine(mechanism)
