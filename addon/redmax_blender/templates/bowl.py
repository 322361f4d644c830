# SPDX-License-Identifier: GPL-3.0-or-later
"""A puck that slides in a bowl without friction: a spline surface."""

from typing import Any

import bpy
import numpy as np

from .._engine import arrays
from ..properties import joint as joint_properties
from . import parameters, railway, shells
from .assembly import Assembly, Object, Part, at
from .paint import GRAPHITE, ORANGE, STEEL, TEAL

Array = arrays.Array

NAME = "bowl"
LABEL = "Bowl and Puck"
DESCRIPTION = "Add a puck that slides in a bowl without friction"
ICON = "SURFACE_DATA"

PARAMETERS: dict[str, Any] = {
    "radius": parameters.length("Radius", "Of the bowl", 1.0, least=1e-3),
    "depth": parameters.factor("Depth", "Of the bowl, as a part of its radius", 0.5, most=1.0),
    "start": parameters.factor("Start", "Where the puck starts, as a part of the radius", 0.7, most=0.8),
    "speed": parameters.factor(
        "Speed", "Sideways at the start, as a part of that which keeps it level", 0.45, most=1.0
    ),
}

GRID = 15
"""Rows and columns of the sheet's mesh."""

LEAST = 0.02
"""Depth below which a bowl is a plate, and start below which the puck would stand in the middle."""


def build(
    context: Any, *, radius: float = 1.0, depth: float = 0.5, start: float = 0.7, speed: float = 0.45
) -> list[Object]:
    """The bowl with its foot at the 3D cursor. radius: in Blender units."""
    depth, start = max(depth, LEAST), max(start, LEAST)
    made = Assembly(context, LABEL)
    foot = 0.16 * radius
    base = made.body("Bowl", _dish(radius, depth * radius, foot), at((0.0, 0.0, 0.0)), material="OAK", root="LOCKED")
    sheet = _sheet(made, base, radius, depth, foot)
    x = start * radius
    slope = 2.0 * depth * start
    normal = np.array([-slope, 0.0, 1.0]) / np.hypot(slope, 1.0)
    along = np.array([normal[2], 0.0, -normal[0]])
    frame = at((x, 0.0, foot + depth * start * x), np.stack([along, (0.0, 1.0, 0.0), normal], 1))
    puck = made.body("Bowl Puck", _puck(0.11 * radius), frame, material="STEEL", turns=True)
    (joint,) = railway.put_on(made, "sheet", sheet, [puck], 0.2 * radius)
    level = float(np.sqrt(np.linalg.norm(np.array(context.scene.gravity)) * slope * x))
    settings: Any = joint.redmax.joint
    rates = railway.rates(made, sheet, frame, np.array([0.0, speed * level, 0.0]))
    for dof, rate in zip(joint_properties.dofs(settings), rates, strict=True):
        joint_properties.set_value(settings, "qdot", dof, rate)
    return made.finish(base)


def _sheet(made: Assembly, base: Object, radius: float, depth: float, foot: float) -> Object:
    """A grid over the bowl, which gives the sheet its shape; it is shown as a net and never rendered."""
    side = np.linspace(-radius, radius, GRID)
    vertices = [(x, y, foot + depth / radius * (x * x + y * y)) for y in side for x in side]
    faces = [
        (row * GRID + k, row * GRID + k + 1, (row + 1) * GRID + k + 1, (row + 1) * GRID + k)
        for row in range(GRID - 1)
        for k in range(GRID - 1)
    ]
    mesh = bpy.data.meshes.new("Bowl Sheet")
    mesh.from_pydata(vertices, [], faces)
    obj = bpy.data.objects.new("Bowl Sheet", mesh)
    made.collection.objects.link(obj)
    railway.place(made, obj, base)
    obj.display_type, obj.hide_render = "BOUNDS", True
    obj.redmax.is_sheet = True
    made.objects.append(obj)
    return obj


def _dish(radius: float, depth: float, foot: float) -> list[Part]:
    """The bowl as a turned solid, thicker below, and a ring that it stands on."""
    r = np.linspace(0.0, radius, 25)
    wall = 0.05 * radius
    inner = [(float(x), foot - 0.002 * radius + depth * float(x / radius) ** 2) for x in r]
    outer = [
        (float(x + wall * (x / radius) ** 0.5), foot - wall + depth * float(x / radius) ** 2 - 0.3 * wall) for x in r
    ]
    rim = [(radius + 1.05 * wall, foot + depth)]
    profile = [(0.0, outer[0][1]), *outer[1:], *rim, *inner[:0:-1], (0.0, inner[0][1])]
    ring = shells.lathe(
        [
            (0.30 * radius, 0.0),
            (0.42 * radius, 0.0),
            (0.40 * radius, foot - 1.45 * wall),
            (0.32 * radius, foot - 1.45 * wall),
        ],
        64,
    )
    return [(shells.lathe(profile, 72), TEAL), (ring, GRAPHITE)]


def _puck(radius: float) -> list[Part]:
    """A round puck whose origin is the middle of its underside."""
    profile = [(0.0, 0.0), (0.86, 0.0), (1.0, 0.08), (1.0, 0.30), (0.9, 0.40), (0.55, 0.40), (0.5, 0.34), (0.0, 0.34)]
    disc = shells.lathe([(radius * r, radius * z) for r, z in profile], 48)
    knob = shells.moved(
        shells.cylinder(0.12 * radius, 0.0, 0.16 * radius, 0.02 * radius), (0.3 * radius, 0.0, 0.345 * radius)
    )
    return [(disc, ORANGE), (knob, STEEL)]
