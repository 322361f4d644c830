# SPDX-License-Identifier: GPL-3.0-or-later
"""PyBullet: articulated-body algorithm in C++ behind a physics server; it offers whole steps only."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from importlib.metadata import version as installed

import numpy as np

from ..mechanisms import GRAVITY, REVOLUTE, Mechanism, Motion, columns, quaternion
from .base import FPS, Machine, Unsupported, steps_of_a_frame

NAME = "PyBullet"
TINY = 1e-7
"""Step [s] whose change of velocity, divided by it, is the acceleration; Bullet computes in double precision."""
MOST_COORDINATES = 128
"""Bullet's server has room for so many numbers per mechanism, 7 of them for the base."""


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Bullet greets on standard error, from C."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


with silence():
    import pybullet


def version() -> str:
    return installed("pybullet")


class BulletMachine(Machine):
    """`forward` is a step: there is no call for the accelerations alone, and setting a state costs a call per joint."""

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__(mechanism)
        if 7 + sum(1 if link.joint == REVOLUTE else 4 for link in mechanism.links) > MOST_COORDINATES:
            raise Unsupported(f"reports no joints beyond {MOST_COORDINATES} coordinates, so nothing could be compared")
        n = len(mechanism)
        self.client = pybullet.connect(pybullet.DIRECT)
        where = {"physicsClientId": self.client}
        pybullet.setGravity(0.0, 0.0, -GRAVITY, **where)
        kinds = [
            pybullet.JOINT_REVOLUTE if link.joint == REVOLUTE else pybullet.JOINT_SPHERICAL for link in mechanism.links
        ]
        self.body = pybullet.createMultiBody(
            baseMass=0.0,
            linkMasses=[link.mass for link in mechanism.links],
            linkCollisionShapeIndices=[-1] * n,
            linkVisualShapeIndices=[-1] * n,
            linkPositions=[link.offset for link in mechanism.links],
            linkOrientations=[(0.0, 0.0, 0.0, 1.0)] * n,
            linkInertialFramePositions=[link.center for link in mechanism.links],
            linkInertialFrameOrientations=[(0.0, 0.0, 0.0, 1.0)] * n,
            linkParentIndices=[link.parent + 1 for link in mechanism.links],
            linkJointTypes=kinds,
            linkJointAxis=[link.axis for link in mechanism.links],
            **where,
        )
        # Bullet numbers links depth first, which differs from our order in a tree.
        names = [pybullet.getJointInfo(self.body, j, **where)[12].decode() for j in range(n)]
        self.index = [names.index(f"link{i + 1}") for i in range(n)]
        pybullet.changeDynamics(self.body, -1, linearDamping=0.0, angularDamping=0.0, **where)
        for i, link in zip(self.index, mechanism.links, strict=True):
            # In one call with the others the inertia would be ignored.
            pybullet.changeDynamics(self.body, i, localInertiaDiagonal=link.inertia, **where)
            pybullet.changeDynamics(self.body, i, jointDamping=0.0, maxJointVelocity=1e6, **where)
            if link.joint == REVOLUTE:
                pybullet.setJointMotorControl2(self.body, i, pybullet.VELOCITY_CONTROL, force=0.0, **where)
            else:
                pybullet.setJointMotorControlMultiDof(
                    self.body, i, pybullet.POSITION_CONTROL, targetPosition=[0, 0, 0, 1], positionGain=0.0,
                    velocityGain=0.0, force=[0.0, 0.0, 0.0], **where,
                )  # fmt: skip
        self.where = where

    def set_motion(self, motion: Motion) -> None:
        self.motion = motion
        self._reset()
        pybullet.setTimeStep(1e-12, **self.where)  # many timed steps must not move it

    def _reset(self) -> None:
        for i, link, _ in columns(self.mechanism):
            rotation, spin = self.motion.rotation[i], self.motion.spin[i]
            if link.joint == REVOLUTE:
                q, v = [float(rotation @ link.axis)], [float(spin @ link.axis)]
            else:
                w, x, y, z = quaternion(rotation)
                q, v = [x, y, z, w], list(spin)
            pybullet.resetJointStateMultiDof(self.body, self.index[i], q, v, **self.where)

    def forward(self) -> object:
        pybullet.stepSimulation(**self.where)
        return None

    def joint_accelerations(self) -> np.ndarray:
        self._reset()
        before = self._spins()
        pybullet.setTimeStep(TINY, **self.where)
        pybullet.stepSimulation(**self.where)
        after = self._spins()
        self.set_motion(self.motion)
        return (after - before) / TINY

    def _spins(self) -> np.ndarray:
        """(n, 3) angular velocity of each joint."""
        states = pybullet.getJointStatesMultiDof(self.body, self.index, **self.where)
        return np.array(
            [
                np.array(link.axis) * state[1][0] if link.joint == REVOLUTE else np.array(state[1])
                for link, state in zip(self.mechanism.links, states, strict=True)
            ]
        )

    def simulate(self, h: float, frames: int) -> np.ndarray:
        self._reset()
        steps = steps_of_a_frame(h)
        pybullet.setTimeStep(1.0 / (FPS * steps), **self.where)
        places = np.empty((frames, len(self.mechanism), 3))
        for frame in range(frames):
            for _ in range(steps):
                pybullet.stepSimulation(**self.where)
            states = pybullet.getLinkStates(self.body, self.index, computeForwardKinematics=True, **self.where)
            places[frame] = [state[4] for state in states]
        return places


def build(mechanism: Mechanism) -> BulletMachine:
    return BulletMachine(mechanism)
