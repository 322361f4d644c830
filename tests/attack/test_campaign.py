# SPDX-License-Identifier: GPL-3.0-or-later
"""A few minutes of the attack with fixed seeds, and that a worker which dies or stands still is noticed.

REDMAX_ATTACK_MINUTES says how long (3).
"""

from __future__ import annotations

import os

import pytest

from . import generators
from .campaign import attack
from .process import Worker

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
    kinds = list(generators.KINDS)
    tally = attack(kinds, seed=1, seconds=60.0 * MINUTES, folder=tmp_path, say=print, shrinking=0.0)
    print(tally.table())
    found = [f"{name} {verdict.name}: {verdict.detail[:300]}" for name, verdict, _ in tally.failures]
    assert not found
