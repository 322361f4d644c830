# SPDX-License-Identifier: GPL-3.0-or-later
"""Custom joint: moves as somebody wrote it down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..fields import Element, records, text
from ..symbolic import written
from ..symbolic.graph import FormulaError
from ..symbolic.written import Texts
from .written_joint import NO_COORDINATES, WrittenJoint


@dataclass(frozen=True, kw_only=True)
class OtherChart(Element):
    """Another way to write the coordinates of a custom joint, for poses at which the first is singular."""

    transform: str = text(doc="The same motion, as a product of motions of other coordinates")
    from_pose: str = text(doc="Coordinates of a pose in this chart, between semicolons")
    marks: str = text("", doc="What finding coordinates in other charts needs besides the pose, as m1, m2 and so on")


@dataclass(frozen=True, kw_only=True)
class Custom(WrittenJoint):
    """Q is a product of motions that somebody wrote down, such as `Rz(angle) * Tz(rise * (1 - cos(angle)) / 2)`.

    S and Sdot are derived from it exactly. Source: SG13 eq. 6-12. Factors are translations Tx, Ty, Tz and T(x, y, z),
    rotations Rx, Ry, Rz and R(x, y, z, angle) about an axis, and Euler angles euler_xyz(a, b, c) in any order, with
    formulas of the coordinates and constants. Coordinates with a singularity can have further charts.
    """

    kind: ClassVar[str] = "custom"
    label: ClassVar[str] = "Custom"
    summary: ClassVar[str] = "Moves as a formula says, such as a cam or a pin in a slot"
    icon: ClassVar[str] = "DRIVER_TRANSFORM"
    menu_order: ClassVar[int] = 110

    coordinates: str = text("q1: rad", doc="Names and units of up to 6 coordinates, such as 'angle: rad; lift: m'")
    constants: str = text("", doc="Named numbers for the formulas, such as 'rise = 0.2; half = rise / 2'")
    transform: str = text("Rz(q1)", doc="Product of motions from the parent to the child, with formulas")
    from_pose: str = text("", doc="Coordinates of a pose between semicolons; needed only with other charts")
    marks: str = text("", doc="What finding coordinates in other charts needs besides the pose, as m1, m2 and so on")
    charts: tuple[OtherChart, ...] = records(
        OtherChart, (), doc="Other ways to write the coordinates, taken where one becomes singular"
    )

    @property
    def texts(self) -> Texts:
        own = written.Chart(self.transform, self.from_pose, self.marks)
        others = (written.Chart(each.transform, each.from_pose, each.marks) for each in self.charts)
        return Texts(self.coordinates, self.constants, (own, *others))

    @property
    def _coordinates(self) -> written.Coordinates:
        given: Any = self.coordinates
        try:
            return written.coordinates(given) if isinstance(given, str) else NO_COORDINATES
        except FormulaError:
            return NO_COORDINATES

    @property
    def chart_count(self) -> int:  # type: ignore[override]
        charts: Any = self.charts
        return 1 + len(charts) if isinstance(charts, (tuple, list)) else 1
