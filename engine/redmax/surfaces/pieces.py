# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex hulls that together make a shape with dents, such as a cup, for what moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..errors import Fault
from ..fields import Element, Vector, array, records
from . import layout
from .hull import corner_problems, hull_lengths, hull_shape
from .polyhedra import Polyhedron, hull_polyhedron
from .shape import Shape
from .surface import Surface

MOST_PIECES = 256
"""Pieces of one surface: each may touch by itself."""


@dataclass(frozen=True, kw_only=True)
class Piece(Element):
    """A convex piece: the hull of points."""

    vertices: Vector = array(doc="Points that it spans, in the surface's frame", shape=(None, 3), unit="m")

    @cached_property
    def polyhedron(self) -> Polyhedron:
        """Its corners and faces, in the surface's frame."""
        return hull_polyhedron(np.asarray(self.vertices, np.float64))

    def problems(self) -> Iterator[tuple[str, ...]]:
        yield from corner_problems(self)


@dataclass(frozen=True, kw_only=True)
class PiecesSurface(Surface):
    """Several convex hulls, which touch as so many surfaces of the same body would.

    Forces on them are added up.
    """

    kind: ClassVar[str] = "pieces"
    label: ClassVar[str] = "Convex Pieces"
    summary: ClassVar[str] = "Several convex hulls, which keep the dents of a mesh that moves"
    icon: ClassVar[str] = "MOD_EXPLODE"
    menu_order: ClassVar[int] = 85
    shape_code: ClassVar[int] = layout.HULL

    pieces: tuple[Piece, ...] = records(Piece, doc="Convex pieces", least=1)

    def lengths(self) -> Array:
        return np.concatenate([hull_lengths(piece.vertices) for piece in self.pieces])

    def problems(self) -> Iterator[tuple[str, ...]]:
        yield from super().problems()
        if len(self.pieces) > MOST_PIECES:
            hint = f"use at most {MOST_PIECES}, or several surfaces on one body"
            yield Fault(f"are {len(self.pieces)}", hint, "many_pieces", "pieces")

    def shape(self) -> Shape:
        """The first piece; see `shapes` for all."""
        return hull_shape(self.pieces[0].polyhedron)

    def shapes(self) -> Sequence[Shape]:
        return tuple(hull_shape(piece.polyhedron) for piece in self.pieces)
