# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces. A new one is a file here and a line below; its number is never reused."""

from ..registry import Registry
from .base import Force

FORCES: Registry[Force] = Registry("force")

__all__ = ["FORCES", "Force"]
