# SPDX-License-Identifier: GPL-3.0-or-later
"""SG13's Method I: all six recursions of a whole mechanism as one straight line of operations, derived once.

Nothing is left to loop over: zeros and ones of inertias, frames and joints are gone, equal parts are computed once, and
the matrices Omega (1 x 1 to 6 x 6) are eliminated symbolically. It is for small mechanisms; Method II, which is the
engine's default (joints derived, recursions by loops), serves all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..arrays import Array, frozen
from ..dynamics import joint_frame
from ..errors import RedMaxError
from ..joints import Composite, Joint
from ..joints.primitives import Kind, Primitive
from ..joints.trusted import trusted_primitives
from ..joints.written_joint import WrittenJoint
from ..model import Model
from ..symbolic.grammar import transform
from ..symbolic.graph import FormulaError, Graph, Node
from ..symbolic.tape import MASK, SHIFT, operations, play, tape
from ..symbolic.transforms import Pose
from ..symbolic.written import known_names

MOST_OPERATIONS = 100_000
"""Nodes of a whole mechanism beyond this are refused: deriving them takes seconds, and playing them is slower than
the recursions."""

MOST_COORDINATES = 100
"""Mechanisms with more coordinates are refused before anything is derived."""

ROUNDING = 1e-15
"""Constants that are this near to a whole number are that number, so that nothing is computed with them."""

Nodes = Any
"""An array of nodes, on which numpy computes by their operators."""


class Generated:
    """Forward dynamics of one model as a tape; the world's gravity acts, and generalised forces tau.

    data: the tape. operations: how many it has.
    """

    def __init__(self, model: Model) -> None:
        numbers = _derived(model)
        self.data: Array = frozen(np.array(numbers))
        self.operations = operations(numbers)
        self._listed: list[float] = [int(x) if x == int(x) else x for x in numbers]
        self._nr = model.dof_count

    def forward_dynamics(self, q: Array, qdot: Array, tau: Array) -> Array:
        """qddot, (nr,) [rad/s^2 or m/s^2]. Source: SG13 eq. 18-35."""
        registers = [*q.tolist(), *qdot.tolist(), *tau.tolist()]
        registers += [0.0] * (int(self._listed[0]) - len(registers))
        place = play(self._listed, 0, registers)  # type: ignore[arg-type]
        qddot = np.zeros(self._nr)
        for word in self._listed[place:]:
            qddot[int(word) >> SHIFT] = registers[int(word) & MASK]
        return qddot


def put_accelerations(data: Array, q: Array, qdot: Array, tau: Array, qddot: Array) -> None:
    """`Generated.forward_dynamics` as plain arithmetic, which kernels can compile."""
    n = q.shape[0]
    registers = np.empty(int(data[0]))
    for i in range(n):
        registers[i], registers[n + i], registers[2 * n + i] = q[i], qdot[i], tau[i]
        qddot[i] = 0.0
    place = play(data, 0, registers)
    for i in range(int(data[4])):
        word = int(data[place + i])
        qddot[word >> SHIFT] = registers[word & MASK]


def _derived(model: Model) -> list[float]:
    if model.loops or model.constraints or model.followers is not None or model.prescribed.any():
        raise RedMaxError(
            "Method I is for trees whose joints are all simulated; use the default dynamics, which serve loops, "
            "constraints, drives and animated joints"
        )
    nr = model.dof_count
    graph = Graph(3 * nr, most=MOST_OPERATIONS)
    size = f"{nr} coordinates"
    if nr <= MOST_COORDINATES:
        try:
            return tape(graph, _accelerations(model, graph), [0.0] * nr)
        except FormulaError:
            size = f"more than {MOST_OPERATIONS} operations"
    raise RedMaxError(
        f"'{model.name}' has {size}, which is too much for Method I; use the default dynamics, whose recursions serve "
        "mechanisms of any size"
    )


def _accelerations(model: Model, g: Graph) -> list[Node]:
    """Nodes of qddot. Names as in `si_guenter`."""
    n, nr = model.body_count, model.dof_count
    q, qdot, tau = (np.array(g.inputs[k * nr : (k + 1) * nr], dtype=object) for k in range(3))
    parent = [int(p) for p in model.parent]
    J = [_constants(g, each) for each in joint_frame.inertias(model)]
    zeros = _constants(g, np.zeros(6))
    Ad: list[Nodes] = []
    S: list[Nodes] = []

    # Recursions 1 and 2, forward. The world falls up: that is the gravity of all bodies.
    gravity = _constants(g, np.concatenate([np.zeros(3), -model.gravity]))
    v: list[Nodes] = []
    alpha: list[Nodes] = []
    p: list[Nodes] = []
    for k in range(n):
        columns = model.columns(k)
        pose = _placed(g, model.joints[k], model.E_pj0[k], q[columns], qdot[columns])
        Ad.append(_Ad_inverse(pose))
        S.append(_columns(g, pose.S))
        S_qdot, bias = S[k] @ qdot[columns] + zeros, _columns(g, pose.Sdot) @ qdot[columns] + zeros
        before = Ad[k] @ v[parent[k]] if parent[k] >= 0 else zeros  # (18)
        a = bias - _bracket(S_qdot, before)  # (19)
        v.append(before + S_qdot)  # (20)
        alpha.append(Ad[k] @ (alpha[parent[k]] if parent[k] >= 0 else gravity) + a)  # (22)
        p.append(J[k] @ alpha[k] + _dual_bracket(v[k], J[k] @ v[k]))  # (21), (23); the bracket has the sign of (21)

    # Recursion 3 backward, and 4 and 5 with it: tau_bar, articulated inertias, c_bar.
    J_bar, z = list(J), [zeros] * n
    gain: list[Nodes] = [None] * n  # Omega^-1 S^T J_bar, (d, 6)
    c_bar: list[Nodes] = [None] * n
    for k in reversed(range(n)):
        tau_bar = tau[model.columns(k)] - S[k].T @ p[k]  # (25), (26)
        U = J_bar[k] @ S[k]
        solve = _eliminated(g, _symmetric(S[k].T, U))  # (28)
        gain[k] = solve(U.T)
        c_bar[k] = solve((tau_bar - S[k].T @ z[k])[:, None])[:, 0]  # (32), (33)
        if parent[k] >= 0:
            above, back = parent[k], Ad[k].T
            p[above] = p[above] + back @ p[k]  # (24)
            # (31) with (29) and (30): Y z + Pi tau_bar = Ad* (z + gain^T (tau_bar - S^T z))
            z[above] = z[above] + back @ (z[k] + U @ c_bar[k])
            reduced = J_bar[k] - _symmetric(U, gain[k])
            J_bar[above] = J_bar[above] + _symmetric(back, reduced @ Ad[k])  # (27)

    # Recursion 6, forward.
    eta: list[Nodes] = []
    qddot: list[Node] = []
    for k in range(n):
        if parent[k] < 0:
            own = c_bar[k]
            eta.append(S[k] @ own + zeros)
        else:
            arrived = Ad[k] @ eta[parent[k]]
            own = c_bar[k] - gain[k] @ arrived  # (35), with Pi^T eta = gain Ad eta
            eta.append(arrived + S[k] @ own)  # (34)
        qddot += list(own)
    return qddot


def _placed(g: Graph, joint: Joint, E: Array, q: Nodes, qdot: Nodes) -> Pose:
    """The joint frame in its parent's, at coordinates q."""
    pose = Pose(g, list(q), list(qdot))
    a, b, c = ((*row,) for row in _constants(g, E[:3, :3]))
    pose.R, pose.p = (a, b, c), (*_constants(g, E[:3, 3]),)
    for part, first in _parts(joint):
        coordinates = list(q[first : first + part.ndof])
        if isinstance(part, WrittenJoint):
            texts = part.texts
            known = known_names(g, coordinates, part.dof_names, texts.constants)
            pose.append(transform(g, known, texts.charts[0].transform))
            continue
        listed = trusted_primitives(part)
        if listed is None or any(primitive.kind == Kind.BALL for primitive in listed):
            raise RedMaxError(
                f"Method I does not know joints of kind '{part.kind}', such as '{joint.name}'; use the default "
                "dynamics, or write the joint as a custom one"
            )
        for primitive in listed:
            _append(pose, primitive, coordinates)
            del coordinates[: primitive.ndof]
    return pose


def _parts(joint: Joint) -> list[tuple[Joint, int]]:
    """Joints one after another, and where their coordinates begin."""
    if not isinstance(joint, Composite):
        return [(joint, 0)]
    found, first = [], 0
    for part in joint.parts:
        found += [(each, first + offset) for each, offset in _parts(part)]
        first += part.ndof
    return found


def _append(pose: Pose, primitive: Primitive, q: Sequence[Node]) -> None:
    g = pose.graph
    if primitive.kind == Kind.EULER:
        for axis, angle in zip(primitive.axes, q, strict=False):
            pose.turn(axis, angle)
        return
    if any(primitive.turn):
        x, y, z = (g.constant(each) for each in primitive.turn)
        pose.turn_about((x, y, z), q[0])
    if any(primitive.advance):
        x, y, z = (g.constant(each) * q[0] for each in primitive.advance)
        pose.move((x, y, z))


def _constants(g: Graph, values: Array) -> Nodes:
    """Numbers as nodes; those that are whole but for rounding are whole."""
    size = max(1.0, float(np.abs(values).max(initial=0.0)))
    cleaned = np.where(np.abs(values - np.rint(values)) < ROUNDING * size, np.rint(values), values)
    return np.array([g.constant(x) for x in cleaned.ravel()], dtype=object).reshape(values.shape)


def _columns(g: Graph, twists: Sequence[tuple[Sequence[Node], Sequence[Node]]]) -> Nodes:
    """(6, d) of the twists of d coordinates."""
    found = np.full((6, len(twists)), g.zero, dtype=object)
    for k, (turn, slide) in enumerate(twists):
        found[:3, k], found[3:, k] = turn, slide
    return found


def _Ad_inverse(pose: Pose) -> Nodes:
    """(6, 6) Ad of the inverse of a pose: [R^T, 0; -R^T [p], R^T]."""
    R, (x, y, z), o = np.array(pose.R, dtype=object), pose.p, pose.graph.zero
    hat = np.array([[o, -z, y], [z, o, -x], [-y, x, o]], dtype=object)
    zero = np.full((3, 3), o, dtype=object)
    return np.block([[R.T, zero], [-(R.T @ hat), R.T]])


def _cross(a: Nodes, b: Nodes) -> Nodes:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], dtype=object)


def _bracket(a: Nodes, b: Nodes) -> Nodes:
    """ad_a b of two twists."""
    return np.concatenate([_cross(a[:3], b[:3]), _cross(a[3:], b[:3]) + _cross(a[:3], b[3:])])


def _dual_bracket(v: Nodes, f: Nodes) -> Nodes:
    """-ad_v* f of a twist and a wrench: (w x m + u x h, w x h)."""
    return np.concatenate([_cross(v[:3], f[:3]) + _cross(v[3:], f[3:]), _cross(v[:3], f[3:])])


def _symmetric(A: Nodes, B: Nodes) -> Nodes:
    """A B where that is known to be symmetric: half of it is computed."""
    n = len(A)
    found = np.empty((n, n), dtype=object)
    for i in range(n):
        for k in range(i + 1):
            found[i, k] = found[k, i] = A[i] @ B[:, k]
    return found


def _eliminated(g: Graph, Omega: Nodes) -> Callable[[Nodes], Nodes]:
    """X = Omega^-1 B of a symmetric matrix, by its factors L D L^T."""
    d = len(Omega)
    L = np.full((d, d), g.zero, dtype=object)
    D: list[Node] = []
    for i in range(d):
        for k in range(i):
            value = Omega[i, k]
            for m in range(k):
                value = value - L[i, m] * (D[m] * L[k, m])
            L[i, k] = value / D[k]
        value = Omega[i, i]
        for m in range(i):
            value = value - L[i, m] * (D[m] * L[i, m])
        D.append(value)

    def solve(B: Nodes) -> Nodes:
        X = B.copy()
        for i in range(d):
            for m in range(i):
                X[i] = X[i] - X[m] * L[i, m]
        for i in reversed(range(d)):
            X[i] = X[i] / D[i]
            for m in range(i + 1, d):
                X[i] = X[i] - X[m] * L[m, i]
        return X

    return solve
