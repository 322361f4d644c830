# SPDX-License-Identifier: GPL-3.0-or-later
"""Spline curve joint: runs along a track."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..errors import Fault
from ..fields import per_dof_values, reference
from ..tracks import Track
from ..tracks.curve_motion import put_curve_motion
from ..tracks.track import LENGTH
from .base import ANIMATED, Ends, Joint


@dataclass(frozen=True, kw_only=True)
class SplineCurve(Joint):
    """Q(q) is the frame at q on a track, S its twist per unit of q. Source: RM19 section 5.2, Alg. 4 with its erratum.

    The coordinate is the length along the track, where the track does not say otherwise; the start of an open track
    is q = 0, and its ends are hard limits unless closer ones are given.
    """

    kind: ClassVar[str] = "spline_curve"
    label: ClassVar[str] = "Spline Curve"
    summary: ClassVar[str] = "Runs along a track, such as a cart on a rail"
    icon: ClassVar[str] = "CURVE_BEZCURVE"

    track: str = reference(doc="Track it runs on", refers_to="track")
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
        if path.cyclic:
            return (Ends(corners=tuple(path.corners.tolist()), period=path.extent),)
        return (Ends(0.0, path.extent, corners=tuple(path.corners.tolist())),)

    @property
    def packed_data(self) -> Array:
        """The numbers of the track, one array for all joints on it."""
        return self.known(self.path, "track").data

    @staticmethod
    def evaluate(data: Array, q: Array, qdot: Array, chart: int, Q: Array, S: Array, Sdot: Array) -> None:
        put_curve_motion(data, q[0], qdot[0], Q, S, Sdot)

    def problems(self) -> Iterator[tuple[str, ...]]:
        path = self.path
        if path is not None and not path.cyclic:
            given = {"lower": per_dof_values(self.lower, 1, 0.0), "upper": per_dof_values(self.upper, 1, path.extent)}
            given["q"] = per_dof_values(self.q, 1)
            if self.motion_type == ANIMATED and self.animation is not None:
                given["animation"] = np.asarray(self.animation.y, np.float64)[:, :1].ravel().tolist()
            slack = 1e-9 * path.extent
            for name, values in given.items():
                off = [value for value in values if not -slack <= value <= path.extent + slack]
                if off:
                    unit = "" if path.unit == "1" else f" {path.unit}"
                    yield Fault(
                        f"is {off[0]:g}{unit}, beyond the end of track '{path.name}'",
                        f"give values from 0 to {path.extent:g}{unit}, or make the track cyclic",
                        "beyond_track",
                        name,
                    )
        yield from super().problems()
