# SPDX-License-Identifier: GPL-3.0-or-later
"""What the benchmark of contact rests on: its scenes, what it measures, and when it says that a peer is better."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from benchmarks import bench_blender_contact, bench_contact
from benchmarks.bench_contact import Tried, beside, check_start, compared, time_again, verdict
from benchmarks.measure import Options
from benchmarks.mechanisms import GRAVITY
from benchmarks.peers import touching_in_redmax
from benchmarks.peers.base import FPS
from benchmarks.peers.touching_base import Course, TouchingMachine
from benchmarks.touching_errors import Errors, deepest, errors, finder, margin
from benchmarks.touching_scenes import (
    FREE,
    all_of_them,
    drop,
    few_of_them,
    four_bar_on_ground,
    frame,
    hull,
    pile,
    pinch,
    slope,
    stack,
)

SCENES = {scene.name: scene for scene in [*all_of_them(), *few_of_them()]}
NONE = math.nan


def standing(scene):
    """(n, 4, 4) poses of the parts at the start."""
    E = np.tile(np.eye(4), (len(scene.parts), 1, 1))
    for k, part in enumerate(scene.parts):
        E[k, :3, :3], E[k, :3, 3] = frame(part.turn), part.at
    return E


def weighed(scene):
    """Energy at the start [J]."""
    return sum(
        part.mass * (0.5 * np.dot(part.velocity, part.velocity) - np.dot(scene.gravity, part.at))
        for part in scene.parts
    )


class Still(TouchingMachine):
    """An engine in which nothing moves, and every frame takes as long as it is told."""

    def __init__(self, scene, *, off=0.0, fails_at=None, sunk=0.0):
        super().__init__(scene)
        self.E, self.fails_at = standing(scene), fails_at
        self.E[:, 0, 3] += off
        self.sunk, self.now = sunk, 0

    def settings(self):
        return ("as it comes", "stiffer")

    def begin(self, setting):
        self.now = 0

    def frame(self, number):
        self.now = number + 1
        if number == self.fails_at:
            raise RuntimeError("came apart")

    def poses(self):
        E = self.E.copy()
        E[:, 2, 3] -= self.sunk * (self.now > 0)
        return E

    def energy(self):
        return float(weighed(self.scene))


# --- scenes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCENES)
def test_scenes_begin_touching_at_most(name):
    """Exact touch counts as none: else everyone would begin with an error."""
    scene = SCENES[name]
    assert deepest(standing(scene)[None], finder(scene)) < 1e-12


@pytest.mark.parametrize("scene", [four_bar_on_ground(), pinch(), pile(1), drop(4)], ids=lambda scene: scene.name)
def test_ours_builds_what_is_described(scene):
    machine = touching_in_redmax.build(scene)
    check_start(scene, "ours", machine)
    assert machine.model.mass == pytest.approx(scene.mass, rel=1e-12)
    assert len(machine.model.loops) == len(scene.pins)
    poses, _ = machine.start("Accuracy Draft")
    assert np.abs(poses - standing(scene)).max() < 1e-12, "turned as told, too"


def test_another_scene_is_noticed():
    with pytest.raises(ValueError, match="built another stack of 10"):
        check_start(stack(10), "somebody", Still(stack(10), off=1e-6))


def test_hulls_stand_where_their_points_do():
    points = np.random.default_rng(3).normal(size=(12, 3))
    turn = frame((0.5, 0.5, -0.5, 0.5))
    made = hull("hull", (0.0, 0.0, 0.0), points, turn)
    back = np.array(made.corners) @ frame(made.turn).T  # turned into the world, less the centre of mass
    np.testing.assert_allclose(back - back.mean(0), (points - points.mean(0)) @ turn.T, atol=1e-12)


def test_the_block_stops_where_friction_says_and_loses_all_that_it_had():
    scene = slope(holds=False)
    end = scene.path(np.array([2.0]))[0]
    assert end[0] == pytest.approx(2.0**2 / (2.0 * 0.5 * GRAVITY))
    assert scene.lost(np.array([2.0]))[0] == pytest.approx(0.5 * scene.mass * 2.0**2)


def test_the_grasp_could_hold_half_as_much_again():
    held, *fingers = pinch().parts
    can_bear = sum(0.5 * finger.push for finger in fingers)
    assert held.mass * GRAVITY / can_bear == pytest.approx(2.0 / 3.0)


def test_dolls_hang_together():
    """Each hinge lies on its limb's axis, where it begins."""
    for part in pile(2).parts:
        if part.joint != FREE:
            E = frame(part.turn)
            arm = E.T @ np.subtract(part.pin, part.at)
            assert np.abs(arm[:2]).max() < 1e-12
            assert abs(E[:, 2] @ part.axis) < 1e-12, "across the limb"


# --- errors ----------------------------------------------------------------------------------


def test_what_went_wrong_is_measured():
    scene = stack(2)
    start, unit = standing(scene), scene.mass * GRAVITY * scene.size
    moved = start.copy()
    moved[1, :3, 3] += (0.004, 0.0, -0.003)
    course = Course(np.array([start, moved]), weighed(scene) + np.array([0.0, -0.01 * unit]), 1.0)
    found = errors(scene, course, start, weighed(scene), finder(scene))
    assert found.penetration == pytest.approx(0.003 / 0.2)
    assert found.slip == pytest.approx(0.005 / 0.2)
    assert found.energy == pytest.approx(0.01)
    assert math.isnan(found.opening)
    assert "slip 3e-02" in str(found)
    assert "open" not in str(found)


def test_what_falls_may_lose_energy_and_not_gain_any():
    scene = drop(2)
    start, unit = standing(scene), scene.mass * GRAVITY * scene.size
    course = Course(np.array([start] * 3), weighed(scene) + unit * np.array([-0.5, -0.4, -0.9]), 1.0)
    found = errors(scene, course, start, weighed(scene), finder(scene))
    assert found.energy == pytest.approx(0.1)
    assert math.isnan(found.slip)


def test_a_block_that_slides_is_held_to_its_path_and_its_loss():
    scene = slope(holds=False)
    t = (np.arange(12) + 1.0) / FPS
    poses = np.tile(standing(scene), (12, 1, 1, 1))
    poses[:, 0, :3, 3] = scene.path(t)
    exact = Course(poses, weighed(scene) - scene.lost(t), 1.0)
    found = errors(scene, exact, standing(scene), weighed(scene), finder(scene))
    assert found.worst < 1e-12
    lifted = poses.copy()
    lifted[5, 0, 2, 3] += 0.033
    found = errors(scene, replace(exact, poses=lifted), standing(scene), weighed(scene), finder(scene))
    assert found.slip == pytest.approx(0.033 / 0.2)


def test_a_loop_that_opens_is_measured():
    scene = four_bar_on_ground()
    start = standing(scene)
    open_ = start.copy()
    open_[3, 1, 3] += 0.002
    course = Course(open_[None], np.array([weighed(scene)]), 1.0)
    assert errors(scene, course, start, weighed(scene), finder(scene)).opening == pytest.approx(0.002 / 0.4)


# --- verdicts --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("theirs", "faster", "expected"),
    [
        (Errors(1e-5, 1e-5, 1e-5, NONE), 0.5, 0.5),  # better at everything, least at time
        (Errors(1e-3, 1e-5, 1e-5, NONE), 0.5, 10.0),  # ten times as deep
        (Errors(1e-5, 1e-5, 1e-5, NONE), 3.0, 3.0),  # slower
        (Errors(1e-4, 1e-4, 1e-4, NONE), 0.5, 1.0),  # as wrong, and faster: no better
    ],
)
def test_a_peer_is_better_where_it_is_faster_and_in_nothing_worse(theirs, faster, expected):
    assert margin(theirs, Errors(1e-4, 1e-4, 1e-4, NONE), faster) == pytest.approx(expected)


def test_rounding_is_no_difference():
    ours, theirs = Errors(1e-12, 1e-4, 1e-15, NONE), Errors(1e-10, 1e-5, 0.0, NONE)
    assert margin(theirs, ours, 0.5) == pytest.approx(0.5), "beaten in the one thing that is compared"
    exact = Errors(1e-12, NONE, 0.0, NONE)
    assert margin(exact, exact, 0.1) == 1.0, "as accurate is not more accurate"


def tried(engine, setting, worst, seconds):
    return Tried(engine, setting, Still(stack(1)), Errors(worst, worst, worst, NONE), [seconds])


def test_the_verdict_names_the_nearest_pair():
    ours = [tried("RedMax", "draft", 1e-4, 1.0), tried("RedMax", "high", 1e-8, 10.0)]
    near, far = tried("A", "fast", 1e-2, 0.1), tried("B", "stiff", 1e-6, 2.0)
    (row,) = verdict("stack", ours, [near, far])
    assert row.ours == pytest.approx(1.0 / 2.0)  # B would have to take half as long to beat draft
    assert "B stiff comes nearest to draft" in row.case
    assert row.met
    (row,) = verdict("stack", ours, [near, tried("B", "stiff", 1e-6, 0.4)])
    assert "B stiff beats draft" in row.case
    assert row.ours == pytest.approx(2.5)
    assert not row.met
    assert verdict("stack", ours, []) == []


def test_beside_a_peer_stands_the_fastest_of_ours_that_is_no_worse():
    draft, high = tried("RedMax", "draft", 1e-4, 1.0), tried("RedMax", "high", 1e-8, 10.0)
    assert beside([draft, high], tried("A", "", 1e-3, 0.1)) is draft
    assert beside([draft, high], tried("A", "", 1e-6, 0.1)) is high
    assert beside([draft, high], tried("A", "", 1e-9, 0.1)) is high


def test_long_runs_are_timed_once():
    short, long = tried("A", "", 1e-3, 0.1), tried("B", "", 1e-3, 3.0)
    time_again([short, long], 2, 3)
    assert len(short.times) == 3
    assert long.times == [3.0]
    assert long.spread is None


# --- a whole row -----------------------------------------------------------------------------


def test_runs_that_fail_or_take_too_long_end_early_and_say_so():
    scene = stack(1)
    course = Still(scene, fails_at=3).run("as it comes", 10)
    assert (len(course), course.told) == (3, "came apart")
    course = Still(scene).run("as it comes", 10, longest=-1.0)
    assert (len(course), "stopped by the benchmark" in course.told) == (0, True)
    thrown = Still(scene, sunk=1e5).run("as it comes", 10)
    assert (len(thrown), thrown.told) == (0, "diverges")


def test_everyone_is_compared_over_the_frames_that_ours_came_to(monkeypatch, tmp_path):
    """Ours ends early; a peer that sinks is told from one that fails."""

    class Engine:
        NAME = "Peer"

        @staticmethod
        def build(scene):
            return Still(scene, sunk=0.01)

    class Broken(Engine):
        NAME = "Broken"

        @staticmethod
        def build(scene):
            return Still(scene, fails_at=1)

    monkeypatch.setattr(bench_contact.touching_in_redmax, "build", lambda scene: Still(scene, fails_at=6))
    options = Options(tmp_path, quick=True, rounds=2)
    rows = compared(options, stack(2), [Engine, Broken])
    reached, judged, *others = rows
    assert reached.benchmark == "contact, part not reached"
    assert reached.ours == pytest.approx(0.75)
    assert not reached.met
    assert judged.benchmark == "contact, verdict"
    assert "first 0.25 s of 1.00 s" in judged.case
    assert [row.peer.split(" (")[0] for row in others] == ["Peer as it comes", "Peer stiffer"]
    assert others[0].difference == pytest.approx(0.01 / 0.2)
    assert len([what for what in options.skipped if "Broken" in what and "came apart at 0.04 s" in what]) == 2
    assert (tmp_path / "quick-contact-stack-of-2.svg").exists()


def test_beside_bullet_an_error_counts_where_keys_can_show_it():
    """Ours may be wrong by what single precision hides, else by no more than Bullet; five times its default time."""
    ours = {"seconds": 1.0, "penetration": 5e-7, "drift": 2e-3}
    theirs = {"seconds": 0.25, "penetration": 1e-9, "drift": 1e-3}
    found = bench_blender_contact.rows({"blender": "", "wall": {"redmax": ours, "defaults": theirs, "60/60": theirs}})
    assert [(row.ratio, row.met) for row in found[:3]] == [(4.0, True), (pytest.approx(500.0), True), (2.0, False)]
    assert found[3].met is None  # its time at 60 steps is only told
    slow = {"redmax": ours | {"seconds": 1.3}, "defaults": theirs, "60/60": theirs}
    assert bench_blender_contact.rows({"wall": slow})[0].met is False
