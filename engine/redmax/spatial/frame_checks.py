# SPDX-License-Identifier: GPL-3.0-or-later
"""What a frame may be made of: numbers, poses and names, checked before any formula sees them."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from ..arrays import Array, ArrayLike
from ..errors import RedMaxError
from . import quaternion

Name: TypeAlias = str | int

# |q| may differ from 1 by this much. Products of unit quaternions drift by about 1e-16 each, so this leaves room for
# millions of them; float32 data (1e-7) must be normalised by whoever owns it, because a frame never alters its input.
UNIT_TOLERANCE = 1e-9

# A 4x4 pose may be this far from a rigid motion: float32 matrices, as Blender gives them, are within 1e-6.
POSE_TOLERANCE = 1e-5


class FrameError(RedMaxError):
    """A frame was given values that no frame can have; says which field and what would be right."""


def checked_numbers(value: Any, length: int, *, field: str, owner: str) -> Array:
    """`value` as a read-only copy, shape (length,), of finite numbers."""
    numbers = _floats(value, field=field, owner=owner)
    if numbers.shape != (length,):
        raise FrameError(f"{owner} field '{field}': shape is {numbers.shape}; give {length} numbers")
    for i, number in enumerate(numbers):
        if not np.isfinite(number):
            raise FrameError(f"{owner} field '{field}': entry {i} is {number}; give a finite number")
    return read_only(numbers)


def checked_vectors(v: Any, *, what: str) -> Array:
    """Vectors to transform as floats of shape (..., 3)."""
    try:
        vectors = np.asarray(v, dtype=np.float64)
    except (TypeError, ValueError):
        raise FrameError(f"{what}: {v!r} is not an array of real numbers; give shape (..., 3)") from None
    if vectors.ndim == 0 or vectors.shape[-1] != 3:
        raise FrameError(f"{what}: shape is {vectors.shape}; the last axis must have length 3")
    return vectors


def checked_unit(q: Array, *, owner: str) -> None:
    """Refuse a quaternion that is not of unit length."""
    norm = float(np.linalg.norm(q))
    if abs(norm - 1.0) > UNIT_TOLERANCE:
        raise FrameError(
            f"{owner} field 'q': length is {norm!r}; a rotation needs a unit quaternion (w, x, y, z), "
            f"for example quaternion.normalize(q)"
        )


def checked_name(value: object, *, field: str, owner: str) -> Name | None:
    """`value` if it can name a frame: a non-empty string, an integer, or None for "not known"."""
    if value is None or (isinstance(value, str) and value) or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise FrameError(
        f"{owner} field '{field}': {value!r} cannot name a frame; give a non-empty string, an integer or None"
    )


def position_and_rotation(E: ArrayLike, *, owner: str) -> tuple[Array, Array]:
    """(r, q) of the rigid motion E = [[A, r], [0, 1]], shape (4, 4) [m]; q is a unit quaternion."""
    pose = _floats(E, field="E", owner=owner)
    if pose.shape != (4, 4):
        raise FrameError(f"{owner} field 'E': shape is {pose.shape}; give a 4x4 pose [[A, r], [0, 1]]")
    if not np.isfinite(pose).all():
        raise FrameError(f"{owner} field 'E': has an entry that is not finite; give finite numbers")
    if not np.allclose(pose[3], (0.0, 0.0, 0.0, 1.0), rtol=0.0, atol=POSE_TOLERANCE):
        raise FrameError(f"{owner} field 'E': last row is {pose[3].tolist()}; it must be [0, 0, 0, 1]")
    A = pose[:3, :3]
    if not np.allclose(A.T @ A, np.eye(3), rtol=0.0, atol=POSE_TOLERANCE) or np.linalg.det(A) < 0.0:
        raise FrameError(
            f"{owner} field 'E': the 3x3 block is not a rotation (it scales, shears or mirrors); "
            f"give orthonormal columns with determinant +1"
        )
    return pose[:3, 3], quaternion.from_matrix(A)


def read_only(a: Array) -> Array:
    """`a` itself, from now on read-only."""
    a.setflags(write=False)
    return a


def _floats(value: Any, *, field: str, owner: str) -> Array:
    """A copy of `value` as floats; booleans, strings, complex numbers, None and ragged lists are refused."""
    try:
        kind = np.asarray(value).dtype.kind
    except ValueError:
        kind = "ragged"
    if kind not in "iuf":
        raise FrameError(f"{owner} field '{field}': {value!r} is not an array of real numbers; give real numbers only")
    return np.array(value, dtype=np.float64)
