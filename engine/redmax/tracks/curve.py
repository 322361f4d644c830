# SPDX-License-Identifier: GPL-3.0-or-later
"""Splines through SE(3) by products of exponentials, for many places at once: what a track is made of.

Source: RM19 eq. 56-59 and Alg. 4. `curve_motion` is the same for one place, with further derivatives.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array, IntArray
from ..spatial import adjoint, pose
from .bases import cumulative, layout, powers


class Curve(NamedTuple):
    """start: (n, 4, 4) first control frame of each segment. steps: (n, 3, 6) twists from frame to frame inside it,
    Delta C of RM19 eq. 59. weights: (3, 4) cumulative basis."""

    start: Array
    steps: Array
    weights: Array


def differences(E: Array, *, cyclic: bool) -> Array:
    """Twists (n - 1, 6) from each frame (n, 4, 4) to the next, of a closed curve also from the last to the first."""
    following = np.concatenate([E[1:], E[:1]]) if cyclic else E[1:]
    return pose.log(pose.inverse(E[: len(following)]) @ following)


def curve(E: Array, basis: str, *, cyclic: bool, endpoints: bool = False) -> Curve:
    """The curve of control frames E (n, 4, 4)."""
    segments, stride, padded = layout(basis, len(E), cyclic=cyclic, endpoints=endpoints)
    twists = differences(E, cyclic=cyclic)
    if padded:
        E = np.concatenate([(E[0] @ pose.exp(-twists[0]))[None], E])
        twists = np.concatenate([twists[:1], twists, twists[-1:]])
    first = stride * np.arange(segments)
    steps = twists[(first[:, None] + np.arange(3)) % len(twists)]
    return Curve(E[first], steps, cumulative(basis))


def motion(path: Curve, segment: IntArray, t: Array) -> tuple[Array, Array]:
    """Poses (k, 4, 4) and twists per unit of t (k, 6) at fractions t (k,) of segments (k,). Source: RM19 Alg. 4."""
    x, dx = powers(t)
    weight, slope = x @ path.weights.T, dx @ path.weights.T
    steps = path.steps[segment]
    Q, S = path.start[segment], np.zeros((len(t), 6))
    for i in range(3):
        Q_i = pose.exp(weight[:, i, None] * steps[:, i])
        Q = Q @ Q_i
        S = slope[:, i, None] * steps[:, i] + np.einsum("kij,kj->ki", adjoint.Ad_inverse(Q_i), S)
    return Q, S


def speeds(path: Curve, segment: IntArray, t: Array) -> Array:
    """Speed (k,) of the origin per unit of t [m]."""
    return np.asarray(np.linalg.norm(motion(path, segment, t)[1][:, 3:], axis=1))
