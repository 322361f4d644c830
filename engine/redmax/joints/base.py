# SPDX-License-Identifier: GPL-3.0-or-later
"""The joint contract: Q(q), S(q) and Sdot(q, qdot). Nothing else of a joint's geometry reaches the dynamics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import FunctionType
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np

from ..arrays import Array
from ..errors import Fault, RedMaxError
from ..fields import REAL, Element, Pose, choice, per_dof, per_dof_values, pose, record, reference, specs, text
from ..tables import Table
from .friction import Bearing, Friction, one_by_one
from .motor import Motor
from .primitives import Primitive

Known = TypeVar("Known", bound=Element)

SIMULATED, ANIMATED, LOCKED = "simulated", "animated", "locked"


class JointMotion(NamedTuple):
    """A joint at one instant, n degrees of freedom.

    Q: (4, 4) pose of the joint frame on the child, seen from the joint frame on the parent.
    S: (6, n) joint twist per unit qdot, in the moved joint frame, angular part first: phi = S qdot.
    Sdot: (6, n) time derivative of S along (q, qdot).
    """

    Q: Array
    S: Array
    Sdot: Array


class Ends(NamedTuple):
    """Where a coordinate ends by itself, in its unit. corners: sorted values at which S has a corner, so that steps of
    integrators should end there; with a period they come again after each."""

    lower: float = -math.inf
    upper: float = math.inf
    corners: tuple[float, ...] = ()
    period: float = math.inf


Find = Callable[[str, str], Element | None]
"""The element of a sort and a name, such as ("track", "rail"); None where there is no sound one."""


@dataclass(frozen=True, kw_only=True)
class Joint(Element):
    """A joint between a parent body (or the world) and a child body.

    Q(q) leads from the joint frame on the parent (`frame_in_parent`) to the joint frame on the child
    (`frame_in_child`): E_wp frame_in_parent Q(q) = E_wc frame_in_child. Source: RM19 eq. 22. Q(0) is the identity in
    most kinds, so that both frames coincide at q = 0, but need not be.

    **The contract.** A kind of joint gives one scalar function, `evaluate`, which fills Q, S and Sdot, and the numbers
    it reads, `data`. Everything else (dynamics, loops, limits, Blender) follows from these. Python runs that function
    as it stands, kernels compile the same text: plain arithmetic on numbers and elements of arrays, `math`, and
    functions of the same sort imported by name, as those of `spatial.scalar`. Coordinates that can meet a singularity
    have two functions more, `recentre_in_place` and `rewrite_in_place`.
    A kind that cannot be written so overrides `motion` instead; it then simulates step by step in Python.
    """

    dof_names: ClassVar[tuple[str, ...]] = ()
    dof_units: ClassVar[tuple[str, ...]] = ()
    """Of each coordinate "rad", "m", or "1" for a plain number, such as the parameter of a curve."""
    icon: ClassVar[str] = "CONSTRAINT"
    """Blender's name of the picture beside the kind in menus."""
    menu_order: ClassVar[int] = 100
    """Kinds with lower numbers come first in menus; those with equal ones in the order of the registry."""
    is_advanced: ClassVar[bool] = False
    """Whether menus list the kind under Advanced: one that moves as another does, with other coordinates."""
    chart_count: ClassVar[int] = 1
    """Charts are 0 ... chart_count - 1."""

    name: str = text(doc="Name of the joint, unique among joints")
    parent: str | None = reference(
        doc="Body the joint is fixed to, or null for the world", refers_to="body", nullable=True
    )
    child: str = reference(doc="Body the joint carries", refers_to="body")
    frame_in_parent: Pose = pose(
        doc="Joint frame in the parent body's frame (in the world if there is none)", frame="parent"
    )
    frame_in_child: Pose = pose(doc="Joint frame in the child body's frame", frame="child")
    q: object = per_dof(doc="Joint coordinates at the start", unit="rad, m or 1")
    qdot: object = per_dof(doc="Joint velocities at the start of a simulated joint", unit="rad/s, m/s or 1/s")
    motion_type: str = choice(
        SIMULATED,
        doc="simulated: moves freely. animated: follows its animation, the force it needs is computed. locked: stands",
        choices=(SIMULATED, ANIMATED, LOCKED),
    )
    animation: Table | None = record(
        Table,
        None,
        doc="Coordinates over time (cubic for smooth motion), used while motion_type is animated",
        nullable=True,
    )
    torque: object = per_dof(doc="Constant torque or force", unit="N m, N or J")
    torque_table: Table | None = record(Table, None, doc="Torque or force over time, added to torque", nullable=True)
    stiffness: object = per_dof(doc="Spring stiffness towards rest", unit="N m/rad, N/m or J", minimum=0.0)
    stiffness_table: Table | None = record(
        Table, None, doc="Spring torque or force over q - rest, added to the linear spring", nullable=True
    )
    rest: object = per_dof(doc="Coordinate at which the springs are relaxed", unit="rad, m or 1")
    damping: object = per_dof(doc="Viscous damping", unit="N m s/rad, N s/m or J s", minimum=0.0)
    lower: object = per_dof(
        None,
        doc="Lower limit, null (also for single coordinates) for none; hard without limit_stiffness",
        plain="Lower limit",
        unit="rad, m or 1",
        nullable=True,
    )
    upper: object = per_dof(
        None,
        doc="Upper limit, null (also for single coordinates) for none; hard without limit_stiffness",
        plain="Upper limit",
        unit="rad, m or 1",
        nullable=True,
    )
    limit_stiffness: object = per_dof(
        doc="Stiffness of soft limits; 0 for hard ones", unit="N m/rad, N/m or J", minimum=0.0
    )
    limit_damping: object = per_dof(
        doc="Damping while beyond a soft limit", unit="N m s/rad, N s/m or J s", minimum=0.0
    )
    restitution: object = per_dof(doc="Part of the speed that a hard limit gives back, 0 to 1", minimum=0.0)
    motor: Motor | None = record(
        Motor, None, doc="Pushes a simulated joint towards a target, within a maximum torque or force", nullable=True
    )
    friction: Friction | None = record(
        Friction, None, doc="Dry friction in the bearings of a simulated joint", nullable=True
    )

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in ("evaluate", "recentre_in_place", "rewrite_in_place"):
            if isinstance(vars(cls).get(name), FunctionType):
                raise TypeError(f"{cls.__name__}.{name} gets no self: make it a static method (@staticmethod)")

    @classmethod
    def part(cls, **parameters: Any) -> Self:
        """A joint as a part of a composite: only its kind and its own parameters, bodies and frames are the whole's."""
        return cls(name="", parent=None, child="", **parameters)

    @property
    def ndof(self) -> int:
        """Degrees of freedom, 0 to 6."""
        return len(self.dof_names)

    @property
    def has_singularity(self) -> bool:
        """Whether some coordinates are singular, so that `recentre` matters and integrators bound the turn per step."""
        return self.recentre_in_place is not None or type(self).recentre is not Joint.recentre

    @property
    def has_loads(self) -> bool:
        """Whether anything acts on its coordinates: torques, springs, dampers, limits, tables, a motor."""
        numbers = (self.torque, self.stiffness, self.damping, self.limit_stiffness)
        further = (self.torque_table, self.stiffness_table, self.motor)
        return any(np.asarray(values).any() for values in numbers) or any(one is not None for one in further)

    @property
    def rubs(self) -> bool:
        """Whether friction acts in it while it moves."""
        return self.friction is not None and self.friction.coefficient > 0.0 and bool(self.bearings())

    def bearings(self) -> tuple[Bearing, ...]:
        """Where it rubs: a pin for each angle and a guide for each other coordinate, unless a kind knows better.

        Empty where nothing touches, as of a body that flies.
        """
        return one_by_one(self.dof_units)

    def ends(self) -> tuple[Ends, ...]:
        """Of each coordinate where it ends by itself, as on an open track, and where S has corners."""
        return (Ends(),) * self.ndof

    @property
    def own_references(self) -> dict[str, str]:
        """Fields of its own that name an element of the scene, and of which sort that is, such as a track."""
        return {name: spec.refers_to for name, spec in specs(type(self)).items() if spec.refers_to not in ("", "body")}

    def resolved(self, find: Find) -> Self | None:
        """The joint with the elements that it refers to by name, and with limits where its coordinates end; itself
        where it refers to none. None where `find` knows one of them not.

        A kind that refers to one has it as `path`, a field that is not declared.
        """
        found = self.with_paths(find)
        if found is None or found is self:
            return found
        ends = found.ends()
        low = per_dof_values(self.lower, found.ndof, -math.inf) if _fits(self.lower, found.ndof) else None
        high = per_dof_values(self.upper, found.ndof, math.inf) if _fits(self.upper, found.ndof) else None
        limits: dict[str, Any] = {}
        if low is not None:
            limits["lower"] = _limits(end.lower if x == -math.inf else x for x, end in zip(low, ends, strict=True))
        if high is not None:
            limits["upper"] = _limits(end.upper if x == math.inf else x for x, end in zip(high, ends, strict=True))
        return replace(found, **limits)

    def with_paths(self, find: Find) -> Self | None:
        """The joint with the elements that it refers to by name; see `resolved`."""
        references = self.own_references
        if not references:
            return self
        ((name, sort),) = references.items()
        target = getattr(self, name)
        element = find(sort, target) if isinstance(target, str) else None
        return None if element is None else replace(self, path=element)  # type: ignore[call-arg]

    def known(self, path: Known | None, sort: str) -> Known:
        """What a joint refers to, once it is resolved. Raises RedMaxError before."""
        if path is None:
            name = getattr(self, sort)
            raise RedMaxError(f"joint '{self.name}' does not know its {sort} '{name}' yet; see `scene.resolved_joint`")
        return path

    def hard_limits(self) -> list[tuple[int, float | None, float | None]]:
        """(coordinate, lower, upper) of limits without stiffness."""
        lower = per_dof_values(self.lower, self.ndof, -math.inf)
        upper = per_dof_values(self.upper, self.ndof, math.inf)
        soft = per_dof_values(self.limit_stiffness, self.ndof)
        return [
            (k, low if math.isfinite(low) else None, high if math.isfinite(high) else None)
            for k, (low, high) in enumerate(zip(lower, upper, strict=True))
            if soft[k] == 0.0 and (math.isfinite(low) or math.isfinite(high))
        ]

    def data(self) -> Sequence[float]:
        """What `evaluate` needs to know of this joint, as numbers: sizes, axes, control points; any number of them."""
        return ()

    evaluate: ClassVar[Callable[..., None] | None] = None
    """evaluate(data, q, qdot, chart, Q, S, Sdot): the joint at coordinates q (n,) moving at qdot (n,), a static method.

    It fills Q (4, 4), S and Sdot (6, n), which arrive as the identity and as zeros. data: (m,) as `data` gives them.
    chart: which coordinates q are, for joints that have several (Euler angles in different orders); 0 is the chart in
    which the scene gives q. It changes nothing but Q, S and Sdot.
    """

    recentre_in_place: ClassVar[Callable[..., int] | None] = None
    """recentre_in_place(data, q, qdot, chart): `recentre`, writing into q and qdot; gives the chart, or -1 where it
    changed nothing."""

    rewrite_in_place: ClassVar[Callable[..., None] | None] = None
    """rewrite_in_place(data, q, qdot, chart, chart_like, q_like): `rewrite`, writing into q and qdot. A kind has both
    functions or neither."""

    @cached_property
    def packed_data(self) -> Array:
        """(m,) `data` as a read-only array."""
        numbers = np.array(self.data(), np.float64)
        numbers.setflags(write=False)
        return numbers

    def motion(self, q: Array, qdot: Array, chart: int = 0) -> JointMotion:
        """The joint at coordinates q (n,) moving at qdot (n,); chart: see `evaluate`."""
        if self.evaluate is None:
            raise NotImplementedError(f"joint kind '{self.kind}' has neither `evaluate` nor `motion`")
        motion = JointMotion(np.eye(4), np.zeros((6, self.ndof)), np.zeros((6, self.ndof)))
        try:
            self.evaluate(self.packed_data, q, qdot, chart, *motion)
        except (ValueError, ArithmeticError):  # compiled code gives no number here, and runs on either route end alike
            for values in motion:
                values.fill(np.nan)
        except IndexError as error:
            counts = f"{len(self.packed_data)} numbers of data and {self.ndof} coordinates"
            raise IndexError(f"joint kind '{self.kind}': evaluate reads beyond its {counts}: {error}") from error
        return motion

    def primitives(self) -> tuple[Primitive, ...] | None:
        """The simple motions Q(q) is made of, or None where it is none of these.

        They make a joint quicker where there is no compiler: numpy evaluates all equal ones of a mechanism together.
        They must agree with `motion`, `recentre` and `rewrite` in every chart.
        """
        return None

    def recentre(self, q: Array, qdot: Array, chart: int = 0) -> tuple[Array, Array, int]:
        """Coordinates, velocities and chart of the same pose and motion, away from singularities of Q(q).

        Integrators call it between steps. Joints without singularities return what they are given.
        Torques, springs and limits do not follow: they act on the coordinates nearest to rest (`dynamics.loads`).
        """
        if self.recentre_in_place is None:
            return q, qdot, chart
        q_new, qdot_new = q.copy(), qdot.copy()
        new = self.recentre_in_place(self.packed_data, q_new, qdot_new, chart)
        return (q, qdot, chart) if new < 0 else (q_new, qdot_new, int(new))

    def rewrite(self, q: Array, qdot: Array, chart: int, *, chart_like: int, q_like: Array) -> tuple[Array, Array]:
        """Coordinates and velocities of the pose and motion (q, qdot, chart), written like `q_like` in `chart_like`.

        Of all q of that pose in that chart it is the nearest to q_like. Multistep integrators bring what they
        remember into the coordinates that `recentre` chose.
        """
        if self.rewrite_in_place is None:
            return q, qdot
        q, qdot = q.copy(), qdot.copy()
        self.rewrite_in_place(self.packed_data, q, qdot, chart, chart_like, q_like)
        return q, qdot

    def problems(self) -> Iterator[tuple[str, ...]]:
        if self.parent is not None and self.parent == self.child:
            yield f"connects body '{self.child}' to itself", "choose two different bodies"
        if self.motion_type == ANIMATED and self.animation is None and self.ndof > 0:
            yield "is animated but has no animation", "give an animation table, or make the joint simulated or locked"
        tables = {name: getattr(self, name) for name in ("animation", "torque_table", "stiffness_table")}
        if self.motor is not None:
            tables["motor.target_table"] = self.motor.target_table
            if self.motion_type != SIMULATED:
                yield Fault(
                    f"has a motor but is {self.motion_type}, so that it moves as it is told whatever a motor does",
                    "remove the motor, or make the joint simulated",
                    "idle_motor",
                )
        if self.friction is not None and not self.bearings():
            yield Fault(
                "has friction, but nothing in it slides or turns on anything else",
                "remove the friction, or choose another kind of joint",
                "idle_friction",
            )
        for field_name, table in tables.items():
            if table is not None and np.shape(table.y)[1:] != (self.ndof,):
                hint = f"give {self.ndof} column{'s' * (self.ndof != 1)}, one per degree of freedom"
                yield Fault(f"has {np.shape(table.y)[1]} columns of values", hint, "value", field_name)
        lower = per_dof_values(self.lower, self.ndof, -math.inf)
        upper = per_dof_values(self.upper, self.ndof, math.inf)
        if any(low > high for low, high in zip(lower, upper, strict=True)):
            yield "has a lower limit above its upper limit", "swap them"
        if max(per_dof_values(self.restitution, self.ndof), default=0.0) > 1.0:
            yield Fault("is more than 1", "give a number from 0 to 1", "value", "restitution")
        if self.has_singularity and self.hard_limits():
            yield Fault(
                "has a hard limit, but its coordinates can be written in several ways",
                "give a limit_stiffness above 0, or limit its swing and twist by a ball_limit",
                "hard_limit",
            )


def _fits(value: Any, ndof: int) -> bool:
    """Whether a value can be a limit of every coordinate; one that cannot is told when its field is checked."""
    if value is None or isinstance(value, REAL):
        return True
    return isinstance(value, (tuple, list, np.ndarray)) and np.shape(value) == (ndof,) and all(map(_is_limit, value))


def _is_limit(value: Any) -> bool:
    return value is None or (isinstance(value, REAL) and not isinstance(value, bool))


def _limits(values: Iterable[float]) -> tuple[float | None, ...]:
    return tuple(x if math.isfinite(x) else None for x in values)


def unit_vector(axis: Sequence[float]) -> tuple[float, float, float]:
    """A direction made one long."""
    x, y, z = (np.asarray(axis, np.float64) / np.linalg.norm(axis)).tolist()
    return x, y, z
