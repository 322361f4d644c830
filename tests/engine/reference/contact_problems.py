# SPDX-License-Identifier: GPL-3.0-or-later
"""Random mechanisms with random contacts, as problems in maximal and in reduced coordinates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.random_trees import random_situation
from redmax.dynamics.jacobians import jacobian
from redmax.dynamics.kinematics import Kinematics
from redmax.model import Model
from redmax.reference.contact_methods import VelocityProblem
from redmax.reference.contact_rows import ContactsAt, maximal_rows
from redmax.reference.inverse_inertia import articulated_inertia, inverse_inertia_product
from redmax.reference.joint_rows import coordinate_rates, joint_rows
from redmax.reference.maximal import applied_forces
from redmax.reference.projected import coriolis_wrenches
from redmax.solvers.contact import layout as at
from redmax.solvers.contact.problem import Problem, solved
from redmax.spatial import so3

H = 0.01


class Touching(NamedTuple):
    """A mechanism, its contacts, the same problem twice, and products with the inverse of the reduced mass matrix."""

    model: Model
    kin: Kinematics
    contacts: ContactsAt
    maximal: VelocityProblem
    reduced: VelocityProblem
    J: np.ndarray

    def inverse(self, f):
        return inverse_inertia_product(articulated_inertia(self.model, self.kin), f)


def random_contacts(rng, model, kin, count):
    """Half of them with the world, at points within a metre of the bodies, normals and tangents anyhow."""
    bodies = np.array([rng.choice(model.body_count, 2, replace=False) for _ in range(count)])
    bodies[rng.random(count) < 0.5, 1] = -1
    centre = kin.E_wi[bodies[:, 0], :3, 3]
    point = centre + rng.uniform(-1.0, 1.0, (count, 3))
    points = np.stack([point, point + 1e-3 * rng.normal(size=(count, 3))], axis=1)
    return ContactsAt(bodies, points, np.array([so3.random(rng) for _ in range(count)]))


def touching(seed, *, n=5, count=4, mu=0.3, limits=0):
    """The problem of a step of H seconds. Contacts may be approached as far as a random start needs."""
    kinds = ("revolute", "prismatic", "spherical", "universal", "free", "planar")
    model, kin, load, _, t = random_situation(seed, n, kinds=kinds, damping=False)
    rng = np.random.default_rng(seed)
    contacts = random_contacts(rng, model, kin, count)
    J, Jdot = jacobian(model, kin)
    rows = joint_rows(model, kin, t)
    M = np.diag(model.inertia.ravel())
    f = applied_forces(model, kin, load) + coriolis_wrenches(model, kin).ravel() - M @ (Jdot @ kin.qdot)
    p = M @ kin.phi.ravel() + H * f
    R = maximal_rows(model, kin, contacts)
    possible = rng.normal(size=model.dof_count)  # some velocities satisfy all rows
    b = R @ (J @ possible)
    b[:, 0] -= rng.uniform(0.0, 0.1, count) * (rng.random(count) < 0.5)
    friction = np.full(count, mu)
    chosen = rng.choice(model.dof_count, min(limits, model.dof_count), replace=False)
    C = np.eye(model.dof_count)[chosen]
    c = C @ possible - rng.uniform(0.0, 0.1, len(chosen))
    B = coordinate_rates(model, kin)
    maximal = VelocityProblem(M, p, R, b, friction, G=rows.G, g=rows.gamma, C=C @ B, c=c)
    reduced = VelocityProblem(J.T @ M @ J, J.T @ p, R @ J, b, friction, C=C, c=c)
    return Touching(model, kin, contacts, maximal, reduced, J)


def by_own_solver(problem, law, tolerance=1e-11):
    """Velocities that `solvers.contact` finds under one of its laws."""
    own = Problem([problem.M], np.linalg.solve(problem.M, problem.p))
    for R, b, mu in zip(problem.R, problem.b, problem.mu, strict=True):
        own.add(at.CONTACT, [(0, R)], b, friction=(float(mu), 0.0, 0.0))
    for G, g in zip(problem.G, problem.g, strict=True):
        own.add(at.EQUATION, [(0, G)], g)
    for C, c in zip(problem.C, problem.c, strict=True):
        own.add(at.ONE_SIDED, [(0, C)], c)

    def with_law(ints, numbers):
        at.numbers_of(ints, numbers, at.OPTIONS)[at.LAW] = law
        return compiled(ints, numbers)

    from redmax.kernels import contact_solver

    compiled = contact_solver.solve
    code, packed = solved(own, tolerance, function=with_law)
    return code, packed.section(at.V).copy(), packed.section(at.IMPULSE).copy()
