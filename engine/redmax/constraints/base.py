# SPDX-License-Identifier: GPL-3.0-or-later
"""What every constraint is: a named element that restricts motion by rows, linear conditions on velocities.

A constraint looks at the mechanism through an `Instant` and answers with `Rows`. It knows bodies by the frames the
scene describes and joints by their coordinates; Jacobians, masses and solvers are none of its business.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from ..arrays import Array
from ..fields import Element, text
from ..joints import Joint
from .packed_rows import FunctionRow, PackedRow

ZERO_TWIST = np.zeros(6)


class BodyAt(NamedTuple):
    """A body at one instant: its number in the model (-1 for the world), the pose of its described frame in the world
    (4, 4) and the twist of that frame, in its own axes (6,)."""

    number: int
    E_wb: Array
    twist: Array


class JointAt(NamedTuple):
    """A joint of the tree at one instant: its number in the model, coordinates and velocities, each (n,), the chart in
    which they are written, and the joint itself."""

    number: int
    q: Array
    qdot: Array
    chart: int
    joint: Joint


class JointEnds(NamedTuple):
    """The two bodies of a joint of the tree at one instant, and its frames on them: R_parent and R_child (3, 3), each
    in the described frame of its body."""

    parent: BodyAt
    child: BodyAt
    R_parent: Array
    R_child: Array


class Instant(Protocol):
    """What a constraint may look at. t [s]."""

    @property
    def t(self) -> float: ...

    def body(self, name: str | None) -> BodyAt:
        """A body by its name, None for the world."""

    def joint(self, name: str) -> JointAt:
        """A joint by its name."""

    def ends(self, name: str) -> JointEnds:
        """What a joint connects, by its name."""


@dataclass(frozen=True, eq=False)
class Rows:
    """m conditions at one instant, each an equation, or for one-sided constraints "at least".

    With the twists phi of bodies' described frames (component-wise derivative phidot) and the velocities of joints:
    velocity level:      sum B phi + sum C qdot = rate
    acceleration level:  sum B phidot + sum C qddot = bias, so bias = d(rate)/dt - sum Bdot phi - sum Cdot qdot.
    error: (m,) what the positions are off by [rad or m], with d(error)/dt = (left side of the velocity level) - rate;
    None where only velocities are restricted. At least 0 is what a one-sided constraint wants.
    bodies, joints: (number in the model, B (m, 6)) and (number, C (m, n)); the world's number is left out.
    metres: (m,) whether a row is measured in metres; in radians otherwise.
    any_velocity: the rows hold for accelerations alone: whatever velocity there is is right, and rate is that velocity.
    Such rows are on joints alone, with a constant C.
    """

    rate: Array
    bias: Array
    error: Array | None
    metres: tuple[bool, ...]
    bodies: tuple[tuple[int, Array], ...] = ()
    joints: tuple[tuple[int, Array], ...] = ()
    any_velocity: bool = False


@dataclass(frozen=True)
class Treatment:
    """How constraints are kept, and which stiffness of forces implicit steps know.

    The default satisfies accelerations exactly and leaves it to the integrator to put coordinates and velocities back
    on the constraints after every step. The reference treatment (`projects` False) pulls errors back by Baumgarte's
    method instead, accelerations with alpha and beta [1/s], velocities with gamma [1/s], and lets limits act only once
    they are exceeded: for comparison with runs that were made so. Then linearly implicit steps also take the stiffness
    of forces that the reference takes (`BoundForce.reference`).
    """

    projects: bool = True
    alpha: float = 0.0
    beta: float = 0.0
    gamma: float = 0.0


PROJECTED = Treatment()


def reference(*, alpha: float, beta: float, gamma: float) -> Treatment:
    """The reference treatment."""
    return Treatment(projects=False, alpha=alpha, beta=beta, gamma=gamma)


@dataclass(frozen=True, kw_only=True)
class Constraint(Element):
    """A restriction on the motion of bodies or joints beyond the tree of joints."""

    one_sided: ClassVar[bool] = False
    """Whether rows hold as "at least": they push and never pull."""

    name: str = text(doc="Name of the constraint, unique among constraints")

    def rows(self, at: Instant) -> Rows:
        """The conditions at one instant; always as many. Of a constraint by `FunctionRow`s they follow from these."""
        packed = self.packed() or ()
        found = [_evaluated(row, at) for row in packed if isinstance(row, FunctionRow)]
        if not found or len(found) < len(packed):
            raise NotImplementedError(
                f"{type(self).__name__} has neither `rows` nor functions of its own for all of them"
            )
        return Rows(
            rate=np.zeros(len(found)),
            bias=np.array([-result[13] for _, result in found]),
            error=np.array([result[0] for _, result in found]),
            metres=tuple(row.metres for row in packed if isinstance(row, FunctionRow)),
            bodies=tuple(
                (body.number, np.where(np.arange(len(found))[:, None] == k, result[1 + 6 * side : 7 + 6 * side], 0.0))
                for k, (bodies, result) in enumerate(found)
                for side, body in enumerate(bodies)
                if body.number >= 0
            ),
        )

    def packed(self) -> tuple[PackedRow, ...] | None:
        """The rows of `rows`, in their order, as data for compiled code; None where only Python knows them."""
        return None

    def breakpoints(self) -> Array:
        """Times [s] at which what it prescribes has a corner or a jump."""
        return np.zeros(0)

    def jumps(self, t: float) -> bool:  # noqa: ARG002  (only some constraints depend on time)
        """Whether it demands another velocity at time t in no time."""
        return False

    @property
    def prescribes(self) -> bool:
        """Whether it moves things, so that it does work."""
        return False

    @property
    def bounce(self) -> float:
        """Part of the speed that an impact on a one-sided constraint gives back."""
        return 0.0

    @property
    def softness(self) -> tuple[float, float] | None:
        """Stiffness and damping of what acts beyond the limits of a one-sided constraint instead of its rows; None
        where rows hold."""
        return None

    def joint_problems(self, joints: Mapping[str, Joint]) -> Iterator[tuple[str, str]]:  # noqa: ARG002
        """(what, hint) for what is wrong with the joints it refers to; called when all of them exist."""
        return iter(())


def _evaluated(row: FunctionRow, at: Instant) -> tuple[tuple[BodyAt, BodyAt], Array]:
    """The bodies of a row, and what its function says of them."""
    a, b, result = at.body(row.body), at.body(row.other), np.zeros(14)
    row.function(np.array(row.data), a.E_wb, a.twist, b.E_wb, b.twist, result)
    return (a, b), result


def coordinate_problem(joint: Joint, index: int, name: str) -> tuple[str, str] | None:
    """What keeps coordinate `index` of a joint, which the field `name` gives, from being constrained."""
    if index >= joint.ndof:
        count = joint.ndof
        what = f"{name} is {index}, but joint '{joint.name}' has {count} coordinate{'s' * (count != 1)}"
        return what, f"give 0 to {count - 1}" if count else "choose a joint that can move"
    if joint.has_singularity:
        return (
            f"refers to joint '{joint.name}', whose coordinates can be written in several ways",
            "choose a joint such as a hinge, a slider or a universal joint",
        )
    return None
