# SPDX-License-Identifier: GPL-3.0-or-later
"""Beginnings and samples of runs with loops: kernels against readable code."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.mechanisms import (
    Builder,
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
from redmax.dynamics.constrained import ConstraintError
from redmax.fields import Pose
from redmax.integrators import Dop853
from redmax.integrators.constrained import ConstrainedRun
from redmax.simulate import sampling, simulate
from redmax.state import State
from redmax.tables import Table

pytest.importorskip("numba")
from redmax import fast

REGULAR = {
    "four-bar": four_bar,
    "slider-crank": slider_crank,
    "parallelogram": parallelogram,
    "Peaucellier": peaucellier,
    "scissor lift": lambda: scissor_lift(3),
    "Jansen leg": jansen_leg,
    "driven": lambda: four_bar(motion_type="animated", animation=TURN),
    "sprung": lambda: four_bar(stiffness=30.0, damping=0.5, torque=2.0),
}
TURN = Table(x=(0.0, 0.4, 1.0), y=((0.0,), (0.4,), (0.5,)), interpolation="cubic")


def samples(scene, monkeypatch, *, readable):
    model = compile_scene(scene)
    with monkeypatch.context() as patch:
        if readable:
            patch.setattr(sampling, "_tree_for", lambda _: None)
        else:
            patch.setattr(sampling.Sampler, "_computed", None)  # which readable samples would need
        return list(simulate(model, integrator=Dop853(), fps=24.0, duration=0.2))


@pytest.mark.parametrize("name", REGULAR)
def test_samples_by_kernels_are_those_of_readable_code(name, monkeypatch):
    """Every channel; the run is the same, so that only rounding differs."""
    found = samples(REGULAR[name](), monkeypatch, readable=False)
    expected = samples(REGULAR[name](), monkeypatch, readable=True)
    for mine, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine.E_wb, other.E_wb, atol=1e-14)
        assert mine.channels.keys() == other.channels.keys()
        for channel, values in other.channels.items():
            size = 1.0 + np.abs(values).max(initial=0.0)
            np.testing.assert_allclose(mine.channels[channel], values, atol=1e-11 * size, err_msg=channel)


def test_what_equations_leave_open_is_left_to_readable_code():
    """A hinge whose axis is none of its frame's: three rows hold two directions, and kernels keep two of them."""
    b = Builder("skew")
    u, v = np.array([np.cos(0.4), np.sin(0.4), 0.0]), np.array([0.0, 0.0, 1.0])
    axis = np.cross(u, v)
    A, D = np.zeros(3), u
    B, C = 0.4 * v, u + 0.5 * v + 0.1 * u
    for name, ends in (("left", (A, B)), ("coupler", (B, C)), ("right", (D, C))):
        b.bar(name, *ends)
    b.hinge("A", None, "left", A, axis)
    b.hinge("B", "left", "coupler", B, axis)
    b.hinge("D", None, "right", D, axis)
    b.hinge("C", "coupler", "right", C, axis)
    model = compile_scene(b.scene)
    tree, start = fast.constrained_tree(model), model.initial_state()
    assert tree.is_regular(start.q, start.chart)
    assert not tree.observe(start.q, start.qdot, start.chart, 0.0).certain
    assert list(simulate(model, integrator=Dop853(), fps=24.0, duration=0.1))[-1].status == "complete"


@pytest.mark.parametrize("make", [sarrus, bennett])
def test_rows_that_depend_on_each_other_where_loops_are_closed_are_seen(make):
    model = compile_scene(make())
    tree, start = fast.constrained_tree(model), model.initial_state()
    assert not tree.observe(start.q, start.qdot, start.chart, 0.0).certain


# --- beginnings --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REGULAR)
def test_a_run_begins_where_readable_code_begins_it(name):
    """From a pose that is open a little, as typed by hand, and from velocities that break the loop."""
    model, rng = compile_scene(REGULAR[name]()), np.random.default_rng(3)
    start, off = model.initial_state(), np.where(model.prescribed, 0.0, 1.0)
    q = start.q + 1e-5 * off * rng.uniform(-1.0, 1.0, model.dof_count)
    state = State(start.t, q, start.qdot + off * rng.uniform(-1.0, 1.0, model.dof_count), start.chart)
    slow, quick = ConstrainedRun(model), ConstrainedRun(model, fast.constrained_tree(model))
    quick.rows = None  # which readable code would ask for
    expected, found = slow.started(state), quick.started(state)
    assert quick.rank == slow.rank
    # Both go by the least change, one of them damped: they part by the square of the gap.
    np.testing.assert_allclose(found.q, expected.q, atol=1e-9)
    np.testing.assert_allclose(found.qdot, expected.qdot, atol=1e-8 * (1.0 + np.abs(expected.qdot).max()))
    assert quick.tree.evaluate_loops(found.q, found.qdot, found.chart).gaps().max() < 1e-14


def closing_frame(scene, position=(0.0, 0.0, 0.0), rotation=(1.0, 0.0, 0.0, 0.0)):
    """With the frame of the last joint moved in its child."""
    *others, last = scene.joints
    x, y, z = last.frame_in_child.position
    moved = Pose((x + position[0], y + position[1], z + position[2]), rotation)
    scene.joints[:] = [*others, dataclasses.replace(last, frame_in_child=moved)]
    return scene


UPSIDE_DOWN = (0.0, 1.0, 0.0, 0.0)
WRONG = {
    "too far apart": (lambda: closing_frame(four_bar(), (0.01, 0.0, 0.0)), r"'C' is off by .*0\.01 m at the start"),
    "upside down": (lambda: closing_frame(four_bar(), rotation=UPSIDE_DOWN), r"'C' is off by 3\.14 rad at the start"),
    "beside the plane": (lambda: closing_frame(four_bar(), (0.0, 1e-5, 0.0)), r"'C' stays off by 1e-05 m"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_at_the_start_is_named(name):
    make, message = WRONG[name]
    model = compile_scene(make())
    for run in (ConstrainedRun(model), ConstrainedRun(model, fast.constrained_tree(model))):
        with pytest.raises(ConstraintError, match=message):
            run.started(model.initial_state())


def test_a_velocity_across_the_plane_is_named():
    """The rows across a mechanism's plane say nothing to free joints, but an animated one can break them."""
    b = Builder("pulled apart")
    A, B, C, D = np.zeros(3), np.array([0.0, 0.0, 0.4]), np.array([1.1, 0.0, 0.5]), np.array([1.0, 0.0, 0.0])
    for name, ends in (("left", (A, B)), ("coupler", (B, C)), ("right", (D, C))):
        b.bar(name, *ends)
    b.body("carriage", D, 1.0, np.eye(3))
    pull = Table(x=(0.0, 1.0), y=((0.0,), (0.1,)), interpolation="linear")
    b.joint("prismatic", "rail", None, "carriage", D, axis=(0.0, 1.0, 0.0), motion_type="animated", animation=pull)
    b.hinge("A", None, "left", A)
    b.hinge("B", "left", "coupler", B)
    b.hinge("D", "carriage", "right", D)
    b.hinge("C", "coupler", "right", C)
    model = compile_scene(b.scene)
    with pytest.raises(ConstraintError, match="'C': demands a velocity that the mechanism cannot have"):
        Dop853().begin(model, model.initial_state())


@pytest.mark.parametrize("name", REGULAR)
def test_bodies_stand_and_move_as_readable_code_says(name):
    stepper = Dop853().begin(model := compile_scene(REGULAR[name]()), model.initial_state())
    stepper.advance(0.1)
    E_wi, phi = stepper.body_motion()
    kin = fast.kinematics(model, stepper.state.q, stepper.state.qdot, stepper.state.chart)
    np.testing.assert_allclose(E_wi, kin.E_wi, atol=1e-14)
    np.testing.assert_allclose(phi, kin.phi, atol=1e-13 * (1.0 + np.abs(kin.phi).max()))
