# SPDX-License-Identifier: GPL-3.0-or-later
"""Random branching mechanisms of every registered joint kind, for tests that compare formulations.

Import as `from engine.random_trees import random_model, random_state`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from engine.spline_examples import off_borders, ring_track, torus_sheet, with_paths
from redmax.arrays import Array
from redmax.compile import compile as compile_scene
from redmax.dynamics.kinematics import Kinematics, kinematics
from redmax.dynamics.loads import Loads, loads
from redmax.fields import REQUIRED, Pose, defaults, specs
from redmax.joints import JOINTS
from redmax.joints.base import ANIMATED, LOCKED, Joint
from redmax.model import Model
from redmax.scene import Body, Inertia, Scene
from redmax.spatial import pose, quaternion, so3
from redmax.tables import Table

# q is drawn again where S is closer than this to losing rank (gimbal lock), so that cond(M) stays moderate.
SAFE_SINGULAR_VALUE = 0.25


OWN: dict[str, tuple[dict[str, Any], ...]] = {
    "custom": (
        {"transform": "Rz(q1) * Tz(0.3 * (1 - cos(q1)) / 2)"},
        {
            "coordinates": "a: rad; b: m",
            "transform": "R(1, 0.2 * sin(a), 0.3, a) * T(b, 0.2 * b**2, sqrt(4 + a**2)) * Rx(0.2 * a * b)",
        },
    ),
    "surface_contact": (
        {"first": "torus", "second": "torus", "inside": False},
        {"first": "sphere", "second": "ellipsoid", "spin": True, "inside": False},
        {"first": "plane", "second": "ellipsoid", "inside": False},
        {"first": "cylinder", "second": "torus", "inside": False},
    ),
    "point_contact": (
        {"first": "ellipsoid", "second": "point"},
        {"first": "helix", "second": "point"},
        {"first": "circle", "second": "line"},
    ),
}
"""Fields that go together, of kinds for which any values would not do."""


def random_scene(
    rng: np.random.Generator,
    n: int,
    *,
    kinds: Sequence[str] | None = None,
    chain: bool = False,
    roots: float = 0.15,
    gravity: bool = True,
    springs: bool = True,
    damping: bool = True,
    tables: bool = True,
    prescribed: float = 0.0,
) -> Scene:
    """A forest of n bodies whose bodies and joints are listed in random order.

    kinds: joint kinds to draw from, all registered ones by default. chain: every body hangs from the one before.
    roots: probability that a body hangs from the world. gravity, springs (with soft limits and torques), damping
    (of joints and bodies), tables (of torque and stiffness): whether they exist.
    prescribed: probability that a joint is animated or locked.
    """
    names = list(JOINTS.kinds if kinds is None else kinds)
    bodies, joints = [], []
    for k in range(n):
        bodies.append(random_body(rng, f"body {k}", damping=damping))
        is_root = k == 0 or (not chain and rng.random() < roots)
        parent = None if is_root else f"body {k - 1 if chain else rng.integers(k)}"
        kind = names[rng.integers(len(names))]
        place: dict[str, Any] = {
            "name": f"joint {k}",
            "parent": parent,
            "child": f"body {k}",
            "frame_in_parent": random_pose(rng),
            "frame_in_child": random_pose(rng),
        }
        joint = make_joint(rng, kind, **place)
        q = safe_q(rng, joint)
        settings = random_settings(rng, joint.ndof, springs=springs, damping=damping, tables=tables)
        settings |= {"q": tuple(q), "qdot": tuple(rng.uniform(-1.0, 1.0, joint.ndof))}
        if rng.random() < prescribed:
            settings |= random_prescription(rng, q)
        joints.append(dataclasses.replace(joint, **settings))
    scene = Scene(
        name="random tree",
        gravity=tuple(rng.uniform(-10.0, 10.0, 3)) if gravity else (0.0, 0.0, 0.0),
        bodies=[bodies[k] for k in rng.permutation(n)],
        joints=[joints[k] for k in rng.permutation(n)],
    )
    return with_paths(scene)


def random_model(rng: np.random.Generator, n: int, **options: Any) -> Model:
    """`random_scene` compiled; the same options."""
    return compile_scene(random_scene(rng, n, **options))


def random_state(rng: np.random.Generator, model: Model, speed: float = 1.0) -> tuple[Array, Array]:
    """q in a safe region and qdot in [-speed, speed], each (nr,)."""
    q = np.concatenate([np.zeros(0)] + [safe_q(rng, joint) for joint in model.joints])
    return q, rng.uniform(-speed, speed, model.dof_count)


class Situation(NamedTuple):
    """A model at one instant; qddot_prescribed is (nr,) and only its prescribed entries mean anything."""

    model: Model
    kin: Kinematics
    loads: Loads
    qddot_prescribed: Array
    t: float


def random_situation(seed: int, n: int, **options: Any) -> Situation:
    """A random model in a random state at t = 0.3 s; options of `random_scene`."""
    rng = np.random.default_rng(seed)
    return situation(rng, random_model(rng, n, **options))


def situation(rng: np.random.Generator, model: Model, t: float = 0.3) -> Situation:
    """The model in a random state."""
    kin = kinematics(model, *random_state(rng, model))
    return Situation(model, kin, loads(model, kin, t), rng.uniform(-2.0, 2.0, model.dof_count), t)


def random_body(rng: np.random.Generator, name: str, *, damping: bool = False) -> Body:
    """A body with mass 0.5 to 2 kg and the inertia of a random cloud of points, so always physical."""
    mass = rng.uniform(0.5, 2.0)
    points = 0.3 * rng.standard_normal((8, 3))
    points -= points.mean(axis=0)
    tensor = mass * np.mean([np.eye(3) * (x @ x) - np.outer(x, x) for x in points], axis=0)
    return Body(
        name=name,
        inertia=Inertia(mass=mass, center=tuple(rng.uniform(-0.3, 0.3, 3)), tensor=tensor),
        damping=rng.uniform(0.0, 0.5) if damping else 0.0,
    )


def random_pose(rng: np.random.Generator) -> Pose:
    """A uniformly random rotation, position within half a metre."""
    return Pose(position=tuple(rng.uniform(-0.5, 0.5, 3)), rotation=tuple(quaternion.from_matrix(so3.random(rng))))


def make_joint(rng: np.random.Generator, kind: str, **fields: Any) -> Joint:
    """A joint of the kind; what only this kind has (axes, pitch, nested joints) is drawn from its declaration."""
    cls = JOINTS[kind]
    own: dict[str, Any] = {}
    for name, spec in specs(cls).items():
        if name in specs(Joint):
            continue
        match spec.sort:
            case "array" if spec.positive and spec.shape == (3,):
                own[name] = tuple(np.sort(rng.uniform(0.8, 2.0, 3))[::-1])
            case "array" if spec.shape == (3,):
                own[name] = tuple(so3.random(rng)[0])
            case "number":
                own[name] = rng.uniform(0.2, 0.6)
            case "reference":
                seed, title = int(rng.integers(1000)), f"{spec.refers_to} of {fields['name']}"
                own[name] = title
                own["path"] = (ring_track if spec.refers_to == "track" else torus_sheet)(seed, name=title, turn=0.1)
            case "flag":
                own[name] = bool(rng.integers(2))
            case "choice":
                own[name] = spec.choices[rng.integers(len(spec.choices))]
            case "elements" if spec.registry == "joint":
                own[name] = random_parts(rng)
            case _:
                if defaults(cls)[name] is REQUIRED:
                    raise NotImplementedError(f"random_trees: draw a value for {kind}.{name}")
    if kind in OWN:
        own |= OWN[kind][rng.integers(len(OWN[kind]))]
    return cls(**own, **fields)


def random_parts(rng: np.random.Generator) -> tuple[Joint, ...]:
    """Parts of a composite joint, one of them a composite again; four degrees of freedom, no lock near q = 0."""
    anywhere: dict[str, Any] = {"name": "", "parent": None, "child": ""}
    slider = make_joint(rng, "prismatic", **anywhere)
    hinge_and_slider = JOINTS["composite"](parts=(JOINTS["revolute"](**anywhere), slider), **anywhere)
    return hinge_and_slider, JOINTS["universal"](**anywhere)


def safe_q(rng: np.random.Generator, joint: Joint) -> Array:
    """Coordinates (n,) in [-1.2, 1.2] where S has full rank with room to spare."""
    for _ in range(1000):
        q = off_borders(joint, rng.uniform(-1.2, 1.2, joint.ndof), 0.1)
        S = joint.motion(q, np.zeros(joint.ndof)).S
        if joint.ndof == 0 or np.linalg.svd(S, compute_uv=False)[-1] > SAFE_SINGULAR_VALUE:
            return q
    raise ValueError(f"joint '{joint.name}' ({joint.kind}) has no safe coordinates within 1.2")


def random_settings(
    rng: np.random.Generator, ndof: int, *, springs: bool, damping: bool, tables: bool
) -> dict[str, Any]:
    """Springs, dampers, soft limits (some of them exceeded) and tables of a joint with ndof coordinates."""
    fields: dict[str, Any] = {}
    if springs:
        fields |= {
            "torque": tuple(rng.uniform(-2.0, 2.0, ndof)),
            "stiffness": tuple(rng.uniform(0.0, 5.0, ndof)),
            "rest": tuple(rng.uniform(-0.5, 0.5, ndof)),
        }
        if ndof and rng.random() < 0.5:
            fields |= {"lower": -0.6, "upper": tuple(rng.uniform(0.2, 0.8, ndof)), "limit_stiffness": 3.0}
            fields["limit_damping"] = 0.3 if damping else 0.0
    if damping:
        fields["damping"] = tuple(rng.uniform(0.0, 1.0, ndof))
    if tables and ndof and rng.random() < 0.5:
        x = np.linspace(-2.0, 2.0, 5)
        fields["torque_table"] = Table(x=x, y=rng.uniform(-1.0, 1.0, (5, ndof)), interpolation="cubic")
        fields["stiffness_table"] = Table(x=x, y=rng.uniform(0.2, 1.0, (1, ndof)) * x[:, None], interpolation="cubic")
    return fields


def random_prescription(rng: np.random.Generator, q: Array) -> dict[str, Any]:
    """Fields of an animated joint that swings near q for two seconds, or of a locked one."""
    if rng.random() < 0.3 or len(q) == 0:
        return {"motion_type": LOCKED, "qdot": 0.0}
    y = q + 0.05 * rng.standard_normal((5, len(q)))
    y[0] = q
    table = Table(x=np.linspace(0.0, 2.0, 5), y=y, interpolation="cubic")
    return {"motion_type": ANIMATED, "animation": table, "qdot": tuple(table.derivative(0.0))}


def scene_pose(E: Array) -> Pose:
    """The `Pose` record of a (4, 4) matrix."""
    return Pose(position=tuple(pose.position(E)), rotation=tuple(quaternion.from_matrix(pose.rotation(E))))
