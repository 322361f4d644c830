# SPDX-License-Identifier: GPL-3.0-or-later
"""A tower crane as an artist would model it: plain meshes at their places, nothing of RedMax in them yet."""

from __future__ import annotations

from typing import Any, NamedTuple

import bpy
import numpy as np

from .canvas import colour
from .solids import Solids

HEIGHT = 7.0
"""Of the mast [m]; the slewing ring lies on top."""

PITCH = 0.46
"""From bearing to bearing of a chain link [m]."""

LINKS = 8
RAIL = HEIGHT + 0.2
"""Height of the rail under the jib that carries the trolley [m]."""

START = 3.4
"""Distance of the trolley from the mast, as modelled [m]."""

PAINTS = {
    "Crane Yellow": "#f5b21b",
    "Concrete": "#a9adb3",
    "Dark Steel": "#3d434b",
    "Bright Steel": "#c9d0d8",
    "Glass": "#7fb4d8",
    "Container Red": "#cf3b2c",
    "Container Ribs": "#b52f22",
    "Pump Blue": "#2f6fb0",
}


class Crane(NamedTuple):
    """Names of the modelled objects, from the ground to the load."""

    tower: str
    jib: str
    trolley: str
    links: tuple[str, ...]
    load: str

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.tower, self.jib, self.trolley, *self.links, self.load)


def linear(code: str) -> tuple[float, float, float, float]:
    """The colour of '#rrggbb' as Blender stores it: linear light, opaque."""
    display = np.array(colour(code))
    light = np.where(display <= 0.04045, display / 12.92, ((display + 0.055) / 1.055) ** 2.4)
    return float(light[0]), float(light[1]), float(light[2]), 1.0


def paint(name: str) -> bpy.types.Material:
    material = bpy.data.materials.get(name) or bpy.data.materials.new(name)
    material.diffuse_color = linear(PAINTS[name])
    shiny = name == "Bright Steel"
    material.roughness, material.specular_intensity = (0.35, 0.8) if shiny else (0.8, 0.15)
    return material


def model(collection: bpy.types.Collection) -> Crane:
    """Put the crane's parts into a collection. Standing on the origin, its jib along +x."""
    parts = [
        new_object("Tower", _tower(), (0.0, 0.0, 0.0)),
        new_object("Jib", _jib(), (0.0, 0.0, HEIGHT)),
        new_object("Trolley", _trolley(), (START, 0.0, RAIL)),
    ]
    top = RAIL - 0.34
    links = []
    mesh = _link()
    for k in range(LINKS):
        link = bpy.data.objects.new(f"Link {k + 1}", mesh)
        # Each link stands a quarter turn from the one above: that is how they hang in each other.
        link.location, link.rotation_euler = (START, 0.0, top - k * PITCH), (0.0, 0.0, np.pi / 2 * (k % 2))
        links.append(link)
    load = new_object("Load", _load(), (START, 0.0, top - LINKS * PITCH))
    for obj in (*parts, *links, load):
        collection.objects.link(obj)
    return Crane("Tower", "Jib", "Trolley", tuple(link.name for link in links), "Load")


def new_object(name: str, mesh: bpy.types.Mesh, location: Any) -> bpy.types.Object:
    obj = bpy.data.objects.new(name, mesh)
    obj.location = location
    return obj


def _tower() -> bpy.types.Mesh:
    tower = Solids(paint("Concrete"))
    tower.box((0.0, 0.0, 0.2), (2.8, 2.8, 0.4))
    tower.box((0.0, 0.0, 0.5), (1.7, 1.7, 0.2))
    tower.paint(paint("Crane Yellow"))
    tower.lattice((0, 0, 0.6), (0, 0, HEIGHT - 0.3), (0, 1, 0), size=(0.95, 0.95), bays=7, chord=0.11)
    tower.paint(paint("Dark Steel"))
    tower.box((0.0, 0.0, HEIGHT - 0.16), (1.25, 1.25, 0.28))
    return tower.mesh("Tower")


def _jib() -> bpy.types.Mesh:
    """Seen from the slewing ring at its origin."""
    low, high = 0.45, 1.15
    middle = (low + high) / 2
    jib = Solids(paint("Crane Yellow"))
    jib.lattice((0.7, 0, middle), (7.6, 0, middle), (0, 0, 1), size=(0.62, high - low), bays=11, chord=0.085)
    jib.lattice((-0.7, 0, middle), (-3.0, 0, middle), (0, 0, 1), size=(0.62, high - low), bays=4, chord=0.085)
    jib.lattice((0, 0, high), (0, 0, 2.7), (0, 1, 0), size=(0.55, 0.55), bays=2, chord=0.09)
    jib.paint(paint("Dark Steel"))
    jib.box((0.0, 0.0, 0.12), (1.5, 1.5, 0.22))
    jib.box((0.0, 0.0, 2.78), (0.75, 0.75, 0.12))
    for y in (-0.26, 0.26):
        jib.bar((0.0, y, 2.72), (5.6, y, high), 0.05)
        jib.bar((0.0, y, 2.72), (-2.6, y, high), 0.05)
        jib.bar((0.8, y, 0.36), (7.5, y, 0.36), 0.09)
    jib.paint(paint("Crane Yellow"))
    jib.box((0.0, 0.0, 0.62), (1.15, 0.95, 0.78))
    jib.box((0.35, -0.95, 0.35), (1.1, 0.85, 0.16))
    jib.paint(paint("Glass"))
    jib.box((0.35, -0.95, 0.88), (1.0, 0.78, 0.9))
    jib.paint(paint("Crane Yellow"))
    jib.box((0.35, -0.95, 1.37), (1.1, 0.85, 0.08))
    jib.paint(paint("Concrete"))
    for k in range(3):
        jib.box((-2.75 + 0.5 * k, 0.0, 0.1), (0.42, 1.0, 1.5))
    return jib.mesh("Jib")


def _trolley() -> bpy.types.Mesh:
    """Parts that do not touch, so that the mass comes from the mesh. The chain hangs 0.34 m below its origin."""
    trolley = Solids(paint("Dark Steel"))
    trolley.box((0.0, 0.0, -0.02), (1.0, 0.78, 0.12))
    for x in (-0.36, 0.36):
        for y in (-0.45, 0.45):
            trolley.box((x, y, 0.06), (0.24, 0.1, 0.24))
    trolley.paint(paint("Crane Yellow"))
    trolley.box((0.0, 0.0, -0.16), (0.46, 0.46, 0.14))
    trolley.box((0.0, 0.0, -0.3), (0.2, 0.08, 0.12))
    return trolley.mesh("Trolley")


def _link() -> bpy.types.Mesh:
    link = Solids(paint("Bright Steel"))
    link.link(pitch=PITCH, width=0.31, wire=0.075)
    return link.mesh("Link", smooth=True)


def _load() -> bpy.types.Mesh:
    """A small container that hangs from its origin: an eye, the roof, and walls with ribs a hair's breadth off."""
    long, wide, tall, gap = 2.2, 1.1, 1.05, 5e-4
    load = Solids(paint("Container Red"))
    centre = -0.42 - tall / 2
    load.box((0.0, 0.0, centre), (long, wide, tall))
    load.paint(paint("Dark Steel"))
    load.box((0.0, 0.0, -0.42 + 0.06 + gap), (0.9, 0.5, 0.12))
    load.box((0.0, 0.0, -0.15 + gap), (0.07, 0.07, 0.28))
    load.paint(paint("Container Ribs"))
    for side in (-1, 1):
        for k in range(9):
            load.box(((k - 4) * 0.235, side * (wide / 2 + 0.025 + gap), centre), (0.11, 0.05, tall - 0.1))
        for k in range(4):
            load.box((side * (long / 2 + 0.025 + gap), (k - 1.5) * 0.25, centre), (0.05, 0.11, tall - 0.1))
    return load.mesh("Load")
