# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs, dampers and torques on joints that close loops: the same motion as where the joint is in the tree."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.mechanisms import Builder, four_bar
from redmax.check import find_problems
from redmax.compile import compile as compile_scene
from redmax.dynamics.kinematics import kinematics
from redmax.dynamics.loop_loads import LoopLoads
from redmax.integrators import Automatic, Bdf2, Dop853, LinearlyImplicitEuler
from redmax.simulate import simulate
from redmax.tables import Table

TORQUE = Table(x=(0.0, 0.2, 0.5), y=((0.0,), (2.0,), (-1.0,)), interpolation="linear")
BEND = Table(x=(-1.0, 0.0, 1.0), y=((-20.0,), (0.0,), (40.0,)), interpolation="linear")
LOADS = {
    "spring": {"stiffness": 30.0, "rest": 0.4},
    "damper": {"damping": 1.5},
    "torque": {"torque": 3.0},
    "torque table": {"torque_table": TORQUE},
    "spring table": {"stiffness_table": BEND, "rest": 0.1},
    "soft limit": {"upper": 0.05, "limit_stiffness": 200.0, "limit_damping": 2.0},
    "all": {"stiffness": 30.0, "rest": 0.4, "damping": 1.5, "torque": 3.0, "torque_table": TORQUE},
}


def guided(*, loads, in_tree):
    """A bar on a hinge whose end slides in a slot: either the slider or the hinge closes the loop."""
    b = Builder("guided")
    b.bar("bar", (0.0, 0.0, 0.0), (1.0, 0.0, 0.5))
    b.body("block", (1.0, 0.0, 0.5), 2.0, 0.01 * np.eye(3))
    b.body("carriage", (0.0, 0.0, 0.0), 1.0, 0.01 * np.eye(3))
    slot = {"axis": (0.0, 0.0, 1.0)}
    if in_tree:
        b.joint("prismatic", "slot", None, "block", (1.0, 0.0, 0.5), **slot, **loads)
    b.joint("prismatic", "rail", None, "carriage", (0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0))
    b.hinge("pin", "carriage", "bar", (0.0, 0.0, 0.0), q=0.0)
    b.hinge("end", "bar", "block", (1.0, 0.0, 0.5))
    if not in_tree:
        b.joint("prismatic", "slot", None, "block", (1.0, 0.0, 0.5), **slot, **loads)
    return compile_scene(b.scene)


def four_bars(*, loads, in_tree):
    """The loads act on joint C, which closes the loop or is in the tree."""
    scene = four_bar()
    a, b, d, c = scene.joints
    c = dataclasses.replace(c, **loads)
    return compile_scene(dataclasses.replace(scene, joints=[a, b, c, d] if in_tree else [a, b, d, c]))


def motion(model, integrator, duration=0.5):
    samples = list(simulate(model, integrator=integrator, fps=24.0, duration=duration))
    assert samples[-1].status == "complete", samples[-1].message
    order = [model.body_names.index(name) for name in sorted(model.body_names)]
    return np.array([sample.E_wb[order] for sample in samples]), samples


QUICK = ("spring", "all")
"""Loads with which the four-bar runs in `make test` as well; the bar in a slot runs with each."""


@pytest.mark.parametrize(
    ("build", "name"),
    [(guided, name) for name in LOADS]
    + [pytest.param(four_bars, name, marks=[pytest.mark.slow] * (name not in QUICK)) for name in LOADS],
)
def test_the_motion_is_that_of_the_same_joint_in_the_tree(build, name):
    loop, tree = (build(loads=LOADS[name], in_tree=in_tree) for in_tree in (False, True))
    assert len(loop.forces) == 1
    assert not tree.forces
    tight = Dop853(rtol=1e-10, atol=1e-10)
    (E, samples), (E_tree, samples_tree) = motion(loop, tight), motion(tree, tight)
    np.testing.assert_allclose(E, E_tree, atol=1e-7)
    assert np.abs(E - E[0]).max() > 0.05
    for channel in ("energy", "work", "loss"):
        ours, theirs = (np.array([s.channels[channel] for s in run]) for run in (samples, samples_tree))
        np.testing.assert_allclose(ours, theirs, atol=1e-6 * (1.0 + np.abs(theirs).max()), err_msg=channel)


@pytest.mark.parametrize(
    ("integrator", "error"),
    [
        (Automatic(), 1e-5),
        pytest.param(Bdf2(h=2e-3), 3e-3, marks=pytest.mark.slow),
        (LinearlyImplicitEuler(h=5e-4), 1e-2),
    ],
)
def test_implicit_methods_know_them(integrator, error):
    """Automatic to its accuracy; fixed steps jump over the fast beginning, which lasts about as long as one of them."""
    loads = {"stiffness": 1e4, "damping": 300.0, "rest": 0.1}
    loop, tree = (four_bars(loads=loads, in_tree=in_tree) for in_tree in (False, True))
    E, E_tree = motion(loop, integrator, 0.25)[0], motion(tree, Dop853(rtol=1e-10, atol=1e-10), 0.25)[0]
    np.testing.assert_allclose(E, E_tree, atol=error)


def test_the_rate_is_that_of_the_coordinate_and_the_force_has_its_power():
    model = four_bars(loads=LOADS["all"], in_tree=False)
    (force,) = model.forces
    assert isinstance(force, LoopLoads)
    _, samples = motion(model, Dop853(rtol=1e-11, atol=1e-11), 0.3)
    for sample in samples[2:]:
        state, h = sample.state, 1e-6
        kin = kinematics(model, state.q, state.qdot, state.chart)
        ahead, back = (kinematics(model, state.q + step * state.qdot, state.qdot, state.chart) for step in (h, -h))
        bodies = list(force.bodies)
        rate = (force.coordinate(ahead.E_wi[bodies]) - force.coordinate(back.E_wi[bodies])) / (2.0 * h)
        E, phi = kin.E_wi[bodies], kin.phi[bodies]
        assert force._rate(phi) == pytest.approx(rate, abs=1e-6)
        put_in, taken = force.powers(E, phi, sample.t)
        stored = (force.potential(ahead.E_wi[bodies]) - force.potential(back.E_wi[bodies])) / (2.0 * h)
        power = float((force.wrenches(E, phi, sample.t) * phi).sum())
        assert power == pytest.approx(put_in - taken - stored, abs=1e-4)


def test_poses_of_a_step_gone_astray_give_no_number_and_no_error():
    """Integrators try a shorter step after NaN; an error would end the run without naming an element."""
    (force,) = four_bars(loads=LOADS["all"], in_tree=False).forces
    E = np.full((2, 4, 4), np.nan)
    assert np.isnan(force.coordinate(E))
    assert np.isnan(force.wrenches(E, np.zeros((2, 6)), 0.0)).all()


def test_a_joint_without_a_single_axis_is_refused_by_name():
    b = Builder("ball")
    b.bar("left", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    b.bar("right", (2.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    b.hinge("A", None, "left", (0.0, 0.0, 0.0))
    b.hinge("B", None, "right", (2.0, 0.0, 0.0))
    b.joint("spherical", "ball", "left", "right", (1.0, 0.0, 0.0), damping=1.0)
    (problem,) = find_problems(b.scene)
    assert str(problem).startswith("joint 'ball': closes a loop and has no single axis")
    assert "another joint of the loop" in str(problem)
