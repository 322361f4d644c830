# SPDX-License-Identifier: GPL-3.0-or-later
"""Pinocchio: articulated-body algorithm in C++."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pinocchio as pin
from scipy.integrate import solve_ivp

from ..mechanisms import REVOLUTE, Mechanism, Motion, columns, quaternion
from .base import FPS, Machine, Method, Unsupported, steps_of_a_frame

NAME = "pinocchio"
HINGES = {(1.0, 0.0, 0.0): pin.JointModelRX, (0.0, 1.0, 0.0): pin.JointModelRY, (0.0, 0.0, 1.0): pin.JointModelRZ}
MOST_DOF = 300
"""pinocchio's `Data` holds four tensors of dof^3 numbers: 0.9 GB here, 32 GB for 1000."""
BATCH = 32
"""States that `loop` computes by one call."""


def version() -> str:
    return str(pin.__version__)


@lru_cache(maxsize=1)
def model_and_data(mechanism: Mechanism) -> tuple[pin.Model, pin.Data]:
    """Shared by both formulations, because of the size of the data."""
    model = pin.Model()
    for i, link in enumerate(mechanism.links):
        joint = HINGES[link.axis]() if link.joint == REVOLUTE else pin.JointModelSpherical()
        place = pin.SE3(np.eye(3), np.array(link.offset))
        index = model.addJoint(link.parent + 1, joint, place, f"joint {i}")
        inertia = pin.Inertia(link.mass, np.array(link.center), np.diag(link.inertia))
        model.appendBodyToJoint(index, inertia, pin.SE3.Identity())
    return model, model.createData()


class PinocchioMachine(Machine):
    loop_means = "abaInParallel with one thread over equal states; results are stored for each"

    def __init__(self, mechanism: Mechanism, convention: pin.Convention = pin.Convention.LOCAL) -> None:
        super().__init__(mechanism)
        self.convention = convention
        if mechanism.dof > MOST_DOF:
            size = 4 * 8e-9 * mechanism.dof**3
            raise Unsupported(f"would reserve {size:.0f} GB for tensors of second derivatives that nobody asked for")
        self.model, self.data = model_and_data(mechanism)
        self.tau = np.zeros(self.model.nv)
        self._pool: pin.ModelPool | None = None
        self._batch: tuple[np.ndarray, ...] = ()

    def set_motion(self, motion: Motion) -> None:
        q, v = [], []
        for i, link, _ in columns(self.mechanism):
            if link.joint == REVOLUTE:
                q.append(motion.rotation[i] @ link.axis)
                v.append(motion.spin[i] @ link.axis)
            else:
                w, x, y, z = quaternion(motion.rotation[i])
                q.extend((x, y, z, w))
                v.extend(motion.spin[i])
        self.q, self.v = np.array(q), np.array(v)
        self._batch = ()

    def forward(self) -> np.ndarray:
        return pin.aba(self.model, self.data, self.q, self.v, self.tau, self.convention)

    def joint_accelerations(self) -> np.ndarray:
        a = self.forward()
        return np.array(
            [a[k] * np.array(link.axis) if link.joint == REVOLUTE else a[k] for _, link, k in columns(self.mechanism)]
        )

    def loop(self, count: int) -> None:
        if not getattr(pin, "WITH_OPENMP", False):
            raise Unsupported("was built without the batch call that would make a compiled loop")
        if self._pool is None:
            self._pool = pin.ModelPool(self.model, 1)
        if not self._batch:  # small enough to stay in the processor's cache
            given = (self.q, self.v, self.tau, self.tau)
            self._batch = tuple(np.asfortranarray(np.tile(x[:, None], BATCH)) for x in given)
        for _ in range(count // BATCH):
            pin.abaInParallel(1, self._pool, *self._batch)
        if count % BATCH:
            pin.abaInParallel(1, self._pool, *(x[:, : count % BATCH] for x in self._batch))

    def simulate(self, h: float, frames: int) -> np.ndarray:
        steps = steps_of_a_frame(h)
        h = 1.0 / (FPS * steps)
        model, data, tau, q, v = self.model, self.data, self.tau, self.q, self.v
        places = np.empty((frames, len(self.mechanism), 3))
        for frame in range(frames):
            for _ in range(steps):
                v = v + h * pin.aba(model, data, q, v, tau, self.convention)
                q = pin.integrate(model, q, h * v)
            pin.forwardKinematics(model, data, q)
            poses = [pose.homogeneous for pose in list(data.oMi)[1:]]
            places[frame] = np.array(poses)[:, :3, 3]
        return places

    def methods(self) -> list[Method]:
        model, data, tau, n = self.model, self.data, self.tau, self.model.nv

        def slope(_: float, y: np.ndarray) -> np.ndarray:
            return np.concatenate([y[n:], pin.aba(model, data, y[:n], y[n:], tau)])

        def solve(method: str, tolerance: float, duration: float) -> tuple[np.ndarray, np.ndarray]:
            start = np.concatenate([self.q, self.v])
            # scipy refuses a relative tolerance below 100 eps.
            rtol = max(tolerance, 2.3e-14)
            y = solve_ivp(slope, (0.0, duration), start, method=method, rtol=rtol, atol=tolerance).y[:, -1]
            return y[:n], y[n:]

        tolerances = tuple(10.0**-k for k in range(2, 14))
        return [
            Method("scipy DOP853", tolerances, lambda tolerance, T: solve("DOP853", tolerance, T)),
            Method("scipy LSODA", tolerances, lambda tolerance, T: solve("LSODA", tolerance, T)),
        ]


def build(mechanism: Mechanism) -> PinocchioMachine:
    return PinocchioMachine(mechanism)
