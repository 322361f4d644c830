# SPDX-License-Identifier: GPL-3.0-or-later
"""Dynamics in the smaller space: all routes agree, energies alone give the same motion, K and D are derivatives."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.drives.driven import CAM, chain, constrained_twin, equal_angles, hand, with_drives
from engine.mechanisms import Builder
from redmax import fast
from redmax.compile import compile as compile_scene
from redmax.drives import Drive, DriveInput, Follower
from redmax.dynamics import body_forces, energy, jacobians, loads
from redmax.dynamics.freedoms import freedoms
from redmax.dynamics.kinematics import kinematics
from redmax.dynamics.powers import powers
from redmax.forces.spring_damper import SpringDamper
from redmax.integrators import routes
from redmax.integrators.base import IntegrationError
from redmax.integrators.constrained import begin
from redmax.kernels import route
from redmax.reference import projected, projected_drives
from redmax.tables import Table

SOFT = {"stiffness": 3.0, "rest": 0.4, "damping": 0.7, "upper": 0.1, "limit_stiffness": 20.0, "limit_damping": 0.5}
BENT_SPRING = Table(x=(-1.0, 0.0, 1.0), y=((-2.0,), (0.3,), (4.0,)), interpolation="cubic")


def loaded():
    """The hand with springs, dampers, soft limits and a table on joints that follow and on inputs."""
    scene = hand(stiffness=2.0, damping=0.3, torque=0.4)
    joints = [
        dataclasses.replace(joint, **SOFT, stiffness_table=BENT_SPRING) if "knuckle" in joint.name else joint
        for joint in scene.joints
    ]
    joints = [dataclasses.replace(j, damping=0.4, stiffness=5.0) if j.name == "shoulder" else j for j in joints]
    return compile_scene(dataclasses.replace(scene, joints=joints))


def drawn(model, seed=0):
    q, qdot = np.random.default_rng(seed).uniform(-0.7, 0.7, (2, model.dof_count))
    return model.followers.placed(q, qdot)


def chart(model):
    return np.zeros(model.body_count, np.int64)


def moved(model, q, qdot, name="fast"):
    route = routes.begin(model, name)
    return route.accelerations(route.at(0.0, q, qdot, chart(model)))


def linearised(model, q, qdot, name="fast", **options):
    route = routes.begin(model, name)
    return route.linear_system(route.at(0.0, q, qdot, chart(model)), **options)


@pytest.mark.parametrize("seed", range(3))
def test_all_routes_agree(seed, monkeypatch):
    model = loaded()
    q, qdot = drawn(model, seed)
    kin = kinematics(model, q, qdot)
    wanted = projected_drives.forward_dynamics(model, kin, loads.loads(model, kin, 0.0), np.zeros(model.dof_count))
    found = [moved(model, q, qdot, name) for name in routes.FORMULATIONS]
    monkeypatch.setattr(fast, "bare_tree", lambda model: None)
    found.append(moved(model, q, qdot))
    for qddot in found:
        np.testing.assert_allclose(qddot, wanted, rtol=1e-10, atol=1e-10 * np.abs(wanted).max())
    np.testing.assert_allclose(model.followers.accelerated(q, qdot, wanted), wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_accelerations_and_forces_are_those_of_constraints(seed):
    model = loaded()
    q, qdot = drawn(model, seed)
    twin = constrained_twin(model)
    held = routes.begin(twin, constraints=begin(twin))
    motion = held.held_motion(held.at(0.0, q, qdot, chart(twin)))
    found = moved(model, q, qdot)
    np.testing.assert_allclose(found, motion.qddot, rtol=1e-9, atol=1e-9 * np.abs(found).max())
    route = routes.begin(model)
    at = route.at(0.0, q, qdot, chart(model))
    force = (route.motion(at).tau - at.load.f_r)[model.followers.rows]
    np.testing.assert_allclose(force, motion.multipliers, rtol=1e-8, atol=1e-8 * np.abs(force).max())


def test_accelerations_satisfy_euler_lagrange_of_the_reduced_lagrangian():
    """Its terms come from differenced energies of the whole mechanism alone."""
    model = compile_scene(hand(stiffness=2.0))
    model = dataclasses.replace(model, damping=np.zeros(model.dof_count))
    q, qdot = drawn(model, 7)
    free = freedoms(model, q).free
    qddot = moved(model, q, qdot)

    def lagrangian(y, ydot):
        q, qdot = np.zeros((2, model.dof_count))
        q[free], qdot[free] = y, ydot
        kin = kinematics(model, *model.followers.placed(q, qdot))
        return energy.kinetic_energy(model, kin) - loads.potential_energy(model, kin)

    def gradient(f, x, h):
        steps = h * np.eye(len(x))
        return np.array([(f(x + step) - f(x - step)) / (2.0 * h) for step in steps])

    def momentum(y, ydot):  # exact by differences: the kinetic energy is quadratic in velocities
        return gradient(lambda v: lagrangian(y, v), ydot, 0.5)

    y, v, a, h = q[free], qdot[free], qddot[free], 1e-5
    rate = (momentum(y + h * v, v + h * a) - momentum(y - h * v, v - h * a)) / (2.0 * h)
    slope = gradient(lambda x: lagrangian(x, v), y, 1e-5)
    np.testing.assert_allclose(rate, slope, rtol=1e-6, atol=1e-6 * np.abs(slope).max())
    wrong = a + 1e-3 * np.abs(a).max()
    off = (momentum(y + h * v, v + h * wrong) - momentum(y - h * v, v - h * wrong)) / (2.0 * h)
    assert np.abs(off - slope).max() > 1e-4 * np.abs(slope).max()


def differenced(force, x, h=1e-6):
    steps = h * np.eye(len(x))
    return np.array([(force(x + step) - force(x - step)) / (2.0 * h) for step in steps]).T


def assert_K_and_D_are_derivatives(model, load_of, seed):
    """load_of: forces along all coordinates at (q, qdot), of which K and D are known."""
    q, qdot = drawn(model, seed)
    at = freedoms(model, q)
    system = linearised(model, q, qdot, which=body_forces.EXACT)

    def force(y, ydot):
        q, qdot = np.zeros((2, model.dof_count))
        q[at.free], qdot[at.free] = y, ydot
        q, qdot = model.followers.placed(q, qdot)
        return freedoms(model, q).gathered(load_of(q, qdot))

    y, ydot = q[at.free], qdot[at.free]
    K, D = differenced(lambda x: force(x, ydot), y), differenced(lambda x: force(y, x), ydot)
    np.testing.assert_allclose(at.reduced(system.K), K, rtol=1e-6, atol=1e-6 * np.abs(K).max())
    np.testing.assert_allclose(at.reduced(system.D), D, rtol=1e-6, atol=1e-6 * np.abs(D).max())
    return at.reduced(system.K)


@pytest.mark.parametrize("seed", range(4))
def test_K_and_D_of_joint_loads_are_derivatives(seed):
    model = loaded()

    def load_of(q, qdot):
        return loads.loads(model, kinematics(model, q, qdot), 0.0).f_r

    K = assert_K_and_D_are_derivatives(model, load_of, seed)
    q, qdot = drawn(model, seed)
    kin = fast.kinematics(model, q, qdot, chart(model))
    straight = freedoms(model, q).reduced(fast.linear_system(model, kin, fast.loads(model, kin, 0.0), 0.0).K)
    assert np.abs(K - straight).max() > 1e-3 * np.abs(K).max()  # curved tables have a say in it


def crane():
    """Three sliders, one upon the other, that one input moves along a curve in space, and a spring to the world."""
    b = Builder("crane")
    parent = None
    for k, axis in enumerate(np.eye(3)):
        b.bar(f"part {k}", (0.1 * k, 0.0, 0.0), (0.1 * k, 0.2, 0.3))
        b.joint("prismatic", f"slide {k}", parent, f"part {k}", (0.1 * k, 0.0, 0.0), axis=tuple(axis))
        parent = f"part {k}"
    b.scene.forces.append(
        SpringDamper(name="spring", body_a=None, point_a=(1.0, 2.0, 0.5), body_b="part 2", stiffness=30.0, damping=2.0)
    )
    followers = [Follower(joint=f"slide {k}", ratio=0.5 + k, table=CAM if k != 1 else None) for k in range(3)]
    return with_drives(b.scene, Drive(name="cam", followers=tuple(followers)))


@pytest.mark.parametrize("seed", range(3))
def test_K_and_D_of_forces_are_derivatives(seed):
    """Where bodies only translate, so that the tree itself adds nothing to K."""
    model = compile_scene(crane())

    def load_of(q, qdot):
        kin = kinematics(model, q, qdot)
        wrenches = body_forces.wrenches(model, kin.E_wi, kin.phi, 0.0)
        return jacobians.jacobian_transpose_product(model, kin, wrenches)

    assert_K_and_D_are_derivatives(model, load_of, seed)


def test_implicit_steps_take_the_part_of_K_that_pulls_back():
    model = loaded()
    for seed in range(4):
        q, qdot = drawn(model, seed)
        system = linearised(model, q, qdot)
        K = freedoms(model, q).reduced(system.K)
        np.testing.assert_allclose(K, K.T, atol=1e-12 * np.abs(K).max())
        assert np.linalg.eigvalsh(K).max() <= 1e-12 * np.abs(K).max()
        readable = linearised(model, q, qdot, "projected")
        for ours, theirs in zip(vars(system).values(), vars(readable).values(), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10 * np.abs(theirs).max())


@pytest.mark.parametrize("torque", [3.0, -3.0])
def test_a_torque_that_pushes_further_the_further_it_gets_is_left_out_of_implicit_steps(torque):
    """K of a constant torque on a joint that follows a curve is torque times the curve's bend."""
    drive = Drive(name="cam", inputs=(DriveInput(q=-1.0),), followers=(Follower(joint="h0", table=CAM),))
    model = compile_scene(with_drives(chain(1, torque=torque), drive))
    q, qdot, at = model.q0, model.qdot0, freedoms(model, model.q0)
    exact, implicit = (
        float(at.reduced(linearised(model, q, qdot, which=which).K)[0, 0])
        for which in (body_forces.EXACT, body_forces.IMPLICIT)
    )
    bend = float(CAM.second_derivative(-1.0)[0])
    assert abs(bend) > 0.1
    assert exact == pytest.approx(torque * bend, rel=1e-12)
    assert implicit == min(exact, 0.0)


@pytest.mark.skipif(route.name() != route.NUMBA, reason="needs kernels")
def test_products_with_the_mass_matrix_are_the_same_one_by_one_and_all_at_once():
    model = loaded()
    q, qdot = drawn(model, 3)
    tree = fast.bare_tree(model)
    tau, load, power = tree.needs(q, qdot, chart(model), 0.0, np.zeros(model.dof_count))
    kin = kinematics(model, q, qdot)
    np.testing.assert_allclose(load, loads.loads(model, kin, 0.0).f_r, rtol=1e-12, atol=1e-12)
    found, wanted = tau - load, -projected.generalized_force(model, kin, loads.loads(model, kin, 0.0))
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10 * np.abs(wanted).max())
    own = powers(model, kin, loads.loads(model, kin, 0.0), loads.loads(model, kin, 0.0).f_r, 0.0)
    np.testing.assert_allclose(power, own, rtol=1e-12)
    M = projected.mass_matrix(model, kin)
    few, many = tree.inertia_products(np.eye(model.dof_count)[:2]), tree.inertia_products(np.eye(model.dof_count))
    np.testing.assert_allclose(few, M[:2], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(many, M, rtol=1e-12, atol=1e-13)


DWELL = Table(
    x=(0.0, 1.0, 2.0), y=((0.0,), (1.0,), (1.0,)), interpolation="hermite", slopes=((0.0,), (0.0,), (0.0,), (0.0,))
)


def test_an_input_that_moves_nothing_is_named():
    scene = with_drives(
        chain(1), Drive(name="cam", inputs=(DriveInput(q=0.5),), followers=(Follower(joint="h0", table=DWELL),))
    )
    model = compile_scene(scene)
    for x in (1.5, 1.0 - 1e-8):  # flat, and so nearly flat that only rounding tells
        q, qdot = model.followers.placed(np.array([0.0, x]), np.zeros(2))
        for name in routes.FORMULATIONS:
            with pytest.raises(
                IntegrationError, match="drive 'cam': nothing resists its motion, because no joint moves"
            ):
                moved(model, q, qdot, name)
    heavier = compile_scene(equal_angles(1, armature=0.5))
    assert np.isfinite(moved(heavier, *drawn(heavier))).all()


def test_the_model_knows_its_inputs_by_name():
    model = compile_scene(equal_angles(3))
    assert [str(model.owner(k)) for k in range(model.dof_count)] == [
        "joint 'h0'",
        "joint 'h1'",
        "joint 'h2'",
        "drive 'curl'",
    ]
    np.testing.assert_array_equal(model.moves_freely, [False, False, False, True])
