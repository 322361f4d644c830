# SPDX-License-Identifier: GPL-3.0-or-later
"""A moving point as one value: position, velocity and acceleration in the coordinates of some frame."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, ArrayLike, frozen
from .frame_checks import FrameError, checked_vectors


class MovingPoint:
    """Points that move, shape (..., 3) each; an immutable value that `>>`, `<<`, `*` and `%` take through frames.

    r: positions [m]; rdot: velocities [m/s]; rddot: accelerations [m/s^2]; the three are broadcast to one shape.
    A point at rest is MovingPoint(r).
    """

    __slots__ = ("r", "rddot", "rdot")

    r: Array
    rdot: Array
    rddot: Array

    def __init__(self, r: ArrayLike, rdot: ArrayLike = (0.0, 0.0, 0.0), rddot: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        fields = {"r": r, "rdot": rdot, "rddot": rddot}
        given = [checked_vectors(v, what=f"MovingPoint field '{field}'") for field, v in fields.items()]
        try:
            together = np.broadcast_arrays(*given)
        except ValueError:
            shapes = ", ".join(str(v.shape) for v in given)
            raise FrameError(f"MovingPoint: shapes {shapes} do not go together; give as many rates as points") from None
        for field, v in zip(fields, together, strict=True):
            object.__setattr__(self, field, frozen(v))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a MovingPoint is a value and cannot change; build a new one with another {name}")

    def __repr__(self) -> str:
        return f"MovingPoint(r={self.r.tolist()}, rdot={self.rdot.tolist()}, rddot={self.rddot.tolist()})"

    def __reduce__(self) -> tuple[type[MovingPoint], tuple[Array, Array, Array]]:
        return MovingPoint, (self.r, self.rdot, self.rddot)
