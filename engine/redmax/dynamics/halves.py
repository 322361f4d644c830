# SPDX-License-Identifier: GPL-3.0-or-later
"""Loop joints that carry half of their child: their coordinates, and the mechanism with its bodies whole.

A loop joint without rows of a closed form, or with something acting on its coordinates, carries a body of its own in
the tree (`LoopJoint.half`). That body has half of the child's mass and inertia, the child keeps the other half, and six
rows weld the two together. The sum of both halves moves as the whole body does between its two joints, so that this is
exact for every joint. RBDN section 2.8 has rows alone.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import Array, IntArray, frozen
from ..constraints import JointLimit
from ..model import Model
from ..spatial import adjoint, pose
from ..state import State
from .complement import pseudo_inverse
from .joint_coordinates import displacement, joint_coordinates
from .kinematics import kinematics

HALF_IN_PLACE = 1e-9
"""A half that is off its child by no more [rad, m, and parts of the speeds] is left where it is."""

PER_BODY = ("body_names", "joint_names", "joints", "parent", "level", "E_pj0", "E_ji", "E_ib", "body_damping")
PER_COORDINATE = (
    *("q0", "qdot0", "prescribed", "torque", "stiffness", "rest", "damping"),
    *("lower", "upper", "limit_stiffness", "limit_damping"),
)
"""Fields of a model with one entry per body, or per coordinate, that halves have entries of their own in."""


def placed(model: Model, q: Array, qdot: Array, chart: IntArray) -> tuple[Array, Array]:
    """q and qdot (nr,) with simulated loop joints that carry halves where, and as fast as, their bodies have them.

    The q given are the guess; they pick the turn of an angle. Where a loop is open, its joint is put where the gap has
    nothing along its motion.
    """
    halves = [loop for loop in model.loops if loop.half >= 0 and not model.prescribed[model.columns(loop.half)].any()]
    if not halves:
        return q, qdot
    kin = kinematics(model, q, qdot, chart)
    q, qdot = q.copy(), qdot.copy()
    for loop in halves:
        columns, in_chart, p = model.columns(loop.half), int(chart[loop.half]), loop.parent
        E_wj = kin.E_wi[loop.child] @ loop.E_ij_child
        E_w0 = loop.E_ij_parent if p < 0 else kin.E_wi[p] @ loop.E_ij_parent
        V = adjoint.Ad_inverse(loop.E_ij_child) @ kin.phi[loop.child]
        if p >= 0:
            V = V - adjoint.Ad(pose.inverse(E_wj) @ kin.E_wi[p]) @ kin.phi[p]
        E_0j = pose.inverse(E_w0) @ E_wj
        here = loop.joint.motion(q[columns], qdot[columns], in_chart)
        off = np.linalg.norm(displacement(here.Q, E_0j))
        slip = np.linalg.norm(V - here.S @ qdot[columns])
        if off <= HALF_IN_PLACE and slip <= HALF_IN_PLACE * (1.0 + np.linalg.norm(V)):
            continue
        q[columns], _ = joint_coordinates(loop.joint, E_0j, q[columns], in_chart, strict=False)
        S = loop.joint.motion(q[columns], np.zeros(loop.joint.ndof), in_chart).S
        qdot[columns] = pseudo_inverse(S) @ V
    return q, qdot


def completed(model: Model, state: State) -> State:
    """A state of the model from one without halves, such as trajectories have."""
    n, nr = len(state.chart), len(state.q)
    q, qdot = np.append(state.q, model.q0[nr:]), np.append(state.qdot, model.qdot0[nr:])
    chart = np.append(state.chart, np.zeros(model.body_count - n, np.int64))
    return State(state.t, *placed(model, q, qdot, chart), chart)


def without_halves(state: State, undivided_model: Model) -> State:
    """The state of an undivided model from that of the model it was made of."""
    n, nr = undivided_model.body_count, undivided_model.dof_count
    return State(state.t, state.q[:nr], state.qdot[:nr], state.chart[:n])


def undivided(model: Model) -> Model:
    """The mechanism with whole bodies, of which the scene's loop joints are no part of the tree; itself where it is so.

    Its rows are those of `loop_rows`. What acts on coordinates of loop joints is left out: it is for questions of
    kinematics, and for comparisons.
    """
    halves = model.halves
    if not halves:
        return model
    n = model.body_count - len(halves)
    nr = int(model.dof[n])
    inertia = model.inertia[:n].copy()
    for half, child in halves.items():
        inertia[child] += model.inertia[half]
    closing = {model.joint_names[half] for half in halves}
    limits = (isinstance(each, JointLimit) and each.joint in closing for each in model.constraints)
    return replace(
        model,
        **{name: getattr(model, name)[:n] for name in PER_BODY},
        **{name: getattr(model, name)[:nr] for name in PER_COORDINATE},
        dof=model.dof[: n + 1],
        inertia=frozen(inertia),
        loops=tuple(replace(loop, half=-1) for loop in model.loops),
        constraints=tuple(each for each, gone in zip(model.constraints, limits, strict=True) if not gone),
        charted_loads=tuple(j for j in model.charted_loads if j < n),
        hidden=model.hidden - len(halves),
    )
