# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows by which a joint closes a loop: what its S does not span, for every kind of joint alike.

The relative twist at the loop joint's frame is V_rel = Ad_jc phi_c - Ad_jp phi_p, with c its child and p its parent.
C V_rel = 0 where C S = 0; for an animated or locked joint all six components follow its motion.
Coordinates of the joint are found from the pose of its bodies (`joint_coordinates`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..arrays import Array
from ..joints.base import ANIMATED, SIMULATED, Joint
from ..model import LoopJoint
from ..spatial import adjoint, pose
from .complement import complement, pseudo_inverse
from .joint_coordinates import displacement, joint_coordinates
from .kinematics import Kinematics


@dataclass(frozen=True, eq=False)
class LoopRows:
    """The m rows of one loop: C (Ad_jc phi_c - Ad_jp phi_p) = rate.

    C: (m, 6). B_child, B_parent: (m, 6) on the twists of the principal frames; B_parent is zero for the world.
    rate, bias, error: (m,) as in `constraints.Rows`. gap: (6,) what the joint is open by [rad, m], in its frame.
    """

    C: Array
    B_child: Array
    B_parent: Array
    rate: Array
    bias: Array
    error: Array
    gap: Array


def loop_rows(loop: LoopJoint, kin: Kinematics, t: float, *, strict: bool = True) -> LoopRows:
    """The rows at one instant. Source: RBDN section 2.8 for joints of any kind; eq. 2.91-2.92.

    From d(C V_rel)/dt = 0: C (Ad_jc phidot_c - Ad_jp phidot_p) = C Addot_jp phi_p - Cdot V_rel, where
    Cdot V_rel = -C Sdot qdot (see `joint_rows`). The axes of C turn with the joint, which eq. 2.93 forgets (erratum).
    strict: raise JointCoordinatesError where no coordinates fit; else take the nearest found.
    """
    joint = loop.joint
    p, c = loop.parent, loop.child
    E_wj = kin.E_wi[c] @ loop.E_ij_child
    E_wp = loop.E_ij_parent if p < 0 else kin.E_wi[p] @ loop.E_ij_parent  # where the parent holds the joint frame
    E_0j = pose.inverse(E_wp) @ E_wj
    Ad_jc = _constant_adjoint(loop)
    V_child = Ad_jc @ kin.phi[c]
    if p < 0:
        Ad_jp, V_parent = np.zeros((6, 6)), np.zeros(6)
    else:
        Ad_jp = adjoint.Ad(pose.inverse(E_wj) @ kin.E_wi[p])
        V_parent = Ad_jp @ kin.phi[p]
    V_rel = V_child - V_parent
    turning = -adjoint.ad(V_rel) @ V_parent  # Addot_jp phi_p: the parent seen from a frame that moves at V_rel
    if joint.motion_type != SIMULATED:
        q, qdot, qddot = _given_motion(joint, t)
        at = joint.motion(q, qdot)
        gap = displacement(at.Q, E_0j)
        C, rate = np.eye(6), np.asarray(at.S @ qdot)
        bias = turning + at.S @ qddot + at.Sdot @ qdot
    else:
        q, gap = joint_coordinates(joint, E_0j, _guess(joint), strict=strict)
        zero = np.zeros(joint.ndof)
        S = joint.motion(q, zero).S
        C, S_plus = _split(S.tobytes(), S.shape[1])
        qdot = S_plus @ V_rel
        Sdot = joint.motion(q, qdot).Sdot if joint.ndof else np.zeros((6, 0))
        rate = np.zeros(len(C))
        bias = C @ (turning + Sdot @ qdot)
    return LoopRows(C, C @ Ad_jc, -C @ Ad_jp, rate, bias, C @ gap, gap)


def _constant_adjoint(loop: LoopJoint) -> Array:
    return adjoint.Ad_inverse(loop.E_ij_child)


def _guess(joint: Joint) -> Array:
    """Where the scene says the joint starts: it picks nothing but how many Newton steps are needed."""
    return np.broadcast_to(np.asarray(joint.q, np.float64), (joint.ndof,))


def _given_motion(joint: Joint, t: float) -> tuple[Array, Array, Array]:
    if joint.motion_type == ANIMATED and joint.animation is not None:
        return joint.animation.motion(t)
    zero = np.zeros(joint.ndof)
    return np.array(_guess(joint)), zero, zero


@lru_cache(maxsize=256)
def _split(S: bytes, n: int) -> tuple[Array, Array]:
    """C and S^+ of S (6, n); most joints have the same S wherever they are."""
    matrix = np.frombuffer(S, np.float64).reshape(6, n)
    return complement(matrix), pseudo_inverse(matrix)
