# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands as the reference steps them: every node a body of its own, the ends tied by rows, springs explicit."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from redmax.arrays import Array
from redmax.compile import compile
from redmax.constraints import Pin
from redmax.dynamics.kinematics import body_poses, kinematics
from redmax.fields import Pose
from redmax.forces import Placement
from redmax.forces.lines.path import PathForce
from redmax.forces.spring_damper import SpringDamper
from redmax.joints.translational import Translational
from redmax.model import Model
from redmax.scene import Body, Inertia, Scene
from redmax.strands import BoundStrand


class ExplicitPath(PathForce):
    """A path that the matrix of an implicit step knows nothing of."""

    def reference(self, E: Array, phi: Array, t: float) -> tuple[Array, Array]:
        nothing = np.zeros((self.points.size, self.points.size))
        return nothing, nothing


class ExplicitSpring(SpringDamper):
    def bind(self, placement: Placement) -> PathForce:
        bound = super().bind(placement)
        bound.__class__ = ExplicitPath
        return bound


def tied_by_rows(scene: Scene) -> Model:
    """The model of a scene with strands, whose nodes are its hidden bodies as in our own treatment."""
    start = compile(dataclasses.replace(scene, strands=[]))
    E_wb = dict(zip(start.body_names, body_poses(start, kinematics(start, start.q0, start.qdot0)), strict=True))
    bodies, joints, forces, pins = list(scene.bodies), list(scene.joints), list(scene.forces), list(scene.constraints)
    names: list[list[str]] = []
    for strand in scene.strands:
        names.append([f"{strand.name} {k}" for k in range(len(strand.nodes))])
        for name, x, mass in zip(names[-1], strand.nodes, strand.masses().tolist(), strict=True):
            bodies.append(Body(name=name, inertia=Inertia(mass=mass)))
            joints.append(Translational(name=name, parent=None, child=name, frame_in_parent=Pose(tuple(x))))
        for k, length in enumerate(strand.lengths().tolist()):
            ends: dict[str, Any] = {"body_a": names[-1][k], "body_b": names[-1][k + 1]}
            forces.append(
                ExplicitSpring(
                    name=f"{strand.name} {k}", **ends, stiffness=strand.stiffness, rest_length=length, measure="strain"
                )
            )
        for attachment in strand.attachments:
            x = np.asarray(strand.nodes[attachment.node], np.float64)
            if attachment.body is not None:
                E = E_wb[attachment.body]
                x = E[:3, :3].T @ (x - E[:3, 3])
            node = names[-1][attachment.node]
            pins.append(Pin(name=f"Pin {node}", body=node, other=attachment.body, other_point=tuple(x.tolist())))
    whole = dataclasses.replace(scene, bodies=bodies, joints=joints, forces=forces, constraints=pins, strands=[])
    model = compile(whole)
    strands = tuple(
        BoundStrand(strand.name, np.array([model.body_names.index(n) for n in own]), np.zeros((len(own), 3)))
        for strand, own in zip(scene.strands, names, strict=True)
    )
    return dataclasses.replace(model, strands=strands, hidden=sum(map(len, names)))
