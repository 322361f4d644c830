# SPDX-License-Identifier: GPL-3.0-or-later
"""One front door to the seven parametrisations of a rotation.

    matrix            (..., 3, 3)
    quaternion        (..., 4)   (w, x, y, z), Hamilton
    angle_axis        (..., 4)   (theta, n), theta [rad]
    rotation_vector   (..., 3)   theta n [rad]
    euler_zyx         (..., 3)   (z, y, x) [rad], R = Rz(z) Ry(y) Rx(x)
    euler_xyz         (..., 3)   (x, y, z) [rad], R = Rx(x) Ry(y) Rz(z)
    euler_xzx         (..., 3)   (a, b, c) [rad], R = Rx(a) Rz(b) Rx(c)

Convention: every parametrisation is that of KINDR16's C_IB, r_I = C_IB r_B. C_IB maps the B-coordinates of a vector to
its I-coordinates; read in one frame it is the *active* rotation that turns the vector. The *passive* rotation, which
turns the frame instead and maps I-coordinates to B-coordinates, is the inverse: `passive`.

Conversions go through the unit quaternion, which has no singularity and keeps the relative accuracy of tiny angles
and the absolute accuracy of half turns; the trace of a matrix keeps neither.
Results are canonical: w >= 0, theta and |v| in [0, pi], Euler angles as in euler.py, also when source = target.
Source: KINDR16 "Orientation/Rotation" and "Rotation Parameterizations".
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from ..arrays import Array, ArrayLike
from ..errors import RedMaxError
from . import angle_axis, euler, quaternion


class Parametrisation(StrEnum):
    """The names of the parametrisations; a plain string with the same text does as well."""

    MATRIX = "matrix"
    QUATERNION = "quaternion"
    ANGLE_AXIS = "angle_axis"
    ROTATION_VECTOR = "rotation_vector"
    EULER_ZYX = "euler_zyx"
    EULER_XYZ = "euler_xyz"
    EULER_XZX = "euler_xzx"


EULER_SEQUENCES: dict[Parametrisation, euler.Sequence] = {
    Parametrisation.EULER_ZYX: "zyx",
    Parametrisation.EULER_XYZ: "xyz",
    Parametrisation.EULER_XZX: "xzx",
}

_SHAPES: dict[Parametrisation, tuple[int, ...]] = {
    Parametrisation.MATRIX: (3, 3),
    Parametrisation.QUATERNION: (4,),
    Parametrisation.ANGLE_AXIS: (4,),
}


def named(parametrisation: Parametrisation | str) -> Parametrisation:
    """The parametrisation of that name."""
    try:
        return Parametrisation(parametrisation)
    except ValueError:
        raise RedMaxError(
            f"rotation parametrisation '{parametrisation}' is not known; use one of {', '.join(Parametrisation)}"
        ) from None


def checked(x: ArrayLike, parametrisation: Parametrisation | str) -> Array:
    """x as an array, with the trailing shape of the parametrisation."""
    name = named(parametrisation)
    x = np.asarray(x, float)
    shape = _SHAPES.get(name, (3,))
    if x.shape[-len(shape) :] != shape:
        wanted = ", ".join(["...", *map(str, shape)])
        raise RedMaxError(f"{name} rotation has shape {x.shape}; it must be ({wanted})")
    return x


def to_quaternion(x: ArrayLike, source: Parametrisation | str) -> Array:
    """Unit quaternion of x, shape (..., 4). A quaternion is normalised and keeps its sign."""
    source = named(source)
    x = checked(x, source)
    match source:
        case Parametrisation.MATRIX:
            return quaternion.from_matrix(x)
        case Parametrisation.QUATERNION:
            if np.any(np.all(x == 0.0, axis=-1)):
                raise RedMaxError("quaternion (0, 0, 0, 0) is no rotation; no rotation at all is (1, 0, 0, 0)")
            return quaternion.normalize(x)
        case Parametrisation.ANGLE_AXIS:
            return angle_axis.to_quaternion(x)
        case Parametrisation.ROTATION_VECTOR:
            return quaternion.exp(x)
        case _:
            return euler.to_quaternion(x, EULER_SEQUENCES[source])


def from_quaternion(q: ArrayLike, target: Parametrisation | str) -> Array:
    """The unit quaternion q in the canonical form of `target`."""
    target = named(target)
    q = checked(q, Parametrisation.QUATERNION)
    match target:
        case Parametrisation.MATRIX:
            return quaternion.to_matrix(q)
        case Parametrisation.QUATERNION:
            return quaternion.canonical(q)
        case Parametrisation.ANGLE_AXIS:
            return angle_axis.from_quaternion(q)
        case Parametrisation.ROTATION_VECTOR:
            return quaternion.log(q)
        case _:
            return euler.from_quaternion(q, EULER_SEQUENCES[target])


def convert(x: ArrayLike, source: Parametrisation | str, target: Parametrisation | str) -> Array:
    """The rotation x, given as `source`, in the canonical form of `target`; leading axes are kept."""
    return from_quaternion(to_quaternion(x, source), target)


def inverse(x: ArrayLike, parametrisation: Parametrisation | str) -> Array:
    """The inverse rotation in the same parametrisation: x_ba from x_ab. KINDR16 "Inversion"."""
    if named(parametrisation) is Parametrisation.MATRIX:
        return np.swapaxes(checked(x, parametrisation), -1, -2)
    return from_quaternion(quaternion.conjugate(to_quaternion(x, parametrisation)), parametrisation)


def passive(x: ArrayLike, parametrisation: Parametrisation | str) -> Array:
    """The passive reading of the active rotation x, and back: its inverse. KINDR16 "Inversion"."""
    return inverse(x, parametrisation)


def concatenate(x_ab: ArrayLike, x_bc: ArrayLike, parametrisation: Parametrisation | str) -> Array:
    """x_ac = x_ab after x_bc in the same parametrisation; broadcasts. KINDR16 "Concatenation".

    For passive rotations exchange the arguments: (x_ab x_bc)^-1 = x_cb x_ba.
    """
    if named(parametrisation) is Parametrisation.MATRIX:
        R_ac: Array = checked(x_ab, parametrisation) @ checked(x_bc, parametrisation)
        return R_ac
    q_ab, q_bc = to_quaternion(x_ab, parametrisation), to_quaternion(x_bc, parametrisation)
    return from_quaternion(quaternion.multiply(q_ab, q_bc), parametrisation)


def rotate(x_ab: ArrayLike, v_b: ArrayLike, parametrisation: Parametrisation | str) -> Array:
    """v_a, the a-coordinates of the vector with b-coordinates v_b, shape (..., 3) [unit of v_b]."""
    return quaternion.rotate(to_quaternion(x_ab, parametrisation), v_b)
