# SPDX-License-Identifier: GPL-3.0-or-later
"""How much ropes, chains and what hangs on them are damped, from their weight and length. Numbers in SI units."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from .._engine import mass_properties, mesh
from ..properties import materials
from . import shells
from .assembly import Part

EARTH = 9.81
"""Gravity [m/s^2]; templates are damped alike in scenes with another."""

BENDING = 0.01
"""Damping of a joint between two pieces over that which balances the weight below it at the speed of a swing. The
quickest trembling of a rope or chain of ten pieces is damped critically, its swing hardly at all."""


def mass(parts: Iterable[Part], material: str, length: float) -> float:
    """Mass [kg] of solid parts. material: identifier of their density. length: metres per Blender unit."""
    return materials.DENSITY[material] * length**3 * sum(shells.volume(shell) for shell, _paint in parts)


def mass_moment(parts: Iterable[Part], material: str, length: float, *, axis: int) -> float:
    """Mass times the coordinate of its centre along an axis of their frame, 0 for x, of solid parts [kg m]."""
    masses = [(mass([part], material, length), float(shells.centroid(part[0])[axis]) * length) for part in parts]
    return sum(own * place for own, place in masses)


def moment(parts: Iterable[Part], material: str, length: float, *, axis: int) -> float:
    """Moment of inertia [kg m^2] of solid parts about a coordinate axis of their frame, 0 for x."""
    found = 0.0
    for shell, _paint in parts:
        solid = mesh.Mesh.from_faces(shell.vertices * length, shell.faces)
        own = mass_properties.mass_properties(solid, density=materials.DENSITY[material])
        across = np.delete(own.center, axis)
        found += own.inertia[axis, axis] + own.mass * float(across @ across)
    return found


def bending(hanging: float, piece: float, whole: float) -> float:
    """Damping [N m s/rad] of a joint in a rope or chain.

    hanging: mass below the joint [kg]. piece: length of the piece below it [m]. whole: length of all of it [m].
    """
    return BENDING * hanging * EARTH * piece * math.sqrt(whole / EARTH)


def drag(ratio: float, swinging: float, whole: float) -> float:
    """Damping of the twist of a body [N s/m and N m s/rad] that lets its swing die down.

    ratio: part of critical damping. swinging: mass [kg] that swings on a line of length `whole` [m].
    A swing of the angle theta moves the body by `whole` theta and turns it by theta; the drag acts on both.
    """
    return 2.0 * ratio * math.sqrt(EARTH / whole) * swinging * whole**2 / (whole**2 + 1.0)
