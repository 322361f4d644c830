# SPDX-License-Identifier: GPL-3.0-or-later
"""q_r(q_R): derivatives by finite differences, and virtual work that is the same on both sides."""

from __future__ import annotations

import numpy as np
import pytest

from engine.drives.driven import CAM, equal_angles, hand
from redmax.compile import compile as compile_scene
from redmax.drives.curves import Curves
from redmax.dynamics.freedoms import freedoms
from redmax.tables import Table

HERMITE = Table(x=(0.0, 1.0, 3.0), y=((0.2,), (1.0,), (-1.0,)), interpolation="hermite",
                slopes=((0.0,), (0.5,), (0.5,), (0.0,)))  # fmt: skip


def situation(seed=0):
    model, rng = compile_scene(hand()), np.random.default_rng(seed)
    q, qdot, qddot = rng.uniform(-0.8, 0.8, (3, model.dof_count))
    return model, *model.followers.placed(q, qdot), qddot


@pytest.mark.parametrize("x", [-5.0, -4.0, -3.3, 0.0, 0.4, 1.0, 3.9, 4.0, 6.0])
def test_curves_are_what_their_tables_say(x):
    """Inside, at points and beyond them, where a cubic table goes on straight and a hermite table stands."""
    found = Curves([CAM, None, HERMITE]).motion(np.full(3, x))
    wanted = CAM.motion(x), ([x], [1.0], [0.0]), HERMITE.motion(x)
    np.testing.assert_allclose(np.array(found).T, np.array(wanted)[:, :, 0], rtol=1e-13, atol=1e-13)


def test_velocities_and_accelerations_are_derivatives_of_the_map():
    model, q, qdot, qddot = situation()
    followers, rows, h = model.followers, model.followers.rows, 1e-4

    def along(s):
        return followers.placed(q + s * qdot + 0.5 * s**2 * qddot, qdot + s * qddot)

    (q_before, v_before), (q_after, v_after) = along(-h), along(h)
    np.testing.assert_allclose((q_after - q_before)[rows] / (2.0 * h), qdot[rows], rtol=1e-7, atol=1e-8)
    found = followers.accelerated(q, qdot, qddot)
    np.testing.assert_allclose((v_after - v_before)[rows] / (2.0 * h), found[rows], rtol=1e-6, atol=1e-7)
    free = np.setdiff1d(np.arange(model.dof_count), rows)
    np.testing.assert_array_equal(found[free], qddot[free])


def test_first_and_second_derivatives_by_finite_differences():
    model, q, qdot, _ = situation(1)
    followers, h = model.followers, 1e-5
    J, bend = followers.pushing(q).J, followers.bends(q)
    for k, column in enumerate(followers.inputs):
        step = np.zeros(model.dof_count)
        step[column] = h
        after, before = followers.placed(q + step, qdot)[0], followers.placed(q - step, qdot)[0]
        np.testing.assert_allclose((after - before)[followers.rows] / (2.0 * h), J[:, k], rtol=1e-6, atol=1e-9)
        change = (followers.pushing(q + step).J - followers.pushing(q - step).J) / (2.0 * h)
        wanted = bend[:, None] * followers.ratio * followers.ratio[:, k : k + 1]
        np.testing.assert_allclose(change, wanted, rtol=1e-6, atol=1e-9)


def test_spreading_velocities_and_gathering_forces_are_adjoint():
    """Power is the same along all coordinates and along the free ones; W in every form is the same matrix."""
    model, q, _, f = situation(2)
    free = freedoms(model, q)
    W = free.directions.T
    assert W.shape == (model.dof_count, model.dof_count - len(model.followers.rows))
    x = np.random.default_rng(3).normal(size=W.shape[1])
    np.testing.assert_allclose(free.spread(x), W @ x, rtol=1e-15, atol=1e-15)
    np.testing.assert_allclose(free.gathered(f), W.T @ f, rtol=1e-14, atol=1e-14)
    A = np.random.default_rng(4).normal(size=(model.dof_count, model.dof_count))
    np.testing.assert_allclose(free.reduced(A), W.T @ A @ W, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(free.columns(A), A @ W, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(free.gathered_lines(A), W.T @ A.T, rtol=1e-13, atol=1e-13)
    whole = model.followers.pushing(q).gathered(f)
    np.testing.assert_allclose(whole[free.free], free.gathered(f), rtol=1e-15, atol=1e-15)
    assert not whole[model.followers.rows].any()


def test_coordinates_that_are_held_take_their_followers_with_them():
    model, q, _, _ = situation(5)
    held = np.zeros(model.dof_count, np.bool_)
    held[model.followers.inputs[0]] = True
    free = freedoms(model, q, held)
    moved = free.spread(np.ones(len(free.free)))
    still = model.followers.rows[np.abs(model.followers.ratio[:, 1:]).sum(axis=1) == 0.0]
    assert len(still) == 2
    assert not moved[still].any()


def test_the_start_follows_from_the_inputs():
    model = compile_scene(equal_angles(4, q=0.3, qdot=0.5))
    np.testing.assert_array_equal(model.q0, np.full(5, 0.3))
    np.testing.assert_array_equal(model.qdot0, np.full(5, 0.5))
    assert (model.shown, model.hidden, model.body_names[-1]) == (4, 1, "curl")
