# SPDX-License-Identifier: GPL-3.0-or-later
"""A few minutes of the attack with fixed seeds, and that a worker which dies or stands still is noticed.

REDMAX_ATTACK_MINUTES says how long (3), REDMAX_ATTACK_HELD how many mechanisms with rows are drawn (2000).
"""

from __future__ import annotations

import os

import pytest

from . import generators
from .campaign import attack
from .process import Worker

HELD = "held"
HELD_CASES = int(os.environ.get("REDMAX_ATTACK_HELD", "2000"))
MINUTES = float(os.environ.get("REDMAX_ATTACK_MINUTES", "3"))


@pytest.fixture
def worker():
    worker = Worker("numpy")
    yield worker
    worker.stop()


@pytest.mark.slow
def test_a_worker_that_dies_is_a_crash_and_the_next_one_works(worker):
    answer = worker.ask({"op": "crash"})
    assert answer["end"] == "crash"
    assert "SIGABRT" in answer["message"]
    assert worker.ask({"op": "ready"})["end"] == "ready"


@pytest.mark.slow
def test_a_worker_that_stands_still_hangs(worker):
    worker.ask({"op": "ready"})
    assert worker.ask({"op": "hang"}, patience=1.0)["end"] == "hang"
    assert worker.ask({"op": "ready"})["end"] == "ready"


@pytest.mark.slow
@pytest.mark.timeout(60.0 * MINUTES + 300.0)
def test_a_few_minutes_of_the_attack_find_nothing(tmp_path):
    kinds = [kind for kind in generators.KINDS if kind != HELD]  # which has its own, below
    tally = attack(kinds, seed=1, seconds=60.0 * MINUTES, folder=tmp_path, say=print, shrinking=0.0)
    print(tally.table())
    found = [f"{name} {verdict.name}: {verdict.detail[:300]}" for name, verdict, _ in tally.failures]
    assert not found


@pytest.mark.slow
@pytest.mark.timeout(3600.0)
def test_mechanisms_with_rows_all_hold(tmp_path):
    """Every one completes and keeps its limits, couplings and paths; none gains energy."""
    settings = {"seed": 1, "seconds": 3500.0, "most": HELD_CASES, "shrinking": 0.0}
    tally = attack([HELD], folder=tmp_path, say=print, **settings)
    print(tally.table())
    found = [f"{name} {verdict.name}: {verdict.detail[:300]}" for name, verdict, _ in tally.failures]
    assert sum(tally.counts[HELD].values()) == HELD_CASES
    assert not found
