# SPDX-License-Identifier: GPL-3.0-or-later
"""Volume and mass properties of simple solids of uniform density, in closed form.

Each solid is centred on its own origin as Blender's primitives are: half of its extent lies on either side of it
along every axis. Round solids have z as their axis. Only the cone's centre of mass differs from its origin.
Lengths [m], densities [kg/m^3], volumes [m^3].
Source: RBDN eq. 1.24 for the box and the list of moments of inertia cited there for the others.
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Array, ArrayLike
from ..spatial.inertia import MassProperties


def box_volume(size: ArrayLike) -> float:
    """Volume [m^3] of a box with side lengths `size` (3,) [m]."""
    return float(np.prod(_lengths("box", "size", size)))


def sphere_volume(radius: float) -> float:
    """Volume [m^3] of a ball."""
    _length("sphere", "radius", radius)
    return 4.0 / 3.0 * math.pi * radius**3


def cylinder_volume(radius: float, height: float) -> float:
    """Volume [m^3] of a cylinder."""
    _length("cylinder", "radius", radius)
    _length("cylinder", "height", height)
    return math.pi * radius**2 * height


def capsule_volume(radius: float, height: float) -> float:
    """Volume [m^3] of a cylinder of that height with a half ball on either end."""
    _length("capsule", "radius", radius)
    _length("capsule", "height", height)
    return cylinder_volume(radius, height) + sphere_volume(radius)


def cone_volume(radius: float, height: float) -> float:
    """Volume [m^3] of a cone."""
    _length("cone", "radius", radius)
    _length("cone", "height", height)
    return math.pi * radius**2 * height / 3.0


def ellipsoid_volume(radii: ArrayLike) -> float:
    """Volume [m^3] of an ellipsoid with semi-axes `radii` (3,) [m]."""
    return 4.0 / 3.0 * math.pi * float(np.prod(_lengths("ellipsoid", "radii", radii)))


def box(size: ArrayLike, density: float) -> MassProperties:
    """Mass properties of a box with side lengths `size` (3,) along x, y, z. Source: RBDN eq. 1.24."""
    mass = density * box_volume(size)
    xx, yy, zz = mass / 12.0 * _lengths("box", "size", size) ** 2
    return _centred(mass, yy + zz, zz + xx, xx + yy)


def sphere(radius: float, density: float) -> MassProperties:
    """Mass properties of a ball."""
    mass = density * sphere_volume(radius)
    moment = 2.0 / 5.0 * mass * radius**2
    return _centred(mass, moment, moment, moment)


def cylinder(radius: float, height: float, density: float) -> MassProperties:
    """Mass properties of a cylinder along z, from -height/2 to height/2."""
    mass = density * cylinder_volume(radius, height)
    across = mass / 12.0 * (3.0 * radius**2 + height**2)
    return _centred(mass, across, across, mass / 2.0 * radius**2)


def capsule(radius: float, height: float, density: float) -> MassProperties:
    """Mass properties of a capsule along z.

    `height` is that of the cylindrical part, from -height/2 to height/2; the whole is height + 2 radius long.
    """
    middle = density * cylinder_volume(radius, height)
    ends = density * sphere_volume(radius)
    along = middle / 2.0 * radius**2 + 2.0 / 5.0 * ends * radius**2
    # Each half ball has its centre of mass 3/8 radius beyond the end of the cylinder.
    across = middle / 12.0 * (3.0 * radius**2 + height**2) + ends * (
        2.0 / 5.0 * radius**2 + height**2 / 4.0 + 3.0 / 8.0 * height * radius
    )
    return _centred(middle + ends, across, across, along)


def cone(radius: float, height: float, density: float) -> MassProperties:
    """Mass properties of a cone along z: base of `radius` at z = -height/2, apex at z = height/2.

    The origin is the middle of the axis, as in Blender; the centre of mass lies at z = -height/4.
    """
    mass = density * cone_volume(radius, height)
    across = 3.0 / 80.0 * mass * (4.0 * radius**2 + height**2)
    along = 3.0 / 10.0 * mass * radius**2
    return MassProperties(mass, np.array([0.0, 0.0, -height / 4.0]), np.diag([across, across, along]))


def ellipsoid(radii: ArrayLike, density: float) -> MassProperties:
    """Mass properties of an ellipsoid with semi-axes `radii` (3,) along x, y, z."""
    mass = density * ellipsoid_volume(radii)
    xx, yy, zz = mass / 5.0 * _lengths("ellipsoid", "radii", radii) ** 2
    return _centred(mass, yy + zz, zz + xx, xx + yy)


def _centred(mass: float, Ixx: float, Iyy: float, Izz: float) -> MassProperties:
    return MassProperties(mass, np.zeros(3), np.diag([Ixx, Iyy, Izz]))


def _length(shape: str, name: str, value: float) -> None:
    # Written so that NaN fails as well.
    if not 0.0 <= value < math.inf:
        raise ValueError(f"{shape}: {name} is {value}; give a length in metres, zero or more")


def _lengths(shape: str, name: str, values: ArrayLike) -> Array:
    lengths = np.asarray(values, dtype=float)
    if lengths.shape != (3,) or not np.isfinite(lengths).all() or (lengths < 0.0).any():
        raise ValueError(f"{shape}: {name} is {values}; give three lengths in metres, zero or more")
    return lengths
