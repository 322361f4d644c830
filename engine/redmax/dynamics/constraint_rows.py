# SPDX-License-Identifier: GPL-3.0-or-later
"""All constraints of a mechanism at one instant as rows on its coordinates: G qdot = rate, G qddot + ... = bias.

Loops and constraints give rows on bodies' twists and on joints' velocities; here they become G (m, nr) = G_r + G_m J.
The multipliers push with +G^T lambda, so that a one-sided row, which wants at least, has lambda >= 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, BoolArray
from ..constraints import BodyAt, JointAt, JointEnds
from ..constraints.base import ZERO_TWIST
from ..errors import ElementName
from ..joints.base import ANIMATED
from ..model import Model
from ..spatial import adjoint
from .freedoms import Freedoms, freedoms
from .kinematics import Kinematics, body_poses, body_twists
from .loop_rows import LoopRows, loop_rows
from .quick_loops import batches, quick_rows

WORLD = BodyAt(-1, np.eye(4), ZERO_TWIST)

MOVES_NOTHING = 1e-12
"""What a row asks of a coordinate, relative to the most that it could with arms as long as they are, is rounding below
this. A door's second hinge has rows of nothing else, which must not be taken for small ones."""


@dataclass(frozen=True, eq=False)
class ConstraintRows:
    """m rows; see `constraints.Rows` for their meaning. Loops come first, then constraints, in the model's order.

    G: (m, nr). rate, bias, error: (m,); error is 0 where a row restricts velocities only (`holonomic` False).
    on_bodies: (first row, body, B (k, 6) on the twist of its principal frame). on_joints: (first row, joint, C (k, n)).
    one_sided, metres, holonomic, any_velocity: (m,). moved: (m,) rows that do work. bounce: (m,).
    owner: (m,) which loop or, counted on, which constraint; see `element_names`.
    loops: the rows of each loop, with its gap. freedoms: how the coordinates can move.
    """

    G: Array
    rate: Array
    bias: Array
    error: Array
    holonomic: BoolArray
    any_velocity: BoolArray
    one_sided: BoolArray
    metres: BoolArray
    moved: BoolArray
    bounce: Array
    owner: tuple[int, ...]
    on_bodies: tuple[tuple[int, int, Array], ...]
    on_joints: tuple[tuple[int, int, Array], ...]
    loops: tuple[LoopRows, ...]
    freedoms: Freedoms

    def acceleration(self, model: Model, qddot: Array, phidot: Array) -> Array:
        """(m,) left sides of the acceleration level; phidot: (n, 6) derivatives of the principal frames' twists."""
        left = np.zeros(len(self.rate))
        for row, body, B in self.on_bodies:
            left[row : row + len(B)] += B @ phidot[body]
        for row, joint, C in self.on_joints:
            left[row : row + len(C)] += C @ qddot[model.columns(joint)]
        return left

    def rate_after(self, model: Model, q: Array, qdot: Array, h: float) -> Array:
        """(m,) what G qdot has to be h [s] later, to first order, at rows of the old state with inputs of the new time.

        Rows that hold for accelerations alone ask for the velocity they find and what h adds to it; of that,
        followers of drives have a part by the bending of their curves. q, qdot: (nr,) the old state.
        """
        if not self.any_velocity.any():
            return self.rate
        bent = np.zeros(len(self.rate))
        if model.followers is not None:
            bent = self.G @ model.followers.accelerated(q, qdot, np.zeros(model.dof_count))
        return np.where(self.any_velocity, self.rate + h * (self.bias - bent), self.rate)


def is_constrained(model: Model) -> bool:
    """Whether anything but the tree of joints restricts the motion."""
    return bool(model.loops or model.constraints)


def element_names(model: Model) -> tuple[ElementName, ...]:
    """Every owner of rows; see `ConstraintRows.owner`."""
    loops = (ElementName("loop joint", loop.joint.name) for loop in model.loops)
    return (*loops, *(ElementName("constraint", constraint.name) for constraint in model.constraints))


def constraint_rows(model: Model, kin: Kinematics, t: float, *, quick: bool = True) -> ConstraintRows:
    """The rows of all loops and constraints at time t [s]. Source: RBDN eqs. 2.98 and 2.117.

    quick: loops are closed but for small errors, as they are during a run. Otherwise errors are measured by
    `loop_rows` alone, which knows large ones, and loops that are too wide open for coordinates are no error.
    """
    at, columns = _Instant(model, kin, t), Columns(model, kin)
    known: dict[int, tuple[LoopRows, Array]] = {}
    for batch in model.once(batches) if quick else ():
        found, G_loops, most_loops = quick_rows(batch, kin, (columns.omega, columns.v, columns.origin))
        G_loops[np.abs(G_loops) <= MOVES_NOTHING * most_loops] = 0.0
        known |= {int(number): (found[k], G_loops[k]) for k, number in enumerate(batch.number)}
    quickly: list[tuple[int, Array]] = []
    slowly: list[tuple[int, int, Array]] = []
    on_bodies: list[tuple[int, int, Array]] = []
    on_joints: list[tuple[int, int, Array]] = []
    parts: list[tuple[Array, Array, Array]] = []  # rate, bias, error
    holonomic: list[bool] = []
    any_velocity: list[bool] = []
    metres: list[bool] = []
    owner: list[int] = []
    loops: list[LoopRows] = []
    closing = [loop.closing for loop in model.loops]
    for number, loop in enumerate(closing):
        first = len(owner)
        if number in known:
            rows = known[number][0]
            quickly.append((first, known[number][1]))
        else:
            rows = loop_rows(loop, kin, t, strict=quick)
        count = len(rows.rate)
        loops.append(rows)
        blocks = [(first, loop.child, rows.B_child)]
        blocks += [(first, loop.parent, rows.B_parent)] if loop.parent >= 0 else []
        on_bodies += blocks
        slowly += blocks if number not in known else []
        parts.append((rows.rate, rows.bias, rows.error))
        holonomic += [True] * count
        any_velocity += [False] * count
        metres += (np.abs(rows.C[:, 3:]).max(axis=1) > np.abs(rows.C[:, :3]).max(axis=1)).tolist()
        owner += [number] * count
    for number, constraint in enumerate(model.constraints, len(model.loops)):
        given = constraint.rows(at)
        first, count = len(owner), len(given.rate)
        blocks = [(first, body, B @ at.Ad_bi[body]) for body, B in given.bodies]
        on_bodies += blocks
        slowly += blocks
        on_joints += [(first, joint, C) for joint, C in given.joints]
        error = np.zeros(count) if given.error is None else given.error
        parts.append((given.rate, given.bias, error))
        holonomic += [given.error is not None] * count
        any_velocity += [given.any_velocity] * count
        metres += given.metres
        owner += [number] * count
    rate, bias, error = (np.concatenate([np.zeros(0), *column]) for column in zip(*parts, strict=True))
    sided = [constraint.one_sided for constraint in model.constraints]
    bounce = [constraint.bounce for constraint in model.constraints]
    moved = [loop.joint.motion_type == ANIMATED for loop in closing]
    moved += [constraint.prescribes for constraint in model.constraints]
    before = len(model.loops)
    G = np.zeros((len(owner), model.dof_count))
    for row, block in quickly:
        G[row : row + len(block)] = block
    most = np.zeros_like(G)
    for row, body, B in slowly:
        G[row : row + len(B)] += B @ columns.jacobian(body)
        most[row : row + len(B)] += columns.most(body, B)
    G[np.abs(G) <= MOVES_NOTHING * most] = 0.0
    for row, joint, C in on_joints:
        G[row : row + len(C), model.columns(joint)] += C
    return ConstraintRows(
        G=G,
        rate=rate,
        bias=bias,
        error=error,
        holonomic=np.array(holonomic, np.bool_),
        any_velocity=np.array(any_velocity, np.bool_),
        one_sided=np.array([k >= before and sided[k - before] for k in owner], np.bool_),
        metres=np.array(metres, np.bool_),
        moved=np.array([moved[k] for k in owner], np.bool_),
        bounce=np.array([bounce[k - before] if k >= before else 0.0 for k in owner]),
        owner=tuple(owner),
        on_bodies=tuple(on_bodies),
        on_joints=tuple(on_joints),
        loops=tuple(loops),
        freedoms=freedoms(model, kin.q),
    )


def carriers(model: Model) -> BoolArray:
    """(n, nr) whether a body moves with a coordinate."""
    moves = np.zeros((model.body_count, model.dof_count), np.bool_)
    for body in range(model.body_count):
        p = int(model.parent[body])
        if p >= 0:
            moves[body] = moves[p]
        moves[body, model.columns(body)] = True
    return moves


class Columns:
    """Twists of single bodies per unit qdot, without the Jacobian of all: coordinates as screws in the world's axes.

    omega, v, origin: (nr, 3) how each coordinate turns and moves what it carries, at the origin of its joint.
    """

    def __init__(self, model: Model, kin: Kinematics) -> None:
        owner = model.once(_owners)
        E = kin.E_wj[owner]
        self.omega = np.einsum("kij,jk->ki", E[:, :3, :3], kin.S[:3])
        self.v = np.einsum("kij,jk->ki", E[:, :3, :3], kin.S[3:])
        self.origin = E[:, :3, 3]
        self.moves, self.E_wi = model.once(carriers), kin.E_wi
        self._known: dict[int, Array] = {}

    def jacobian(self, body: int) -> Array:
        """J_i (6, nr) of the body's principal frame. Arms between the bodies keep their digits far from the origin."""
        if body not in self._known:
            R, p = self.E_wi[body, :3, :3], self.E_wi[body, :3, 3]
            v = self.v + np.cross(self.omega, p - self.origin)
            J = np.concatenate([(self.omega @ R).T, (v @ R).T])
            self._known[body] = np.where(self.moves[body], J, 0.0)
        return self._known[body]

    def most(self, body: int, B: Array) -> Array:
        """(k, nr) what rows B (k, 6) on the twist of a body's principal frame could ask of each coordinate at most."""
        turn = np.linalg.norm(self.omega, axis=1)
        shift = np.linalg.norm(self.v, axis=1) + turn * np.linalg.norm(self.E_wi[body, :3, 3] - self.origin, axis=1)
        of_rows = np.linalg.norm(B.reshape(-1, 2, 3), axis=2)
        return np.asarray(of_rows @ np.stack([turn, shift]))


def _owners(model: Model) -> Array:
    """(nr,) number of the joint each coordinate belongs to."""
    return np.repeat(np.arange(model.body_count), np.diff(model.dof))


def _numbers(model: Model) -> tuple[dict[str, int], dict[str, int]]:
    """Numbers of bodies and of joints by name."""
    return {name: k for k, name in enumerate(model.body_names)}, {name: k for k, name in enumerate(model.joint_names)}


class _Instant:
    """The mechanism as constraints see it."""

    def __init__(self, model: Model, kin: Kinematics, t: float) -> None:
        self.t = t
        self._model, self._kin = model, kin
        self._bodies, self._joints = model.once(_numbers)
        self.Ad_bi = model.once(_described)
        if model.constraints:
            self._E_wb, self._twist = body_poses(model, kin), body_twists(model, kin)

    def body(self, name: str | None) -> BodyAt:
        if name is None:
            return WORLD
        index = self._bodies[name]
        return BodyAt(index, self._E_wb[index], self._twist[index])

    def joint(self, name: str) -> JointAt:
        index = self._joints[name]
        columns = self._model.columns(index)
        q, qdot, chart = self._kin.q[columns], self._kin.qdot[columns], int(self._kin.chart[index])
        return JointAt(index, q, qdot, chart, self._model.joints[index])

    def ends(self, name: str) -> JointEnds:
        index = self._joints[name]
        parent = int(self._model.parent[index])
        at_parent = BodyAt(parent, self._E_wb[parent], self._twist[parent]) if parent >= 0 else WORLD
        R_parent, R_child = self._model.once(_joint_frames)
        child = BodyAt(index, self._E_wb[index], self._twist[index])
        return JointEnds(at_parent, child, R_parent[index], R_child[index])


def _joint_frames(model: Model) -> tuple[Array, Array]:
    """(n, 3, 3) twice: every joint's frame on its parent and on its child, in the described frames of these bodies."""
    R_child = np.swapaxes((model.E_ji @ model.E_ib)[:, :3, :3], 1, 2)
    of_parent = np.concatenate([R_child, np.eye(3)[None]])[model.parent]
    return of_parent @ model.E_pj0[:, :3, :3], R_child


def _described(model: Model) -> Array:
    """Ad_bi (n, 6, 6): twists of described frames from those of principal ones."""
    return adjoint.Ad_inverse(model.E_ib)
