# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed surfaces for the templates' parts, as vertices and faces that look outwards. Pure numbers, no Blender data.

A part made of several shells keeps them apart by a hair (`GAP` of its size): shells that cross would count the overlap
twice in the mass, and the engine's mesh check says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from mathutils import Vector
from mathutils.geometry import tessellate_polygon

from .._engine import arrays
from . import outlines

Array = arrays.Array

GAP = 2e-3
"""Distance between neighbouring shells of one part, as a fraction of their size: too small to see."""


class Shell(NamedTuple):
    """vertices: (n, 3). faces: vertex indices, counter-clockwise seen from outside."""

    vertices: Array
    faces: list[tuple[int, ...]]


class Surface:
    """A shell in the making: rings of vertices, joined by strips and closed by caps."""

    def __init__(self) -> None:
        self.vertices: list[Array] = []
        self.faces: list[tuple[int, ...]] = []

    def ring(self, points: Array) -> list[int]:
        start = len(self.vertices)
        self.vertices.extend(points)
        return list(range(start, len(self.vertices)))

    def level(self, outline: Array, z: float) -> list[int]:
        """A ring from an outline at a height."""
        return self.ring(np.column_stack([outline, np.full(len(outline), z)]))

    def strip(self, lower: Sequence[int], upper: Sequence[int]) -> None:
        """Faces between two rings of equal length; outside is to the right of the way from lower to upper."""
        count = len(lower)
        for k in range(count):
            after = (k + 1) % count
            self.faces.append((lower[k], lower[after], upper[after], upper[k]))

    def strips(self, rings: Sequence[Sequence[int]]) -> None:
        for lower, upper in pairwise(rings):
            self.strip(lower, upper)

    def cap(self, ring: Sequence[int], *, up: bool, holes: Sequence[Sequence[int]] = ()) -> None:
        """Close a ring by a flat face looking up or down, leaving out what lies in other rings."""
        if not holes:
            self.faces.append(tuple(ring) if up else tuple(reversed(ring)))
            return
        order = [*ring, *(index for hole in holes for index in hole)]
        points: Any = [[Vector(self.vertices[index].tolist()) for index in part] for part in (ring, *holes)]
        triangles: Any = tessellate_polygon(points)
        for a, b, c in _turned_alike([(order[a], order[b], order[c]) for a, b, c in triangles], ring):
            self.faces.append((a, b, c) if up else (c, b, a))

    def tube(self, rings: Sequence[Sequence[int]], *, closed: bool) -> Shell:
        """Rings one after another, closed to a ring or with flat ends."""
        self.strips(rings)
        if closed:
            self.strip(rings[-1], rings[0])
        else:
            self.faces.append(tuple(reversed(rings[0])))
            self.faces.append(tuple(rings[-1]))
        return self.shell()

    def shell(self) -> Shell:
        return Shell(np.array(self.vertices), self.faces)


def _turned_alike(triangles: list[tuple[int, ...]], ring: Sequence[int]) -> list[tuple[int, ...]]:
    """Triangles that all turn as their outer ring does; areas cannot tell, because some triangles have none."""
    at_edge: dict[frozenset[int], list[int]] = defaultdict(list)
    for number, triangle in enumerate(triangles):
        for edge in _edges(triangle):
            at_edge[frozenset(edge)].append(number)
    turned: dict[int, tuple[int, ...]] = {}
    waiting = list(_edges(ring))
    while waiting:
        edge = waiting.pop()
        for number in at_edge[frozenset(edge)]:
            if number not in turned:
                triangle = triangles[number]
                turned[number] = triangle if edge in _edges(triangle) else triangle[::-1]
                waiting.extend((b, a) for a, b in _edges(turned[number]))
    return list(turned.values())


def _edges(corners: Sequence[int]) -> list[tuple[int, int]]:
    return [(corner, corners[(k + 1) % len(corners)]) for k, corner in enumerate(corners)]


# --- shapes ----------------------------------------------------------------------------------


def loft(sections: Iterable[tuple[Array, float]]) -> Shell:
    """The surface through outlines of equal length at heights, closed below and above. From the bottom to the top."""
    surface = Surface()
    rings = [surface.level(outline, z) for outline, z in sections]
    surface.strips(rings)
    surface.cap(rings[0], up=False)
    surface.cap(rings[-1], up=True)
    return surface.shell()


def prism(outline: Array, low: float, high: float, bevel: float = 0.0) -> Shell:
    """An outline pulled from one height to another, with bevelled rims."""
    if bevel <= 0.0:
        return loft([(outline, low), (outline, high)])
    small = outlines.inset(outline, bevel)
    return loft([(small, low), (outline, low + bevel), (outline, high - bevel), (small, high)])


def block(size: Sequence[float], centre: Sequence[float] = (0.0, 0.0, 0.0), bevel: float = 0.0) -> Shell:
    """A box with side lengths `size`, round upright edges and bevelled rims."""
    x, y, z = size
    radius = max(bevel, 0.02 * min(x, y))
    shell = prism(outlines.rounded_rectangle(x, y, radius, 3), -0.5 * z, 0.5 * z, bevel)
    return moved(shell, centre)


def lathe(profile: Sequence[tuple[float, float]], points: int = outlines.ROUND) -> Shell:
    """A profile of (radius, height) turned about z, from the bottom outwards and up to the top.

    Ends at radius 0 meet in a point; a profile that ends elsewhere is closed to a ring.
    """
    surface = Surface()
    rings = [surface.level(outlines.circle(radius, points=points), z) for radius, z in profile if radius > 0.0]
    surface.strips(rings)
    if profile[0][0] > 0.0:
        surface.strip(rings[-1], rings[0])
        return surface.shell()
    (bottom,), (top,) = (surface.ring(np.array([[0.0, 0.0, z]])) for z in (profile[0][1], profile[-1][1]))
    for k in range(points):
        after = (k + 1) % points
        surface.faces.append((rings[0][after], rings[0][k], bottom))
        surface.faces.append((rings[-1][k], rings[-1][after], top))
    return surface.shell()


def cylinder(radius: float, low: float, high: float, bevel: float = 0.0, points: int = outlines.ROUND) -> Shell:
    return prism(outlines.circle(radius, points=points), low, high, bevel)


def tube(radius: float, bore: float, low: float, high: float, bevel: float = 0.0) -> Shell:
    """A hollow cylinder along z."""
    b = max(bevel, 1e-3 * radius)
    return lathe(
        [(bore, low), (radius - b, low), (radius, low + b), (radius, high - b), (radius - b, high), (bore, high)]
    )


def ball(radius: float, centre: Sequence[float] = (0.0, 0.0, 0.0), points: int = 24) -> Shell:
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, points // 2 + 1)
    profile = [(radius * max(np.cos(a), 0.0), radius * np.sin(a)) for a in angle]
    profile[0], profile[-1] = (0.0, -radius), (0.0, radius)
    return moved(lathe(profile, points), centre)


class Boss(NamedTuple):
    """A raised disc of a plate with a bore. above, below: how far it stands out; bore 0 for none."""

    centre: tuple[float, float]
    radius: float
    above: float
    below: float
    bore: float


def plate(outline: Array, low: float, high: float, bevel: float, bosses: Sequence[Boss]) -> Shell:
    """A bevelled plate with bosses and bores, all one surface."""
    surface = Surface()
    small = outlines.inset(outline, bevel)
    sections = ((small, low), (outline, low + bevel), (outline, high - bevel), (small, high))
    rims = [surface.level(section, z) for section, z in sections]
    surface.strips(rims)
    bores = {}
    for up, rim, z in ((False, rims[0], low), (True, rims[-1], high)):
        rings = []
        for index, boss in enumerate(bosses):
            first, last = _boss(surface, boss, z, bevel, up=up)
            rings.append(first)
            if last is not None:
                bores[index, up] = last
        surface.cap(rim, up=up, holes=rings)
    for (index, up), ring in bores.items():
        if up:
            surface.strip(ring, bores[index, False])
    return surface.shell()


def _boss(surface: Surface, boss: Boss, z: float, bevel: float, *, up: bool) -> tuple[list[int], list[int] | None]:
    """One side of a boss: the ring where it leaves the plate, and the ring of its bore."""
    height = boss.above if up else boss.below
    side = 1.0 if up else -1.0
    if height <= 0.0 and boss.bore > 0.0:
        ring = surface.level(outlines.circle(boss.bore, boss.centre), z)
        return ring, ring
    steps = [(boss.radius, 0.0), (boss.radius, height - bevel), (boss.radius - bevel, height)]
    if boss.bore > 0.0:
        steps.append((boss.bore, height))
    rings = [surface.level(outlines.circle(radius, boss.centre), z + side * h) for radius, h in steps]
    surface.strips(rings if up else rings[::-1])
    if boss.bore > 0.0:
        return rings[0], rings[-1]
    surface.cap(rings[-1], up=up)
    return rings[0], None


def rod(start: Sequence[float] | Array, end: Sequence[float] | Array, radius: float, points: int = 12) -> Shell:
    """A round bar with flat ends between two places."""
    a, b = np.asarray(start, np.float64), np.asarray(end, np.float64)
    length = float(np.linalg.norm(b - a))
    return placed(cylinder(radius, 0.0, length, 0.0, points), frame_along(b - a, a))


def wire(path: Array, radius: float, points: int = 12, *, closed: bool) -> Shell:
    """A round wire along a path (n, 3) that lies in one plane, closed to a ring or with flat ends."""
    surface = Surface()
    before, after = np.roll(path, 1, axis=0), np.roll(path, -1, axis=0)
    if not closed:
        before[0], after[-1] = path[0], path[-1]
    along = (after - before) / np.linalg.norm(after - before, axis=1, keepdims=True)
    normal = _plane_normal(path)
    angle = np.linspace(0.0, 2.0 * np.pi, points, endpoint=False)
    rings = []
    for point, direction in zip(path, along, strict=True):
        across = np.cross(normal, direction)
        rings.append(surface.ring(point + radius * (np.outer(np.cos(angle), across) + np.outer(np.sin(angle), normal))))
    return surface.tube(rings, closed=closed)


def _plane_normal(path: Array) -> Array:
    centred = path - path.mean(axis=0)
    normal: Array = np.linalg.svd(centred)[2][2]
    return normal


def volume(shell: Shell) -> float:
    """Volume enclosed by a shell, by the divergence theorem."""
    return float(_pyramids(shell)[0].sum())


def centroid(shell: Shell) -> Array:
    """(3,) centre of the volume enclosed by a shell."""
    volumes, corners = _pyramids(shell)
    centre: Array = volumes @ corners.sum(axis=1) / (4.0 * volumes.sum())
    return centre


def _pyramids(shell: Shell) -> tuple[Array, Array]:
    """Signed volumes (n,) of pyramids from the origin to every triangle, and the corners (n, 3, 3) of these."""
    fans = np.array([(face[0], *pair) for face in shell.faces for pair in pairwise(face[1:])])
    corners = shell.vertices[fans]
    volumes: Array = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    return volumes, corners


# --- placing ---------------------------------------------------------------------------------


def frame_along(z: Sequence[float] | Array, origin: Sequence[float] | Array = (0.0, 0.0, 0.0)) -> Array:
    """A frame (4, 4) at `origin` whose z axis points along `z`."""
    axis = np.asarray(z, np.float64) / np.linalg.norm(z)
    side = np.array([1.0, 0.0, 0.0]) if abs(axis[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    x: Array = side - (side @ axis) * axis
    x = x / np.linalg.norm(x)
    E = np.eye(4)
    E[:3, 0], E[:3, 1], E[:3, 2], E[:3, 3] = x, np.cross(axis, x), axis, origin
    return E


def placed(shell: Shell, E: Array) -> Shell:
    """The shell in another frame (4, 4), which must not mirror."""
    return Shell(shell.vertices @ E[:3, :3].T + E[:3, 3], shell.faces)


def moved(shell: Shell, offset: Sequence[float] | Array) -> Shell:
    return Shell(shell.vertices + np.asarray(offset, np.float64), shell.faces)


def scaled(shell: Shell, factor: float) -> Shell:
    return Shell(shell.vertices * factor, shell.faces)
