# SPDX-License-Identifier: GPL-3.0-or-later
"""Random trees with a loop or a constraint that holds at a random state, for tests of rows.

Import as `from engine.constraints.closed import looped_model`.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from engine.random_trees import make_joint, random_model, random_scene, safe_q, scene_pose
from engine.spline_examples import with_paths
from redmax.compile import compile as compile_scene
from redmax.constraints import BallLimit, BodyMotion, Constraint, Coupling, JointLimit, JointMotion, Pin
from redmax.dynamics.halves import undivided
from redmax.dynamics.kinematics import body_poses, kinematics
from redmax.joints import Joint
from redmax.model import Model
from redmax.scene import Scene
from redmax.spatial import pose
from redmax.tables import Table

QUIET: dict[str, Any] = {"springs": False, "damping": False, "tables": False}
TWIST = Table(x=(0.0, 1.0, 2.0), y=np.random.default_rng(5).uniform(-1.0, 1.0, (3, 6)).tolist(), interpolation="cubic")
ANGLE = Table(x=(0.0, 1.0, 2.0, 3.0), y=((0.1,), (0.6,), (-0.2,), (0.3,)), interpolation="cubic")


def looped_model(kind: str, seed: int, **options: Any) -> tuple[Model, Any]:
    """`looped_scene` with whole bodies, whose rows are those of the loop joint itself, and q (nr,) at which it is
    closed."""
    model = undivided(compile_scene(looped_scene(kind, seed, **options)))
    assert [loop.joint.name for loop in model.loops] == ["closing"]
    return model, model.q0


def looped_scene(kind: str | type[Joint], seed: int, *, bodies: int = 6, world: bool = False, **fields: Any) -> Scene:
    """A random chain at rest with a loop joint "closing" of a kind, or class, from body 0 or the world to its last
    body, which starts closed."""
    rng = np.random.default_rng(seed)
    scene = random_scene(rng, bodies, kinds=("revolute", "spherical", "prismatic", "universal"), chain=True, **QUIET)
    model = compile_scene(scene)
    q = np.concatenate([safe_q(rng, joint) for joint in model.joints])
    E_wb = body_poses(model, kinematics(model, q, np.zeros(model.dof_count)))
    parent, child = None if world else "body 0", f"body {bodies - 1}"
    place: dict[str, Any] = {"name": "closing", "parent": parent, "child": child}
    joint = make_joint(rng, kind, **place) if isinstance(kind, str) else kind(**place)
    q_loop = safe_q(rng, joint)
    Q = joint.motion(q_loop, np.zeros(joint.ndof)).Q
    E_bj = pose.make(np.eye(3), rng.uniform(-0.5, 0.5, 3))
    E_parent = np.eye(4) if world else E_wb[model.body_names.index("body 0")]
    at_zero = pose.inverse(E_parent) @ E_wb[model.body_names.index(child)] @ E_bj @ pose.inverse(Q)
    frames = {"frame_in_parent": scene_pose(at_zero), "frame_in_child": scene_pose(E_bj)}
    joint = dataclasses.replace(joint, q=tuple(q_loop), **frames, **fields)
    start = {name: tuple(q[model.columns(k)]) for k, name in enumerate(model.joint_names)}
    chain = [dataclasses.replace(each, q=start[each.name], qdot=0.0) for each in scene.joints]
    return with_paths(dataclasses.replace(scene, joints=[*chain, joint]))


def tree_of_hinges(seed: int, *, constraints: list[Constraint], bodies: int = 5, **options: Any) -> Model:
    """A random tree of hinges and sliders with constraints."""
    rng = np.random.default_rng(seed)
    kinds = ("revolute", "prismatic")
    return dataclasses.replace(
        random_model(rng, bodies, kinds=kinds, **QUIET, **options), constraints=tuple(constraints)
    )


def pinned(seed: int, *, axis: Any = None, other: str | None = "body 3", slid: float = 0.0) -> tuple[Model, Any]:
    """A tree of hinges with a pin between two bodies, or to the world, and q (nr,) at which it is closed.

    slid: how far the second point is along the axis [lengths of the axis].
    """
    rng = np.random.default_rng(seed)
    model = tree_of_hinges(seed, constraints=[])
    q = rng.uniform(-1.0, 1.0, model.dof_count)
    E_wb = body_poses(model, kinematics(model, q, np.zeros(model.dof_count)))
    x = rng.uniform(-0.5, 0.5, 3)
    E_a = E_wb[model.body_names.index("body 1")]
    E_b = np.eye(4) if other is None else E_wb[model.body_names.index(other)]
    x_other = (pose.inverse(E_b) @ E_a @ np.append(x + slid * np.asarray(axis or (0.0, 0.0, 0.0)), 1.0))[:3]
    pin = Pin(name="pin", body="body 1", other=other, point=tuple(x), other_point=tuple(x_other), axis=axis)
    return dataclasses.replace(model, constraints=(pin,)), q


HINGED = {
    "coupling": Coupling(name="c", leader="joint 0", follower="joint 2", ratio=-1.7, offset=0.3),
    "position": JointMotion(name="c", joint="joint 1", table=ANGLE),
    "velocity": JointMotion(name="c", joint="joint 1", quantity="velocity", table=ANGLE),
    "body motion": BodyMotion(name="c", body="body 2", components=(0, 1, 1, 1, 0, 1), table=TWIST),
    "limit": JointLimit(name="c", joint="joint 1", lower=-0.5, upper=0.7),
}
"""Constraints on `tree_of_hinges`."""


BALLS = ("spherical", "universal", "free_translation_rotation", "spherical_euler", "free")
CONE_AND_TWIST = {"swing_1": 0.9, "swing_2": 1.4, "twist_lower": -0.7, "twist_upper": 0.3}


def limited_balls(seed: int, **fields: Any) -> tuple[Model, Any]:
    """A chain of joints that turn several ways, each with a ball limit, and q (nr,), inside or outside."""
    rng = np.random.default_rng(seed)
    kinds = [BALLS[k % len(BALLS)] for k in range(6)]
    scene = random_scene(rng, len(kinds), kinds=kinds, chain=True, **QUIET)
    limits = [
        BallLimit(name=f"c {k}", joint=joint.name, twist_axis="xyz"[k % 3], **(CONE_AND_TWIST | fields))
        for k, joint in enumerate(scene.joints)
        if joint.kind in BALLS
    ]
    model = compile_scene(dataclasses.replace(scene, constraints=limits))
    return model, np.concatenate([safe_q(rng, joint) for joint in model.joints])
