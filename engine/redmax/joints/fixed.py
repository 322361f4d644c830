# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixed joint: the child is welded to the parent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..arrays import Array
from . import primitives
from .base import Joint


@dataclass(frozen=True, kw_only=True)
class Fixed(Joint):
    """No freedom at all: Q = 1, S is 6 x 0. Source: RM19 section 4.1."""

    kind: ClassVar[str] = "fixed"
    label: ClassVar[str] = "Fixed"
    summary: ClassVar[str] = "Holds the child to the parent"
    icon: ClassVar[str] = "LOCKED"
    menu_order: ClassVar[int] = 4

    def primitives(self) -> tuple[primitives.Primitive, ...]:
        return ()

    @staticmethod
    def evaluate(data: Array, q: Array, qdot: Array, chart: int, Q: Array, S: Array, Sdot: Array) -> None:
        pass
