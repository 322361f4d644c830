# SPDX-License-Identifier: GPL-3.0-or-later
"""Euler with contact: velocities at the end of each step satisfy a law of friction that is chosen by name.

    A (v1 - v*) = G^T P,        q1 = q0 + h v1

v* is the velocity of the linearly implicit step without contacts, loops and limits, A its matrix, G all their rows at
the start of the step. Surfaces may come as near to each other as they are: gap / h + sigma_n >= 0. This is how the
classic methods step through time, and what their laws do can be seen here; `automatic` is what runs should use.
Source: RBDN eqs. 1.79-1.80, 1.85-1.88 and Alg. 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array, BoolArray
from ..dynamics.animation import prescribed_motion, with_prescribed
from ..dynamics.assembly import scale_of
from ..dynamics.constraint_rows import ConstraintRows
from ..dynamics.freedoms import freedoms
from ..fields import choice, integer, number
from ..model import Model
from ..reference.contact_methods import (
    BOX,
    CONE,
    ContactSolution,
    VelocityProblem,
    contact_qp,
    single_qp,
    staggered_projections,
)
from ..solvers import quadratic
from ..solvers.contact import layout as at
from ..solvers.contact.problem import Problem
from ..state import State
from . import routes
from .base import FixedStep, FixedStepper, IntegrationError, Stepper
from .contact.account import Account
from .contact.detection import Detection
from .contact.moment import Moment
from .contact.points import Points
from .contact.problem import BOUNCE, BOUNCE_ABOVE, KINETIC, ROLLING, ROWS, STATIC, TORSIONAL, ContactRows
from .contact.solving import Solver
from .contact.velocity_step import Pushes
from .linearly_implicit_euler import LinearlyImplicitEulerStepper, terms_of_forces
from .routes.solvable import solve_free

EXACT, CONTACT_QP, SINGLE_QP, STAGGERED_BOX, STAGGERED_CONE = (
    "exact", "contact_qp", "single_qp", "staggered_box", "staggered_cone",
)  # fmt: skip
LAWS = (EXACT, CONTACT_QP, SINGLE_QP, STAGGERED_BOX, STAGGERED_CONE)

RESIDUAL, SLOW = 1e-9, 1e-6
"""Residual of the exact law, and speeds that are none, as parts of the speed that gravity gives the smallest body while
it moves it by its size."""

MARGIN = 1.2
"""Surfaces are looked for so many times as far as they can come within a step."""

STOPS = 1e-8
"""Limits with less room than this [rad, or parts of the size] touch."""

Key = tuple[int, int, int]


@dataclass(frozen=True, kw_only=True)
class ContactEuler(FixedStep):
    """Order 1, fixed steps; the seeds' contact methods by name, for comparison. Runs with contact want `automatic`."""

    kind: ClassVar[str] = "contact_euler"
    label: ClassVar[str] = "Euler with contact laws"
    has_contact: ClassVar[bool] = True

    law: str = choice(
        EXACT,
        doc="Law of friction: Coulomb's, exactly, or what one of the classic methods makes of it",
        choices=LAWS,
    )
    sides: int = integer(4, doc="Sides of the friction pyramid of the single QP, at least 4", minimum=4)
    rounds: int = integer(100, doc="Most rounds of staggered projections in a step", minimum=1)
    convergence: float = number(
        1e-3, doc="Staggered projections end where normal impulses change by less than this part", positive=True
    )

    def cannot(self, model: Model) -> list[str]:
        found = super().cannot(model)
        if self.law == EXACT or model.surfaces is None:
            return found
        if not quadratic.is_here():
            hint = f"install it, or use law '{EXACT}'"
            found.append(f"law '{self.law}' of integrator '{self.kind}' needs the wheel {quadratic.WHEEL}; {hint}")
        found += [
            f"law '{self.law}' of integrator '{self.kind}' knows neither rolling nor torsional friction, as of surface "
            f"'{name}'; use law '{EXACT}'"
            for name in _with_torques(model)[:1]
        ]
        return found

    def begin(self, model: Model, state: State) -> Stepper:
        """Without surfaces the same as `linearly_implicit_euler`."""
        if model.surfaces is None:
            return LinearlyImplicitEulerStepper(model, state, self.h)
        return ContactEulerStepper(model, state, self)


def _with_torques(model: Model) -> list[str]:
    """Names of surfaces that resist rolling or spinning on the spot."""
    surfaces = model.surfaces
    assert surfaces is not None
    a, b = np.array(list(surfaces.pairs()), np.int64).reshape(-1, 2).T
    resists = surfaces.material_of(a, b)[:, [ROLLING, TORSIONAL]].any(axis=1)
    return [surfaces.names[k] for k in b[resists].tolist()]


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows of one step on the free coordinates. points: k contacts, on which `contacts` are; R: (k, 6, f), b: (k, 6)
    what they ask for, mu: (k,). G, g: equations. C, c: one-sided rows."""

    points: Points
    contacts: ContactRows
    R: Array
    b: Array
    mu: Array
    G: Array
    g: Array
    C: Array
    c: Array


class ContactEulerStepper(FixedStepper):
    """`account` counts as missed the problems that were not solved to their tolerance, among them staggered projections
    that did not end."""

    def __init__(self, model: Model, state: State, settings: ContactEuler) -> None:
        super().__init__(model, state, settings.h)
        self.settings = settings
        self.route = routes.begin(model, constraints=self.constraints)
        self.which = terms_of_forces(model)
        self._friction: dict[Key, Array] = {}
        self.detection = Detection(model)
        self.solver, self.account = Solver(), Account(model, self.detection.surfaces)
        self.length = self.detection.length
        self.gravity = float(np.linalg.norm(model.gravity))
        self.time = float(np.sqrt(self.length / self.gravity)) if self.gravity > 0.0 else 1.0
        self.contact = self.account.sample(self._moment(self.state).placed)

    @property
    def speed(self) -> float:
        """What gravity gives the smallest body while it moves it by its size [m/s]."""
        return self.length / self.time

    def _moment(self, state: State) -> Moment:
        return Moment(self.detection, state, np.zeros(2), before_switch=False, stops=(0.0, None))

    def advance(self, t_end: float) -> State:
        self.account.begin_frame()
        state = super().advance(t_end)
        self.contact = self.account.sample(self._moment(state).placed)
        self._hold_stops()
        return state

    def _hold_stops(self) -> None:
        """Have limits that touch push in samples."""
        held = self.constraints
        if held is None or not held.has_one_sided:
            return
        rows, scale = self._held_rows(self.state, self.state.t)
        still = np.abs(rows.G @ self.state.qdot - rows.rate) <= 1e-4 * scale
        held.touching = rows.one_sided & (rows.error <= STOPS * scale) & still

    def _part(self, h: float, t_end: float) -> None:
        state = self.step(h, t_end)
        self.steps += 1
        held = self.constraints
        if held is not None and not held.only_one_sided:
            held.touching = np.zeros(len(held.owner), np.bool_)
            state = held.projected(state)
        self.put(state)

    def _held_rows(self, state: State, t: float) -> tuple[ConstraintRows, Array]:
        assert self.constraints is not None
        moment = self.route.at(t, state.q, state.qdot, state.chart)
        rows = self.constraints.rows(moment.kin, t)
        return rows, scale_of(self.model, rows)

    def step(self, h: float, t_end: float) -> State:
        """See the module. Matrix and velocity without impulses are those of `linearly_implicit_euler`."""
        model, state = self.model, self.state
        system = self.route.linear_system(self.route.at(t_end, state.q, state.qdot, state.chart), which=self.which)
        M_hD = system.M - h * system.D
        A = M_hD - h**2 * system.K
        v = solve_free(model, state.q, A, M_hD @ state.qdot + h * system.f, prescribed_motion(model, t_end)[1])
        W = freedoms(model, state.q)
        rows = self._rows(h, t_end, v)
        if len(rows.points) or len(rows.g) or len(rows.c):
            x, impulses = self._solved(rows, W.reduced(0.5 * (A + A.T)), v[W.free])
            v_end = v + W.spread(x - v[W.free])
            self._book(rows, impulses, v_end, h)
            v = v_end
        else:
            self.account.add_step(None, h)
        q, qdot = with_prescribed(model, t_end, state.q + h * v, v)
        if model.followers is not None:
            q, qdot = model.followers.placed(q, qdot)
        return State(t_end, q, qdot, state.chart)

    # --- rows -----------------------------------------------------------------------------------------------------

    def _rows(self, h: float, t_end: float, v: Array) -> _Rows:
        """v: (nr,) velocities without impulses at the end, whose prescribed ones stay."""
        W, moment = freedoms(self.model, self.state.q), self._moment(self.state)
        margins = MARGIN * h * (moment.speeds + self.gravity * h) + 0.5 * SLOW * self.length
        points = moment.points(margins)
        points = points.only(~self._waits(points, -moment.placed.parting(points)))
        contacts = ContactRows(moment.placed, points)
        R = contacts.G
        b = self._wanted(points, -moment.placed.parting(points), h) - (contacts.rows @ v - R @ v[W.free])
        slip = contacts.rows[:, 1:3] @ self.state.qdot + _conveyor(points)[:, 1:]
        slides = np.linalg.norm(slip, axis=1) > SLOW * self.speed
        mu = np.where(slides, points.material[:, KINETIC], points.material[:, STATIC])
        G, g, C, c = self._held(h, t_end, v)
        return _Rows(points, contacts, R, b, mu, G, g, C, c)

    def _bounces(self, points: Points, approach: Array) -> BoolArray:
        above = np.maximum(points.material[:, BOUNCE_ABOVE], 1e-4 * self.speed)
        return np.asarray((points.material[:, BOUNCE] > 0.0) & (approach > above))

    def _waits(self, points: Points, approach: Array) -> BoolArray:
        """(k,) points that will bounce and do not touch yet: they come into each other first, by a step at most."""
        return self._bounces(points, approach) & (points.gap > 0.0)

    def _wanted(self, points: Points, approach: Array, h: float) -> Array:
        """(k, 6) speeds from which sigma counts: what is apart may come nearer, what is inside is pushed out."""
        b = np.zeros((len(points), ROWS))
        b[:, 0] = np.minimum(-points.gap / h, self.speed)
        bounces = self._bounces(points, approach)
        b[bounces, 0] = np.maximum(b[bounces, 0], (points.material[:, BOUNCE] * approach)[bounces])
        b[:, 1:3] = -_conveyor(points)[:, 1:]
        return b

    def _held(self, h: float, t_end: float, v: Array) -> tuple[Array, Array, Array, Array]:
        """Equations and one-sided rows of loops, constraints and limits near enough to be met; those that bounce are
        passed first, as contacts are."""
        W = freedoms(self.model, self.state.q)
        if self.constraints is None:
            nothing = np.zeros((0, len(W.free)))
            return nothing, np.zeros(0), nothing, np.zeros(0)
        rows, scale = self._held_rows(self.state, t_end)
        wanted = rows.rate_after(self.model, self.state.q, self.state.qdot, h)
        speed = rows.G @ self.state.qdot - rows.rate
        near = rows.one_sided & (rows.error <= 2.0 * h * (np.abs(speed) + np.abs(rows.G @ v)) + STOPS * scale)
        bounces = (rows.bounce > 0.0) & (speed < -SLOW * scale)
        near &= ~bounces | (rows.error <= 0.0)
        least = wanted - rows.error / h
        least = np.where(bounces, np.maximum(least, wanted - rows.bounce * speed), least)
        on_free = W.columns(rows.G)
        moved = rows.G @ v - on_free @ v[W.free]
        equations = ~rows.one_sided
        return on_free[equations], (wanted - moved)[equations], on_free[near], (least - moved)[near]

    # --- laws -----------------------------------------------------------------------------------------------------

    def _solved(self, rows: _Rows, A: Array, v_free: Array) -> tuple[Array, Array]:
        """(f,) velocities and (k, 6) impulses under the law."""
        if self.settings.law == EXACT or not len(rows.points):
            return self._exactly(rows, A, v_free)
        problem = VelocityProblem(
            A, A @ v_free, rows.R[:, :3], rows.b[:, :3], rows.mu, G=rows.G, g=rows.g, C=rows.C, c=rows.c
        )
        found = self._by_quadratic_programs(problem, rows.points)
        self.account.count(is_solved=found.converged, residual=0.0, worst=None)
        impulses = np.zeros((len(rows.points), ROWS))
        impulses[:, 0], impulses[:, 1:3] = found.normal, found.friction
        return found.x, impulses

    def _by_quadratic_programs(self, problem: VelocityProblem, points: Points) -> ContactSolution:
        settings = self.settings
        try:
            if settings.law == CONTACT_QP:
                return contact_qp(problem)
            if settings.law == SINGLE_QP:
                return single_qp(problem, settings.sides)
            keys = points.keys()
            start = np.array(
                [axes[1:] @ self._friction.get(key, np.zeros(3)) for key, axes in zip(keys, points.axes, strict=True)]
            )
            found = staggered_projections(
                problem, bounds=BOX if settings.law == STAGGERED_BOX else CONE, start=start.reshape(-1, 2),
                most_rounds=settings.rounds, convergence=settings.convergence,
            )  # fmt: skip
        except quadratic.QuadraticError as error:
            raise IntegrationError.of(error) from None
        world = np.einsum("kij,ki->kj", points.axes[:, 1:], found.friction)
        self._friction = dict(zip(keys, world, strict=True))
        return found

    def _exactly(self, rows: _Rows, A: Array, v_free: Array) -> tuple[Array, Array]:
        problem = Problem([A], v_free)
        used = rows.contacts.used
        unit = np.array([1.0, 1.0, 1.0, self.length, self.length, self.length])
        for R, b, mu, which, material in zip(rows.R, rows.b, rows.mu, used, rows.points.material, strict=True):
            friction = (float(mu), float(material[TORSIONAL]), float(material[ROLLING]))
            problem.add(at.CONTACT, [(0, R[which])], b[which], unit=unit[which], friction=friction)
        for kind, each, wanted in ((at.EQUATION, rows.G, rows.g), (at.ONE_SIDED, rows.C, rows.c)):
            for G, g in zip(each, wanted, strict=True):
                problem.add(kind, [(0, G)], g)
        found = self.solver.solved(problem, RESIDUAL * self.speed)
        if not np.isfinite(found.residual):
            raise IntegrationError("no forces satisfy the contacts of a step", code="no_solution")
        if len(rows.points):
            self.account.count(is_solved=found.is_solved, residual=found.residual, worst=None)
        impulses = np.zeros(used.shape)
        impulses[used] = found.impulses[: int(used.sum())]
        return found.v, impulses

    # --- books ----------------------------------------------------------------------------------------------------

    def _book(self, rows: _Rows, impulses: Array, v: Array, h: float) -> None:
        """v: (nr,) velocities at the end."""
        points, W = rows.points, freedoms(self.model, self.state.q)
        conveyor = np.zeros((len(points), ROWS))
        conveyor[:, :3] = _conveyor(points)
        mean = rows.contacts.rows @ (0.5 * (self.state.qdot + v)) + conveyor
        moved = rows.contacts.rows @ v - rows.R @ v[W.free]
        loss = -float((impulses[:, 1:] * mean[:, 1:]).sum())
        arrived = -float(impulses[:, 0] @ mean[:, 0])
        work = -float((impulses * moved).sum() + (impulses[:, 1:3] * conveyor[:, 1:3]).sum())
        landed = np.where(points.gap > 0.0, impulses[:, 0], 0.0)
        self.account.add_step(Pushes(points, impulses, mean[:, :3], loss, work, arrived, landed=landed), h)


def _conveyor(points: Points) -> Array:
    """(k, 3) velocity of the first skin relative to the second along the axes of points; none along the normal."""
    along = np.einsum("kij,kj->ki", points.axes, points.conveyor)
    along[:, 0] = 0.0
    return np.asarray(along)
