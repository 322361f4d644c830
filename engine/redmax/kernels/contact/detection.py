# SPDX-License-Identifier: GPL-3.0-or-later
"""Detection for Python: a finder for the surfaces of a model, with its work space."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, IntArray
from ...surfaces import PackedSurfaces
from .. import route
from .find import IDS, NUMBERS, find_contacts
from .sizes import work_sizes


class Contacts(NamedTuple):
    """Contact points at one instant. surfaces: (n, 2), the lower number first. features: (n,) numbers by which a point
    of two surfaces is known again. points: (n, 3) midway, normals: (n, 3) from the second surface to the first, gaps:
    (n,) [m], negative inside; in the world."""

    surfaces: IntArray
    features: IntArray
    points: Array
    normals: Array
    gaps: Array


def _find_in_python(*arrays: Any) -> int:
    """`find_contacts` as Python runs it: elements of views are Python's own numbers, which are several times faster
    than those of arrays."""
    views: list[Any] = [memoryview(array) for array in arrays]
    return find_contacts(*views)


class Finder:
    """Finds contacts of the surfaces of a model; `marks` and `work` are the work space of `find_contacts`."""

    def __init__(self, surfaces: PackedSurfaces) -> None:
        self.surfaces = surfaces
        sizes = work_sizes(len(surfaces))
        self.marks, self.work = np.zeros(sizes[0], np.int64), np.zeros(sizes[1])
        self.ids, self.numbers = np.zeros(IDS * 64, np.int64), np.zeros(NUMBERS * 64)
        self._find = _find_in_python
        if route.name() == route.NUMBA:
            from .compiled import compiled_find, put_addresses  # noqa: PLC0415  (numba alone)

            put_addresses(surfaces.shape_pairs, self.marks)
            self._find = compiled_find

    def find(self, E_wj: Array, margins: Array | float = 0.0) -> Contacts:
        """Contacts where the joint frames of all bodies are at E_wj (n, 4, 4). margins: (s,) or one for all [m]."""
        E = np.asarray(E_wj, np.float64).reshape(-1, 4, 4)
        poses = np.concatenate([E[:, :3, :3].reshape(-1, 9), E[:, :3, 3]], axis=1).ravel()
        each = np.array(np.broadcast_to(np.asarray(margins, np.float64), (len(self.surfaces),)))
        while True:
            n = self._find(
                self.surfaces.ints, self.surfaces.numbers, poses, each, self.marks, self.work, self.ids, self.numbers
            )
            if n >= 0:
                break
            self.ids, self.numbers = np.zeros(-2 * n * IDS, np.int64), np.zeros(-2 * n * NUMBERS)
        ids = self.ids[: IDS * n].reshape(-1, IDS).copy()
        rows = self.numbers[: NUMBERS * n].reshape(-1, NUMBERS).copy()
        return Contacts(ids[:, :2], ids[:, 2], rows[:, :3], rows[:, 3:6], rows[:, 6])
