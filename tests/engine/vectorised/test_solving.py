# SPDX-License-Identifier: GPL-3.0-or-later
"""Digits where a dense solution loses them, states of rest, and states nothing resists."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.dynamics import extended, oracles
from engine.random_trees import random_model, random_pose, random_state
from redmax import vectorised
from redmax.compile import compile as compile_scene
from redmax.dynamics import kinematics, loads, recursive
from redmax.dynamics.singular import ImmovableError
from redmax.fields import Pose
from redmax.joints import JOINTS
from redmax.scene import Body, Inertia, Scene
from redmax.vectorised import blocks, dynamics
from redmax.vectorised.plan import plan_of


def chain(kind, n, *, gravity=(0.0, 0.0, -9.81), **own):
    """n rods of 1 kg and 1 m along x, one after the other."""
    rod = Inertia(mass=1.0, center=(0.5, 0.0, 0.0), tensor=np.diag([0.002, 0.0834, 0.0834]))
    joints = [
        JOINTS[kind](
            name=f"joint {k}",
            parent=f"rod {k - 1}" if k else None,
            child=f"rod {k}",
            frame_in_parent=Pose(position=(1.0 if k else 0.0, 0.0, 0.0)),
            **own,
        )
        for k in range(n)
    ]
    return compile_scene(
        Scene(
            name="chain", gravity=gravity, bodies=[Body(name=f"rod {k}", inertia=rod) for k in range(n)], joints=joints
        )
    )


def both_accelerations(model, q, qdot):
    """qddot of the readable and of the vectorised route."""
    kin = kinematics.kinematics(model, q, qdot)
    readable = recursive.forward_dynamics(model, kin, loads.loads(model, kin, 0.0)).qddot
    kin = vectorised.kinematics(model, q, qdot)
    return readable, vectorised.forward_dynamics(model, kin, vectorised.loads(model, kin, 0.0)).qddot


@pytest.mark.parametrize("bend", [0.0, 1e-8, 1e-3, 1.0])
@pytest.mark.parametrize(("kind", "own"), [("revolute", {"axis": (0, 1, 0)}), ("spherical", {})])
def test_a_hundred_links_keep_the_digits_of_the_recursion(kind, own, bend):
    """cond(M) is 1e9 here: solved once, the result is off by 1e-9 to 1e-8 of the largest acceleration."""
    model = chain(kind, 100, **own)
    rng = np.random.default_rng(1)
    q, qdot = bend * rng.uniform(-1.0, 1.0, (2, model.dof_count))
    readable, found = both_accelerations(model, q, qdot)
    # Seen: 1e-15 to 4e-14, and 2e-11 for balls bent by a radian, where the recursion itself is off by as much.
    oracles.assert_close(found, readable, 3e-11 if kind == "spherical" and bend == 1.0 else 1e-12)


def test_one_correction_is_what_gives_the_digits_back(monkeypatch):
    model = chain("revolute", 100, axis=(0, 1, 0))
    rng = np.random.default_rng(1)
    q, qdot = 1e-3 * rng.uniform(-1.0, 1.0, (2, model.dof_count))
    readable, _ = both_accelerations(model, q, qdot)
    forces = dynamics.Forces.of(model, *_state_and_loads(model, q, qdot))
    once, _ = dynamics._Solver(forces).solve(-forces.needed(np.zeros(model.dof_count)))
    error = np.abs(once - readable).max() / np.abs(readable).max()
    assert 1e-11 < error < 1e-7


def _state_and_loads(model, q, qdot):
    kin = vectorised.kinematics(model, q, qdot)
    return kin, vectorised.loads(model, kin, 0.0)


@pytest.mark.parametrize("kind", ["revolute", "spherical"])
def test_a_chain_that_hangs_at_rest_is_solved_here(kind):
    """Its accelerations are nothing but noise, which no correction makes smaller."""
    own = {"axis": (0, 1, 0)} if kind == "revolute" else {}
    model = chain(kind, 20, gravity=(9.81, 0.0, 0.0), **own)
    q = np.zeros(model.dof_count)
    q[0] = 1e-17
    readable, found = both_accelerations(model, q, np.zeros(model.dof_count))
    oracles.assert_close(found, readable, 1e-12)
    assert np.abs(found).max() < 1e-12


def test_nothing_moves_where_nothing_pushes():
    model = chain("revolute", 5, gravity=(0.0, 0.0, 0.0), axis=(0, 1, 0))
    still = np.zeros(5)
    assert np.array_equal(vectorised.accelerations(model, model.q0 + 0.3, still, np.zeros(5, int), 0.0, still), still)


def test_massless_bodies_between_heavy_ones():
    rng = np.random.default_rng(5)
    model = random_model(rng, 14, kinds=["revolute", "universal", "fixed"])
    inertia = np.array(model.inertia)
    carriers = np.unique(model.parent[model.parent >= 0])
    assert len(carriers) > 4
    inertia[carriers] = 0.0
    model = dataclasses.replace(model, inertia=inertia)
    readable, found = both_accelerations(model, *random_state(rng, model))
    oracles.assert_close(found, readable, 1e-11)


def test_a_joint_that_carries_no_mass_is_named(handed_over):
    model = chain("revolute", 4, axis=(0, 1, 0))
    inertia = np.array(model.inertia)
    inertia[3] = 0.0
    model = dataclasses.replace(model, inertia=inertia)
    kin, load = _state_and_loads(model, np.full(4, 0.1), np.zeros(4))
    for solve in (vectorised.forward_dynamics, vectorised.joint_accelerations):
        with pytest.raises(ImmovableError, match="joint 'joint 3': nothing resists its motion"):
            solve(model, kin, load)
    with pytest.raises(ImmovableError, match="joint 'joint 3': nothing resists its motion"):
        vectorised.accelerations(model, kin.q, kin.qdot, kin.chart, 0.0, np.zeros(4))
    assert handed_over == ["chain"] * 3


def test_coordinates_that_repeat_each_other_are_named(handed_over):
    """Two rods on one axis: the mass matrix has a positive diagonal but no inverse."""
    model = chain("revolute", 2, axis=(0, 1, 0))
    E_pj0, inertia = np.array(model.E_pj0), np.array(model.inertia)
    E_pj0[1, :3, 3], inertia[0] = 0.0, 0.0
    model = dataclasses.replace(model, E_pj0=E_pj0, inertia=inertia)
    kin, load = _state_and_loads(model, np.zeros(2), np.zeros(2))
    with pytest.raises(ImmovableError, match="joint 'joint 0': nothing resists its motion"):
        vectorised.forward_dynamics(model, kin, load)
    assert handed_over == ["chain"]


def test_what_is_not_finite_stays_not_finite(handed_over):
    model = chain("revolute", 3, axis=(0, 1, 0))
    q = np.array([0.1, np.nan, 0.2])
    found = vectorised.accelerations(model, q, np.zeros(3), np.zeros(3, int), 0.0, np.zeros(3))
    assert np.isnan(found).any()
    assert handed_over == ["chain"]


def test_very_many_coupled_coordinates_go_to_the_recursion(handed_over):
    model = chain("spherical", 250)
    assert plan_of(model).too_coupled
    readable, found = both_accelerations(model, 0.1 * np.ones(750), np.zeros(750))
    oracles.assert_close(found, readable, 1e-12)
    assert handed_over == ["chain"]
    assert not plan_of(chain("spherical", 100)).too_coupled


@pytest.mark.parametrize("size", [1, 5, blocks.SOLVED_AT_ONCE, blocks.SOLVED_AT_ONCE + 1, 257])
def test_factors_solve(size):
    """Large matrices from their upper triangle alone, as well as numpy solves them."""
    rng = np.random.default_rng(6)
    B = rng.standard_normal((3, size, size + 3))
    A = B @ np.swapaxes(B, 1, 2)
    scale = 1.0 / np.sqrt(np.einsum("tii->ti", A))
    A *= scale[:, :, None] * scale[:, None, :]
    x = rng.standard_normal((3, size))
    b = (A @ x[:, :, None])[:, :, 0]
    given = np.triu(A) if blocks.is_large(size) else A
    kept = given.copy(), b.copy()
    factors = blocks.Factors(given)
    condition = np.linalg.cond(A).max()
    for _ in range(2):
        oracles.assert_close(factors.solve(b), x, 1e-15 * size * condition)
    assert np.array_equal(given, kept[0])
    assert np.array_equal(b, kept[1])


def test_factors_of_what_is_not_positive_definite():
    A = np.eye(blocks.SOLVED_AT_ONCE + 10)[None]
    A[0, 100, 130] = A[0, 130, 100] = 1.5
    with pytest.raises(np.linalg.LinAlgError):
        blocks.Factors(A)


def test_groups_hang_from_what_does_not_move_freely():
    """Two chains on a fixed ground, and one on an animated joint of a third: three groups."""
    parent = np.array([-1, 0, 1, 0, 3, 4])
    owner = np.array([1, 2, 3, 4, 5])
    wanted = np.array([True, True, True, False, True])
    parts, inner = blocks.groups(parent, owner, wanted)
    assert [part.tolist() for part in parts] == [[0, 1], [2, 4]]
    assert inner.tolist() == [False, False, True, False, True, True]
    parts, _ = blocks.groups(parent, owner, np.array([True, True, False, True, True]))
    assert [part.tolist() for part in parts] == [[0, 1], [3, 4]]


def test_many_loose_bodies_share_a_few_blocks():
    rng = np.random.default_rng(7)
    model = random_model(rng, 60, kinds=["free", "revolute", "spherical"], roots=1.0)
    sizes = [batch.columns.shape for batch in plan_of(model).free.batches]
    assert len(sizes) == 1
    assert sizes[0][1] <= blocks.PACKED
    readable, found = both_accelerations(model, *random_state(rng, model))
    oracles.assert_close(found, readable, 1e-12)


def test_a_large_tree_with_prescribed_joints():
    """More than one size of block, some large, with gaps where coordinates are prescribed."""
    rng = np.random.default_rng(8)
    model = random_model(rng, 260, roots=0.02, prescribed=0.1, tables=False)
    assert any(blocks.is_large(batch.columns.shape[1]) for batch in plan_of(model).free.batches)
    q, qdot = random_state(rng, model)
    kin, load = _state_and_loads(model, q, qdot)
    given = rng.uniform(-1.0, 1.0, model.dof_count)
    expected = recursive.forward_dynamics(model, kin, load, given)
    found = vectorised.forward_dynamics(model, kin, load, given)
    for name in vars(expected):
        oracles.assert_close(getattr(found, name), getattr(expected, name), 1e-10)


@pytest.mark.parametrize("distance", [1e3, 1e6, 1e9])
@pytest.mark.parametrize("root", ["free_translation_rotation", "fixed", "prismatic"])
def test_far_away_a_mechanism_moves_as_it_does_here(root, distance):
    """Moved as a whole, by its first joint's frame or coordinates, no digit of accelerations or twists is lost."""
    rng = np.random.default_rng(9)
    scenes = []
    tail = [random_pose(rng) for _ in range(8)]
    for shift in (0.0, distance):
        bodies = [Body(name=f"b{k}", inertia=Inertia(mass=1.0, tensor=0.05 * np.eye(3))) for k in range(8)]
        place = Pose(position=(shift, -shift, 0.5 * shift), rotation=tail[0].rotation)
        joints = [JOINTS[root](name="j0", parent=None, child="b0", frame_in_parent=place, frame_in_child=tail[0])]
        joints += [
            JOINTS["spherical"](name=f"j{k}", parent=f"b{k - 1}", child=f"b{k}", frame_in_parent=tail[k])
            for k in range(1, 8)
        ]
        scenes.append(compile_scene(Scene(name="far", gravity=(1.0, 2.0, -9.0), bodies=bodies, joints=joints)))
    near, far = scenes
    q, qdot = random_state(rng, near)
    q_far = q.copy()
    if root == "free_translation_rotation":
        q_far[:3] += distance
    chart, still = np.zeros(8, int), np.zeros(near.dof_count)
    here = vectorised.accelerations(near, q, qdot, chart, 0.0, still)
    there = vectorised.accelerations(far, q_far, qdot, chart, 0.0, still)
    oracles.assert_close(there, here, 1e-12)
    kin_here, kin_there = vectorised.kinematics(near, q, qdot), vectorised.kinematics(far, q_far, qdot)
    oracles.assert_close(kin_there.phi, kin_here.phi, 1e-14)
    readable = kinematics.kinematics(far, q_far, qdot)
    oracles.assert_close(kin_there.E_wi, readable.E_wi, 1e-15)


@pytest.mark.parametrize("lever", [1e2, 1e3, 1e4])
def test_a_long_lever_inside_a_chain(lever):
    """Against extended precision: here the recursion is off by 1e-7, 1e-2 and 10, as its inertias cancel."""
    rng = np.random.default_rng(10)
    model = random_model(rng, 10, kinds=["spherical"], chain=True, springs=False, tables=False, damping=False)
    E_pj0 = np.array(model.E_pj0)
    E_pj0[3, :3, 3] = (lever, -lever, 0.3 * lever)
    model = dataclasses.replace(model, E_pj0=E_pj0)
    q, qdot = random_state(rng, model)
    kin, load = _state_and_loads(model, q, 1e-3 * qdot)
    exact = extended.forward_dynamics(model, kin, load)
    found = vectorised.forward_dynamics(model, kin, load).qddot
    # Seen: 4e-14, 2e-11, 8e-10: the square of the lever, in roundings.
    oracles.assert_close(found, exact, 1e-16 * lever**2 + 1e-12)
