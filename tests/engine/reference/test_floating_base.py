# SPDX-License-Identifier: GPL-3.0-or-later
"""Kindr's floating-base form against the reduced dynamics, through the change of coordinates."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.dynamics import oracles
from engine.dynamics.oracles import DIFFERENCED, assert_close, derivative
from engine.random_trees import make_joint, random_scene, random_settings, random_situation, random_state
from redmax.compile import compile as compile_scene
from redmax.dynamics.kinematics import kinematics
from redmax.dynamics.loads import loads
from redmax.dynamics.singular import ImmovableError
from redmax.integrators import Dop853
from redmax.joints import JOINTS
from redmax.joints.base import LOCKED
from redmax.reference import floating_base, projected
from redmax.simulate import record, simulate
from redmax.spatial import chain_jacobians, pose

T = 0.3
ROUND_OFF = 1e-12  # numbers up to 1e2, a tree of 7 bodies
trees = given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 7))
few = settings(max_examples=15, deadline=None, derandomize=True)
BASES = ("free", "free_translation_rotation", "free_translation_euler")


def floating_scene(seed, n, **base_fields):
    """A random tree of joints of every kind whose root is one of the free joints, with springs on it too."""
    rng = np.random.default_rng(seed)
    scene = random_scene(rng, n, roots=0.0)
    base = next(j for j in scene.joints if j.parent is None)
    fields = random_settings(rng, 6, springs=True, damping=True, tables=True) | base_fields
    place = {"frame_in_parent": base.frame_in_parent, "frame_in_child": base.frame_in_child}
    free = make_joint(rng, BASES[seed % 3], name="base", parent=None, child=base.child, **place, **fields)
    scene.joints[scene.joints.index(base)] = free
    return rng, scene


def floating_case(seed, n):
    rng, scene = floating_scene(seed, n)
    model = compile_scene(scene)
    kin = kinematics(model, *random_state(rng, model))
    return model, kin, loads(model, kin, T)


@few
@trees
def test_Fbar_F_is_the_identity(seed, n):
    model, kin, _ = floating_case(seed, n)
    q, u = floating_base.floating_coordinates(model, kin)
    F, Fbar = floating_base.rate_matrix(q), floating_base.velocity_matrix(q)
    assert_close(Fbar @ F, np.eye(len(u)), 1e-15)
    # F Fbar is the projector onto rates that keep the quaternion's length.
    assert_close(F @ Fbar @ (F @ u), F @ u, 1e-14)


@few
@trees
def test_qdot_is_F_u(seed, n):
    """q differentiated along the motion; the quaternion is continuous as long as w does not pass zero."""
    model, kin, _ = floating_case(seed, n)
    q, u = floating_base.floating_coordinates(model, kin)

    def coordinates(s):
        moved = floating_base.floating_coordinates(model, kinematics(model, kin.q + s * kin.qdot, kin.qdot))[0]
        moved[3:7] *= np.sign(moved[3:7] @ q[3:7])
        return moved

    qdot = derivative(coordinates)
    assert_close(floating_base.rate_matrix(q) @ u, qdot, DIFFERENCED)
    assert_close(u, floating_base.velocity_matrix(q) @ qdot, DIFFERENCED)


@few
@trees
def test_the_jacobians_give_the_motion_of_every_mass_center(seed, n):
    model, kin, _ = floating_case(seed, n)
    _, u = floating_base.floating_coordinates(model, kin)
    J, _ = floating_base.mass_center_jacobians(model, kin)
    R = pose.rotation(kin.E_wi)
    inertial = np.einsum("nab,nkb->nka", R, kin.phi.reshape(n, 2, 3)).reshape(n, 6)
    assert_close(J @ u, inertial @ chain_jacobians.ANGULAR_FIRST, ROUND_OFF)


@few
@trees
def test_Jdot_is_the_derivative_of_J(seed, n):
    model, kin, _ = floating_case(seed, n)
    _, Jdot = floating_base.mass_center_jacobians(model, kin)

    def J(s):
        return floating_base.mass_center_jacobians(model, kinematics(model, kin.q + s * kin.qdot, kin.qdot))[0]

    assert_close(Jdot, derivative(J), DIFFERENCED)


@few
@trees
def test_B_is_the_change_of_velocities_and_Bdot_its_derivative(seed, n):
    model, kin, _ = floating_case(seed, n)
    B, Bdot = floating_base.change_of_coordinates(model, kin)
    assert_close(B @ kin.qdot, floating_base.floating_coordinates(model, kin)[1], ROUND_OFF)

    def moved(s):
        return floating_base.change_of_coordinates(model, kinematics(model, kin.q + s * kin.qdot, kin.qdot))[0]

    assert_close(Bdot, derivative(moved), DIFFERENCED)


@few
@trees
def test_the_reduced_equations_are_the_transformed_floating_ones(seed, n):
    """M = B^T Mbar B and h = B^T hbar - B^T Mbar Bdot u."""
    model, kin, load = floating_case(seed, n)
    M, h = floating_base.transformed_equations(
        *floating_base.equations_of_motion(model, kin, load),
        *floating_base.change_of_coordinates(model, kin),
        kin.qdot,
    )
    assert_close(M, projected.mass_matrix(model, kin), ROUND_OFF)
    assert_close(h, projected.generalized_force(model, kin, load), ROUND_OFF)


@few
@trees
def test_accelerations_equal_the_reduced_ones(seed, n):
    model, kin, load = floating_case(seed, n)
    B, Bdot = floating_base.change_of_coordinates(model, kin)
    expected = B @ projected.forward_dynamics(model, kin, load) + Bdot @ kin.qdot
    M, _ = floating_base.equations_of_motion(model, kin, load)
    # A thousand roundings amplified by both mass matrices.
    condition = np.linalg.cond(M) + np.linalg.cond(projected.mass_matrix(model, kin))
    assert_close(floating_base.accelerations(model, kin, load), expected, 1e3 * np.finfo(float).eps * condition)


@few
@trees
def test_joint_state_inverts_floating_coordinates(seed, n):
    model, kin, _ = floating_case(seed, n)
    guess = kin.q + 0.1 * np.random.default_rng(seed).uniform(-1.0, 1.0, model.dof_count)
    q, qdot = floating_base.joint_state(
        model, *floating_base.floating_coordinates(model, kin), guess, np.zeros(n, np.int64)
    )
    assert_close(q, kin.q, ROUND_OFF)
    assert_close(qdot, kin.qdot, ROUND_OFF)


def test_a_single_free_body_falls():
    """M = diag(m, Theta in B axes) about the centre of mass, and the base accelerates with g."""
    _, scene = floating_scene(0, 1)
    body = scene.bodies[0]
    scene.joints[0] = make_joint(np.random.default_rng(0), "free", name="base", parent=None, child=body.name)
    scene.gravity = (0.0, 0.0, -9.81)
    scene.bodies[0] = type(body)(name=body.name, inertia=type(body.inertia)(mass=2.0, tensor=np.diag([0.1, 0.2, 0.25])))
    model = compile_scene(scene)
    kin = kinematics(model, np.zeros(6), np.zeros(6))
    load = loads(model, kin, 0.0)
    M, _ = floating_base.equations_of_motion(model, kin, load)
    np.testing.assert_allclose(M, np.diag([2.0, 2.0, 2.0, 0.1, 0.2, 0.25]), atol=1e-15)
    np.testing.assert_allclose(floating_base.accelerations(model, kin, load), [0, 0, -9.81, 0, 0, 0], atol=1e-14)


def test_mechanisms_the_form_cannot_describe_are_named():
    rng, scene = floating_scene(4, 3)

    def message(joints):
        scene.joints = joints
        with pytest.raises(floating_base.FloatingBaseError) as error:
            floating_base.check_floating_base(compile_scene(scene))
        return str(error.value)

    joints = list(scene.joints)
    base = next(k for k, joint in enumerate(joints) if joint.parent is None)
    tip = next(k for k, joint in enumerate(joints) if joint.parent is not None)

    def put(k, kind, **fields):
        parent = fields.pop("parent", joints[k].parent)
        joint = make_joint(rng, kind, name="odd", parent=parent, child=joints[k].child, **fields)
        return [joint if i == k else old for i, old in enumerate(joints)]

    assert "'odd' carries the base but has 3 degrees" in message(put(base, "spherical"))
    assert "is a second root" in message(put(tip, "free", parent=None))
    scene.joints = put(tip, "revolute", motion_type=LOCKED)
    model = compile_scene(scene)
    kin = kinematics(model, *random_state(rng, model))
    with pytest.raises(floating_base.FloatingBaseError, match="'odd' is animated or locked"):
        floating_base.accelerations(model, kin, loads(model, kin, T))


# Of any mechanism: several bases, free or not.


@few
@trees
def test_Jdot_is_the_derivative_of_J_of_any_tree(seed, n):
    case = random_situation(seed, n, roots=0.4)
    J, Jdot = floating_base.mass_center_jacobians(case.model, case.kin)

    def moved(s):
        kin = kinematics(case.model, case.kin.q + s * case.kin.qdot, case.kin.qdot)
        return floating_base.mass_center_jacobians(case.model, kin)[0]

    assert_close(Jdot, derivative(moved), DIFFERENCED)
    B, _ = floating_base.change_of_coordinates(case.model, case.kin)
    assert_close(floating_base.velocities(case.model, case.kin), B @ case.kin.qdot, ROUND_OFF)
    inertial = np.einsum("nab,nkb->nka", pose.rotation(case.kin.E_wi), case.kin.phi.reshape(n, 2, 3)).reshape(n, 6)
    assert_close(J @ B @ case.kin.qdot, inertial @ chain_jacobians.ANGULAR_FIRST, ROUND_OFF)


@few
@trees
def test_forward_dynamics_equals_projected(seed, n):
    case = random_situation(seed, n, roots=0.3)
    oracles.assert_same_acceleration(case, floating_base.forward_dynamics(*case[:3]))


@few
@trees
def test_forward_dynamics_equals_projected_with_prescribed_joints(seed, n):
    case = random_situation(seed, n, prescribed=0.4)
    oracles.assert_same_acceleration(case, floating_base.forward_dynamics(*case[:4]))


@pytest.mark.parametrize("kind", JOINTS.kinds)
def test_forward_dynamics_equals_projected_for_every_kind(kind):
    """At the base and beyond it."""
    case = random_situation(11, 5, kinds=[kind])
    oracles.assert_same_acceleration(case, floating_base.forward_dynamics(*case[:3]))


def test_a_joint_that_carries_no_mass_is_named():
    model, kin, applied, *_ = random_situation(6, 2, kinds=["revolute"], chain=True)
    weightless = dataclasses.replace(model, inertia=np.zeros((2, 6)))
    with pytest.raises(ImmovableError, match="nothing resists its motion"):
        floating_base.forward_dynamics(weightless, kin, applied)


def test_it_is_a_formulation_that_integrators_offer():
    model = random_situation(3, 4, kinds=["spherical", "universal", "free_2d"]).model
    found = [
        record(model, simulate(model, duration=0.2, integrator=Dop853(rtol=1e-10, atol=1e-10, dynamics=name))).q
        for name in ("floating_base", "recursive")
    ]
    np.testing.assert_allclose(*found, atol=1e-8)  # both follow the motion to the tolerance
