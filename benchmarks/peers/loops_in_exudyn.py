# SPDX-License-Identifier: GPL-3.0-or-later
"""Exudyn: rigid bodies in the plane, three coordinates each, every hinge two equations; implicit steps that solve the
equations of positions (index 3) or of velocities (index 2), sparse."""

from __future__ import annotations

from functools import partial

import exudyn as exu
import numpy as np
from exudyn.itemInterface import (
    LoadMassProportional,
    MarkerBodyMass,
    MarkerBodyPosition,
    MarkerNodeCoordinate,
    NodePointGround,
    NodeRigidBody2D,
    ObjectConnectorCoordinate,
    ObjectGround,
    ObjectJointRevolute2D,
    ObjectRigidBody2D,
    SensorNode,
)

from ..linkage import HINGE, Linkage, joints_of, start_velocities
from ..mechanisms import GRAVITY
from .base import FPS, steps_of_a_frame
from .loops_base import LoopMachine, Setting, step_label

NAME = "Exudyn"
METHODS = {
    "generalised alpha": exu.DynamicSolverType.GeneralizedAlpha,
    "trapezoidal, index 2": exu.DynamicSolverType.TrapezoidalIndex2,
}
OWN_STEP = 0.01
"""Exudyn's default: 100 steps over one second [s]."""

STEPS = (1.0 / FPS, 0.5 / FPS, OWN_STEP, *(0.004 / 2**k for k in range(4)))


class ExudynLoops(LoopMachine):
    """Exudyn's plane is x-y and its angles turn x towards y: our z is its y, our angle about y its negative angle."""

    def __init__(self, linkage: Linkage) -> None:
        super().__init__(linkage)
        self.container = exu.SystemContainer()
        system = self.system = self.container.AddSystem()
        ground = system.AddObject(ObjectGround())
        fixed = system.AddNode(NodePointGround())
        velocity = start_velocities(linkage)
        self.nodes, self.bodies, self.sensors = [], [], []
        for body, (vx, vz, spin) in zip(linkage.bodies, velocity, strict=True):
            # The node is in the centre of mass, where the mass matrix is constant.
            node = system.AddNode(
                NodeRigidBody2D(referenceCoordinates=[*body.center, 0.0], initialVelocities=[vx, vz, -spin])
            )
            made = system.AddObject(ObjectRigidBody2D(mass=body.mass, inertia=body.inertia, nodeNumber=node))
            mass = system.AddMarker(MarkerBodyMass(bodyNumber=made))
            system.AddLoad(LoadMassProportional(markerNumber=mass, loadVector=[0.0, -GRAVITY, 0.0]))
            self.sensors.append(
                system.AddSensor(
                    SensorNode(
                        nodeNumber=node,
                        storeInternal=True,
                        writeToFile=False,
                        outputVariableType=exu.OutputVariableType.Coordinates,
                    )
                )
            )
            self.nodes.append(node)
            self.bodies.append(made)
        centers = np.array([*(body.center for body in linkage.bodies), (0.0, 0.0)])
        objects = [*self.bodies, ground]
        for a, b, at, kind in joints_of(linkage):
            if kind == HINGE:
                markers = [
                    system.AddMarker(
                        MarkerBodyPosition(bodyNumber=objects[i], localPosition=[*np.subtract(at, centers[i]), 0.0])
                    )
                    for i in (a, b)
                ]
                system.AddObject(ObjectJointRevolute2D(markerNumbers=markers))
            else:  # a slide along x on the ground: neither y nor the angle changes
                if a >= 0:
                    raise ValueError(f"{linkage.name}: slides stand on the ground here")
                for coordinate in (1, 2):
                    ends = [
                        system.AddMarker(MarkerNodeCoordinate(nodeNumber=fixed, coordinate=0)),
                        system.AddMarker(MarkerNodeCoordinate(nodeNumber=self.nodes[b], coordinate=coordinate)),
                    ]
                    system.AddObject(ObjectConnectorCoordinate(markerNumbers=ends))
        system.Assemble()
        self.arms = np.array([np.subtract(body.at, body.center) for body in linkage.bodies])
        self.centers = centers[:-1]

    def energies(self) -> tuple[float, float, float]:
        """From what Exudyn keeps: it has no function for a whole system."""
        mass = potential = kinetic = 0.0
        initial = exu.ConfigurationType.Initial
        for node, number in zip(self.nodes, self.bodies, strict=True):
            body = self.system.GetObject(number)
            _, height, _ = self.system.GetNodeOutput(node, exu.OutputVariableType.Position, initial)
            v = self.system.GetNodeOutput(node, exu.OutputVariableType.Coordinates_t, initial)
            mass += body["mass"]
            potential += body["mass"] * GRAVITY * height
            kinetic += 0.5 * body["mass"] * (v[0] ** 2 + v[1] ** 2) + 0.5 * body["inertia"] * v[2] ** 2
        return mass, potential, kinetic

    def settings(self) -> list[Setting]:
        own = Setting(
            "as it comes", step_label(OWN_STEP), partial(self.run, "generalised alpha", OWN_STEP, tight=False), own=True
        )
        tight = [
            Setting(name, step_label(h), partial(self.run, name, h, tight=True)) for name in METHODS for h in STEPS
        ]
        return [own, *tight]

    def run(self, method: str, h: float, frames: int, *, tight: bool) -> np.ndarray:
        """Tight: Newton's iteration goes on until the joints are closed to rounding."""
        settings = exu.SimulationSettings()
        time = settings.timeIntegration
        time.numberOfSteps, time.endTime, time.verboseMode = frames * steps_of_a_frame(h), frames / FPS, 0
        time.automaticStepSize = False
        if tight:
            time.newton.relativeTolerance, time.newton.absoluteTolerance = 1e-12, 1e-12
        settings.solutionSettings.writeSolutionToFile = False
        settings.solutionSettings.sensorsWritePeriod = 1.0 / FPS
        settings.linearSolverType = exu.LinearSolverType.EigenSparse
        try:
            solved = self.system.SolveDynamic(settings, solverType=METHODS[method])
        except exu.SolverError as error:
            raise RuntimeError(f"its solver gave up ({error})") from None
        if not solved:
            raise RuntimeError("its solver gave up")
        return self.places(frames)

    def places(self, frames: int) -> np.ndarray:
        """From the sensors: displacements of centres of mass and angles; the first row is the start."""
        stored = np.array([self.system.GetSensorStoredData(sensor) for sensor in self.sensors])
        if stored.shape[1] != frames + 1:
            raise RuntimeError(f"Exudyn's sensors hold {stored.shape[1]} rows, not {frames + 1}")
        x, y, turned = stored[:, 1:, 1:4].T
        c, s = np.cos(turned), np.sin(turned)
        center, arm = self.centers, self.arms
        return np.stack(
            [
                center[:, 0] + x + c * arm[:, 0] - s * arm[:, 1],
                center[:, 1] + y + s * arm[:, 0] + c * arm[:, 1],
                -turned,
            ],
            axis=-1,
        )


def build(linkage: Linkage) -> ExudynLoops:
    return ExudynLoops(linkage)
