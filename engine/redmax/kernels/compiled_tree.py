# SPDX-License-Identifier: GPL-3.0-or-later
"""A model packed for kernels, with the work space of one run, called from Python. Needs numba.

One Tree serves one thread: kernels write into its work space.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from ..arrays import Array, BoolArray, IntArray
from ..joints.base import ANIMATED, SIMULATED
from ..model import Model
from ..spatial import adjoint, pose
from . import core, tasks
from .layout import packing
from .layout.arrays import sections_of
from .layout.declaration import Body, Column, Head, RowBodies, RowWork, Vector, World
from .rows.delassus import NOTHING
from .rows.loop_results import SeenLoops
from .steps import quick_call
from .tree import observe, products
from .tree.observation import NO_LOOPS, Observation

FEW = 4
"""Up to so many products with the mass matrix cost less than the matrix."""


def without_idle_rows(model: Model) -> packing.Packed:
    """The packed model without rows of constraints that say nothing new, whatever the pose.

    Such as those that keep a mechanism of parallel hinges in its plane, or all of a door's second hinge. What depends
    on other rows at poses drawn at random, where no loop is closed, does so everywhere; what does so only in closed
    poses is found step by step. A row that animated joints alone can break does say something.
    """
    packed = model.once(packing.pack)
    count = int(packed.ints[Head.ROWS])
    if count == 0 or not packed.whole:
        return packed
    tree, rng = Tree(model, packed), np.random.default_rng(0)
    unheld = _with_animated_joints_free(model)
    free = tree if unheld is model else Tree(unheld, packing.pack(unheld))
    most: IntArray = np.zeros(0, np.int64)
    moving = np.zeros(count, np.bool_)
    for _ in range(3):
        q = rng.uniform(-0.7, 0.7, model.dof_count)
        chart = np.zeros(model.body_count, np.int64)
        order = free.independent_rows(q, chart)
        most = order if len(order) > len(most) else most
        if free is not tree:
            tree.independent_rows(q, chart)
        moving |= tree.moving_rows()
    if len(most) == count:
        return packed
    moving[most] = False
    return replace(packing.pack(model, np.sort(most)), determined=not moving.any())


def _with_animated_joints_free(model: Model) -> Model:
    """The model with animated joints simulated, and with inertia wherever it has none; itself if none is animated."""
    animated = [joint.motion_type == ANIMATED and joint.ndof > 0 for joint in model.joints]
    if not any(animated):
        return model
    joints = tuple(replace(j, motion_type=SIMULATED) if a else j for j, a in zip(model.joints, animated, strict=True))
    held = model.prescribed & ~np.repeat(animated, np.diff(model.dof))
    return replace(model, joints=joints, prescribed=held, inertia=np.where(model.inertia > 0.0, model.inertia, 1.0))


class Tree:
    def __init__(self, model: Model, packed: packing.Packed | None = None) -> None:
        self.model = model
        self.address = core.compute.address
        self.packed = model.once(without_idle_rows) if packed is None else packed
        self.ints, self.floats = self.packed.ints.copy(), self.packed.floats.copy()
        self.singular = self.packed.singular
        sections = sections_of(self.ints, self.floats)
        self.vectors: Array = sections.vectors
        self._bodies: Array = sections.bodies
        self._world: Array = sections.world
        self._columns: Array = sections.columns
        self._rows: Array = sections.row_work
        self._reach: Array = sections.reach
        self._digits: IntArray = sections.charts
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
        """qddot (nr,) at t = 0, with prescribed coordinates unaccelerated: the quickest call, above all for contiguous
        float64 arrays that may be written to. NaN where nothing resists a joint, which `forward_dynamics` names."""
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
        """The same `count` times in one compiled loop; overwritten by the next call. q, qdot: contiguous float64."""
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
        """As `inverse_dynamics`, and powers (2,) [W] without those of motors."""
        self.set_chart(chart)
        self._qddot[:] = qddot
        what = tasks.PLACE | tasks.LOADS | tasks.POWERS | tasks.INVERSE
        self._run(*self._copied(q, qdot), self._qddot, t, what)
        force, load = self.vectors[Vector.FORCE].copy(), self.vectors[Vector.LOAD].copy()
        return force, load, self._world[World.POWER_IN : World.POWER_OUT + 1].copy()

    def inertia_products(self, X: Array) -> Array:
        """M x (k, nr) for every line x of X (k, nr), where the last call placed the bodies: one after the other in
        O(n), or many at once with the mass matrix."""
        if len(X) > FEW:
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

    def project(self, q: Array, qdot: Array, chart: IntArray) -> tuple[Array, Array, bool]:
        """Coordinates and velocities brought onto all constraints by the least change; False if that fails."""
        self.set_chart(chart)
        q, qdot = np.array(q, np.float64), np.array(qdot, np.float64)
        return q, qdot, self._run(q, qdot, self._qddot, 0.0, tasks.PROJECT) >= 0

    @property
    def rank(self) -> int:
        """How many rows of constraints were independent in the last call."""
        return int(self._world[World.RANK])

    def weakest_row(self) -> tuple[float, float, int]:
        """Strength of the weakest row since this was asked last: the least, the largest, and the loop of the least.

        That is how much the row has that no other one has, relative to what it could move at most, 0 to 1; it is 0
        where rows depend on each other. Infinite, 0 and 0 where no rows were solved for.
        """
        least, row, largest = self._world[World.LEAST_STRENGTH : World.MOST_STRENGTH + 1].tolist()
        self._world[World.LEAST_STRENGTH], self._world[World.MOST_STRENGTH] = np.inf, 0.0
        return least**0.5, largest**0.5, int(self.packed.lines[int(row), RowBodies.LOOP]) if least < np.inf else 0

    def weakest_at(self, q: Array, chart: IntArray) -> tuple[float, int]:
        """Strength of the weakest row in this pose, and the number of its loop; see `weakest_row`."""
        self.weakest_row()
        self._accelerate(q, np.zeros_like(q), chart)
        least, _, loop = self.weakest_row()
        return least, loop

    def independent_rows(self, q: Array, chart: IntArray) -> IntArray:
        """Numbers of the constraints' rows that do not depend on others here."""
        self._accelerate(q, np.zeros_like(q), chart)
        return self._rows[: self.rank, RowWork.PIVOT].astype(np.int64)

    def moving_rows(self) -> BoolArray:
        """(m,) which rows would move anything, where the last call was."""
        kept = int(self.ints[Head.ROWS])
        moved = self._columns[:, Column.D] @ self._reach**2
        return np.asarray(moved > NOTHING * self._rows[:kept, RowWork.BOUND])

    @cached_property
    def loops(self) -> SeenLoops:
        """What the last `look` or `observe` says of the loops."""
        return SeenLoops(self.model, self.packed, self._rows, self._E_ki)

    def look(self, q: Array, qdot: Array, chart: IntArray) -> SeenLoops:
        """All loops at one instant, also by rows that say nothing new."""
        self.set_chart(chart)
        self._run(*self._copied(q, qdot), self._qddot, 0.0, tasks.PLACE | tasks.ROW_ERRORS)
        return self.loops

    def widest_loop(self, q: Array, qdot: Array, chart: IntArray) -> int:
        """Number of the loop that is open most."""
        return int(self.packed.lines[np.abs(self.row_errors(q, qdot, chart)).argmax(), RowBodies.LOOP])

    def is_regular(self, q: Array, chart: IntArray) -> bool:
        """Whether no row of the constraints depends on others here, beside those that do so everywhere."""
        return len(self.independent_rows(q, chart)) == int(self.ints[Head.ROWS])

    def row_errors(self, q: Array, qdot: Array, chart: IntArray) -> Array:
        """(m,) errors of the constraints' rows [m, or a cosine of about an angle in rad]."""
        self._accelerate(q, qdot, chart)
        return self._rows[: int(self.ints[Head.ROWS]), RowWork.ERROR].copy()

    def _accelerate(self, q: Array, qdot: Array, chart: IntArray) -> None:
        self.set_chart(chart)
        self._qddot[:] = 0.0
        self._run(*self._copied(q, qdot), self._qddot, 0.0, tasks.ACCELERATE)

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
        tilt = self._bodies[:, Body.span("TILT")].reshape(n, 3, 3)
        E_ki[:, :3] = np.swapaxes(tilt, 1, 2) @ E_ki[:, :3]
        return E_ki

    def _copied(self, q: Array, qdot: Array) -> tuple[Array, Array]:
        """Both in memory as kernels want it: contiguous and writable, so that one compiled form serves all calls."""
        self._q[:], self._qdot[:] = q, qdot
        return self._q, self._qdot

    def _run(self, q: Array, qdot: Array, qddot: Array, t: float, what: int) -> int:
        return int(core.repeated(self.address, self.ints, self.floats, q, qdot, qddot, t, what, 1))

    def observe(self, q: Array, qdot: Array, chart: IntArray, t: float) -> Observation:
        """Everything a sample shows."""
        self.set_chart(chart)
        n, nr = self.model.body_count, self.model.dof_count
        E_wb, qddot = np.empty((n, 4, 4)), np.zeros(nr)
        twist, acceleration, reaction = np.empty((n, 6)), np.empty((n, 6)), np.empty((n, 6))
        load, speeds, scalars = np.empty((2, nr)), np.empty((n, 2)), np.empty(observe.SCALARS)
        stuck = observe.observe(
            self.address, self.ints, self.floats, *self._copied(q, qdot), t, E_wb, twist, acceleration, reaction,
            speeds, qddot, load, scalars,
        )  # fmt: skip
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
            kinetic=float(scalars[observe.KINETIC]),
            potential=float(scalars[observe.POTENTIAL]),
            center_of_mass=scalars[observe.CENTER : observe.CENTER + 3],
            momentum=scalars[observe.ANGULAR : observe.LINEAR + 3],
            power=scalars[observe.WORK : observe.LOSS + 1],
            speeds=speeds,
            stuck=int(stuck),
            loop_reaction=self.loops.reactions() if self.model.loops else NO_LOOPS[0],
            gap=self.loops.gaps() if self.model.loops else NO_LOOPS[1],
            certain=self.packed.determined and self.rank == int(self.ints[Head.ROWS]),
        )


def _numbers(values: Array) -> Array:
    """(nr,) contiguous, float64 and writable, as kernels want it."""
    numbers = np.array(values, np.float64)
    if numbers.ndim != 1:
        raise ValueError(f"coordinates and velocities are one row of numbers, not an array of shape {numbers.shape}")
    return numbers
