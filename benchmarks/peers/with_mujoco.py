# SPDX-License-Identifier: GPL-3.0-or-later
"""MuJoCo: composite-body algorithm and sparse factorisation in C; everything but the dynamics switched off."""

from __future__ import annotations

import mujoco
import numpy as np

from ..mechanisms import GRAVITY, REVOLUTE, Mechanism, Motion, columns, quaternion
from .base import FPS, Machine, Method, steps_of_a_frame

NAME = "MuJoCo"
OFF = mujoco.mjtDisableBit
SWITCHED_OFF = (
    OFF.mjDSBL_CONSTRAINT | OFF.mjDSBL_CONTACT | OFF.mjDSBL_LIMIT | OFF.mjDSBL_EQUALITY | OFF.mjDSBL_FRICTIONLOSS
    | OFF.mjDSBL_SPRING | OFF.mjDSBL_DAMPER | OFF.mjDSBL_ACTUATION | OFF.mjDSBL_SENSOR | OFF.mjDSBL_AUTORESET
)  # fmt: skip
EULER, RK4 = mujoco.mjtIntegrator.mjINT_EULER, mujoco.mjtIntegrator.mjINT_RK4


def version() -> str:
    return str(mujoco.__version__)


class MuJoCoMachine(Machine):
    loop_means = "mj_step: forward dynamics and a semi-implicit Euler step of 1e-9 s"

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__(mechanism)
        spec = mujoco.MjSpec()
        spec.option.gravity = [0.0, 0.0, -GRAVITY]
        spec.option.integrator = EULER
        spec.option.disableflags = int(SWITCHED_OFF)
        bodies = [spec.worldbody]
        for i, link in enumerate(mechanism.links):
            body = bodies[link.parent + 1].add_body(name=f"link {i}", pos=link.offset)
            body.mass, body.ipos, body.inertia, body.explicitinertial = link.mass, link.center, link.inertia, True
            if link.joint == REVOLUTE:
                body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=link.axis)
            else:
                body.add_joint(type=mujoco.mjtJoint.mjJNT_BALL)
            bodies.append(body)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        # MuJoCo numbers bodies depth first, which differs from our order in a tree.
        self.body = np.array([self.model.body(f"link {i}").id for i in range(len(mechanism))])
        self.joint = self.model.body_jntadr[self.body]

    def set_motion(self, motion: Motion) -> None:
        self.q, self.v = np.zeros(self.model.nq), np.zeros(self.model.nv)
        for i, link, _ in columns(self.mechanism):
            q, v = self.model.jnt_qposadr[self.joint[i]], self.model.jnt_dofadr[self.joint[i]]
            if link.joint == REVOLUTE:
                self.q[q], self.v[v] = motion.rotation[i] @ link.axis, motion.spin[i] @ link.axis
            else:
                self.q[q : q + 4], self.v[v : v + 3] = quaternion(motion.rotation[i]), motion.spin[i]
        mujoco.mj_resetData(self.model, self.data)

    def forward(self) -> np.ndarray:
        data = self.data
        data.qpos, data.qvel = self.q, self.v
        mujoco.mj_forward(self.model, data)
        return data.qacc.copy()

    def joint_accelerations(self) -> np.ndarray:
        a = self.forward()
        result = np.zeros((len(self.mechanism), 3))
        for i, link in enumerate(self.mechanism.links):
            v = self.model.jnt_dofadr[self.joint[i]]
            result[i] = a[v] * np.array(link.axis) if link.joint == REVOLUTE else a[v : v + 3]
        return result

    def loop(self, count: int) -> None:
        self.begin(EULER, 1e-9)
        mujoco.mj_step(self.model, self.data, count)

    def begin(self, integrator: mujoco.mjtIntegrator, h: float) -> None:
        """Back to the motion set, with an integrator and its step [s]."""
        mujoco.mj_resetData(self.model, self.data)
        self.model.opt.integrator, self.model.opt.timestep = integrator, h
        self.data.qpos, self.data.qvel = self.q, self.v

    def simulate(self, h: float, frames: int) -> np.ndarray:
        steps = steps_of_a_frame(h)
        self.begin(EULER, 1.0 / (FPS * steps))
        places, turns = np.empty((frames, len(self.mechanism), 3)), np.empty((frames, len(self.mechanism), 9))
        for frame in range(frames):
            mujoco.mj_step(self.model, self.data, steps)
            mujoco.mj_kinematics(self.model, self.data)  # a step leaves the poses of its beginning behind
            places[frame], turns[frame] = self.data.xpos[self.body], self.data.xmat[self.body]
        return places

    def methods(self) -> list[Method]:
        def run(h: float, duration: float) -> tuple[np.ndarray, np.ndarray]:
            steps = round(duration / h)
            self.begin(RK4, duration / steps)
            mujoco.mj_step(self.model, self.data, steps)
            return self.data.qpos.copy(), self.data.qvel.copy()

        return [Method("RK4", tuple(0.02 / 2**k for k in range(12)), run)]


def build(mechanism: Mechanism) -> MuJoCoMachine:
    return MuJoCoMachine(mechanism)
