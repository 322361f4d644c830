# SPDX-License-Identifier: GPL-3.0-or-later
"""Spline surface joint: moves over a sheet in two directions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..fields import Vector, array, reference
from ..tracks import Sheet
from ..tracks.origins import numbers_from
from ..tracks.sheet_motion import put_sheet_motion
from .base import Ends, Joint
from .friction import Bearing, BearingKind


@dataclass(frozen=True, kw_only=True)
class SplineSurface(Joint):
    """Q(u, v) is the frame at (u, v) on a sheet, S its twists per unit of u and of v. Source: RM19 section 5.3.

    Both coordinates count patches from `origin`. Edges of an open sheet are hard limits unless others are given; beyond
    them the outermost patches go on.
    """

    kind: ClassVar[str] = "spline_surface"
    label: ClassVar[str] = "Spline Surface"
    summary: ClassVar[str] = "Slides over a curved sheet, such as a puck in a bowl"
    icon: ClassVar[str] = "SURFACE_DATA"
    dof_names: ClassVar[tuple[str, ...]] = ("u", "v")
    dof_units: ClassVar[tuple[str, ...]] = ("1", "1")

    sheet: str = reference(doc="Sheet it moves on", refers_to="sheet")
    origin: Vector = array((0.0, 0.0), doc="Where on the sheet u and v are 0", shape=(2,), unit="1")
    path: Sheet | None = field(default=None, repr=False, compare=False)
    """The sheet of that name, which `resolved` puts here."""

    def ends(self) -> tuple[Ends, ...]:
        sheet = self.path
        if sheet is None:
            return Ends(), Ends()
        found = []
        for k, start in enumerate(self.origin):
            extent, corners = sheet.extent[k], sheet.corners(k) - start
            if sheet.cyclic[k]:
                found.append(Ends(corners=tuple(np.sort(corners % extent).tolist()), period=extent))
            else:
                at = tuple(corners.tolist())
                found.append(Ends(-start, extent - start, at) if sheet.stops else Ends(corners=at))
        return tuple(found)

    def bearings(self) -> tuple[Bearing, ...]:
        return (Bearing(BearingKind.PLATE, 0),)

    @property
    def packed_data(self) -> Array:
        """The origin and the numbers of the sheet, one array for all joints of the same origin."""
        return numbers_from(self.known(self.path, "sheet"), self.origin)

    @staticmethod
    def evaluate(data: Array, q: Array, qdot: Array, chart: int, Q: Array, S: Array, Sdot: Array) -> None:
        put_sheet_motion(data[2:], data[0] + q[0], data[1] + q[1], qdot, Q, S, Sdot)
