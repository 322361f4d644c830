# SPDX-License-Identifier: GPL-3.0-or-later
"""A mechanism at one instant, and what follows from where it is and how it moves."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from ...arrays import Array, IntArray
from ...dynamics.animation import prescribed_motion
from ...dynamics.kinematics import Kinematics
from ...dynamics.loads import Loads
from ...model import Model
from .formulation import Formulation


class MechanismAt:
    """t [s]; q, qdot: (nr,); chart: (n,) what q is written in, see `State`.

    qddot: (nr,) accelerations that are given, read at prescribed coordinates. Kinematics, loads and mass matrix are
    computed when they are first asked for, by the formulation.
    """

    def __init__(
        self,
        formulation: Formulation,
        model: Model,
        t: float,
        q: Array,
        qdot: Array,
        chart: IntArray,
        qddot: Array | None = None,
    ) -> None:
        """qddot: those of the animations unless others are given."""
        self.formulation, self.model = formulation, model
        self.t, self.q, self.qdot, self.chart = t, q, qdot, chart
        if qddot is not None:
            self.qddot = qddot

    @cached_property
    def qddot(self) -> Array:
        return prescribed_motion(self.model, self.t)[2]

    @cached_property
    def kin(self) -> Kinematics:
        return self.formulation.kinematics(self.model, self.q, self.qdot, self.chart)

    @cached_property
    def load(self) -> Loads:
        return self.formulation.loads(self.model, self.kin, self.t)

    @cached_property
    def M(self) -> Array:
        """(nr, nr) mass matrix of the tree [kg, kg m, kg m^2 by joint]."""
        return self.formulation.mass_matrix(self.model, self.kin)

    def with_bodies(self, E_wi: Array, phi: Array) -> MechanismAt:
        """The instant at which bodies have these poses (n, 4, 4) and twists (n, 6), as a run without joint coordinates
        knows them; joints stay as they are."""
        moved = MechanismAt(self.formulation, self.model, self.t, self.q, self.qdot, self.chart, self.qddot)
        moved.kin = replace(self.kin, E_wi=E_wi, phi=phi)
        return moved

    def pushed(self, wrenches: Array) -> MechanismAt:
        """The instant with further wrenches (n, 6) on the bodies, along the world's axes and about their centres of
        mass [N m, N]."""
        other = MechanismAt(self.formulation, self.model, self.t, self.q, self.qdot, self.chart, self.qddot)
        other.kin = self.kin
        of_bodies = (wrenches.reshape(-1, 2, 3) @ self.kin.E_wi[:, :3, :3]).reshape(-1, 6)
        other.load = replace(self.load, f_m=self.load.f_m + of_bodies)
        return other
