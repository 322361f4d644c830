# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints. A new one is a file here and a line below; its number is never reused."""

from ..registry import Registry
from .base import Joint, JointMotion
from .composite import Composite
from .custom import Custom
from .fixed import Fixed
from .free import Free
from .free_2d import Free2D
from .free_translation_euler import FreeTranslationEuler
from .free_translation_rotation import FreeTranslationRotation
from .planar import Planar
from .point_contact import PointContact
from .prismatic import Prismatic
from .revolute import Revolute
from .screw import Screw
from .spherical import Spherical
from .spherical_euler import SphericalEuler
from .spline_curve import SplineCurve
from .spline_surface import SplineSurface
from .surface_contact import SurfaceContact
from .translational import Translational
from .universal import Universal
from .written_joint import WrittenJoint

JOINTS: Registry[Joint] = Registry("joint")
JOINTS.add(1, Fixed)
JOINTS.add(2, Revolute)
JOINTS.add(3, Prismatic)
JOINTS.add(4, Planar)
JOINTS.add(5, Translational)
JOINTS.add(6, Universal)
JOINTS.add(7, Spherical)
JOINTS.add(8, SphericalEuler)
JOINTS.add(9, Free)
JOINTS.add(10, FreeTranslationRotation)
JOINTS.add(11, FreeTranslationEuler)
JOINTS.add(12, Free2D)
JOINTS.add(13, Screw)
JOINTS.add(14, Composite)
JOINTS.add(15, SplineCurve)
JOINTS.add(16, SplineSurface)
JOINTS.add(17, Custom)
JOINTS.add(18, SurfaceContact)
JOINTS.add(19, PointContact)

__all__ = [
    "JOINTS",
    "Composite",
    "Custom",
    "Fixed",
    "Free",
    "Free2D",
    "FreeTranslationEuler",
    "FreeTranslationRotation",
    "Joint",
    "JointMotion",
    "Planar",
    "PointContact",
    "Prismatic",
    "Revolute",
    "Screw",
    "Spherical",
    "SphericalEuler",
    "SplineCurve",
    "SplineSurface",
    "SurfaceContact",
    "Translational",
    "Universal",
    "WrittenJoint",
]
