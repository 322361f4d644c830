# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages of plates and pins in an upright plane, described by which plates meet at which pins in which layers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from . import linkage_parts, planar, shells, swinging
from .assembly import Assembly, Object, Part
from .linkage_parts import Sizes
from .paint import STEEL, Paint
from .planar import Point

LAYER = 1.15
"""Distance of two layers in thicknesses of a plate."""


class Plate(NamedTuple):
    """A plate around some pins, the first of which is its origin and the second along its x.

    layer: 0 for the one next to the posts, higher ones nearer to the viewer.
    """

    name: str
    pins: Sequence[str]
    layer: int
    paint: Paint


class Linkage:
    """Plates on pins in front of posts; all sizes follow from the width of a link.

    pins: places by name. ground: pins that the base holds by axles of its own.
    """

    def __init__(
        self,
        made: Assembly,
        base: Object,
        sizes: Sizes,
        pins: Mapping[str, Point],
        ground: Sequence[str],
        material: str,
    ) -> None:
        self.made, self.base, self.sizes, self.pins, self.material = made, base, sizes, pins, material
        self.parts: dict[str, list[Part]] = {}
        self.at_pin: dict[str, list[tuple[str, Object, int]]] = {pin: [("", base, 0)] for pin in ground}

    def depth(self, layer: int) -> float:
        """How far the middle of a layer lies in front of the posts."""
        return self.sizes.back + LAYER * self.sizes.thickness * layer

    def add(self, plates: Sequence[Plate], more: Mapping[str, Sequence[Part]] | None = None) -> dict[str, Object]:
        """Bodies of plates by name, without joints. Each pin is part of the plate that lies farthest back.

        more: further parts of some of them, in the plates' own frames.
        """
        layers: dict[str, list[int]] = {}
        for plate in plates:
            for pin in plate.pins:
                layers.setdefault(pin, []).append(plate.layer)
        bodies = {}
        for plate in plates:
            frame = planar.facing(self.pins[plate.pins[0]], self.depth(plate.layer), self._angle(plate))
            self.parts[plate.name] = [*self._parts(plate, layers), *(more or {}).get(plate.name, ())]
            body = self.made.body(plate.name, self.parts[plate.name], frame, material=self.material, turns=True)
            bodies[plate.name] = body
            for pin in plate.pins:
                self.at_pin.setdefault(pin, []).append((plate.name, body, plate.layer))
        return bodies

    def connect(self) -> dict[tuple[str, str], Object]:
        """Hinges by the names of pin and plate: at pins of the base on it, at others on the plate added before."""
        hinges = {}
        for pin, members in self.at_pin.items():
            for before, (name, body, layer) in pairwise(members):
                carrier = members[0][1] if self._is_ground(pin) else before[1]
                frame = planar.facing(self.pins[pin], self.depth(layer), 0.0)
                glyph = 1.4 * self.sizes.width
                hinges[pin, name] = self.made.joint(carrier, body, frame, kind="revolute", size=glyph)
        return hinges

    def _angle(self, plate: Plate) -> float:
        return planar.direction(self.pins[plate.pins[0]], self.pins[plate.pins[1]])

    def _parts(self, plate: Plate, layers: Mapping[str, Sequence[int]]) -> list[Part]:
        sizes, angle = self.sizes, self._angle(plate)
        start = self.pins[plate.pins[0]]
        places = [_turned(self.pins[pin], start, -angle) for pin in plate.pins]
        bores = [sizes.bore if self._is_ground(pin) else sizes.pin_bore for pin in plate.pins]
        if len(places) == 2:
            parts = [swinging.arm(places[1][0], sizes.width, sizes.thickness, bores[0], bores[1], plate.paint)]
        else:
            parts = [linkage_parts.plate(places, sizes, bores, plate.paint)]
        for pin, place in zip(plate.pins, places, strict=True):
            reach = max(layers[pin]) - plate.layer
            if self._is_ground(pin) or plate.layer != min(layers[pin]) or not reach:
                continue
            end = LAYER * sizes.thickness * reach + 0.6 * sizes.thickness
            shell, paint = swinging.pin(0.0, sizes.pin, -0.5 * sizes.thickness, end, STEEL)
            parts.append((shells.moved(shell, (*place, 0.0)), paint))
        return parts

    def _is_ground(self, pin: str) -> bool:
        return pin in self.at_pin and self.at_pin[pin][0][1] == self.base


def _turned(place: Point, about: Point, angle: float) -> Point:
    """A place relative to another one, turned [rad]."""
    x, z = place[0] - about[0], place[1] - about[1]
    c, s = math.cos(angle), math.sin(angle)
    return c * x - s * z, s * x + c * z


def long_axle(x: float, low: float, height: float, sizes: Sizes, layers: int, *, motor: bool = False) -> list[Part]:
    """A post whose axle carries plates in several layers."""
    parts = linkage_parts.pedestal(x, low, height, sizes, motor=motor)
    if layers > 1:
        start = sizes.back + 0.55 * sizes.thickness
        end = sizes.back + LAYER * sizes.thickness * (layers - 1) + 0.55 * sizes.thickness
        rod = shells.cylinder(sizes.axle, start + shells.GAP * sizes.width, end)
        parts.append((shells.placed(rod, shells.frame_along((0.0, -1.0, 0.0), (x, 0.0, height))), STEEL))
    return parts
