# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinates that are given instead of computed: animated and locked joints."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..joints.base import ANIMATED
from ..model import Model
from ..tables import Table


def prescribed_motion(model: Model, t: float) -> tuple[Array, Array, Array]:
    """q, qdot, qddot (nr,) of animated and locked joints at time t; zero for simulated ones."""
    q, qdot, qddot = model.once(_where_locked).copy(), np.zeros(model.dof_count), np.zeros(model.dof_count)
    for columns, table in model.once(_animations):
        if columns.stop - columns.start == 1:
            q[columns], qdot[columns], qddot[columns] = table.motion_of_one(t)
        else:
            q[columns], qdot[columns], qddot[columns] = table.motion(t)
    return q, qdot, qddot


def _where_locked(model: Model) -> Array:
    """(nr,) q of locked joints, and zero for simulated ones."""
    return np.where(model.prescribed, model.q0, 0.0)


def _animations(model: Model) -> list[tuple[slice, Table]]:
    """The coordinates of animated joints and what they follow."""
    return [
        (model.columns(j), joint.animation)
        for j, joint in enumerate(model.joints)
        if joint.motion_type == ANIMATED and joint.animation is not None
    ]


def with_prescribed(model: Model, t: float, q: Array, qdot: Array) -> tuple[Array, Array]:
    """q and qdot with the prescribed coordinates put where they belong at time t, and with them what drives move."""
    if model.prescribed.any():
        q_p, qdot_p, _ = prescribed_motion(model, t)
        q, qdot = np.where(model.prescribed, q_p, q), np.where(model.prescribed, qdot_p, qdot)
    return (q, qdot) if model.followers is None else model.followers.placed(q, qdot)
