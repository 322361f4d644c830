# SPDX-License-Identifier: GPL-3.0-or-later
"""A moving frame as one value: position, rotation, velocity and acceleration, transformed together.

The operators, their meaning and the in-place forms are those of `Frame` (frame.py): `>>`, `*`, `<<`, `%`, `~`.
They mix `MovingFrame` with `Frame`, which counts as at rest in its parent, with moving points and with plain points.

Rotational rates are stored as quaternion derivatives; angular velocity and acceleration are given on request, in the
frame's own axes ("local") and in the parent's. With A(q) the rotation matrix, every velocity and acceleration formula
of the source is a matrix applied to a vector:

    vec(2 qdot r q*)                       = Adot r         (CHRONO16 eq. 7)
    vec(2 qddot r q* + 2 qdot r qdot*)     = Addot r        (CHRONO16 eq. 10)

Erratum: CHRONO16 eqs. 7, 10 and 21 are written as equations of quaternions. They hold for the vector part only: the
products on the right have a scalar part that is not zero (the two terms that eq. 7 merges into 2 qdot r q* are each
other's conjugates up to sign, so they agree in the vector part alone). It is discarded here.

Source: CHRONO16 (Tasora, Kinematics of moving frames in Chrono::Engine). Tested by its Theorem 1 (CHRONO16 eqs. 13-18)
and its example (CHRONO16 section 6).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from ..arrays import Array, ArrayLike
from . import quaternion
from .frame import IDENTITY_ROTATION, ZERO, Frame, rows
from .frame_checks import FrameError, Name, checked_numbers, position_and_rotation, read_only
from .moving_point import MovingPoint

# How far qdot and qddot may be from what |q| = 1 asks of them, relative to their size (or to 1 when they are smaller:
# rates that cancel, as in a >> ~a, leave rounding of any direction). Catches a wrong formula, not rounding.
TANGENT_TOLERANCE = 1e-6

_NO_RATE = (0.0, 0.0, 0.0, 0.0)


class MovingFrame(Frame):
    """Position, rotation and their first two time derivatives of a frame in its parent; an immutable value.

    r, rdot, rddot: position, velocity, acceleration of the frame's origin, shape (3,) [m, m/s, m/s^2; parent axes].
    q, qdot, qddot: rotation as a unit quaternion (w, x, y, z) and its derivatives, shape (4,) [1, 1/s, 1/s^2]. The
    unit length asks q . qdot = 0 and q . qddot + |qdot|^2 = 0; `from_rates` does that for you.
    origin, base: optional names of the frame and of its parent.

    Source: CHRONO16 section 4 (ChFrameMoving).
    """

    _FIELDS: ClassVar[Mapping[str, int]] = {"r": 3, "q": 4, "rdot": 3, "qdot": 4, "rddot": 3, "qddot": 4}

    rdot: Array
    qdot: Array
    rddot: Array
    qddot: Array

    def __init__(
        self,
        r: ArrayLike = ZERO,
        q: ArrayLike = IDENTITY_ROTATION,
        rdot: ArrayLike = ZERO,
        qdot: ArrayLike = _NO_RATE,
        rddot: ArrayLike = ZERO,
        qddot: ArrayLike = _NO_RATE,
        *,
        origin: Name | None = None,
        base: Name | None = None,
    ) -> None:
        self._set(origin=origin, base=base, r=r, q=q, rdot=rdot, qdot=qdot, rddot=rddot, qddot=qddot)

    # --- building --------------------------------------------------------------------------------------------------

    @classmethod
    def from_rates(
        cls,
        r: ArrayLike = ZERO,
        q: ArrayLike = IDENTITY_ROTATION,
        rdot: ArrayLike = ZERO,
        rddot: ArrayLike = ZERO,
        *,
        omega_local: ArrayLike | None = None,
        omega_parent: ArrayLike | None = None,
        alpha_local: ArrayLike | None = None,
        alpha_parent: ArrayLike | None = None,
        origin: Name | None = None,
        base: Name | None = None,
    ) -> Self:
        """The moving frame with the given angular velocity and acceleration.

        r, rdot, rddot: shape (3,) [m, m/s, m/s^2; parent axes]. q: unit quaternion.
        omega_*: angular velocity [rad/s], alpha_*: angular acceleration [rad/s^2], shape (3,), each in the frame's
        own or in the parent's axes, never both; left out means zero.
        Source: CHRONO16 eqs. 9, 12, inverted.
        """
        return cls(r, q, rdot, _NO_RATE, rddot, origin=origin, base=base)._with_rotation_rates(
            omega_local=omega_local, omega_parent=omega_parent, alpha_local=alpha_local, alpha_parent=alpha_parent
        )

    @classmethod
    def from_twist(
        cls,
        E: ArrayLike,
        phi: ArrayLike,
        phidot: ArrayLike = (0.0,) * 6,
        *,
        origin: Name | None = None,
        base: Name | None = None,
    ) -> Self:
        """The moving frame with pose E and body twist phi.

        E: pose in the parent, shape (4, 4) [m].
        phi: twist (omega; v) in the frame's own axes, angular first, shape (6,) [rad/s, m/s].
        phidot: time derivative of the six numbers phi, shape (6,) [rad/s^2, m/s^2]. Its linear part is not the
        acceleration of the origin: from rdot = A v follows rddot = A (vdot + omega x v).
        """
        r, q = position_and_rotation(E, owner=cls.__name__)
        omega, v = np.split(checked_numbers(phi, 6, field="phi", owner=cls.__name__), 2)
        omegadot, vdot = np.split(checked_numbers(phidot, 6, field="phidot", owner=cls.__name__), 2)
        A = quaternion.to_matrix(q)
        return cls.from_rates(
            r, q, A @ v, A @ (vdot + np.cross(omega, v)),
            omega_local=omega, alpha_local=omegadot, origin=origin, base=base,
        )  # fmt: skip

    def replace(
        self,
        *,
        r: ArrayLike | None = None,
        q: ArrayLike | None = None,
        rdot: ArrayLike | None = None,
        rddot: ArrayLike | None = None,
        omega_local: ArrayLike | None = None,
        omega_parent: ArrayLike | None = None,
        alpha_local: ArrayLike | None = None,
        alpha_parent: ArrayLike | None = None,
    ) -> Self:
        """The same moving frame with some of its values changed; names are kept.

        What is not given keeps its value. The rotational rates keep theirs as omega_local and alpha_local, because
        qdot and qddot are tied to q (and qddot to qdot) by the unit length. Shapes and units as in `from_rates`.
        """
        if omega_local is None and omega_parent is None:
            omega_local = self.omega_local
        if alpha_local is None and alpha_parent is None:
            alpha_local = self.alpha_local
        return self.from_rates(
            self.r if r is None else r,
            self.q if q is None else q,
            self.rdot if rdot is None else rdot,
            self.rddot if rddot is None else rddot,
            omega_local=omega_local,
            omega_parent=omega_parent,
            alpha_local=alpha_local,
            alpha_parent=alpha_parent,
            origin=self.origin,
            base=self.base,
        )

    def normalized(self) -> Self:
        """The same motion with |q| = 1, q . qdot = 0 and q . qddot + |qdot|^2 = 0 met to rounding.

        For chains of millions of in-place products, whose quaternion drifts off the unit sphere.
        """
        n = float(np.linalg.norm(self.q))
        q = self.q / n
        moving = self._computed(self.names, r=self.r, q=q, rdot=self.rdot, rddot=self.rddot)
        return moving._with_rotation_rates(
            omega_local=2.0 / n * quaternion.Hbar(q) @ self.qdot, alpha_local=2.0 / n * quaternion.Hbar(q) @ self.qddot
        )

    # --- reading ---------------------------------------------------------------------------------------------------

    @property
    def frame(self) -> Frame:
        """The pose alone, without rates."""
        return Frame._computed(self.names, r=self.r, q=self.q)

    @property
    def omega_local(self) -> Array:
        """Angular velocity in the parent, in the frame's own axes, shape (3,) [rad/s]. Source: CHRONO16 eq. 9."""
        return 2.0 * quaternion.Hbar(self.q) @ self.qdot

    @property
    def omega_parent(self) -> Array:
        """Angular velocity in the parent, in the parent's axes, shape (3,) [rad/s]: vec(2 qdot q*)."""
        return 2.0 * quaternion.H(self.q) @ self.qdot

    @property
    def alpha_local(self) -> Array:
        """Angular acceleration in the parent, in the frame's own axes, shape (3,) [rad/s^2]. Source: CHRONO16 eq. 12.

        It is also the derivative of the numbers omega_local. The term 2 qdot* qdot of eq. 12 is a pure scalar, which
        cancels the scalar part of the other term; the vector part is all that is left.
        """
        return 2.0 * quaternion.Hbar(self.q) @ self.qddot

    @property
    def alpha_parent(self) -> Array:
        """Angular acceleration in the parent, in the parent's axes, shape (3,) [rad/s^2]: vec(2 qddot q*)."""
        return 2.0 * quaternion.H(self.q) @ self.qddot

    @property
    def twist(self) -> Array:
        """Body twist phi = (omega; v), own axes, angular first, shape (6,) [rad/s, m/s]."""
        return np.concatenate([self.omega_local, self.rdot @ self.A])

    @property
    def twist_rate(self) -> Array:
        """Time derivative of the six numbers `twist`, shape (6,) [rad/s^2, m/s^2]: vdot = A^T rddot - omega x v."""
        omega, v = np.split(self.twist, 2)
        return np.concatenate([self.alpha_local, self.rddot @ self.A - np.cross(omega, v)])

    @cached_property
    def Adot(self) -> Array:
        """Time derivative of the rotation matrix A, shape (3, 3) [1/s].

        Adot r is the vector part of 2 qdot r q*. Source: CHRONO16 eq. 7.
        """
        return read_only(2.0 * quaternion.H(self.qdot) @ quaternion.Hbar(self.q).T)

    @cached_property
    def Addot(self) -> Array:
        """Second time derivative of the rotation matrix A, shape (3, 3) [1/s^2].

        Addot r is the vector part of 2 qddot r q* + 2 qdot r qdot*. Source: CHRONO16 eq. 10.
        """
        H, Hbar = quaternion.H, quaternion.Hbar
        return read_only(2.0 * (H(self.qddot) @ Hbar(self.q).T + H(self.qdot) @ Hbar(self.qdot).T))

    # --- the formulas ----------------------------------------------------------------------------------------------

    def _point_to_parent(self, p: MovingPoint) -> MovingPoint:
        """Source: CHRONO16 eqs. 5, 7 and 10 (vector parts, see the module docstring)."""
        r = self.r + rows(self.A, p.r)
        rdot = self.rdot + rows(self.Adot, p.r) + rows(self.A, p.rdot)
        # Eq. 10: transport, Coriolis (4 qdot rdot q* = 2 Adot rdot) and relative acceleration.
        rddot = self.rddot + rows(self.Addot, p.r) + 2.0 * rows(self.Adot, p.rdot) + rows(self.A, p.rddot)
        return MovingPoint(r, rdot, rddot)

    def _point_to_local(self, p: MovingPoint) -> MovingPoint:
        """CHRONO16 eqs. 5, 7 and 10 solved, one after the other, for the values in the frame."""
        r = rows(self.A.T, p.r - self.r)
        rdot = rows(self.A.T, p.rdot - self.rdot - rows(self.Adot, r))
        rddot = rows(self.A.T, p.rddot - self.rddot - rows(self.Addot, r) - 2.0 * rows(self.Adot, rdot))
        return MovingPoint(r, rdot, rddot)

    def _child_to_parent(self, child: Self) -> Mapping[str, Array]:
        """Fields of chi_a,(c) from self = chi_b,(c) and child = chi_a,(b). Source: CHRONO16 eqs. 5-8, 10, 11."""
        point = self._point_to_parent(child._origin_point())
        q, qdot, qddot = _product_with_rates(self._rotation(), child._rotation())
        return {"r": point.r, "q": q, "rdot": point.rdot, "qdot": qdot, "rddot": point.rddot, "qddot": qddot}

    def _child_from_parent(self, whole: Self) -> Mapping[str, Array]:
        """Fields of chi_a,(b) from self = chi_b,(c) and whole = chi_a,(c); the inverse of self is not built.

        Source: the definition of `<<` and `%` in CHRONO16 section 4, whose formulas are not printed there.
        """
        point = self._point_to_local(whole._origin_point())
        # The conjugate is linear, so the rotation of the inverse has the conjugate derivatives (see `inverse`).
        q, qdot, qddot = _product_with_rates(quaternion.conjugate(self._rotation()), whole._rotation())
        return {"r": point.r, "q": q, "rdot": point.rdot, "qdot": qdot, "rddot": point.rddot, "qddot": qddot}

    def inverse(self) -> Self:
        """The parent's motion seen from this frame; names are swapped. Source: CHRONO16 eqs. 19-23.

        Erratum: eq. 23 has the wrong sign; right is qddot_inv = -q^-1 (qddot - 2 qdot q^-1 qdot) q^-1. For a unit q
        that is the conjugate of qddot, as eq. 22 is the conjugate of qdot, and the conjugates are what is used here.
        Erratum: the printed rddot of the inverse (before eq. 23, without number) is not the acceleration; here eq. 10
        is set to zero and solved for it.
        """
        # The inverse takes the identity of the parent into the frame: x >> self = identity.
        point = self._point_to_local(MovingPoint(ZERO))
        return self._computed(
            self.names.swapped(),
            r=point.r,
            q=quaternion.conjugate(self.q),
            rdot=point.rdot,
            qdot=quaternion.conjugate(self.qdot),
            rddot=point.rddot,
            qddot=quaternion.conjugate(self.qddot),
        )

    def _origin_point(self) -> MovingPoint:
        """The motion of the frame's origin in the parent."""
        return MovingPoint(self.r, self.rdot, self.rddot)

    def _rotation(self) -> Array:
        """q, qdot, qddot as the rows of one array, shape (3, 4)."""
        return np.stack([self.q, self.qdot, self.qddot])

    def _with_rotation_rates(
        self,
        *,
        omega_local: ArrayLike | None = None,
        omega_parent: ArrayLike | None = None,
        alpha_local: ArrayLike | None = None,
        alpha_parent: ArrayLike | None = None,
    ) -> Self:
        """This frame with other rotational rates.

        qdot = q omega / 2 and qddot = qdot omega / 2 + q alpha / 2, with omega and alpha as pure quaternions in the
        frame's own axes. Source: CHRONO16 eqs. 9, 12, inverted.
        """
        omega = self._in_own_axes("omega", omega_local, omega_parent)
        alpha = self._in_own_axes("alpha", alpha_local, alpha_parent)
        qdot = 0.5 * quaternion.multiply(self.q, omega)
        qddot = 0.5 * (quaternion.multiply(qdot, omega) + quaternion.multiply(self.q, alpha))
        return self._computed(self.names, r=self.r, q=self.q, rdot=self.rdot, qdot=qdot, rddot=self.rddot, qddot=qddot)

    def _in_own_axes(self, quantity: str, local: ArrayLike | None, parent: ArrayLike | None) -> Array:
        """An angular rate, given in either axes, as a pure quaternion in the frame's own axes, shape (4,)."""
        owner = type(self).__name__
        if local is not None and parent is not None:
            raise FrameError(f"{owner}: {quantity}_local and {quantity}_parent are both given; give one of them")
        rate = np.zeros(4)
        if local is not None:
            rate[1:] = checked_numbers(local, 3, field=f"{quantity}_local", owner=owner)
        elif parent is not None:
            rate[1:] = rows(self.A.T, checked_numbers(parent, 3, field=f"{quantity}_parent", owner=owner))
        return rate

    @classmethod
    def _check_constraints(cls, numbers: Mapping[str, Array]) -> None:
        """|q| = 1 and its first two time derivatives."""
        super()._check_constraints(numbers)
        q, qdot, qddot = numbers["q"], numbers["qdot"], numbers["qddot"]
        speed, square = float(np.linalg.norm(qdot)), float(qdot @ qdot)
        radial = float(q @ qdot)
        if abs(radial) > TANGENT_TOLERANCE * max(1.0, speed):
            raise FrameError(
                f"{cls.__name__} field 'qdot': q . qdot is {radial!r}; a unit quaternion needs 0, "
                f"which MovingFrame.from_rates(omega_local=...) gives"
            )
        residual = float(q @ qddot) + square
        if abs(residual) > TANGENT_TOLERANCE * max(1.0, square, float(np.linalg.norm(qddot))):
            raise FrameError(
                f"{cls.__name__} field 'qddot': q . qddot + |qdot|^2 is {residual!r}; a unit quaternion needs 0, "
                f"which MovingFrame.from_rates(omega_local=..., alpha_local=...) gives"
            )


def _product_with_rates(p: Array, q: Array) -> tuple[Array, Array, Array]:
    """The quaternion product p q and its first two time derivatives, from those of p and q, shape (3, 4) each.

    Source: CHRONO16 eqs. 6, 8, 11.
    """
    products = quaternion.multiply(p[:, None], q[None, :])  # [i, j]: i-th derivative of p times j-th derivative of q
    return (
        products[0, 0].copy(),
        products[1, 0] + products[0, 1],
        products[2, 0] + 2.0 * products[1, 1] + products[0, 2],
    )


def frame_from_dict(data: Mapping[str, Any]) -> Frame:
    """The Frame or MovingFrame that `to_dict` wrote, whichever its type tag says."""
    tag = data.get("type") if isinstance(data, Mapping) else "Frame"
    for cls in (Frame, MovingFrame):
        if tag == cls.__name__:
            return cls.from_dict(data)
    raise FrameError(f"frame field 'type': {tag!r} is not a kind of frame; it must be 'Frame' or 'MovingFrame'")
