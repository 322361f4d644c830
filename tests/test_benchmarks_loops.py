# SPDX-License-Identifier: GPL-3.0-or-later
"""What the benchmark of loops rests on: its mechanisms, how gaps are measured, what is compared. No peer is needed."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from benchmarks.bench_loops import (
    DEFAULTS,
    EQUAL,
    FINER,
    NEAREST,
    Result,
    as_near,
    asked_for,
    check_start,
    choices,
    distance,
)
from benchmarks.linkage import HINGE, Drawing, Linkage, consistent_rates, energies, extent, largest_gap, loop_jacobian
from benchmarks.loop_mechanisms import four_bar, jansen_legs, ring, scissor_lift
from benchmarks.peers.loops_base import Setting
from benchmarks.peers.loops_in_redmax import RedMaxLoops, build, places_of

from redmax.dynamics.assembly import mobility
from redmax.dynamics.kinematics import body_poses, kinematics

LINKAGES = [four_bar(), scissor_lift(3), jansen_legs(2), ring(8)]
each_linkage = pytest.mark.parametrize("linkage", LINKAGES, ids=lambda linkage: linkage.name)


def start_places(linkage: Linkage):
    return np.array([[(*body.at, 0.0) for body in linkage.bodies]])


def places_at(machine: RedMaxLoops, q):
    kin = kinematics(machine.model, q, np.zeros_like(q), machine.model.initial_state().chart)
    return places_of(body_poses(machine.model, kin)[machine.index])[None]


# Mechanisms


def test_the_bars_have_the_lengths_that_make_the_mechanisms_known():
    crank, coupler, rocker = four_bar().bodies
    (closing,) = four_bar().loops
    lengths = [
        math.dist(crank.at, coupler.at),
        math.dist(coupler.at, closing.at),
        math.dist(rocker.at, closing.at),
        math.dist(crank.at, rocker.at),
    ]
    assert np.allclose(lengths, [1.0, 2.0, 2.0, 2.0], rtol=0, atol=1e-15)
    leg = jansen_legs(1)
    at = {body.name.removesuffix(" 0"): body.at for body in leg.bodies}
    pin, pivot, back = at["upper rod"], at["hip"], at["rod"]
    top, low, knee = (loop.at for loop in leg.loops)
    assert at["foot"] == low
    jansen = {"j": (pin, top), "b": (pivot, top), "d": (pivot, back), "e": (top, back), "k": (pin, low)}
    jansen |= {"c": (pivot, low), "g": (low, knee), "f": (back, knee), "m": (at["crankshaft"], pin)}
    lengths = {letter: 100.0 * math.dist(*ends) for letter, ends in jansen.items()}
    usual = {"j": 50.0, "b": 41.5, "d": 40.1, "e": 55.8, "k": 61.9, "c": 39.3, "g": 36.7, "f": 39.4, "m": 15.0}
    assert lengths == pytest.approx(usual, abs=1e-12)


@pytest.mark.parametrize(
    ("linkage", "bodies", "loops", "freedoms"),
    [
        (four_bar(), 3, 1, 1),
        (scissor_lift(10), 21, 10, 1),
        (scissor_lift(50), 101, 50, 1),
        (jansen_legs(12), 73, 36, 1),
        (ring(100), 100, 1, 98),
    ],
    ids=lambda value: value.name if isinstance(value, Linkage) else "",
)
def test_mechanisms_are_as_large_as_their_names_say_and_move_as_known(linkage, bodies, loops, freedoms):
    assert (len(linkage), len(linkage.loops)) == (bodies, loops)
    assert len(linkage) - np.linalg.matrix_rank(loop_jacobian(linkage)) == freedoms


@each_linkage
def test_our_engine_builds_the_mechanism_of_the_description(linkage):
    machine = build(linkage)
    check_start(linkage, "ours", machine)
    assert np.abs(places_at(machine, machine.model.initial_state().q) - start_places(linkage)).max() < 1e-15
    assert mobility(machine.model).freedoms == len(linkage) - np.linalg.matrix_rank(loop_jacobian(linkage))


def test_another_mechanism_is_refused():
    linkage = four_bar()
    heavy = dataclasses.replace(linkage.bodies[2], mass=1.001 * linkage.bodies[2].mass)
    other = dataclasses.replace(linkage, bodies=(*linkage.bodies[:2], heavy))
    with pytest.raises(ValueError, match="peer built another four-bar"):
        check_start(linkage, "peer", build(other))


def test_the_crankshaft_of_the_legs_turns_at_the_start():
    assert jansen_legs(2).rates[0] == 5.0
    assert np.abs(loop_jacobian(jansen_legs(2)) @ jansen_legs(2).rates).max() < 1e-14


@pytest.mark.parametrize("linkage", LINKAGES[:3], ids=lambda linkage: linkage.name)
def test_rates_keep_the_loops_closed(linkage):
    moving = dataclasses.replace(linkage, rates=tuple(consistent_rates(linkage, 1.0)))
    machine = build(moving)
    rates = machine.model.initial_state().qdot
    assert np.abs(rates).max() >= 1.0
    gaps = [largest_gap(moving, places_at(machine, dt * rates)) for dt in (1e-4, 1e-5)]
    assert 90.0 < gaps[0] / gaps[1] < 110.0, "what remains is of second order"


def test_a_mechanism_that_cannot_move_is_refused():
    d = Drawing("truss")
    first = d.body("first", -1, (0.0, 0.0), ((0.0, 0.0), (1.0, 1.0)))
    second = d.body("second", -1, (2.0, 0.0), ((2.0, 0.0), (1.0, 1.0)))
    d.close(first, second, (1.0, 1.0))
    assert d.finished(1.0).rates == (0.0, 0.0)
    with pytest.raises(ValueError, match="truss: its first joint cannot move"):
        d.finished(1.0, spin=1.0)


def test_energies_of_a_turning_bar_are_those_of_the_textbook():
    d = Drawing("bar")
    d.body("bar", -1, (0.0, 0.0), ((0.0, 0.0), (2.0, 0.0)))
    bar = d.finished(1.0, spin=3.0)
    mass = 1000.0 * 0.02**2 * 2.0
    about_the_hinge = mass * (2.0**2 + 0.02**2) / 12.0 + mass * 1.0**2
    assert energies(bar) == pytest.approx((mass, 0.0, 0.5 * about_the_hinge * 9.0), rel=1e-14)


# Gaps


@each_linkage
def test_a_gap_is_what_a_joint_is_open_by(linkage):
    places = np.repeat(start_places(linkage), 3, axis=0)
    assert largest_gap(linkage, places) < 1e-15 * extent(linkage)
    for i, body in enumerate(linkage.bodies):
        moved = places.copy()
        moved[1, i, 1] += 1e-6
        assert largest_gap(linkage, moved) == pytest.approx(1e-6, rel=1e-8), body.name
        turned = places.copy()
        turned[2, i, 2] += 1e-6
        ends = [other.at for other in linkage.bodies if other.parent == i]
        ends += [loop.at for loop in linkage.loops if i in (loop.a, loop.b)]
        expected = 1e-6 * max(math.dist(body.at, end) for end in ends)
        assert largest_gap(linkage, turned) == pytest.approx(expected, rel=1e-6, abs=1e-15), body.name


def test_a_slide_may_move_along_x_only_as_far_as_what_hangs_on_it_allows():
    lift = scissor_lift(2)
    foot = next(i for i, body in enumerate(lift.bodies) if body.joint != HINGE)
    places = start_places(lift)
    places[0, foot, 0] += 0.25
    assert largest_gap(lift, places) == pytest.approx(0.25), "the bar on the foot stayed"
    alone = dataclasses.replace(lift, bodies=lift.bodies[:1], loops=(), rates=(0.0,))
    assert largest_gap(alone, places[:, :1]) == 0.0


@each_linkage
def test_our_runs_stay_closed_and_move(linkage):
    places = build(linkage).settings()[0].run(6)
    assert places.shape == (6, len(linkage), 3)
    assert largest_gap(linkage, places) < 1e-12 * linkage.size
    assert np.abs(places[-1] - start_places(linkage)[0]).max() > 0.01


# What is compared


def result(engine, step, seconds, gap, apart, *, own=False):
    return Result(engine, Setting("m", step, lambda _: None, own), seconds, gap, apart)


def test_peers_are_compared_at_the_fastest_setting_as_closed_as_ours():
    coarse = result("A", "coarse", 0.1, 1e-12, 0.5)
    same = result("A", "same", 1.0, 1e-12, 1e-3)
    fine = result("A", "fine", 4.0, 1e-12, 1e-5)
    finest = result("A", "finest", 9.0, 1e-13, 1e-7)
    soft = result("B", "soft", 0.01, 1e-3, 1e-3, own=True)
    stiff = result("B", "stiff", 2.0, 1e-8, 1e-3)
    chosen = choices([coarse, same, fine, finest, soft, stiff], allowed_gap=1e-9, reach=1.0)
    assert chosen == [(EQUAL, same), (FINER, fine), (NEAREST, stiff), (DEFAULTS, soft)]
    seconds = {each.label: each.seconds for _, each in chosen}
    assert asked_for(chosen, seconds) is same
    quick = result("C", "quick", 3.0, 1e-12, 1e-3)
    assert asked_for([*chosen, (EQUAL, quick)], {**seconds, quick.label: 0.5}) is quick, "as timed, not as tried"


def test_where_no_peer_is_as_closed_the_limit_is_asked_beside_the_most_closed():
    a, b = result("A", "", 1.0, 1e-5, 0.0), result("B", "", 9.0, 1e-6, 0.0)
    chosen = choices([a, b], allowed_gap=1e-9, reach=1.0)
    assert chosen == [(NEAREST, a), (NEAREST, b)]
    assert asked_for(chosen, {}) is b
    assert asked_for([], {}) is None


def test_ours_is_the_fastest_that_is_at_least_as_near_to_the_converged_run():
    draft, standard = result("R", "draft", 1.0, 1e-15, 1e-3), result("R", "standard", 2.0, 1e-15, 1e-6)
    seconds = {draft.label: 1.0, standard.label: 2.0}
    for error, expected in ((1e-2, draft), (1e-5, standard), (1e-9, standard)):
        assert as_near([draft, standard], result("A", "", 1.0, 1e-12, error), seconds) is expected
    assert as_near([draft, standard], result("A", "", 1.0, 0.0, 1e-2), {**seconds, draft.label: 3.0}) is standard


def test_runs_are_as_far_apart_as_any_body_at_any_frame():
    places = np.zeros((4, 3, 3))
    other = places.copy()
    other[1, 2, :2] = 0.3, 0.4
    other[3, 0, 2] = 1.0  # a turn
    assert distance(places, other) == 0.5
