# SPDX-License-Identifier: GPL-3.0-or-later
"""Assembly of loops from rough poses."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.mechanisms import MECHANISMS, Builder, four_bar, peaucellier, scissor_lift
from redmax.compile import compile as compile_scene
from redmax.constraints import JointLimit
from redmax.dynamics.assembly import CLOSED, close_loops, gaps
from redmax.dynamics.constraint_rows import constraint_rows
from redmax.dynamics.kinematics import body_poses, kinematics
from redmax.errors import ElementName
from redmax.integrators import Dop853, RungeKutta4
from redmax.simulate import SimulationError, simulate
from redmax.solvers.row_solver import RowSolver, UnevenMassError


def perturbed(model, seed, amount):
    return model.q0 + amount * np.random.default_rng(seed).uniform(-1.0, 1.0, model.dof_count)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", MECHANISMS)
def test_mechanisms_close_from_five_percent_off(name, seed):
    """5 % of a radian (or of a metre) in every coordinate, to 1e-12."""
    model = compile_scene(MECHANISMS[name][0]())
    found = close_loops(model, perturbed(model, seed, 0.05))
    assert found.closed, found.gaps
    rows = constraint_rows(model, kinematics(model, found.q, np.zeros(model.dof_count)), 0.0, quick=False)
    assert np.abs(rows.error).max() < 1e-12
    assert np.abs(found.q - model.q0).max() < 0.5  # near where it was, not somewhere else


def test_peaucelliers_tip_moves_on_a_straight_line():
    """x of the tip is (long^2 - short^2) / (2 crank) wherever the crank is; assembled first from a rough pose."""
    model = compile_scene(peaucellier())
    closed = close_loops(model, perturbed(model, 1, 0.05))
    model = dataclasses.replace(model, q0=closed.q)
    bar = model.body_names.index("far up")
    tip = np.linalg.inv(body_poses(model, kinematics(model, compile_scene(peaucellier()).q0, np.zeros(7)))[bar])
    scene = peaucellier()
    near = np.array([0.35 + 0.35 * np.cos(0.3), 0.0, 0.35 * np.sin(0.3)])
    far = near * (1.0 - 0.16) / float(near @ near)
    local = tip @ np.append(far, 1.0)
    samples = list(simulate(model, integrator=Dop853(), duration=1.0))
    assert samples[-1].status == "complete"
    points = np.array([sample.E_wb[bar] @ local for sample in samples])
    assert np.ptp(points[:, 2]) > 0.05  # it does move
    np.testing.assert_allclose(points[:, 0], 0.84 / 0.7, atol=1e-12)
    assert scene.joints[-1].name == "tip"


def test_held_coordinates_stay_and_the_others_close_the_loop():
    model = compile_scene(four_bar())
    held = np.array([name == "A" for name in model.joint_names])
    q = model.q0 + np.where(held, 0.2, 0.0)
    found = close_loops(model, q, held=held)
    assert found.closed
    assert found.q[held] == q[held]


def test_hard_limits_are_kept():
    """Without the limit the rocker would go beyond it."""
    model = compile_scene(four_bar())
    q = perturbed(model, 3, 0.3)
    rocker = model.joint_names.index("D")
    free = close_loops(model, q)
    limit = JointLimit(name="stop", joint="D", upper=float(free.q[rocker]) - 0.02)
    stopped = close_loops(dataclasses.replace(model, constraints=(limit,)), q)
    assert stopped.closed
    assert stopped.q[rocker] <= limit.upper + 1e-12
    assert not close_loops(dataclasses.replace(model, constraints=(limit,)), q).gaps


def test_what_cannot_be_closed_is_named_with_its_gap():
    """Bars that are too short by 0.2 m: the gap that remains is that, and no more."""
    scene = four_bar()
    far = scene.joints[2]
    moved = dataclasses.replace(far, frame_in_parent=dataclasses.replace(far.frame_in_parent, position=(2.1, 0.0, 0.0)))
    model = compile_scene(dataclasses.replace(scene, joints=[*scene.joints[:2], moved, scene.joints[3]]))
    found = close_loops(model)
    assert not found.closed
    angle, distance = found.gaps[ElementName("loop joint", "C")]
    assert angle < 1e-6
    assert distance == pytest.approx(2.1 - (0.3 + 0.9 + 0.7), rel=1e-6)
    with pytest.raises(SimulationError, match=r"loop joint 'C' is off by .* m at the start; assemble"):
        simulate(model, integrator=RungeKutta4(), duration=1.0)


def test_small_gaps_are_closed_silently():
    """Positions typed with four digits."""
    scene = four_bar()
    last = scene.joints[3]
    position = tuple(round(x, 4) for x in last.frame_in_child.position)
    moved = dataclasses.replace(last, frame_in_child=dataclasses.replace(last.frame_in_child, position=position))
    model = compile_scene(dataclasses.replace(scene, joints=[*scene.joints[:3], moved]))
    kin = kinematics(model, model.q0, model.qdot0)
    assert gaps(model, constraint_rows(model, kin, 0.0), CLOSED)
    samples = list(simulate(model, integrator=RungeKutta4(h=1e-2), duration=0.25))
    assert samples[-1].status == "complete"
    assert max(np.abs(sample.channels["gap"]).max() for sample in samples) < 1e-12


def test_a_hinge_upside_down_is_not_closed():
    """The sine of half a turn is zero: the quick error would not see it."""
    b = Builder("flipped")
    b.bar("bar", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    b.hinge("first", None, "bar", (0.0, 0.0, 0.0))
    b.hinge("second", None, "bar", (1.0, 0.0, 0.0))
    scene = b.scene
    flip = dataclasses.replace(scene.joints[1].frame_in_child, rotation=(0.0, 1.0, 0.0, 0.0))
    joints = [scene.joints[0], dataclasses.replace(scene.joints[1], frame_in_child=flip)]
    model = compile_scene(dataclasses.replace(scene, joints=joints))
    angle, _ = close_loops(model).gaps[ElementName("loop joint", "second")]
    assert angle == pytest.approx(np.pi)


def test_a_lift_of_twenty_stages_closes():
    model = compile_scene(scissor_lift(20))
    found = close_loops(model, perturbed(model, 2, 0.02))
    assert found.closed, found.gaps


def test_masses_that_differ_too_much_are_an_error_of_ours():
    """Their mass matrix has no inverse, up to rounding."""
    M = np.array([[1e18, 1e18], [1e18, 1e18]])
    with pytest.raises(UnevenMassError, match="masses that move together differ too much"):
        RowSolver(M, np.ones((1, 2)))
