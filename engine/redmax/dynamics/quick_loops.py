# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of loops whose joints only turn, or only slide, in directions that stay the same, all at once.

C is constant for these (hinges, sliders, balls, welds), and what they are open by needs no coordinates. Near closed the
result is `loop_rows`; errors are sines of angles here, so that only `loop_rows` tells a hinge that was put in upside
down.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, BoolArray, IntArray
from ..joints.base import SIMULATED, Joint
from ..model import Model
from ..spatial import adjoint
from .complement import complement, pseudo_inverse
from .kinematics import Kinematics
from .loop_rows import LoopRows

CONSTANT_SPAN = 1e-12
"""Entries of motions that differ by no more are the same."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Loops with equally many rows. number: (L,) which loops. parent, child: (L,), the world is the last body + 1.

    C: (L, m, 6). size: (L, m, 2) lengths of its halves. axis: (L, 3) of hinges, zero for others.
    turns: (L, 1) hinges and balls.
    E_child, E_parent: (L, 4, 4) joint frames in either body's principal frame. Ad_jc, B_child: (L, 6, 6), (L, m, 6).
    moves: (L, nr) +1 for coordinates that move the child alone, -1 for those that move the parent alone.
    """

    number: IntArray
    parent: IntArray
    child: IntArray
    C: Array
    size: Array
    axis: Array
    turns: BoolArray
    E_child: Array
    E_parent: Array
    Ad_jc: Array
    B_child: Array
    moves: Array


def batches(model: Model) -> tuple[Batch, ...]:
    """All quick loops of a model."""
    groups: dict[int, list[int]] = {}
    for number, loop in enumerate(model.loops):
        if is_quick(loop.closing.joint):
            groups.setdefault(6 - loop.closing.joint.ndof, []).append(number)
    return tuple(_batch(model, numbers) for numbers in groups.values())


def is_quick(joint: Joint) -> bool:
    """Whether S spans the same directions for every q, all of them turns about the joint's origin or all slides.

    Judged by the joint's motion at rest and at coordinates drawn at random.
    """
    n, rng = joint.ndof, np.random.default_rng(0)
    if joint.motion_type != SIMULATED:
        return False
    Q, first, _ = joint.motion(np.zeros(n), np.zeros(n))
    seen = [first, *(joint.motion(rng.uniform(-1.5, 1.5, n), np.zeros(n)).S for _ in range(3))]
    turns, slides = (any(S[part].any() for S in seen) for part in (slice(3), slice(3, 6)))
    if np.abs(Q - np.eye(4)).max() > CONSTANT_SPAN or (turns and slides):
        return False
    if turns and n == 1 and abs(np.linalg.norm(first) - 1.0) > CONSTANT_SPAN:
        return False  # its coordinate is no angle
    spans = [S @ pseudo_inverse(S) for S in seen]
    return all(np.abs(span - spans[0]).max() <= CONSTANT_SPAN for span in spans)


def _batch(model: Model, numbers: list[int]) -> Batch:
    loops = [model.loops[k].closing for k in numbers]
    n = model.body_count
    moves = np.zeros((n + 1, model.dof_count))
    for body in range(n):
        if model.parent[body] >= 0:
            moves[body] = moves[model.parent[body]]
        moves[body, model.columns(body)] = 1.0
    parent = np.array([loop.parent if loop.parent >= 0 else n for loop in loops])
    child = np.array([loop.child for loop in loops])
    S = [loop.joint.motion(np.zeros(loop.joint.ndof), np.zeros(loop.joint.ndof)).S for loop in loops]
    C = np.array([complement(matrix) for matrix in S])
    axis = np.array([matrix[:3, 0] if matrix.shape[1] == 1 else np.zeros(3) for matrix in S])
    E_child = np.array([loop.E_ij_child for loop in loops])
    Ad_jc = adjoint.Ad_inverse(E_child)
    return Batch(
        np.array(numbers),
        parent,
        child,
        C,
        np.linalg.norm(C.reshape(*C.shape[:2], 2, 3), axis=3),
        axis,
        np.array([[bool(matrix[:3].any())] for matrix in S]),
        E_child,
        np.array([loop.E_ij_parent for loop in loops]),
        Ad_jc,
        C @ Ad_jc,
        moves[child] - moves[parent],
    )


def quick_rows(
    batch: Batch, kin: Kinematics, screws: tuple[Array, Array, Array]
) -> tuple[list[LoopRows], Array, Array]:
    """The rows of a batch, loop by loop, their G (L, m, nr) and what that could be at most with arms as long as they
    are. screws: see `constraint_rows.Columns`.

    Source: as `loop_rows.loop_rows`. Sdot qdot lies in the span of S, so that C annihilates it.
    """
    E_wi = np.concatenate([kin.E_wi, np.eye(4)[None]])
    phi = np.concatenate([kin.phi, np.zeros((1, 6))])
    E_wj, E_wp = E_wi[batch.child] @ batch.E_child, E_wi[batch.parent] @ batch.E_parent
    R_wj, p_wj = E_wj[:, :3, :3], E_wj[:, :3, 3]
    R_jw = np.swapaxes(R_wj, 1, 2)
    R_j0 = R_jw @ E_wp[:, :3, :3]  # axes of the parent's side, seen from the child's
    # Along the axes of the side that a joint's own motion does not turn or shift: slides go far from the parent.
    R_offset = np.where(batch.turns[:, :, None], R_jw, np.swapaxes(E_wp[:, :3, :3], 1, 2))
    offset = np.einsum("lij,lj->li", R_offset, p_wj - E_wp[:, :3, 3])
    seen = np.einsum("lij,lj->li", R_j0, batch.axis)
    tilt = 0.5 * np.stack(
        [R_j0[:, 1, 2] - R_j0[:, 2, 1], R_j0[:, 2, 0] - R_j0[:, 0, 2], R_j0[:, 0, 1] - R_j0[:, 1, 0]], axis=1
    )
    is_hinge = batch.axis.any(axis=1)[:, None]
    turned = np.where(is_hinge, np.cross(seen, batch.axis), tilt)
    gap = np.concatenate([turned, offset], axis=1)

    E_jp = np.zeros_like(E_wj)
    E_body = E_wi[batch.parent]
    E_jp[:, :3, :3] = R_jw @ E_body[:, :3, :3]
    E_jp[:, :3, 3] = np.einsum("lij,lj->li", R_jw, E_body[:, :3, 3] - p_wj)
    Ad_jp = adjoint.Ad(E_jp)
    V_parent = np.einsum("lij,lj->li", Ad_jp, phi[batch.parent])
    V_rel = np.einsum("lij,lj->li", batch.Ad_jc, phi[batch.child]) - V_parent
    w, v, w_p, v_p = V_rel[:, :3], V_rel[:, 3:], V_parent[:, :3], V_parent[:, 3:]
    turning = -np.concatenate([np.cross(w, w_p), np.cross(v, w_p) + np.cross(w, v_p)], axis=1)
    bias = np.einsum("lmj,lj->lm", batch.C, turning)
    error = np.einsum("lmj,lj->lm", batch.C, gap)
    B_parent = -batch.C @ Ad_jp

    omega, velocity, origin = screws
    lever = p_wj[:, None] - origin
    arm = velocity + np.cross(omega, lever)  # (L, nr, 3)
    columns = np.concatenate([omega @ R_wj, arm @ R_wj], axis=2) * batch.moves[:, :, None]
    G = np.einsum("lmj,lkj->lmk", batch.C, columns)
    turn = np.linalg.norm(omega, axis=1)
    shift = np.linalg.norm(velocity, axis=1) + turn * np.linalg.norm(lever, axis=2)
    most = batch.size[:, :, :1] * turn + batch.size[:, :, 1:] * shift[:, None]
    zero = np.zeros(error.shape[1])
    rows = [
        LoopRows(batch.C[k], batch.B_child[k], B_parent[k], zero, bias[k], error[k], gap[k])
        for k in range(len(batch.number))
    ]
    return rows, G, most
