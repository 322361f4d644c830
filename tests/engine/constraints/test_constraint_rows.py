# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of loops of every joint kind and of every constraint: G and the acceleration level by finite differences."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.constraints.closed import HINGED, QUIET, limited_balls, looped_model, pinned, tree_of_hinges
from engine.random_trees import random_model
from redmax.constraints import CONSTRAINTS, Pin
from redmax.dynamics import recursive
from redmax.dynamics.constraint_rows import constraint_rows
from redmax.dynamics.jacobians import jacobian
from redmax.dynamics.kinematics import kinematics
from redmax.dynamics.loads import loads
from redmax.dynamics.quick_loops import is_quick
from redmax.joints import JOINTS
from redmax.spatial import adjoint, pose

STEP = 1e-5
"""Of central differences: truncation 1e-10, rounding 1e-11."""

DIFFERENCED = 2e-8
MOVABLE = [kind for kind in JOINTS.kinds if kind not in ("free", "free_translation_rotation", "free_translation_euler")]
"""A free joint closes nothing."""


def closed_situations():
    for kind in MOVABLE:
        for world in (False, True):
            yield pytest.param(lambda seed, k=kind, w=world: looped_model(k, seed, world=w), id=f"{kind} {world}")
    for axis in (None, (0.3, -0.5, 0.8)):
        for other in ("body 3", None):
            yield pytest.param(lambda seed, a=axis, o=other: pinned(seed, axis=a, other=o), id=f"pin {axis} {other}")
    for other in ("body 3", None):
        slid = {"axis": (0.3, -0.5, 0.8), "slid": 0.7, "other": other}
        yield pytest.param(lambda seed, s=slid: pinned(seed, **s), id=f"slid pin {other}")


def hinged(name):
    def situation(seed):
        model = tree_of_hinges(seed, constraints=[HINGED[name]])
        return model, np.random.default_rng(seed).uniform(-1.0, 1.0, model.dof_count)

    return situation


SITUATIONS = [
    *closed_situations(),
    *(pytest.param(hinged(name), id=name) for name in HINGED),
    pytest.param(limited_balls, id="ball limits"),
    pytest.param(lambda seed: limited_balls(seed, swing_1=None), id="ball limits of one swing"),
]


def test_every_kind_of_constraint_is_here():
    """Rows of rolling, which hold no hinges, are those of symbolic/test_rolling.py."""
    elsewhere = {"pin", "ball_limit", "rolling"}
    assert {constraint.kind for constraint in HINGED.values()} | elsewhere == set(CONSTRAINTS.kinds)


def consistent(model, q, seed, t):
    """qdot that satisfies the rows, and any qddot."""
    rng = np.random.default_rng(seed)
    qdot, qddot = rng.uniform(-1.0, 1.0, (2, model.dof_count))
    rows = constraint_rows(model, kinematics(model, q, qdot), t)
    qdot += np.linalg.pinv(rows.G) @ (rows.rate - rows.G @ qdot)
    return qdot, qddot


def moving(model, q, qdot, qddot, t, s, *, quick):
    """Rows and velocities at time t + s of the motion with constant qddot."""
    v = qdot + s * qddot
    kin = kinematics(model, q + s * qdot + 0.5 * s**2 * qddot, v)
    return constraint_rows(model, kin, t + s, quick=quick), v


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("situation", SITUATIONS)
def test_G_is_the_derivative_of_the_error(situation, quick):
    model, q = situation(3)
    zero, t = np.zeros(model.dof_count), 0.4
    rows = constraint_rows(model, kinematics(model, q, zero), t, quick=quick)
    if not rows.holonomic.all():
        assert not rows.error.any()
        return
    if not rows.one_sided.any() and not rows.moved.any() and HINGED["coupling"] not in model.constraints:
        assert np.abs(rows.error).max() < 1e-13  # rounding: the situation is closed
    G = np.empty_like(rows.G)
    for k in range(model.dof_count):
        step = np.zeros(model.dof_count)
        step[k] = STEP
        after = constraint_rows(model, kinematics(model, q + step, zero), t, quick=quick).error
        before = constraint_rows(model, kinematics(model, q - step, zero), t, quick=quick).error
        G[:, k] = (after - before) / (2.0 * STEP)
    np.testing.assert_allclose(rows.G, G, atol=DIFFERENCED)


@pytest.mark.parametrize("situation", SITUATIONS)
def test_the_error_moves_as_the_velocity_level_says(situation):
    """d(error)/dt = G qdot - rate: also what a table prescribes."""
    model, q = situation(4)
    t = 0.4
    qdot, qddot = consistent(model, q, 4, t)
    rows, v = moving(model, q, qdot, qddot, t, 0.0, quick=True)
    after, _ = moving(model, q, qdot, qddot, t, STEP, quick=True)
    before, _ = moving(model, q, qdot, qddot, t, -STEP, quick=True)
    moved = (after.error - before.error) / (2.0 * STEP)
    np.testing.assert_allclose(moved, np.where(rows.holonomic, rows.G @ v - rows.rate, 0.0), atol=DIFFERENCED)


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("situation", SITUATIONS)
def test_the_acceleration_level_is_the_derivative_of_the_velocity_level(situation, quick):
    """d(G qdot - rate)/dt = (rows of accelerations) - bias, for any qddot and a qdot along the rows."""
    model, q = situation(5)
    t = 0.4
    qdot, qddot = consistent(model, q, 5, t)
    rows, _ = moving(model, q, qdot, qddot, t, 0.0, quick=quick)
    slips = []
    for s in (STEP, -STEP):
        at, v = moving(model, q, qdot, qddot, t, s, quick=quick)
        slips.append(at.G @ v - at.rate)
    kin = kinematics(model, q, qdot)
    Vdot = recursive.inverse_dynamics(model, kin, loads(model, kin, t), qddot).Vdot
    phidot = adjoint.transform_twist(pose.inverse(model.E_ji), Vdot)
    change = rows.acceleration(model, qddot, phidot) - rows.bias
    np.testing.assert_allclose(change, (slips[0] - slips[1]) / (2.0 * STEP), atol=DIFFERENCED)


@pytest.mark.parametrize("kind", MOVABLE)
def test_a_loop_takes_what_its_joint_does_not_allow(kind):
    """6 - n rows, and the quick ones are those of the generic joint, up to how they are combined."""
    model, q = looped_model(kind, 7)
    kin = kinematics(model, q, np.random.default_rng(1).uniform(-1.0, 1.0, model.dof_count))
    generic = constraint_rows(model, kin, 0.0, quick=False)
    quick = constraint_rows(model, kin, 0.0)
    joint = model.loops[0].joint
    assert len(generic.rate) == len(quick.rate) == 6 - joint.ndof
    if kind != "spherical_euler":  # quick unless its angles are singular at rest
        assert is_quick(joint) == (kind in ("fixed", "revolute", "prismatic", "planar", "translational", "spherical"))
    for rows in (generic, quick):
        loop = rows.loops[0]
        S = joint.motion(np.broadcast_to(joint.q, (joint.ndof,)), np.zeros(joint.ndof)).S
        np.testing.assert_allclose(loop.C @ loop.C.T, np.eye(len(loop.C)), atol=1e-12)
        np.testing.assert_allclose(loop.C @ S, 0.0, atol=1e-10)  # q_loop is found by Newton's method
    np.testing.assert_allclose(generic.G.T @ generic.G, quick.G.T @ quick.G, atol=1e-9)


def test_G_is_the_bodies_rows_times_the_jacobian():
    """Another way to G: the whole Jacobian of the paper. Source: RBDN eq. 2.98."""
    model, q = looped_model("universal", 11)
    kin = kinematics(model, q, np.random.default_rng(2).uniform(-1.0, 1.0, model.dof_count))
    rows = constraint_rows(model, kin, 0.0)
    J, _ = jacobian(model, kin)
    G_m = np.zeros((len(rows.rate), 6 * model.body_count))
    for row, body, B in rows.on_bodies:
        G_m[row : row + len(B), 6 * body : 6 * body + 6] += B
    np.testing.assert_allclose(rows.G, G_m @ J, atol=1e-12)


def test_the_directions_across_a_pins_axis_turn_with_its_body():
    """Two free bodies whose points slip along the axis: eq. 2.93 as printed would miss the turning (erratum)."""
    rng = np.random.default_rng(12)
    model = random_model(rng, 2, kinds=("free_translation_rotation",), roots=1.0, **QUIET)
    pin = Pin(name="pin", body="body 0", other="body 1", point=(0.2, 0.1, -0.3), axis=(0.3, -0.5, 0.8))
    model = dataclasses.replace(model, constraints=(pin,))
    q, qdot, qddot = rng.uniform(-1.0, 1.0, (3, model.dof_count))
    rows, _ = moving(model, q, qdot, qddot, 0.0, 0.0, quick=True)
    slips = [at.G @ v for at, v in (moving(model, q, qdot, qddot, 0.0, s, quick=True) for s in (STEP, -STEP))]
    kin = kinematics(model, q, qdot)
    Vdot = recursive.inverse_dynamics(model, kin, loads(model, kin, 0.0), qddot).Vdot
    change = rows.acceleration(model, qddot, adjoint.transform_twist(pose.inverse(model.E_ji), Vdot)) - rows.bias
    np.testing.assert_allclose(change, (slips[0] - slips[1]) / (2.0 * STEP), atol=DIFFERENCED)


def test_an_animated_loop_joint_follows_its_table():
    """All six rows, with the twist the joint is told to have."""
    from engine.constraints.closed import ANGLE

    model, q = looped_model("revolute", 9, motion_type="animated", animation=ANGLE)
    kin = kinematics(model, q, np.zeros(model.dof_count))
    rows = constraint_rows(model, kin, 0.0)
    assert len(rows.rate) == 6
    S = model.loops[0].joint.motion(np.zeros(1), np.zeros(1)).S
    np.testing.assert_allclose(rows.rate, S[:, 0] * ANGLE.derivative(0.0), atol=1e-15)
    assert rows.moved.all()
