# SPDX-License-Identifier: GPL-3.0-or-later
"""The classic contact methods: in maximal and in reduced coordinates, by velocities and by impulses, and beside our own
solver, they solve the same problems."""

from __future__ import annotations

import dataclasses
import sys

import numpy as np
import pytest

from engine.random_trees import random_situation
from engine.reference.contact_problems import by_own_solver, random_contacts, touching
from redmax.dynamics.jacobians import jacobian
from redmax.dynamics.kinematics import kinematics
from redmax.errors import MissingWheelError
from redmax.integrators.contact.placed import Placed
from redmax.integrators.contact.points import Points
from redmax.reference import projected
from redmax.reference.contact_methods import (
    BOX,
    CONE,
    VelocityProblem,
    contact_qp,
    contact_qp_dual,
    single_qp,
    single_qp_dual,
    staggered_projections,
)
from redmax.reference.contact_rows import ContactsAt, maximal_rows, maximal_rows_dot, reduced_rows, reduced_rows_dot
from redmax.solvers import quadratic
from redmax.solvers.contact import layout as at
from redmax.solvers.contact.problem import Problem, solved
from redmax.spatial import pose
from redmax.state import State

pytestmark = pytest.mark.skipif(not quadratic.is_here(), reason="needs the wheel daqp")

AGREES = 1e-8
"""Of velocities, relative to their size: what the issue asks for. daqp is good to about 1e-11."""

SEEDS = range(12)


def difference(a, b):
    return np.abs(a - b).max() / (1.0 + np.abs(a).max())


# --- rows --------------------------------------------------------------------------------------------------------


def carried(model, contacts, kin, later):
    """The contacts with points that have moved with their bodies; axes as they were."""
    points = contacts.points.copy()
    for i, pair in enumerate(contacts.bodies):
        for side, body in enumerate(pair):
            if body >= 0:
                x = pose.transform_points(pose.inverse(kin.E_wi[body]), points[i, side])
                points[i, side] = pose.transform_points(later.E_wi[body], x)
    return ContactsAt(contacts.bodies, points, contacts.axes)


@pytest.mark.parametrize("seed", range(3))
def test_contact_rows_are_the_speed_at_which_points_part(seed):
    model, kin, *_ = random_situation(seed, 5, kinds=("revolute", "spherical", "free", "prismatic"))
    contacts = random_contacts(np.random.default_rng(seed), model, kin, 4)
    h = 1e-6
    ends = [kinematics(model, kin.q + s * h * kin.qdot, kin.qdot, kin.chart) for s in (-1.0, 1.0)]
    apart = [np.subtract(*np.moveaxis(carried(model, contacts, kin, end).points, 1, 0)) for end in ends]
    speed = np.einsum("mij,mj->mi", contacts.axes, (apart[1] - apart[0]) / (2.0 * h))
    J, _ = jacobian(model, kin)
    Phi = kin.phi.ravel()
    assert Phi == pytest.approx(J @ kin.qdot)
    np.testing.assert_allclose(maximal_rows(model, kin, contacts) @ Phi, speed, atol=1e-8)
    np.testing.assert_allclose(reduced_rows(model, kin, contacts) @ kin.qdot, speed, atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_rates_of_contact_rows_are_their_derivatives(seed):
    model, kin, *_ = random_situation(seed, 5, kinds=("revolute", "spherical", "free", "prismatic"))
    contacts = random_contacts(np.random.default_rng(seed), model, kin, 4)
    h = 1e-6
    ends = [kinematics(model, kin.q + s * h * kin.qdot, kin.qdot, kin.chart) for s in (-1.0, 1.0)]
    for rows, rate in ((maximal_rows, maximal_rows_dot), (reduced_rows, reduced_rows_dot)):
        before, after = (rows(model, end, carried(model, contacts, kin, end)) for end in ends)
        np.testing.assert_allclose(rate(model, kin, contacts), (after - before) / (2.0 * h), atol=2e-8)


def test_the_rows_of_runs_are_those_of_the_source():
    model, kin, *_ = random_situation(3, 6)
    contacts = random_contacts(np.random.default_rng(3), model, kin, 5)
    nothing = np.zeros(5)
    points = Points(
        contacts.bodies, nothing, contacts.bodies, contacts.points, contacts.axes, nothing, np.zeros((5, 6)),
        np.zeros((5, 3)),
    )  # fmt: skip
    linear, _ = Placed(model, State(0.0, kin.q, kin.qdot, kin.chart)).rows(points)
    np.testing.assert_allclose(contacts.axes @ linear, reduced_rows(model, kin, contacts), atol=1e-13)


# --- methods agree -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_the_contact_qp_is_the_same_in_all_coordinates(seed):
    """Maximal, reduced, and the dual whose matrix comes from products in O(n)."""
    problem = touching(seed, count=2 + seed % 4, limits=seed % 3)
    reduced, maximal = contact_qp(problem.reduced), contact_qp(problem.maximal)
    dual = contact_qp_dual(problem.reduced, problem.inverse)
    assert difference(problem.J @ reduced.x, maximal.x) < AGREES
    assert difference(reduced.x, dual.x) < AGREES
    sigma = problem.reduced.R[:, 0] @ reduced.x - problem.reduced.b[:, 0]
    assert sigma.min() > -AGREES
    assert reduced.normal.min() >= 0.0
    code, v, _ = by_own_solver(dataclasses.replace(problem.reduced, mu=np.zeros(len(sigma))), at.RELAXED)
    assert code == at.SOLVED
    assert difference(reduced.x, v) < AGREES


@pytest.mark.parametrize("sides", [4, 5, 8])
@pytest.mark.parametrize("seed", range(6))
def test_the_single_qp_is_the_same_in_all_coordinates(seed, sides):
    problem = touching(seed, count=2 + seed % 4, limits=seed % 3)
    reduced, maximal = single_qp(problem.reduced, sides), single_qp(problem.maximal, sides)
    dual = single_qp_dual(problem.reduced, sides)
    assert difference(problem.J @ reduced.x, maximal.x) < AGREES
    assert difference(reduced.x, dual.x) < AGREES
    assert (np.linalg.norm(reduced.friction, axis=1) <= problem.reduced.mu * reduced.normal + AGREES).all()
    own = with_edges(problem.reduced, sides)
    assert difference(reduced.x, own) < AGREES


def with_edges(problem, sides):
    """Our own solver with a one-sided row for each edge of the pyramids."""
    own = Problem([problem.M], np.linalg.solve(problem.M, problem.p))
    for R, b, mu in zip(problem.R, problem.b, problem.mu, strict=True):
        for angle in 2.0 * np.pi * np.arange(sides) / sides:
            d = np.array([1.0, mu * np.cos(angle), mu * np.sin(angle)])
            own.add(at.ONE_SIDED, [(0, d @ R)], d @ b)
    for C, c in zip(problem.C, problem.c, strict=True):
        own.add(at.ONE_SIDED, [(0, C)], c)
    code, packed = solved(own, 1e-11)
    assert code == at.SOLVED
    return packed.section(at.V).copy()


@pytest.mark.parametrize("seed", range(6))
def test_along_an_edge_the_single_qp_is_our_solver_with_the_relaxed_law(seed):
    """Where nothing moves along the second tangent a pyramid of four sides is the cone."""
    problem = touching(seed, count=3).reduced
    R, b = problem.R.copy(), problem.b.copy()
    R[:, 2], b[:, 2] = 0.0, 0.0
    problem = dataclasses.replace(problem, R=R, b=b)
    code, v, _ = by_own_solver(problem, at.RELAXED)
    assert code == at.SOLVED
    assert difference(single_qp(problem, 4).x, v) < AGREES


def test_with_more_sides_the_single_qp_approaches_the_relaxed_cone():
    """In proportion to the angle between edges, as what slides is pushed along one of them."""
    problems = [touching(seed, count=3).reduced for seed in range(4, 9)]
    cones = [by_own_solver(problem, at.RELAXED)[1] for problem in problems]
    errors = [
        np.mean([difference(single_qp(problem, sides).x, v) for problem, v in zip(problems, cones, strict=True)])
        for sides in (8, 64, 512)
    ]
    assert errors[0] > 1e-3  # a pyramid is another law
    assert errors[1] < errors[0] / 4.0
    assert errors[2] < errors[1] / 4.0


@pytest.mark.parametrize(("bounds", "law"), [(BOX, at.PYRAMID), (CONE, at.SIGNORINI_COULOMB)])
def test_staggered_projections_end_where_our_solver_does(bounds, law):
    """They need not end at all; most of these do."""
    ended = 0
    for seed in SEEDS:
        problem = touching(seed, count=2 + seed % 3, limits=seed % 3, mu=0.2).reduced
        found = staggered_projections(problem, bounds=bounds, convergence=1e-24, most_rounds=60)
        if not found.converged:
            continue
        ended += 1
        code, v, _ = by_own_solver(problem, law)
        assert code == at.SOLVED
        assert difference(found.x, v) < AGREES
    assert ended >= 8


def test_staggered_projections_are_the_same_in_maximal_coordinates():
    problem = touching(1, count=3, mu=0.2)
    runs = [staggered_projections(each, convergence=1e-24) for each in (problem.reduced, problem.maximal)]
    assert runs[0].converged
    assert difference(problem.J @ runs[0].x, runs[1].x) < AGREES


def test_a_warm_start_saves_rounds():
    problem = touching(1, count=3, mu=0.2).reduced
    cold = staggered_projections(problem, convergence=1e-12)
    warm = staggered_projections(problem, convergence=1e-12, start=cold.friction)
    assert cold.converged
    assert warm.converged
    assert warm.rounds < cold.rounds


def test_rounds_are_capped():
    found = staggered_projections(touching(1, count=3).reduced, convergence=0.0, most_rounds=3)
    assert (found.rounds, found.converged) == (3, False)


def test_impulses_are_what_changes_velocities():
    """M x = p + G^T lambda + C^T gamma + R^T (alpha, beta): the signs that fit together."""
    for seed in range(4):
        each = touching(seed, count=4, limits=2)
        for problem in (each.reduced, each.maximal):
            for found in (contact_qp(problem), single_qp(problem, 4), staggered_projections(problem)):
                impulses = np.concatenate([found.normal[:, None], found.friction], axis=1)
                force = np.einsum("mi,mik->k", impulses, problem.R)
                force += problem.C.T @ found.one_sided + problem.G.T @ found.equations
                assert difference(problem.M @ found.x, problem.p + force) < AGREES


# --- accelerations, and what goes wrong ---------------------------------------------------------------------------


def test_accelerations_by_both_forms():
    """min 1/2 a^T M a - a^T f under C a >= -Cdot qdot, and its dual with the change of free accelerations."""
    model, kin, load, *_ = random_situation(5, 5, kinds=("revolute", "spherical", "free"))
    contacts = random_contacts(np.random.default_rng(5), model, kin, 2)
    M, f = projected.mass_matrix(model, kin), projected.generalized_force(model, kin, load)
    R = reduced_rows(model, kin, contacts)
    b = -(reduced_rows_dot(model, kin, contacts) @ kin.qdot)
    problem = VelocityProblem(M, f, R, b, np.zeros(len(b)))
    primal = contact_qp(problem)
    free = np.linalg.solve(M, f)
    change = contact_qp_dual(VelocityProblem(M, np.zeros(len(f)), R, b - R @ free, np.zeros(len(b))))
    assert difference(primal.x, free + change.x) < AGREES
    assert primal.normal.max() > 0.0


def test_a_block_on_the_ground_lifts_in_the_single_qp_alone():
    """A point mass that slides at v: the single QP has it rise at mu v, law B and staggered projections do not."""
    M, v, mu = np.eye(3), 2.0, 0.5
    problem = VelocityProblem(
        M, np.array([v, 0.0, -0.1]), np.array([[[0.0, 0, 1], [1, 0, 0], [0, 1, 0]]]), np.zeros((1, 3)), np.array([mu])
    )
    lifted = single_qp(problem, 4)
    assert lifted.x[2] == pytest.approx(mu * lifted.x[0])
    assert lifted.x[2] > 0.1
    exact = staggered_projections(problem, convergence=1e-20)
    assert exact.x == pytest.approx([v - mu * 0.1, 0.0, 0.0])


def test_contradicting_rows_are_an_error():
    C = np.array([[1.0, 0.0], [-1.0, 0.0]])
    with pytest.raises(quadratic.QuadraticError, match="contradict"):
        quadratic.least_under_rows(np.eye(2), np.zeros(2), np.zeros((0, 2)), np.zeros(0), C, np.array([1.0, 1.0]))
    with pytest.raises(quadratic.QuadraticError, match="forbid"):
        quadratic.least_under_rows(np.eye(2), np.zeros(2), C[:1], np.zeros(1), C, np.array([1.0, -1.0]))


def test_equations_may_repeat_each_other():
    """Their multipliers are then the shortest."""
    G = np.array([[1.0, 0.0], [1.0, 0.0]])
    found = quadratic.least_under_rows(np.eye(2), np.array([3.0, 1.0]), G, np.ones(2), np.zeros((0, 2)), np.zeros(0))
    assert found.x == pytest.approx([1.0, 1.0])
    assert found.equations == pytest.approx([-1.0, -1.0])


def test_without_the_wheel_the_methods_name_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "daqp", None)
    assert not quadratic.is_here()
    with pytest.raises(MissingWheelError, match="'daqp' wheel"):
        contact_qp(touching(0, count=2).reduced)
