# SPDX-License-Identifier: GPL-3.0-or-later
"""Solid shapes as scene elements: what a body is made of.

Each kind knows its mass properties for a density or a mass; the formulas live in
`shapes` (closed forms) and `mass_properties` (meshes).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import RedMaxError
from ..fields import Element, Pose, Vector, array, choice, number, polygons, pose
from ..registry import Registry
from ..spatial.inertia import MassProperties
from . import shapes
from .hull import bounding_box_mass, hull_mass
from .mass_properties import mass_properties
from .mesh import Mesh


@dataclass(frozen=True, kw_only=True)
class Solid(Element):
    """A solid of uniform density; give its density or its mass."""

    frame: Pose = pose(doc="Shape frame in the body's frame")
    density: float | None = number(None, doc="Density", unit="kg/m^3", positive=True, nullable=True)
    mass: float | None = number(None, doc="Mass", unit="kg", positive=True, nullable=True)

    @abstractmethod
    def with_density(self, density: float) -> MassProperties:
        """Mass properties in the shape's own frame for a density [kg/m^3]."""

    def own_mass_properties(self) -> MassProperties:
        """Mass properties in the shape's own frame."""
        if self.mass is None:
            return self.with_density(1.0 if self.density is None else float(self.density))
        return self.with_density(1.0).with_mass(float(self.mass))

    def problems(self) -> Iterator[tuple[str, str]]:
        if self.density is None and self.mass is None:
            yield "has neither density nor mass", "give a density in kg/m^3 or a mass in kg"
        if self.density is not None and self.mass is not None:
            yield "has both density and mass", "give only one of them"


@dataclass(frozen=True, kw_only=True)
class Box(Solid):
    """A box centred on its frame."""

    kind: ClassVar[str] = "box"
    label: ClassVar[str] = "Box"
    size: Vector = array(doc="Side lengths along x, y, z", shape=(3,), unit="m", positive=True)

    def with_density(self, density: float) -> MassProperties:
        return shapes.box(self.size, density)


@dataclass(frozen=True, kw_only=True)
class Sphere(Solid):
    """A ball centred on its frame."""

    kind: ClassVar[str] = "sphere"
    label: ClassVar[str] = "Sphere"
    radius: float = number(doc="Radius", unit="m", positive=True)

    def with_density(self, density: float) -> MassProperties:
        return shapes.sphere(self.radius, density)


@dataclass(frozen=True, kw_only=True)
class Cylinder(Solid):
    """A cylinder along z, centred on its frame."""

    kind: ClassVar[str] = "cylinder"
    label: ClassVar[str] = "Cylinder"
    radius: float = number(doc="Radius", unit="m", positive=True)
    height: float = number(doc="Length along z", unit="m", positive=True)

    def with_density(self, density: float) -> MassProperties:
        return shapes.cylinder(self.radius, self.height, density)


@dataclass(frozen=True, kw_only=True)
class Capsule(Solid):
    """A cylinder along z with half balls at its ends, centred on its frame."""

    kind: ClassVar[str] = "capsule"
    label: ClassVar[str] = "Capsule"
    radius: float = number(doc="Radius", unit="m", positive=True)
    height: float = number(doc="Length of the cylindrical part along z", unit="m", positive=True)

    def with_density(self, density: float) -> MassProperties:
        return shapes.capsule(self.radius, self.height, density)


@dataclass(frozen=True, kw_only=True)
class Cone(Solid):
    """A cone along z, tip up; its frame is at the middle of its height."""

    kind: ClassVar[str] = "cone"
    label: ClassVar[str] = "Cone"
    radius: float = number(doc="Radius of the base", unit="m", positive=True)
    height: float = number(doc="Length along z", unit="m", positive=True)

    def with_density(self, density: float) -> MassProperties:
        return shapes.cone(self.radius, self.height, density)


@dataclass(frozen=True, kw_only=True)
class Ellipsoid(Solid):
    """An ellipsoid centred on its frame."""

    kind: ClassVar[str] = "ellipsoid"
    label: ClassVar[str] = "Ellipsoid"
    radii: Vector = array(doc="Half axes along x, y, z", shape=(3,), unit="m", positive=True)

    def with_density(self, density: float) -> MassProperties:
        return shapes.ellipsoid(self.radii, density)


@dataclass(frozen=True, kw_only=True)
class MeshSolid(Solid):
    """The inside of a closed mesh."""

    kind: ClassVar[str] = "mesh"
    label: ClassVar[str] = "Mesh"
    vertices: Vector = array(doc="Vertex positions", shape=(None, 3), unit="m")
    faces: Vector = polygons(doc="Faces as lists of vertex indices, counter-clockwise seen from outside")
    approximation: str = choice(
        "none",
        doc="What to integrate instead of the mesh, for meshes that are not closed: nothing else, its hull, its box",
        choices=("none", "hull", "box"),
    )

    def with_density(self, density: float) -> MassProperties:
        if self.approximation == "hull":
            return hull_mass(self.vertices, density=density)
        if self.approximation == "box":
            return bounding_box_mass(self.vertices, density=density)
        mesh = Mesh.from_faces(np.asarray(self.vertices, dtype=np.float64), self.faces)
        return mass_properties(mesh, density=density)

    def problems(self) -> Iterator[tuple[str, str]]:
        yield from super().problems()
        try:
            self.with_density(1.0)
        except RedMaxError as error:
            approximate = self.approximation == "none"
            yield str(error), 'in a scene file: "approximation": "hull" or "box"' if approximate else ""


SHAPES: Registry[Solid] = Registry("shape")
SHAPES.add(1, Box)
SHAPES.add(2, Sphere)
SHAPES.add(3, Cylinder)
SHAPES.add(4, Capsule)
SHAPES.add(5, Cone)
SHAPES.add(6, Ellipsoid)
SHAPES.add(7, MeshSolid)
