# SPDX-License-Identifier: GPL-3.0-or-later
"""The mechanisms of a scene as bare kinematics: bodies and joints without loads, limits or keys of their own.

Only where coordinates put bodies matters here, so a scene whose masses cannot be measured, or whose keys nothing could
follow in a simulation, is as good as any other.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..._engine import arrays, assembly, halves
from ..._engine import compile as compiling
from ..._engine import scene as engine_scene
from ...properties import joint as joint_properties
from ..check.findings import loops
from ..core import loop_choice
from ..core.findings import RedMaxError
from ..core.loop_following import Follower
from ..core.mechanisms import LOCKED, SIMULATED, Mechanism
from ..objects import units
from ..objects.named_objects import local_object

if TYPE_CHECKING:
    from .extraction import Extraction

Array = arrays.Array

UNIT = engine_scene.Inertia(
    mass=1.0, center=(0.0, 0.0, 0.0), tensor=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
)
"""Inertia of every body: where coordinates put them does not depend on it."""

LOADS = ("animation", "torque_table", "stiffness_table", "lower", "upper")
NUMBERS = ("q", "qdot", "torque", "stiffness", "rest", "damping", "limit_stiffness", "limit_damping")


class Coordinate(NamedTuple):
    """A coordinate of a joint object that has a column of its own. factor: to SI units."""

    joint: str
    dof: joint_properties.Dof
    column: int
    factor: float
    held: bool

    def value(self) -> float:
        """What the artist has entered, or keys and drivers say at present, in SI units; 0 if the joint is gone."""
        obj = local_object(self.joint)
        if obj is None or self.dof.index >= len(joint_properties.dofs(obj.redmax.joint)):
            return 0.0
        return joint_properties.value(obj.redmax.joint, "q", self.dof) * self.factor


class KeyedMechanism(NamedTuple):
    """A mechanism that can be put where its coordinates say. closers: given joints that close loops themselves, whose
    coordinates cannot be given here."""

    follower: Follower
    coordinates: tuple[Coordinate, ...]
    closers: tuple[str, ...]

    def wish(self) -> Array:
        """(nr,) coordinates as they are entered at present."""
        wish = np.zeros(self.follower.model.dof_count)
        for coordinate in self.coordinates:
            wish[coordinate.column] = coordinate.value()
        return wish


def keyed_mechanisms(extraction: Extraction) -> list[KeyedMechanism]:
    """All mechanisms that are switched on and can be built; what is wrong with the others is said by Check."""
    found = []
    for mechanism in extraction.mechanisms:
        if mechanism.enabled and mechanism.joints:
            try:
                found.append(_built(extraction, mechanism))
            except RedMaxError:
                continue
    return found


def _built(extraction: Extraction, mechanism: Mechanism) -> KeyedMechanism:
    part = kinematic(loops.part_of(extraction.scene, mechanism))
    part = replace(
        part,
        bodies=[engine_scene.Body(name=body.name, inertia=UNIT) for body in part.bodies],
        joints=[_bare(joint) for joint in part.joints],
    )
    given = {joint.name for joint in part.joints if joint.motion_type != SIMULATED}
    part = loop_choice.with_choice(part, extraction.joint_objects)  # given joints keep their coordinates
    part = replace(part, joints=[replace(joint, motion_type=SIMULATED) for joint in part.joints])
    model = halves.undivided(compiling.compile(part))
    held = np.ones(model.dof_count, np.bool_)  # also what holds a root
    scale = np.ones(model.dof_count)
    by_name = {joint.name: joint for joint in part.joints}
    coordinates = []
    for number, name in enumerate(model.joint_names):
        columns = range(model.dof_count)[model.columns(number)]
        scale[columns] = [model.once(assembly.size) if unit == "m" else 1.0 for unit in by_name[name].dof_units]
        obj = local_object(extraction.joint_objects.get(name, ""))
        if obj is None:
            continue
        held[columns] = name in given
        for dof, column in zip(joint_properties.dofs(obj.redmax.joint), columns, strict=True):
            factor = units.per_coordinate(dof.unit, extraction.length)
            coordinates.append(Coordinate(obj.name, dof, column, factor, name in given))
    closers = tuple(loop.joint.name for loop in model.loops if loop.joint.name in given and loop.joint.ndof)
    return KeyedMechanism(Follower(model, held, scale), tuple(coordinates), closers)


def kinematic(part: Any) -> Any:
    """A scene with what holds coordinates together at any time, and nothing that acts on them."""
    held = [each for each in part.constraints if not each.prescribes and not each.one_sided]
    return replace(part, forces=[], strands=[], drives=[], constraints=held)


def free(joint: Any) -> Any:
    """A joint that is there to be moved, whatever moves it in a simulation."""
    return replace(_bare(joint), motion_type=SIMULATED)


def _bare(joint: Any) -> Any:
    """A joint that is there to be moved: nothing acts on it, and it starts as modelled."""
    having = {field.name for field in fields(joint)}
    changes: dict[str, Any] = dict.fromkeys(having.intersection(LOADS))
    changes |= dict.fromkeys(having.intersection(NUMBERS), 0.0)
    return replace(joint, **changes, motion_type=SIMULATED if joint.motion_type == SIMULATED else LOCKED)
