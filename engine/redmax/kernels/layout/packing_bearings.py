# SPDX-License-Identifier: GPL-3.0-or-later
"""The bearings of a model that rub, as kernels read them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Array, IntArray
from ...model import Model
from .declaration import Bearing, BearingNumbers

LITTLE = 1e-13
"""A load below this part of the weight of everything is rounding."""


class PackedBearings(NamedTuple):
    """ints: (b, Bearing.SIZE). numbers: (b, BearingNumbers.SIZE)."""

    ints: IntArray
    numbers: Array


def pack_bearings(model: Model) -> PackedBearings:
    """Bearings of simulated joints with friction, joint by joint."""
    ints, numbers = [], []
    weight = float(model.inertia[:, 3].sum()) * max(float(np.linalg.norm(model.gravity)), 1.0)
    for j, joint in enumerate(model.joints):
        columns = model.columns(j)
        friction = joint.friction
        if friction is None or not joint.rubs or model.prescribed[columns].any():
            continue
        for bearing in joint.bearings():
            ints.append((int(bearing.kind), j, int(columns.start) + bearing.first))
            sizes = (friction.coefficient, friction.radius, friction.height, *friction.sides)
            numbers.append((*sizes, LITTLE * weight))
    return PackedBearings(
        np.array(ints, np.int64).reshape(-1, Bearing.SIZE), np.array(numbers).reshape(-1, BearingNumbers.SIZE)
    )
