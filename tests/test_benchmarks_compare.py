# SPDX-License-Identifier: GPL-3.0-or-later
"""`make bench-compare`: how pairs are measured, what their ratios say, and what is said of rows that one side lacks."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest
from benchmarks import compare, timed_blocks
from benchmarks.compare import Comparison, Sides, WorkerError
from benchmarks.compare_worker import Side
from benchmarks.measure import ROOT
from benchmarks.timed_blocks import Block


def comparison(*ratios):
    return Comparison("row", (1.0,) * len(ratios), ratios)


# --- statistics ------------------------------------------------------------------------------


def test_the_ratio_is_the_median_of_the_pairs():
    """A machine that is busy during both halves of a pair changes no ratio; during one half, only one of nine."""
    base = (1.0, 1.0, 3.0, 1.0, 5.0, 1.0, 1.0, 1.0, 1.0)
    here = (1.02, 1.02, 3.06, 1.02, 5.1, 1.02, 4.0, 1.02, 1.02)
    found = Comparison("row", base, here)
    assert found.median == pytest.approx(1.02)
    assert found.verdict == "within 10%"


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [
        ((0.98, 0.99, 1.0, 1.01, 1.05), "within 10%"),
        ((1.12, 1.15, 1.2, 1.3, 1.4), "slower"),
        ((0.6, 0.7, 0.8, 0.85, 0.89), "faster"),
        ((1.0, 1.08, 1.09, 1.15, 1.2), "undecided"),
        ((0.8, 0.85, 0.95, 1.0, 1.05), "undecided"),
        ((1.3, 1.3), "undecided"),
        ((1.3, 1.3, 1.4), "slower"),
        ((0.5, 1.0, 1.0, 1.0, 9.0), "within 10%"),
    ],
)
def test_a_verdict_is_what_the_middle_half_of_the_ratios_agrees_on(ratios, verdict):
    assert comparison(*ratios).verdict == verdict
    assert comparison(*reversed(ratios)).verdict == verdict


def test_the_bounds_are_the_same_seen_from_either_side():
    """Twice as fast is half as slow: exchanging the sides exchanges the verdicts."""
    exchanged = {"slower": "faster", "faster": "slower"}
    for ratio in (0.5, 0.905, 0.915, 1.0, 1.09, 1.105, 2.0):
        there, back = comparison(*[ratio] * 3), Comparison("row", (ratio,) * 3, (1.0,) * 3)
        assert back.verdict == exchanged.get(there.verdict, there.verdict)


def test_pairs_are_measured_in_the_order_abba():
    order = []
    clock = count(1.0)

    def side(name):
        def measure():
            order.append(name)
            return next(clock)

        return measure

    found = compare.paired(side("base"), side("here"), 3)
    assert "".join(name[0] for name in order) == "bhhbbhhb"
    assert found == [(4.0, 3.0), (5.0, 6.0), (8.0, 7.0)]  # the first pair does not count
    assert len(compare.paired(side("base"), side("here"), 2, uncounted=0)) == 2


def test_the_table_has_a_line_for_each_row():
    lines = compare.table([Comparison("chain", (2e-6,) * 3, (3e-6,) * 3), comparison(1.0)])
    assert lines[2] == "| chain | 2 us | 3 us | 1.500 | 1.500 to 1.500 | 1.500 to 1.500 | slower |"
    assert lines[3].startswith("| row | 1 s | 1 s | 1.000 |")
    assert len({line.count("|") for line in lines}) == 1


# --- both sides ------------------------------------------------------------------------------


class FakeWorker:
    """A side whose rows take given seconds per turn; a row of None fails."""

    def __init__(self, rows, turns=4):
        self.rows, self.turns, self.asked = rows, turns, []

    def ask(self, **message):
        self.asked.append(message)
        if message["do"] == "list":
            return {"rows": [[name, "numba", None] for name in self.rows]}
        if self.rows[message["row"]] is None:
            raise WorkerError("KeyError: gone")
        return {"count": self.turns} if message["do"] == "prepare" else {"seconds": self.rows[message["row"]]}


def compared(base, here, pairs=9):
    workers = {"base": FakeWorker(base), "here": FakeWorker(here, turns=16)}
    sides = Sides(Path("base"), Path("here"), lambda checkout, _route: workers[checkout.name])
    found, left_out = compare.compare(sides, "rows", pairs, say=lambda _text: None)
    return {each.row: each for each in found}, left_out, workers


def test_rows_of_both_sides_are_compared_with_the_same_number_of_turns():
    found, left_out, workers = compared({"a": 1.0, "b": 2.0}, {"a": 1.3, "b": 2.0})
    assert {name: (each.median, each.verdict) for name, each in found.items()} == {
        "a": (pytest.approx(1.3), "slower"),
        "b": (1.0, "within 10%"),
    }
    assert left_out == []
    for worker in workers.values():
        assert {message["count"] for message in worker.asked if message["do"] == "time"} == {16}
        assert sum(message["do"] == "time" for message in worker.asked) == 2 * (9 + 1)


def test_a_row_that_one_side_lacks_or_cannot_run_is_named():
    found, left_out, _ = compared({"old": 1.0, "both": 1.0, "broken": None}, {"new": 1.0, "both": 1.0, "broken": 1.0})
    assert list(found) == ["both"]
    assert sorted(left_out) == [
        "broken: base cannot run it (KeyError: gone)",
        "new: base does not know it",
        "old: here does not know it",
    ]


def test_a_worker_tells_what_is_wrong_and_goes_on(monkeypatch):
    def fail():
        raise RuntimeError("no such thing")

    turns = []
    made = [Block("fake", "good", lambda: turns.append, at_least=0.0), Block("fake", "bad", fail)]
    monkeypatch.setitem(timed_blocks.BENCHMARKS, "fake", lambda _options: iter(made))
    side = Side(quick=True)
    assert side.answer({"do": "list", "benchmark": "fake"})["rows"] == [
        ["fake: good", "numba", None],
        ["fake: bad", "numba", None],
    ]
    with pytest.raises(RuntimeError, match="no such thing"):
        side.answer({"do": "prepare", "row": "fake: bad"})
    with pytest.raises(ValueError, match="not prepared"):
        side.answer({"do": "time", "row": "fake: good", "count": 1})
    assert side.answer({"do": "prepare", "row": "fake: good"}) == {"count": 1}
    assert side.answer({"do": "time", "row": "fake: good", "count": 3})["seconds"] >= 0.0
    assert turns == [3]


def test_a_loop_may_tell_its_own_seconds():
    assert timed_blocks.seconds(lambda _count: 2.5, 1) == 2.5
    assert timed_blocks.seconds(lambda _count: None, 1) < 2.5


def test_every_benchmark_that_times_our_engine_has_blocks():
    """Accuracy and memory are no times; work-precision and the readable formulations are no routes that users take;
    elements and contact beside Bullet are timed in a Blender of their own."""
    known = {path.stem.removeprefix("bench_") for path in (ROOT / "benchmarks").glob("bench_*.py")}
    in_blender = {"elements", "blender_contact"}
    assert known - set(timed_blocks.BENCHMARKS) == {"accuracy", "memory", "work_precision", "dynamics", *in_blender}
    assert set(timed_blocks.BENCHMARKS) <= known


def test_what_cannot_be_compared_is_said(capsys):
    with pytest.raises(SystemExit) as refused:
        compare.main(["--base", "HEAD", "nonsense"])
    assert refused.value.code == 2
    assert "unknown: nonsense" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="there is no commit 'no-such-commit'"):
        compare.main(["--base", "no-such-commit", "rotation"])


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs the repository, for another checkout")
def test_a_commit_beside_itself_gives_ratios_near_one(capsys):
    """Two processes of the same code may differ by some per cent, by where their memory lies."""
    assert compare.main(["--base", "HEAD", "--quick", "--pairs", "5", "rotation"]) == 0
    lines = [line.split("|") for line in capsys.readouterr().out.splitlines() if line.startswith("| 100 000")]
    assert len(lines) == 4
    for line in lines:
        assert float(line[4]) == pytest.approx(1.0, abs=0.2)
