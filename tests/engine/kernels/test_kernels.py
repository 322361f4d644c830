# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled code against the readable code it stands for."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.mechanisms import four_bar
from engine.random_trees import random_body, random_model, random_pose, random_scene, random_state
from redmax.compile import compile as compile_scene
from redmax.dynamics import energy, recursive
from redmax.dynamics.animation import prescribed_motion
from redmax.dynamics.kinematics import body_poses, body_twists, kinematics, recentred
from redmax.dynamics.loads import loads, potential_energy
from redmax.dynamics.powers import powers
from redmax.fields import Pose
from redmax.forces import SpringDamper
from redmax.integrators import routes
from redmax.integrators.routes.solvable import solve_free
from redmax.joints import JOINTS, Fixed, Revolute
from redmax.joints.trusted import trusted_primitives
from redmax.scene import Body, Inertia, Scene
from redmax.spatial import adjoint, pose, quaternion, so3
from redmax.state import State

numba = pytest.importorskip("numba")
from redmax.kernels import core, tasks  # noqa: E402
from redmax.kernels.compiled_tree import Tree  # noqa: E402
from redmax.kernels.layout import codes, packing  # noqa: E402
from redmax.kernels.layout.arrays import Sections  # noqa: E402
from redmax.kernels.layout.declaration import Column, Head, Link, Vector  # noqa: E402
from redmax.kernels.layout.packing_bodies import rotation_to  # noqa: E402
from redmax.kernels.rows.compute_rows import compute_rows  # noqa: E402

T = 0.3
SEEDS = range(44)
PARALLEL, FLAT, BASED = range(24, 44), range(32, 44), range(40, 44)
"""Seeds of trees with many hinges, of which those on hinges are parallel to them, of trees of such alone, and of those
that stand on bodies fixed in the world."""


def case(seed: int):
    """A random model with every kind of load, in a random state whose charts are not all 0."""
    rng = np.random.default_rng(seed)
    kinds = ["revolute"] * 5 + ["spherical", "prismatic"] if seed in PARALLEL else None
    prescribed = 0.25 if seed % 2 and seed not in FLAT else 0.0
    scene = random_scene(rng, 9, prescribed=prescribed, kinds=["revolute"] if seed in FLAT else kinds)
    scene = with_parallel_hinges(rng, scene) if seed in PARALLEL else scene
    model = compile_scene(on_bases(rng, scene) if seed in BASED else scene)
    q, qdot = random_state(rng, model)
    chart = np.array([rng.integers(joint.chart_count) for joint in model.joints], np.int64)
    for j, joint in enumerate(model.joints):
        columns = model.columns(j)
        if chart[j]:  # the same pose, written in another chart
            q[columns], qdot[columns] = joint.rewrite(
                q[columns], qdot[columns], 0, chart_like=int(chart[j]), q_like=q[columns]
            )
        if joint.kind == "spherical" and rng.random() < 0.5:  # and a rotation vector beyond half a turn
            q[columns] *= 1.0 + 2.0 * np.pi / np.linalg.norm(q[columns])
    return model, q, qdot, chart


def with_parallel_hinges(rng, scene, slant=0.0):
    """The scene with every hinge that hangs on another one turned to be parallel to it, but for so many radians."""
    joint_of = {joint.child: joint for joint in scene.joints}
    joints = []
    for joint in scene.joints:
        carrier = joint_of.get(joint.parent)
        if joint.kind == "revolute" and carrier is not None and carrier.kind == "revolute":
            along = quaternion.to_matrix(carrier.frame_in_child.rotation) @ carrier.axis
            aside = so3.rot_x(slant) @ so3.rot_z(rng.uniform(-3.0, 3.0))
            turn = rotation_to(along) @ aside @ rotation_to(joint.axis).T
            frame = Pose(joint.frame_in_parent.position, tuple(quaternion.from_matrix(turn)))
            joints.append(dataclasses.replace(joint, frame_in_parent=frame))
        else:
            joints.append(joint)
    return dataclasses.replace(scene, joints=joints)


def on_bases(rng, scene):
    """The scene with two bodies, one fixed on the other, between the world and what hung from it."""
    bodies, joints = list(scene.bodies), []
    for joint in scene.joints:
        if joint.parent is None:
            below = None
            for name in (f"plinth of {joint.name}", f"base of {joint.name}"):
                bodies.append(random_body(rng, name, damping=True))
                frames = {"frame_in_parent": random_pose(rng), "frame_in_child": random_pose(rng)}
                joints.append(Fixed(name=f"weld of {name}", parent=below, child=name, **frames))
                below = name
            joints.append(dataclasses.replace(joint, parent=below))
        else:
            joints.append(joint)
    order = rng.permutation(len(joints))
    return dataclasses.replace(scene, bodies=bodies, joints=[joints[k] for k in order])


def close(a, b, tolerance=1e-11):
    scale = 1.0 + np.abs(b).max(initial=0.0)
    np.testing.assert_allclose(np.asarray(a) / scale, np.asarray(b) / scale, atol=tolerance)


def readable(model, q, qdot, chart):
    kin = kinematics(model, q, qdot, chart)
    load = loads(model, kin, T)
    return kin, load, recursive.forward_dynamics(model, kin, load, prescribed_motion(model, T)[2])


@pytest.mark.parametrize("seed", SEEDS)
def test_forward_dynamics_and_powers(seed):
    model, q, qdot, chart = case(seed)
    kin, load, hybrid = readable(model, q, qdot, chart)
    qddot, power, stuck = Tree(model).forward_dynamics(q, qdot, chart, T, prescribed_motion(model, T)[2])
    assert stuck == -1
    close(qddot, hybrid.qddot)
    close(power, powers(model, kin, load, hybrid.tau, T))


@pytest.mark.parametrize("seed", SEEDS)
def test_inverse_dynamics(seed):
    model, q, qdot, chart = case(seed)
    kin, load, _ = readable(model, q, qdot, chart)
    qddot = np.random.default_rng(seed).uniform(-3.0, 3.0, model.dof_count)
    tau, f_r = Tree(model).inverse_dynamics(q, qdot, chart, T, qddot)
    close(tau, recursive.inverse_dynamics(model, kin, load, qddot).tau)
    close(f_r, load.f_r)


@pytest.mark.parametrize("seed", SEEDS)
def test_samples(seed):
    model, q, qdot, chart = case(seed)
    kin, load, hybrid = readable(model, q, qdot, chart)
    seen = Tree(model).observe(q, qdot, chart, T)
    E_jb = model.E_ji @ model.E_ib
    close(seen.E_wb, body_poses(model, kin))
    close(seen.twist, body_twists(model, kin))
    close(seen.acceleration, adjoint.transform_twist(pose.inverse(E_jb), hybrid.Vdot))
    close(seen.reaction, hybrid.F)
    close(seen.qddot, hybrid.qddot)
    close(seen.tau, hybrid.tau)
    close(seen.load, load.f_r)
    close(seen.kinetic, energy.kinetic_energy(model, kin))
    close(seen.potential, potential_energy(model, kin))
    close(seen.center_of_mass, energy.center_of_mass(model, kin))
    close(seen.momentum, energy.spatial_momentum(model, kin))
    close(seen.power, powers(model, kin, load, hybrid.tau, T))
    close(seen.speeds[:, 0], np.linalg.norm(kin.phi[:, :3], axis=1))
    close(seen.speeds[:, 1], np.linalg.norm(kin.phi[:, 3:], axis=1))


@pytest.mark.parametrize("seed", SEEDS)
def test_implicit_solve(seed):
    """(M - h D - h^2 K) x = b with x given at prescribed joints: the dense solution of the readable system."""
    model, q, qdot, chart = case(seed)
    h = 0.02
    readable = routes.begin(model, "recursive")
    system = readable.linear_system(readable.at(T, q, qdot, chart))
    rng = np.random.default_rng(seed)
    b, given = rng.uniform(-2.0, 2.0, model.dof_count), rng.uniform(-1.0, 1.0, model.dof_count)
    expected = solve_free(model, q, system.M - h * system.D - h**2 * system.K, b, given)
    tree = Tree(model)
    tree.set_chart(chart)
    x = np.where(model.prescribed, given, 0.0)
    tree._run(q, qdot, x, T, tasks.PLACE | tasks.LOADS)
    tree.vectors[Vector.RIGHT_SIDE] = b
    assert tree._run(q, qdot, x, h, tasks.SOLVE_IMPLICIT) == -1
    close(x, expected)
    assert not tree.vectors[Vector.ARMATURE].any()


@pytest.mark.parametrize("kind", ["spherical", "spherical_euler", "free", "free_translation_euler", "composite"])
@pytest.mark.parametrize("seed", range(4))
def test_recentring(kind, seed):
    """Beyond 1.5 pi, and close to gimbal lock: the same pose and the same velocities as the readable recentring."""
    rng = np.random.default_rng(seed)
    model = random_model(rng, 6, kinds=[kind])
    q, qdot = rng.uniform(-4.0, 4.0, model.dof_count), rng.uniform(-1.0, 1.0, model.dof_count)
    state = State(0.0, q, qdot, np.zeros(model.body_count, np.int64))
    expected = recentred(model, state)
    q, qdot, chart = Tree(model).recentred(state.q, state.qdot, state.chart)
    np.testing.assert_array_equal(chart, expected.chart)
    before, after = kinematics(model, state.q, state.qdot, state.chart), kinematics(model, q, qdot, chart)
    close(after.E_wi, before.E_wi)
    close(after.phi, before.phi)
    close(np.cos(q), np.cos(expected.q))


def modes(model):
    packed = packing.pack(model)
    return Sections(packed.ints, packed.floats).links[:, Link.MODE]


def test_hinges_that_are_parallel_are_known():
    """However they are written, and only they: a slant that is no rounding counts."""
    assert all((modes(case(seed)[0]) == codes.PARALLEL).any() for seed in PARALLEL)
    hinges = [random_scene(np.random.default_rng(seed), 9, kinds=["revolute"], roots=0.0) for seed in range(20)]
    rng = np.random.default_rng(0)
    for scene in hinges:
        assert (modes(compile_scene(with_parallel_hinges(rng, scene))) == codes.PARALLEL).sum() == 8
        for other in (scene, with_parallel_hinges(rng, scene, 1e-12), with_parallel_hinges(rng, scene, np.pi)):
            assert (modes(compile_scene(other)) == codes.HINGE).all()


def test_trees_that_move_in_a_plane_are_known():
    """Also several of them, each in its own plane; a joint that is animated or of another kind makes them others."""
    planar = [bool(packing.pack(case(seed)[0]).ints[Head.IS_PLANAR]) for seed in SEEDS]
    assert planar == [seed in FLAT for seed in SEEDS]


@pytest.mark.parametrize("seed", range(4))
def test_forces_out_of_the_plane_move_hinges_as_they_should(seed):
    rng = np.random.default_rng(seed)
    scene = on_bases(rng, with_parallel_hinges(rng, random_scene(rng, 9, kinds=["revolute"])))
    springs = [
        SpringDamper(
            name=f"spring {k}",
            body_a=a,
            body_b=b,
            stiffness=20.0,
            damping=3.0,
            point_a=tuple(rng.uniform(-1.0, 1.0, 3)),
            point_b=tuple(rng.uniform(2.0, 3.0, 3)),
        )
        for k, (a, b) in enumerate([("body 8", None), ("body 2", "body 6"), ("body 0", "body 7")])
    ]
    model, without = (compile_scene(dataclasses.replace(scene, forces=forces)) for forces in (springs, []))
    tree = Tree(model)
    assert tree.ints[Head.IS_PLANAR]
    q, qdot = random_state(rng, model)
    kin = kinematics(model, q, qdot)
    found = tree.accelerations(q, qdot)
    close(found, recursive.forward_dynamics(model, kin, loads(model, kin, 0.0)).qddot)
    assert np.abs(found - Tree(without).accelerations(q, qdot)).max() > 1e-3


def test_what_is_welded_to_a_moving_body_moves():
    """And what hangs on it, too: neither is at rest, and no plane is simulated."""
    rng = np.random.default_rng(5)
    names = ("rod", "tip", "bob")
    bodies = [random_body(rng, name, damping=False) for name in names]
    joints = [
        Revolute(name="pin", parent=None, child="rod"),
        Fixed(name="weld", parent="rod", child="tip", frame_in_parent=Pose((1.0, 0.0, 0.0))),
        Revolute(name="hook", parent="tip", child="bob", frame_in_parent=Pose((1.0, 0.0, 0.0))),
    ]
    model = compile_scene(Scene(bodies=bodies, joints=joints))
    assert not packing.pack(model).ints[Head.IS_PLANAR]
    q, qdot = rng.uniform(-1.0, 1.0, (2, 2))
    kin = kinematics(model, q, qdot)
    expected = recursive.forward_dynamics(model, kin, loads(model, kin, 0.0)).qddot
    close(Tree(model).accelerations(q, qdot), expected)


def test_a_hinge_with_hardly_any_inertia_is_left_to_the_whole_recursion():
    """A weight that is a point lies straight ahead of its rod, which can swing without moving it."""
    light, heavy = np.diag([1.0, 1.0, 1e-13]), np.diag([1.0, 1.0, 1e-12])
    scene = Scene(
        bodies=[
            Body(name="Rod", inertia=Inertia(mass=1e-12, tensor=light)),
            Body(name="Weight", inertia=Inertia(mass=1.0, center=(1.0, 0.0, 0.0), tensor=heavy)),
        ],
        joints=[
            Revolute(name="Pin", parent=None, child="Rod"),
            Revolute(name="Hook", parent="Rod", child="Weight", frame_in_parent=Pose((1.0, 0.0, 0.0))),
        ],
    )
    flat, whole = Tree(compile_scene(scene)), Tree(compile_scene(scene))
    assert flat.ints[Head.IS_PLANAR]
    whole.ints[Head.IS_PLANAR] = 0
    for q, alone in ((np.array([0.2, 0.7]), True), (np.array([0.3, 1e-6]), False)):
        close(flat.accelerations(q, np.array([0.4, -0.3])), whole.accelerations(q, np.array([0.4, -0.3])))
        inertia = flat._sections.columns[:, Column.U + 2]  # where the recursion in space writes that of a hinge
        assert inertia.any() != alone


COMPILED = [
    "fixed",
    "revolute",
    "prismatic",
    "planar",
    "translational",
    "universal",
    "spherical",
    "spherical_euler",
    "free",
    "free_translation_rotation",
    "free_translation_euler",
    "free_2d",
    "screw",
    "composite",
]


@pytest.mark.parametrize("kind", COMPILED)
def test_joints_that_kernels_know(kind):
    """Runs with any other joint go step by step in Python."""
    assert packing.pack(random_model(np.random.default_rng(3), 2, kinds=[kind])).whole
    assert kind in JOINTS.kinds


def test_a_class_that_changes_the_motion_is_not_taken_for_its_parent():
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Backwards(Revolute):
        def motion(self, q, qdot, chart=0):
            return super().motion(-q, -qdot, chart)

    joint = Backwards(name="Pin", parent=None, child="Arm")
    assert trusted_primitives(joint) is None
    assert trusted_primitives(Revolute(name="Pin", parent=None, child="Arm")) is not None


def test_a_joint_that_nothing_resists_is_named():
    """A hinge whose body has no mass at all, carrying nothing; scenes with one are refused before."""
    solid = Inertia(mass=1.0, tensor=np.eye(3))
    scene = Scene(
        bodies=[Body(name="Heavy", inertia=solid), Body(name="Ghost", inertia=solid)],
        joints=[
            Revolute(name="Pin", parent=None, child="Heavy"),
            Revolute(name="Hook", parent="Heavy", child="Ghost"),
        ],
    )
    model = compile_scene(scene)
    model = dataclasses.replace(model, inertia=model.inertia * np.array([[1.0], [0.0]]))
    zero = np.zeros(2)
    _, _, stuck = Tree(model).forward_dynamics(zero, zero, np.zeros(2, np.int64), 0.0, zero)
    assert model.joint_names[stuck] == "Hook"
    assert np.isnan(Tree(model).observe(zero, zero, np.zeros(2, np.int64), 0.0).reaction).all()


@pytest.mark.parametrize("x", [0.0, 1e-9, 0.7853, 0.7854, 1.6, -2.9, 3.2, 1e3, -9.9e4, 1.1e5, -1e9])
def test_sine_and_cosine(x):
    from redmax.kernels.spatial import sine_cosine

    @numba.njit
    def called(angle):
        return sine_cosine(angle)

    s, c = called(x)
    assert abs(s - np.sin(x)) <= 2.3e-16
    assert abs(c - np.cos(x)) <= 2.3e-16


def test_one_address_serves_all():
    first, second = (Tree(case(seed)[0]) for seed in range(2))
    assert first.address == second.address == core.compute.address > 0


def test_only_models_with_rows_ask_for_the_function_of_rows():
    """Who asks for its address has it compiled, or read from disk."""
    assert Tree(case(0)[0]).ints[Head.ROWS_FUNCTION] == 0
    assert Tree(compile_scene(four_bar())).ints[Head.ROWS_FUNCTION] == compute_rows.address > 0
