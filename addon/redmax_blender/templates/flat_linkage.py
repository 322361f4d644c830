# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages of plates and pins in an upright plane, described by which plates meet at which pins in which layers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .._engine import arrays
from . import linkage_parts, planar, shells, swinging
from .assembly import Assembly, Object, Part
from .linkage_parts import Sizes
from .paint import STEEL, Paint
from .planar import Point

Array = arrays.Array

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

    pins: places by name. ground: pins that the base holds by axles of its own. frame: (4, 4) from which all of it is
    seen, the viewer at its -y.
    """

    def __init__(
        self,
        made: Assembly,
        base: Object,
        sizes: Sizes,
        pins: Mapping[str, Point],
        ground: Sequence[str],
        material: str,
        frame: Array | None = None,
    ) -> None:
        self.made, self.base, self.sizes, self.pins, self.material = made, base, sizes, pins, material
        self.frame = np.eye(4) if frame is None else frame
        self.parts: dict[str, list[Part]] = {}
        self.at_pin: dict[str, list[tuple[str, Object, int]]] = {pin: [("", base, 0)] for pin in ground}

    def depth(self, layer: int) -> float:
        """How far the middle of a layer lies in front of the posts."""
        return self.sizes.back + LAYER * self.sizes.thickness * layer

    def frame_of(self, plate: Plate) -> Array:
        """(4, 4) of a plate's body."""
        return self.frame @ planar.facing(self.pins[plate.pins[0]], self.depth(plate.layer), self._angle(plate))

    def place_on(self, plate: Plate, pin: str) -> Point:
        """Where a pin is in a plate's own frame."""
        return _turned(self.pins[pin], self.pins[plate.pins[0]], -self._angle(plate))

    def shape(self, plates: Sequence[Plate]) -> dict[str, list[Part]]:
        """Parts of plates by name, each in its plate's own frame. Each pin is part of the plate that lies farthest
        back."""
        layers: dict[str, list[int]] = {}
        for plate in plates:
            for pin in plate.pins:
                layers.setdefault(pin, []).append(plate.layer)
        return {plate.name: self._parts(plate, layers) for plate in plates}

    def add(
        self,
        plates: Sequence[Plate],
        more: Mapping[str, Sequence[Part]] | None = None,
        there: Mapping[str, Object] | None = None,
    ) -> dict[str, Object]:
        """Bodies of plates by name, without joints.

        more: further parts of some of them, in the plates' own frames. there: bodies that some plates are part of.
        """
        bodies = dict(there or {})
        for name, parts in self.shape(plates).items():
            self.parts[name] = [*parts, *(more or {}).get(name, ())]
        for plate in plates:
            body = bodies.get(plate.name)
            if body is None:
                parts = self.parts[plate.name]
                body = self.made.body(plate.name, parts, self.frame_of(plate), material=self.material, turns=True)
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
                frame = self.frame @ planar.facing(self.pins[pin], self.depth(layer), 0.0)
                glyph = 1.4 * self.sizes.width
                hinges[pin, name] = self.made.joint(carrier, body, frame, kind="revolute", size=glyph)
        return hinges

    def _angle(self, plate: Plate) -> float:
        return planar.direction(self.pins[plate.pins[0]], self.pins[plate.pins[1]])

    def _parts(self, plate: Plate, layers: Mapping[str, Sequence[int]]) -> list[Part]:
        sizes = self.sizes
        places = [self.place_on(plate, pin) for pin in plate.pins]
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
