# SPDX-License-Identifier: GPL-3.0-or-later
"""Dry friction inside a joint: how rough its bearings are, and how large.

A joint's bearings follow from its coordinates: `Joint.bearings` lists them, and `dynamics.bearings` says how hard a
reaction presses in each.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from ..fields import Element, Vector, array, number


@dataclass(frozen=True, kw_only=True)
class Friction(Element):
    """Coulomb friction in the bearings of a joint, with the sizes that turn a reaction into what presses there.

    A hinge or screw turns on a pin of `radius` and `height` along its axis, a ball in a socket of `radius`, and what
    slides is a block with `sides` along the axes of the joint frame. A joint of several coordinates uses what each of
    them needs.
    """

    coefficient: float = number(
        0.1, doc="Coefficient of friction: dry steel about 0.15, oiled 0.05, rusty 0.5, PTFE 0.04", minimum=0.0
    )
    radius: float = number(0.01, doc="Radius at which a hinge, a screw or a ball rubs", unit="m", positive=True)
    height: float = number(
        0.04, doc="Length of a hinge's bearing along its axis, from end to end", unit="m", positive=True
    )
    sides: Vector = array(
        (0.04, 0.04, 0.04),
        doc="Sides of the block that a slider guides, along the axes of the joint frame",
        shape=(3,),
        unit="m",
        positive=True,
    )


class BearingKind(IntEnum):
    """PIN: a turn about an axis, which may advance along it. GUIDE: a slide in one direction. SOCKET: three
    coordinates that turn about a point. PLATE: two that slide on a surface."""

    PIN = 0
    GUIDE = 1
    SOCKET = 2
    PLATE = 3


class Bearing(NamedTuple):
    """Where a joint rubs. first: the first of its coordinates that move this bearing; `COORDINATES` says how many."""

    kind: BearingKind
    first: int

    @property
    def width(self) -> int:
        """How many coordinates move it."""
        return COORDINATES[self.kind]


COORDINATES = {BearingKind.PIN: 1, BearingKind.GUIDE: 1, BearingKind.SOCKET: 3, BearingKind.PLATE: 2}


def one_by_one(units: tuple[str, ...]) -> tuple[Bearing, ...]:
    """The bearings of coordinates each of which has its own: pins of angles, guides of the others."""
    return tuple(Bearing(BearingKind.PIN if unit == "rad" else BearingKind.GUIDE, k) for k, unit in enumerate(units))
