# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces. A new one is a file here and a line below; its number is never reused."""

from ..registry import Registry
from .base import BoundForce, Force, Placement
from .cable import Cable
from .drag import Drag
from .multi_point_muscle import MultiPointMuscle
from .muscle import Muscle
from .point_force import PointForce
from .point_to_point import PointToPoint
from .spring_damper import SpringDamper
from .wrench import Wrench

FORCES: Registry[Force] = Registry("force")
FORCES.add(1, SpringDamper)
FORCES.add(2, PointToPoint)
FORCES.add(3, Cable)
FORCES.add(4, PointForce)
FORCES.add(5, Wrench)
FORCES.add(6, Drag)
FORCES.add(7, Muscle)
FORCES.add(8, MultiPointMuscle)

__all__ = [
    "FORCES",
    "BoundForce",
    "Cable",
    "Drag",
    "Force",
    "MultiPointMuscle",
    "Muscle",
    "Placement",
    "PointForce",
    "PointToPoint",
    "SpringDamper",
    "Wrench",
]
