# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces, with which bodies touch. A new shape is a class and a line below; its number is never reused."""

from ..registry import Registry
from .heightfield import HeightfieldSurface
from .hull import HullSurface
from .packed import PackedSurfaces
from .pairs import SurfacePair
from .pieces import Piece, PiecesSurface
from .primitives import (
    BoxSurface,
    CapsuleSurface,
    ConeSurface,
    CylinderSurface,
    EllipsoidSurface,
    PlaneSurface,
    SphereSurface,
)
from .surface import Surface
from .triangle_mesh import MeshSurface

SURFACES: Registry[Surface] = Registry("surface")
SURFACES.add(1, PlaneSurface)
SURFACES.add(2, SphereSurface)
SURFACES.add(3, CapsuleSurface)
SURFACES.add(4, BoxSurface)
SURFACES.add(5, CylinderSurface)
SURFACES.add(6, ConeSurface)
SURFACES.add(7, EllipsoidSurface)
SURFACES.add(8, HullSurface)
SURFACES.add(9, MeshSurface)
SURFACES.add(10, HeightfieldSurface)
SURFACES.add(11, PiecesSurface)

__all__ = [
    "SURFACES",
    "BoxSurface",
    "CapsuleSurface",
    "ConeSurface",
    "CylinderSurface",
    "EllipsoidSurface",
    "HeightfieldSurface",
    "HullSurface",
    "MeshSurface",
    "PackedSurfaces",
    "Piece",
    "PiecesSurface",
    "PlaneSurface",
    "SphereSurface",
    "Surface",
    "SurfacePair",
]
