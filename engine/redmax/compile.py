# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns a scene into a model: checks everything, orders the tree, lays out arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from .arrays import Array, IntArray, frozen
from .check import find_problems, resolve, too_light
from .compile_surfaces import packed_surfaces
from .constraints import Constraint, JointLimit
from .constraints.packed_rows import TurnRow
from .drives import Drive, Followers
from .drives.curves import Curves
from .dynamics.animation import with_prescribed
from .dynamics.halves import placed
from .dynamics.kinematics import body_poses, kinematics
from .errors import ElementName, Problem, SceneError
from .expand import PointMass, expanded, expanded_inputs, unused
from .fields import IDENTITY, Pose, per_dof_values
from .forces import BoundForce, Force, Placement
from .forces.soft_turn_limit import SoftTurnLimit
from .joints import Joint
from .joints.base import SIMULATED
from .joints.closing import closing_rows
from .model import LoopJoint, Model
from .scene import Body, Scene, resolved
from .spatial import adjoint, pose
from .spatial.inertia import MassProperties, principal_frames, steiner
from .strands import BoundStrand
from .topology import WORLD, spanning_forest

RESISTS = 1e-6
"""Momentum of a body as part of the most that its mass and size would give it, below which it does not resist."""


def compile(scene: Scene, *, checked: bool = False) -> Model:
    """The model of a scene. Raises SceneError that lists every problem of the scene.

    checked: `find_problems` has already found none.
    """
    problems = [] if checked else find_problems(scene)
    if problems:
        raise SceneError(problems)
    model = _without_surfaces(resolved(scene))
    if not scene.surfaces:
        return model
    return replace(model, surfaces=packed_surfaces(model, scene.surfaces, scene.surface_pairs))


def _without_surfaces(scene: Scene) -> Model:
    """The model of a scene that is sound and whose joints are resolved."""
    taken = {element.name for elements in (scene.bodies, scene.joints, scene.forces) for element in elements}
    inputs = expanded_inputs(scene.drives, taken)
    whole = replace(scene, bodies=[*scene.bodies, *inputs.bodies], joints=[*scene.joints, *inputs.joints])
    model = _assembled(whole, (), inputs.coordinates)
    model = replace(model, hidden=len(inputs.bodies) + len(model.halves))
    soft = [constraint for constraint in scene.constraints if constraint.softness is not None]
    if not scene.strands:
        if not scene.forces and not soft:
            return model
        limits = _soft_limits(model, soft)
        return replace(model, forces=(*bound_forces(model, scene.forces), *limits), hidden_forces=len(limits))

    added = expanded(scene.strands, _placement(model), taken)
    whole = replace(whole, bodies=[*whole.bodies, *added.bodies], joints=[*whole.joints, *added.joints])
    model = _assembled(whole, added.masses, inputs.coordinates)
    index = {name: k for k, name in enumerate(model.body_names)} | {None: WORLD}
    strands = tuple(
        BoundStrand(
            strand.name,
            frozen([index[point.body] for point in points], np.int64),
            frozen([point.point for point in points]),
        )
        for strand, points in zip(scene.strands, added.nodes, strict=True)
    )
    limits = _soft_limits(model, soft)
    forces = (*bound_forces(model, [*scene.forces, *added.forces]), *limits)
    hidden = len(inputs.bodies) + len(added.bodies) + len(model.halves)
    hidden_forces = len(added.forces) + len(limits)
    return replace(model, forces=forces, strands=strands, hidden=hidden, hidden_forces=hidden_forces)


def _assembled(scene: Scene, masses: Sequence[PointMass], inputs: Sequence[Sequence[tuple[str, int]]]) -> Model:
    """The model of bodies, joints and drives, with further masses on bodies; without forces and strands.

    inputs: joint and coordinate of every input of each drive.
    """
    links = resolve(scene)
    topology = spanning_forest(len(scene.bodies), links.parents, links.children)
    joints = [scene.joints[links.joints[link]] for link in topology.tree]
    scene_bodies = [links.children[link] for link in topology.tree]  # model order -> scene order
    position = {body: index for index, body in enumerate(scene_bodies)} | {WORLD: WORLD}
    parent = np.array([position[links.parents[link]] for link in topology.tree], dtype=np.int64)
    bodies = [scene.bodies[index] for index in scene_bodies]

    E_bi, inertia = _principal(bodies, masses)
    loops = [
        _loop(scene.joints[links.joints[link]], position[links.parents[link]], position[links.children[link]], E_bi)
        for link in topology.loops
    ]
    names = [body.name for body in bodies]
    damping = [body.damping for body in bodies]
    for number, loop in enumerate(loops):
        if _is_split(loop, inertia[loop.child], names[loop.child]):
            loops[number] = replace(loop, half=len(names))
            joints.append(loop.joint)
            names.append(unused(f"half of {names[loop.child]}", set(names)))
            damping.append(0.0)
    halves = [loop for loop in loops if loop.half >= 0]
    if halves:
        parent = np.append(parent, [loop.parent for loop in halves])
        owner = np.append(np.arange(len(bodies)), [loop.child for loop in halves])
        E_bi, inertia = E_bi[owner], (inertia / np.bincount(owner)[:, None])[owner]

    E_bj_parent = _poses([joint.frame_in_parent for joint in joints])
    E_bj = _poses([joint.frame_in_child for joint in joints])
    E_jb = pose.inverse(E_bj)
    E_jb_or_world = np.concatenate([E_jb, np.eye(4)[None]])  # parent -1 is the world, whose joint frame is itself
    E_pj0 = E_jb_or_world[parent] @ E_bj_parent

    ndof = np.array([joint.ndof for joint in joints], dtype=np.int64)
    model = Model(
        name=scene.name,
        body_names=tuple(names),
        joint_names=tuple(joint.name for joint in joints),
        joints=tuple(joints),
        loops=tuple(loops),
        forces=(),
        constraints=(
            *(constraint for constraint in scene.constraints if constraint.softness is None),
            *_hard_limits(joints),
        ),
        parent=frozen(parent, np.int64),
        level=frozen(_levels(parent), np.int64),
        E_pj0=frozen(E_pj0),
        E_ji=frozen(E_jb @ E_bi),
        E_ib=frozen(pose.inverse(E_bi)),
        inertia=frozen(inertia),
        dof=frozen(np.concatenate([[0], np.cumsum(ndof)]), np.int64),
        gravity=frozen(scene.gravity),
        q0=_per_dof(joints, "q"),
        qdot0=_per_dof(joints, "qdot"),
        prescribed=frozen(np.repeat([joint.motion_type != SIMULATED for joint in joints], ndof), np.bool_),
        charted_loads=tuple(j for j, joint in enumerate(joints) if joint.has_singularity and joint.has_loads),
        torque=_per_dof(joints, "torque"),
        stiffness=_per_dof(joints, "stiffness"),
        rest=_per_dof(joints, "rest"),
        damping=_per_dof(joints, "damping"),
        lower=_per_dof(joints, "lower", missing=-np.inf),
        upper=_per_dof(joints, "upper", missing=np.inf),
        limit_stiffness=_per_dof(joints, "limit_stiffness"),
        limit_damping=_per_dof(joints, "limit_damping"),
        body_damping=frozen(damping),
    )
    q0, qdot0 = model.q0, model.qdot0
    if scene.drives:
        model = replace(model, followers=_followers(model, scene.drives, inputs))
        q0, qdot0 = with_prescribed(model, 0.0, q0, qdot0)
    if halves:
        first = int(model.dof[len(bodies)])
        chart = model.initial_state().chart
        q, qdot = placed(model, *with_prescribed(model, 0.0, q0, qdot0), chart)
        q0, qdot0 = np.append(q0[:first], q[first:]), np.append(qdot0[:first], qdot[first:])
    return model if q0 is model.q0 else replace(model, q0=frozen(q0), qdot0=frozen(qdot0))


def _is_split(loop: LoopJoint, inertia: Array, child: str) -> bool:
    """Whether a loop joint carries half of its child, which has this inertia (6,) and name.

    It does where it has no rows of a closed form, or where coordinates of its own are needed. A half that does not
    resist every motion of the joint would move without bounds. Raises SceneError where something acts on such a joint.
    """
    joint = loop.joint
    acted_on = joint.has_loads or joint.rubs or bool(joint.hard_limits())
    if joint.ndof == 0 or (not acted_on and closing_rows(joint) is not None):
        return False
    if joint.motion_type != SIMULATED or _resists(joint, loop.E_ij_child, inertia):
        return True
    if acted_on:
        raise SceneError([Problem(ElementName("joint", joint.name), *too_light(child))])
    return False


def _resists(joint: Joint, E_ij: Array, inertia: Array) -> bool:
    """Whether a body resists every motion of a joint that carries it. E_ij: the joint frame in its principal frame."""
    rng = np.random.default_rng(0)
    arm = float(np.linalg.norm(E_ij[:3, 3]))
    for _ in range(3):
        S = joint.motion(rng.uniform(-0.7, 0.7, joint.ndof), np.zeros(joint.ndof)).S
        turn, shift = np.linalg.norm(S[:3], axis=0), np.linalg.norm(S[3:], axis=0)
        most = np.sqrt(inertia[:3].max()) * turn + np.sqrt(inertia[3]) * (shift + arm * turn)
        momentum = np.sqrt(inertia)[:, None] * (adjoint.Ad(E_ij) @ S)
        resistance = np.linalg.norm(momentum, axis=0)
        if not (resistance > RESISTS * most).all():
            return False
        if np.linalg.svd(momentum / resistance, compute_uv=False)[-1] <= RESISTS:
            return False
    return True


def _followers(model: Model, drives: Sequence[Drive], inputs: Sequence[Sequence[tuple[str, int]]]) -> Followers:
    """What all drives move, on the coordinates of a model. Joints that several drives have as input count once."""
    first = {name: int(model.dof[k]) for k, name in enumerate(model.joint_names)}
    titles: dict[int, tuple[str, bool]] = {}
    for drive, places in zip(drives, inputs, strict=True):
        for number, (joint, coordinate) in enumerate(places):
            own = drive.inputs[number].joint is None
            titles.setdefault(first[joint] + coordinate, (drive.input_title(number), own))
    columns = {coordinate: k for k, coordinate in enumerate(titles)}
    rows: list[int] = []
    ratio: list[Array] = []
    moved = [(follower, places) for drive, places in zip(drives, inputs, strict=True) for follower in drive.followers]
    for follower, places in moved:
        rows.append(first[follower.joint] + follower.coordinate)
        line = np.zeros(len(columns))
        for (joint, coordinate), value in zip(places, follower.ratios(len(places)), strict=True):
            line[columns[first[joint] + coordinate]] += value
        ratio.append(line)
    return Followers(
        rows=frozen(rows, np.int64),
        inputs=frozen(list(columns), np.int64),
        ratio=frozen(ratio),
        offset=frozen([follower.offset for follower, _ in moved]),
        curves=Curves([follower.table for follower, _ in moved]),
        titles=tuple(title for title, _ in titles.values()),
        own=tuple(own for _, own in titles.values()),
    )


def _placement(model: Model) -> Placement:
    """Where the bodies of a model are at the start."""
    start = kinematics(model, *with_prescribed(model, 0.0, model.q0, model.qdot0))
    index = {name: k for k, name in enumerate(model.body_names)}
    return Placement(index, model.E_ib, body_poses(model, start))


def bound_forces(model: Model, forces: Sequence[Force]) -> tuple[BoundForce, ...]:
    """Forces of a scene on the bodies of its model. Raises SceneError that lists every problem."""
    if not forces:
        return ()  # where bodies start is needed for nothing else
    placement = _placement(model)
    bound: list[BoundForce] = []
    problems: list[Problem] = []
    for force in forces:
        try:
            bound.append(force.bind(placement))
        except SceneError as error:
            problems.extend(error.problems)
    if problems:
        raise SceneError(problems)
    return tuple(bound)


def _hard_limits(joints: Sequence[Joint]) -> list[Constraint]:
    """Limits that joints have without stiffness, as constraints."""
    return [
        JointLimit(
            name=f"limits of {joint.name}",
            joint=joint.name,
            coordinate=k,
            lower=lower,
            upper=upper,
            restitution=per_dof_values(joint.restitution, joint.ndof)[k],
        )
        for joint in joints
        if joint.motion_type == SIMULATED
        for k, lower, upper in joint.hard_limits()
    ]


def _soft_limits(model: Model, constraints: Sequence[Constraint]) -> list[SoftTurnLimit]:
    """What soft constraints do beyond their limits, as forces on the bodies of a model."""
    found: list[SoftTurnLimit] = []
    for constraint in constraints:
        k, d = constraint.softness or (0.0, 0.0)
        for row in constraint.packed() or ():
            if isinstance(row, TurnRow):
                child = model.joint_names.index(row.joint)
                parent = int(model.parent[child])
                A = model.E_pj0[child, :3, :3] @ row.axes
                if parent >= 0:
                    A = model.E_ji[parent, :3, :3].T @ A
                B = model.E_ji[child, :3, :3].T @ row.child_axes
                found.append(
                    SoftTurnLimit(constraint.name, (parent, child), A, B, limit=row.limit, shape=row.shape, k=k, d=d)
                )
    return found


def _levels(parent: IntArray) -> list[int]:
    levels: list[int] = []
    for p in parent.tolist():
        levels.append(0 if p == WORLD else levels[p] + 1)
    return levels


def _poses(poses: Sequence[Pose]) -> Array:
    """Poses as matrices, (n, 4, 4)."""
    E = np.tile(np.eye(4), (len(poses), 1, 1))
    given = [index for index, p in enumerate(poses) if p is not IDENTITY]
    if given:
        positions = np.array([poses[index].position for index in given], dtype=np.float64)
        rotations = np.array([poses[index].rotation for index in given], dtype=np.float64)
        rotations /= np.linalg.norm(rotations, axis=1, keepdims=True)
        E[given] = pose.from_quaternion(positions, rotations)
    return E


def _principal(bodies: Sequence[Body], masses: Sequence[PointMass]) -> tuple[Array, Array]:
    """Principal frame of every body in its own frame, (n, 4, 4), and spatial inertia there, (n, 6).

    masses: further ones at points of bodies.
    """
    n = len(bodies)
    owner: list[int] = []
    parts: list[MassProperties] = []
    frames: list[Pose] = []
    for index, body in enumerate(bodies):
        if body.inertia is not None:
            owner.append(index)
            parts.append(body.inertia.mass_properties())
            frames.append(IDENTITY)
        for shape in body.shapes:
            owner.append(index)
            parts.append(shape.own_mass_properties())
            frames.append(shape.frame)
    positions = {body.name: k for k, body in enumerate(bodies)} if masses else {}
    for point_mass in masses:
        owner.append(positions[point_mass.body])
        parts.append(MassProperties(point_mass.mass, np.array(point_mass.point), np.zeros((3, 3))))
        frames.append(IDENTITY)
    if not parts:
        return np.tile(np.eye(4), (n, 1, 1)), np.zeros((n, 6))
    E_bs = _poses(frames)
    R = E_bs[:, :3, :3]
    m = np.array([part.mass for part in parts])
    c = np.array([part.center for part in parts])
    c = (R @ c[:, :, None])[:, :, 0] + E_bs[:, :3, 3]
    I = R @ np.array([part.inertia for part in parts]) @ np.swapaxes(R, 1, 2)

    # RBDN eq. 1.25-1.26, all bodies at once: sum the masses, average the centres, move the tensors there.
    mass, center, inertia = np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3, 3))
    np.add.at(mass, owner, m)
    np.add.at(center, owner, m[:, None] * c)
    center /= np.where(mass > 0.0, mass, 1.0)[:, None]
    np.add.at(inertia, owner, I + steiner(m, c - center[owner]))
    return principal_frames(mass, center, inertia)


def _loop(joint: Joint, parent: int, child: int, E_bi: Array) -> LoopJoint:
    E_b = _poses([joint.frame_in_parent, joint.frame_in_child])
    E_parent = E_b[0] if parent == WORLD else pose.inverse(E_bi[parent]) @ E_b[0]
    return LoopJoint(joint, parent, child, frozen(E_parent), frozen(pose.inverse(E_bi[child]) @ E_b[1]))


def _per_dof(joints: Sequence[Joint], name: str, missing: float = 0.0) -> Array:
    """One field of every joint as an array over all degrees of freedom."""
    values: list[float] = []
    for joint in joints:
        values.extend(per_dof_values(getattr(joint, name), joint.ndof, missing))
    return cast(Array, frozen(values))
