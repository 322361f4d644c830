# SPDX-License-Identifier: GPL-3.0-or-later
"""A model packed for kernels, with the work space of one run, called from Python. Needs numba.

One Tree serves one thread: kernels write into its work space.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, IntArray
from ..model import Model
from . import charts, forward, inverse, observe, packing


@dataclass(frozen=True, eq=False)
class Observation:
    """A mechanism at one instant; see `simulate.CHANNELS`. stuck: body at whose joint nothing resists, or -1.

    power: (2,) what motors and torques put in and what dampers take out [W].
    """

    E_wb: Array
    twist: Array
    acceleration: Array
    reaction: Array
    qddot: Array
    tau: Array
    load: Array
    kinetic: float
    potential: float
    center_of_mass: Array
    momentum: Array
    power: Array
    stuck: int


class Tree:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.packed = packing.pack(model)
        self.ints, self.floats = self.packed.ints, self.packed.floats
        self.singular = any(
            joint.has_singularity and not model.prescribed[model.columns(j)].any()
            for j, joint in enumerate(model.joints)
        )
        self._digits = self.ints[len(self.ints) - len(self.packed.slots) :]
        self._qddot = np.zeros(model.dof_count)

    def set_chart(self, chart: IntArray) -> None:
        """Take over the charts of a state."""
        if len(self._digits):
            self._digits[:] = packing.chart_digits(self.packed, chart)

    def chart(self, chart: IntArray) -> IntArray:
        """Charts of the joints (n,) as kernels left them; `chart` is what they were before."""
        return packing.charts_of(self.packed, chart, self._digits) if len(self._digits) else chart

    def accelerations(self, q: Array, qdot: Array) -> Array:
        """qddot (nr,) at t = 0 of a tree without prescribed joints: the quickest call. Overwritten by the next."""
        forward.accelerations(self.ints, self.floats, q, qdot, 0.0, self._qddot)
        return self._qddot

    def repeat(self, q: Array, qdot: Array, count: int) -> Array:
        """The same `count` times in one compiled loop."""
        forward.repeated(self.ints, self.floats, q, qdot, 0.0, self._qddot, count)
        return self._qddot

    def forward_dynamics(
        self, q: Array, qdot: Array, chart: IntArray, t: float, qddot_prescribed: Array
    ) -> tuple[Array, Array, int]:
        """qddot, powers (2,) [W] and -1, or the body at whose joint nothing resists."""
        self.set_chart(chart)
        qddot, powers = np.array(qddot_prescribed, np.float64), np.empty(2)
        stuck = forward.motion_and_powers(self.ints, self.floats, q, qdot, t, qddot, powers)
        return qddot, powers, int(stuck)

    def inverse_dynamics(self, q: Array, qdot: Array, chart: IntArray, t: float, qddot: Array) -> tuple[Array, Array]:
        """Whole forces along the coordinates (nr,) that give qddot, and the loads among them."""
        self.set_chart(chart)
        tau, load = np.empty(len(q)), np.empty(len(q))
        inverse.forces_for(self.ints, self.floats, q, qdot, t, qddot, tau, load)
        return tau, load

    def recentred(self, q: Array, qdot: Array, chart: IntArray) -> tuple[Array, Array, IntArray]:
        """Coordinates, velocities and charts away from singularities; the same objects if nothing changed."""
        self.set_chart(chart)
        q_new, qdot_new = q.copy(), qdot.copy()
        if not charts.recentred(self.ints, self.floats, q_new, qdot_new):
            return q, qdot, chart
        return q_new, qdot_new, self.chart(chart)

    def observe(self, q: Array, qdot: Array, chart: IntArray, t: float) -> Observation:
        """Everything a sample shows."""
        self.set_chart(chart)
        n, nr = self.model.body_count, self.model.dof_count
        E_wb, wrenches, qddot = np.empty((n, 4, 4)), np.empty((3, n, 6)), np.zeros(nr)
        load, scalars = np.empty((2, nr)), np.empty(observe.SCALARS)
        stuck = observe.observe(
            self.ints, self.floats, q, qdot, t, E_wb, wrenches[0], wrenches[1], wrenches[2], qddot, load, scalars
        )
        if stuck >= 0:
            wrenches[1:], qddot[:], load[0] = np.nan, np.nan, np.nan
        return Observation(
            E_wb=E_wb,
            twist=wrenches[0],
            acceleration=wrenches[1],
            reaction=wrenches[2],
            qddot=qddot,
            tau=load[0],
            load=load[1],
            kinetic=float(scalars[observe.KINETIC]),
            potential=float(scalars[observe.POTENTIAL]),
            center_of_mass=scalars[observe.CENTER : observe.CENTER + 3],
            momentum=scalars[observe.ANGULAR : observe.LINEAR + 3],
            power=scalars[observe.WORK : observe.LOSS + 1],
            stuck=int(stuck),
        )
