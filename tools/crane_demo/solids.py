# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes of plain solids put together: bars, lattices, chain links. Each solid is closed, so that it has a volume."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


class Solids:
    """Vertices and faces of several closed solids, to become one mesh."""

    def __init__(self, paint: bpy.types.Material) -> None:
        self.vertices: list[Array] = []
        self.faces: list[tuple[int, ...]] = []
        self.paints = [paint]
        self._paint_of_faces: list[int] = []
        self._count = 0

    def paint(self, paint: bpy.types.Material) -> None:
        """What is added from now on has this colour."""
        self.paints.append(paint)

    def add(self, vertices: Array, faces: Any) -> None:
        self.vertices.append(vertices)
        self.faces += [tuple(int(corner) + self._count for corner in face) for face in faces]
        self._paint_of_faces += [len(self.paints) - 1] * len(faces)
        self._count += len(vertices)

    def box(self, centre: Any, size: Any) -> None:
        self.add(CORNERS * size + centre, SIDES)

    def bar(self, start: Any, end: Any, thickness: float) -> None:
        """A square bar from point to point."""
        begin, stop = np.array(start, float), np.array(end, float)
        length = float(np.linalg.norm(stop - begin))
        z = (stop - begin) / length
        side = np.cross((0.0, 0.0, 1.0) if abs(z[2]) < 0.9 else (1.0, 0.0, 0.0), z)
        x = side / np.linalg.norm(side)
        frame = np.stack([x, np.cross(z, x), z], axis=1)
        self.add(CORNERS * (thickness, thickness, length) @ frame.T + (begin + stop) / 2.0, SIDES)

    def lattice(self, start: Any, end: Any, up: Any, *, size: tuple[float, float], bays: int, chord: float) -> None:
        """A girder of four chords with zigzag braces, along the line from start to end; size: width and height."""
        begin, stop = np.array(start, float), np.array(end, float)
        along = (stop - begin) / np.linalg.norm(stop - begin)
        height = np.array(up, float)
        width = np.cross(height, along)
        corners = [width * a * size[0] / 2 + height * b * size[1] / 2 for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        knots = np.linspace(begin, stop, bays + 1)
        for corner in corners:
            self.bar(begin + corner, stop + corner, chord)
        for k, (here, there) in enumerate(pairwise(knots)):
            for a, b in pairwise([*corners, corners[0]]):
                self.bar(here + (a if k % 2 else b), there + (b if k % 2 else a), 0.55 * chord)
        for knot in (knots[0], knots[-1]):
            for a, b in pairwise([*corners, corners[0]]):
                self.bar(knot + a, knot + b, 0.8 * chord)

    def link(self, *, pitch: float, width: float, wire: float, around: int = 40, section: int = 12) -> None:
        """A chain link hanging from the origin along -z: pitch from bearing to bearing, round wire of that diameter."""
        bend = (width - wire) / 2.0
        straight = pitch + wire - 2.0 * bend
        # The middle line of the wire: two half circles joined by straight lines, in the x-z plane.
        half = np.linspace(0.0, np.pi, around // 2)
        centre_z = wire / 2.0 - bend
        top = np.stack([bend * np.cos(half), centre_z + bend * np.sin(half)], axis=1)
        bottom = np.stack([-bend * np.cos(half), centre_z - straight - bend * np.sin(half)], axis=1)
        loop = np.concatenate([top, bottom])
        out = np.concatenate([np.stack([np.cos(half), np.sin(half)], 1), -np.stack([np.cos(half), np.sin(half)], 1)])
        turn = np.linspace(0.0, 2.0 * np.pi, section, endpoint=False)
        ring = loop[:, None] + 0.5 * wire * np.cos(turn)[None, :, None] * out[:, None]
        y = np.broadcast_to(0.5 * wire * np.sin(turn), ring.shape[:2])
        n = len(loop)
        i, j = (k.ravel() for k in np.meshgrid(np.arange(n), np.arange(section), indexing="ij"))
        i1, j1 = (i + 1) % n, (j + 1) % section
        quads = np.stack([i * section + j1, i1 * section + j1, i1 * section + j, i * section + j], axis=1)
        self.add(np.stack([ring[..., 0], y, ring[..., 1]], axis=2).reshape(-1, 3), quads)

    def mesh(self, name: str, *, smooth: bool = False) -> bpy.types.Mesh:
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata(np.concatenate(self.vertices).tolist(), [], self.faces)
        for paint in self.paints:
            mesh.materials.append(paint)
        mesh.polygons.foreach_set("material_index", np.array(self._paint_of_faces, np.int32))
        if smooth:
            mesh.shade_smooth()
        mesh.validate()
        return mesh
