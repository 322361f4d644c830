# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinates that the tree itself holds: the same motion, multipliers and powers as rows that are solved for."""

from __future__ import annotations

import numpy as np
import pytest

from engine.mechanisms import Builder
from redmax.compile import compile as compile_scene
from redmax.constraints import Coupling, JointMotion
from redmax.tables import Table

pytest.importorskip("numba")
from redmax.kernels import tasks
from redmax.kernels.compiled_tree import Tree
from redmax.kernels.layout.declaration import Column, Head, RowWork, Vector, World

ROUND_OFF = 1e-11
"""Of accelerations and forces up to 100."""
T = 0.4
TABLE = Table(x=(0.0, 0.5, 1.0), y=((0.1,), (0.3,), (-0.2,)), interpolation="cubic")
PARENT = (-1, 0, 1, 1, 3, -1, 5)
"""Two branches on the second body, and a second tree."""


def tree_of(*, flat, moved=()):
    """Seven hinges, parallel where it is flat, on a body that is fixed in the world."""
    b = Builder("tree")
    rng = np.random.default_rng(3)
    b.body("base", (0.0, 0.0, 0.0), 1.0, 0.1 * np.eye(3))
    b.joint("fixed", "foot", None, "base", (0.0, 0.0, 0.0))
    for k, parent in enumerate(PARENT):
        place = np.array([0.3 * k, 0.2 * rng.normal(), 0.1 * rng.normal()])
        b.body(f"b{k}", place + rng.normal(size=3) * 0.1, 1.0 + 0.3 * k, np.diag([0.1, 0.2, 0.15]))
        axis = (0.0, 1.0, 0.0) if flat else tuple(rng.normal(size=3))
        on = "base" if parent < 0 else f"b{parent}"
        start = {"q": float(rng.normal()), "qdot": float(rng.normal())}
        b.joint("revolute", f"j{k}", on, f"b{k}", tuple(place), axis=axis, damping=0.1 * k, **start)
    for k, quantity in moved:
        b.scene.constraints.append(JointMotion(name=f"m{k} {quantity}", joint=f"j{k}", table=TABLE, quantity=quantity))
    return compile_scene(b.scene)


def evaluated(tree, *, with_wrenches):
    """qddot, multipliers of rows and powers; solved for as rows if wrenches are asked for."""
    start, qddot = tree.model.initial_state(), np.zeros(tree.model.dof_count)
    what = tasks.ACCELERATE | tasks.POWERS | (tasks.WRENCHES if with_wrenches else 0)
    assert tree._run(*tree._copied(start.q, start.qdot), qddot, T, what) == -1
    powers = tree._world[World.POWER_IN : World.POWER_OUT + 1].copy()
    return qddot, tree._rows[: tree.active, RowWork.MULTIPLIER].copy(), powers


@pytest.mark.parametrize("flat", [True, False])
def test_prescribed_coordinates_are_held_as_rows_hold_them(flat):
    model = tree_of(flat=flat, moved=((1, "position"), (3, "velocity"), (5, "acceleration")))
    tree = Tree(model)
    assert tree.ints[Head.OWN_EQUATIONS] == 3
    assert bool(tree.ints[Head.IS_PLANAR]) is flat
    rows, held = evaluated(tree, with_wrenches=True), evaluated(tree, with_wrenches=False)
    for solved, found in zip(rows, held, strict=True):
        np.testing.assert_allclose(found, solved, rtol=0.0, atol=ROUND_OFF)
    assert np.abs(held[1]).min() > 0.1
    _, rate, bend = TABLE.motion(T)
    wanted = [bend[0], rate[0], TABLE.value(T)[0]]
    np.testing.assert_allclose(held[0][[1, 3, 5]], wanted, rtol=0.0, atol=1e-14)
    assert not tree.vectors[Vector.ARMATURE].any()  # nothing stays held


def test_coordinates_that_two_equations_are_about_are_solved_for():
    model = tree_of(flat=True, moved=((1, "position"), (1, "acceleration")))
    assert Tree(model).ints[Head.OWN_EQUATIONS] == 0
    b = Builder("pair")
    for k in range(2):
        b.body(f"b{k}", (0.5 * k + 0.2, 0.0, 0.0), 1.0, 0.1 * np.eye(3))
        b.joint("revolute", f"j{k}", f"b{k - 1}" if k else None, f"b{k}", (0.5 * k, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    b.scene.constraints.append(Coupling(name="c", leader="j0", follower="j1", ratio=2.0))
    assert Tree(compile_scene(b.scene)).ints[Head.OWN_EQUATIONS] == 0


def test_hinges_are_held_in_a_plane_as_in_space():
    """Infinite armatures, by which stops hold: on the world's side, in the middle, where branches meet and at a tip."""
    model = tree_of(flat=True)
    tree, start = Tree(model), model.initial_state()
    for held in ([0], [1], [4], [6], [0, 1, 3], [2, 5], list(range(7))):
        tree.vectors[Vector.ARMATURE] = 0.0
        tree.vectors[Vector.ARMATURE][held] = np.inf
        found = []
        for more in (0, tasks.WRENCHES):  # wrenches are those of the recursion in space
            qddot = np.zeros(model.dof_count)
            tree._run(*tree._copied(start.q, start.qdot), qddot, T, tasks.ACCELERATE | more)
            columns = tree._sections.columns[held]
            found.append((qddot, columns[:, Column.PUSH].copy(), columns[:, Column.PUSH_SIZE].copy()))
        for in_plane, in_space in zip(found[0], found[1], strict=True):
            np.testing.assert_allclose(in_plane, in_space, rtol=0.0, atol=ROUND_OFF)
        assert not found[0][0][held].any()
        assert np.abs(found[0][1]).min() > 1e-3
