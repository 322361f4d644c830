# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans are made once and die with their model; calls change nothing and repeat themselves."""

from __future__ import annotations

import gc
import weakref

import numpy as np

from engine.dynamics import oracles
from engine.random_trees import random_model, random_state
from redmax import vectorised
from redmax.dynamics import loads as readable_loads
from redmax.dynamics.kinematics import kinematics
from redmax.vectorised import charted
from redmax.vectorised.plan import plan_of
from redmax.vectorised.stages import Coordinates


def whole_run(model, q, qdot, given):
    kin = vectorised.kinematics(model, q, qdot)
    load = vectorised.loads(model, kin, 0.3)
    return kin, load, vectorised.forward_dynamics(model, kin, load, given)


def test_a_plan_is_found_again_and_dies_with_its_model():
    rng = np.random.default_rng(0)
    model = random_model(rng, 6)
    q, qdot = random_state(rng, model)
    kin, load, _ = whole_run(model, q, qdot, None)
    vectorised.linear_system(model, kin, load, 0.0)
    plan = weakref.ref(plan_of(model))
    assert plan() is plan_of(model)
    del model, kin, load
    gc.collect()
    assert plan() is None


def test_calls_change_none_of_their_inputs_and_repeat_themselves():
    rng = np.random.default_rng(1)
    model = random_model(rng, 12, prescribed=0.3)
    q, qdot = random_state(rng, model)
    given = rng.uniform(-1.0, 1.0, model.dof_count)
    before = [np.array(a) for a in (q, qdot, given)]
    first = whole_run(model, q, qdot, given)
    copies = [{name: np.array(a) for name, a in vars(result).items()} for result in first]
    second = whole_run(model, q, qdot, given)
    # A state seen in between, and the same state asked again.
    whole_run(model, q + 0.1, qdot, given)
    again = vectorised.forward_dynamics(model, *first[:2], given)
    for result, copy, repeated in zip(first, copies, (*second[:2], again), strict=True):
        for name, value in copy.items():
            assert np.array_equal(getattr(result, name), value), name
            assert np.array_equal(getattr(repeated, name), value), name
    assert all(np.array_equal(a, b) for a, b in zip(before, (q, qdot, given), strict=True))


def test_results_are_the_callers_own():
    """Writing into a result changes neither the plan nor a later result."""
    rng = np.random.default_rng(2)
    for kinds in (["revolute"], ["fixed", "prismatic"], ["free"]):
        model = random_model(rng, 5, kinds=kinds)
        q, qdot = random_state(rng, model)
        given = np.zeros(model.dof_count)
        expected = [
            {name: np.array(a) for name, a in vars(result).items()} for result in whole_run(model, q, qdot, given)
        ]
        for result in whole_run(model, q.copy(), qdot.copy(), given.copy()):
            for value in vars(result).values():
                value[...] = 7
        for result, values in zip(whole_run(model, q, qdot, given), expected, strict=True):
            for name, value in values.items():
                assert np.array_equal(getattr(result, name), value), name


def test_own_coordinates_as_the_readable_loads_find_them():
    """Rotation vectors up to several turns, Euler angles in any chart, also inside composites."""
    rng = np.random.default_rng(3)
    changed = 0
    for _ in range(40):
        kinds = ["spherical", "free", "spherical_euler", "free_translation_euler", "composite"]
        model = random_model(rng, 8, kinds=kinds)
        chart = np.array([rng.integers(joint.chart_count) * rng.integers(2) for joint in model.joints])
        q, qdot = rng.uniform(-5.0, 5.0, model.dof_count), rng.uniform(-1.0, 1.0, model.dof_count)
        kin = kinematics(model, q, qdot, chart)
        expected = readable_loads.own_coordinates(model, kin)
        found = charted.own_coordinates(model, plan_of(model).charted, Coordinates(q, qdot, chart), kin.S)
        assert np.array_equal(found[0], expected[0])
        assert np.array_equal(found[1], expected[1])
        assert [columns for columns, _ in found[2]] == [columns for columns, _ in expected[2]]
        for (_, B), (_, B_expected) in zip(found[2], expected[2], strict=True):
            assert np.array_equal(B, B_expected)
        changed += len(expected[2])
        load = readable_loads.loads(model, kin, 0.3)
        for name, value in vars(vectorised.loads(model, vectorised.kinematics(model, q, qdot, chart), 0.3)).items():
            # B = S_own^-1 S grows near the lock of the meant coordinates, and its roundings with it.
            oracles.assert_close(value, getattr(load, name), 1e-10)
    assert changed > 50


def test_joints_that_are_written_as_meant_are_not_asked_alone():
    rng = np.random.default_rng(4)
    model = random_model(rng, 10, kinds=["spherical", "spherical_euler"])
    assert model.charted_loads
    q, qdot = random_state(rng, model)
    assert plan_of(model).charted.candidates(Coordinates(q, qdot, np.zeros(10, int))) == []
