# SPDX-License-Identifier: GPL-3.0-or-later
"""The first mechanisms of the kind `held`, judged as in the attack: `python -m tests.attack --case held:SEED`."""

from __future__ import annotations

import pytest

from . import generators
from .judge import Judge

SEEDS = (*range(1, 21), 91, 135, 214, 470, 627, 948, 1303, 2225, 3599)
"""The first ones; work of carts that tables move (91, 470), a linkage that a table would have moved to the end of its
reach (948), drives with stops that were met at once or again and again (135, 2225), couplings that were taken for a
singular pose where the mass matrix grew (214, 1303), a point on a helix that passes gimbal lock (627), and a stop that
rests while a loop is put back inside a step (3599)."""


@pytest.fixture(scope="module")
def judge():
    judge = Judge()
    yield judge
    judge.close()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_mechanism_with_rows_holds(judge, seed):
    verdict = judge.judge(generators.case("held", seed))
    assert not verdict.failed, f"held:{seed} {verdict.name}: {verdict.detail}"
