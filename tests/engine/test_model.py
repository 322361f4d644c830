# SPDX-License-Identifier: GPL-3.0-or-later
"""What a model keeps: everything that is derived from it is derived once, and dies with it."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
import weakref

import numpy as np
import pytest

from engine.random_trees import random_model
from redmax import fast
from redmax.integrators import routes
from redmax.kernels import route
from redmax.kernels.layout.packing import pack
from redmax.vectorised.plan import plan_of


def small_model():
    return random_model(np.random.default_rng(3), 4)


def test_what_is_derived_once_is_kept():
    calls = []

    def bodies(model):
        calls.append(model)
        return [model.body_count]

    model, other = small_model(), small_model()
    assert model.once(bodies) is model.once(bodies)
    assert model.once(bodies) == [4]
    assert other.once(bodies) is not model.once(bodies)
    assert calls == [model, other]


def test_an_error_is_not_kept():
    def broken(model):
        raise ZeroDivisionError(model.name)

    model = small_model()
    for _ in range(2):
        try:
            model.once(broken)
        except ZeroDivisionError:
            continue
        raise AssertionError("the second call must fail like the first")


def test_all_threads_get_one_result():
    gate = threading.Barrier(2)

    def slow(model):
        gate.wait(timeout=10.0)  # both threads compute it
        return object()

    model, results = small_model(), []
    threads = [threading.Thread(target=lambda: results.append(model.once(slow))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results[0] is results[1] is model.once(slow)


def test_copies_hold_the_model_alone():
    model = small_model()
    fast.new_tree(model)
    plan = plan_of(model)
    for twin in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert "_kept" not in vars(twin)
        assert set(vars(twin)) == set(vars(model)) - {"_kept"}
        assert plan_of(twin) is not plan


def test_a_model_and_what_it_keeps_die_together():
    model = small_model()
    fast.new_tree(model)
    plan_of(model)
    model.once(pack)
    seen = weakref.ref(model)
    del model
    gc.collect()
    assert seen() is None


def test_packed_once_and_copied_for_every_run():
    model = small_model()
    packed = model.once(pack)
    assert not packed.ints.flags.writeable
    assert not packed.floats.flags.writeable
    if route.name() != route.NUMBA:
        assert fast.new_tree(model) is None
        return
    before = packed.floats.copy()
    first, second = fast.new_tree(model), fast.new_tree(model)
    assert first.packed is second.packed is packed
    assert first.singular == packed.singular
    q = np.full(model.dof_count, 0.1)
    first.forward_dynamics(q, q, np.zeros(model.body_count, np.int64), 0.0, np.zeros(model.dof_count))
    np.testing.assert_array_equal(packed.floats, before)
    np.testing.assert_array_equal(second.floats, before)
    assert not np.array_equal(first.floats, before)


def test_every_route_has_kernels_of_its_own():
    """Runs of one model may be computed by several threads at once."""
    if route.name() != route.NUMBA:
        pytest.skip("needs numba")
    model = small_model()
    one, other = (routes.begin(model).kernels for _ in range(2))
    assert not np.shares_memory(one.floats, other.floats)
    assert not np.shares_memory(one.ints, other.ints)
