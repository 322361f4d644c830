# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of one frame as seen from another that moves too, over many samples at once.

What an observer o sees of a body b, along the observer's axes: a frame that turns adds the terms of Euler, of the
centrifugal acceleration and of Coriolis. `MovingFrame` (moving_frame.py) has the same algebra for one instant.
Source: CHRONO16 eqs. 5, 7 and 10, solved for the frame that is seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, ArrayLike
from . import pose
from .moving_frame import MovingFrame


@dataclass(frozen=True, eq=False)
class RelativeMotion:
    """A body's motion relative to an observer, f samples, along the observer's axes, angular part first.

    body, observer: their names, "world" for the world.
    pose: (f, 4, 4), the body's frame in the observer's [m].
    twist: (f, 6), angular velocity relative to the observer [rad/s], then velocity of the body's origin [m/s]: the rate
    of the pose's position.
    acceleration: (f, 6), the time derivative of these six numbers [rad/s^2, m/s^2]: what somebody would measure who
    turns with the observer and takes it to stand still. NaN where no force determines an acceleration.
    """

    body: str
    observer: str
    pose: Array
    twist: Array
    acceleration: Array

    def moving_frame(self, sample: int) -> MovingFrame:
        """One sample as a frame to calculate with: `hook_on_boom >> boom_in_world` is the hook in the world."""
        E, (omega, v), (alpha, a) = (
            self.pose[sample],
            *(np.split(values[sample], 2) for values in (self.twist, self.acceleration)),
        )
        still = MovingFrame.from_twist(E, np.zeros(6), origin=self.body, base=self.observer)
        return still.replace(rdot=v, rddot=a, omega_parent=omega, alpha_parent=alpha)


@dataclass(frozen=True, eq=False)
class WorldMotion:
    """A frame in the world, along the world's axes: E (f, 4, 4); angular velocity and acceleration, velocity and
    acceleration of its origin, (f, 3) each."""

    E: Array
    omega: Array
    alpha: Array
    v: Array
    a: Array

    @classmethod
    def of_twists(cls, E_wb: ArrayLike, phi: ArrayLike, phidot: ArrayLike) -> WorldMotion:
        """From poses (f, 4, 4), twists in the frame itself (f, 6) and the derivatives of these six numbers (f, 6)."""
        E, phi, phidot = np.asarray(E_wb, float), np.asarray(phi, float), np.asarray(phidot, float)
        R, omega, nu = pose.rotation(E), phi[:, :3], phi[:, 3:]
        return cls(
            E,
            *(_turned(R, each) for each in (omega, phidot[:, :3], nu, phidot[:, 3:] + np.cross(omega, nu))),
        )

    @classmethod
    def at_rest(cls, samples: int) -> WorldMotion:
        """The world itself."""
        return cls.of_twists(pose.identity((samples,)), np.zeros((samples, 6)), np.zeros((samples, 6)))


def seen_from(b: WorldMotion, o: WorldMotion) -> tuple[Array, Array, Array]:
    """Pose, twist and acceleration of b as `RelativeMotion` has them, seen from o."""
    R_ow = np.swapaxes(pose.rotation(o.E), -1, -2)
    d = pose.position(b.E) - pose.position(o.E)
    omega = b.omega - o.omega
    v = b.v - o.v - np.cross(o.omega, d)
    alpha = b.alpha - o.alpha - np.cross(o.omega, omega)
    # Euler, centrifugal and Coriolis.
    turning = np.cross(o.alpha, d) + np.cross(o.omega, np.cross(o.omega, d)) + 2.0 * np.cross(o.omega, v)
    a = b.a - o.a - turning
    omega, v, alpha, a = (_turned(R_ow, each) for each in (omega, v, alpha, a))
    E_ob = pose.inverse(o.E) @ b.E
    return E_ob, np.concatenate([omega, v], axis=1), np.concatenate([alpha, a], axis=1)


def _turned(R: Array, x: Array) -> Array:
    """R x of each sample."""
    turned: Array = np.einsum("fij,fj->fi", R, x)
    return turned
