# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a run will still take: not said too early, right for an even run, honest where it slows down."""

from __future__ import annotations

import pytest

from redmax_blender.bridge.core.time_left import FIRST, Pace, text


@pytest.fixture(autouse=True)
def _empty_file():
    """No scene is touched, so none need be emptied."""


def followed(costs, total):
    """Seconds left as told after every frame, and those that were really left; costs [s] of all frames."""
    pace, now, told = Pace(0.0), 0.0, []
    for done, cost in enumerate(costs, 1):
        now += cost
        pace.note(now, done)
        told.append((now, pace.left(now, total), sum(costs[done:])))
    return told


def test_an_even_run_is_told_right_and_nothing_in_the_first_half_second():
    for now, told, left in followed([0.05] * 200, 200):
        if now < FIRST:
            assert told is None
        elif left > 0.0:
            assert told == pytest.approx(left, rel=0.05)


def test_a_run_that_slows_down_is_soon_judged_by_what_it_costs_now():
    told = followed([0.02] * 100 + [0.4] * 100, 200)
    _now, said, left = told[110]
    assert said == pytest.approx(left, rel=0.25)


def test_a_run_that_gets_faster_is_never_promised_too_much():
    for _now, said, left in followed([0.4] * 20 + [0.02] * 180, 200)[2:-1]:
        assert said is None or said >= 0.9 * left


def test_a_frame_that_takes_long_counts_while_it_is_computed():
    pace = Pace(0.0)
    for done in range(1, 41):
        pace.note(0.05 * done, done)
    before = pace.left(2.0, 100)
    pace.note(12.0, 40)
    assert pace.left(12.0, 100) == pytest.approx(600.0)
    assert before == pytest.approx(3.0)


def test_nothing_is_said_of_a_run_that_is_done():
    pace = Pace(0.0)
    pace.note(1.0, 10)
    assert pace.left(1.0, 10) is None
    assert Pace(0.0).left(9.0, 10) is None


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (None, ""),
        (0.2, "about 1 s left"),
        (12.4, "about 12 s left"),
        (43.0, "about 45 s left"),
        (100.0, "about 2 min left"),
        (7200.0, "about 2.0 h left"),
    ],
)
def test_it_is_told_no_finer_than_it_is_known(seconds, said):
    assert text(seconds) == said
