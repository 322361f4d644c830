# SPDX-License-Identifier: GPL-3.0-or-later
"""Exudyn: kinematic trees of hinges with a composite-body mass matrix in C++, integrators in C++ too."""

from __future__ import annotations

from typing import Any

import exudyn as exu
import numpy as np
from exudyn.itemInterface import NodeGenericODE2, ObjectKinematicTree

from ..mechanisms import GRAVITY, REVOLUTE, Mechanism, Motion
from .base import Machine, Method, Unsupported

NAME = "Exudyn"
HINGES = {
    (1.0, 0.0, 0.0): exu.JointType.RevoluteX,
    (0.0, 1.0, 0.0): exu.JointType.RevoluteY,
    (0.0, 0.0, 1.0): exu.JointType.RevoluteZ,
}
TINY = 1e-9
"""Step [s] of those runs that shall only evaluate the dynamics."""


def version() -> str:
    return str(exu.__version__)


def listed(kind: Any, values: list[np.ndarray]) -> Any:
    """Exudyn's own list of vectors or matrices."""
    made = kind()
    for value in values:
        made.Append(value)
    return made


class ExudynMachine(Machine):
    """`forward` is a run of one explicit Euler step: no call gives the accelerations alone."""

    loop_means = "explicit Euler steps of 1e-9 s: mass matrix, forces and a dense solution for each"

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__(mechanism)
        links = mechanism.links
        if any(link.joint != REVOLUTE for link in links):
            raise Unsupported("has no spherical joint in its kinematic trees")
        self.container = exu.SystemContainer()
        self.system = self.container.AddSystem()
        zeros = [0.0] * len(links)
        node = NodeGenericODE2(
            referenceCoordinates=zeros,
            initialCoordinates=zeros,
            initialCoordinates_t=zeros,
            numberOfODE2Coordinates=len(links),
        )
        self.system.AddObject(
            ObjectKinematicTree(
                nodeNumber=self.system.AddNode(node),
                gravity=[0.0, 0.0, -GRAVITY],
                jointTypes=[HINGES[link.axis] for link in links],
                linkParents=[link.parent for link in links],
                jointTransformations=listed(exu.Matrix3DList, [np.eye(3) for _ in links]),
                jointOffsets=listed(exu.Vector3DList, [np.array(link.offset) for link in links]),
                linkInertiasCOM=listed(exu.Matrix3DList, [np.diag(link.inertia) for link in links]),
                linkCOMs=listed(exu.Vector3DList, [np.array(link.center) for link in links]),
                linkMasses=[link.mass for link in links],
            )
        )
        self.system.Assemble()

    def set_motion(self, motion: Motion) -> None:
        axes = np.array([link.axis for link in self.mechanism.links])
        self.q, self.v = (motion.rotation * axes).sum(axis=1), (motion.spin * axes).sum(axis=1)

    def run(self, kind: exu.DynamicSolverType, duration: float, *, steps: int, tolerance: float | None = None) -> None:
        """From the motion set; with a tolerance the steps adapt."""
        settings = exu.SimulationSettings()
        time = settings.timeIntegration
        time.numberOfSteps, time.endTime, time.verboseMode = steps, duration, 0
        time.explicit.computeEndOfStepAccelerations = False
        time.automaticStepSize = tolerance is not None
        if tolerance is not None:
            time.absoluteTolerance, time.relativeTolerance, time.minimumStepSize = tolerance, tolerance, 1e-12
            time.initialStepSize = 1e-3
        settings.solutionSettings.writeSolutionToFile = False
        settings.linearSolverType = exu.LinearSolverType.EigenDense
        data, initial = self.system.systemData, exu.ConfigurationType.Initial
        data.SetODE2Coordinates(self.q, initial)
        data.SetODE2Coordinates_t(self.v, initial)
        if not self.system.SolveDynamic(settings, solverType=kind):
            raise RuntimeError("Exudyn's solver gave up")

    def forward(self) -> np.ndarray:
        self.run(exu.DynamicSolverType.ExplicitEuler, TINY, steps=1)
        return self.system.systemData.GetODE2Coordinates_tt()

    def joint_accelerations(self) -> np.ndarray:
        return self.forward()[:, None] * np.array([link.axis for link in self.mechanism.links])

    def loop(self, count: int) -> None:
        self.run(exu.DynamicSolverType.ExplicitEuler, TINY * count, steps=count)

    def methods(self) -> list[Method]:
        def state() -> tuple[np.ndarray, np.ndarray]:
            data = self.system.systemData
            return data.GetODE2Coordinates(), data.GetODE2Coordinates_t()

        def adaptive(tolerance: float, duration: float) -> tuple[np.ndarray, np.ndarray]:
            self.run(exu.DynamicSolverType.DOPRI5, duration, steps=1, tolerance=tolerance)
            return state()

        def fixed(h: float, duration: float) -> tuple[np.ndarray, np.ndarray]:
            self.run(exu.DynamicSolverType.RK67, duration, steps=round(duration / h))
            return state()

        return [
            Method("DOPRI5", tuple(10.0**-k for k in range(2, 13)), adaptive),
            Method("RK67", tuple(0.02 / 2**k for k in range(7)), fixed),
        ]


def build(mechanism: Mechanism) -> ExudynMachine:
    return ExudynMachine(mechanism)
