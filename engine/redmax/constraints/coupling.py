# SPDX-License-Identifier: GPL-3.0-or-later
"""Coupling: one joint coordinate follows another by a ratio."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..fields import integer, number, reference
from ..joints import Joint
from .base import Constraint, Instant, Rows, coordinate_problem
from .packed_rows import CoordinateRow


@dataclass(frozen=True, kw_only=True)
class Coupling(Constraint):
    """Gear, belt, rack or mimic: follower = ratio * leader + offset, for one coordinate of either joint.

    Both feel the force that keeps them in step; no power is lost between them.
    """

    kind: ClassVar[str] = "coupling"
    label: ClassVar[str] = "Gear"
    summary: ClassVar[str] = "One joint follows another by a ratio, like gears or a belt"
    icon: ClassVar[str] = "PREFERENCES"
    menu_order: ClassVar[int] = 10

    leader: str = reference(doc="Joint that is followed", refers_to="joint")
    follower: str = reference(doc="Joint that follows", refers_to="joint")
    leader_coordinate: int = integer(0, doc="Which coordinate of the leader, from 0", minimum=0, of="leader")
    follower_coordinate: int = integer(0, doc="Which coordinate of the follower, from 0", minimum=0, of="follower")
    ratio: float = number(1.0, doc="Motion of the follower per motion of the leader")
    offset: float = number(
        0.0,
        doc="Coordinate of the follower while the leader's is 0",
        unit="rad, m or 1",
        coordinate=("follower", "follower_coordinate"),
    )

    def rows(self, at: Instant) -> Rows:
        leader, follower = at.joint(self.leader), at.joint(self.follower)
        on_leader, on_follower = np.zeros((1, len(leader.q))), np.zeros((1, len(follower.q)))
        on_leader[0, self.leader_coordinate] = -self.ratio
        on_follower[0, self.follower_coordinate] = 1.0
        error = on_follower @ follower.q + on_leader @ leader.q - self.offset
        joints = ((leader.number, on_leader), (follower.number, on_follower))
        return Rows(np.zeros(1), np.zeros(1), error, (False,), joints=joints)

    def packed(self) -> tuple[CoordinateRow, ...]:
        leader = (self.leader, self.leader_coordinate, -self.ratio)
        follower = (self.follower, self.follower_coordinate, 1.0)
        return (CoordinateRow((leader, follower), self.offset),)

    def joint_problems(self, joints: Mapping[str, Joint]) -> Iterator[tuple[str, str]]:
        if (self.leader, self.leader_coordinate) == (self.follower, self.follower_coordinate):
            yield "couples a coordinate to itself", "choose two different joints, or two coordinates of one"
        for name, index, field in (
            (self.leader, self.leader_coordinate, "leader_coordinate"),
            (self.follower, self.follower_coordinate, "follower_coordinate"),
        ):
            problem = coordinate_problem(joints[name], index, field)
            if problem is not None:
                yield problem
