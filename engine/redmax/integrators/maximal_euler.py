# SPDX-License-Identifier: GPL-3.0-or-later
"""Euler in maximal coordinates: the bodies move on their own, multipliers and stabilisation keep joints closed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..arrays import Array, BoolArray
from ..dynamics.body_forces import assembled, couplings
from ..dynamics.constraint_rows import constraint_rows, is_constrained
from ..dynamics.joint_coordinates import JointCoordinatesError
from ..dynamics.kinematics import Kinematics, kinematics
from ..dynamics.loads import loads
from ..dynamics.saturation import within_maxima
from ..fields import choice, number
from ..model import Model
from ..reference.joint_rows import coordinate_rates, joint_rows
from ..reference.maximal import MaximalError, applied_forces, body_kinematics, close_joints, solve_kkt
from ..reference.maximal_loops import BodyRows, close_loops, tied_twists
from ..spatial import pose, so3
from ..state import State
from .base import FixedStep, FixedStepper, IntegrationError

POST, BAUMGARTE, NONE = "post", "baumgarte", "none"


@dataclass(frozen=True, kw_only=True)
class MaximalEuler(FixedStep):
    """Order 1. Works on poses and twists of all bodies, E1 = E0 exp(h phi1); coordinates are read off the poses."""

    kind: ClassVar[str] = "maximal_euler"
    label: ClassVar[str] = "Maximal-coordinate Euler"

    stabilisation: str = choice(
        POST,
        doc="post: close the joints after every step. baumgarte: pull them back gradually. none: let them drift",
        choices=(POST, BAUMGARTE, NONE),
    )
    rate: float = number(10.0, doc="How fast Baumgarte's method closes joints", unit="1/s", minimum=0.0)

    def cannot(self, model: Model) -> list[str]:
        inputs = model.followers.titles if model.followers is not None else ()
        drives = [
            f"integrator '{self.kind}' does not know drives ('{title}'), which have no coordinates of bodies; "
            "choose dop853, or use couplings instead"
            for title in inputs[:1]
        ]
        drifting = self.stabilisation != POST
        limits = [constraint.name for constraint in model.constraints if constraint.one_sided and drifting]
        return (
            super().cannot(model)
            + drives
            + [
                f"integrator '{self.kind}' knows limits (constraint '{name}') with stabilisation '{POST}' alone; "
                f"choose that, or choose dop853"
                for name in limits
            ]
        )

    def begin(self, model: Model, state: State) -> MaximalEulerStepper:
        return MaximalEulerStepper(model, state, self)


class MaximalEulerStepper(FixedStepper):
    """E_wi (n, 4, 4) and phi (n, 6) are the run; `state` holds the coordinates recovered from them.

    gap: (n, 6) what the joints are open by, see `maximal.body_kinematics`.
    reached: velocity of each row that holds for accelerations alone. Read off bodies that drift, it would drift, too.
    """

    def __init__(self, model: Model, state: State, settings: MaximalEuler) -> None:
        super().__init__(model, state, settings.h)
        self.settings = settings
        kin = kinematics(model, self.state.q, self.state.qdot, self.state.chart)
        self.E_wi, self.phi = kin.E_wi, kin.phi
        self.gap = np.zeros((model.body_count, 6))
        self.reached = np.zeros(0)
        if is_constrained(model):
            rows = constraint_rows(model, kin, self.state.t)
            self.reached = rows.rate[rows.any_velocity]

    def body_motion(self) -> tuple[Array, Array]:
        return self.E_wi, self.phi

    def put(self, state: State) -> None:
        """Have the bodies where the coordinates say, as after an impact at a limit."""
        if state is self.state:
            return
        super().put(state)
        kin = kinematics(self.model, state.q, state.qdot, state.chart)
        self.E_wi, self.phi, self.gap = kin.E_wi, kin.phi, np.zeros((self.model.body_count, 6))
        if len(self.reached):
            rows = constraint_rows(self.model, kin, state.t)
            self.reached = rows.rate[rows.any_velocity]

    def _part(self, h: float, t_end: float) -> None:
        if self.constraints is not None and self.constraints.watches:
            super()._part(h, t_end)
            return
        self.state = self.step(h, t_end)  # which closes loops by moving the bodies
        self.steps += 1

    def step(self, h: float, t_end: float) -> State:
        model, chart = self.model, self.state.chart
        rate = self.settings.rate if self.settings.stabilisation == BAUMGARTE else 0.0
        post = self.settings.stabilisation == POST
        try:
            kin, gap = body_kinematics(model, self.state.t, self.E_wi, self.phi, self.state.q, chart)
            pushing = None
            if self.constraints is not None and self.constraints.touches:
                pushing = self.constraints.active(constraint_rows(model, kin, self.state.t))
            phi, reached = end_twists(model, kin, h, t_end, gap=gap, rate=rate, reached=self.reached, pushing=pushing)
            E_wi = pose.project(pose.integrate(kin.E_wi, phi, h))
            guess = kin.q + h * (coordinate_rates(model, kin) @ phi.ravel())
            if post and self.constraints is not None:
                kin, self.gap = close_loops(model, t_end, E_wi, phi, guess, chart, reached)
            else:
                kin, self.gap = (close_joints if post else body_kinematics)(model, t_end, E_wi, phi, guess, chart)
        except (MaximalError, JointCoordinatesError) as error:
            raise IntegrationError.of(error) from None
        self.E_wi, self.phi, self.reached = kin.E_wi, kin.phi, reached
        return State(t_end, kin.q, kin.qdot, chart)


def end_twists(
    model: Model,
    kin: Kinematics,
    h: float,
    t_end: float,
    *,
    gap: Array,
    rate: float,
    reached: Array,
    pushing: BoolArray | None = None,
) -> tuple[Array, Array]:
    """phi1 (n, 6) after a step of h [s] under G Phi1 = gamma - rate g; linearly implicit in springs and dampers.

    Second the velocities that rows for accelerations alone have then, from those they had (`reached`). pushing: of the
    rows of loops and constraints, the one-sided ones that touch.

    (M - h D - h^2 K) Phi1 + G^T lambda = P - h D Phi0 + h f, at the old poses with inputs at the new time; the impulses
    of the joints are -G^T lambda. P are the momenta M Phi0 in the axes turned by h omega0. Its first terms, M Phi0 +
    h ad^T M Phi0, are RBDN eq. 1.28; left at that, a flying body that spins at omega would get faster by
    sqrt(1 + (h omega)^2) in every step. Source: RBDN eqs. 1.27-1.28, 1.30 (erratum: sign of D) and 1.73.
    """
    load = loads(model, kin, t_end)
    rows = joint_rows(model, kin, t_end)
    B = coordinate_rates(model, kin)
    n = model.body_count
    D_m = np.zeros((n, 6, n, 6))
    D_m[np.arange(n), :, np.arange(n), :] = load.D_m
    K_forces, D_forces = assembled(couplings(model, kin.E_wi, kin.phi, t_end), n)
    R = so3.exp(h * kin.phi[:, :3])
    P = np.einsum("nba,nkb->nka", R, (model.inertia * kin.phi).reshape(n, 2, 3))
    tied = BodyRows(model, kin, t_end, rows, gap, reached, pushing) if is_constrained(model) else None
    found = kin.phi.ravel(), reached

    def velocity(more_f: Array, more_K: Array, more_D: Array) -> Array:
        nonlocal found
        D = D_m.reshape(6 * n, 6 * n) + B.T @ ((load.D_r + more_D)[:, None] * B) + D_forces
        A = np.diag(model.inertia.ravel()) - h * D - h**2 * (B.T @ ((load.K_r + more_K)[:, None] * B) + K_forces)
        applied = applied_forces(model, kin, replace(load, f_r=load.f_r + more_f))
        f = P.ravel() - h * D @ kin.phi.ravel() + h * applied
        if tied is None:
            found = solve_kkt(A, rows.G, f, rows.gamma - rate * rows.violation(gap))[0].ravel(), reached
        else:
            gamma = tied.gamma + h * tied.acceleration
            found = tied_twists(A, f, tied, gamma - rate * tied.error).ravel(), gamma[tied.any_velocity]
        return np.asarray(B @ found[0])

    within_maxima(model, kin, h, t_end, velocity)
    return found[0].reshape(n, 6), found[1]
