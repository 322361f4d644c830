# SPDX-License-Identifier: GPL-3.0-or-later
"""How strong the equations of loops and constraints are: the singular values of their rows.

Rows and coordinates in metres are measured by the mechanism's size, whatever the pose: a row that vanishes in a
singular pose would look strong beside its own length. Masses do not matter.
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Array
from ..errors import UNKNOWN, ElementName
from ..model import Model
from ..solvers.row_solver import RANK
from .assembly import scale_of, size
from .constraint_rows import ConstraintRows, element_names


def singular_values(model: Model, rows: ConstraintRows) -> Array:
    """Of all equations, largest first."""
    return np.asarray(np.linalg.svd(_scaled(model, rows), compute_uv=False))


def rank_of(values: Array) -> int:
    """How many singular values, largest first, are those of independent equations."""
    return int((values > RANK * values.max(initial=0.0)).sum())


def weakest_equation(model: Model, rows: ConstraintRows, rank: int) -> tuple[float, ElementName]:
    """The rank-th singular value, and the loop or constraint whose it is; infinite and unknown without equations.

    rank: how many equations are independent where the mechanism is not in a singular pose.
    """
    U, s, _ = np.linalg.svd(_scaled(model, rows), full_matrices=False)
    last = min(rank, s.size) - 1
    if last < 0:
        return math.inf, UNKNOWN
    row = np.flatnonzero(~rows.one_sided)[int(np.abs(U[:, last]).argmax())]
    return float(s[last]), element_names(model)[rows.owner[row]]


def _scaled(model: Model, rows: ConstraintRows) -> Array:
    """(m, f) all equations on the free coordinates, without units."""
    equations = ~rows.one_sided
    lengths = model.once(coordinate_lengths)[rows.freedoms.free]
    G = rows.freedoms.columns(rows.G[equations])
    return np.asarray(G / scale_of(model, rows)[equations, None] * lengths)


def coordinate_lengths(model: Model) -> Array:
    """(nr,) what coordinates are measured by: the mechanism's size for metres, 1 for radians."""
    metres = [unit == "m" for joint in model.joints for unit in joint.dof_units]
    return np.where(metres, size(model), 1.0)
