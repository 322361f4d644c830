# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints. A new one is a file here and a line below; its number is never reused."""

from ..registry import Registry
from .ball_limit import BallLimit
from .base import PROJECTED, BodyAt, Constraint, Instant, JointAt, JointEnds, Rows, Treatment, reference
from .body_motion import BodyMotion
from .coupling import Coupling
from .joint_limit import JointLimit
from .joint_motion import JointMotion
from .pin import Pin
from .rolling import Rolling

CONSTRAINTS: Registry[Constraint] = Registry("constraint")
CONSTRAINTS.add(1, Pin)
CONSTRAINTS.add(2, Coupling)
CONSTRAINTS.add(3, JointMotion)
CONSTRAINTS.add(4, BodyMotion)
CONSTRAINTS.add(5, JointLimit)
CONSTRAINTS.add(6, BallLimit)
CONSTRAINTS.add(7, Rolling)

__all__ = [
    "CONSTRAINTS",
    "PROJECTED",
    "BallLimit",
    "BodyAt",
    "BodyMotion",
    "Constraint",
    "Coupling",
    "Instant",
    "JointAt",
    "JointEnds",
    "JointLimit",
    "JointMotion",
    "Pin",
    "Rolling",
    "Rows",
    "Treatment",
    "reference",
]
