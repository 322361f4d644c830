# SPDX-License-Identifier: GPL-3.0-or-later
"""What joints have in common whose motion is written down as formulas: nothing of it is compiled for a new formula."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..errors import Fault
from ..fields import per_dof_values
from ..symbolic.chart_changes import CHART, HEAD, MOTION, recentre_written, rewrite_written
from ..symbolic.graph import FormulaError
from ..symbolic.tape import play_motion
from ..symbolic.written import Coordinates, Texts, Written, WrittenError, evaluated, why_not_finite, written
from .base import Joint, JointMotion

NO_COORDINATES = Coordinates((), ())

DEPENDENT = 1e-9
"""Twists per unit of each coordinate are dependent whose least singular value, relative to the largest, is below."""


@dataclass(frozen=True, kw_only=True)
class WrittenJoint(Joint):
    """A joint whose Q, S and Sdot follow from texts. Source: SG13 eq. 6-12."""

    @property
    def texts(self) -> Texts:
        """What is written of the joint."""
        raise NotImplementedError

    @property
    def _coordinates(self) -> Coordinates:
        """Names and units; none while its fields are not sound."""
        raise NotImplementedError

    @property
    def dof_names(self) -> tuple[str, ...]:  # type: ignore[override]
        return self._coordinates.names

    @property
    def dof_units(self) -> tuple[str, ...]:  # type: ignore[override]
        return self._coordinates.units

    @property
    def numbers(self) -> Written:
        """The joint as numbers, the same for all joints of the same texts. Raises FormulaError."""
        return written(self.texts)

    @property
    def has_singularity(self) -> bool:
        return self.chart_count > 1

    @property
    def packed_data(self) -> Array:
        return self.numbers.data

    def motion(self, q: Array, qdot: Array, chart: int = 0) -> JointMotion:
        motion = JointMotion(np.eye(4), np.zeros((6, self.ndof)), np.zeros((6, self.ndof)))
        try:
            evaluated(self.numbers.listed, chart, np.asarray(q, float), np.asarray(qdot, float), *motion)
        except (FormulaError, ValueError, ArithmeticError):  # as compiled code, which gives no number here
            for values in motion:
                values.fill(np.nan)
        return motion

    @staticmethod
    def evaluate(data: Array, q: Array, qdot: Array, chart: int, Q: Array, S: Array, Sdot: Array) -> None:
        play_motion(data, int(data[HEAD + CHART * chart + MOTION]), q, qdot, Q, S, Sdot)

    @staticmethod
    def recentre_in_place(data: Array, q: Array, qdot: Array, chart: int) -> int:
        return recentre_written(data, q, qdot, chart)

    @staticmethod
    def rewrite_in_place(data: Array, q: Array, qdot: Array, chart: int, chart_like: int, q_like: Array) -> None:
        rewrite_written(data, q, qdot, chart, chart_like, q_like)

    def recentre(self, q: Array, qdot: Array, chart: int = 0) -> tuple[Array, Array, int]:
        if self.chart_count == 1:
            return q, qdot, chart
        try:
            return super().recentre(q, qdot, chart)
        except (ValueError, ArithmeticError):  # a formula has no value here; compiled code stays in the chart as well
            return q, qdot, chart

    def written_problems(self) -> Iterator[Fault]:
        """What is wrong with what is written, wherever the joint starts."""
        try:
            _ = self.numbers
        except WrittenError as error:
            yield Fault(error.what, error.hint, "formula", error.where)

    def problems(self) -> Iterator[tuple[str, ...]]:
        faults = list(self.written_problems())
        yield from faults
        if faults:
            return
        listed = self.numbers.listed
        q = np.array(per_dof_values(self.q, self.ndof))
        reason = why_not_finite(listed, q)
        S = self.motion(q, np.zeros(self.ndof)).S
        if reason:
            yield Fault(f"has no pose at the start: {reason}", "give another q, or change the formula", "formula")
        elif self.ndof > np.linalg.matrix_rank(S, tol=DEPENDENT * np.abs(S).max()):
            what = "has coordinates that do not move it independently at the start"
            yield Fault(what, "give another q, or take a coordinate away", "singular_start")
        yield from super().problems()
