# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces of simple shapes, centred on their frames as the solids of the same name are; round ones have z as axis."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..fields import Vector, array, number
from . import layout
from .polyhedra import box_polyhedron
from .shape import Shape
from .surface import Surface


@dataclass(frozen=True, kw_only=True)
class PlaneSurface(Surface):
    """Everything below the x-y plane of its frame, without end."""

    kind: ClassVar[str] = "plane"
    label: ClassVar[str] = "Plane"
    summary: ClassVar[str] = "A ground without end; solid below"
    icon: ClassVar[str] = "MESH_PLANE"
    menu_order: ClassVar[int] = 10
    shape_code: ClassVar[int] = layout.PLANE

    def shape(self) -> Shape:
        return Shape(np.zeros(3), np.full(3, math.inf), math.inf)


@dataclass(frozen=True, kw_only=True)
class SphereSurface(Surface):
    """A sphere."""

    kind: ClassVar[str] = "sphere"
    label: ClassVar[str] = "Sphere"
    summary: ClassVar[str] = "A ball"
    icon: ClassVar[str] = "MESH_UVSPHERE"
    menu_order: ClassVar[int] = 30
    shape_code: ClassVar[int] = layout.SPHERE

    radius: float = number(1.0, doc="Radius", unit="m", positive=True)

    def lengths(self) -> Array:
        return np.array([self.radius])

    def shape(self) -> Shape:
        r = float(self.radius)
        return Shape(np.array([r, 0.0, 0.0]), np.full(3, r), r)


@dataclass(frozen=True, kw_only=True)
class CapsuleSurface(Surface):
    """A cylinder along z with half balls at its ends."""

    kind: ClassVar[str] = "capsule"
    label: ClassVar[str] = "Capsule"
    summary: ClassVar[str] = "A rod with round ends"
    icon: ClassVar[str] = "MESH_CAPSULE"
    menu_order: ClassVar[int] = 40
    shape_code: ClassVar[int] = layout.CAPSULE

    radius: float = number(1.0, doc="Radius", unit="m", positive=True)
    height: float = number(2.0, doc="Length of the cylindrical part along z", unit="m", positive=True)

    def lengths(self) -> Array:
        return np.array([self.radius, self.height])

    def shape(self) -> Shape:
        r, half = float(self.radius), 0.5 * float(self.height)
        return Shape(np.array([r, half, 0.0]), np.array([r, r, half + r]), half + r)


@dataclass(frozen=True, kw_only=True)
class BoxSurface(Surface):
    """A box."""

    kind: ClassVar[str] = "box"
    label: ClassVar[str] = "Box"
    summary: ClassVar[str] = "A box"
    icon: ClassVar[str] = "MESH_CUBE"
    menu_order: ClassVar[int] = 20
    shape_code: ClassVar[int] = layout.BOX

    size: Vector = array((2.0, 2.0, 2.0), doc="Side lengths along x, y, z", shape=(3,), unit="m", positive=True)

    def lengths(self) -> Array:
        return np.asarray(self.size, np.float64)

    def shape(self) -> Shape:
        half = 0.5 * np.asarray(self.size, np.float64)
        vertices, planes, faces = box_polyhedron(half)
        return Shape(half, half, float(np.linalg.norm(half)), vertices=vertices, planes=planes, faces=faces)


@dataclass(frozen=True, kw_only=True)
class CylinderSurface(Surface):
    """A cylinder along z."""

    kind: ClassVar[str] = "cylinder"
    label: ClassVar[str] = "Cylinder"
    summary: ClassVar[str] = "A cylinder with flat ends, such as a wheel or a coin"
    icon: ClassVar[str] = "MESH_CYLINDER"
    menu_order: ClassVar[int] = 50
    shape_code: ClassVar[int] = layout.CYLINDER

    radius: float = number(1.0, doc="Radius", unit="m", positive=True)
    height: float = number(2.0, doc="Length along z", unit="m", positive=True)

    def lengths(self) -> Array:
        return np.array([self.radius, self.height])

    def shape(self) -> Shape:
        r, half = float(self.radius), 0.5 * float(self.height)
        return Shape(np.array([r, half, 0.0]), np.array([r, r, half]), math.hypot(r, half))


@dataclass(frozen=True, kw_only=True)
class ConeSurface(Surface):
    """A cone along z, tip up; its frame is at the middle of its height."""

    kind: ClassVar[str] = "cone"
    label: ClassVar[str] = "Cone"
    summary: ClassVar[str] = "A cone, tip up"
    icon: ClassVar[str] = "MESH_CONE"
    menu_order: ClassVar[int] = 60
    shape_code: ClassVar[int] = layout.CONE

    radius: float = number(1.0, doc="Radius of the base", unit="m", positive=True)
    height: float = number(2.0, doc="Length along z", unit="m", positive=True)

    def lengths(self) -> Array:
        return np.array([self.radius, self.height])

    def shape(self) -> Shape:
        r, half = float(self.radius), 0.5 * float(self.height)
        return Shape(np.array([r, half, 0.0]), np.array([r, r, half]), math.hypot(r, half))


@dataclass(frozen=True, kw_only=True)
class EllipsoidSurface(Surface):
    """An ellipsoid."""

    kind: ClassVar[str] = "ellipsoid"
    label: ClassVar[str] = "Ellipsoid"
    summary: ClassVar[str] = "A ball that is stretched along its axes"
    icon: ClassVar[str] = "MESH_ICOSPHERE"
    menu_order: ClassVar[int] = 70
    shape_code: ClassVar[int] = layout.ELLIPSOID

    radii: Vector = array((1.0, 1.0, 1.0), doc="Half axes along x, y, z", shape=(3,), unit="m", positive=True)

    def lengths(self) -> Array:
        return np.asarray(self.radii, np.float64)

    def shape(self) -> Shape:
        radii = np.asarray(self.radii, np.float64)
        return Shape(radii, radii, float(radii.max()))
