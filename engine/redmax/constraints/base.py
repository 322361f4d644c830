# SPDX-License-Identifier: GPL-3.0-or-later
"""What every constraint is: a named element that restricts motion."""

from __future__ import annotations

from dataclasses import dataclass

from ..fields import Element, text


@dataclass(frozen=True, kw_only=True)
class Constraint(Element):
    """A restriction on the motion of bodies or joints beyond the tree of joints."""

    name: str = text(doc="Name of the constraint, unique among constraints")
