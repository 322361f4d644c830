# SPDX-License-Identifier: GPL-3.0-or-later
"""The equations of motion in the three forms integrators ask for: accelerations, a linearised system, a residual."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import fast
from ..arrays import Array, IntArray
from ..dynamics import body_forces, constrained, driven, recursive
from ..dynamics.animation import prescribed_motion, with_prescribed
from ..dynamics.constraint_rows import ConstraintRows
from ..dynamics.freedoms import freedoms
from ..dynamics.hybrid_dynamics import HybridDynamics
from ..dynamics.jacobians import jacobian, jacobian_transpose_product
from ..dynamics.kinematics import Kinematics, kinematics
from ..dynamics.loads import Loads, loads
from ..dynamics.singular import ImmovableError
from ..fields import choice
from ..model import Model
from ..reference import projected, projected_drives, si_guenter
from ..spatial import adjoint, pose
from .base import NOT_FINITE, WHAT_IS_FAST, IntegrationError
from .constrained import ConstrainedRun
from .energy_balance import powers

Route = Callable[[Model, Kinematics, Loads, Array], Array]
FAST = "fast"
ROUTES: dict[str, Route] = {
    "recursive": lambda model, kin, load, qddot: recursive.forward_dynamics(model, kin, load, qddot).qddot,
    "projected": projected.forward_dynamics,
    "si_guenter": si_guenter.forward_dynamics,
    FAST: lambda model, kin, load, qddot: fast.forward_dynamics(model, kin, load, qddot).qddot,
}
"""Formulations of forward dynamics; they agree to rounding. FAST is compiled or vectorised, the others are readable.
New ones go to the end: Blender files keep their places."""


def route_choice() -> Any:
    """The field by which an integrator offers the formulations."""
    doc = "Formulation of the forward dynamics: fast, or one of the readable ones it is checked against"
    return choice(FAST, doc=doc, choices=tuple(ROUTES))


def accelerations(
    model: Model,
    q: Array,
    qdot: Array,
    chart: IntArray,
    t: float,
    *,
    route: str = FAST,
    qddot_prescribed: Array | None = None,
    constraints: ConstrainedRun | None = None,
) -> Array:
    """qddot (nr,) at time t; prescribed coordinates accelerate as their animation says, or as given.

    constraints: those of the run; None for a tree, or for its motion as if there were none.
    """
    if qddot_prescribed is None:
        qddot_prescribed = prescribed_motion(model, t)[2]
    if constraints is not None and not constraints.idle:
        found = _compiled_motion(model, q, qdot, chart, t, qddot_prescribed, constraints, route)
        if found is not None:
            return found[0]
        return constrained_motion(model, q, qdot, chart, t, qddot_prescribed, constraints, route=route).qddot
    if model.followers is not None:
        return driven_motion(model, q, qdot, chart, t, qddot_prescribed, route=route)[0]
    tree = fast.bare_tree(model) if route == FAST else None
    if tree is not None:
        return _moving(model, tree.forward_dynamics(q, qdot, chart, t, qddot_prescribed))[0]
    if route == FAST:
        try:
            return fast.accelerations(model, q, qdot, chart, t, qddot_prescribed)
        except (ImmovableError, np.linalg.LinAlgError) as error:
            raise immovable(model, projected.mass_matrix(model, kinematics(model, q, qdot, chart)), error) from None
    kin, load = _instant(model, q, qdot, chart, t, route)
    return _solved(model, ROUTES[route], kin, load, qddot_prescribed)


def _instant(model: Model, q: Array, qdot: Array, chart: IntArray, t: float, route: str) -> tuple[Kinematics, Loads]:
    """Kinematics and loads, by vectorised or by readable code."""
    if route == FAST:
        kin = fast.kinematics(model, q, qdot, chart)
        return kin, fast.loads(model, kin, t)
    kin = kinematics(model, q, qdot, chart)
    return kin, loads(model, kin, t)


def _moving(model: Model, result: tuple[Array, Array, int]) -> tuple[Array, Array]:
    """Accelerations and powers, unless nothing resists some joint."""
    qddot, powers, stuck = result
    if stuck >= 0:
        raise IntegrationError.of(fast.stuck_joint(model, stuck))
    return qddot, powers


def motion_and_powers(
    model: Model,
    q: Array,
    qdot: Array,
    chart: IntArray,
    t: float,
    qddot_prescribed: Array,
    *,
    route: str,
    constraints: ConstrainedRun | None = None,
) -> tuple[Array, Array]:
    """qddot (nr,) as in `accelerations`, and the powers (2,) of `energy_balance.powers` in the same motion [W]."""
    if constraints is not None and not constraints.idle:
        found = _compiled_motion(model, q, qdot, chart, t, qddot_prescribed, constraints, route)
        if found is not None:
            return found
        motion = constrained_motion(model, q, qdot, chart, t, qddot_prescribed, constraints, route=route)
        return motion.qddot, motion.powers
    if model.followers is not None:
        return driven_motion(model, q, qdot, chart, t, qddot_prescribed, route=route)
    tree = fast.bare_tree(model) if route == FAST else None
    if tree is not None:
        return _moving(model, tree.forward_dynamics(q, qdot, chart, t, qddot_prescribed))
    kin, load = _instant(model, q, qdot, chart, t, route)
    if model.prescribed.all():
        hybrid = recursive.inverse_dynamics(model, kin, load, qddot_prescribed)
        qddot, tau = hybrid.qddot, hybrid.tau
    elif route in (FAST, "recursive"):
        forward = fast.forward_dynamics if route == FAST else recursive.forward_dynamics
        try:
            hybrid = forward(model, kin, load, qddot_prescribed)
        except (ImmovableError, np.linalg.LinAlgError) as error:
            raise immovable(model, projected.mass_matrix(model, kin), error) from None
        qddot, tau = hybrid.qddot, hybrid.tau
    else:
        qddot = _solved(model, ROUTES[route], kin, load, qddot_prescribed)
        moved = model.prescribed.any()
        tau = recursive.inverse_dynamics(model, kin, load, qddot).tau if moved else load.f_r
    return qddot, powers(model, kin, load, tau, t)


def _compiled_motion(
    model: Model,
    q: Array,
    qdot: Array,
    chart: IntArray,
    t: float,
    qddot_prescribed: Array,
    constraints: ConstrainedRun,
    route: str,
) -> tuple[Array, Array] | None:
    """Accelerations and powers with all rows by kernels, where they know them and count them right."""
    if constraints.tree is None or route != FAST:
        return None
    found = constraints.tree.forward_dynamics(q, qdot, chart, t, qddot_prescribed)
    return _moving(model, found) if constraints.trusts_tree else None


@dataclass(frozen=True, eq=False)
class Motion:
    """A constrained mechanism at one instant: qddot (nr,), multipliers (m,) of its rows, see `ConstrainedMotion`,
    tau (nr,) whole forces along the coordinates without those of the rows, powers (2,) [W]."""

    kin: Kinematics
    load: Loads
    rows: ConstraintRows
    qddot: Array
    multipliers: Array
    tau: Array
    powers: Array


def constrained_motion(
    model: Model,
    q: Array,
    qdot: Array,
    chart: IntArray,
    t: float,
    qddot_prescribed: Array,
    constraints: ConstrainedRun,
    *,
    route: str = FAST,
) -> Motion:
    """The motion that satisfies all rows: first without them, then corrected by their multipliers.

    Source: RBDN eqs. 2.119-2.120.
    """
    kin, load = _instant(model, q, qdot, chart, t, route)
    M = fast.mass_matrix(model, kin) if route == FAST else projected.mass_matrix(model, kin)
    if model.followers is not None:
        free = _driven(model, kin, load, qddot_prescribed, M, route)
    elif route in (FAST, "recursive") and not model.prescribed.all():
        forward = fast.forward_dynamics if route == FAST else recursive.forward_dynamics
        try:
            free = forward(model, kin, load, qddot_prescribed)
        except (ImmovableError, np.linalg.LinAlgError) as error:
            raise immovable(model, projected.mass_matrix(model, kin), error) from None
    else:
        qddot = qddot_prescribed
        if not model.prescribed.all():
            qddot = _solved(model, ROUTES[route], kin, load, qddot_prescribed)
        free = recursive.inverse_dynamics(model, kin, load, qddot)
    rows = constraints.rows(kin, t)
    phidot = adjoint.transform_twist(pose.inverse(model.E_ji), free.Vdot)
    try:
        active = constraints.active(rows)
        found = constrained.accelerations(model, rows, active, M, free.qddot, phidot, qdot, constraints.rank)
    except np.linalg.LinAlgError as error:
        raise immovable(model, M, error) from None
    # Motors of prescribed coordinates feel what the others do differently, and the rows.
    pushed = rows.G.T @ found.multipliers
    needed = free.tau + M @ (found.qddot - free.qddot) - pushed
    tau = np.where(model.prescribed, load.f_r + felt_by_motors(model, q, needed - load.f_r), load.f_r)
    power = powers(model, kin, load, tau, t)
    power[0] += float(found.multipliers @ np.where(rows.moved, rows.rate, 0.0))
    return Motion(kin, load, rows, found.qddot, found.multipliers, tau, power)


def driven_motion(
    model: Model, q: Array, qdot: Array, chart: IntArray, t: float, qddot_prescribed: Array, *, route: str = FAST
) -> tuple[Array, Array]:
    """qddot (nr,) and powers (2,) [W] of a mechanism with drives and without constraints."""
    tree = fast.bare_tree(model) if route == FAST else None
    if tree is None:
        kin, load = _instant(model, q, qdot, chart, t, route)
        M = fast.mass_matrix(model, kin) if route == FAST else projected.mass_matrix(model, kin)
        found = _driven(model, kin, load, qddot_prescribed, M, route)
        tau = load.f_r + felt_by_motors(model, q, found.tau - load.f_r)
        return found.qddot, powers(model, kin, load, tau, t)
    given, free = driven.unforced(model, q, qdot, qddot_prescribed), freedoms(model, q)
    tau, load_r, power = tree.needs(q, qdot, chart, t, given)
    inertia = tree.inertia_products(free.directions)  # M W
    try:
        x = driven.solve(model, free, free.gathered_lines(inertia), free.gathered(load_r - tau))
    except ImmovableError as error:
        raise IntegrationError.of(error) from None
    if model.prescribed.any():
        motors = felt_by_motors(model, q, tau - load_r + x @ inertia)
        power[0] += float(motors[model.prescribed] @ qdot[model.prescribed])
    return given + free.spread(x), power


def _driven(
    model: Model, kin: Kinematics, load: Loads, qddot_prescribed: Array, M: Array, route: str
) -> HybridDynamics:
    """The motion of a mechanism with drives, of the tree alone, by vectorised or by readable code."""
    inverse = fast.inverse_dynamics if route == FAST else recursive.inverse_dynamics
    try:
        if route == "projected":
            return inverse(model, kin, load, projected_drives.forward_dynamics(model, kin, load, qddot_prescribed))
        return driven.forward_dynamics(model, kin, load, qddot_prescribed, M=M, inverse=inverse)
    except (ImmovableError, np.linalg.LinAlgError) as error:
        raise immovable(model, M, error) from None


def driven_or_free(model: Model, kin: Kinematics, load: Loads, qddot_prescribed: Array) -> HybridDynamics:
    """The motion without constraints by vectorised code, with drives or without. ImmovableError where there is none."""
    if model.followers is None:
        return fast.forward_dynamics(model, kin, load, qddot_prescribed)
    M = fast.mass_matrix(model, kin)
    return driven.forward_dynamics(model, kin, load, qddot_prescribed, M=M, inverse=fast.inverse_dynamics)


def felt_by_motors(model: Model, q: Array, missing: Array) -> Array:
    """(nr,) what motors of prescribed coordinates must push with where forces `missing` (nr,) are needed beyond loads.

    What a drive does to its followers its inputs feel.
    """
    return missing if model.followers is None else model.followers.pushing(q).gathered(missing)


def velocity_jump(model: Model, q: Array, chart: IntArray, jump: Array) -> Array:
    """(nr,) change of all velocities when prescribed ones suddenly change by `jump` (nr,).

    M dqdot is an impulse on prescribed coordinates only: the free rows of M dqdot vanish. That is forward
    dynamics at rest without loads.
    """
    kin = fast.kinematics(model, q, np.zeros_like(q), chart)
    if model.followers is not None:
        jump = model.followers.pushing(q).spread(np.where(model.prescribed, jump, 0.0))
        free, M = freedoms(model, q), fast.mass_matrix(model, kin)
        return np.asarray(jump + free.spread(driven.solve(model, free, free.reduced(M), -free.gathered(M @ jump))))
    n, nr = model.body_count, model.dof_count
    nothing = Loads(np.zeros((n, 6)), np.zeros((n, 6, 6)), np.zeros(nr), np.zeros(nr), np.zeros(nr))
    return _solved(model, ROUTES[FAST], kin, nothing, jump)


def _solved(model: Model, route: Route, kin: Kinematics, load: Loads, qddot_prescribed: Array) -> Array:
    try:
        return route(model, kin, load, qddot_prescribed)
    except (ImmovableError, np.linalg.LinAlgError) as error:
        raise immovable(model, projected.mass_matrix(model, kin), error) from None


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """M qddot = f + K dq + D dqdot about one state: M (nr, nr), f (nr,), K (nr, nr), D (nr, nr)."""

    M: Array
    f: Array
    K: Array
    D: Array


def linear_system(
    model: Model,
    q: Array,
    qdot: Array,
    chart: IntArray,
    t: float,
    *,
    route: str = FAST,
    which: str = body_forces.IMPLICIT,
) -> LinearSystem:
    """The system at (q, qdot) with loads at time t. K leaves out the geometric stiffness of gravity and inertia.

    which: K and D of forces, see `body_forces.couplings`; the usual ones are symmetric and never push away.

    Source: RM19 eq. 12; signs K = +df/dq, D = +df/dqdot.
    """
    if route == FAST:
        system = LinearSystem(*fast.linear_system(model, q, qdot, chart, t, which=which))
        return system if model.followers is None else _with_drives(model, system, q, qdot, chart, t, which)
    kin = kinematics(model, q, qdot, chart)
    load = loads(model, kin, t)
    J, _ = jacobian(model, kin)
    blocks = J.reshape(model.body_count, 6, model.dof_count)
    D = J.T @ (load.D_m @ blocks).reshape(J.shape) + np.diag(load.D_r)
    M = J.T @ (model.inertia.reshape(-1, 1) * J)
    K = np.diag(load.K_r)
    if model.forces:
        K_forces, D_forces = body_forces.projected(body_forces.couplings(model, kin.E_wi, kin.phi, t, which=which), J)
        K, D = K + K_forces, D + D_forces
    system = LinearSystem(M, projected.generalized_force(model, kin, load), K, D)
    return system if model.followers is None else _with_drives(model, system, q, qdot, chart, t, which)


def _with_drives(
    model: Model, system: LinearSystem, q: Array, qdot: Array, chart: IntArray, t: float, which: str
) -> LinearSystem:
    """The system of which W^T ... W is that of the free coordinates: f without M Wdot ydot, K with what drives add."""
    kin = fast.kinematics(model, q, qdot, chart)
    load = fast.loads(model, kin, t)
    f = load.f_r.copy()
    if model.forces:
        f += jacobian_transpose_product(model, kin, body_forces.wrenches(model, kin.E_wi, kin.phi, t))
    bent = driven.unforced(model, q, qdot, np.zeros(model.dof_count))
    K = system.K + driven.stiffness(model, kin, f, system.D, exact=which == body_forces.EXACT)
    return LinearSystem(system.M, system.f - system.M @ bent, K, system.D)


def residual(
    model: Model,
    q: Array,
    qdot: Array,
    qddot: Array,
    chart: IntArray,
    t: float,
    *,
    constraints: ConstrainedRun | None = None,
) -> Array:
    """M qddot - f, (nr,) [N m or N]: zero in the free rows of a motion that obeys the equations.

    f contains what constraints push with at (q, qdot). What acts on followers of drives is felt by their inputs.
    """
    q, qdot = with_prescribed(model, t, q, qdot)
    if model.followers is not None:
        qddot = model.followers.accelerated(q, qdot, qddot)
    if constraints is not None and not constraints.idle:
        given = np.where(model.prescribed, qddot, 0.0)
        motion = constrained_motion(model, q, qdot, chart, t, given, constraints)
        return felt_by_motors(model, q, fast.mass_matrix(model, motion.kin) @ (qddot - motion.qddot))
    tree = fast.bare_tree(model)
    if tree is not None:
        tau, load_r = tree.inverse_dynamics(q, qdot, chart, t, qddot)
        return felt_by_motors(model, q, tau - load_r)
    kin, load = _instant(model, q, qdot, chart, t, FAST)
    return felt_by_motors(model, q, fast.inverse_dynamics(model, kin, load, qddot).tau - load.f_r)


def solve_free(model: Model, q: Array, A: Array, b: Array, x_prescribed: Array) -> Array:
    """x (nr,) with A x = b in the free rows and x as given at prescribed coordinates; drives move theirs at q (nr,)."""
    if model.followers is not None:
        directions = freedoms(model, q)
        x = model.followers.pushing(q).spread(np.where(model.prescribed, x_prescribed, 0.0))
        try:
            return np.asarray(
                x + directions.spread(np.linalg.solve(directions.reduced(A), directions.gathered(b - A @ x)))
            )
        except np.linalg.LinAlgError as error:
            raise immovable(model, A, error) from None
    free, given = ~model.prescribed, model.prescribed
    x = np.where(given, x_prescribed, 0.0)
    A_ff = A[np.ix_(free, free)]
    try:
        x[free] = np.linalg.solve(A_ff, b[free] - A[np.ix_(free, given)] @ x[given])
    except np.linalg.LinAlgError as error:
        raise immovable(model, A, error) from None
    return x


def immovable(model: Model, A: Array, cause: Exception) -> IntegrationError:
    """The error for a singular system (nr, nr), naming the joint nothing resists."""
    if isinstance(cause, ImmovableError):
        return IntegrationError.of(cause)
    if not np.isfinite(A).all():
        return IntegrationError(NOT_FINITE, advice=WHAT_IS_FAST)
    weakest = np.linalg.eigh(0.5 * (A + A.T))[1][:, 0]
    owner = model.owner(int(np.abs(np.where(model.moves_freely, weakest, 0.0)).argmax()))
    return IntegrationError(f"{owner}: nothing resists its motion", owner, "give the bodies it carries mass")
