# SPDX-License-Identifier: GPL-3.0-or-later
"""Mass, centre of mass and inertia of rigid bodies.

`MassProperties` is what a shape, a mesh or a user states about one body, in whatever frame is convenient.
The array functions below it serve whole scenes at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..arrays import Array, ArrayLike, frozen
from . import adjoint, pose, so3

# Off-diagonal products and differences of moments below this fraction of the moments count as zero when
# principal axes are chosen: far above the round-off of R I R^T (1e-15), far below any measured inertia.
PRINCIPAL_TOLERANCE = 1e-12

# Slack, relative to the largest moment, of the physical validity test. Thin plates and rods sit exactly on the
# limit, and Blender hands over single-precision numbers (6e-8 each, a few of them summed).
VALIDITY_TOLERANCE = 1e-6

# The six ways to label three eigenvectors.
_PERMUTATIONS = np.array([[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [2, 1, 0]])

# Labellings whose distances from the given axes differ by less than this are a tie; the first one wins, so that
# round-off does not decide (a box turned by exactly 45 degrees).
_TIE = 1e-9


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass [kg], centre of mass (3,) [m] and inertia about that centre (3, 3) [kg m^2], all in one frame.

    The inertia is taken about the centre of mass, along the axes of the frame in which the centre is given.
    Nothing is repaired on construction: see `problems`.
    """

    mass: float
    center: Array
    inertia: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", float(self.mass))
        object.__setattr__(self, "center", frozen(self.center))
        object.__setattr__(self, "inertia", frozen(self.inertia))
        if self.center.shape != (3,):
            raise ValueError(f"mass properties: center has shape {self.center.shape}; give three numbers")
        if self.inertia.shape != (3, 3):
            raise ValueError(f"mass properties: inertia has shape {self.inertia.shape}; give a 3 x 3 matrix")

    def __eq__(self, other: object) -> bool:
        """Exact equality of all thirteen numbers."""
        if not isinstance(other, MassProperties):
            return NotImplemented
        return (
            self.mass == other.mass
            and np.array_equal(self.center, other.center)
            and np.array_equal(self.inertia, other.inertia)
        )

    def __hash__(self) -> int:
        # Adding 0.0 turns -0.0 into 0.0: the two are equal, so their hashes must be too.
        return hash((self.mass, (self.center + 0.0).tobytes(), (self.inertia + 0.0).tobytes()))

    def transformed(self, E_ab: Array) -> MassProperties:
        """The same body described in frame a, when `self` describes it in frame b."""
        R_ab = pose.rotation(E_ab)
        center_a = R_ab @ self.center + pose.position(E_ab)
        return MassProperties(self.mass, center_a, R_ab @ self.inertia @ R_ab.T)

    def with_mass(self, mass: float) -> MassProperties:
        """The same shape made of a denser or lighter material, so that it weighs `mass` [kg]."""
        if self.mass == 0.0:
            raise ValueError("mass properties: a massless body cannot be rescaled; give it a density or an inertia")
        return MassProperties(mass, self.center, self.inertia * (mass / self.mass))

    def spatial(self) -> Array:
        """Spatial inertia (6, 6) about the origin of the frame, angular first. Source: SG13 eq. 5."""
        return spatial_inertia(self.mass, self.center, self.inertia)

    def principal(self) -> tuple[Array, Array]:
        """Principal body frame E_bi (4, 4) and the diagonal (6,) of the inertia in it. See `principal_frames`."""
        return principal_frames(self.mass, self.center, self.inertia)

    def problems(self) -> list[str]:
        """Everything that no rigid body could have, in plain language; empty when the numbers are physical.

        A body of positive density has a symmetric inertia, no negative principal moment, and no principal moment
        larger than the sum of the other two. Slack: `VALIDITY_TOLERANCE` of the largest moment.
        """
        found: list[str] = []
        if not np.isfinite(self.mass):
            found.append(f"mass is {self.mass}; give a finite number of kilograms")
        elif self.mass < 0.0:
            found.append(f"mass is {self.mass:g} kg; it cannot be negative")
        if not np.isfinite(self.center).all():
            found.append(f"centre of mass {self.center.tolist()} is not finite; give three numbers in metres")
        if not np.isfinite(self.inertia).all():
            found.append("inertia is not finite; give nine numbers in kg m^2")
            return found

        slack = VALIDITY_TOLERANCE * float(np.abs(self.inertia).max())
        asymmetry = float(np.abs(self.inertia - self.inertia.T).max())
        if asymmetry > slack:
            found.append(f"inertia is not symmetric (entries differ by {asymmetry:g} kg m^2); Ixy must equal Iyx")
            return found
        smallest, middle, largest = np.linalg.eigvalsh(self.inertia)
        if smallest < -slack:
            found.append(f"smallest principal moment is {smallest:g} kg m^2; it cannot be negative")
        elif largest > smallest + middle + slack:
            found.append(
                f"principal moments {smallest:g}, {middle:g}, {largest:g} kg m^2: the largest exceeds the sum of "
                "the other two, which no distribution of mass can do"
            )
        if self.mass == 0.0 and slack > 0.0:
            found.append("inertia is not zero although the mass is; give the body a mass")
        return found


def combine(parts: Iterable[MassProperties]) -> MassProperties:
    """One rigid body made of `parts`, all given in the same frame.

    Of nothing: a massless point at the origin. Of massless parts: their inertias add and the centre, which has no
    meaning then, is the mean of theirs. Source: RBDN eqs. 1.25-1.26, with the shift written as the parallel-axis
    rule about the common centre, which avoids the cancellation of going through a distant origin.
    """
    bodies = list(parts)
    if not bodies:
        return MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))
    masses = np.array([body.mass for body in bodies])
    centers = np.array([body.center for body in bodies])
    mass = float(masses.sum())
    center = masses @ centers / mass if mass != 0.0 else centers.mean(axis=0)
    inertia = np.sum([body.inertia for body in bodies], axis=0) + steiner(masses, centers - center).sum(axis=0)
    return MassProperties(mass, center, inertia)


def steiner(mass: ArrayLike, d: ArrayLike) -> Array:
    """Inertia (..., 3, 3) [kg m^2] of point masses at offsets d (..., 3) [m]: m (d.d 1 - d d^T) = -m [d]^2."""
    m, offset = np.asarray(mass, dtype=float), np.asarray(d, dtype=float)
    squared = np.einsum("...i,...i->...", offset, offset)
    outer = offset[..., :, None] * offset[..., None, :]
    result: Array = m[..., None, None] * (squared[..., None, None] * np.eye(3) - outer)
    return result


def spatial_inertia(mass: ArrayLike, center: ArrayLike, inertia: ArrayLike) -> Array:
    """Spatial inertia (..., 6, 6) about the frame's origin, angular first [kg m^2, kg m, kg].

    `inertia` (..., 3, 3) is about the centre of mass `center` (..., 3). Kinetic energy is phi^T M phi / 2 with phi
    the twist of that same frame. Source: SG13 eq. 5.
    """
    m, c, I = (np.asarray(a, dtype=float) for a in (mass, center, inertia))
    mc = m[..., None, None] * so3.hat(c)
    about_origin = I + steiner(m, c)
    M = np.zeros((*about_origin.shape[:-2], 6, 6))
    M[..., :3, :3] = about_origin
    M[..., :3, 3:] = mc
    M[..., 3:, :3] = -mc
    M[..., 3:, 3:] = m[..., None, None] * np.eye(3)
    return M


def transform_inertia(E_ab: Array, M_b: Array) -> Array:
    """Spatial inertia M_a (..., 6, 6) of the body whose inertia in frame b is M_b.

    M_a = Ad(E_ba)^T M_b Ad(E_ba), which keeps phi^T M phi. Source: RBDN eq. 1.26 (one term of the sum).
    """
    Ad_ba = adjoint.Ad_inverse(E_ab)
    result: Array = np.swapaxes(Ad_ba, -1, -2) @ M_b @ Ad_ba
    return result


def principal_frames(mass: ArrayLike, center: ArrayLike, inertia: ArrayLike) -> tuple[Array, Array]:
    """Principal body frames E_bi (..., 4, 4) and inertia diagonals (..., 6) [kg m^2 x 3, kg x 3].

    The frame sits at the centre of mass and its axes diagonalise `inertia` (..., 3, 3). Of the 24 right-handed ways
    to name and point those axes, the one turned least from the given axes is taken. So a tensor that is already
    diagonal keeps its axes exactly, whatever the order of its moments, and a slightly tilted body gets a slightly
    tilted frame; moments are therefore *not* sorted. Where moments coincide the axes are free, and again the least
    turn is taken: two equal moments leave the shortest rotation onto the third axis, three leave no rotation.
    A fixed rule cannot be continuous over all rotations; the jump lies where two namings are equally far (45
    degrees about one axis), and the turn never exceeds 62.8 degrees. Source: RBDN section 1.7.1.
    """
    m, c, I = (np.asarray(a, dtype=float) for a in (mass, center, inertia))
    shape = np.broadcast_shapes(m.shape, c.shape[:-1], I.shape[:-2])
    I = np.broadcast_to(I, (*shape, 3, 3))
    R = _principal_axes(I.reshape(-1, 3, 3)).reshape(*shape, 3, 3)
    diagonal = np.empty((*shape, 6))
    diagonal[..., :3] = np.einsum("...ki,...kl,...li->...i", R, I, R)
    diagonal[..., 3:] = m[..., None]
    return pose.make(R, c), diagonal


def _principal_axes(I: Array) -> Array:
    """Rotations (n, 3, 3) whose columns are the principal axes of I (n, 3, 3), turned least from the given axes."""
    moments, V = np.linalg.eigh(I)
    R = _nearest_labelling(V)

    gap = PRINCIPAL_TOLERANCE * moments[:, 2]
    low_pair = moments[:, 1] - moments[:, 0] <= gap
    high_pair = moments[:, 2] - moments[:, 1] <= gap
    pair = low_pair | high_pair
    axis = np.where(high_pair[:, None], V[:, :, 0], V[:, :, 2])
    R[pair] = _shortest_rotation_onto(axis[pair])

    d = np.sqrt(np.maximum(np.einsum("nii->ni", I), 0.0))
    off_diagonal = np.abs(I) * (1.0 - np.eye(3))
    is_diagonal = (off_diagonal <= PRINCIPAL_TOLERANCE * d[:, :, None] * d[:, None, :]).all(axis=(1, 2))
    R[is_diagonal | (low_pair & high_pair)] = np.eye(3)
    return R


def _nearest_labelling(V: Array) -> Array:
    """Columns of V (n, 3, 3) permuted and signed into the rotations (n, 3, 3) nearest to the identity.

    The nearest rotation has the largest trace. Its angle is at most 62.8 degrees, so its diagonal entries are all
    positive and it is enough to sign every column that way; and its trace is at least 1.9, whereas that of a
    left-handed matrix is at most 1, so none of those can win.
    """
    candidates = np.moveaxis(V[:, :, _PERMUTATIONS], 2, 1)
    along = np.einsum("npii->npi", candidates)
    signs = np.where(along < 0.0, -1.0, 1.0)
    traces = np.abs(along).sum(axis=2)
    best = np.argmax(traces >= traces.max(axis=1, keepdims=True) - _TIE, axis=1)
    rows = np.arange(len(V))
    result: Array = candidates[rows, best] * signs[rows, best][:, None, :]
    return result


def _shortest_rotation_onto(u: Array) -> Array:
    """Rotations (n, 3, 3) by the least angle that bring one coordinate axis onto the line of unit vectors u (n, 3)."""
    size = np.abs(u)
    k = np.argmax(size >= size.max(axis=1, keepdims=True) - _TIE, axis=1)
    e = np.eye(3)[k]
    cosine = np.einsum("ni,ni->n", e, u)
    u = u * np.where(cosine < 0.0, -1.0, 1.0)[:, None]
    v = so3.hat(np.cross(e, u))
    # At least 1/sqrt(3), so the quotient is safe.
    cosine = np.abs(cosine)
    result: Array = np.eye(3) + v + v @ v / (1.0 + cosine)[:, None, None]
    return result
