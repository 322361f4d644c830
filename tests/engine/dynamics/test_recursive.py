# SPDX-License-Identifier: GPL-3.0-or-later
"""The recursive hybrid route against the projected one, its prescribed branch, and inverse dynamics."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.dynamics import extended, oracles
from engine.random_trees import random_model, random_situation, situation
from redmax.dynamics import recursive
from redmax.dynamics.singular import ImmovableError
from redmax.joints import JOINTS
from redmax.reference import projected, si_guenter

ROUND_OFF = 1e-11  # wrenches summed over at most 12 bodies, moments up to 1e2 N m
trees = given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 12))
few = settings(max_examples=30, deadline=None, derandomize=True)


@few
@trees
def test_recursive_equals_projected(seed, n):
    case = random_situation(seed, n)
    oracles.assert_same_acceleration(case, recursive.forward_dynamics(*case[:3]).qddot)


@pytest.mark.parametrize("kind", JOINTS.kinds)
def test_recursive_equals_projected_for_every_kind(kind):
    case = random_situation(7, 5, kinds=[kind])
    oracles.assert_same_acceleration(case, recursive.forward_dynamics(*case[:3]).qddot)


@few
@trees
def test_recursive_equals_projected_with_prescribed_joints(seed, n):
    case = random_situation(seed, n, prescribed=0.4)
    oracles.assert_same_acceleration(case, recursive.forward_dynamics(*case[:4]).qddot)


@few
@trees
def test_hybrid_torques_reproduce_the_accelerations(seed, n):
    """The same mechanism with nothing prescribed, driven by the torques the hybrid algorithm found."""
    case = random_situation(seed, n, prescribed=0.5)
    hybrid = recursive.forward_dynamics(*case[:4])
    freed = dataclasses.replace(case.model, prescribed=np.zeros(case.model.dof_count, bool))
    driven = dataclasses.replace(case.loads, f_r=hybrid.tau)
    again = case._replace(model=freed, loads=driven)
    oracles.assert_same_acceleration(again, hybrid.qddot)
    assert np.array_equal(hybrid.tau[~case.model.prescribed], case.loads.f_r[~case.model.prescribed])


@few
@trees
def test_inverse_dynamics_of_forward_dynamics_gives_back_tau(seed, n):
    case = random_situation(seed, n, prescribed=0.3)
    forward = recursive.forward_dynamics(*case[:4])
    inverse = recursive.inverse_dynamics(*case[:3], forward.qddot)
    # qddot is off by cond(M) roundings, but the forces it needs are not: errors along soft directions weigh little.
    oracles.assert_close(inverse.tau, forward.tau, ROUND_OFF)
    oracles.assert_close(inverse.F, forward.F, ROUND_OFF)
    oracles.assert_close(inverse.Vdot, forward.Vdot, ROUND_OFF * max(1.0, np.abs(forward.qddot).max(initial=0.0)))


def test_inverse_dynamics_is_the_equation_of_motion():
    model, kin, applied, qddot, _ = random_situation(8, 9)
    M, f = projected.mass_matrix(model, kin), projected.generalized_force(model, kin, applied)
    tau = recursive.inverse_dynamics(model, kin, applied, qddot).tau
    oracles.assert_close(tau - applied.f_r, M @ qddot - f, ROUND_OFF)


def test_forward_dynamics_changes_none_of_its_inputs():
    case = random_situation(9, 6, prescribed=0.4)
    before = [np.array(a) for a in (*vars(case.kin).values(), *vars(case.loads).values(), case.qddot_prescribed)]
    first = recursive.forward_dynamics(*case[:4])
    second = recursive.forward_dynamics(*case[:4])
    after = [*vars(case.kin).values(), *vars(case.loads).values(), case.qddot_prescribed]
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    assert all(np.array_equal(getattr(first, name), getattr(second, name)) for name in vars(first))


def test_a_joint_that_carries_no_mass_is_named():
    model, kin, applied, *_ = random_situation(6, 2, kinds=["revolute"], chain=True)
    weightless = dataclasses.replace(model, inertia=np.zeros((2, 6)))
    with pytest.raises(ImmovableError, match=f"joint '{model.joint_names[1]}': nothing resists its motion"):
        recursive.forward_dynamics(weightless, kin, applied)


@pytest.mark.parametrize("kind", ["revolute", "spherical"])
def test_long_chains_keep_their_digits(kind):
    """100 links against extended precision with the same inputs. Without symmetrising, spherical chains fail."""
    rng = np.random.default_rng(10)
    case = situation(rng, random_model(rng, 100, kinds=[kind], chain=True))
    exact = extended.forward_dynamics(case.model, case.kin, case.loads)
    # Measured: recursive 5e-15, Si-Guenter 1e-12, against 1e-11 of a dense solve in double precision.
    oracles.assert_close(recursive.forward_dynamics(*case[:3]).qddot, exact, 1e-12)
    oracles.assert_close(si_guenter.forward_dynamics(*case[:3]), exact, 1e-10)
