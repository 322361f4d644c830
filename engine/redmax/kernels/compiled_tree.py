# SPDX-License-Identifier: GPL-3.0-or-later
"""A model packed for kernels, with the work space of one run, called from Python. Needs numba.

One Tree serves one thread: kernels write into its work space.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..arrays import Array, BoolArray, IntArray
from ..model import Model
from ..spatial import adjoint, pose
from . import core, tasks
from .bearings.compute_bearings import compute_bearings
from .bearings.settle import settle
from .layout import codes, packing
from .layout.arrays import Sections
from .layout.declaration import (
    Active,
    Bearing,
    Body,
    Column,
    Head,
    RowBodies,
    RowVectors,
    RowWork,
    StopInts,
    Vector,
    World,
)
from .rows.compute_rows import compute_rows
from .rows.delassus import IMMOBILE_ROW
from .rows.loop_results import LoopResults
from .rows.redundant_rows import LARGEST, POSES, REDUNDANT_ROW, without_redundant_rows
from .rows.varying_rows import tied_to_loops
from .steps import quick_call
from .steps.stops import resolve
from .tree import observe, products
from .tree.observation import NO_LOOPS, Observation

FIRST_PART = 0.1
"""What rows keep of their strength in open loops is at least about this, unless a run begins in a singular pose."""
FEW_PRODUCTS = 4
"""Up to so many products M x cost less one by one than the matrix M."""


def pack_for_tree(model: Model) -> packing.Packed:
    """The packed model, whose redundant rows are not solved for; `model.once(pack_for_tree)` makes it only once."""
    return without_redundant_rows(model, Tree)


def first_pivots(model: Model) -> Array:
    """(m,) the largest pivot of each equation in poses drawn at random, where loops are open; 0 if it is rounding."""
    packed = model.once(pack_for_tree)
    count = int(packed.ints[Head.EQUATIONS])
    return Tree(model, packed).usual_pivots() if count > 0 and packed.whole else np.zeros(count)


def first_references(model: Model) -> Array:
    """(m,) `row_references` of a run that begins: one over pivots that rows have in open loops, of which they may keep
    a part. So a run may begin in a singular pose. 0 for rows whose second-order form nobody knows: one-sided ones,
    what tables prescribe of velocities and accelerations, and constraints' own functions; and for those of drives
    and couplings outside of loops, which do not depend on each other anywhere."""
    pivots = model.once(first_pivots)
    lines = model.once(pack_for_tree).rows[: len(pivots)]
    target, kind = lines[:, RowBodies.TARGET], lines[:, RowBodies.KIND]
    of_places = ((target == codes.NO_TARGET) | (target == codes.POSITION)) & tied_to_loops(model, lines)
    of_places[: int(model.once(pack_for_tree).ints[Head.DRIVEN])] = False
    of_places &= (kind == codes.POINT) | (kind == codes.AXIS) | (kind == codes.COORDINATE)
    references = np.zeros(int(model.once(pack_for_tree).ints[Head.ROWS]))
    known = np.flatnonzero(of_places & (pivots > 0.0))
    references[known] = 1.0 / (FIRST_PART**2 * pivots[known])
    return references


class Tree:
    """A model with its own work space, computed by kernels. Charts: (n,) as in `State`."""

    def __init__(self, model: Model, packed: packing.Packed | None = None) -> None:
        self.model = model
        self.address = core.compute.address
        self.packed = model.once(pack_for_tree) if packed is None else packed
        self.stops_address = resolve.address if self.packed.ints[Head.STOPS] else 0
        self.ints, self.floats = self.packed.ints.copy(), self.packed.floats.copy()
        self.ints[Head.ROWS_FUNCTION] = compute_rows.address if self.packed.ints[Head.ALL_ROWS] else 0
        self.settle_address = settle.address if self.ints[Head.BEARINGS] else 0
        self.ints[Head.BEARINGS_FUNCTION] = compute_bearings.address if self.ints[Head.BEARINGS] else 0
        self.singular = self.packed.singular
        self._sections = Sections(self.ints, self.floats)
        self._sections.row_references[:] = 0.0 if packed is not None else model.once(first_references)
        self.vectors: Array = self._sections.vectors
        self._world: Array = self._sections.world
        self._rows: Array = self._sections.row_work
        self._digits: IntArray = self._sections.charts
        self._dofs = model.dof_count
        # addresses of arrays that live as long as the tree
        self._place = np.zeros(quick_call.ENTRIES, np.int64)
        self._place[quick_call.ADDRESS], self._place[quick_call.COORDINATES] = self.address, self._dofs
        self._place[quick_call.INTS], self._place[quick_call.FLOATS] = self.ints.ctypes.data, self.floats.ctypes.data
        self._place_at = self._place.ctypes.data
        self._q, self._qdot = np.zeros(model.dof_count), np.zeros(model.dof_count)
        self._qddot: Array = np.zeros(model.dof_count)

    def set_chart(self, chart: IntArray) -> None:
        """Take over the charts of a state."""
        if len(self._digits):
            self._digits[:] = packing.chart_digits(self.packed, chart)

    def chart(self, chart: IntArray) -> IntArray:
        """Charts of the joints (n,) as kernels left them; `chart` is what they were before."""
        return packing.charts_of(self.packed, chart, self._digits) if len(self._digits) else chart

    def accelerations(self, q: Array, qdot: Array) -> Array:
        """qddot (nr,) at t = 0, with prescribed coordinates unaccelerated. The quickest call, above all for contiguous
        and writable float64 arrays. NaN where nothing resists a joint, which `forward_dynamics` names."""
        qddot = np.zeros(self._dofs)
        try:
            result = quick_call.accelerations(self._place_at, q, qdot, qddot)
        except TypeError:
            result = quick_call.accelerations(self._place_at, _numbers(q), _numbers(qdot), qddot)
        if result != -1:
            if result == quick_call.WRONG_LENGTH:
                raise ValueError(
                    f"'{self.model.name}' has {self._dofs} coordinates; q has {len(q)} numbers and qdot {len(qdot)}"
                )
            qddot[:] = np.nan
        return qddot

    def repeat(self, q: Array, qdot: Array, count: int) -> Array:
        """qddot (nr,) as `accelerations`, computed `count` times in one compiled loop; the next call overwrites it.
        q, qdot: contiguous float64."""
        core.repeated(self.address, self.ints, self.floats, q, qdot, self._qddot, 0.0, tasks.ACCELERATE, count)
        return self._qddot

    def forward_dynamics(
        self, q: Array, qdot: Array, chart: IntArray, t: float, qddot_prescribed: Array
    ) -> tuple[Array, Array, int]:
        """qddot, powers (2,) [W] and -1, or the body at whose joint nothing resists."""
        self.set_chart(chart)
        qddot = np.array(qddot_prescribed, np.float64)
        stuck = self._run(*self._copied(q, qdot), qddot, t, tasks.ACCELERATE | tasks.POWERS)
        return qddot, self._world[World.POWER_IN : World.POWER_OUT + 1].copy(), stuck

    def inverse_dynamics(self, q: Array, qdot: Array, chart: IntArray, t: float, qddot: Array) -> tuple[Array, Array]:
        """Whole forces along the coordinates (nr,) that give qddot, and the loads among them."""
        self.set_chart(chart)
        self._qddot[:] = qddot
        self._run(*self._copied(q, qdot), self._qddot, t, tasks.PLACE | tasks.LOADS | tasks.INVERSE)
        return self.vectors[Vector.FORCE].copy(), self.vectors[Vector.LOAD].copy()

    def needs(self, q: Array, qdot: Array, chart: IntArray, t: float, qddot: Array) -> tuple[Array, Array, Array]:
        """Whole forces along the coordinates (nr,) that give qddot, the loads among them, and powers (2,) [W] without
        those of motors."""
        self.set_chart(chart)
        self._qddot[:] = qddot
        what = tasks.PLACE | tasks.LOADS | tasks.POWERS | tasks.INVERSE
        self._run(*self._copied(q, qdot), self._qddot, t, what)
        force, load = self.vectors[Vector.FORCE].copy(), self.vectors[Vector.LOAD].copy()
        return force, load, self._world[World.POWER_IN : World.POWER_OUT + 1].copy()

    def inertia_products(self, X: Array) -> Array:
        """M x (k, nr) for every row x of X (k, nr), at the pose of the last call: one by one in O(n), or many at once
        with the mass matrix."""
        if len(X) > FEW_PRODUCTS:
            M = np.zeros((self._dofs, self._dofs))
            products.mass_matrix(self.ints, self.floats, M)
            return np.asarray(X @ M)
        result = np.empty_like(X)
        for line, x in zip(result, X, strict=True):
            self._qddot[:] = x
            self._run(self._q, self._qdot, self._qddot, 0.0, tasks.MULTIPLY)
            line[:] = self.vectors[Vector.FORCE]
        return result

    def recentred(self, q: Array, qdot: Array, chart: IntArray) -> tuple[Array, Array, IntArray]:
        """Coordinates, velocities and charts away from singularities; the same objects if nothing changed."""
        self.set_chart(chart)
        q_new, qdot_new = q.copy(), qdot.copy()
        if not self._run(q_new, qdot_new, self._qddot, 0.0, tasks.RECENTRE):
            return q, qdot, chart
        return q_new, qdot_new, self.chart(chart)

    def project(self, q: Array, qdot: Array, chart: IntArray, t: float) -> tuple[Array, Array, bool]:
        """Coordinates and velocities brought onto all rows by the least change, and whether that succeeded."""
        self.set_chart(chart)
        q, qdot = np.array(q, np.float64), np.array(qdot, np.float64)
        return q, qdot, self._run(q, qdot, self._qddot, t, tasks.PROJECT) >= 0

    @property
    def rank(self) -> int:
        """Number of independent rows in the last call."""
        return int(self._world[World.RANK])

    def weakest_row(self) -> tuple[float, float, int]:
        """Strengths of weakest rows since the last call of this: the least, the largest, and the loop of the least.

        The strength of a row is 0 where it depends on others, and at most 1; see `declaration.World`. Infinity, 0 and
        0 where no rows were solved for.
        """
        least, row, largest = self._world[World.LEAST_STRENGTH : World.MOST_STRENGTH + 1].tolist()
        self._world[World.LEAST_STRENGTH], self._world[World.MOST_STRENGTH] = np.inf, 0.0
        return least**0.5, largest**0.5, int(self.packed.rows[int(row), RowBodies.OWNER]) if least < np.inf else 0

    def weakest_at(self, q: Array, chart: IntArray) -> tuple[float, int]:
        """Strength of the weakest row in this pose, and the number of its loop; see `weakest_row`."""
        self.weakest_row()
        self._accelerate(q, np.zeros_like(q), chart)
        least, _, loop = self.weakest_row()
        return least, loop

    def whitened_rows(self, q: Array, chart: IntArray) -> tuple[Array, Array]:
        """(m, nr) rows at q in coordinates in which the kinetic metric is that of unit inertia, and (m,) the squares of
        their lengths; 0 for those that move nothing."""
        self._accelerate(q, np.zeros_like(q), chart)
        weights = np.sqrt(np.maximum(self._sections.columns[:, Column.D], 0.0))
        reach = self._sections.reach.ravel()[: self._dofs * self.active].reshape(self._dofs, self.active)
        rows = np.asarray((weights[:, None] * reach).T)
        return rows, np.where(self.moving_rows(), (rows**2).sum(axis=1), 0.0)

    def usual_pivots(self) -> Array:
        """(m,) the largest pivot of each active row in poses drawn at random; 0 if it is rounding."""
        rng, m = np.random.default_rng(0), self.active
        largest = np.zeros(m)
        for _ in range(POSES):
            q = rng.uniform(-LARGEST, LARGEST, self._dofs)
            _, squares = self.whitened_rows(q, np.zeros(self.model.body_count, np.int64))
            pivots = np.diagonal(self._sections.delassus.ravel()[: m * m].reshape(m, m))
            largest = np.maximum(largest, np.where(pivots > REDUNDANT_ROW * squares, pivots, 0.0))
        return largest

    def moving_rows(self) -> BoolArray:
        """(m,) whether a row can move anything at the pose of the last call."""
        reach = self._sections.reach.ravel()[: self._dofs * self.active].reshape(self._dofs, self.active)
        moved = self._sections.columns[:, Column.D] @ reach**2
        return np.asarray(moved > IMMOBILE_ROW * self._rows[: len(moved), RowWork.BOUND])

    def constraint_multipliers(self) -> Array:
        """(c,) multipliers of all rows of constraints as the last `observe` left them; 0 for those that do not hold."""
        multipliers = np.zeros(self._constraint_rows)
        if not len(multipliers):
            return multipliers
        m = self.active
        numbers = self.packed.rows[self._sections.order[:m], RowBodies.NUMBER]
        multipliers[numbers[numbers >= 0]] = self._rows[:m, RowWork.MULTIPLIER][numbers >= 0]
        held = np.flatnonzero(self._locked_rows())
        rows = self.packed.rows[held]
        push = self._sections.columns[rows[:, RowBodies.COORDINATE_A], Column.PUSH]
        multipliers[rows[:, RowBodies.NUMBER]] = push / self._sections.row_vectors[held, RowVectors.FACTOR_A]
        return multipliers

    def _locked_rows(self) -> BoolArray:
        """(m,) one-sided rows that hold a coordinate by themselves."""
        if not self.stops_address:
            return np.zeros(0, np.bool_)
        lines = self.packed.rows[: int(self.ints[Head.ROWS])]
        alone = (lines[:, RowBodies.KIND] == codes.COORDINATE) & (lines[:, RowBodies.COORDINATE_B] < 0)
        return np.asarray((self._sections.stop_ints[StopInts.HELD] != 0) & alone)

    def owner_of(self, row: int) -> int:
        """The loop or constraint that a row belongs to; see `constraint_rows.element_names`."""
        return int(self.packed.rows[row, RowBodies.OWNER])

    def held_rows(self) -> BoolArray:
        """(c,) which of all rows of constraints are one-sided and hold."""
        held = np.zeros(self._constraint_rows, np.bool_)
        rows = np.flatnonzero(self._sections.stop_ints[StopInts.HELD])
        held[self.packed.rows[rows, RowBodies.NUMBER]] = True
        return held

    def let_go(self) -> None:
        """No one-sided row holds any more."""
        self._sections.stop_ints[StopInts.HELD] = 0
        self._sections.active[:] = (int(self.ints[Head.EQUATIONS]), 0, 0)
        self.vectors[Vector.ARMATURE] = 0.0

    def settle(self, q: Array, qdot: Array, chart: IntArray, t: float) -> None:
        """Find which stops hold and which bearings stick at (q, qdot) and time t [s]."""
        self.set_chart(chart)
        motion = (*self._copied(q, qdot), self._qddot)
        self._run(*motion, t, tasks.PRESCRIBE)
        if self.stops_address:
            core.run(self.stops_address, self.ints, self.floats, *motion, t, self.address)
        core.run(self.settle_address, self.ints, self.floats, *motion, t, self.address)

    def find_friction_to(self, part: float) -> None:
        """Be content with friction in bearings that is off by this part of itself."""
        self._world[World.FRICTION_PART] = part

    def jammed_joint(self) -> str:
        """Name of the joint whose friction had no value since the last call of this; empty if there is none."""
        bearing = int(self._world[World.JAMMED]) - 1
        self._world[World.JAMMED] = 0.0
        bodies = self._sections.bearings[:, Bearing.BODY]
        return "" if bearing < 0 else self.model.joint_names[int(bodies[bearing])]

    def hold_like(self, other: Tree) -> None:
        """Have the one-sided rows hold and the bearings stick that do so in another tree of the same model."""
        if self.settle_address and other is not self:
            self._sections.bearing_work[...] = other._sections.bearing_work
            self.vectors[Vector.ARMATURE] = other.vectors[Vector.ARMATURE]
        if self.stops_address and other is not self:
            for name in ("active", "order", "stop_ints"):
                getattr(self._sections, name)[...] = getattr(other._sections, name)
            self._sections.active[Active.PATHS_KNOWN] = 0
            self.vectors[Vector.ARMATURE] = other.vectors[Vector.ARMATURE]

    @cached_property
    def _constraint_rows(self) -> int:
        return int(self.packed.rows[:, RowBodies.NUMBER].max(initial=-1)) + 1

    @cached_property
    def loops(self) -> LoopResults:
        """Loops as the last `evaluate_loops` or `observe` left them."""
        return LoopResults(self.model, self.packed, self._rows, self._E_ki)

    def evaluate_loops(self, q: Array, qdot: Array, chart: IntArray, t: float = 0.0) -> LoopResults:
        """Errors and rates of all rows, redundant ones too, at (q, qdot) and time t [s]."""
        self.set_chart(chart)
        self._run(*self._copied(q, qdot), self._qddot, t, tasks.PLACE | tasks.ROW_ERRORS)
        return self.loops

    def widest_open(self, q: Array, qdot: Array, chart: IntArray, t: float) -> int:
        """Owner of the equation with the largest error, but for those of drives."""
        errors = np.abs(self.row_errors(q, qdot, chart, t))
        errors[: self.driven] = 0.0
        return int(self.packed.rows[errors.argmax(), RowBodies.OWNER])

    def is_regular(self, q: Array, chart: IntArray) -> bool:
        """Whether all rows that are solved for are held at q: independent, or so by what the next moment asks of them.
        Those of mechanisms that move only because rows depend on each other, such as Bennett's, are not."""
        self._accelerate(q, np.zeros_like(q), chart)
        return self.rank == self.active

    @cached_property
    def knows_all_rows(self) -> bool:
        """Whether every equation is independent of the others in some pose, so that a run can do without readable code.

        It is not where animated joints or tables contradict each other."""
        return bool(self.model.once(first_pivots).all())

    def choice(self) -> int:
        """What had to be chosen in a singular pose since the last call of this: 0, or one of `codes`."""
        choice = int(self._world[World.CHOICE])
        self._world[World.CHOICE] = 0.0
        return choice

    @property
    def redundant_rows(self) -> int:
        """How many equations follow from the others in every pose."""
        return int(self.ints[Head.ALL_ROWS] - self.ints[Head.ROWS])

    @property
    def driven(self) -> int:
        """How many rows, the first ones, are those of drives."""
        return int(self.ints[Head.DRIVEN])

    @cached_property
    def moves(self) -> bool:
        """Whether every coordinate has inertia where a run begins."""
        start = self.model.initial_state()
        return self.forward_dynamics(start.q, start.qdot, start.chart, start.t, np.zeros(self._dofs))[2] < 0

    @property
    def active(self) -> int:
        """How many rows hold at present."""
        return int(self._sections.active[Active.ROWS])

    @property
    def largest_row_number(self) -> float:
        """Of the points [m] and axes of all rows."""
        return float(np.abs(self._sections.row_vectors).max(initial=0.0))

    def row_errors(self, q: Array, qdot: Array, chart: IntArray, t: float = 0.0) -> Array:
        """(m,) errors of the rows that hold [m, rad, 1, or the cosine of an angle near pi / 2]."""
        self._accelerate(q, qdot, chart, t)
        return self._rows[: self.active, RowWork.ERROR].copy()

    def _accelerate(self, q: Array, qdot: Array, chart: IntArray, t: float = 0.0) -> None:
        self.set_chart(chart)
        self._qddot[:] = 0.0
        # with wrenches, every row is solved for, and the Delassus matrix is known
        self._run(*self._copied(q, qdot), self._qddot, t, tasks.ACCELERATE | tasks.WRENCHES)

    def mass_matrix(self, q: Array, chart: IntArray) -> Array:
        """(nr, nr) [kg, kg m, kg m^2 by joint], by composite bodies."""
        self._place_at_rest(q, chart)
        M = np.zeros((self._dofs, self._dofs))
        products.mass_matrix(self.ints, self.floats, M)
        return M

    def twists(self, q: Array, chart: IntArray, x: Array) -> Array:
        """J x (n, 6) for any x (nr,), such as velocities: twists of the principal frames, each in its own."""
        self._place_at_rest(q, chart)
        y = np.empty((self.model.body_count, 6))
        products.twists(self.ints, self.floats, _numbers(x), y)
        return adjoint.transform_twist(pose.inverse(self._E_ki), y)

    def motion(self, q: Array, qdot: Array, chart: IntArray) -> tuple[Array, Array]:
        """E_wi (n, 4, 4) and phi (n, 6): poses and twists of the principal frames, see `Kinematics`."""
        self.set_chart(chart)
        n = self.model.body_count
        E_wi, phi = np.empty((n, 4, 4)), np.empty((n, 6))
        observe.motion(self.address, self.ints, self.floats, *self._copied(q, qdot), self._E_ki, E_wi, phi)
        return E_wi, phi

    def generalised_force(self, q: Array, chart: IntArray, wrenches: Array) -> Array:
        """J^T y (nr,) for wrenches y (n, 6) at the principal frames."""
        self._place_at_rest(q, chart)
        tau = np.empty(self._dofs)
        products.generalised_force(self.ints, self.floats, adjoint.transform_wrench(self._E_ki, wrenches), tau)
        return tau

    def _place_at_rest(self, q: Array, chart: IntArray) -> None:
        self.set_chart(chart)
        self._q[:], self._qdot[:] = q, 0.0
        self._run(self._q, self._qdot, self._qddot, 0.0, tasks.PLACE)

    @cached_property
    def _E_ki(self) -> Array:
        """(n, 4, 4) principal frames in the joint frames that kernels use."""
        n = self.model.body_count
        E_ki = self.model.E_ji.copy()
        tilt = self._sections.bodies[:, Body.span("TILT")].reshape(n, 3, 3)
        E_ki[:, :3] = np.swapaxes(tilt, 1, 2) @ E_ki[:, :3]
        return E_ki

    def _copied(self, q: Array, qdot: Array) -> tuple[Array, Array]:
        """q and qdot in contiguous, writable memory, so that one compiled form serves all calls."""
        self._q[:], self._qdot[:] = q, qdot
        return self._q, self._qdot

    def _run(self, q: Array, qdot: Array, qddot: Array, t: float, what: int) -> int:
        return int(core.repeated(self.address, self.ints, self.floats, q, qdot, qddot, t, what, 1))

    def observe(self, q: Array, qdot: Array, chart: IntArray, t: float) -> Observation:
        """All results of a sample; see `Observation`."""
        self.set_chart(chart)
        n, nr = self.model.body_count, self.model.dof_count
        E_wb, qddot = np.empty((n, 4, 4)), np.zeros(nr)
        twist, acceleration, reaction = np.empty((n, 6)), np.empty((n, 6)), np.empty((n, 6))
        load, speeds, scalars = np.empty((5, nr)), np.empty((n, 2)), np.empty(observe.SCALARS)
        stuck = observe.observe(
            self.address, self.ints, self.floats, *self._copied(q, qdot), t, E_wb, twist, acceleration, reaction,
            speeds, qddot, load, scalars,
        )  # fmt: skip
        locked = self.packed.rows[np.flatnonzero(self._locked_rows()), RowBodies.COORDINATE_A]
        load[:2, locked] += self._sections.columns[locked, Column.PUSH]
        friction = self.vectors[Vector.RUBBING].copy()
        if self.settle_address:
            load[0] += np.where(np.isinf(self.vectors[Vector.ARMATURE]), friction, 0.0)
        if stuck >= 0:
            acceleration[:], reaction[:], qddot[:], load[0] = np.nan, np.nan, np.nan, np.nan
            if (self.model.prescribed & (self._qdot != 0.0)).any():  # nobody knows the force of a motor that works
                scalars[observe.WORK] = np.nan
        return Observation(
            E_wb=E_wb,
            twist=twist,
            acceleration=acceleration,
            reaction=reaction,
            qddot=qddot,
            tau=load[0],
            load=load[1],
            drive=load[4],
            friction=friction,
            motor=load[2],
            motor_power=load[3],
            kinetic=float(scalars[observe.KINETIC]),
            potential=float(scalars[observe.POTENTIAL]),
            center_of_mass=scalars[observe.CENTER : observe.CENTER + 3],
            momentum=scalars[observe.ANGULAR : observe.LINEAR + 3],
            power=scalars[observe.WORK : observe.LOSS + 1],
            speeds=speeds,
            stuck=int(stuck),
            loop_reaction=self.loops.reactions() if self.model.loops else NO_LOOPS[0],
            gap=self.loops.gaps() if self.model.loops else NO_LOOPS[1],
            certain=self.packed.determined and self.rank == self.active,
            constraint=self.constraint_multipliers(),
        )


def _numbers(values: Array) -> Array:
    """(nr,) contiguous, float64 and writable, as kernels want it."""
    numbers = np.array(values, np.float64)
    if numbers.ndim != 1:
        raise ValueError(f"coordinates and velocities are one row of numbers, not an array of shape {numbers.shape}")
    return numbers
