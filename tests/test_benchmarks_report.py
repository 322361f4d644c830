# SPDX-License-Identifier: GPL-3.0-or-later
"""How benchmarks are timed, judged and reported. No peer is needed."""

from __future__ import annotations

import importlib
import json
import math
import re
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from benchmarks import __main__ as command
from benchmarks import document, measure, peers, plot, report
from benchmarks.curves import Curve, front, time_for
from benchmarks.measure import Options, Row

ROOT = Path(__file__).parents[1]


# Timing


def test_ways_take_turns_and_the_first_round_is_not_counted(monkeypatch):
    order, clock = [], [0.0]
    monkeypatch.setattr(measure.time, "perf_counter", lambda: clock[0])

    def way(name, seconds):
        def work():
            order.append(name)
            clock[0] += seconds if order.count(name) > 1 else 100.0

        return work

    times = measure.interleaved({"a": way("a", 1.0), "b": way("b", 3.0)}, rounds=3)
    assert order == ["a", "b"] * 4
    assert times == {"a": (1.0, 0.0), "b": (3.0, 0.0)}


def test_loops_are_told_counts_that_fill_the_time_and_results_are_per_turn(monkeypatch):
    clock, counts = [0.0], []
    monkeypatch.setattr(measure.time, "perf_counter", lambda: clock[0])

    def loop(count):
        counts.append(count)
        clock[0] += 1e-3 * count

    assert measure.interleaved_loops({"a": loop}, 2, at_least=0.02)["a"].median == pytest.approx(1e-3)
    assert counts[-3:] == [32, 32, 32]


def test_processor_time_is_counted_when_asked_for(monkeypatch):
    monkeypatch.setattr(measure.time, "perf_counter", lambda: 3.0)
    monkeypatch.setattr(measure.time, "process_time", lambda: 5.0)
    assert measure.now() == 3.0
    monkeypatch.setitem(measure.clock, "cpu", True)
    assert measure.now() == 5.0


def test_the_garbage_collector_is_back_afterwards():
    was = measure.gc.isenabled()
    measure.interleaved({"a": lambda: None})
    assert measure.gc.isenabled() == was


def test_spread_is_the_range_over_the_median():
    assert measure.timing([1.0, 2.0, 4.0]) == measure.Timing(2.0, 1.5)


@pytest.mark.parametrize(
    ("row", "met"),
    [
        (Row("b", "c", 1.0, "s"), None),
        (Row("b", "c", 1.0, "s", limit=1.0), True),
        (Row("b", "c", 1.1, "s", limit=1.0), False),
        (Row("b", "c", 1.0, "s", "p", 2.0, ratio_limit=0.5), True),
        (Row("b", "c", 1.1, "s", "p", 2.0, ratio_limit=0.5), False),
        (Row("b", "c", 1.0, "s", "p", 4.0, limit=0.5, ratio_limit=0.5), False),
        (Row("b", "c", math.nan, "s", limit=1.0), False),
    ],
)
def test_a_limit_is_met_or_missed(row, met):
    assert row.met is met


# Curves


def test_the_time_for_an_error_is_interpolated_on_logarithmic_axes():
    curve = Curve("c", [1e-2, 1e-4, 1e-6], [1.0, 10.0, 100.0], [0.0] * 3)
    assert time_for(curve, 1e-3) == pytest.approx(10**0.5)
    assert time_for(curve, 1e-6) == pytest.approx(100.0)
    assert time_for(curve, 1e-5) == pytest.approx(10**1.5)


def test_an_error_above_the_coarsest_costs_as_much_as_that_and_one_below_the_finest_is_not_reached():
    curve = Curve("c", [1e-4, 1e-2], [10.0, 1.0], [0.0] * 2)
    assert time_for(curve, 0.5) == 1.0
    assert time_for(curve, 1e-5) is None
    assert time_for(Curve("c", [], [], []), 1e-3) is None


def test_settings_that_another_beats_in_both_are_no_part_of_the_front():
    curve = Curve("c", [1e-2, 1e-3, 1e-4, 1e-4], [1.0, 5.0, 3.0, 4.0], [0.0] * 4)
    assert front(curve) == [(1e-2, 1.0), (1e-4, 3.0)]


# What is left out, and the report


def test_an_engine_that_is_missing_is_named(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    monkeypatch.delitem(sys.modules, "benchmarks.peers.with_mujoco", raising=False)
    options = Options(tmp_path)
    assert peers.engines(options, ("mujoco",)) == []
    (told,) = options.skipped
    assert told.startswith("mujoco: cannot be imported")
    assert told in capsys.readouterr().out


def test_the_report_says_what_was_met_missed_skipped_and_how_busy_the_machine_was(tmp_path):
    options = Options(tmp_path, rounds=5)
    options.skip("abacus: has no beads")
    options.note("Read with care.")
    rows = [
        Row("sums", "small", 1.0, "us", "abacus", 2.0, 0.1, ratio_limit=0.8, aim=0.5, difference=3e-15),
        Row("sums", "large", 9.0, "us", "abacus", 10.0, 0.1, ratio_limit=0.8, aim=0.5),
        Row("size", "all", 5.0, "MB", limit=6.0),
    ]
    text = report.markdown(rows, options, [0.3, 4.0])
    assert "## Asked for: 2 of 3 met" in text
    assert "| sums | 0.8 x | 1 of 2 | 0.90 (large, beside abacus) | **MISSED** |" in text
    assert "| size | 6 MB | 1 of 1 | 5 MB (all) | met |" in text
    assert "| 0.5 | 3.0e-15 | 0.8 x (aim 0.5): met |" in text
    assert "- abacus: has no beads" in text
    assert "- Read with care." in text
    assert "do not trust the times" in text
    assert "do not trust the times" not in report.markdown(rows, options, [0.3, 1.0])
    for line in text.splitlines():
        if line.startswith("| ") and "beads" not in line:
            assert line.count("|") in (6, 10), line


@pytest.mark.parametrize(
    ("value", "text"), [(0.5, "0.5"), (1234.5, "1234"), (12345.0, "12345"), (2e5, "2.0e+05"), (3e-7, "3.0e-07")]
)
def test_numbers_are_plain_where_that_is_short(value, text):
    assert report.number(value) == text
    assert float(report.number(value, 2)) == pytest.approx(value, rel=0.05)


def test_plots_are_made_for_what_is_there_and_not_for_nothing(tmp_path):
    rows = [Row("growth", f"n = {n}", float(n), "us", "abacus", 2.0 * n) for n in (10, 100)]
    plot.ratio_plot(rows, tmp_path / "ratios")
    plot.growth_plot(rows, tmp_path / "growth")
    plot.work_precision_plot([Curve("RedMax RK4", [1e-2, 1e-4], [1.0, 2.0], [0.0] * 2)], tmp_path / "work", "smooth")
    made = {path.name for path in tmp_path.iterdir()}
    assert made == {f"{name}.{kind}" for name in ("ratios", "growth", "work") for kind in ("svg", "png")}
    plot.ratio_plot([Row("b", "c", 1.0, "s")], tmp_path / "nothing")
    plot.growth_plot([Row("b", "c", 1.0, "s")], tmp_path / "nothing")
    assert not list(tmp_path.glob("nothing*"))


def test_every_benchmark_can_be_named_and_a_wrong_name_is_told(capsys):
    names = command.known()
    assert set(command.FIRST) <= set(names)
    assert len(names) == len(list((ROOT / "benchmarks").glob("bench_*.py")))
    for name in names:
        text = (ROOT / "benchmarks" / f"bench_{name}.py").read_text(encoding="utf-8")
        assert "def run(options: Options) -> list[Row]:" in text, name
    assert command.main(["no_such_thing"]) == 2
    assert "no_such_thing" in capsys.readouterr().out


def test_a_benchmark_runs_alone_and_is_saved_under_its_name(tmp_path, capsys, monkeypatch):
    accuracy = importlib.import_module("benchmarks.bench_accuracy")
    monkeypatch.setattr(accuracy, "LINKS", 4)
    monkeypatch.setattr(accuracy, "PEERS", ())
    assert command.main(["accuracy", "--quick", "--results", str(tmp_path)]) == 0
    rows = json.loads((tmp_path / "quick-accuracy.json").read_text())
    assert [row["case"].split(",")[0] for row in rows] == ["revolute chain 4"] * 2 + ["spherical chain 4"] * 2
    assert all(0.0 < row["ours"] < 1e-13 for row in rows)
    assert "## Asked for: 4 of 4 met" in (tmp_path / "quick-accuracy.md").read_text()
    assert "saved in" in capsys.readouterr().out


# The section of docs/measurements.md


ROWS = [
    Row("forward dynamics, compiled loop", "chain 3", 1.0, "us", "abacus", 4.0, ratio_limit=0.8),
    Row("forward dynamics, compiled loop", "chain 3", 1.0, "us", "sundial", 8.0),
    Row("forward dynamics, compiled loop", "chain 5", 2.0, "us", "sundial", 9.0),
    Row("memory, 1000 bodies", "route numpy", 50.0, "MB", limit=300.0),
    Row("loops, as closed as ours", "lift, Draft", 1.0, "ms/s", "abacus fine", 4.0, ratio_limit=0.8, difference=2e-3),
    Row("loops, as closed as it can", "lift, Draft", 1.0, "ms/s", "sundial", 8.0, difference=3e-1),
    Row("loops, at its own defaults", "lift", 1.0, "ms/s", "sundial", 5.0),
]


@pytest.fixture
def results(tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "benchmarks.json").write_text(json.dumps([asdict(row) for row in ROWS]))
    (folder / "benchmarks.md").write_text(report.markdown(ROWS, Options(folder), [0.5]))
    (folder / "work-precision-whip.svg").write_text("<svg/>")
    return folder


def test_the_section_on_speed_is_renewed_between_its_marks(results, tmp_path):
    page = tmp_path / "measurements.md"
    page.write_text(f"before\n{document.BEGIN}\nold\n{document.END}\nafter\n")
    assert document.main(results, page) == 0
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "old" not in text
    assert "| case | ours | abacus | sundial |" in text
    assert "| chain 3 | 1 | 4 | 8 |" in text
    assert "| chain 5 | 2 |  | 9 |" in text
    assert "| memory, 1000 bodies | 300 MB | 1 of 1 | 50 MB (route numpy) | met |" in text
    assert "| lift, Draft | as ours | 1 | abacus fine | 4 | 2e-03 | 0.25 | 0.8 x: met |" in text
    assert "| lift, Draft | as it can | 1 | sundial | 8 | 3e-01 | 0.12 |  |" in text
    assert "| loops, at its own defaults | lift | 1 ms/s | sundial 5 |" in text
    assert "![Time over error, whip](images/work-precision-whip.svg)" in text
    assert (tmp_path / "images" / "work-precision-whip.svg").exists()
    assert "smooth" not in text, "a plot that was not made is not shown"
    again = text
    assert document.main(results, page) == 0
    assert page.read_text() == again


def test_without_results_or_marks_the_page_stays(results, tmp_path, capsys):
    page = tmp_path / "measurements.md"
    page.write_text("no marks")
    assert document.main(results, page) == 1
    assert document.main(tmp_path / "nowhere", page) == 1
    assert page.read_text() == "no marks"
    told = capsys.readouterr().out
    assert "marks" in told
    assert "make bench" in told


def test_the_page_has_its_marks():
    text = document.DOCUMENT.read_text(encoding="utf-8")
    assert text.index(document.BEGIN) < text.index(document.END)


# The environment of the peers


def locked(path):
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if "==" in line and not line.startswith("#"))


def test_every_peer_and_what_ours_needs_is_locked():
    versions = locked("requirements-peers.lock")
    for package in ("pin", "mujoco", "pybullet", "dartpy", "drake", "exudyn", "numba", "llvmlite", "matplotlib"):
        assert package in versions, package
    # The same compiler as in the add-on, else other machine code would be measured than users run.
    wheels = (ROOT / "wheels.lock").read_text(encoding="utf-8")
    for package in ("numba", "llvmlite"):
        shipped = set(re.findall(rf"\b{package}[-= \"]+([0-9.]+[0-9])", wheels))
        assert shipped == {versions[package]}, shipped
