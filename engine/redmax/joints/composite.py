# SPDX-License-Identifier: GPL-3.0-or-later
"""Composite joint: joints one after another, without bodies in between."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, ClassVar, Self

import numpy as np

from ..arrays import Array
from ..fields import defaults, elements, specs
from ..spatial import adjoint
from .base import Ends, Find, Joint, JointMotion
from .friction import Bearing
from .primitives import Primitive

MOST_FREEDOMS = 6
PLACEMENT: dict[str, Any] = defaults(Joint) | {"name": "", "parent": None, "child": ""}
"""What the fields that every joint has must be in a part: they belong to the whole joint."""


@dataclass(frozen=True, kw_only=True)
class Composite(Joint):
    """Q = Q1 Q2 ... of its parts, which may be composites themselves; q lists the parts' coordinates in order.

    With two parts S = (Ad_21 S1, S2), where Ad_21 = Ad(Q2^-1). Source: RM19 eq. 45-51; the seed's text of eq. 48 is
    damaged (erratum): d/dt Ad_21 = -ad(S2 qdot2) Ad_21. More parts: the same, one after another.
    """

    kind: ClassVar[str] = "composite"
    label: ClassVar[str] = "Composite"
    summary: ClassVar[str] = "Several joints one after another"
    icon: ClassVar[str] = "LINKED"

    parts: tuple[Joint, ...] = elements(
        doc="Joints from the parent to the child, each only with its kind and its own parameters",
        registry="joint",
        shared=tuple(specs(Joint)),
    )

    @property
    def _joints(self) -> list[Joint]:
        """The parts that are joints: all of them, unless the scene is not checked yet."""
        given: Any = self.parts
        return [part for part in given if isinstance(part, Joint)] if isinstance(given, (tuple, list)) else []

    @property
    def dof_names(self) -> tuple[str, ...]:  # type: ignore[override]
        """The parts' names with the part's number before them, such as '2.angle'."""
        return tuple(f"{k}.{name}" for k, part in enumerate(self._joints, start=1) for name in part.dof_names)

    @property
    def dof_units(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(unit for part in self._joints for unit in part.dof_units)

    @property
    def chart_count(self) -> int:  # type: ignore[override]
        """Product of the parts' counts; a chart is a number whose digits, the first part's lowest, are theirs."""
        return int(np.prod([part.chart_count for part in self._joints], dtype=np.int64))

    @property
    def has_singularity(self) -> bool:
        return any(part.has_singularity for part in self._joints)

    def ends(self) -> tuple[Ends, ...]:
        return tuple(chain.from_iterable(part.ends() for part in self._joints))

    def bearings(self) -> tuple[Bearing, ...]:
        found, start = [], 0
        for part in self._joints:
            found += [Bearing(kind, start + first) for kind, first in part.bearings()]
            start += part.ndof
        return tuple(found)

    def with_paths(self, find: Find) -> Self | None:
        given: Any = self.parts
        if not isinstance(given, (tuple, list)):
            return self  # not checked yet
        parts: list[Any] = [part.with_paths(find) if isinstance(part, Joint) else part for part in given]
        if any(part is None for part in parts):
            return None
        changed = any(new is not old for new, old in zip(parts, given, strict=True))
        return replace(self, parts=tuple(parts)) if changed else self

    def primitives(self) -> tuple[Primitive, ...] | None:
        listed = [part.primitives() for part in self.parts]
        known = [motions for motions in listed if motions is not None]
        return tuple(chain.from_iterable(known)) if len(known) == len(listed) else None

    def motion(self, q: Array, qdot: Array, chart: int = 0) -> JointMotion:
        Q, S, Sdot = np.eye(4), np.zeros((6, 0)), np.zeros((6, 0))
        for part, columns, part_chart in self._split(chart):
            Q2, S2, S2dot = part.motion(q[columns], qdot[columns], part_chart)
            Ad_21 = adjoint.Ad_inverse(Q2)
            Ad_21_dot = adjoint.Ad_inverse_dot(Q2, S2 @ qdot[columns])
            Q, S, Sdot = (
                Q @ Q2,
                np.hstack([Ad_21 @ S, S2]),
                np.hstack([Ad_21_dot @ S + Ad_21 @ Sdot, S2dot]),
            )
        return JointMotion(Q, S, Sdot)

    def recentre(self, q: Array, qdot: Array, chart: int = 0) -> tuple[Array, Array, int]:
        q, qdot = q.copy(), qdot.copy()
        digit_value, new_chart = 1, 0
        for part, columns, part_chart in self._split(chart):
            q[columns], qdot[columns], new = part.recentre(q[columns], qdot[columns], part_chart)
            new_chart += digit_value * new
            digit_value *= part.chart_count
        return q, qdot, new_chart

    def rewrite(self, q: Array, qdot: Array, chart: int, *, chart_like: int, q_like: Array) -> tuple[Array, Array]:
        q, qdot = q.copy(), qdot.copy()
        for (part, columns, old), (_, _, new) in zip(self._split(chart), self._split(chart_like), strict=True):
            q[columns], qdot[columns] = part.rewrite(
                q[columns], qdot[columns], old, chart_like=new, q_like=q_like[columns]
            )
        return q, qdot

    def _split(self, chart: int) -> Iterator[tuple[Joint, slice, int]]:
        """Each part with its coordinates and its chart."""
        start = 0
        for part in self.parts:
            chart, part_chart = divmod(chart, part.chart_count)
            yield part, slice(start, start + part.ndof), part_chart
            start += part.ndof

    def problems(self) -> Iterator[tuple[str, ...]]:
        for index, part in enumerate(self.parts):
            if not isinstance(part, Joint):
                yield f"parts[{index}] is a {type(part).__name__}", "give a joint"
                return
            for name in specs(Joint):
                if _is_set(getattr(part, name), PLACEMENT[name]):
                    yield f"parts[{index}] sets {name}", f"set {name} of the whole joint instead"
        if not self.parts:
            yield "has no parts", "give at least one joint, or use a fixed joint"
        if self.ndof > MOST_FREEDOMS:
            yield f"has {self.ndof} degrees of freedom", f"a body has {MOST_FREEDOMS}: use fewer or simpler parts"
        elif self._rank() < self.ndof:
            yield "has parts that repeat each other's motion", "remove one of them, or change its axis"
        yield from super().problems()

    def _rank(self) -> int:
        """Independent freedoms, at coordinates that are nothing special to any joint."""
        q = 0.3 + 0.2 * np.arange(self.ndof)
        return int(np.linalg.matrix_rank(self.motion(q, np.zeros(self.ndof)).S)) if self.ndof else 0


def _is_set(value: Any, neutral: Any) -> bool:
    return value is not neutral and not (isinstance(value, (str, int, float)) and value == neutral)
