# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene as a person described it: names, SI units, plain data. Nothing here computes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from .constraints import Constraint
from .drives import Drive
from .fields import SMALLEST, Element, Pose, Vector, array, elements, number, record, text
from .forces import Force
from .geometry.solids import Solid
from .joints import Joint
from .joints.base import Find
from .spatial.inertia import MassProperties
from .strands import Strand
from .surfaces import Surface, SurfacePair
from .tracks import Sheet, Track

__all__ = ["Body", "Inertia", "Pose", "Scene"]


@dataclass(frozen=True, kw_only=True)
class Inertia(Element):
    """Mass, centre of mass and inertia tensor entered by hand, in the body's frame."""

    proportional: ClassVar[tuple[str, ...]] = ("mass", "tensor")

    mass: float = number(doc="Mass", unit="kg", minimum=0.0)
    center: Vector = array((0.0, 0.0, 0.0), doc="Centre of mass", shape=(3,), unit="m")
    tensor: Vector = array(
        ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
        doc="Inertia tensor about the centre of mass",
        shape=(3, 3),
        unit="kg m^2",
    )

    def mass_properties(self) -> MassProperties:
        return MassProperties(
            float(self.mass), np.asarray(self.center, np.float64), np.asarray(self.tensor, np.float64)
        )

    def problems(self) -> Iterator[tuple[str, str]]:
        if 0.0 < self.mass < SMALLEST:
            yield f"has mass {self.mass:g}", f"give 0 for no mass, or at least {SMALLEST:g} kg"
        for what in self.mass_properties().problems():
            yield what, "enter the tensor of a real solid about its centre of mass"


@dataclass(frozen=True, kw_only=True)
class Body(Element):
    """A rigid body: a name and either shapes or an inertia. With neither it has no mass."""

    name: str = text(doc="Name of the body, unique among bodies")
    shapes: tuple[Solid, ...] = elements(doc="Solids the body is made of; their masses add up", registry="shape")
    inertia: Inertia | None = record(Inertia, None, doc="Mass properties entered by hand", nullable=True)
    damping: float = number(0.0, doc="Viscous damping of the body's own twist", unit="N m s/rad and N s/m", minimum=0.0)

    def problems(self) -> Iterator[tuple[str, str]]:
        if self.shapes and self.inertia is not None:
            yield "has both shapes and an inertia", "give only one of them"


@dataclass
class Scene:
    """A mechanism, or several: bodies, the joints between them, forces, constraints, strands, drives, tracks, sheets,
    surfaces and what pairs of these are like."""

    name: str = text("Scene", doc="Name of the scene")
    notes: str = text("", doc="Free text: where the scene comes from, what it shows")
    gravity: Vector = array((0.0, 0.0, -9.81), doc="Gravity in the world", shape=(3,), unit="m/s^2")
    bodies: list[Body] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    forces: list[Force] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)
    strands: list[Strand] = field(default_factory=list)
    drives: list[Drive] = field(default_factory=list)
    tracks: list[Track] = field(default_factory=list)
    sheets: list[Sheet] = field(default_factory=list)
    surfaces: list[Surface] = field(default_factory=list)
    surface_pairs: list[SurfacePair] = field(default_factory=list)


def resolved_joint(joint: Joint, scene: Scene) -> Joint:
    """A joint with the tracks and sheets that it refers to by name, and with limits where these end.

    Any other joint is given back as it is; so is one that refers to what is not there.
    """
    return joint.resolved(_found_in(scene)) or joint


def resolved(scene: Scene) -> Scene:
    """A scene whose joints are resolved; itself where no joint refers to anything."""
    find = _found_in(scene)
    joints = [joint.resolved(find) or joint for joint in scene.joints]
    changed = any(new is not old for new, old in zip(joints, scene.joints, strict=True))
    return replace(scene, joints=joints) if changed else scene


def _found_in(scene: Scene) -> Find:
    known: dict[tuple[str, str], Element] = {("track", track.name): track for track in scene.tracks}
    known |= {("sheet", sheet.name): sheet for sheet in scene.sheets}
    return lambda sort, name: known.get((sort, name))
