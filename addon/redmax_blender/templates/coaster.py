# SPDX-License-Identifier: GPL-3.0-or-later
"""A roller coaster: a train of carts on a closed track with a loop and banked turns."""

import functools
import math
from typing import Any

import numpy as np

from .._engine import arrays
from ..properties import joint as joint_properties
from . import coaster_parts, parameters, railway
from .assembly import Assembly, Object, Part, at, scaled

Array = arrays.Array

NAME = "coaster"
LABEL = "Roller Coaster"
DESCRIPTION = "Add a roller coaster: a train of carts runs through a loop and banked turns"
ICON = "CURVE_BEZCURVE"

PARAMETERS: dict[str, Any] = {
    "height": parameters.length("Height", "Of the highest place of the track", 10.0, least=0.1),
    "carts": parameters.count("Carts", "Carts of the train", 4, most=12, soft=8),
    "speed": parameters.factor("Start", "Speed at the top, as a part of that which it falls to", 0.2, most=1.0),
    "bank": parameters.factor("Banking", "How much turns lean, as a part of what nobody feels sideways", 0.9, most=1.0),
}

LOWEST = 0.08
"""Height of the lowest place of the track, all in units of the coaster's height."""

LOOP = 0.30
"""Radius of the loop."""

SIDE = 0.14
"""How far the loop leads aside, so that the way out passes the way in."""

TURN = 0.68
"""Radius of the turns."""

POINTS, ROUNDED = 64, 0.12
"""Points of the curve, and the distance over which it is rounded."""

LENGTH = 1.5
"""Half the length of the straights."""


def _waypoints() -> tuple[Array, Array]:
    """Places (n, 3) that the track passes, and which of them belong to the loop (n,), for a height of 1."""
    low, turn, far = LOWEST, TURN, LENGTH
    drop = [(-far, 0.0, 0.98), (-1.18, 0.0, 0.80), (-0.86, 0.0, 0.42), (-0.55, 0.0, 0.16)]
    loop = []
    for k in range(9):
        angle = 2.0 * math.pi * k / 8 - 0.5 * math.pi
        x, z = LOOP * math.cos(angle), low + LOOP * (1.0 + math.sin(angle))
        loop.append((x + 0.12 * (k - 4) / 4.0, SIDE * k / 8, z))
    out = [(0.62, SIDE, 0.10), (1.05, SIDE, 0.24)]
    centre = SIDE + turn
    first = [
        (far + turn * math.sin(a), centre - turn * math.cos(a), 0.36 + 0.06 * math.sin(a))
        for a in np.linspace(0.0, math.pi, 6).tolist()
    ]
    end = SIDE + 2.0 * turn
    back = [
        (1.0, end, 0.18),
        (0.55, end, 0.34),
        (0.2, end, 0.44),
        (-0.15, end, 0.34),
        (-0.6, end, 0.14),
        (-1.1, end, 0.24),
    ]
    centre, radius = 0.5 * end, 0.5 * end
    last = [
        (-far - radius * math.sin(a), centre + radius * math.cos(a), 0.42 + 0.56 * s)
        for s, a in zip((0.0, 0.17, 0.38, 0.62, 0.85), np.linspace(0.0, math.pi, 6).tolist(), strict=False)
    ]
    parts = [drop, loop, out, first, back, last]
    flags = np.concatenate([np.full(len(part), part is loop) for part in parts])
    return np.array([place for part in parts for place in part]), flags


def _up(points: Array, inside: Array, bank: float) -> Array:
    """Directions (n, 3) that the riders call up: in turns as nobody is pushed sideways, in the loop to its middle.

    Curvature is that of the circles through neighbours; speeds are those of a fall from the highest place.
    """
    before, after = points - np.roll(points, 1, axis=0), np.roll(points, -1, axis=0) - points
    a, b = np.linalg.norm(before, axis=1, keepdims=True), np.linalg.norm(after, axis=1, keepdims=True)
    curvature = 2.0 * (after / b - before / a) / (a + b)
    speed_squared = 2.0 * (1.04 - points[:, 2:])  # in units of gravity times height
    up = np.zeros_like(points)
    up[:, 2] = 1.0
    up[:, :2] += bank * (speed_squared * curvature)[:, :2]
    middle = points[inside].mean(axis=0)
    towards = middle - points[inside]
    towards[:, 1] = 0.0
    up[inside] = towards
    directions: Array = up / np.linalg.norm(up, axis=1, keepdims=True)
    return directions


@functools.lru_cache(maxsize=4)
def _unit(bank: float) -> tuple[Any, Any, list[Part]]:
    """Spline, track and rails of a coaster of height 1, which are the same for all that bank alike."""
    points, inside = _waypoints()
    points, up = railway.rounded(points, _up(points, inside, bank), POINTS, ROUNDED)
    spline = railway.banked(railway.smooth_spline(points, cyclic=True), up)
    track = railway.track_along(spline)
    return spline, track, coaster_parts.rails(track)


def build(context: Any, *, height: float = 10.0, carts: int = 4, speed: float = 0.2, bank: float = 0.9) -> list[Object]:
    """The coaster with the middle of its first straight at the 3D cursor. Lengths in Blender units."""
    made = Assembly(context, LABEL)
    spline, track, rails = _unit(bank)
    frames = scaled_frames(track, height)
    base = made.body(
        "Coaster Rails",
        scaled(rails, height),
        at((0.0, 0.0, 0.0)),
        material="STEEL",
        root="LOCKED",
    )
    # What stands still need not be weighed, and its many pieces take long.
    base.redmax.body.shape, base.redmax.body.box.size = "box", (height, height, height)
    larger = spline._replace(points=height * spline.points, left=height * spline.left, right=height * spline.right)
    rail = railway.curve_object(made, "Coaster Track", larger, base)
    top, pitch = 0.02 * track.extent, coaster_parts.PITCH
    shape: Any = scaled(coaster_parts.cart(), height)
    bodies = []
    for number in range(carts):
        body = made.body(
            f"Coaster Cart {number + 1}", shape, frames(top - number * pitch), material="ALUMINIUM", turns=True
        )
        shape = body.data
        bodies.append(body)
    joints = railway.put_on(made, "track", rail, bodies, 0.03 * height)
    fall = math.sqrt(2.0 * float(np.linalg.norm(np.array(context.scene.gravity))) * height)
    for joint in joints:
        settings: Any = joint.redmax.joint
        (dof,) = joint_properties.dofs(settings)
        joint_properties.set_value(settings, "qdot", dof, speed * fall)
    if len(joints) > 1:
        railway.couple(made, joints)
    return made.finish(base)


def scaled_frames(track: Any, height: float) -> Any:
    """What gives the frame (4, 4) at a place of a track of height 1, made as large as the coaster."""

    def frame(q: float) -> Array:
        E = np.array(track.poses([q])[0])
        E[:3, 3] *= height
        return E

    return frame
