# SPDX-License-Identifier: GPL-3.0-or-later
"""Si and Guenter's recursions against the projected route."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.dynamics import oracles
from engine.random_trees import random_situation
from redmax.dynamics.singular import ImmovableError
from redmax.joints import JOINTS
from redmax.reference import si_guenter

trees = given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 12))
few = settings(max_examples=30, deadline=None, derandomize=True)


@few
@trees
def test_si_guenter_equals_projected(seed, n):
    case = random_situation(seed, n)
    oracles.assert_same_acceleration(case, si_guenter.forward_dynamics(*case[:3]))


@pytest.mark.parametrize("kind", JOINTS.kinds)
def test_si_guenter_equals_projected_for_every_kind(kind):
    case = random_situation(11, 5, kinds=[kind])
    oracles.assert_same_acceleration(case, si_guenter.forward_dynamics(*case[:3]))


@few
@trees
def test_si_guenter_equals_projected_with_prescribed_joints(seed, n):
    case = random_situation(seed, n, prescribed=0.4)
    oracles.assert_same_acceleration(case, si_guenter.forward_dynamics(*case[:4]))


def test_a_joint_that_carries_no_mass_is_named():
    model, kin, applied, *_ = random_situation(6, 2, kinds=["revolute"], chain=True)
    weightless = dataclasses.replace(model, inertia=np.zeros((2, 6)))
    with pytest.raises(ImmovableError, match=f"joint '{model.joint_names[1]}': nothing resists its motion"):
        si_guenter.forward_dynamics(weightless, kin, applied)
