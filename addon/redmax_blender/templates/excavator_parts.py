# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of an excavator, in units of its boom, as flat shapes whose x runs along them and whose z points to the viewer.

Undercarriage and house are drawn with x forwards and z up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .._engine import arrays
from . import outlines, planar, shells
from .assembly import SIDEWAYS, Part, at, placed, turn
from .paint import GLASS, GRAPHITE, STEEL, YELLOW
from .planar import Point
from .shells import GAP, Boss

Array = arrays.Array

BORE = 0.02
"""Radius of the bores of all pins, which are a little thinner."""


def pin(place: Point, reach: float, radius: float = 0.9 * BORE) -> Part:
    """Across the flat shapes, from -reach to reach."""
    return shells.moved(shells.cylinder(radius, -reach, reach, 0.15 * radius, 20), (*place, 0.0)), STEEL


def limb(centre: Array, half: Array) -> Array:
    """The outline of a bent beam: places (n, 2) on its middle, and half its height at each (n,)."""
    along = np.gradient(centre, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    side = np.stack([-along[:, 1], along[:, 0]], axis=1) * half[:, None]
    angles = [math.atan2(way[1], way[0]) for way in (along[0], along[-1])]
    near = outlines.arc(tuple(centre[0]), half[0], angles[0] + 0.5 * np.pi, angles[0] + 1.5 * np.pi, 13)
    far = outlines.arc(tuple(centre[-1]), half[-1], angles[1] - 0.5 * np.pi, angles[1] + 0.5 * np.pi, 13)
    return np.concatenate([(centre - side)[1:-1], far, (centre + side)[-2:0:-1], near])


def boom(knee: Point, below: Point, above: Point) -> list[Part]:
    """From its foot at the origin to (1, 0), bent over `knee`. below, above: pins of its cylinders."""
    t = np.linspace(0.0, 1.0, 15)
    ends = np.array([[0.0, 0.0], [1.0, 0.0]])
    control = 2.0 * np.array(knee) - 0.5 * ends.sum(axis=0)
    s = t[:, None]
    centre: Array = (1.0 - s) ** 2 * ends[0] + 2.0 * s * (1.0 - s) * control + s**2 * ends[1]
    half: Array = 0.048 + 0.047 * np.sin(np.pi * t) ** 1.2
    bosses = [Boss((0.0, 0.0), 0.0, 0.0, 0.0, BORE), Boss((1.0, 0.0), 0.0, 0.0, 0.0, BORE)]
    bosses.append(Boss(below, 0.0, 0.0, 0.0, BORE))
    beam = shells.plate(limb(centre, half), -0.05, 0.05, 0.006, bosses)
    parts: list[Part] = [(beam, YELLOW), pin(below, 0.14)]
    # The ears of the other cylinder stand beside it on the beam.
    for side in (-1.0, 1.0):
        ear = shells.plate(
            outlines.belt([(above, 0.042), ((above[0] - 0.05, above[1] - 0.1), 0.02),
                           ((above[0] + 0.05, above[1] - 0.1), 0.02)]),
            -0.012, 0.012, 0.003, [Boss(above, 0.0, 0.0, 0.0, BORE)],
        )  # fmt: skip
        parts.append((shells.moved(ear, (0.0, 0.0, side * 0.064)), YELLOW))
    parts.append(pin(above, 0.085))
    fork = shells.plate(outlines.circle(0.056), -0.012, 0.012, 0.003, [Boss((0.0, 0.0), 0.0, 0.0, 0.0, BORE)])
    parts += [(shells.moved(fork, (1.0, 0.0, side * 0.064)), GRAPHITE) for side in (-1.0, 1.0)]
    return [*parts, pin((1.0, 0.0), 0.09)]


def stick(length: float, tail: Point, mount: Point, rocker: Point) -> list[Part]:
    """From its hinge to (length, 0). tail, mount: pins of cylinders that move it and the bucket; rocker: its pin."""
    discs = [((0.0, 0.0), 0.058), (tail, 0.036), (mount, 0.036), ((length, 0.0), 0.034)]
    bosses = [Boss(place, 0.0, 0.0, 0.0, BORE) for place in ((0.0, 0.0), tail, mount, rocker, (length, 0.0))]
    beam = shells.plate(outlines.belt(discs), -0.036, 0.036, 0.005, bosses)
    return [(beam, YELLOW), *(pin(place, 0.062) for place in (tail, mount, rocker)), pin((length, 0.0), 0.1)]


def strap(length: float, depth: float) -> list[Part]:
    """Two straps beside the stick, from the origin to (length, 0), and the pin at their end."""
    bosses = [Boss((x, 0.0), 0.0, 0.0, 0.0, BORE) for x in (0.0, length)]
    bar = shells.plate(outlines.link(length, 0.03), -0.009, 0.009, 0.002, bosses)
    bars: list[Part] = [(shells.moved(bar, (0.0, 0.0, side * depth)), GRAPHITE) for side in (-1.0, 1.0)]
    return bars


def barrel(length: float, radius: float, depths: Sequence[float]) -> list[Part]:
    """Of a cylinder, from its eye at the origin along z; one for each of some depths, along y."""
    parts: list[Part] = []
    for depth in depths:
        start = BORE + 0.014
        tube = shells.cylinder(radius, start + 0.01, length - 0.02 - GAP, 0.1 * radius, 24)
        head = shells.tube(1.12 * radius, 0.6 * radius, length - 0.02, length + 0.02, 0.1 * radius)
        parts += [(shells.moved(tube, (0.0, depth, 0.0)), YELLOW), (shells.moved(head, (0.0, depth, 0.0)), GRAPHITE)]
        parts.append((_eye(1.5 * radius, depth), GRAPHITE))
    return parts


def piston(length: float, radius: float, depths: Sequence[float]) -> list[Part]:
    """The rod of a cylinder, from its eye at the origin along z."""
    parts: list[Part] = []
    for depth in depths:
        rod = shells.cylinder(0.55 * radius, BORE + 0.024, length, 0.05 * radius, 20)
        parts += [(shells.moved(rod, (0.0, depth, 0.0)), STEEL), (_eye(1.5 * radius, depth), GRAPHITE)]
    return parts


def _eye(breadth: float, depth: float) -> shells.Shell:
    ring = shells.tube(BORE + 0.018, BORE, -0.5 * breadth, 0.5 * breadth, 0.002)
    return shells.placed(ring, shells.frame_along((0.0, 1.0, 0.0), (0.0, depth, 0.0)))


def bucket(lug: Point, mouth: float, breadth: float) -> list[Part]:
    """From its hinge at the origin to its lip at (mouth, 0); it bulges to +y. lug: pin of the strap that turns it."""
    half, thin = 0.5 * breadth, 0.012
    bowl = np.array(
        [(0.055, 0.0), (0.045, 0.09), (0.075, 0.17), (0.15, 0.21), (0.24, 0.19), (0.32, 0.10), (mouth, 0.0)]
    )
    bowl[:-1] *= mouth / 0.36
    t = np.linspace(0.0, 1.0, 25)
    knots = np.linspace(0.0, 1.0, len(bowl))
    line = _smooth(np.stack([np.interp(t, knots, bowl[:, k]) for k in range(2)], axis=1))
    along = np.gradient(line, axis=0)
    inwards = np.stack([along[:, 1], -along[:, 0]], axis=1) / np.linalg.norm(along, axis=1, keepdims=True)
    wall = np.concatenate([line + thin * inwards, line[::-1]])
    shell = shells.prism(wall, -half + thin + GAP, half - thin - GAP)
    parts: list[Part] = [(shell, GRAPHITE)]
    cheek = line[1:-1][::-1]
    plate = shells.prism(cheek, -0.5 * thin, 0.5 * thin)
    parts += [(shells.moved(plate, (0.0, 0.0, side * (half - 0.5 * thin))), GRAPHITE) for side in (-1.0, 1.0)]
    for side in (-1.0, 1.0):
        outline = outlines.belt([((0.0, 0.0), 0.036), (lug, 0.034)])
        bosses = [Boss((0.0, 0.0), 0.0, 0.0, 0.0, BORE), Boss(lug, 0.0, 0.0, 0.0, BORE)]
        ear = shells.plate(outline, -0.01, 0.01, 0.002, bosses)
        parts.append((shells.moved(ear, (0.0, 0.0, side * 0.075)), YELLOW))
    parts.append(pin(lug, 0.09))
    tooth = shells.prism(np.array([[0.0, -0.012], [0.05, 0.012], [0.0, 0.016]]), -0.016, 0.016)
    for k in range(5):
        z = (0.25 * k - 0.5) * (breadth - 0.05)
        parts.append((shells.moved(tooth, (mouth + GAP, 0.002, z)), STEEL))
    return parts


def _smooth(line: Array) -> Array:
    """A line (n, 2) with its corners taken off; its ends stay."""
    for _ in range(6):
        middle = 0.25 * line[:-2] + 0.5 * line[1:-1] + 0.25 * line[2:]
        line = np.concatenate([line[:1], middle, line[-1:]])
    return line


def undercarriage(deck: float) -> list[Part]:
    """Two tracks on the ground and the ring that the house turns on; its top is at z = deck."""
    parts: list[Part] = []
    radius, length = 0.5 * (deck - 0.03), 0.78
    for side in (-1.0, 1.0):
        belt = shells.prism(_grousers(length, radius), -0.085, 0.085)
        frame = at((0.0, side * 0.33, radius), SIDEWAYS)
        holes = [Boss((x, 0.0), 0.4 * radius, 0.012, 0.0, 0.0) for x in np.linspace(-0.5 * length, 0.5 * length, 5)]
        cover = shells.plate(outlines.stadium(length, 0.66 * radius), 0.0, 0.016, 0.003, holes)
        parts.append((shells.placed(belt, frame), GRAPHITE))
        outside = frame if side < 0.0 else frame @ at((0.0, 0.0, 0.0), turn("X", np.pi))
        parts.append((shells.placed(cover, outside @ at((0.0, 0.0, 0.085 + GAP))), YELLOW))
    body = shells.block((0.5, 0.66 - 0.17 - 0.01, 0.1), (0.0, 0.0, radius), 0.02)
    ring = shells.cylinder(0.22, radius + 0.05 + GAP, deck - GAP, 0.01, 48)
    return [*parts, (body, YELLOW), (ring, STEEL)]


def _grousers(length: float, radius: float) -> Array:
    """A stadium with cleats around it."""
    count = 44
    points = []
    for k in range(count):
        for part, low in ((0.0, 0.014), (0.5, 0.014), (0.6, 0.0), (0.84, 0.0), (0.94, 0.014)):
            points.append(_on_stadium((k + part) / count, length, radius, low))
    return np.array(points)


def _on_stadium(part: float, length: float, radius: float, low: float) -> Point:
    """A place `low` within two half circles and the lines between them, at a part of the way around from below."""
    half, s = 0.5 * length, part * (2.0 * length + 2.0 * math.pi * radius)
    if s < length:
        return -half + s, low - radius
    if s < length + math.pi * radius:
        angle = -0.5 * math.pi + (s - length) / radius
        return planar.along((half, 0.0), angle, radius - low)
    if s < 2.0 * length + math.pi * radius:
        return half - (s - length - math.pi * radius), radius - low
    angle = 0.5 * math.pi + (s - 2.0 * length - math.pi * radius) / radius
    return planar.along((-half, 0.0), angle, radius - low)


def house(foot: Point, cylinder: Point) -> list[Part]:
    """Deck, cab, engine and counterweight, from z = 0 up. foot, cylinder: pins of boom and cylinders, (x, z)."""
    thick = 0.07
    floor = shells.block((1.0, 0.74, thick), (-0.14, 0.0, 0.5 * thick), 0.015)
    top = thick + GAP
    parts: list[Part] = [(floor, GRAPHITE)]
    bow = outlines.arc((-0.26, 0.0), 0.44, 0.68 * np.pi, 1.32 * np.pi, 17)
    weight = np.concatenate([bow, [[-0.44, bow[-1][1]], [-0.44, bow[0][1]]]])
    parts.append((shells.prism(weight, top, top + 0.26, 0.02), GRAPHITE))
    hood = shells.block((0.34, 0.7, 0.22), (-0.262, 0.0, top + 0.11), 0.03)
    parts.append((hood, YELLOW))
    exhaust = shells.cylinder(0.022, 0.0, 0.12, 0.004, 16)
    parts.append((shells.moved(exhaust, (-0.3, -0.22, top + 0.22 + GAP)), STEEL))
    for side in (-1.0, 1.0):
        feet = [((foot[0] - 0.13, top + 0.02), 0.018), ((cylinder[0] + 0.02, top + 0.024), 0.02)]
        outline = outlines.belt([(foot, 0.05), *feet, (cylinder, 0.036)])
        bosses = [Boss(foot, 0.0, 0.0, 0.0, BORE), Boss(cylinder, 0.0, 0.0, 0.0, BORE)]
        cheek = shells.plate(outline, -0.014, 0.014, 0.003, bosses)
        parts.append((shells.placed(cheek, at((0.0, side * 0.07, 0.0), SIDEWAYS)), YELLOW))
    parts += placed([pin(foot, 0.09), pin(cylinder, 0.14)], at((0.0, 0.0, 0.0), SIDEWAYS))
    return [*parts, *_cab(top)]


def _cab(floor: float) -> list[Part]:
    """Beside the boom, on the far side of the viewer."""
    x, y, tall, thin = 0.14, 0.26, 0.36, 0.008
    hull = shells.block((0.32, 0.22, tall), (x, y, floor + 0.5 * tall), 0.03)
    front = shells.block((thin, 0.17, 0.2), (x + 0.16 + GAP + 0.5 * thin, y, floor + 0.62 * tall), 0.002)
    panes = [
        shells.block((0.22, thin, 0.18), (x, y + side * (0.11 + GAP + 0.5 * thin), floor + 0.64 * tall), 0.002)
        for side in (-1.0, 1.0)
    ]
    roof = shells.block((0.34, 0.24, 0.02), (x, y, floor + tall + 0.01 + GAP), 0.005)
    return [(hull, YELLOW), (front, GLASS), *((pane, GLASS) for pane in panes), (roof, GRAPHITE)]
