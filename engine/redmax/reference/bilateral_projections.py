# SPDX-License-Identifier: GPL-3.0-or-later
"""Bilateral staggered projections: dry friction inside joints by implicit contacts, and of bodies that touch beside it.

Every joint is given contacts where its parts touch: a hinge those of a cylinder, a ball those of a sphere, a slider
those of a box. What holds the joint together follows from the motion with and without joints, goes from the leaves to
the root to the joint that passes it on, and is shared among its contacts, unsigned and as evenly as can be. Friction
of a contact is then bounded by its coefficient times what presses there, and found by a quadratic program; and again,
until the forces of the joints stay.

Source: RBDN section 2.11, Alg. 8, eqs. 2.111-2.116, with its errata: -M Jdot qdot is a part of the motion without
joints too, so that forces of joints do no work on the coordinates and are left out of the last line; what acts along
coordinates is a pair of wrenches on two bodies and no force of a joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, IntArray
from ..dynamics.jacobians import jacobian, jacobian_products
from ..dynamics.kinematics import Kinematics
from ..dynamics.loads import Loads
from ..joints.friction import Bearing, BearingKind, Friction
from ..model import Model
from ..solvers.quadratic import least_in_bounds, least_under_rows
from ..spatial import adjoint, pose
from .joint_rows import coordinate_rates
from .projected import coriolis_wrenches

ANGLES = 4
"""Contacts around a cylinder, at each of its ends."""


@dataclass(frozen=True)
class Settings:
    """most_rounds, convergence: until forces of joints change by less than that part of theirs, both squared in the
    metric of M^-1. threshold: impulses that press less have no friction. regularisation: of the shares of contacts.
    parts_equations: whether what equations push with is told from what joints of the tree pass on. Alg. 8 does not, and
    the goldens hold that: of a loop, the joints on one side press with all of it then, and those on the other with
    nothing."""

    most_rounds: int = 100
    convergence: float = 1e-3
    threshold: float = 1e-10
    regularisation: float = 1e-6
    parts_equations: bool = False


@dataclass(frozen=True, eq=False)
class Contacts:
    """Implicit contacts of a joint or a loop. points, with normals (k, 3) and tangents (t, 3), in a frame of the first
    body: normal i is at point normal_at[i], tangent j at tangent_at[j], which only normals there press for."""

    points: Array
    normals: Array
    normal_at: IntArray
    tangents: Array
    tangent_at: IntArray

    def seen_from(self, E: Array) -> Contacts:
        """The same in the frame in which theirs has the pose E."""
        R = E[:3, :3]
        return replace(
            self, points=self.points @ R.T + E[:3, 3], normals=self.normals @ R.T, tangents=self.tangents @ R.T
        )


def rotation_to(axis: Array) -> Array:
    """(3, 3) a rotation that takes z to a unit axis."""
    z = np.array([0.0, 0.0, 1.0])
    v, c = np.cross(z, axis), float(z @ axis)
    if c < -1.0 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    V = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return np.asarray(np.eye(3) + V + V @ V / (1.0 + c))


def cylinder(axis: Array, radius: float, height: float) -> Contacts:
    """A pin: at both ends points around it, which press across and along and rub around."""
    angles = 2.0 * np.pi * np.arange(ANGLES) / ANGLES
    c, s, o = np.cos(angles), np.sin(angles), np.zeros(ANGLES)
    out, around = np.stack([c, s, o], axis=1), np.stack([-s, c, o], axis=1)
    ends = 0.5 * height * np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]])
    points = (radius * out[None] + ends[:, None]).reshape(-1, 3)
    along = np.tile([0.0, 0.0, 1.0], (2 * ANGLES, 1))
    at = np.arange(2 * ANGLES)
    found = Contacts(points, np.concatenate([np.tile(out, (2, 1)), along]), np.tile(at, 2), np.tile(around, (2, 1)), at)
    E = np.eye(4)
    E[:3, :3] = rotation_to(axis)
    return found.seen_from(E)


def sphere(radius: float) -> Contacts:
    """A socket: six points, which press inwards and rub both ways across."""
    out = np.concatenate([np.eye(3), -np.eye(3)])
    at = np.arange(6)
    tangents = np.concatenate([np.roll(out, 1, axis=1), np.roll(out, 2, axis=1)])
    return Contacts(radius * out, out, at, tangents, np.tile(at, 2))


def box(axis: Array, sides: Array) -> Contacts:
    """A slider: the corners of a block, which press across the direction and rub along it."""
    R = rotation_to(axis)
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    at = np.arange(8)
    stretched = sides[:, None] * R
    across = stretched / np.linalg.norm(stretched, axis=0)
    normals = np.concatenate([np.tile(across[:, k], (8, 1)) for k in (0, 1)])
    return Contacts((corners @ R.T) * sides, normals, np.tile(at, 2), np.tile(across[:, 2], (8, 1)), at)


def contacts_of(bearing: Bearing, S: Array, friction: Friction) -> Contacts:
    """Implicit contacts of a joint's bearing in the joint frame; S: (6, n) of the joint."""
    if bearing.kind == BearingKind.PIN:
        turn = S[:3, bearing.first]
        return cylinder(turn / np.linalg.norm(turn), friction.radius, friction.height)
    if bearing.kind == BearingKind.GUIDE:
        slide = S[3:, bearing.first]
        return box(slide / np.linalg.norm(slide), np.array(friction.sides))
    if bearing.kind == BearingKind.SOCKET:
        return sphere(friction.radius)
    raise NotImplementedError("the Notes have no contacts of a plate")


def point_rows(points: Array, directions: Array) -> Array:
    """(k, 6) rows that give the velocity of points along directions from the twist of their body."""
    return np.concatenate([np.cross(points, directions), directions], axis=1)


@dataclass(frozen=True, eq=False)
class Rubbing:
    """Contacts as rows on all twists: N (k, 6n), T (t, 6n); presses: (t, k) which normals press for a tangent.

    bodies: the first is what the contacts are fixed to; -1 for the world. rows: which equations hold a loop together,
    None for a joint of the tree.
    """

    bodies: tuple[int, int]
    N: Array
    T: Array
    presses: Array
    coefficient: float
    rows: slice | None = None


def rubbing(
    model: Model,
    kin: Kinematics,
    bodies: tuple[int, int],
    contacts: Contacts,
    coefficient: float,
    rows: slice | None = None,
) -> Rubbing:
    """Rows of contacts that are given in the principal frame of the first body."""
    first, other = bodies
    n = model.body_count

    def on_both(at: IntArray, directions: Array) -> Array:
        found = np.zeros((len(at), n, 6))
        found[:, first] = point_rows(contacts.points[at], directions)
        if other >= 0:
            seen = replace(contacts, normals=directions).seen_from(pose.inverse(kin.E_wi[other]) @ kin.E_wi[first])
            found[:, other] = -point_rows(seen.points[at], seen.normals)
        return found.reshape(len(at), 6 * n)

    N, T = on_both(contacts.normal_at, contacts.normals), on_both(contacts.tangent_at, contacts.tangents)
    return Rubbing(bodies, N, T, contacts.tangent_at[:, None] == contacts.normal_at[None], coefficient, rows)


def joints_that_rub(model: Model, kin: Kinematics) -> list[Rubbing]:
    """Contacts of all joints of the tree that have friction."""
    found = []
    for j, joint in enumerate(model.joints):
        if joint.friction is None or not joint.rubs or model.prescribed[model.columns(j)].any():
            continue
        columns = model.columns(j)
        S = joint.motion(kin.q[columns], kin.qdot[columns], int(kin.chart[j])).S
        for bearing in joint.bearings():
            placed = contacts_of(bearing, S, joint.friction).seen_from(pose.inverse(model.E_ji[j]))
            found.append(rubbing(model, kin, (j, int(model.parent[j])), placed, joint.friction.coefficient))
    return found


@dataclass(frozen=True, eq=False)
class External:
    """What acts from outside. G (e, 6n), g (e,): equations. C (l, 6n), c (l,): one-sided rows, of which number k
    presses for the tangents T[k] (2, 6n) with a coefficient of mu[k]."""

    G: Array
    g: Array
    C: Array
    c: Array
    T: Array
    mu: Array

    @staticmethod
    def none(n: int) -> External:
        """Of n bodies on which nothing acts."""
        return External(
            np.zeros((0, 6 * n)), np.zeros(0), np.zeros((0, 6 * n)), np.zeros(0), np.zeros((0, 2, 6 * n)), np.zeros(0)
        )


@dataclass(frozen=True, eq=False)
class Step:
    """qdot: (nr,) at the end. friction: (6n,) what contacts rub with [N m, N], to begin the next step with. wrenches:
    (n, 6) what each joint passes on to its body at the principal frame, without friction. pressing: (t,) impulses that
    bound the tangents, in the order of joints and then of `External`."""

    qdot: Array
    friction: Array
    wrenches: Array
    pressing: Array
    rounds: int
    converged: bool


def step(
    model: Model,
    kin: Kinematics,
    load: Loads,
    h: float,
    rubs: Sequence[Rubbing],
    external: External | None = None,
    *,
    friction: Array | None = None,
    settings: Settings | None = None,
) -> Step:
    """Velocities after a step of h [s] at the pose of `kin`. friction: (6n,) that of the step before."""
    settings = Settings() if settings is None else settings
    n, ext = model.body_count, External.none(model.body_count) if external is None else external
    m, (J, _) = model.inertia.ravel(), jacobian(model, kin)
    _, Jdot_qdot = jacobian_products(model, kin, kin.qdot)
    lifted = coordinate_rates(model, kin).T @ load.f_r
    f = load.f_m + coriolis_wrenches(model, kin) - model.inertia * Jdot_qdot
    p = m * (J @ kin.qdot) + h * (f.ravel() + lifted)
    M, M_r = np.diag(m), J.T @ (m[:, None] * J)
    T = np.concatenate([*(each.T for each in rubs), ext.T.reshape(-1, 6 * n)])
    rub = np.zeros(6 * n) if friction is None else friction
    before, pressing, converged = np.zeros(6 * n), np.zeros(len(T)), False
    for rounds in range(1, settings.most_rounds + 1):
        free = least_under_rows(M, p + h * rub, ext.G, ext.g, ext.C, ext.c)
        together = least_under_rows(M_r, J.T @ (p + h * rub), ext.G @ J, ext.g, ext.C @ J, ext.c)
        force = m * (J @ together.x - free.x) / h
        of_equations = ext.G.T @ (together.equations - free.equations) / h
        wrenches = passed_on(model, kin, force - of_equations if settings.parts_equations else force)
        change = force - before
        converged = float(change @ (change / m)) < settings.convergence * float(force @ (force / m))
        pressing = _pressing(model, kin, rubs, ext, wrenches, together.equations, together.pushes, h, settings)
        if converged or rounds == settings.most_rounds:
            break
        before = force
        acts = pressing > settings.threshold
        rub = np.zeros(6 * n)
        if acts.any():
            rows, most = T[acts], pressing[acts]
            beta = least_in_bounds((rows / m) @ rows.T, -rows @ ((p + h * force) / m), -most, most)
            rub = -rows.T @ beta / h
    end = least_under_rows(M_r, J.T @ (p + h * rub), ext.G @ J, ext.g, ext.C @ J, ext.c)
    return Step(end.x, rub, wrenches, pressing, rounds, converged)


def passed_on(model: Model, kin: Kinematics, force: Array) -> Array:
    """(n, 6) wrenches of the joints, each at its child's principal frame, whose sums on the bodies are `force` (6n,).

    What a joint passes on to its child it takes from its parent: Alg. 8, lines 10-12.
    """
    wrenches = force.reshape(-1, 6).copy()
    for j in range(model.body_count - 1, -1, -1):
        parent = int(model.parent[j])
        if parent >= 0:
            wrenches[parent] += _at_other(kin, j, parent, wrenches[j])
    return wrenches


def _at_other(kin: Kinematics, body: int, other: int, wrench: Array) -> Array:
    """A wrench at a body's principal frame, as seen at that of another one."""
    return np.asarray(adjoint.transform_wrench(pose.inverse(kin.E_wi[other]) @ kin.E_wi[body], wrench))


def _pressing(
    model: Model,
    kin: Kinematics,
    rubs: Sequence[Rubbing],
    ext: External,
    wrenches: Array,
    equations: Array,
    pushes: Array,
    h: float,
    settings: Settings,
) -> Array:
    """(t,) coefficient times impulse that bounds each tangent. Source: RBDN eq. 2.114, one joint at a time."""
    found, m = [], model.inertia.ravel()
    for each in rubs:
        body, other = each.bodies
        held = np.zeros((model.body_count, 6))
        if each.rows is None:
            held[body] = wrenches[body]
            if other >= 0:
                held[other] = -_at_other(kin, body, other, wrenches[body])
        else:
            held = (ext.G[each.rows].T @ equations[each.rows] / h).reshape(-1, 6)
        N = each.N
        matrix = (N / m) @ N.T + settings.regularisation * np.eye(len(N))
        alpha = h * np.linalg.solve(matrix, N @ (held.ravel() / m))
        found.append(each.coefficient * (each.presses @ np.abs(alpha)))
    return np.concatenate([*found, np.repeat(ext.mu * pushes, 2)])
