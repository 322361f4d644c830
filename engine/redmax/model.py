# SPDX-License-Identifier: GPL-3.0-or-later
"""A compiled mechanism: frozen arrays that no algorithm modifies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np

from .arrays import Array, BoolArray, IntArray
from .constraints import PROJECTED, Constraint, Treatment
from .drives import Followers
from .errors import ElementName
from .forces import BoundForce
from .joints import Fixed, Joint
from .state import State
from .strands import BoundStrand
from .surfaces import PackedSurfaces

T = TypeVar("T")
_KEPT = "_kept"


@dataclass(frozen=True, eq=False)
class LoopJoint:
    """A joint of the scene between two bodies that the tree already placed.

    parent, child: body indices, -1 for the world. E_ij_parent, E_ij_child: (4, 4) joint frame in the
    principal frame of either body (in the world if the parent is the world).
    half: index of the body that the joint carries in the tree: half of its child, welded to it (`closing`), so that
    the joint may be of any kind and has coordinates like any other. -1 where rows of the joint close the loop.
    """

    joint: Joint
    parent: int
    child: int
    E_ij_parent: Array
    E_ij_child: Array
    half: int = -1

    @cached_property
    def closing(self) -> LoopJoint:
        """The loop joint whose rows close the loop: this one, or the weld of its child's half to the child."""
        if self.half < 0:
            return self
        return LoopJoint(WELD, self.half, self.child, self.E_ij_child, self.E_ij_child)


WELD = Fixed(name="weld", parent=None, child="")


@dataclass(frozen=True, eq=False)
class Model:
    """n bodies in tree order, parents before children; joint k carries body k; nr degrees of freedom.

    Frames: w world, p parent joint, j joint, i body's principal frame, b body frame as described.
    Pose of a body: E_wi = E_wp @ E_pj0 @ Q(q) @ E_ji, with E_wp = 1 for parent -1.
    All arrays are read-only and C-contiguous; SI units.

    parent: (n,) index of the parent body, -1 for the world.
    level: (n,) number of bodies between the body and the world.
    E_pj0: (n, 4, 4) joint frame on the parent, which Q leads away from, in the parent's joint frame.
    E_ji: (n, 4, 4) principal frame in the joint frame. E_ib: (n, 4, 4) described frame in the principal frame.
    inertia: (n, 6) diagonal of the spatial inertia in the principal frame, (Ix, Iy, Iz, m, m, m).
    dof: (n + 1,) joint k owns the coordinates dof[k] : dof[k + 1].
    gravity: (3,) in the world. q0, qdot0: (nr,) where the mechanism starts.
    prescribed: (nr,) True for coordinates of animated and locked joints.
    charted_loads: joints with loads on coordinates that may be written in several ways (`loads.own_coordinates`).
    torque, stiffness, rest, damping, lower, upper, limit_stiffness, limit_damping: (nr,) of each coordinate;
    without a limit lower and upper are -inf and +inf. body_damping: (n,).
    strands: where their nodes are. hidden: how many bodies, the last ones, are nodes of strands, inputs of drives or
    halves that loop joints carry, not the scene's own; hidden_forces: how many forces, the last ones, are what segments
    of strands and soft limits do.
    treatment: how loops and constraints are kept; another one only for comparisons.
    followers: coordinates that drives move, None without drives; only the others are unknowns of a motion. Dynamics of
    the tree (`dynamics.recursive` and the like) do not know of them, `dynamics.driven` does.
    surfaces: with which bodies and the world touch, None without any.
    """

    name: str
    body_names: tuple[str, ...]
    joint_names: tuple[str, ...]
    joints: tuple[Joint, ...]
    loops: tuple[LoopJoint, ...]
    forces: tuple[BoundForce, ...]
    constraints: tuple[Constraint, ...]
    parent: IntArray
    level: IntArray
    E_pj0: Array
    E_ji: Array
    E_ib: Array
    inertia: Array
    dof: IntArray
    gravity: Array
    q0: Array
    qdot0: Array
    prescribed: BoolArray
    charted_loads: tuple[int, ...]
    torque: Array
    stiffness: Array
    rest: Array
    damping: Array
    lower: Array
    upper: Array
    limit_stiffness: Array
    limit_damping: Array
    body_damping: Array
    strands: tuple[BoundStrand, ...] = ()
    hidden: int = 0
    hidden_forces: int = 0
    treatment: Treatment = PROJECTED
    followers: Followers | None = None
    surfaces: PackedSurfaces | None = None

    @property
    def body_count(self) -> int:
        """n"""
        return len(self.body_names)

    @property
    def shown(self) -> int:
        """How many bodies are the scene's own: the first ones."""
        return self.body_count - self.hidden

    @property
    def halves(self) -> dict[int, int]:
        """Bodies that loop joints carry, the last of all, and the body that each is a half of; see `LoopJoint`."""
        return {loop.half: loop.child for loop in self.loops if loop.half >= 0}

    def named_body(self, body: int) -> str:
        """Name that a person knows a body by: that of the whole body for a half."""
        return self.body_names[self.halves.get(body, body)]

    @property
    def dof_count(self) -> int:
        """nr"""
        return int(self.dof[-1])

    @property
    def mass(self) -> float:
        """Total mass [kg]."""
        return float(self.inertia[:, 3].sum())

    def columns(self, joint: int) -> slice:
        """The coordinates of one joint."""
        return slice(int(self.dof[joint]), int(self.dof[joint + 1]))

    @property
    def moves_freely(self) -> BoolArray:
        """(nr,) True for the coordinates that are unknowns of a motion: not animated, locked or moved by a drive."""
        if self.followers is None:
            return ~self.prescribed
        free = ~self.prescribed
        free[self.followers.rows] = False
        return free

    def owner(self, coordinate: int) -> ElementName:
        """The joint or drive that a coordinate belongs to."""
        if self.followers is not None:
            for input_, title, own in zip(*self.followers.listed, strict=True):
                if own and input_ == coordinate:
                    return ElementName("drive", title)
        joint = int(np.searchsorted(self.dof, coordinate, side="right")) - 1
        return ElementName("joint", self.joint_names[joint])

    def once(self, derive: Callable[[Model], T]) -> T:
        """derive(self), computed at its first call and kept as long as the model: neither it nor the model changes.

        derive: a function of a module, the same at every call. Two threads may both compute it; both get one result.
        """
        kept: dict[Callable[[Model], Any], Any] = self.__dict__.setdefault(_KEPT, {})
        try:
            return cast("T", kept[derive])
        except KeyError:
            return cast("T", kept.setdefault(derive, derive(self)))

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles hold the model alone; what is derived from it is derived anew."""
        return {name: value for name, value in self.__dict__.items() if name != _KEPT}

    def initial_state(self) -> State:
        """Where the scene says the mechanism starts, at t = 0."""
        return State(0.0, self.q0, self.qdot0, np.zeros(self.body_count, np.int64))
