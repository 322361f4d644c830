# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of a ball: a cone for the swing of an axis and a range for the twist about it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..fields import choice, number, reference
from ..joints import Joint, traits
from ..spatial import so3
from ..spatial.swing_twist import CONE, TWIST, limit_motion
from .base import Constraint, Instant, Rows
from .packed_rows import TurnRow

WIDEST = math.radians(170.0)
"""Largest half-angle and half-range: a swing of half a turn has no twist, and beyond half a turn a twist is another."""

USUAL = math.radians(45.0)
"""Half-angle of the cone and of the range of twist that somebody begins with."""

AXES = "xyz"


@dataclass(frozen=True, kw_only=True)
class BallLimit(Constraint):
    """A joint that turns in several directions stays in an elliptic cone and in a range of twist.

    R, the joint frame on the child in that on the parent, is a twist about an axis and then a swing, the shortest turn
    that brings the axis to where it points. The rotation vector of the swing stays in the ellipse of the two
    half-angles, the twist between its limits; both are zero at q = 0. A half-angle that is left out is the largest one,
    so that the swing never comes to half a turn, where it has no direction and the twist no value.
    The rows are torques on the two bodies, whatever the joint's coordinates. With a stiffness these limits are soft:
    springs and dampers beyond them.
    """

    kind: ClassVar[str] = "ball_limit"
    label: ClassVar[str] = "Ball Limit"
    summary: ClassVar[str] = "Keeps a ball joint in a cone and in a range of twist, like a shoulder"
    one_sided: ClassVar[bool] = True

    joint: str = reference(
        doc="Joint that is limited: a ball, or another one that turns several ways", refers_to="joint"
    )
    twist_axis: str = choice("z", doc="Axis of the twist in the joint frame, along the limb", choices=tuple(AXES))
    swing_1: float | None = number(
        None,
        doc="Half-angle for turns about the next axis after the twist axis (x for z), null for 170 degrees",
        plain="Half-angle of the cone for turns about the next axis after that of the twist (x for z)",
        unit="rad",
        positive=True,
        nullable=True,
        first=USUAL,
    )
    swing_2: float | None = number(
        None,
        doc="Half-angle for turns about the axis before the twist axis (y for z), null for 170 degrees",
        plain="Half-angle of the cone for turns about the axis before that of the twist (y for z)",
        unit="rad",
        positive=True,
        nullable=True,
        first=USUAL,
    )
    twist_lower: float | None = number(
        None,
        doc="Smallest twist; null, as twist_upper, for any",
        plain="Smallest twist",
        unit="rad",
        nullable=True,
        first=-USUAL,
    )
    twist_upper: float | None = number(
        None,
        doc="Largest twist; null, as twist_lower, for any",
        plain="Largest twist",
        unit="rad",
        nullable=True,
        first=USUAL,
    )
    restitution: float = number(0.0, doc="Part of the speed that an impact gives back, 0 to 1", minimum=0.0)
    stiffness: float | None = number(
        None,
        doc="Of springs beyond the limits; null for hard limits",
        plain="Of springs beyond the limits; without it they are hard",
        unit="N m/rad",
        positive=True,
        nullable=True,
    )
    damping: float = number(0.0, doc="Of dampers beyond soft limits", unit="N m s/rad", minimum=0.0)

    @property
    def bounce(self) -> float:
        return self.restitution

    @property
    def softness(self) -> tuple[float, float] | None:
        return None if self.stiffness is None else (self.stiffness, self.damping)

    def rows(self, at: Instant) -> Rows:
        ends, limits = at.ends(self.joint), self.packed()
        a, b = ends.parent, ends.child
        on_a, on_b = np.zeros((2, len(limits), 6))
        room, bias = np.zeros((2, len(limits)))
        for k, limit in enumerate(limits):
            A, B = ends.R_parent @ limit.axes, ends.R_child @ limit.child_axes
            R = (a.E_wb[:3, :3] @ A).T @ (b.E_wb[:3, :3] @ B)
            w_a = A.T @ a.twist[:3]
            w: Array = R @ (B.T @ b.twist[:3]) - w_a
            nine = (*R[0].tolist(), *R[1].tolist(), *R[2].tolist())
            room[k], g0, g1, g2, drift = limit_motion(limit.limit, nine, w[0], w[1], w[2], *limit.shape)
            g = np.array([g0, g1, g2])
            on_a[k, :3], on_b[k, :3] = -A @ g, B @ (R.T @ g)
            # w is seen from the turning parent: wdot = R wdot_b - wdot_a + w x w_a
            bias[k] = -drift - g @ np.cross(w, w_a)
        bodies = tuple((body.number, B) for body, B in ((a, on_a), (b, on_b)) if body.number >= 0)
        return Rows(np.zeros(len(limits)), bias, room, (False,) * len(limits), bodies=bodies)

    def packed(self) -> tuple[TurnRow, ...]:
        axes = self._axes()
        a, b = (WIDEST if angle is None else angle for angle in (self.swing_1, self.swing_2))
        found = [TurnRow(self.joint, CONE, (a**-2.0, b**-2.0, max(a, b) ** -2.0), axes, axes)]
        if self.twist_lower is not None and self.twist_upper is not None:
            # counted from the middle of the range, which is as far as can be from where a twist jumps by a turn
            middle, half = 0.5 * (self.twist_lower + self.twist_upper), 0.5 * (self.twist_upper - self.twist_lower)
            turned = axes @ so3.rot_z(-middle)
            found += [TurnRow(self.joint, TWIST, (half, side, 0.0), axes, turned) for side in (1.0, -1.0)]
        return tuple(found)

    def _axes(self) -> Array:
        """(3, 3) as columns both swing axes and the twist axis."""
        twist = AXES.index(self.twist_axis)
        return np.asarray(np.eye(3)[:, [(twist + 1) % 3, (twist + 2) % 3, twist]])

    def problems(self) -> Iterator[tuple[str, str]]:
        for name in ("swing_1", "swing_2"):
            angle = getattr(self, name)
            if angle is not None and angle > WIDEST:
                yield (
                    f"{name} is {angle:.4g} rad, {math.degrees(angle):.4g} degrees",
                    "give at most 170 degrees (2.96 rad), or null for that",
                )
        lower, upper = self.twist_lower, self.twist_upper
        if (lower is None) != (upper is None):
            one, other = ("twist_lower", "twist_upper") if upper is None else ("twist_upper", "twist_lower")
            yield (
                f"has {one} but no {other}, and a twist comes round again after a whole turn",
                "give both, or null for both",
            )
        elif lower is not None and upper is not None:
            if lower > upper:
                yield "has a lower twist limit above the upper one", "swap them"
            elif upper - lower > 2.0 * WIDEST:
                yield (
                    f"has a twist range of {upper - lower:.4g} rad, {math.degrees(upper - lower):.4g} degrees",
                    "give a range of at most 340 degrees (5.93 rad), or null for both limits",
                )
        elif self.swing_1 is None and self.swing_2 is None:
            yield "limits nothing", "give swing_1, swing_2 or both twist limits, or remove it"
        if self.restitution > 1.0:
            yield f"restitution is {self.restitution:g}", "give a number from 0 to 1"
        if self.stiffness is None and self.damping > 0.0:
            yield "has damping but no stiffness", "give a stiffness for soft limits, or no damping for hard ones"
        if self.stiffness is not None and self.restitution > 0.0:
            yield "is soft, so that restitution means nothing", "give restitution 0, or null as stiffness"

    def joint_problems(self, joints: Mapping[str, Joint]) -> Iterator[tuple[str, str]]:
        joint = joints[self.joint]
        found = traits.of(joint)
        if found.known and found.turns < 2:
            turns = "turns about one axis only" if found.turns == 1 else "does not turn"
            yield (
                f"refers to joint '{joint.name}' ({joint.label}), which {turns}",
                "choose a ball, a universal or a free joint; a joint_limit stops a single coordinate",
            )
