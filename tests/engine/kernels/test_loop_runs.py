# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole runs of closed loops in kernels, against the same runs in readable code."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest

from engine.mechanisms import (
    bennett,
    four_bar,
    jansen_leg,
    parallelogram,
    peaucellier,
    sarrus,
    scissor_lift,
    slider_crank,
)
from redmax.compile import compile as compile_scene
from redmax.constraints import JointLimit
from redmax.integrators import Dop853, Rk45
from redmax.simulate import simulate
from redmax.tables import Table

pytest.importorskip("numba")
from redmax import fast

MECHANISMS = {
    "four-bar": four_bar,
    "slider-crank": slider_crank,
    "parallelogram": parallelogram,
    "Peaucellier": peaucellier,
    "Sarrus": sarrus,
    "Bennett": bennett,
    "scissor lift": lambda: scissor_lift(3),
    "Jansen leg": jansen_leg,
}


def driven(scene):
    """With its first joint animated, and a damper and a spring on the second."""
    first, second, *others = scene.joints
    start = first.q if isinstance(first.q, (int, float)) else 0.0
    turn = Table(x=(0.0, 0.4, 1.0), y=((start,), (start + 0.4,), (start + 0.5,)), interpolation="cubic")
    first = dataclasses.replace(first, motion_type="animated", animation=turn)
    second = dataclasses.replace(second, stiffness=3.0, damping=0.5)
    scene.joints[:] = [first, second, *others]
    return scene


def last_sample(model, integrator):
    return list(simulate(model, integrator=integrator, fps=24.0, duration=0.5))[-1]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name in ("Jansen leg", "Sarrus", "Peaucellier")))
        for name in MECHANISMS
    ],
)
def test_kernels_move_a_mechanism_as_readable_code_does(name):
    model = compile_scene(MECHANISMS[name]())
    assert fast.constrained_tree(model) is not None
    tight = {"rtol": 1e-10, "atol": 1e-10}
    quick, slow = last_sample(model, Dop853(**tight)), last_sample(model, Dop853(**tight, dynamics="projected"))
    assert quick.status == slow.status == "complete"
    np.testing.assert_allclose(quick.E_wb, slow.E_wb, atol=1e-7)
    for channel in ("twist", "energy", "reaction"):
        size = max(1.0, np.abs(slow.channels[channel]).max())
        np.testing.assert_allclose(quick.channels[channel], slow.channels[channel], atol=2e-6 * size, err_msg=channel)
    assert quick.channels["gap"].max() < 1e-13


@pytest.mark.parametrize("cls", [Dop853, Rk45])
@pytest.mark.parametrize("name", ["four-bar", "slider-crank"])
def test_an_animated_crank_works_on_its_loop(name, cls):
    model = compile_scene(driven(MECHANISMS[name]()))
    tight = {"rtol": 1e-10, "atol": 1e-10}
    quick, slow = last_sample(model, cls(**tight)), last_sample(model, cls(**tight, dynamics="recursive"))
    np.testing.assert_allclose(quick.E_wb, slow.E_wb, atol=1e-7)
    for channel in ("work", "loss", "motor", "torque"):
        size = max(1.0, np.abs(slow.channels[channel]).max())
        np.testing.assert_allclose(quick.channels[channel], slow.channels[channel], atol=2e-6 * size, err_msg=channel)
    # the books balance
    first = next(iter(simulate(model, integrator=cls(**tight), fps=24.0, duration=0.5)))
    change = quick.channels["energy"] - first.channels["energy"]
    assert change == pytest.approx(quick.channels["work"] - quick.channels["loss"], abs=1e-7)


def test_long_runs_stay_closed_and_keep_their_energy():
    model = compile_scene(four_bar())
    stepper = Dop853(rtol=1e-9, atol=1e-9).begin(model, model.initial_state())
    tree = stepper.tree
    assert tree is not None
    seen = []
    for frame in range(1, 481):
        state = stepper.advance(frame / 24.0)
        seen.append(np.abs(tree.row_errors(state.q, state.qdot, state.chart)).max())
    assert max(seen) < 1e-13
    begin, end = model.initial_state(), stepper.state
    start, now = (tree.observe(s.q, s.qdot, s.chart, s.t) for s in (begin, end))
    drift = (now.kinetic + now.potential) - (start.kinetic + start.potential)
    assert abs(drift) < 1e-5 * max(now.kinetic, 1.0)


@pytest.mark.parametrize(
    ("integrator", "says"),
    [
        (Rk45(rtol=1e-3, atol=1e-3), "loop joint 'C': can no longer be closed after t = 0.209"),
        (Dop853(rtol=1e-8, atol=1e-8), "joint '[BD]': the adaptive step became too small; loosen the tolerances"),
    ],
)
def test_a_loop_that_is_moved_beyond_its_reach_is_named(integrator, says):
    """Turned by 2.1 rad, the crank is as far from the rocker's pivot as coupler and rocker reach together. Which of the
    joints that flee is told first depends on the last digit, which checked kernels have otherwise."""
    scene = four_bar(crank=0.7, coupler=0.6, rocker=0.5, ground=0.9, angle=0.6)
    turn = Table(x=(0.0, 1.0), y=((0.0,), (10.0,)), interpolation="linear")
    scene.joints[0] = dataclasses.replace(scene.joints[0], motion_type="animated", animation=turn)
    model = compile_scene(scene)
    assert integrator.begin(model, model.initial_state()).tree is not None
    sample = last_sample(model, integrator)
    assert sample.status == "failed"
    assert re.search(says, sample.message), sample.message
    assert "reach" in sample.message


def test_the_widest_loop_is_found_among_several():
    model = compile_scene(scissor_lift(3))
    tree, state = fast.constrained_tree(model), model.initial_state()
    q = state.q.copy()
    names = [loop.joint.name for loop in model.loops]
    last = model.loops[-1]
    q[model.columns(last.child)] += 0.3  # turns a body that only the last loop holds
    assert names[tree.widest_open(q, state.qdot, state.chart, state.t)] == last.joint.name


def test_runs_that_begin_where_rows_depend_on_each_other_are_compiled_too():
    """A parallelogram that is folded flat, and Bennett's linkage, which moves only because its rows are redundant."""
    for scene, independent in ((parallelogram(angle=0.0), True), (bennett(), False)):
        model = compile_scene(scene)
        stepper = Dop853().begin(model, model.initial_state())
        assert stepper.tree is not None
        assert stepper.constraints.independent == independent


def test_constraints_that_kernels_do_not_know_are_left_to_readable_code(monkeypatch):
    monkeypatch.setattr(JointLimit, "packed", lambda _limit: None)
    scene = four_bar()
    scene.constraints.append(JointLimit(name="stop", joint=scene.joints[0].name, upper=2.0))
    assert fast.constrained_tree(compile_scene(scene)) is None
