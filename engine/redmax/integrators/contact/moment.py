# SPDX-License-Identifier: GPL-3.0-or-later
"""A moment of a run with contact: its state, and what was found there."""

from __future__ import annotations

from collections.abc import Container
from functools import cached_property

import numpy as np

from ...arrays import Array, BoolArray
from ...model import Model
from ...state import State
from .detection import Detection
from .placed import Placed
from .points import Points


class Moment:
    """state: where the run stands. exchanged: (2,) work and loss of the free motion so far [J]. before_switch: whether
    inputs jump here that have not done so yet. stops: energy lost at stops [J], and which stops touch. pushing: names
    of the points that pushed in the step that ended here."""

    def __init__(
        self,
        detection: Detection,
        state: State,
        exchanged: Array,
        *,
        before_switch: bool,
        stops: tuple[float, BoolArray | None],
        pushing: Container[tuple[int, int, int]] = (),
    ) -> None:
        self.detection, self.state, self.exchanged = detection, state, exchanged
        self.before_switch, self.stops, self.pushing = before_switch, stops, pushing
        self._found: tuple[Array, Points] | None = None

    @property
    def model(self) -> Model:
        return self.detection.model

    @cached_property
    def placed(self) -> Placed:
        return Placed(self.model, self.state)

    def changed(self, state: State) -> Moment:
        """The same moment of another state."""
        other = Moment(
            self.detection, state, self.exchanged, before_switch=self.before_switch, stops=self.stops,
            pushing=self.pushing,
        )  # fmt: skip
        if state.q is self.state.q:
            other._found = self._found
        return other

    def points(self, margins: Array) -> Points:
        """All contact points with gaps up to the margins (s,) of surfaces [m]; a search with larger ones is kept."""
        if self._found is None or (self._found[0] < margins).any():
            if self._found is not None:
                margins = np.maximum(margins, self._found[0])
            self._found = margins, self.detection.find(self.placed, margins)
        return self._found[1]

    @cached_property
    def speeds(self) -> Array:
        """(s,) no point of a surface is faster than this [m/s]."""
        placed, detection = self.placed, self.detection
        v, omega = np.linalg.norm(placed.velocity, axis=1), np.linalg.norm(placed.omega, axis=1)
        return np.asarray(v[detection.bodies] + omega[detection.bodies] * detection.arms)
