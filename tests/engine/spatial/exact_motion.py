# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions known to 30 digits, the oracle of the moving-frame tests.

Poses are functions of time in 60-digit arithmetic, built from rotation matrices and composed as 4x4-style (A, r)
pairs. Central differences with h = 1e-15 then have a truncation error of about h^2 = 1e-30 and a rounding error of
about 1e-60 / h^2 = 1e-30: exact for a comparison in doubles. No code is shared with the engine.
"""

from collections.abc import Callable
from dataclasses import dataclass

import mpmath
import numpy as np

mp = mpmath.MPContext()
mp.dps = 60
H = mp.mpf(10) ** -15

Pose = tuple[np.ndarray, np.ndarray]  # A (3, 3), r (3,), objects of type mpf
Motion = Callable[[mpmath.mpf], Pose]


def vector(numbers) -> np.ndarray:
    return np.array([mp.mpf(x) for x in numbers], dtype=object)


def floats(x: np.ndarray) -> np.ndarray:
    return np.array(x, dtype=np.float64)


def derivatives(f: Callable[[mpmath.mpf], np.ndarray], t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """f, df/dt and d2f/dt2 at t, still in 60 digits."""
    t = mp.mpf(t)
    before, now, after = f(t - H), f(t), f(t + H)
    return now, (after - before) / (2 * H), (after - 2 * now + before) / H**2


def axis_rotation(axis: int, angle) -> np.ndarray:
    """Rotation matrix about one coordinate axis."""
    c, s = mp.cos(angle), mp.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    A = np.array([[mp.mpf(int(row == column)) for column in range(3)] for row in range(3)], dtype=object)
    A[i, i], A[i, j], A[j, i], A[j, j] = c, -s, s, c
    return A


def axis_quaternion(axis: int, angle) -> np.ndarray:
    q = vector([0, 0, 0, 0])
    q[0], q[1 + axis] = mp.cos(angle / 2), mp.sin(angle / 2)
    return q


def hamilton(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The quaternion product written out from i^2 = j^2 = k^2 = ijk = -1."""
    a, b, c, d = p
    e, f, g, h = q
    return np.array(
        [
            a * e - b * f - c * g - d * h,
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        ],
        dtype=object,
    )


def chained(outer: Pose, inner: Pose) -> Pose:
    """Pose of a in c from b in c (outer) and a in b (inner)."""
    return outer[0] @ inner[0], outer[1] + outer[0] @ inner[1]


def inverted(pose: Pose) -> Pose:
    return pose[0].T, -pose[0].T @ pose[1]


@dataclass(frozen=True)
class Curve:
    """A smooth, generic motion: Euler angles z, y, x and a position, each c0 + c1 t + c2 sin(c3 t + c4)."""

    coefficients: np.ndarray  # (6, 5)

    @classmethod
    def from_seed(cls, seed: int) -> "Curve":
        return cls(np.random.default_rng(seed).uniform(-2.0, 2.0, (6, 5)))

    def coordinates(self, t) -> np.ndarray:
        return vector([c[0] + c[1] * t + c[2] * mp.sin(c[3] * t + c[4]) for c in map(vector, self.coefficients)])

    def pose(self, t) -> Pose:
        z, y, x, *r = self.coordinates(t)
        return axis_rotation(2, z) @ axis_rotation(1, y) @ axis_rotation(0, x), vector(r)

    def rotation(self, t) -> np.ndarray:
        z, y, x, *_ = self.coordinates(t)
        return hamilton(axis_quaternion(2, z), hamilton(axis_quaternion(1, y), axis_quaternion(0, x)))

    def position(self, t) -> np.ndarray:
        return self.coordinates(t)[3:]

    def fields(self, t: float) -> dict[str, np.ndarray]:
        """r, q and their derivatives at t, rounded to doubles."""
        r = dict(zip(("r", "rdot", "rddot"), map(floats, derivatives(self.position, t)), strict=True))
        q = dict(zip(("q", "qdot", "qddot"), map(floats, derivatives(self.rotation, t)), strict=True))
        return r | q


def unskew(W: np.ndarray) -> np.ndarray:
    return np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]], dtype=object) / 2


def kinematics(motion: Motion, t: float) -> dict[str, np.ndarray]:
    """Everything a moving frame knows, from differences of its pose, rounded to doubles.

    omega = unskew(Adot A^T) in the parent's axes, alpha = unskew(d/dt (Adot A^T)).
    """
    A, Adot, Addot = derivatives(lambda s: motion(s)[0], t)
    r, rdot, rddot = derivatives(lambda s: motion(s)[1], t)
    omega = unskew(Adot @ A.T)
    alpha = unskew(Addot @ A.T + Adot @ Adot.T)
    exact = {
        "r": r, "rdot": rdot, "rddot": rddot,
        "A": A, "Adot": Adot, "Addot": Addot,
        "omega_parent": omega, "alpha_parent": alpha,
        "omega_local": A.T @ omega, "alpha_local": A.T @ alpha,
    }  # fmt: skip
    return {name: floats(value) for name, value in exact.items()}
