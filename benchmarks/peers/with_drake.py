# SPDX-License-Identifier: GPL-3.0-or-later
"""Drake: articulated-body algorithm in C++ behind its systems framework, through pydrake."""

from __future__ import annotations

from importlib.metadata import version as installed

import numpy as np
from pydrake.common import Parallelism
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BallRpyJoint, FixedOffsetFrame, RevoluteJoint, RotationalInertia, SpatialInertia
from pydrake.systems.analysis import BatchEvalTimeDerivatives, ResetIntegratorFromFlags, Simulator
from pydrake.systems.framework import InputPortSelection

from ..mechanisms import GRAVITY, REVOLUTE, Mechanism, Motion, columns, matrix
from .base import FPS, Machine, Method, steps_of_a_frame

NAME = "Drake"


BATCH = 32
"""States that `loop` computes by one call."""

LONGEST_STEP, FIRST_STEP = 0.1, 1e-3
"""Steps [s] of adaptive schemes. Left alone they begin with a tenth of the longest, and a first step of 0.2 s was
seen to keep `runge_kutta5` busy for ever."""


def version() -> str:
    return installed("drake")


def plant_of(mechanism: Mechanism) -> tuple[MultibodyPlant, list, list]:
    """The plant as a continuous system, its bodies and its joints."""
    plant = MultibodyPlant(0.0)
    plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -GRAVITY])
    bodies, joints = [plant.world_body()], []
    for i, link in enumerate(mechanism.links):
        center = np.array(link.center)
        inertia = SpatialInertia.MakeFromCentralInertia(link.mass, center, RotationalInertia(*link.inertia))
        body = plant.AddRigidBody(f"link {i}", inertia)
        parent = bodies[link.parent + 1].body_frame()
        place = plant.AddFrame(FixedOffsetFrame(f"place {i}", parent, RigidTransform(np.array(link.offset))))
        if link.joint == REVOLUTE:
            joint = RevoluteJoint(f"joint {i}", place, body.body_frame(), np.array(link.axis))
        else:
            joint = BallRpyJoint(f"joint {i}", place, body.body_frame())
        joints.append(plant.AddJoint(joint))
        bodies.append(body)
    plant.Finalize()
    return plant, bodies[1:], joints


class DrakeMachine(Machine):
    """Velocities of Drake's ball joint are written in the parent's frame: acceleration_child = R^T acceleration."""

    loop_means = "BatchEvalTimeDerivatives with one thread over equal states; results are stored for each"

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__(mechanism)
        self.plant, self.bodies, self.joints = plant_of(mechanism)
        self.context = self.plant.CreateDefaultContext()
        self.rates = self.plant.AllocateTimeDerivatives()
        self._states: np.ndarray | None = None

    def set_motion(self, motion: Motion) -> None:
        self.x = state(self.plant, self.joints, self.mechanism, motion)
        self._states = None
        self.rotations = [matrix(rotation) for rotation in motion.rotation]

    def forward(self) -> np.ndarray:
        self.plant.SetPositionsAndVelocities(self.context, self.x)
        self.plant.CalcTimeDerivatives(self.context, self.rates)
        return self.rates.get_generalized_velocity().CopyToVector()

    def joint_accelerations(self) -> np.ndarray:
        a = self.forward()
        result = np.zeros((len(self.mechanism), 3))
        for i, link in enumerate(self.mechanism.links):
            k = self.joints[i].velocity_start()
            result[i] = a[k] * np.array(link.axis) if link.joint == REVOLUTE else self.rotations[i].T @ a[k : k + 3]
        return result

    def loop(self, count: int) -> None:
        if self._states is None:  # small enough to stay in the processor's cache
            self._states = np.asfortranarray(np.tile(self.x[:, None], BATCH))
        sizes = [BATCH] * (count // BATCH) + [count % BATCH] * (count % BATCH > 0)
        for size in sizes:
            times, inputs, states = np.zeros((1, size)), np.zeros((0, size)), self._states[:, :size]
            BatchEvalTimeDerivatives(
                self.plant, self.context, times, states, inputs, InputPortSelection.kNoInput, Parallelism(1)
            )

    def simulator(self, scheme: str, h: float) -> Simulator:
        """A simulator at the motion set, with one of Drake's integration schemes and its (largest) step [s]."""
        simulator = Simulator(self.plant)
        ResetIntegratorFromFlags(simulator, scheme, h)
        self.plant.SetPositionsAndVelocities(simulator.get_mutable_context(), self.x)
        return simulator

    def simulate(self, h: float, frames: int) -> np.ndarray:
        simulator = self.simulator("semi_explicit_euler", 1.0 / (FPS * steps_of_a_frame(h)))
        context = simulator.get_context()
        places = np.empty((frames, len(self.bodies), 3))
        for frame in range(frames):
            simulator.AdvanceTo((frame + 1) / FPS)
            poses = [self.plant.EvalBodyPoseInWorld(context, body).GetAsMatrix4() for body in self.bodies]
            places[frame] = np.array(poses)[:, :3, 3]
        return places

    def methods(self) -> list[Method]:
        def run(scheme: str, accuracy: float, duration: float) -> tuple[np.ndarray, np.ndarray]:
            simulator = self.simulator(scheme, LONGEST_STEP)
            integrator = simulator.get_mutable_integrator()
            integrator.set_target_accuracy(accuracy)
            integrator.request_initial_step_size_target(FIRST_STEP)
            simulator.AdvanceTo(duration)
            context = simulator.get_context()
            return self.plant.GetPositions(context), self.plant.GetVelocities(context)

        accuracies = tuple(10.0**-k for k in range(2, 13))
        return [
            Method("runge_kutta5", accuracies, lambda accuracy, T: run("runge_kutta5", accuracy, T)),
            Method("runge_kutta3", accuracies[:8], lambda accuracy, T: run("runge_kutta3", accuracy, T)),
        ]


def state(plant: MultibodyPlant, joints: list, mechanism: Mechanism, motion: Motion) -> np.ndarray:
    """Positions and velocities in the plant's own coordinates."""
    q, v = np.zeros(plant.num_positions()), np.zeros(plant.num_velocities())
    for i, link, _ in columns(mechanism):
        j, k = joints[i].position_start(), joints[i].velocity_start()
        if link.joint == REVOLUTE:
            q[j], v[k] = motion.rotation[i] @ link.axis, motion.spin[i] @ link.axis
        else:
            R = matrix(motion.rotation[i])
            q[j : j + 3] = RotationMatrix(R).ToRollPitchYaw().vector()
            v[k : k + 3] = R @ motion.spin[i]
    return np.concatenate([q, v])


def build(mechanism: Mechanism) -> DrakeMachine:
    return DrakeMachine(mechanism)
