# SPDX-License-Identifier: GPL-3.0-or-later
"""Many tables of one column at once: value, slope and bend of each at its own x."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array, frozen
from ..tables import Table


class Curves:
    """k functions, each a table or, for None, x itself.

    Every table is a row of polynomials: one before its first point, one from each point on. Beyond its points a cubic
    table goes on straight, the others hold their end values, as `Table` says.
    """

    def __init__(self, tables: Sequence[Table | None]) -> None:
        given = [(k, table) for k, table in enumerate(tables) if table is not None]
        self.count, self.tables = len(tables), tuple(tables)
        self.bent = frozen([k for k, _ in given], np.int64)
        most = max((len(table.breakpoints()) for _, table in given), default=0)
        points, begin = np.full((len(given), most), np.inf), np.zeros((len(given), most + 1))
        pieces = np.zeros((len(given), most + 1, 4))
        steepest = np.ones(len(tables))
        for row, (k, table) in enumerate(given):
            x = table.breakpoints()
            before = float(table.derivative(float(x[0]) - 1.0)[0])
            points[row, : len(x)] = x
            begin[row, 0], begin[row, 1 : len(x) + 1] = x[0], x
            pieces[row, 0] = float(table.value(float(x[0]))[0]), before, 0.0, 0.0
            own = pieces[row, 1 : len(x) + 1]
            own[:] = table.polynomials()[:, 0]
            half, (_, c1, c2, c3) = 0.5 * np.diff(x), own[:-1].T
            middles = c1 + half * (2.0 * c2 + 3.0 * half * c3)
            steepest[k] = np.abs(np.concatenate([own[:, 1], middles])).max()
        self._points, self._begin, self._pieces = frozen(points), frozen(begin), frozen(pieces)
        self._rows = np.arange(len(given))
        self._ones, self._zeros = frozen(np.ones(len(tables))), frozen(np.zeros(len(tables)))
        self.steepest: Array = frozen(steepest)
        """(k,) largest slope of each, as far as its points and the middles between them tell."""

    def motion(self, x: Array) -> tuple[Array, Array, Array]:
        """f(x), f'(x) and f''(x), each (k,), for x (k,)."""
        if not len(self.bent):
            return x, self._ones, self._zeros
        value, slope, bend = x.copy(), np.ones(self.count), np.zeros(self.count)
        own = x[self.bent]
        piece = (self._points <= own[:, None]).sum(axis=1)
        d = own - self._begin[self._rows, piece]
        c0, c1, c2, c3 = self._pieces[self._rows, piece].T
        value[self.bent] = c0 + d * (c1 + d * (c2 + d * c3))
        slope[self.bent] = c1 + d * (2.0 * c2 + 3.0 * d * c3)
        bend[self.bent] = 2.0 * c2 + 6.0 * d * c3
        return value, slope, bend
