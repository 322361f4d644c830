# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints. A new one is a file here and a line below; its number is never reused."""

from ..registry import Registry
from .base import PROJECTED, BodyAt, Constraint, Instant, JointAt, Rows, Treatment, reference
from .body_motion import BodyMotion
from .coupling import Coupling
from .joint_limit import JointLimit
from .joint_motion import JointMotion
from .pin import Pin

CONSTRAINTS: Registry[Constraint] = Registry("constraint")
CONSTRAINTS.add(1, Pin)
CONSTRAINTS.add(2, Coupling)
CONSTRAINTS.add(3, JointMotion)
CONSTRAINTS.add(4, BodyMotion)
CONSTRAINTS.add(5, JointLimit)

__all__ = [
    "CONSTRAINTS",
    "PROJECTED",
    "BodyAt",
    "BodyMotion",
    "Constraint",
    "Coupling",
    "Instant",
    "JointAt",
    "JointLimit",
    "JointMotion",
    "Pin",
    "Rows",
    "Treatment",
    "reference",
]
