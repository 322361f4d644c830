# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands and inputs of drives as bodies, joints and forces, so that everything that knows those knows them.

An input of a drive that is no joint of the scene becomes a hinge in the world that carries nothing but its armature.

A free node is a body without extent on a joint that only translates: three coordinates, no rotation. An attached node
is mass on its body. Then the Jacobian of the tree is the combined one of RBDN eqs. 2.83-2.86, and the reduced mass
matrix that of RBDN eqs. 2.87-2.88. Segments are springs between their nodes, RBDN eqs. 2.80-2.82 with K = stiffness
times rest length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .arrays import Array
from .drives import Drive
from .fields import Pose
from .forces import Force, Placement
from .forces.cable import Cable
from .forces.drag import Drag
from .forces.lines.points import PathPoint
from .forces.lines.spring_law import STRAIN
from .forces.spring_damper import SpringDamper
from .joints import Joint
from .joints.translational import Translational
from .scene import Body, Inertia
from .spatial import pose
from .strands import Strand


@dataclass(frozen=True)
class PointMass:
    """A mass [kg] at a point (3,) of a body, in the body's described frame."""

    body: str
    mass: float
    point: tuple[float, float, float]


@dataclass
class Expansion:
    """What strands add to a scene. nodes: of each strand, the body (None for the world) and the point of every node."""

    bodies: list[Body] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    forces: list[Force] = field(default_factory=list)
    masses: list[PointMass] = field(default_factory=list)
    nodes: list[tuple[PathPoint, ...]] = field(default_factory=list)


@dataclass
class Inputs:
    """What drives add to a scene. coordinates: joint and coordinate of every input of each drive."""

    bodies: list[Body] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    coordinates: list[list[tuple[str, int]]] = field(default_factory=list)


def expanded_inputs(drives: Sequence[Drive], taken: set[str]) -> Inputs:
    """Bodies and joints of the inputs that drives have of their own. taken: names that exist; grows."""
    result = Inputs()
    for drive in drives:
        places: list[tuple[str, int]] = []
        for number, given in enumerate(drive.inputs):
            if given.joint is not None:
                places.append((given.joint, given.coordinate))
                continue
            name = unused(drive.input_title(number), taken)
            tensor = tuple(tuple(given.armature * float(i == k) for k in range(3)) for i in range(3))
            result.bodies.append(Body(name=name, inertia=Inertia(mass=0.0, tensor=tensor)))
            result.joints.append(given.as_joint(name, name))
            places.append((name, 0))
        result.coordinates.append(places)
    return result


def expanded(strands: Sequence[Strand], placement: Placement, taken: set[str]) -> Expansion:
    """Bodies, joints and forces of strands. taken: names of bodies, joints and forces that exist; grows."""
    result = Expansion()
    for strand in strands:
        _expand(strand, placement, taken, result)
    return result


def _expand(strand: Strand, placement: Placement, taken: set[str], result: Expansion) -> None:
    X = np.asarray(strand.nodes, np.float64)
    V = np.zeros_like(X) if strand.velocities is None else np.asarray(strand.velocities, np.float64)
    attached = {attachment.node: attachment.body for attachment in strand.attachments}
    points: list[PathPoint] = []
    for k, mass in enumerate(strand.masses().tolist()):
        if k not in attached:
            name = unused(f"{strand.name}, node {k}", taken)
            points.append(PathPoint(body=name))
            result.bodies.append(Body(name=name, inertia=Inertia(mass=mass)))
            frame = Pose(_numbers(X[k]))
            result.joints.append(
                Translational(name=name, parent=None, child=name, frame_in_parent=frame, qdot=_numbers(V[k]))
            )
            continue
        body = attached[k]
        point = PathPoint(body=body, point=_numbers(_in_body(placement, body, X[k])))
        points.append(point)
        if body is not None:
            result.masses.append(PointMass(body, mass, point.point))
    for k, length in enumerate(strand.lengths().tolist()):
        ends = points[k], points[k + 1]
        if ends[0].body != ends[1].body:
            result.forces.append(_segment(strand, unused(f"{strand.name}, segment {k}", taken), ends, length))
    for k, point in enumerate(points):
        if strand.drag > 0.0 and point.body is not None:
            name = unused(f"{strand.name}, drag {k}", taken)
            result.forces.append(Drag(name=name, body=point.body, point=point.point, linear=strand.drag))
    result.nodes.append(tuple(points))


def _segment(strand: Strand, name: str, ends: tuple[PathPoint, PathPoint], length: float) -> Force:
    a, b = ends
    settings: dict[str, Any] = {
        "name": name,
        "stiffness": strand.stiffness,
        "damping": strand.damping,
        "rest_length": length,
        "measure": STRAIN,
    }
    if strand.pulls_only:
        return Cable(points=(a, b), **settings)
    return SpringDamper(body_a=a.body, point_a=a.point, body_b=b.body, point_b=b.point, **settings)


def _in_body(placement: Placement, body: str | None, x: Array) -> Array:
    """(3,) a point of the world at the start, in the described frame of a body."""
    if body is None:
        return x
    E_bw = pose.inverse(placement.E_wb[placement.body(body)])
    return np.asarray(E_bw[:3, :3] @ x + E_bw[:3, 3])


def _numbers(x: Array) -> tuple[float, float, float]:
    a, b, c = x.tolist()
    return a, b, c


def unused(name: str, taken: set[str]) -> str:
    """The name, with as many dashes as make it different from all others."""
    while name in taken:
        name += "'"
    taken.add(name)
    return name
