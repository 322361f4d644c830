# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a model never changes, laid out for numpy: made once per model and found again by it."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..arrays import Array, BoolArray, IntArray
from ..dynamics.motors import motors
from ..model import Model
from .blocks import Blocks, blocks, groups
from .charted import ChartedLoads
from .layout import JointLayout
from .tree_sums import TreeSums, compact

ELIMINATED = 1e6
"""Cubed coordinates of a dense block that are eliminated in the time of one body's recursion, with a slow LAPACK."""

THIN = 1e-12
"""Of a body's largest moment of inertia: what is below may be nothing but rounding."""


class Plan:
    """Index arrays and constants of one model with n bodies and nr coordinates.

    tree: sums along branches. joints: how they are evaluated.
    owner: (nr,) joint of every coordinate, None where it is simply the coordinate's number.
    root_of: (n,) the joint on the world that carries each body. hangs: (n,) 0.0 at roots, else 1.0.
    R_pj0, R_ji (3, 3, n) and p_pj0, p_ji (3, n): constant parts of poses; rotations are None where all are 1.
    p_cj0: (3, n) `from_centers` of p_pj0.
    mass (n,), inertia (3, n) about the principal axes. carried_mass, carried_damping: (n,) of a body with all it
    carries; carried_damping is None without any. weights: (2, 3, n) gravity at the centres of mass.
    has_loads: whether anything acts along coordinates. pushes: whether torques or motors do. nothing: (nr,) zeros, what
    acts along them otherwise. is_linear: whether only constant torques, springs and dampers act. minus_damping: (nr,)
    D of those. motors: None without any.
    is_free: (nr,) coordinates that are neither animated nor locked. prescribed: numbers of the others.
    never_singular: whether no pose has a singular mass matrix: every body resists in every direction, and every joint's
    coordinates, always the same, move it in different ones. If coordinates did not move anything, no body would move,
    and so no joint.
    """

    def __init__(self, model: Model) -> None:
        parent, n = model.parent, model.body_count
        self.tree = TreeSums(parent)
        self.ndof: IntArray = np.diff(model.dof)
        owner: IntArray = np.repeat(np.arange(n), self.ndof)
        self.owner = None if np.array_equal(owner, np.arange(n)) else owner
        self.root_of: IntArray = np.arange(n)
        for j, p in enumerate(parent.tolist()):
            if p >= 0:
                self.root_of[j] = self.root_of[p]
        self.hangs = (parent >= 0).astype(np.float64)
        self.joints = JointLayout(model)
        self._sum_columns = _ColumnSums(self.ndof)

        self.R_pj0, self.p_pj0 = _rotations(model.E_pj0), _positions(model.E_pj0)
        self.R_ji, self.p_ji = _rotations(model.E_ji), _positions(model.E_ji)
        self.p_cj0 = self.from_centers(self.p_pj0)
        self.mass = np.ascontiguousarray(model.inertia[:, 3])
        self.inertia = np.ascontiguousarray(model.inertia[:, :3].T)
        self.carried_mass = self._with_carried(self.mass)
        self.weights = np.zeros((2, 3, n))
        self.weights[1] = model.gravity[:, None] * self.mass
        self.weights.setflags(write=False)
        self.carried_damping = self._with_carried(model.body_damping) if model.body_damping.any() else None

        self.is_free: BoolArray = ~model.prescribed
        self.all_free = bool(self.is_free.all())
        self.prescribed: IntArray = np.flatnonzero(model.prescribed)
        self.never_singular = not self.joints.vary and _resist_in_every_direction(model.inertia)
        self.nothing = np.zeros(len(owner))
        self.nothing.setflags(write=False)
        self._bodies = parent, owner
        self.charted = ChartedLoads(model)
        joints = [(model.columns(j), joint) for j, joint in enumerate(model.joints)]
        self.torque_tables = [(at, joint.torque_table) for at, joint in joints if joint.torque_table is not None]
        self.stiffness_tables = [
            (at, joint.stiffness_table) for at, joint in joints if joint.stiffness_table is not None
        ]
        self.has_limits = bool(np.isfinite(model.lower).any() or np.isfinite(model.upper).any())
        acting = (model.torque, model.stiffness, model.damping)
        self.motors = motors(model) if motors(model).present else None
        further = self.torque_tables or self.stiffness_tables or self.motors is not None
        self.has_torques, self.has_springs = bool(model.torque.any()), bool(model.stiffness.any())
        self.pushes = bool(self.torque_tables or self.motors is not None or self.has_torques)
        self.has_loads = bool(self.has_limits or further or any(numbers.any() for numbers in acting))
        self.is_linear = not (self.has_limits or further)
        self.minus_damping = -model.damping
        self.minus_damping.setflags(write=False)

    @cached_property
    def too_coupled(self) -> bool:
        """Whether recursion from body to body is quicker than the elimination of so many coupled coordinates."""
        parts, _ = groups(*self._bodies, self.is_free)
        return sum(float(len(part)) ** 3 for part in parts) > ELIMINATED * len(self.mass)

    @cached_property
    def free(self) -> Blocks:
        """Blocks of the mass matrix of the free coordinates."""
        return blocks(*self._bodies, self.is_free)

    @cached_property
    def every(self) -> Blocks:
        """Blocks of the mass matrix of all coordinates."""
        return self.free if self.all_free else blocks(*self._bodies, np.ones(len(self.is_free), np.bool_))

    def _with_carried(self, mass: Array) -> Array:
        """(n,) of every body with all it carries. mass: (n,)."""
        return np.asarray(self.tree.over_carried(mass[None].copy())[0])

    def from_centers(self, p_pj: Array) -> Array:
        """(3, n) of joints (3, n) in their parents' joint frames: from the parent's centre of mass, zero at roots."""
        return np.asarray((p_pj - self.tree.at_parents(self.p_ji)) * self.hangs)

    def at_owners(self, X: Array) -> Array:
        """(..., nr) the value of each coordinate's body. X: (..., n)."""
        return X if self.owner is None else X.take(self.owner, axis=-1)

    def over_joints(self, X: Array) -> Array:
        """(k, n) sums over the coordinates of each joint. X: (k, nr)."""
        return X if self.owner is None else self._sum_columns(X)


class _ColumnSums:
    """Sums over the coordinates of every joint."""

    def __init__(self, ndof: IntArray) -> None:
        self.count = len(ndof)
        self.same = int(ndof[0]) if len(ndof) and (ndof == ndof[0]).all() else None
        occupied = np.flatnonzero(ndof)
        self.starts: IntArray = (np.cumsum(ndof) - ndof)[occupied]
        self.where = compact(occupied)

    def __call__(self, X: Array) -> Array:
        if self.same is not None and self.same > 1:
            total: Array = X[:, 0 :: self.same] + X[:, 1 :: self.same]
            for k in range(2, self.same):
                total += X[:, k :: self.same]
            return total
        total = np.zeros((len(X), self.count))
        if len(self.starts):
            total[:, self.where] = np.add.reduceat(X, self.starts, axis=1)
        return total


def plan_of(model: Model) -> Plan:
    """The plan of a model, which lives as long as the model."""
    return model.once(Plan)


def _resist_in_every_direction(inertia: Array) -> bool:
    """Whether all bodies do, by more than rounding. inertia: as in `Model`."""
    moments, mass = inertia[:, :3], inertia[:, 3]
    return bool((moments > THIN * moments.max(axis=1, keepdims=True)).all() and (mass > 0.0).all())


def _rotations(E: Array) -> Array | None:
    """(3, 3, n), or None if all are exactly 1."""
    R = E[:, :3, :3]
    return (
        None if np.array_equal(R, np.broadcast_to(np.eye(3), R.shape)) else np.ascontiguousarray(R.transpose(1, 2, 0))
    )


def _positions(E: Array) -> Array:
    return np.ascontiguousarray(E[:, :3, 3].T)
