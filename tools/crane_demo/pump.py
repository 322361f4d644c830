# SPDX-License-Identifier: GPL-3.0-or-later
"""An oil pump beside the crane, a four-bar linkage: frame, crank, a pair of rods, and a beam with its horse head."""

from __future__ import annotations

from typing import Any, NamedTuple

import bpy
import numpy as np

from .modelling import new_object, paint
from .solids import Solids

PLACE = (-4.6, -3.4, 0.0)
"""Where the beam's bearing stands over the ground [m]; the beam lies along x."""

AXLE, CRANK_PIN, BEARING, TAIL = (-2.2, 0.0, 1.35), (-1.5, 0.0, 1.35), (0.0, 0.0, 3.4), (-2.2, 0.0, 3.4)
"""Pins of the linkage from `PLACE`: the crank turns about the first, the beam about the third."""

GAP = 5e-4
"""Parts of a body that do not touch keep its mesh a sum of closed solids, so that its mass is that of the mesh."""


class Pump(NamedTuple):
    """Names of the modelled objects."""

    frame: str
    crank: str
    rods: str
    beam: str

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.frame, self.crank, self.rods, self.beam)


def model(collection: bpy.types.Collection) -> Pump:
    """Put the pump's parts into a collection, each with its origin where it is hinged."""
    for name, mesh, pin in (
        ("Pump Frame", _frame(), (0.0, 0.0, 0.0)),
        ("Pump Crank", _crank(), AXLE),
        ("Pump Rods", _rods(), CRANK_PIN),
        ("Pump Beam", _beam(), BEARING),
    ):
        collection.objects.link(new_object(name, mesh, np.add(PLACE, pin)))
    return Pump("Pump Frame", "Pump Crank", "Pump Rods", "Pump Beam")


def _frame() -> bpy.types.Mesh:
    """Skid, gearbox, and the post that carries the beam; its bars meet, and it stands still."""
    frame = Solids(paint("Concrete"))
    frame.box((-0.7, 0.0, 0.1), (5.6, 2.0, 0.2))
    frame.paint(paint("Dark Steel"))
    for y in (-0.55, 0.55):
        frame.box((-0.7, y, 0.29), (5.2, 0.16, 0.16))
    frame.box((AXLE[0], 0.0, 0.82), (0.95, 0.5, 0.9))
    frame.bar((AXLE[0], -0.7, AXLE[2]), (AXLE[0], 0.7, AXLE[2]), 0.16)
    frame.box((-3.0, 0.0, 0.62), (0.5, 0.6, 0.5))
    frame.paint(paint("Pump Blue"))
    frame.box((AXLE[0], 0.0, AXLE[2]), (0.6, 0.42, 0.34))
    for x in (-0.75, 0.75):
        for y in (-0.5, 0.5):
            frame.bar((x, y, 0.36), (0.06 * x, 0.35 * y, BEARING[2] - 0.2), 0.13)
    for z, part in ((1.2, 0.72), (2.2, 0.42)):
        for y in (-1.0, 1.0):
            frame.bar((-0.78 * part, 0.5 * part * y, z), (0.78 * part, 0.5 * part * y, z), 0.07)
    frame.bar((0.0, -0.3, BEARING[2] - 0.13), (0.0, 0.3, BEARING[2] - 0.13), 0.16)
    return frame.mesh("Pump Frame")


def _crank() -> bpy.types.Mesh:
    """Two arms about the axle, on either side of the gearbox, with weights behind it."""
    reach = CRANK_PIN[0] - AXLE[0]
    crank = Solids(paint("Dark Steel"))
    for y in (-0.6, 0.6):
        crank.box((0.5 * reach - 0.35, y, 0.0), (reach + 0.9, 0.12, 0.26))
    crank.paint(paint("Container Red"))
    for y in (-0.6, 0.6):
        for side in (-1.0, 1.0):
            crank.box((-0.5, y + side * (0.06 + 0.06 + GAP), 0.0), (0.62, 0.12, 0.78))
    return crank.mesh("Pump Crank")


def _rods() -> bpy.types.Mesh:
    """A rod on either side from the crank pins up to the bar on which the beam's tail rests."""
    up = np.subtract(TAIL, CRANK_PIN)
    along = up / np.linalg.norm(up)
    rods = Solids(paint("Bright Steel"))
    for y in (-0.8, 0.8):
        side = np.array((0.0, y, 0.0))
        rods.bar(side - 0.1 * along, up + side - (0.09 + GAP) * along, 0.1)
        rods.box((0.0, np.sign(y) * (abs(y) - 0.05 - 0.05 - GAP), 0.0), (0.1, 0.1, 0.1))
    rods.paint(paint("Dark Steel"))
    half = np.array((0.0, 0.85, 0.0))
    rods.bar(up - half, up + half, 0.12)
    return rods.mesh("Pump Rods")


def _beam() -> bpy.types.Mesh:
    """Seen from its bearing: an I-beam, and at its front an arc about the bearing from which the cable hangs."""
    back, front, tall = TAIL[0] - 0.25, 1.75, 0.36
    beam = Solids(paint("Pump Blue"))
    middle, length, low = 0.5 * (back + front), front - back, 0.1
    for z in (low + 0.03, low + tall - 0.03):
        beam.box((middle, 0.0, z), (length, 0.3, 0.06))
    beam.box((middle, 0.0, low + 0.5 * tall), (length, 0.08, tall - 0.12 - 2.0 * GAP))
    beam.paint(paint("Crane Yellow"))
    for number in range(7):
        angle = 0.32 - 0.11 * number
        radius = front + 0.3
        place = radius * np.array((np.cos(angle), 0.0, np.sin(angle)))
        beam.bar(place + _along(angle, -0.1), place + _along(angle, 0.1), 0.34)
    return beam.mesh("Pump Beam")


def _along(angle: float, distance: float) -> Any:
    """A step along an arc at an angle, upwards."""
    return distance * np.array((-np.sin(angle), 0.0, np.cos(angle)))
