# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints. A new one is a file here and a line below; its number is never reused."""

from ..registry import Registry
from .base import Constraint

CONSTRAINTS: Registry[Constraint] = Registry("constraint")

__all__ = ["CONSTRAINTS", "Constraint"]
