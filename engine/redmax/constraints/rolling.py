# SPDX-License-Identifier: GPL-3.0-or-later
"""Rolling: two surfaces in contact that do not slip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import RedMaxError
from ..fields import flag, reference
from ..joints import Joint, SurfaceContact
from .base import Constraint, Instant, Rows
from .packed_rows import SlipRow


@dataclass(frozen=True, kw_only=True)
class Rolling(Constraint):
    """The contact point of a surface contact runs equally fast over both surfaces: C(q) qdot = 0.

    Only velocities are restricted, so that a ball can still come to any place in any orientation. Source: SG13
    section 1 for the contact; the rows are Montana's condition of rolling.
    """

    kind: ClassVar[str] = "rolling"
    label: ClassVar[str] = "Rolling"
    summary: ClassVar[str] = "The surfaces of a surface contact roll on each other without slipping"
    icon: ClassVar[str] = "FORCE_VORTEX"
    menu_order: ClassVar[int] = 50

    joint: str = reference(doc="Surface contact that rolls", refers_to="joint")
    pivots: bool = flag(True, doc="Whether it may turn about the common normal")

    def packed(self) -> tuple[SlipRow, ...]:
        return tuple(SlipRow(self.joint, row) for row in range(2 if self.pivots else 3))

    def rows(self, at: Instant) -> Rows:
        seen = at.joint(self.joint)
        if not isinstance(seen.joint, SurfaceContact):
            raise RedMaxError(f"constraint '{self.name}': joint '{self.joint}' is no surface contact")
        C, bias = seen.joint.slip(seen.q, seen.qdot, seen.chart)
        count = 2 if self.pivots else 3
        return Rows(
            rate=np.zeros(count),
            bias=-bias[:count],
            error=None,
            metres=(True, True, False)[:count],
            joints=((seen.number, C[:count]),),
        )

    def joint_problems(self, joints: Mapping[str, Joint]) -> Iterator[tuple[str, str]]:
        joint = joints[self.joint]
        if not isinstance(joint, SurfaceContact):
            yield f"rolls joint '{joint.name}', which is a {joint.label}", "choose a surface contact"
        elif not joint.spin and not self.pivots:
            yield f"keeps joint '{joint.name}' from pivoting, which has no spin", "let it pivot, or give the joint spin"
