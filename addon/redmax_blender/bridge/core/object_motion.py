# SPDX-License-Identifier: GPL-3.0-or-later
"""How objects turn and shift within their parents when bodies move: plain arrays over (object, frame), no Blender.

The formulas are those of `placement`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..._engine import arrays, quaternion, so3, trajectory

Array = arrays.Array
Trajectory = trajectory.Trajectory

SHEAR = 1e-5
"""Departure from a rotation that is still taken for one: Blender stores parent inverses in single precision [1]."""

ROUND_OFF = 1e-12
"""Departure from the identity that is none [1]."""


@dataclass(frozen=True, eq=False)
class Places:
    """What is constant about n objects: indices of body and carrier (-1: none), and the matrices of `placement`.

    modes: rotation modes. rest: rotation channels as modelled. B: A without the scale of the channels.
    """

    names: list[str]
    parents: list[str]
    modes: list[str]
    rest: list[tuple[float, ...]]
    body: arrays.IntArray
    carrier: arrays.IntArray
    C_inverse: Array
    B: Array
    delta: Array
    delta_location: Array

    def some(self, which: Sequence[int]) -> Places:
        """The objects of these indices."""
        lists = ([values[index] for index in which] for values in (self.names, self.parents, self.modes, self.rest))
        numbers = (self.body, self.carrier, self.C_inverse, self.B, self.delta, self.delta_location)
        return Places(*lists, *(values[which] for values in numbers))  # type: ignore[arg-type]

    def plain(self) -> list[bool]:
        """Whose channels are the pose itself, but for a shift: most objects without a parent."""
        gaps = [np.abs(M - np.eye(M.shape[-1])).max(axis=(1, 2)) for M in (self.C_inverse, self.B, self.delta)]
        found: list[bool] = ((self.carrier < 0) & (np.maximum.reduce(gaps) <= ROUND_OFF)).tolist()
        return found


class Motions(NamedTuple):
    """Of n objects over f samples: q (n, f, 4), spin (n, f, 3) in the turning frame, location and its rate (n, f, 3).

    sheared: (n,) where no rotation gives the pose.
    """

    q: Array
    spin: Array
    location: Array
    location_rate: Array
    sheared: arrays.BoolArray


def of_plain_objects(places: Places, result: Trajectory, length: float) -> Motions:
    """Of objects whose channels are the pose itself, but for a shift."""
    q, p = (np.swapaxes(values[:, places.body], 0, 1) for values in (result.rotation, result.position))
    twist = np.swapaxes(result.channels["twist"][:, places.body], 0, 1)
    location = p / length - places.delta_location[:, None]
    location_rate = quaternion.rotate(q, twist[..., 3:]) / length
    return Motions(q, twist[..., :3], location, location_rate, np.zeros(len(places.names), bool))


def of_objects(places: Places, result: Trajectory, length: float) -> Motions:
    """Of any objects; arrays are (object, frame, ...)."""
    R_cb, p_cb, omega, pdot = _relative_motion(places, result, length)
    linear, shift = places.C_inverse[:, None, :3, :3], places.C_inverse[:, None, :3, 3]
    delta_T = np.swapaxes(places.delta, 1, 2)[:, None]
    B = places.B
    R = (delta_T @ linear) @ R_cb @ B[:, None]
    gap = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(axis=(1, 2, 3))
    sheared = ~((gap <= SHEAR) & (np.linalg.det(R) > 0.0).all(axis=1))
    location = (linear @ p_cb[..., None])[..., 0] + shift - places.delta_location[:, None]
    return Motions(
        q=quaternion.from_matrix(R),
        spin=(_turned_by(B)[:, None] @ omega[..., None])[..., 0],
        location=location,
        location_rate=(linear @ pdot[..., None])[..., 0],
        sheared=sheared,
    )


def _relative_motion(places: Places, result: Trajectory, length: float) -> tuple[Array, Array, Array, Array]:
    """Of each body relative to its carrier: R_cb, p_cb [Blender units], omega in the body, and the rate of p_cb."""
    body, on = places.body, places.carrier
    carried = (on >= 0)[:, None, None]
    q = np.swapaxes(result.rotation, 0, 1)
    p = np.swapaxes(result.position, 0, 1) / length
    twist = np.swapaxes(result.channels["twist"], 0, 1)
    omega, v = twist[..., :3], twist[..., 3:] / length

    R_wb = quaternion.to_matrix(q[body])
    R_cw = np.swapaxes(quaternion.to_matrix(np.where(carried, q[on], quaternion.identity())), -1, -2)
    p_c, omega_c, v_c = (np.where(carried, values[on], 0.0) for values in (p, omega, v))
    R_cb = R_cw @ R_wb
    p_cb = (R_cw @ (p[body] - p_c)[..., None])[..., 0]
    omega_cb = omega[body] - (np.swapaxes(R_cb, -1, -2) @ omega_c[..., None])[..., 0]
    pdot = (R_cb @ v[body][..., None])[..., 0] - v_c - np.cross(omega_c, p_cb)
    return R_cb, p_cb, omega_cb, pdot


def _turned_by(B: Array) -> Array:
    """(n, 3, 3) that maps omega to the vector of B^-1 [omega] B: the angular velocity of R B, seen in its own axes."""
    B_inverse = np.linalg.inv(B)
    columns = [so3.vee(B_inverse @ so3.hat(axis) @ B) for axis in np.eye(3)]
    return np.stack(columns, axis=-1)
