# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces along a path: straight segments through points on bodies, under one tension T(l, ldot, t).

Springs, cables and muscles differ in their law only. With l the length of the path, g = dl/d(increments) and the unit
vectors u of its segments:

    f = -T g,    K = -g (dT/dl g + dT/dldot h)^T - T dg/d(increments),    D = -dT/dldot g g^T

where h is the derivative of ldot by increments. All are exact. Where two neighbouring points coincide (closer than
`COINCIDENT`) their segment has no direction: it counts neither for l nor for ldot, and pulls its points together like
a spring without rest length, of the law's own stiffness; that force is below 1e-12 m times the stiffness.
Sources: RBDN eqs. 1.50-1.53, 1.57-1.61 and 1.65-1.68. Errata: the geometric part is printed with the wrong sign (1.51,
1.61, 1.67), the spring-damper repels and drives (1.65), and K leaves out how ldot depends on the pose.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from ...arrays import Array
from ...errors import ElementName, Problem, SceneError
from ...tables import Table
from ..base import BoundForce, Formula, PackedForce, Placement, Result
from .points import BodyPoints, PathPoint

COINCIDENT = 1e-12
"""Points closer than this [m] have no direction from one to the other."""


class Law(ABC):
    """Tension of a path by its length [m], the rate of its length [m/s] and time; positive where it pulls."""

    exchanges: bool = True

    results: ClassVar[tuple[Result, ...]] = ()
    """What `result_values` gives."""

    def result_values(self, t: float) -> tuple[float, ...]:
        """What is to be known of the law itself, beside tension, length and energy."""
        return ()

    @abstractmethod
    def tension(self, length: float, rate: float, t: float) -> tuple[float, float, float]:
        """T [N] and its derivatives by length [N/m] and by rate [N s/m]."""

    @abstractmethod
    def energy(self, length: float) -> float:
        """Potential energy [J] of the part of the tension that depends on the length alone."""

    @abstractmethod
    def powers(self, length: float, rate: float, t: float) -> tuple[float, float]:
        """Put in and taken out [W]: together -T rate = -dV/dt + put in - taken out."""

    def switch_times(self) -> Array:
        return np.zeros(0)

    def switch_lengths(self) -> Array:
        """Sorted lengths [m] at which the tension may jump or have a corner."""
        return np.zeros(0)

    def packed(self) -> tuple[Formula, tuple[float, ...], Table | None] | None:
        """The law's formula in kernels, its numbers and its table over time or None; None if only Python knows it."""
        return None


def start_length(name: str, placement: Placement, points: Sequence[PathPoint]) -> float:
    """Length of a path at the start [m]; raises SceneError where its points coincide, which leaves it without one."""
    X = np.array([placement.at_start(point.body, point.point) for point in points])
    length = float(segments_of(X).length.sum())
    if length <= COINCIDENT:
        what = "has no length at the start, because its points coincide"
        raise SceneError([Problem(ElementName("force", name), what, "give its rest_length, or move the points apart")])
    return length


class Segments(NamedTuple):
    """A path at one instant, m points.

    dx: (m - 1, 3) from point to point. length: (m - 1,). u: (m - 1, 3) unit vectors, zero where points coincide.
    a: (m, 3) derivative of l by the points' positions.
    """

    dx: Array
    length: Array
    u: Array
    a: Array


def segments_of(X: Array) -> Segments:
    """The path through the points X (m, 3)."""
    dx = X[1:] - X[:-1]
    length = np.sqrt((dx * dx).sum(axis=1))
    apart = length > COINCIDENT
    inverse: Array = 1.0 / np.where(apart, length, np.inf)
    u = inverse[:, None] * dx
    a = np.zeros_like(X)
    a[1:] += u
    a[:-1] -= u
    return Segments(dx, np.where(apart, length, 0.0), u, a)


class PathForce(BoundForce):
    """A law along a path. material_only: the reference leaves the path's turning out of its matrix (spring-damper)."""

    _COMMON = (
        Result("tension", "Tension", ("N",)),
        Result("length", "Length", ("m",)),
        Result("elastic_energy", "Elastic Energy", ("J",)),
    )

    def __init__(
        self,
        name: str,
        placement: Placement,
        points: Sequence[PathPoint],
        law: Law,
        *,
        material_only: bool = False,
    ) -> None:
        self.points = BodyPoints(placement, points)
        super().__init__(name, self.points.bodies)
        self.law = law
        self.material_only = material_only

    @property
    def exchanges(self) -> bool:  # type: ignore[override]
        return self.law.exchanges

    @property
    def results(self) -> tuple[Result, ...]:  # type: ignore[override]
        return (*self._COMMON, *self.law.results)

    def result_values(self, E: Array, phi: Array, t: float) -> tuple[Array, ...]:
        """Tension [N], negative where it pushes, length [m], stored energy [J], and what the law tells of itself."""
        length, rate = self.length_and_rate(E, phi)
        own = (self.law.tension(length, rate, t)[0], length, self.law.energy(length), *self.law.result_values(t))
        return tuple(np.array([number]) for number in own)

    def length(self, E: Array) -> float:
        """l [m]. Source: RBDN eq. 1.57."""
        return float(segments_of(self.points.positions(E)).length.sum())

    def length_and_rate(self, E: Array, phi: Array) -> tuple[float, float]:
        """l [m] and ldot [m/s]. Source: RBDN eqs. 1.57-1.58."""
        path = segments_of(self.points.positions(E))
        return float(path.length.sum()), float((path.a * self.points.velocities(E, phi)).sum())

    def wrenches(self, E: Array, phi: Array, t: float) -> Array:
        """Source: RBDN eq. 1.60 with the tension of the law."""
        path = segments_of(self.points.positions(E))
        ldot = float((path.a * self.points.velocities(E, phi)).sum())
        T, T_l, _ = self.law.tension(float(path.length.sum()), ldot, t)
        return self.points.wrenches(E, _point_forces(path, T, T_l))

    def derivatives(self, E: Array, phi: Array, t: float) -> tuple[Array, Array]:
        points = self.points
        path, B, g, (T, T_l, T_ldot) = self._linearised(E, phi, t)
        # how ldot depends on the pose: the unit vectors turn, and so do the bodies' twists
        rate = np.diff(points.velocities(E, phi), axis=0)
        h = points.turned_velocities(E, phi, path.a)
        K = points.turned_forces(E, _point_forces(path, T, T_l))
        for s, (pull, across) in enumerate(_stiffness(path, T, T_l)):
            C = B[s + 1] - B[s]
            K -= pull * C.T @ across @ C
            if path.length[s] > 0.0:
                h += (rate[s] @ across / path.length[s]) @ C
        K -= np.outer(g, T_l * g + T_ldot * h)
        return K, -T_ldot * np.outer(g, g)

    def implicit(self, E: Array, phi: Array, t: float) -> tuple[Array, Array]:
        """The parts of K and D that pull back: stretching, and swinging under tension. Sums of squares."""
        path, B, g, (T, T_l, T_ldot) = self._linearised(E, phi, t)
        K = -max(T_l, 0.0) * np.outer(g, g)
        for s, (pull, across) in enumerate(_stiffness(path, T, T_l)):
            if pull > 0.0:
                C = B[s + 1] - B[s]
                K -= pull * C.T @ across @ C
        return K, -max(T_ldot, 0.0) * np.outer(g, g)

    def reference(self, E: Array, phi: Array, t: float) -> tuple[Array, Array]:
        if not self.material_only:
            return super().reference(E, phi, t)
        _, _, g, (_, T_l, T_ldot) = self._linearised(E, phi, t)
        return -T_l * np.outer(g, g), -T_ldot * np.outer(g, g)

    def _linearised(self, E: Array, phi: Array, t: float) -> tuple[Segments, Array, Array, tuple[float, float, float]]:
        """Path, B (m, 3, 6k), g = dl/d(increments) (6k,), and the tension with its derivatives."""
        path = segments_of(self.points.positions(E))
        B = self.points.jacobian(E)
        g = np.einsum("ma,mab->b", path.a, B)
        return path, B, g, self.law.tension(float(path.length.sum()), float(g @ phi.ravel()), t)

    def potential(self, E: Array) -> float:
        return self.law.energy(self.length(E))

    def powers(self, E: Array, phi: Array, t: float) -> tuple[float, float]:
        return self.law.powers(*self.length_and_rate(E, phi), t)

    def switch_times(self) -> Array:
        return self.law.switch_times()

    def switch_levels(self) -> Array:
        return self.law.switch_lengths()

    def switch_quantity(self, E: Array, phi: Array) -> tuple[float, float]:
        return self.length_and_rate(E, phi)

    def packed(self) -> PackedForce | None:
        law = self.law.packed()
        return None if law is None else PackedForce(law[0], self.points.owners, self.points.x, *law[1:])


def _pulls(path: Segments, T: float, T_l: float) -> Array:
    """(m - 1,) force of each segment divided by its length; the law's stiffness where points coincide."""
    return np.where(path.length > 0.0, T / np.where(path.length > 0.0, path.length, 1.0), T_l)


def _point_forces(path: Segments, T: float, T_l: float) -> Array:
    """(m, 3) forces on the points, in the world."""
    pull = _pulls(path, T, T_l)[:, None] * path.dx
    F = np.zeros((len(pull) + 1, 3))
    F[:-1] += pull
    F[1:] -= pull
    return F


def _stiffness(path: Segments, T: float, T_l: float) -> list[tuple[float, Array]]:
    """Of each segment: its pull per length, and the projection (3, 3) across it."""
    across = np.eye(3) - path.u[:, :, None] * path.u[:, None, :]
    return list(zip(_pulls(path, T, T_l).tolist(), across, strict=True))
