# SPDX-License-Identifier: GPL-3.0-or-later
"""2 000 random steps over elements of all sorts, by tests/attack/operators.py: no traceback, no invalid state, the
artist's keys untouched. A seed that breaks can be run again by
`python -m tests.attack.operators --seed SEED --steps STEPS`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STEPS = 80


@pytest.fixture(autouse=True)
def _empty_file():
    """Everything happens in other processes."""


def broken(first: int, count: int) -> dict[str, object]:
    """Seeds that break, and how. Every seed must come to an end."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.attack.operators", *f"--seed {first} --count {count} --steps {STEPS}".split()],
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "engine"), str(ROOT / "addon")])},
    )
    lines = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    seeds = [line["seed"] for line in lines if "seed" in line]
    ends = [line for line in lines if "end" in line]
    print(f"seeds {seeds[0]} to {seeds[-1]}, {sum('step' in line for line in lines)} steps")
    assert len(ends) == len(seeds) == count, f"seed {seeds[-1]} did not end: {run.stderr[-2000:]}"
    return {str(seed): end["what"] for seed, end in zip(seeds, ends, strict=True) if end["end"] != "ok"}


def test_a_few_random_steps():
    assert broken(1, 2) == {}


@pytest.mark.slow
@pytest.mark.parametrize("first", [2001, 2006, 2011, 2016, 2021])
def test_two_thousand_random_steps(first):
    assert broken(first, 5) == {}
