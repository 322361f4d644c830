# SPDX-License-Identifier: GPL-3.0-or-later
"""Multipliers by three routes that share no solver: dense, in O(n) by the Delassus operator, and compiled."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.constraints.closed import ANGLE, HINGED, looped_model, pinned, tree_of_hinges
from engine.mechanisms import MECHANISMS, four_bar, scissor_lift
from redmax import fast
from redmax.compile import compile as compile_scene
from redmax.dynamics import recursive
from redmax.dynamics.animation import prescribed_motion, with_prescribed
from redmax.dynamics.assembly import close_loops
from redmax.dynamics.constrained import accelerations, solver_of
from redmax.dynamics.constraint_rows import constraint_rows
from redmax.dynamics.kinematics import kinematics
from redmax.dynamics.loads import loads
from redmax.integrators import constrained, routes
from redmax.reference import delassus
from redmax.reference.projected import mass_matrix
from redmax.spatial import adjoint, pose
from redmax.state import State

AGREES = 1e-10
"""Relative to the largest acceleration; the operator squares the condition of the rows."""


def mechanism(name):
    def situation():
        model = compile_scene(MECHANISMS[name][0]() if name in MECHANISMS else scissor_lift(4))
        return model, model.q0

    return situation


def hinged(name):
    def situation():
        model = tree_of_hinges(8, constraints=[HINGED[name]], bodies=8)
        return model, np.random.default_rng(8).uniform(-1.0, 1.0, model.dof_count)

    return situation


def carried():
    """The last body of a chain of eight, which can follow anything."""
    motion = dataclasses.replace(HINGED["body motion"], body="body 7")
    model = tree_of_hinges(8, constraints=[motion], bodies=8, chain=True)
    return model, np.random.default_rng(8).uniform(-1.0, 1.0, model.dof_count)


SITUATIONS = {
    **{name: mechanism(name) for name in (*MECHANISMS, "scissor lift")},
    **{kind: lambda k=kind: looped_model(k, 21) for kind in ("revolute", "universal", "spherical", "fixed", "screw")},
    **{name: hinged(name) for name in ("coupling", "position")},
    "body motion": carried,
    "pin": lambda: pinned(4),
}


def instant(model, q, t=0.3):
    """Kinematics with velocities along the rows, loads, the motion without constraints, and the rows."""
    qdot = np.random.default_rng(1).uniform(-1.0, 1.0, model.dof_count)
    rows = constraint_rows(model, kinematics(model, q, qdot), t)
    qdot += np.linalg.pinv(rows.G, rcond=1e-9) @ (rows.rate - rows.G @ qdot)
    kin = kinematics(model, q, qdot)
    load = loads(model, kin, t)
    return kin, load, recursive.forward_dynamics(model, kin, load), constraint_rows(model, kin, t)


def dense(model, kin, free, rows):
    phidot = adjoint.transform_twist(pose.inverse(model.E_ji), free.Vdot)
    M = mass_matrix(model, kin)
    return accelerations(model, rows, ~rows.one_sided, M, free.qddot, phidot, kin.qdot)


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_operator_and_the_dense_route_agree(name):
    model, q = SITUATIONS[name]()
    kin, _, free, rows = instant(model, q)
    expected = dense(model, kin, free, rows)
    found = delassus.accelerations(model, kin, rows, ~rows.one_sided, free)
    scale = 1.0 + np.abs(expected.qddot).max()
    np.testing.assert_allclose(found.qddot, expected.qddot, atol=AGREES * scale)
    pushed = rows.G.T @ expected.multipliers
    np.testing.assert_allclose(rows.G.T @ found.multipliers, pushed, atol=AGREES * (1.0 + np.abs(pushed).max()))


@pytest.mark.parametrize("name", SITUATIONS)
def test_accelerations_obey_the_rows_and_the_equations(name):
    """G qddot is what the rows demand, and M qddot - f lies in the span of G^T: nothing else pushes."""
    model, q = SITUATIONS[name]()
    kin, load, free, rows = instant(model, q)
    found = dense(model, kin, free, rows)
    Vdot = recursive.inverse_dynamics(model, kin, load, found.qddot)
    phidot = adjoint.transform_twist(pose.inverse(model.E_ji), Vdot.Vdot)
    scale = 1.0 + np.abs(found.qddot).max()
    np.testing.assert_allclose(rows.acceleration(model, found.qddot, phidot), rows.bias, atol=1e-9 * scale)
    np.testing.assert_allclose(Vdot.tau - load.f_r, rows.G.T @ found.multipliers, atol=1e-9 * scale)


@pytest.mark.parametrize("name", SITUATIONS)
def test_rows_that_move_nothing_do_no_work(name):
    """Power of the multipliers is lambda . rate: zero for all rows that prescribe no motion."""
    model, q = SITUATIONS[name]()
    kin, _, free, rows = instant(model, q)
    found = dense(model, kin, free, rows)
    power = found.multipliers * (rows.G @ kin.qdot)
    np.testing.assert_allclose(power[~rows.moved], 0.0, atol=1e-9 * (1.0 + np.abs(found.multipliers).max()))


@pytest.mark.parametrize("name", [*MECHANISMS, "scissor lift"])
def test_kernels_count_the_same_rows_and_agree(name):
    """Also mechanisms in a plane, whose rows across it are nothing but rounding."""
    model, q = SITUATIONS[name]()
    tree = fast.constrained_tree(model)
    if tree is None:
        pytest.skip("needs numba")
    kin, _, free, rows = instant(model, q)
    expected = dense(model, kin, free, rows)
    qddot, _, stuck = tree.forward_dynamics(q, kin.qdot, kin.chart, 0.3, np.zeros(model.dof_count))
    assert stuck == -1
    assert tree.rank == solver_of(rows.freedoms, mass_matrix(model, kin), rows.G).rank
    np.testing.assert_allclose(qddot, expected.qddot, atol=1e-8 * (1.0 + np.abs(expected.qddot).max()))


def test_kernels_agree_with_an_animated_crank():
    """Accelerations, and the power of the motor while the loop holds it."""
    model = compile_scene(four_bar(motion_type="animated", animation=ANGLE))
    tree = fast.constrained_tree(model)
    if tree is None:
        pytest.skip("needs numba")
    t = 0.3
    run = constrained.ConstrainedRun(model)
    start = State(t, *with_prescribed(model, t, model.q0, model.qdot0), np.zeros(3, np.int64))
    closed = State(t, close_loops(model, start.q, t=t).q, start.qdot, start.chart)
    state = run.projected(State(t, *with_prescribed(model, t, closed.q, closed.qdot), closed.chart))
    given = prescribed_motion(model, t)[2]
    readable = routes.begin(model, constraints=run)
    expected = readable.held_motion(readable.at(t, state.q, state.qdot, state.chart, given))
    qddot, powers, _ = tree.forward_dynamics(state.q, state.qdot, state.chart, t, given)
    np.testing.assert_allclose(qddot, expected.qddot, rtol=1e-9)
    np.testing.assert_allclose(powers, expected.powers, rtol=1e-9)
