# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces of a model, packed into arrays for kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Array, IntArray, frozen
from . import layout, pairs
from .layout import (
    CLASS,
    CLUSTER,
    EXCLUDED_COUNT,
    FIRST_EXCLUDED,
    FIRST_NUMBER,
    GROUP,
    HEAD,
    INTS,
    MASK,
    NUMBERS,
    PAIR,
    SCENERY,
    SHAPE,
    TWO_SIDED,
)
from .materials import BOUNCE, BOUNCE_ABOVE, KINETIC, MATERIAL, ROLLING, STATIC, TORSIONAL, Pair, of_pair
from .shape import Shape
from .surface import Surface


@dataclass(frozen=True, eq=False)
class PackedSurfaces:
    """Surfaces of a model in the order of the scene; read-only arrays. There are s of them: convex pieces are as many
    as they have pieces, one after another. elements: names of the scene's surfaces. element: (s,) number of the one
    that each is, or is a piece of. names, kinds: (s,) its name and kind.

    ints, numbers: everything that kernels read, as `layout` says. Frames are those of joints: a surface stands in the
    *joint frame* of its body, E_wj, whose poses kernels have (`kernels.tree.world_poses`).
    bodies: (s,) body of each, -1 for the world. E_js: (s, 4, 4) frame of the shape in that joint frame. It is the
    element's frame, moved to the middle of hulls and meshes.
    materials: (s, MATERIAL) numbers as `materials` says; conveyor velocities are in the shape's frame.
    """

    elements: tuple[str, ...]
    element: IntArray
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    ints: IntArray
    numbers: Array
    bodies: IntArray
    E_js: Array
    materials: Array

    def __len__(self) -> int:
        return len(self.names)

    def record(self, surface: int) -> IntArray:
        """(INTS,) what `ints` holds of a surface."""
        start = int(self.ints[layout.SURFACE_INTS]) + surface * INTS
        return self.ints[start : start + INTS]

    def material(self, a: int, b: int) -> Pair:
        """Of two surfaces together."""
        return Pair(*of_pair(self.ints, self.numbers, self.materials, a, b))

    def material_of(self, a: IntArray, b: IntArray) -> Array:
        """(k, PAIR) of surfaces a and b (k,) together, in the order of `Pair`; as `materials.of_pair`."""
        first, second = self.materials[a], self.materials[b]
        smaller, larger = (STATIC, KINETIC), (BOUNCE, BOUNCE_ABOVE, ROLLING, TORSIONAL)
        means = [np.sqrt(first[:, k] * second[:, k]) for k in smaller]
        found: Array = np.stack([*means, *(np.maximum(first[:, k], second[:, k]) for k in larger)], axis=1)
        count = int(self.ints[layout.CLASSES])
        if not count:
            return found
        table, start = int(self.ints[layout.PAIR_OF]), int(self.ints[layout.SURFACE_INTS]) + CLASS
        row = self.ints[table + self.ints[start + a * INTS] * count + self.ints[start + b * INTS]]
        own = self.numbers[int(self.ints[layout.PAIRS]) :].reshape(-1, PAIR)[np.maximum(row, 0)]
        return np.asarray(np.where((row >= 0)[:, None] & ~np.isnan(own), own, found))

    def can_touch(self, a: int, b: int) -> bool:
        """Whether two surfaces may touch at all; see `filters`."""
        low, high = self.record(min(a, b)), self.record(max(a, b))
        start = int(self.ints[layout.EXCLUDED]) + int(low[FIRST_EXCLUDED])
        listed = self.ints[start : start + int(low[EXCLUDED_COUNT])]
        pair = {int(low[SHAPE]), int(high[SHAPE])}
        return not (
            a == b
            or low[CLUSTER] == high[CLUSTER]
            or (low[SCENERY] and high[SCENERY])
            or not (low[MASK] >> high[GROUP]) & 1
            or not (high[MASK] >> low[GROUP]) & 1
            or max(a, b) in listed
            or pair <= {*layout.SCENERY_SHAPES}
        )

    def pairs(self) -> Iterator[tuple[int, int]]:
        """All pairs of surfaces that may touch, the lower number first."""
        for a in range(len(self)):
            for b in range(a + 1, len(self)):
                if self.can_touch(a, b):
                    yield a, b

    @cached_property
    def shape_pairs(self) -> frozenset[tuple[int, int]]:
        """Shapes that may meet, by their codes, the lower one first; some that filters keep apart are among them."""
        start = int(self.ints[layout.SURFACE_INTS])
        records = self.ints[start : start + len(self) * INTS].reshape(-1, INTS)
        moving = set(records[records[:, SCENERY] == 0, SHAPE].tolist())
        pairs = {(min(a, b), max(a, b)) for a in moving for b in records[:, SHAPE].tolist()}
        return frozenset(pair for pair in pairs if not set(pair) <= {*layout.SCENERY_SHAPES})

    @property
    def reaches(self) -> Array:
        """(s,) radius of the sphere around each, infinite for planes [m]."""
        start = int(self.ints[layout.SURFACE_NUMBERS])
        return self.numbers[start : start + len(self) * NUMBERS].reshape(-1, NUMBERS)[:, layout.REACH]


def packed(
    surfaces: Sequence[Surface],
    bodies: IntArray,
    E_js: Array,
    cluster: IntArray,
    excluded: Sequence[Sequence[int]],
    is_scenery: Sequence[bool],
    surface_pairs: Sequence[pairs.SurfacePair] = (),
) -> PackedSurfaces:
    """Surfaces of a model. bodies: of each, -1 for the world. E_js: (n, 4, 4) frames of the elements in the joint
    frames of their bodies. cluster: rigid piece of each. excluded: higher numbers that each does not touch. is_scenery:
    whether no force can move it. surface_pairs: of the scene."""
    by_element = [surface.shapes() for surface in surfaces]
    shapes = [shape for each in by_element for shape in each]
    ends = np.cumsum([0, *map(len, by_element)])
    element = np.repeat(np.arange(len(surfaces)), np.diff(ends))
    records = np.zeros((len(shapes), INTS), np.int64)
    class_of, pair_of, own = pairs.classes(surfaces, surface_pairs)
    records[:, CLASS] = class_of[element]
    values = np.zeros((len(shapes), NUMBERS))
    E = np.array(E_js, np.float64).reshape(-1, 4, 4)[element]
    apart = [[piece for other in each for piece in range(ends[other], ends[other + 1])] for each in excluded]
    counts = np.zeros(5, np.int64)  # so far: excluded, vertices, faces, nodes, numbers of grids
    for k, (number, shape) in enumerate(zip(element.tolist(), shapes, strict=True)):
        surface = surfaces[number]
        E[k, :3, 3] += E[k, :3, :3] @ shape.center
        added = [len(apart[number]), len(shape.vertices), len(shape.planes), len(shape.nodes)]
        records[k, :FIRST_EXCLUDED] = (
            bodies[number], surface.shape_code, surface.group, surface.touches, is_scenery[number], cluster[number],
        )  # fmt: skip
        records[k, FIRST_EXCLUDED:TWO_SIDED] = np.column_stack([counts[:4], added]).ravel()
        records[k, TWO_SIDED], records[k, FIRST_NUMBER] = shape.two_sided, counts[4]
        counts += [*added, len(shape.grid)]
        values[k] = np.concatenate([E[k, :3, :3].ravel(), E[k, :3, 3], shape.size, shape.extent, [shape.reach]])
    listed = [number for each in element.tolist() for number in apart[each]]
    ints, numbers = _laid_out(records, values, shapes, listed, pair_of, own)
    return PackedSurfaces(
        elements=tuple(surface.name for surface in surfaces),
        element=frozen(element, np.int64),
        names=tuple(surfaces[k].name for k in element.tolist()),
        kinds=tuple(surfaces[k].kind for k in element.tolist()),
        ints=frozen(ints, np.int64),
        numbers=frozen(numbers),
        bodies=frozen(np.asarray(bodies)[element], np.int64),
        E_js=frozen(E),
        materials=frozen([_material(surfaces[k]) for k in element.tolist()]).reshape(-1, MATERIAL),
    )


def _laid_out(
    records: IntArray, values: Array, shapes: Sequence[Shape], excluded: list[int], pair_of: IntArray, own: Array
) -> tuple[IntArray, Array]:
    corners_of, corners = [0], []
    for shape in shapes:
        for face in shape.faces:
            corners.append(np.asarray(face, np.int64))
            corners_of.append(corners_of[-1] + len(face))
    head = np.zeros(HEAD, np.int64)
    head[layout.SURFACES], head[layout.CLASSES] = len(records), len(pair_of)
    ints: list[IntArray] = [head]
    numbers: list[Array] = []

    def put(place: int, block: object, into: list[IntArray] | list[Array]) -> None:
        head[place] = sum(len(each) for each in into)
        into.append(np.asarray(block, np.float64 if into is numbers else np.int64).ravel())  # type: ignore[arg-type]

    put(layout.SURFACE_INTS, records, ints)
    put(layout.EXCLUDED, excluded, ints)
    put(layout.CORNERS_OF, corners_of, ints)
    put(layout.CORNERS, np.concatenate(corners) if corners else [], ints)
    put(layout.NODES, np.concatenate([shape.nodes for shape in shapes]), ints)
    put(layout.PAIR_OF, pair_of, ints)
    put(layout.SURFACE_NUMBERS, values, numbers)
    put(layout.VERTICES, np.concatenate([shape.vertices for shape in shapes]), numbers)
    put(layout.PLANES, np.concatenate([shape.planes for shape in shapes]), numbers)
    put(layout.BOXES, np.concatenate([shape.boxes for shape in shapes]), numbers)
    edges = [shape.beside if len(shape.beside) else np.zeros((len(shape.planes), 3, 4)) for shape in shapes]
    put(layout.BESIDE, np.concatenate(edges), numbers)
    put(layout.GRIDS, np.concatenate([shape.grid for shape in shapes]), numbers)
    put(layout.PAIRS, own, numbers)  # the last, as `material_of` reads it
    return np.concatenate(ints), np.concatenate(numbers)


def _material(surface: Surface) -> list[float]:
    kinetic = surface.friction if surface.kinetic_friction is None else surface.kinetic_friction
    numbers = [surface.friction, kinetic, surface.bounce, surface.bounce_above]
    return [*map(float, numbers), float(surface.rolling_friction), float(surface.torsional_friction),
            *(float(v) for v in surface.conveyor)]  # fmt: skip
