# SPDX-License-Identifier: GPL-3.0-or-later
"""The vectorised route gives what the readable one gives, for every joint, chart, load and tree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.random_trees import random_model, random_state
from engine.vectorised.comparison import assert_routes_agree
from redmax.joints import JOINTS

few = settings(max_examples=40, deadline=None, derandomize=True)
trees = given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 30))


@few
@trees
def test_routes_agree_on_random_trees(seed, n):
    rng = np.random.default_rng(seed)
    model = random_model(rng, n)
    assert_routes_agree(rng, model, *random_state(rng, model))


@few
@trees
def test_routes_agree_with_prescribed_joints(seed, n):
    rng = np.random.default_rng(seed)
    model = random_model(rng, n, prescribed=0.4)
    assert_routes_agree(rng, model, *random_state(rng, model))


@pytest.mark.parametrize("kind", JOINTS.kinds)
@pytest.mark.parametrize("chain", [False, True])
def test_routes_agree_for_every_kind(kind, chain):
    rng = np.random.default_rng(3)
    model = random_model(rng, 9, kinds=[kind], chain=chain)
    assert_routes_agree(rng, model, *random_state(rng, model))


@few
@trees
def test_routes_agree_in_every_chart(seed, n):
    """Joints in charts drawn at random, also those of Euler angles inside composites."""
    rng = np.random.default_rng(seed)
    model = random_model(rng, n, kinds=["spherical_euler", "free_translation_euler", "composite", "spherical"])
    chart = np.array([rng.integers(joint.chart_count) for joint in model.joints])
    assert_routes_agree(rng, model, *random_state(rng, model), chart)
