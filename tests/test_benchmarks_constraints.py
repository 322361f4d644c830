# SPDX-License-Identifier: GPL-3.0-or-later
"""What the benchmark of constraints rests on: its mechanisms, and that a peer with another scene is noticed."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks import bench_constraints
from benchmarks.bench_constraints import as_accurate, check_same
from benchmarks.held_mechanisms import (
    DURATION,
    Held,
    all_of_them,
    ball_angles,
    driven_chain,
    gear_train,
    limited_chain,
    motors,
    prescribed_chain,
    stopped_four_bar,
    stopped_scissor_lift,
)
from benchmarks.measure import Options
from benchmarks.peers import held_in_redmax
from benchmarks.peers.base import FPS, Unsupported

from redmax.spatial import so3

FEW = [limited_chain(3), gear_train(3), driven_chain(3), prescribed_chain(4), stopped_four_bar()]


class Peer:
    """Ours in place of a peer, with limits and coordinates that a test may spoil."""

    def __init__(self, held: Held, *, unit: float = 1.0, off: float = 0.0) -> None:
        self.held, self.unit, self.off = held, unit, off
        self.machine = held_in_redmax.build(held)

    def stops(self):
        return self.unit * np.array([(limit.lower, limit.upper) for limit in self.held.limits]).reshape(-1, 2)

    def run(self, _way, frames):
        return self.machine.run(frames) + self.off


@pytest.mark.parametrize("held", FEW, ids=lambda held: held.name)
def test_ours_keeps_what_it_is_told(held):
    machine = held_in_redmax.build(held)
    q = machine.run(12)
    assert not machine.told
    assert machine.passed(q) < 1e-9


@pytest.mark.parametrize("held", [limited_chain(5), stopped_four_bar(), stopped_scissor_lift(2)], ids=lambda h: h.name)
def test_stops_are_met(held):
    """Else there would be nothing to compare."""
    q = held_in_redmax.build(held).run(24)
    room = [min((q[:, s.joint] - s.lower).min(), (s.upper - q[:, s.joint]).min()) for s in held.limits]
    assert min(room) < 1e-6


def test_what_is_missed_is_measured():
    assert limited_chain(2).passed(np.array([[0.0, 0.1], [-0.7, 0.6]])) == pytest.approx(0.2)
    assert gear_train(2).passed(np.array([[1.0, -1.0]])) == pytest.approx(0.1)
    held = prescribed_chain(1)
    t = (np.arange(3) + 1.0) / FPS
    assert held.passed(held.moved[0].at(t)[:, None] + 0.02) == pytest.approx(0.02)
    assert math.isnan(Held(held.linkage).passed(np.zeros((3, 1))))


def test_a_path_is_the_cubic_it_is_told():
    (moved,) = prescribed_chain(1).moved
    table, t = held_in_redmax.path(moved), np.linspace(0.0, DURATION, 21)
    np.testing.assert_allclose([table.value(x)[0] for x in t], moved.at(t), atol=1e-12)


def test_the_same_scene_passes_and_others_are_noticed():
    held = limited_chain(3)
    ours = held_in_redmax.build(held)
    check_same(held, ours, Peer(held), None)
    with pytest.raises(ValueError, match="limits are"):  # radians taken for degrees
        check_same(held, ours, Peer(held, unit=math.pi / 180.0), None)
    with pytest.raises(ValueError, match="from ours"):
        check_same(held, ours, Peer(held, off=2e-3), None)


def test_a_peer_is_as_accurate_by_the_longest_steps_that_are(tmp_path):
    held, options = motors(2), Options(tmp_path, quick=True)
    ours = held_in_redmax.build(held)
    coarse, fine, finer, finest = (SimpleNamespace(name=f"step {k}", rk4=k > 0, off=off) for k, off in
                                   enumerate((2e-6, 3e-4, 4e-6, 1e-9)))  # fmt: skip
    machine = SimpleNamespace(run=lambda way, frames: ours.run(frames) + way.off)
    ways: dict[str, object] = {}
    peer = SimpleNamespace(WAYS=(coarse,), ACCURATE=(fine, finer, finest))
    name, off_by = as_accurate(options, held, ours, machine, peer, 3, ways)
    assert (name, list(ways)) == ("step 2", ["step 2"])
    assert off_by == pytest.approx(4e-6, rel=0.1)
    assert "step 1 3e-04" in next(iter(options.notes))
    peer.ACCURATE = (fine,)
    assert as_accurate(options, held, ours, machine, peer, 3, ways) is None
    assert "not at any step tried" in next(iter(options.skipped))


def test_motors_are_also_compared_by_steps_of_the_same_kind(monkeypatch, tmp_path):
    """Ours takes as many linearly implicit steps as the peer's first way would, beside that way's time."""
    monkeypatch.setattr(bench_constraints, "warm_up", lambda: True)
    held, options = motors(2), Options(tmp_path, quick=True)
    ours = held_in_redmax.build(held)
    machine = SimpleNamespace(
        run=lambda way, frames: ours.run(frames), stops=lambda: np.zeros((0, 2)), passed=lambda q: 0.0
    )
    ways = tuple(SimpleNamespace(name=name, rk4=False) for name in ("Euler 1 ms", "stiff"))
    peer = SimpleNamespace(WAYS=ways, ACCURATE=(), build=lambda held: machine)
    rows = bench_constraints.compared(options, held, peer, 3)
    (same,) = [row for row in rows if "steps of the same kind" in row.case]
    assert (same.peer, same.ratio_limit) == ("Euler 1 ms", bench_constraints.RATIO_LIMIT)
    stepper = held_in_redmax.SAME_STEPS.begin(ours.model, ours.model.initial_state())
    stepper.advance(1.0 / bench_constraints.FPS)
    assert stepper.steps == 42
    with_standard = ours.run(3)
    assert 1e-6 < np.abs(ours.run(3, integrator=held_in_redmax.SAME_STEPS) - with_standard).max() < 0.1


def test_swing_and_twist_of_a_ball():
    swing, twist, whole = ball_angles(so3.exp(np.array([[0.3, 0.0, 0.0], [0.0, 0.3, 0.4], [-0.7, 0.0, 0.0]])))
    np.testing.assert_allclose(swing, [0.0, 0.5, 0.0], atol=1e-7)
    np.testing.assert_allclose(twist, [0.3, 0.0, -0.7], atol=1e-12)
    np.testing.assert_allclose(whole, [0.3, 0.5, 0.7], atol=1e-7)


def test_what_is_not_there_yet_is_named(monkeypatch, tmp_path):
    """Rows for elements that the engine may not have are left out by name, never in silence."""
    monkeypatch.setattr(held_in_redmax, "BALL_LIMIT", "no such constraint")
    monkeypatch.setattr(held_in_redmax, "MOTOR", "no such record")
    waiting = [held for held in all_of_them() if held.balls is not None or held.motor is not None]
    assert len(waiting) == 2
    options = Options(tmp_path, quick=True)
    for held in waiting:
        with pytest.raises(Unsupported, match="not there yet"):
            held_in_redmax.build(held)
        assert bench_constraints.compared(options, held, None, 2) == []
    assert len([what for what in options.skipped if "not there yet" in what]) == 2
