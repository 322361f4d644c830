# SPDX-License-Identifier: GPL-3.0-or-later
"""The force contract: what a scene says of a force, and what compiling makes of it.

`Force` is plain data that names bodies and points. `Force.bind` gives a `BoundForce`, which knows body indices and
points in principal frames and turns poses and twists into wrenches. Everything else about forces follows from that.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar, NamedTuple

import numpy as np

from ..arrays import Array, IntArray
from ..fields import Element, text
from ..tables import Table

WORLD = -1


class Result(NamedTuple):
    """Something to be known of a force at every frame. units: one for each of its numbers; rows: what they are called,
    where there are several."""

    name: str
    label: str
    units: tuple[str, ...]
    rows: tuple[str, ...] = ()


WRENCH = Result(
    "wrench",
    "Force and Torque",
    ("N m", "N m", "N m", "N", "N", "N"),
    tuple(f"{what} {axis}" for what in ("Torque", "Force") for axis in "XYZ"),
)


class Formula(IntEnum):
    """Formulas of forces that kernels know."""

    SPRING = 0
    CABLE = 1
    MUSCLE = 2
    WORLD_WRENCH = 3
    BODY_WRENCH = 4
    DRAG = 5
    TURN_LIMIT = 6


@dataclass(frozen=True, eq=False)
class PackedForce:
    """A force as numbers, for kernels. owners: (m,) body of each point, WORLD for the world; x: (m, 3) the points in
    the principal frames. numbers and table mean what the formula says."""

    formula: Formula
    owners: IntArray
    x: Array
    numbers: tuple[float, ...]
    table: Table | None = None


@dataclass(frozen=True, eq=False)
class Placement:
    """Where compiling has put the bodies of a scene; names become indices, described points principal ones.

    index: model index of each body by name. E_ib: (n, 4, 4) described frame in the principal frame.
    E_wb: (n, 4, 4) described frame in the world at the start.
    """

    index: Mapping[str, int]
    E_ib: Array
    E_wb: Array

    def body(self, name: str | None) -> int:
        """Index of a body, WORLD for None."""
        return WORLD if name is None else self.index[name]

    def point(self, name: str | None, x_b: object) -> Array:
        """(3,) a point of a body's described frame in its principal frame; points of the world stay as they are."""
        x = np.asarray(x_b, np.float64)
        return x if name is None else _moved(self.E_ib[self.index[name]], x)

    def direction(self, name: str | None, d_b: object) -> Array:
        """(3,) a vector of a body's described frame in its principal frame."""
        d = np.asarray(d_b, np.float64)
        return d if name is None else np.asarray(self.E_ib[self.index[name]][:3, :3] @ d)

    def at_start(self, name: str | None, x_b: object) -> Array:
        """(3,) where a point stands in the world at the start."""
        x = np.asarray(x_b, np.float64)
        return x if name is None else _moved(self.E_wb[self.index[name]], x)


def _moved(E: Array, x: Array) -> Array:
    return np.asarray(E[:3, :3] @ x + E[:3, 3])


@dataclass(frozen=True, kw_only=True)
class Force(Element):
    """A force law between elements of the scene: plain data with declared fields."""

    name: str = text(doc="Name of the force, unique among forces")

    @abstractmethod
    def bind(self, placement: Placement) -> BoundForce:
        """The force on the bodies of a model."""


class BoundForce(ABC):
    """A force of a model. Nothing in it ever changes.

    name: of the force in the scene. bodies: (k,) indices of the bodies it acts on, each once; WORLD may be among
    them and is handed over with the identity as its pose and no twist.

    Every method gets E: (k, 4, 4) poses of the principal frames in the world, phi: (k, 6) their twists, t: time [s].
    Wrenches, twists and increments are in the principal frames, angular part first. Signs: K = +df/d(increment),
    D = +df/dphi. Energy is kept account of: f . phi = -dV/dt + put in - taken out.
    """

    exchanges: ClassVar[bool] = True
    """False only where a force of this class never puts in or takes out energy."""

    is_stiff: ClassVar[bool] = True
    """False only where a force of this class depends neither on places nor on velocities but by its lever."""

    results: ClassVar[tuple[Result, ...]] = (WRENCH,)
    """What `result_values` gives."""

    def __init__(self, name: str, bodies: tuple[int, ...]) -> None:
        self.name = name
        self.bodies = bodies

    @abstractmethod
    def wrenches(self, E: Array, phi: Array, t: float) -> Array:
        """f: (k, 6) wrenches on the bodies [N m, N]."""

    @abstractmethod
    def derivatives(self, E: Array, phi: Array, t: float) -> tuple[Array, Array]:
        """K: (6k, 6k) derivative of f by increments delta of the poses, E exp([delta]), at the same phi;
        D: (6k, 6k) derivative by phi. Both exact."""

    def result_values(self, E: Array, phi: Array, t: float) -> tuple[Array, ...]:
        """The numbers of each of `results`. Here: the wrench on the first body that is not the world, along the world's
        axes, its torque about that body's centre of mass [N m, N]."""
        k = next((k for k, body in enumerate(self.bodies) if body != WORLD), 0)
        f, R = self.wrenches(E, phi, t)[k], E[k, :3, :3]
        return (np.concatenate([R @ f[:3], R @ f[3:]]),)

    def potential(self, E: Array) -> float:
        """V, potential energy [J]."""
        return 0.0

    def powers(self, E: Array, phi: Array, t: float) -> tuple[float, float]:
        """What the force puts in and what it takes out [W]."""
        return 0.0, 0.0

    def implicit(self, E: Array, phi: Array, t: float) -> tuple[Array, Array]:
        """K and D for the matrix of implicit steps: symmetric and without positive eigenvalues.

        So M - h D - h^2 K stays positive definite whatever a force does. Here the exact ones, of which what pushes
        away is left out; a step then treats that part explicitly.
        """
        K, D = self.derivatives(E, phi, t)
        return pulling(K), pulling(D)

    def reference(self, E: Array, phi: Array, t: float) -> tuple[Array, Array]:
        """K and D as the reference implementation has them in its matrix: the symmetric part of K."""
        K, D = self.derivatives(E, phi, t)
        return symmetric(K), D

    def switch_times(self) -> Array:
        """Times [s] at which the force may jump or have a corner."""
        return np.zeros(0)

    def switch_levels(self) -> Array:
        """Sorted values of `switch_quantity` at which the force may jump or have a corner."""
        return np.zeros(0)

    def switch_quantity(self, E: Array, phi: Array) -> tuple[float, float]:
        """What of the pose makes the force switch, and its rate; asked for only where there are levels."""
        raise NotImplementedError

    def packed(self) -> PackedForce | None:
        """Numbers by which kernels know the force; None if it is known in Python only."""
        return None


def symmetric(A: Array) -> Array:
    """(A + A^T) / 2."""
    return np.asarray(0.5 * (A + A.T))


def pulling(A: Array) -> Array:
    """The symmetric part of A (m, m) without its positive eigenvalues."""
    values, vectors = np.linalg.eigh(symmetric(A))
    return np.asarray((vectors * np.minimum(values, 0.0)) @ vectors.T)
