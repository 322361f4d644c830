# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled loops: rows, multipliers and projection, against finite differences and the projected oracle."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from redmax.compile import compile as compile_scene
from redmax.dynamics.kinematics import body_poses, kinematics
from redmax.dynamics.loads import loads
from redmax.fields import Pose
from redmax.joints import (
    Fixed,
    Free2D,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Translational,
    Universal,
)
from redmax.reference import projected
from redmax.scene import Body, Inertia, Scene

numba = pytest.importorskip("numba")
from redmax.kernels.compiled_tree import Tree  # noqa: E402

LINK = Inertia(mass=1.0, center=(0.3, 0.02, -0.01), tensor=((0.01, 0.001, 0.0), (0.001, 0.02, 0.0), (0.0, 0.0, 0.03)))
LOOPS = {
    "spherical": (Spherical, {}, 3),
    "revolute": (Revolute, {"axis": (0.6, 0.0, 0.8)}, 5),
    "universal": (Universal, {}, 4),
    "prismatic": (Prismatic, {"axis": (0.0, 0.6, 0.8)}, 5),
    "fixed": (Fixed, {}, 6),
    "planar": (Planar, {}, 4),
    "translational": (Translational, {}, 3),
    "free_2d": (Free2D, {}, 3),
}


def closed_chain(kinds, cls, options, *, parent="b1", count=8, animated=False):
    """Links on joints of the given kinds, with the last one tied to another; closed at q = 0."""
    rng = np.random.default_rng(5)
    bodies = [Body(name=f"b{i}", inertia=LINK, damping=0.1 * (i % 2)) for i in range(count)]
    joints = []
    for i in range(count):
        axis = rng.normal(size=3)
        ends = {
            "name": f"j{i}",
            "parent": f"b{i - 1}" if i else None,
            "child": f"b{i}",
            "frame_in_parent": Pose((0.5 if i else 0.0, 0.1 * rng.normal(), 0.0)),
        }
        kind = kinds[i % len(kinds)]
        joints.append(Revolute(axis=tuple(axis / np.linalg.norm(axis)), **ends) if kind == "r" else Spherical(**ends))
    if animated:
        joints[0] = dataclasses.replace(joints[0], motion_type="locked")
    scene = Scene(name="loop", bodies=bodies, joints=joints)
    model = compile_scene(scene)
    zero = np.zeros(model.dof_count)
    x = {None: np.zeros(3)}
    x |= {
        name: E[:3, 3]
        for name, E in zip(model.body_names, body_poses(model, kinematics(model, zero, zero)), strict=True)
    }
    place = np.array((0.1, 0.2, 0.3))
    child = f"b{count - 1}"
    frames = {"frame_in_parent": Pose(tuple(place)), "frame_in_child": Pose(tuple(x[parent] + place - x[child]))}
    scene.joints.append(cls(name="loop", parent=parent, child=child, **frames, **options))
    return compile_scene(scene)


def closed_motion(model, tree, bend=0.02):
    rng = np.random.default_rng(3)
    q, qdot = bend * rng.normal(size=model.dof_count), rng.normal(size=model.dof_count)
    q[model.prescribed] = qdot[model.prescribed] = 0.0
    q, qdot, closed = tree.project(q, qdot, np.zeros(model.body_count, np.int64), 0.0)
    assert closed
    return q, qdot


def jacobian(model, tree, q):
    chart, h = np.zeros(model.body_count, np.int64), 1e-6
    rest = np.zeros_like(q)
    columns = [
        (tree.row_errors(q + e, rest, chart) - tree.row_errors(q - e, rest, chart)) / (2.0 * h)
        for e in h * np.eye(len(q))
    ]
    return np.array(columns).T


@pytest.mark.parametrize("parent", ["b1", None])
@pytest.mark.parametrize("kinds", ["r", "s", "rs"])
@pytest.mark.parametrize("name", LOOPS)
def test_motion_obeys_the_loop_and_the_equations(name, kinds, parent):
    cls, options, count = LOOPS[name]
    model = closed_chain(kinds, cls, options, parent=parent)
    tree, chart = Tree(model), np.zeros(model.body_count, np.int64)
    q, qdot = closed_motion(model, tree)
    errors = tree.row_errors(q, qdot, chart)
    assert len(errors) == count
    assert np.abs(errors).max() < 1e-14
    G = jacobian(model, tree, q)
    assert np.abs(G @ qdot).max() < 1e-7
    qddot, _, stuck = tree.forward_dynamics(q, qdot, chart, 0.0, np.zeros_like(q))
    assert stuck == -1
    h, rest = 1e-4, np.zeros_like(q)
    along = [tree.row_errors(q + t * qdot + 0.5 * t * t * qddot, rest, chart) for t in (-2 * h, -h, 0.0, h, 2 * h)]
    second = np.array([-1.0, 16.0, -30.0, 16.0, -1.0]) @ np.array(along) / (12.0 * h**2)
    assert np.abs(second).max() < 1e-6 * max(1.0, np.abs(qddot).max())
    # what the equations lack is a combination of the rows
    kin = kinematics(model, q, qdot)
    lack = projected.mass_matrix(model, kin) @ qddot - projected.generalized_force(model, kin, loads(model, kin, 0.0))
    combination = G.T @ np.linalg.lstsq(G.T, lack, rcond=None)[0]
    np.testing.assert_allclose(combination, lack, atol=1e-7 * np.abs(lack).max())


@pytest.mark.parametrize("kinds", ["r", "s"])
def test_samples_and_motors_know_of_the_loop(kinds):
    """Wrenches of the joints with a loop: the sum of what acts on each body is its mass times its acceleration."""
    model = closed_chain(kinds, Revolute, {"axis": (0.0, 0.0, 1.0)}, animated=True)
    tree, chart = Tree(model), np.zeros(model.body_count, np.int64)
    q, qdot = closed_motion(model, tree)
    seen = tree.observe(q, qdot, chart, 0.0)
    qddot, power, _ = tree.forward_dynamics(q, qdot, chart, 0.0, np.zeros_like(q))
    np.testing.assert_allclose(seen.qddot, qddot, atol=1e-10 * np.abs(qddot).max())
    np.testing.assert_allclose(seen.power, power, atol=1e-12)
    kin = kinematics(model, q, qdot)
    whole = projected.mass_matrix(model, kin) @ qddot - projected.generalized_force(model, kin, loads(model, kin, 0.0))
    G = jacobian(model, tree, q)
    # free rows: G^T multipliers; prescribed rows: that and the motor
    free = ~model.prescribed
    multipliers = np.linalg.lstsq(G.T[free], whole[free], rcond=None)[0]
    motor = whole[~free] - G.T[~free] @ multipliers
    np.testing.assert_allclose(seen.tau[~free], motor, rtol=1e-5, atol=1e-6 * np.abs(whole).max())


def test_redundant_rows_do_no_harm():
    """A planar four-bar of hinges: five rows, of which three say nothing new."""
    bodies = [Body(name=name, inertia=LINK) for name in ("crank", "coupler", "rocker")]
    z = (0.0, 0.0, 1.0)
    joints = [
        Revolute(name="a", parent=None, child="crank", axis=z),
        Revolute(name="b", parent="crank", child="coupler", axis=z, frame_in_parent=Pose((0.0, 1.0, 0.0))),
        Revolute(name="c", parent="coupler", child="rocker", axis=z, frame_in_parent=Pose((2.0, 0.0, 0.0))),
        Revolute(
            name="d", parent=None, child="rocker", axis=z,
            frame_in_parent=Pose((2.0, 0.0, 0.0)), frame_in_child=Pose((0.0, -1.0, 0.0)),
        ),
    ]  # fmt: skip
    model = compile_scene(Scene(name="four-bar", bodies=bodies, joints=joints, gravity=(0.0, -9.81, 0.0)))
    tree, chart = Tree(model), np.zeros(3, np.int64)
    q, qdot, closed = tree.project(np.array([0.3, -0.3, 0.3]), np.array([1.0, 0.0, 0.0]), chart, 0.0)
    assert closed
    np.testing.assert_allclose(q, [q[0], -q[0], q[0]], atol=1e-14)  # a parallelogram
    np.testing.assert_allclose(qdot, [qdot[0], -qdot[0], qdot[0]], atol=1e-14)
    qddot = tree.forward_dynamics(q, qdot, chart, 0.0, np.zeros(3))[0]
    np.testing.assert_allclose(qddot, [qddot[0], -qddot[0], qddot[0]], atol=1e-12)
    # the crank and the rocker turn, the coupler only moves: a closed form
    inertia = 2.0 * LINK.tensor[2][2] + (0.3**2 + 0.02**2) + (0.3**2 + 1.02**2) + 1.0
    c, s = np.cos(q[0]), np.sin(q[0])
    torque = -9.81 * ((0.3 * c - 0.02 * s) + (0.3 * c - 1.02 * s) - s)
    np.testing.assert_allclose(qddot[0], torque / inertia, rtol=1e-12)


def test_what_cannot_be_satisfied_is_said():
    bodies = [Body(name="link", inertia=LINK)]
    far = {"frame_in_parent": Pose((5.0, 0.0, 0.0)), "frame_in_child": Pose((1.0, 0.0, 0.0))}
    joints = [
        Revolute(name="a", parent=None, child="link", axis=(0.0, 0.0, 1.0)),
        Spherical(name="far", parent=None, child="link", **far),
    ]
    model = compile_scene(Scene(name="too far", bodies=bodies, joints=joints))
    _, _, closed = Tree(model).project(np.array([0.3]), np.zeros(1), np.zeros(1, np.int64), 0.0)
    assert not closed
