# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of hybrid dynamics: some accelerations are given, the others found, with all forces between."""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import Array


@dataclass(frozen=True, eq=False)
class HybridDynamics:
    """qddot (nr,): accelerations. tau (nr,): generalized forces S^T F, equal to `Loads.f_r` at free coordinates.

    Vdot: (n, 6) component-wise derivative of V in the joint frames [rad/s^2, m/s^2].
    F: (n, 6) wrenches that the joints pass on to their bodies, in the joint frames [N m, N].
    """

    qddot: Array
    tau: Array
    Vdot: Array
    F: Array
