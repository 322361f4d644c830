# SPDX-License-Identifier: GPL-3.0-or-later
"""Accelerations that are given: the known part of qddot in every formulation."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..model import Model


def accelerations(model: Model, qddot_prescribed: Array | None) -> Array:
    """A new qddot, (nr,): the given value at prescribed coordinates, zero at the free ones, which are yet unknown."""
    if qddot_prescribed is None:
        if model.prescribed.any():
            names = [model.joint_names[k] for k in range(model.body_count) if model.prescribed[model.columns(k)].any()]
            raise ValueError(
                f"joints {names} are prescribed; give their accelerations, see animation.prescribed_motion"
            )
        return np.zeros(model.dof_count)
    return np.where(model.prescribed, qddot_prescribed, 0.0)
