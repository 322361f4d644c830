# SPDX-License-Identifier: GPL-3.0-or-later
"""Ours: the engine's own scenes, models, kernels and integrators, called as a Python user would."""

from __future__ import annotations

import numpy as np

from redmax import __version__
from redmax.compile import compile as compile_scene
from redmax.fields import Pose
from redmax.integrators import Dop853, Integrator, RungeKutta4, SemiImplicitEuler
from redmax.joints import Revolute, Spherical
from redmax.kernels import route
from redmax.model import Model
from redmax.scene import Body, Inertia, Scene
from redmax.spatial import so3
from redmax.state import State
from redmax.vectorised import accelerations

from ..mechanisms import REVOLUTE, Mechanism, Motion
from .base import FPS, Machine, Method

NAME = "RedMax"


def version() -> str:
    return f"{__version__} ({route.name()})"


def scene(mechanism: Mechanism) -> Scene:
    bodies, joints = [], []
    for i, link in enumerate(mechanism.links):
        inertia = Inertia(mass=link.mass, center=link.center, tensor=tuple(map(tuple, np.diag(link.inertia))))
        bodies.append(Body(name=f"link {i}", inertia=inertia))
        ends = {
            "name": f"joint {i}",
            "parent": f"link {link.parent}" if link.parent >= 0 else None,
            "child": f"link {i}",
            "frame_in_parent": Pose(link.offset),
        }
        joints.append(Revolute(axis=link.axis, **ends) if link.joint == REVOLUTE else Spherical(**ends))
    return Scene(name=mechanism.name, bodies=bodies, joints=joints)


class NumpyMachine(Machine):
    """The route without a compiler; chosen where numba is missing."""

    loop_means = "a loop in Python"

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__(mechanism)
        self.model: Model = compile_scene(scene(mechanism))
        self.index = [self.model.body_names.index(f"link {i}") for i in range(len(mechanism))]

    def set_motion(self, motion: Motion) -> None:
        self.q, self.qdot = np.zeros(self.model.dof_count), np.zeros(self.model.dof_count)
        for i, link in enumerate(self.mechanism.links):
            k = self.model.columns(self.index[i])
            if link.joint == REVOLUTE:
                self.q[k], self.qdot[k] = motion.rotation[i] @ link.axis, motion.spin[i] @ link.axis
            else:
                self.q[k] = motion.rotation[i]
                self.qdot[k] = so3.right_jacobian_inverse(motion.rotation[i]) @ motion.spin[i]
        self.state = State(0.0, self.q, self.qdot, np.zeros(self.model.body_count, np.int64))

    def forward(self) -> np.ndarray:
        return accelerations(self.model, self.q, self.qdot, self.state.chart, 0.0, self.qdot)

    def joint_accelerations(self) -> np.ndarray:
        qddot = self.forward()
        result = np.zeros((len(self.mechanism), 3))
        for i, link in enumerate(self.mechanism.links):
            k = self.model.columns(self.index[i])
            if link.joint == REVOLUTE:
                result[i] = qddot[k][0] * np.array(link.axis)
            else:
                q, qdot = self.q[k], self.qdot[k]
                result[i] = so3.right_jacobian(q) @ qddot[k] + so3.right_jacobian_dot(q, qdot) @ qdot
        return result

    def loop(self, count: int) -> None:
        for _ in range(count):
            self.forward()

    def simulate(self, h: float, frames: int) -> np.ndarray:
        stepper = SemiImplicitEuler(h=h).begin(self.model, self.state)
        poses = np.empty((frames, len(self.mechanism), 4, 4))
        for frame in range(frames):
            stepper.advance((frame + 1) / FPS)
            poses[frame] = stepper.body_motion()[0]
        return (poses @ self.model.E_ib)[:, :, :3, 3][:, self.index]

    def methods(self) -> list[Method]:
        def ours(integrator: Integrator, duration: float) -> tuple[np.ndarray, np.ndarray]:
            stepper = integrator.begin(self.model, self.state)
            stepper.advance(duration)
            return stepper.state.q, stepper.state.qdot

        return [
            Method(
                "DOP853",
                tuple(10.0**-k for k in range(2, 14)),
                lambda tolerance, T: ours(Dop853(rtol=tolerance, atol=tolerance), T),
            ),
            Method("RK4", tuple(0.02 / 2**k for k in range(8)), lambda h, T: ours(RungeKutta4(h=h), T)),
        ]


class CompiledMachine(NumpyMachine):
    """The route that numba compiles."""

    loop_means = "Tree.repeat: every evaluation anew from q and qdot"

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__(mechanism)
        from redmax.kernels.compiled_tree import Tree  # noqa: PLC0415  (loads numba)

        self.fast = Tree(self.model)

    def forward(self) -> np.ndarray:
        return self.fast.accelerations(self.q, self.qdot)

    def loop(self, count: int) -> None:
        self.fast.repeat(self.q, self.qdot, count)


def build(mechanism: Mechanism) -> NumpyMachine:
    """On the route this process takes. Integrators take that one too, whatever the class."""
    return CompiledMachine(mechanism) if route.name() == route.NUMBA else NumpyMachine(mechanism)
