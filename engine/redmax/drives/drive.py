# SPDX-License-Identifier: GPL-3.0-or-later
"""A drive as a scene describes it: inputs, and the joint coordinates that follow them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..fields import (
    Element,
    choice,
    defaults,
    integer,
    number,
    per_dof,
    per_dof_values,
    record,
    records,
    reference,
    specs,
    text,
)
from ..joints import Joint
from ..joints.base import ANIMATED, LOCKED, SIMULATED
from ..joints.revolute import Revolute
from ..tables import Table

CHOICE = ("joint", "coordinate")
"""Fields of an input that say which coordinate it is; all others belong to one of its own."""


@dataclass(frozen=True, kw_only=True)
class DriveInput(Element):
    """What moves a drive: the coordinate of a joint, or a coordinate of the drive's own, like a handle or a motor."""

    joint: str | None = reference(
        None,
        doc="Joint whose coordinate moves the drive, or null for a coordinate of its own",
        plain="Joint whose coordinate moves the drive; empty for a coordinate of its own",
        refers_to="joint",
        nullable=True,
    )
    coordinate: int = integer(0, doc="Which coordinate of that joint, from 0", minimum=0, of="joint")
    q: float = number(0.0, doc="Own coordinate at the start", unit="rad or m")
    qdot: float = number(0.0, doc="Its velocity at the start", unit="rad/s or m/s")
    armature: float = number(0.0, doc="Inertia of its own, such as a motor's", unit="kg m^2 or kg", minimum=0.0)
    motion_type: str = choice(
        SIMULATED,
        doc="simulated: moves freely. animated: follows its animation, the force it needs is computed. locked: stands",
        choices=(SIMULATED, ANIMATED, LOCKED),
    )
    animation: Table | None = record(
        Table,
        None,
        doc="Coordinate over time, used while motion_type is animated",
        plain="Coordinate over time, used while it is animated",
        nullable=True,
        over="time",
    )
    torque: float = number(0.0, doc="Constant torque or force along it", unit="N m or N")
    torque_table: Table | None = record(
        Table, None, doc="Torque or force over time, added to torque", nullable=True, over="time"
    )
    stiffness: float = number(0.0, doc="Spring stiffness towards rest", unit="N m/rad or N/m", minimum=0.0)
    stiffness_table: Table | None = record(
        Table,
        None,
        doc="Spring torque or force over q - rest, added to the linear spring",
        nullable=True,
        over="coordinate",
    )
    rest: float = number(0.0, doc="Coordinate at which the springs are relaxed", unit="rad or m")
    damping: float = number(0.0, doc="Viscous damping", unit="N m s/rad or N s/m", minimum=0.0)
    lower: float | None = number(
        None,
        doc="Lower limit, null for none; hard without limit_stiffness",
        plain="Lower limit; hard without a limit stiffness",
        unit="rad or m",
        nullable=True,
    )
    upper: float | None = number(
        None,
        doc="Upper limit, null for none; hard without limit_stiffness",
        plain="Upper limit; hard without a limit stiffness",
        unit="rad or m",
        nullable=True,
    )
    limit_stiffness: float = number(
        0.0, doc="Stiffness of soft limits; 0 for hard ones", unit="N m/rad or N/m", minimum=0.0
    )
    limit_damping: float = number(0.0, doc="Damping while beyond a soft limit", unit="N m s/rad or N s/m", minimum=0.0)

    def as_joint(self, name: str, child: str) -> Joint:
        """The coordinate of its own as that of a hinge, on which everything that joints have acts alike."""
        shared = [field for field in specs(DriveInput) if field not in (*CHOICE, "armature")]
        given: dict[str, Any] = {field: getattr(self, field) for field in shared}
        return Revolute(name=name, parent=None, child=child, **given)

    def problems(self) -> Iterator[tuple[str, ...]]:
        if self.joint is None:
            if self.coordinate != 0:
                yield f"coordinate is {self.coordinate}, but it names no joint", "give the joint, or leave it out"
            yield from self.as_joint("", "").problems()
            return
        default = defaults(DriveInput)
        own = [name for name in specs(DriveInput) if name not in CHOICE and getattr(self, name) != default[name]]
        if own:
            yield (
                f"is joint '{self.joint}', so that {', '.join(own)} cannot act on it",
                "give them to the joint itself, or make the input a coordinate of its own (joint null)",
            )


@dataclass(frozen=True, kw_only=True)
class Follower(Element):
    """A joint coordinate that a drive moves: q = offset + x, or offset + table(x), with x = ratio . inputs."""

    joint: str = reference(doc="Joint that is moved", refers_to="joint")
    coordinate: int = integer(0, doc="Which coordinate of the joint, from 0", minimum=0, of="joint")
    ratio: object = per_dof(
        1.0, doc="x per unit of each input, in their order; one number for all of them", per="inputs"
    )
    offset: float = number(
        0.0,
        doc="Coordinate of the joint where the rest of it is 0",
        unit="rad, m or 1",
        coordinate=("joint", "coordinate"),
    )
    table: Table | None = record(
        Table, None, doc="Coordinate over x, one column, without corners (cubic)", nullable=True, over="coordinate"
    )

    def problems(self) -> Iterator[tuple[str, str]]:
        if not np.asarray(per_dof_values(self.ratio, 1)).any():
            yield "has ratio 0, so that nothing moves it", "give a ratio, or lock the joint instead"
        if self.table is None or any(True for _ in self.table.problems()):
            return
        columns = np.shape(self.table.y)[1]
        if columns != 1:
            yield f"table has {columns} columns of values", "give one column"
            return
        if not np.ptp(np.asarray(self.table.y, np.float64)):
            yield "table has one value everywhere, so that nothing moves the joint", "lock the joint instead"
            return
        corners = self.table.slope_corners()
        if self.table.interpolation == "step":
            yield "table has steps, so that the joint would jump", "use cubic interpolation"
        elif len(corners):
            hint = "use cubic interpolation, which has none and goes on straight beyond its points"
            if self.table.interpolation == "hermite":
                hint = "give equal slopes on both sides of every point and 0 at the ends, or use cubic interpolation"
            yield f"table has a corner at {corners[0]:g}, where the joint would change its speed in no time", hint

    def ratios(self, inputs: int) -> list[float]:
        """One for every input."""
        return per_dof_values(self.ratio, inputs)


@dataclass(frozen=True, kw_only=True)
class Drive(Element):
    """Joint coordinates that follow a few inputs, by ratios or tables; only the inputs move freely.

    Gears, belts, equal angles of a chain, one slider that moves many joints. What constraints would hold together
    is no longer there to come apart. Source: RBDN section 2.6.
    """

    label: ClassVar[str] = "Drive"
    summary: ClassVar[str] = "One or a few inputs move many joints, by ratios or tables"
    icon: ClassVar[str] = "MOD_ARRAY"

    name: str = text(doc="Name of the drive, unique among drives")
    inputs: tuple[DriveInput, ...] = records(
        DriveInput, (DriveInput(),), doc="What moves it; one coordinate of its own when left out", least=1
    )
    followers: tuple[Follower, ...] = records(Follower, doc="Joint coordinates that it moves", least=1)

    def joint_names(self) -> tuple[str, ...]:
        """All joints it refers to."""
        named = tuple(given.joint for given in self.inputs if given.joint is not None)
        return (*named, *(follower.joint for follower in self.followers))

    def input_title(self, number: int) -> str:
        """Name of an input among those of all drives."""
        joint = self.inputs[number].joint
        if joint is not None:
            return joint
        return self.name if len(self.inputs) == 1 else f"{self.name}, input {number}"

    def problems(self) -> Iterator[tuple[str, str]]:
        count = len(self.inputs)
        for k, follower in enumerate(self.followers):
            if len(follower.ratios(count)) != count:
                given = len(follower.ratios(count))
                yield f"followers[{k}] has {given} ratios for {count} inputs", "give one ratio for each input"
        places = [(given.joint, given.coordinate) for given in self.inputs if given.joint is not None]
        for (joint, coordinate), times in Counter(places).items():
            if times > 1:
                yield f"has coordinate {coordinate} of joint '{joint}' as input {times} times", "give it once"
