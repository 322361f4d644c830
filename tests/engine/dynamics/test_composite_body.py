# SPDX-License-Identifier: GPL-3.0-or-later
"""The composite-rigid-body mass matrix against J^T M J and against inverse dynamics, column by column."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.dynamics import oracles
from engine.random_trees import random_situation
from redmax.dynamics import composite_body, recursive
from redmax.dynamics.kinematics import kinematics
from redmax.reference import projected
from redmax.spatial.inertia import MassProperties, combine

ROUND_OFF = 1e-12  # sums of at most 12 bodies relative to the largest entry
trees = given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 12))
few = settings(max_examples=30, deadline=None, derandomize=True)


@few
@trees
def test_composite_body_equals_projected_mass_matrix(seed, n):
    model, kin, *_ = random_situation(seed, n)
    oracles.assert_close(composite_body.mass_matrix(model, kin), projected.mass_matrix(model, kin), ROUND_OFF)


@few
@trees
def test_columns_of_the_mass_matrix_are_inverse_dynamics_at_rest(seed, n):
    """M e_k is the joint force that accelerates coordinate k by one, when nothing moves and nothing pulls."""
    model, kin, applied, *_ = random_situation(seed, n, gravity=False)
    at_rest = kinematics(model, kin.q, np.zeros(model.dof_count))
    no_loads = type(applied)(**{name: np.zeros_like(value) for name, value in vars(applied).items()})
    columns = [recursive.inverse_dynamics(model, at_rest, no_loads, e).tau for e in np.eye(model.dof_count)]
    M = composite_body.mass_matrix(model, kin)
    oracles.assert_close(np.array(columns).T.reshape(M.shape), M, ROUND_OFF)


def test_a_root_carries_the_combined_mass_properties_of_its_tree():
    model, kin, *_ = random_situation(12, 6, roots=0.0)
    parts = []
    for E_wi, diagonal in zip(kin.E_wi, model.inertia, strict=True):
        parts.append(MassProperties(diagonal[3], np.zeros(3), np.diag(diagonal[:3])).transformed(E_wi))
    whole = combine(parts).transformed(np.linalg.inv(kin.E_wj[0]))
    oracles.assert_close(composite_body.composite_inertias(model, kin)[0], whole.spatial(), ROUND_OFF)
