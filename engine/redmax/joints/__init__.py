# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints. A new one is a file here and a line below; its number is never reused."""

from ..registry import Registry
from .base import Joint, JointMotion
from .composite import Composite
from .fixed import Fixed
from .free import Free
from .free_2d import Free2D
from .free_translation_euler import FreeTranslationEuler
from .free_translation_rotation import FreeTranslationRotation
from .planar import Planar
from .prismatic import Prismatic
from .revolute import Revolute
from .screw import Screw
from .spherical import Spherical
from .spherical_euler import SphericalEuler
from .spline_curve import SplineCurve
from .spline_surface import SplineSurface
from .translational import Translational
from .universal import Universal

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

__all__ = [
    "JOINTS",
    "Composite",
    "Fixed",
    "Free",
    "Free2D",
    "FreeTranslationEuler",
    "FreeTranslationRotation",
    "Joint",
    "JointMotion",
    "Planar",
    "Prismatic",
    "Revolute",
    "Screw",
    "Spherical",
    "SphericalEuler",
    "SplineCurve",
    "SplineSurface",
    "Translational",
    "Universal",
]
