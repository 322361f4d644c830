# SPDX-License-Identifier: GPL-3.0-or-later
"""What must not matter: where the scene stands, names and order, how a body is cut up, units, and the root."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.dynamics import oracles
from engine.random_trees import random_body, random_pose, random_scene, random_state, scene_pose
from engine.spline_examples import resized, with_paths
from redmax.arrays import Array
from redmax.compile import compile as compile_scene
from redmax.dynamics import jacobians, recursive
from redmax.dynamics.kinematics import body_poses, body_twists, kinematics
from redmax.dynamics.loads import loads
from redmax.fields import per_dof_values, specs
from redmax.joints import JOINTS, Fixed, Revolute
from redmax.joints.base import Joint
from redmax.model import Model
from redmax.scene import Body, Inertia, Scene
from redmax.spatial import adjoint, pose, quaternion, so3
from redmax.spatial.inertia import steiner

# Accelerations of two descriptions of one mechanism differ by round-off times cond(M), which stays below 1e4 here.
SAME = 1e-10
SEEDS = range(4)
T = 0.3


def acceleration_by_joint(scene: Scene, q: dict[str, Array], qdot: dict[str, Array]) -> dict[str, Array]:
    """qddot of every joint by name, from states by name."""
    model = compile_scene(scene)
    names = model.joint_names
    kin = kinematics(model, np.concatenate([q[k] for k in names]), np.concatenate([qdot[k] for k in names]))
    qddot = recursive.forward_dynamics(model, kin, loads(model, kin, T)).qddot
    return {name: qddot[model.columns(k)] for k, name in enumerate(names)}


def random_states(rng: np.random.Generator, scene: Scene) -> tuple[dict[str, Array], dict[str, Array]]:
    """q and qdot of every joint by name."""
    model = compile_scene(scene)
    q, qdot = random_state(rng, model)
    columns = {name: model.columns(k) for k, name in enumerate(model.joint_names)}
    return {name: q[c] for name, c in columns.items()}, {name: qdot[c] for name, c in columns.items()}


def assert_same(a: dict[str, Array], b: dict[str, Array]) -> None:
    assert b.keys() <= a.keys()
    for name, expected in b.items():
        oracles.assert_close(a[name], expected, SAME)


@pytest.mark.parametrize("seed", SEEDS)
def test_moving_and_turning_the_whole_scene_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    scene = random_scene(rng, 6)
    q, qdot = random_states(rng, scene)
    E = pose.random(rng)
    turned = dataclasses.replace(scene, gravity=tuple(pose.rotation(E) @ scene.gravity))
    turned.joints = [
        dataclasses.replace(joint, frame_in_parent=scene_pose(E @ matrix(joint.frame_in_parent)))
        if joint.parent is None
        else joint
        for joint in scene.joints
    ]
    assert_same(acceleration_by_joint(turned, q, qdot), acceleration_by_joint(scene, q, qdot))


@pytest.mark.parametrize("seed", SEEDS)
def test_order_and_names_of_bodies_and_joints_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    scene = random_scene(rng, 7)
    q, qdot = random_states(rng, scene)
    new_name = {body.name: f"renamed {k}" for k, body in enumerate(scene.bodies)}
    other = Scene(
        gravity=scene.gravity,
        bodies=[dataclasses.replace(scene.bodies[k], name=new_name[scene.bodies[k].name]) for k in rng.permutation(7)],
        joints=[
            dataclasses.replace(
                scene.joints[k],
                parent=new_name.get(scene.joints[k].parent),
                child=new_name[scene.joints[k].child],
            )
            for k in rng.permutation(7)
        ],
    )
    assert_same(acceleration_by_joint(with_paths(other), q, qdot), acceleration_by_joint(scene, q, qdot))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_body_may_be_cut_into_two_welded_halves(seed):
    rng = np.random.default_rng(seed)
    scene = random_scene(rng, 5, damping=False)
    q, qdot = random_states(rng, scene)
    whole = scene.bodies[0]
    properties = whole.inertia.mass_properties()
    d = np.array([0.05, -0.02, 0.03])
    tensor = 0.5 * (properties.inertia - steiner(properties.mass, d))
    halves = [
        Body(
            name=name,
            inertia=Inertia(mass=0.5 * properties.mass, center=tuple(properties.center + offset), tensor=tensor),
        )
        for name, offset in ((whole.name, d), ("other half", -d))
    ]
    # The other half is described in a frame of its own, welded back where it was.
    E_oh = matrix(random_pose(rng))
    turned = halves[1].inertia.mass_properties().transformed(E_oh)
    halves[1] = Body(
        name="other half", inertia=Inertia(mass=turned.mass, center=tuple(turned.center), tensor=turned.inertia)
    )
    weld = Fixed(name="weld", parent=whole.name, child="other half", frame_in_child=scene_pose(E_oh))
    cut = dataclasses.replace(scene, bodies=[*halves, *scene.bodies[1:]], joints=[*scene.joints, weld])
    q["weld"] = qdot["weld"] = np.zeros(0)
    assert_same(acceleration_by_joint(cut, q, qdot), acceleration_by_joint(scene, q, qdot))


@pytest.mark.parametrize("seed", SEEDS)
def test_units_do_not_matter(seed):
    """Lengths, masses and times in other units; body damping is left out, as one number serves torque and force."""
    rng = np.random.default_rng(seed)
    kinds = [kind for kind in JOINTS.kinds if kind != "custom"]  # whose formulas have lengths in them
    scene = random_scene(rng, 6, tables=False, kinds=kinds)
    scene.bodies = [dataclasses.replace(body, damping=0.0) for body in scene.bodies]
    q, qdot = random_states(rng, scene)
    L, M, t = 10.0, 3.0, 0.5
    unit = {
        joint.name: np.array([L if u == "m" else 1.0 for u in joint.dof_units]).reshape(joint.ndof)
        for joint in scene.joints
    }
    scaled = Scene(
        gravity=tuple(np.multiply(scene.gravity, L / t**2)),
        bodies=[dataclasses.replace(body, inertia=scaled_inertia(body.inertia, L, M)) for body in scene.bodies],
        joints=[resized(scaled_joint(joint, unit[joint.name], L, M, t), L) for joint in scene.joints],
    )
    expected = acceleration_by_joint(scene, q, qdot)
    found = acceleration_by_joint(
        with_paths(scaled), {k: v * unit[k] for k, v in q.items()}, {k: v * unit[k] / t for k, v in qdot.items()}
    )
    assert_same({k: v / unit[k] * t**2 for k, v in found.items()}, expected)


@pytest.mark.parametrize("kind", ["free", "free_translation_rotation", "free_translation_euler"])
@pytest.mark.parametrize("seed", range(2))
def test_any_body_of_a_free_tree_may_be_its_root(seed, kind):
    """A floating tree of hinges with springs, hung from its first and from its last body."""
    rng = np.random.default_rng(seed)
    n = 4
    bodies = [random_body(rng, str(k)) for k in range(n)]
    hinges = [
        Revolute(
            name=f"hinge {k}",
            parent=str(k - 1),
            child=str(k),
            frame_in_parent=random_pose(rng),
            frame_in_child=random_pose(rng),
            axis=tuple(so3.random(rng)[0]),
            q=rng.uniform(-1.0, 1.0),
            qdot=rng.uniform(-1.0, 1.0),
            torque=rng.uniform(-1.0, 1.0),
            stiffness=rng.uniform(0.0, 3.0),
            rest=rng.uniform(-1.0, 1.0),
            damping=0.4,
        )
        for k in range(1, n)
    ]
    # Turned round, a hinge goes from child to parent and counts the other way.
    turned = [
        dataclasses.replace(
            hinge,
            parent=hinge.child,
            child=hinge.parent,
            frame_in_parent=hinge.frame_in_child,
            frame_in_child=hinge.frame_in_parent,
            **{name: -getattr(hinge, name) for name in ("q", "qdot", "torque", "rest")},
        )
        for hinge in hinges
    ]
    root = JOINTS[kind](name="root", parent=None, child="0", frame_in_parent=random_pose(rng), qdot=rng.normal(size=6))
    first = compile_scene(Scene(gravity=(1.0, 2.0, -9.0), bodies=bodies, joints=[root, *hinges]))
    E_wb, phi, phidot = body_motion(first)
    last = {"name": "root", "parent": None, "child": str(n - 1), "frame_in_parent": scene_pose(E_wb[str(n - 1)])}
    S = JOINTS[kind](**last).motion(np.zeros(6), np.zeros(6)).S
    other_root = JOINTS[kind](**last, qdot=tuple(np.linalg.solve(S, phi[str(n - 1)])))
    second = compile_scene(Scene(gravity=(1.0, 2.0, -9.0), bodies=bodies, joints=[other_root, *turned]))
    E_wb_again, phi_again, phidot_again = body_motion(second)
    for name in E_wb:
        oracles.assert_close(E_wb_again[name], E_wb[name], SAME)
        oracles.assert_close(phi_again[name], phi[name], SAME)
        oracles.assert_close(phidot_again[name], phidot[name], SAME)


def body_motion(model: Model) -> tuple[dict[str, Array], dict[str, Array], dict[str, Array]]:
    """Pose, twist and its derivative of every body's own frame at the start, by name."""
    kin = kinematics(model, model.q0, model.qdot0)
    qddot = recursive.forward_dynamics(model, kin, loads(model, kin, 0.0)).qddot
    J, Jdot = jacobians.jacobian(model, kin)
    phidot_i = (J @ qddot + Jdot @ kin.qdot).reshape(-1, 6)
    phidot = (adjoint.Ad_inverse(model.E_ib) @ phidot_i[:, :, None])[:, :, 0]
    return tuple(
        dict(zip(model.body_names, a, strict=True)) for a in (body_poses(model, kin), body_twists(model, kin), phidot)
    )


def scaled_inertia(inertia: Inertia, L: float, M: float) -> Inertia:
    """The same mass properties in other units."""
    center, tensor = np.multiply(inertia.center, L), np.multiply(inertia.tensor, M * L**2)
    return Inertia(mass=M * inertia.mass, center=tuple(center), tensor=tensor)


def scaled_joint(joint: Joint, unit: Array, L: float, M: float, t: float) -> Joint:
    """The same joint in other units; unit (ndof,) is the factor of each coordinate."""
    force = M * L**2 / t**2 / unit  # force times coordinate is energy
    factor = {
        "q": unit,
        "qdot": unit / t,
        "torque": force,
        "stiffness": force / unit,
        "rest": unit,
        "damping": force / unit * t,
        "lower": unit,
        "upper": unit,
        "limit_stiffness": force / unit,
        "limit_damping": force / unit * t,
    }
    changed = {
        name: tuple(np.array(per_dof_values(getattr(joint, name), joint.ndof)) * factor[name])
        for name in factor
        if getattr(joint, name) is not None
    }
    for name in ("frame_in_parent", "frame_in_child"):
        frame = getattr(joint, name)
        changed[name] = dataclasses.replace(frame, position=tuple(np.multiply(frame.position, L)))
    for name, spec in specs(type(joint)).items():
        if spec.sort == "number" and spec.unit.startswith("m"):
            changed[name] = L * getattr(joint, name)
        if spec.sort == "array" and spec.unit == "m":
            changed[name] = tuple(np.multiply(getattr(joint, name), L))
    return dataclasses.replace(joint, **changed)


def matrix(frame: object) -> Array:
    """The (4, 4) matrix of a scene's `Pose`."""
    return pose.make(quaternion.to_matrix(np.asarray(frame.rotation)), np.asarray(frame.position))
