# SPDX-License-Identifier: GPL-3.0-or-later
"""What the benchmarks' verdicts rest on: mechanisms, references, timing, curves and the report. No peer is needed."""

from __future__ import annotations

import importlib
import json
import math
import re
import sys
from pathlib import Path

import mpmath
import numpy as np
import pytest
from benchmarks import __main__ as command
from benchmarks import extended_precision as extended
from benchmarks import measure, peers, pendulum_reference, plot, report
from benchmarks.curves import Curve, front, time_for
from benchmarks.measure import Options, Row
from benchmarks.mechanisms import (
    GRAVITY,
    REVOLUTE,
    SPHERICAL,
    Y,
    at_rest,
    binary_tree,
    chain,
    hanging,
    matrix,
    planar_chain,
    quaternion,
    random_motion,
)
from benchmarks.peers.with_redmax import NumpyMachine, build

ROOT = Path(__file__).parents[1]
MECHANISMS = [chain(7), chain(6, SPHERICAL), binary_tree(3)]


def rotations(motion):
    return np.array([extended.rotation_from_vector(vector) for vector in motion.rotation])


def relative(got, expected):
    return float(np.abs(got - expected).max() / np.abs(expected).max())


# Mechanisms


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: mechanism.name)
def test_parents_come_before_children_and_hinges_turn_about_their_axes(mechanism):
    motion = random_motion(mechanism)
    for i, link in enumerate(mechanism.links):
        assert -1 <= link.parent < i
        if link.joint == REVOLUTE:
            for vector in (motion.rotation[i], motion.spin[i]):
                assert np.array_equal(vector, (vector @ link.axis) * np.array(link.axis))
                assert vector.any()


def test_a_binary_tree_of_five_levels_has_31_links_of_which_each_carries_two():
    parents = [link.parent for link in binary_tree().links]
    assert len(parents) == 31
    assert [parents.count(i) for i in range(15)] == [2] * 15


def test_a_hanging_chain_points_down_beside_the_vertical():
    motion = hanging(chain(4), aside=0.3, bend=0.01)
    down = matrix(motion.rotation[0]) @ (1.0, 0.0, 0.0)
    assert np.allclose(down, [math.sin(0.3), 0.0, -math.cos(0.3)], atol=1e-15)
    assert not motion.spin.any()


def test_quaternion_and_matrix_are_those_of_the_rotation_vector():
    vector = np.array([0.3, -0.7, 0.2])
    assert relative(matrix(vector), extended.rotation_from_vector(vector)) < 1e-15
    assert (
        relative(extended.rotation_from_quaternion(quaternion(vector)), extended.rotation_from_vector(vector)) < 1e-15
    )
    assert np.array_equal(quaternion(np.zeros(3)), [1, 0, 0, 0])


# The reference of accuracy


def test_a_single_link_swings_as_the_textbook_says():
    mechanism = chain(1)
    link = mechanism.links[0]
    motion = at_rest(mechanism, 0.4)
    about_the_hinge = link.inertia[1] + link.mass * link.center[0] ** 2
    expected = link.mass * GRAVITY * link.center[0] * math.cos(0.4) / about_the_hinge
    got = extended.joint_accelerations(mechanism, rotations(motion), motion.spin)
    assert np.abs(got - expected * np.array(Y)).max() < 1e-13 * expected


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: mechanism.name)
def test_recursion_and_projection_agree_though_they_share_no_formula(mechanism):
    motion = random_motion(mechanism, speed=3.0)
    R = rotations(motion)
    got = extended.joint_accelerations(mechanism, R, motion.spin)
    # Projection loses the condition of the mass matrix, about 1e4 here.
    assert relative(extended.by_projection(mechanism, R, motion.spin), got) < 1e-15


@pytest.mark.parametrize("bend", [0.8, 1e-3])
def test_80_bits_suffice_for_long_spherical_chains(bend):
    """Against 40 digits, from the same 80-bit rotations: the limit that is judged by this is 1e-12."""
    mechanism = chain(100, SPHERICAL)
    motion = random_motion(mechanism, bend=bend)
    R = rotations(motion)
    got = extended.joint_accelerations(mechanism, R, motion.spin)
    with mpmath.workdps(40):
        expected = extended.joint_accelerations(mechanism, exactly(R), motion.spin)
        assert relative(exactly(got), expected) < 1e-17


def exactly(values):
    """80-bit numbers as mpmath's, which would otherwise be rounded to double on the way."""
    high = values.astype(np.float64)
    low = (values - high).astype(np.float64)
    parts = zip(high.flat, low.flat, strict=True)
    return np.array([mpmath.mpf(a) + mpmath.mpf(b) for a, b in parts], object).reshape(values.shape)


@pytest.mark.parametrize("angle", [1e-9, 0.0499, 0.0501, 1.0, 3.0])
def test_spin_is_what_the_rotation_does(angle):
    """R^T dR/dt by central differences, on both sides of the series' threshold."""
    vector = angle * np.array([2, -1, 2], np.longdouble) / 3
    rates, h = np.array([0.3, 0.5, -0.7], np.longdouble), np.longdouble(1e-6)
    after, before = (extended.rotation_from_vector(vector + s * h * rates) for s in (1, -1))
    K = extended.rotation_from_vector(vector).T @ (after - before) / (2 * h)
    got = extended.spin_from_rates(vector, rates)
    assert np.abs(got - [K[2, 1], K[0, 2], K[1, 0]]).max() < 1e-11


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: mechanism.name)
@pytest.mark.parametrize("machine", [build, NumpyMachine], ids=["own route", "numpy"])
def test_our_engine_builds_the_mechanism_that_the_reference_moves(mechanism, machine):
    motion = random_motion(mechanism)
    ours = machine(mechanism)
    ours.set_motion(motion)
    expected = extended.joint_accelerations(mechanism, rotations(motion), motion.spin)
    assert relative(ours.joint_accelerations(), expected) < 1e-13


def test_a_simulation_of_ours_gives_the_places_of_the_links():
    mechanism = chain(3)
    ours = build(mechanism)
    ours.set_motion(at_rest(mechanism, math.pi / 2.0))  # hangs straight down and stays
    places = ours.simulate(1.0 / 240.0, 2)
    assert places.shape == (2, 3, 3)
    assert np.allclose(places, [[[0.0, 0.0, -0.1 * i] for i in range(3)]] * 2, atol=1e-12)


# The reference of integrators


def test_the_lagrangian_of_the_pendulum_and_the_recursion_agree():
    mechanism = planar_chain(5)
    motion = random_motion(mechanism, speed=4.0)
    y = np.cumsum(np.array([motion.rotation[:, 1], motion.spin[:, 1]]), axis=1).astype(np.longdouble).ravel()
    bend = np.diff(pendulum_reference.Pendulum(mechanism).slope(y)[5:], prepend=0)
    expected = extended.joint_accelerations(mechanism, rotations(motion), motion.spin)
    assert relative(bend, expected[:, 1]) < 1e-15


def test_only_planar_chains_are_pendulums():
    with pytest.raises(ValueError, match="turn about y"):
        pendulum_reference.Pendulum(chain(3))


def test_extrapolation_has_its_order_and_keeps_the_energy(tmp_path):
    mechanism = planar_chain(3)
    motion = at_rest(mechanism, 0.0)
    fine = pendulum_reference.computed(mechanism, motion, 0.1, 16)[0]
    errors = [np.abs(pendulum_reference.computed(mechanism, motion, 0.1, n)[0] - fine).max() for n in (1, 2)]
    assert errors[0] / errors[1] > 2**16, "order 20, less what comes before the asymptotic range"
    q, v, change = pendulum_reference.reference(mechanism, motion, 0.1, 16, tmp_path)
    assert change < 1e-14
    links, angle, rate = mechanism.links, np.cumsum(q), np.cumsum(v)
    end, speed, energy = np.zeros(2), np.zeros(2), 0.0
    for link, a, w in zip(links, angle, rate, strict=True):
        along, across = np.array([math.cos(a), -math.sin(a)]), np.array([-math.sin(a), -math.cos(a)])
        center, velocity = end + link.center[0] * along, speed + link.center[0] * w * across
        energy += link.mass * GRAVITY * center[1] + 0.5 * link.mass * velocity @ velocity + 0.5 * link.inertia[1] * w**2
        end, speed = end + links[1].offset[0] * along, speed + links[1].offset[0] * w * across
    assert abs(energy) < 1e-15, "it was let go level, where the energy is zero"


def test_a_reference_is_read_again_and_belongs_to_one_motion(tmp_path):
    mechanism = planar_chain(2)
    first = pendulum_reference.reference(mechanism, at_rest(mechanism, 0.1), 0.1, 4, tmp_path)
    (file,) = tmp_path.iterdir()
    marked = json.loads(file.read_text())
    marked[2] = 7.0
    file.write_text(json.dumps(marked))
    assert pendulum_reference.reference(mechanism, at_rest(mechanism, 0.1), 0.1, 4, tmp_path)[2] == 7.0
    other = pendulum_reference.reference(mechanism, at_rest(mechanism, 0.2), 0.1, 4, tmp_path)
    assert other[2] != 7.0
    assert not np.array_equal(other[0], first[0])


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
