# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads on joints: forces from their energies, derivatives, and independence of the chart q happens to be in."""

from __future__ import annotations

import numpy as np
import pytest

from redmax.compile import compile as compile_scene
from redmax.dynamics import recursive
from redmax.dynamics.kinematics import kinematics
from redmax.dynamics.loads import joint_loads, joint_potential, loads, potential_energy
from redmax.fields import Pose
from redmax.geometry.solids import Box
from redmax.joints import JOINTS, Joint
from redmax.scene import Body, Scene
from redmax.tables import Table

PULL = {"torque": (0.3, -0.2, 0.1), "stiffness": (2.0, 3.0, 4.0), "rest": (0.1, -0.2, 0.3), "damping": (0.5, 0.6, 0.7)}


def one_body(joint: Joint):
    body = Body(name="B", shapes=(Box(size=(1.0, 0.4, 0.3), density=100.0, frame=Pose((0.3, 0.1, 0.0))),))
    return compile_scene(Scene(bodies=[body], joints=[joint]))


def ball(kind: str, **fields):
    return one_body(JOINTS[kind](name="J", parent=None, child="B", **fields))


def limited():
    bounds = {"lower": (-0.5, -0.5, 0.0), "upper": (0.5, 0.2, 1.0), "limit_stiffness": 50.0, "limit_damping": 3.0}
    x = np.linspace(-2.0, 2.0, 9)
    table = Table(x=x, y=np.stack([np.sinh(x), x**3, np.sin(x)], axis=1), interpolation="cubic")
    return ball("translational", **PULL, **bounds, stiffness_table=table)


Q = [(0.1, 0.0, 0.5), (0.9, -0.8, -0.3), (-0.7, 0.4, 1.3)]  # inside, beyond every limit on either side


@pytest.mark.parametrize("q", Q)
def test_springs_and_limits_are_the_gradient_of_their_energy(q):
    model, q, rest = limited(), np.array(q), np.zeros(3)
    f = joint_loads(model, q, rest, 0.0)[0] - model.torque
    for k, step in enumerate(1e-6 * np.eye(3)):
        slope = (joint_potential(model, q + step) - joint_potential(model, q - step)) / 2e-6
        assert f[k] == pytest.approx(-slope, abs=1e-7)  # differences of energies of size 10 over 1e-6


@pytest.mark.parametrize("q", Q)
def test_K_and_D_are_the_derivatives_of_the_force(q):
    model, q, qdot = limited(), np.array(q), np.array([0.4, -1.0, 2.0])
    _, K, D = joint_loads(model, q, qdot, 0.0)
    for k, step in enumerate(1e-6 * np.eye(3)):
        by_q = joint_loads(model, q + step, qdot, 0.0)[0] - joint_loads(model, q - step, qdot, 0.0)[0]
        by_qdot = joint_loads(model, q, qdot + step, 0.0)[0] - joint_loads(model, q, qdot - step, 0.0)[0]
        np.testing.assert_allclose(by_q / 2e-6, K[k] * np.eye(3)[k], atol=1e-6)
        np.testing.assert_allclose(by_qdot / 2e-6, D[k] * np.eye(3)[k], atol=1e-6)


def test_limit_damping_acts_only_beyond_the_limit():
    model = limited()
    inside, outside = (joint_loads(model, np.array(q), np.ones(3), 0.0)[2] for q in Q[:2])
    np.testing.assert_array_equal(inside, -model.damping)
    np.testing.assert_array_equal(outside, -model.damping - 3.0)


def test_torque_tables_follow_time():
    table = Table(x=(0.0, 1.0), y=((1.0, 2.0, 3.0), (5.0, 6.0, 7.0)), interpolation="step")
    model = ball("translational", torque_table=table)
    for t, expected in ((-1.0, (1, 2, 3)), (0.5, (1, 2, 3)), (1.0, (5, 6, 7)), (9.0, (5, 6, 7))):
        np.testing.assert_array_equal(joint_loads(model, np.zeros(3), np.zeros(3), t)[0], expected)


@pytest.mark.parametrize("chart", [2, 5, 8, 12])
def test_springs_on_euler_angles_do_not_depend_on_the_chart(chart):
    """A chart is only how q is written: energy, power and acceleration of the body stay the same."""
    model = ball("spherical_euler", **PULL)
    q, qdot = np.array([0.4, 0.5, -0.3]), np.array([1.0, -2.0, 0.5])
    joint = model.joints[0]
    other = joint.rewrite(q, qdot, 0, chart_like=chart, q_like=np.zeros(3))
    found = []
    for kin in (kinematics(model, q, qdot), kinematics(model, *other, np.array([chart]))):
        load = loads(model, kin, 0.0)
        motion = recursive.forward_dynamics(model, kin, load)
        found.append((potential_energy(model, kin), load.f_r @ kin.qdot, motion.Vdot, kin.V))
    for own, rewritten in zip(*found, strict=True):
        np.testing.assert_allclose(rewritten, own, rtol=1e-12, atol=1e-12)  # round-off of two Jacobians
