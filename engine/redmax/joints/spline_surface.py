# SPDX-License-Identifier: GPL-3.0-or-later
"""Spline surface joint: moves over a sheet in two directions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from ..arrays import Array
from ..fields import reference
from ..tracks import Sheet
from ..tracks.sheet_motion import put_sheet_motion
from .base import Ends, Joint


@dataclass(frozen=True, kw_only=True)
class SplineSurface(Joint):
    """Q(u, v) is the frame at (u, v) on a sheet, S its twists per unit of u and of v. Source: RM19 section 5.3.

    Both coordinates count patches. Edges of an open sheet are hard limits unless others are given; beyond them the
    outermost patches go on.
    """

    kind: ClassVar[str] = "spline_surface"
    label: ClassVar[str] = "Spline Surface"
    summary: ClassVar[str] = "Slides over a curved sheet, such as a puck in a bowl"
    icon: ClassVar[str] = "SURFACE_DATA"
    dof_names: ClassVar[tuple[str, ...]] = ("u", "v")
    dof_units: ClassVar[tuple[str, ...]] = ("1", "1")

    sheet: str = reference(doc="Sheet it moves on", refers_to="sheet")
    path: Sheet | None = field(default=None, repr=False, compare=False)
    """The sheet of that name, which `resolved` puts here."""

    def ends(self) -> tuple[Ends, ...]:
        sheet = self.path
        if sheet is None:
            return Ends(), Ends()
        found = []
        for k in range(2):
            corners = tuple(sheet.corners(k).tolist())
            if sheet.cyclic[k]:
                found.append(Ends(corners=corners, period=sheet.extent[k]))
            else:
                found.append(Ends(0.0, sheet.extent[k], corners) if sheet.stops else Ends(corners=corners))
        return tuple(found)

    @property
    def packed_data(self) -> Array:
        """The numbers of the sheet, one array for all joints on it."""
        return self.known(self.path, "sheet").data

    @staticmethod
    def evaluate(data: Array, q: Array, qdot: Array, chart: int, Q: Array, S: Array, Sdot: Array) -> None:
        put_sheet_motion(data, q, qdot, Q, S, Sdot)
