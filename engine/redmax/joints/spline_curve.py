# SPDX-License-Identifier: GPL-3.0-or-later
"""Spline curve joint: runs along a track."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..errors import Fault
from ..fields import number, per_dof_values, reference
from ..tracks import Track
from ..tracks.curve_motion import put_curve_motion
from ..tracks.origins import numbers_from
from ..tracks.track import LENGTH
from .base import ANIMATED, Ends, Joint


@dataclass(frozen=True, kw_only=True)
class SplineCurve(Joint):
    """Q(q) is the frame at q on a track, S its twist per unit of q. Source: RM19 section 5.2, Alg. 4 with its erratum.

    The coordinate is the length along the track from `origin`, where the track does not say otherwise; the ends of an
    open track are hard limits unless closer ones are given.
    """

    kind: ClassVar[str] = "spline_curve"
    label: ClassVar[str] = "Spline Curve"
    summary: ClassVar[str] = "Runs along a track, such as a cart on a rail"
    icon: ClassVar[str] = "CURVE_BEZCURVE"

    track: str = reference(doc="Track it runs on", refers_to="track")
    origin: float = number(
        0.0, doc="Where on the track the coordinate is 0, in the track's own coordinate", unit="m or 1"
    )
    path: Track | None = field(default=None, repr=False, compare=False)
    """The track of that name, which `resolved` puts here."""

    @property
    def dof_names(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("distance",) if self.path is None or self.path.coordinate == LENGTH else ("parameter",)

    @property
    def dof_units(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("m",) if self.path is None else (self.path.unit,)

    def ends(self) -> tuple[Ends, ...]:
        path = self.path
        if path is None:
            return (Ends(),)
        corners = np.asarray(path.corners, np.float64) - self.origin
        if path.cyclic:
            return (Ends(corners=tuple(np.sort(corners % path.extent).tolist()), period=path.extent),)
        return (Ends(-self.origin, path.extent - self.origin, corners=tuple(corners.tolist())),)

    @property
    def packed_data(self) -> Array:
        """The origin and the numbers of the track, one array for all joints of the same origin."""
        return numbers_from(self.known(self.path, "track"), self.origin)

    @staticmethod
    def evaluate(data: Array, q: Array, qdot: Array, chart: int, Q: Array, S: Array, Sdot: Array) -> None:
        put_curve_motion(data[1:], data[0] + q[0], qdot[0], Q, S, Sdot)

    def problems(self) -> Iterator[tuple[str, ...]]:
        path = self.path
        if path is not None and not path.cyclic:
            low, high = 0.0 - self.origin, path.extent - self.origin
            given = {"lower": per_dof_values(self.lower, 1, low), "upper": per_dof_values(self.upper, 1, high)}
            given["q"] = per_dof_values(self.q, 1)
            if self.motion_type == ANIMATED and self.animation is not None:
                given["animation"] = np.asarray(self.animation.y, np.float64)[:, :1].ravel().tolist()
            slack = 1e-9 * path.extent
            for name, values in given.items():
                off = [value for value in values if not low - slack <= value <= high + slack]
                if off:
                    unit = "" if path.unit == "1" else f" {path.unit}"
                    yield Fault(
                        f"is {off[0]:g}{unit}, beyond the end of track '{path.name}'",
                        f"give values from {low:g} to {high:g}{unit}, or make the track cyclic",
                        "beyond_track",
                        name,
                    )
        yield from super().problems()
