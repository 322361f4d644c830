# SPDX-License-Identifier: GPL-3.0-or-later
"""Pinocchio once more, in its other formulation: everything in world coordinates, which is faster and less accurate."""

from __future__ import annotations

import pinocchio as pin

from ..mechanisms import Mechanism
from .base import Unsupported
from .with_pinocchio import PinocchioMachine, version

__all__ = ["NAME", "build", "version"]
NAME = "pinocchio (world)"


class WorldMachine(PinocchioMachine):
    def loop(self, count: int) -> None:  # noqa: ARG002
        raise Unsupported("has no compiled loop that Python can start: the batch call knows the local frame only")

    def methods(self) -> list:
        raise Unsupported("is measured in the local frame")


def build(mechanism: Mechanism) -> PinocchioMachine:
    return WorldMachine(mechanism, pin.Convention.WORLD)
