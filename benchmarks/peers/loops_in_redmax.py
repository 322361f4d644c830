# SPDX-License-Identifier: GPL-3.0-or-later
"""Ours: hinges in space; those the tree does not use close loops, and every step ends on them."""

from __future__ import annotations

from functools import partial

import numpy as np

from redmax.compile import compile as compile_scene
from redmax.dynamics.energy import kinetic_energy
from redmax.dynamics.kinematics import kinematics
from redmax.dynamics.loads import potential_energy
from redmax.fields import Pose
from redmax.integrators import Automatic, Integrator, Stepper
from redmax.joints import Prismatic, Revolute
from redmax.model import Model
from redmax.scene import Body, Inertia, Scene
from redmax.simulate import record, simulate
from redmax.trajectory import Trajectory

from ..linkage import HINGE, Linkage, Point
from .base import FPS
from .loops_base import LoopMachine, Setting

NAME = "RedMax"
STANDARD, DRAFT = Automatic(accuracy="standard"), Automatic(accuracy="draft")
"""Accuracy Standard and Accuracy Draft, as in Blender."""


def in_space(point: Point, origin: Point = (0.0, 0.0)) -> tuple[float, float, float]:
    return (point[0] - origin[0], 0.0, point[1] - origin[1])


def scene(linkage: Linkage) -> Scene:
    bodies, joints = [], []
    home = [body.at for body in linkage.bodies] + [(0.0, 0.0)]
    for i, body in enumerate(linkage.bodies):
        tensor = tuple(map(tuple, np.diag([body.inertia] * 3).tolist()))
        inertia = Inertia(mass=body.mass, center=in_space(body.center, body.at), tensor=tensor)
        bodies.append(Body(name=body.name, inertia=inertia))
        ends = {
            "name": f"to {body.name}",
            "parent": linkage.bodies[body.parent].name if body.parent >= 0 else None,
            "child": body.name,
            "frame_in_parent": Pose(in_space(body.at, home[body.parent])),
            "qdot": linkage.rates[i],
        }
        joints.append(
            Revolute(axis=(0.0, 1.0, 0.0), **ends) if body.joint == HINGE else Prismatic(axis=(1.0, 0.0, 0.0), **ends)
        )
    for k, loop in enumerate(linkage.loops):
        joints.append(
            Revolute(
                name=f"loop {k}",
                axis=(0.0, 1.0, 0.0),
                parent=linkage.bodies[loop.a].name if loop.a >= 0 else None,
                child=linkage.bodies[loop.b].name,
                frame_in_parent=Pose(in_space(loop.at, home[loop.a])),
                frame_in_child=Pose(in_space(loop.at, home[loop.b])),
            )
        )
    return Scene(name=linkage.name, bodies=bodies, joints=joints)


class RedMaxLoops(LoopMachine):
    def __init__(self, linkage: Linkage) -> None:
        super().__init__(linkage)
        self.model: Model = compile_scene(scene(linkage))
        if len(self.model.loops) != len(linkage.loops):
            raise ValueError(f"{linkage.name}: {len(self.model.loops)} loops instead of {len(linkage.loops)}")
        self.index = [self.model.body_names.index(body.name) for body in linkage.bodies]

    def energies(self) -> tuple[float, float, float]:
        start = self.model.initial_state()
        kin = kinematics(self.model, start.q, start.qdot, start.chart)
        return self.model.mass, potential_energy(self.model, kin), kinetic_energy(self.model, kin)

    def settings(self) -> list[Setting]:
        return [
            Setting("Accuracy Standard", "automatic", partial(self.run, STANDARD), own=True),
            Setting("Accuracy Draft", "automatic", partial(self.run, DRAFT)),
        ]

    def begin(self, integrator: Integrator = STANDARD) -> Stepper:
        """All that a run does before its first step."""
        return integrator.begin(self.model, self.model.initial_state())

    def run(self, integrator: Integrator, frames: int) -> np.ndarray:
        stepper = self.begin(integrator)
        poses = np.empty((frames, len(self.linkage), 4, 4))
        for frame in range(frames):
            stepper.advance((frame + 1) / FPS)
            poses[frame] = stepper.body_motion()[0]
        return places_of((poses @ self.model.E_ib)[:, self.index])

    def with_every_channel(self, frames: int) -> Trajectory:
        """What `simulate` yields besides poses: accelerations, energies, reactions, gaps of every frame."""
        samples = simulate(self.model, integrator=STANDARD, fps=FPS, duration=frames / FPS)
        return record(self.model, samples, integrator=STANDARD, fps=FPS)


def places_of(poses: np.ndarray) -> np.ndarray:
    """(..., 3) x, z and angle about y of poses (..., 4, 4) in the plane."""
    angle = np.arctan2(poses[..., 0, 2], poses[..., 2, 2])
    return np.stack([poses[..., 0, 3], poses[..., 2, 3], angle], axis=-1)


def build(linkage: Linkage) -> RedMaxLoops:
    return RedMaxLoops(linkage)
